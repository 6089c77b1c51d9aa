// SPDX-License-Identifier: GPL-3.0-or-later
// Utilisation and queues, counted by hand.
#include "sim/explain/load.h"

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

static void note(struct record *record, trace_lane lane, enum trace_note_kind kind,
                 const char *name, sim_time from, sim_time to)
{
    trace_note(&record->trace, lane,
               &(struct trace_note){.kind = kind, .name = name, .from = from, .to = to});
}

static void test_loads(void)
{
    struct record *record = record_new();
    struct trace *trace = &record->trace;
    trace_lane cpu = trace_lane_new(trace, "node0", "cpu 0");
    trace_lane bus = trace_lane_new(trace, "node0", "bus");
    trace_lane wire = trace_lane_new(trace, "network", "wire node0->switch");
    trace_lane idle = trace_lane_new(trace, "node1", "bus");
    note(record, cpu, TRACE_SLICE, "interrupt", 5 * US, 7 * US);
    trace_span(trace, cpu, "driver", 5 * US, 7 * US, MESSAGE_NONE);
    note(record, cpu, TRACE_SLICE, "user", 0, 12 * US);
    trace_span(trace, cpu, "copy", 0, 5 * US, MESSAGE_NONE);
    trace_span(trace, cpu, "copy", 7 * US, 12 * US, MESSAGE_NONE);
    trace_span(trace, bus, "send", 8 * US, 14 * US, MESSAGE_NONE); // half of it counts
    note(record, bus, TRACE_LOAD, NULL, 1 * US, 2 * US);
    trace_span(trace, wire, "packet", 2 * US, 11 * US, MESSAGE_NONE);
    note(record, wire, TRACE_GAP, NULL, 11 * US, 12 * US);
    trace_delay(trace, wire, "propagation", 11 * US, 12 * US, MESSAGE_NONE); // nothing is busy
    // One waits over 1..5, another over 3..4 and joins as a third leaves.
    trace_queued(trace, wire, 1 * US, 5 * US);
    trace_queued(trace, wire, 3 * US, 4 * US);
    trace_queued(trace, wire, 4 * US, 6 * US);
    trace_queued(trace, idle, 20 * US, 30 * US); // behind the interval
    record_settle(record);
    GArray *loads = load_measure(record, 1 * US, 11 * US, NULL);
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
    char *text = load_bound_text(loads);
    SUITE_CONTAINS(text, "bound by node0 cpu 0, busy 100.0 % of the time");
    SUITE_CONTAINS(text, "\"copy\"");
    g_free(text);
    g_array_unref(loads);
    record_free(record);
}

// At the bound and just below it.
static void test_bound(void)
{
    for (int busy = 94; busy <= 96; busy++) {
        struct record *record = record_new();
        trace_lane wire = trace_lane_new(&record->trace, "network", "wire a->b#2");
        trace_span(&record->trace, wire, "packet", 0, busy * US, MESSAGE_NONE);
        record_settle(record);
        GArray *loads = load_measure(record, 0, 100 * US, NULL);
        char *text = load_bound_text(loads);
        CU_ASSERT_EQUAL(text != NULL, busy >= 95);
        if (text)
            SUITE_CONTAINS(text, "bound by link a->b#2, busy 9");
        g_free(text);
        g_array_unref(loads);
        record_free(record);
    }
}

// A PingPong: each link is busy half of the time, and the way is always on one of them.
static void test_bound_by_kind(void)
{
    for (int way = 94; way <= 96; way++) {
        struct record *record = record_new();
        trace_lane forth = trace_lane_new(&record->trace, "network", "wire a->b");
        trace_lane back = trace_lane_new(&record->trace, "network", "wire b->a");
        trace_lane bus = trace_lane_new(&record->trace, "node0", "bus");
        trace_span(&record->trace, forth, "packet", 0, 50 * US, MESSAGE_NONE);
        trace_span(&record->trace, back, "packet", 50 * US, 100 * US, MESSAGE_NONE);
        trace_span(&record->trace, bus, "send", 0, 90 * US, MESSAGE_NONE);
        record_settle(record);
        const sim_time ways[] = {50 * US, (way - 50) * US, (100 - way) * US};
        GArray *loads = load_measure(record, 0, 100 * US, ways);
        char *text = load_bound_text(loads);
        CU_ASSERT_EQUAL(text != NULL, way >= 95);
        if (text) {
            SUITE_CONTAINS(text, "bound by the wire, on which the way is for 9");
            // Steps follow one another; a faster link is not all that makes that faster.
            SUITE_CONTAINS(text, "though none is busy for more than 50.0 %");
            SUITE_CONTAINS(text, "fewer steps that wait for one another");
            CU_ASSERT_PTR_NULL(strstr(text, "only"));
        }
        const struct resource_load *load = find(loads, "link a->b");
        CU_ASSERT_PTR_NOT_NULL_FATAL(load);
        CU_ASSERT_DOUBLE_EQUAL(load->way, 0.5, 1e-12);
        g_free(text);
        g_array_unref(loads);
        record_free(record);
    }
}

