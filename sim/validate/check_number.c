// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/check_internal.h"

#include "sim/config/reader.h"

#include <string.h>

bool check_read_number(const struct param_reading *reading, const struct node *node,
                       const char *unit, double *value, bool *percent)
{
    const char *text = reader_text(node, reading->path, "a number", reading->diags);
    if (!text)
        return false;
    char *end;
    *value = g_ascii_strtod(text, &end);
    if (end == text)
        return param_refuse(reading, node, NULL, "\"%.40s\" is no number", text);
    while (*end == ' ')
        end++;
    *percent = strcmp(end, "%") == 0;
    if (*percent)
        *value /= 100.0;
    if (*percent || *end == '\0' || strcmp(end, unit) == 0)
        return true;
    char *hint =
        *unit ? g_strdup_printf("the metric is in %s", unit) : g_strdup("it has no unit here");
    param_refuse(reading, node, hint, "\"%.40s\" has the wrong unit", text);
    g_free(hint);
    return false;
}

// Changes `text`.
static bool size_parse(const struct param_reading *reading, const struct node *node, char *text,
                       int64_t *size)
{
    struct check *check = reading->map->values;
    struct quantity quantity;
    char *error, *hint;
    g_strstrip(text);
    bool plain = g_ascii_isdigit(*text) && strspn(text, "0123456789") == strlen(text);
    bool good =
        quantity_parse(text, plain ? QUANTITY_COUNT : QUANTITY_SIZE, &quantity, &error, &hint);
    if (!good)
        param_refuse(reading, node, hint, "\"%.40s\": %s", text, error);
    g_free(error);
    g_free(hint);
    if (!good)
        return false;
    *size = quantity.integer;
    enum check_sizes kind = plain ? SIZES_COUNTED : SIZES_BYTES;
    if (*size != 0 && check->sizes_are != SIZES_UNKNOWN && check->sizes_are != kind)
        return param_refuse(reading, node, NULL,
                            plain ? "\"%.40s\" lacks the unit that the sizes before it have"
                                  : "\"%.40s\" has a unit, and the sizes before it have none",
                            text);
    if (*size != 0)
        check->sizes_are = kind;
    return true;
}

bool check_read_size(const struct param_reading *reading, const struct node *node, int64_t *size)
{
    char *text = g_strdup(reader_text(node, reading->path, "a size", reading->diags));
    bool good = text && size_parse(reading, node, text, size);
    g_free(text);
    return good;
}

static bool read_range(const struct param_reading *reading, const struct node *node)
{
    const char *text =
        reader_text(node, reading->path, "a range of sizes, FROM .. TO", reading->diags);
    if (!text)
        return false;
    char **ends = g_strsplit(text, "..", 2);
    struct size_range range = {0};
    bool good = size_parse(reading, node, ends[0] ? ends[0] : "", &range.from);
    range.to = range.from;
    if (good && ends[1])
        good = size_parse(reading, node, ends[1], &range.to);
    g_strfreev(ends);
    if (good && range.to < range.from)
        return param_refuse(reading, node, NULL, "the range ends before it starts");
    if (good)
        g_array_append_val(*(GArray **)reading->field, range);
    return good;
}

bool check_read_range(const struct param_reading *reading)
{
    return read_range(reading, reading->node);
}

bool check_read_ranges(const struct param_reading *reading)
{
    const struct node *node = reading->node;
    if (node->kind != NODE_LIST)
        return read_range(reading, node);
    bool good = true;
    for (guint i = 0; i < node->children->len; i++)
        good &= read_range(reading, g_ptr_array_index(node->children, i));
    return good;
}
