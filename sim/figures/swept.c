// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/figures/swept.h"

#include "sim/campaign/outcome.h"
#include "sim/config/quantity.h"
#include "sim/output/text.h"
#include "sim/workload/result.h"

#include <math.h>
#include <string.h>

// What a picture can hold and still be read; a note says what was left out.
#define MOST_LINES 12
#define MOST_FIELDS 8
#define MOST_FAILURES 6
// Values that span more than this are put on a logarithmic axis.
#define LOG_SPAN 8.0

// An axis that is drawn.
struct drawn_axis {
    const struct outcome_axis *axis;
    int number; // in the outcome
    bool numeric;
    double *places; // of its values, if numeric
    const char *unit;
    bool log;
};

struct picture {
    const struct outcome *outcome;
    struct drawn_axis x, y; // y.axis NULL: lines, not fields
    int seed_axis;          // -1: none
    json_t *notes;
};

// ---- Values as places ----

static const struct {
    enum quantity_kind kind;
    const char *unit;
    double scale;
} kinds[] = {
    {QUANTITY_COUNT, "", 1.0},         {QUANTITY_REAL, "", 1.0},
    {QUANTITY_SIZE, "B", 1.0},         {QUANTITY_DURATION, "us", 1e-6},
    {QUANTITY_BIT_RATE, "Mb/s", 1e-6}, {QUANTITY_BYTE_RATE, "MB/s", 1e-6},
    {QUANTITY_FREQUENCY, "MHz", 1e-6}, {QUANTITY_CYCLES, "cycles", 1.0},
};

static bool parse(const char *text, size_t kind, double *place)
{
    struct quantity quantity;
    char *error = NULL, *hint = NULL;
    bool good = quantity_parse(text, kinds[kind].kind, &quantity, &error, &hint);
    if (good)
        *place = (kinds[kind].kind == QUANTITY_REAL ? quantity.real : (double)quantity.integer) *
                 kinds[kind].scale;
    g_free(error);
    g_free(hint);
    return good;
}

// Finds the kind of quantity that all values are of; otherwise they are names.
static void place_values(struct drawn_axis *drawn)
{
    guint count = drawn->axis->values->len;
    drawn->places = g_new0(double, count + 1);
    drawn->unit = "";
    for (size_t kind = 0; kind < G_N_ELEMENTS(kinds) && !drawn->numeric; kind++) {
        guint parsed = 0;
        while (parsed < count &&
               parse(g_ptr_array_index(drawn->axis->values, parsed), kind, &drawn->places[parsed]))
            parsed++;
        drawn->numeric = parsed == count;
        drawn->unit = drawn->numeric ? kinds[kind].unit : "";
    }
    double low = INFINITY, high = -INFINITY;
    for (guint i = 0; drawn->numeric && i < count; i++) {
        low = MIN(low, drawn->places[i]);
        high = MAX(high, drawn->places[i]);
    }
    drawn->log = drawn->numeric && low > 0.0 && high / low > LOG_SPAN;
}

static json_t *place_of(const struct drawn_axis *drawn, int value)
{
    return drawn->numeric ? json_real(drawn->places[value])
                          : json_string(g_ptr_array_index(drawn->axis->values, (guint)value));
}

static json_t *axis_json(const struct drawn_axis *drawn)
{
    return json_pack("{s:s,s:s,s:s}", "label", drawn->axis->name, "unit", drawn->unit, "scale",
                     drawn->log ? "log" : "linear");
}

// ---- Points ----

static int index_of(const struct picture *picture, int point, int axis)
{
    return picture->outcome->indices[point * (int)picture->outcome->axes->len + axis];
}

static bool is_free_axis(const struct picture *picture, int axis)
{
    return axis != picture->x.number && axis != picture->seed_axis &&
           (!picture->y.axis || axis != picture->y.number);
}

// Whether two points differ in nothing but the drawn axes and the seed.
static bool same_combination(const struct picture *picture, int a, int b)
{
    for (int axis = 0; axis < (int)picture->outcome->axes->len; axis++)
        if (is_free_axis(picture, axis) && index_of(picture, a, axis) != index_of(picture, b, axis))
            return false;
    return true;
}

// "lam_via.tiny=1 KiB", what a combination is called; NULL if nothing but the drawn axes varies.
static char *combination_name(const struct picture *picture, int point)
{
    GString *name = g_string_new(NULL);
    for (int axis = 0; axis < (int)picture->outcome->axes->len; axis++) {
        const struct outcome_axis *of = outcome_axis_at(picture->outcome, axis);
        if (is_free_axis(picture, axis) && of->values->len > 1)
            g_string_append_printf(
                name, "%s%s=%s", name->len > 0 ? ", " : "", of->name,
                (char *)g_ptr_array_index(of->values, (guint)index_of(picture, point, axis)));
    }
    return g_string_free(name, FALSE);
}

