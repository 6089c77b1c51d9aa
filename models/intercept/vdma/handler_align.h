// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a transfer that the VDMA engine can move, and its slices. The engine wants
// addresses and lengths that the handler's rules allow (thesis 002, 2.2.2): the receiver's address
// is a multiple of 32, the length a multiple of 8 and at least 24. Portals' handler moves what is
// left over at both ends by a message (5.2.2, Fig. 5.3), and has the sender copy data whose
// displacement differs from the receiver's (Fig. 5.4).
#ifndef NETSIM_MODELS_INTERCEPT_HANDLER_ALIGN_H
#define NETSIM_MODELS_INTERCEPT_HANDLER_ALIGN_H

#include "models/intercept/nic/nic.h"

#include <stdbool.h>
#include <stdint.h>

#define VDMA_ALIGNMENT 32 // of addresses, by the handler's rules
#define VDMA_QWORD 8
#define VDMA_LEAST INTERCEPT_VDMA_LEAST
#define VDMA_SLICE ((int64_t)INTERCEPT_TABLE * INTERCEPT_PAGE) // 1 MiB

// A transfer's parts: `first` bytes and the `last` ones go by a message, `middle` bytes by VDMA.
struct vdma_split {
    int64_t first, middle, last;
};

// True if the engine can move it as it is: both addresses and the length meet the handler's rules.
bool vdma_aligned(int64_t local, int64_t remote, int64_t bytes);

// The parts of a transfer of `bytes` (>= 0) to the receiver's address `local`.
struct vdma_split vdma_split(int64_t local, int64_t bytes);

// True if the sender must copy the data that it sends from `remote` into an aligned buffer, given
// that the middle part begins there.
bool vdma_displaced(int64_t remote);

// Bytes of the next slice: of `left` bytes (a multiple of 8, at least 24) to the receiver's address
// `local` (a multiple of 32) from the sender's `remote`. A channel's page table reaches 1 MiB less
// the address's place in its page, at both ends; a slice after which more comes ends at a page of
// the receiver. The remainder after it is again at least 24 bytes. Data that are copied begin at a
// page of the sender's buffer.
int64_t vdma_slice_bytes(int64_t local, int64_t remote, int64_t left);

#endif
