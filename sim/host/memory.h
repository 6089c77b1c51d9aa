// SPDX-License-Identifier: GPL-3.0-or-later
// A host's memory: what copying and pinning cost, and how much may be pinned.
//
// Copying knows the cache: a copy whose source and destination together fit into it runs at the
// rate for cached data once the data have been touched. What is beyond the cache is read over and
// over in the same order, so that a set which replaces its least recently used line finds none of
// its lines again as soon as one more is in use than it has ways: with `cache_ways`, the share that
// misses is that of the lines in such sets, source and destination each lying in one piece and
// apart from one another as far as they can. Without (0), the share that still hits falls to
// nothing at one and a half times the cache, as with a cache that replaces at random. A source that
// a device has just written by DMA is in no cache.
//
// A copy that is part of a larger work goes through two memories, and each of them is in the cache
// or not for a reason of its own: by what has been touched since the same memory was touched last
// (struct copy_reuse). The buffer that a long message goes through piece by piece comes back soon,
// and its source not before the message is over. A miss costs its share of what a copy out of main
// memory moves: a byte in for the source, and the rest of `copy_traffic` for the destination.
//
// With a memory bus (bus_rate), what misses the cache meets the DMA of devices (memory_bus.h).
//
// Not modelled: where in memory the pages lie, write-back traffic of other programs.
#ifndef NETSIM_HOST_MEMORY_H
#define NETSIM_HOST_MEMORY_H

#include "sim/config/param.h"
#include "sim/host/processor.h"

#include <stdbool.h>
#include <stdint.h>

struct memory_config {
    int64_t ram;            // bytes
    int64_t cache;          // bytes
    int64_t cache_ways;     // lines of a set; 0: replaces at random
    double cache_keeps;     // share of its lines that a set keeps when one too many is in use
    int64_t copy_cached;    // bytes a second
    int64_t copy_uncached;  // bytes a second
    struct cost copy_setup; // call, alignment, loop entry
    int64_t read_uncached;  // bytes a second
    int64_t bus_rate;       // bytes a second; 0: copies and DMA do not meet
    int64_t copy_traffic;   // bytes over the memory bus for each byte copied out of main memory
    int64_t page;           // bytes
    struct cost pin_page;   // locking one page and entering it in the table
    struct cost unpin_page;
    int64_t pin_limit; // bytes that one process may have pinned
};

extern const struct param_table memory_table;

enum copy_source {
    COPY_WARM, // the source was touched by this processor before
    COPY_COLD, // the source was written by a device
};

// Time of one copy of `bytes` (>= 0).
sim_time memory_copy_time(const struct memory_config *memory, const struct cpu *cpu, int64_t bytes,
                          enum copy_source source);

// For the source and the destination of a copy: different bytes that the processor touches from one
// time that it touches them to the next, they themselves among them (> 0). What a device has
// written since, or nobody touched before, is COPY_NEVER.
#define COPY_NEVER INT64_MAX

struct copy_reuse {
    int64_t source, destination;
};

// The same for a copy that is part of a larger work (a piece of a long message, cut to the size of
// a buffer). A copy by itself, done over and over, is {2 * bytes, 2 * bytes} if COPY_WARM, and
// COPY_COLD is taken to find neither side in the cache.
sim_time memory_copy_time_within(const struct memory_config *memory, const struct cpu *cpu,
                                 int64_t bytes, struct copy_reuse reuse);

// Time of going once through `bytes` (>= 0) that no cache has, as a checksum does.
sim_time memory_read_time(const struct memory_config *memory, int64_t bytes);

// Charges a copy to the running handler, as stage_copy.
void mem_copy(struct cpu_context *context, const struct memory_config *memory, int64_t bytes,
              enum copy_source source, struct message_ref message);

// The same for a part of a larger work.
void mem_copy_within(struct cpu_context *context, const struct memory_config *memory, int64_t bytes,
                     struct copy_reuse reuse, struct message_ref message);

// Pages that [address, address + bytes) touches; 0 for no bytes.
int64_t memory_pages(const struct memory_config *memory, int64_t address, int64_t bytes);

#endif
