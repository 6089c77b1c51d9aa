// SPDX-License-Identifier: GPL-3.0-or-later
// The judgement of a run by the targets: residuals, values and texts.
#include "sim/calibrate/target.h"

#include <math.h>
#include <string.h>

static int64_t size_at(const struct target *target, guint index)
{
    return g_array_index(target->sizes, int64_t, index);
}

static const char *series_at(const struct target *target, guint index)
{
    return g_ptr_array_index(target->series, index);
}

int target_residuals(const struct target *target)
{
    switch (target->kind) {
    case TARGET_POINT:
    case TARGET_GAIN:
        return 1;
    case TARGET_ORDER:
        return (int)(target->sizes->len * (target->series->len - 1));
    case TARGET_CROSSOVER:
        return (int)target->sizes->len;
    }
    return 0;
}

int target_list_residuals(const struct target_list *list)
{
    int count = 0;
    for (guint i = 0; i < list->targets->len; i++)
        count += target_residuals(g_ptr_array_index(list->targets, i));
    return count;
}

// The value of a series in a document; NaN and why if it has none.
static double look_up(const json_t *document, const char *name, int64_t size, const char *metric,
                      char **why)
{
    const json_t *list = json_object_get(document, "series");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *series = json_array_get(list, i);
        if (g_strcmp0(json_string_value(json_object_get(series, "name")), name) != 0)
            continue;
        const json_t *points = json_object_get(series, "points");
        for (size_t k = 0; k < json_array_size(points); k++) {
            const json_t *point = json_array_get(points, k), *value;
            if (json_integer_value(json_object_get(point, "size_bytes")) != size)
                continue;
            value = json_object_get(point, metric);
            if (json_is_number(value))
                return json_number_value(value);
        }
        const json_t *reason = json_object_get(series, "reason");
        const char *text = json_string_value(json_object_get(reason, "text"));
        if (why)
            *why = g_strdup_printf("%s has no %s at %" G_GINT64_FORMAT " B%s%s", name, metric, size,
                                   text ? ": " : "", text ? text : "");
        return NAN;
    }
    if (why)
        *why = g_strdup_printf("the scenario has no series \"%s\"", name);
    return NAN;
}

// By how much of itself b lies below a.
static bool excess(const struct target *target, const json_t *document, guint pair, guint size,
                   double *share, char **why)
{
    double values[2];
    for (guint i = 0; i < 2; i++) {
        values[i] = look_up(document, series_at(target, pair + i), size_at(target, size),
                            target->metric, why);
        if (isnan(values[i]))
            return false;
    }
    *share = (values[0] - values[1]) / values[1];
    return true;
}

// Puts the place of a measured point before the reason for which there is no value to hold against
// it.
static void add_place(const struct target *target, char **why)
{
    if (target->mark.line == 0 || !why || !*why)
        return;
    char *text = g_strdup_printf("%s:%d:%d: %s", target->mark.file, target->mark.line,
                                 target->mark.column, *why);
    g_free(*why);
    *why = text;
}

static bool judge_point(const struct target *target, const json_t *document, double *residuals,
                        char **why)
{
    double value = look_up(document, series_at(target, 0), size_at(target, 0), target->metric, why);
    if (isnan(value))
        add_place(target, why);
    residuals[0] = target->weight * (value - target->value) / target->tolerance;
    return !isnan(value);
}

static bool judge_order(const struct target *target, const json_t *document, double *residuals,
                        char **why)
{
    int next = 0;
    for (guint size = 0; size < target->sizes->len; size++)
        for (guint pair = 0; pair + 1 < target->series->len; pair++) {
            double share;
            if (!excess(target, document, pair, size, &share, why))
                return false;
            residuals[next++] = target->weight * MAX(share, 0.0) / target->tolerance;
        }
    return true;
}

// The first series is lower before, the second after.
static bool judge_crossover(const struct target *target, const json_t *document, double *residuals,
                            char **why)
{
    guint last = target->sizes->len - 1;
    for (guint size = 0; size <= last; size++) {
        double share;
        if (!excess(target, document, 0, size, &share, why))
            return false;
        if (size == 0)
            share = MAX(share, 0.0);
        else if (size == last)
            share = MIN(share, 0.0);
        residuals[size] = target->weight * share / target->tolerance;
    }
    return true;
}

// The mean over the sizes of by how much the first is above the second; NaN and why if it has none.
static double gain_of(const struct target *target, const json_t *document, char **why)
{
    double sum = 0.0, share;
    for (guint size = 0; size < target->sizes->len; size++) {
        if (!excess(target, document, 0, size, &share, why))
            return NAN;
        sum += share;
    }
    return sum / target->sizes->len;
}

