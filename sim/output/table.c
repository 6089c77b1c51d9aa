// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/table.h"

#include "sim/benchmark/samples.h"
#include "sim/core/shown.h"
#include "sim/output/failure.h"
#include "sim/output/fold.h"
#include "sim/output/links.h"
#include "sim/output/losses.h"
#include "sim/output/standouts.h"
#include "sim/output/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMN_GAP 2
#define SERIES_GAP 4
#define MOST_SINGLE_ROWS 40

struct style {
    const char *bold, *bad, *plain;
};

// One metric of one series, over all sizes.
struct column {
    const char *metric;
    GHashTable *values; // const int64_t * (size) to const double *
    char *label;
    int decimals;
    int width;
};

// One series, and the columns it has.
struct group {
    const struct series_result *series;
    char *title;        // its name, and how it ended
    GPtrArray *columns; // struct column *
    int width;          // of all columns with the gaps between them
};

static void column_free(void *data)
{
    struct column *column = data;
    g_hash_table_unref(column->values);
    g_free(column->label);
    g_free(column);
}

static void group_free(void *data)
{
    struct group *group = data;
    g_ptr_array_unref(group->columns);
    g_free(group->title);
    g_free(group);
}

static bool value_is_of_a_size(const struct result_value *value)
{
    return value->rank < 0 && value->size >= 0;
}

static const struct result_value *value_at(const struct series_result *series, guint index)
{
    return &g_array_index(series->values, struct result_value, index);
}

// ---- What is shown ----

bool table_shows(const char *const *metrics, const char *metric)
{
    if (!metrics)
        return !g_str_has_prefix(metric, SAMPLES_METRIC) || text_metric_is(metric, "p50") ||
               text_metric_is(metric, "p99");
    return text_metric_is_among(metric, metrics);
}

// Without samples, metrics of single repetitions are the benchmark's own columns.
static bool series_shows(const struct series_result *series, const char *const *metrics,
                         const char *metric)
{
    return (!metrics && !series->samples) || table_shows(metrics, metric);
}

// ---- Numbers ----

// Digits after the point with which every value of a set is readable: none if all are whole, else
// two, or more for small ones.
static int decimals_for(double greatest, bool whole)
{
    if (whole && greatest < 1e15)
        return 0;
    int decimals = 2;
    while (greatest > 0.0 && greatest < 1.0 && decimals < 9) {
        greatest *= 10.0;
        decimals++;
    }
    return decimals;
}

static char *cell_text(double value, int decimals)
{
    char format[8], digits[400]; // %f of the greatest double has 309 digits before the point
    g_snprintf(format, sizeof format, "%%.%df", decimals);
    return g_strdup(g_ascii_formatd(digits, sizeof digits, format, value));
}

// ---- The table of sizes ----

static struct column *group_column(struct group *group, const char *metric)
{
    for (guint i = 0; i < group->columns->len; i++) {
        struct column *column = g_ptr_array_index(group->columns, i);
        if (strcmp(column->metric, metric) == 0)
            return column;
    }
    struct column *column = g_new0(struct column, 1);
    column->metric = metric;
    column->values = g_hash_table_new(g_int64_hash, g_int64_equal);
    column->label = text_metric_label(metric);
    g_ptr_array_add(group->columns, column);
    return column;
}

static void column_measure(struct column *column)
{
    GHashTableIter iterator;
    gpointer data;
    double greatest = 0.0;
    bool whole = true;
    g_hash_table_iter_init(&iterator, column->values);
    while (g_hash_table_iter_next(&iterator, NULL, &data)) {
        double value = *(const double *)data;
        greatest = fmax(greatest, fabs(value));
        whole = whole && value == trunc(value);
    }
    bool continuous = strcmp(metric_unit(column->metric), "us") == 0 ||
                      g_str_has_suffix(column->metric, "_per_s");
    column->decimals = decimals_for(greatest, whole && !continuous);
    column->width = MAX(text_width(column->label), text_width(metric_unit(column->metric)));
    g_hash_table_iter_init(&iterator, column->values);
    while (g_hash_table_iter_next(&iterator, NULL, &data)) {
        char *cell = cell_text(*(const double *)data, column->decimals);
        column->width = MAX(column->width, text_width(cell));
        g_free(cell);
    }
}

