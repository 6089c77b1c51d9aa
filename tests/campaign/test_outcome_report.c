// SPDX-License-Identifier: GPL-3.0-or-later
// Reports on outcomes made by hand: best, worst, ties, effects, axes without effect.
#include "sim/core/intern.h"
#include "sim/outcome/outcome_report.h"
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

static void add_axis(struct outcome *outcome, const char *name, const char *const *values)
{
    struct outcome_axis *axis = outcome_add_axis(outcome, name);
    for (; *values; values++)
        g_ptr_array_add(axis->values, g_strdup(*values));
}

// Axes a (1, 2, 3) and b (x, y), one series "S"; all points completed, no curves.
static struct outcome *completed_outcome(void)
{
    static const char *const a[] = {"1", "2", "3", NULL}, *const b[] = {"x", "y", NULL};
    struct outcome *outcome = outcome_new();
    outcome->scenario = g_strdup("made");
    outcome->source = g_strdup("none");
    add_axis(outcome, "m.a", a);
    add_axis(outcome, "m.b", b);
    g_ptr_array_add(outcome->series, g_strdup("S"));
    outcome->points = 6;
    outcome->indices = g_new0(int, 12);
    outcome->seeds = g_new0(int64_t, 6);
    outcome->draws = g_new0(int64_t, 6);
    outcome->numbers = g_new0(int, 6);
    outcome->problems = g_new0(char *, 6);
    outcome->ends = g_new0(struct outcome_end, 6);
    for (int point = 0; point < 6; point++) {
        outcome->numbers[point] = point;
        outcome->indices[2 * point] = point / 2;
        outcome->indices[2 * point + 1] = point % 2;
        outcome->ends[point].status = g_strdup("completed");
    }
    return outcome;
}

static void add_curve(struct outcome *outcome, const char *metric, int64_t size,
                      const double values[6])
{
    struct outcome_curve *curve = g_new0(struct outcome_curve, 1);
    *curve = (struct outcome_curve){.rank = -1, .size = size, .metric = intern_text(metric)};
    curve->values = g_memdup2(values, 6 * sizeof *values);
    g_ptr_array_add(outcome->curves, curve);
}

static void end_with(struct outcome *outcome, int point, const char *status, const char *kind)
{
    struct outcome_end *end = &outcome->ends[point];
    g_free(end->status);
    g_free(end->kind);
    end->status = g_strdup(status);
    end->kind = g_strdup(kind);
}

static void impossible(struct outcome *outcome, int point)
{
    g_free(outcome->ends[point].status);
    outcome->ends[point].status = NULL;
    outcome->problems[point] = g_strdup("they do not go together");
}

static json_t *report_of(struct outcome *outcome)
{
    json_t *report = outcome_report_json(outcome);
    char *text = outcome_report_text(outcome); // must not stumble over anything
    SUITE_CONTAINS(text, "made: 6 points");
    g_free(text);
    outcome_free(outcome);
    return report;
}

static const json_t *row_of(const json_t *report, size_t metric, size_t row)
{
    const json_t *of = json_array_get(json_object_get(report, "metrics"), metric);
    return json_array_get(json_object_get(of, "rows"), row);
}

