// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline: valid JSON, slices of a thread that never overlap, arrows that start once, go
// forward in time and stand on slices.
#include "tests/output/sample.h"
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

// A timeline that is being written to a file of its own.
struct drawing {
    char *directory, *path;
    struct recorder *timeline;
    struct trace *trace;
};

static struct drawing drawing_start(void)
{
    struct drawing drawing = {.directory = sample_directory()};
    GError *error = NULL;
    drawing.path = g_build_filename(drawing.directory, "timeline.json", NULL);
    drawing.timeline = sample_recorder(&timeline_kind, drawing.path, &error);
    drawing.trace = &drawing.timeline->trace;
    return drawing;
}

// Ends it and returns the list of events.
static json_t *drawing_end(struct drawing *drawing)
{
    GError *error = NULL;
    CU_ASSERT(recorder_close(drawing->timeline, &error));
    json_error_t problem;
    json_t *document = json_load_file(drawing->path, JSON_REJECT_DUPLICATES, &problem);
    CU_ASSERT_PTR_NOT_NULL(document);
    json_t *events = json_incref(json_object_get(document, "traceEvents"));
    json_decref(document);
    g_free(drawing->path);
    sample_remove(drawing->directory);
    return events;
}

static const char *phase_of(json_t *event)
{
    return json_string_value(json_object_get(event, "ph"));
}

static double number(json_t *event, const char *key)
{
    return json_number_value(json_object_get(event, key));
}

static bool same_thread(json_t *a, json_t *b)
{
    return number(a, "pid") == number(b, "pid") && number(a, "tid") == number(b, "tid");
}

// Picoseconds, exact again from the text.
static int64_t picoseconds(double microseconds)
{
    return llround(microseconds * 1e6);
}

static int count_phase(json_t *events, const char *phase)
{
    int count = 0;
    size_t index;
    json_t *event;
    json_array_foreach(events, index, event)
    {
        count += strcmp(phase_of(event), phase) == 0;
    }
    return count;
}

// ---- What must hold for every timeline ----

static void check_no_overlap(json_t *events)
{
    size_t i, j;
    json_t *a, *b;
    json_array_foreach(events, i, a)
    {
        if (strcmp(phase_of(a), "X") != 0)
            continue;
        int64_t from = picoseconds(number(a, "ts")), to = from + picoseconds(number(a, "dur"));
        json_array_foreach(events, j, b)
        {
            if (j <= i || strcmp(phase_of(b), "X") != 0 || !same_thread(a, b))
                continue;
            int64_t start = picoseconds(number(b, "ts"));
            int64_t end = start + picoseconds(number(b, "dur"));
            CU_ASSERT(start >= to || end <= from);
        }
    }
}

static bool stands_on_slice(json_t *events, json_t *flow)
{
    int64_t when = picoseconds(number(flow, "ts"));
    size_t index;
    json_t *event;
    json_array_foreach(events, index, event)
    {
        if (strcmp(phase_of(event), "X") != 0 || !same_thread(event, flow))
            continue;
        int64_t from = picoseconds(number(event, "ts"));
        if (from <= when && when <= from + picoseconds(number(event, "dur")))
            return true;
    }
    return false;
}

static bool is_flow(json_t *event)
{
    const char *phase = phase_of(event);
    return strcmp(phase, "s") == 0 || strcmp(phase, "t") == 0 || strcmp(phase, "f") == 0;
}

static void check_arrows(json_t *events)
{
    size_t i, j;
    json_t *event, *other;
    json_array_foreach(events, i, event)
    {
        if (!is_flow(event))
            continue;
        CU_ASSERT(stands_on_slice(events, event));
        SUITE_SAME_TEXT(json_string_value(json_object_get(event, "bp")), "e");
        int starts = 0, ends = 0;
        json_array_foreach(events, j, other)
        {
            if (!is_flow(other) || number(other, "id") != number(event, "id"))
                continue;
            bool start = strcmp(phase_of(other), "s") == 0;
            bool end = strcmp(phase_of(other), "f") == 0;
            starts += start;
            ends += end;
            if (start)
                CU_ASSERT(number(other, "ts") <= number(event, "ts"));
            if (end)
                CU_ASSERT(number(other, "ts") >= number(event, "ts"));
        }
        SUITE_SAME_INTEGER(starts, 1);
        CU_ASSERT(ends <= 1);
    }
}

