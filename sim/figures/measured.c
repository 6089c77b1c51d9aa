// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/figures/measured.h"

#include "sim/measure/result.h"
#include "sim/output/measured.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

// Where the points of a metric go.
struct measured_place {
    json_t *panel;             // owned; NULL: it is not chosen
    double scale, error_scale; // of values in its unit to those of the axis; 0: they have
                               // their own
};

struct measured_picture {
    const struct measured_points *points;
    const char *name;     // of points without a series
    const json_t *panels; // NULL: the points are alone
    struct choice *choice;
    const char *x_unit; // of the axis
    double x_scale;
    bool left_out;  // some of the points, as they are not chosen
    GArray *places; // struct measured_place, by metric
    GError **error;
};

static const char *measured_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static struct measured_place *measured_place_at(const struct measured_picture *picture, guint index)
{
    return &g_array_index(picture->places, struct measured_place, index);
}

// ---- Panels ----

// Whether a name is that of an axis along x.
static bool is_x_of(const char *name, const json_t *x)
{
    const char *label = measured_text_of(x, "label"), *last = strrchr(name, '.');
    const char *last_of_label = strrchr(label, '.');
    return strcmp(name, label) == 0 ||
           (strcmp(name, CHOICE_SIZE_AXIS) == 0 && strcmp(label, "message size") == 0) ||
           (last && strcmp(last + 1, label) == 0) ||
           (last_of_label && strcmp(last_of_label + 1, name) == 0);
}

// The names that columns of a metric may have, for an error: of the panels over this x.
static char *list_panels(const struct measured_picture *picture)
{
    GString *list = g_string_new(NULL);
    size_t index;
    const json_t *panel;
    json_array_foreach(picture->panels, index, panel)
    {
        const json_t *y = json_object_get(panel, "y");
        if (strcmp(measured_text_of(panel, "kind"), "lines") != 0)
            continue;
        g_string_append_printf(list, "%s%s", list->len > 0 ? ", " : "",
                               measured_text_of(y, "label"));
        if (*measured_text_of(y, "unit"))
            g_string_append_printf(list, " (%s)", measured_text_of(y, "unit"));
        g_string_append_printf(list, " over %s",
                               measured_text_of(json_object_get(panel, "x"), "label"));
    }
    return g_string_free(list, FALSE);
}

// Whether an axis along y is that of a metric with this label.
static bool is_y_of(const char *label, const json_t *y)
{
    const char *drawn = measured_text_of(y, "label");
    size_t length = strlen(label);
    return strncmp(drawn, label, length) == 0 &&
           (!drawn[length] || strcmp(drawn + length, " time") == 0);
}

// The panel of the picture for a metric that is called so in a picture; NULL: there is none.
static json_t *find_panel(const struct measured_picture *picture, const char *label,
                          const char *unit)
{
    size_t index;
    json_t *panel;
    json_array_foreach(picture->panels, index, panel)
    {
        const json_t *y = json_object_get(panel, "y");
        if (strcmp(measured_text_of(panel, "kind"), "lines") == 0 &&
            is_x_of(picture->points->x_name, json_object_get(panel, "x")) && is_y_of(label, y) &&
            measured_scale(unit, measured_text_of(y, "unit")) > 0.0)
            return panel;
    }
    return NULL;
}

// An empty panel: with the axes of one of the picture, or with its own.
static json_t *new_panel(const struct measured_picture *picture, const json_t *like,
                         const char *label, const char *unit)
{
    json_t *x, *y;
    const char *along = picture->points->x_name;
    bool sizes = strcmp(along, CHOICE_SIZE_AXIS) == 0;
    bool time = measured_scale(unit, "us") > 0.0;
    if (like) {
        x = json_deep_copy(json_object_get(like, "x"));
        y = json_deep_copy(json_object_get(like, "y"));
    } else {
        x = json_pack("{s:s,s:s,s:s}", "label", sizes ? "message size" : along, "unit",
                      sizes ? "B" : picture->points->x_unit, "scale", sizes ? "log" : "linear");
        y = json_pack("{s:s,s:s,s:s}", "label", label, "unit", time ? "us" : unit, "scale",
                      time ? "log" : "linear");
    }
    return json_pack("{s:s,s:o,s:o,s:[]}", "kind", "lines", "x", x, "y", y, "series");
}

