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

// ---- Parts of a sum ----

// Some of the losses of a kind, which a reader knows by one name.
struct loss_part {
    const char *name;
    int64_t count;
};

// Equal ones stay in the order of their counters.
static gint most_first(gconstpointer a, gconstpointer b)
{
    const struct loss_part *one = a, *other = b;
    return (one->count < other->count) - (one->count > other->count);
}

static void add_part(GArray *parts, const char *name, int64_t count)
{
    for (guint i = 0; i < parts->len; i++) {
        struct loss_part *part = &g_array_index(parts, struct loss_part, i);
        if (strcmp(part->name, name) != 0)
            continue;
        part->count += count;
        return;
    }
    struct loss_part part = {name, count};
    g_array_append_val(parts, part);
}

// " (3 lost on link a->b, 2 queue full at b->c, and 4 at 2 more places)"
static void append_places(GString *out, const struct series_result *series)
{
    GArray *places = g_array_new(FALSE, FALSE, sizeof(struct loss_part));
    for (guint i = 0; i < series->losses->len; i++) {
        const struct result_loss *loss = loss_at(series, i);
        bool plain = loss->kind == LOSS_DROPPED && g_str_has_prefix(loss->name, DROPPED);
        struct loss_part place = {loss->name + (plain ? strlen(DROPPED) : 0), loss->count};
        if (loss->kind == LOSS_DROPPED)
            g_array_append_val(places, place);
    }
    g_array_sort(places, most_first);
    int64_t rest = 0;
    g_string_append(out, " (");
    for (guint i = 0; i < places->len; i++) {
        const struct loss_part *place = &g_array_index(places, struct loss_part, i);
        if (i < MOST_PLACES)
            g_string_append_printf(out, "%s%" G_GINT64_FORMAT " %s", i > 0 ? ", " : "",
                                   place->count, place->name);
        else
            rest += place->count;
    }
    if (rest > 0)
        g_string_append_printf(out, ", and %" G_GINT64_FORMAT " at %u more place%s", rest,
                               places->len - MOST_PLACES,
                               places->len - MOST_PLACES == 1 ? "" : "s");
    g_array_unref(places);
    g_string_append_c(out, ')');
}

// " (2 SYN, 1 data)", or nothing where no timer has a name.
static void append_timers(GString *out, const struct series_result *series, bool before)
{
    GArray *timers = g_array_new(FALSE, FALSE, sizeof(struct loss_part));
    int64_t others = 0;
    for (guint i = 0; i < series->losses->len; i++) {
        const struct result_loss *loss = loss_at(series, i);
        int64_t count = before ? loss->before : loss->count;
        const char *named = strstr(loss->name, SIM_TIMEOUTS);
        if (loss->kind != LOSS_TIMEOUT || count == 0)
            continue;
        if (named)
            add_part(timers, named + strlen(SIM_TIMEOUTS), count);
        else
            others += count;
    }
    g_array_sort(timers, most_first);
    if (others > 0 && timers->len > 0) {
        struct loss_part rest = {"others", others};
        g_array_append_val(timers, rest);
    }
    for (guint i = 0; i < timers->len; i++) {
        const struct loss_part *timer = &g_array_index(timers, struct loss_part, i);
        g_string_append_printf(out, "%s%" G_GINT64_FORMAT " %s", i > 0 ? ", " : " (", timer->count,
                               timer->name);
    }
    if (timers->len > 0)
        g_string_append_c(out, ')');
    g_array_unref(timers);
}

// ---- The line ----

// "5 dropped (3 lost on link a->b, ...), 4 sent again, 1 time-out (1 SYN)": the sums above 0, of
// all of the run or of the time before the measurement, which has no places.
static void append_sums(GString *out, const struct series_result *series, bool before)
{
    static const struct {
        enum sim_loss kind;
        const char *one, *several;
    } words[] = {
        {LOSS_DROPPED, "dropped", "dropped"},    {LOSS_DUPLICATED, "duplicated", "duplicated"},
        {LOSS_HELD, "held back", "held back"},   {LOSS_REPEATED, "sent again", "sent again"},
        {LOSS_TIMEOUT, "time-out", "time-outs"},
    };
    struct sums sums = sums_of(series);
    const char *between = "";
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        int64_t count = (before ? sums.before : sums.count)[words[i].kind];
        if (count == 0)
            continue;
        g_string_append_printf(out, "%s%" G_GINT64_FORMAT " %s", between, count,
                               count == 1 ? words[i].one : words[i].several);
        if (words[i].kind == LOSS_DROPPED && !before)
            append_places(out, series);
        if (words[i].kind == LOSS_TIMEOUT)
            append_timers(out, series, before);
        between = ", ";
    }
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
    append_sums(out, series, false);
    int64_t before = 0;
    for (int kind = 0; kind < LOSS_KINDS; kind++)
        before += sums.before[kind];
    if (before > 0) {
        g_string_append(out, "; before the measurement: ");
        append_sums(out, series, true);
    }
    if (in_vain)
        g_string_append_printf(out, "%sthe links' faults hit nothing that was measured",
                               series->losses->len > 0 ? "; " : "");
    g_string_append_c(out, '\n');
}
