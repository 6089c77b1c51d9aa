// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/standouts.h"

#include "sim/core/shown.h"

#include <math.h>

#define MOST_LINES 3 // of one kind

struct shown_standout {
    const struct series_result *series;
    const struct result_standout *one;
};

static void append_time(GString *out, double us)
{
    static const struct {
        double least;
        const char *unit;
    } units[] = {{1e6, "s"}, {1e3, "ms"}, {0, "us"}};
    size_t i = 0;
    while (us < units[i].least)
        i++;
    g_string_append_printf(out, "%.4g %s", us / MAX(units[i].least, 1), units[i].unit);
}

static void append_wait(GString *out, const struct result_standout *one)
{
    if (!one->wait)
        return;
    g_string_append(out, ": for ");
    append_time(out, one->wait_us);
    g_string_append_printf(out, " it waited for a timer: %s", one->wait);
}

static void append_longest(GString *out, const struct result_standout *one)
{
    g_string_append_printf(out, "repetition %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " took ",
                           one->repetition, one->repetitions);
    append_time(out, one->us);
    g_string_append_printf(out, ", %.0f times the median", one->us / one->usual_us);
    append_wait(out, one);
}

static void append_first(GString *out, const struct result_standout *one)
{
    double more = 100 * (one->us / one->usual_us - 1);
    double mean = one->usual_us + (one->us - one->usual_us) / (double)one->repetitions;
    g_string_append_printf(out, "the first of %" G_GINT64_FORMAT " repetitions took ",
                           one->repetitions);
    append_time(out, one->us);
    g_string_append_printf(out, ", %.0f %% %s than the others", fabs(more),
                           more > 0 ? "more" : "less");
    append_wait(out, one);
    g_string_append(out, "; without it the mean is ");
    append_time(out, one->usual_us);
    g_string_append(out, ", not ");
    append_time(out, mean);
}

// By how much of itself the mean changes with it.
static double effect(const struct result_standout *one)
{
    return fabs(one->us / one->usual_us - 1) / (double)one->repetitions;
}

static gint compare_effects(gconstpointer a, gconstpointer b)
{
    double left = effect(((const struct shown_standout *)a)->one);
    double right = effect(((const struct shown_standout *)b)->one);
    return (left < right) - (left > right);
}

static GArray *of_kind(const struct result *result, enum standout_kind kind)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(struct shown_standout));
    for (guint i = 0; i < result->series->len; i++) {
        const struct series_result *series = g_ptr_array_index(result->series, i);
        for (guint k = 0; k < series->standouts->len; k++) {
            const struct result_standout *one =
                &g_array_index(series->standouts, struct result_standout, k);
            struct shown_standout shown = {series, one};
            if (one->kind == kind)
                g_array_append_val(found, shown);
        }
    }
    g_array_sort(found, compare_effects);
    return found;
}

static void append_kind(GString *out, const struct result *result, enum standout_kind kind,
                        void (*append)(GString *out, const struct result_standout *one))
{
    GArray *found = of_kind(result, kind);
    for (guint i = 0; i < MIN(found->len, MOST_LINES); i++) {
        const struct shown_standout *shown = &g_array_index(found, struct shown_standout, i);
        shown_append(out, shown->series->name, SHOWN_LINE);
        g_string_append_printf(out, ", %" G_GINT64_FORMAT " %s: ", shown->one->size,
                               shown->series->counts ? shown->series->counts : "B");
        append(out, shown->one);
        g_string_append_c(out, '\n');
    }
    if (found->len > MOST_LINES)
        g_string_append_printf(out, "and likewise in %u more row%s (--format json has them)\n",
                               found->len - MOST_LINES, found->len == MOST_LINES + 1 ? "" : "s");
    g_array_unref(found);
}

void standouts_append(GString *out, const struct result *result)
{
    append_kind(out, result, STANDOUT_LONGEST, append_longest);
    append_kind(out, result, STANDOUT_FIRST, append_first);
}
