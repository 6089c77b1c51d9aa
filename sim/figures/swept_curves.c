// SPDX-License-Identifier: GPL-3.0-or-later
// The curves of a sweep's picture: of each rank, or of the slowest of many.
#include "sim/figures/swept_internal.h"

#include "sim/figures/notes.h"
#include "sim/outcome/replicated.h"

#include <math.h>

static struct outcome_curve *outcome_curve_copy(const struct outcome *outcome,
                                                const struct outcome_curve *of)
{
    gsize points = (gsize)outcome->points, runs = points * (gsize)outcome_replications(outcome);
    struct outcome_curve *copy = g_memdup2(of, sizeof *of);
    copy->lost = NULL;
    copy->values = g_memdup2(of->values, points * sizeof *of->values);
    copy->replicates = g_memdup2(of->replicates, runs * sizeof *of->replicates);
    copy->summaries = g_memdup2(of->summaries, points * sizeof *of->summaries);
    copy->bands = of->bands ? g_memdup2(of->bands, points * sizeof *of->bands) : NULL;
    return copy;
}

static void outcome_curve_free(gpointer data)
{
    struct outcome_curve *curve = data;
    g_free(curve->values);
    g_free(curve->replicates);
    g_free(curve->summaries);
    g_free(curve->bands);
    g_free(curve);
}

static bool is_beside(const struct outcome_curve *one, const struct outcome_curve *other)
{
    return one->series == other->series && one->size == other->size;
}

// Joins a rank's times to those of the ranks before it: a time of several ranks is, in each run,
// that of the slowest.
static void join(struct outcome_curve *slowest, const struct outcome_curve *rank, int runs)
{
    slowest->rank = -1;
    for (int run = 0; run < runs; run++)
        slowest->replicates[run] = fmax(slowest->replicates[run], rank->replicates[run]);
}

static GPtrArray *slowest_of(const struct outcome *outcome, const GPtrArray *curves)
{
    GPtrArray *made = g_ptr_array_new_with_free_func(outcome_curve_free);
    int runs = outcome->points * outcome_replications(outcome);
    for (guint i = 0; i < curves->len; i++) {
        const struct outcome_curve *curve = g_ptr_array_index(curves, i);
        struct outcome_curve *slowest = NULL;
        for (guint k = made->len; k-- > 0 && !slowest;)
            if (is_beside(curve, g_ptr_array_index(made, k)))
                slowest = g_ptr_array_index(made, k);
        if (!slowest) {
            slowest = outcome_curve_copy(outcome, curve);
            g_ptr_array_add(made, slowest);
        }
        join(slowest, curve, runs);
    }
    for (guint i = 0; i < made->len; i++)
        outcome_summarise(outcome, g_ptr_array_index(made, i));
    return made;
}

// The most ranks that have a value of the same series and size.
static int count_ranks(const GPtrArray *curves)
{
    int most = 0, count = 0;
    for (guint i = 0; i < curves->len; i++) {
        const struct outcome_curve *curve = g_ptr_array_index(curves, i);
        const struct outcome_curve *before = i ? g_ptr_array_index(curves, i - 1) : NULL;
        if (curve->rank < 0)
            continue;
        if (!before || before->series != curve->series)
            count = 0;
        count += !before || count == 0 || before->rank != curve->rank;
        most = MAX(most, count);
    }
    return most;
}

// Borrowed from the outcome.
static GPtrArray *all_curves(const struct outcome *outcome, const char *metric)
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

GPtrArray *swept_curves(const struct swept_picture *picture, const char *metric, int most_ranks)
{
    GPtrArray *curves = all_curves(picture->outcome, metric), *made;
    if (swept_is_duration(metric) && count_ranks(curves) > most_ranks) {
        made = slowest_of(picture->outcome, curves);
        notes_add(picture->notes, "the time is that of the slowest rank");
    } else {
        made = g_ptr_array_new_with_free_func(outcome_curve_free);
        for (guint i = 0; i < curves->len; i++)
            g_ptr_array_add(made,
                            outcome_curve_copy(picture->outcome, g_ptr_array_index(curves, i)));
    }
    g_ptr_array_unref(curves);
    return made;
}
