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
    OPERATION_TRANSFER(
        NATIVE_RDMA_WRITE, "rdma_write", O, write_keys, OPERATION_TO_PEER,
        "writes into the peer's registered memory; ends when the transport has it all, "
        "and the peer is not told",
        .order = 0),
    OPERATION_TRANSFER(NATIVE_RDMA_READ, "rdma_read", O, read_keys, OPERATION_FROM_PEER,
                       "reads from the peer's registered memory; ends when all of it has come",
                       .order = 1),
};
