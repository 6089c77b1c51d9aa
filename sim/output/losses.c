// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/losses.h"

#include "sim/core/shown.h"

#include <string.h>

#define MOST_PLACES 3
// The beginnings of the names of a link's counters.
#define DROPPED "packets dropped: "
#define REPEATED "packets repeated on link "
#define TIMED_OUT "time-outs of link "

struct sums {
    int64_t count[LOSS_KINDS], before[LOSS_KINDS];
};

static const struct result_loss *loss_at(const struct series_result *series, guint index)
{
    return &g_array_index(series->losses, struct result_loss, index);
}

static struct sums sums_of(const struct series_result *series)
{
    struct sums sums = {0};
    for (guint i = 0; i < series->losses->len; i++) {
        const struct result_loss *loss = loss_at(series, i);
        sums.count[loss->kind] += loss->count;
        sums.before[loss->kind] += loss->before;
    }
    return sums;
}

// "5 dropped, 4 sent again, 1 time-out"; those above 0. `after_dropped` comes after the number of
// what was dropped.
static void append_sums(GString *out, const int64_t *counts, const char *after_dropped)
{
    static const struct {
        enum sim_loss kind;
        const char *one, *several;
    } words[] = {
        {LOSS_DROPPED, "dropped", "dropped"},    {LOSS_DUPLICATED, "duplicated", "duplicated"},
        {LOSS_HELD, "held back", "held back"},   {LOSS_REPEATED, "sent again", "sent again"},
        {LOSS_TIMEOUT, "time-out", "time-outs"},
    };
    const char *between = "";
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        int64_t count = counts[words[i].kind];
        if (count == 0)
            continue;
        g_string_append_printf(out, "%s%" G_GINT64_FORMAT " %s%s", between, count,
                               count == 1 ? words[i].one : words[i].several,
                               words[i].kind == LOSS_DROPPED ? after_dropped : "");
        between = ", ";
    }
}

static gint most_first(gconstpointer a, gconstpointer b)
{
    const struct result_loss *one = *(const struct result_loss *const *)a,
                             *other = *(const struct result_loss *const *)b;
    if (one->count != other->count)
        return one->count < other->count ? 1 : -1;
    return strcmp(one->name, other->name);
}

// " (3 lost on link a->b, 2 queue full at b->c, and 4 at 2 more places)"; the caller frees it.
static char *places_of(const struct series_result *series)
{
    GPtrArray *places = g_ptr_array_new();
    for (guint i = 0; i < series->losses->len; i++)
        if (loss_at(series, i)->kind == LOSS_DROPPED)
            g_ptr_array_add(places, (gpointer)loss_at(series, i));
    g_ptr_array_sort(places, most_first);
    GString *text = g_string_new(" (");
    int64_t rest = 0;
    for (guint i = 0; i < places->len; i++) {
        const struct result_loss *loss = g_ptr_array_index(places, i);
        const char *name = loss->name;
        if (g_str_has_prefix(name, DROPPED))
            name += strlen(DROPPED);
        if (i < MOST_PLACES)
            g_string_append_printf(text, "%s%" G_GINT64_FORMAT " %s", i > 0 ? ", " : "",
                                   loss->count, name);
        else
            rest += loss->count;
    }
    if (rest > 0)
        g_string_append_printf(text, ", and %" G_GINT64_FORMAT " at %u more place%s", rest,
                               places->len - MOST_PLACES,
                               places->len - MOST_PLACES == 1 ? "" : "s");
    g_ptr_array_unref(places);
    g_string_append_c(text, ')');
    return g_string_free(text, FALSE);
}

// Whether a fault of a link showed after the measurement began: a packet was dropped, duplicated or
// held back, or the link repeated it or would have to.
static bool faults_hit(const struct series_result *series)
{
    for (guint i = 0; i < series->losses->len; i++) {
        const struct result_loss *loss = loss_at(series, i);
        bool shows = loss->kind == LOSS_DROPPED || loss->kind == LOSS_DUPLICATED ||
                     loss->kind == LOSS_HELD || g_str_has_prefix(loss->name, REPEATED) ||
                     g_str_has_prefix(loss->name, TIMED_OUT);
        if (shows && loss->count > loss->before)
            return true;
    }
    return false;
}

void losses_append(GString *out, const struct series_result *series)
{
    struct sums sums = sums_of(series);
    // A run that did not complete does not look well, and may have stuck on these very faults.
    bool in_vain = series->faults && series->status == SIM_COMPLETED && !faults_hit(series);
    if (series->losses->len == 0 && !in_vain)
        return;
    shown_append(out, series->name, SHOWN_LINE);
    g_string_append(out, ": ");
    if (series->losses->len > 0) {
        char *places = places_of(series);
        append_sums(out, sums.count, places);
        g_free(places);
    }
    int64_t before = 0;
    for (int kind = 0; kind < LOSS_KINDS; kind++)
        before += sums.before[kind];
    if (before > 0) {
        g_string_append(out, "; before the measurement: ");
        append_sums(out, sums.before, "");
    }
    if (in_vain)
        g_string_append_printf(out, "%sthe links' faults hit nothing that was measured",
                               series->losses->len > 0 ? "; " : "");
    g_string_append_c(out, '\n');
}