// The mean over seeds of a curve at one place (y < 0: at all of y) of a combination; NAN if no
// point there has a value. *failed is a point there that did not complete, or -1.
static double mean_at(const struct picture *picture, const struct outcome_curve *curve,
                      int combination, int x, int y, int *failed)
{
    const struct outcome *outcome = picture->outcome;
    double sum = 0.0;
    int count = 0;
    *failed = -1;
    for (int point = 0; point < outcome->points; point++) {
        if (!same_combination(picture, point, combination) ||
            index_of(picture, point, picture->x.number) != x ||
            (y >= 0 && index_of(picture, point, picture->y.number) != y))
            continue;
        const char *status = outcome_end_at(outcome, point, curve->series)->status;
        if (outcome->problems[point] || g_strcmp0(status, "completed") != 0)
            *failed = point;
        if (!isnan(curve->values[point])) {
            sum += curve->values[point];
            count++;
        }
    }
    return count > 0 ? sum / count : NAN;
}

// Why a point has no result, in one line.
static char *why_failed(const struct outcome *outcome, int point, int series)
{
    if (outcome->problems[point])
        return g_strdup_printf("not possible: %s", outcome->problems[point]);
    const struct outcome_end *end = outcome_end_at(outcome, point, series);
    return g_strdup_printf("%s: %s", end->status ? end->status : "no result",
                           end->text ? end->text : "no reason was given");
}

// ---- Lines ----

// "VIA RPI, 4 KiB, lam_via.tiny=1 KiB"
static char *line_name(const struct picture *picture, const struct outcome_curve *curve,
                       int combination, bool many_sizes)
{
    GString *name = g_string_new(outcome_series_name(picture->outcome, curve->series));
    if (curve->size >= 0 && many_sizes) {
        char *size = quantity_format(QUANTITY_SIZE, (struct quantity){.integer = curve->size});
        g_string_append_printf(name, ", %s", size);
        g_free(size);
    }
    if (curve->rank >= 0)
        g_string_append_printf(name, ", rank %d", curve->rank);
    char *rest = combination_name(picture, combination);
    if (*rest)
        g_string_append_printf(name, ", %s", rest);
    g_free(rest);
    return g_string_free(name, FALSE);
}

static json_t *line_json(const struct picture *picture, const struct outcome_curve *curve,
                         int combination, bool many_sizes)
{
    json_t *points = json_array(), *failed_at = json_array();
    for (int x = 0; x < (int)picture->x.axis->values->len; x++) {
        int failed;
        double value = mean_at(picture, curve, combination, x, -1, &failed);
        json_array_append_new(points, json_pack("[o,o]", place_of(&picture->x, x),
                                                isnan(value) ? json_null() : json_real(value)));
        if (failed < 0)
            continue;
        char *why = why_failed(picture->outcome, failed, curve->series);
        char *text =
            g_strdup_printf("%s=%s: %s", picture->x.axis->name,
                            (char *)g_ptr_array_index(picture->x.axis->values, (guint)x), why);
        json_array_append_new(failed_at, json_pack("[o,s]", place_of(&picture->x, x), text));
        g_free(text);
        g_free(why);
    }
    char *name = line_name(picture, curve, combination, many_sizes);
    json_t *line = json_pack("{s:s,s:s,s:o,s:n,s:o}", "name", name, "stack",
                             outcome_series_name(picture->outcome, curve->series), "points", points,
                             "failure", "failed_at", failed_at);
    g_free(name);
    return line;
}

// Points that stand for a combination of what is not drawn: the first of each.
static GArray *combinations(const struct picture *picture)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(int));
    for (int point = 0; point < picture->outcome->points; point++) {
        bool known = false;
        for (guint i = 0; i < found->len; i++)
            known = known || same_combination(picture, point, g_array_index(found, int, i));
        if (!known)
            g_array_append_val(found, point);
    }
    return found;
}

// ---- Panels ----

// The curves of a metric: those of all ranks together if there are any.
static GPtrArray *curves_of(const struct outcome *outcome, const char *metric)
{
    GPtrArray *found = g_ptr_array_new();
    for (int whole = 1; whole >= 0 && found->len == 0; whole--)
        for (guint i = 0; i < outcome->curves->len; i++) {
            const struct outcome_curve *curve = outcome_curve_at(outcome, (int)i);
            if (curve->metric == metric && (curve->rank < 0) == (whole == 1))
                g_ptr_array_add(found, (gpointer)curve);
        }
    return found;
}

