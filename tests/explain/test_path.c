// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path through records that are made up, where it can be seen by eye; and, over random
// records, that the parts always fill the interval.
#include "sim/explain/path.h"
#include "sim/host/processor.h"

#include "tests/support/lane_called.h"
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"

#include <string.h>

#define US TIME_US

struct parts {
    GString *text; // "serialisation 3, bus 1": from the last to the first, in us
    sim_time at;   // where the next part has to end
    sim_time sum;
};

static void on_part(void *owner, const struct path_part *part)
{
    struct parts *parts = owner;
    CU_ASSERT_EQUAL(part->to, parts->at);
    CU_ASSERT(part->from < part->to);
    parts->at = part->from;
    parts->sum += part->to - part->from;
    g_string_append_printf(parts->text, "%s%s %g", parts->text->len ? ", " : "", part->stage,
                           time_to_us(part->to - part->from));
    if (part->held != WAIT_OTHER && !part->bare)
        g_string_append_printf(parts->text, " (%s)", wait_stages[part->held].name);
}

// A hash of all paths that were walked.
static guint paths;

// Checks the path from `to` on the lane back to `from`.
static void expect_path(struct record *record, trace_lane lane, sim_time from, sim_time to,
                        const char *expected)
{
    struct parts parts = {.text = g_string_new(NULL), .at = to};
    record_settle(record);
    path_walk(record, lane, from, to, on_part, &parts);
    CU_ASSERT_EQUAL(parts.at, from);
    CU_ASSERT_EQUAL(parts.sum, to - from);
    if (expected)
        SUITE_SAME_TEXT(parts.text->str, expected);
    paths = 31 * paths + g_str_hash(parts.text->str);
    g_string_free(parts.text, TRUE);
}

// Their class counts, whatever the text says.
static const struct wait credits = {"the other side", WAIT_CREDIT};
static const struct wait window = {"a window", WAIT_WINDOW};
static const struct wait no_credits = {"a message with the receiver's credits", WAIT_OTHER};

static const struct message_ref ours = {1, 1}, other = {2, 1};

static void slice(struct record *record, trace_lane lane, enum cpu_class class, sim_time from,
                  sim_time to)
{
    trace_note(
        &record->trace, lane,
        &(struct trace_note){.kind = TRACE_SLICE, .class = (int)class, .from = from, .to = to});
}

static void span(struct record *record, trace_lane lane, const char *name, sim_time from,
                 sim_time to, struct message_ref message)
{
    const char *resource = record_lane(record, lane - 1)->name;
    enum stage_class class = g_str_has_prefix(resource, "bus")    ? STAGE_BUS
                             : g_str_has_prefix(resource, "NIC")  ? STAGE_NIC
                             : g_str_has_prefix(resource, "wire") ? STAGE_WIRE
                                                                  : STAGE_LIBRARY;
    trace_span(&record->trace, lane, stage_called(name, class), from, to, message);
}

// A handler with one piece of work.
static void work(struct record *record, trace_lane lane, enum cpu_class class, const char *name,
                 sim_time from, sim_time to)
{
    slice(record, lane, class, from, to);
    span(record, lane, name, from, to, ours);
}

