// SPDX-License-Identifier: GPL-3.0-or-later
// A message is forwarded to the host before all of it has arrived: its header arrives first, and
// the firmware begins with that (thesis 003, 4.1.1). A message that is damaged at its end is not
// delivered at all.
#include "tests/support/spans.h"
#include "tests/support/suite.h"
#include "tests/support/world_grim.h"

#include <string.h>

#define BYTES 40000
#define FRAME (BYTES + GRIM_HEADER_BYTES)

static struct grim_world_options traced(struct span_log *log)
{
    struct grim_world_options options = grim_world_defaults(2, 1);
    options.trace = &log->trace;
    return options;
}

static struct world *one_message(const struct grim_world_options *options)
{
    struct world *world = grim_world_new(options);
    grim_world_send(world, 0, 1, BYTES, 1);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    return world;
}

// The nth span of a name on a lane that has to do with a message, from 0; NULL if there are fewer.
static const struct span *nth_span(const struct span_log *log, const char *lane, const char *name,
                                   int nth)
{
    for (guint i = 0; i < log->spans->len; i++) {
        const struct span *span = &g_array_index(log->spans, struct span, i);
        if (strcmp(span->lane, lane) == 0 && strcmp(span->name, name) == 0 &&
            span->message.generation != 0 && nth-- == 0)
            return span;
    }
    return NULL;
}

// grim.msg.header_first: when the last byte arrives, the firmware has read the header long before,
// and most of the message is in host memory; but no byte is there before it has arrived.
static void test_overlap(void)
{
    struct span_log *log = span_log_new();
    struct grim_world_options options = traced(log);
    struct world *world = one_message(&options);
    const struct span *wire = nth_span(log, "wire switch0->node1", "packet", 0);
    const struct span *look = nth_span(log, "LANai", "receive packet", 0);
    CU_ASSERT_FATAL(wire && look);
    CU_ASSERT(look->from < wire->from + 3 * TIME_US);
    sim_time byte = (wire->to - wire->from) / FRAME;
    int64_t moved = 0, early = 0;
    const struct span *write;
    for (int i = 0; (write = nth_span(log, "bus", "host DMA write", i)); i++) {
        int64_t piece = MIN(options.lanai.bus_hold, FRAME - moved);
        moved += piece;
        CU_ASSERT(write->from >= wire->from + moved * byte);
        early += write->to < wire->to ? piece : 0;
    }
    SUITE_SAME_INTEGER(moved, FRAME);
    CU_ASSERT(early > FRAME / 3);
    world_free(world);
    span_log_free(log);
}

// A bus that is quicker than the link: the last piece is written when the last byte is there.
static void test_quick_bus(void)
{
    struct span_log *log = span_log_new();
    struct grim_world_options options = traced(log);
    options.bus_rate = 528000000;
    struct world *world = one_message(&options);
    const struct span *wire = nth_span(log, "wire switch0->node1", "packet", 0), *last = NULL;
    for (int i = 0; nth_span(log, "bus", "host DMA write", i); i++)
        last = nth_span(log, "bus", "host DMA write", i);
    CU_ASSERT_FATAL(wire && last);
    CU_ASSERT(last->from > wire->to && last->to < wire->to + 5 * TIME_US);
    world_free(world);
    span_log_free(log);
}

// A damaged message is recognised when its last byte is there. Its endpoint has room for one, and
// has it again when the message arrives again.
static void test_damaged(void)
{
    for (int buffering = 0; buffering < 2; buffering++) {
        struct grim_world_options options = grim_world_defaults(2, 1);
        options.corrupt_nth[0] = 1;
        options.ni.timeouts = true;
        options.ni.endpoint_messages = 1;
        options.ni.endpoint_bytes = FRAME;
        options.ni.buffering = buffering;
        struct world *world = one_message(&options);
        SUITE_SAME_INTEGER(grim_end(world, 1)->taken, 1);
        SUITE_SAME_INTEGER(world_counter(world, "GRIM: packets with CRC errors"), 1);
        SUITE_SAME_INTEGER(world_counter(world, "GRIM: timeouts"), 1);
        SUITE_SAME_INTEGER(world_counter(world, "GRIM: messages refused"), 0);
        world_free(world);
    }
}

// A sender's cable is pulled while its message, which was held back by another one, is arriving and
// being written to the host: the part that has arrived ends as a damaged message, and the message
// is sent again when the cable is restored.
static void test_pulled(void)
{
    struct grim_world_options options = grim_world_defaults(3, 1);
    options.pulled = (struct param_window){600 * TIME_US, 2 * TIME_MS};
    options.ni.timeouts = true;
    options.ni.endpoint_messages = 2;
    struct world *world = grim_world_new(&options);
    grim_end(world, 0)->starts = 10 * TIME_US;
    grim_world_send(world, 0, 1, BYTES, 1);
    grim_world_send(world, 2, 1, BYTES, 1);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    SUITE_SAME_INTEGER(grim_end(world, 1)->taken, 2);
    CU_ASSERT(grim_end(world, 1)->first_taken[2] < 2 * TIME_MS);
    CU_ASSERT(grim_end(world, 1)->first_taken[0] > 2 * TIME_MS);
    SUITE_SAME_INTEGER(world_counter(world, "GRIM: packets with CRC errors"), 1);
    SUITE_SAME_INTEGER(world_counter(world, "GRIM: messages refused"), 0);
    world_free(world);
}

// A card fetches a message from its host while it receives a long one, whose DMA waits for the link
// again and again: the fetch does not wait for the end of that.
static void test_fetches(void)
{
    struct grim_world_options options = grim_world_defaults(2, 1);
    options.bus_rate = 528000000;
    struct world *world = grim_world_new(&options);
    grim_end(world, 1)->starts = 150 * TIME_US;
    grim_world_send(world, 0, 1, BYTES, 1);
    grim_world_send(world, 1, 0, 1000, 1);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    CU_ASSERT(grim_end(world, 1)->first_taken[0] > 250 * TIME_US);
    CU_ASSERT(grim_end(world, 0)->first_taken[1] < 180 * TIME_US);
    world_free(world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"grim.msg.header_first: to the host while the rest comes in", test_overlap},
        {"not before it is there", test_quick_bus},
        {"damaged at the end", test_damaged},
        {"a cable is pulled under it", test_pulled},
        {"fetches go first", test_fetches},
        {0},
    };
    return suite_run("grim: beginning with the header", cases);
}
