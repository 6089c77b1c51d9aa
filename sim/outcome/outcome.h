// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep with its results, as read from a database: what reports and CSV are made of.
//
// A seed is no axis: the runs of a point with several seeds are its replications. As read, each of
// them is a point of its own; outcome_replicated (replicated.h) makes one of them.
#ifndef NETSIM_OUTCOME_OUTCOME_H
#define NETSIM_OUTCOME_OUTCOME_H

#include "sim/campaign/store.h"
#include "sim/core/summary.h"

// The path by which a sweep may vary seeds, too.
#define OUTCOME_SEED "seed"

// What varies: a parameter, or all parameters of a sweep in zip mode together.
struct outcome_axis {
    char *name;        // "lam_via.tiny", "link.rate, link.latency"
    GPtrArray *values; // char *
};

// How one of the series of a point has ended.
struct outcome_end {
    char *status; // "completed", "lost", "deadlock", "failed", "crashed"; "missing": not run so far
    char *kind;   // of a failure ("connection_broken"), else NULL
    char *text;   // of a failure, else NULL
    // Of replications: those that were run, and those of them that completed. The status is that of
    // the first that did not.
    int runs, completed;
};

// One measured quantity of one of the series over all points.
struct outcome_curve {
    int series;
    int rank;           // -1: of all ranks
    int64_t size;       // -1: of no size
    const char *metric; // interned
    int metric_number;  // as first met
    double *values;     // of each point; NAN: there is none, or it does not count
    double *lost;       // of points that lost data, which count for nothing; NAN: of the others
    // Only of replications, else NULL. A point's value is then the mean, or NAN if not all of its
    // runs have one: a mean of those that got through would leave out just the bad ones.
    double *replicates;        // [point * replications + replication]; NAN: there is none
    struct summary *summaries; // of each point: of those of its runs that have a value
};

struct outcome {
    char *scenario, *source;
    bool replicated;       // points are of all their seeds
    GPtrArray *parameters; // char *: paths as they were given
    GPtrArray *axes;       // struct outcome_axis *
    int points;
    int *indices;             // [point * axes + axis]: which value
    char **texts;             // [point * parameters + parameter]
    int *numbers;             // of the points in the database; of replications: of the first
    int64_t *seeds;           // of each point; -1: the sweep asks for none, and it is not possible
    GArray *replications;     // int64_t: the different seeds, ascending; empty: it asks for none
    GArray *other_seeds;      // int64_t: with which other sweeps of the database have run its cases
    char **problems;          // why a point is not possible, else NULL
    GPtrArray *series;        // char *: names
    struct outcome_end *ends; // [point * series + series]
    const char *counts;       // interned: what all sizes are numbers of ("messages"); NULL: bytes
    GPtrArray *curves; // struct outcome_curve *, by series, metric, rank and size as first met
};

// Reads the newest sweep of a database. NULL and *error if there is none.
struct outcome *outcome_read(struct store *store, GError **error);
// Reads the one of an id (points_digest): another program may have put a newer one there.
struct outcome *outcome_read_sweep(struct store *store, const char *id, GError **error);
void outcome_free(struct outcome *outcome);

// Orders seeds (int64_t), as replications are.
int outcome_compare_seeds(const void *a, const void *b);

// An empty one, and an axis of it without values: for those who make one.
struct outcome *outcome_new(void);
struct outcome_axis *outcome_add_axis(struct outcome *outcome, const char *name);

// Whether a series came to its end at a point with its ledger out of balance; how many did.
bool outcome_has_lost(const struct outcome_end *end);
int outcome_count_lost(const struct outcome *outcome);

const struct outcome_axis *outcome_axis_at(const struct outcome *outcome, int axis);
const struct outcome_end *outcome_end_at(const struct outcome *outcome, int point, int series);
const struct outcome_curve *outcome_curve_at(const struct outcome *outcome, int curve);
const char *outcome_series_name(const struct outcome *outcome, int series);

// All measured values as CSV: a row for each point, series, size and metric, with the parameters as
// columns. Points that are not possible and series without values have one row without a value.
// Values of points that lost data are there, too, with their status. The caller frees it.
GString *outcome_csv(const struct outcome *outcome);

// The same with a row for all runs of a point, which differ in the seed alone: how many were made,
// how many completed, how many have a value (n), their mean, the half width of its confidence
// interval (summary.h), standard deviation, least and greatest value. Runs that lost data have none
// here. `outcome` is one that was read. The caller frees it.
GString *outcome_means_csv(const struct outcome *outcome);

#endif