static bool has_many_sizes(const GPtrArray *curves)
{
    for (guint i = 1; i < curves->len; i++)
        if (((const struct outcome_curve *)g_ptr_array_index(curves, i))->size !=
            ((const struct outcome_curve *)g_ptr_array_index(curves, 0))->size)
            return true;
    return false;
}

static json_t *metric_axis(const char *metric, const char *scale)
{
    char *label = text_metric_label(metric);
    json_t *axis =
        json_pack("{s:s,s:s,s:s}", "label", label, "unit", metric_unit(metric), "scale", scale);
    g_free(label);
    return axis;
}

static void note_left_out(const struct picture *picture, guint all, guint shown, const char *what)
{
    if (shown >= all)
        return;
    char *text = g_strdup_printf("%u of %u %s are drawn, evenly chosen", shown, all, what);
    json_array_append_new(picture->notes, json_string(text));
    g_free(text);
}

// The number of the k-th of `shown` evenly chosen ones among `all`, first and last included.
static guint chosen(guint k, guint shown, guint all)
{
    return shown < 2 ? 0 : (guint)((double)k * (all - 1) / (shown - 1) + 0.5);
}

static json_t *lines_panel(const struct picture *picture, const char *metric)
{
    GPtrArray *curves = curves_of(picture->outcome, metric);
    GArray *rest = combinations(picture);
    bool many_sizes = has_many_sizes(curves);
    json_t *series = json_array();
    guint all = curves->len * rest->len, shown = MIN(all, MOST_LINES);
    for (guint k = 0; k < shown; k++) {
        guint line = chosen(k, shown, all);
        json_array_append_new(series,
                              line_json(picture, g_ptr_array_index(curves, line / rest->len),
                                        g_array_index(rest, int, line % rest->len), many_sizes));
    }
    note_left_out(picture, all, shown, "lines");
    g_array_unref(rest);
    g_ptr_array_unref(curves);
    return json_pack("{s:s,s:o,s:o,s:o}", "kind", picture->x.numeric ? "lines" : "bars", "x",
                     axis_json(&picture->x), "y", metric_axis(metric, "linear"), "series", series);
}

static json_t *field_panel(const struct picture *picture, const struct outcome_curve *curve,
                           int combination, bool many_sizes)
{
    json_t *points = json_array();
    for (int y = 0; y < (int)picture->y.axis->values->len; y++)
        for (int x = 0; x < (int)picture->x.axis->values->len; x++) {
            int failed;
            double value = mean_at(picture, curve, combination, x, y, &failed);
            bool none = isnan(value) || failed >= 0;
            json_array_append_new(points, json_pack("[o,o,o]", place_of(&picture->x, x),
                                                    place_of(&picture->y, y),
                                                    none ? json_null() : json_real(value)));
        }
    char *name = line_name(picture, curve, combination, many_sizes);
    json_t *series = json_pack("[{s:s,s:o,s:n}]", "name", name, "points", points, "failure");
    json_t *panel = json_pack("{s:s,s:s,s:o,s:o,s:o,s:o}", "kind", "heat", "title", name, "x",
                              axis_json(&picture->x), "y", axis_json(&picture->y), "value",
                              metric_axis(curve->metric, "linear"), "series", series);
    g_free(name);
    return panel;
}

static void add_fields(const struct picture *picture, const char *metric, json_t *panels)
{
    GPtrArray *curves = curves_of(picture->outcome, metric);
    GArray *rest = combinations(picture);
    guint all = curves->len * rest->len, shown = MIN(all, MOST_FIELDS);
    for (guint k = 0; k < shown; k++) {
        guint field = chosen(k, shown, all);
        json_array_append_new(panels,
                              field_panel(picture, g_ptr_array_index(curves, field / rest->len),
                                          g_array_index(rest, int, field % rest->len),
                                          has_many_sizes(curves)));
    }
    note_left_out(picture, all, shown, "fields");
    g_array_unref(rest);
    g_ptr_array_unref(curves);
}

// ---- The picture ----

