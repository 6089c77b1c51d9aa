// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/figures/spec.h"

#include "sim/config/reader.h"
#include "sim/core/intern.h"
#include "sim/measure/result.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

#define MOST_VALUES 1000

// ---- Freeing ----

static void series_free(gpointer data)
{
    struct figure_series *series = data;
    g_free(series->name);
    g_free(series->stack);
    g_ptr_array_unref(series->curves);
    g_free(series);
}

static void spec_panel_free(gpointer data)
{
    struct figure_panel *panel = data;
    json_decref(panel->frame);
    json_decref(panel->values);
    g_ptr_array_unref(panel->series);
    g_free(panel);
}

static void spec_free(gpointer data)
{
    struct figure_spec *spec = data;
    g_free(spec->id);
    g_free(spec->number);
    g_free(spec->file);
    g_free(spec->title);
    g_free(spec->source);
    g_free(spec->note);
    g_free(spec->about);
    g_ptr_array_unref(spec->claims);
    g_ptr_array_unref(spec->panels);
    g_free(spec);
}

// ---- Small readers ----

// The text of a key; NULL if it is missing, with a complaint if it is needed.
static char *read_text(const struct node *map, const char *key, const char *path, bool needed,
                       struct diag_list *diags)
{
    const struct node *node = node_get(map, key);
    if (!node) {
        if (needed)
            diag_add(diags, map->mark, path, NULL, "the key %s is missing", key);
        return NULL;
    }
    char *below = reader_path(path, key);
    char *text = g_strdup(reader_text(node, below, "text", diags));
    g_free(below);
    return text;
}

// A place on an axis: a size where that is what the axis shows, else a number.
static bool read_place(const struct node *node, const char *path, bool is_size, double *value,
                       struct diag_list *diags)
{
    struct quantity quantity;
    if (!reader_quantity(node, path, is_size ? QUANTITY_SIZE : QUANTITY_REAL, &quantity, diags))
        return false;
    *value = is_size ? (double)quantity.integer : quantity.real;
    return true;
}

static void read_place_into(json_t *mark, const struct node *map, const char *key, const char *path,
                            bool is_size, struct diag_list *diags)
{
    const struct node *node = node_get(map, key);
    double value;
    if (!node)
        diag_add(diags, map->mark, path, NULL, "the key %s is missing", key);
    else if (read_place(node, path, is_size, &value, diags))
        json_object_set_new(mark, key, json_real(value));
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, json_string(text));
}

// Copies a text from a map into an object if it is there.
static void take_text(json_t *object, const struct node *map, const char *key, const char *path,
                      bool needed, struct diag_list *diags)
{
    char *text = read_text(map, key, path, needed, diags);
    set_text(object, key, text);
    g_free(text);
}

static void take_scale(json_t *axis, const struct node *map, const char *path, const char *fallback,
                       struct diag_list *diags)
{
    static const char *const scales[] = {"linear", "log", NULL};
    const struct node *node = map ? node_get(map, "scale") : NULL;
    int scale = node ? reader_choice(node, path, "scale", scales, diags) : -1;
    set_text(axis, "scale", scale >= 0 ? scales[scale] : fallback);
}

static bool spec_read_range(const struct node *map, const char *path, bool is_size, double *low,
                            double *high, struct diag_list *diags)
{
    const struct node *range = map ? node_get(map, "range") : NULL;
    if (!range)
        return false;
    if (!reader_is(range, NODE_LIST, path, "a range [LEAST, MOST]", diags))
        return false;
    if (range->children->len != 2) {
        diag_add(diags, range->mark, path, NULL, "a range is [LEAST, MOST]");
        return false;
    }
    bool good = read_place(g_ptr_array_index(range->children, 0), path, is_size, low, diags) &&
                read_place(g_ptr_array_index(range->children, 1), path, is_size, high, diags);
    if (good && *low >= *high)
        diag_add(diags, range->mark, path, NULL, "the range ends before it starts");
    return good && *low < *high;
}

// ---- Axes ----

