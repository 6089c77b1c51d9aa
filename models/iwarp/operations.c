// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/iwarp/native.h"

#define O struct native_iwarp_transfer

#define PEER_BUFFER                                                                                \
    {                                                                                              \
        .param =                                                                                   \
            PARAM(O, peer_buffer, PARAM_COUNT, .fallback = "0", .most = OPERATION_MOST_ADDRESS,    \
                  .doc = "address in memory that the peer has registered; 0: as buffer")           \
    }

static const struct operation_key write_keys[] = {OPERATION_KEY_TO,      OPERATION_KEY_SIZE,
                                                  OPERATION_KEY_BUFFER,  PEER_BUFFER,
                                                  OPERATION_KEY_REQUEST, {.param = {.name = NULL}}};

static const struct operation_key read_keys[] = {OPERATION_KEY_FROM,    OPERATION_KEY_SIZE,
                                                 OPERATION_KEY_BUFFER,  PEER_BUFFER,
                                                 OPERATION_KEY_REQUEST, {.param = {.name = NULL}}};

const struct operation_kind native_iwarp_operations[NATIVE_CODES + 1] = {
    [NATIVE_RDMA_WRITE] = {.name = "rdma_write",
                           .doc = "writes into the peer's registered memory; ends when the "
                                  "transport has it all, and the "
                                  "peer is not told",
                           .keys = write_keys,
                           .size = sizeof(O),
                           .code = NATIVE_RDMA_WRITE,
                           .moves = OPERATION_TO_PEER,
                           .order = 0},
    [NATIVE_RDMA_READ] =
        {.name = "rdma_read",
         .doc = "reads from the peer's registered memory; ends when all of it has come",
         .keys = read_keys,
         .size = sizeof(O),
         .code = NATIVE_RDMA_READ,
         .moves = OPERATION_FROM_PEER,
         .order = 1},
};
