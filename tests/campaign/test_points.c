// SPDX-License-Identifier: GPL-3.0-or-later
// Points of a sweep, and what is read back of them: impossible ones, the newest sweep, merging, and
// the same rows from any number of workers.
#include "sim/campaign/points.h"

#include "sim/campaign/store.h"
#include "sim/outcome/outcome.h"
#include "sim/outcome/outcome_report.h"
#include "sim/run/schema.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static const char scenario_text[] =
    "schema: 1\n"
    "name: quick\n"
    "testbed: testbeds/cluster1.yaml\n"
    "series: [{name: A, stack: lam_via}, {name: B, stack: lam_via, set: {lam_via.rdescs: 40}}]\n"
    "workload: {benchmark: pmb.pingpong, sizes: [4 B, 6 KiB], repetitions: 3}\n";

// A sweep of the scenario under arguments, in a directory of its own.
struct bench {
    char *directory, *file, *database;
    struct scenario_schema *schema;
    struct sweep *sweep;
    struct diag_list *diags;
    struct campaign *campaign;
    struct points *points; // NULL if something was wrong
};

static struct campaign *open_campaign(const char *database, int jobs)
{
    const struct campaign_options options = {
        .database = database, .data_dir = getenv("NETSIM_SOURCE_DIR"), .jobs = jobs};
    GError *error = NULL;
    struct campaign *campaign = campaign_open(&model_registry, &options, &error);
    if (!campaign)
        g_error("%s", error->message);
    return campaign;
}

static struct bench bench_new(const char *const *arguments, int jobs)
{
    struct bench bench = {.directory = temporary_directory()};
    bench.file = temporary_file(bench.directory, "s.yaml", scenario_text);
    bench.database = g_build_filename(bench.directory, "s.sqlite", NULL);
    bench.schema = registry_schema(&model_registry);
    bench.sweep = sweep_new();
    bench.diags = diag_list_new();
    for (; *arguments; arguments++)
        sweep_add(bench.sweep, *arguments, bench.schema, bench.diags);
    CU_ASSERT_FALSE(diag_any(bench.diags));
    bench.campaign = open_campaign(bench.database, jobs);
    bench.points =
        points_new(bench.campaign, bench.file, "quick", bench.sweep, false, NULL, bench.diags);
    return bench;
}

static void bench_free(struct bench *bench)
{
    points_free(bench->points);
    campaign_close(bench->campaign);
    diag_list_free(bench->diags);
    sweep_free(bench->sweep);
    registry_schema_free(bench->schema);
    temporary_remove(bench->directory);
    g_free(bench->file);
    g_free(bench->database);
}

static void run(struct bench *bench)
{
    GError *error = NULL;
    if (!bench->points || !points_keep(bench->points, bench->campaign, &error) ||
        !campaign_run(bench->campaign, &error))
        g_error("%s", error ? error->message : "the sweep is wrong");
}

static const char *const four_points[] = {"lam_via.tiny=1 KiB,8 KiB", "lam_via.short=4 KiB,32 KiB",
                                          NULL};

// A tiny limit above the short one is a point without results, not a mistake.
static void a_combination_may_be_impossible(void)
{
    struct bench bench = bench_new(four_points, 2);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bench.points);
    CU_ASSERT_FALSE(diag_any(bench.diags));
    SUITE_SAME_INTEGER(bench.points->count, 4);
    SUITE_SAME_INTEGER(bench.points->impossible, 1);
    SUITE_SAME_INTEGER(bench.points->runs[2], -1);
    SUITE_CONTAINS(bench.points->problems[2], "lam_via.tiny");
    CU_ASSERT_PTR_NULL(bench.points->problems[3]);
    SUITE_SAME_INTEGER(campaign_pieces(bench.campaign), 6); // 3 points of 2 series
    char *text = points_describe(bench.points, 2);
    SUITE_SAME_TEXT(text, "lam_via.tiny=8 KiB, lam_via.short=4 KiB");
    g_free(text);
    bench_free(&bench);
}

