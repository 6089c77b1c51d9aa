// SPDX-License-Identifier: GPL-3.0-or-later
// Random runs: hosts in two or three networks, an association for each pair, messages in both
// directions, packets that are lost, doubled, held back and cut off, and every switch of the stack
// by chance. The invariants hold at each step, and all bytes arrive.
//
// A run depends on its number alone: `test_sctp_random N` repeats run N and prints its settings,
// `test_sctp_random N M` runs N .. M-1.
#include "tests/support/sctp_random.h"
#include "tests/support/sctp_watch.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>

#define RUNS 60

// ---- Processes ----

// One end of an association.
struct end {
    struct sctp_socket *socket;
    int peer; // -1: accepted, and not known yet
    bool connects, up, closed, broken;
    int64_t sent, read;
    struct sctp_send_info waits; // the socket had no room for it; bytes 0: none
};

struct live {
    struct sctp_random *run;
    struct end ends[SCTP_RANDOM_HOSTS];
    int count;
    bool started, done;
};

static void start(struct cpu_context *context, struct sctp_node *node, struct live *live)
{
    int number = node->process.number;
    live->started = true;
    node->listener = sctp_socket_new(context, node->host, SCTP_ONE_TO_ONE, &node->process.task);
    sctp_bind(context, node->listener, SCTP_WORLD_PORT, 0);
    sctp_listen(context, node->listener);
    for (int peer = 0; peer < number; peer++) {
        struct end *end = &live->ends[live->count++];
        int stations[SCTP_MOST_PATHS];
        int count = inet_stations(node->process.world->cluster, peer, stations, SCTP_MOST_PATHS);
        *end = (struct end){.peer = peer, .connects = true};
        end->socket = sctp_socket_new(context, node->host, SCTP_ONE_TO_ONE, &node->process.task);
        // All addresses, or only the first: the handshake carries the others.
        sctp_connect(context, end->socket, stations, sctp_random_below(live->run, 2) ? count : 1,
                     SCTP_WORLD_PORT, NULL);
    }
}

static bool accept_next(struct cpu_context *context, struct sctp_node *node, struct live *live)
{
    struct sctp_socket *socket = sctp_accept(context, node->listener, &node->process.task);
    struct sctp_status status;
    if (!socket)
        return false;
    CU_ASSERT_FATAL(sctp_status(socket, 0, &status));
    live->ends[live->count++] = (struct end){
        .socket = socket,
        .up = true,
        .peer = network_station_host(node->process.world->cluster->network, status.primary),
    };
    return true;
}

static struct sctp_send_info next_message(struct sctp_node *node, struct live *live,
                                          const struct end *end)
{
    struct sctp_random *run = live->run;
    int64_t most = MIN(run->send_buffer, run->receive_buffer * 4);
    int64_t bytes = 1 + (sctp_random_below(run, 2) ? sctp_random_below(run, 200)
                                                   : sctp_random_below(run, (int)most));
    bool unordered = sctp_random_below(run, 5) == 0;
    uint16_t stream = (uint16_t)sctp_random_below(run, SCTP_RANDOM_STREAMS);
    uint64_t flow = (uint64_t)node->process.number << 32 | (uint64_t)end->peer << 16 | stream;
    bytes = MIN(bytes, run->bytes - end->sent);
    return (struct sctp_send_info){
        .station = -1,
        .stream = stream,
        .unordered = unordered,
        .immediate = sctp_random_below(run, 10) == 0,
        .bytes = bytes,
        .message = ledger_open(node->process.world->sim->ledger, node->process.number, end->peer,
                               bytes, unordered ? flow | (uint64_t)1 << 60 : flow),
    };
}

static bool send_some(struct cpu_context *context, struct sctp_node *node, struct live *live,
                      struct end *end)
{
    if (end->sent >= live->run->bytes)
        return false;
    if (end->waits.bytes == 0)
        end->waits = next_message(node, live, end);
    int64_t taken = sctp_send(context, end->socket, &end->waits);
    if (taken == SCTP_AGAIN)
        return false;
    if (taken < 0) {
        end->broken = true;
        return false;
    }
    CU_ASSERT_FATAL(taken == end->waits.bytes);
    end->sent += taken;
    end->waits.bytes = 0;
    return true;
}

