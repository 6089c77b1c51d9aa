// SPDX-License-Identifier: GPL-3.0-or-later
// The state log's text, alone and behind a tee.
#include "sim/output/state_log.h"
#include "sim/output/tee.h"
#include "sim/output/timeline.h"
#include "tests/output/sample.h"
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"

static const char expected[] = "# series VIA RPI\n"
                               "0.000000 rank 0 request[1] - -> built\n"
                               "12.500001 rank 0 request[1] built -> started tiny, 1 B\n"
                               "# series MVICH\n"
                               "3000000.000000 node1 vi[-2] idle -> broken\n";

static void first_series(struct trace *trace)
{
    trace_lane lane = trace_lane_new(trace, "node0", "cpu");
    trace_transition(trace, lane, 0,
                     &(struct trace_transition){"rank 0", "request", 1, NULL, "built", NULL});
    trace_span(trace, lane, stage_called("send", STAGE_BUS), 0, TIME_US, MESSAGE_NONE);
    trace_flow(trace, lane, (struct message_ref){0, 1}, TRACE_FLOW_START, TIME_NS);
    trace_transition(
        trace, lane, 12500001,
        &(struct trace_transition){"rank 0", "request", 1, "built", "started", "tiny, 1 B"});
}

static void second_series(struct trace *trace)
{
    trace_transition(trace, 0, 3 * TIME_S,
                     &(struct trace_transition){"node1", "vi", -2, "idle", "broken", ""});
}

static void test_text(void)
{
    char *directory = sample_directory(), *path = g_build_filename(directory, "states", NULL);
    GError *error = NULL;
    struct state_log *log = state_log_open(path, &error);
    state_log_series(log, "VIA RPI");
    first_series(state_log_trace(log));
    state_log_series(log, "MVICH");
    second_series(state_log_trace(log));
    CU_ASSERT(state_log_close(log, &error));
    char *text = sample_read(path);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
    g_free(path);
    sample_remove(directory);
}

// Both sinks behind a tee see all, whatever lane numbers each of them gives out.
static void test_tee(void)
{
    char *directory = sample_directory();
    char *states = g_build_filename(directory, "states", NULL);
    char *times = g_build_filename(directory, "timeline", NULL);
    GError *error = NULL;
    struct state_log *log = state_log_open(states, &error);
    struct timeline *timeline = timeline_open(times, &error);
    struct tee *tee = tee_new(state_log_trace(log), timeline_trace(timeline));
    state_log_series(log, "VIA RPI");
    timeline_series(timeline, "VIA RPI");
    first_series(tee_trace(tee));
    state_log_series(log, "MVICH");
    timeline_series(timeline, "MVICH");
    second_series(tee_trace(tee));
    tee_free(tee);
    CU_ASSERT(state_log_close(log, &error));
    CU_ASSERT(timeline_close(timeline, &error));
    char *text = sample_read(states), *json = sample_read(times);
    SUITE_SAME_TEXT(text, expected);
    SUITE_CONTAINS(json, "\"name\":\"send\"");
    SUITE_CONTAINS(json, "\"name\":\"VIA RPI: node0\"");
    SUITE_CONTAINS(json, "\"name\":\"MVICH: node1\"");
    g_free(text);
    g_free(json);
    g_free(states);
    g_free(times);
    sample_remove(directory);
}

static void test_unwritable(void)
{
    GError *error = NULL;
    CU_ASSERT_PTR_NULL(state_log_open("/dev/null/x", &error));
    SUITE_CONTAINS(error->message, "/dev/null/x");
    g_clear_error(&error);
    CU_ASSERT(state_log_close(NULL, &error));
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"one line a transition", test_text},
        {"a tee feeds both sinks", test_tee},
        {"a file that can't be written", test_unwritable},
        {0},
    };
    return suite_run("output: state log", cases);
}
