// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/outcome/replicated.h"

#include "sim/core/sim.h"

#include <math.h>
#include <string.h>

// The number of a point of which no run has been met.
#define NONE (-1)

int outcome_replications(const struct outcome *outcome)
{
    return MAX((int)outcome->replications->len, 1);
}

double outcome_replicate(const struct outcome *outcome, const struct outcome_curve *curve,
                         int point, int replication)
{
    return curve->replicates[point * outcome_replications(outcome) + replication];
}

bool outcome_in_draws(const struct outcome *outcome)
{
    return outcome->all_draws->len > 0;
}

bool outcome_same_in_draws(const struct outcome *outcome, const struct outcome_curve *curve,
                           int one, int other)
{
    bool same = true;
    for (int i = 0; same && i < outcome_replications(outcome); i++) {
        double a = outcome_replicate(outcome, curve, one, i);
        double b = outcome_replicate(outcome, curve, other, i);
        same = a == b || (isnan(a) && isnan(b));
    }
    return same;
}

// Which replication a run is part of: that of its draw or, without draws, of its seed.
static int replication_of(const struct outcome *runs, int point)
{
    guint found = 0;
    bool drawn = outcome_in_draws(runs);
    g_array_binary_search(drawn ? runs->all_draws : runs->replications,
                          drawn ? &runs->draws[point] : &runs->seeds[point], outcome_compare_seeds,
                          &found);
    return (int)found;
}

// Which point of the replicated outcome a run belongs to.
static int point_of(const struct outcome *runs, int run)
{
    int point = 0, axes = (int)runs->axes->len;
    for (int axis = 0; axis < axes; axis++)
        point = point * MAX((int)outcome_axis_at(runs, axis)->values->len, 1) +
                runs->indices[run * axes + axis];
    return point;
}

// ---- What points are ----

static void copy_axes(const struct outcome *runs, struct outcome *to)
{
    to->points = runs->points > 0;
    for (guint i = 0; i < runs->parameters->len; i++)
        if (!outcome_is_repeated(g_ptr_array_index(runs->parameters, i)))
            g_ptr_array_add(to->parameters, g_strdup(g_ptr_array_index(runs->parameters, i)));
    for (guint i = 0; i < runs->axes->len; i++) {
        const struct outcome_axis *from = outcome_axis_at(runs, (int)i);
        struct outcome_axis *axis = outcome_add_axis(to, from->name);
        for (guint k = 0; k < from->values->len; k++)
            g_ptr_array_add(axis->values, g_strdup(g_ptr_array_index(from->values, k)));
        to->points *= MAX((int)from->values->len, 1);
    }
    for (guint i = 0; i < runs->series->len; i++)
        g_ptr_array_add(to->series, g_strdup(g_ptr_array_index(runs->series, i)));
    const GArray *repeats = outcome_in_draws(runs) ? runs->all_draws : runs->replications;
    g_array_append_vals(to->replications, repeats->data, repeats->len);
    g_array_append_vals(to->all_draws, runs->all_draws->data, runs->all_draws->len);
    to->seed_count = outcome_in_draws(runs) ? (int)runs->replications->len : 0;
    to->risked_packets = runs->risked_packets;
    to->random_choices = runs->random_choices;
    to->risked_apart = runs->risked_apart;
    g_array_append_vals(to->other_seeds, runs->other_seeds->data, runs->other_seeds->len);
}

static void copy_texts(const struct outcome *runs, int run, struct outcome *to, int point)
{
    guint next = 0;
    for (guint i = 0; i < runs->parameters->len; i++)
        if (!outcome_is_repeated(g_ptr_array_index(runs->parameters, i)))
            to->texts[(guint)point * to->parameters->len + next++] =
                g_strdup(runs->texts[(guint)run * runs->parameters->len + i]);
}

// The first run of a point describes the point.
static void describe(const struct outcome *runs, int run, struct outcome *to, int point)
{
    gsize axes = to->axes->len;
    memcpy(&to->indices[(gsize)point * axes], &runs->indices[(gsize)run * axes],
           axes * sizeof *to->indices);
    to->numbers[point] = runs->numbers[run];
    to->seeds[point] = runs->seeds[run];
    to->draws[point] = runs->draws[run];
    copy_texts(runs, run, to, point);
}

// A point is impossible if all its runs are, and then for the reason of the first.
static void copy_problems(const struct outcome *runs, struct outcome *to)
{
    bool *possible = g_new0(bool, to->points + 1);
    for (int run = 0; run < runs->points; run++)
        possible[point_of(runs, run)] |= !runs->problems[run];
    for (int run = 0; run < runs->points; run++) {
        int point = point_of(runs, run);
        if (!possible[point] && !to->problems[point])
            to->problems[point] = g_strdup(runs->problems[run]);
    }
    g_free(possible);
}

// ---- How they ended ----

static bool is_missing(const struct outcome_end *end)
{
    return g_strcmp0(end->status, "missing") == 0;
}

// The end of a point is that of its first run that did not complete; one that was not made counts
// less than one that failed.
static void add_end(const struct outcome *runs, int run, struct outcome *to, int point, int series)
{
    const struct outcome_end *from = outcome_end_at(runs, run, series);
    struct outcome_end *end = &to->ends[point * (int)to->series->len + series];
    if (!from->status)
        return;
    bool good = strcmp(from->status, sim_status_name(SIM_COMPLETED)) == 0;
    end->runs += !is_missing(from);
    end->completed += good;
    if (end->status && (good || (strcmp(end->status, sim_status_name(SIM_COMPLETED)) != 0 &&
                                 (is_missing(from) || !is_missing(end)))))
        return;
    g_free(end->status);
    g_free(end->kind);
    g_free(end->text);
    end->status = g_strdup(from->status);
    end->kind = g_strdup(from->kind);
    end->text = g_strdup(from->text);
}