// The columns of a series; one without a single value still shows, with the metrics of the series
// before it.
static struct group *group_new(const struct series_result *series, const struct group *model,
                               const char *const *metrics)
{
    struct group *group = g_new0(struct group, 1);
    group->series = series;
    GString *title = g_string_new(NULL);
    shown_append(title, series->name, SHOWN_LINE);
    if (series->status != SIM_COMPLETED)
        g_string_append_printf(title, " [%s]", sim_status_name(series->status));
    group->title = g_string_free(title, FALSE);
    group->columns = g_ptr_array_new_with_free_func(column_free);
    for (guint i = 0; i < series->values->len; i++) {
        const struct result_value *value = value_at(series, i);
        if (value_is_of_a_size(value) && series_shows(series, metrics, value->metric))
            g_hash_table_insert(group_column(group, value->metric)->values, (gpointer)&value->size,
                                (gpointer)&value->value);
    }
    for (guint i = 0; group->columns->len == 0 && model && i < model->columns->len; i++)
        group_column(group, ((struct column *)g_ptr_array_index(model->columns, i))->metric);
    for (guint i = 0; i < group->columns->len; i++) {
        struct column *column = g_ptr_array_index(group->columns, i);
        column_measure(column);
        group->width += column->width + (i > 0 ? COLUMN_GAP : 0);
    }
    int missing = text_width(group->title) - group->width;
    if (group->columns->len > 0 && missing > 0) {
        ((struct column *)g_ptr_array_index(group->columns, 0))->width += missing;
        group->width += missing;
    }
    return group;
}

// The first series with a value decides what columns a series without any shows.
static GPtrArray *groups_of(const struct result *result, const char *const *metrics)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func(group_free);
    struct group *model = NULL;
    for (guint i = 0; i < result->series->len && !model; i++) {
        model = group_new(g_ptr_array_index(result->series, i), NULL, metrics);
        if (model->columns->len == 0)
            g_clear_pointer(&model, group_free);
    }
    for (guint i = 0; model && i < result->series->len; i++)
        g_ptr_array_add(groups, group_new(g_ptr_array_index(result->series, i), model, metrics));
    g_clear_pointer(&model, group_free);
    return groups;
}

