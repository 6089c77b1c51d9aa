// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of PATH=VALUE as what --set of `run` takes, and as what --set of `sweep` takes.
#include "sim/model/model.h"
#include "sim/run/schema.h"
#include "sim/scenario/scenario.h"
#include "tests/fuzz/fuzz.h"

#define MOST_LINES 4
#define MOST_POINTS 50 // of a sweep that are checked

static const char base[] = "schema: 1\ntestbed: testbeds/cluster1.yaml\n"
                           "workload: {benchmark: pmb.pingpong, sizes: [1 B, 2 KiB]}\n"
                           "series: [{name: a, stack: lam_via}, {name: b, stack: mvich}]\n";

static void set(char *const *sets, const struct scenario_schema *schema, const char *directory)
{
    struct diag_list *diags = diag_list_new();
    struct scenario_options options = {.sets = (const char *const *)sets, .data_dir = fuzz_tree()};
    struct scenario *scenario =
        scenario_parse(base, sizeof base - 1, "fuzz", directory, schema, &options, diags);
    for (guint i = 0; scenario && i < scenario->cases->len; i++)
        fuzz_json(scenario_case_json(g_ptr_array_index(scenario->cases, i)));
    fuzz_end(diags, scenario != NULL);
    scenario_free(scenario);
}

static void sweep(char *const *sets, const struct scenario_schema *schema)
{
    struct diag_list *diags = diag_list_new();
    struct sweep *sweep = sweep_new();
    for (; *sets; sets++)
        sweep_add(sweep, *sets, schema, diags);
    bool good = !diag_any(diags) && sweep_check(sweep, diags);
    int points = good ? sweep_points(sweep) : 0;
    g_assert(!good || (points >= 1 && points <= SWEEP_MOST_POINTS));
    for (int point = 0; point < MIN(points, MOST_POINTS); point++)
        for (int axis = 0; axis < (int)sweep->axes->len; axis++) {
            const struct sweep_value *value =
                sweep_value_at(sweep_axis_at(sweep, axis), sweep_point_value(sweep, point, axis));
            g_assert(value->text && g_utf8_validate(value->text, -1, NULL));
        }
    fuzz_end(diags, good);
    sweep_free(sweep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scenario_schema *schema;
    static char *directory;
    if (!schema) {
        schema = registry_schema(&model_registry);
        directory = g_build_filename(fuzz_tree(), "scenarios", NULL);
    }
    char *text = fuzz_text(data, size);
    char **sets = g_strsplit(text, "\n", MOST_LINES);
    set(sets, schema, directory);
    sweep(sets, schema);
    g_strfreev(sets);
    g_free(text);
    return 0;
}
