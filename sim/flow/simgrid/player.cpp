// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/simgrid/player.hpp"

#include "sim/flow/simgrid/machine.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Barrier.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Semaphore.hpp>
#include <smpi/smpi.h>
#include <stdexcept>
#include <unordered_map>

namespace s4u = simgrid::s4u;

constexpr int STEPS_PER_POLL = 4096;
constexpr int ADVANCES_PER_POLL = 256;

// Not a null pointer, which SMPI refuses, and yet no buffer that it would copy.
static void *const NO_DATA = MPI_BOTTOM;

// A receive that is posted and has no message yet.
struct Posted {
    int from, tag, space;
    uint32_t request;
};

struct Message {
    int from, tag, space;
    int64_t size;
    bool late;           // its flow starts when a receive takes it
    MPI_Request request; // that its sender must wait for, once it is received; or MPI_REQUEST_NULL
};

struct OpenRequest {
    MPI_Request request;
    bool buffered;                    // a send that is done
    std::shared_ptr<Message> message; // that a receive has taken; NULL: none yet
};

struct Rank {
    s4u::SemaphorePtr news; // while the rank probes: that something has been sent to it
    std::unordered_map<uint32_t, OpenRequest> open;
    std::deque<Posted> posted;
    std::deque<std::shared_ptr<Message>> coming; // that no receive has taken yet
    std::vector<MPI_Request> over;               // of own buffered messages that have been received
};

struct Job {
    const flow_program *program;
    flow_verdict *verdict;
    std::vector<Rank> ranks;
    std::vector<std::vector<MPI_Comm>> spaces; // by space and rank
    s4u::BarrierPtr ready;
    s4u::SemaphorePtr never; // see stay
    double start = 0;        // when all ranks were
    double last = 0;         // when the last one that has ended did
    int ended = 0;
    int polls = 0;
    bool stopped = false;
    std::string fault;
};

std::vector<std::string> player_options()
{
    return {
        "--cfg=contexts/stack-size:" + std::to_string(FLOW_STACK_BYTES / 1024),
        "--cfg=smpi/simulate-computation:no",
        "--cfg=smpi/host-speed:1f",
        "--cfg=smpi/wtime:0",
        "--cfg=smpi/iprobe:0",
        "--cfg=smpi/test:0",
        "--cfg=smpi/pedantic:no",
        // A message has another type than its receive, if it is large (Amount).
        "--cfg=smpi/errors-are-fatal:no",
        "--cfg=smpi/shared-malloc:no",
        // A message of any size goes to the mailbox whose messages start at once, but for
        // MPI_Issend.
        "--cfg=smpi/async-small-thresh:2147483647",
        "--cfg=smpi/send-is-detached-thresh:2147483647",
    };
}

// ---- One rank ----

class Player
{
  public:
    Player(Job &job, int number) : job_(job), program_(*job.program), number_(number) {}
    void play();

  private:
    void send(const flow_step &step);
    void receive(const flow_step &step);
    void wait(const flow_step &step);
    void wait_any(const flow_step &step);
    void test(const flow_step &step);
    void probe(const flow_step &step);
    void look(const flow_step &step);
    void step(const flow_step &step);

    MPI_Comm space(int number) const
    {
        return job_.spaces[static_cast<size_t>(number)][static_cast<size_t>(number_)];
    }
    Rank &me()
    {
        return rank(number_);
    }
    Rank &rank(int number)
    {
        return job_.ranks[static_cast<size_t>(number)];
    }
    OpenRequest &request(uint32_t number);
    void close(uint32_t number);
    void forget_received();

    Job &job_;
    const flow_program &program_;
    int number_;
    int steps_ = 0;
};

static double elapsed(const Job &job)
{
    return s4u::Engine::get_clock() - job.start;
}

// For ever: the rank can't go on. The engine ends when none can. (An actor that is suspended would
// hold up its flows.)
[[noreturn]] static void stay(const Job &job)
{
    for (;;)
        job.never->acquire();
}

[[noreturn]] static void fail(Job &job, const std::string &fault)
{
    if (job.fault.empty())
        job.fault = fault;
    job.stopped = true;
    stay(job);
}

