// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that differ in the seed alone, taken together: however the seeds were asked for, with runs
// that fail, lose data or are missing among them. The expected values were computed by hand.
#include "sim/outcome/outcome_report.h"
#include "sim/outcome/replicated.h"
#include "tests/support/made_sweep.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The text with each number that has a point rounded to 6 digits.
static char *rounded(const char *text)
{
    GString *out = g_string_new(NULL);
    while (*text) {
        size_t length = strspn(text, "0123456789.");
        if (memchr(text, '.', length) && g_ascii_isdigit(*text)) {
            g_string_append_printf(out, "%.6g", g_ascii_strtod(text, NULL));
            text += length;
        } else {
            g_string_append_c(out, *text++);
        }
    }
    return g_string_free(out, FALSE);
}

static void same_means(const struct made_sweep *sweep, const char *expected)
{
    struct outcome *runs = made_outcome(sweep);
    GString *csv = outcome_means_csv(runs);
    char *text = rounded(csv->str);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
    g_string_free(csv, TRUE);
    outcome_free(runs);
}

#define HEAD "series,runs,completed,rank,size,metric,unit,n,mean,half_width,sd,min,max\n"

static char *counted(int point, int series)
{
    (void)series;
    return g_strdup_printf("completed; t_us:1=%d", 1 << point);
}

// An axis of seeds before another one: runs 0 and 2 are of x, 1 and 3 of y; numbers are those of
// the first runs.
static void test_axis_of_seeds(void)
{
    static const struct made_sweep sweep = {
        .axes = {"seed=7|3", "m.a=x|y", NULL}, .series = {"A", NULL}, .result = counted};
    same_means(&sweep, "point,m.a," HEAD "0,x,A,2,2,all,1,t_us,us,2,2.5,19.0593,2.12132,1,4\n"
                       "1,y,A,2,2,all,1,t_us,us,2,5,38.1186,4.24264,2,8\n");
}

// Zipped with its seed, each value has one; those of a value that comes again are together.
static void test_zipped_seeds(void)
{
    static const struct made_sweep once = {.axes = {"seed=7|3", "m.a=x|y", NULL},
                                           .zip = true,
                                           .series = {"A", NULL},
                                           .result = counted};
    static const struct made_sweep twice = {.axes = {"m.a=x|y|x", "seed=7|3|4", NULL},
                                            .zip = true,
                                            .series = {"A", NULL},
                                            .result = counted};
    same_means(&once, "point,m.a," HEAD "0,x,A,1,1,all,1,t_us,us,1,1,,,1,1\n"
                      "1,y,A,1,1,all,1,t_us,us,1,2,,,2,2\n");
    same_means(&twice, "point,m.a," HEAD "0,x,A,2,2,all,1,t_us,us,2,2.5,19.0593,2.12132,1,4\n"
                       "1,y,A,1,1,all,1,t_us,us,1,2,,,2,2\n");
}

// Of each ending one, besides a run that completed.
static char *with_one_bad(int point, int series)
{
    static const char *const bad[] = {"failed|overrun|why; t_us:1=9", "failed|overrun|why",
                                      "unbalanced|line; t_us:1=9", "missing", "impossible|no"};
    (void)series;
    return g_strdup(point % 2 && point < 8 ? bad[point / 2]
                    : point < 8            ? "completed; t_us:1=4"
                                           : bad[4]);
}

// A run that failed after it had measured has a value; one that lost data has none; a missing one
// is not a bad run. A mean of only some of the runs that were made counts for nothing.
static void test_bad_runs(void)
{
    static const struct made_sweep sweep = {.axes = {"m.a=measured|failed|lost|missing|no", NULL},
                                            .seeds = 2,
                                            .series = {"A", NULL},
                                            .result = with_one_bad};
    same_means(&sweep,
               "point,m.a," HEAD "0,measured,A,2,1,all,1,t_us,us,2,6.5,31.7655,3.53553,4,9\n"
               "2,failed,A,2,1,all,1,t_us,us,1,4,,,4,4\n"
               "4,lost,A,2,1,all,1,t_us,us,1,4,,,4,4\n"
               "6,missing,A,1,1,all,1,t_us,us,1,4,,,4,4\n");
    struct outcome *runs = made_outcome(&sweep), *means = outcome_replicated(runs);
    const struct outcome_curve *curve = outcome_curve_at(means, 0);
    CU_ASSERT_EQUAL(curve->values[0], 6.5);
    CU_ASSERT_TRUE(isnan(curve->values[1]) && isnan(curve->values[2]));
    CU_ASSERT_EQUAL(curve->values[3], 4);
    CU_ASSERT_TRUE(isnan(curve->values[4]));
    SUITE_SAME_TEXT(outcome_end_at(means, 1, 0)->status, "failed");
    SUITE_SAME_TEXT(outcome_end_at(means, 3, 0)->status, "missing");
    SUITE_SAME_TEXT(means->problems[4], "no");
    char *text = outcome_report_text(runs);
    SUITE_CONTAINS(text, "warning: 3 of 6 runs did not complete at 3 points where others did");
    SUITE_CONTAINS(text, "1 of 5 points are not possible");
    SUITE_CONTAINS(text, "first at a=measured  seed=2");
    g_free(text);
    outcome_free(means);
    outcome_free(runs);
}