static void check_threads_are_named(json_t *events)
{
    size_t i, j;
    json_t *event, *other;
    json_array_foreach(events, i, event)
    {
        if (strcmp(phase_of(event), "M") == 0)
            continue;
        int names = 0;
        json_array_foreach(events, j, other)
        {
            const char *what = json_string_value(json_object_get(other, "name"));
            names += strcmp(phase_of(other), "M") == 0 && same_thread(event, other) &&
                     strcmp(what, "thread_name") == 0;
        }
        SUITE_SAME_INTEGER(names, 1);
    }
}

static void check(json_t *events)
{
    check_no_overlap(events);
    check_arrows(events);
    check_threads_are_named(events);
}

// ---- Cases ----

static void test_one_message(void)
{
    struct drawing drawing = drawing_start();
    struct message_ref message = {4, 1};
    recorder_begin(drawing.timeline, 0, "VIA RPI");
    trace_lane cpu = trace_lane_new(drawing.trace, "node0", "cpu 0");
    trace_lane wire = trace_lane_new(drawing.trace, "network", "node0->switch");
    trace_lane far = trace_lane_new(drawing.trace, "node1", "cpu 0");
    CU_ASSERT_EQUAL(trace_lane_new(drawing.trace, "node0", "cpu 0"), cpu);
    // The program's span is known only when it ends; its arrow starts before that.
    trace_flow(drawing.trace, cpu, message, TRACE_FLOW_START, 2 * TIME_US);
    trace_span(drawing.trace, cpu, stage_called("send", STAGE_BUS), TIME_US, 3 * TIME_US,
               MESSAGE_NONE);
    trace_span(drawing.trace, wire, stage_called("frame", STAGE_LIBRARY), 3 * TIME_US, 123456789,
               message);
    trace_flow(drawing.trace, wire, message, TRACE_FLOW_STEP, 3 * TIME_US);
    trace_span(drawing.trace, far, stage_called("receive", STAGE_LIBRARY), 123456789, 200 * TIME_US,
               MESSAGE_NONE);
    trace_flow(drawing.trace, far, message, TRACE_FLOW_END, 200 * TIME_US);
    json_t *events = drawing_end(&drawing);
    check(events);
    SUITE_SAME_INTEGER(count_phase(events, "X"), 3);
    SUITE_SAME_INTEGER(count_phase(events, "s"), 1);
    SUITE_SAME_INTEGER(count_phase(events, "t"), 1);
    SUITE_SAME_INTEGER(count_phase(events, "f"), 1);
    char *text = json_dumps(events, JSON_REAL_PRECISION(15));
    SUITE_CONTAINS(text, "\"dur\": 120.456789"); // to the picosecond
    SUITE_CONTAINS(text, "VIA RPI: node0");
    free(text);
    json_decref(events);
}

static void test_overlapping_spans(void)
{
    struct drawing drawing = drawing_start();
    trace_lane bus = trace_lane_new(drawing.trace, "node0", "bus");
    for (int i = 0; i < 20; i++) // each overlaps the two before it
        trace_span(drawing.trace, bus, stage_called("dma", STAGE_BUS), i * TIME_US,
                   (i + 3) * TIME_US - 1, (struct message_ref){(uint32_t)i, 1});
    trace_span(drawing.trace, bus, stage_called("late news", STAGE_LIBRARY), TIME_US, 2 * TIME_US,
               MESSAGE_NONE);
    trace_span(drawing.trace, bus, stage_called("instant", STAGE_LIBRARY), 50 * TIME_US,
               50 * TIME_US, MESSAGE_NONE);
    json_t *events = drawing_end(&drawing);
    check(events);
    SUITE_SAME_INTEGER(count_phase(events, "X"), 22);
    char *text = json_dumps(events, 0);
    SUITE_CONTAINS(text, "\"bus (4)\"");
    CU_ASSERT_PTR_NULL(strstr(text, "\"bus (5)\""));
    free(text);
    json_decref(events);
}

