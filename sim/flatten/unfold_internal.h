// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the parts of unfolding: unfold.c has the calls of one step or two, unfold_requests.c
// requests and their names, unfold_collective.c collectives, unfold_step.c common functions. A
// function named after a class of calls appends the steps of a call.
#ifndef NETSIM_FLATTEN_UNFOLD_INTERNAL_H
#define NETSIM_FLATTEN_UNFOLD_INTERNAL_H

#include "sim/flatten/unfold.h"

// A step that is replaced by those of a collective when its turn comes.
#define UNFOLD_COLLECTIVE ((enum flat_kind)(FLAT_STREAM + 1))

// Memory of the process that is reused while it is large enough.
struct unfold_memory {
    int64_t address, bytes;
};

struct unfold {
    const struct unfold_program *program;
    struct mpi_process *process; // NULL: the steps are not run
    int rank;
    bool asks; // unfold_ask
    struct op_call call;
    char *wrong;                             // text of call.wrong, if it is made
    GArray *steps;                           // struct flat_op, of the call
    guint next;                              // of them
    struct mpi_schedule *schedule;           // of the collective under way; NULL: none
    guint step;                              // its next one
    bool entered;                            // the step after FLAT_ENTER is next
    bool round_waits;                        // the wait of its round is next
    const struct operation_kind *collective; // that is under way
    uint32_t requests;                       // so far
    GArray *started;                         // uint32_t: that the call waits for
    GPtrArray *handles;                      // theirs
    bool names;                              // the latest request started has a name
    bool waits;                              // `started` belong to the latest step
    GArray *named;                           // struct unfold_named, in the order of starting
    guint unnumbered;                        // the last of them that are still to be started
    GArray *persistent;                      // struct unfold_persistent
    GArray *buffered;                        // uint32_t: sends from the buffer; no process
    bool attached;                           // there is a buffer
    GArray *own_buffers;                     // struct unfold_memory, by op_call.own_buffer
    struct unfold_memory temporary;          // the library's
};

// The steps are run.
static inline bool unfold_runs(const struct unfold *at)
{
    return at->process != NULL;
}

// Appends a step of that kind, which is filled in until the next one is appended.
struct flat_op *unfold_append(struct unfold *at, enum flat_kind kind);

// Like unfold_append, but only for steps that are run.
void unfold_append_if_run(struct unfold *at, enum flat_kind kind);

// The call is wrong, once its steps so far have been taken.
void unfold_refuse(struct unfold *at, const char *format, ...) G_GNUC_PRINTF(2, 3);

// The call's buffer: the one that it names, or its own.
int64_t unfold_address(struct unfold *at, int64_t size);

// The transfer of a call, as a step.
struct flat_op unfold_plan(struct unfold *at);

// ---- Requests ----

// A step that starts a request gets its number, as it is taken. The call waits for the request
// unless it is named, sent from the buffer, or withdrawn.
void unfold_number(struct unfold *at, struct flat_op *op);

// A request that the call waits for.
void unfold_add_started(struct unfold *at, uint32_t request, void *handle);

// The step waits for these.
void unfold_set_awaited(struct unfold *at, struct flat_op *op);

// The latest step, if it was a wait, has ended.
void unfold_end_wait(struct unfold *at);

void unfold_requests_init(struct unfold *at);
void unfold_requests_clear(struct unfold *at);

// Whether the name that the call gives to its request can be taken; refuses the call if not.
bool unfold_name_free(struct unfold *at);

// Appends the start of a request as the call names it, and its wait if it has no name.
void unfold_start(struct unfold *at, const struct flat_op *plan);

void unfold_wait(struct unfold *at);
void unfold_persistent(struct unfold *at);
void unfold_request(struct unfold *at);
void unfold_buffer(struct unfold *at);

// ---- Collectives ----

void unfold_collective(struct unfold *at);
void unfold_communicator(struct unfold *at);

// Whether the call begins with a collective, whose steps are then appended.
bool unfold_opening(struct unfold *at);

// Begins the collective of a step UNFOLD_COLLECTIVE. Returns true if `op` is to be taken.
bool unfold_enter(struct unfold *at, struct flat_op *op);

// The next step of the schedule under way; false if it has ended.
bool unfold_schedule_step(struct unfold *at, struct flat_op *op);

#endif
