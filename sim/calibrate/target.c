// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/calibrate/target.h"

#include "sim/config/param_map.h"
#include "sim/config/reader.h"
#include "sim/config/tolerance.h"
#include "sim/measure/result.h"

#include <math.h>
#include <string.h>

#define TARGETS_EXAMPLE                                                                            \
    "a point: targets: [{series: VIA RPI, size: 1 B, value: 74 us, tolerance: 1 %}]"
#define DEFAULT_SHARE 0.01 // tolerance if none is given
#define SIDE 2             // a crossover's sides are evaluated this factor away

static void target_free(void *data)
{
    struct target *target = data;
    g_ptr_array_unref(target->series);
    g_array_unref(target->sizes);
    g_free(target);
}

void target_list_free(struct target_list *list)
{
    if (!list)
        return;
    g_ptr_array_unref(list->targets);
    g_free(list->file);
    g_free(list);
}

struct target_list *target_list_new(const char *file)
{
    struct target_list *list = g_new0(struct target_list, 1);
    list->file = g_strdup(file);
    list->targets = g_ptr_array_new_with_free_func(target_free);
    list->smooth = true;
    return list;
}

struct target *target_new(enum target_kind kind)
{
    struct target *target = g_new0(struct target, 1);
    target->kind = kind;
    target->series = g_ptr_array_new_with_free_func(g_free);
    target->sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
    target->weight = 1.0;
    return target;
}

double target_default_tolerance(double value)
{
    return DEFAULT_SHARE * fabs(value);
}

// ---- Numbers ----

// A number, which may carry `unit` or, of a share, the percent sign.
static bool read_number(const struct param_reading *reading, const char *unit, bool share,
                        double *value)
{
    const char *text = reader_text(reading->node, reading->path, "a number", reading->diags);
    if (!text)
        return false;
    char *end;
    *value = g_ascii_strtod(text, &end);
    char *rest = g_strstrip(g_strdup(end));
    bool percent = share && strcmp(rest, "%") == 0;
    bool good =
        end != text && isfinite(*value) && (!*rest || percent || (unit && strcmp(rest, unit) == 0));
    if (percent)
        *value /= 100;
    g_free(rest);
    return good || param_refuse(reading, NULL, NULL, "%s: a number%s%s is expected", text,
                                unit && *unit ? " in " : "", unit ? unit : "");
}

// In the metric's unit; of a gain, a share.
static bool target_read_value(const struct param_reading *reading)
{
    struct target *target = reading->map->values;
    bool gain = target->kind == TARGET_GAIN;
    return read_number(reading, gain ? NULL : metric_unit(target->metric), gain, &target->value);
}

static bool target_read_tolerance(const struct param_reading *reading)
{
    struct target *target = reading->map->values;
    bool point = target->kind == TARGET_POINT;
    const char *unit = point ? metric_unit(target->metric) : NULL;
    const char *text = reader_text(reading->node, reading->path, "a tolerance", reading->diags);
    struct tolerance read = {0};
    if (!text)
        return false;
    if (tolerance_parse(text, unit, &read) != TOLERANCE_GOOD || read.amount <= 0.0) {
        char *hint = tolerance_remedy(text, unit);
        param_refuse(reading, NULL, hint,
                     "%s: a tolerance above 0 is expected, with its percent sign or unit", text);
        g_free(hint);
        return false;
    }
    target->tolerance = read.amount * (point && read.relative ? fabs(target->value) : 1.0);
    return true;
}

static bool target_read_weight(const struct param_reading *reading)
{
    double *weight = reading->field;
    return read_number(reading, NULL, false, weight) &&
           (*weight > 0 || param_refuse(reading, NULL, NULL, "a weight is above 0"));
}

// ---- Sizes ----