static char *scattered(int point, int series)
{
    // x, y, z, each of three seeds: y is x and 1 more, z is 3 on the mean, and far apart.
    static const double values[] = {1, 2, 3, 2, 3, 4, 0.5, 8, 0.5};
    (void)series;
    return g_strdup_printf("completed; t_us:1=%g", values[point]);
}

static json_t *report_of(const struct made_sweep *sweep)
{
    struct outcome *runs = made_outcome(sweep);
    json_t *report = outcome_report_json(runs);
    outcome_free(runs);
    return report;
}

static double number_at(const json_t *list, size_t index, const char *name)
{
    return json_number_value(json_object_get(json_array_get(list, index), name));
}

// Differences are taken seed by seed: y is worse than x for sure, though their intervals overlap; z
// is not distinguishable from x.
static void test_chance(void)
{
    static const struct made_sweep sweep = {
        .axes = {"m.a=x|y|z", NULL}, .seeds = 3, .series = {"A", NULL}, .result = scattered};
    json_t *report = report_of(&sweep);
    const json_t *metric = json_array_get(json_object_get(report, "metrics"), 0);
    const json_t *row = json_array_get(json_object_get(metric, "rows"), 0);
    const json_t *effects = json_object_get(metric, "effects");
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(row, "ties")), 1);
    CU_ASSERT_EQUAL(json_number_value(json_object_get(row, "best")), 2);
    CU_ASSERT_PTR_NULL(json_object_get(json_array_get(effects, 0), "half_width"));
    CU_ASSERT_EQUAL(number_at(effects, 1, "change"), 0.5);
    // Residuals (2 - 1.5, 3 - 3, 4 - 4.5) / 2: sd 0.25, t 4.3027.
    CU_ASSERT_DOUBLE_EQUAL(number_at(effects, 1, "half_width"), 4.302653 * 0.25 / sqrt(3), 1e-6);
    CU_ASSERT_TRUE(json_is_false(json_object_get(json_array_get(effects, 1), "told_apart")));
    CU_ASSERT_TRUE(json_is_false(json_object_get(json_array_get(effects, 2), "told_apart")));
    SUITE_SAME_INTEGER((long long)number_at(effects, 2, "n"), 3);
    json_decref(report);
}

// Of one seed nothing is claimed, and of none that was asked for.
static void test_one_seed(void)
{
    static const struct made_sweep one = {
        .axes = {"m.a=x|y", NULL}, .seeds = 1, .series = {"A", NULL}, .result = counted};
    static const struct made_sweep none = {
        .axes = {"m.a=x|y", NULL}, .series = {"A", NULL}, .result = counted};
    const struct made_sweep *sweeps[] = {&one, &none};
    for (size_t i = 0; i < G_N_ELEMENTS(sweeps); i++) {
        struct outcome *runs = made_outcome(sweeps[i]);
        char *text = outcome_report_text(runs);
        json_t *report = outcome_report_json(runs);
        char *json = json_dumps(report, 0);
        CU_ASSERT_PTR_NULL(strstr(text, "\u00b1"));
        CU_ASSERT_PTR_NULL(strstr(text, "seed"));
        CU_ASSERT_PTR_NULL(strstr(json, "half_width"));
        CU_ASSERT_PTR_NULL(strstr(json, "told_apart"));
        SUITE_CONTAINS(text, "+100.00 %");
        free(json);
        json_decref(report);
        g_free(text);
        outcome_free(runs);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"an axis of seeds", test_axis_of_seeds}, {"zipped seeds", test_zipped_seeds},
        {"runs that went wrong", test_bad_runs},  {"what is left to chance", test_chance},
        {"one seed, and none", test_one_seed},    {0},
    };
    return suite_run("campaign: replications", cases);
}
