// SPDX-License-Identifier: GPL-3.0-or-later
// `netsim run --draws N`: the scenario on N of the machines that its uncertain constants allow
// (sim/scenario/draw.h); medians and the central 90 % of what they give.
#ifndef NETSIM_CLI_RUN_DRAWS_H
#define NETSIM_CLI_RUN_DRAWS_H

#include "sim/cli/cli.h"

#define RUN_MOST_DRAWS 10000

struct run_draws {
    const struct scenario *scenario; // as it is without draws; only the series that are asked for
    const struct scenario_schema *schema;
    char **sets;      // as given; NULL: none
    uint64_t seed;    // 0: the scenario's
    int draws, jobs;  // 1 .. RUN_MOST_DRAWS; 0: one per processor
    int time_limit_s; // of a series; 0: none
    bool quiet;
};

// Runs them. Returns a document {"scenario", "draws", "fitted": [path], "series": [{"name",
// "completed"}], "values": [{"series", "size_bytes", "rank", "metric", "unit", "n", "median",
// "low", "high"}]}, which is the same at any number of jobs; NULL after a message. Quantiles are
// those of type 7 (linear between order statistics), of the draws that completed.
json_t *run_draws(const struct run_draws *run);

// Whether a series completed in no draw.
bool run_draws_failed(const json_t *document);

// The document for people (only these metrics; NULL: all), and as CSV. The caller frees it.
char *run_draws_text(const json_t *document, char **metrics);
char *run_draws_csv(const json_t *document);

#endif
