// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep with its results, as read from a database: the source of reports and CSV.
//
// A seed is no axis, nor is a draw: the runs of a point with several seeds or draws are its
// replications. As read, each run is a point of its own; outcome_replicated (replicated.h) merges
// them into one point.
#ifndef NETSIM_OUTCOME_OUTCOME_H
#define NETSIM_OUTCOME_OUTCOME_H

#include "sim/campaign/store.h"
#include "sim/core/summary.h"
#include "sim/statistics/band.h"

// The paths by which a sweep may vary seeds and draws.
#define OUTCOME_SEED "seed"
#define OUTCOME_DRAW "draw"

// One parameter that varies, or in zip mode all parameters of a sweep together.
struct outcome_axis {
    char *name;        // "lam_via.tiny", "link.rate, link.latency"
    GPtrArray *values; // char *
};

// How one of the series of a point ended.
struct outcome_end {
    char *status; // "completed", "lost", "deadlock", "failed", "crashed"; "missing": not run yet
    char *kind;   // of a failure ("connection_broken"), else NULL
    char *text;   // of a failure, else NULL
    // For replications: how many were run, and how many of these completed. The status is that of
    // the first run that did not complete.
    int runs, completed;
};

// One measured quantity of one of the series over all points.
struct outcome_curve {
    int series;
    int rank;           // -1: all ranks together
    int64_t size;       // -1: belongs to no size
    const char *metric; // interned
    int metric_number;  // in the order of first occurrence
    double *values;     // of each point; NAN: there is none, or it does not count
    double *lost;       // values of points that lost data, which do not count; NAN: other points
    // Only for replications, else NULL. A point's value is then the mean, or NAN if not all of its
    // runs have a value: a mean over the successful runs alone would leave out just the bad ones.
    // In draws it is the median of those draws that have a value, and a replicate is the mean of a
    // draw's seeds.
    double *replicates;        // [point * replications + replication]; NAN: none
    struct summary *summaries; // of each point: over those of its runs that have a value
    struct band *bands;        // of each point in draws; NULL: no draws
};

struct outcome {
    char *scenario, *source;
    char *description;     // of the scenario; NULL: none
    bool replicated;       // a point covers all its seeds
    GPtrArray *parameters; // char *: paths as given by the user
    GPtrArray *axes;       // struct outcome_axis *
    int points;
    int *indices;         // [point * axes + axis]: which value
    char **texts;         // [point * parameters + parameter]
    int *numbers;         // of the points in the database; for replications: of the first
    int64_t *seeds;       // of each point; -1: the sweep varies no seeds, and the point is
                          // impossible
    GArray *replications; // int64_t: the different seeds, ascending; empty: the sweep varies no
                          // seeds. Of replications in draws: the draws
    int64_t *draws;       // of each point; 0: the sweep varies no draws
    GArray *all_draws;    // int64_t: the different draws, ascending; empty: the sweep varies none
    int seed_count;       // of replications in draws: the seeds of each draw, else 0
    // Sums over all runs of what was left to chance (SIM_RISKED_PACKETS, SIM_RANDOM_CHOICES).
    int64_t risked_packets, random_choices;
    // Of these packets those whose faults are by chance for themselves: runs with one seed have the
    // same random numbers, so of each seed the largest run counts.
    int64_t risked_apart;
    GArray *other_seeds;      // int64_t: seeds with which other sweeps of the database have run its
                              // cases
    char **problems;          // why a point is impossible, else NULL
    GPtrArray *series;        // char *: names
    struct outcome_end *ends; // [point * series + series]
    const char *counts;       // interned: what all sizes count ("messages"); NULL: bytes
    GPtrArray *curves; // struct outcome_curve *, by series, metric, rank and size in the order of
                       // first occurrence
};

// Reads the newest sweep of a database. Returns NULL and sets *error if it has none.
struct outcome *outcome_read(struct store *store, GError **error);
// Reads the sweep with this id (points_digest), as another program may have added a newer one.
struct outcome *outcome_read_sweep(struct store *store, const char *id, GError **error);
void outcome_free(struct outcome *outcome);

// Whether a sweep varies seeds or draws by this path, which then makes no axis.
bool outcome_is_repeated(const char *path);

// Compares two seeds or draws (int64_t) for sorting: replications are in this order.
int outcome_compare_seeds(const void *a, const void *b);

// An empty outcome, and an axis of it without values, for code that builds outcomes.
struct outcome *outcome_new(void);
struct outcome_axis *outcome_add_axis(struct outcome *outcome, const char *name);

// Whether a series ended at a point with its ledger out of balance; how many did.
bool outcome_has_lost(const struct outcome_end *end);
int outcome_count_lost(const struct outcome *outcome);

const struct outcome_axis *outcome_axis_at(const struct outcome *outcome, int axis);
const struct outcome_end *outcome_end_at(const struct outcome *outcome, int point, int series);
const struct outcome_curve *outcome_curve_at(const struct outcome *outcome, int curve);
const char *outcome_series_name(const struct outcome *outcome, int series);

// All measured values as CSV: one row per point, series, size and metric, with the parameters as
// columns. Impossible points and series without values have one row without a value. Values of
// points that lost data are included, with their status. The caller frees it.
GString *outcome_csv(const struct outcome *outcome);

// Like outcome_csv, but with one row for all runs of a point, which differ only in the seed: how
// many were run, how many completed, how many have a value (n), their mean, the half width of its
// confidence interval (summary.h), standard deviation, minimum and maximum. Runs that lost data
// have no value here. In draws n counts those with a value, and their median and the ends of their
// central 90 % follow. `outcome` is an outcome as read. The caller frees it.
GString *outcome_means_csv(const struct outcome *outcome);

#endif
