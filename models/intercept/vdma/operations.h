// SPDX-License-Identifier: GPL-3.0-or-later
// Raw VDMA's own operations: vdma_write and vdma_read.
#ifndef NETSIM_MODELS_INTERCEPT_VDMA_OPERATIONS_H
#define NETSIM_MODELS_INTERCEPT_VDMA_OPERATIONS_H

#include "sim/program/operation_kind.h"

enum vdma_operation { VDMA_OPERATION_WRITE, VDMA_OPERATION_READ, VDMA_OPERATIONS };

extern const struct operation_kind vdma_operations[VDMA_OPERATIONS + 1];

struct vdma_arguments {
    struct operation_arguments common;
    int64_t offset, peer_offset; // B, added to the buffer's address here and at the peer
};

#endif