static bool read_some(struct cpu_context *context, struct sctp_node *node, struct live *live,
                      struct end *end)
{
    struct ledger *ledger = node->process.world->sim->ledger;
    struct sctp_received received;
    int64_t room =
        sctp_random_below(live->run, 3) ? 100000 : 1 + sctp_random_below(live->run, 3000);
    int64_t bytes = sctp_receive(context, end->socket, room, &received);
    if (bytes == SCTP_AGAIN)
        return false;
    if (bytes <= 0) {
        // A delayed packet for a peer that is done is answered by ABORT (RFC 9260, 8.4), which may
        // find this end waiting for SHUTDOWN-COMPLETE.
        end->broken |= end->read < live->run->bytes || (bytes < 0 && end->sent < live->run->bytes);
        if (!end->closed)
            sctp_close(context, end->socket);
        end->closed = true;
        return true;
    }
    CU_ASSERT_FATAL(received.notification == SCTP_NOTHING);
    CU_ASSERT(bytes <= room);
    end->read += bytes;
    ledger_deliver(ledger, received.message, received.offset, bytes);
    if (received.end) {
        if (!received.unordered)
            ledger_match(ledger, received.message);
        ledger_complete(ledger, received.message);
    }
    return true;
}

static bool advance(struct cpu_context *context, struct sctp_node *node, struct live *live,
                    struct end *end)
{
    if (end->closed || end->broken)
        return false;
    if (!end->up) {
        if (sctp_socket_error(end->socket))
            end->broken = true;
        end->up = sctp_established(end->socket);
        return end->up;
    }
    bool moved = send_some(context, node, live, end);
    moved |= read_some(context, node, live, end);
    // The end that connected closes, once both have all.
    if (!end->closed && end->connects && end->sent >= live->run->bytes &&
        end->read >= live->run->bytes) {
        sctp_close(context, end->socket);
        end->closed = true;
    }
    return moved;
}

static bool all_closed(const struct live *live)
{
    for (int i = 0; i < live->count; i++)
        if (!live->ends[i].closed && !live->ends[i].broken)
            return false;
    return live->count == live->run->hosts - 1;
}

static bool wait_for_any(struct cpu_context *context, struct sctp_node *node, struct live *live)
{
    struct inet_selected selected[SCTP_RANDOM_HOSTS + 1];
    int count = 0;
    selected[count++] =
        (struct inet_selected){.socket = sctp_socket_inet(node->listener), .wanted = INET_READABLE};
    for (int i = 0; i < live->count; i++) {
        const struct end *end = &live->ends[i];
        if (end->closed || end->broken)
            continue;
        int wanted = end->up ? INET_READABLE : INET_WRITABLE;
        if (end->up && end->sent < live->run->bytes)
            wanted |= INET_WRITABLE;
        selected[count++] = (struct inet_selected){.socket = sctp_socket_inet(end->socket),
                                                   .wanted = (enum inet_readiness)wanted};
    }
    return inet_select(context, selected, count, true) > 0;
}

// The process computes while its receive buffers fill.
static void pause_some(struct cpu_context *context, struct sctp_random *run)
{
    static const struct stage computing = {"computing", STAGE_COMPUTE};
    if (run->pauses && sctp_random_below(run, 30) == 0)
        cpu_spend_time(context, (sim_time)sctp_random_below(run, 300) * TIME_MS, &computing);
}

static bool live_job(struct cpu_context *context, void *process, void *argument)
{
    struct sctp_node *node = process;
    struct live *live = argument;
    bool moved = false;
    pause_some(context, live->run);
    if (!live->started) {
        start(context, node, live);
    } else {
        moved |= accept_next(context, node, live);
        for (int i = 0; i < live->count; i++)
            moved |= advance(context, node, live, &live->ends[i]);
    }
    live->done = all_closed(live);
    if (live->done)
        return true;
    if (moved || wait_for_any(context, node, live))
        cpu_post_wake(context, &node->process.task);
    return false;
}

