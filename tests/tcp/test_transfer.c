// SPDX-License-Identifier: GPL-3.0-or-later
// Bulk transfers: goodput against the wire's limit, both directions, many connections, random
// losses, and that nothing is allocated once warm.
#include "sim/core/random.h"
#include "tests/support/allocations.h"
#include "tests/support/suite.h"
#include "tests/support/world_tcp.h"

#include <stdio.h>
#include <stdlib.h>

// ---- A program that writes and reads runs, and checks what it gets ----

// Run n of a node has length_of(n) bytes and its number as content.
struct pump {
    int runs;                     // to write, and to read
    int written, read;            // whole runs
    int64_t part;                 // bytes of the run being written
    int64_t got;                  // bytes of the run being read
    int64_t total;                // bytes read
    struct message_ref *messages; // of what this node writes
    struct pump *peer;
    int64_t chunk; // bytes that a read asks for
    bool bad;
};

static int64_t length_of(int run)
{
    return run % 3 == 0 ? 40 : 1 + (int64_t)run * 7919 % 20000;
}

static void pump_write(struct cpu_context *context, struct tcp_node *node, struct pump *pump)
{
    while (pump->written < pump->runs) {
        int number = pump->written;
        struct tcp_run run = {
            .length = length_of(number) - pump->part,
            .message = pump->messages[number],
            .offset = pump->part,
            .content = &number,
            .content_length = sizeof number,
        };
        if (run.length < (int64_t)sizeof number)
            run.content = NULL;
        int64_t taken = tcp_write(context, node->socket, INET_WRITE, &run, 1);
        if (taken < run.length) {
            pump->part += MAX(taken, 0);
            return;
        }
        pump->part = 0;
        pump->written++;
    }
}

static void take(struct tcp_node *node, struct pump *pump, const struct tcp_piece *piece)
{
    struct message_ref message = pump->peer->messages[pump->read];
    pump->bad |= piece->message.index != message.index ||
                 piece->message.generation != message.generation || piece->offset != pump->got;
    ledger_deliver(node->process.world->sim->ledger, message, piece->offset, piece->length);
    pump->got += piece->length;
    pump->total += piece->length;
    pump->bad |= piece->ends_run != (pump->got == length_of(pump->read));
    if (!piece->ends_run)
        return;
    if (length_of(pump->read) >= (int64_t)sizeof(int))
        pump->bad |=
            piece->content_length != sizeof(int) || *(const int *)piece->content != pump->read;
    ledger_match(node->process.world->sim->ledger, message);
    ledger_complete(node->process.world->sim->ledger, message);
    pump->got = 0;
    pump->read++;
}

static bool pump_job(struct cpu_context *context, void *process, void *argument)
{
    struct tcp_node *node = process;
    struct pump *pump = argument;
    struct tcp_piece pieces[3];
    int count = 0;
    pump_write(context, node, pump);
    while (pump->read < pump->peer->runs &&
           tcp_read(context, node->socket, INET_READ, pump->chunk, pieces, 3, &count) > 0)
        for (int i = 0; i < count; i++)
            take(node, pump, &pieces[i]);
    if (pump->written == pump->runs && pump->read == pump->peer->runs)
        return true;
    struct inet_selected selected = {
        .socket = tcp_socket_inet(node->socket),
        .wanted = pump->written < pump->runs ? INET_READABLE | INET_WRITABLE : INET_READABLE,
    };
    if (inet_select(context, &selected, 1, true) > 0)
        cpu_post_wake(context, &node->process.task);
    return false;
}

static void pump_open(struct world *world, struct pump *pumps, int runs0, int runs1)
{
    for (int node = 0; node < 2; node++) {
        struct pump *pump = &pumps[node];
        pump->runs = node ? runs1 : runs0;
        pump->peer = &pumps[1 - node];
        pump->chunk = 3000 + 40000 * node;
        pump->messages = g_new0(struct message_ref, pump->runs + 1);
        for (int i = 0; i < pump->runs; i++)
            pump->messages[i] =
                ledger_open(world->sim->ledger, node, 1 - node, length_of(i), (uint64_t)node);
        world_do_at(tcp_node(world, node), 10 * TIME_MS, pump_job, pump);
    }
}

