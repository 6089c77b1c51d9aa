// SPDX-License-Identifier: GPL-3.0-or-later
// Profile linux6 on a lossy path: RACK, proportional rate reduction and tail loss probes. Its rules
// packet by packet are in tests/script/tcp/linux6_*.pkt; CUBIC by itself is in
// tests/inet/test_cubic.c.
#include "tests/support/suite.h"
#include "tests/support/world_tcp.h"

#define SEGMENT 1448
#define SEGMENTS 60
#define FIRST_FRAME 3 // of node 0: SYN, ACK, then data

static struct world *rack_world(const char *drops, const char *more, const char *latency)
{
    char *sets[] = {
        g_strdup("tcp.profile=linux6"),
        g_strdup_printf("links[0].drop_nth=%s", drops),
        g_strdup_printf("switches[0].latency=%s", latency),
        g_strdup(more ? more : "tcp.queue=1000"),
        NULL,
    };
    struct world *world = tcp_world((const char *const *)sets, NULL);
    for (int i = 0; sets[i]; i++)
        g_free(sets[i]);
    return world;
}

static struct world *rack_transfer(const char *drops, const char *more, int segments)
{
    struct world *world = rack_world(drops, more, "1 ms");
    tcp_transfer(world, segments * SEGMENT);
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, segments * SEGMENT);
    return world;
}

static int64_t timeouts(const struct world *world)
{
    return *sim_counter(world->sim, "tcp retransmission timeouts");
}

// From the first segment with data to the last one sent.
static sim_time rack_duration(const struct world *world)
{
    sim_time first = -1, last = 0;
    for (int i = 0; i < tcp_log_count(world); i++) {
        const struct tcp_line *line = tcp_log_at(world, i);
        if (line->node != 0 || line->payload == 0)
            continue;
        first = first < 0 ? line->when : first;
        last = line->when;
    }
    return last - first;
}

// One lost segment, wherever it is: no timeout, and once sent again. The last one alone waits for
// the least timeout, since its acknowledgment may be a delayed one; a probe repairs it all the
// same.
static void test_one_loss(void)
{
    for (int lost = 0; lost < SEGMENTS; lost++) {
        char *drops = g_strdup_printf("[%d]", lost + FIRST_FRAME);
        struct world *world = rack_transfer(drops, NULL, SEGMENTS);
        SUITE_SAME_INTEGER(timeouts(world), 0);
        SUITE_SAME_INTEGER(*tcp_node(world, 0)->host->retransmissions, 1);
        bool last = lost == SEGMENTS - 1;
        CU_ASSERT(last == (rack_duration(world) > 100 * TIME_MS));
        world_free(world);
        g_free(drops);
    }
}

// A lost tail of two segments and more: a probe after two round trips and 2 ms, and what its block
// shows; without probes, or with selective acknowledgments alone, a timeout.
static void test_tail(void)
{
    static const struct {
        const char *more;
        int64_t probes, timeouts;
        bool soon;
    } cases[] = {{NULL, 1, 0, true},
                 {"tcp.tail_loss_probe=false", 0, 1, false},
                 {"tcp.recovery=sack", 0, 1, false}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct world *world = rack_transfer("[60, 61, 62]", cases[i].more, SEGMENTS);
        SUITE_SAME_INTEGER(timeouts(world), cases[i].timeouts);
        if (cases[i].probes > 0)
            SUITE_SAME_INTEGER(*tcp_node(world, 0)->host->tail_probes, cases[i].probes);
        CU_ASSERT(cases[i].soon == (rack_duration(world) < 60 * TIME_MS));
        world_free(world);
    }
}

// All of a window is lost: 200 ms pass, whatever the profile's means (probes are lost with it).
static void test_whole_window(void)
{
    struct world *world = rack_transfer("[3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]", NULL, 10);
    CU_ASSERT(timeouts(world) >= 1);
    CU_ASSERT(rack_duration(world) > 200 * TIME_MS && rack_duration(world) < 240 * TIME_MS);
    world_free(world);
}

// A retransmission that is lost, too, is found without a timeout; with selective acknowledgments
// alone only a timeout repeats it.
static void test_lost_again(void)
{
    struct world *world = rack_transfer("[20, 34]", NULL, SEGMENTS);
    int64_t repeats = *tcp_node(world, 0)->host->retransmissions;
    SUITE_SAME_INTEGER(timeouts(world), 0);
    CU_ASSERT(repeats >= 2);
    world_free(world);
}

// Random losses: every byte arrives.
static void test_random(void)
{
    for (int seed = 1; seed <= 20; seed++) {
        char *more =
            g_strdup_printf("links[1].drop_nth=[%d, %d, %d]", 3 + seed, 5 + 2 * seed, 6 + 2 * seed);
        char *drops = g_strdup_printf("[%d, %d, %d, %d, %d]", 3 + seed, 4 + seed, 9 + 2 * seed,
                                      30 + seed, 61 + seed);
        struct world *world = rack_transfer(drops, more, 2 * SEGMENTS);
        CU_ASSERT(*tcp_node(world, 0)->host->retransmissions >= 3);
        world_free(world);
        g_free(more);
        g_free(drops);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {{"one loss", test_one_loss},
                                              {"tail", test_tail},
                                              {"whole window", test_whole_window},
                                              {"lost again", test_lost_again},
                                              {"random", test_random},
                                              {0}};
    return suite_run("tcp: RACK and tail loss probes", cases);
}
