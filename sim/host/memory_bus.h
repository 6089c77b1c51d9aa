// SPDX-License-Identifier: GPL-3.0-or-later
// The memory bus of a host, for which copies out of main memory and the devices' DMA compete.
//
// The bus serves one cache line at a time, in the order of requests. Over longer times each party
// therefore gets a share in proportion to its demand: if a copy that moves C bytes per second and a
// device that moves D meet on a bus of M < C + D, both go on at M / (C + D) of their rates. So
// whichever ends first, copy and device lose the same time: (C + D - M) / M of the time that they
// would have overlapped. The loss is computed when a device's transaction begins. Alone, each has
// the rate that was measured for it alone, whatever M is.
//
// Not modelled: copies of several processors that meet without a device; a copy that begins during
// a transaction (both are too fast until the transaction ends); copies that a stack charges as a
// plain time.
#ifndef NETSIM_HOST_MEMORY_BUS_H
#define NETSIM_HOST_MEMORY_BUS_H

#include "sim/host/processor.h"

struct memory_bus {
    int64_t rate; // bytes per second; 0: no competition
    struct cpu *const *cores;
    int64_t core_count;
};

// A device's transaction of `bytes` begins now and takes `time` (ps) if it has the memory to
// itself. Delays the copies that it meets, and returns the time that the transaction itself loses.
sim_time memory_bus_meet(const struct memory_bus *memory, int64_t bytes, sim_time time);

#endif
