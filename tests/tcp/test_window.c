// SPDX-License-Identifier: GPL-3.0-or-later
// Windows: slow start, the receiver's window and its probing, slivers, Nagle, the send buffer.
#include "tests/support/suite.h"
#include "tests/support/timers.h"
#include "tests/support/world_tcp.h"

#define SEGMENT 1448

static void connect_no_delay(struct world *world)
{
    world_do(tcp_node(world, 1), tcp_listen_job, NULL);
    world_do(tcp_node(world, 1), tcp_accept_job, NULL);
    world_do_at(tcp_node(world, 0), TIME_MS, tcp_connect_no_delay_job, NULL);
}

// RFC 2414 as Linux 2.4 has it: three segments of 1448 B, two of 8948 B.
static void test_initial_window(void)
{
    for (int jumbo = 0; jumbo < 2; jumbo++) {
        struct world *world = tcp_world(
            (const char *const[]){jumbo ? "tcp.mtu=9000 B" : "tcp.mtu=1500 B",
                                  "eepro100.largest_frame=9014 B", "tcp.send_buffer=128 KiB",
                                  "switches[0].latency=10 ms", NULL},
            NULL);
        tcp_connect_nodes(world);
        world_do_at(tcp_node(world, 0), 200 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(100000));
        world_run(world);
        int first = 0;
        for (int i = 0; i < tcp_log_count(world); i++) {
            const struct tcp_line *line = tcp_log_at(world, i);
            first += line->node == 0 && line->payload > 0 && line->when < 210 * TIME_MS;
        }
        SUITE_SAME_INTEGER(first, jumbo ? 2 : 3);
        world_free(world);
    }
}

// Of a receive buffer three quarters are for data; one segment of them is kept back (Linux 2.4,
// tcp_init_buffer_space), but two are offered where there is room for them.
static void test_reserved_segment(void)
{
    static const struct {
        const char *buffer;
        int64_t clamp;
    } buffers[] = {{"tcp.receive_buffer=3000 B", 2250},
                   {"tcp.receive_buffer=3860 B", 2895},
                   {"tcp.receive_buffer=3864 B", 2 * SEGMENT},
                   {"tcp.receive_buffer=5000 B", 2 * SEGMENT},
                   {"tcp.receive_buffer=5792 B", 2 * SEGMENT},
                   {"tcp.receive_buffer=6000 B", 4500 - SEGMENT},
                   {"tcp.receive_buffer=16 KiB", 12288 - SEGMENT}};
    for (size_t i = 0; i < G_N_ELEMENTS(buffers); i++) {
        struct world *world = tcp_world((const char *const[]){buffers[i].buffer, NULL}, NULL);
        tcp_connect_nodes(world);
        world_run(world);
        for (int node = 0; node < 2; node++)
            SUITE_SAME_INTEGER(tcp_node(world, node)->socket->rcv.clamp, buffers[i].clamp);
        world_free(world);
    }
}

// RFC 2581, 3.1: each acknowledgment opens the window by a segment. With every segment acknowledged
// it doubles each round trip; here half of them are, and it grows by half.
static void test_slow_start(void)
{
    struct world *world =
        tcp_world((const char *const[]){"tcp.send_buffer=128 KiB", "switches[0].latency=15 ms",
                                        "tcp.quick_acks=0", "tcp.recovery=reno", NULL},
                  NULL);
    int64_t flights[5] = {0};
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 1), 100 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(100000));
    world_do_at(tcp_node(world, 0), 200 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(100000));
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, 100000);
    // Flights are a round trip of some 30 ms apart: two passes of the switch.
    sim_time flight_start = 0;
    int flight = -1;
    for (int i = 0; i < tcp_log_count(world); i++) {
        const struct tcp_line *line = tcp_log_at(world, i);
        if (line->node != 0 || line->payload == 0)
            continue;
        if (flight < 0 || line->when > flight_start + 20 * TIME_MS) {
            flight_start = line->when;
            flight++;
        }
        if (flight < 5)
            flights[flight]++;
    }
    SUITE_SAME_INTEGER(flights[0], 2); // the round trip is long: Linux begins with two
    for (int i = 1; i < 4; i++) {
        CU_ASSERT(flights[i] > flights[i - 1]);
        CU_ASSERT(flights[i] <= 2 * flights[i - 1]);
    }
    world_free(world);
}

