// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/figures/spec.h"

#include "sim/config/param_map.h"
#include "sim/config/reader.h"
#include "sim/core/intern.h"
#include "sim/measure/result.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

#define MOST_VALUES 1000

// ---- Axes ----

static const char *const spec_scales[] = {"linear", "log", NULL};
static const char *const spec_answers[] = {"false", "true", NULL};
enum { SCALE_UNSAID = -1, SCALE_LINEAR, SCALE_LOG };

static void spec_init_axis(void *values)
{
    *(struct figure_axis *)values = (struct figure_axis){
        .scale = SCALE_UNSAID, .low = -INFINITY, .high = INFINITY, .at = -1, .zero = -1};
}

// A place on an axis: a size where that is what the axis shows, else a number.
static bool spec_read_place(const struct param_reading *reading, const struct node *node,
                            bool is_size, double *value)
{
    struct quantity quantity;
    if (!reader_quantity(node, reading->path, is_size ? QUANTITY_SIZE : QUANTITY_REAL, &quantity,
                         reading->diags))
        return false;
    *value = is_size ? (double)quantity.integer : quantity.real;
    return true;
}

static bool spec_read_range(const struct param_reading *reading)
{
    struct figure_axis *axis = reading->map->values;
    const struct node *node = reading->node;
    bool is_size = !axis->metric && !axis->counts;
    double low, high;
    if (!reader_is(node, NODE_LIST, reading->path, "a range [LEAST, MOST]", reading->diags))
        return false;
    if (node->children->len != 2)
        return param_refuse(reading, NULL, NULL, "a range is [LEAST, MOST]");
    if (!spec_read_place(reading, g_ptr_array_index(node->children, 0), is_size, &low) ||
        !spec_read_place(reading, g_ptr_array_index(node->children, 1), is_size, &high))
        return false;
    if (low >= high)
        return param_refuse(reading, NULL, NULL, "the range ends before it starts");
    axis->low = low;
    axis->high = high;
    return true;
}

static bool spec_read_values(const struct param_reading *reading)
{
    json_t **values = reading->field;
    if (!reader_is(reading->node, NODE_LIST, reading->path, "a list of values", reading->diags))
        return false;
    const GPtrArray *items = reading->node->children;
    bool good = true;
    *values = json_array();
    for (guint i = 0; i < MIN(items->len, MOST_VALUES); i++) {
        const struct node *item = g_ptr_array_index(items, i);
        if (reader_is(item, NODE_SCALAR, reading->path, "a value", reading->diags))
            json_array_append_new(*values, node_json(item));
        else
            good = false;
    }
    return good;
}

static void spec_clear_values(void *field)
{
    g_clear_pointer((json_t **)field, json_decref);
}

static const struct param_node spec_range = {
    .read = spec_read_range,
    .form = "[LEAST, MOST]",
    .schema = "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2}"};
static const struct param_node spec_values = {.read = spec_read_values,
                                              .clear = spec_clear_values,
                                              .form = "a list of values",
                                              .schema = PARAM_SCHEMA_LIST};

// A setting along an axis needs a label and values.
static bool spec_finish_x(const struct param_map *map)
{
    struct figure_axis *axis = map->values;
    bool values = json_array_size(axis->values) > 0;
    if (!axis->set)
        spec_clear_values(&axis->values);
    if (axis->set && !axis->label)
        diag_add(map->diags, map->node->mark, map->path, NULL,
                 "a setting along an axis needs a label");
    if (axis->set && !values)
        diag_add(map->diags, map->node->mark, map->path, NULL,
                 "a setting along an axis needs values");
    return !axis->set || (axis->label && values);
}

#define AXIS(field, kind, ...) PARAM(struct figure_axis, field, kind, __VA_ARGS__)

