// SPDX-License-Identifier: GPL-3.0-or-later
// Axes from arguments: what separates values, what ranges stand for, how points are counted.
#include "sim/scenario/sweep.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <string.h>

struct bench {
    struct sweep *sweep;
    struct diag_list *diags;
};

static struct bench bench_new(void)
{
    return (struct bench){sweep_new(), diag_list_new()};
}

static void bench_free(struct bench *bench)
{
    sweep_free(bench->sweep);
    diag_list_free(bench->diags);
}

static void add(struct bench *bench, const char *argument)
{
    sweep_add(bench->sweep, argument, &fake_schema, bench->diags);
}

static const char *message(const struct bench *bench)
{
    const struct diag *first =
        bench->diags->items->len ? g_ptr_array_index(bench->diags->items, 0) : NULL;
    return first ? first->message : "";
}

// The values of the only axis, as "[1 KiB] [2 KiB]".
static void check_values(const char *argument, const char *expected)
{
    struct bench bench = bench_new();
    add(&bench, argument);
    CU_ASSERT_FALSE(diag_any(bench.diags));
    GString *text = g_string_new(NULL);
    const struct sweep_axis *axis = sweep_axis_at(bench.sweep, 0);
    for (guint i = 0; i < axis->values->len; i++)
        g_string_append_printf(text, "%s[%s]", i ? " " : "", sweep_value_at(axis, (int)i)->text);
    SUITE_SAME_TEXT(text->str, expected);
    g_string_free(text, TRUE);
    bench_free(&bench);
}

static void commas_and_brackets(void)
{
    check_values("fake_rpi.tiny=1 KiB,2 KiB", "[1 KiB] [2 KiB]");
    check_values("fake_rpi.tiny = 1 KiB , 2 KiB ", "[1 KiB] [2 KiB]");
    check_values("fake_rpi.label='a,b',\"c,\\\"d\"", "['a,b'] [\"c,\\\"d\"]");
    check_values("workload={sizes: [1 B, 2 B]},{sizes: 4 B}",
                 "[{sizes: [1 B, 2 B]}] [{sizes: 4 B}]");
    check_values("workload.sizes=[],[[1, 2], 3],4", "[[]] [[[1, 2], 3]] [4]");
}

static void ranges(void)
{
    check_values("fake_rpi.tiny=1 KiB .. 4 KiB", "[1 KiB] [2 KiB] [4 KiB]");
    check_values("fake_rpi.tiny=3 B .. 20 B", "[3 B] [6 B] [12 B] [20 B]");
    check_values("fake_rpi.tiny=0 B .. 4 B", "[0 B] [1 B] [2 B] [4 B]");
    check_values("fake_rpi.tiny=1 KiB .. 1 KiB", "[1 KiB]");
    check_values("fake_rpi.tiny=1 B,8 B .. 16 B,64 B", "[1 B] [8 B] [16 B] [64 B]");
    check_values("fake_rpi.tiny=", "[]"); // the key is removed
    check_values("fake_rpi.tiny= ", "[]");
    check_values("workload.sizes=1 B .. 4 B", "[1 B .. 4 B]"); // one value: a range of sizes
    check_values("fake_rpi.tiny='1 B .. 4 B'", "['1 B .. 4 B']");
    // The last doubling would overflow.
    struct bench bench = bench_new();
    add(&bench, "seed=5000000000000000000 .. 9000000000000000000");
    CU_ASSERT_FALSE(diag_any(bench.diags));
    SUITE_SAME_INTEGER(sweep_axis_at(bench.sweep, 0)->values->len, 2);
    bench_free(&bench);
}

static void check_mistake(const char *argument, const char *part, int column)
{
    struct bench bench = bench_new();
    add(&bench, argument);
    CU_ASSERT_TRUE(diag_any(bench.diags));
    SUITE_CONTAINS(message(&bench), part);
    if (bench.diags->items->len && column) {
        const struct diag *diag = g_ptr_array_index(bench.diags->items, 0);
        SUITE_SAME_INTEGER(diag->mark.column, column);
    }
    bench_free(&bench);
}