static json_t *read_values(const struct node *list, const char *path, struct diag_list *diags)
{
    if (!list || !reader_is(list, NODE_LIST, path, "a list of values", diags))
        return NULL;
    json_t *values = json_array();
    for (guint i = 0; i < MIN(list->children->len, MOST_VALUES); i++) {
        const struct node *item = g_ptr_array_index(list->children, i);
        if (reader_is(item, NODE_SCALAR, path, "a value", diags))
            json_array_append_new(values, node_json(item));
    }
    return values;
}

// x is a setting: its values become the places of the points.
static void read_setting(struct figure_panel *panel, const struct node *x, const char *path,
                         json_t *axis, struct diag_list *diags)
{
    struct quantity at;
    take_text(axis, x, "set", path, true, diags);
    take_text(axis, x, "label", path, true, diags);
    take_text(axis, x, "unit", path, false, diags);
    json_object_set_new(axis, "swept", json_true());
    panel->values = read_values(node_get(x, "values"), path, diags);
    if (!panel->values || json_array_size(panel->values) == 0)
        diag_add(diags, x->mark, path, NULL, "a setting along an axis needs values");
    if (node_get(x, "at") && reader_quantity(node_get(x, "at"), path, QUANTITY_SIZE, &at, diags))
        panel->at = at.integer;
    take_scale(axis, x, path, "linear", diags);
}

static void spec_read_x(struct figure_panel *panel, const struct node *map, const char *path,
                        struct diag_list *diags)
{
    static const char *const keys[] = {"scale", "range",  "label", "counts", "unit",
                                       "set",   "values", "at",    NULL};
    const struct node *x = node_get(map, "x");
    json_t *axis = json_object();
    json_object_set_new(panel->frame, "x", axis);
    panel->low = -INFINITY;
    panel->high = INFINITY;
    panel->at = -1;
    if (x &&
        (!reader_is(x, NODE_MAP, path, "an axis", diags) || !reader_keys(x, path, keys, diags)))
        return;
    if (x && node_get(x, "set")) {
        read_setting(panel, x, path, axis, diags);
        return;
    }
    char *label = x ? read_text(x, "label", path, false, diags) : NULL;
    char *counts = x ? read_text(x, "counts", path, false, diags) : NULL;
    panel->counts = counts != NULL;
    struct size_axis sizes = size_axis_of(counts);
    set_text(axis, "label", label ? label : sizes.label);
    set_text(axis, "unit", sizes.unit);
    take_scale(axis, x, path, sizes.linear ? "linear" : "log", diags);
    spec_read_range(x, path, !counts, &panel->low, &panel->high, diags);
    g_free(counts);
    g_free(label);
}

// Returns the metric, interned, or NULL after a complaint.
static const char *read_y(struct figure_panel *panel, const struct node *map, const char *path,
                          struct diag_list *diags)
{
    static const char *const keys[] = {"metric", "label", "unit", "scale", "range", "zero", NULL};
    static const char *const answers[] = {"false", "true", NULL};
    const struct node *y = node_get(map, "y");
    if (!y) {
        diag_add(diags, map->mark, path, NULL, "the key y is missing");
        return NULL;
    }
    if (!reader_is(y, NODE_MAP, path, "an axis", diags) || !reader_keys(y, path, keys, diags))
        return NULL;
    json_t *axis = json_object();
    json_object_set_new(panel->frame, "y", axis);
    char *metric = read_text(y, "metric", path, true, diags);
    char *label = read_text(y, "label", path, false, diags);
    char *unit = read_text(y, "unit", path, false, diags);
    char *plain = metric ? text_metric_axis(metric) : NULL;
    set_text(axis, "label", label ? label : plain);
    set_text(axis, "unit", unit ? unit : metric ? metric_unit(metric) : NULL);
    take_scale(axis, y, path, "linear", diags);
    double low, high;
    if (spec_read_range(y, path, false, &low, &high, diags))
        json_object_set_new(axis, "range", json_pack("[f,f]", low, high));
    const struct node *zero = node_get(y, "zero");
    if (zero)
        json_object_set_new(axis, "zero",
                            json_boolean(reader_choice(zero, path, "answer", answers, diags) == 1));
    const char *name = metric ? intern_text(metric) : NULL;
    g_free(plain);
    g_free(unit);
    g_free(label);
    g_free(metric);
    return name;
}

