// SPDX-License-Identifier: GPL-3.0-or-later
// A campaign: many runs, each of one scenario under some settings and a seed. The runs are
// distributed over processes and their results kept in an SQLite database, so that nothing is run
// twice. Sweeps, figures, the validation of claims, calibration and golden curves are all
// campaigns.
//
// The unit of work is a case (one series of one scenario). Its key is the SHA-256 of the resolved
// case, the seed and the source of the simulator (NETSIM_SOURCE_ID): a renamed or reformatted file
// gives the same case, a changed model does not. A case that fails or deadlocks is a result like
// any other. A case that kills its process, or is still running after the time limit, is recorded
// as "crashed" and does not end the campaign.
#ifndef NETSIM_CAMPAIGN_CAMPAIGN_H
#define NETSIM_CAMPAIGN_CAMPAIGN_H

#include "sim/model/model.h"
#include "sim/scenario/case.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

struct campaign;
struct store;

// Called after each case with the number of finished cases, the number of cases to run (cases found
// in the database are not counted) and the name of the finished case.
typedef void campaign_progress_fn(void *owner, int done, int total, const char *name);

struct campaign_options {
    const char *database;           // file, created if missing. NULL: kept in memory only
    const char *data_dir;           // as struct scenario_options
    int jobs;                       // worker processes; 0: one per processor
    int time_limit_s;               // wall-clock limit per case, seconds; 0: none
    bool run_again;                 // runs cases again that are in the database and replaces their
                                    // results
    bool what_if;                   // as struct scenario_options
    campaign_progress_fn *progress; // NULL: none
    void *progress_owner;
};

// Returns NULL and sets *error if the database can't be opened or was not written by this program.
// Free with campaign_close.
struct campaign *campaign_open(const struct registry *registry,
                               const struct campaign_options *options, GError **error);
void campaign_close(struct campaign *campaign);

// Adds a run of a scenario file under settings ("path=value", NULL-terminated, may be NULL) and a
// seed (0: the scenario's). Returns its number, counted from 0, or -1 with diagnostics. Two equal
// runs are one piece of work. Of runs that differ in the setting `draw=K` alone the file is read
// once: a change of it in between may go unnoticed.
int campaign_add(struct campaign *campaign, const char *file, const char *const *sets,
                 uint64_t seed, struct diag_list *diags);

// Like campaign_add, but only for the series with these names (NULL-terminated).
int campaign_add_series(struct campaign *campaign, const char *file, const char *const *sets,
                        const char *const *series, uint64_t seed, struct diag_list *diags);

// Forgets all added runs and their cases, of which a long campaign would keep too many. Results
// stay in the database, and files that were read for draws stay read.
void campaign_forget(struct campaign *campaign);

// Reports settings that none of the added runs reads (sim/scenario/unused.h).
void campaign_unused(const struct campaign *campaign, struct diag_list *diags);

// Runs all added cases that are not in the database. Returns false and sets *error if the database
// can't be written or the user has interrupted the run (workers_signal_of); results finished by
// then are kept.
bool campaign_run(struct campaign *campaign, GError **error);

// The result of a run: the document that `netsim run --format json` prints (sim/output/json.h),
// made from the database alone. It is deterministic: it contains no wall time. Returns a new
// reference, or NULL before campaign_run.
json_t *campaign_result(const struct campaign *campaign, int run);

// ---- For sweeps ----

// From now on keeps results in a database. For a campaign that was opened without one and has not
// run yet, as added runs may turn out to be wrong first. Returns false and sets *error as
// campaign_open does.
bool campaign_keep(struct campaign *campaign, const char *database, GError **error);

// Restricts the campaign to share K of N (1 .. N): every N-th piece of work.
void campaign_take_shard(struct campaign *campaign, int shard, int shards);

// The number of different pieces of work (of the shard), and how many of them campaign_run would
// run.
int campaign_pieces(const struct campaign *campaign);
int campaign_missing(const struct campaign *campaign);

// The seed of a run, the number of its series, and the name and key of each series.
uint64_t campaign_seed(const struct campaign *campaign, int run);
int campaign_series_count(const struct campaign *campaign, int run);
const char *campaign_series_name(const struct campaign *campaign, int run, int series);
const char *campaign_series_key(const struct campaign *campaign, int run, int series);

// The database; owned by the campaign.
struct store *campaign_store(const struct campaign *campaign);

#endif
