// SPDX-License-Identifier: GPL-3.0-or-later
// When a receiver acknowledges: quickly at the start, every second full segment, after a delay,
// with data of its own, and when a reader has taken all.
#include "tests/support/suite.h"
#include "tests/support/world_tcp.h"

#define SEGMENT 1448

// The line of the first acknowledgment of node 1 that covers `sequence`; -1: none.
static int ack_of(const struct world *world, int64_t sequence)
{
    for (int i = 0; i < tcp_log_count(world); i++)
        if (tcp_log_at(world, i)->node == 1 && tcp_log_at(world, i)->acknowledgment >= sequence)
            return i;
    return -1;
}

static sim_time ack_time(const struct world *world, int64_t sequence)
{
    return tcp_log_at(world, ack_of(world, sequence))->when;
}

// Each segment while the offered window grows, then every second one. The window begins with 5840 B
// and grows by two segments for each that comes, up to three quarters of the buffer less a segment:
// 5840 + 2896 n >= 3/4 * 87380 - 1448 with n = 21.
static void test_quick_then_every_second(void)
{
    struct world *world =
        tcp_world((const char *const[]){"tcp.initial_window=4", "tcp.quick_acks=0",
                                        "tcp.send_buffer=128 KiB", NULL},
                  NULL);
    int64_t last = 1, window = 0;
    int single = 0, twofold = 0;
    tcp_transfer(world, 61 * SEGMENT);
    world_run(world);
    for (int i = 0; i < tcp_log_count(world); i++) {
        const struct tcp_line *line = tcp_log_at(world, i);
        if (line->node == 0 || line->acknowledgment == last)
            continue;
        int64_t segments = (line->acknowledgment - last) / SEGMENT;
        last = line->acknowledgment;
        window = MAX(window, line->window);
        CU_ASSERT(segments == 2 || twofold == 0); // from then on
        single += segments == 1;
        twofold += segments == 2;
    }
    SUITE_SAME_INTEGER(single, 21);
    SUITE_SAME_INTEGER(twofold, (61 - 21) / 2);
    SUITE_SAME_INTEGER(window, 44 * SEGMENT);
    world_free(world);
}

// Small segments in one direction over a connection that has carried data in both: the receiver
// waits for data of its own that are never written, and the sender stands after its congestion
// window, which counts segments and not bytes, until the delayed acknowledgment: TCP_NODELAY does
// not help. That ends the waiting (Linux: tcp_delack_timer leaves ping-pong mode): the rest flows,
// each read acknowledging.
static void test_one_way_after_ping_pong(void)
{
    struct world *world = tcp_world(NULL, NULL);
    world_do(tcp_node(world, 1), tcp_listen_job, NULL);
    world_do(tcp_node(world, 1), tcp_accept_job, NULL);
    world_do_at(tcp_node(world, 0), TIME_MS, tcp_connect_no_delay_job, NULL);
    for (int i = 0; i < 2; i++) { // the reply sets the mode at its sender
        world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(50));
        world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(50));
        world_do_at(tcp_node(world, 1), 10 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(50));
        world_do_at(tcp_node(world, 1), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(50));
    }
    for (int i = 0; i < 12; i++) {
        world_do_at(tcp_node(world, 0), 20 * TIME_MS + i * TIME_MS, tcp_write_job,
                    GSIZE_TO_POINTER(50));
        world_do_at(tcp_node(world, 1), 19 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(50));
    }
    world_run(world);
    // Three segments of 50 B leave, the fourth waits for the tick 40 ms after the first.
    for (int i = 0; i < 12; i++) {
        const struct tcp_line *line = tcp_log_data(world, 0, 0, 2 + i);
        bool waits = i >= 3;
        CU_ASSERT_FATAL(line || i > 3); // what waits goes together
        if (line)
            CU_ASSERT(waits ? line->when > 60 * TIME_MS : line->when < 23 * TIME_MS);
    }
    SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, 14 * 50);
    CU_ASSERT(tcp_node(world, 1)->process.job_end < 62 * TIME_MS); // no second delay
    world_free(world);
}