static const struct param spec_x_rows[] = {
    AXIS(set, PARAM_STRING, .optional = true,
         .doc = "the path of a setting that the axis shows in place of message sizes"),
    AXIS(label, PARAM_STRING, .optional = true, .doc = "the axis's name"),
    AXIS(counts, PARAM_STRING, .optional = true, .doc = "what the benchmark counts, if not bytes"),
    AXIS(unit, PARAM_STRING, .optional = true, .doc = "of a setting's values"),
    AXIS(scale, PARAM_CHOICE, .choices = spec_scales, .noun = "scale", .optional = true,
         .doc = "if not given, log for sizes and linear for all else"),
    PARAM_AS(struct figure_axis, "range", low, PARAM_NODE, .node = &spec_range, .optional = true,
             .doc = "points outside are not drawn"),
    AXIS(values, PARAM_NODE, .node = &spec_values, .optional = true, .doc = "of a setting"),
    AXIS(at, PARAM_SIZE, .optional = true,
         .doc = "the message size along a setting; else the metric that belongs to no size"),
    {0}};
static const struct param_table spec_x_table = PARAM_TABLE(
    struct figure_axis, spec_x_rows, .name = "x", .noun = "an axis", .init = spec_init_axis,
    .finish = spec_finish_x, .doc = "message sizes, a setting, or what a benchmark counts");

static const struct param spec_y_rows[] = {
    AXIS(metric, PARAM_STRING, .doc = "the metric that is drawn"),
    AXIS(label, PARAM_STRING, .optional = true, .doc = "the axis's name instead of the metric's"),
    AXIS(unit, PARAM_STRING, .optional = true, .doc = "the unit instead of the metric's"),
    AXIS(scale, PARAM_CHOICE, .choices = spec_scales, .noun = "scale", .fallback = "linear",
         .doc = "the scale"),
    PARAM_AS(struct figure_axis, "range", low, PARAM_NODE, .node = &spec_range, .optional = true,
             .doc = "the part that is shown"),
    AXIS(zero, PARAM_CHOICE, .choices = spec_answers, .noun = "answer", .optional = true,
         .doc = "whether a linear axis shows 0; it does, without a range"),
    {0}};
static const struct param_table spec_y_table =
    PARAM_TABLE(struct figure_axis, spec_y_rows, .name = "y", .noun = "an axis",
                .init = spec_init_axis, .doc = "a metric");

// ---- Marks ----

struct spec_mark {
    int kind;
    double from, to, x, y; // NAN: not given
    const char *text, *source, *note, *claim, *series;
};

enum { MARK_POINT = 1, MARK_VERTICAL = 2, MARK_HORIZONTAL = 4, MARK_BAND = 8 }; // bits, by kind
static const char *const spec_mark_kinds[] = {"point", "vertical", "horizontal", "band", NULL};

// The places of a mark, and the kinds that must have them.
static const struct {
    const char *key;
    size_t offset;
    int kinds;
} spec_places[] = {
    {"from", offsetof(struct spec_mark, from), MARK_BAND},
    {"to", offsetof(struct spec_mark, to), MARK_BAND},
    {"x", offsetof(struct spec_mark, x), MARK_POINT | MARK_VERTICAL},
    {"y", offsetof(struct spec_mark, y), MARK_POINT | MARK_HORIZONTAL},
};

static double spec_place(const struct spec_mark *mark, size_t place)
{
    return *(const double *)((const char *)mark + spec_places[place].offset);
}

static void spec_init_mark(void *values)
{
    *(struct spec_mark *)values =
        (struct spec_mark){.kind = -1, .from = NAN, .to = NAN, .x = NAN, .y = NAN};
}

static bool spec_read_y_place(const struct param_reading *reading)
{
    return spec_read_place(reading, reading->node, false, reading->field);
}

static bool spec_read_x_place(const struct param_reading *reading)
{
    const struct figure_panel *panel = reading->map->above->values;
    return spec_read_place(reading, reading->node, !panel->x.values && !panel->x.counts,
                           reading->field);
}

static const struct param_node spec_x_place = {.read = spec_read_x_place,
                                               .form = "a size, or a number where x is none"};
static const struct param_node spec_y_place = {.read = spec_read_y_place, .form = "a number"};