// An arrow's end that no slice ever covers gets one of its own; so do ends beyond what a lane
// keeps.
static void test_arrows_without_slices(void)
{
    struct drawing drawing = drawing_start();
    trace_lane lane = trace_lane_new(drawing.trace, "node0", "rank 0");
    for (uint32_t i = 0; i < 1000; i++) {
        struct message_ref message = {i, 1};
        trace_flow(drawing.trace, lane, message, TRACE_FLOW_START, i * TIME_US);
        trace_flow(drawing.trace, lane, message, TRACE_FLOW_END, (i + 5) * TIME_US);
    }
    json_t *events = drawing_end(&drawing);
    SUITE_SAME_INTEGER(count_phase(events, "s"), 1000);
    SUITE_SAME_INTEGER(count_phase(events, "f"), 1000);
    SUITE_SAME_INTEGER(count_phase(events, "X"), 2000);
    check_no_overlap(events);
    json_decref(events);
}

// Whatever is called: one start, no step without a start, nothing after the end, a slot that is
// used again is a new message.
static void test_arrow_phases(void)
{
    struct drawing drawing = drawing_start();
    struct message_ref message = {0, 1}, next = {0, 2};
    trace_lane lane = trace_lane_new(drawing.trace, "node0", "cpu");
    trace_span(drawing.trace, lane, stage_called("work", STAGE_LIBRARY), 0, 100 * TIME_US,
               MESSAGE_NONE);
    trace_flow(drawing.trace, lane, message, TRACE_FLOW_STEP, TIME_US);
    trace_flow(drawing.trace, lane, message, TRACE_FLOW_START, 2 * TIME_US);
    trace_flow(drawing.trace, lane, message, TRACE_FLOW_START, 3 * TIME_US);
    trace_flow(drawing.trace, lane, message, TRACE_FLOW_END, 4 * TIME_US);
    trace_flow(drawing.trace, lane, message, TRACE_FLOW_END, 5 * TIME_US);
    trace_flow(drawing.trace, lane, next, TRACE_FLOW_START, 6 * TIME_US);
    trace_flow(drawing.trace, lane, MESSAGE_NONE, TRACE_FLOW_START, 7 * TIME_US);
    trace_flow(drawing.trace, 0, next, TRACE_FLOW_END, 8 * TIME_US);
    trace_flow(drawing.trace, 99, next, TRACE_FLOW_END, 9 * TIME_US);
    json_t *events = drawing_end(&drawing);
    check(events);
    SUITE_SAME_INTEGER(count_phase(events, "s"), 2);
    SUITE_SAME_INTEGER(count_phase(events, "t"), 1);
    json_decref(events);
}

static void test_transitions(void)
{
    struct drawing drawing = drawing_start();
    trace_lane lane = trace_lane_new(drawing.trace, "node0", "cpu");
    struct trace_transition step = {"rank 0", "request", 3, NULL, "built", NULL, NULL};
    trace_transition(drawing.trace, lane, TIME_US, &step);
    step =
        (struct trace_transition){"rank 1", "vi", 1, "idle", "broken", "no \"descriptor\"", NULL};
    trace_transition(drawing.trace, 0, 2 * TIME_US, &step);
    json_t *events = drawing_end(&drawing);
    check(events);
    SUITE_SAME_INTEGER(count_phase(events, "i"), 2);
    char *text = json_dumps(events, 0);
    SUITE_CONTAINS(text, "\"request 3: built\"");
    SUITE_CONTAINS(text, "\"detail\": \"no \\\"descriptor\\\"\"");
    SUITE_CONTAINS(text, "\"name\": \"rank 1\""); // a transition without a lane gets one by its
                                                  // place
    free(text);
    json_decref(events);
}