static int peer_of(int peer)
{
    return peer == FLOW_ANY ? MPI_ANY_SOURCE : peer;
}

static int tag_of(int tag)
{
    return tag == FLOW_ANY ? MPI_ANY_TAG : tag;
}

// A number of elements of a type, that are so many units without SMPI's envelope.
struct Amount {
    explicit Amount(double bytes)
    {
        static const MPI_Datatype types[] = {
            MPI_BYTE, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX};
        double units = std::max(bytes * UNITS_PER_BYTE - ENVELOPE, 0.0);
        size_t i = 0;
        for (; units > INT32_MAX && i + 1 < std::size(types); i++)
            units /= 2;
        fits = units <= INT32_MAX;
        type = types[i];
        count = fits ? static_cast<int>(std::lrint(units)) : 0;
    }

    bool fits;
    MPI_Datatype type;
    int count;
};

// ---- The books ----
//
// SMPI matches messages and receives, and does not tell. The plugin keeps the same books, by SMPI's
// order, because a send must know whether its receive is posted:
// - if it is, MPI_Issend starts the flow at once;
// - if not, a buffered message starts at once only as a detached send, all of which SimGrid keeps
// in
//   one list, to walk along it for each that ends: with ten thousand ranks, most of a run's time.
//
// A rank writes into the books right before its MPI call: between the two, no other rank runs, and
// SMPI serves calls in the order in which they are made.

template <class Wanted, class Offered>
static bool matches(const Wanted &wanted, const Offered &offered)
{
    return wanted.space == offered.space &&
           (wanted.from == FLOW_ANY || wanted.from == offered.from) &&
           (wanted.tag == FLOW_ANY || wanted.tag == offered.tag);
}

// The message that a receive would take now: SMPI looks among those first that have started.
static std::deque<std::shared_ptr<Message>>::iterator find_coming(Rank &rank, const Posted &wanted)
{
    auto &coming = rank.coming;
    for (bool late : {false, true}) {
        auto found = std::find_if(coming.begin(), coming.end(), [&](const auto &message) {
            return message->late == late && matches(wanted, *message);
        });
        if (found != coming.end())
            return found;
    }
    return coming.end();
}

// Whether a message must not start before an earlier one of its sender does.
static bool is_behind(const Rank &to, const Message &message)
{
    return std::any_of(to.coming.begin(), to.coming.end(), [&](const auto &other) {
        return other->late && other->from == message.from && other->space == message.space;
    });
}

// Writes a message into the books of its receiver. Returns whether a receive takes it.
static bool give(Rank &to, const std::shared_ptr<Message> &message)
{
    auto taker = std::find_if(to.posted.begin(), to.posted.end(),
                              [&](const Posted &posted) { return matches(posted, *message); });
    if (taker == to.posted.end()) {
        to.coming.push_back(message);
        return false;
    }
    to.open.at(taker->request).message = message;
    to.posted.erase(taker);
    return true;
}

// Writes a receive into the books of its rank.
static void post(Rank &rank, const Posted &receive)
{
    auto message = find_coming(rank, receive);
    if (message == rank.coming.end()) {
        rank.posted.push_back(receive);
        return;
    }
    rank.open.at(receive.request).message = *message;
    rank.coming.erase(message);
}

// Takes leave of own buffered messages that have been received.
void Player::forget_received()
{
    for (MPI_Request &over : me().over)
        MPI_Wait(&over, MPI_STATUS_IGNORE);
    me().over.clear();
}

// ---- Steps ----

void Player::send(const flow_step &step)
{
    Amount amount(step.bytes);
    if (!amount.fits)
        fail(job_, "a flow of " + std::to_string(step.bytes) + " B is too large for SMPI");
    forget_received();
    Rank &to = rank(step.peer);
    OpenRequest &own = me().open[step.request];
    own.buffered = step.buffered;
    auto message = std::make_shared<Message>();
    *message = {number_, step.tag, step.space, step.size, !step.buffered, MPI_REQUEST_NULL};
    message->late = message->late || is_behind(to, *message);
    bool detached = !give(to, message) && !message->late;
    auto *start = detached ? MPI_Isend : MPI_Issend;
    start(NO_DATA, amount.count, amount.type, step.peer, step.tag, space(step.space), &own.request);
    job_.verdict->flows++;
    if (detached)
        MPI_Wait(&own.request, MPI_STATUS_IGNORE); // for nothing
    else if (step.buffered)
        message->request = own.request;
    if (to.news)
        to.news->release();
}

