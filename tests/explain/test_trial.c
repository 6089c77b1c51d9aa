// SPDX-License-Identifier: GPL-3.0-or-later
// Shares and settings of trials, and the parameters that choose an algorithm, from the models'
// tables.
#include "sim/explain/algorithm.h"
#include "sim/explain/trial.h"

#include "sim/run/schema.h"
#include "tests/support/suite.h"

#include <string.h>

// 100 us of two messages; a trial that took `total` of four.
static double share_of(double percent, sim_time total)
{
    struct explanation found = {.total = 100 * TIME_US, .messages = 2};
    struct explain_trial trial = {.percent = percent, .total = total, .messages = 4};
    return trial_share(&found, &trial);
}

static void test_share(void)
{
    // 25 % faster: all of the time would be 20 % shorter.
    CU_ASSERT_DOUBLE_EQUAL(share_of(25, 160 * TIME_US), 1.0, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(share_of(25, 180 * TIME_US), 0.5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(share_of(25, 200 * TIME_US), 0.0, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(share_of(25, 240 * TIME_US), -1.0, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(share_of(0, 160 * TIME_US), 0.0, 1e-12); // an algorithm
    struct explanation found = {.total = 100 * TIME_US, .messages = 2};
    struct explain_trial trial = {.percent = 1, .why = "no such rate"};
    CU_ASSERT_EQUAL(trial_gain(&found, &trial), 0.0);
}

static void expect_settings(const char *const *sets, const char *what, const char *expected)
{
    struct explain_trial trial = {.what = what, .sets = g_ptr_array_new()};
    for (; *sets; sets++)
        g_ptr_array_add(trial.sets, (char *)*sets);
    char *text = trial_settings(&trial);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
    g_ptr_array_unref(trial.sets);
}

static void test_settings(void)
{
    expect_settings((const char *const[]){"link.rate=1 b/s", "links[2].rate=1 b/s", NULL}, "links",
                    "link.rate, links[2].rate");
    expect_settings((const char *const[]){"a.b.c=1", "a.b.d=1", "a.b.e=1", NULL}, "it",
                    "a.b.c, d, e");
    expect_settings(
        (const char *const[]){"a.b=1.5 us", "a.c=1", "a.d=1", "a.e=1", "a.f=1", "b.c=1", NULL},
        "it", "a.b, c, d ..., b.c");
    expect_settings((const char *const[]){"lam.bcast=linear", NULL}, NULL, "lam.bcast=linear");
}

// The choices of a workload of a testbed: "lam.bcast=…; …", with * of those that are a part.
static void expect_choices(const char *head, const char *workload, const char *expected)
{
    struct scenario_schema *schema = registry_schema(&model_registry);
    char *folder = g_build_filename(g_getenv("NETSIM_SOURCE_DIR"), "scenarios", NULL);
    char *text = g_strdup_printf("schema: 1\nname: x\n%s\nworkload: %s\n", head, workload);
    struct diag_list *diags = diag_list_new();
    struct scenario *scenario = scenario_parse(text, strlen(text), "x.yaml", folder, schema,
                                               &(struct scenario_options){0}, diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(scenario);
    GArray *choices = algorithm_choices(&model_registry, g_ptr_array_index(scenario->cases, 0));
    GString *found = g_string_new(NULL);
    for (guint i = 0; i < choices->len; i++) {
        const struct algorithm_choice *choice = &g_array_index(choices, struct algorithm_choice, i);
        char *one = algorithm_text(choice);
        g_string_append_printf(found, "%s%s; ", choice->part ? "*" : "", one);
        g_free(one);
    }
    SUITE_SAME_TEXT(found->str, expected);
    g_string_free(found, TRUE);
    g_array_unref(choices);
    scenario_free(scenario);
    diag_list_free(diags);
    g_free(text);
    g_free(folder);
    registry_schema_free(schema);
}

#define OTHER_BCASTS                                                                               \
    "linear, binomial, scatter_allgather, small_and_few, small_or_few, scatter_ring, by_size, "    \
    "pipeline, split_binary, segmented, binary, binomial_near, knomial, measured"
#define OTHER_REDUCES                                                                              \
    "linear, binomial, rabenseifner, by_size, pipeline, binary, segmented, "                       \
    "binomial_in_segments, in_order_binary, rabenseifner_halves, by_size_and_count, measured"
#define OTHER_ALLREDUCES                                                                           \
    "rabenseifner, by_size, folded_doubling, ring, doubling_or_ring, linear, "                     \
    "rabenseifner_halves, by_size_and_count, measured"

static void test_choices(void)
{
    static const char lam[] = "stack: lam_via\ntestbed: testbeds/cluster1.yaml";
    static const char mpich[] = "stack: mpich_p4\ntestbed: testbeds/cluster1.yaml";
    static const char armci[] = "stack: armci\ntestbed: testbeds/config1.yaml";
    expect_choices(lam, "{benchmark: pmb.pingpong, sizes: [1 B]}", "");
    // Not the barrier before, which is not measured.
    expect_choices(lam, "{benchmark: pmb.bcast, sizes: [1 B]}",
                   "lam.bcast=by_processes (or " OTHER_BCASTS "); ");
    expect_choices(lam, "{benchmark: pmb.allreduce, sizes: [1 B]}",
                   "lam.allreduce=reduce_bcast (or recursive_doubling, " OTHER_ALLREDUCES "); "
                   "*lam.reduce=by_processes (or " OTHER_REDUCES "); "
                   "*lam.bcast=by_processes (or " OTHER_BCASTS "); ");
    expect_choices(mpich, "{benchmark: pmb.allreduce, sizes: [1 B]}",
                   "mpich.allreduce=recursive_doubling (or reduce_bcast, " OTHER_ALLREDUCES "); ");
    expect_choices(mpich,
                   "{ranks: 2, program: [{ranks: all, do: [{loop: {count: 2, do: [barrier]}}, "
                   "{alltoall: 1 B}]}]}",
                   "mpich.barrier=recursive_doubling (or linear, binomial, by_processes, "
                   "dissemination, by_power, measured); "
                   "mpich.alltoall=by_size (or linear, pairwise, recursive_doubling, pairs, bruck, "
                   "by_block, by_block_or_pairwise, scattered, scattered_batches, "
                   "by_block_in_batches, measured); ");
    expect_choices(armci, "{ranks: 2, program: [{ranks: 0, do: [{put: {to: 1, size: 1 B}}]}]}",
                   "armci.put=pipelined (or sequential, direct); ");
}

static const struct suite_case cases[] = {
    {"the share of the time that changes", test_share},
    {"settings as text", test_settings},
    {"what chooses an algorithm", test_choices},
    {0},
};

int main(void)
{
    return suite_run("explain: trials", cases);
}