static bool judge_gain(const struct target *target, const json_t *document, double *residuals,
                       char **why)
{
    double gain = gain_of(target, document, why);
    residuals[0] = target->weight * (gain - target->value) / target->tolerance;
    return !isnan(gain);
}

bool target_has_value(const struct target *target)
{
    return target->kind == TARGET_POINT || target->kind == TARGET_GAIN;
}

bool target_judge(const struct target *target, const json_t *document, double *residuals,
                  char **why)
{
    switch (target->kind) {
    case TARGET_POINT:
        return judge_point(target, document, residuals, why);
    case TARGET_ORDER:
        return judge_order(target, document, residuals, why);
    case TARGET_CROSSOVER:
        return judge_crossover(target, document, residuals, why);
    case TARGET_GAIN:
        return judge_gain(target, document, residuals, why);
    }
    return false;
}

double target_simulated(const struct target *target, const json_t *document)
{
    if (target->kind == TARGET_POINT)
        return look_up(document, series_at(target, 0), size_at(target, 0), target->metric, NULL);
    if (target->kind == TARGET_GAIN)
        return gain_of(target, document, NULL);
    int count = target_residuals(target);
    double *residuals = g_new0(double, count), sum = 0.0;
    char *why = NULL;
    bool good = target_judge(target, document, residuals, &why);
    for (int i = 0; i < count; i++)
        sum += residuals[i] * residuals[i];
    g_free(residuals);
    g_free(why);
    return good ? sqrt(sum) / target->weight : NAN;
}

char *target_text(const struct target *target)
{
    static const char *const verbs[] = {
        [TARGET_POINT] = "",
        [TARGET_ORDER] = " below ",
        [TARGET_CROSSOVER] = " crosses ",
        [TARGET_GAIN] = " above ",
    };
    const char *verb = verbs[target->kind];
    GString *text = g_string_new(series_at(target, 0));
    for (guint i = 1; i < target->series->len; i++)
        g_string_append_printf(text, "%s%s", verb, series_at(target, i));
    g_string_append_printf(text, ", %s at %" G_GINT64_FORMAT, target->metric, size_at(target, 0));
    if (target->kind == TARGET_CROSSOVER && target->sizes->len == 3) {
        g_string_truncate(text, text->len - strlen(strrchr(text->str, ' ')));
        g_string_append_printf(text, " %" G_GINT64_FORMAT, size_at(target, 1));
    } else if (target->sizes->len > 1) {
        g_string_append_printf(text, "..%" G_GINT64_FORMAT,
                               size_at(target, target->sizes->len - 1));
    }
    g_string_append(text, target->counts ? "" : " B");
    return g_string_free(text, FALSE);
}

static int compare_sizes(const void *a, const void *b)
{
    const int64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

GPtrArray *target_list_series(const struct target_list *list)
{
    GPtrArray *names = g_ptr_array_new();
    for (guint i = 0; i < list->targets->len; i++) {
        const struct target *target = g_ptr_array_index(list->targets, i);
        for (guint k = 0; k < target->series->len; k++) {
            char *name = g_ptr_array_index(target->series, k);
            if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
                g_ptr_array_add(names, name);
        }
    }
    g_ptr_array_add(names, NULL);
    return names;
}

bool target_list_counts(const struct target_list *list, const char *series)
{
    for (guint i = 0; i < list->targets->len; i++) {
        const struct target *target = g_ptr_array_index(list->targets, i);
        if (g_ptr_array_find_with_equal_func(target->series, series, g_str_equal, NULL))
            return target->counts;
    }
    return false;
}

GArray *target_list_sizes(const struct target_list *list, const char *series)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(int64_t));
    for (guint i = 0; i < list->targets->len; i++) {
        const struct target *target = g_ptr_array_index(list->targets, i);
        if (g_ptr_array_find_with_equal_func(target->series, series, g_str_equal, NULL))
            g_array_append_vals(all, target->sizes->data, target->sizes->len);
    }
    g_array_sort(all, compare_sizes);
    guint kept = 0;
    for (guint i = 0; i < all->len; i++)
        if (i == 0 || g_array_index(all, int64_t, i) != g_array_index(all, int64_t, kept - 1))
            g_array_index(all, int64_t, kept++) = g_array_index(all, int64_t, i);
    g_array_set_size(all, kept);
    return all;
}
