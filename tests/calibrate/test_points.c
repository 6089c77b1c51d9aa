// SPDX-License-Identifier: GPL-3.0-or-later
// Measured points as targets: units, names of metrics and series, errors with their places.
#include "sim/calibrate/target.h"

#include "sim/model/model.h"
#include "sim/run/schema.h"
#include "tests/support/suite.h"

#include <string.h>

#define MACHINE                                                                                    \
    "schema: 1\nname: s\nnic: eepro100\nhosts: [{name: node, count: 2}]\n"                         \
    "switches: [{name: switch}]\nlinks: [{from: node, to: switch, rate: 100 Mb/s}]\n"              \
    "host: {processor: {clock: 1.4 GHz}}\n"
#define TWO                                                                                        \
    MACHINE "workload: {benchmark: pmb.pingpong}\n"                                                \
            "series: [{name: A, stack: lam_via}, {name: B, stack: lam_tcp}]\n"
#define ONE MACHINE "stack: lam_tcp\nworkload: {benchmark: pmb.pingpong}\n"
#define PROGRAM                                                                                    \
    MACHINE "stack: lam_tcp\nworkload: {ranks: 2, program: [{ranks: 0, do: [{compute: 1 us}]}]}\n"

static struct scenario_schema *schema;

static struct target_list *targets_of(const char *scenario_text, const char *csv, char **message)
{
    struct diag_list *diags = diag_list_new();
    const struct scenario_options options = {0};
    struct scenario *scenario = scenario_parse(scenario_text, strlen(scenario_text), "s.yaml", NULL,
                                               schema, &options, diags);
    diag_print(diags, stderr);
    diag_list_free(diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(scenario);
    GError *error = NULL;
    struct measured_points *points = measured_read("m.csv", csv, strlen(csv), &error);
    struct target_list *list = points ? target_list_of_points(points, scenario, &error) : NULL;
    CU_ASSERT_EQUAL(!list, error != NULL);
    *message = error ? g_strdup(error->message) : NULL;
    g_clear_error(&error);
    measured_free(points);
    scenario_free(scenario);
    return list;
}

// "A, latency_us at 1 B: 74 +/- 0.74" of each, and how many errors were assumed.
static char *targets_text(const struct target_list *list)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < list->targets->len; i++) {
        const struct target *target = g_ptr_array_index(list->targets, i);
        char *text = target_text(target);
        g_string_append_printf(out, "%s: %g +/- %g\n", text, target->value, target->tolerance);
        g_free(text);
    }
    g_string_append_printf(out, "%u assumed", list->assumed);
    return g_string_free(out, FALSE);
}

