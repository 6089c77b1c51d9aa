// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/curve_benchmark.h"

#include "sim/flow/pieces.h"
#include "sim/workload/run.h"

#include <math.h>
#include <string.h>

#define LARGEST (INT64_C(4) << 20)
#define PER_OCTAVE 4
#define MOST_CHANGE 0.01 // of the ratio between neighbours
#define MOST_ROUNDS 12
#define MOST_POINTS 200
// Between the default sizes, longer messages are repeated this often only: what went before matters
// less to them.
#define LONG 16384
#define LONG_REPETITIONS 10

struct benchmarking {
    const struct registry *registry;
    struct scenario_case test_case;
    const struct flow_curve *curve;
    GArray *found; // struct piece_point by size: ratio of the benchmark to the curve
    char **error;
};

static gint by_size(gconstpointer a, gconstpointer b)
{
    int64_t one = ((const struct piece_point *)a)->size,
            other = ((const struct piece_point *)b)->size;
    return (one > other) - (one < other);
}

static const struct piece_point *found_at(const struct benchmarking *benchmarking, guint i)
{
    return &g_array_index(benchmarking->found, struct piece_point, i);
}

static bool is_found(const struct benchmarking *benchmarking, int64_t size)
{
    const struct piece_point key = {.size = size};
    return g_array_binary_search(benchmarking->found, &key, by_size, NULL);
}

// ---- Runs ----

static void keep(struct benchmarking *benchmarking, const struct series_result *result)
{
    for (guint i = 0; i < result->values->len; i++) {
        const struct result_value *value = &g_array_index(result->values, struct result_value, i);
        if (strcmp(value->metric, "latency_us") != 0 || value->value <= 0)
            continue;
        double one_way = flow_curve_at(benchmarking->curve, value->size, false).one_way;
        struct piece_point point = {value->size, value->value * 1e-6 / one_way};
        g_array_append_val(benchmarking->found, point);
    }
    g_array_sort(benchmarking->found, by_size);
}

// Runs the benchmark over sizes that are not found yet, in order; they are gone afterwards.
static bool run_sizes(struct benchmarking *benchmarking, GArray *sizes)
{
    bool good = true;
    if (sizes->len > 0) {
        benchmarking->test_case.workload.sizes = sizes;
        struct series_result *result =
            run_case(benchmarking->registry, &benchmarking->test_case, 0, 1, NULL);
        good = result->status == SIM_COMPLETED;
        if (good)
            keep(benchmarking, result);
        else
            *benchmarking->error = g_strdup_printf("the benchmark " CURVE_BENCHMARK " %s",
                                                   sim_status_name(result->status));
        series_result_free(result);
    }
    g_array_free(sizes, TRUE);
    return good;
}

static GArray *sizes_new(void)
{
    return g_array_new(FALSE, FALSE, sizeof(int64_t));
}

static void ask(const struct benchmarking *benchmarking, GArray *sizes, int64_t size)
{
    if (!is_found(benchmarking, size))
        g_array_append_val(sizes, size);
}

// The same, with fewer repetitions of long messages.
static bool run_briefly(struct benchmarking *benchmarking, GArray *sizes)
{
    GArray *brief = sizes_new(), *whole = sizes_new();
    for (guint i = 0; i < sizes->len; i++) {
        int64_t size = g_array_index(sizes, int64_t, i);
        if (size > LONG)
            g_array_append_val(brief, size);
        else
            g_array_append_val(whole, size);
    }
    g_array_free(sizes, TRUE);
    bool good = run_sizes(benchmarking, whole);
    benchmarking->test_case.workload.repetitions = LONG_REPETITIONS;
    if (good)
        good = run_sizes(benchmarking, brief);
    else
        g_array_free(brief, TRUE);
    benchmarking->test_case.workload.repetitions = 0;
    return good;
}

// Those that the benchmark has by default, in a run of their own, as it is when a user asks.
static bool run_default(struct benchmarking *benchmarking)
{
    GArray *sizes = sizes_new();
    ask(benchmarking, sizes, 0);
    for (int64_t size = 1; size <= LARGEST; size *= 2)
        ask(benchmarking, sizes, size);
    return run_sizes(benchmarking, sizes);
}

