// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/calibrate/target.h"

#include "sim/config/reader.h"
#include "sim/config/tolerance.h"
#include "sim/measure/result.h"

#include <math.h>
#include <string.h>

#define TARGETS_EXAMPLE                                                                            \
    "a point: targets: [{series: VIA RPI, size: 1 B, value: 74 us, tolerance: 1 %}]"
#define SCHEMA 1
#define DEFAULT_SHARE 0.01 // tolerance if none is given
#define SIDE 2             // a crossover's sides are looked at this factor away

static void target_free(void *data)
{
    struct target *target = data;
    g_ptr_array_unref(target->series);
    g_array_unref(target->sizes);
    g_free(target->metric);
    g_free(target->source);
    g_free(target->claim);
    g_free(target);
}

void target_list_free(struct target_list *list)
{
    if (!list)
        return;
    g_ptr_array_unref(list->targets);
    g_free(list->name);
    g_free(list->file);
    g_free(list);
}

// ---- Reading ----

struct target_reader {
    struct diag_list *diags;
    const struct node *map;
    const char *path;          // "targets[0]"
    const char *const *series; // of the scenario; NULL: not known
    struct target *target;
};

// A number, which may carry `unit`; *share: it was given in per cent.
static bool read_number(const struct target_reader *reader, const struct node *node,
                        const char *key, const char *unit, bool *share, double *value)
{
    char *path = reader_path(reader->path, key);
    const char *text = reader_text(node, path, "a number", reader->diags);
    bool good = text != NULL;
    if (good) {
        char *end;
        *value = g_ascii_strtod(text, &end);
        char *rest = g_strstrip(g_strdup(end));
        bool percent = share && strcmp(rest, "%") == 0;
        good = end != text && isfinite(*value) &&
               (!*rest || percent || (unit && strcmp(rest, unit) == 0));
        if (!good)
            diag_add(reader->diags, node->mark, path, NULL, "%s: a number%s%s is expected", text,
                     unit && *unit ? " in " : "", unit ? unit : "");
        if (share)
            *share = percent;
        if (percent)
            *value /= 100;
        g_free(rest);
    }
    g_free(path);
    return good;
}

static bool read_size(const struct target_reader *reader, const char *text, const struct node *node,
                      const char *key)
{
    struct quantity quantity;
    char *error = NULL, *hint = NULL, *path = reader_path(reader->path, key);
    bool counts = text[strspn(text, "0123456789")] == '\0';
    bool good =
        quantity_parse(text, counts ? QUANTITY_COUNT : QUANTITY_SIZE, &quantity, &error, &hint);
    reader->target->counts = counts;
    if (good && quantity.integer < 0) {
        good = false;
        error = g_strdup("a size is not negative");
    }
    if (good)
        g_array_append_val(reader->target->sizes, quantity.integer);
    else
        diag_add(reader->diags, node->mark, path, hint, "%s: %s", text, error);
    g_free(error);
    g_free(hint);
    g_free(path);
    return good;
}

// "A", or "A .. B": one size, or two.
static bool read_size_range(const struct target_reader *reader, const char *key)
{
    const struct node *node = node_get(reader->map, key);
    char *path = reader_path(reader->path, key);
    const char *text = node ? reader_text(node, path, "a size", reader->diags) : NULL;
    if (!node)
        diag_add(reader->diags, reader->map->mark, path, NULL, "the key %s is missing", key);
    g_free(path);
    if (!text)
        return false;
    const char *dots = strstr(text, "..");
    if (!dots)
        return read_size(reader, text, node, key);
    char *first = g_strstrip(g_strndup(text, (gsize)(dots - text)));
    char *last = g_strstrip(g_strdup(dots + 2));
    bool good = read_size(reader, first, node, key) && read_size(reader, last, node, key);
    const GArray *sizes = reader->target->sizes;
    if (good && g_array_index(sizes, int64_t, 0) >= g_array_index(sizes, int64_t, 1)) {
        diag_add(reader->diags, node->mark, reader->path, NULL, "a range goes upwards");
        good = false;
    }
    g_free(first);
    g_free(last);
    return good;
}

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

static bool read_names(const struct target_reader *reader, const char *key, guint least, guint most)
{
    const struct node *list = node_get(reader->map, key);
    char *path = reader_path(reader->path, key);
    bool good = reader_is(list, NODE_LIST, path, "a list of series", reader->diags);
    if (good && (list->children->len < least || list->children->len > most)) {
        diag_add(reader->diags, list->mark, path, NULL, "%s series are expected",
                 most == 2 ? "two" : "two or more");
        good = false;
    }
    for (guint i = 0; good && i < list->children->len; i++) {
        const char *name = reader_text(g_ptr_array_index(list->children, i), path,
                                       "the name of a series", reader->diags);
        good = name != NULL;
        if (good)
            g_ptr_array_add(reader->target->series, g_strdup(name));
    }
    g_free(path);
    return good;
}