static void mistakes_have_their_column(void)
{
    check_mistake("", "not an axis", 0);
    check_mistake("fake_rpi.tiny", "not an axis", 0);
    check_mistake("=1", "not an axis", 0);
    check_mistake("fake_rpi.tiny=\xff", "not an axis", 0);
    check_mistake("fake_rpi.tyny=1", "no such key", 1);
    check_mistake("fake_rpi.tiny=,2", "a value is missing", 15);
    check_mistake("fake_rpi.tiny=1,,2", "a value is missing", 17);
    check_mistake("fake_rpi.tiny=1,2,", "a value is missing", 19);
    check_mistake("fake_rpi.tiny=1,1", "there twice", 17);
    check_mistake("fake_rpi.tiny=1,[2", "not closed", 17);
    check_mistake("fake_rpi.tiny=1,'2", "not closed", 17);
    check_mistake("fake_rpi.tiny=8 B .. 4 B", "range is empty", 15);
    check_mistake("fake_rpi.tiny=-1 .. 4", "never leaves", 15);
    check_mistake("fake_rpi.label=\u00e4,\u00e4", "there twice", 18); // characters, not bytes
}

static void an_axis_has_one_origin(void)
{
    struct bench bench = bench_new();
    add(&bench, "fake_rpi.tiny=1 KiB");
    add(&bench, "fake_rpi.area=64 KiB");
    CU_ASSERT_FALSE(diag_any(bench.diags));
    add(&bench, "fake_rpi.tiny=2 KiB");
    SUITE_CONTAINS(message(&bench), "the axis is there twice");
    bench_free(&bench);
}

// The last axis is the fastest, and seeds are faster than that.
static void product_counts_like_digits(void)
{
    struct bench bench = bench_new();
    add(&bench, "fake_rpi.tiny=1,2,3");
    add(&bench, "fake_rpi.area=10,20");
    bench.sweep->seeds = 2;
    CU_ASSERT_TRUE(sweep_check(bench.sweep, bench.diags));
    SUITE_SAME_INTEGER(sweep_points(bench.sweep), 12);
    for (int point = 0; point < 12; point++) {
        SUITE_SAME_INTEGER(sweep_point_value(bench.sweep, point, 0), point / 4);
        SUITE_SAME_INTEGER(sweep_point_value(bench.sweep, point, 1), point / 2 % 2);
        SUITE_SAME_INTEGER((long long)sweep_point_seed(bench.sweep, point), point % 2 + 1);
    }
    struct sweep *copy = sweep_copy(bench.sweep);
    SUITE_SAME_INTEGER(sweep_points(copy), 12);
    SUITE_SAME_TEXT(sweep_value_at(sweep_axis_at(copy, 1), 1)->text, "20");
    sweep_free(copy);
    bench_free(&bench);
}

static void zip_goes_in_step(void)
{
    struct bench bench = bench_new();
    add(&bench, "fake_rpi.tiny=1,2,3");
    add(&bench, "fake_rpi.area=10,20,30");
    bench.sweep->mode = SWEEP_ZIP;
    CU_ASSERT_TRUE(sweep_check(bench.sweep, bench.diags));
    SUITE_SAME_INTEGER(sweep_points(bench.sweep), 3);
    for (int point = 0; point < 3; point++)
        for (int axis = 0; axis < 2; axis++)
            SUITE_SAME_INTEGER(sweep_point_value(bench.sweep, point, axis), point);
    SUITE_SAME_INTEGER((long long)sweep_point_seed(bench.sweep, 1), 0); // the scenario's
    add(&bench, "fake_rpi.cache=true,false");
    CU_ASSERT_FALSE(sweep_check(bench.sweep, bench.diags));
    SUITE_CONTAINS(message(&bench), "2 values, but fake_rpi.tiny has 3");
    bench_free(&bench);
}

static void sweeps_are_bounded(void)
{
    struct bench bench = bench_new();
    add(&bench, "fake_rpi.tiny=1,2,3,4,5,6,7,8,9,10,11");
    bench.sweep->seeds = SWEEP_MOST_SEEDS;
    CU_ASSERT_FALSE(sweep_check(bench.sweep, bench.diags));
    SUITE_CONTAINS(message(&bench), "110000 points");
    bench_free(&bench);
    bench = bench_new();
    add(&bench, "seed=1,2");
    bench.sweep->seeds = 2;
    CU_ASSERT_FALSE(sweep_check(bench.sweep, bench.diags));
    SUITE_CONTAINS(message(&bench), "exclude each other");
    bench_free(&bench);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"commas and brackets", commas_and_brackets},
        {"ranges", ranges},
        {"mistakes have their column", mistakes_have_their_column},
        {"an axis has one origin", an_axis_has_one_origin},
        {"product counts like digits", product_counts_like_digits},
        {"zip goes in step", zip_goes_in_step},
        {"sweeps are bounded", sweeps_are_bounded},
        {0},
    };
    return suite_run("config: sweep", cases);
}