// Every byte arrives once and in order, whatever is lost.
static void check_pump(const char *const *sets, int runs0, int runs1, bool losses)
{
    struct world *world = tcp_world(sets, NULL);
    struct pump pumps[2] = {0};
    tcp_wire(world)->wire.quiet = true;
    tcp_connect_nodes(world);
    pump_open(world, pumps, runs0, runs1);
    world_run(world);
    bool good = SUITE_SAME_INTEGER(world->sim->status, SIM_COMPLETED);
    for (int node = 0; node < 2; node++) {
        good &= SUITE_SAME_INTEGER(pumps[node].read, pumps[1 - node].runs);
        CU_ASSERT(!pumps[node].bad);
        good &= !pumps[node].bad;
        g_free(pumps[node].messages);
    }
    struct ledger_totals totals = ledger_totals(world->sim->ledger);
    good &= SUITE_SAME_INTEGER(totals.delivered, totals.messages);
    good &= SUITE_SAME_INTEGER(totals.duplicated, 0);
    good &= SUITE_SAME_INTEGER(totals.misordered, 0);
    // At the lowest rates a short transfer may get through unscathed.
    CU_ASSERT(losses || *sim_counter(world->sim, "tcp segments retransmitted") == 0);
    if (!good)
        for (int i = 0; sets[i]; i++)
            fprintf(stderr, "with %s\n", sets[i]);
    world_free(world);
}

static void test_both_ways(void)
{
    check_pump((const char *const[]){"tcp.mtu=1500 B", NULL}, 60, 60, false);
    check_pump((const char *const[]){"tcp.mtu=9000 B", "eepro100.largest_frame=9014 B", NULL}, 60,
               25, false);
    check_pump((const char *const[]){"tcp.timestamps=false", "tcp.send_buffer=4 KiB", NULL}, 40, 0,
               false);
}

static void test_random_losses(void)
{
    const char *const recoveries[] = {"sack", "newreno", "reno"};
    const char *const rates[] = {"0.002", "0.02", "0.1"};
    for (int seed = 1; seed <= 4; seed++)
        for (size_t recovery = 0; recovery < G_N_ELEMENTS(recoveries); recovery++)
            for (size_t rate = 0; rate < G_N_ELEMENTS(rates); rate++) {
                char *sets[] = {
                    g_strdup_printf("seed=%d", seed),
                    g_strdup_printf("tcp.recovery=%s", recoveries[recovery]),
                    g_strdup_printf("links[0].drop_probability=%s", rates[rate]),
                    g_strdup_printf("links[1].drop_probability=%s", rates[rate]),
                    g_strdup_printf("tcp.timestamps=%s", seed & 1 ? "true" : "false"),
                    g_strdup_printf("tcp.receive_buffer=%s", seed == 2 ? "6 KiB" : "87380 B"),
                    NULL,
                };
                check_pump((const char *const *)sets, 40, seed > 2 ? 40 : 0, true);
                for (int i = 0; sets[i]; i++)
                    g_free(sets[i]);
            }
}

// ---- Goodput ----

static double goodput(const char *const *sets, int64_t bytes)
{
    struct world *world = tcp_world(sets, NULL);
    tcp_wire(world)->wire.quiet = true;
    tcp_transfer(world, bytes);
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, bytes);
    double rate =
        (double)bytes / time_to_s(tcp_node(world, 1)->process.job_end - 10 * TIME_MS) / 1e6;
    world_free(world);
    return rate;
}

