// SPDX-License-Identifier: GPL-3.0-or-later
// The traffic over the links of a network while each size of a benchmark is measured, and the rest:
// the counts are cut where ranks begin and end to measure. The parts add up to the whole.
#ifndef NETSIM_RUN_LINK_SIZES_H
#define NETSIM_RUN_LINK_SIZES_H

#include "sim/core/time.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct network;

struct link_sizes {
    struct network *network;
    GPtrArray *sizes; // struct link_size *, with a slot per channel, in the order of measuring
    int measuring;    // ranks
    sim_time since;   // the last cut
};

void link_sizes_begin(struct link_sizes *of, struct network *network);

// A rank begins to measure: what has passed while none did belongs to no size.
void link_sizes_start(struct link_sizes *of, sim_time now);

// A rank has measured a size. last: all have that measure it, and what follows belongs to another
// one also if a rank has begun with that.
void link_sizes_stop(struct link_sizes *of, int64_t size, bool last, sim_time now);

// The run has ended. Returns what has passed over each link in all, as network_link_loads, and the
// parts in `parts`: struct link_size *, what belongs to no size at the end. The caller owns both.
GPtrArray *link_sizes_end(struct link_sizes *of, sim_time now, GPtrArray **parts);

#endif