static void test_one_way(void)
{
    struct record *record = record_new();
    struct trace *trace = &record->trace;
    trace_lane cpu0 = lane_called(trace, "node0", "cpu 0");
    trace_lane bus0 = lane_called(trace, "node0", "bus");
    trace_lane up = lane_called(trace, "network", "wire node0->switch");
    trace_lane port = lane_called(trace, "switch", "port 1 to node1");
    trace_lane down = lane_called(trace, "network", "wire switch->node1");
    trace_lane bus1 = lane_called(trace, "node1", "bus");
    trace_lane cpu1 = lane_called(trace, "node1", "cpu 0");
    // Another host does the same at the same time.
    trace_lane cpu2 = lane_called(trace, "node2", "cpu 0");
    trace_lane bus2 = lane_called(trace, "node2", "bus");
    work(record, cpu0, CPU_USER, "MPI", 0, 2 * US);
    work(record, cpu2, CPU_USER, "compute", 0, 2 * US);
    span(record, bus0, "send", 2 * US, 3 * US, ours);
    span(record, bus2, "send", 2 * US, 3 * US, other);
    span(record, up, "packet", 3 * US, 7 * US, ours);
    trace_delay(trace, up, stage_called("switch", STAGE_SWITCH), 7 * US, 9 * US, ours);
    span(record, port, "waits", 9 * US, 10 * US, ours);
    span(record, down, "packet", 6 * US, 9 * US, other);
    trace_note(trace, down, &(struct trace_note){.kind = TRACE_GAP, .from = 9 * US, .to = 10 * US});
    span(record, down, "packet", 10 * US, 14 * US, ours);
    span(record, bus1, "receive", 14 * US, 15 * US, ours);
    work(record, cpu1, CPU_INTERRUPT, "interrupt", 15 * US, 18 * US);
    // It waited for the link, which another packet had.
    expect_path(record, cpu1, 6 * US, 18 * US,
                "interrupt 3, bus 1, serialisation 4, serialisation 1, serialisation 3");
    expect_path(record, bus1, 0, 14 * US, NULL);
    expect_path(record, up, 0, 9 * US, "switch 2, serialisation 4, bus 1, MPI 2");
    // The interval may begin in the midst of a piece.
    expect_path(record, up, US, 5 * US, NULL);
    expect_path(record, up, US, 7 * US, "serialisation 4, bus 1, MPI 1");
    record_free(record);
}

// 10 us of work, interrupted twice; the first interrupt has a cause of its own.
static void test_interrupted(void)
{
    struct record *record = record_new();
    struct trace *trace = &record->trace;
    trace_lane cpu = lane_called(trace, "node0", "cpu 0");
    trace_lane bus = lane_called(trace, "node0", "bus");
    span(record, bus, "receive", 1 * US, 4 * US, other);
    slice(record, cpu, CPU_INTERRUPT, 4 * US, 7 * US);
    span(record, cpu, "interrupt", 4 * US, 5 * US, other);
    span(record, cpu, "driver", 5 * US, 7 * US, other);
    work(record, cpu, CPU_INTERRUPT, "interrupt", 9 * US, 10 * US);
    slice(record, cpu, CPU_USER, 0, 14 * US);
    span(record, cpu, "MPI", 0, 4 * US, ours);
    span(record, cpu, "copy", 7 * US, 9 * US, ours);
    span(record, cpu, "copy", 10 * US, 14 * US, ours);
    expect_path(record, cpu, 0, 14 * US,
                "copy 4, interrupt 1, copy 2, driver 2, interrupt 1, MPI 4");
    // The interrupt itself was not caused by what it interrupted.
    expect_path(record, cpu, 0, 7 * US, "driver 2, interrupt 1, bus 3, waiting 1");
    record_free(record);
}

// A handler that is interrupted before it has done anything.
static void test_interrupted_at_once(void)
{
    struct record *record = record_new();
    struct trace *trace = &record->trace;
    trace_lane cpu = lane_called(trace, "node0", "cpu 0");
    work(record, cpu, CPU_USER, "RPI", 0, 2 * US);
    work(record, cpu, CPU_INTERRUPT, "interrupt", 2 * US, 5 * US);
    slice(record, cpu, CPU_USER, 2 * US, 6 * US);
    span(record, cpu, "MPI", 5 * US, 6 * US, ours);
    expect_path(record, cpu, 0, 6 * US, "MPI 1, interrupt 3, RPI 2");
    record_free(record);
}

// A packet's head leaves a cut-through switch while its tail is on the link before.
static void test_cut_through(void)
{
    struct record *record = record_new();
    struct trace *trace = &record->trace;
    trace_lane up = lane_called(trace, "network", "wire node0->switch");
    trace_lane down = lane_called(trace, "network", "wire switch->node1");
    span(record, up, "packet", 0, 100 * US, ours);
    trace_delay(trace, up, stage_called("switch", STAGE_SWITCH), 2 * US, 3 * US, ours);
    span(record, down, "packet", 3 * US, 103 * US, ours);
    expect_path(record, down, 0, 103 * US, "serialisation 100, switch 1, serialisation 2");
    record_free(record);
}