static bool read_size(const struct param_reading *reading, const char *text,
                      const struct node *node)
{
    struct target *target = reading->map->values;
    struct quantity quantity;
    char *error = NULL, *hint = NULL;
    target->counts = text[strspn(text, "0123456789")] == '\0';
    bool good = quantity_parse(text, target->counts ? QUANTITY_COUNT : QUANTITY_SIZE, &quantity,
                               &error, &hint);
    if (good && quantity.integer < 0)
        error = g_strdup("a size is not negative");
    if (error)
        param_refuse(reading, node, hint, "%s: %s", text, error);
    else
        g_array_append_val(target->sizes, quantity.integer);
    good = !error;
    g_free(error);
    g_free(hint);
    return good;
}

// "A", or "A .. B": one size, or two.
static bool target_read_range(const struct param_reading *reading)
{
    const GArray *sizes = ((struct target *)reading->map->values)->sizes;
    const char *text = reader_text(reading->node, reading->path, "a size", reading->diags);
    if (!text)
        return false;
    const char *dots = strstr(text, "..");
    if (!dots)
        return read_size(reading, text, reading->node);
    char *first = g_strstrip(g_strndup(text, (gsize)(dots - text)));
    char *last = g_strstrip(g_strdup(dots + 2));
    bool good = read_size(reading, first, reading->node) && read_size(reading, last, reading->node);
    g_free(first);
    g_free(last);
    if (good && g_array_index(sizes, int64_t, 0) >= g_array_index(sizes, int64_t, 1))
        return param_refuse(reading, NULL, NULL, "a range goes upwards");
    return good;
}

static bool target_read_sizes(const struct param_reading *reading)
{
    const struct node *list = reading->node;
    if (!reader_is(list, NODE_LIST, reading->path, "a list of sizes", reading->diags))
        return false;
    for (guint i = 0; i < list->children->len; i++) {
        const struct node *node = g_ptr_array_index(list->children, i);
        const char *text = reader_text(node, reading->path, "a size", reading->diags);
        if (!text || !read_size(reading, text, node))
            return false;
    }
    return list->children->len > 0 || param_refuse(reading, NULL, NULL, "a gain needs a size");
}

// ---- Series ----

static bool read_name(const struct param_reading *reading, const struct node *node)
{
    const char *name = reader_text(node, reading->path, "the name of a series", reading->diags);
    if (name)
        g_ptr_array_add(((struct target *)reading->map->values)->series, g_strdup(name));
    return name != NULL;
}

static bool target_read_name(const struct param_reading *reading)
{
    return read_name(reading, reading->node);
}

// Two, or of an order two or more.
static bool target_read_names(const struct param_reading *reading)
{
    const struct node *list = reading->node;
    bool order = ((const struct target *)reading->map->values)->kind == TARGET_ORDER, good = true;
    if (!reader_is(list, NODE_LIST, reading->path, "a list of series", reading->diags))
        return false;
    if (list->children->len < 2 || (!order && list->children->len > 2))
        return param_refuse(reading, NULL, NULL, "%s series are expected",
                            order ? "two or more" : "two");
    for (guint i = 0; good && i < list->children->len; i++)
        good = read_name(reading, g_ptr_array_index(list->children, i));
    return good;
}

// ---- Targets ----

// The sizes of a range as benchmarks step through it: by doubling, both ends among them.
static void fill_range(GArray *sizes)
{
    int64_t first = g_array_index(sizes, int64_t, 0);
    int64_t last = g_array_index(sizes, int64_t, sizes->len - 1);
    g_array_set_size(sizes, 1);
    for (int64_t size = MAX(2 * first, 1); size < last; size *= 2)
        g_array_append_val(sizes, size);
    if (last > first)
        g_array_append_val(sizes, last);
}

static void add_sides(GArray *sizes)
{
    int64_t at = g_array_index(sizes, int64_t, 0), before = at / SIDE, after = at * SIDE;
    g_array_prepend_val(sizes, before);
    g_array_append_val(sizes, after);
}

// Of the only series a point need not give the name.
static bool has_series(const struct param_map *map)
{
    const GPtrArray *given = ((const struct target *)map->values)->series;
    const char *const *series = map->context;
    if (given->len > 0)
        return true;
    if (series && series[0] && !series[1]) {
        g_ptr_array_add((GPtrArray *)given, g_strdup(series[0]));
        return true;
    }
    char *names = series ? g_strjoinv(", ", (char **)series) : NULL;
    char *hint = names ? g_strdup_printf("one of %s", names) : NULL;
    diag_add(map->diags, map->node->mark, map->path, hint, "the key series is missing");
    g_free(names);
    g_free(hint);
    return false;
}

