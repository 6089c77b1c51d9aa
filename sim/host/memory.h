// SPDX-License-Identifier: GPL-3.0-or-later
// A host's memory: the costs of copying and pinning, and the limit on pinned memory.
//
// Copies depend on the cache. A copy whose source and destination together fit into it runs at the
// rate for cached data once the data have been touched. Larger data are read over and over in the
// same order, so that a set with LRU replacement misses all its lines as soon as it needs one more
// than it has ways. With `cache_ways`, the share of misses is therefore that of the lines in such
// sets; source and destination are each contiguous and as far from one another as possible. Without
// it (0), the share of hits falls to zero at one and a half times the cache, as with random
// replacement. A source that a device has just written by DMA is in no cache.
//
// In a copy that is part of a larger operation, source and destination hit or miss separately, by
// the amount of data touched since the same memory was touched last (struct copy_reuse). The buffer
// that a long message passes through piece by piece is reused soon; the source is not reused before
// the message ends. A miss costs its share of the traffic of a copy out of main memory: one byte
// for the source, and the rest of `copy_traffic` for the destination.
//
// An update reads the source and the destination and writes the destination back: three bytes over
// the memory bus per byte that misses, at the copy's rate over the bus. In the cache it goes at the
// copy's rate, which reads a destination's line as well.
//
// With a memory bus (bus_rate), cache misses compete with the devices' DMA (memory_bus.h).
//
// Not modelled: the physical placement of pages, write-back traffic of other programs.
#ifndef NETSIM_HOST_MEMORY_H
#define NETSIM_HOST_MEMORY_H

#include "sim/config/param.h"
#include "sim/host/processor.h"

#include <stdbool.h>
#include <stdint.h>

struct memory_config {
    int64_t ram;        // bytes
    int64_t cache;      // bytes
    int64_t cache_ways; // lines of a set; 0: random replacement
    double cache_keeps;
    int64_t copy_cached;   // bytes per second
    int64_t copy_uncached; // bytes per second
    struct cost copy_setup;
    int64_t read_uncached; // bytes per second
    int64_t refill;        // bytes per second
    int64_t bus_rate;      // bytes per second; 0: copies and DMA do not compete
    int64_t copy_traffic;  // bytes per byte copied
    int64_t page;          // bytes
    struct cost pin_page;
    struct cost unpin_page;
    int64_t pin_limit; // bytes
};

extern const struct param_table memory_table;

enum copy_source {
    COPY_WARM, // the source was touched by this processor before
    COPY_COLD, // the source was written by a device
};

// Time of one copy of `bytes` (>= 0).
sim_time memory_copy_time(const struct memory_config *memory, const struct cpu *cpu, int64_t bytes,
                          enum copy_source source);

// Reuse distance of a copy's source and destination: the number of distinct bytes (> 0) that the
// processor touches from one use of the memory to the next, the memory itself included. COPY_NEVER:
// a device has written the memory since, or the processor never touched it.
#define COPY_NEVER INT64_MAX

struct copy_reuse {
    int64_t source, destination;
};

// Like memory_copy_time, for a copy that is part of a larger operation (a piece of a long message,
// cut to the size of a buffer). A single copy, repeated, is {2 * bytes, 2 * bytes} for COPY_WARM;
// for COPY_COLD neither side is in the cache.
sim_time memory_copy_time_within(const struct memory_config *memory, const struct cpu *cpu,
                                 int64_t bytes, struct copy_reuse reuse);

// Time of an update (mem_update) of `bytes` (>= 0).
sim_time memory_update_time(const struct memory_config *memory, const struct cpu *cpu,
                            int64_t bytes, struct copy_reuse reuse, sim_time work);

// Time of reading `bytes` (>= 0) once that are in no cache, as for a checksum.
sim_time memory_read_time(const struct memory_config *memory, int64_t bytes);

// Charges a copy to the running handler, as stage_copy.
void mem_copy(struct cpu_context *context, const struct memory_config *memory, int64_t bytes,
              enum copy_source source, struct message_ref message);

// Like mem_copy, for a part of a larger operation.
void mem_copy_within(struct cpu_context *context, const struct memory_config *memory, int64_t bytes,
                     struct copy_reuse reuse, struct message_ref message);

// Like mem_copy_within, for an update: one pass that takes the longer of its memory accesses and of
// `work`, which the processor does on the bytes meanwhile. Charged as `stage`.
void mem_update(struct cpu_context *context, const struct memory_config *memory, int64_t bytes,
                struct copy_reuse reuse, sim_time work, const struct stage *stage,
                struct message_ref message);

// Number of pages that [address, address + bytes) touches; 0 for no bytes.
int64_t memory_pages(const struct memory_config *memory, int64_t address, int64_t bytes);

#endif
