// SPDX-License-Identifier: GPL-3.0-or-later
// Between the files of the Portals library: messages.c (both directions), call.c (the API in the
// caller's context) and device.c (operations of programs).
#ifndef NETSIM_MODELS_PORTALS_INTERNAL_H
#define NETSIM_MODELS_PORTALS_INTERNAL_H

#include "models/portals/library.h"
#include "models/portals/operations.h"

// The library's role in a transfer. Each but the last has three events: START, END and FAIL.
enum portals_role {
    PORTALS_SENDS,    // initiator of a put, or of a get: the question
    PORTALS_TAKES,    // target of a put
    PORTALS_REPLIES,  // target of a get
    PORTALS_IS_REPLY, // initiator of a get: the bytes
    PORTALS_ACKS,     // target of a put: the ACK
};

// A transfer under way, from `send` or `receive` of the NAL to portals_finalize.
struct portals_message {
    struct portals_transfer transfer; // first
    enum portals_role role;
    struct portals_md *md;                   // NULL: an ACK
    struct mpi_request *request;             // of this process, which waits for it; NULL: none
    int64_t rlength, mlength, offset;        // of its events
    struct portals_message *next, *previous; // of the interface
};

struct portals_device_request {      // the device's part of a request
    struct portals_message *message; // under way
    bool sent, answered;             // SEND_END and ACK or REPLY_END were seen
    int64_t left;                    // an event: those that must still come
};

enum portals_request_state {
    PORTALS_REQUEST_NEW,
    PORTALS_REQUEST_SEND,  // for SEND_END
    PORTALS_REQUEST_ACK,   // a put, after SEND_END: for the ACK
    PORTALS_REQUEST_REPLY, // a get, after SEND_END: for REPLY_END
    PORTALS_REQUEST_EVENT, // for events
    PORTALS_REQUEST_DONE,
};

static inline struct portals_device_request *portals_of(const struct mpi_request *request)
{
    return (struct portals_device_request *)(void *)(uintptr_t)request->device;
}

static inline struct portals_ni *portals_ni_of(const struct mpi_process *process)
{
    return process->device;
}

extern const struct machine_kind portals_request_machine; // by enum portals_request_state

extern const struct stage portals_stage;     // the library, where it runs
extern const struct stage portals_api_stage; // its API in the user process

// ---- messages.c ----

// Charges the entry into the library's code (put, parse, finalize): its cache misses.
void portals_enter_library(struct cpu_context *context, const struct portals_ni *ni,
                           struct cost work, struct message_ref message);

// Sends a put or the question of a get: the bytes of `md` at `address`. `request` NULL: no request
// waits for it. Returns what the NAL returns; unless that is PORTALS_OK, nothing is under way.
enum portals_status portals_send(struct cpu_context *context, struct portals_ni *ni,
                                 struct portals_md *md, const struct portals_header *header,
                                 int64_t address, struct mpi_request *request);

// The request of this process with that number; NULL: it has ended.
struct mpi_request *portals_request(const struct portals_ni *ni, uint32_t number);

// Reports a transfer: {"transfer", "nid", "pid", "bytes", "waits_for"}, new reference.
json_t *portals_message_json(const struct portals_ni *ni, const struct portals_message *message);

// ---- call.c ----

// Each charges its call of the API. A call that fails ends the run, as the thesis's programs do,
// and returns false.

// *heard is set to whether the descriptor has a queue for the events of the put or get: if not, the
// program never hears of it.
bool portals_call_transfer(struct cpu_context *context, struct mpi_request *request, bool *heard);
bool portals_call_attach(struct cpu_context *context, struct mpi_request *request);
bool portals_call_bind(struct cpu_context *context, struct mpi_request *request);
bool portals_call_detach(struct cpu_context *context, struct mpi_request *request);
bool portals_call_equeue(struct cpu_context *context, struct mpi_request *request);

#endif