// ---- At the end ----

static void check_end(const struct sctp_random *run, const struct world *world,
                      const struct live *lives)
{
    int open = 0, left = sctp_watch_left(world);
    for (int n = 0; n < run->hosts; n++) {
        for (int i = 0; i < lives[n].count; i++)
            if (lives[n].ends[i].broken || lives[n].ends[i].read != run->bytes ||
                lives[n].ends[i].sent != run->bytes)
                open++;
        open += lives[n].count != run->hosts - 1;
    }
    struct ledger_totals totals = ledger_totals(world->sim->ledger);
    bool sound = open == 0 && left == 0 && totals.duplicated == 0 && totals.misordered == 0 &&
                 ledger_balanced(world->sim->ledger);
    if (!sound)
        fprintf(stderr,
                "run %d ends at %.6f ms: %d ends are not done, %d associations and chunks are "
                "left, %" G_GUINT64_FORMAT " parts twice, %" G_GUINT64_FORMAT
                " messages misordered, %" G_GUINT64_FORMAT " open\n",
                run->number, time_to_us(sim_now(world->sim)) / 1000, open, left, totals.duplicated,
                totals.misordered, totals.open);
    CU_ASSERT(sound);
}

// Counters summed over all runs: none may be 0.
static const char *const met_names[] = {
    "sctp chunks retransmitted",
    "sctp fast retransmits",
    "sctp retransmission timeouts",
    "sctp chunks received twice",
    "sctp heartbeats sent",
    "sctp window probes",
    "sctp times blocked by the peer's window",
    "sctp missing reports that CMT left out",
    "sctp chunks dropped for want of buffer",
    "sctp changes of the primary path",
};
static int64_t met[G_N_ELEMENTS(met_names)];

static void add_up(const struct world *world)
{
    for (size_t i = 0; i < G_N_ELEMENTS(met_names); i++)
        met[i] += world_counter(world, met_names[i]);
}

typedef void check_fn(const struct sctp_random *run, const struct world *world,
                      const struct live *lives);

static bool one_run(struct sctp_random run, check_fn *check, bool print)
{
    struct sctp_watch *watch = sctp_watch_new(run.number, run.receive_buffer + run.mtu);
    struct live lives[SCTP_RANDOM_HOSTS] = {0};
    unsigned before = CU_get_number_of_failures();
    for (guint i = 0; print && i + 1 < run.sets->len; i++)
        fprintf(stderr, "%s\n", (const char *)g_ptr_array_index(run.sets, i));
    struct world *world = sctp_world_of(run.nic, run.hosts, run.networks,
                                        (const char *const *)run.sets->pdata, &watch->sink.trace);
    sctp_wire(world)->wire.quiet = true;
    for (int n = 0; n < run.hosts; n++) {
        lives[n].run = &run;
        world_do(sctp_node(world, n), live_job, &lives[n]);
    }
    sctp_watch_run(watch, world);
    if (!watch->failed)
        check(&run, world, lives);
    if (print)
        fprintf(stderr, "%" G_GUINT64_FORMAT " events, %.3f ms\n",
                engine_events(world->sim->engine), time_to_us(sim_now(world->sim)) / 1000);
    add_up(world);
    world_free(world);
    sctp_watch_free(watch);
    sctp_random_clear(&run);
    return CU_get_number_of_failures() == before;
}

static int first = 0, end_of_runs = RUNS;

static void test_runs(void)
{
    for (int number = first; number < end_of_runs; number++)
        if (!one_run(sctp_random_new(number), check_end, end_of_runs == first + 1))
            fprintf(stderr, "run %d failed: repeat it with the argument %d\n", number, number);
    for (size_t i = 0; i < G_N_ELEMENTS(met_names); i++) {
        if (end_of_runs - first < RUNS)
            fprintf(stderr, "%s: %" G_GINT64_FORMAT "\n", met_names[i], met[i]);
        CU_ASSERT(end_of_runs - first < RUNS || met[i] > 0);
    }
}