static bool no_such_panel(const struct measured_picture *picture,
                          const struct measured_metric *metric, const char *label, const char *unit)
{
    char *list = list_panels(picture);
    measured_refuse(picture->points, metric->line, metric->column, picture->error,
                    "nothing is drawn as %s%s%s%s over %s here (there is %s); a column is called "
                    "as the metric, latency_us or latency (us)",
                    label, *unit ? " (" : "", unit, *unit ? ")" : "", picture->points->x_name,
                    *list ? list : "nothing");
    g_free(list);
    return false;
}

// Finds the panel of a metric, and what its errors are in.
static bool find_place(struct measured_picture *picture, guint index)
{
    const struct measured_metric *metric = measured_metric_at(picture->points, index);
    struct measured_place *place = measured_place_at(picture, index);
    const char *own = metric_unit(metric->name), *unit = *metric->unit ? metric->unit : own;
    char *label = *metric->unit && !*own ? g_strdelimit(g_strdup(metric->name), "_", ' ')
                                         : text_metric_label(metric->name);
    json_t *like = find_panel(picture, label, unit);
    const char *in = like ? measured_text_of(json_object_get(like, "y"), "unit")
                     : measured_scale(unit, "us") > 0.0 ? "us"
                                                        : unit;
    bool taken = choice_takes_label(picture->choice, label, in), good = true;
    if (taken && picture->panels && !like) {
        good = no_such_panel(picture, metric, label, unit);
    } else if (taken) {
        place->panel = new_panel(picture, like, label, unit);
        place->scale = place->error_scale = measured_scale(unit, in);
        if (*metric->error_unit)
            place->error_scale = measured_scale(metric->error_unit, in);
        good = place->error_scale > 0.0 || place->scale <= 0.0 ||
               measured_refuse(picture->points, metric->line, metric->error_column, picture->error,
                               "an error in %s is none of what is in %s", metric->error_unit, unit);
    } else {
        picture->left_out = true;
    }
    g_free(label);
    return good;
}

// A panel of one of the metrics; NULL: none is chosen.
static const json_t *any_panel(const struct measured_picture *picture)
{
    const json_t *panel = NULL;
    for (guint i = 0; i < picture->places->len && !panel; i++)
        panel = measured_place_at(picture, i)->panel;
    return panel;
}

// The unit of the axis along x, from the first panel that there is.
static bool find_x(struct measured_picture *picture)
{
    const struct measured_points *points = picture->points;
    const json_t *panel = any_panel(picture);
    picture->x_unit =
        panel ? measured_text_of(json_object_get(panel, "x"), "unit") : points->x_unit;
    bool bytes = !*points->x_unit && strcmp(picture->x_unit, "B") == 0;
    picture->x_scale = bytes ? 1.0 : measured_scale(points->x_unit, picture->x_unit);
    if (!*points->x_unit || picture->x_scale > 0.0)
        return true;
    return measured_refuse(points, points->line, points->x_column, picture->error,
                           "%s is not a unit of %s; along x there is %s", points->x_unit,
                           points->x_name, *picture->x_unit ? picture->x_unit : "a number");
}

// ---- Points ----

static json_t *series_of(json_t *panel, const char *name)
{
    json_t *all = json_object_get(panel, "series"), *one;
    size_t index;
    json_array_foreach(all, index, one)
    {
        if (strcmp(measured_text_of(one, "name"), name) == 0)
            return one;
    }
    one = json_pack("{s:s,s:n,s:n,s:[],s:n,s:b}", "name", name, "stack", "scenario", "points",
                    "failure", "measured", true);
    json_array_append_new(all, one);
    return one;
}

static void add_point(json_t *series, double x, double y, double error)
{
    json_array_append_new(json_object_get(series, "points"), json_pack("[f,f]", x, y));
    if (isnan(error))
        return;
    json_t *intervals = json_object_get(series, "intervals");
    if (!intervals) {
        intervals = json_array();
        json_object_set_new(series, "intervals", intervals);
    }
    json_array_append_new(intervals, json_pack("[f,f,f,i]", x, y - error, y + error, 1));
}

