// SPDX-License-Identifier: GPL-3.0-or-later
// Values over time: a row per change, extremes that outlive thinning, several sinks at once.
#include "sim/core/tee.h"
#include "sim/output/values.h"
#include "tests/output/sample.h"
#include "tests/support/suite.h"

#include <jansson.h>
#include <string.h>

static const struct trace_quantity quantities[] = {{"cwnd", "B"}, {"flight", "B"}};

static trace_values announce(struct trace *trace, const char *name)
{
    return trace_values_new(
        trace, &(struct trace_values_info){"node0", name, quantities, G_N_ELEMENTS(quantities)});
}

struct writing {
    char *directory, *path;
    struct recorder *values;
};

static struct writing writing_start(void)
{
    struct writing it = {.directory = sample_directory()};
    GError *error = NULL;
    it.path = g_build_filename(it.directory, "values.csv", NULL);
    it.values = sample_recorder(&values_kind, it.path, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(it.values);
    return it;
}

static char *writing_end(struct writing *it)
{
    char *text = NULL;
    CU_ASSERT_TRUE(recorder_close(it->values, NULL));
    CU_ASSERT_TRUE_FATAL(g_file_get_contents(it->path, &text, NULL, NULL));
    g_free(it->path);
    sample_remove(it->directory);
    return text;
}

static void expect(char *text, const char *rows)
{
    char *whole = g_strconcat("series,host,name,quantity,unit,time_us,value\n", rows, NULL);
    SUITE_SAME_TEXT(text, whole);
    CU_ASSERT_TRUE(values_has_columns(text));
    g_free(whole);
    g_free(text);
}

// A handler that runs later may have the earlier clock: rows stay in order of time.
static void test_order(void)
{
    struct writing it = writing_start();
    struct trace *trace = &it.values->trace;
    recorder_begin(it.values, 0, "a");
    trace_values one = announce(trace, "path 1");
    trace_value(trace, one, 0, 3 * TIME_US, 1);
    trace_value(trace, one, 0, 2 * TIME_US, 2);
    trace_value(trace, one, 0, 4 * TIME_US, 3);
    expect(writing_end(&it), "a,node0,path 1,cwnd,B,3.000000,2\n"
                             "a,node0,path 1,cwnd,B,4.000000,3\n");
}

// A value that does not change has no row; of one instant the last value counts.
static void test_changes(void)
{
    struct writing it = writing_start();
    struct trace *trace = &it.values->trace;
    recorder_begin(it.values, 0, "a, b");
    trace_values one = announce(trace, "path 1"), two = announce(trace, "path 2");
    trace_value(trace, two, 0, 1, 7);
    trace_value(trace, one, 0, 0, 4344);
    trace_value(trace, one, 0, 5, 4344);
    trace_value(trace, one, 0, TIME_US, 10);
    trace_value(trace, one, 0, TIME_US, 20);
    trace_value(trace, one, 0, 2 * TIME_US, 30);
    trace_value(trace, one, 0, 2 * TIME_US, 20);
    trace_value(trace, one, 0, 3 * TIME_US, 20);
    trace_value(trace, one, 1, 3 * TIME_US, -1);
    recorder_begin(it.values, 0, "next");
    trace_value(trace, one, 0, 9 * TIME_US, 99); // of an earlier series
    trace_values again = announce(trace, "path 1");
    trace_value(trace, again, 1, 1, 5);
    expect(writing_end(&it), "\"a, b\",node0,path 1,cwnd,B,0.000000,4344\n"
                             "\"a, b\",node0,path 1,cwnd,B,1.000000,20\n"
                             "\"a, b\",node0,path 1,flight,B,3.000000,-1\n"
                             "\"a, b\",node0,path 2,cwnd,B,0.000001,7\n"
                             "next,node0,path 1,flight,B,0.000001,5\n");
}

// A part of another process is the same rows without the header.
static void test_parts(void)
{
    struct writing it = writing_start();
    FILE *part = recorder_new_part(it.values, NULL);
    struct recorder *values = recorder_part(&values_kind, part);
    recorder_begin(values, 0, "p");
    struct trace *trace = &values->trace;
    trace_value(trace, announce(trace, "x"), 0, TIME_US, 1);
    CU_ASSERT_TRUE(recorder_close(values, NULL));
    CU_ASSERT_TRUE(recorder_join(it.values, part, NULL));
    fclose(part);
    expect(writing_end(&it), "p,node0,x,cwnd,B,1.000000,1\n");
}

static GArray *zigzag(guint count)
{
    GArray *points = g_array_new(FALSE, FALSE, sizeof(struct value_point));
    for (guint i = 0; i < count; i++) {
        struct value_point point = {100 + 3 * (sim_time)i, i % 2 ? 50 : 60};
        g_array_append_val(points, point);
    }
    return points;
}

static struct value_point *at(GArray *points, guint i)
{
    return &g_array_index(points, struct value_point, i);
}

// Ends and extremes stay, with their times; what fits is not touched.
static void test_thinning(void)
{
    GArray *points = zigzag(100);
    values_thin(points, 100);
    SUITE_SAME_INTEGER(points->len, 100);
    g_array_unref(points);
    for (guint count = 101; count < 1000; count += 37) {
        points = zigzag(count);
        at(points, count / 3)->value = -5;
        at(points, count / 2)->value = 999;
        values_thin(points, 100);
        CU_ASSERT(points->len <= 100 && points->len >= 20);
        SUITE_SAME_INTEGER(at(points, 0)->when, 100);
        SUITE_SAME_INTEGER(at(points, points->len - 1)->when, 100 + 3 * (sim_time)(count - 1));
        int least = 0, greatest = 0;
        for (guint i = 0; i < points->len; i++) {
            CU_ASSERT(i == 0 || at(points, i)->when > at(points, i - 1)->when);
            least += at(points, i)->value == -5 && at(points, i)->when == 100 + 3 * (count / 3);
            greatest += at(points, i)->value == 999 && at(points, i)->when == 100 + 3 * (count / 2);
        }
        SUITE_SAME_INTEGER(least, 1);
        SUITE_SAME_INTEGER(greatest, 1);
        g_array_unref(points);
    }
}

// However many changes there are, the file stays bounded, and a short dip is in it.
static void test_bounded(void)
{
    struct writing it = writing_start();
    struct trace *trace = &it.values->trace;
    recorder_begin(it.values, 0, "s");
    trace_values one = announce(trace, "x");
    for (int64_t i = 0; i < 300000; i++)
        trace_value(trace, one, 0, i * TIME_US, i == 200001 ? 1 : i == 299999 ? 7 : 1000 + i % 2);
    char *text = writing_end(&it);
    guint rows = 0;
    for (const char *line = text; (line = strchr(line, '\n')); line++)
        rows++;
    CU_ASSERT(rows > VALUES_MOST / 4 && rows <= VALUES_MOST + 1);
    SUITE_CONTAINS(text, ",200001.000000,1\n");
    SUITE_CONTAINS(text, ",0.000000,1000\n");
    SUITE_CONTAINS(text, ",299999.000000,7\n");
    g_free(text);
}

// Timeline, values and a sink that wants none, at once; without a sink nothing is recorded.
static void test_sinks(void)
{
    struct writing it = writing_start();
    char *path = g_build_filename(it.directory, "t.json", NULL);
    struct recorder *timeline = sample_recorder(&timeline_kind, path, NULL);
    GPtrArray *tees = g_ptr_array_new_with_free_func((GDestroyNotify)tee_free);
    struct trace_ops none_ops = *timeline->trace.ops;
    none_ops.values = NULL;
    struct trace none = {&none_ops};
    SUITE_SAME_INTEGER(announce(NULL, "x"), 0);
    SUITE_SAME_INTEGER(announce(&none, "x"), 0);
    struct trace *sinks[] = {NULL, &timeline->trace, NULL, &it.values->trace};
    CU_ASSERT_PTR_NULL(tee_all(sinks, 1, tees));
    CU_ASSERT_PTR_EQUAL(tee_all(sinks, 3, tees), &timeline->trace);
    SUITE_SAME_INTEGER(tees->len, 0);
    struct trace *trace = tee_all(sinks, 4, tees);
    SUITE_SAME_INTEGER(tees->len, 1);
    recorder_begin(timeline, 0, "s");
    recorder_begin(it.values, 0, "s");
    trace_values one = announce(trace, "x"), two = announce(trace, "y");
    trace_value(trace, one, 0, TIME_US, 1);
    trace_value(trace, one, 0, TIME_US, 2);
    trace_value(trace, one, 0, 2 * TIME_US, 2);
    trace_value(trace, two, 1, 3 * TIME_US, 4);
    trace_value(trace, 0, 0, 3 * TIME_US, 5);
    g_ptr_array_unref(tees);
    CU_ASSERT_TRUE(recorder_close(timeline, NULL));
    json_t *document = json_load_file(path, 0, NULL), *event;
    GString *found = g_string_new(NULL);
    size_t i;
    json_array_foreach(json_object_get(document, "traceEvents"), i, event)
    {
        if (strcmp(json_string_value(json_object_get(event, "ph")), "C") == 0)
            g_string_append_printf(
                found, "%s %g %d; ", json_string_value(json_object_get(event, "name")),
                json_number_value(json_object_get(event, "ts")),
                (int)json_integer_value(json_object_get(json_object_get(event, "args"), "value")));
    }
    SUITE_SAME_TEXT(found->str, "x: cwnd (B) 1 2; y: flight (B) 3 4; ");
    g_string_free(found, TRUE);
    json_decref(document);
    g_remove(path);
    g_free(path);
    expect(writing_end(&it), "s,node0,x,cwnd,B,1.000000,2\ns,node0,y,flight,B,3.000000,4\n");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"changes", test_changes},
        {"an earlier time", test_order},
        {"parts", test_parts},
        {"thinning", test_thinning},
        {"bounded", test_bounded},
        {"sinks", test_sinks},
        {0},
    };
    return suite_run("output: values over time", cases);
}
