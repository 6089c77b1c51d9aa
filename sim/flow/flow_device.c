// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/flow_device.h"

#include "sim/core/fifo.h"
#include "sim/flow/flow_stream.h"
#include "sim/flow/passage.h"
#include "sim/mpi/arrival.h"

static const struct stage stack_stage = {"stack", STAGE_LIBRARY};

// ---- A message ----

enum carry_part {
    CARRY_EAGER,    // all of it
    CARRY_QUESTION, // a longer one's: may it come?
    CARRY_ANSWER,   // it may
    CARRY_BODY,     // all of it
    CARRY_SENT,     // to its sender: a buffered send has ended, or the body has left
};

struct carried;

// Arrived for a process, which finds it when the library makes progress.
struct carry_item {
    struct carry_item *next;
    struct carried *carried;
    enum carry_part part;
};

struct carried {
    struct passage passage;    // of its part that is under way
    struct stream_part stream; // of that part, where acknowledgments can stop it
    struct event event;        // that part leaves its sender's processor, or (local) arrives
    struct event sent;         // a buffered send ends
    struct carry *carry;
    struct mpi_process *from, *to;      // of the message; an answer goes back
    struct mpi_request *send, *receive; // NULL: done; not matched yet
    struct mpi_envelope envelope;
    struct message_ref message;
    struct flow_cost cost;
    bool local;     // within a host
    bool send_ends; // `sent` is scheduled, or was
    enum carry_part part;
    struct carry_item to_sender, to_receiver;
};

// ---- State ----

// Of a job.
struct carry {
    struct sim *sim;
    const struct flow_device *device;
    struct passages *passages;
    struct flow_streams *streams; // NULL: acknowledgments stop no message
    struct pool messages;
    struct flow_cost latest[2]; // the latest that was asked for, apart and local
    struct flow_cost control;   // of a question or an answer; of size -1 before the first
    sim_time library_send, library_receive; // see library_costs
};

// Of a process.
struct carry_process {
    struct carry *carry;
    struct carry_item *head, *tail; // arrived
    struct peer_counts expected;    // the number of the next message, by source
    struct peer_counts streams;     // the number of the stream to a peer; 0: there is none
    struct carry_item *early;       // messages that have overtaken others of their source
};

struct flow_device {
    struct stack stack; // first
    struct mpi_device_ops ops;
    const struct registry *registry;
    const struct stack *own; // of the case
    struct flow_costs *costs;
    const struct scenario_case *test_case; // whose hosts the costs were measured between
    double transfer;                       // bytes (stack.hands_over); 0: a frame
};

static const struct flow_device *device_of(const struct stack *stack)
{
    return container_of(stack, struct flow_device, stack);
}

static struct carry_process *carry_process_of(const struct mpi_process *process)
{
    return process->device;
}

// ---- States of requests ----

enum carry_state {
    CARRY_START,
    CARRY_LEAVES, // a buffered send
    CARRY_ASKS,
    CARRY_SENDS,
    CARRY_POSTED,
    CARRY_COMES,
    CARRY_TO_SELF,
    CARRY_DONE,
};

static const struct machine_state carry_states[] = {
    [CARRY_START] = {.name = "start",
                     .next = MACHINE_TO(CARRY_LEAVES, CARRY_ASKS, CARRY_POSTED, CARRY_COMES,
                                        CARRY_TO_SELF, CARRY_DONE)},
    [CARRY_LEAVES] = {"leaves", {"its card", WAIT_BUFFER}, HELD_HERE, MACHINE_TO(CARRY_DONE)},
    [CARRY_ASKS] = {"asks", {"the receiver", WAIT_ACK}, HELD_BY_PEER, MACHINE_TO(CARRY_SENDS)},
    [CARRY_SENDS] = {"sends", {"its last byte", WAIT_OTHER}, HELD_HERE, MACHINE_TO(CARRY_DONE)},
    [CARRY_POSTED] = {"posted",
                      {"a matching message", WAIT_OTHER},
                      HELD_BY_PEER,
                      MACHINE_TO(CARRY_COMES, CARRY_DONE)},
    [CARRY_COMES] = {"comes", {"its last byte", WAIT_OTHER}, HELD_BY_PEER, MACHINE_TO(CARRY_DONE)},
    [CARRY_TO_SELF] = {"to self",
                       {"a receive of its own", WAIT_OTHER},
                       HELD_HERE,
                       MACHINE_TO(CARRY_DONE)},
    [CARRY_DONE] = {.name = "done"},
};