// Two series with the same groups and messages share nothing.
static void test_series_are_apart(void)
{
    struct drawing drawing = drawing_start();
    static const char *const names[] = {"first", "second"};
    for (int i = 0; i < 2; i++) {
        recorder_begin(drawing.timeline, 0, names[i]);
        trace_lane lane = trace_lane_new(drawing.trace, "node0", "cpu");
        trace_span(drawing.trace, lane, stage_called("work", STAGE_LIBRARY), 0, TIME_US,
                   MESSAGE_NONE);
        trace_flow(drawing.trace, lane, (struct message_ref){0, 1}, TRACE_FLOW_START, TIME_NS);
    }
    json_t *events = drawing_end(&drawing);
    check(events);
    SUITE_SAME_INTEGER(count_phase(events, "s"), 2);
    char *text = json_dumps(events, 0);
    SUITE_CONTAINS(text, "first: node0");
    SUITE_CONTAINS(text, "second: node0");
    free(text);
    json_decref(events);
}

// The arguments of the slices of a message that was opened.
#define OPENED "'args':{'message':5,'message bytes':64,'source rank':0,'destination rank':1}"

// All of a file, to the letter (but for the quotes): series, lanes, rows, slices, arrows, instants.
static void test_text(void)
{
    static const char expected[] =
        "{'displayTimeUnit':'ns','traceEvents':[\n"
        "{'ph':'M','name':'process_name','pid':1,'tid':0,'args':{'name':'node0'}},\n"
        "{'ph':'M','name':'process_sort_index','pid':1,'tid':0,'args':{'sort_index':1}},\n"
        "{'ph':'M','name':'thread_name','pid':1,'tid':1,'args':{'name':'bus'}},\n"
        "{'ph':'M','name':'thread_sort_index','pid':1,'tid':1,'args':{'sort_index':1}},\n"
        "{'ph':'M','name':'thread_name','pid':1,'tid':2,'args':{'name':'cpu'}},\n"
        "{'ph':'M','name':'thread_sort_index','pid':1,'tid':2,'args':{'sort_index':1001}},\n"
        "{'ph':'M','name':'process_name','pid':2,'tid':0,'args':{'name':'network'}},\n"
        "{'ph':'M','name':'process_sort_index','pid':2,'tid':0,'args':{'sort_index':2}},\n"
        "{'ph':'M','name':'thread_name','pid':2,'tid':3,'args':{'name':'wire'}},\n"
        "{'ph':'M','name':'thread_sort_index','pid':2,'tid':3,'args':{'sort_index':2001}},\n"
        "{'ph':'X','name':'dma','pid':1,'tid':1,'ts':0.0,'dur':3.0," OPENED "},\n"
        "{'ph':'s','bp':'e','name':'message','cat':'message','pid':1,'tid':1,'ts':0.0,'id':1},\n"
        "{'ph':'M','name':'thread_name','pid':1,'tid':4,'args':{'name':'bus (2)'}},\n"
        "{'ph':'M','name':'thread_sort_index','pid':1,'tid':4,'args':{'sort_index':2}},\n"
        "{'ph':'X','name':'dma','pid':1,'tid':4,'ts':2.0,'dur':2.0},\n"
        "{'ph':'s','bp':'e','name':'message','cat':'message','pid':1,'tid':4,'ts':2.0,'id':2},\n"
        "{'ph':'X','name':'touches','pid':1,'tid':1,'ts':3.0,'dur':0.0},\n"
        "{'ph':'X','name':'work','pid':1,'tid':2,'ts':6.0,'dur':0.0},\n"
        "{'ph':'f','bp':'e','name':'message','cat':'message','pid':1,'tid':2,'ts':6.0,'id':2},\n"
        "{'ph':'X','name':'packet','pid':2,'tid':3,'ts':8.0,'dur':1.0," OPENED "},\n"
        "{'ph':'f','bp':'e','name':'message','cat':'message','pid':2,'tid':3,'ts':8.999,'id':1},\n"
        "{'ph':'i','s':'t','name':'vi -1: "
        "open','pid':2,'tid':3,'ts':1000000000.000001,'args':{'where':'rank "
        "0','machine':'vi','subject':-1,'to':'open','from':'idle','detail':'x'}},\n"
        "{'ph':'M','name':'thread_name','pid':1,'tid':5,'args':{'name':'cpu (2)'}},\n"
        "{'ph':'M','name':'thread_sort_index','pid':1,'tid':5,'args':{'sort_index':1002}},\n"
        "{'ph':'X','name':'message','pid':1,'tid':5,'ts':5.0,'dur':0.001," OPENED "},"
        "\n"
        "{'ph':'t','bp':'e','name':'message','cat':'message','pid':1,'tid':5,'ts':5.0,'id':1},\n"
        "{'ph':'M','name':'process_name','pid':3,'tid':0,'args':{'name':'second: node0'}},\n"
        "{'ph':'M','name':'process_sort_index','pid':3,'tid':0,'args':{'sort_index':3}},\n"
        "{'ph':'M','name':'thread_name','pid':3,'tid':6,'args':{'name':'cpu'}},\n"
        "{'ph':'M','name':'thread_sort_index','pid':3,'tid':6,'args':{'sort_index':1}},\n"
        "{'ph':'X','name':'work','pid':3,'tid':6,'ts':1.0,'dur':1.0},\n"
        "{'ph':'s','bp':'e','name':'message','cat':'message','pid':3,'tid':6,'ts':1.0,'id':3},\n"
        "{'ph':'M','name':'process_name','pid':4,'tid':0,'args':{'name':'second: rank 1'}},\n"
        "{'ph':'M','name':'process_sort_index','pid':4,'tid':0,'args':{'sort_index':4}},\n"
        "{'ph':'M','name':'thread_name','pid':4,'tid':7,'args':{'name':'vi'}},\n"
        "{'ph':'M','name':'thread_sort_index','pid':4,'tid':7,'args':{'sort_index':1001}},\n"
        "{'ph':'i','s':'t','name':'vi 2: built','pid':4,'tid':7,'ts':0.0,'args':{'where':'rank "
        "1','machine':'vi','subject':2,'to':'built'}}\n"
        "]}\n";
    char *directory = sample_directory(), *path = g_build_filename(directory, "t.json", NULL);
    struct message_ref first = {7, 2}, second = {8, 1};
    struct recorder *timeline = sample_recorder(&timeline_kind, path, NULL);
    struct trace *trace = &timeline->trace;
    trace_lane bus = trace_lane_new(trace, "node0", "bus");
    trace_lane cpu = trace_lane_new(trace, "node0", "cpu");
    trace_lane wire = trace_lane_new(trace, "network", "wire");
    trace_open(trace, first, &(struct trace_message){5, 0, 1, 64});
    trace_span(trace, bus, stage_called("dma", STAGE_BUS), 0, 3 * TIME_US, first);
    trace_flow(trace, bus, first, TRACE_FLOW_START, 0);
    trace_flow(trace, bus, second, TRACE_FLOW_START, 2 * TIME_US); // another message's: a row more
    trace_span(trace, bus, stage_called("dma", STAGE_BUS), 2 * TIME_US, 4 * TIME_US, second);
    trace_span(trace, bus, stage_called("touches", STAGE_LIBRARY), 3 * TIME_US, 3 * TIME_US,
               MESSAGE_NONE);
    trace_flow(trace, cpu, first, TRACE_FLOW_STEP, 5 * TIME_US); // never on a slice
    trace_span(trace, cpu, stage_called("work", STAGE_LIBRARY), 6 * TIME_US, 5 * TIME_US,
               MESSAGE_NONE);
    trace_flow(trace, cpu, second, TRACE_FLOW_END, 6 * TIME_US);
    trace_flow(trace, wire, first, TRACE_FLOW_END, 9 * TIME_US);
    trace_span(trace, wire, stage_called("packet", STAGE_WIRE), 8 * TIME_US, 9 * TIME_US, first);
    trace_flow(trace, wire, first, TRACE_FLOW_END, 9 * TIME_US); // over: no arrow
    trace_transition(trace, wire, 1000 * TIME_S + 1,
                     &(struct trace_transition){"rank 0", "vi", -1, "idle", "open", "x", NULL});
    recorder_begin(timeline, 0, "second");
    trace_span(trace, wire, stage_called("not there", STAGE_LIBRARY), 0, TIME_US,
               MESSAGE_NONE); // a lane of the first
    cpu = trace_lane_new(trace, "node0", "cpu");
    trace_span(trace, cpu, stage_called("work", STAGE_LIBRARY), TIME_US, 2 * TIME_US, MESSAGE_NONE);
    trace_flow(trace, cpu, first, TRACE_FLOW_START, TIME_US);
    trace_transition(trace, 0, 0,
                     &(struct trace_transition){"rank 1", "vi", 2, NULL, "built", NULL, NULL});
    CU_ASSERT(recorder_close(timeline, NULL));
    char *text = sample_read(path);
    SUITE_SAME_TEXT(g_strdelimit(text, "\"", '\''), expected);
    g_free(text);
    g_free(path);
    sample_remove(directory);
}

