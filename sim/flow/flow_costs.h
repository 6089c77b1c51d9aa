// SPDX-License-Identifier: GPL-3.0-or-later
// The costs of a case's messages on flows, by their size. A size is measured when it is first asked
// for: two ranks of the case exchange such messages on packets, with its stack, settings and hosts
// (sounding.h). Nothing is fitted.
//
// The latency is what is left of half a round trip on packets, once the stack of flows has played
// the same calls without any.
//
// Messages whose wire time is below the distance between the cards' interrupts are measured without
// it, as the stack of flows keeps it itself (flow_pace.h); of longer ones it is in their times.
//
// Beyond COSTS_MOST_SIZES sizes, the others lie on lines between sizes of a grid, of which four are
// in an octave.
#ifndef NETSIM_FLOW_FLOW_COSTS_H
#define NETSIM_FLOW_FLOW_COSTS_H

#include "sim/model/model.h"

#define COSTS_MOST_SIZES 200
#define COSTS_ONE_FRAME 1.5 // messages up to so many of their largest frame are of a single one

struct flow_cost {
    int64_t size;
    bool eager;             // its send ends before its receive has begun
    sim_time send, receive; // of the processors
    sim_time sending;       // for which a buffered send goes on after that
    sim_time latency;       // after the last byte has left
    sim_time one_way;       // half a round trip of a PingPong on packets
    double wire;            // bytes on the slowest link, with all headers
    double frame;           // of the largest of its frames
    // It waits for an interrupt of the receiver's card, which keeps a distance; `after` that it
    // arrives. Its other times are without any distance.
    bool waits_for_line;
    sim_time after;
    sim_time spread; // from the interrupt for its first frame, without any distance
};

struct flow_costs;

// The case must outlive it. The caller frees it with flow_costs_free.
struct flow_costs *flow_costs_new(const struct registry *registry,
                                  const struct scenario_case *test_case);
void flow_costs_free(struct flow_costs *costs);

// The stack of flows, which must outlive the costs. It is given a size's costs without latency at
// first.
void flow_costs_play_on(struct flow_costs *costs, const struct stack *stack);

// The cluster of the present run of the case, on which routes are looked up; it must stay until the
// last flow_costs_of of the run. Without one, the first size that is measured builds another.
void flow_costs_run_on(struct flow_costs *costs, struct cluster *cluster);

// The costs of a message between hosts, or (local) within one; valid until the next call. NULL: two
// ranks can't exchange it; flow_costs_why has the reason.
const struct flow_cost *flow_costs_of(struct flow_costs *costs, int64_t size, bool local);
const char *flow_costs_why(const struct flow_costs *costs);

// The hosts between which it is measured; the same: all ranks are on one.
void flow_costs_hosts(const struct flow_costs *costs, int *from, int *to);

// Sizes that were measured, and the largest of them.
int flow_costs_sizes(const struct flow_costs *costs, int64_t *largest);

// JSON of what was measured, for manifests and reports; new reference.
json_t *flow_costs_json(const struct flow_costs *costs);

#endif
