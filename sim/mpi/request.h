// SPDX-License-Identifier: GPL-3.0-or-later
// A request: one point-to-point transfer as the program sees it.
#ifndef NETSIM_MPI_REQUEST_H
#define NETSIM_MPI_REQUEST_H

#include "sim/core/fifo.h"
#include "sim/core/ledger.h"
#include "sim/core/machine.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANK_ANY (-1) // MPI_ANY_SOURCE
#define TAG_ANY (-1)  // MPI_ANY_TAG

struct mpi_group;
struct mpi_process;

struct operation_kind;

enum mpi_request_kind {
    REQUEST_SEND,
    REQUEST_RECV,
    REQUEST_PROBE,
    REQUEST_OPERATION, // of a model's own kind: mpi_request.operation
};

// Messages keep their order within a context, and only there.
enum mpi_context {
    CONTEXT_POINT_TO_POINT,
    CONTEXT_COLLECTIVE,
    CONTEXT_OPERATIONS, // and on: REQUEST_OPERATION, plus the `order` of the kind
};
#define CONTEXT_KINDS 8 // room for them in a context's id

// The id of a context, 16 bits: a kind of message in one group (group.h). Group 0 is the job; its
// ids are the kinds.
static inline int mpi_context_id(int group, enum mpi_context kind)
{
    return group * CONTEXT_KINDS + (int)kind;
}

static inline enum mpi_context mpi_context_kind(int context)
{
    return (enum mpi_context)(context % CONTEXT_KINDS);
}

static inline int mpi_context_group(int context)
{
    return context / CONTEXT_KINDS;
}

// Identifies a message: for matching, and as the status of a receive.
struct mpi_envelope {
    int source, tag;
    int context;       // mpi_context_id
    int64_t length;    // bytes
    uint32_t sequence; // of the messages from source to this process
};

struct mpi_request {
    struct mpi_process *process;
    enum mpi_request_kind kind;
    bool done;
    struct machine machine; // of the device's kind (mpi_device_ops.machine); state 0: it starts
    bool synchronous;       // MPI_Ssend
    bool ready;             // MPI_Rsend
    bool prebuilt;          // of a persistent request: building and destroying it is not charged
    bool blocking;          // the call that started it returns when it is done (MPI_Send, MPI_Recv)
    bool shortcut;          // the device handles it without a request (mpi_device_ops)
    bool waited;            // counted in the process's open waits
    uint32_t number;        // counts the requests of a process from 1
    int peer;               // destination or source; RANK_ANY
    int tag;                // TAG_ANY
    int context;            // mpi_context_id
    const struct mpi_group *group;          // NULL: all of the job
    int64_t address, size;                  // user buffer, or the library's if it packs
    int64_t pieces;                         // that the library packs or unpacks; 0: contiguous
    const struct operation_kind *operation; // of REQUEST_OPERATION (operation_kind.h); else NULL
    const void *arguments;                  // the kind's struct, evaluated. Not owned
    // Set at start for sends and for operations whose kind moves a message; at the match for
    // receives; unset for others.
    struct message_ref message;
    struct mpi_envelope status; // of the matched message
    struct mpi_request *next;   // in a queue of the device; a request is in at most one
    struct mpi_request *active_next, *active_previous;
    const struct wait *waits_for; // for the next event; NULL: progress. Must outlive the run
    sim_time waits_since;         // while a run is traced: its last transition
    alignas(max_align_t) unsigned char device[]; // the device's own part
};

// A first-in-first-out queue of requests through their `next`.
struct mpi_queue {
    struct mpi_request *head, *tail;
};

static inline void mpi_queue_append(struct mpi_queue *queue, struct mpi_request *request)
{
    FIFO_APPEND(queue->head, queue->tail, request, next);
}

static inline void mpi_queue_prepend(struct mpi_queue *queue, struct mpi_request *request)
{
    request->next = queue->head;
    if (!queue->head)
        queue->tail = request;
    queue->head = request;
}

static inline struct mpi_request *mpi_queue_pop(struct mpi_queue *queue)
{
    struct mpi_request *request = queue->head;
    if (request)
        queue->head = request->next;
    return request;
}

// "send", "put": as programs and traces name it.
const char *mpi_request_name(const struct mpi_request *request);

// Removes a request from any position. Returns false if it is not in the queue.
bool mpi_queue_remove(struct mpi_queue *queue, struct mpi_request *request);

#endif