// Each kind of mark has places of its own.
static bool spec_finish_mark(const struct param_map *map)
{
    const struct spec_mark *mark = map->values;
    bool good = true;
    for (size_t i = 0; mark->kind >= 0 && i < G_N_ELEMENTS(spec_places); i++) {
        if (!(spec_places[i].kinds >> mark->kind & 1) || node_get(map->node, spec_places[i].key))
            continue;
        char *path = reader_path(map->path, spec_places[i].key);
        diag_add(map->diags, map->node->mark, path, NULL, "must be given for a %s mark",
                 spec_mark_kinds[mark->kind]);
        g_free(path);
        good = false;
    }
    return good;
}

#define MARK(field, kind, ...) PARAM(struct spec_mark, field, kind, __VA_ARGS__)

static const struct param spec_mark_rows[] = {
    MARK(kind, PARAM_CHOICE, .choices = spec_mark_kinds, .noun = "kind of mark",
         .doc = "a band, a line or a point"),
    MARK(from, PARAM_NODE, .node = &spec_x_place, .optional = true, .doc = "where a band begins"),
    MARK(to, PARAM_NODE, .node = &spec_x_place, .optional = true, .doc = "where a band ends"),
    MARK(x, PARAM_NODE, .node = &spec_x_place, .optional = true,
         .doc = "of a point or a vertical line"),
    MARK(y, PARAM_NODE, .node = &spec_y_place, .optional = true,
         .doc = "of a point or a horizontal line"),
    MARK(text, PARAM_STRING, .doc = "drawn in the picture"),
    MARK(source, PARAM_STRING, .doc = "where the reference prints this"),
    MARK(note, PARAM_STRING, .optional = true, .doc = "below the picture instead of the text"),
    MARK(claim, PARAM_STRING, .optional = true, .doc = "the claim's id"),
    MARK(series, PARAM_STRING, .optional = true, .doc = "among bars: the one that it belongs to"),
    {0}};
static const struct param_table spec_mark_table = PARAM_TABLE(
    struct spec_mark, spec_mark_rows, .name = "marks", .noun = "a mark", .init = spec_init_mark,
    .finish = spec_finish_mark, .doc = "what the reference prints about the curves");

// ---- The frame of a panel: its document without the series ----

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, json_string(text));
}

static json_t *x_frame(const struct figure_axis *x)
{
    json_t *axis = json_object();
    struct size_axis sizes = size_axis_of(x->counts);
    int usual = x->set || sizes.linear ? SCALE_LINEAR : SCALE_LOG;
    set_text(axis, "set", x->set);
    set_text(axis, "label", x->label ? x->label : sizes.label);
    set_text(axis, "unit", x->set ? x->unit : sizes.unit);
    if (x->set)
        json_object_set_new(axis, "swept", json_true());
    set_text(axis, "scale", spec_scales[x->scale == SCALE_UNSAID ? usual : x->scale]);
    return axis;
}

static json_t *y_frame(const struct figure_axis *y)
{
    json_t *axis = json_object();
    char *plain = text_metric_axis(y->metric);
    set_text(axis, "label", y->label ? y->label : plain);
    set_text(axis, "unit", y->unit ? y->unit : metric_unit(y->metric));
    set_text(axis, "scale", spec_scales[y->scale]);
    if (isfinite(y->low))
        json_object_set_new(axis, "range", json_pack("[f,f]", y->low, y->high));
    if (y->zero >= 0)
        json_object_set_new(axis, "zero", json_boolean(y->zero));
    g_free(plain);
    return axis;
}

static json_t *mark_frame(const struct spec_mark *mark)
{
    json_t *frame = json_pack("{s:s}", "kind", spec_mark_kinds[mark->kind]);
    for (size_t i = 0; i < G_N_ELEMENTS(spec_places); i++)
        if (spec_places[i].kinds >> mark->kind & 1)
            json_object_set_new(frame, spec_places[i].key, json_real(spec_place(mark, i)));
    set_text(frame, "text", mark->text);
    set_text(frame, "source", mark->source);
    set_text(frame, "note", mark->note);
    set_text(frame, "claim", mark->claim);
    set_text(frame, "series", mark->series);
    return frame;
}

