// SPDX-License-Identifier: GPL-3.0-or-later
// ACKs and NACKs on a link that is busy (thesis 003, 4.2.3 and Fig. 4.5).
#include "sim/core/random.h"
#include "tests/support/suite.h"
#include "tests/support/world_grim.h"

#include <string.h>

// On LANai 4 cards, for which early versions of GRIM were, and whose one DMA engine writes and
// fetches in turn; with a channel for each, as on a LANai 9, these streams do not get there.
static struct world *both_ways(bool control_queue, int64_t entries, uint32_t bytes, int count)
{
    struct grim_world_options options = grim_world_defaults(2, 1);
    grim_world_lanai4(&options);
    options.ni.control_queue = control_queue;
    options.ni.control_entries = entries;
    options.machines = "control";
    struct world *world = grim_world_new(&options);
    grim_world_send(world, 0, 1, bytes, count);
    grim_world_send(world, 1, 0, bytes, count);
    grim_world_run(world);
    return world;
}

// A card that is closed does not close again, and an open one does not open.
static void check_closing(const struct world *world)
{
    char **lines = g_strsplit(grim_world_log(world), "\n", -1);
    bool is_closed[2] = {false, false};
    for (char **line = lines; *line; line++)
        for (int end = 0; end < 2; end++) {
            bool closes = strstr(*line, "open -> closed") != NULL;
            bool opens = strstr(*line, "closed -> open") != NULL;
            if (!g_str_has_prefix(*line, world->cluster->hosts[end]->name) || (!closes && !opens))
                continue;
            CU_ASSERT_TRUE(closes != is_closed[end]);
            is_closed[end] = closes;
        }
    g_strfreev(lines);
}

// Fig. 4.5a, grim.ctl.deadlock_without_queue: both cards have accepted a message, each holds its
// link with the next one, which the other does not take before its ACK has left.
static void test_deadlock(void)
{
    struct world *world = both_ways(false, 64, 4000, 40);
    CU_ASSERT_FALSE(grim_world_complete(world));
    SUITE_SAME_INTEGER(world->sim->status, SIM_COMPLETED); // nothing is left to happen
    check_closing(world);
    for (int i = 0; i < 2; i++) {
        char *card = grim_world_report(world, i, "why");
        char *expected = g_strdup_printf(
            "node%d's card accepts nothing before its ACK or NACK has left, and its link is held "
            "by a message to node%d's card (grim_ni.control_queue or more of "
            "grim_ni.control_entries would avoid it)",
            i, 1 - i);
        SUITE_SAME_TEXT(card, expected);
        g_free(expected);
        g_free(card);
    }
    world_free(world);
}

// Fig. 4.5b, grim.ctl.queue: the same traffic with the queue.
static void test_queue(void)
{
    struct world *world = both_ways(true, 64, 4000, 40);
    CU_ASSERT_TRUE(grim_world_complete(world));
    int queued = grim_world_count(world, "ACK -> queued");
    CU_ASSERT_TRUE(queued > 0);
    SUITE_SAME_INTEGER(queued, world_counter(world, "GRIM: control messages queued"));
    SUITE_SAME_INTEGER(grim_world_count(world, "ACK -> sent"), 80);
    SUITE_SAME_INTEGER(grim_world_count(world, "open -> closed"), 0);
    world_free(world);
}

// grim.ctl.queue: with traffic in one direction the link back is free, and nothing is queued.
static void test_free_link(void)
{
    struct grim_world_options options = grim_world_defaults(2, 1);
    options.machines = "control";
    struct world *world = grim_world_new(&options);
    grim_world_send(world, 0, 1, 4000, 40);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    SUITE_SAME_INTEGER(grim_world_count(world, "ACK -> queued"), 0);
    SUITE_SAME_INTEGER(grim_world_count(world, "ACK -> sent"), 40);
    world_free(world);
}