// Nothing by chance but the losses: a tenth of all packets on both paths, with the times that each
// system has.
static struct sctp_random lossy_run(int number, const char *profile, bool cmt, int pf)
{
    struct sctp_random run = {
        .number = number,
        .hosts = 2,
        .networks = 2,
        .random = g_rand_new_with_seed((guint32)number + 1),
        .sets = g_ptr_array_new_with_free_func(g_free),
        .send_buffer = 100000,
        .receive_buffer = 100000,
        .mtu = 1500,
        .nic = "eepro100",
        .bytes = 300000,
        .cmt = cmt,
    };
    sctp_random_set(&run, "seed=%d", number + 1);
    sctp_random_set(&run, "sctp.profile=%s", profile);
    sctp_random_set(&run, "sctp.cmt=%s", cmt ? "true" : "false");
    sctp_random_set(&run, "sctp.cmt_pf=%d", pf);
    sctp_random_set(&run, "sctp.receive_buffer=100000 B");
    sctp_random_set(&run, "sctp.send_buffer=100000 B");
    sctp_random_set(&run, "sctp.streams_out=%d", SCTP_RANDOM_STREAMS);
    sctp_random_set(&run, "link.drop_probability=0.1");
    g_ptr_array_add(run.sets, NULL);
    return run;
}

static void test_ten_percent(void)
{
    static const char *const profiles[] = {"rfc9260", "s2007", "ns2"};
    for (size_t i = 0; i < G_N_ELEMENTS(profiles); i++)
        for (int kind = 0; kind < 3; kind++) // multihoming, CMT, CMT-PF
            for (int seed = 0; seed < 5; seed++)
                if (!one_run(lossy_run(seed, profiles[i], kind > 0, kind == 2 ? 2 : 0), check_end,
                             false))
                    fprintf(stderr, "%s, kind %d, seed %d\n", profiles[i], kind, seed);
}

// From some time on all cables of host 0 are out for good.
static struct sctp_random cut_off(int number)
{
    struct sctp_random run = sctp_random_new(number);
    int when = sctp_random_below(&run, 300);
    g_ptr_array_set_size(run.sets, (int)run.sets->len - 1); // its end
    for (int n = 0; n < run.networks; n++)
        sctp_random_set(&run, "links[%d].down=[{from: %d ms, to: never}]", n, when);
    sctp_random_set(&run, "sctp.association_retries=5");
    sctp_random_set(&run, "sctp.init_retries=5");
    sctp_random_set(&run, "sctp.path_retries=%d", sctp_random_below(&run, 3));
    g_ptr_array_add(run.sets, NULL);
    return run;
}

// An end with data for host 0, or of host 0, notices the failure. One that only reads need not.
static void check_cut_off(const struct sctp_random *run, const struct world *world,
                          const struct live *lives)
{
    (void)world;
    for (int n = 0; n < run->hosts; n++)
        for (int i = 0; i < lives[n].count; i++) {
            const struct end *end = &lives[n].ends[i];
            const struct sctp_association *association =
                end->closed || end->broken ? NULL : end->socket->associations->pdata[0];
            CU_ASSERT(!association || association->ended || sctp_out_empty(association));
        }
}

static void test_cut_off(void)
{
    for (int number = 0; number < RUNS; number++)
        if (!one_run(cut_off(number), check_cut_off, false))
            fprintf(stderr, "run %d of a host that is cut off failed\n", number);
}

static const struct suite_case cases[] = {
    {"random runs", test_runs},
    {"a tenth of all packets is lost", test_ten_percent},
    {"a host is cut off", test_cut_off},
    {0},
};

int main(int count, char **arguments)
{
    if (count > 1) {
        first = (int)strtol(arguments[1], NULL, 10);
        end_of_runs = count > 2 ? (int)strtol(arguments[2], NULL, 10) : first + 1;
    }
    return suite_run("sctp: random runs", cases);
}
