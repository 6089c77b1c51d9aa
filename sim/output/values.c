// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/values.h"

#include "sim/output/csv_field.h"
#include "sim/output/csv_rows.h"
#include "sim/output/text.h"

#include <string.h>

// One quantity.
struct kept {
    char *head; // the columns before the time
    GArray *points;
};

struct values {
    struct recorder recorder;
    char *series;
    GArray *kept; // struct kept, of this series; values n begin at n - 1
};

// ---- Thinning ----

// Copies the first, least, greatest and last of points [from, to) to `at`, in their order; returns
// the place after them.
static guint keep_span(GArray *points, guint from, guint to, guint at)
{
    struct value_point *all = &g_array_index(points, struct value_point, 0);
    guint least = from, greatest = from;
    for (guint i = from; i < to; i++) {
        least = all[i].value < all[least].value ? i : least;
        greatest = all[i].value > all[greatest].value ? i : greatest;
    }
    // None of the four lies before `at`: no point is overwritten that is still to be read.
    const guint order[] = {from, MIN(least, greatest), MAX(least, greatest), to - 1};
    for (size_t i = 0; i < G_N_ELEMENTS(order); i++)
        if (i == 0 || order[i] != order[i - 1])
            all[at++] = all[order[i]];
    return at;
}

void values_thin(GArray *points, guint most)
{
    if (points->len <= most)
        return;
    const struct value_point *all = &g_array_index(points, struct value_point, 0);
    sim_time begin = all[0].when, spans = most / 4;
    sim_time span = (all[points->len - 1].when - begin) / spans + 1;
    guint at = 0;
    for (guint from = 0, to; from < points->len; from = to) {
        sim_time end = begin + ((all[from].when - begin) / span + 1) * span;
        for (to = from; to < points->len && all[to].when < end;)
            to++;
        at = keep_span(points, from, to, at);
    }
    g_array_set_size(points, at);
}

// ---- The sink ----

static trace_values values_new(struct trace *trace, const struct trace_values_info *info)
{
    struct values *values = (struct values *)trace;
    trace_values first = values->kept->len + 1;
    for (int i = 0; i < info->count; i++) {
        const char *const fields[] = {values->series, info->group, info->name,
                                      info->quantities[i].name, info->quantities[i].unit};
        GString *head = g_string_new(NULL);
        for (size_t field = 0; field < G_N_ELEMENTS(fields); field++) {
            csv_append_field(head, fields[field]);
            g_string_append_c(head, ',');
        }
        struct kept kept = {g_string_free(head, FALSE),
                            g_array_new(FALSE, FALSE, sizeof(struct value_point))};
        g_array_append_val(values->kept, kept);
    }
    return info->count > 0 ? first : 0;
}

static void values_value(struct trace *trace, trace_values of, int quantity, sim_time when,
                         int64_t value)
{
    struct values *values = (struct values *)trace;
    guint place = of - 1 + (guint)quantity;
    if (place >= values->kept->len) // of an earlier series
        return;
    GArray *points = g_array_index(values->kept, struct kept, place).points;
    struct value_point *last =
        points->len ? &g_array_index(points, struct value_point, points->len - 1) : NULL;
    if (last && last->value == value)
        return;
    when = last ? MAX(when, last->when) : when; // a handler's clock may be ahead of the next one's
    if (last && last->when == when) {
        last->value = value;
        return;
    }
    struct value_point point = {when, value};
    g_array_append_val(points, point);
    if (points->len == 2 * VALUES_MOST)
        values_thin(points, VALUES_MOST);
}

static const struct trace_ops values_ops = {
    .values = values_new,
    .value = values_value,
};

// ---- The file ----

// A value that was set back within its instant is no change, which is seen only here.
static void write_kept(FILE *out, const struct kept *kept)
{
    GString *row = g_string_new(NULL);
    values_thin(kept->points, VALUES_MOST);
    for (guint i = 0; i < kept->points->len; i++) {
        const struct value_point *point = &g_array_index(kept->points, struct value_point, i);
        if (i > 0 && point[-1].value == point->value)
            continue;
        g_string_assign(row, kept->head);
        text_append_us(row, point->when);
        g_string_append_printf(row, ",%" G_GINT64_FORMAT "\n", point->value);
        fwrite(row->str, 1, row->len, out);
    }
    g_string_free(row, TRUE);
}

static void values_forget(struct values *values, bool written)
{
    for (guint i = 0; i < values->kept->len; i++) {
        struct kept *kept = &g_array_index(values->kept, struct kept, i);
        if (written)
            write_kept(values->recorder.out, kept);
        g_free(kept->head);
        g_array_unref(kept->points);
    }
    g_array_set_size(values->kept, 0);
}

static void values_init(struct recorder *recorder)
{
    struct values *values = (struct values *)recorder;
    values->series = g_strdup("");
    values->kept = g_array_new(FALSE, FALSE, sizeof(struct kept));
}

static void values_clear(struct recorder *recorder)
{
    struct values *values = (struct values *)recorder;
    values_forget(values, false);
    g_array_unref(values->kept);
    g_free(values->series);
}

static void values_begin_series(struct recorder *recorder, int series, const char *name)
{
    (void)series;
    struct values *values = (struct values *)recorder;
    g_free(values->series);
    values->series = g_strdup(name);
}

static void values_end_series(struct recorder *recorder, bool complete)
{
    (void)complete;
    values_forget((struct values *)recorder, true);
}

const struct recorder_kind values_kind = {
    .size = sizeof(struct values),
    .trace = &values_ops,
    .header = VALUES_COLUMNS "\n",
    .init = values_init,
    .begin_series = values_begin_series,
    .end_series = values_end_series,
    .clear = values_clear,
};

bool values_has_columns(const char *text)
{
    size_t length = strlen(VALUES_COLUMNS);
    const char *at = csv_rows_of(text).at;
    return strncmp(at, VALUES_COLUMNS, length) == 0 && (at[length] == '\n' || at[length] == '\r');
}
