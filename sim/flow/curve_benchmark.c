// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/curve_benchmark.h"

#include "sim/flow/gaps.h"
#include "sim/flow/pieces.h"
#include "sim/run/run.h"

#include <string.h>

#define BENCHMARK_LARGEST (INT64_C(4) << 20)
#define TOLERANCE 0.01             // by which a size may be off the line between its neighbours
#define BENCHMARK_MOST_POINTS 1000 // between those of the grid
// Between the default sizes, longer messages are repeated this often only: earlier messages affect
// them less.
#define LONG 16384
#define LONG_REPETITIONS 10

struct benchmarking {
    const struct registry *registry;
    struct scenario_case test_case;
    const struct flow_curve *curve;
    const struct curve_watch *watch; // NULL: none
    GArray *found;                   // struct piece_point by size: half a round trip in s
    char **error;
};

static gint benchmark_by_size(gconstpointer a, gconstpointer b)
{
    int64_t one = ((const struct piece_point *)a)->size,
            other = ((const struct piece_point *)b)->size;
    return (one > other) - (one < other);
}

static const struct piece_point *benchmark_found_at(const struct benchmarking *benchmarking,
                                                    guint i)
{
    return &g_array_index(benchmarking->found, struct piece_point, i);
}

static bool is_found(const struct benchmarking *benchmarking, int64_t size)
{
    const struct piece_point key = {.size = size};
    return g_array_binary_search(benchmarking->found, &key, benchmark_by_size, NULL);
}

// ---- Runs ----

// Reports the number of measured sizes at each poll of a run. Never ends the run.
static bool benchmark_beat(void *owner)
{
    const struct benchmarking *benchmarking = owner;
    if (benchmarking->watch)
        benchmarking->watch->measured(benchmarking->watch->owner, (int)benchmarking->found->len);
    return false;
}

static void keep(struct benchmarking *benchmarking, const struct series_result *result)
{
    for (guint i = 0; i < result->values->len; i++) {
        const struct result_value *value = &g_array_index(result->values, struct result_value, i);
        if (strcmp(value->metric, "latency_us") != 0 || value->value <= 0)
            continue;
        struct piece_point point = {value->size, value->value * 1e-6};
        g_array_append_val(benchmarking->found, point);
    }
    g_array_sort(benchmarking->found, benchmark_by_size);
}

// Runs the benchmark over sizes that are not found yet, in order; they are gone afterwards.
static bool run_sizes(struct benchmarking *benchmarking, GArray *sizes)
{
    bool good = true;
    if (sizes->len > 0) {
        benchmarking->test_case.workload.sizes = sizes;
        const struct run_options options = {.enough = benchmark_beat, .enough_owner = benchmarking};
        struct series_result *result =
            run_case(benchmarking->registry, &benchmarking->test_case, 0, 1, &options);
        benchmark_beat(benchmarking);
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

static void benchmark_ask(const struct benchmarking *benchmarking, GArray *sizes, int64_t size)
{
    if (!is_found(benchmarking, size))
        g_array_append_val(sizes, size);
}

// Runs the benchmark at these sizes, with fewer repetitions of long messages.
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
    benchmark_ask(benchmarking, sizes, 0);
    for (int64_t size = 1; size <= BENCHMARK_LARGEST; size *= 2)
        benchmark_ask(benchmarking, sizes, size);
    return run_sizes(benchmarking, sizes);
}

// Four per octave, and both sides of the eager limit in their place.
static bool run_grid(struct benchmarking *benchmarking)
{
    GArray *grid = gaps_grid(BENCHMARK_LARGEST), *sizes = sizes_new();
    int64_t limit = benchmarking->curve->eager;
    for (guint i = 0; i < grid->len; i++) {
        int64_t size = g_array_index(grid, int64_t, i);
        int64_t next = i + 1 < grid->len ? g_array_index(grid, int64_t, i + 1) : size;
        benchmark_ask(benchmarking, sizes, size);
        if (limit > size && limit < next)
            benchmark_ask(benchmarking, sizes, limit);
        if (limit >= size && limit < next - 1)
            benchmark_ask(benchmarking, sizes, limit + 1);
    }
    g_array_unref(grid);
    return run_briefly(benchmarking, sizes);
}

// ---- Between ----

static bool benchmark_sizes(void *owner, const GArray *sizes)
{
    return run_briefly(owner, g_array_copy((GArray *)sizes));
}

static double benchmark_one_way_at(void *owner, int64_t size)
{
    const struct benchmarking *benchmarking = owner;
    return pieces_curve_at(benchmark_found_at(benchmarking, 0), (int)benchmarking->found->len,
                           size);
}

static bool run_between(struct benchmarking *benchmarking)
{
    const struct gaps_search search = {
        .owner = benchmarking,
        .measure = benchmark_sizes,
        .value = benchmark_one_way_at,
        .tolerance = TOLERANCE,
        .most = BENCHMARK_MOST_POINTS,
    };
    GArray *sizes = sizes_new();
    for (guint i = 0; i < benchmarking->found->len; i++)
        g_array_append_val(sizes, benchmark_found_at(benchmarking, i)->size);
    bool good = gaps_close(&search, sizes);
    g_array_unref(sizes);
    return good;
}

// ---- The curve ----

// The benchmark's times, divided among sender, wire and receiver as in the curve.
static GArray *benchmark_points_of(const struct benchmarking *benchmarking)
{
    GArray *points = g_array_new(FALSE, FALSE, sizeof(struct flow_curve_point));
    for (guint i = 0; i < benchmarking->found->len; i++) {
        const struct piece_point *found = benchmark_found_at(benchmarking, i);
        struct flow_curve_point point = flow_curve_at(benchmarking->curve, found->size, false);
        point.size = found->size;
        point.one_way = found->value;
        g_array_append_val(points, point);
    }
    return points;
}

static bool stack_has(const struct stack_schema *stack, const char *benchmark)
{
    return stack->benchmarks && g_strv_contains(stack->benchmarks, benchmark);
}

bool curve_benchmark(const struct registry *registry, const struct scenario_case *test_case,
                     struct flow_curve *curve, const struct curve_watch *watch, char **error)
{
    const struct benchmark *benchmark = registry_benchmark(registry, CURVE_BENCHMARK);
    if (!benchmark || !stack_has(test_case->stack, CURVE_BENCHMARK))
        return true;
    struct benchmarking benchmarking = {.registry = registry,
                                        .test_case = *test_case,
                                        .curve = curve,
                                        .watch = watch,
                                        .error = error};
    GArray *placement = g_array_new(FALSE, FALSE, sizeof(int));
    g_array_append_val(placement, curve->from);
    g_array_append_val(placement, curve->to);
    benchmarking.test_case.workload = (struct workload){.benchmark = &benchmark->schema,
                                                        .ranks = 2,
                                                        .placement = placement,
                                                        .mark = test_case->workload.mark};
    benchmarking.found = g_array_new(FALSE, FALSE, sizeof(struct piece_point));
    bool good = run_default(&benchmarking) && run_grid(&benchmarking) && run_between(&benchmarking);
    if (good) {
        GArray *points = benchmark_points_of(&benchmarking);
        g_array_free(curve->points, TRUE);
        curve->points = points;
    }
    g_array_free(benchmarking.found, TRUE);
    g_array_free(placement, TRUE);
    return good;
}
