// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/gaps.h"

#include <math.h>

#define PER_OCTAVE 4
#define INSIDE 0.381966 // the golden section: the middle of two equal steps is on their line
// Of a gap that is not looked into any more: a step of 20 % is found to a four-thousandth of its
// size, one of 5 % to a two hundred and fiftieth.
#define LEAST_HARM 1e-5

// Two neighbouring points with none measured between them yet.
struct gap {
    int64_t from, to;
    double harm; // mean square of the deviation over all sizes, of each size on a logarithmic scale
};

GArray *gaps_grid(int64_t largest)
{
    GArray *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
    for (int64_t power = 1; power < largest; power *= 2) {
        int64_t step = MAX(power / PER_OCTAVE, 1);
        for (int64_t size = power; size < 2 * power && size < largest; size += step)
            g_array_append_val(sizes, size);
    }
    if (largest > 0)
        g_array_append_val(sizes, largest);
    return sizes;
}

static int64_t inside_of(const struct gap *gap)
{
    return gap->from + MAX((int64_t)((double)(gap->to - gap->from) * INSIDE), 1);
}

static void add_gap(GArray *gaps, int64_t from, int64_t to, double off)
{
    struct gap gap = {from, to, off * off * (double)(to - from) / (double)to};
    if (to - from > 1 && gap.harm >= LEAST_HARM)
        g_array_append_val(gaps, gap);
}

static gint by_harm(gconstpointer a, gconstpointer b)
{
    const struct gap *one = a, *other = b;
    if (one->harm != other->harm)
        return one->harm < other->harm ? 1 : -1;
    return (one->from > other->from) - (one->from < other->from);
}

static gint gaps_by_size(gconstpointer a, gconstpointer b)
{
    const struct gap *one = a, *other = b;
    return (one->from > other->from) - (one->from < other->from);
}

// At most so many gaps stay, in the order of sizes.
static void keep_worst(GArray *gaps, guint most)
{
    if (gaps->len > most) {
        g_array_sort(gaps, by_harm);
        g_array_set_size(gaps, most);
    }
    g_array_sort(gaps, gaps_by_size);
}

static bool measure_insides(const struct gaps_search *search, const GArray *gaps)
{
    GArray *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
    for (guint i = 0; i < gaps->len; i++) {
        int64_t size = inside_of(&g_array_index(gaps, struct gap, i));
        g_array_append_val(sizes, size);
    }
    bool good = search->measure(search->owner, sizes);
    g_array_unref(sizes);
    return good;
}

// The middle's deviation from the line between the gap's ends, relative to its value.
static double inside_off(const struct gaps_search *search, const struct gap *gap)
{
    int64_t size = inside_of(gap);
    double from = search->value(search->owner, gap->from),
           to = search->value(search->owner, gap->to), middle = search->value(search->owner, size);
    double part = (double)(size - gap->from) / (double)(gap->to - gap->from);
    return fabs(from + (to - from) * part - middle) / middle;
}

// The halves of gaps for which a line does not suffice.
static GArray *halves_of(const struct gaps_search *search, const GArray *gaps)
{
    GArray *halves = g_array_new(FALSE, FALSE, sizeof(struct gap));
    for (guint i = 0; i < gaps->len; i++) {
        const struct gap *gap = &g_array_index(gaps, struct gap, i);
        double off = inside_off(search, gap);
        if (off <= search->tolerance)
            continue;
        add_gap(halves, gap->from, inside_of(gap), off);
        add_gap(halves, inside_of(gap), gap->to, off);
    }
    return halves;
}

bool gaps_close(const struct gaps_search *search, const GArray *sizes)
{
    GArray *gaps = g_array_new(FALSE, FALSE, sizeof(struct gap));
    for (guint i = 0; i + 1 < sizes->len; i++)
        add_gap(gaps, g_array_index(sizes, int64_t, i), g_array_index(sizes, int64_t, i + 1),
                INFINITY);
    guint left = search->most;
    bool good = true;
    while (good && gaps->len > 0 && left > 0) {
        keep_worst(gaps, left);
        left -= gaps->len;
        good = measure_insides(search, gaps);
        GArray *halves = good ? halves_of(search, gaps) : g_array_new(FALSE, FALSE, 1);
        g_array_unref(gaps);
        gaps = halves;
    }
    g_array_unref(gaps);
    return good;
}
