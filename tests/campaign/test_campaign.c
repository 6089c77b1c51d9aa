// SPDX-License-Identifier: GPL-3.0-or-later
// Campaigns: results equal those of a plain run; equality of cases; workers that die.
#include "sim/campaign/campaign.h"
#include "sim/campaign/case_key.h"
#include "sim/campaign/source_id.h"
#include "sim/campaign/workers.h"
#include "sim/model/job.h"
#include "sim/output/json.h"
#include "sim/run/run.h"
#include "sim/run/schema.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD                                                                                       \
    "schema: 1\n"                                                                                  \
    "name: quick\n"                                                                                \
    "testbed: testbeds/cluster1.yaml\n"
#define BENCHMARK "workload: {benchmark: pmb.pingpong, sizes: [4 B, 4 KiB], repetitions: 3}\n"

static const char one_series[] = HEAD BENCHMARK "stack: lam_via\n";
static const char two_series[] = HEAD BENCHMARK
    "series: [{name: first, stack: lam_via}, {name: second, stack: lam_via, set: {lam_via.tiny: 1 "
    "KiB}}]\n";

// The first of the series completes, the second breaks its connection (via.empty_rq).
static const char flood[] = HEAD
    "series: [{name: good, stack: lam_via, set: {lam_via.rdescs: 32}}, {name: bad, stack: lam_via, "
    "set: {lam_via.rdescs: 8}}]\n"
    "workload:\n"
    "  ranks: 2\n"
    "  program:\n"
    "    - {ranks: 0, do: [{loop: {count: 20, do: [{send: {to: 1, size: 4 B, tag: 1}}]}}]}\n"
    "    - ranks: 1\n"
    "      do:\n"
    "        - compute: 50 ms\n"
    "        - {loop: {count: 20, do: [{recv: {from: 0, size: 4 B, tag: 1}}]}}\n";

static struct campaign *open_with(const struct registry *registry, struct campaign_options options)
{
    GError *error = NULL;
    options.data_dir = getenv("NETSIM_SOURCE_DIR");
    struct campaign *campaign = campaign_open(registry, &options, &error);
    if (!campaign)
        g_error("%s", error->message);
    return campaign;
}

static int add(struct campaign *campaign, const char *file, const char *const *sets, uint64_t seed)
{
    struct diag_list *diags = diag_list_new();
    int run = campaign_add(campaign, file, sets, seed, diags);
    diag_print(diags, stderr);
    diag_list_free(diags);
    return run;
}

static void run_all(struct campaign *campaign)
{
    GError *error = NULL;
    CU_ASSERT_TRUE(campaign_run(campaign, &error));
    CU_ASSERT_PTR_NULL(error);
}

// The output of `netsim run --format json`, without the parts that differ from run to run and the
// counts of links, which a campaign does not keep.
static char *plain_run(const char *file)
{
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct scenario_options options = {.data_dir = getenv("NETSIM_SOURCE_DIR")};
    struct diag_list *diags = diag_list_new();
    struct scenario *scenario = scenario_load(file, schema, &options, diags);
    struct result *result = run_scenario(&model_registry, scenario, NULL);
    json_t *document = result_json(result), *run = json_object_get(document, "run");
    CU_ASSERT_EQUAL(json_object_del(run, "wall_s"), 0);
    CU_ASSERT_EQUAL(json_object_del(run, "events_per_s"), 0);
    json_t *series;
    size_t i;
    json_array_foreach(json_object_get(document, "series"), i, series)
        CU_ASSERT_EQUAL(json_object_del(series, "links"), 0);
    result_free(result);
    scenario_free(scenario);
    diag_list_free(diags);
    registry_schema_free(schema);
    return document_text(document);
}