const struct machine_kind flow_request_machine = {
    .name = "request",
    .logged = "send, recv, probe",
    .title = "Request on flows",
    .source = "sim/flow/flow_device.h",
    .states = carry_states,
    .count = G_N_ELEMENTS(carry_states),
};

// ---- Costs ----

// The processor times of the costs are those of whole calls. mpi_start and the like charge the
// library's part of them: the call, building and freeing the request, and one comparison.
static void library_costs(struct carry *carry, const struct mpi_process *process)
{
    const struct mpi_library_config *library = process->library;
    const struct cpu *cpu = process->task.cpu;
    sim_time call = cpu_cost(cpu, library->call) + cpu_cost(cpu, library->request);
    carry->library_send = call;
    carry->library_receive = call + cpu_cost(cpu, library->request) + cpu_cost(cpu, library->match);
}

// False: the run has failed, as two ranks can't exchange such a message.
static bool carry_cost(struct carry *carry, const struct mpi_process *process, int64_t size,
                       bool local, struct flow_cost *cost)
{
    struct flow_cost *latest = &carry->latest[local];
    if (latest->size != size) {
        const struct flow_cost *found = flow_costs_of(carry->device->costs, size, local);
        if (!found) {
            mpi_fail(process, "too_long", NULL, ": %s", flow_costs_why(carry->device->costs));
            return false;
        }
        *latest = *found;
        latest->send = MAX(found->send - carry->library_send, 0);
        latest->receive = MAX(found->receive - carry->library_receive, 0);
    }
    *cost = *latest;
    return true;
}

static void carry_spend(struct cpu_context *context, sim_time time, struct message_ref message)
{
    if (time > 0)
        cpu_spend_message(context, time, &stack_stage, message);
}

// ---- Messages ----

static struct carried *carried_new(struct carry *carry, struct mpi_request *send,
                                   const struct flow_cost *cost)
{
    struct mpi_process *from = send->process, *to = from->peers[send->peer];
    struct carried *carried = pool_take(&carry->messages);
    *carried = (struct carried){
        .carry = carry,
        .from = from,
        .to = to,
        .send = send,
        .envelope = mpi_send_envelope(send),
        .message = send->message,
        .cost = *cost,
        .local = from->host == to->host,
    };
    carried->to_sender.carried = carried->to_receiver.carried = carried;
    return carried;
}

// A message is freed when neither its sender nor its receiver needs it.
static void carried_over(struct carried *carried)
{
    if (!carried->send && !carried->to)
        pool_give(&carried->carry->messages, carried);
}

static void sender_over(struct carried *carried)
{
    carried->send = NULL;
    carried_over(carried);
}

static void receiver_over(struct carried *carried)
{
    carried->to = NULL;
    carried_over(carried);
}

static void carry_notify(struct mpi_process *process, struct carry_item *item, enum carry_part part)
{
    struct carry_process *own = carry_process_of(process);
    item->part = part;
    FIFO_APPEND(own->head, own->tail, item, next);
    cpu_wake(&process->task);
}

// Messages of one source are found in the order of their sends: one that has overtaken another
// waits for it.
static void carry_in_order(struct mpi_process *process, struct carry_item *item,
                           enum carry_part part)
{
    struct carry_process *own = carry_process_of(process);
    int source = item->carried->envelope.source;
    uint32_t *expected = peer_counts_at(&own->expected, source);
    if (item->carried->envelope.sequence != *expected) {
        item->part = part;
        item->next = own->early;
        own->early = item;
        return;
    }
    uint32_t following = ++*expected;
    carry_notify(process, item, part); // a process that polls may free the message at once
    for (struct carry_item **at = &own->early; *at; at = &(*at)->next) {
        struct carry_item *early = *at;
        const struct mpi_envelope *other = &early->carried->envelope;
        if (other->source != source || other->sequence != following)
            continue;
        *at = early->next;
        carry_in_order(process, early, early->part);
        return;
    }
}