void Player::receive(const flow_step &step)
{
    OpenRequest &own = me().open[step.request];
    own.buffered = false;
    post(me(), {step.peer, step.tag, step.space, step.request});
    MPI_Irecv(NO_DATA, INT32_MAX, MPI_C_LONG_DOUBLE_COMPLEX, peer_of(step.peer), tag_of(step.tag),
              space(step.space), &own.request);
}

OpenRequest &Player::request(uint32_t number)
{
    auto found = me().open.find(number);
    if (found == me().open.end())
        fail(job_, "rank " + std::to_string(number_) + " waits for request " +
                       std::to_string(number) + ", which is not open");
    return found->second;
}

// A request is done.
void Player::close(uint32_t number)
{
    const std::shared_ptr<Message> &message = request(number).message;
    if (message && message->request != MPI_REQUEST_NULL)
        rank(message->from).over.push_back(message->request);
    me().open.erase(number);
}

void Player::wait(const flow_step &step)
{
    for (int i = 0; i < step.awaited_count; i++) {
        OpenRequest &awaited = request(step.awaited[i]);
        MPI_Status status = {};
        if (!awaited.buffered)
            MPI_Wait(&awaited.request, &status);
        if (awaited.message && awaited.message->from != status.MPI_SOURCE)
            fail(job_, "rank " + std::to_string(number_) + " has received from rank " +
                           std::to_string(status.MPI_SOURCE) + " what rank " +
                           std::to_string(awaited.message->from) + " has sent");
        close(step.awaited[i]);
    }
}

void Player::wait_any(const flow_step &step)
{
    std::vector<MPI_Request> requests;
    int index = -1;
    for (int i = 0; i < step.awaited_count; i++)
        requests.push_back(request(step.awaited[i]).request);
    for (int i = 0, done = 0; i < step.awaited_count && index < 0; i++) {
        if (request(step.awaited[i]).buffered)
            done = 1;
        else
            MPI_Test(&requests[static_cast<size_t>(i)], &done, MPI_STATUS_IGNORE);
        if (done)
            index = i;
    }
    if (index < 0)
        MPI_Waitany(step.awaited_count, requests.data(), &index, MPI_STATUS_IGNORE);
    close(step.awaited[index]);
    program_.took(program_.owner, number_, index);
}

// All or none: one that is found done is remembered until all are.
void Player::test(const flow_step &step)
{
    bool all = true;
    for (int i = 0; i < step.awaited_count; i++) {
        OpenRequest &awaited = request(step.awaited[i]);
        int done = awaited.buffered || awaited.request == MPI_REQUEST_NULL;
        if (!done)
            MPI_Test(&awaited.request, &done, MPI_STATUS_IGNORE);
        all = all && done;
    }
    for (int i = 0; all && i < step.awaited_count; i++)
        close(step.awaited[i]);
    program_.took(program_.owner, number_, all);
}

static Posted probed(const flow_step &step)
{
    return {step.peer, step.tag, step.space, 0};
}

// SMPI's own MPI_Probe polls, for ever if no message arrives.
void Player::probe(const flow_step &step)
{
    while (find_coming(me(), probed(step)) == me().coming.end()) {
        me().news = s4u::Semaphore::create(0);
        me().news->acquire();
        me().news.reset();
    }
}

void Player::look(const flow_step &step)
{
    bool there = find_coming(me(), probed(step)) != me().coming.end();
    program_.took(program_.owner, number_, there);
}