static void check_against_plain_run(const char *text)
{
    char *directory = temporary_directory(), *file = temporary_file(directory, "s.yaml", text);
    struct campaign *campaign = open_with(&model_registry, (struct campaign_options){.jobs = 2});
    int run = add(campaign, file, NULL, 0);
    CU_ASSERT_PTR_NULL(campaign_result(campaign, run));
    run_all(campaign);
    char *expected = plain_run(file);
    char *actual = document_text(campaign_result(campaign, run));
    SUITE_SAME_TEXT(actual, expected);
    g_free(actual);
    g_free(expected);
    campaign_close(campaign);
    g_free(file);
    temporary_remove(directory);
}

static void results_are_those_of_run(void)
{
    check_against_plain_run(one_series);
    check_against_plain_run(two_series);
    check_against_plain_run(flood);
}

static void equal_cases_are_one_piece_of_work(void)
{
    char *directory = temporary_directory();
    char *one = temporary_file(directory, "one.yaml", one_series);
    char *two = temporary_file(directory, "elsewhere/two.yaml", two_series);
    struct campaign *campaign = open_with(&model_registry, (struct campaign_options){.jobs = 2});
    const char *const same[] = {"lam_via.tiny=16384 B", "tulip.tx_ring=8", NULL};
    const char *const other[] = {"lam_via.tiny=1024 B", NULL};
    const char *const longer[] = {"host.processor.clock=600 MHz", NULL};
    CU_ASSERT_EQUAL(add(campaign, one, NULL, 0), 0);
    SUITE_SAME_INTEGER(campaign_pieces(campaign), 1);
    CU_ASSERT_EQUAL(add(campaign, one, same, 1), 1); // seed 1 is the scenario's
    SUITE_SAME_INTEGER(campaign_pieces(campaign), 1);
    CU_ASSERT_EQUAL(add(campaign, two, NULL, 0), 2); // "first" is the same, "second" is new
    SUITE_SAME_INTEGER(campaign_pieces(campaign), 2);
    CU_ASSERT_EQUAL(add(campaign, one, other, 0), 3); // is "second"
    SUITE_SAME_INTEGER(campaign_pieces(campaign), 2);
    CU_ASSERT_EQUAL(add(campaign, one, NULL, 2), 4); // another seed
    SUITE_SAME_INTEGER(campaign_pieces(campaign), 3);
    CU_ASSERT_EQUAL(add(campaign, one, longer, 0), 5);
    SUITE_SAME_INTEGER(campaign_pieces(campaign), 4);
    run_all(campaign);
    json_t *document = campaign_result(campaign, 2);
    json_t *series = json_object_get(document, "series");
    SUITE_SAME_TEXT(json_string_value(json_object_get(json_array_get(series, 0), "name")), "first");
    SUITE_SAME_TEXT(json_string_value(json_object_get(json_array_get(series, 1), "name")),
                    "second");
    json_decref(document);
    CU_ASSERT_PTR_NULL(campaign_result(campaign, 6));
    CU_ASSERT_PTR_NULL(campaign_result(campaign, -1));
    campaign_close(campaign);
    g_free(one);
    g_free(two);
    temporary_remove(directory);
}

// A draw that the file has is compiled as a whole, and one among the settings is laid over what was
// read before. Both are one piece of work, in any order of draws and settings.
static void draws_are_the_same_work(void)
{
    static const char *const bodies[] = {one_series, two_series, flood};
    struct campaign *campaign = open_with(&model_registry, (struct campaign_options){.jobs = 2});
    char *directory = temporary_directory();
    for (size_t i = 0; i < G_N_ELEMENTS(bodies); i++) {
        for (int draw = 21; draw > 18; draw--) {
            char *whole = g_strdup_printf("%sdraw: %d\n", bodies[i], draw);
            char *name = g_strdup_printf("%zu/%d.yaml", i, draw);
            char *file = temporary_file(directory, name, whole);
            char *plain_name = g_strdup_printf("%zu/plain.yaml", i);
            char *plain = temporary_file(directory, plain_name, bodies[i]);
            char *set = g_strdup_printf("draw=%d", draw);
            const char *const given[] = {"tulip.tx_ring=8", NULL};
            const char *const last[] = {"tulip.tx_ring=8", set, NULL};
            const char *const first[] = {set, "tulip.tx_ring=8", NULL};
            int run = add(campaign, file, given, 2);
            int pieces = campaign_pieces(campaign);
            int others[] = {add(campaign, plain, last, 2), add(campaign, plain, first, 2),
                            add(campaign, file, last, 2)};
            SUITE_SAME_INTEGER(campaign_pieces(campaign), pieces);
            for (size_t k = 0; k < G_N_ELEMENTS(others); k++)
                SUITE_SAME_TEXT(campaign_series_key(campaign, others[k], 0),
                                campaign_series_key(campaign, run, 0));
            g_free(set);
            g_free(plain);
            g_free(plain_name);
            g_free(file);
            g_free(name);
            g_free(whole);
        }
    }
    campaign_close(campaign);
    temporary_remove(directory);
}