// ---- Marks ----

static json_t *read_mark(const struct node *map, const char *path, bool x_is_size,
                         struct diag_list *diags)
{
    static const char *const keys[] = {"kind", "from",   "to",    "x",      "y", "text",
                                       "note", "source", "claim", "series", NULL};
    static const char *const kinds[] = {"point", "vertical", "horizontal", "band", NULL};
    enum { POINT, VERTICAL, HORIZONTAL, BAND };
    json_t *mark = json_object();
    if (!reader_is(map, NODE_MAP, path, "a mark", diags) || !reader_keys(map, path, keys, diags))
        return mark;
    const struct node *kind_node = node_get(map, "kind");
    if (!kind_node) {
        diag_add(diags, map->mark, path, NULL, "the key kind is missing");
        return mark;
    }
    int kind = reader_choice(kind_node, path, "kind of mark", kinds, diags);
    if (kind < 0)
        return mark;
    set_text(mark, "kind", kinds[kind]);
    if (kind == BAND) {
        read_place_into(mark, map, "from", path, x_is_size, diags);
        read_place_into(mark, map, "to", path, x_is_size, diags);
    }
    if (kind == POINT || kind == VERTICAL)
        read_place_into(mark, map, "x", path, x_is_size, diags);
    if (kind == POINT || kind == HORIZONTAL)
        read_place_into(mark, map, "y", path, false, diags);
    take_text(mark, map, "text", path, true, diags);
    take_text(mark, map, "source", path, true, diags);
    take_text(mark, map, "note", path, false, diags);
    take_text(mark, map, "claim", path, false, diags);
    take_text(mark, map, "series", path, false, diags);
    return mark;
}

static void read_marks(struct figure_panel *panel, const struct node *map, const char *path,
                       struct diag_list *diags)
{
    const struct node *list = node_get(map, "marks");
    json_t *marks = json_array();
    json_object_set_new(panel->frame, "marks", marks);
    if (!list || !reader_is(list, NODE_LIST, path, "a list of marks", diags))
        return;
    for (guint i = 0; i < list->children->len; i++)
        json_array_append_new(marks, read_mark(g_ptr_array_index(list->children, i), path,
                                               !panel->values && !panel->counts, diags));
}

// ---- Series ----

// The curve with one more setting on it, and on the second curve of its relation.
static struct curve *curve_with(const struct curve *curve, const char *set)
{
    struct curve *copy = curve_copy(curve);
    for (struct curve *one = copy; one; one = one->other) {
        char *sets = *one->sets ? g_strconcat(one->sets, "\n", set, NULL) : g_strdup(set);
        one->sets = intern_text(sets);
        g_free(sets);
    }
    return copy;
}

static void spread(struct figure_series *series, const struct figure_panel *panel,
                   struct curve *curve)
{
    if (!panel->values) {
        g_ptr_array_add(series->curves, curve);
        return;
    }
    const char *path =
        json_string_value(json_object_get(json_object_get(panel->frame, "x"), "set"));
    size_t index;
    json_t *value;
    json_array_foreach(panel->values, index, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        char *set = json_is_string(value) ? g_strdup_printf("%s=%s", path, json_string_value(value))
                                          : g_strdup_printf("%s=%s", path, text);
        g_ptr_array_add(series->curves, curve_with(curve, set));
        g_free(set);
        free(text);
    }
    curve_free(curve);
}