static void test_waiting(void)
{
    struct record *record = record_new();
    struct trace *trace = &record->trace;
    trace_lane cpu = lane_called(trace, "node0", "cpu 1");
    trace_lane far = lane_called(trace, "node1", "cpu 1");
    work(record, cpu, CPU_USER, "MPI", 0, 3 * US);
    work(record, far, CPU_USER, "MPI", 0, 8 * US);
    work(record, cpu, CPU_USER, "MPI", 9 * US, 10 * US);
    // Work at another host is no cause without a path from there.
    expect_path(record, cpu, 0, 10 * US, "MPI 1, waiting 6, MPI 3");
    trace_note(trace, cpu,
               &(struct trace_note){.kind = TRACE_BLOCKED,
                                    .wait = &credits,
                                    .where = "rank 0",
                                    .from = 3 * US,
                                    .to = 9 * US});
    expect_path(record, cpu, 0, 10 * US, "MPI 1, waiting for credit 6, MPI 3");
    trace_delay(trace, cpu, stage_called("poll", STAGE_WAKE_UP), 4 * US, 9 * US, MESSAGE_NONE);
    expect_path(record, cpu, 0, 10 * US,
                "MPI 1, poll 5 (waiting for credit), waiting for credit 1, MPI 3");
    record_free(record);
}

// A process sends, sleeps for a credit, which arrives over the bus, and sends again; meanwhile it
// has computed for a while.
static void test_held(void)
{
    struct record *record = record_new();
    struct trace *trace = &record->trace;
    trace_lane cpu = lane_called(trace, "node0", "cpu 1");
    trace_lane bus = lane_called(trace, "node0", "bus");
    work(record, cpu, CPU_USER, "MPI", 0, 2 * US);
    work(record, cpu, CPU_USER, "compute", 2 * US, 4 * US);
    span(record, bus, "receive", 4 * US, 9 * US, other);
    slice(record, cpu, CPU_USER, 9 * US, 12 * US);
    span(record, cpu, "MPI", 9 * US, 10 * US, other); // the credit is read
    span(record, cpu, "copy", 10 * US, 12 * US, ours);
    trace_note(trace, cpu,
               &(struct trace_note){.kind = TRACE_HELD,
                                    .wait = &credits,
                                    .where = "rank 0",
                                    .from = 1 * US,
                                    .to = 10 * US});
    expect_path(record, cpu, 0, 12 * US,
                "copy 2, MPI 1, bus 5 (waiting for credit), compute 2, MPI 1, MPI 1");
    // The interval begins in the wait, or has none of it.
    expect_path(record, cpu, 6 * US, 12 * US, "copy 2, MPI 1, bus 3 (waiting for credit)");
    expect_path(record, bus, 0, 9 * US, "bus 5, compute 2, MPI 2");
    record_free(record);
}

// Waiting for a message to arrive is no wait that holds one up.
static void test_not_held(void)
{
    struct record *record = record_new();
    trace_lane cpu = lane_called(&record->trace, "node0", "cpu 1");
    trace_lane bus = lane_called(&record->trace, "node0", "bus");
    span(record, bus, "receive", 0, 9 * US, ours);
    work(record, cpu, CPU_USER, "MPI", 9 * US, 10 * US);
    trace_note(&record->trace, cpu,
               &(struct trace_note){.kind = TRACE_BLOCKED,
                                    .wait = &no_credits,
                                    .where = "rank 0",
                                    .from = 0,
                                    .to = 9 * US});
    expect_path(record, cpu, 0, 10 * US, "MPI 1, bus 9");
    record_free(record);
}