// 1448 B in a slot of 1538 B at 100 Mb/s: 11.77 MB/s, of which start and end take little; and never
// more.
static void test_goodput(void)
{
    double ceiling = 1448.0 / 1538 * 12.5, jumbo_ceiling = 8948.0 / 9038 * 12.5;
    double rate = goodput(NULL, 16000000);
    CU_ASSERT(rate > 0.985 * ceiling && rate <= ceiling);
    rate = goodput((const char *const[]){"tcp.mtu=9000 B", "eepro100.largest_frame=9014 B",
                                         "eepro100.tx_fifo=16 KiB", NULL},
                   16000000);
    CU_ASSERT(rate > 0.97 * jumbo_ceiling && rate <= jumbo_ceiling);
    rate = goodput((const char *const[]){"tcp.timestamps=false", NULL}, 16000000);
    CU_ASSERT(rate > 0.985 * 1460 / 1538 * 12.5 && rate <= 1460.0 / 1538 * 12.5);
    // A ring of two frames, fed by a queue: slower interrupts, and nothing lost.
    rate = goodput((const char *const[]){"eepro100.tx_ring=2", NULL}, 1000000);
    CU_ASSERT(rate > 5.0);
}

// Sliding window: over a long path it is the receiver's window that bounds the rate, one window a
// round trip; what is offered without scaling is at most 65,535 B in whole segments.
static void test_long_path(void)
{
    static const char *const plain[] = {"switches[0].latency=20 ms", "tcp.send_buffer=1 MiB",
                                        "tcp.send_buffer_most=1 MiB", "tcp.receive_buffer=1 MiB",
                                        NULL};
    static const char *const scaled[] = {"switches[0].latency=20 ms",
                                         "tcp.send_buffer=1 MiB",
                                         "tcp.send_buffer_most=1 MiB",
                                         "tcp.receive_buffer=1 MiB",
                                         "tcp.window_scale=4",
                                         "tcp.queue=1000",
                                         NULL};
    const int64_t offered = (int64_t)65535 / 1448 * 1448;
    double window = (double)offered / 40e-3 / 1e6; // MB/s, less what the frames take
    double rate = goodput(plain, 8000000);
    CU_ASSERT(rate > 0.9 * window && rate < window);
    rate = goodput(scaled, 8000000);
    CU_ASSERT(rate > 4 * window);
}

// A queue in front of the card that takes less than the window holds: it refuses segments, which
// slows the sender down, but costs none.
static void test_own_queue(void)
{
    struct world *world = tcp_world(
        (const char *const[]){"tcp.queue=5", "eepro100.tx_ring=2", "tcp.send_buffer=128 KiB", NULL},
        NULL);
    tcp_wire(world)->wire.quiet = true;
    tcp_transfer(world, 4000000);
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, 4000000);
    CU_ASSERT(*sim_counter(world->sim, "tcp segments held back by a full transmit queue") > 0);
    SUITE_SAME_INTEGER(*sim_counter(world->sim, "tcp frames dropped by a full transmit queue"), 0);
    SUITE_SAME_INTEGER(*sim_counter(world->sim, "tcp segments retransmitted"), 0);
    world_free(world);
}

// The same scenario and seed give the same times.
static void test_deterministic(void)
{
    uint64_t prints[2];
    for (int i = 0; i < 2; i++) {
        struct world *world =
            tcp_world((const char *const[]){"links[0].drop_probability=0.02", NULL}, NULL);
        tcp_connect_nodes(world);
        world_do_at(tcp_node(world, 1), 5 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(1000000));
        world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(1000000));
        world_run(world);
        prints[i] = engine_fingerprint(world->sim->engine);
        world_free(world);
    }
    CU_ASSERT(prints[0] == prints[1]);
}

// ---- Many connections between two hosts ----

#define CONNECTIONS 200

struct crowd {
    struct tcp_socket *sockets[CONNECTIONS];
    int64_t left[CONNECTIONS];
    int open;
};

static bool crowd_accept_job(struct cpu_context *context, void *process, void *argument)
{
    struct tcp_node *node = process;
    struct crowd *crowd = argument;
    while (crowd->open < CONNECTIONS) {
        struct tcp_socket *socket = tcp_accept(context, node->listener);
        if (!socket)
            return false;
        crowd->sockets[crowd->open++] = socket;
    }
    return true;
}

