// SPDX-License-Identifier: GPL-3.0-or-later
// Programs on a bare provider, without a library on top, as the providers' own test programs are:
// the one device for all of them. There is no matching: a receive takes what comes next from its
// peer, and requests to one peer end in the order of the calls. A provider gives what differs in
// struct mpi_bare_ops.
#ifndef NETSIM_MPI_BARE_H
#define NETSIM_MPI_BARE_H

#include "sim/mpi/process.h"

// Rows of the provider's states (mpi_device_ops.states).
enum mpi_bare_state {
    BARE_START,
    BARE_SENT,   // a send: the provider has it, or a part of it
    BARE_QUEUED, // a send: the provider has no room for it. Not traced
    BARE_POSTED, // a receive
    BARE_DONE,
};

struct mpi_bare_ops {
    const char *provider; // "bare GM"
    const char *setting;  // of the largest message (mpi_bare.buffer); NULL: there is none
    size_t state;         // where struct mpi_bare lies in mpi_process.device: offsetof
    size_t early_size;    // bytes of what `take` is given
    // Gives the provider the next part of a send, from `offset` on, as much as one of its calls
    // takes; *taken: bytes. False: it has no room now, and mpi_bare_sent will make some.
    bool (*post)(struct cpu_context *context, struct mpi_request *request, int64_t offset,
                 int64_t *taken);
    // One look at the provider, which handles one event: mpi_bare_sent, mpi_bare_arrived or
    // mpi_bare_received. False: there was none.
    bool (*poll)(struct cpu_context *context, struct mpi_process *process);
    // The process goes to sleep until there is one. NULL: `poll` has done that.
    void (*sleep)(struct cpu_context *context, struct mpi_process *process);
    // A receive and the message that it takes (mpi_bare_arrived) have come together: ends with
    // mpi_bare_received. NULL: messages lie at the provider until they are asked for.
    void (*take)(struct cpu_context *context, struct mpi_request *request, const void *arrived);
};

// What the device keeps for a process.
struct mpi_bare {
    int64_t buffer;               // bytes: the largest message; only if ops->setting
    struct mpi_queue waiting;     // sends of which the provider has not taken all
    struct mpi_bare_early *early; // messages that came before their receives, oldest first
    struct pool early_pool;
};

// And for a request.
struct mpi_bare_request {
    int64_t to_post; // bytes of a send that are not posted; a message of none counts as one
    int64_t left;    // bytes that have not left or arrived, counted the same way
    bool begun;      // a receive: matched
};

// `buffer`: bytes, see above.
void mpi_bare_init(struct mpi_process *process, int64_t buffer);
void mpi_bare_clear(struct mpi_process *process);

// ---- For the provider's functions ----

// The first request that has not ended; NULL if all have. O(their number).
struct mpi_request *mpi_bare_oldest(const struct mpi_process *process);

// `bytes` of the oldest send to that peer, or all of a send, have left. It may be done; and those
// that wait for room are posted on.
void mpi_bare_sent(struct cpu_context *context, struct mpi_request *send, int64_t bytes);

// A message from `peer` has come: its receive takes it now, or later. *arrived is copied.
void mpi_bare_arrived(struct cpu_context *context, struct mpi_process *process, int peer,
                      const void *arrived);

// The receive's message, of `length` bytes, begins. Once for each message; more often does nothing.
// False: the receive's buffer is too small, and the run has failed.
bool mpi_bare_begin(struct mpi_request *receive, struct message_ref message, int64_t length);

// `bytes` of it are in place; the last ones end the receive.
void mpi_bare_received(struct cpu_context *context, struct mpi_request *receive, int64_t bytes);

// ---- The device ----

void mpi_bare_start(struct cpu_context *context, struct mpi_request *request);
enum mpi_progress mpi_bare_advance(struct cpu_context *context, struct mpi_process *process,
                                   bool blocking);

// Members of a provider's struct mpi_device_ops.
#define BARE_DEVICE(bare_ops, bare_states)                                                         \
    .bare = (bare_ops), .states = (bare_states), .request_size = sizeof(struct mpi_bare_request),  \
    .start = mpi_bare_start, .advance = mpi_bare_advance

// Rows of its states: what a send waits for once it is posted and without room for it, each with
// the class of the wait, and what a receive waits for.
#define BARE_STATES(sent_wait, sent_class, room_wait, room_class, received_wait)                   \
    {                                                                                              \
        [BARE_START] = {"start", {NULL, WAIT_OTHER}, HOLDER_UNSAID},                               \
        [BARE_SENT] = {"sent", {sent_wait, sent_class}, HOLDER_UNSAID},                            \
        [BARE_QUEUED] = {"queued", {room_wait, room_class}, HOLDER_UNSAID},                        \
        [BARE_POSTED] = {"posted", {received_wait, WAIT_OTHER}, HOLDER_UNSAID},                    \
        [BARE_DONE] = {"done", {NULL, WAIT_OTHER}, HOLDER_UNSAID},                                 \
    }

#endif
