// SPDX-License-Identifier: GPL-3.0-or-later
// What MPI libraries over sockets do alike when an envelope and a request look for each other:
// probes, messages that are too long, messages to oneself.
#ifndef NETSIM_MODELS_MPI_TCP_MATCHING_H
#define NETSIM_MODELS_MPI_TCP_MATCHING_H

#include "sim/mpi/process.h"

// The library's part.
struct matching_ops {
    // The request has reached its end.
    void (*finish)(struct cpu_context *context, struct mpi_request *request);
    // A receive or probe has found nothing, a synchronous send to oneself no receive.
    void (*wait)(struct cpu_context *context, struct mpi_request *request);
    // A receive has found a message of another process among the unexpected ones, and is matched.
    void (*claim)(struct cpu_context *context, struct mpi_request *request,
                  struct mpi_unexpected *message);
};

// Starts a receive or a probe.
void matching_start(struct cpu_context *context, struct mpi_request *request,
                    const struct matching_ops *ops);

// Starts a send to oneself: it is copied to the receive if that is posted, else, unless it is
// synchronous, into a buffer.
void matching_send_to_self(struct cpu_context *context, struct mpi_request *send,
                           const struct matching_ops *ops);

// An envelope has come: the receive that takes its message, matched, or NULL. Probes that it ends
// are finished on the way. False in *good: the receive's buffer is too small, and the run has
// failed.
struct mpi_request *matching_arrived(struct cpu_context *context, struct mpi_process *process,
                                     const struct mpi_envelope *envelope,
                                     struct message_ref message, const struct matching_ops *ops,
                                     bool *good);

// Keeps a message that nobody has asked for; notes it in the trace under `name`.
struct mpi_unexpected *matching_keep(struct cpu_context *context, struct mpi_process *process,
                                     const struct mpi_envelope *envelope,
                                     struct message_ref message, const char *name);

// Copies `bytes` that this processor has touched before, from one buffer of the process to another.
void matching_copy(struct cpu_context *context, const struct mpi_process *process, int64_t bytes,
                   struct message_ref message);

// All of the request's message is in its last place.
void matching_deliver(const struct mpi_request *request);

#endif
