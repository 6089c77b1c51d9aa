// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/outcome/report_words.h"

#include "sim/config/quantity.h"

#include <glib.h>
#include <string.h>

const char *report_member(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

int report_number(const json_t *object, const char *name)
{
    return (int)json_integer_value(json_object_get(object, name));
}

// How many of the parameters of an axis, with commas between them, have this end.
static int parts_with(const char *names, const char *end)
{
    char **parts = g_strsplit(names, ", ", -1);
    int count = 0;
    for (char **part = parts; *part; part++)
        count += g_str_has_suffix(*part, end);
    g_strfreev(parts);
    return count;
}

// "tiny" for "lam_via.tiny", if no other parameter that varies ends so.
static char *short_name(const json_t *axes, const char *name)
{
    const char *dot = strrchr(name, '.');
    int same = 0;
    const json_t *axis;
    size_t i;
    if (!dot)
        return g_strdup(name);
    json_array_foreach(axes, i, axis)
    {
        same += parts_with(report_member(axis, "name"), dot);
    }
    return g_strdup(same > 1 ? name : dot + 1);
}

// "ranks, count" for "workload.ranks, hosts[0].count": parameters that vary together.
static char *short_names(const json_t *axes, const char *names)
{
    char **parts = g_strsplit(names, ", ", -1);
    for (char **part = parts; *part; part++) {
        char *word = short_name(axes, *part);
        g_free(*part);
        *part = word;
    }
    char *words = g_strjoinv(", ", parts);
    g_strfreev(parts);
    return words;
}

// All values, or of more than a line can hold the first ones and the last.
char *report_joined(const json_t *texts)
{
    GString *all = g_string_new(NULL);
    const json_t *text;
    size_t i, count = json_array_size(texts);
    json_array_foreach(texts, i, text)
    {
        if (count <= REPORT_MOST_IN_LINE || i < 3 || i + 1 == count) {
            g_string_append(all, i ? ", " : "");
            if (json_is_integer(text))
                g_string_append_printf(all, "%" JSON_INTEGER_FORMAT, json_integer_value(text));
            else
                g_string_append(all, json_string_value(text));
        } else if (i == 3) {
            g_string_append(all, ", ...");
        }
    }
    if (count > REPORT_MOST_IN_LINE)
        g_string_append_printf(all, " (%zu values)", count);
    return g_string_free(all, FALSE);
}

// ---- What gives the same results ----

const json_t *report_axis_named(const json_t *report, const char *name)
{
    const json_t *axis;
    size_t i;
    json_array_foreach(json_object_get(report, "axes"), i, axis)
    {
        if (strcmp(report_member(axis, "name"), name) == 0)
            return axis;
    }
    return NULL;
}

// Whether all values of an axis give the same results, at every point.
bool report_is_idle(const json_t *axis)
{
    const json_t *group = json_array_get(json_object_get(axis, "equal_values"), 0);
    return json_is_true(json_object_get(axis, "changed_nothing")) &&
           json_array_size(group) == json_array_size(json_object_get(axis, "values"));
}

// Whether an earlier value of the axis gives the same results.
bool report_repeats_value(const json_t *axis, const char *value)
{
    const json_t *group;
    size_t i, k;
    json_array_foreach(json_object_get(axis, "equal_values"), i, group)
    {
        for (k = 1; k < json_array_size(group); k++)
            if (g_strcmp0(json_string_value(json_array_get(group, k)), value) == 0)
                return true;
    }
    return false;
}

// Whether a point's results are those of another one, at earlier values.
bool report_repeats_point(const json_t *report, const json_t *point)
{
    const json_t *value;
    const char *name;
    json_object_foreach((json_t *)json_object_get(point, "values"), name, value)
    {
        if (report_repeats_value(report_axis_named(report, name), json_string_value(value)))
            return true;
    }
    return false;
}

// "tiny=1 KiB seed=2": the axes that have more than one value and, unless `all`, change something.
char *report_point_text(const json_t *report, const json_t *point, bool all)
{
    const json_t *axes = json_object_get(report, "axes"), *axis;
    GString *text = g_string_new(NULL);
    size_t i;
    json_array_foreach(axes, i, axis)
    {
        const char *name = report_member(axis, "name");
        if (json_array_size(json_object_get(axis, "values")) < 2 || (!all && report_is_idle(axis)))
            continue;
        char *words = short_names(axes, name);
        g_string_append_printf(text, "%s%s=%s", text->len ? "  " : "", words,
                               report_member(json_object_get(point, "values"), name));
        g_free(words);
    }
    if (json_object_get(point, "draw"))
        g_string_append_printf(text, "%sdraw=%d", text->len ? "  " : "",
                               report_number(point, "draw"));
    if (json_object_get(point, "seed"))
        g_string_append_printf(text, "%sseed=%d", text->len ? "  " : "",
                               report_number(point, "seed"));
    return g_string_free(text, FALSE);
}

char *report_row_name(const json_t *report, const json_t *row)
{
    const json_t *size = json_object_get(row, "size_bytes"), *rank = json_object_get(row, "rank");
    if (json_is_null(size))
        return g_strdup("all together");
    GString *name = g_string_new(NULL);
    if (json_is_integer(rank))
        g_string_append_printf(name, "rank %d ", (int)json_integer_value(rank));
    if (json_integer_value(size) >= 0) {
        const char *counts = json_string_value(json_object_get(report, "counts"));
        char *text = quantity_format(counts ? QUANTITY_COUNT : QUANTITY_SIZE,
                                     (struct quantity){.integer = json_integer_value(size)});
        g_string_append_printf(name, "%s%s%s", text, counts ? " " : "", counts ? counts : "");
        g_free(text);
    }
    return g_strchomp(g_string_free(name, FALSE));
}

bool report_is_flat(const json_t *row)
{
    const json_t *drawn = json_object_get(row, "same_in_draws");
    return drawn ? json_is_true(drawn)
                 : json_equal(json_object_get(row, "best"), json_object_get(row, "worst"));
}
