// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of flattening share: flatten.c has the stream and what single calls come to,
// flatten_requests.c requests with names.
#ifndef NETSIM_FLATTEN_FLATTEN_INTERNAL_H
#define NETSIM_FLATTEN_FLATTEN_INTERNAL_H

#include "sim/flatten/flatten.h"
#include "sim/source/call_kind.h"

// Where a rank stands.
struct unfolding {
    struct op_call call;           // under way, with `arguments`
    void *arguments;               // a copy: the source's are gone when another rank asks
    size_t room;                   // bytes of it
    bool called;                   // something of it is left
    struct mpi_schedule *schedule; // of a collective; NULL: the call is none
    guint step;                    // the next one
    int collectives;               // given of those that make a communicator
    bool copied;                   // the call's copy was given
    uint32_t requests;             // so far
    GArray *started;               // uint32_t: of the call, not waited for yet
    bool waits;                    // ... but by the operation that was given last
    bool asks;                     // the caller runs the program (flatten_ask)
    GArray *named;                 // struct named, in the order of starting
    GArray *persistent;            // struct persistent
    GArray *buffered;              // uint32_t: sends from the attached buffer
};

// A request is started: it becomes the operation's.
void flatten_start(struct unfolding *at, struct flat_op *op, enum mpi_request_kind kind);

// The operation waits for what was started.
void flatten_wait_for_started(struct unfolding *at, struct flat_op *op);

// What a transfer's call says of its message.
void flatten_describe(const struct unfolding *at, struct flat_op *op);

void flatten_requests_init(struct unfolding *at);
void flatten_requests_clear(struct unfolding *at);

// What was started goes under the call's name, or is waited for next.
void flatten_name_started(struct unfolding *at);

// Each gives the next operation of a call; false if nothing is left of it, or if at->call.wrong
// says why it cannot be unfolded.
bool flatten_wait(struct unfolding *at, struct flat_op *op);
void flatten_close(struct unfolding *at, uint32_t request);
bool flatten_persistent(struct unfolding *at);
bool flatten_requests(struct unfolding *at, struct flat_op *op);
bool flatten_bsend(struct unfolding *at, struct flat_op *op);
bool flatten_buffer(struct unfolding *at, struct flat_op *op);

#endif
