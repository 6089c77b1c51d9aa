// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of some of a case's ranks, with collectives unfolded as the library schedules them: a
// sample from which an estimate knows how many peers a rank has, and what it sends.
#ifndef NETSIM_RUN_ESTIMATE_SAMPLE_H
#define NETSIM_RUN_ESTIMATE_SAMPLE_H

#include "sim/scenario/case.h"

struct estimate_sample {
    double peers; // that a rank exchanges messages with, on average
};

// Returns false if the case has operations that do not unfold into messages between two ranks, or
// more of them per rank than an estimate may read; its own numbers must do then.
bool estimate_sample(const struct scenario_case *test_case, struct estimate_sample *sample);

// The messages of all ranks.
struct estimate_messages {
    double messages, packets; // packets: at least one per message
};

// Counts the messages of the case from those of some ranks, with packets that carry `payload`
// bytes. An operation that does not unfold into messages is one of its size. `operations`: of all
// ranks, by which a sample that must stop early is scaled. Returns false if nothing can be read.
bool estimate_messages(const struct scenario_case *test_case, double payload, double operations,
                       struct estimate_messages *messages);

#endif
