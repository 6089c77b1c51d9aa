// SPDX-License-Identifier: GPL-3.0-or-later
// A campaign: many runs, each of one scenario under some settings and a seed, shared out over
// processes and kept in an SQLite database, so that nothing is run twice. Sweeps, figures, the
// validation of claims, calibration and golden curves are all campaigns.
//
// The unit of work is a case (one series of one scenario). It is known by the SHA-256 of the
// resolved case, the seed and the source of the simulator (NETSIM_SOURCE_ID): a file renamed or
// reformatted is the same case, a changed model is not. A case that fails or deadlocks is a result
// like any other; one that kills its process, or is still running after the time limit, is recorded
// as "crashed" and not as the end of the campaign.
#ifndef NETSIM_CAMPAIGN_CAMPAIGN_H
#define NETSIM_CAMPAIGN_CAMPAIGN_H

#include "sim/scenario/case.h"
#include "sim/workload/model.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

struct campaign;
struct store;

// Told when a case has ended: how many of the cases to run are done (those found in the database
// are not counted), and the name of this one.
typedef void campaign_progress_fn(void *owner, int done, int total, const char *name);

struct campaign_options {
    const char *database;           // file; made if missing. NULL: kept in memory only
    const char *data_dir;           // as struct scenario_options
    int jobs;                       // processes; 0: one for each processor
    int time_limit_s;               // of one case, on the clock on the wall; 0: none
    bool run_again;                 // what is in the database is run all the same, and replaced
    campaign_progress_fn *progress; // NULL: none
    void *progress_owner;
};

// NULL and *error if the database can't be opened or is not one of ours. Free with campaign_close.
struct campaign *campaign_open(const struct registry *registry,
                               const struct campaign_options *options, GError **error);
void campaign_close(struct campaign *campaign);

// Adds a run of a scenario file under settings ("path=value", NULL-terminated, may be NULL) and a
// seed (0: the scenario's). Returns its number, counted from 0, or -1 with diagnostics. Two equal
// runs are one piece of work.
int campaign_add(struct campaign *campaign, const char *file, const char *const *sets,
                 uint64_t seed, struct diag_list *diags);

// The same with some of the scenario's series only: those with these names (NULL-terminated).
int campaign_add_series(struct campaign *campaign, const char *file, const char *const *sets,
                        const char *const *series, uint64_t seed, struct diag_list *diags);

// Complains about what was set and no run that was added reads (sim/scenario/unused.h).
void campaign_unused(const struct campaign *campaign, struct diag_list *diags);

// Runs all that was added and is not in the database. False and *error if the database can't be
// written or the user has interrupted it (workers_signal_of); what was finished until then is kept.
bool campaign_run(struct campaign *campaign, GError **error);

// The result of a run: the document that `netsim run --format json` prints (sim/output/json.h),
// made from the database alone. Deterministic: no wall time. New reference; NULL before
// campaign_run.
json_t *campaign_result(const struct campaign *campaign, int run);

// ---- For sweeps ----

// Keeps results in a database from now on, for a campaign that was opened without one and has not
// run: what was added may turn out wrong before. False and *error as campaign_open.
bool campaign_keep(struct campaign *campaign, const char *database, GError **error);

// Does only a share of the work: the K-th of N (1 .. N), piece by piece in turn.
void campaign_take_shard(struct campaign *campaign, int shard, int shards);

// Different pieces of work (of the shard), and those of them that campaign_run would do.
int campaign_pieces(const struct campaign *campaign);
int campaign_missing(const struct campaign *campaign);

// The seed of a run, and its series: their number, the name and the key of each.
uint64_t campaign_seed(const struct campaign *campaign, int run);
int campaign_series_count(const struct campaign *campaign, int run);
const char *campaign_series_name(const struct campaign *campaign, int run, int series);
const char *campaign_series_key(const struct campaign *campaign, int run, int series);

// The database, which the campaign keeps.
struct store *campaign_store(const struct campaign *campaign);

#endif
