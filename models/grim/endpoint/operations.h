// SPDX-License-Identifier: GPL-3.0-or-later
// GRIM's own operations: remote memory, active messages, and calls of the library by name.
#ifndef NETSIM_MODELS_GRIM_ENDPOINT_OPERATIONS_H
#define NETSIM_MODELS_GRIM_ENDPOINT_OPERATIONS_H

#include "sim/mpi/request.h"
#include "sim/program/operation_kind.h"

// Their codes and their rows.
enum grim_operation {
    GRIM_OPERATION_PUT,
    GRIM_OPERATION_GET,
    GRIM_OPERATION_MESSAGE,
    GRIM_OPERATION_POLL,
    GRIM_OPERATION_CALL,
    GRIM_OPERATIONS
};

extern const struct operation_kind grim_operations[GRIM_OPERATIONS + 1];

// A put or a get.
struct grim_transfer {
    struct operation_arguments common;
    int64_t peer_buffer; // address in the peer's memory; 0: the one corresponding to the caller's
    int64_t channel;     // of the peer; OPERATION_ANY: its only one
    bool notify, paged;
    bool physical; // a put: the peer's memory is named by its physical address
};

struct grim_active_message {
    struct operation_arguments common;
    int64_t channel;
    const char *handler; // interned; NULL: "nop"
};

struct grim_poll {
    struct operation_arguments common;
    int64_t count; // messages
};

enum grim_function_called {
    GRIM_CALL_REGISTER, // argument: a handler to add first; NULL: none
    GRIM_CALL_LOOKUP,   // argument: a handler
    GRIM_CALL_SCAN,
    GRIM_CALL_NOTIFIED,
};

struct grim_call {
    struct operation_arguments common;
    const char *name;                 // as written in the program: "register.work"
    int64_t count;                    // of words (notified) or channels (scan)
    enum grim_function_called called; // by the name
    const char *argument;             // interned; the text after the dot, or NULL
};

// Whether the request is of that operation.
static inline bool grim_is(const struct mpi_request *request, enum grim_operation operation)
{
    return request->operation == &grim_operations[operation];
}

#endif
