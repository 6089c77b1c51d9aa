// SPDX-License-Identifier: GPL-3.0-or-later
// When a receiver acknowledges: quickly at the start, every second full segment, after a delay,
// with data of its own, and when a reader has taken all.
#include "tests/support/suite.h"
#include "tests/support/tcp_world.h"

#define SEGMENT 1448

// The line of the first acknowledgment of node 1 that covers `sequence`; -1: none.
static int ack_of(const struct tcp_world *world, int64_t sequence)
{
    for (int i = 0; i < tcp_log_count(world); i++)
        if (tcp_log_at(world, i)->node == 1 && tcp_log_at(world, i)->acknowledgment >= sequence)
            return i;
    return -1;
}

static sim_time ack_time(const struct tcp_world *world, int64_t sequence)
{
    return tcp_log_at(world, ack_of(world, sequence))->when;
}

// A window of 5840 B is two times two full segments: two quick acknowledgments, then every second
// segment. Small segments (which nobody reads, so that no read acknowledges) wait for the timer.
static void test_quick_then_every_second(void)
{
    struct tcp_world *world = tcp_world_new((const char *const[]){"tcp.initial_window=20", NULL});
    int acks = 0, segments = 0;
    tcp_connect_nodes(world);
    tcp_do_at(&world->nodes[0], 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(12 * SEGMENT));
    tcp_run(world);
    CU_ASSERT(ack_of(world, 1 + SEGMENT) < ack_of(world, 1 + 2 * SEGMENT));
    for (int i = 0; i < tcp_log_count(world); i++) {
        const struct tcp_line *line = tcp_log_at(world, i);
        segments += line->payload > 0;
        acks += line->node == 1 && line->acknowledgment > 1 && line->payload == 0;
    }
    SUITE_SAME_INTEGER(segments, 12);
    SUITE_SAME_INTEGER(acks, 2 + 10 / 2);
    tcp_world_free(world);
}

// As many as half the window holds, and at most 16.
static void test_quick_count(void)
{
    struct tcp_world *world = tcp_world_new(NULL);
    tcp_do(&world->nodes[1], tcp_listen_job, NULL);
    tcp_do(&world->nodes[1], tcp_accept_job, NULL);
    tcp_do_at(&world->nodes[0], TIME_MS, tcp_connect_no_delay_job, NULL);
    for (int i = 0; i < 12; i++)
        tcp_do_at(&world->nodes[0], (10 + i) * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(10));
    tcp_run(world);
    // Full segments are taken for 536 B until one is seen: 5840 / 1072 = 5.
    for (int i = 1; i <= 5; i++)
        CU_ASSERT(ack_time(world, 1 + 10 * i) < (10 + i) * TIME_MS);
    CU_ASSERT(ack_time(world, 1 + 60) > 50 * TIME_MS);
    tcp_world_free(world);
}

// 40 ms in ticks of the kernel's clock: the fourth tick from the arrival.
static void test_delay(void)
{
    struct tcp_world *world = tcp_world_new((const char *const[]){"tcp.quick_acks=0", NULL});
    tcp_connect_nodes(world);
    tcp_do_at(&world->nodes[0], 103 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(10));
    tcp_run(world);
    sim_time when = ack_time(world, 11);
    CU_ASSERT(when > 140 * TIME_MS && when < 140 * TIME_MS + 50 * TIME_US);
    tcp_world_free(world);
}

// The timer is started once: a second small segment does not push it back.
static void test_delay_is_not_prolonged(void)
{
    struct tcp_world *world = tcp_world_new((const char *const[]){"tcp.quick_acks=0", NULL});
    tcp_do(&world->nodes[1], tcp_listen_job, NULL);
    tcp_do(&world->nodes[1], tcp_accept_job, NULL);
    tcp_do_at(&world->nodes[0], TIME_MS, tcp_connect_no_delay_job, NULL);
    tcp_do_at(&world->nodes[0], 103 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(10));
    tcp_do_at(&world->nodes[0], 118 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(10));
    tcp_run(world);
    CU_ASSERT(ack_time(world, 11) > 140 * TIME_MS && ack_time(world, 11) < 141 * TIME_MS);
    CU_ASSERT(ack_of(world, 11) == ack_of(world, 21)); // one for both
    tcp_world_free(world);
}