static bool finish_target(const struct param_map *map)
{
    struct target *target = map->values;
    if (!has_series(map))
        return false;
    if (target->kind == TARGET_ORDER)
        fill_range(target->sizes);
    if (target->kind == TARGET_CROSSOVER && target->sizes->len == 1)
        add_sides(target->sizes);
    if (!node_get(map->node, "tolerance"))
        target->tolerance =
            target_default_tolerance(target->kind == TARGET_POINT ? target->value : 1.0);
    return true;
}

PARAM_FORM(name_form, target_read_name, "the name of a series")
PARAM_FORM(names_form, target_read_names, "a list of names of series")
PARAM_FORM(range_form, target_read_range, "a size, or a range FROM .. TO")
PARAM_FORM(sizes_form, target_read_sizes, "a list of sizes")
PARAM_FORM(value_form, target_read_value, "a number, with the metric's unit or per cent of a gain")
PARAM_FORM(tolerance_form, target_read_tolerance, "a percentage, or of a point an amount")
PARAM_FORM(weight_form, target_read_weight, "a number above 0")

#define TARGET(name_, field, form_, ...)                                                           \
    PARAM_AS(struct target, name_, field, PARAM_NODE, .node = &(form_), __VA_ARGS__)
#define METRIC                                                                                     \
    PARAM(struct target, metric, PARAM_STRING, .fallback = "latency_us", .doc = "what is measured")
#define COMMON                                                                                     \
    TARGET("tolerance", tolerance, tolerance_form, .optional = true,                               \
           .doc = "a deviation that counts 1; 1 % if it is not given"),                            \
        TARGET("weight", weight, weight_form, .optional = true,                                    \
               .doc = "multiplies the residuals; 1 if it is not given"),                           \
        PARAM(struct target, source, PARAM_STRING, .optional = true,                               \
              .doc = "where it is printed"),                                                       \
        PARAM(struct target, claim, PARAM_STRING, .optional = true, .doc = "the claim's id"),      \
    {                                                                                              \
        0                                                                                          \
    }

static const struct param point_rows[] = {
    METRIC,
    TARGET("series", series, name_form, .optional = true,
           .doc = "whose value it is; may be left out if there is only one"),
    TARGET("value", value, value_form, .doc = "what is expected"),
    TARGET("size", sizes, range_form, .doc = "the message size"), COMMON};
static const struct param order_rows[] = {
    METRIC, TARGET("order", series, names_form, .doc = "the series, lowest first"),
    TARGET("over", sizes, range_form, .doc = "the sizes at which it holds"), COMMON};
static const struct param crossover_rows[] = {
    METRIC,
    TARGET("crossover", series, names_form, .doc = "the series, first the lower one before"),
    TARGET("at", sizes, range_form, .doc = "where they cross"), COMMON};
static const struct param gain_rows[] = {
    METRIC, TARGET("gain", series, names_form, .doc = "by how much the first is above the second"),
    TARGET("value", value, value_form, .doc = "what is expected"),
    TARGET("sizes", sizes, sizes_form, .doc = "the sizes that the mean is of"), COMMON};

#define KIND(rows, name_, doc_)                                                                    \
    PARAM_TABLE(struct target, rows, .name = (name_), .noun = "a target", .in_order = true,        \
                .finish = finish_target, .doc = (doc_))
const struct param_table target_tables[TARGET_KINDS] = {
    [TARGET_POINT] = KIND(point_rows, "series", "a value of a series"),
    [TARGET_ORDER] = KIND(order_rows, "order", "an order of series"),
    [TARGET_CROSSOVER] = KIND(crossover_rows, "crossover", "a crossover of two series"),
    [TARGET_GAIN] = KIND(gain_rows, "gain", "the mean gain of one series over another"),
};