static void test_points(void)
{
    static const struct {
        const char *scenario, *csv, *targets;
    } samples[] = {
        {ONE, "size,value\n1,80\n1 KiB,0.25 ms\n",
         "lam_tcp, latency_us at 1 B: 80 +/- 0.8\nlam_tcp, latency_us at 1024 B: 250 +/- 2.5\n"
         "2 assumed"},
        {TWO,
         "size,series,metric,unit,value,error\n4 KiB,A,latency,ms,0.5,0.01\n"
         "1,B,bandwidth,MB/s,10,1 MB/s\n2,B,bandwidth_MB_per_s,,8,\n",
         "A, latency_us at 4096 B: 500 +/- 10\nB, bandwidth_MB_per_s at 1 B: 10 +/- 1\n"
         "B, bandwidth_MB_per_s at 2 B: 8 +/- 0.08\n1 assumed"},
        {TWO,
         "# wide\nsize (KiB),latency (\u00b5s),error (ns),bandwidth (MB/s),series\n"
         "1,90,500,,A\n2,,,9,B\n",
         "A, latency_us at 1024 B: 90 +/- 0.5\nB, bandwidth_MB_per_s at 2048 B: 9 +/- 0.09\n"
         "1 assumed"},
        // A metric that the benchmark's list lacks, by its whole name.
        {ONE, "size,repetition_p99_us,error\n1,80,2\n",
         "lam_tcp, repetition_p99_us at 1 B: 80 +/- 2\n0 assumed"},
        {ONE, "size,value,unit,error\n1,0,us,1\n",
         "lam_tcp, latency_us at 1 B: 0 +/- 1\n0 assumed"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *message;
        struct target_list *list = targets_of(samples[i].scenario, samples[i].csv, &message);
        SUITE_SAME_TEXT(message, NULL);
        if (!list)
            continue;
        char *text = targets_text(list);
        SUITE_SAME_TEXT(text, samples[i].targets);
        CU_ASSERT_TRUE(list->smooth);
        g_free(text);
        target_list_free(list);
    }
}

static void test_bad_points(void)
{
    static const struct {
        const char *scenario, *csv, *message;
    } samples[] = {
        {ONE, "", "m.csv:1:1: there is nothing in it"},
        {ONE, "size,value\n", "m.csv:1:1: there is no point below this"},
        {ONE, "# a\nsize\n1\n", "m.csv:2:1: the columns size and a metric are expected"},
        {TWO, "size,value\n1,2\n", "m.csv:1:1: a column series is missing: the scenario has A, B"},
        {TWO, "size,series,value\n1,A,2\n2,C,3\n",
         "m.csv:3:3: the scenario has no series \"C\" (it has A, B)"},
        {ONE, "size,series,value\n1,,2\n", "m.csv:2:3: the scenario has no series \"\""},
        {ONE, "size,value,error\n1,2,0\n", "m.csv:2:5: an error is above 0"},
        {ONE, "size,value,error\n1,2,-1\n", "m.csv:2:5: an error is above 0"},
        {ONE, "size,value\n1,0\n", "m.csv:2:3: a value of 0 needs an error"},
        {ONE, "size,value\n1,fast\n", "m.csv:2:3: fast is no number, and no value in us"},
        {ONE, "size,value\n1,inf\n", "m.csv:2:3: inf is no number"},
        {ONE, "size,value\n1.5,2\n", "m.csv:2:1: 1.5 is no number of bytes"},
        {ONE, "size,value\n-1,2\n", "m.csv:2:1: -1 is no number of bytes"},
        {ONE, "size,value\n,2\n", "m.csv:2:1:  is no number, and no value in B"},
        {ONE, "size,value\n1 us,2\n", "m.csv:2:1: 1 us is no number, and no value in B"},
        {ONE, "size (ms),value\n1,2\n", "m.csv:1:1: ms is no unit of message sizes"},
        {ONE, "ranks,value\n1,2\n", "m.csv:1:1: a column size is expected here, not ranks"},
        {ONE, "size,value,unit\n1,2,MB/s\n",
         "m.csv:2:5: MB/s is no unit of latency_us, which is in us"},
        {ONE, "size,bandwidth (GB/s)\n1,2\n",
         "m.csv:1:6: GB/s is no unit of bandwidth_MB_per_s, which is in MB/s"},
        {ONE, "size,value,metric\n1,2,jitter\n",
         "m.csv:2:5: jitter is no metric of pmb.pingpong (it has latency_us"},
        {ONE, "size,latency (ms),error (MB/s)\n1,2,3\n",
         "m.csv:1:19: an error in MB/s is none of what is in us"},
        {ONE, "size,value (MB/s)\n1,2\n", "m.csv:1:6: a value in MB/s of what?"},
        {ONE, "size,value,mistake\n1,2,3\n", "m.csv:1:12: mistake stands beside a column value"},
        {ONE, "size,value\n1,2,3\n", "m.csv:2:1: this row has 3 fields, and the header 2"},
        {ONE, "size,value\n\"1,2\n", "a quote is not closed"},
        {PROGRAM, "size,value\n1,2\n", "m.csv:2:1: lam_tcp runs a program, which measures no"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *message;
        struct target_list *list = targets_of(samples[i].scenario, samples[i].csv, &message);
        CU_ASSERT_PTR_NULL(list);
        SUITE_CONTAINS(message ? message : "", samples[i].message);
        target_list_free(list);
        g_free(message);
    }
}

// A result without the point's value is refused with the point's place.
static void test_place(void)
{
    char *message, *why = NULL;
    struct target_list *list = targets_of(ONE, "size,value\n1,80\n", &message);
    CU_ASSERT_PTR_NOT_NULL_FATAL(list);
    json_t *document = json_pack("{s:[{s:s,s:[{s:i,s:f}]}]}", "series", "name", "lam_tcp", "points",
                                 "size_bytes", 2, "latency_us", 80.0);
    double residual;
    CU_ASSERT_FALSE(target_judge(g_ptr_array_index(list->targets, 0), document, &residual, &why));
    SUITE_SAME_TEXT(why, "m.csv:2:3: lam_tcp has no latency_us at 1 B");
    g_free(why);
    json_decref(document);
    target_list_free(list);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"points", test_points},
        {"bad points", test_bad_points},
        {"the place of a point", test_place},
        {0},
    };
    schema = registry_schema(&model_registry);
    int code = suite_run("calibrate: measured points", cases);
    registry_schema_free(schema);
    return code;
}