static const char *const spec_panel_kinds[] = {"lines", "bars", NULL};

static json_t *panel_frame(const struct figure_panel *panel)
{
    json_t *frame = json_object(), *marks = json_array();
    set_text(frame, "title", panel->title);
    set_text(frame, "kind", spec_panel_kinds[panel->kind]);
    json_object_set_new(frame, "x", x_frame(&panel->x));
    json_object_set_new(frame, "y", y_frame(&panel->y));
    for (guint i = 0; panel->marks && i < panel->marks->len; i++)
        json_array_append_new(marks, mark_frame(g_ptr_array_index(panel->marks, i)));
    json_object_set_new(frame, "marks", marks);
    return frame;
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
    if (!panel->x.values) {
        g_ptr_array_add(series->curves, curve);
        return;
    }
    size_t index;
    json_t *value;
    json_array_foreach(panel->x.values, index, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        const char *plain = json_is_string(value) ? json_string_value(value) : text;
        char *set = g_strdup_printf("%s=%s", panel->x.set, plain);
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

// The series of a panel, or else of its figure.
static void read_all_series(struct figure_panel *panel, const struct param_map *map)
{
    const struct figure_spec *figure = map->above->values;
    const struct node *own = node_get(map->node, "series");
    const struct node *list = own ? own : node_get(map->above->node, "series");
    const struct curve defaults = {
        .scenario = panel->scenario ? panel->scenario : figure->scenario,
        .sets = "",
        .metric = panel->y.metric,
    };
    char *path = reader_path(own ? map->path : map->above->path, "series");
    if (!list)
        diag_add(map->diags, map->node->mark, map->path, NULL,
                 "the key series is missing, here and at the figure");
    else if (reader_is(list, NODE_LIST, path, "a list of series", map->diags))
        for (guint i = 0; i < list->children->len; i++) {
            char *item = reader_path_item(path, i);
            read_series(panel, g_ptr_array_index(list->children, i), item, &defaults, map->diags);
            g_free(item);
        }
    g_free(path);
}

// ---- Panels ----

static void series_free(gpointer data)
{
    struct figure_series *series = data;
    g_free(series->name);
    g_free(series->stack);
    g_ptr_array_unref(series->curves);
    g_free(series);
}

static void spec_init_panel(void *values)
{
    struct figure_panel *panel = values;
    spec_init_axis(&panel->x);
    panel->series = g_ptr_array_new_with_free_func(series_free);
}

static void spec_clear_panel(void *values)
{
    struct figure_panel *panel = values;
    json_decref(panel->frame);
    g_ptr_array_unref(panel->series);
}

static bool spec_finish_panel(const struct param_map *map)
{
    struct figure_panel *panel = map->values;
    if (diag_any(map->diags))
        return false;
    panel->frame = panel_frame(panel);
    read_all_series(panel, map);
    return !diag_any(map->diags);
}

static const struct param_node spec_series = {
    .read = param_node_later,
    .form = "a list of names of series, or of curves with a name",
    .schema = "{\"type\": \"array\", \"items\": {\"type\": [\"string\", \"object\"]}}"};

#define PANEL(field, kind, ...) PARAM(struct figure_panel, field, kind, __VA_ARGS__)

static const struct param spec_panel_rows[] = {
    PANEL(title, PARAM_STRING, .optional = true, .doc = "above the panel"),
    PANEL(kind, PARAM_CHOICE, .choices = spec_panel_kinds, .noun = "kind of panel",
          .fallback = "lines", .doc = "how values are drawn"),
    PANEL(x, PARAM_MAP, .table = &spec_x_table, .optional = true,
          .doc = "the axis of message sizes, or of what is in their place"),
    PANEL(y, PARAM_MAP, .table = &spec_y_table, .doc = "the axis of the metric"),
    PANEL(marks, PARAM_LIST, .table = &spec_mark_table, .noun = "a list of marks", .optional = true,
          .doc = "what the reference prints about the curves"),
    PANEL(scenario, PARAM_STRING, .optional = true, .doc = "of series that name no other"),
    PANEL(series, PARAM_NODE, .node = &spec_series, .optional = true,
          .doc = "the curves; else those of the figure"),
    {0}};
static const struct param_table spec_panel_table =
    PARAM_TABLE(struct figure_panel, spec_panel_rows, .name = "panels", .noun = "a panel",
                .init = spec_init_panel, .finish = spec_finish_panel, .clear = spec_clear_panel,
                .doc = "a pair of axes with curves");

// ---- Figures and files ----

// The file is a part of a path below the directory of the pictures, and must stay there.
static bool spec_finish_figure(const struct param_map *map)
{
    const struct figure_spec *spec = map->values;
    if (!spec->file || (!g_path_is_absolute(spec->file) && !strstr(spec->file, "..")))
        return true;
    char *path = reader_path(map->path, "file");
    diag_add(map->diags, node_get(map->node, "file")->mark, path, NULL,
             "the picture's file must lie below the directory of all pictures");
    g_free(path);
    return false;
}

#define FIGURE(field, kind, ...) PARAM(struct figure_spec, field, kind, __VA_ARGS__)

static const struct param spec_figure_rows[] = {
    FIGURE(id, PARAM_NODE, .node = &param_node_name, .doc = "the claim that asks for this figure"),
    FIGURE(number, PARAM_STRING, .optional = true, .doc = "in its reference"),
    FIGURE(file, PARAM_STRING, .doc = "the picture's path, without its suffix"),
    FIGURE(title, PARAM_STRING, .doc = "above the picture"),
    FIGURE(source, PARAM_STRING, .doc = "the reference and the figure's number there"),
    FIGURE(note, PARAM_STRING, .optional = true, .doc = "below the picture"),
    FIGURE(claims, PARAM_NAMES, .noun = "the id of a claim", .fallback = "[]",
           .doc = "ids of the claims that the picture shows"),
    FIGURE(scenario, PARAM_STRING, .optional = true, .doc = "of series that name no other"),
    PARAM_AS(struct figure_spec, "series", panels, PARAM_NODE, .node = &spec_series,
             .optional = true, .doc = "the curves of panels that have none of their own"),
    FIGURE(panels, PARAM_LIST, .table = &spec_panel_table, .noun = "a list of panels",
           .doc = "from left to right"),
    {0}};
static const struct param_table figure_spec_table =
    PARAM_TABLE(struct figure_spec, spec_figure_rows, .name = "figures", .noun = "a figure",
                .finish = spec_finish_figure, .doc = "a picture of a reference");

// A whole file.
struct spec_document {
    int64_t schema;
    const char *about;
    GPtrArray *figures; // struct figure_spec *
};

static const struct param spec_document_rows[] = {
    PARAM(struct spec_document, schema, PARAM_COUNT, .least = "1", .most = "1",
          .doc = "write schema: 1"),
    PARAM(struct spec_document, about, PARAM_STRING, .optional = true,
          .doc = "who wrote the source, and its units; a gallery shows it above the figures"),
    PARAM(struct spec_document, figures, PARAM_LIST, .table = &figure_spec_table,
          .noun = "a list of figures", .doc = "the pictures"),
    {0}};
const struct param_table figure_file_table = PARAM_TABLE(
    struct spec_document, spec_document_rows, .name = "references/figures",
    .noun = "a file of figures", .doc = "references/figures/SYSTEM.yaml: the pictures of a source");

static void spec_free(gpointer data)
{
    param_map_clear(&figure_spec_table, data);
    g_free(data);
}

static void read_document(GPtrArray *specs, const struct node *root, struct diag_list *diags)
{
    struct spec_document document = {0};
    const struct param_map map = {&figure_file_table, root, "", &document, NULL, NULL, diags};
    param_map_read(&map);
    for (guint i = 0; document.figures && i < document.figures->len; i++) {
        ((struct figure_spec *)g_ptr_array_index(document.figures, i))->about = document.about;
        g_ptr_array_add(specs, g_ptr_array_index(document.figures, i));
    }
    g_clear_pointer(&document.figures, g_ptr_array_unref);
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