static void check_wrong(const char *const *arguments, const char *part, guint complaints)
{
    struct bench bench = bench_new(arguments, 1);
    CU_ASSERT_PTR_NULL(bench.points);
    SUITE_SAME_INTEGER(bench.diags->items->len, complaints);
    if (bench.diags->items->len) {
        const struct diag *diag = g_ptr_array_index(bench.diags->items, 0);
        SUITE_CONTAINS(diag->message, part);
        SUITE_CONTAINS(diag->mark.file, "--set ");
    }
    bench_free(&bench);
}

// A value that is invalid everywhere is reported once, however many points have it.
static void a_wrong_value_is_told_once(void)
{
    check_wrong((const char *const[]){"lam_via.rdescs=40,x", "lam_via.short=16 KiB,32 KiB", NULL},
                "\"x\"", 1);
    check_wrong((const char *const[]){"lam_via.rdescs=40,x", "lam_via.tiny=1 KiB,1 furlong", NULL},
                "furlong", 2);
    check_wrong((const char *const[]){"lam_via.tiny=8 KiB", "lam_via.short=4 KiB", NULL},
                "longest tiny message", 1); // no point is possible
}

static void check_digest(const char *const *one, const char *const *other, bool same)
{
    struct bench a = bench_new(one, 1), b = bench_new(other, 1);
    char *first = points_digest(a.points, a.campaign),
         *second = points_digest(b.points, b.campaign);
    CU_ASSERT_EQUAL(strcmp(first, second) == 0, same);
    g_free(first);
    g_free(second);
    bench_free(&a);
    bench_free(&b);
}

static void digests_name_the_sweep(void)
{
    check_digest(four_points, four_points, true);
    check_digest(four_points,
                 (const char *const[]){"lam_via.tiny=1 KiB", "lam_via.short=4 KiB,32 KiB", NULL},
                 false);
    check_digest(
        four_points,
        (const char *const[]){"lam_via.short=4 KiB,32 KiB", "lam_via.tiny=1 KiB,8 KiB", NULL},
        false); // the order of axes is that of the report
}

static char *csv_of(const char *database)
{
    struct store *store = store_open_existing(database, NULL);
    struct outcome *outcome = outcome_read(store, NULL);
    char *text = g_string_free(outcome_csv(outcome), FALSE);
    outcome_free(outcome);
    store_close(store);
    return text;
}

static void any_number_of_workers_gives_the_same(void)
{
    char *first = NULL;
    for (int jobs = 1; jobs <= 5; jobs += 2) {
        struct bench bench = bench_new(four_points, jobs);
        run(&bench);
        char *text = csv_of(bench.database);
        if (!first)
            first = g_strdup(text);
        SUITE_SAME_TEXT(text, first);
        g_free(text);
        bench_free(&bench);
    }
    g_free(first);
}

static void outcome_is_what_was_run(void)
{
    struct bench bench = bench_new(four_points, 2);
    run(&bench);
    GError *error = NULL;
    struct outcome *outcome = outcome_read(campaign_store(bench.campaign), &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(outcome);
    SUITE_SAME_TEXT(outcome->scenario, "quick");
    SUITE_SAME_INTEGER(outcome->points, 4);
    SUITE_SAME_INTEGER(outcome->axes->len, 2);
    SUITE_SAME_INTEGER(outcome->series->len, 2);
    SUITE_SAME_TEXT(outcome_series_name(outcome, 1), "B");
    SUITE_SAME_INTEGER(outcome->indices[3 * 2 + 0], 1);
    SUITE_SAME_INTEGER(outcome->seeds[2], -1);
    CU_ASSERT_PTR_NOT_NULL(outcome->problems[2]);
    CU_ASSERT_PTR_NULL(outcome_end_at(outcome, 2, 0)->status);
    for (int point = 0; point < 4; point++)
        for (int series = 0; point != 2 && series < 2; series++)
            SUITE_SAME_TEXT(outcome_end_at(outcome, point, series)->status, "completed");
    for (guint i = 0; i < outcome->curves->len; i++) {
        const struct outcome_curve *curve = outcome_curve_at(outcome, (int)i);
        CU_ASSERT_TRUE(isnan(curve->values[2]));
        CU_ASSERT_TRUE(curve->values[0] > 0.0);
    }
    json_t *report = outcome_report_json(outcome);
    const json_t *ends = json_object_get(report, "ends");
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(ends, "completed")), 6);
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(ends, "impossible")), 1);
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(ends, "missing")), 0);
    json_decref(report);
    outcome_free(outcome);
    bench_free(&bench);
}

