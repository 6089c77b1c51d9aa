// SPDX-License-Identifier: GPL-3.0-or-later
// The device for programs on any bare provider, without a library on top, like the providers' own
// test programs. There is no matching: a receive takes the next message from its peer, and requests
// to one peer complete in the order of the calls. A provider supplies the differences in struct
// mpi_bare_ops.
#ifndef NETSIM_MPI_BARE_H
#define NETSIM_MPI_BARE_H

#include "sim/mpi/process.h"

// Rows of the provider's states (mpi_device_ops.machine).
enum mpi_bare_state {
    BARE_START,
    BARE_SENT,   // a send: the provider has it, or a part of it
    BARE_POSTED, // a receive
    BARE_DONE,
    BARE_QUEUED, // a send: the provider has no room for it yet. State logs do not have it
};

struct mpi_bare_ops {
    const char *provider; // "bare GM"
    const char *setting;  // parameter of the largest message (mpi_bare.buffer); NULL: no limit
    size_t state;         // offset of struct mpi_bare in mpi_process.device
    size_t early_size;    // bytes of `arrived` in `take`
    // Messages have tags and arrive in parts: a receive takes each part of its peer's next message
    // with its tag. Otherwise a receive takes one arrival.
    bool tagged;
    // Gives the provider the next part of a send, from `offset` on, as much as one of its calls
    // takes, and sets *taken to its bytes. Returns false if the provider has no room now;
    // mpi_bare_sent makes room.
    bool (*post)(struct cpu_context *context, struct mpi_request *request, int64_t offset,
                 int64_t *taken);
    // Polls the provider once, which handles one event by calling mpi_bare_sent, mpi_bare_arrived
    // or mpi_bare_received. Returns false if there was none.
    bool (*poll)(struct cpu_context *context, struct mpi_process *process);
    // Puts the process to sleep until there is an event. NULL: `poll` has done so.
    void (*sleep)(struct cpu_context *context, struct mpi_process *process);
    // A receive has found its message (mpi_bare_arrived). Must end with mpi_bare_received. NULL:
    // messages stay at the provider until they are requested.
    void (*take)(struct cpu_context *context, struct mpi_request *request, const void *arrived);
};

// The device's state of a process.
struct mpi_bare {
    int64_t buffer;               // bytes: the largest message; only if ops->setting
    struct mpi_queue waiting;     // sends that the provider has not fully taken
    struct mpi_bare_early *early; // messages that arrived before their receives, oldest first
    struct pool early_pool;
};

// The device's state of a request.
struct mpi_bare_request {
    int64_t to_post; // bytes of a send not yet posted; an empty message counts as one
    int64_t left;    // bytes not yet sent or arrived; an empty message counts as one
    bool begun;      // a receive: matched
};

// `buffer`: bytes, see above.
void mpi_bare_init(struct mpi_process *process, int64_t buffer);
void mpi_bare_clear(struct mpi_process *process);

// ---- For the provider's functions ----

// Returns the oldest unfinished request, or NULL if there is none. O(unfinished requests).
struct mpi_request *mpi_bare_oldest(const struct mpi_process *process);

// `bytes` of the oldest send to that peer, or all of a send, have left. May complete it, and posts
// sends that wait for room.
void mpi_bare_sent(struct cpu_context *context, struct mpi_request *send, int64_t bytes);

// True if the provider has taken all of a send.
bool mpi_bare_posted(struct mpi_request *send);

// The provider has room again: posts sends that wait for it, but completes none.
void mpi_bare_room(struct cpu_context *context, struct mpi_process *process);

// A message from `peer` has arrived. Its receive takes it now or later. Copies *arrived.
void mpi_bare_arrived(struct cpu_context *context, struct mpi_process *process, int peer,
                      const void *arrived);

// Like mpi_bare_arrived, but for a part of a message of a provider with tags.
void mpi_bare_part_arrived(struct cpu_context *context, struct mpi_process *process, int peer,
                           int tag, struct message_ref message, const void *arrived);

// Begins the receive's message of `length` bytes. Further calls for the same message do nothing.
// Returns false if the receive's buffer is too small; the run has then failed.
bool mpi_bare_begin(struct mpi_request *receive, struct message_ref message, int64_t length);

// `bytes` of the message are in place. The last ones complete the receive.
void mpi_bare_received(struct cpu_context *context, struct mpi_request *receive, int64_t bytes);

// Reports the messages that arrived before their receives, oldest first (unexpected.h).
void mpi_bare_each_early(const struct mpi_process *process,
                         void (*report)(void *owner, const struct mpi_envelope *envelope),
                         void *owner);

// ---- The device ----

void mpi_bare_start(struct cpu_context *context, struct mpi_request *request);
enum mpi_progress mpi_bare_advance(struct cpu_context *context, struct mpi_process *process,
                                   bool blocking);

// Members of a provider's struct mpi_device_ops; `kind` is a BARE_MACHINE.
#define BARE_DEVICE(bare_ops, kind)                                                                \
    .bare = (bare_ops), .machine = (kind), .request_size = sizeof(struct mpi_bare_request),        \
    .start = mpi_bare_start, .advance = mpi_bare_advance

// Rows of its states: what a send waits for once it is posted and without room for it, each with
// the class of the wait, and what a receive waits for.
#define BARE_STATES(sent_wait, sent_class, room_wait, room_class, received_wait)                   \
    {                                                                                              \
        BARE_ROWS(sent_wait, sent_class, received_wait, BARE_QUEUED, BARE_DONE),                   \
            [BARE_QUEUED] = {"queued", {room_wait, room_class}, .next = MACHINE_TO(BARE_SENT)},    \
    }

// Like BARE_STATES, of a provider that always has room (mpi_bare_ops.post returns true).
#define BARE_STATES_WITH_ROOM(sent_wait, sent_class, received_wait)                                \
    {                                                                                              \
        BARE_ROWS(sent_wait, sent_class, received_wait, BARE_DONE)                                 \
    }

#define BARE_ROWS(sent_wait, sent_class, received_wait, ...)                                       \
    [BARE_START] = {"start", .next = MACHINE_TO(BARE_SENT, BARE_POSTED)},                          \
    [BARE_SENT] = {"sent", {sent_wait, sent_class}, .next = MACHINE_TO(__VA_ARGS__)},              \
    [BARE_POSTED] = {"posted", {received_wait, WAIT_OTHER}, .next = MACHINE_TO(BARE_DONE)},        \
    [BARE_DONE] = {.name = "done"}

#define BARE_MACHINE(provider, bare_states)                                                        \
    {                                                                                              \
        .name = "request", .logged = "send, recv", .title = "Request of " provider,                \
        .source = "sim/mpi/bare.h", .states = (bare_states), .count = G_N_ELEMENTS(bare_states)    \
    }

#endif
