// SPDX-License-Identifier: GPL-3.0-or-later
// The matching of messages and requests, shared by all libraries with MPI's rules: posted receives
// and unexpected messages, probes, truncation, messages to self. A library's device (process.h)
// supplies the differences in struct mpi_arrival_ops.
#ifndef NETSIM_MPI_ARRIVAL_H
#define NETSIM_MPI_ARRIVAL_H

#include "sim/mpi/process.h"

struct mpi_arrival_ops {
    // Starts a send to another process.
    void (*send)(struct cpu_context *context, struct mpi_request *send);
    // Completes the request. NULL: mpi_finish.
    void (*finish)(struct cpu_context *context, struct mpi_request *request);
    // A receive or probe has found nothing and is posted, or a send to self waits for its receive.
    // NULL: the request moves to state `posted`, or `waits_self`.
    void (*wait)(struct cpu_context *context, struct mpi_request *request);
    unsigned posted, waits_self, done; // rows of the device's states
    // A receive has matched an unexpected message of another process. The message is freed after
    // the call. NULL: the whole message is already in its final place.
    void (*claim)(struct cpu_context *context, struct mpi_request *request,
                  struct mpi_unexpected *message);
    // True if a send to self without a posted receive is buffered and completes. NULL: never; the
    // send waits for its receive.
    bool (*buffers_self)(const struct mpi_request *send);
    // Names of unexpected messages in the trace, in general and of one to self. NULL: they are not
    // traced.
    const char *machine, *self;
};

// States for a library without its own: rows for `posted` and `done`.
extern const struct machine_kind mpi_plain_machine;
enum { PLAIN_START, PLAIN_POSTED, PLAIN_DONE };
#define PLAIN_DEVICE .machine = &mpi_plain_machine, .start = mpi_matched_start
#define PLAIN_ARRIVAL .posted = PLAIN_POSTED, .done = PLAIN_DONE, .buffers_self = mpi_buffers_plain

// For `buffers_self`: true but for a synchronous send, which waits for its receive.
bool mpi_buffers_plain(const struct mpi_request *send);

// Starts a request by its kind: as a receive or probe, as a send to self, or by `send`.
void mpi_matched_start(struct cpu_context *context, struct mpi_request *request);

// Moves the request to state `done` and completes it.
void mpi_finish(struct cpu_context *context, struct mpi_request *request);

// Starts a receive or a probe.
void mpi_receive_start(struct cpu_context *context, struct mpi_request *request);

// Starts a send to self: copies it to the receive if that is posted; otherwise it is buffered or
// waits.
void mpi_self_send(struct cpu_context *context, struct mpi_request *send);

// An envelope has arrived. Returns the matched receive, or NULL if none is posted. Also completes
// matching probes. Sets *good to false if the receive's buffer is too small; the run has then
// failed.
struct mpi_request *mpi_arrived(struct cpu_context *context, struct mpi_process *process,
                                const struct mpi_envelope *envelope, struct message_ref message,
                                bool *good);

// Queues an unexpected message and traces it as `name`. The caller fills in the rest.
struct mpi_unexpected *mpi_keep(struct cpu_context *context, struct mpi_process *process,
                                const struct mpi_envelope *envelope, struct message_ref message,
                                const char *name);

// A whole message has arrived; its bytes stay where they are. Completes the matching receive, or
// queues the message as unexpected.
void mpi_arrived_whole(struct cpu_context *context, struct mpi_process *process,
                       const struct mpi_envelope *envelope, struct message_ref message);

// Copies `bytes` between two buffers of the process; 0 costs nothing.
void mpi_copy(struct cpu_context *context, const struct mpi_process *process, int64_t bytes,
              enum copy_source source, struct message_ref message);

// Reports the whole message of the request as delivered to the ledger.
void mpi_deliver(const struct mpi_request *request);

#endif