// grim.ctl.queue: queued answers are sent as soon as the link is free, before any other message,
// and in order.
static void test_order(void)
{
    struct grim_world_options options = grim_world_defaults(3, 1);
    options.machines = "control,message";
    struct world *world = grim_world_new(&options);
    grim_world_send(world, 0, 1, 8000, 8);
    grim_world_send(world, 1, 0, 8000, 8);
    grim_world_send(world, 2, 0, 100, 30);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    char **lines = g_strsplit(grim_world_log(world), "\n", -1);
    int waiting = 0, most = 0;
    for (int i = 0; lines[i]; i++) {
        if (strstr(lines[i], "node0's card control") && strstr(lines[i], "-> queued"))
            waiting++;
        else if (strstr(lines[i], "node0's card control") && strstr(lines[i], "-> sent"))
            waiting -= waiting > 0;
        else if (strstr(lines[i], "end0 message") && strstr(lines[i], "not sent -> sent"))
            SUITE_SAME_INTEGER(waiting, 0); // no message goes while an answer waits
        most = MAX(most, waiting);
    }
    CU_ASSERT_TRUE(most >= 2);
    SUITE_SAME_INTEGER(waiting, 0);
    g_strfreev(lines);
    world_free(world);
}

// grim.ctl.same_network: answers take the same links as messages: two hops for each of both, and
// ACKs take their share of the return path from messages that use it.
static void test_same_network(void)
{
    sim_time alone, together;
    struct grim_world_options options = grim_world_defaults(3, 1);
    struct world *world = grim_world_new(&options);
    grim_world_send(world, 0, 1, 1000, 200);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    SUITE_SAME_INTEGER(network_hops(world->cluster->network), 2 * (200 + 200));
    alone = grim_end(world, 1)->last_taken;
    world_free(world);
    world = grim_world_new(&options);
    grim_world_send(world, 0, 1, 1000, 200);
    grim_world_send(world, 2, 0, 0, 200); // whose ACKs go over the same link
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    together = grim_end(world, 1)->last_taken;
    CU_ASSERT_TRUE(together > alone);
    world_free(world);
}

// A full queue is as bad as none: the card closes until there is a place.
static void test_full(void)
{
    struct world *world = both_ways(true, 1, 4000, 40);
    CU_ASSERT_TRUE(grim_world_count(world, "ACK -> queued") > 0);
    int closed = grim_world_count(world, "open -> closed");
    check_closing(world);
    if (grim_world_complete(world))
        SUITE_SAME_INTEGER(grim_world_count(world, "closed -> open"), closed);
    else
        CU_ASSERT_TRUE(closed > grim_world_count(world, "closed -> open"));
    world_free(world);
}

// ---- How often ----

static bool light_run(uint64_t seed, bool control_queue)
{
    struct random_stream *random = random_new(seed, "light");
    int hosts = 2 + (int)random_below(random, 3);
    struct grim_world_options options = grim_world_defaults(hosts, 1);
    options.ni.control_queue = control_queue;
    struct world *world = grim_world_new(&options);
    for (int i = 0; i < 12; i++) {
        int from = (int)random_below(random, (uint64_t)hosts);
        int to = (from + 1 + (int)random_below(random, (uint64_t)hosts - 1)) % hosts;
        grim_world_send(world, from, to, (uint32_t)random_below(random, 2000),
                        1 + (int)random_below(random, 2));
    }
    for (int i = 0; i < hosts; i++)
        grim_end(world, i)->inject_cost = (sim_time)random_below(random, 60) * TIME_US;
    grim_world_run(world);
    bool complete = grim_world_complete(world);
    world_free(world);
    random_free(random);
    return complete;
}

// grim.ctl.deadlock_without_queue, grim.ctl.queue: under light traffic on small configurations most
// programs end without the queue, and some do not; with it all do.
static void test_rarely(void)
{
    int hung = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        hung += !light_run(seed, false);
        CU_ASSERT_TRUE(light_run(seed, true));
    }
    printf(" (%d of 200 hung) ", hung);
    CU_ASSERT_TRUE(hung > 0 && hung < 20);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"Fig. 4.5a: grim.ctl.deadlock_without_queue", test_deadlock},
        {"Fig. 4.5b: grim.ctl.queue", test_queue},
        {"grim.ctl.queue: not on a free link", test_free_link},
        {"grim.ctl.queue: answers go first, in order", test_order},
        {"grim.ctl.same_network: answers compete with messages", test_same_network},
        {"a queue that is full closes the card", test_full},
        {"grim.ctl.queue: light traffic seldom hangs without it", test_rarely},
        {0},
    };
    return suite_run("grim: control messages", cases);
}