static bool read_tolerance(const struct target_reader *reader)
{
    struct target *target = reader->target;
    bool point = target->kind == TARGET_POINT;
    const struct node *node = node_get(reader->map, "tolerance");
    const char *unit = point ? metric_unit(target->metric) : NULL;
    struct tolerance read = {DEFAULT_SHARE, true};
    char *path = reader_path(reader->path, "tolerance");
    const char *text = node ? reader_text(node, path, "a tolerance", reader->diags) : NULL;
    bool good = !node || text;
    if (text && (tolerance_parse(text, unit, &read) != TOLERANCE_GOOD || read.amount <= 0.0)) {
        char *hint = tolerance_remedy(text, unit);
        diag_add(reader->diags, node->mark, path, hint,
                 "%s: a tolerance above 0 is expected, with its percent sign or unit", text);
        g_free(hint);
        good = false;
    }
    g_free(path);
    target->tolerance = read.amount * (point && read.relative ? fabs(target->value) : 1.0);
    return good;
}

static bool read_weight(const struct target_reader *reader)
{
    const struct node *node = node_get(reader->map, "weight");
    reader->target->weight = 1.0;
    if (!node)
        return true;
    if (!read_number(reader, node, "weight", NULL, NULL, &reader->target->weight))
        return false;
    if (reader->target->weight > 0)
        return true;
    diag_add(reader->diags, node->mark, reader->path, NULL, "a weight is above 0");
    return false;
}

static bool has_key(const struct target_reader *reader, const char *key)
{
    if (node_get(reader->map, key))
        return true;
    diag_add(reader->diags, reader->map->mark, reader->path, NULL, "the key %s is missing", key);
    return false;
}

// Of the only series it need not give the name.
static const char *read_series_name(const struct target_reader *reader)
{
    const struct node *node = node_get(reader->map, "series");
    if (!node && reader->series && reader->series[0] && !reader->series[1])
        return reader->series[0];
    if (!node) {
        char *names = reader->series ? g_strjoinv(", ", (char **)reader->series) : NULL;
        char *hint = names ? g_strdup_printf("one of %s", names) : NULL;
        diag_add(reader->diags, reader->map->mark, reader->path, hint, "the key series is missing");
        g_free(names);
        g_free(hint);
        return NULL;
    }
    char *path = reader_path(reader->path, "series");
    const char *name = reader_text(node, path, "the name of a series", reader->diags);
    g_free(path);
    return name;
}

static bool read_point(const struct target_reader *reader)
{
    struct target *target = reader->target;
    const char *name = read_series_name(reader);
    if (!name || !has_key(reader, "value"))
        return false;
    g_ptr_array_add(target->series, g_strdup(name));
    return read_number(reader, node_get(reader->map, "value"), "value", metric_unit(target->metric),
                       NULL, &target->value) &&
           read_size_range(reader, "size");
}

static bool read_order(const struct target_reader *reader)
{
    if (!read_names(reader, "order", 2, G_MAXUINT) || !read_size_range(reader, "over"))
        return false;
    fill_range(reader->target->sizes);
    return true;
}

static bool read_crossover(const struct target_reader *reader)
{
    GArray *sizes = reader->target->sizes;
    if (!read_names(reader, "crossover", 2, 2) || !read_size_range(reader, "at"))
        return false;
    if (sizes->len == 2)
        return true;
    int64_t at = g_array_index(sizes, int64_t, 0), before = at / SIDE, after = at * SIDE;
    g_array_prepend_val(sizes, before);
    g_array_append_val(sizes, after);
    return true;
}

static bool read_gain(const struct target_reader *reader)
{
    const struct node *list = node_get(reader->map, "sizes");
    bool share = true;
    if (!read_names(reader, "gain", 2, 2) || !has_key(reader, "value") || !has_key(reader, "sizes"))
        return false;
    char *path = reader_path(reader->path, "sizes");
    bool good = reader_is(list, NODE_LIST, path, "a list of sizes", reader->diags);
    if (good && list->children->len == 0) {
        diag_add(reader->diags, list->mark, path, NULL, "a gain needs a size");
        good = false;
    }
    for (guint i = 0; good && i < list->children->len; i++) {
        const struct node *node = g_ptr_array_index(list->children, i);
        const char *text = reader_text(node, path, "a size", reader->diags);
        good = text && read_size(reader, text, node, "sizes");
    }
    g_free(path);
    return good && read_number(reader, node_get(reader->map, "value"), "value", NULL, &share,
                               &reader->target->value);
}

static char *optional_text(const struct target_reader *reader, const char *key)
{
    const struct node *node = node_get(reader->map, key);
    char *path = reader_path(reader->path, key);
    char *text = node ? g_strdup(reader_text(node, path, "a text", reader->diags)) : NULL;
    g_free(path);
    return text;
}