static int compare_sizes(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

// All sizes of all series, ascending, each once.
static GArray *sizes_of(const struct result *result)
{
    GHashTable *seen = g_hash_table_new(g_int64_hash, g_int64_equal);
    GArray *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
    for (guint i = 0; i < result->series->len; i++) {
        const struct series_result *series = g_ptr_array_index(result->series, i);
        for (guint j = 0; j < series->values->len; j++) {
            const struct result_value *value = value_at(series, j);
            if (value_is_of_a_size(value) && g_hash_table_add(seen, (gpointer)&value->size))
                g_array_append_val(sizes, value->size);
        }
    }
    g_hash_table_unref(seen);
    g_array_sort(sizes, compare_sizes);
    return sizes;
}

static void append_gap(GString *out, int width)
{
    text_append_left(out, "", width);
}

enum header { HEADER_LABEL, HEADER_UNIT };

// The heading of the sizes: bytes, what all series count, or nothing if they differ in that.
struct size_column {
    const char *label, *unit;
    int width;
};

static struct size_column size_column_of(const struct result *result, const GArray *sizes)
{
    struct size_column column = {"size", "bytes", 0};
    for (guint i = 0; i < result->series->len; i++) {
        const struct series_result *series = g_ptr_array_index(result->series, i),
                                   *first = g_ptr_array_index(result->series, 0);
        if (g_strcmp0(series->counts, first->counts) != 0)
            column = (struct size_column){"size", "", 0};
        else if (i == 0 && series->counts)
            column = (struct size_column){series->counts, "", 0};
    }
    char digits[32];
    int longest = g_snprintf(digits, sizeof digits, "%" G_GINT64_FORMAT,
                             g_array_index(sizes, int64_t, sizes->len - 1));
    column.width = MAX(longest, MAX(text_width(column.label), text_width(column.unit)));
    return column;
}

// Some of the groups, which are printed side by side.
struct span {
    const GPtrArray *groups;
    guint first, end;
};

static void append_header(GString *out, const struct span *span, const struct size_column *sizes,
                          enum header kind)
{
    const GPtrArray *groups = span->groups;
    text_append_right(out, kind == HEADER_LABEL ? sizes->label : sizes->unit, sizes->width);
    for (guint i = span->first; i < span->end; i++) {
        const struct group *group = g_ptr_array_index(groups, i);
        for (guint j = 0; j < group->columns->len; j++) {
            const struct column *column = g_ptr_array_index(group->columns, j);
            append_gap(out, j == 0 ? SERIES_GAP : COLUMN_GAP);
            text_append_right(out,
                              kind == HEADER_LABEL ? column->label : metric_unit(column->metric),
                              column->width);
        }
    }
    g_string_append_c(out, '\n');
}

static void append_titles(GString *out, const struct span *span, int size_width,
                          const struct style *style)
{
    append_gap(out, size_width);
    for (guint i = span->first; i < span->end; i++) {
        const struct group *group = g_ptr_array_index(span->groups, i);
        append_gap(out, SERIES_GAP);
        g_string_append(out, group->series->status == SIM_COMPLETED ? style->bold : style->bad);
        text_append_right(out, group->title, group->width);
        g_string_append(out, style->plain);
    }
    g_string_append_c(out, '\n');
}

static void table_append_row(GString *out, const struct span *span, int size_width,
                             const int64_t *size)
{
    char digits[32];
    g_snprintf(digits, sizeof digits, "%" G_GINT64_FORMAT, *size);
    text_append_right(out, digits, size_width);
    for (guint i = span->first; i < span->end; i++) {
        const struct group *group = g_ptr_array_index(span->groups, i);
        for (guint j = 0; j < group->columns->len; j++) {
            const struct column *column = g_ptr_array_index(group->columns, j);
            const double *value = g_hash_table_lookup(column->values, size);
            char *cell = value ? cell_text(*value, column->decimals) : g_strdup("-");
            append_gap(out, j == 0 ? SERIES_GAP : COLUMN_GAP);
            text_append_right(out, cell, column->width);
            g_free(cell);
        }
    }
    g_string_append_c(out, '\n');
}

// The groups from `first` on that fit next to the sizes: at least one.
static struct span span_from(const GPtrArray *groups, guint first, int size_width, int width)
{
    struct span span = {groups, first, first};
    int used = size_width;
    do {
        used += SERIES_GAP + ((const struct group *)g_ptr_array_index(groups, span.end))->width;
        if (width > 0 && used > width && span.end > first)
            break;
        span.end++;
    } while (span.end < groups->len);
    return span;
}

static void append_span(GString *out, const struct span *span, const struct size_column *column,
                        const GArray *sizes, const struct style *style)
{
    append_titles(out, span, column->width, style);
    append_header(out, span, column, HEADER_LABEL);
    append_header(out, span, column, HEADER_UNIT);
    for (guint i = 0; i < sizes->len; i++)
        table_append_row(out, span, column->width, &g_array_index(sizes, int64_t, i));
}

static void append_sizes(GString *out, const struct result *result,
                         const struct table_options *options, const struct style *style)
{
    GArray *sizes = sizes_of(result);
    GPtrArray *groups = groups_of(result, options->metrics);
    for (guint first = 0; sizes->len > 0 && first < groups->len;) {
        struct size_column column = size_column_of(result, sizes);
        struct span span = span_from(groups, first, column.width, options->width);
        if (first > 0)
            g_string_append_c(out, '\n');
        append_span(out, &span, &column, sizes, style);
        first = span.end;
    }
    g_ptr_array_unref(groups);
    g_array_unref(sizes);
}

// ---- Values that belong to no size, or to one rank ----

static char *single_label(const struct series_result *series, const struct result_value *value)
{
    const char *unit = metric_unit(value->metric);
    char *label = text_metric_label(value->metric);
    GString *out = g_string_new(NULL);
    if (value->rank >= 0)
        g_string_append_printf(out, "rank %d: ", value->rank);
    g_string_append(out, label);
    if (value->size >= 0)
        g_string_append_printf(out, " at %" G_GINT64_FORMAT " %s", value->size,
                               series->counts ? series->counts : "bytes");
    if (*unit)
        g_string_append_printf(out, " (%s)", unit);
    g_free(label);
    return g_string_free(out, FALSE);
}

static void append_heading(GString *out, const char *name, const struct style *style)
{
    g_string_append_printf(out, "%s%s", out->len > 0 ? "\n" : "", style->bold);
    shown_append(out, name, SHOWN_LINE);
    g_string_append_printf(out, "%s\n", style->plain);
}

static void append_singles_of(GString *out, const struct series_result *series,
                              const char *const *metrics, const struct style *style)
{
    unsigned rows = 0, beyond = 0;
    for (guint i = 0; i < series->values->len; i++) {
        const struct result_value *value = value_at(series, i);
        if (value_is_of_a_size(value) || !table_shows(metrics, value->metric))
            continue;
        if (rows == MOST_SINGLE_ROWS) {
            beyond++;
            continue;
        }
        if (rows++ == 0)
            append_heading(out, series->name, style);
        char *label = single_label(series, value);
        char *cell = cell_text(
            value->value, decimals_for(fabs(value->value), value->value == trunc(value->value)));
        g_string_append(out, "  ");
        text_append_left(out, label, 40);
        text_append_right(out, cell, 16);
        g_string_append_c(out, '\n');
        g_free(label);
        g_free(cell);
    }
    if (beyond > 0)
        g_string_append_printf(out, "  and %u more\n", beyond);
}

// Says what is known of repetitions besides.
static void append_hidden(GString *out, const struct result *result, const char *const *metrics)
{
    GString *names = g_string_new(NULL);
    bool kept = false;
    for (guint i = 0; i < result->series->len; i++)
        kept |=
            ((const struct series_result *)g_ptr_array_index(result->series, i))->samples != NULL;
    for (int i = 0; kept && samples_metrics[i]; i++) {
        if (table_shows(metrics, samples_metrics[i]))
            continue;
        char *label = text_metric_label(samples_metrics[i]);
        g_string_append_printf(names, "%s%s", names->len ? ", " : "", strrchr(label, ' ') + 1);
        g_free(label);
    }
    if (names->len > 0 && !metrics)
        g_string_append_printf(out, "\nof single repetitions also: %s (--metric shows them)\n",
                               names->str);
    g_string_free(names, TRUE);
}

// ---- The lines on what ran ----

static bool result_balanced(const struct result *result)
{
    for (guint i = 0; i < result->series->len; i++)
        if (!((const struct series_result *)g_ptr_array_index(result->series, i))->ledger_balanced)
            return false;
    return true;
}

// "results in results/pingpong/".
static void append_place(GString *out, const char *before, const char *what, const char *directory)
{
    if (!directory)
        return;
    g_string_append_printf(out, "%s%s in ", before, what);
    shown_append(out, directory, SHOWN_LINE);
    if (!g_str_has_suffix(directory, "/"))
        g_string_append_c(out, '/');
}

static void append_summary(GString *out, const struct result *result,
                           const struct table_options *options)
{
    uint64_t events = result_events(result);
    double wall = result_wall_s(result);
    struct ledger_totals totals = result_ledger(result);
    char *count = text_grouped(events);
    char *rate = text_scaled(wall > 0.0 ? (double)events / wall : 0.0);
    char *verdict = failure_ledger_verdict(&totals, result_balanced(result));
    char *fingerprint = text_fingerprint(result_fingerprint(result));
    GString *ran = g_string_new(NULL), *places = g_string_new(NULL);
    g_string_append_printf(ran, "%s events in %.3f s (%s events/s), %.6f s simulated", count, wall,
                           rate, time_to_s(result_simulated(result)));
    append_place(places, "", "results", options->directory);
    append_place(places, places->len > 0 ? "; " : "", "captures", options->captures);
    char *ledger = g_strdup_printf("%s; fingerprint %s", verdict, fingerprint);
    gsize length = ran->len + strlen(ledger) + places->len + 4;
    const char *between = options->width > 0 && length > (gsize)options->width ? "\n" : "; ";
    g_string_append_printf(out, "%s%s%s%s%s%s\n", out->len > 0 ? "\n" : "", ran->str, between,
                           ledger, places->len > 0 ? between : "", places->str);
    g_string_free(ran, TRUE);
    g_string_free(places, TRUE);
    g_free(ledger);
    g_free(count);
    g_free(rate);
    g_free(verdict);
    g_free(fingerprint);
}

static void append_losses(GString *out, const struct result *result)
{
    gsize before = out->len;
    for (guint i = 0; i < result->series->len; i++)
        losses_append(out, g_ptr_array_index(result->series, i));
    standouts_append(out, result);
    if (out->len > before && before > 0)
        g_string_insert_c(out, (gssize)before, '\n');
}

// Messages that receivers declined are no failure, but seldom what the scenario's author intended.
static void append_declined(GString *out, const struct result *result)
{
    gsize before = out->len;
    for (guint i = 0; i < result->series->len; i++)
        failure_append_declined(out, g_ptr_array_index(result->series, i));
    if (out->len > before && before > 0)
        g_string_insert_c(out, (gssize)before, '\n');
}

static const char *note_of(const struct result *result, guint index, bool basis)
{
    const struct series_result *series = g_ptr_array_index(result->series, index);
    return basis ? series->basis : series->note;
}

// A line for each text, with the names of all series that have it.
static void append_notes_of(GString *out, const struct result *result, bool basis)
{
    for (guint i = 0; i < result->series->len; i++) {
        const char *note = note_of(result, i, basis);
        bool told = false;
        for (guint k = 0; k < i; k++)
            told |= g_strcmp0(note_of(result, k, basis), note) == 0;
        if (!note || told)
            continue;
        for (guint k = i; k < result->series->len; k++) {
            if (g_strcmp0(note_of(result, k, basis), note) != 0)
                continue;
            g_string_append(out, k > i ? ", " : "");
            shown_append(out, ((struct series_result *)g_ptr_array_index(result->series, k))->name,
                         SHOWN_LINE);
        }
        g_string_append_printf(out, ": %s\n", note);
    }
}

// The limits of the fidelity of series, and what it is based on, once for all of them.
static void append_notes(GString *out, const struct result *result)
{
    gsize before = out->len;
    append_notes_of(out, result, false);
    append_notes_of(out, result, true);
    if (out->len > before && before > 0)
        g_string_insert_c(out, (gssize)before, '\n');
}

void table_print(const struct result *result, const struct table_options *options, FILE *out)
{
    static const struct style coloured = {"\033[1m", "\033[1;31m", "\033[0m"};
    static const struct style plain = {"", "", ""};
    const struct style *style = options->colour ? &coloured : &plain;
    GString *text = g_string_new(NULL);
    append_sizes(text, result, options, style);
    for (guint i = 0; i < result->series->len; i++)
        append_singles_of(text, g_ptr_array_index(result->series, i), options->metrics, style);
    append_hidden(text, result, options->metrics);
    for (guint i = 0; i < result->series->len; i++) {
        gsize before = text->len;
        failure_append(text, g_ptr_array_index(result->series, i), style->bad, style->plain);
        if (text->len > before && before > 0)
            g_string_insert_c(text, (gssize)before, '\n');
    }
    append_declined(text, result);
    append_losses(text, result);
    append_notes(text, result);
    if (options->links)
        links_append_table(text, result, options->all_links);
    if (options->summary)
        append_summary(text, result, options);
    GString *folded = g_string_new(NULL);
    fold_append(folded, text->str, options->width);
    fwrite(folded->str, 1, folded->len, out);
    g_string_free(folded, TRUE);
    g_string_free(text, TRUE);
}

int table_width(FILE *file)
{
    struct winsize size = {0};
    bool known = isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0;
    if (known && size.ws_col > 0)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    guint64 width = 0;
    return columns && g_ascii_string_to_unsigned(columns, 10, 20, 100000, &width, NULL)
               ? (int)width
               : TABLE_WIDTH;
}

bool table_wants_colour(FILE *file)
{
    const char *no_colour = getenv("NO_COLOR");
    return isatty(fileno(file)) && !(no_colour && *no_colour);
}
