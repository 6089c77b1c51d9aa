// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmarks that models bring along: the registry knows them, runs build them with their own keys,
// and their measurements are reported as they declare. The library is made up: a call takes 1 us
// for each of its count, and reports twice that.
#include "sim/output/json.h"
#include "sim/output/table.h"
#include "sim/run/run.h"
#include "sim/run/schema.h"
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- A library whose only operation is a call ----

struct call {
    struct operation_arguments common;
    int64_t count;
};

static const struct operation_key call_keys[] = {
    {.param = PARAM(struct call, count, PARAM_COUNT, .doc = "how long")},
    {.param = {.name = NULL}}};

static const struct operation_kind call_kinds[] = {
    {.name = "call", .doc = "takes time", .keys = call_keys, .size = sizeof(struct call)}, {0}};

static void call_start(struct cpu_context *context, struct mpi_request *request)
{
    sim_time time = ((const struct call *)request->arguments)->count * TIME_US;
    cpu_spend_time(context, time * (1 + request->process->rank),
                   stage_called("call", STAGE_LIBRARY));
    request->process->reported += 2 * time;
    mpi_request_done(context, request);
}

static enum mpi_progress call_advance(struct cpu_context *context, struct mpi_process *process,
                                      bool blocking)
{
    (void)context, (void)process;
    return blocking ? PROGRESS_BLOCKED : PROGRESS_NOTHING;
}

static const struct mpi_device_ops call_ops = {
    .name = "called",
    .start = call_start,
    .advance = call_advance,
};

static const struct stack called_stack = {
    .schema =
        {
            .name = "called",
            .doc = "calls alone",
            .benchmarks = (const char *const[]){"called.scan", "called.inside", "called.rate",
                                                "called.each", "program", NULL},
            .nics = (const char *const[]){NULL},
            .operations = (const char *const[]){"call", NULL},
        },
    .device = &call_ops,
};

// ---- Its benchmarks ----

struct scan_config {
    int64_t each; // of the count, for each channel
};

static const struct param scan_params[] = {
    PARAM(struct scan_config, each, PARAM_COUNT, .fallback = "1", .least = "1",
          .doc = "calls for each channel", .source = "assumed"),
    {0},
};

static const struct param_table scan_table = PARAM_TABLE(
    struct scan_config, scan_params, .name = "called.scan", .doc = "keys of called.scan");

static void append_call(GPtrArray *body, int64_t count)
{
    struct call *call = op_append_kind(body, &call_kinds[0])->arguments;
    call->count = count;
}

static void build(struct program *program, const struct workload *workload, int64_t each,
                  bool reported)
{
    struct program_part *part = program_add_part(program);
    part->all = true;
    for (guint i = 0; i < workload->sizes->len; i++) {
        int64_t size = g_array_index(workload->sizes, int64_t, i);
        op_append(part->body, OP_MEASURE_START);
        append_call(part->body, each * size);
        append_call(part->body, each * size);
        benchmark_measure_stop(part->body, size, 2, 1)->reported = reported;
    }
}

static void build_scan(struct program *program, const struct workload *workload)
{
    build(program, workload, ((const struct scan_config *)workload->parameters->values)->each,
          false);
}

static void build_inside(struct program *program, const struct workload *workload)
{
    build(program, workload, 1, true);
}

static void build_rate(struct program *program, const struct workload *workload)
{
    build(program, workload, 1, false);
}

// Repetition i takes i + 1 calls, and an unmeasured pause follows.
static void build_each(struct program *program, const struct workload *workload)
{
    struct program_part *part = program_add_part(program);
    part->all = true;
    for (guint i = 0; i < workload->sizes->len; i++) {
        int64_t size = g_array_index(workload->sizes, int64_t, i);
        for (int64_t k = 0; k < benchmark_repetitions(workload, size); k++) {
            op_append(part->body, OP_MEASURE_START);
            append_call(part->body, size * (k + 1));
            benchmark_measure_stop(part->body, size, 1, 1);
            append_call(part->body, 1000);
        }
    }
}