static void a_shard_leaves_the_rest_missing(void)
{
    struct bench bench = bench_new(four_points, 2);
    campaign_take_shard(bench.campaign, 2, 3);
    SUITE_SAME_INTEGER(campaign_pieces(bench.campaign), 2);
    run(&bench);
    struct outcome *outcome = outcome_read(campaign_store(bench.campaign), NULL);
    int missing = 0;
    for (int point = 0; point < 4; point++)
        for (int series = 0; series < 2; series++)
            missing += !g_strcmp0(outcome_end_at(outcome, point, series)->status, "missing");
    SUITE_SAME_INTEGER(missing, 4);
    char *text = outcome_report_text(outcome);
    SUITE_CONTAINS(text, "4 missing");
    SUITE_CONTAINS(text, "4 runs have not been made");
    g_free(text);
    outcome_free(outcome);
    bench_free(&bench);
}

// The newest is what reports are about; any can be read by its id.
static void the_newest_sweep_is_read(void)
{
    struct bench bench = bench_new(four_points, 2);
    run(&bench);
    char *first = points_digest(bench.points, bench.campaign);
    struct store *store = campaign_store(bench.campaign);
    CU_ASSERT_TRUE(store_execute(store,
                                 "INSERT INTO campaigns VALUES ('other', 2, 'later', 's',"
                                 " '{\"mode\": \"product\", \"seeds\": 0, \"axes\": []}')",
                                 NULL));
    struct outcome *outcome = outcome_read(store, NULL);
    SUITE_SAME_TEXT(outcome->scenario, "later");
    outcome_free(outcome);
    outcome = outcome_read_sweep(store, first, NULL);
    SUITE_SAME_TEXT(outcome->scenario, "quick");
    SUITE_SAME_INTEGER(outcome->points, 4);
    outcome_free(outcome);
    GError *error = NULL;
    CU_ASSERT_PTR_NULL(outcome_read_sweep(store, "nothing", &error));
    SUITE_CONTAINS(error->message, "no sweep");
    g_error_free(error);
    // Kept again, it is the newest.
    CU_ASSERT_TRUE(points_keep(bench.points, bench.campaign, NULL));
    outcome = outcome_read(store, NULL);
    SUITE_SAME_TEXT(outcome->scenario, "quick");
    outcome_free(outcome);
    g_free(first);
    bench_free(&bench);
}

static void merging_keeps_the_sweep(void)
{
    struct bench bench = bench_new(four_points, 2);
    run(&bench);
    char *expected = csv_of(bench.database);
    struct store *from = store_open_existing(bench.database, NULL);
    char *path = g_build_filename(bench.directory, "merged.sqlite", NULL);
    struct store *into = store_open(path, NULL);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_TRUE(store_begin(into, NULL));
        CU_ASSERT_TRUE(store_merge(into, from, NULL));
        CU_ASSERT_TRUE(points_merge(into, from, NULL));
        CU_ASSERT_TRUE(store_commit(into, NULL));
    }
    store_close(into);
    store_close(from);
    char *text = csv_of(path);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
    g_free(path);
    g_free(expected);
    bench_free(&bench);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a combination may be impossible", a_combination_may_be_impossible},
        {"a wrong value is told once", a_wrong_value_is_told_once},
        {"digests name the sweep", digests_name_the_sweep},
        {"any number of workers gives the same", any_number_of_workers_gives_the_same},
        {"outcome is what was run", outcome_is_what_was_run},
        {"a shard leaves the rest missing", a_shard_leaves_the_rest_missing},
        {"the newest sweep is read", the_newest_sweep_is_read},
        {"merging keeps the sweep", merging_keeps_the_sweep},
        {0},
    };
    return suite_run("campaign: points and outcome", cases);
}
