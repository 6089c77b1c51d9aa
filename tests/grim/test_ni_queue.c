// SPDX-License-Identifier: GPL-3.0-or-later
// The three styles of message queue (thesis 003, 4.2.2 and Fig. 4.4).
#include "tests/support/suite.h"
#include "tests/support/world_grim.h"

// An endpoint that takes one message and then nothing: the sender's queue fills up.
static struct world *filled(struct grim_world_options *options, uint32_t bytes)
{
    options->ni.endpoint_messages = 1;
    options->ni.nack_pause = 1 * TIME_MS;
    options->ni.stalled = 20 * TIME_MS;
    struct world *world = grim_world_new(options);
    grim_end(world, 1)->polls_from = TIME_NEVER;
    grim_world_send(world, 0, 1, bytes, 6000);
    grim_world_run(world);
    SUITE_SAME_INTEGER(world->sim->status, SIM_DEADLOCK);
    return world;
}

// grim.queue.slotted_waste: messages of a length that fit into 64 KiB. In slots of the longest
// message there are few, in slots of 16 KiB four, whatever they carry; end to end there are as many
// as their bytes allow. Headers in slots and payloads end to end are bounded by either.
static void test_capacity(void)
{
    static const struct {
        int style;
        int64_t slot;
        uint32_t bytes;
        int64_t messages;
    } rows[] = {
        {GRIM_QUEUE_APPEND, 16384, 0, 2048},
        {GRIM_QUEUE_APPEND, 16384, 99, 65536 / 132},
        {GRIM_QUEUE_SLOTTED, 16384, 0, 4},
        {GRIM_QUEUE_SLOTTED, 16384, 99, 4},
        {GRIM_QUEUE_SLOTTED, 64604, 0, 1},
        {GRIM_QUEUE_SLOTTED, 64604, 64572, 1},
        {GRIM_QUEUE_HYBRID, 16384, 0, 40}, // header slots
        {GRIM_QUEUE_HYBRID, 16384, 2000, (65536 - 40 * 32) / 2000},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct grim_world_options options = grim_world_defaults(2, 1);
        options.ni.queue_style = rows[i].style;
        options.ni.queue = 64 * 1024;
        options.ni.slot = rows[i].slot;
        options.ni.in_flight = 40;
        struct world *world = filled(&options, rows[i].bytes);
        SUITE_SAME_INTEGER(grim_channel_queued(grim_end(world, 0)->channel), rows[i].messages);
        char *waits = grim_world_report(world, 0, "injection_waits_for");
        SUITE_SAME_TEXT(waits, "room in the card's message queue");
        g_free(waits);
        world_free(world);
    }
}

// grim.queue.append_scoreboard: state is kept separately in entries at fixed places. No more
// messages are in flight than there are entries, a message gets one when it is sent, and a
// roll-back walks through those in use.
static void test_scoreboard(void)
{
    static const int64_t entries[] = {1, 4, 16};
    for (size_t i = 0; i < G_N_ELEMENTS(entries); i++) {
        struct grim_world_options options = grim_world_defaults(2, 1);
        options.ni.in_flight = entries[i];
        options.lanai.receive_latency = 200 * TIME_US; // all that may go before an answer arrives
        options.ni.receive_buffers = 64;
        options.ni.receive_buffer = 64;
        options.machines = "message";
        options.detail = true;
        struct world *world = filled(&options, 0);
        // One has been taken and freed, so that its entry went to another.
        SUITE_SAME_INTEGER(grim_world_count(world, "(to endpoint 1, token"), entries[i] + 1);
        SUITE_SAME_INTEGER(grim_world_count(world, "sent (to endpoint 1, token 0,"), 2);
        sim_time walked = grim_world_stage(world, 0, "walk");
        sim_time one = cost_time(options.ni.walk, options.lanai.clock);
        CU_ASSERT_TRUE(walked > 0 && walked % one == 0);
        if (entries[i] == 1)
            SUITE_SAME_INTEGER(walked / one, world_counter(world, "GRIM: messages refused"));
        world_free(world);
    }
}

// Scoreboards take SRAM besides the queue, slots hold their state themselves.
static void test_memory(void)
{
    int64_t left[3];
    for (int style = 0; style < 3; style++) {
        struct grim_world_options options = grim_world_defaults(2, 1);
        options.ni.queue_style = style;
        struct world *world = grim_world_new(&options);
        CU_ASSERT_TRUE(grim_fabric_start(grim_fabric(world)));
        left[style] = lanai_sram_left(grim_ni_card(grim_fabric_ni(grim_fabric(world), 0)));
        world_free(world);
    }
    SUITE_SAME_INTEGER(left[GRIM_QUEUE_SLOTTED] - left[GRIM_QUEUE_APPEND], 64 * 16);
    SUITE_SAME_INTEGER(left[GRIM_QUEUE_SLOTTED], left[GRIM_QUEUE_HYBRID]);
}

// ---- DMAs ----

static struct world *both_ways(int style, int second_dma, int64_t buffers, uint32_t bytes)
{
    struct grim_world_options options = grim_world_defaults(2, 1);
    options.ni.queue_style = style;
    options.ni.second_dma = second_dma;
    options.ni.receive_buffers = buffers;
    options.machines = "firmware";
    struct world *world = grim_world_new(&options);
    grim_world_send(world, 0, 1, bytes, 40);
    grim_world_send(world, 1, 0, bytes, 40);
    grim_world_run(world);
    return world;
}

