// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/values.h"

#include "sim/output/csv.h"
#include "sim/output/csv_rows.h"
#include "sim/output/file.h"
#include "sim/output/text.h"

#include <string.h>

// One quantity.
struct kept {
    char *head; // the columns before the time
    GArray *points;
};

struct values {
    struct trace trace;
    struct file *file; // NULL: a part
    FILE *out;
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
    // What is kept is not before `at`: no point is overwritten that is still to be read.
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

static trace_lane values_lane(struct trace *trace, const struct trace_lane_info *info)
{
    (void)trace, (void)info;
    return 0;
}

static void values_span(struct trace *trace, trace_lane lane, const struct stage *stage,
                        sim_time from, sim_time to, struct message_ref message)
{
    (void)trace, (void)lane, (void)stage, (void)from, (void)to, (void)message;
}

static void values_flow(struct trace *trace, trace_lane lane, struct message_ref message,
                        char phase, sim_time when)
{
    (void)trace, (void)lane, (void)message, (void)phase, (void)when;
}

static void values_transition(struct trace *trace, trace_lane lane, sim_time when,
                              const struct trace_transition *transition)
{
    (void)trace, (void)lane, (void)when, (void)transition;
}

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
    .lane = values_lane,
    .span = values_span,
    .flow = values_flow,
    .transition = values_transition,
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

static void end_series(struct values *values, bool written)
{
    for (guint i = 0; i < values->kept->len; i++) {
        struct kept *kept = &g_array_index(values->kept, struct kept, i);
        if (written)
            write_kept(values->out, kept);
        g_free(kept->head);
        g_array_unref(kept->points);
    }
    g_array_set_size(values->kept, 0);
}

static struct values *values_make(struct file *file, FILE *out)
{
    struct values *values = g_new0(struct values, 1);
    values->trace.ops = &values_ops;
    values->file = file;
    values->out = out;
    values->series = g_strdup("");
    values->kept = g_array_new(FALSE, FALSE, sizeof(struct kept));
    return values;
}

struct values *values_open(const char *path, GError **error)
{
    struct file *file = file_begin(path, error);
    if (!file)
        return NULL;
    struct values *values = values_make(file, file_stream(file));
    fputs(VALUES_COLUMNS "\n", values->out);
    return values;
}

void values_series(struct values *values, const char *name)
{
    end_series(values, true);
    g_free(values->series);
    values->series = g_strdup(name);
}

struct values *values_part(FILE *part, const char *name)
{
    struct values *values = values_make(NULL, part);
    values_series(values, name);
    return values;
}

FILE *values_new_part(const struct values *values, GError **error)
{
    return file_part(values->file, error);
}

bool values_join(struct values *values, FILE *part, GError **error)
{
    char bytes[65536];
    size_t length;
    rewind(part);
    while ((length = fread(bytes, 1, sizeof bytes, part)) > 0)
        fwrite(bytes, 1, length, values->out);
    return file_part_is_whole(part, error);
}

struct trace *values_trace(struct values *values)
{
    return &values->trace;
}

static void values_free(struct values *values)
{
    end_series(values, false);
    g_array_unref(values->kept);
    g_free(values->series);
    g_free(values);
}

bool values_close(struct values *values, GError **error)
{
    if (!values)
        return true;
    end_series(values, true);
    bool whole =
        values->file ? file_end(values->file, error) : file_part_is_whole(values->out, error);
    values_free(values);
    return whole;
}

void values_drop(struct values *values)
{
    if (!values)
        return;
    file_drop(values->file);
    values_free(values);
}

bool values_has_columns(const char *text)
{
    size_t length = strlen(VALUES_COLUMNS);
    const char *at = csv_rows_of(text).at;
    return strncmp(at, VALUES_COLUMNS, length) == 0 && (at[length] == '\n' || at[length] == '\r');
}