static const struct benchmark called_benchmarks[] = {
    {
        .schema = {.name = "called.each",
                   .doc = "each call apart",
                   .least_ranks = 1,
                   .most_ranks = 1,
                   .metrics = BENCHMARK_EACH_POINT_METRICS},
        .report = {.each_repetition = true, .messages = 1, .megabyte = BENCHMARK_MEGABYTE},
        .build = build_each,
    },
    {
        .schema = {.name = "called.scan",
                   .doc = "looks at channels",
                   .least_ranks = 1,
                   .most_ranks = 1,
                   .metrics = "scan_us",
                   .counts = "channels",
                   .sizes = "1 .. 4",
                   .parameters = &scan_table},
        .report = {.time_metric = "scan_us"},
        .build = build_scan,
    },
    {
        .schema = {.name = "called.inside",
                   .doc = "what the library reports",
                   .least_ranks = 1,
                   .most_ranks = 1,
                   .metrics = "latency_us",
                   .counts = "channels"},
        .build = build_inside,
    },
    {.build = NULL},
};

static const struct benchmark more_benchmarks[] = {
    {
        .schema = {.name = "called.rate",
                   .doc = "a rate of 10^6 B",
                   .least_ranks = 1,
                   .metrics = "latency_us, latency_min_us, latency_avg_us, bandwidth_MB_per_s"},
        .report = {.all_ranks = true, .messages = 2, .megabyte = 1000000},
        .build = build_rate,
    },
    {.build = NULL},
};

static const struct model called_model = {
    .name = "called",
    .stacks = (const struct stack *const[]){&called_stack, NULL},
    .benchmarks = called_benchmarks,
    .operations = call_kinds,
};

static const struct model more_model = {.name = "more", .benchmarks = more_benchmarks};

static const struct registry registry = {
    (const struct model *const[]){&called_model, &more_model, NULL}};

// ---- Running ----

struct ran {
    struct scenario_schema *schema;
    struct scenario *scenario;
    struct result *result;
    char *progress;
};

static void on_progress(void *owner, int series, double done, const char *detail)
{
    (void)series, (void)done;
    struct ran *ran = owner;
    g_free(ran->progress);
    ran->progress = g_strdup(detail);
}

static struct ran run(const char *workload)
{
    struct ran ran = {.schema = registry_schema(&registry)};
    char *text = g_strdup_printf("schema: 1\nname: t\nstack: called\nhosts: [{name: n, count: "
                                 "2}]\nlinks: [{from: n0, to: n1}]\nworkload: %s\n",
                                 workload);
    struct diag_list *diags = diag_list_new();
    ran.scenario = scenario_parse(text, strlen(text), "t.yaml", NULL, ran.schema, NULL, diags);
    diag_print(diags, stderr);
    CU_ASSERT_PTR_NOT_NULL_FATAL(ran.scenario);
    const struct run_options options = {.progress = on_progress, .progress_owner = &ran};
    ran.result = run_scenario(&registry, ran.scenario, &options);
    diag_list_free(diags);
    g_free(text);
    return ran;
}

static void clear(struct ran *ran)
{
    result_free(ran->result);
    scenario_free(ran->scenario);
    registry_schema_free(ran->schema);
    g_free(ran->progress);
}

// "metric at size = value; " of all values.
static void expect_values(const struct ran *ran, const char *expected)
{
    const struct series_result *series = g_ptr_array_index(ran->result->series, 0);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < series->values->len; i++) {
        const struct result_value *value = &g_array_index(series->values, struct result_value, i);
        g_string_append_printf(text, "%s at %" G_GINT64_FORMAT " = %g; ", value->metric,
                               value->size, value->value);
    }
    SUITE_SAME_TEXT(text->str, expected);
    g_string_free(text, TRUE);
}

// The table of the values; free with free().
static char *table_of(const struct ran *ran)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    table_print(ran->result, &(struct table_options){0}, stream);
    fclose(stream);
    return text;
}

static void test_counts(void)
{
    struct ran ran = run("{benchmark: called.scan, sizes: [1, 3], each: 5}");
    expect_values(&ran, "scan_us at 1 = 5; scan_us at 3 = 15; ");
    SUITE_SAME_TEXT(ran.progress, "called: 3 channels");
    json_t *json = series_json(g_ptr_array_index(ran.result->series, 0));
    SUITE_SAME_TEXT(json_string_value(json_object_get(json, "counts")), "channels");
    json_decref(json);
    char *table = table_of(&ran);
    SUITE_CONTAINS(table, "channels");
    CU_ASSERT_PTR_NULL(strstr(table, "bytes"));
    free(table);
    clear(&ran);
    ran = run("{benchmark: called.scan}");
    expect_values(&ran, "scan_us at 1 = 1; scan_us at 2 = 2; scan_us at 4 = 4; ");
    clear(&ran);
}

static void test_reported(void)
{
    struct ran ran = run("{benchmark: called.inside, sizes: [1, 3]}");
    // Each measurement starts anew.
    expect_values(&ran, "latency_us at 1 = 2; latency_us at 3 = 6; ");
    clear(&ran);
}

