// SPDX-License-Identifier: GPL-3.0-or-later
// The workload that replays a recorded program.
//
//   workload: {replay: ../traces/stencil_16/trace.txt, speed: 1.4 Gflop/s}
//
// A recording's name is taken from the directory of the scenario, else from the current one. It
// determines the number of ranks.
#ifndef NETSIM_SCENARIO_REPLAY_H
#define NETSIM_SCENARIO_REPLAY_H

#include "sim/config/param.h"
#include "sim/recording/recording.h"

#define REPLAY_KEY "replay"

struct replay_config {
    int64_t speed; // operations per second of a rank; 0: not given
    double time_scale;
};

// "workload", besides the keys of every workload.
extern const struct param_table replay_table;

// The recordings that the cases of a scenario share.
struct recording_shelf {
    const char *directory; // of the scenario file; NULL: no other file may be read
    GHashTable *recordings;
};

void recording_shelf_init(struct recording_shelf *shelf, const char *directory);
void recording_shelf_clear(struct recording_shelf *shelf);

// Returns the recording that the key names, which the caller frees with recording_unref, or NULL
// after an error.
struct recording *recording_shelf_take(struct recording_shelf *shelf, const struct node *name,
                                       struct diag_list *diags);

// Adds an error if the values of time do not fit the recording.
void replay_check(const struct recording *recording, const struct node *workload,
                  const struct replay_config *config, struct diag_list *diags);

#endif