// Takes the axes that vary: one along x; a second one along y, if there is no third.
static bool choose_axes(struct picture *picture)
{
    const struct outcome *outcome = picture->outcome;
    int varying[2] = {-1, -1}, count = 0;
    picture->seed_axis = -1;
    for (int axis = 0; axis < (int)outcome->axes->len; axis++) {
        const struct outcome_axis *of = outcome_axis_at(outcome, axis);
        if (strcmp(of->name, "seed") == 0)
            picture->seed_axis = axis;
        else if (of->values->len > 1 && count++ < 2)
            varying[count - 1] = axis;
    }
    int x = varying[0] >= 0 ? varying[0] : 0;
    if (outcome->axes->len == 0)
        return false;
    if (x == picture->seed_axis)
        picture->seed_axis = -1; // the seed alone varies, so it is what is drawn
    picture->x = (struct drawn_axis){.axis = outcome_axis_at(outcome, x), .number = x};
    place_values(&picture->x);
    if (count != 2)
        return true;
    picture->y =
        (struct drawn_axis){.axis = outcome_axis_at(outcome, varying[1]), .number = varying[1]};
    place_values(&picture->y);
    return true;
}

// What did not complete, as far as there is room.
static void note_failures(const struct picture *picture)
{
    const struct outcome *outcome = picture->outcome;
    int failures = 0;
    for (int point = 0; point < outcome->points; point++)
        for (int series = 0; series < (int)outcome->series->len; series++) {
            const struct outcome_end *end = outcome_end_at(outcome, point, series);
            if ((!outcome->problems[point] && g_strcmp0(end->status, "completed") == 0) ||
                failures++ >= MOST_FAILURES)
                continue;
            GString *text = g_string_new("\u00d7 ");
            g_string_append_printf(text, "%s", outcome_series_name(outcome, series));
            for (int axis = 0; axis < (int)outcome->axes->len; axis++)
                g_string_append_printf(
                    text, ", %s=%s", outcome_axis_at(outcome, axis)->name,
                    (char *)g_ptr_array_index(outcome_axis_at(outcome, axis)->values,
                                              (guint)index_of(picture, point, axis)));
            char *why = why_failed(outcome, point, series);
            g_string_append_printf(text, ": %s", why);
            json_array_append_new(picture->notes, json_string(text->str));
            g_free(why);
            g_string_free(text, TRUE);
        }
    if (failures > MOST_FAILURES) {
        char *text = g_strdup_printf("\u00d7 and %d more that failed", failures - MOST_FAILURES);
        json_array_append_new(picture->notes, json_string(text));
        g_free(text);
    }
}

static json_t *draw(struct picture *picture)
{
    const struct outcome *outcome = picture->outcome;
    json_t *panels = json_array();
    GPtrArray *metrics = g_ptr_array_new();
    for (guint i = 0; i < outcome->curves->len; i++) {
        gpointer metric = (gpointer)outcome_curve_at(outcome, (int)i)->metric;
        if (!g_ptr_array_find(metrics, metric, NULL))
            g_ptr_array_add(metrics, metric);
    }
    for (guint i = 0; i < metrics->len; i++) {
        if (picture->y.axis)
            add_fields(picture, g_ptr_array_index(metrics, i), panels);
        else
            json_array_append_new(panels, lines_panel(picture, g_ptr_array_index(metrics, i)));
    }
    g_ptr_array_unref(metrics);
    if (picture->seed_axis >= 0 && outcome_axis_at(outcome, picture->seed_axis)->values->len > 1) {
        char *text = g_strdup_printf("mean of %u seeds",
                                     outcome_axis_at(outcome, picture->seed_axis)->values->len);
        json_array_append_new(picture->notes, json_string(text));
        g_free(text);
    }
    note_failures(picture);
    char *title = g_strdup_printf("Sweep of %s", outcome->scenario);
    json_t *document = json_pack("{s:i,s:s,s:n,s:s,s:s,s:n,s:O,s:o}", "figure", 1, "id",
                                 outcome->scenario, "number", "file", outcome->scenario, "title",
                                 title, "source", "notes", picture->notes, "panels", panels);
    g_free(title);
    return document;
}

json_t *swept_document(const char *database, GError **error)
{
    struct store *store = store_open_existing(database, error);
    struct outcome *outcome = store ? outcome_read(store, error) : NULL;
    json_t *document = NULL;
    if (store && !outcome)
        g_prefix_error(error, "%s: ", database);
    if (outcome) {
        struct picture picture = {.outcome = outcome, .notes = json_array()};
        if (choose_axes(&picture))
            document = draw(&picture);
        else
            g_set_error(error, STORE_ERROR, 0, "%s: its sweep varies nothing", database);
        g_free(picture.x.places);
        g_free(picture.y.places);
        json_decref(picture.notes);
        outcome_free(outcome);
    }
    store_close(store);
    return document;
}