static void test_rate(void)
{
    struct ran ran = run("{benchmark: called.rate, sizes: 100 B, ranks: 2}");
    // Rank 1 takes twice as long. 200 B in 200 us.
    expect_values(&ran, "latency_us at 100 = 200; latency_min_us at 100 = 100; latency_avg_us at "
                        "100 = 150; bandwidth_MB_per_s at 100 = 1; ");
    json_t *json = series_json(g_ptr_array_index(ran.result->series, 0));
    CU_ASSERT_PTR_NULL(json_object_get(json, "counts"));
    json_decref(json);
    char *table = table_of(&ran);
    SUITE_CONTAINS(table, "bytes");
    free(table);
    clear(&ran);
}

static void test_each(void)
{
    struct ran ran = run("{benchmark: called.each, sizes: [1 B, 10 B], repetitions: 3}");
    // 10 B in 20 us, the mean, are 0.5 * 10^6 B/s.
    const char *values = "latency_us at 1 = 2; bandwidth_MB_per_s at 1 = 0.5; "
                         "repetition_min_us at 1 = 1; repetition_max_us at 1 = 3; "
                         "latency_us at 10 = 20; bandwidth_MB_per_s at 10 = 0.5; "
                         "repetition_min_us at 10 = 10; repetition_max_us at 10 = 30; ";
    expect_values(&ran, values);
    SUITE_SAME_TEXT(ran.progress, "called: 10 B");
    char *table = table_of(&ran);
    SUITE_CONTAINS(table, "latency  bandwidth  repetition min  repetition max");
    free(table);
    clear(&ran);
    ran = run("{benchmark: called.each, sizes: 7 B, repetitions: 1}");
    expect_values(&ran, "latency_us at 7 = 7; bandwidth_MB_per_s at 7 = 1; "
                        "repetition_min_us at 7 = 7; repetition_max_us at 7 = 7; ");
    clear(&ran);
}

// With samples the same least and greatest come from these, each once, and the rest besides.
static void test_each_sampled(void)
{
    struct ran ran =
        run("{benchmark: called.each, sizes: [1 B, 10 B], repetitions: 3, samples: true}");
    expect_values(&ran, "latency_us at 1 = 2; bandwidth_MB_per_s at 1 = 0.5; "
                        "repetition_p50_us at 1 = 2; repetition_p90_us at 1 = 2.8; "
                        "repetition_p99_us at 1 = 2.98; repetition_min_us at 1 = 1; "
                        "repetition_max_us at 1 = 3; repetition_sd_us at 1 = 1; "
                        "latency_us at 10 = 20; bandwidth_MB_per_s at 10 = 0.5; "
                        "repetition_p50_us at 10 = 20; repetition_p90_us at 10 = 28; "
                        "repetition_p99_us at 10 = 29.8; repetition_min_us at 10 = 10; "
                        "repetition_max_us at 10 = 30; repetition_sd_us at 10 = 10; ");
    const struct series_result *series = g_ptr_array_index(ran.result->series, 0);
    CU_ASSERT_EQUAL_FATAL(series->samples->len, 6);
    static const double expected[] = {1, 2, 3, 10, 20, 30};
    for (guint i = 0; i < 6; i++)
        CU_ASSERT_EQUAL(g_array_index(series->samples, struct result_sample, i).us, expected[i]);
    clear(&ran);
}

static void test_registry(void)
{
    SUITE_SAME_TEXT(registry_benchmark(&registry, "called.rate")->schema.name, "called.rate");
    SUITE_SAME_TEXT(registry_benchmark(&registry, "pmb.bcast")->schema.name, "pmb.bcast");
    CU_ASSERT_PTR_NULL(registry_benchmark(&registry, "linpack"));
    struct scenario_schema *schema = registry_schema(&registry);
    int known = 0, own = 0;
    for (const struct benchmark_schema *one = schema->benchmarks; one->name; one++) {
        known++;
        own += g_str_has_prefix(one->name, "called.");
    }
    SUITE_SAME_INTEGER(own, 4);
    CU_ASSERT(known > own);
    registry_schema_free(schema);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"counts and own keys", test_counts},
        {"times that the library reports", test_reported},
        {"rates", test_rate},
        {"each repetition apart", test_each},
        {"each repetition apart, with samples", test_each_sampled},
        {"the registry", test_registry},
        {0},
    };
    return suite_run("workload: benchmarks that models bring", cases);
}