// ---- Passages ----

static struct mpi_process *part_sender(const struct carried *carried)
{
    return carried->part == CARRY_ANSWER ? carried->to : carried->from;
}

static struct mpi_process *part_receiver(const struct carried *carried)
{
    return carried->part == CARRY_ANSWER ? carried->from : carried->to;
}

static bool carries_nothing(const struct carried *carried)
{
    return carried->part == CARRY_QUESTION || carried->part == CARRY_ANSWER;
}

static void part_arrived(struct carried *carried)
{
    struct mpi_process *process = part_receiver(carried);
    bool answer = carried->part == CARRY_ANSWER;
    struct carry_item *item = answer ? &carried->to_sender : &carried->to_receiver;
    if (carried->part == CARRY_EAGER || carried->part == CARRY_QUESTION)
        carry_in_order(process, item, carried->part);
    else
        carry_notify(process, item, carried->part);
}

static void carry_local_arrived(struct engine *engine, struct event *event)
{
    (void)engine;
    part_arrived(container_of(event, struct carried, event));
}

static void carry_arrived(struct passage *passage)
{
    struct carried *carried = container_of(passage, struct carried, passage);
    if (carried->carry->streams)
        flow_stream_arrived(&carried->stream);
    part_arrived(carried);
}

// A buffered send ends some time after its bytes are at the card, or in the socket.
static void send_ends_later(struct carried *carried, sim_time from)
{
    if (carried->part != CARRY_EAGER || !carried->send || carried->send_ends)
        return;
    carried->send_ends = true;
    engine_schedule(carried->carry->sim->engine, &carried->sent, from + carried->cost.sending);
}

static void carry_begins(struct passage *passage)
{
    send_ends_later(container_of(passage, struct carried, passage), passage->began);
}

static void carry_left(struct passage *passage)
{
    struct carried *carried = container_of(passage, struct carried, passage);
    carry_notify(carried->from, &carried->to_sender, CARRY_SENT);
}

static const struct passages_ops carry_passages = {carry_begins, carry_left, carry_arrived};

static void leaves_within_host(struct carried *carried)
{
    struct engine *engine = carried->carry->sim->engine;
    sim_time now = engine_now(engine);
    sim_time latency = carries_nothing(carried) ? 0 : carried->cost.latency;
    event_init(&carried->event, carry_local_arrived);
    engine_schedule(engine, &carried->event, now + latency);
    send_ends_later(carried, now);
    if (carried->part == CARRY_BODY)
        carry_notify(carried->from, &carried->to_sender, CARRY_SENT);
}

static const struct flow_cost *part_cost(const struct carried *carried)
{
    return carries_nothing(carried) ? &carried->carry->control : &carried->cost;
}

static void start_passage(struct carried *carried)
{
    const struct flow_cost *cost = part_cost(carried);
    carried->passage.message = carried->message;
    carried->passage.wire = cost->wire;
    carried->passage.frame = cost->frame;
    carried->passage.latency = cost->latency;
    carried->passage.after = cost->after;
    carried->passage.spread = cost->spread;
    carried->passage.waits_for_line = cost->waits_for_line;
    carried->passage.from = part_sender(carried)->host->index;
    carried->passage.to = part_receiver(carried)->host->index;
    carried->passage.number = carried->envelope.sequence;
    carried->passage.tells_left = carried->part == CARRY_BODY;
    passage_start(carried->carry->passages, &carried->passage);
}

static void stream_starts(struct stream_part *part)
{
    start_passage(container_of(part, struct carried, stream));
}

// The part has left the sender's processor.
static void carry_leaves(struct engine *engine, struct event *event)
{
    struct carried *carried = container_of(event, struct carried, event);
    struct flow_streams *streams = carried->carry->streams;
    (void)engine;
    if (carried->local) {
        leaves_within_host(carried);
        return;
    }
    if (!streams) {
        start_passage(carried);
        return;
    }
    struct mpi_process *from = part_sender(carried), *to = part_receiver(carried);
    uint32_t *there = peer_counts_at(&carry_process_of(from)->streams, to->rank);
    if (*there == 0)
        flow_streams_open(streams, there,
                          peer_counts_at(&carry_process_of(to)->streams, from->rank));
    struct flow_stream *stream = flow_streams_get(streams, *there);
    if (!flow_stream_send(stream, &carried->stream, part_cost(carried)->size))
        send_ends_later(carried, sim_now(carried->carry->sim));
}