// A mixed draw is the same work however it is given, and other work than the draw itself.
static void mixed_draws_are_the_same_work(void)
{
    struct campaign *campaign = open_with(&model_registry, (struct campaign_options){.jobs = 1});
    char *directory = temporary_directory();
    char *whole = g_strconcat(one_series, "draw: 3\ndraw_mix: 9 of switch\n", NULL);
    char *file = temporary_file(directory, "mixed.yaml", whole);
    char *plain = temporary_file(directory, "plain.yaml", one_series);
    const char *const mixed[] = {"draw_mix=9 of switch", "draw=3", NULL};
    const char *const drawn[] = {"draw=3", NULL};
    int first = add(campaign, file, NULL, 2), second = add(campaign, plain, mixed, 2);
    int other = add(campaign, plain, drawn, 2);
    SUITE_SAME_TEXT(campaign_series_key(campaign, second, 0),
                    campaign_series_key(campaign, first, 0));
    CU_ASSERT_STRING_NOT_EQUAL(campaign_series_key(campaign, second, 0),
                               campaign_series_key(campaign, other, 0));
    campaign_close(campaign);
    g_free(plain);
    g_free(file);
    g_free(whole);
    temporary_remove(directory);
}

static char *complaint_of(struct campaign *campaign, const char *file, const char *const *sets)
{
    struct diag_list *diags = diag_list_new();
    CU_ASSERT_EQUAL(campaign_add(campaign, file, sets, 0, diags), -1);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < diags->items->len; i++) {
        const struct diag *diag = g_ptr_array_index(diags->items, i);
        g_string_append_printf(text, "%s:%d: %s: %s\n", diag->mark.file, diag->mark.line,
                               diag->path, diag->message);
    }
    diag_list_free(diags);
    return g_string_free(text, FALSE);
}

// A scenario that is wrong is so in every draw, with the same words; what is no draw is said to be.
static void draws_of_mistakes(void)
{
    static const char *const wrong[] = {"draw=0", "draw=x", "draw=1000001", NULL};
    struct campaign *campaign = open_with(&model_registry, (struct campaign_options){.jobs = 2});
    char *directory = temporary_directory();
    char *file = temporary_file(directory, "s.yaml", two_series);
    const char *const plain[] = {"lam_via.tiny=5 s", NULL};
    const char *const drawn[] = {"lam_via.tiny=5 s", "draw=2", NULL};
    for (int i = 0; i < 2; i++) {
        char *expected = complaint_of(campaign, file, plain);
        char *actual = complaint_of(campaign, file, drawn);
        SUITE_SAME_TEXT(actual, expected);
        g_free(actual);
        g_free(expected);
    }
    for (int i = 0; wrong[i]; i++) {
        const char *const sets[] = {wrong[i], NULL};
        char *text = complaint_of(campaign, file, sets);
        CU_ASSERT_PTR_NOT_NULL(strstr(text, "draw"));
        g_free(text);
    }
    campaign_close(campaign);
    g_free(file);
    temporary_remove(directory);
}