// As many as half the window holds, and at most 16.
static void test_quick_count(void)
{
    struct world *world = tcp_world(NULL, NULL);
    world_do(tcp_node(world, 1), tcp_listen_job, NULL);
    world_do(tcp_node(world, 1), tcp_accept_job, NULL);
    world_do_at(tcp_node(world, 0), TIME_MS, tcp_connect_no_delay_job, NULL);
    for (int i = 0; i < 12; i++)
        world_do_at(tcp_node(world, 0), (10 + i) * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(10));
    world_run(world);
    // Full segments are taken for 536 B until one is seen: 5840 / 1072 = 5.
    for (int i = 1; i <= 5; i++)
        CU_ASSERT(ack_time(world, 1 + 10 * i) < (10 + i) * TIME_MS);
    CU_ASSERT(ack_time(world, 1 + 60) > 50 * TIME_MS);
    world_free(world);
}

// 40 ms in ticks of the kernel's clock: the fourth tick from the arrival.
static void test_delay(void)
{
    struct world *world = tcp_world((const char *const[]){"tcp.quick_acks=0", NULL}, NULL);
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 0), 103 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(10));
    world_run(world);
    sim_time when = ack_time(world, 11);
    CU_ASSERT(when > 140 * TIME_MS && when < 140 * TIME_MS + 50 * TIME_US);
    world_free(world);
}

// The timer is started once: a second small segment does not push it back.
static void test_delay_is_not_prolonged(void)
{
    struct world *world = tcp_world((const char *const[]){"tcp.quick_acks=0", NULL}, NULL);
    world_do(tcp_node(world, 1), tcp_listen_job, NULL);
    world_do(tcp_node(world, 1), tcp_accept_job, NULL);
    world_do_at(tcp_node(world, 0), TIME_MS, tcp_connect_no_delay_job, NULL);
    world_do_at(tcp_node(world, 0), 103 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(10));
    world_do_at(tcp_node(world, 0), 118 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(10));
    world_run(world);
    CU_ASSERT(ack_time(world, 11) > 140 * TIME_MS && ack_time(world, 11) < 141 * TIME_MS);
    CU_ASSERT(ack_of(world, 11) == ack_of(world, 21)); // one for both
    world_free(world);
}

// A timer that rang was too early, so the next acknowledgment is delayed twice as long. Only where
// the round trip is as long as that: here 100 ms.
static void test_delay_doubles(void)
{
    struct world *world =
        tcp_world((const char *const[]){"tcp.quick_acks=0", "link.propagation=25 ms", NULL}, NULL);
    world_do(tcp_node(world, 1), tcp_listen_job, NULL);
    world_do(tcp_node(world, 1), tcp_accept_job, NULL);
    world_do_at(tcp_node(world, 0), TIME_MS, tcp_connect_no_delay_job, NULL);
    world_do_at(tcp_node(world, 0), 501 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(10));
    world_do_at(tcp_node(world, 0), 651 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(10));
    world_run(world);
    // Arrivals at 551 and 701 ms; 4 and 8 ticks of 10 ms.
    CU_ASSERT(ack_time(world, 11) > 590 * TIME_MS && ack_time(world, 11) < 591 * TIME_MS);
    CU_ASSERT(ack_time(world, 21) > 780 * TIME_MS && ack_time(world, 21) < 781 * TIME_MS);
    world_free(world);
}

// A reader that has taken all of pushed data acknowledges within its call.
static void test_reader_acknowledges(void)
{
    struct world *world = tcp_world((const char *const[]){"tcp.quick_acks=0", NULL}, NULL);
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 1), 90 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(10));
    world_do_at(tcp_node(world, 0), 103 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(10));
    world_run(world);
    CU_ASSERT(ack_time(world, 11) < 104 * TIME_MS);
    world_free(world);
    // A read that leaves bytes does not.
    world = tcp_world((const char *const[]){"tcp.quick_acks=0", NULL}, NULL);
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 1), 90 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(9));
    world_do_at(tcp_node(world, 0), 103 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(10));
    world_run(world);
    CU_ASSERT(ack_time(world, 11) > 140 * TIME_MS);
    world_free(world);
}

