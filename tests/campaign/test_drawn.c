// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps in draws: bands, shares and differences of results that were made by hand, so that their
// values follow by algebra.
#include "sim/outcome/outcome_report.h"
#include "sim/outcome/replicated.h"
#include "tests/support/made_sweep.h"
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

static json_t *drawn_report(const struct made_sweep *sweep)
{
    struct outcome *runs = made_outcome(sweep);
    json_t *report = outcome_report_json(runs);
    outcome_free(runs);
    return report;
}

static const json_t *metric_of(const json_t *report, size_t index)
{
    return json_array_get(json_object_get(report, "metrics"), index);
}

static double real_at(const json_t *list, size_t index, const char *name)
{
    return json_number_value(json_object_get(json_array_get(list, index), name));
}

// Linear in the draw k: x takes k, y takes 2 k, z takes 21 - k, over 1 B.
static char *linear(int point, int series)
{
    int draw = point % 20 + 1, axis = point / 20;
    (void)series;
    return g_strdup_printf("completed; t_us:1=%d", axis == 0   ? draw
                                                   : axis == 1 ? 2 * draw
                                                               : 21 - draw);
}

static const struct made_sweep in_20_draws = {
    .axes = {"m.a=x|y|z", NULL}, .draws = 20, .series = {"A", NULL}, .result = linear};