// RFC 2861: an unused congestion window shrinks in each timeout by half of its difference to the
// used part (here no more than one segment, of which two are counted). RFC 2861, too: after a pause
// of a timeout and more it starts anew with the initial window of RFC 2414.
static void test_unused_window(void)
{
    struct world *world = tcp_world((const char *const[]){"tcp.recovery=reno", NULL}, NULL);
    const int64_t bulk = 60 * SEGMENT;
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 1), 5 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(bulk + 30));
    world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(bulk));
    for (int i = 0; i < 30; i++)
        world_do_at(tcp_node(world, 0), (60 + 70 * i) * TIME_MS, tcp_write_job,
                    GSIZE_TO_POINTER(1));
    // The first timeout still looks back on the bulk.
    engine_run(world->sim->engine, 290 * TIME_MS);
    const struct tcp_socket *socket = tcp_node(world, 0)->socket;
    int64_t before = socket->cc.cwnd;
    CU_ASSERT(before >= 20);
    for (sim_time now = 500; now <= 1340; now += 210) { // the timeout
        engine_run(world->sim->engine, now * TIME_MS);
        SUITE_SAME_INTEGER(socket->cc.cwnd, (before + 2) / 2);
        before = socket->cc.cwnd;
    }
    world_run(world);
    SUITE_SAME_INTEGER(socket->cc.cwnd, 2);
    CU_ASSERT(*sim_counter(world->sim, "tcp segments retransmitted") == 0);
    world_free(world);
    for (int pause = 0; pause < 2; pause++) {
        world = tcp_world((const char *const[]){"tcp.recovery=reno", NULL}, NULL);
        tcp_connect_nodes(world);
        world_do_at(tcp_node(world, 1), 5 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(bulk + 1));
        world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(bulk));
        engine_run(world->sim->engine, 55 * TIME_MS);
        before = tcp_node(world, 0)->socket->cc.cwnd;
        sim_time when = pause ? 2 * TIME_S : 200 * TIME_MS;
        world_do_at(tcp_node(world, 0), when, tcp_write_job, GSIZE_TO_POINTER(1));
        world_run(world);
        SUITE_SAME_INTEGER(tcp_node(world, 0)->socket->cc.cwnd, pause ? 3 : before);
        world_free(world);
    }
}

// A reader that does not read: the window closes without taking back what was offered; the sender
// probes, each probe twice as late as the one before; a read opens the window again.
static void test_zero_window(void)
{
    struct world *world = tcp_world((const char *const[]){"tcp.receive_buffer=8 KiB", NULL}, NULL);
    int64_t edge = 0;
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(20000));
    world_do_at(tcp_node(world, 1), 5 * TIME_S, tcp_read_job, GSIZE_TO_POINTER(20000));
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, 20000);
    sim_time probes[8];
    int probed = 0;
    for (int i = 3; i < tcp_log_count(world); i++) {
        const struct tcp_line *line = tcp_log_at(world, i);
        if (line->node == 1) {
            CU_ASSERT(line->acknowledgment + line->window >= edge);
            edge = line->acknowledgment + line->window;
        } else if (line->payload > 0) {
            CU_ASSERT(line->sequence + line->payload <= MAX(edge, 5841));
        } else if (probed < 8 && line->when < 5 * TIME_S) {
            probes[probed++] = line->when;
        }
    }
    CU_ASSERT(probed >= 3);
    for (int i = 2; i < probed; i++) {
        sim_time before = probes[i - 1] - probes[i - 2], now = probes[i] - probes[i - 1];
        CU_ASSERT(ABS(now - 2 * before) <= 20 * TIME_MS); // ticks
    }
    // The last one fills a window that has opened by less than a segment.
    expect_timer(world->sim, "tcp time-outs: window probe", probed + 1, "probe timer");
    // The read announced its room, and the sender did not wait for the next probe.
    CU_ASSERT(tcp_node(world, 1)->process.job_end < 5 * TIME_S + 60 * TIME_MS);
    world_free(world);
}

// The window update is lost: only a probe finds out.
static void test_lost_window_update(void)
{
    struct world *probe = tcp_world((const char *const[]){"tcp.receive_buffer=8 KiB", NULL}, NULL);
    tcp_connect_nodes(probe);
    world_do_at(tcp_node(probe, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(20000));
    world_do_at(tcp_node(probe, 1), 300 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(20000));
    world_run(probe);
    int update = 0;
    for (int i = 0; i < tcp_log_count(probe); i++)
        update += tcp_log_at(probe, i)->node == 1 && tcp_log_at(probe, i)->when < 300 * TIME_MS;
    world_free(probe);
    char *drop = g_strdup_printf("links[1].drop_nth=[%d]", update + 1);
    struct world *world =
        tcp_world((const char *const[]){"tcp.receive_buffer=8 KiB", drop, NULL}, NULL);
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(20000));
    world_do_at(tcp_node(world, 1), 300 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(20000));
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, 20000);
    CU_ASSERT(tcp_node(world, 1)->process.job_end > 350 * TIME_MS &&
              tcp_node(world, 1)->process.job_end < 5 * TIME_S);
    g_free(drop);
    world_free(world);
}

// A reader that never reads: probing ends, and with it the run.
static void test_probes_end(void)
{
    struct world *world =
        tcp_world((const char *const[]){"tcp.receive_buffer=8 KiB", "tcp.probes=4", NULL}, NULL);
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(50000));
    world_run(world);
    CU_ASSERT(*sim_counter(world->sim, "tcp window probes") <= 4);
    SUITE_SAME_INTEGER(world->sim->status, SIM_COMPLETED);
    json_t *report = tcp_socket_describe(tcp_node(world, 0)->socket);
    SUITE_SAME_TEXT(json_string_value(json_object_get(report, "state")), "ESTABLISHED");
    CU_ASSERT(json_integer_value(json_object_get(report, "unsent")) > 0);
    json_decref(report);
    world_free(world);
}