void Player::step(const flow_step &step)
{
    switch (step.kind) {
    case FLOW_SEND:
        return send(step);
    case FLOW_RECV:
        return receive(step);
    case FLOW_PROBE:
        return probe(step);
    case FLOW_IPROBE:
        return look(step);
    case FLOW_WAIT:
        return wait(step);
    case FLOW_WAITANY:
        return wait_any(step);
    case FLOW_TEST:
        return test(step);
    case FLOW_BUSY:
        return s4u::this_actor::sleep_for(step.seconds);
    case FLOW_MARK:
        return program_.marked(program_.owner, number_, step.mark, elapsed(job_));
    case FLOW_END:
        return;
    }
}

void Player::play()
{
    flow_step next = {};
    for (;;) {
        program_.next(program_.owner, number_, &next);
        if (next.kind == FLOW_END)
            break;
        step(next);
        if (++steps_ % STEPS_PER_POLL == 0 && player_stops(job_))
            stay(job_);
    }
    job_.last = elapsed(job_);
    job_.ended++;
    program_.ended(program_.owner, number_, job_.last);
}

// ---- The job ----

// Each space is a communicator of all ranks; none is MPI_COMM_WORLD, whose receives SMPI matches
// with messages of any communicator. Making them takes simulated time: the ranks start together
// afterwards.
static void make_spaces(Job &job, int rank)
{
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (size_t i = 0; i < job.spaces.size(); i++) {
        MPI_Comm space;
        MPI_Comm_create(MPI_COMM_WORLD, all, &space);
        job.spaces[i][static_cast<size_t>(rank)] = space;
    }
    job.ready->wait();
    job.start = s4u::Engine::get_clock();
}

static void live(const std::shared_ptr<Job> &job, int rank)
{
    MPI_Init(nullptr, nullptr);
    make_spaces(*job, rank);
    Player(*job, rank).play();
    stay(*job);
}

std::shared_ptr<Job> player_start(const flow_program *program,
                                  const std::vector<s4u::Host *> &hosts, flow_verdict *verdict)
{
    auto job = std::make_shared<Job>();
    auto count = static_cast<size_t>(program->ranks);
    job->program = program;
    job->verdict = verdict;
    job->ranks.resize(count);
    job->spaces.assign(static_cast<size_t>(std::max(program->spaces, 1)),
                       std::vector<MPI_Comm>(count));
    job->ready = s4u::Barrier::create(static_cast<unsigned int>(program->ranks));
    job->never = s4u::Semaphore::create(0);
    SMPI_init();
    SMPI_app_instance_register("job", nullptr, program->ranks);
    for (int i = 0; i < program->ranks; i++) {
        s4u::Host *host = hosts[static_cast<size_t>(program->host[i])];
        s4u::ActorPtr actor = s4u::Actor::init("rank" + std::to_string(i), host);
        actor->set_property("instance_id", "job");
        actor->set_property("rank", std::to_string(i));
        actor->start([job, i] { live(job, i); });
    }
    return job;
}

bool player_stops(Job &job)
{
    if (!job.stopped && job.program->stop && ++job.polls % ADVANCES_PER_POLL == 0)
        job.stopped = job.program->stop(job.program->owner, elapsed(job));
    return job.stopped;
}

static void report_unmatched(const Job &job)
{
    const flow_program &program = *job.program;
    for (int i = 0; program.unmatched_receive && i < program.ranks; i++) {
        const Rank &rank = job.ranks[static_cast<size_t>(i)];
        for (const Posted &receive : rank.posted)
            program.unmatched_receive(program.owner, i, receive.request);
        for (const auto &message : rank.coming) {
            const flow_message found = {message->from, message->tag, message->space, message->size};
            program.unmatched_message(program.owner, i, &found);
        }
    }
}

void player_judge(const Job &job)
{
    flow_verdict *verdict = job.verdict;
    verdict->seconds = job.ended == job.program->ranks ? job.last : elapsed(job);
    verdict->outcome = job.ended == job.program->ranks ? FLOW_DONE
                       : job.stopped                   ? FLOW_STOPPED
                                                       : FLOW_DEADLOCK;
    verdict->text[0] = 0;
    if (job.fault.empty()) {
        if (verdict->outcome == FLOW_DEADLOCK)
            report_unmatched(job);
        return;
    }
    verdict->outcome = FLOW_BROKEN;
    job.fault.copy(verdict->text, sizeof verdict->text - 1);
}
