// SPDX-License-Identifier: GPL-3.0-or-later
// Utilisation and queues, counted by hand.
#include "sim/explain/load.h"
#include "sim/host/processor.h"

#include "tests/support/lane_called.h"
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"

#include <string.h>

#define US TIME_US

static const struct resource_load *find(const GArray *loads, const char *name)
{
    for (guint i = 0; i < loads->len; i++) {
        const struct resource_load *load = &g_array_index(loads, struct resource_load, i);
        char *full = load_name(load);
        bool same = strcmp(full, name) == 0;
        g_free(full);
        if (same)
            return load;
    }
    return NULL;
}

static void note(struct record *record, trace_lane lane, enum trace_note_kind kind, sim_time from,
                 sim_time to)
{
    trace_note(&record->trace, lane, &(struct trace_note){.kind = kind, .from = from, .to = to});
}

static void slice(struct record *record, trace_lane lane, enum cpu_class class, sim_time from,
                  sim_time to)
{
    trace_note(
        &record->trace, lane,
        &(struct trace_note){.kind = TRACE_SLICE, .class = (int)class, .from = from, .to = to});
}

static GArray *loads_between(const struct record *record, sim_time from, sim_time to)
{
    GArray *times = load_time_new();
    load_time_add(times, from, to);
    GArray *loads = load_measure(record, times, NULL);
    g_array_unref(times);
    return loads;
}

static void test_loads(void)
{
    struct record *record = record_new();
    struct trace *trace = &record->trace;
    trace_lane cpu = lane_called(trace, "node0", "cpu 0");
    trace_lane bus = lane_called(trace, "node0", "bus");
    trace_lane wire = lane_called(trace, "network", "wire node0->switch");
    trace_lane idle = lane_called(trace, "node1", "bus");
    slice(record, cpu, CPU_INTERRUPT, 5 * US, 7 * US);
    trace_span(trace, cpu, stage_called("driver", STAGE_KERNEL), 5 * US, 7 * US, MESSAGE_NONE);
    slice(record, cpu, CPU_USER, 0, 12 * US);
    trace_span(trace, cpu, stage_called("copy", STAGE_COPY), 0, 5 * US, MESSAGE_NONE);
    trace_span(trace, cpu, stage_called("copy", STAGE_COPY), 7 * US, 12 * US, MESSAGE_NONE);
    trace_span(trace, bus, stage_called("send", STAGE_BUS), 8 * US, 14 * US,
               MESSAGE_NONE); // half of it counts
    note(record, bus, TRACE_LOAD, 1 * US, 2 * US);
    trace_span(trace, wire, stage_called("packet", STAGE_WIRE), 2 * US, 11 * US, MESSAGE_NONE);
    note(record, wire, TRACE_GAP, 11 * US, 12 * US);
    trace_delay(trace, wire, stage_called("propagation", STAGE_PROPAGATION), 11 * US, 12 * US,
                MESSAGE_NONE); // nothing is busy
    // One waits over 1..5, another over 3..4 and joins as a third leaves.
    trace_queued(trace, wire, 1 * US, 5 * US);
    trace_queued(trace, wire, 3 * US, 4 * US);
    trace_queued(trace, wire, 4 * US, 6 * US);
    trace_queued(trace, idle, 20 * US, 30 * US); // after the interval
    record_settle(record);
    GArray *loads = loads_between(record, 1 * US, 11 * US);
    CU_ASSERT_EQUAL(loads->len, 3);
    const struct resource_load *load = find(loads, "node0 cpu 0");
    CU_ASSERT_PTR_NOT_NULL_FATAL(load);
    CU_ASSERT_DOUBLE_EQUAL(load->busy, 1.0, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(load->by_class[0], 0.2, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(load->by_class[2], 0.8, 1e-12);
    SUITE_SAME_TEXT(load->largest, "copy");
    load = find(loads, "node0 bus");
    CU_ASSERT_PTR_NOT_NULL_FATAL(load);
    CU_ASSERT_DOUBLE_EQUAL(load->busy, (3 + 1) / 10.0, 1e-12);
    load = find(loads, "link node0->switch");
    CU_ASSERT_PTR_NOT_NULL_FATAL(load);
    CU_ASSERT_DOUBLE_EQUAL(load->busy, 0.9, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(load->mean_queue, (4 + 1 + 2) / 10.0, 1e-12);
    SUITE_SAME_INTEGER(load->longest_queue, 2);
    SUITE_SAME_INTEGER(load->busy_time, 9 * US);
    SUITE_SAME_TEXT(load->ends[0], "node0");
    SUITE_SAME_TEXT(load->ends[1], "switch");
    g_array_unref(loads);
    record_free(record);
}

// The busiest first; equal ones by their names; ports, which are queues of links, and idle
// resources are left out.
static void test_order(void)
{
    static const char *const lanes[][2] = {{"b", "bus"}, {"a", "cpu"},         {"a", "bus"},
                                           {"c", "bus"}, {"s", "port 1 to a"}, {"d", "bus"}};
    struct record *record = record_new();
    for (size_t i = 0; i < G_N_ELEMENTS(lanes); i++) {
        trace_lane lane = lane_called(&record->trace, lanes[i][0], lanes[i][1]);
        if (i < 5)
            trace_span(&record->trace, lane, stage_called("x", STAGE_LIBRARY), 0,
                       i == 3 ? 6 * US : 5 * US, MESSAGE_NONE);
    }
    record_settle(record);
    GArray *loads = loads_between(record, 0, 10 * US);
    GString *names = g_string_new(NULL);
    for (guint i = 0; i < loads->len; i++) {
        char *name = load_name(&g_array_index(loads, struct resource_load, i));
        g_string_append_printf(names, "%s; ", name);
        g_free(name);
    }
    SUITE_SAME_TEXT(names->str, "c bus; a bus; a cpu; b bus; ");
    g_string_free(names, TRUE);
    g_array_unref(loads);
    record_free(record);
}

// An engine or a memory of a card whose records are all loads that delayed nothing has a
// utilisation; a lane with a queue only, or with latencies, has none.
static void test_loads_alone(void)
{
    struct record *record = record_new();
    struct trace *trace = &record->trace;
    trace_lane memory = lane_called(trace, "node0", "NIC SRAM");
    trace_lane queue = lane_called(trace, "node0", "NIC send");
    note(record, memory, TRACE_LOAD, 2 * US, 5 * US);
    trace_queued(trace, queue, 0, 5 * US);
    trace_delay(trace, queue, stage_called("NIC", STAGE_NIC), 5 * US, 6 * US, MESSAGE_NONE);
    record_settle(record);
    GArray *loads = loads_between(record, 0, 10 * US);
    const struct resource_load *load = find(loads, "node0 NIC SRAM");
    CU_ASSERT_PTR_NOT_NULL_FATAL(load);
    CU_ASSERT(load->works);
    SUITE_SAME_INTEGER(load->busy_time, 3 * US);
    load = find(loads, "node0 NIC send");
    CU_ASSERT_PTR_NOT_NULL_FATAL(load);
    CU_ASSERT_FALSE(load->works);
    g_array_unref(loads);
    record_free(record);
}

static const struct suite_case cases[] = {
    {"busy time by class, loads in the background, queues", test_loads},
    {"loads alone", test_loads_alone},
    {"the order of resources", test_order},
    {0},
};

int main(void)
{
    return suite_run("explain: load", cases);
}
