// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/intercept/vdma/operations.h"

#define A struct vdma_arguments

#define TRANSFER_KEYS                                                                              \
    OPERATION_KEY_SIZE, OPERATION_KEY_BUFFER,                                                      \
        {.param = PARAM(A, offset, PARAM_SIZE, .fallback = "0 B", .most = "1 GiB",                 \
                        .doc = "added to the buffer's address, which is that of a page")},         \
        {.param = PARAM(A, peer_offset, PARAM_SIZE, .fallback = "0 B", .most = "1 GiB",            \
                        .doc = "the same at the peer, whose buffer has the same address")},        \
        OPERATION_KEY_REQUEST,                                                                     \
    {                                                                                              \
        .param = {.name = NULL }                                                                   \
    }

static const struct operation_key write_keys[] = {OPERATION_KEY_TO, TRANSFER_KEYS};
static const struct operation_key read_keys[] = {OPERATION_KEY_FROM, TRANSFER_KEYS};

const struct operation_kind vdma_operations[VDMA_OPERATIONS + 1] = {
    OPERATION_TRANSFER(VDMA_OPERATION_WRITE, "vdma_write", struct vdma_arguments, write_keys,
                       OPERATION_TO_PEER, "VDMA_PUT: the peer reads the data; ends with its DONE",
                       .order = 0),
    OPERATION_TRANSFER(VDMA_OPERATION_READ, "vdma_read", struct vdma_arguments, read_keys,
                       OPERATION_FROM_PEER, "VDMA_GET: reads the peer's data, a GET per slice",
                       .order = 1),
};
