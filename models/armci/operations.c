// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/armci/operations.h"

#define TRANSFER_KEYS                                                                              \
    OPERATION_KEYS_DATA, OPERATION_KEY_BUFFER,                                                     \
        {.param = PARAM(struct armci_transfer, peer_buffer, PARAM_COUNT, .fallback = "0",          \
                        .most = OPERATION_MOST_ADDRESS,                                            \
                        .doc = "address in the peer's memory; 0: what corresponds to buffer")},    \
        OPERATION_KEY_REQUEST,                                                                     \
    {                                                                                              \
        .param = {.name = NULL }                                                                   \
    }

static const struct operation_key to_keys[] = {OPERATION_KEY_TO, TRANSFER_KEYS};
static const struct operation_key from_keys[] = {OPERATION_KEY_FROM, TRANSFER_KEYS};
static const struct operation_key peer_keys[] = {
    OPERATION_KEY_TO, OPERATION_KEY_REQUEST, {.param = {.name = NULL}}};
static const struct operation_key fence_keys[] = {
    {OPERATION_FIELD("to", peer, PARAM_COUNT, .doc = "the peer, or all"), .form = OPERATION_RANK,
     .word = "all"},
    OPERATION_KEY_REQUEST,
    {.param = {.name = NULL}}};

// Groups of operations, each of which keeps its own order.
enum { ORDER_WRITES, ORDER_READS };

#define OPERATION_WORD(code_, name_, keys_, doc_)                                                  \
    [code_] = {.name = (name_), .doc = (doc_), .keys = (keys_), .code = (code_), .plain = true}

const struct operation_kind armci_operations[ARMCI_FENCE + 2] = {
    OPERATION_TRANSFER(ARMCI_PUT, "put", struct armci_transfer, to_keys, OPERATION_TO_PEER,
                       "writes into the peer's memory; ends when its own may be used again",
                       .order = ORDER_WRITES),
    OPERATION_TRANSFER(
        ARMCI_ACCUMULATE, "accumulate", struct armci_transfer, to_keys, OPERATION_TO_PEER,
        "adds to the peer's memory; ends when its own may be used again", .order = ORDER_WRITES),
    OPERATION_TRANSFER(ARMCI_GET, "get", struct armci_transfer, from_keys, OPERATION_FROM_PEER,
                       "reads from the peer's memory; ends when the data are there",
                       .order = ORDER_READS),
    OPERATION_WORD(ARMCI_FETCH_ADD, "fetch_add", peer_keys,
                   "a word of the peer is read and changed"),
    OPERATION_WORD(ARMCI_LOCK, "lock", peer_keys, "takes the peer's mutex"),
    OPERATION_WORD(ARMCI_UNLOCK, "unlock", peer_keys, "gives the peer's mutex back"),
    OPERATION_WORD(ARMCI_FENCE, "fence", fence_keys,
                   "until all that went to the peer is done there"),
};
