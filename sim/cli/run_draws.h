// SPDX-License-Identifier: GPL-3.0-or-later
// `netsim run --draws N`: the scenario on N of the machines that its uncertain constants allow
// (sim/scenario/draw.h); medians and the central 90 % of what they give.
#ifndef NETSIM_CLI_RUN_DRAWS_H
#define NETSIM_CLI_RUN_DRAWS_H

#include "sim/cli/cli.h"

struct run_draws {
    const struct scenario *scenario; // as it is without draws; only the series that are asked for
    const struct scenario_schema *schema;
    char **sets;      // as given; NULL: none
    uint64_t seed;    // 0: the scenario's
    int draws, jobs;  // 1 .. CLI_MOST_DRAWS; 0: one per processor
    int time_limit_s; // of a series; 0: none
    bool total;       // also runs the design of total sensitivity
    bool quiet;
};

// Runs them. Returns a document, which is the same at any number of jobs; NULL after a message:
//   {"scenario", "draws", "fitted": [path],
//    "series": [{"name", "completed",
//      "inputs": their number, "causes_of": metric, "causes": [{"of", "share", "sign"}], "r2",
//      "by_size": [{"size_bytes", "rank", "r2", "inputs": [{"of", "srrc", "error", "share"}]}],
//      "total_of": metric, "total_draws", "total": [{"group", "first", "first_between": [low,
//      high],
//        "total", "total_between"}],
//      "failures": [{"kind", "text", "draws": [number]}], "failing": [{"of", "z"}]}],
//    "pairs": [{"first", "second", "metric", "at": [{"size_bytes", "rank", "n",
//      "ahead": {"share", "low", "high"}, "behind": {…}, "ratio": {"median", "low", "high"}}]}],
//    "values": [{"series", "size_bytes", "rank", "metric", "unit", "n", "median", "low", "high",
//      "low_between": [from, to], "high_between"}]}
// "causes" are means over the sizes, and of the first metric. "sign" is that of the change with the
// input. "ahead" is of the first series. Bands are of the draws that completed
// (sim/statistics/band.h); null in "low_between" is no bound.
json_t *run_draws(const struct run_draws *run);

// Whether a series completed in no draw.
bool run_draws_failed(const json_t *document);

// The document for people (only these metrics; NULL: all), and as CSV. The caller frees it.
char *run_draws_text(const json_t *document, char **metrics);
char *run_draws_csv(const json_t *document, char **metrics);

#endif