static double real(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

static int point_of(const json_t *row, const char *which)
{
    return (int)json_integer_value(json_object_get(json_object_get(row, which), "point"));
}

static bool same(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

static void best_and_worst(void)
{
    struct outcome *outcome = completed_outcome();
    add_curve(outcome, "latency_us", 4, (const double[]){3, 2, 2, 5, NAN, 2});
    add_curve(outcome, "latency_us", 8, (const double[]){8, 32, 18, 1, 1, NAN});
    add_curve(outcome, "bandwidth_MB_per_s", 8, (const double[]){1, 2, 3, 4, 5, 4});
    json_t *report = report_of(outcome);
    const json_t *all = row_of(report, 0, 0), *four = row_of(report, 0, 1);
    // All together: geometric means of the points with both: sqrt(24), 8, 6, sqrt(5).
    CU_ASSERT_TRUE(json_is_null(json_object_get(all, "size_bytes")));
    CU_ASSERT_TRUE(same(real(all, "best"), sqrt(5.0)));
    SUITE_SAME_INTEGER(point_of(all, "best_point"), 3);
    CU_ASSERT_TRUE(same(real(all, "worst"), 8.0));
    SUITE_SAME_INTEGER(point_of(all, "worst_point"), 1);
    SUITE_SAME_INTEGER((int)real(four, "best"), 2);
    SUITE_SAME_INTEGER(point_of(four, "best_point"), 1); // the first of equals
    SUITE_SAME_INTEGER((int)real(four, "ties"), 2);
    SUITE_SAME_INTEGER((int)real(four, "worst"), 5);
    const json_t *rate = row_of(report, 1, 0); // more is better
    SUITE_SAME_INTEGER(point_of(rate, "best_point"), 4);
    SUITE_SAME_INTEGER(point_of(rate, "worst_point"), 0);
    json_decref(report);
}

static json_t *change_of(const json_t *report, size_t number)
{
    const json_t *metric = json_array_get(json_object_get(report, "metrics"), 0);
    json_t *effect = json_array_get(json_object_get(metric, "effects"), number);
    return json_object_get(effect, "change");
}

// The mean over the pairs that differ in this axis alone, in relation to its first value.
static void effects(void)
{
    struct outcome *outcome = completed_outcome();
    add_curve(outcome, "latency_us", 4, (const double[]){1, 2, 2, 3, NAN, 1});
    json_t *report = report_of(outcome);
    CU_ASSERT_TRUE(same(json_number_value(change_of(report, 0)), 0.0));
    CU_ASSERT_TRUE(same(json_number_value(change_of(report, 1)), (1.0 + 0.5) / 2.0)); // a=2
    CU_ASSERT_TRUE(same(json_number_value(change_of(report, 2)), -0.5)); // a=3: of b=y alone
    CU_ASSERT_TRUE(same(json_number_value(change_of(report, 4)), (1.0 + 0.5) / 2.0)); // b=y
    json_decref(report);
    // Nothing to compare with.
    outcome = completed_outcome();
    add_curve(outcome, "latency_us", 4, (const double[]){NAN, NAN, NAN, NAN, NAN, 1});
    report = report_of(outcome);
    CU_ASSERT_TRUE(json_is_null(change_of(report, 1)));
    CU_ASSERT_TRUE(same(json_number_value(change_of(report, 2)), 0.0)); // is the reference
    json_decref(report);
}

static bool changed_nothing(const json_t *report, size_t axis)
{
    const json_t *of = json_array_get(json_object_get(report, "axes"), axis);
    return json_is_true(json_object_get(of, "changed_nothing"));
}

static void check_changed(struct outcome *outcome, bool a, bool b)
{
    json_t *report = report_of(outcome);
    CU_ASSERT_EQUAL(changed_nothing(report, 0), !a);
    CU_ASSERT_EQUAL(changed_nothing(report, 1), !b);
    SUITE_SAME_INTEGER(
        (long long)json_array_size(json_object_get(report, "warnings")),
        !a + !b +
            (json_integer_value(json_object_get(json_object_get(report, "ends"), "impossible")) >
             0) +
            (json_integer_value(json_object_get(json_object_get(report, "ends"), "missing")) > 0));
    json_decref(report);
}

static void axes_that_change_nothing(void)
{
    static const double only_b[] = {1, 2, 1, 2, 1, 2}, last[] = {1, 1, 1, 1, 1, 2};
    struct outcome *outcome = completed_outcome();
    add_curve(outcome, "latency_us", 4, only_b);
    check_changed(outcome, false, true);
    // One value at one point is enough.
    outcome = completed_outcome();
    add_curve(outcome, "latency_us", 4, last);
    check_changed(outcome, true, true);
    // Another end is a change, with the same values.
    outcome = completed_outcome();
    end_with(outcome, 2, "failed", "area_overrun");
    end_with(outcome, 3, "failed", "area_overrun");
    check_changed(outcome, true, false);
    outcome = completed_outcome();
    end_with(outcome, 0, "failed", "area_overrun");
    end_with(outcome, 1, "failed", "connection_broken");
    check_changed(outcome, true, true);
    // The first value has no results; the others differ.
    outcome = completed_outcome();
    add_curve(outcome, "latency_us", 4, (const double[]){NAN, 1, 2, 1, 3, 1});
    impossible(outcome, 0);
    check_changed(outcome, true, true);
    // Missing points do not make an axis one without effect.
    outcome = completed_outcome();
    for (int point = 0; point < 6; point++)
        end_with(outcome, point, "missing", NULL);
    check_changed(outcome, true, true);
}

static void where_failures_lie(void)
{
    struct outcome *outcome = completed_outcome();
    end_with(outcome, 0, "failed", "area_overrun");
    end_with(outcome, 2, "deadlock", NULL);
    end_with(outcome, 5, "missing", NULL);
    impossible(outcome, 1);
    char *text = outcome_report_text(outcome);
    SUITE_CONTAINS(text, "2 completed, 1 deadlock, 1 failed, 1 missing, 1 impossible");
    SUITE_CONTAINS(text, "\n  1  fails   -\n  2  fails  ok\n  3     ok   -\n");
    g_free(text);
    json_t *report = report_of(outcome);
    const json_t *failures = json_object_get(report, "failures");
    SUITE_SAME_INTEGER((long long)json_array_size(failures), 2);
    const json_t *first = json_array_get(failures, 0);
    SUITE_SAME_TEXT(json_string_value(json_object_get(first, "kind")), "area_overrun");
    SUITE_SAME_INTEGER((int)real(first, "count"), 1);
    const json_t *pair = json_array_get(json_object_get(report, "ends_by_pair"), 0);
    json_t *failed = json_pack("[[i,i],[i,i],[i,i]]", 1, 0, 1, 0, 0, 0);
    CU_ASSERT_TRUE(json_equal(json_object_get(pair, "failed"), failed));
    json_decref(failed);
    json_decref(report);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"best and worst", best_and_worst},
        {"effects", effects},
        {"axes that change nothing", axes_that_change_nothing},
        {"where failures lie", where_failures_lie},
        {0},
    };
    return suite_run("campaign: report of an outcome", cases);
}