// Data in both directions: after the quick ones at the start, no segment goes without data.
static void test_ping_pong(void)
{
    struct world *world = tcp_world(NULL, NULL);
    enum { ROUNDS = 20 };
    int pure = 0, late = 0;
    tcp_connect_nodes(world);
    for (int i = 0; i < ROUNDS; i++) {
        world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(50));
        world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(50));
        world_do_at(tcp_node(world, 1), 10 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(50));
        world_do_at(tcp_node(world, 1), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(50));
    }
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 0)->bytes_read, 50 * ROUNDS);
    for (int i = 3; i < tcp_log_count(world); i++) {
        pure += tcp_log_at(world, i)->payload == 0;
        late += tcp_log_at(world, i)->payload == 0 && tcp_log_at(world, i)->sequence > 10 * 50;
    }
    CU_ASSERT(pure <= 12);
    CU_ASSERT(late <= 1); // of the last pong
    CU_ASSERT(tcp_node(world, 0)->process.job_end < 10 * TIME_MS + ROUNDS * 250 * TIME_US);
    world_free(world);
}

// RFC 2581, 4.2: a segment after a gap, and one that comes again, are acknowledged at once.
static void test_gap_at_once(void)
{
    struct world *world =
        tcp_world((const char *const[]){"tcp.quick_acks=0", "links[0].drop_nth=[3]", NULL}, NULL);
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(2 * SEGMENT));
    world_run(world);
    TCP_EXPECT(world, 5, TIME_NEVER, "node1 A 1:1(0) ack 1 win 5840 sack 1449:2897");
    CU_ASSERT(tcp_log_at(world, 5)->when < 11 * TIME_MS);
    // The gap is closed: at once, too.
    int closed = ack_of(world, 1 + 2 * SEGMENT);
    CU_ASSERT(tcp_log_at(world, closed)->when - tcp_log_at(world, closed - 1)->when < TIME_MS);
    world_free(world);
}

// The acknowledgment of data is lost. The data come again, and are acknowledged again at once.
static void test_lost_ack(void)
{
    struct world *world = tcp_world((const char *const[]){"links[1].drop_nth=[2]", NULL}, NULL);
    tcp_transfer(world, 100);
    world_run(world);
    TCP_EXPECT(world, 3, TIME_NEVER, "node0 PA 1:101(100) ack 1 win 5840");
    TCP_EXPECT(world, 4, TIME_NEVER, "node1 A 1:1(0) ack 101 win 5840");
    TCP_EXPECT(world, 5, TIME_NEVER, "node0 PA 1:101(100) ack 1 win 5840");
    TCP_EXPECT(world, 6, TIME_NEVER, "node1 A 1:1(0) ack 101 win 5840");
    SUITE_SAME_INTEGER(tcp_log_count(world), 7);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, 100);
    SUITE_SAME_INTEGER(*sim_counter(world->sim, "tcp segments received twice"), 1);
    world_free(world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"quick at first, then every second segment", test_quick_then_every_second},
        {"one way after ping-pong", test_one_way_after_ping_pong},
        {"quick ones are counted", test_quick_count},
        {"a delay of 40 ms", test_delay},
        {"the delay is not prolonged", test_delay_is_not_prolonged},
        {"a timer that rang makes the next delay longer", test_delay_doubles},
        {"a reader acknowledges", test_reader_acknowledges},
        {"ping-pong", test_ping_pong},
        {"gaps are acknowledged at once", test_gap_at_once},
        {"a lost acknowledgment", test_lost_ack},
        {0},
    };
    return suite_run("tcp: acknowledgments", cases);
}