// Whether a target has no key of another kind of target.
static bool keys_fit(const struct target_reader *reader)
{
    static const char *const keys[][4] = {
        [TARGET_POINT] = {"series", "size", "value", NULL},
        [TARGET_ORDER] = {"order", "over", NULL},
        [TARGET_CROSSOVER] = {"crossover", "at", NULL},
        [TARGET_GAIN] = {"gain", "sizes", "value", NULL},
    };
    for (size_t kind = 0; kind < G_N_ELEMENTS(keys); kind++)
        for (int i = 0; kind != reader->target->kind && keys[kind][i]; i++) {
            const char *const *own = keys[reader->target->kind];
            const struct node *node = node_get(reader->map, keys[kind][i]);
            if (!node || g_strv_contains(own, keys[kind][i]))
                continue;
            diag_add(reader->diags, node->key_mark, reader->path,
                     "a target is a point (series, size, value), an order (order, over), a "
                     "crossover (crossover, at) or a gain (gain, sizes, value)",
                     "%s does not go with %s", keys[kind][i], keys[reader->target->kind][0]);
            return false;
        }
    return true;
}

static void read_target(struct target_list *list, const struct node *map, const char *path,
                        const char *const *series, struct diag_list *diags)
{
    static const char *const known[] = {"series", "metric", "size",      "value",     "order",
                                        "over",   "at",     "crossover", "gain",      "sizes",
                                        "source", "claim",  "weight",    "tolerance", NULL};
    if (!reader_is(map, NODE_MAP, path, "a target", diags) || !reader_keys(map, path, known, diags))
        return;
    struct target *target = g_new0(struct target, 1);
    struct target_reader reader = {diags, map, path, series, target};
    target->series = g_ptr_array_new_with_free_func(g_free);
    target->sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
    target->kind = node_get(map, "order")       ? TARGET_ORDER
                   : node_get(map, "crossover") ? TARGET_CROSSOVER
                   : node_get(map, "gain")      ? TARGET_GAIN
                                                : TARGET_POINT;
    target->metric = optional_text(&reader, "metric");
    target->source = optional_text(&reader, "source");
    target->claim = optional_text(&reader, "claim");
    if (!target->metric)
        target->metric = g_strdup("latency_us");
    bool good = keys_fit(&reader);
    switch (target->kind) {
    case TARGET_POINT:
        good = good && read_point(&reader);
        break;
    case TARGET_ORDER:
        good = good && read_order(&reader);
        break;
    case TARGET_CROSSOVER:
        good = good && read_crossover(&reader);
        break;
    case TARGET_GAIN:
        good = good && read_gain(&reader);
        break;
    }
    good = good && read_tolerance(&reader) && read_weight(&reader);
    // An order has a kink where the curves touch, and so have a crossover's sides.
    list->smooth &= target_has_value(target);
    if (good)
        g_ptr_array_add(list->targets, target);
    else
        target_free(target);
}

static void read_list(struct target_list *list, const struct node *root, const char *const *series,
                      struct diag_list *diags)
{
    static const char *const known[] = {"schema", "name", "description", "targets", NULL};
    int64_t schema = 0;
    if (root->kind != NODE_MAP) {
        diag_add(diags, root->mark, "", TARGETS_EXAMPLE,
                 "a file of targets is YAML: schema: 1, and a list of points and orders");
        return;
    }
    if (!reader_keys(root, "", known, diags))
        return;
    if (!node_get(root, "schema"))
        diag_add(diags, root->mark, "schema", "write schema: 1", "the key schema is missing");
    else
        reader_count(node_get(root, "schema"), "schema", SCHEMA, SCHEMA, &schema, diags);
    const struct node *name = node_get(root, "name"), *targets = node_get(root, "targets");
    if (name)
        list->name = g_strdup(reader_text(name, "name", "a name", diags));
    if (!targets)
        diag_add(diags, root->mark, "targets", NULL, "the key targets is missing");
    if (!targets || !reader_is(targets, NODE_LIST, "targets", "a list of targets", diags))
        return;
    if (targets->children->len == 0)
        diag_add(diags, targets->mark, "targets", NULL, "there is no target");
    for (guint i = 0; i < targets->children->len; i++) {
        char *path = reader_path_item("targets", i);
        read_target(list, g_ptr_array_index(targets->children, i), path, series, diags);
        g_free(path);
    }
}

struct target_list *target_list_load(const char *file, const char *const *series,
                                     struct diag_list *diags)
{
    struct node *root = node_load(file, diags);
    if (!root)
        return NULL;
    struct target_list *list = g_new0(struct target_list, 1);
    list->file = g_strdup(file);
    list->targets = g_ptr_array_new_with_free_func(target_free);
    list->smooth = true;
    read_list(list, root, series, diags);
    node_free(root);
    if (!diag_any(diags))
        return list;
    target_list_free(list);
    return NULL;
}