// Type 7 of 1 .. 20: h = 19 p, so 1.95, 10.5 and 19.05.
static void test_bands(void)
{
    json_t *report = drawn_report(&in_20_draws);
    const json_t *bands = json_object_get(metric_of(report, 0), "bands");
    SUITE_SAME_INTEGER((long long)json_array_size(bands), 3);
    SUITE_SAME_INTEGER((long long)json_array_size(json_object_get(report, "draws")), 20);
    for (size_t i = 0; i < 3; i++) {
        double scale = i == 1 ? 2.0 : 1.0;
        CU_ASSERT_DOUBLE_EQUAL(real_at(bands, i, "low"), 1.95 * scale, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(real_at(bands, i, "median"), 10.5 * scale, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(real_at(bands, i, "high"), 19.05 * scale, 1e-12);
        SUITE_SAME_INTEGER((long long)real_at(bands, i, "n"), 20);
        SUITE_SAME_INTEGER((long long)real_at(bands, i, "draws"), 20);
    }
    json_decref(report);
}

// x beats y in each draw, and z where k < 21 - k: in ten of twenty; y is never the best.
static void test_best(void)
{
    json_t *report = drawn_report(&in_20_draws);
    const json_t *row = json_array_get(json_object_get(metric_of(report, 0), "rows"), 0);
    const json_t *best = json_object_get(row, "best_in");
    SUITE_SAME_INTEGER((long long)json_array_size(best), 2);
    CU_ASSERT_EQUAL(real_at(best, 0, "share"), 0.5);
    CU_ASSERT_EQUAL(real_at(best, 1, "share"), 0.5);
    CU_ASSERT_DOUBLE_EQUAL(real_at(best, 0, "share_low"), 0.2993, 1e-4); // Wilson, 10 of 20
    CU_ASSERT_DOUBLE_EQUAL(real_at(best, 0, "share_high"), 0.7007, 1e-4);
    json_decref(report);
}

// y is 100 % more in all draws, though the bands of x and y overlap; z is more than x in half.
static void test_effects(void)
{
    json_t *report = drawn_report(&in_20_draws);
    const json_t *effects = json_object_get(metric_of(report, 0), "effects");
    CU_ASSERT_EQUAL(real_at(effects, 1, "change"), 1.0);
    CU_ASSERT_EQUAL(real_at(effects, 1, "change_low"), 1.0);
    CU_ASSERT_EQUAL(real_at(effects, 1, "change_high"), 1.0);
    CU_ASSERT_EQUAL(real_at(effects, 1, "sign_share"), 1.0);
    CU_ASSERT_TRUE(json_is_true(json_object_get(json_array_get(effects, 1), "told_apart")));
    // The median of (21 - k) / k - 1 is between k = 10 and 11: (0.1 - 1 / 11) / 2.
    CU_ASSERT_DOUBLE_EQUAL(real_at(effects, 2, "change"), (0.1 - 1.0 / 11) / 2, 1e-12);
    CU_ASSERT_EQUAL(real_at(effects, 2, "sign_share"), 0.5);
    CU_ASSERT_TRUE(json_is_false(json_object_get(json_array_get(effects, 2), "told_apart")));
    json_decref(report);
    struct outcome *runs = made_outcome(&in_20_draws);
    char *text = outcome_report_text(runs);
    SUITE_CONTAINS(text, "10.50 (1.95 .. 19.05)");
    SUITE_CONTAINS(text, "a=x  50 %; a=z in 50 %");
    SUITE_CONTAINS(text, "+100 % (+100 .. +100) in all");
    SUITE_CONTAINS(text, "in 50 %)");
    CU_ASSERT_PTR_NULL(strstr(text, "\u00b1"));
    g_free(text);
    outcome_free(runs);
}

// The mean of the two seeds of draw k is k; a draw of which a seed fails has no value.
static char *with_seeds(int point, int series)
{
    int seed = point % 2, draw = point / 2 % 3 + 1;
    (void)series;
    if (draw == 3 && seed == 1)
        return g_strdup("failed|overrun|why");
    return g_strdup_printf("completed; t_us:1=%g", draw + (seed ? 0.25 : -0.25));
}

static void test_seeds_first(void)
{
    static const struct made_sweep sweep = {.axes = {"m.a=x", NULL},
                                            .draws = 3,
                                            .seeds = 2,
                                            .series = {"A", NULL},
                                            .result = with_seeds};
    json_t *report = drawn_report(&sweep);
    const json_t *bands = json_object_get(metric_of(report, 0), "bands");
    SUITE_SAME_INTEGER((long long)real_at(bands, 0, "n"), 2);
    SUITE_SAME_INTEGER((long long)real_at(bands, 0, "draws"), 3);
    CU_ASSERT_DOUBLE_EQUAL(real_at(bands, 0, "median"), 1.5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(real_at(bands, 0, "low"), 1.05, 1e-12);
    json_decref(report);
    struct outcome *runs = made_outcome(&sweep);
    char *text = outcome_report_text(runs);
    SUITE_CONTAINS(text,
                   "in the draws 1, 2, 3: values are medians (5 % .. 95 %) over draws, of means "
                   "over the seeds 1, 2\n");
    SUITE_CONTAINS(text, "2 of 3");
    SUITE_CONTAINS(text, "first at draw=3  seed=2");
    SUITE_CONTAINS(text, "warning: 1 of 6 runs did not complete at 1 point where others did");
    g_free(text);
    GString *csv = outcome_means_csv(runs);
    SUITE_CONTAINS(csv->str,
                   "point,m.a,series,runs,completed,rank,size,metric,unit,n,median,low,high\n"
                   "0,x,A,6,5,all,1,t_us,us,2,1.5,1.05,1.95");
    g_string_free(csv, TRUE);
    outcome_free(runs);
}

// B is k / 10 more than A's 10 in draw k; but in draw 5 it fails.
static char *two_series(int point, int series)
{
    int draw = point + 1;
    if (series && draw == 5)
        return g_strdup("failed|overrun|why");
    return g_strdup_printf("completed; t_us:1=%g", series ? 10 + (draw - 2) / 10.0 : 10.0);
}

// Changes of -1, 0, 1 and 2 %: median 0.5 %, and two of four have its sign.
static void test_series(void)
{
    static const struct made_sweep sweep = {
        .axes = {NULL}, .draws = 5, .series = {"A", "B", NULL}, .result = two_series};
    json_t *report = drawn_report(&sweep);
    const json_t *list = json_object_get(report, "differences");
    SUITE_SAME_INTEGER((long long)json_array_size(list), 1);
    SUITE_SAME_INTEGER((long long)real_at(list, 0, "n"), 4);
    CU_ASSERT_DOUBLE_EQUAL(real_at(list, 0, "change"), 0.005, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(real_at(list, 0, "sign_share"), 0.5, 1e-12);
    json_decref(report);
}

// An axis `draw` of any values is one of draws, not one of the sweep's.
static char *of_axis(int point, int series)
{
    (void)series;
    return g_strdup_printf("completed; t_us:1=%d", point / 2 + 1);
}

static void test_axis_of_draws(void)
{
    static const struct made_sweep sweep = {
        .axes = {"draw=7|3|9", "m.a=x|y", NULL}, .series = {"A", NULL}, .result = of_axis};
    struct outcome *runs = made_outcome(&sweep), *bands = outcome_replicated(runs);
    SUITE_SAME_INTEGER(bands->points, 2);
    SUITE_SAME_INTEGER((long long)bands->axes->len, 1);
    CU_ASSERT_EQUAL(outcome_curve_at(bands, 0)->bands[1].median, 2);
    CU_ASSERT_TRUE(outcome_in_draws(bands));
    outcome_free(bands);
    outcome_free(runs);
}

static char *same(int point, int series)
{
    (void)point;
    (void)series;
    return g_strdup("completed; t_us:1=4");
}

static void test_nothing_uncertain(void)
{
    static const struct made_sweep sweep = {
        .axes = {"m.a=x|y", NULL}, .draws = 3, .seeds = 2, .series = {"A", NULL}, .result = same};
    struct outcome *runs = made_outcome(&sweep);
    char *text = outcome_report_text(runs);
    SUITE_CONTAINS(text, "warning: the draws changed nothing: no uncertain constant plays a part");
    g_free(text);
    outcome_free(runs);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"bands", test_bands},
        {"in which draws a point is the best", test_best},
        {"effects draw by draw", test_effects},
        {"seeds are averaged first", test_seeds_first},
        {"differences between series", test_series},
        {"an axis of draws", test_axis_of_draws},
        {"nothing is uncertain", test_nothing_uncertain},
        {0},
    };
    return suite_run("campaign: draws", cases);
}
