// SPDX-License-Identifier: GPL-3.0-or-later
// Links that flows share by max-min fairness: no flow can have more without taking it from one that
// has no more than it. Each flow then has a bottleneck: a link that is used up, on which no flow is
// faster.
//
// Joining and leaving are noted, and settled together. Only flows whose rates may change are solved
// again, with the rates of the others fixed: those that joined, and as long as a link shows that a
// fixed flow has lost its bottleneck, or has more than one that was solved, also that flow. Those
// that remain fixed still have their bottlenecks: the result is that of all flows solved at once.
//
// Memory is that of the most crossings of flows and links at one time; nothing is allocated for a
// flow once it has been reached.
#ifndef NETSIM_FLOW_SHARE_H
#define NETSIM_FLOW_SHARE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct share;

// A part of its owner, which must stay where it is while the flow has joined.
struct share_flow {
    double rate; // as of the last share_settle; 0 before
    // share.c's:
    double before;       // rate at the last share_settle
    uint32_t first;      // of its crossings
    uint32_t bottleneck; // link
    uint32_t stamp;      // the last settling that solved it
    uint32_t joined;     // place among those that joined since then; SHARE_NONE: none
};

#define SHARE_NONE UINT32_MAX

// Returns `links` links without flows. Capacities are above 0, in any unit per second. The caller
// frees it with share_free.
struct share *share_new(const double *capacities, int links);
void share_free(struct share *share);

// The flow crosses `count` (> 0) different links.
void share_join(struct share *share, struct share_flow *flow, const uint32_t *links, int count);
void share_leave(struct share *share, struct share_flow *flow);

// Whether flows have joined or left since the last share_settle.
bool share_unsettled(const struct share *share);

// Solves what has changed. Calls `changed` for each flow that has another rate than before, in an
// order that depends only on the calls so far.
typedef void share_changed_fn(void *owner, struct share_flow *flow);
void share_settle(struct share *share, share_changed_fn *changed, void *owner);

// Flows on a link, and the sum of their rates.
int share_flows_on(const struct share *share, int link);
double share_used(const struct share *share, int link);

// Flows that have been solved so far, once per settling: the work that was done.
uint64_t share_solved(const struct share *share);

#endif