// Reads one of the series: a curve, and how it is called and looks.
static void read_series(struct figure_panel *panel, const struct node *item, const char *path,
                        const struct curve *defaults, struct diag_list *diags)
{
    struct node *copy = node_copy(item);
    struct node *name = copy->kind == NODE_MAP ? node_take(copy, "name") : NULL;
    struct node *stack = copy->kind == NODE_MAP ? node_take(copy, "stack") : NULL;
    struct curve *curve = curve_read(copy, path, defaults, diags);
    if (curve) {
        struct figure_series *series = g_new0(struct figure_series, 1);
        series->curves = g_ptr_array_new_with_free_func((GDestroyNotify)curve_free);
        series->name = name ? g_strdup(reader_text(name, path, "a name", diags)) : NULL;
        if (!series->name)
            series->name = curve_label(curve);
        series->stack = stack ? g_strdup(reader_text(stack, path, "a stack", diags)) : NULL;
        spread(series, panel, curve);
        g_ptr_array_add(panel->series, series);
    }
    node_free(name);
    node_free(stack);
    node_free(copy);
}

static void read_all_series(struct figure_panel *panel, const struct node *map,
                            const struct node *figure, const char *metric, const char *path,
                            struct diag_list *diags)
{
    const struct node *list = node_get(map, "series");
    const struct node *scenario = node_get(map, "scenario");
    if (!list)
        list = node_get(figure, "series");
    if (!scenario)
        scenario = node_get(figure, "scenario");
    if (!list) {
        diag_add(diags, map->mark, path, NULL, "the key series is missing, here and at the figure");
        return;
    }
    struct curve defaults = {
        .scenario = scenario ? intern_text(scenario->text) : NULL,
        .sets = "",
        .metric = metric,
    };
    if (reader_is(list, NODE_LIST, path, "a list of series", diags))
        for (guint i = 0; i < list->children->len; i++)
            read_series(panel, g_ptr_array_index(list->children, i), path, &defaults, diags);
}

// ---- Panels, figures, files ----

static struct figure_panel *read_panel(const struct node *map, const struct node *figure,
                                       const char *path, struct diag_list *diags)
{
    static const char *const keys[] = {"title",  "kind",  "x",        "y",
                                       "series", "marks", "scenario", NULL};
    static const char *const kinds[] = {"lines", "bars", NULL};
    struct figure_panel *panel = g_new0(struct figure_panel, 1);
    panel->frame = json_object();
    panel->series = g_ptr_array_new_with_free_func(series_free);
    if (!reader_is(map, NODE_MAP, path, "a panel", diags) || !reader_keys(map, path, keys, diags))
        return panel;
    take_text(panel->frame, map, "title", path, false, diags);
    const struct node *kind_node = node_get(map, "kind");
    int kind = kind_node ? reader_choice(kind_node, path, "kind of panel", kinds, diags) : 0;
    set_text(panel->frame, "kind", kinds[MAX(kind, 0)]);
    spec_read_x(panel, map, path, diags);
    const char *metric = read_y(panel, map, path, diags);
    read_marks(panel, map, path, diags);
    if (metric && !diag_any(diags))
        read_all_series(panel, map, figure, metric, path, diags);
    return panel;
}

static void read_claims(struct figure_spec *spec, const struct node *map, const char *path,
                        struct diag_list *diags)
{
    const struct node *list = node_get(map, "claims");
    if (list && reader_is(list, NODE_LIST, path, "a list of claims", diags))
        for (guint i = 0; i < list->children->len; i++) {
            const struct node *item = g_ptr_array_index(list->children, i);
            const char *text = reader_text(item, path, "the id of a claim", diags);
            if (text)
                g_ptr_array_add(spec->claims, g_strdup(text));
        }
    g_ptr_array_add(spec->claims, NULL);
}

// The file's name is a part of a path below the directory of the pictures, and must stay there.
static void check_file(const struct figure_spec *spec, const struct node *map, const char *path,
                       struct diag_list *diags)
{
    if (spec->file && (g_path_is_absolute(spec->file) || strstr(spec->file, "..")))
        diag_add(diags, node_get(map, "file")->mark, path, NULL,
                 "the picture's file must lie below the directory of all pictures");
}

