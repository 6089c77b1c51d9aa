// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as what stands below `sweep:` of a scenario.
#include "sim/model/model.h"
#include "sim/run/schema.h"
#include "sim/scenario/scenario.h"
#include "tests/fuzz/fuzz.h"

#define MOST_POINTS 100 // that are checked

static void walk(const struct sweep *sweep)
{
    int points = sweep_points(sweep);
    g_assert(points >= 1 && points <= SWEEP_MOST_POINTS);
    for (int point = 0; point < MIN(points, MOST_POINTS); point++) {
        g_assert((sweep_point_seed(sweep, point) > 0) == (sweep->seeds > 0));
        for (int axis = 0; axis < (int)sweep->axes->len; axis++)
            g_assert(
                sweep_value_at(sweep_axis_at(sweep, axis), sweep_point_value(sweep, point, axis))
                    ->text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scenario_schema *schema;
    if (!schema)
        schema = registry_schema(&model_registry);
    struct diag_list *diags = diag_list_new();
    struct node *node = node_parse((const char *)data, size, "fuzz", NULL, diags);
    struct sweep *sweep = sweep_new();
    if (node)
        sweep_read(sweep, node, schema, diags);
    bool good = !diag_any(diags);
    if (good) {
        walk(sweep);
        struct sweep *copy = sweep_copy(sweep);
        walk(copy);
        sweep_free(copy);
    }
    fuzz_end(diags, good);
    sweep_free(sweep);
    node_free(node);
    return 0;
}
