// SPDX-License-Identifier: GPL-3.0-or-later
// Buffers in registered memory that data are packed into, and given free by the callback of the
// send that went out of them.
//
// A slot is a buffer and its context record in one: `sending` is the record's flag (thesis 001,
// 3.2.4). Two schemes: buffers of one size by number, taken in turn; or one region that is cut into
// slots as they are asked for (chapter 5).
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
    int64_t used; // bytes that were asked for
    bool sending; // taken, and its send not acknowledged yet
};

struct armci_buffer_scheme {
    const char *name;
    // A free slot for `bytes`, or NULL: who asks has to wait for acknowledgements.
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
    int64_t unused;           // bytes of slots in use that nobody asked for, now
    // Counters of the simulation.
    int64_t *taken, *drains, *external, *external_bytes, *most_unused;
};

// `count` buffers (fixed), or one region (dynamic), in `bytes` of memory at `address`. Counters are
// named "ARMCI: …" and shared by all who have buffers. Free with armci_buffers_clear.
void armci_buffers_init(struct armci_buffers *buffers, const struct armci_buffer_scheme *scheme,
                        struct sim *sim, int64_t address, int64_t bytes, int count);
void armci_buffers_clear(struct armci_buffers *buffers);

// A slot for `bytes`, marked as sending; NULL if acknowledgements must come first. A fixed buffer's
// turn comes in order: while that one is in use, none is given, though others may be free. The
// dynamic scheme looks from the first slot on and takes the first that is large enough; if none is,
// it gives nothing until all are acknowledged, and then begins anew with one slot. `bytes` must not
// be more than an empty scheme could give.
struct armci_slot *armci_buffers_take(struct armci_buffers *buffers, int64_t bytes);

// The send out of the slot is acknowledged.
void armci_buffers_acknowledge(struct armci_slot *slot);

#endif
