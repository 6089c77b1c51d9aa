// SPDX-License-Identifier: GPL-3.0-or-later
// How messages and requests find each other, alike in all libraries that match as MPI does: posted
// and unexpected receives, probes, messages that are too long, messages to oneself. A library gives
// what differs in struct mpi_arrival_ops, by its device (process.h).
#ifndef NETSIM_MPI_ARRIVAL_H
#define NETSIM_MPI_ARRIVAL_H

#include "sim/mpi/process.h"

struct mpi_arrival_ops {
    // Starts a send to another process.
    void (*send)(struct cpu_context *context, struct mpi_request *send);
    // The request has reached its end. NULL: mpi_finish.
    void (*finish)(struct cpu_context *context, struct mpi_request *request);
    // A receive or probe has found nothing and is posted; a send to oneself waits for its receive.
    // NULL: it goes over to `posted`, or to `waits_self`.
    void (*wait)(struct cpu_context *context, struct mpi_request *request);
    unsigned posted, waits_self, done; // of the device's states
    // A receive has found a message of another process among the unexpected ones, and is matched.
    // The message is given back after the call. NULL: all of it is in its place already.
    void (*claim)(struct cpu_context *context, struct mpi_request *request,
                  struct mpi_unexpected *message);
    // Whether a send to oneself that finds no receive is copied aside and done. NULL: it never is;
    // the send waits for its receive.
    bool (*buffers_self)(const struct mpi_request *send);
    // What the unexpected messages are called in the trace, and one to oneself among them. NULL:
    // they are not traced.
    const char *machine, *self;
};

// States of a library that has none of its own: rows for `posted` and `done`.
extern const struct mpi_state mpi_plain_states[];
enum { PLAIN_START, PLAIN_POSTED, PLAIN_DONE };
#define PLAIN_DEVICE .states = mpi_plain_states, .start = mpi_matched_start
#define PLAIN_ARRIVAL .posted = PLAIN_POSTED, .done = PLAIN_DONE, .buffers_self = mpi_buffers_plain

// For `buffers_self`: true but for a synchronous send, which waits for its receive.
bool mpi_buffers_plain(const struct mpi_request *send);

// Starts a request as it ought to be: as a receive or probe, as a send to oneself, or by `send`.
void mpi_matched_start(struct cpu_context *context, struct mpi_request *request);

// The request goes over to `done`, and has reached its end.
void mpi_finish(struct cpu_context *context, struct mpi_request *request);

// Starts a receive or a probe.
void mpi_receive_start(struct cpu_context *context, struct mpi_request *request);

// Starts a send to oneself: it is copied to the receive if that is posted, else it is buffered or
// waits.
void mpi_self_send(struct cpu_context *context, struct mpi_request *send);

// An envelope has come: returns the receive that takes its message, matched, or NULL. Probes that
// it ends are finished on the way. False in *good: the receive's buffer is too small, and the run
// has failed.
struct mpi_request *mpi_arrived(struct cpu_context *context, struct mpi_process *process,
                                const struct mpi_envelope *envelope, struct message_ref message,
                                bool *good);

// Keeps a message that nobody has asked for, and traces it as `name`; the caller fills in the rest.
struct mpi_unexpected *mpi_keep(struct cpu_context *context, struct mpi_process *process,
                                const struct mpi_envelope *envelope, struct message_ref message,
                                const char *name);

// A message has come with all of its bytes, which stay where they are: the receive that takes it is
// finished, or the message is kept.
void mpi_arrived_whole(struct cpu_context *context, struct mpi_process *process,
                       const struct mpi_envelope *envelope, struct message_ref message);

// Copies `bytes` between two buffers of the process; 0 costs nothing.
void mpi_copy(struct cpu_context *context, const struct mpi_process *process, int64_t bytes,
              enum copy_source source, struct message_ref message);

// All of the request's message is in its last place.
void mpi_deliver(const struct mpi_request *request);

#endif