// Whether a target has the keys of its kind, not those of another one.
static bool keys_fit(enum target_kind own, const struct node *map, const char *path,
                     struct diag_list *diags)
{
    GPtrArray *known = g_ptr_array_new();
    for (int kind = 0; kind < TARGET_KINDS; kind++)
        for (const struct param *row = target_tables[kind].params; row->name; row++)
            if (!g_ptr_array_find_with_equal_func(known, row->name, g_str_equal, NULL))
                g_ptr_array_add(known, (gpointer)row->name);
    g_ptr_array_add(known, NULL);
    bool good = reader_keys(map, path, (const char *const *)known->pdata, diags);
    g_ptr_array_unref(known);
    for (guint i = 0; good && i < map->children->len; i++) {
        const struct node *node = g_ptr_array_index(map->children, i);
        if (param_index(&target_tables[own], node->key) >= 0)
            continue;
        diag_add(diags, node->key_mark, path,
                 "a target is a point (series, size, value), an order (order, over), a "
                 "crossover (crossover, at) or a gain (gain, sizes, value)",
                 "%s does not go with %s", node->key, target_tables[own].name);
        good = false;
    }
    return good;
}

static bool read_target(const struct param_map *file, const struct node *node, const char *path)
{
    struct target_list *list = file->values;
    struct diag_list *diags = file->diags;
    if (!reader_is(node, NODE_MAP, path, "a target", diags))
        return false;
    struct target *target = target_new(TARGET_POINT);
    g_ptr_array_add(list->targets, target);
    for (int kind = TARGET_ORDER; kind < TARGET_KINDS && target->kind == TARGET_POINT; kind++)
        if (node_get(node, target_tables[kind].name))
            target->kind = (enum target_kind)kind;
    // An order has a kink where the curves touch, and so have a crossover's sides.
    list->smooth &= target_has_value(target);
    const struct param_map map = {
        &target_tables[target->kind], node, path, target, file, file->context, diags};
    return keys_fit(target->kind, node, path, diags) && param_map_read(&map);
}

static bool read_targets(const struct param_reading *reading)
{
    const struct node *list = reading->node;
    bool good = true;
    if (!reader_is(list, NODE_LIST, reading->path, "a list of targets", reading->diags))
        return false;
    for (guint i = 0; i < list->children->len; i++) {
        char *path = reader_path_item(reading->path, i);
        good &= read_target(reading->map, g_ptr_array_index(list->children, i), path);
        g_free(path);
    }
    return list->children->len > 0 ? good : param_refuse(reading, NULL, NULL, "there is no target");
}

PARAM_FORM(targets_form, read_targets, "a list of points, orders, crossovers and gains")

static const struct param file_rows[] = {
    PARAM(struct target_list, schema, PARAM_COUNT, .least = "1", .most = "1",
          .doc = "write schema: 1"),
    PARAM(struct target_list, name, PARAM_STRING, .optional = true, .noun = "a name",
          .doc = "in reports"),
    PARAM(struct target_list, description, PARAM_STRING, .optional = true, .doc = "for readers"),
    PARAM(struct target_list, targets, PARAM_NODE, .node = &targets_form,
          .doc = "what the simulation shall meet"),
    {0}};
const struct param_table target_file_table =
    PARAM_TABLE(struct target_list, file_rows, .name = "targets", .noun = "a file of targets",
                .doc = "the targets of a calibration");

struct target_list *target_list_load(const char *file, const char *const *series,
                                     struct diag_list *diags)
{
    struct node *root = node_load(file, diags);
    if (!root)
        return NULL;
    struct target_list *list = target_list_new(file);
    const struct param_map map = {&target_file_table, root, "", list, NULL, series, diags};
    if (root->kind == NODE_MAP)
        param_map_read(&map);
    else
        diag_add(
            diags, root->mark, "", TARGETS_EXAMPLE,
            "a file of targets is YAML: schema: 1, and a list of points and orders; or measured "
            "points as FILE.csv");
    node_free(root);
    if (!diag_any(diags))
        return list;
    target_list_free(list);
    return NULL;
}
