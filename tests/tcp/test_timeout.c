// SPDX-License-Identifier: GPL-3.0-or-later
// Retransmission timeouts (RFC 2988) in ticks of 10 ms, with the least variance of 200 ms that
// Linux 2.4 takes, and their back-off.
#include "tests/support/suite.h"
#include "tests/support/timers.h"
#include "tests/support/world_tcp.h"

static void write_once(struct world *world, sim_time when)
{
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 1), 5 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(1000));
    world_do_at(tcp_node(world, 0), when, tcp_write_job, GSIZE_TO_POINTER(1000));
    world_run(world);
}

// On a fast network the round trip is one tick: 10 + 200 ms, and each time twice that.
static void test_back_off(void)
{
    struct world *world =
        tcp_world((const char *const[]){"links[0].drop_nth=[3, 4, 5, 6]", NULL}, NULL);
    write_once(world, 10 * TIME_MS);
    const char *const data = "node0 PA 1:1001(1000) ack 1 win 5840";
    // Written in tick 1; 21, 42, 84 and 168 ticks later.
    const int ticks[] = {22, 64, 148, 316};
    TCP_EXPECT(world, 3, TIME_NEVER, data);
    for (int i = 0; i < 4; i++) {
        TCP_EXPECT(world, 4 + i, TIME_NEVER, data);
        sim_time late = tcp_log_at(world, 4 + i)->when - ticks[i] * 10 * TIME_MS;
        CU_ASSERT(late >= 0 && late < 50 * TIME_US);
    }
    SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, 1000);
    SUITE_SAME_INTEGER(*sim_counter(world->sim, "tcp retransmission timeouts"), 4);
    expect_timer(world->sim, "tcp time-outs: data", 4, "retransmission timer (data)");
    // With timestamps the echo of the last retransmission is a measurement: no back-off is left.
    SUITE_SAME_INTEGER(tcp_node(world, 0)->socket->rtt.backoff, 0);
    world_free(world);
}

// RFC 2581, 3.1: the first timeout halves what is under way, further ones of the same segment leave
// the threshold alone: ten segments, of which the last six are lost, the first of those again
// twice.
static void test_threshold(void)
{
    enum { SEGMENT = 1448 };
    static const char *const lost[] = {"links[0].drop_nth=[7, 8, 9, 10, 11, 12]",
                                       "links[0].drop_nth=[7, 8, 9, 10, 11, 12, 13, 14]"};
    for (int i = 0; i < 2; i++) {
        struct world *world =
            tcp_world((const char *const[]){"tcp.initial_window=10", "tcp.send_buffer=128 KiB",
                                            lost[i], NULL},
                      NULL);
        tcp_connect_nodes(world);
        world_do_at(tcp_node(world, 1), 5 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(10 * SEGMENT));
        world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job,
                    GSIZE_TO_POINTER(10 * SEGMENT));
        world_run(world);
        SUITE_SAME_INTEGER(*sim_counter(world->sim, "tcp retransmission timeouts"), 1 + 2 * i);
        SUITE_SAME_INTEGER(tcp_node(world, 0)->socket->cc.ssthresh, 3);
        SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, 10 * SEGMENT);
        world_free(world);
    }
}

// Karn: without timestamps an acknowledgment of what was sent twice measures nothing, and the
// back-off stays until one does.
static void test_karn(void)
{
    struct world *world = tcp_world(
        (const char *const[]){"links[0].drop_nth=[3, 4]", "tcp.timestamps=false", NULL}, NULL);
    write_once(world, 10 * TIME_MS);
    SUITE_SAME_INTEGER(tcp_node(world, 0)->socket->rtt.backoff, 2);
    world_do_at(tcp_node(world, 1), sim_now(world->sim), tcp_read_job, GSIZE_TO_POINTER(1000));
    world_do_at(tcp_node(world, 0), sim_now(world->sim), tcp_write_job, GSIZE_TO_POINTER(1000));
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 0)->socket->rtt.backoff, 0);
    world_free(world);
}

// RFC 2988, 2.2-2.3 with a round trip of about 100 ms.
static void test_estimate(void)
{
    struct world *world = tcp_world((const char *const[]){"switches[0].latency=50 ms", NULL}, NULL);
    tcp_connect_nodes(world);
    world_run(world);
    const struct tcp_socket *socket = tcp_node(world, 0)->socket;
    SUITE_SAME_INTEGER(socket->rtt.srtt / 8, 10); // ticks
    SUITE_SAME_INTEGER(socket->rtt.rttvar, 20);   // four times half of it
    SUITE_SAME_INTEGER(socket->rtt.rto, 30);
    world_free(world);
}

// The same arithmetic in floating point, over a sequence of measurements.
static void test_filter(void)
{
    struct world *world = tcp_world((const char *const[]){"tcp.rto_least=10 ms", NULL}, NULL);
    tcp_connect_nodes(world);
    world_run(world);
    struct tcp_socket *socket = tcp_node(world, 0)->socket;
    const int measured[] = {10, 12, 9, 40, 11, 10, 10, 10, 30, 10, 10, 10};
    double smoothed = 0, variance = 0;
    socket->rtt.srtt = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(measured); i++) {
        inet_rtt_sample(&socket->rtt, measured[i]);
        variance =
            i == 0 ? measured[i] / 2.0 : 0.75 * variance + 0.25 * ABS(smoothed - measured[i]);
        smoothed = i == 0 ? measured[i] : 0.875 * smoothed + 0.125 * measured[i];
        CU_ASSERT_DOUBLE_EQUAL((double)socket->rtt.rto, smoothed + 4 * variance, 4.0);
    }
    world_free(world);
}

// The limit, and the end.
static void test_limits(void)
{
    struct world *world =
        tcp_world((const char *const[]){"links[0].drop_nth=[3, 4, 5, 6, 7]", "tcp.rto_most=500 ms",
                                        "tcp.retries=4", NULL},
                  NULL);
    write_once(world, 10 * TIME_MS);
    const int ticks[] = {22, 64, 114, 164}; // at most 50 apart
    for (int i = 0; i < 4; i++)
        CU_ASSERT(ABS(tcp_log_at(world, 4 + i)->when - ticks[i] * 10 * TIME_MS) < 50 * TIME_US);
    SUITE_SAME_INTEGER(world->sim->status, SIM_FAILED);
    SUITE_SAME_TEXT(json_string_value(json_object_get(world->sim->reason, "kind")),
                    "connection_broken");
    SUITE_CONTAINS(json_string_value(json_object_get(world->sim->reason, "text")), "tcp.retries");
    world_free(world);
}

// The clock's period sets what a timeout can be.
static void test_tick(void)
{
    struct world *world =
        tcp_world((const char *const[]){"links[0].drop_nth=[3]", "tcp.tick=1 ms", NULL}, NULL);
    write_once(world, 10 * TIME_MS);
    sim_time late = tcp_log_at(world, 4)->when - 211 * TIME_MS;
    CU_ASSERT(late >= 0 && late < TIME_MS);
    world_free(world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"back-off", test_back_off},   {"Karn", test_karn},
        {"threshold", test_threshold}, {"estimate", test_estimate},
        {"filter", test_filter},       {"limit and end", test_limits},
        {"tick", test_tick},           {0},
    };
    return suite_run("tcp: timeouts", cases);
}