static void keys_name_program_and_seed(void)
{
    char *a = case_key("{}", 1, "x"), *b = case_key("{}", 2, "x"), *c = case_key("{}", 1, "y");
    SUITE_SAME_INTEGER((long long)strlen(a), CASE_KEY_LENGTH);
    CU_ASSERT_STRING_NOT_EQUAL(a, b);
    CU_ASSERT_STRING_NOT_EQUAL(a, c);
    SUITE_SAME_INTEGER((long long)strlen(campaign_source_id), 16);
    SUITE_SAME_INTEGER((long long)strspn(campaign_source_id, "0123456789abcdef"), 16);
    g_free(a);
    g_free(b);
    g_free(c);
}

struct count {
    int calls, last, total;
    int raise; // a signal at the first call; 0: none
};

static void on_progress(void *owner, int done, int total, const char *name)
{
    struct count *count = owner;
    CU_ASSERT_PTR_NOT_NULL(name);
    CU_ASSERT_EQUAL(done, count->last + 1);
    count->calls++;
    count->last = done;
    count->total = total;
    if (count->raise && count->calls == 1)
        raise(count->raise);
}

static void add_seeds(struct campaign *campaign, const char *file, int seeds)
{
    for (int seed = 1; seed <= seeds; seed++)
        add(campaign, file, NULL, (uint64_t)seed);
}

static void a_database_is_read_again(void)
{
    char *directory = temporary_directory(), *file = temporary_file(directory, "s.yaml", flood);
    char *database = g_build_filename(directory, "c.sqlite", NULL);
    char *first = NULL;
    for (int i = 0; i < 3; i++) {
        struct count count = {0};
        struct campaign *campaign =
            open_with(&model_registry, (struct campaign_options){.database = database,
                                                                 .jobs = 3,
                                                                 .run_again = i == 2,
                                                                 .progress = on_progress,
                                                                 .progress_owner = &count});
        add_seeds(campaign, file, 3);
        SUITE_SAME_INTEGER(campaign_missing(campaign), i == 1 ? 0 : 6);
        run_all(campaign);
        SUITE_SAME_INTEGER(count.calls, i == 1 ? 0 : 6);
        SUITE_SAME_INTEGER(count.total, i == 1 ? 0 : 6);
        char *text = document_text(campaign_result(campaign, 2));
        if (i == 0)
            first = text;
        else {
            SUITE_SAME_TEXT(text, first);
            g_free(text);
        }
        campaign_close(campaign);
    }
    g_free(first);
    g_free(database);
    g_free(file);
    temporary_remove(directory);
}

static void a_signal_interrupts(void)
{
    char *directory = temporary_directory();
    char *file = temporary_file(directory, "s.yaml", one_series);
    char *database = g_build_filename(directory, "c.sqlite", NULL);
    struct count count = {.raise = SIGINT};
    struct campaign_options options = {
        .database = database, .jobs = 1, .progress = on_progress, .progress_owner = &count};
    struct campaign *campaign = open_with(&model_registry, options);
    GError *error = NULL;
    add_seeds(campaign, file, 50);
    CU_ASSERT_FALSE(campaign_run(campaign, &error));
    SUITE_SAME_INTEGER(workers_signal_of(error), SIGINT);
    g_error_free(error);
    CU_ASSERT_TRUE(count.calls < 50);
    campaign_close(campaign);
    campaign = open_with(&model_registry, (struct campaign_options){.database = database});
    add_seeds(campaign, file, 50);
    SUITE_SAME_INTEGER(campaign_missing(campaign), 50 - count.calls);
    campaign_close(campaign);
    g_free(database);
    g_free(file);
    temporary_remove(directory);
}

