// SPDX-License-Identifier: GPL-3.0-or-later
// The points of a sweep as runs of a campaign, and how they are kept in its database.
//
// A value that is wrong at every point is a mistake, and nothing is run. A combination of values
// that are each valid elsewhere (tiny = 64 KiB with short = 16 KiB) is an impossible point: it
// stays in the sweep, with the reason.
#ifndef NETSIM_CAMPAIGN_POINTS_H
#define NETSIM_CAMPAIGN_POINTS_H

#include "sim/campaign/campaign.h"
#include "sim/scenario/sweep.h"

struct points {
    const struct sweep *sweep;
    char *name;        // of the scenario
    char *description; // of the scenario, which the caller may set; NULL: none
    int count;
    int *runs;       // of each point, in the campaign; -1: impossible
    char **problems; // why the point is impossible, else NULL
    int impossible;
};

// Called after each compiled point; a sweep may have many points.
struct points_watcher {
    campaign_progress_fn *progress;
    void *owner;
};

// Compiles all points of a sweep of `file` and adds them to the campaign. Returns NULL with
// diagnostics, which give the place of the value if one value is to blame. A value that no point
// reads is an error too, unless `allow_unused`. `watcher` may be NULL. Free with points_free.
struct points *points_new(struct campaign *campaign, const char *file, const char *name,
                          const struct sweep *sweep, bool allow_unused,
                          const struct points_watcher *watcher, struct diag_list *diags);
void points_free(struct points *points);

// SHA-256 of the sweep: its scenario, its axes, and the keys of all cases of its points. The caller
// frees it.
char *points_digest(const struct points *points, const struct campaign *campaign);

// The values of a point as readable text: "lam_via.tiny=1 KiB, seed=2". The caller frees it.
char *points_describe(const struct points *points, int point);

// Writes the sweep into the campaign's database as the sweep that reports describe, and commits.
bool points_keep(const struct points *points, const struct campaign *campaign, GError **error);

// Adds all sweeps of another database, within the current transaction.
bool points_merge(struct store *into, struct store *from, GError **error);

#endif
