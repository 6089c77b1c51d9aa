// SPDX-License-Identifier: GPL-3.0-or-later
// The state log's text, alone and through a tee.
#include "sim/core/tee.h"
#include "sim/output/state_log.h"
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
                     &(struct trace_transition){"rank 0", "request", 1, NULL, "built", NULL, NULL});
    trace_span(trace, lane, stage_called("send", STAGE_BUS), 0, TIME_US, MESSAGE_NONE);
    trace_flow(trace, lane, (struct message_ref){0, 1}, TRACE_FLOW_START, TIME_NS);
    trace_transition(
        trace, lane, 12500001,
        &(struct trace_transition){"rank 0", "request", 1, "built", "started", "tiny, 1 B", NULL});
}

static void second_series(struct trace *trace)
{
    trace_transition(trace, 0, 3 * TIME_S,
                     &(struct trace_transition){"node1", "vi", -2, "idle", "broken", "", NULL});
}

static void test_text(void)
{
    char *directory = sample_directory(), *path = g_build_filename(directory, "states", NULL);
    GError *error = NULL;
    struct recorder *log = sample_recorder(&state_log_kind, path, &error);
    recorder_begin(log, 0, "VIA RPI");
    first_series(&log->trace);
    recorder_begin(log, 0, "MVICH");
    second_series(&log->trace);
    CU_ASSERT(recorder_close(log, &error));
    char *text = sample_read(path);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
    g_free(path);
    sample_remove(directory);
}

// Both sinks of a tee receive all, whatever lane numbers each of them assigns.
static void test_tee(void)
{
    char *directory = sample_directory();
    char *states = g_build_filename(directory, "states", NULL);
    char *times = g_build_filename(directory, "timeline", NULL);
    GError *error = NULL;
    struct recorder *log = sample_recorder(&state_log_kind, states, &error);
    struct recorder *timeline = sample_recorder(&timeline_kind, times, &error);
    struct tee *tee = tee_new(&log->trace, &timeline->trace);
    recorder_begin(log, 0, "VIA RPI");
    recorder_begin(timeline, 0, "VIA RPI");
    first_series(tee_trace(tee));
    recorder_begin(log, 0, "MVICH");
    recorder_begin(timeline, 0, "MVICH");
    second_series(tee_trace(tee));
    tee_free(tee);
    CU_ASSERT(recorder_close(log, &error));
    CU_ASSERT(recorder_close(timeline, &error));
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
    CU_ASSERT_PTR_NULL(sample_recorder(&state_log_kind, "/dev/null/x", &error));
    SUITE_CONTAINS(error->message, "/dev/null/x");
    g_clear_error(&error);
    CU_ASSERT(recorder_close(NULL, &error));
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