static void test_nothing_is_known(void)
{
    struct record *record = record_new();
    trace_lane cpu = lane_called(&record->trace, "node0", "cpu 1");
    expect_path(record, cpu, 3 * US, 10 * US, "waiting 7");
    expect_path(record, cpu, 3 * US, 3 * US, "");
    record_free(record);
}

// Lanes of three hosts and a switch with pieces at random, also overlapping ones and ones that end
// at the same time: the parts still follow one another from end to start. The paths are those of
// the last time; a change of what is guessed moves the number, and may.
static void test_random_records(void)
{
    static const char *const lanes[][2] = {
        {"node0", "cpu 0"},
        {"node0", "cpu 1"},
        {"node0", "bus"},
        {"node1", "cpu 0"},
        {"node1", "NIC send"},
        {"network", "wire node0->switch"},
        {"network", "wire switch->node1"},
        {"switch", "port 1 to node1"},
    };
    GRand *random = g_rand_new_with_seed(7);
    paths = 0;
    for (int round = 0; round < 300; round++) {
        struct record *record = record_new();
        for (guint i = 0; i < G_N_ELEMENTS(lanes); i++)
            lane_called(&record->trace, lanes[i][0], lanes[i][1]);
        int pieces = g_rand_int_range(random, 0, 120);
        for (int i = 0; i < pieces; i++) {
            trace_lane lane = (trace_lane)g_rand_int_range(random, 1, G_N_ELEMENTS(lanes) + 1);
            sim_time from = g_rand_int_range(random, 0, 60);
            sim_time to = from + g_rand_int_range(random, 0, 20);
            struct message_ref message = {(uint32_t)g_rand_int_range(random, 0, 3),
                                          (uint32_t)g_rand_int_range(random, 0, 2)};
            if (lane <= 2 && g_rand_boolean(random))
                slice(record, lane, (enum cpu_class)g_rand_int_range(random, 0, CPU_CLASSES), from,
                      to);
            if (g_rand_int_range(random, 0, 4) == 0)
                trace_delay(&record->trace, lane, stage_called("delay", STAGE_LIBRARY), from, to,
                            message);
            else
                span(record, lane, "work", from, to, message);
            if (lane == 6 || lane == 7) {
                static const enum trace_note_kind kinds[] = {TRACE_PACKET, TRACE_PACKET,
                                                             TRACE_ASKED, TRACE_STALL};
                sim_time start = g_rand_int_range(random, 0, 60);
                trace_note(&record->trace, lane,
                           &(struct trace_note){
                               .kind = kinds[g_rand_int_range(random, 0, 4)],
                               .name = g_rand_boolean(random) ? "node0" : "node1",
                               .from = start - g_rand_int_range(random, 0, 10),
                               .to = start,
                           });
            }
            if (g_rand_int_range(random, 0, 6) == 0)
                trace_note(&record->trace, lane,
                           &(struct trace_note){.kind = TRACE_HELD,
                                                .wait = &window,
                                                .where = "rank 0",
                                                .from = from - 10,
                                                .to = to});
        }
        trace_lane last = (trace_lane)g_rand_int_range(random, 1, G_N_ELEMENTS(lanes) + 1);
        expect_path(record, last, g_rand_int_range(random, 0, 40), 40 + round % 50, NULL);
        record_free(record);
    }
    g_rand_free(random);
    SUITE_SAME_INTEGER(paths, 2327137705);
}

static const struct suite_case cases[] = {
    {"a message's way over two links, behind another's packet", test_one_way},
    {"what interrupts a handler delays it and does not cause it", test_interrupted},
    {"a handler that is interrupted before it has begun", test_interrupted_at_once},
    {"cut-through: the path leaves a packet in its midst", test_cut_through},
    {"what nothing explains is waiting, with what for", test_waiting},
    {"what holds a message up is named, and what it is made of", test_held},
    {"waiting for a message does not hold it up", test_not_held},
    {"an empty record", test_nothing_is_known},
    {"random records: the parts fill the interval", test_random_records},
    {0},
};

int main(void)
{
    return suite_run("explain: path", cases);
}
