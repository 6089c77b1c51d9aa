// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a scenario, with all tables and checks of the stacks that there are. Testbeds and
// included files are those of the tree.
#include "sim/benchmark/benchmark.h"
#include "sim/model/model.h"
#include "sim/run/schema.h"
#include "sim/scenario/scenario.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scenario_schema *schema;
    static char *directory;
    if (!schema) {
        schema = registry_schema(&model_registry);
        directory = g_build_filename(fuzz_tree(), "scenarios", NULL);
    }
    struct diag_list *diags = diag_list_new();
    struct scenario_options options = {.data_dir = fuzz_tree()};
    struct scenario *scenario =
        scenario_parse((const char *)data, size, "fuzz", directory, schema, &options, diags);
    for (guint i = 0; scenario && i < scenario->cases->len; i++)
        fuzz_json(scenario_case_json(g_ptr_array_index(scenario->cases, i)));
    fuzz_end(diags, scenario != NULL);
    scenario_free(scenario);
    return 0;
}
