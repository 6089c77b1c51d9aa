// SPDX-License-Identifier: GPL-3.0-or-later
// Operations of a made-up model: one-sided transfers with all that a key may be, active messages,
// and calls by name.
#ifndef NETSIM_TESTS_SUPPORT_FAKE_OPERATIONS_H
#define NETSIM_TESTS_SUPPORT_FAKE_OPERATIONS_H

#include "sim/program/program.h"

enum fake_operation {
    FAKE_PUT,
    FAKE_GET,
    FAKE_ACCUMULATE,
    FAKE_FETCH_ADD,
    FAKE_LOCK,
    FAKE_UNLOCK,
    FAKE_FENCE,
    FAKE_MESSAGE,
    FAKE_POLL,
    FAKE_CALL,
    FAKE_OPERATIONS
};

// Ends with a NULL name.
extern const struct operation_kind fake_operations[FAKE_OPERATIONS + 1];

// A library that has all of them, and MPI's.
extern const struct op_library fake_library;

struct fake_transfer {
    struct operation_arguments common;
    int64_t peer_buffer, channel;
    bool notify, physical, paged;
};

struct fake_call { // also a poll, or an active message
    struct operation_arguments common;
    int64_t count, channel;
    const char *function;
};

// A number or a rank of an operation as text: "64", its expression, or "any". Valid until the next
// call.
const char *fake_number(const struct op *op, const char *name);

#endif