// grim.queue.single_dma: only the hybrid queue starts a second DMA, and only if there is a payload.
static void test_single_dma(void)
{
    for (int style = 0; style < 3; style++)
        for (uint32_t bytes = 0; bytes <= 200; bytes += 200) {
            struct world *world = both_ways(style, GRIM_SECOND_CHAINED, 2, bytes);
            CU_ASSERT_TRUE(grim_world_complete(world));
            sim_time second = grim_world_stage(world, 0, "second DMA");
            const struct grim_ni_config *config = grim_fabric_config(grim_fabric(world));
            sim_time one = cost_time(config->second, 133000000);
            SUITE_SAME_INTEGER(second, style == GRIM_QUEUE_HYBRID && bytes > 0 ? 40 * one : 0);
            world_free(world);
        }
}

// grim.queue.hybrid_deadlock: a firmware that waits for the header's DMA takes nothing from the
// network meanwhile. Two cards that send to each other end up waiting for one another.
static void test_hybrid_deadlock(void)
{
    struct world *world = both_ways(GRIM_QUEUE_HYBRID, GRIM_SECOND_WAITS, 1, 2000);
    CU_ASSERT_FALSE(grim_world_complete(world));
    CU_ASSERT_TRUE(grim_end(world, 0)->taken < 40 && grim_end(world, 1)->taken < 40);
    for (int i = 0; i < 2; i++) {
        char *card = grim_world_report(world, i, "why");
        char *expected = g_strdup_printf(
            "node%d's card waits for the DMA of a header to node%d's card, and looks at nothing "
            "else (grim_ni.second_dma: chained would avoid it)",
            i, 1 - i);
        SUITE_SAME_TEXT(card, expected);
        g_free(expected);
        g_free(card);
    }
    CU_ASSERT_TRUE(grim_world_count(world, "running -> waiting") > 0);
    world_free(world);
    world = both_ways(GRIM_QUEUE_HYBRID, GRIM_SECOND_CHAINED, 1, 2000);
    CU_ASSERT_TRUE(grim_world_complete(world));
    world_free(world);
    world = both_ways(GRIM_QUEUE_APPEND, GRIM_SECOND_WAITS, 1, 2000);
    CU_ASSERT_TRUE(grim_world_complete(world));
    world_free(world);
}

// ---- Bad input ----

static void check_refused(struct grim_world_options *options, int to, uint32_t bytes,
                          const char *kind, const char *part)
{
    struct world *world = grim_world_new(options);
    grim_world_send(world, 0, to, bytes, 1);
    grim_world_run(world);
    SUITE_SAME_INTEGER(world->sim->status, SIM_FAILED);
    SUITE_SAME_TEXT(json_string_value(json_object_get(world->sim->reason, "kind")), kind);
    SUITE_CONTAINS(json_string_value(json_object_get(world->sim->reason, "text")), part);
    world_free(world);
}

static void test_bad(void)
{
    struct grim_world_options options = grim_world_defaults(2, 2);
    options.ni.queue = 128 * 1024;
    check_refused(&options, 1, 64573, "message_too_long", "the longest payload is 64572 B");
    check_refused(
        &options, 9, 0, "no_endpoint",
        "end0 sends a message of 32 B with its header to endpoint 9, which does not exist");
    check_refused(&options, 2, 0, "same_card", "two hosts for them would avoid it");
    options.ni.channels = 4;
    check_refused(&options, 1, 40000, "message_too_long", "(append, 32768 B) can never hold");
    options.ni.queue_style = GRIM_QUEUE_SLOTTED;
    check_refused(&options, 1, 20000, "message_too_long", "more grim_ni.queue or grim_ni.slot");
    options = grim_world_defaults(2, 1);
    options.ni.receive_buffer = 1024;
    check_refused(&options, 1, 1000, "message_too_long",
                  "grim_ni.receive_buffer of more than 1024");
    options.ni.receive_buffer = 2048;
    options.ni.endpoint_bytes = 1024;
    check_refused(&options, 1, 1000, "message_too_long",
                  "grim_ni.endpoint_bytes of more than 1024");
    options = grim_world_defaults(2, 3);
    options.ni.channels = 2;
    check_refused(&options, 1, 0, "no_channel",
                  "node0's card has 2 logical channels and 3 endpoints");
    options = grim_world_defaults(2, 1);
    options.ni.queue = 4 * 1024 * 1024;
    check_refused(&options, 1, 0, "sram_exhausted", "less grim_ni.queue would avoid it");
}

// Words that the host writes into the card go over its bus, one transaction per message: a header,
// or a header with its data. (Besides, single words notify the card.)
static void test_writes_go_over_the_bus(void)
{
    static const uint32_t bytes[] = {0, 64};
    for (size_t i = 0; i < G_N_ELEMENTS(bytes); i++) {
        struct grim_world_options options = grim_world_defaults(2, 1);
        struct world *world = grim_world_new(&options);
        grim_world_send(world, 0, 1, bytes[i], 5);
        grim_world_run(world);
        CU_ASSERT_TRUE(grim_world_complete(world));
        struct host *host = world->cluster->hosts[0];
        sim_time each =
            bus_time(&host->config.bus, BUS_WRITE, GRIM_HEADER_BYTES + (int64_t)bytes[i]);
        CU_ASSERT_TRUE(bus_busy(host->bus) >= 5 * each && bus_busy(host->bus) < 6 * each);
        world_free(world);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"grim.queue.slotted_waste: what fits into the queue", test_capacity},
        {"grim.queue.append_scoreboard: entries for what is on the way", test_scoreboard},
        {"scoreboards take SRAM", test_memory},
        {"grim.queue.single_dma: a second one for the hybrid queue only", test_single_dma},
        {"grim.queue.hybrid_deadlock: waiting for the first DMA", test_hybrid_deadlock},
        {"messages that can't be sent end the run", test_bad},
        {"what the host writes goes over the bus", test_writes_go_over_the_bus},
        {0},
    };
    return suite_run("grim: message queues", cases);
}