// ---- What they have measured ----

void outcome_summarise(const struct outcome *outcome, struct outcome_curve *curve)
{
    int replications = outcome_replications(outcome);
    for (int point = 0; point < outcome->points; point++) {
        struct summary *summary = &curve->summaries[point];
        const double *replicates = &curve->replicates[point * replications];
        *summary = summary_of(replicates, replications);
        if (curve->bands) {
            curve->bands[point] = band_of(replicates, (size_t)replications);
            curve->values[point] = curve->bands[point].median;
            continue;
        }
        bool all = outcome_end_at(outcome, point, curve->series)->runs <= summary->n;
        curve->values[point] = all ? summary->mean : NAN;
    }
}

// The values of the replications. That of a draw is the mean over its seeds, unless one of them was
// run and has none: a mean of the others would leave out just the bad ones.
static void fill_replicates(const struct outcome *runs, const struct outcome_curve *from,
                            const struct outcome *to, double *replicates)
{
    gsize replications = (gsize)outcome_replications(to);
    int *counts = g_new0(int, (gsize)to->points *replications + 1);
    for (gsize i = 0; i < (gsize)to->points * replications; i++)
        replicates[i] = NAN;
    for (int run = 0; run < runs->points; run++) {
        const struct outcome_end *end = outcome_end_at(runs, run, from->series);
        gsize at = (gsize)point_of(runs, run) * replications + (gsize)replication_of(runs, run);
        if (end->runs == 0 && isnan(from->values[run]))
            continue; // not run
        replicates[at] = (counts[at] ? replicates[at] : 0.0) + from->values[run];
        counts[at]++;
    }
    for (gsize i = 0; i < (gsize)to->points * replications; i++)
        replicates[i] = counts[i] > 1 ? replicates[i] / counts[i] : replicates[i];
    g_free(counts);
}

static struct outcome_curve *replicated_curve(const struct outcome *runs,
                                              const struct outcome_curve *from,
                                              const struct outcome *to)
{
    gsize points = (gsize)to->points, replications = (gsize)outcome_replications(to);
    struct outcome_curve *curve = g_memdup2(from, sizeof *from);
    curve->lost = NULL;
    curve->values = g_new(double, points + 1);
    curve->summaries = g_new(struct summary, points + 1);
    curve->replicates = g_new(double, points *replications + 1);
    curve->bands = outcome_in_draws(to) ? g_new(struct band, points + 1) : NULL;
    fill_replicates(runs, from, to, curve->replicates);
    outcome_summarise(to, curve);
    return curve;
}

struct outcome *outcome_replicated(const struct outcome *runs)
{
    struct outcome *to = outcome_new();
    to->replicated = true;
    to->scenario = g_strdup(runs->scenario);
    to->description = g_strdup(runs->description);
    to->source = g_strdup(runs->source);
    to->counts = runs->counts;
    copy_axes(runs, to);
    gsize points = (gsize)to->points;
    to->indices = g_new0(int, points * to->axes->len + 1);
    to->texts = g_new0(char *, points * to->parameters->len + 1);
    to->seeds = g_new0(int64_t, points + 1);
    to->draws = g_new0(int64_t, points + 1);
    to->numbers = g_new0(int, points + 1);
    to->problems = g_new0(char *, points + 1);
    to->ends = g_new0(struct outcome_end, points * to->series->len + 1);
    for (gsize i = 0; i < points; i++)
        to->numbers[i] = NONE;
    for (int run = 0; run < runs->points; run++) {
        int point = point_of(runs, run);
        if (to->numbers[point] == NONE)
            describe(runs, run, to, point);
        for (int series = 0; series < (int)to->series->len; series++)
            add_end(runs, run, to, point, series);
    }
    copy_problems(runs, to);
    for (guint i = 0; i < runs->curves->len; i++)
        g_ptr_array_add(to->curves, replicated_curve(runs, outcome_curve_at(runs, (int)i), to));
    return to;
}

// ---- Differences ----

struct summary outcome_difference(const struct outcome *outcome, const struct outcome_curve *curve,
                                  int one, int other)
{
    int replications = outcome_replications(outcome);
    double *differences = g_new(double, replications);
    for (int i = 0; i < replications; i++)
        differences[i] =
            outcome_replicate(outcome, curve, one, i) - outcome_replicate(outcome, curve, other, i);
    struct summary summary = summary_of(differences, replications);
    g_free(differences);
    return summary;
}

struct paired outcome_change(const struct outcome *outcome, const struct outcome_curve *from,
                             int from_point, const struct outcome_curve *to, int to_point)
{
    int draws = outcome_replications(outcome);
    double *changes = g_new(double, draws);
    for (int i = 0; i < draws; i++) {
        double base = outcome_replicate(outcome, from, from_point, i);
        double change = outcome_replicate(outcome, to, to_point, i) / base - 1.0;
        changes[i] = isfinite(change) ? change : NAN;
    }
    struct paired paired = paired_of(changes, (size_t)draws);
    g_free(changes);
    return paired;
}

bool outcome_differs(const struct outcome *outcome, const struct outcome_curve *curve, int one,
                     int other)
{
    if (outcome_in_draws(outcome)) {
        struct paired paired = outcome_change(outcome, curve, other, curve, one);
        return paired_is_robust(&paired);
    }
    if (outcome_replications(outcome) == 1)
        return curve->values[one] != curve->values[other];
    struct summary difference = outcome_difference(outcome, curve, one, other);
    return summary_is_not_zero(&difference);
}