static struct figure_spec *read_figure(const struct node *map, const char *path,
                                       struct diag_list *diags)
{
    static const char *const keys[] = {"id",     "number", "file",     "title",  "source", "note",
                                       "claims", "series", "scenario", "panels", NULL};
    struct figure_spec *spec = g_new0(struct figure_spec, 1);
    spec->claims = g_ptr_array_new_with_free_func(g_free);
    spec->panels = g_ptr_array_new_with_free_func(spec_panel_free);
    if (!reader_is(map, NODE_MAP, path, "a figure", diags) || !reader_keys(map, path, keys, diags))
        return spec;
    spec->id = read_text(map, "id", path, true, diags);
    if (spec->id)
        reader_name(node_get(map, "id"), path, diags);
    spec->number = read_text(map, "number", path, false, diags);
    spec->file = read_text(map, "file", path, true, diags);
    check_file(spec, map, path, diags);
    spec->title = read_text(map, "title", path, true, diags);
    spec->source = read_text(map, "source", path, true, diags);
    spec->note = read_text(map, "note", path, false, diags);
    read_claims(spec, map, path, diags);
    const struct node *panels = node_get(map, "panels");
    if (!panels)
        diag_add(diags, map->mark, path, NULL, "the key panels is missing");
    else if (reader_is(panels, NODE_LIST, path, "a list of panels", diags))
        for (guint i = 0; i < panels->children->len; i++)
            g_ptr_array_add(spec->panels,
                            read_panel(g_ptr_array_index(panels->children, i), map, path, diags));
    return spec;
}

static void read_document(GPtrArray *specs, const struct node *root, struct diag_list *diags)
{
    static const char *const keys[] = {"schema", "about", "figures", NULL};
    int64_t schema;
    if (!reader_is(root, NODE_MAP, "", "a file of figures", diags) ||
        !reader_keys(root, "", keys, diags))
        return;
    const struct node *version = node_get(root, "schema"), *list = node_get(root, "figures");
    if (!version || !list)
        diag_add(diags, root->mark, NULL, NULL,
                 "a file of figures has the keys schema and figures");
    else if (reader_count(version, "schema", 1, 1, &schema, diags) &&
             reader_is(list, NODE_LIST, "figures", "a list of figures", diags)) {
        char *about = read_text(root, "about", "", false, diags);
        for (guint i = 0; i < list->children->len; i++) {
            char *path = reader_path_item("figures", i);
            struct figure_spec *spec =
                read_figure(g_ptr_array_index(list->children, i), path, diags);
            spec->about = g_strdup(about);
            g_ptr_array_add(specs, spec);
            g_free(path);
        }
        g_free(about);
    }
}

static GPtrArray *specs_or_null(GPtrArray *specs, const struct diag_list *diags)
{
    if (!diag_any(diags))
        return specs;
    g_ptr_array_unref(specs);
    return NULL;
}

GPtrArray *figure_specs_parse(const char *text, const char *name, struct diag_list *diags)
{
    GPtrArray *specs = g_ptr_array_new_with_free_func(spec_free);
    struct node *root = node_parse(text, strlen(text), name, NULL, diags);
    if (root)
        read_document(specs, root, diags);
    node_free(root);
    return specs_or_null(specs, diags);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

GPtrArray *figure_specs_load(const char *data_dir, struct diag_list *diags)
{
    GPtrArray *specs = g_ptr_array_new_with_free_func(spec_free);
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    char *folder = g_build_filename(data_dir, "references", "figures", NULL);
    GDir *directory = g_dir_open(folder, 0, NULL);
    const char *file;
    while (directory && (file = g_dir_read_name(directory)))
        if (g_str_has_suffix(file, ".yaml") && *file != '.')
            g_ptr_array_add(names, g_build_filename(folder, file, NULL));
    if (directory)
        g_dir_close(directory);
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++) {
        struct node *root = node_load(g_ptr_array_index(names, i), diags);
        if (root)
            read_document(specs, root, diags);
        node_free(root);
    }
    g_ptr_array_unref(names);
    g_free(folder);
    return specs_or_null(specs, diags);
}
