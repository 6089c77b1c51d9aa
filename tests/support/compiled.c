// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/compiled.h"

#include "sim/model/model.h"
#include "sim/run/schema.h"

#include <string.h>

struct compiled compiled_try_in(const struct registry *registry, const char *text,
                                const char *const *sets, struct diag_list *diags)
{
    struct compiled compiled = {.schema = registry_schema(registry)};
    // One text serves many tests, which need not all of it.
    struct scenario_options options = {.sets = sets, .allow_unused = true};
    compiled.scenario =
        scenario_parse(text, strlen(text), "test.yaml", NULL, compiled.schema, &options, diags);
    if (compiled.scenario)
        compiled.test_case = g_ptr_array_index(compiled.scenario->cases, 0);
    return compiled;
}

struct compiled compiled_try(const char *text, const char *const *sets, struct diag_list *diags)
{
    return compiled_try_in(&model_registry, text, sets, diags);
}

struct compiled compiled_new(const char *text, const char *const *sets)
{
    return compiled_new_in(&model_registry, text, sets);
}

struct compiled compiled_new_in(const struct registry *registry, const char *text,
                                const char *const *sets)
{
    struct diag_list *diags = diag_list_new();
    struct compiled compiled = compiled_try_in(registry, text, sets, diags);
    diag_print(diags, stderr);
    g_assert(compiled.scenario);
    diag_list_free(diags);
    return compiled;
}

void compiled_free(struct compiled *compiled)
{
    scenario_free(compiled->scenario);
    registry_schema_free(compiled->schema);
}
