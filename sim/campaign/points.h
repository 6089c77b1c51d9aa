// SPDX-License-Identifier: GPL-3.0-or-later
// The points of a sweep as runs of a campaign, and how they are kept in its database.
//
// A value that is wrong wherever it stands is a mistake, and nothing is run. A combination of
// values that each are right elsewhere (tiny = 64 KiB with short = 16 KiB) is a point that is not
// possible: it stays in the sweep as such, with the reason.
#ifndef NETSIM_CAMPAIGN_POINTS_H
#define NETSIM_CAMPAIGN_POINTS_H

#include "sim/campaign/campaign.h"
#include "sim/scenario/sweep.h"

struct points {
    const struct sweep *sweep;
    char *name; // of the scenario
    int count;
    int *runs;       // of each point, in the campaign; -1: not possible
    char **problems; // why it is not, else NULL
    int impossible;
};

// Told when a point has been compiled; a sweep may have many.
struct points_watcher {
    campaign_progress_fn *progress;
    void *owner;
};

// Compiles all points of a sweep of `file` and adds them to the campaign. NULL with diagnostics, at
// the place of the value where one is to blame; so is, unless `allow_unused`, one that no point
// reads. `watcher` may be NULL. Free with points_free.
struct points *points_new(struct campaign *campaign, const char *file, const char *name,
                          const struct sweep *sweep, bool allow_unused,
                          const struct points_watcher *watcher, struct diag_list *diags);
void points_free(struct points *points);

// SHA-256 of the sweep: its scenario, axes, and the keys of all cases of its points. The caller
// frees it.
char *points_digest(const struct points *points, const struct campaign *campaign);

// The values of a point, for people: "lam_via.tiny=1 KiB, seed=2". The caller frees it.
char *points_describe(const struct points *points, int point);

// Writes the sweep into the campaign's database as the one that reports are about, and commits.
bool points_keep(const struct points *points, const struct campaign *campaign, GError **error);

// Adds all sweeps of another database. Part of the transaction under way.
bool points_merge(struct store *into, struct store *from, GError **error);

#endif