static void mistakes_are_told(void)
{
    char *directory = temporary_directory();
    char *file = temporary_file(directory, "s.yaml", one_series);
    const char *const wrong[] = {"lam_via.tiny=1 furlong", NULL};
    struct campaign *campaign = open_with(&model_registry, (struct campaign_options){0});
    struct diag_list *diags = diag_list_new();
    CU_ASSERT_EQUAL(campaign_add(campaign, file, wrong, 0, diags), -1);
    CU_ASSERT_TRUE(diag_any(diags));
    diag_list_free(diags);
    SUITE_SAME_INTEGER(campaign_pieces(campaign), 0);
    run_all(campaign); // nothing
    campaign_close(campaign);
    GError *error = NULL;
    struct campaign_options options = {.database = file};
    CU_ASSERT_PTR_NULL(campaign_open(&model_registry, &options, &error));
    SUITE_CONTAINS(error->message, file);
    g_error_free(error);
    g_free(file);
    temporary_remove(directory);
}

// ---- Workers that die ----

static const struct stack *lam_via(void)
{
    return registry_stack(&model_registry, "lam_via");
}

// Seed 1 dies by a signal, 2 ends the process, 3 never ends, 4 reads what is not for it.
static void init_badly(struct job *job)
{
    switch (job->sim->seed) {
    case 1:
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
        break;
    case 2:
        _exit(7);
    case 3:
        for (;;)
            pause();
    case 4:
        if (freopen("/dev/null", "w", stderr))
            scenario_section_values(job->test_case, "tulip");
        break;
    }
}

#define MOST_MODELS 32

// The models, that of `name` with other stacks; *model is where it is kept.
static void replace_stacks(const struct model **models, const char *name, struct model *model,
                           const struct stack *const *stacks)
{
    int count = 0;
    for (const struct model *const *at = model_registry.models; *at; at++) {
        models[count] = *at;
        if (strcmp((*at)->name, name) == 0) {
            *model = **at;
            model->stacks = stacks;
            models[count] = model;
        }
        count++;
        g_assert(count < MOST_MODELS);
    }
    models[count] = NULL;
}

static void a_dead_worker_is_a_result(void)
{
    struct stack bad = *lam_via();
    const struct stack *stacks[] = {&bad, NULL};
    struct model via;
    const struct model *models[MOST_MODELS];
    const struct registry registry = {models};
    replace_stacks(models, "via/lam_via", &via, stacks);
    bad.init = init_badly;
    char *directory = temporary_directory();
    char *file = temporary_file(directory, "s.yaml", one_series);
    for (int jobs = 1; jobs <= 4; jobs += 3) {
        struct campaign *campaign =
            open_with(&registry, (struct campaign_options){.jobs = jobs, .time_limit_s = 2});
        static const char *const reasons[] = {
            "signal 11", "by itself with 7", "after 2 s", "ended the process", NULL, NULL};
        add_seeds(campaign, file, 6);
        run_all(campaign);
        for (int run = 0; run < 6; run++) {
            json_t *document = campaign_result(campaign, run);
            const char *status = json_string_value(json_object_get(document, "status"));
            const json_t *reason = json_object_get(document, "reason");
            SUITE_SAME_TEXT(status, reasons[run] ? "crashed" : "completed");
            if (reasons[run])
                SUITE_CONTAINS(json_string_value(json_object_get(reason, "text")), reasons[run]);
            json_decref(document);
        }
        campaign_close(campaign);
    }
    g_free(file);
    temporary_remove(directory);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"results are those of run", results_are_those_of_run},
        {"equal cases are one piece of work", equal_cases_are_one_piece_of_work},
        {"draws are the same work", draws_are_the_same_work},
        {"mixed draws are the same work", mixed_draws_are_the_same_work},
        {"draws of mistakes", draws_of_mistakes},
        {"keys name program and seed", keys_name_program_and_seed},
        {"a database is read again", a_database_is_read_again},
        {"a signal interrupts", a_signal_interrupts},
        {"mistakes are told", mistakes_are_told},
        {"a dead worker is a result", a_dead_worker_is_a_result},
        {0},
    };
    return suite_run("campaign: cases, workers, database", cases);
}
