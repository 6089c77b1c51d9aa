// SPDX-License-Identifier: GPL-3.0-or-later
// Buffers in registered memory into which data are packed. The callback of the send out of a buffer
// frees it.
//
// A slot is a buffer together with its context record: `sending` is the record's flag (thesis 001,
// 3.2.4). There are two schemes: numbered buffers of one size, used in turn; or one region from
// which slots are cut on demand (chapter 5).
#ifndef NETSIM_MODELS_ARMCI_BUFFERS_H
#define NETSIM_MODELS_ARMCI_BUFFERS_H

#include "sim/core/pool.h"
#include "sim/core/sim.h"

#include <stdbool.h>

struct armci_buffers;

struct armci_slot {
    struct armci_buffers *buffers;
    struct armci_slot *next; // in memory
    int number;              // from 1, as the thesis counts; dynamic: in the order of cutting
    int64_t address, bytes;
    int64_t used; // requested bytes
    bool sending; // taken, and its send not yet acknowledged
};

struct armci_buffer_scheme {
    const char *name;
    // Returns a free slot for `bytes`, or NULL: the caller must wait for acknowledgements.
    struct armci_slot *(*take)(struct armci_buffers *buffers, int64_t bytes);
};

extern const struct armci_buffer_scheme armci_buffer_schemes[];
extern const char *const armci_buffer_scheme_names[]; // the same, NULL-terminated
enum { ARMCI_BUFFERS_FIXED, ARMCI_BUFFERS_DYNAMIC };

struct armci_buffers {
    const struct armci_buffer_scheme *scheme;
    int64_t address, bytes; // the memory
    struct pool pool;
    struct armci_slot *slots; // from the first in memory
    struct armci_slot *turn;  // fixed: taken next
    int count;                // of slots
    int cut;                  // dynamic: slots cut since the start
    int64_t sending;          // slots in use
    bool draining;            // dynamic: waits for all
    int64_t unused;           // bytes of slots in use beyond what was requested, now
    // Counters of the simulation.
    int64_t *taken, *drains, *external, *external_bytes, *most_unused;
};

// Sets up `count` buffers (fixed), or one region (dynamic), in `bytes` of memory at `address`.
// Counters are named "ARMCI: …" and shared by all owners of buffers. Free with armci_buffers_clear.
void armci_buffers_init(struct armci_buffers *buffers, const struct armci_buffer_scheme *scheme,
                        struct sim *sim, int64_t address, int64_t bytes, int count);
void armci_buffers_clear(struct armci_buffers *buffers);

// Returns a slot for `bytes`, marked as sending, or NULL if acknowledgements are due before. Fixed
// buffers are used in turn: while the next one is in use, the result is NULL, even if others are
// free. The dynamic scheme searches from the first slot and takes the first that is large enough;
// if none is, it returns NULL until all are acknowledged, and then starts again with one slot.
// `bytes` must not exceed the capacity of an empty scheme.
struct armci_slot *armci_buffers_take(struct armci_buffers *buffers, int64_t bytes);

// The send out of the slot has been acknowledged.
void armci_buffers_acknowledge(struct armci_slot *slot);

#endif
