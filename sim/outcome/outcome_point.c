// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/outcome/outcome_point.h"

#include "sim/measure/result.h"

int outcome_value_count(const struct outcome *outcome, int axis)
{
    return (int)outcome_axis_at(outcome, axis)->values->len;
}

int outcome_value_of(const struct outcome *outcome, int point, int axis)
{
    return outcome->indices[point * (int)outcome->axes->len + axis];
}

int outcome_stride(const struct outcome *outcome, int axis)
{
    int stride = 1;
    for (int i = (int)outcome->axes->len - 1; i > axis; i--)
        stride *= outcome_value_count(outcome, i);
    return stride;
}

json_t *outcome_point_json(const struct outcome *outcome, int point)
{
    json_t *values = json_object();
    for (int axis = 0; axis < (int)outcome->axes->len; axis++) {
        const struct outcome_axis *of = outcome_axis_at(outcome, axis);
        const char *text = g_ptr_array_index(of->values, outcome_value_of(outcome, point, axis));
        json_object_set_new(values, of->name, json_string(text));
    }
    json_t *json = json_pack("{s:i, s:o}", "point", outcome->numbers[point], "values", values);
    if (!outcome->replicated && outcome->replications->len > 1)
        json_object_set_new(json, "seed", json_integer(outcome->seeds[point]));
    if (!outcome->replicated && outcome->all_draws->len > 0)
        json_object_set_new(json, "draw", json_integer(outcome->draws[point]));
    return json;
}

json_t *outcome_size_json(const struct outcome_curve *curve)
{
    return json_integer(curve->size);
}

json_t *outcome_rank_json(const struct outcome_curve *curve)
{
    return curve->rank < 0 ? json_null() : json_integer(curve->rank);
}

bool outcome_lower_is_better(const char *metric)
{
    return metric_worse_sign(metric) >= 0;
}
