// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps of two and more axes, as fields of colours.
#include "sim/figures/swept_internal.h"

#include "sim/config/quantity.h"
#include "sim/figures/notes.h"

#include <math.h>
#include <string.h>

// The most fields in a picture that can still be read; a note lists those left out.
#define MOST_FIELDS 8
// Values that differ by less are the same: times are whole picoseconds.
#define SAME 1e-9

// ---- Fields ----

// One panel to be: a curve of one combination.
struct field {
    const struct outcome_curve *curve;
    int combination;
    bool varies;
};

static bool field_varies(const struct swept_picture *picture, const struct field *field)
{
    double low = INFINITY, high = -INFINITY;
    bool failed = false;
    for (int y = 0; y < (int)picture->y.axis->values->len; y++)
        for (int x = 0; x < (int)picture->x.axis->values->len; x++) {
            struct swept_value value =
                swept_value_at(picture, field->curve, field->combination, x, y);
            failed = failed || (value.failed >= 0 && g_strcmp0(value.state, "impossible") != 0);
            if (!isnan(value.mean)) {
                low = fmin(low, value.mean);
                high = fmax(high, value.mean);
            }
        }
    return failed || high - low > SAME * fabs(high);
}

static GArray *fields_of(const struct swept_picture *picture, const GPtrArray *curves)
{
    GArray *fields = g_array_new(FALSE, FALSE, sizeof(struct field));
    GArray *rest = swept_combinations(picture);
    for (guint i = 0; i < curves->len; i++)
        for (guint k = 0; k < rest->len; k++) {
            struct field field = {g_ptr_array_index(curves, i), g_array_index(rest, int, k), false};
            field.varies = field_varies(picture, &field);
            g_array_append_val(fields, field);
        }
    g_array_unref(rest);
    return fields;
}

// Leaves out uniform fields, with a note, unless all are uniform.
static void drop_uniform(const struct swept_picture *picture, GArray *fields, bool many_sizes)
{
    guint varying = 0;
    for (guint i = 0; i < fields->len; i++)
        varying += g_array_index(fields, struct field, i).varies;
    if (varying == 0)
        return;
    GString *names = g_string_new(NULL);
    for (guint i = 0; i < fields->len;) {
        const struct field *field = &g_array_index(fields, struct field, i);
        if (field->varies) {
            i++;
            continue;
        }
        char *name = swept_name(picture, field->curve, field->combination, many_sizes);
        g_string_append_printf(names, "%s%s", names->len > 0 ? "; " : "", name);
        g_free(name);
        g_array_remove_index(fields, i);
    }
    if (names->len > 0)
        notes_add(picture->notes, "not drawn, as the axes change nothing there: %s", names->str);
    g_string_free(names, TRUE);
}

// A place of a field: [x, y, value, and the half width of its interval if it is of several seeds],
// or [x, y, null, how the point ended].
static json_t *cell(const struct swept_picture *picture, const struct field *field, int x, int y)
{
    struct swept_value value = swept_value_at(picture, field->curve, field->combination, x, y);
    bool none = isnan(value.mean) || value.failed >= 0;
    json_t *made = json_pack("[o,o,o]", swept_place(&picture->x, x), swept_place(&picture->y, y),
                             none ? json_null() : json_real(value.mean));
    if (none)
        json_array_append_new(made, json_string(value.state ? value.state : "missing"));
    else if (!isnan(value.half_width))
        json_array_append_new(made, json_real(value.half_width));
    return made;
}

static json_t *field_panel(const struct swept_picture *picture, const struct field *field,
                           bool many_sizes, bool many_metrics)
{
    const char *metric = field->curve->metric;
    json_t *points = json_array();
    for (int y = 0; y < (int)picture->y.axis->values->len; y++)
        for (int x = 0; x < (int)picture->x.axis->values->len; x++)
            json_array_append_new(points, cell(picture, field, x, y));
    json_t *value = swept_metric_json(metric, "linear");
    json_object_set_new(value, "best",
                        json_string(swept_is_duration(metric) ? "lowest" : "highest"));
    char *name = swept_name(picture, field->curve, field->combination, many_sizes);
    json_t *series = json_pack("[{s:s,s:o,s:n}]", "name", name, "points", points, "failure");
    char *title =
        many_metrics
            ? g_strdup_printf("%s: %s", json_string_value(json_object_get(value, "label")), name)
            : g_strdup(name);
    json_t *panel =
        json_pack("{s:s,s:s,s:o,s:o,s:o,s:o}", "kind", "heat", "title", title, "x",
                  swept_axis_json(picture, &picture->x), "y", swept_axis_json(picture, &picture->y),
                  "value", value, "series", series);
    g_free(title);
    g_free(name);
    return panel;
}

static void add_fields_of(const struct swept_picture *picture, const char *metric,
                          bool many_metrics, json_t *panels)
{
    GPtrArray *curves = swept_curves(picture, metric, 0);
    GArray *fields = fields_of(picture, curves);
    bool many_sizes = swept_has_many_sizes(curves);
    drop_uniform(picture, fields, many_sizes);
    guint shown = MIN(fields->len, MOST_FIELDS);
    for (guint k = 0; k < shown; k++) {
        guint i = shown < 2 ? 0 : (k * (fields->len - 1) + (shown - 1) / 2) / (shown - 1);
        json_array_append_new(panels, field_panel(picture, &g_array_index(fields, struct field, i),
                                                  many_sizes, many_metrics));
    }
    if (shown < fields->len)
        notes_add(picture->notes, "%u of %u fields are drawn, evenly chosen", shown, fields->len);
    g_array_unref(fields);
    g_ptr_array_unref(curves);
}

// One metric is enough, unless the user names several: bandwidth is latency turned round.
void swept_add_fields(const struct swept_picture *picture, const GPtrArray *metrics, json_t *panels)
{
    guint shown = choice_names_metrics(picture->choice) ? metrics->len : MIN(metrics->len, 1);
    for (guint i = 0; i < shown; i++)
        add_fields_of(picture, g_ptr_array_index(metrics, i), shown > 1, panels);
}