static bool crowd_connect_job(struct cpu_context *context, void *process, void *argument)
{
    struct tcp_node *node = process;
    struct crowd *crowd = argument;
    for (int i = 0; i < CONNECTIONS; i++)
        crowd->sockets[i] =
            tcp_connect(context, node->host,
                        tcp_peer_station(node->host, tcp_node(node->process.world, 1)->host),
                        TCP_PORT, NULL, &node->process.task);
    return true;
}

static bool crowd_write_job(struct cpu_context *context, void *process, void *argument)
{
    struct tcp_node *node = process;
    struct crowd *crowd = argument;
    (void)node;
    for (int i = 0; i < CONNECTIONS; i++) {
        struct tcp_run run = {.length = 100 + i};
        SUITE_SAME_INTEGER(tcp_write(context, crowd->sockets[i], INET_WRITE, &run, 1), 100 + i);
    }
    return true;
}

static bool crowd_read_job(struct cpu_context *context, void *process, void *argument)
{
    struct tcp_node *node = process;
    struct crowd *crowd = argument;
    struct inet_selected selected[CONNECTIONS];
    struct tcp_piece piece;
    int count, done = 0;
    for (int i = 0; i < CONNECTIONS; i++)
        selected[i] = (struct inet_selected){tcp_socket_inet(crowd->sockets[i]), INET_READABLE, 0};
    if (inet_select(context, selected, CONNECTIONS, true) == 0)
        return false;
    for (int i = 0; i < CONNECTIONS; i++)
        if (selected[i].ready)
            crowd->left[i] +=
                tcp_read(context, crowd->sockets[i], INET_READ, 1000, &piece, 1, &count);
    for (int i = 0; i < CONNECTIONS; i++)
        done += crowd->left[i] >= 100;
    if (done < CONNECTIONS)
        cpu_post_wake(context, &node->process.task);
    return done == CONNECTIONS;
}

static void test_many_connections(void)
{
    struct world *world = tcp_world((const char *const[]){"tcp.queue=1000", NULL}, NULL);
    struct crowd *writers = g_new0(struct crowd, 1), *readers = g_new0(struct crowd, 1);
    tcp_wire(world)->wire.quiet = true;
    world_do(tcp_node(world, 1), tcp_listen_job, NULL);
    world_do(tcp_node(world, 1), crowd_accept_job, readers);
    world_do(tcp_node(world, 1), crowd_read_job, readers);
    world_do_at(tcp_node(world, 0), TIME_MS, crowd_connect_job, writers);
    world_do_at(tcp_node(world, 0), TIME_S, crowd_write_job, writers);
    world_run(world);
    int64_t sum = 0;
    for (int i = 0; i < CONNECTIONS; i++)
        sum += readers->left[i];
    SUITE_SAME_INTEGER(sum, CONNECTIONS * 100 + CONNECTIONS * (CONNECTIONS - 1) / 2);
    SUITE_SAME_INTEGER(*sim_counter(world->sim, "tcp segments retransmitted"), 0);
    g_free(writers);
    g_free(readers);
    world_free(world);
}

// ---- Allocations ----

static void test_no_allocation(void)
{
    struct world *world = tcp_world(NULL, NULL);
    world->sim->capture = NULL;
    tcp_transfer(world, 40000000);
    engine_run(world->sim->engine, TIME_S);
    uint64_t before = allocations.count, events = engine_events(world->sim->engine);
    engine_run(world->sim->engine, 2 * TIME_S);
    CU_ASSERT(engine_events(world->sim->engine) - events > 10000);
    SUITE_SAME_INTEGER(allocations.count - before, 0);
    world_free(world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"both ways", test_both_ways},
        {"random losses", test_random_losses},
        {"goodput", test_goodput},
        {"a long path", test_long_path},
        {"the own queue is full", test_own_queue},
        {"deterministic", test_deterministic},
        {"many connections", test_many_connections},
        {"no allocation once warm", test_no_allocation},
        {0},
    };
    return suite_run("tcp: transfers", cases);
}
