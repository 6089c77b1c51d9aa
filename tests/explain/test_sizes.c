// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes that are explained as a run measures them, after the sizes before them; and the sizes that
// are explained in their place where the record would be too long.
#include "sim/explain/explain.h"

#include "sim/run/schema.h"
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

#define REPETITIONS 40

static const char text[] =
    "schema: 1\nname: x\nstack: lam_tcp\ntestbed: testbeds/cluster1.yaml\n"
    "workload: {benchmark: pmb.pingpong, sizes: [4 B, 8 KiB, 16 B], repetitions: 40}\n";

struct loaded {
    struct scenario_schema *schema;
    struct scenario *scenario;
    struct diag_list *diags;
    struct explain_run run;
};

static struct loaded load(void)
{
    struct loaded loaded = {registry_schema(&model_registry), .diags = diag_list_new()};
    char *folder = g_build_filename(g_getenv("NETSIM_SOURCE_DIR"), "scenarios", NULL);
    loaded.scenario = scenario_parse(text, strlen(text), "x.yaml", folder, loaded.schema,
                                     &(struct scenario_options){0}, loaded.diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.scenario);
    loaded.run = (struct explain_run){.registry = &model_registry,
                                      .test_case = g_ptr_array_index(loaded.scenario->cases, 0),
                                      .seed = 1,
                                      .size = EXPLAIN_ALL};
    g_free(folder);
    return loaded;
}

static void unload(struct loaded *loaded)
{
    scenario_free(loaded->scenario);
    diag_list_free(loaded->diags);
    registry_schema_free(loaded->schema);
}

// us of each size, as a run measures it; NAN: it measures none.
static void measure(const struct loaded *loaded, double us[3])
{
    struct series_result *result =
        run_case(&model_registry, loaded->run.test_case, 0, loaded->run.seed, NULL);
    guint found = 0;
    us[0] = us[1] = us[2] = NAN;
    for (guint i = 0; i < result->values->len; i++) {
        const struct result_value *value = &g_array_index(result->values, struct result_value, i);
        if (strcmp(value->metric, "latency_us") == 0 && found < 3)
            us[found++] = value->value;
    }
    CU_ASSERT_EQUAL(found, 3);
    series_result_free(result);
}

static const struct explanation *found_at(const GPtrArray *all, guint index)
{
    return g_ptr_array_index(all, index);
}

static void test_as_run(void)
{
    struct loaded loaded = load();
    double us[3];
    measure(&loaded, us);
    GPtrArray *all = explain_case(&loaded.run);
    CU_ASSERT_EQUAL_FATAL(all->len, 3);
    for (guint i = 0; i < all->len; i++) {
        const struct explanation *found = found_at(all, i);
        CU_ASSERT_TRUE(found->done);
        CU_ASSERT_FALSE(found->shortened || found->added);
        CU_ASSERT_EQUAL(found->repetitions, REPETITIONS);
        CU_ASSERT_DOUBLE_EQUAL(explain_us(found, found->total), us[i], 1e-6);
    }
    g_ptr_array_unref(all);
    unload(&loaded);
}

// The sizes that the record has room for are explained as they are, also after one that it has not.
static void test_too_long(void)
{
    struct loaded loaded = load();
    double us[3];
    measure(&loaded, us);
    loaded.run.most_pieces = 20000;
    GPtrArray *all = explain_case(&loaded.run);
    CU_ASSERT_EQUAL_FATAL(all->len, 3);
    for (guint i = 0; i < all->len; i++) {
        const struct explanation *found = found_at(all, i);
        CU_ASSERT_TRUE(found->done);
        CU_ASSERT_EQUAL(found->shortened, i == 1);
        CU_ASSERT_EQUAL(found->repetitions, i == 1 ? EXPLAIN_REPETITIONS : REPETITIONS);
        CU_ASSERT_EQUAL(found->run_repetitions, REPETITIONS);
        if (i == 1)
            CU_ASSERT_DOUBLE_EQUAL(time_to_us(found->run_total) / (double)found->run_messages,
                                   us[1], 1e-6)
        else
            CU_ASSERT_DOUBLE_EQUAL(explain_us(found, found->total), us[i], 1e-6);
    }
    g_ptr_array_unref(all);
    unload(&loaded);
}

// Runs before the size that is asked for take no room in the record.
static void test_long_before(void)
{
    struct loaded loaded = load();
    double us[3];
    measure(&loaded, us);
    loaded.run.most_pieces = 20000;
    loaded.run.size = 16;
    GPtrArray *one = explain_case(&loaded.run);
    CU_ASSERT_EQUAL_FATAL(one->len, 1);
    const struct explanation *found = found_at(one, 0);
    CU_ASSERT_TRUE(found->done);
    CU_ASSERT_FALSE(found->shortened || found->added);
    CU_ASSERT_DOUBLE_EQUAL(explain_us(found, found->total), us[2], 1e-6);
    g_ptr_array_unref(one);
    unload(&loaded);
}

// A size that run does not measure is run by itself, with as many repetitions.
static void test_added(void)
{
    struct loaded loaded = load();
    loaded.run.size = 5;
    GPtrArray *one = explain_case(&loaded.run);
    CU_ASSERT_EQUAL_FATAL(one->len, 1);
    CU_ASSERT_TRUE(found_at(one, 0)->done);
    CU_ASSERT_TRUE(found_at(one, 0)->added);
    CU_ASSERT_FALSE(found_at(one, 0)->shortened);
    CU_ASSERT_EQUAL(found_at(one, 0)->repetitions, REPETITIONS);
    g_ptr_array_unref(one);
    unload(&loaded);
}

static const struct suite_case cases[] = {
    {"each size comes to what a run measures", test_as_run},
    {"a size whose record is too long is run by itself", test_too_long},
    {"sizes before the one that is asked for", test_long_before},
    {"a size that is none of the scenario's", test_added},
    {0},
};

int main(void)
{
    return suite_run("explain: sizes", cases);
}
