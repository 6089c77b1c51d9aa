// SPDX-License-Identifier: GPL-3.0-or-later
// Random runs as in test_random.c, but with one one-to-many socket for each host: the first message
// to a host associates, mostly from both sides at once, so that set-ups collide. The users move
// their primaries about.
//
// `test_sctp_random_many N` repeats run N and prints its settings, `test_sctp_random_many N M` runs
// N .. M-1.
#include "tests/support/sctp_random.h"
#include "tests/support/sctp_watch.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>

#define RUNS 40

// A host's dealings with another one.
struct peer {
    int64_t sent, read;
    struct sctp_send_info waits; // the socket had no room for it; bytes 0: none
};

struct host_job {
    struct sctp_random *run;
    struct peer peers[SCTP_RANDOM_HOSTS];
    int error; // enum sctp_result
    bool closed;
};

static bool start(struct cpu_context *context, void *process, void *argument)
{
    struct sctp_node *node = process;
    (void)argument;
    node->socket = sctp_socket_new(context, node->host, SCTP_ONE_TO_MANY, &node->process.task);
    sctp_bind(context, node->socket, SCTP_WORLD_PORT, 0);
    sctp_listen(context, node->socket);
    return true;
}

// The address of a peer's card by chance.
static int address(struct sctp_node *node, struct sctp_random *run, int peer)
{
    int stations[SCTP_MOST_PATHS];
    int count = inet_stations(node->process.world->cluster, peer, stations, SCTP_MOST_PATHS);
    return stations[sctp_random_below(run, count)];
}

// The one that this host knows the peer by. The peer may know this host by a card of another
// network, so that set-ups cross.
static int known_address(const struct sctp_node *node, const struct sctp_random *run, int peer)
{
    int stations[SCTP_MOST_PATHS];
    inet_stations(node->process.world->cluster, peer, stations, SCTP_MOST_PATHS);
    return stations[(3 * node->process.number + peer) % run->networks];
}

static struct sctp_send_info next_message(struct sctp_node *node, struct sctp_random *run, int peer,
                                          const struct peer *of)
{
    int64_t most = MIN(run->send_buffer, run->receive_buffer);
    int64_t bytes = 1 + (sctp_random_below(run, 2) ? sctp_random_below(run, 200)
                                                   : sctp_random_below(run, (int)most));
    uint16_t stream = (uint16_t)sctp_random_below(run, SCTP_RANDOM_STREAMS);
    uint64_t flow = (uint64_t)node->process.number << 32 | (uint64_t)peer << 16 | stream;
    bytes = MIN(bytes, run->bytes - of->sent);
    return (struct sctp_send_info){
        .station = known_address(node, run, peer),
        .port = SCTP_WORLD_PORT,
        .stream = stream,
        .bytes = bytes,
        .message =
            ledger_open(node->process.world->sim->ledger, node->process.number, peer, bytes, flow),
    };
}

static bool send_some(struct cpu_context *context, struct sctp_node *node, struct host_job *job,
                      int peer)
{
    struct peer *of = &job->peers[peer];
    if (of->sent >= job->run->bytes)
        return false;
    if (of->waits.bytes == 0)
        of->waits = next_message(node, job->run, peer, of);
    int64_t taken = sctp_send(context, node->socket, &of->waits);
    if (taken == SCTP_AGAIN)
        return false;
    if (taken < 0) {
        job->error = (int)taken;
        return false;
    }
    of->sent += taken;
    of->waits.bytes = 0;
    return true;
}

static bool read_some(struct cpu_context *context, struct sctp_node *node, struct host_job *job)
{
    struct world *world = node->process.world;
    struct ledger *ledger = world->sim->ledger;
    struct sctp_received received;
    int64_t room = sctp_random_below(job->run, 3) ? 300000 : 1 + sctp_random_below(job->run, 3000);
    int64_t bytes = sctp_receive(context, node->socket, room, &received);
    if (bytes == SCTP_AGAIN)
        return false;
    if (bytes <= 0) {
        job->error = (int)bytes;
        return false;
    }
    job->peers[network_station_host(world->cluster->network, received.station)].read += bytes;
    ledger_deliver(ledger, received.message, received.offset, bytes);
    if (received.end) {
        ledger_match(ledger, received.message);
        ledger_complete(ledger, received.message);
    }
    // Now and then the user prefers another path.
    if (sctp_random_below(job->run, 200) == 0) {
        int peer = network_station_host(world->cluster->network, received.station);
        sctp_set_primary(context, node->socket, received.association,
                         address(node, job->run, peer));
    }
    return true;
}

