// SPDX-License-Identifier: GPL-3.0-or-later
// The memory bus of a host, where copies out of main memory and the DMA of devices meet.
//
// Memory is given out a cache line at a time, first come first served, so that over anything longer
// each gets a share in proportion to what it asks for: if a copy that moves C bytes a second and a
// device that moves D meet on a bus of M < C + D, both go on at M / (C + D) of their rates. So
// whoever ends first, copy and device lose the same time: (C + D - M) / M of the time that they
// would have had together. That is settled when a device's transaction begins. Alone, each has the
// rate that was measured for it alone, whatever M is.
//
// Not modelled: copies of several processors that meet without a device; a copy that begins in the
// midst of a transaction (both are too fast until the transaction's end); the copies that a stack
// charges as a time of its own.
#ifndef NETSIM_HOST_MEMORY_BUS_H
#define NETSIM_HOST_MEMORY_BUS_H

#include "sim/host/processor.h"

struct memory_bus {
    int64_t rate; // bytes a second; 0: nobody meets there
    struct cpu *const *cores;
    int64_t core_count;
};

// A device's transaction of `bytes` begins now, and takes `time` if it has the memory to itself:
// holds up the copies that it meets, and returns what it loses itself.
sim_time memory_bus_meet(const struct memory_bus *memory, int64_t bytes, sim_time time);

#endif