static void carry_sent(struct engine *engine, struct event *event)
{
    struct carried *carried = container_of(event, struct carried, sent);
    (void)engine;
    carry_notify(carried->from, &carried->to_sender, CARRY_SENT);
}

static void carry_go(struct cpu_context *context, struct carried *carried, enum carry_part part)
{
    carried->part = part;
    event_init(&carried->event, carry_leaves);
    cpu_post(context, &carried->event);
}

// ---- Sends ----

static void carry_send(struct cpu_context *context, struct mpi_request *send)
{
    struct mpi_process *process = send->process;
    struct carry *carry = carry_process_of(process)->carry;
    bool local = process->host == process->peers[send->peer]->host;
    struct flow_cost cost;
    if (!carry_cost(carry, process, send->size, local, &cost))
        return;
    bool eager = cost.eager && !send->synchronous;
    if (!eager && !local && carry->control.size < 0 &&
        !carry_cost(carry, process, 0, false, &carry->control))
        return;
    struct carried *carried = carried_new(carry, send, &cost);
    carry_spend(context, carried->cost.send, send->message);
    event_init(&carried->sent, carry_sent);
    if (eager && carried->cost.sending == 0) {
        carried->send = NULL;
        mpi_finish(context, send);
    } else {
        mpi_enter(context, send, eager ? CARRY_LEAVES : CARRY_ASKS, NULL);
    }
    carry_go(context, carried, eager ? CARRY_EAGER : CARRY_QUESTION);
}

// ---- Receives ----

static void receive_all(struct cpu_context *context, struct carried *carried,
                        struct mpi_request *receive)
{
    carry_spend(context, carried->cost.receive, carried->message);
    mpi_deliver(receive);
    receiver_over(carried);
    mpi_finish(context, receive);
}

static void receive_answer(struct cpu_context *context, struct carried *carried,
                           struct mpi_request *receive)
{
    carried->receive = receive;
    mpi_enter(context, receive, CARRY_COMES, NULL);
    carry_go(context, carried, CARRY_ANSWER);
}

static void carry_claim(struct cpu_context *context, struct mpi_request *receive,
                        struct mpi_unexpected *message)
{
    struct carried *carried = (struct carried *)(uintptr_t)message->extra[0];
    if (message->whole)
        receive_all(context, carried, receive);
    else
        receive_answer(context, carried, receive);
}

// An eager message, or the question of a longer one.
static void carry_comes(struct cpu_context *context, struct mpi_process *process,
                        struct carried *carried, bool whole)
{
    bool good;
    struct mpi_request *receive =
        mpi_arrived(context, process, &carried->envelope, carried->message, &good);
    if (!good)
        return;
    if (receive && whole) {
        receive_all(context, carried, receive);
    } else if (receive) {
        receive_answer(context, carried, receive);
    } else {
        struct mpi_unexpected *kept = mpi_keep(context, process, &carried->envelope,
                                               carried->message, whole ? "arrived" : "asked");
        kept->whole = whole;
        kept->extra[0] = (uintptr_t)carried;
    }
}

// ---- Progress ----

static void carry_item_handle(struct cpu_context *context, struct mpi_process *process,
                              const struct carry_item *item)
{
    struct carried *carried = item->carried;
    struct mpi_request *send = carried->send;
    switch (item->part) {
    case CARRY_EAGER:
    case CARRY_QUESTION:
        carry_comes(context, process, carried, item->part == CARRY_EAGER);
        return;
    case CARRY_ANSWER:
        mpi_enter(context, send, CARRY_SENDS, NULL);
        carry_go(context, carried, CARRY_BODY);
        return;
    case CARRY_BODY:
        receive_all(context, carried, carried->receive);
        return;
    case CARRY_SENT:
        sender_over(carried);
        mpi_finish(context, send);
        return;
    }
}

