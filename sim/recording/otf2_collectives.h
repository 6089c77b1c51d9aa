// SPDX-License-Identifier: GPL-3.0-or-later
// A collective of an OTF2 archive, as one of its ranks sees it.
#ifndef NETSIM_RECORDING_OTF2_COLLECTIVES_H
#define NETSIM_RECORDING_OTF2_COLLECTIVES_H

#include "sim/recording/otf2.h"

// Where the sums of a member are.
struct otf2_place {
    guint start, count;
};

struct otf2_view {
    struct otf2_archive *archive;
    const struct otf2_collective *collective;
    const struct otf2_communicator *communicator;
    struct otf2_sum own;
    guint place;     // among those of the communicator whose sums are kept
    int members, me; // ranks of the communicator
    bool is_root;
    int64_t *blocks; // one per member, 0
    struct recorded_call *call;
};

// By OTF2_CollectiveOp.
extern const char *const otf2_collective_names[];

#endif