static bool done(const struct sctp_node *node, const struct host_job *job)
{
    for (int peer = 0; peer < job->run->hosts; peer++)
        if (peer != node->process.number &&
            (job->peers[peer].sent < job->run->bytes || job->peers[peer].read < job->run->bytes))
            return false;
    return true;
}

static bool wait_for_socket(struct cpu_context *context, struct sctp_node *node,
                            const struct host_job *job)
{
    struct inet_selected selected = {.socket = sctp_socket_inet(node->socket),
                                     .wanted = INET_READABLE};
    for (int peer = 0; peer < job->run->hosts; peer++)
        if (job->peers[peer].waits.bytes > 0)
            selected.wanted = (enum inet_readiness)(INET_READABLE | INET_WRITABLE);
    return inet_select(context, &selected, 1, true) > 0;
}

static bool host_run(struct cpu_context *context, void *process, void *argument)
{
    struct sctp_node *node = process;
    struct host_job *job = argument;
    bool moved = false;
    for (int peer = 0; peer < job->run->hosts; peer++)
        if (peer != node->process.number)
            moved |= send_some(context, node, job, peer);
    moved |= read_some(context, node, job);
    if (job->error)
        return true;
    if (done(node, job)) {
        sctp_close(context, node->socket);
        job->closed = true;
        return true;
    }
    if (moved || wait_for_socket(context, node, job))
        cpu_post_wake(context, &node->process.task);
    return false;
}

static void check_end(const struct sctp_random *run, const struct world *world,
                      const struct host_job *jobs)
{
    int open = 0, left = sctp_watch_left(world);
    struct ledger_totals totals = ledger_totals(world->sim->ledger);
    for (int n = 0; n < run->hosts; n++)
        open += !jobs[n].closed;
    bool sound = open == 0 && left == 0 && totals.duplicated == 0 && totals.misordered == 0 &&
                 ledger_balanced(world->sim->ledger);
    if (!sound)
        fprintf(stderr,
                "run %d ends at %.6f ms: %d hosts are not done (errors %d %d), %d associations and "
                "chunks are left, %" G_GUINT64_FORMAT " parts twice, %" G_GUINT64_FORMAT
                " messages misordered, %" G_GUINT64_FORMAT " open\n",
                run->number, time_to_us(sim_now(world->sim)) / 1000, open, jobs[0].error,
                jobs[1].error, left, totals.duplicated, totals.misordered, totals.open);
    CU_ASSERT(sound);
}

static void one_run(struct sctp_random run, bool print)
{
    struct sctp_watch *watch = sctp_watch_new(run.number, run.receive_buffer + run.mtu);
    struct host_job jobs[SCTP_RANDOM_HOSTS] = {0};
    for (guint i = 0; print && i + 1 < run.sets->len; i++)
        fprintf(stderr, "%s\n", (const char *)g_ptr_array_index(run.sets, i));
    struct world *world = sctp_world_of(run.nic, run.hosts, run.networks,
                                        (const char *const *)run.sets->pdata, &watch->sink.trace);
    sctp_wire(world)->wire.quiet = true;
    for (int n = 0; n < run.hosts; n++) {
        // All listen. They send at once, or one host long before the other.
        sim_time when = sctp_random_below(&run, 2) ? 1 : 1 + sctp_random_below(&run, 50);
        jobs[n].run = &run;
        world_do(sctp_node(world, n), start, NULL);
        world_do_at(sctp_node(world, n), when * TIME_MS, host_run, &jobs[n]);
    }
    sctp_watch_run(watch, world);
    if (!watch->failed)
        check_end(&run, world, jobs);
    world_free(world);
    sctp_watch_free(watch);
    sctp_random_clear(&run);
}

static int first = 0, end_of_runs = RUNS;

static void test_runs(void)
{
    for (int number = first; number < end_of_runs; number++)
        one_run(sctp_random_new(number), end_of_runs == first + 1);
}

static const struct suite_case cases[] = {
    {"random runs", test_runs},
    {0},
};

int main(int count, char **arguments)
{
    if (count > 1) {
        first = (int)strtol(arguments[1], NULL, 10);
        end_of_runs = count > 2 ? (int)strtol(arguments[2], NULL, 10) : first + 1;
    }
    return suite_run("sctp: random runs of one-to-many sockets", cases);
}