// A lane keeps 256 ends without a slice; the next one has the older half drawn.
static void test_many_pending(void)
{
    for (uint32_t more = 0; more <= 1; more++) {
        struct drawing drawing = drawing_start();
        trace_lane lane = trace_lane_new(drawing.trace, "node0", "cpu");
        for (uint32_t i = 0; i < 256 + more; i++)
            trace_flow(drawing.trace, lane, (struct message_ref){i, 1}, TRACE_FLOW_START,
                       i * TIME_US);
        trace_span(drawing.trace, lane, stage_called("all", STAGE_LIBRARY), 0, 300 * TIME_US,
                   MESSAGE_NONE);
        json_t *events = drawing_end(&drawing);
        SUITE_SAME_INTEGER(count_phase(events, "X"), 1 + (more ? 128 : 0));
        SUITE_SAME_INTEGER(count_phase(events, "s"), 256 + more);
        json_decref(events);
    }
}

static void test_empty(void)
{
    struct drawing drawing = drawing_start();
    json_t *events = drawing_end(&drawing);
    SUITE_SAME_INTEGER((long long)json_array_size(events), 0);
    json_decref(events);
}

static void test_full_disk(void)
{
    GError *error = NULL;
    CU_ASSERT_PTR_NULL(sample_recorder(&timeline_kind, "/dev/null/x", &error));
    g_clear_error(&error);
    CU_ASSERT_TRUE_FATAL(g_file_test("/dev/full", G_FILE_TEST_EXISTS)); // every Linux has it
    struct recorder *timeline = sample_recorder(&timeline_kind, "/dev/full", &error);
    trace_lane lane = trace_lane_new(&timeline->trace, "g", "l");
    for (int i = 0; i < 1000; i++)
        trace_span(&timeline->trace, lane, stage_called("x", STAGE_LIBRARY), i, i + 1,
                   MESSAGE_NONE);
    CU_ASSERT_FALSE(recorder_close(timeline, &error));
    SUITE_CONTAINS(error->message, "/dev/full");
    g_clear_error(&error);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"one message across three lanes", test_one_message},
        {"overlapping spans get threads of their own", test_overlapping_spans},
        {"arrows without slices", test_arrows_without_slices},
        {"an arrow has one start and one end", test_arrow_phases},
        {"transitions are instants", test_transitions},
        {"series are apart", test_series_are_apart},
        {"the text of a file", test_text},
        {"many ends without slices", test_many_pending},
        {"an empty timeline", test_empty},
        {"a full disk", test_full_disk},
        {0},
    };
    return suite_run("output: timeline", cases);
}