static enum mpi_progress carry_advance(struct cpu_context *context, struct mpi_process *process,
                                       bool blocking)
{
    struct carry_process *own = carry_process_of(process);
    struct carry_item *item = own->head;
    if (item) {
        own->head = item->next;
        carry_item_handle(context, process, item);
        return PROGRESS_EVENT;
    }
    return blocking && process->active ? PROGRESS_BLOCKED : PROGRESS_NOTHING;
}

static const struct mpi_arrival_ops carry_arrival = {
    .send = carry_send,
    .claim = carry_claim,
    .posted = CARRY_POSTED,
    .waits_self = CARRY_TO_SELF,
    .done = CARRY_DONE,
    .buffers_self = mpi_buffers_plain,
    .machine = "message",
    .self = "to self",
};

// ---- The stack ----

static void carry_init(struct job *job)
{
    struct carry *carry = job->state;
    const struct flow_device *device = device_of(job->stack);
    carry->sim = job->sim;
    carry->device = device;
    struct flow_pace pace = flow_pace_of(device->registry, job->test_case);
    pace.rails = device->own->cards_in_turn
                     ? network_host_stations(job->cluster->network, job->processes[0]->host->index)
                     : 1;
    carry->passages =
        passages_new(job->cluster, job->test_case, &carry_passages, device->transfer, &pace);
    struct stack_stream stream;
    if (device->own->stream && device->own->stream(job->test_case, &stream))
        carry->streams = flow_streams_new(job->sim, &stream, stream_starts);
    pool_init(&carry->messages, sizeof(struct carried));
    carry->latest[0].size = carry->latest[1].size = carry->control.size = -1;
    library_costs(carry, job->processes[0]);
    int from = 0, to = 1; // of a pair alone
    if (job->test_case == device->test_case) {
        flow_costs_run_on(device->costs, job->cluster);
        flow_costs_hosts(device->costs, &from, &to);
    }
    if (to < job->cluster->host_count)
        passages_measured(carry->passages, from, to);
}

static void carry_process_init(struct job *job, struct mpi_process *process)
{
    carry_process_of(process)->carry = job->state;
    process->task.merges = true;
}

static void carry_process_clear(struct job *job, struct mpi_process *process)
{
    (void)job;
    peer_counts_clear(&carry_process_of(process)->expected);
    peer_counts_clear(&carry_process_of(process)->streams);
}

static void carry_clear(struct job *job)
{
    struct carry *carry = job->state;
    pool_clear(&carry->messages);
    passages_free(carry->passages);
    flow_streams_free(carry->streams);
}

struct flow_device *flow_device_new(const struct registry *registry,
                                    const struct scenario_case *test_case)
{
    const struct stack *own = registry_stack(registry, test_case->stack->name);
    struct flow_device *device = g_new0(struct flow_device, 1);
    device->costs = flow_costs_new(registry, test_case);
    device->test_case = test_case;
    device->registry = registry;
    device->own = own;
    device->transfer = own->hands_over ? (double)own->hands_over(test_case) : 0;
    device->ops = (struct mpi_device_ops){
        .name = own->device->name,
        .arrival = &carry_arrival,
        .longest = own->device->longest,
        .machine = &flow_request_machine,
        .start = mpi_matched_start,
        .progress = own->device->progress,
        .advance = carry_advance,
    };
    device->stack = (struct stack){
        .schema = own->schema,
        .device = &device->ops,
        .state_size = sizeof(struct carry),
        .process_size = sizeof(struct carry_process),
        .init = carry_init,
        .process_init = carry_process_init,
        .process_clear = carry_process_clear,
        .clear = carry_clear,
        .eager = own->eager,
        .library_section = own->library_section,
    };
    flow_costs_play_on(device->costs, &device->stack);
    return device;
}

void flow_device_free(struct flow_device *device)
{
    if (!device)
        return;
    flow_costs_free(device->costs);
    g_free(device);
}

const struct stack *flow_device_stack(const struct flow_device *device)
{
    return &device->stack;
}

const struct flow_costs *flow_device_costs(const struct flow_device *device)
{
    return device->costs;
}
