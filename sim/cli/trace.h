// SPDX-License-Identifier: GPL-3.0-or-later
// netsim trace: what is in a recording. trace.c reads it, trace_text.c prints it for people,
// trace_json.c for programs.
#ifndef NETSIM_CLI_TRACE_H
#define NETSIM_CLI_TRACE_H

#include "sim/flatten/recorded_profile.h"

#include <jansson.h>
#include <stdio.h>

struct trace_report {
    const struct recording *recording;
    const struct recorded_profile *profile;
    int64_t speed;                // flop/s, of --speed; 0: not given
    const struct traffic *matrix; // messages and bytes of each pair of ranks
    const char *unfolded;         // the stack whose collectives are in the matrix; NULL: none are
};

void trace_print(const struct trace_report *report, FILE *out);

// The document of --format json, as a new reference.
json_t *trace_json(const struct trace_report *report);

// The matrix as the rows of --format csv: from, to, messages, bytes.
void trace_print_matrix(const struct trace_report *report, FILE *out);

// ---- Values in both formats ----

// Seconds per unit of the recording's work; 0: not known, for it counts operations.
double trace_seconds_per_unit(const struct trace_report *report);

// The least, mean and largest of a value of the ranks, and which rank has it.
struct trace_spread {
    double least, mean, most;
    int least_rank, most_rank;
};
struct trace_spread trace_spread(const struct trace_report *report,
                                 double (*value)(const struct profile_rank *rank));

// By how much the largest is above the mean, in parts of this; 0 if all are 0.
double trace_imbalance(const struct trace_spread *spread);

double trace_rank_work(const struct profile_rank *rank);
double trace_rank_seconds(const struct profile_rank *rank);
double trace_rank_messages(const struct profile_rank *rank);
double trace_rank_bytes(const struct profile_rank *rank);
double trace_rank_peers(const struct profile_rank *rank);

// Calls and bytes of all operations that are collectives.
void trace_collectives(const struct recorded_profile *profile, uint64_t *calls, int64_t *bytes);

// Calls by class of size (size_counts.h): of those that send a message, or of collectives.
void trace_classes(const struct recorded_profile *profile, bool collectives, uint64_t *classes);

#endif