// A reader that has taken all of pushed data acknowledges within its call.
static void test_reader_acknowledges(void)
{
    struct tcp_world *world = tcp_world_new((const char *const[]){"tcp.quick_acks=0", NULL});
    tcp_connect_nodes(world);
    tcp_do_at(&world->nodes[1], 90 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(10));
    tcp_do_at(&world->nodes[0], 103 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(10));
    tcp_run(world);
    CU_ASSERT(ack_time(world, 11) < 104 * TIME_MS);
    tcp_world_free(world);
    // One that leaves bytes behind does not.
    world = tcp_world_new((const char *const[]){"tcp.quick_acks=0", NULL});
    tcp_connect_nodes(world);
    tcp_do_at(&world->nodes[1], 90 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(9));
    tcp_do_at(&world->nodes[0], 103 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(10));
    tcp_run(world);
    CU_ASSERT(ack_time(world, 11) > 140 * TIME_MS);
    tcp_world_free(world);
}

// Data both ways: after the quick ones at the start, no segment goes without data.
static void test_ping_pong(void)
{
    struct tcp_world *world = tcp_world_new(NULL);
    enum { ROUNDS = 20 };
    int pure = 0, late = 0;
    tcp_connect_nodes(world);
    for (int i = 0; i < ROUNDS; i++) {
        tcp_do_at(&world->nodes[0], 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(50));
        tcp_do_at(&world->nodes[0], 10 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(50));
        tcp_do_at(&world->nodes[1], 10 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(50));
        tcp_do_at(&world->nodes[1], 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(50));
    }
    tcp_run(world);
    SUITE_SAME_INTEGER(world->nodes[0].bytes_read, 50 * ROUNDS);
    for (int i = 3; i < tcp_log_count(world); i++) {
        pure += tcp_log_at(world, i)->payload == 0;
        late += tcp_log_at(world, i)->payload == 0 && tcp_log_at(world, i)->sequence > 10 * 50;
    }
    CU_ASSERT(pure <= 12);
    CU_ASSERT(late <= 1); // of the last pong
    CU_ASSERT(world->nodes[0].job_end < 10 * TIME_MS + ROUNDS * 250 * TIME_US);
    tcp_world_free(world);
}

// RFC 2581, 4.2: a segment behind a gap, and one that comes again, are acknowledged at once.
static void test_gap_at_once(void)
{
    struct tcp_world *world =
        tcp_world_new((const char *const[]){"tcp.quick_acks=0", "links[0].drop_nth=[3]", NULL});
    tcp_connect_nodes(world);
    tcp_do_at(&world->nodes[0], 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(2 * SEGMENT));
    tcp_run(world);
    TCP_EXPECT(world, 5, TIME_NEVER, "node1 A 1:1(0) ack 1 win 5840 sack 1449:2897");
    CU_ASSERT(tcp_log_at(world, 5)->when < 11 * TIME_MS);
    // The gap is closed: at once, too.
    int closed = ack_of(world, 1 + 2 * SEGMENT);
    CU_ASSERT(tcp_log_at(world, closed)->when - tcp_log_at(world, closed - 1)->when < TIME_MS);
    tcp_world_free(world);
}

// The acknowledgment of data is lost: they come again, and are acknowledged again at once.
static void test_lost_ack(void)
{
    struct tcp_world *world = tcp_world_new((const char *const[]){"links[1].drop_nth=[2]", NULL});
    tcp_connect_nodes(world);
    tcp_do_at(&world->nodes[1], 5 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(100));
    tcp_do_at(&world->nodes[0], 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(100));
    tcp_run(world);
    TCP_EXPECT(world, 3, TIME_NEVER, "node0 PA 1:101(100) ack 1 win 5840");
    TCP_EXPECT(world, 4, TIME_NEVER, "node1 A 1:1(0) ack 101 win 5840");
    TCP_EXPECT(world, 5, TIME_NEVER, "node0 PA 1:101(100) ack 1 win 5840");
    TCP_EXPECT(world, 6, TIME_NEVER, "node1 A 1:1(0) ack 101 win 5840");
    SUITE_SAME_INTEGER(tcp_log_count(world), 7);
    SUITE_SAME_INTEGER(world->nodes[1].bytes_read, 100);
    SUITE_SAME_INTEGER(*sim_counter(world->sim, "tcp segments received twice"), 1);
    tcp_world_free(world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"quick at first, then every second segment", test_quick_then_every_second},
        {"quick ones are counted", test_quick_count},
        {"a delay of 40 ms", test_delay},
        {"the delay is not prolonged", test_delay_is_not_prolonged},
        {"a reader acknowledges", test_reader_acknowledges},
        {"ping-pong", test_ping_pong},
        {"gaps are acknowledged at once", test_gap_at_once},
        {"a lost acknowledgment", test_lost_ack},
        {0},
    };
    return suite_run("tcp: acknowledgments", cases);
}