static bool run_between(struct benchmarking *benchmarking)
{
    GArray *sizes = sizes_new();
    for (int64_t power = 1; power < LARGEST; power *= 2) {
        int64_t eager = benchmarking->curve->eager, step = MAX(power / PER_OCTAVE, 1);
        for (int64_t size = power; size < 2 * power; size += step) {
            ask(benchmarking, sizes, size);
            // Both sides of the limit, in their place.
            for (int64_t limit = eager; eager > size && limit <= eager + 1 && limit < size + step;
                 limit++)
                if (limit < LARGEST && limit != size)
                    ask(benchmarking, sizes, limit);
        }
    }
    return run_briefly(benchmarking, sizes);
}

// Halves the gaps over which the ratio changes, until it is clear where it does.
static bool run_changes(struct benchmarking *benchmarking)
{
    bool good = true;
    guint before = 0;
    for (int round = 0; good && round < MOST_ROUNDS && before < benchmarking->found->len; round++) {
        GArray *sizes = sizes_new();
        before = benchmarking->found->len;
        for (guint i = 0; i + 1 < before && before + sizes->len < MOST_POINTS; i++) {
            const struct piece_point *one = found_at(benchmarking, i);
            int64_t middle = one[0].size + (one[1].size - one[0].size) / 2;
            if (fabs(one[1].value / one[0].value - 1) > MOST_CHANGE && middle > one[0].size)
                ask(benchmarking, sizes, middle);
        }
        good = run_briefly(benchmarking, sizes);
    }
    return good;
}

// ---- The curve ----

static void add_point(const struct benchmarking *benchmarking, GArray *points, int64_t size)
{
    const struct piece_point *ratios = found_at(benchmarking, 0);
    struct curve_point point = flow_curve_at(benchmarking->curve, size, false);
    point.size = size;
    point.one_way *= pieces_curve_at(ratios, (int)benchmarking->found->len, size);
    g_array_append_val(points, point);
}

// The points of both, by size.
static GArray *merged(const struct benchmarking *benchmarking)
{
    const GArray *old = benchmarking->curve->points;
    GArray *points = g_array_new(FALSE, FALSE, sizeof(struct curve_point));
    guint i = 0, j = 0;
    while (i < old->len || j < benchmarking->found->len) {
        int64_t one = i < old->len ? g_array_index(old, struct curve_point, i).size : INT64_MAX;
        int64_t other = j < benchmarking->found->len ? found_at(benchmarking, j)->size : INT64_MAX;
        add_point(benchmarking, points, MIN(one, other));
        i += one <= other;
        j += other <= one;
    }
    return points;
}

static bool stack_has(const struct stack_schema *stack, const char *benchmark)
{
    return stack->benchmarks && g_strv_contains(stack->benchmarks, benchmark);
}

bool curve_benchmark(const struct registry *registry, const struct scenario_case *test_case,
                     struct flow_curve *curve, char **error)
{
    const struct benchmark *benchmark = registry_benchmark(registry, CURVE_BENCHMARK);
    if (!benchmark || !stack_has(test_case->stack, CURVE_BENCHMARK))
        return true;
    struct benchmarking benchmarking = {
        .registry = registry, .test_case = *test_case, .curve = curve, .error = error};
    GArray *placement = g_array_new(FALSE, FALSE, sizeof(int));
    g_array_append_val(placement, curve->from);
    g_array_append_val(placement, curve->to);
    benchmarking.test_case.workload = (struct workload){.benchmark = &benchmark->schema,
                                                        .ranks = 2,
                                                        .placement = placement,
                                                        .mark = test_case->workload.mark};
    benchmarking.found = g_array_new(FALSE, FALSE, sizeof(struct piece_point));
    bool good =
        run_default(&benchmarking) && run_between(&benchmarking) && run_changes(&benchmarking);
    if (good) {
        GArray *points = merged(&benchmarking);
        g_array_free(curve->points, TRUE);
        curve->points = points;
    }
    g_array_free(benchmarking.found, TRUE);
    g_array_free(placement, TRUE);
    return good;
}