// RFC 1122, 4.2.3.3: a reader that takes a few bytes at a time does not offer slivers of a window.
static void test_no_slivers(void)
{
    struct world *world = tcp_world((const char *const[]){"tcp.receive_buffer=8 KiB", NULL}, NULL);
    int small = 0;
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(30000));
    for (int i = 0; i < 300; i++)
        world_do_at(tcp_node(world, 1), 50 * TIME_MS + i * TIME_MS, tcp_read_job,
                    GSIZE_TO_POINTER(100));
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, 30000);
    for (int i = 3; i < tcp_log_count(world); i++) {
        const struct tcp_line *line = tcp_log_at(world, i);
        small += line->node == 0 && line->payload > 0 && line->payload < 536;
    }
    CU_ASSERT(small <= 3);
    world_free(world);
}

// Nagle (as Minshall has it): the second small segment waits for the first one's acknowledgment,
// which the receiver delays. TCP_NODELAY lets it out.
static void test_nagle(void)
{
    for (int no_delay = 0; no_delay < 2; no_delay++) {
        struct world *world = tcp_world((const char *const[]){"tcp.quick_acks=0", NULL}, NULL);
        if (no_delay)
            connect_no_delay(world);
        else
            tcp_connect_nodes(world);
        world_do_at(tcp_node(world, 1), 20 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(300));
        for (int i = 0; i < 3; i++)
            world_do_at(tcp_node(world, 0), 10 * TIME_MS + i * TIME_US, tcp_write_job,
                        GSIZE_TO_POINTER(100));
        world_run(world);
        const struct tcp_line *second = tcp_log_data(world, 0, 0, 1);
        SUITE_SAME_INTEGER(tcp_log_data(world, 0, 0, 0)->payload, 100);
        SUITE_SAME_INTEGER(second->payload, no_delay ? 100 : 200); // those that waited, together
        CU_ASSERT(no_delay ? second->when < 11 * TIME_MS : second->when > 19 * TIME_MS);
        SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, 300);
        world_free(world);
    }
}

// A full segment does not wait, nor does a small one after full ones.
static void test_nagle_lets_full_segments_out(void)
{
    struct world *world = tcp_world((const char *const[]){"tcp.quick_acks=0", NULL}, NULL);
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(SEGMENT + 10));
    world_run(world);
    const struct tcp_line *last = tcp_log_data(world, 0, 0, 1);
    SUITE_SAME_INTEGER(last->payload, 10);
    CU_ASSERT(last->when < 11 * TIME_MS);
    world_free(world);
}

// The bytes that the send buffer takes while nothing is acknowledged: full segments count with
// overhead, the last one may go beyond.
static bool fill_job(struct cpu_context *context, void *process, void *taken)
{
    struct tcp_node *node = process;
    struct tcp_run run = {.length = 1000000};
    int64_t writable = tcp_writable(node->socket, run.length);
    *(int64_t *)taken = tcp_write(context, node->socket, INET_WRITE, &run, 1);
    SUITE_SAME_INTEGER(*(int64_t *)taken, writable);
    return true;
}

static void test_send_buffer(void)
{
    struct {
        const char *set;
        int64_t asked, segments;
    } cases[] = {
        {"tcp.skb_overhead=368 B", 0, 10},        // ceil(16384 / 1816)
        {"tcp.skb_overhead=0 B", 0, 12},          // ceil(16384 / 1448)
        {"tcp.skb_overhead=368 B", 32768, 37},    // twice what is asked for: 65536 / 1816
        {"tcp.buffer_doubling=false", 32768, 19}, // 32768 / 1816
        {"tcp.skb_overhead=368 B", 1000000, 73},  // no more than the limit, 2 * 65535
        {"tcp.skb_overhead=368 B", 1, 2},         // no less than 2048
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct world *world = tcp_world(
            (const char *const[]){cases[i].set, "tcp.send_buffer_grows=false", NULL}, NULL);
        struct tcp_options options = {.send_buffer = cases[i].asked};
        int64_t taken = 0;
        world_do(tcp_node(world, 1), tcp_listen_job, NULL);
        world_do(tcp_node(world, 1), tcp_accept_job, NULL);
        world_do_at(tcp_node(world, 0), TIME_MS, tcp_connect_job, &options);
        world_do_at(tcp_node(world, 0), 10 * TIME_MS, fill_job, &taken);
        engine_run(world->sim->engine, 10 * TIME_MS + TIME_US);
        SUITE_SAME_INTEGER(taken, cases[i].segments * SEGMENT);
        world_free(world);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"initial window", test_initial_window},
        {"reserved segment", test_reserved_segment},
        {"slow start", test_slow_start},
        {"an unused window", test_unused_window},
        {"zero window and probes", test_zero_window},
        {"a lost window update", test_lost_window_update},
        {"probes end", test_probes_end},
        {"no slivers", test_no_slivers},
        {"Nagle and TCP_NODELAY", test_nagle},
        {"Nagle lets full segments out", test_nagle_lets_full_segments_out},
        {"send buffer", test_send_buffer},
        {0},
    };
    return suite_run("tcp: windows", cases);
}