// What would help against a resource that is always busy, and against several of a kind that take
// turns; of what is not known, the latter is not said.
static void test_advice(void)
{
    static const struct {
        const char *lane;
        bool processor;
        const char *one, *two;
    } samples[] = {
        {"cpu 1", true,
         "bound by node0 cpu 1, busy 100.0 % of the time: most of its time goes to \"copy\"; what "
         "can help: a faster processor (host.processor.clock), another core, less of that work",
         "bound by the processor, on which the way is for 97.0 % of the time, though none is busy "
         "for more than 90.0 %: most of its time goes to \"copy\"; what can help: a faster "
         "processor (host.processor.clock), another core, less of that work, fewer steps that wait "
         "for one another"},
        {"LANai", true,
         "bound by node0 LANai, busy 100.0 % of the time: most of its time goes to \"copy\"; what "
         "can help: a faster clock of the card, less of that work",
         "bound by the card's processor, on which the way is for 97.0 % of the time, though none "
         "is busy for more than 90.0 %: most of its time goes to \"copy\"; what can help: a faster "
         "clock of the card, less of that work, fewer steps that wait for one another"},
        {"bus", false,
         "bound by node0 bus, busy 100.0 % of the time: what can help: a wider bus "
         "(host.bus.rate), longer bursts (host.bus.read_burst, write_burst)",
         "bound by the bus, on which the way is for 97.0 % of the time, though none is busy for "
         "more than 90.0 %: what can help: a wider bus (host.bus.rate), longer bursts "
         "(host.bus.read_burst, write_burst), fewer steps that wait for one another"},
        {"wire a->b", false,
         "bound by link a->b, busy 100.0 % of the time: what can help: a faster link "
         "(links[].rate), a second one beside it, fewer bytes on it",
         "bound by the wire, on which the way is for 97.0 % of the time, though none is busy for "
         "more than 90.0 %: what can help: a faster link (links[].rate), a second one beside it, "
         "fewer bytes on it, fewer steps that wait for one another"},
        {"pool", false,
         "bound by node0 pool, busy 100.0 % of the time: what can help: a faster one", NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        struct record *record = record_new();
        trace_lane lanes[2];
        sim_time ways[2] = {60 * US, 37 * US};
        for (int k = 0; k < 2; k++) {
            sim_time middle = k ? 60 * US : 50 * US;
            lanes[k] = trace_lane_new(&record->trace, k ? "node1" : "node0", samples[i].lane);
            if (samples[i].processor)
                note(record, lanes[k], TRACE_SLICE, "user", 0, 100 * US);
            trace_span(&record->trace, lanes[k], "MPI", 10 * US, middle, MESSAGE_NONE);
            trace_span(&record->trace, lanes[k], "copy", middle, 100 * US, MESSAGE_NONE);
        }
        record_settle(record);
        for (int two = 0; two <= 1; two++) {
            GArray *loads = load_measure(record, two ? 0 : 10 * US, 100 * US, ways);
            char *text = load_bound_text(loads);
            SUITE_SAME_TEXT(text, two ? samples[i].two : samples[i].one);
            g_free(text);
            g_array_unref(loads);
        }
        record_free(record);
    }
}

// The busiest first; equal ones by their names; ports, which are queues of links, are left out, and
// so is what was idle.
static void test_order(void)
{
    static const char *const lanes[][2] = {{"b", "bus"}, {"a", "cpu"},         {"a", "bus"},
                                           {"c", "bus"}, {"s", "port 1 to a"}, {"d", "bus"}};
    struct record *record = record_new();
    for (size_t i = 0; i < G_N_ELEMENTS(lanes); i++) {
        trace_lane lane = trace_lane_new(&record->trace, lanes[i][0], lanes[i][1]);
        if (i < 5)
            trace_span(&record->trace, lane, "x", 0, i == 3 ? 6 * US : 5 * US, MESSAGE_NONE);
    }
    record_settle(record);
    GArray *loads = load_measure(record, 0, 10 * US, NULL);
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
    GArray *none = g_array_new(FALSE, FALSE, sizeof(struct resource_load));
    CU_ASSERT_PTR_NULL(load_bound_text(none));
    g_array_unref(none);
}

static const struct suite_case cases[] = {
    {"busy time by class, loads in the background, queues", test_loads},
    {"bound by a resource from 95 % on", test_bound},
    {"bound by resources that take turns", test_bound_by_kind},
    {"what can help", test_advice},
    {"the order of resources", test_order},
    {0},
};

int main(void)
{
    return suite_run("explain: load", cases);
}