// The point's error, NaN if it has none.
static bool read_error(const struct measured_picture *picture, const struct measured_point *point,
                       const char *unit, double *error)
{
    *error = NAN;
    if (!*point->error.text)
        return true;
    double scale = measured_place_at(picture, point->metric)->error_scale;
    return measured_number(picture->points, &point->error, "error", unit, scale, error,
                           picture->error) &&
           (*error >= 0.0 ||
            measured_refuse(picture->points, point->error.line, point->error.column, picture->error,
                            "an error is not negative"));
}

static bool draw_point(struct measured_picture *picture, const struct measured_point *point)
{
    const struct measured_points *points = picture->points;
    const struct measured_place *place = measured_place_at(picture, point->metric);
    const char *name = point->series ? point->series : picture->name;
    double x, y, error;
    if (!any_panel(picture))
        return true;
    if (!measured_number(points, &point->x, points->x_name, picture->x_unit, picture->x_scale, &x,
                         picture->error))
        return false;
    bool sizes = strcmp(picture->x_unit, "B") == 0;
    if (sizes && (x < 0.0 || x != floor(x)))
        return measured_refuse(points, point->x.line, point->x.column, picture->error,
                               "%s is no number of bytes", point->x.text);
    if (!choice_takes_series(picture->choice, name) ||
        (sizes && !choice_takes_size(picture->choice, (int64_t)fmin(x, 9e18)))) {
        picture->left_out = true;
        return true;
    }
    if (!place->panel)
        return true;
    const char *unit = measured_text_of(json_object_get(place->panel, "y"), "unit");
    if (!measured_number(points, &point->value, measured_metric_at(points, point->metric)->name,
                         unit, place->scale, &y, picture->error) ||
        !read_error(picture, point, unit, &error))
        return false;
    add_point(series_of(place->panel, name), x, y, error);
    return true;
}

static bool draw_points(struct measured_picture *picture)
{
    bool good = true;
    for (guint i = 0; good && i < picture->points->metrics->len; i++)
        good = find_place(picture, i);
    good = good && find_x(picture);
    for (guint i = 0; good && i < picture->points->points->len; i++)
        good = draw_point(picture, measured_point_at(picture->points, i));
    return good;
}

// ---- The document ----

static void clear_place(gpointer data)
{
    json_decref(((struct measured_place *)data)->panel);
}

static json_t *measured_json(const struct measured_picture *picture)
{
    json_t *panels = json_array();
    for (guint i = 0; i < picture->places->len; i++) {
        json_t *panel = measured_place_at(picture, i)->panel;
        if (panel && json_array_size(json_object_get(panel, "series")) > 0)
            json_array_append(panels, panel);
    }
    return json_pack("{s:i,s:s,s:n,s:s,s:s,s:n,s:[],s:o}", "figure", 1, "id", picture->name,
                     "number", "file", picture->name, "title", picture->name, "source", "notes",
                     "panels", panels);
}

static json_t *document_of_points(struct measured_picture *picture)
{
    if (!draw_points(picture))
        return NULL;
    json_t *document = measured_json(picture);
    if (json_array_size(json_object_get(document, "panels")) > 0)
        return document;
    if (picture->left_out) {
        json_array_append_new(json_object_get(document, "notes"),
                              json_string("not drawn: measured points, as none of them is chosen"));
        return document;
    }
    measured_refuse(picture->points, 1, 1, picture->error,
                    "there is no point in it that is to be drawn");
    json_decref(document);
    return NULL;
}

json_t *measured_document(const char *path, const char *text, size_t length, const char *name,
                          const json_t *panels, struct choice *choice, GError **error)
{
    struct measured_points *points = measured_read(path, text, length, error);
    if (!points)
        return NULL;
    struct measured_picture picture = {
        .points = points,
        .name = name,
        .panels = panels,
        .choice = choice,
        .places = g_array_new(FALSE, TRUE, sizeof(struct measured_place)),
        .error = error,
    };
    g_array_set_size(picture.places, points->metrics->len);
    g_array_set_clear_func(picture.places, clear_place);
    json_t *document = document_of_points(&picture);
    g_array_unref(picture.places);
    measured_free(points);
    return document;
}
