// SPDX-License-Identifier: GPL-3.0-or-later
// Windows and one-sided operations between fences (MPI-2, chapter 6; thesis 004, 3.4.4).
//
// Put, get and accumulate only queue. The fence that ends their epoch begins with a reduce_scatter,
// which gives each process the number of others with operations for it; then it issues them in
// their order, the last one to each target with a mark, and waits until its own have ended and all
// marks that it expects have arrived. No barrier follows.
//
//   rma_operations.c  operations of programs
//   rma.c             windows, queueing, the fence
//   rma_benchmarks.h  the test of the fence after one operation
//   rma_packets.c     the operations as packets, for channels without ch3_rma_ops
//
// The result of the reduce_scatter is read from the other processes' windows, whose epochs have
// ended with it: payload is not simulated.
//
// Not modelled: synchronisation other than the fence (post, start, complete, wait, lock), other
// than predefined datatypes, and displacement units.
#ifndef NETSIM_MODELS_MPICH2_CH3_RMA_H
#define NETSIM_MODELS_MPICH2_CH3_RMA_H

#include "models/mpich2/ch3/ch3.h"
#include "sim/program/operation_kind.h"

enum ch3_rma_kind {
    CH3_PUT,
    CH3_GET,
    CH3_ACCUMULATE,
    CH3_WIN_CREATE,
    CH3_WIN_FENCE,
    CH3_WIN_FREE,
    CH3_RMA_KINDS,
};

// By enum ch3_rma_kind; ends with a NULL name.
extern const struct operation_kind ch3_rma_operations[CH3_RMA_KINDS + 1];

// Their names, for the list of a stack.
#define CH3_RMA_OPERATIONS "put", "get", "accumulate", "win_create", "win_fence", "win_free"

// put, get, accumulate.
struct ch3_transfer_arguments {
    struct operation_arguments common;
    const char *window; // interned
    int64_t offset;     // bytes from the start of the target's window
};

enum ch3_assertion { CH3_ASSERT_NONE, CH3_ASSERT_NO_PRECEDE, CH3_ASSERT_NO_SUCCEED };

// win_create, win_fence, win_free.
struct ch3_window_arguments {
    struct operation_arguments common;
    const char *window;
    int assertion; // enum ch3_assertion
};

// An operation between its call and its end.
struct ch3_rma_op {
    struct ch3_rma_op *next;
    struct ch3_window *window;
    enum ch3_rma_kind kind;
    int peer;
    int64_t address; // at the origin
    int64_t offset;  // in the target's window
    int64_t size;
    uint32_t ordinal; // of its epoch's operations to that peer, from 1
    struct message_ref message;
};

struct ch3_window {
    const char *name; // interned
    int number;       // the same at all processes: windows are created in the same order
    bool open;
    const struct mpi_group *group; // NULL: all of the job
    int64_t address, size;
    unsigned epoch;      // counts those that have ended
    bool fenced;         // an epoch has begun
    uint32_t *counts[2]; // operations by target (rank of the job), of the epoch by its parity
    struct ch3_rma_op *head, *tail;
    int pending;                 // own operations of the fence that are not over
    int expected;                // marks that have not come; negative: the fence is not there yet
    struct mpi_request *closing; // the fence under way, or NULL
    void *registered;            // the channel's
};

// The windows of a process.
struct ch3_rma {
    GPtrArray *windows; // struct ch3_window *, by number
    struct pool ops;
};

// One-sided operations of a channel that are not packets (struct ch3_channel.rma).
struct ch3_rma_ops {
    // The process's part of a window is there, or is about to go: registration.
    void (*created)(struct cpu_context *context, struct ch3_process *ch3,
                    struct ch3_window *window);
    void (*freed)(struct cpu_context *context, struct ch3_process *ch3, struct ch3_window *window);
    // Begins an operation, with the mark if `last`, and owns it. It ends with ch3_rma_over, and at
    // the target, if `last`, with ch3_rma_marked.
    void (*issue)(struct cpu_context *context, struct ch3_process *ch3, struct ch3_rma_op *op,
                  bool last);
};

// ---- For the device ----

// Starts a request of one of ch3_rma_operations.
void ch3_rma_start(struct cpu_context *context, struct mpi_request *request);

void ch3_rma_clear(struct ch3_process *ch3);

// Describes the wait of a fence: {"waits_for": text}, a new reference, or NULL.
json_t *ch3_rma_describe(const struct mpi_request *request);

// ---- Packets ----

// Handlers (struct ch3_handler).
bool ch3_rma_get_arrived(struct cpu_context *context, struct ch3_process *ch3, int peer,
                         const struct ch3_pkt *pkt, struct ch3_receive *receive);
bool ch3_rma_arrived(struct cpu_context *context, struct ch3_process *ch3, int peer,
                     const struct ch3_pkt *pkt, struct ch3_receive *receive);
void ch3_rma_data(struct cpu_context *context, struct ch3_process *ch3, int peer,
                  struct ch3_receive *receive);
void ch3_rma_written(struct cpu_context *context, struct ch3_process *ch3,
                     const struct ch3_pkt *pkt);

// Issues an operation as packets.
void ch3_rma_send(struct cpu_context *context, struct ch3_process *ch3, struct ch3_rma_op *op,
                  bool last);

// ---- For channels with ch3_rma_ops ----

struct ch3_window *ch3_window_of(const struct ch3_process *ch3, int number);

// An operation of this process has ended.
void ch3_rma_over(struct cpu_context *context, struct ch3_process *ch3, struct ch3_window *window);

// Frees an operation.
void ch3_rma_op_free(struct ch3_process *ch3, struct ch3_rma_op *op);

// The last operation of a peer's epoch has ended at this process, its target.
void ch3_rma_marked(struct cpu_context *context, struct ch3_process *ch3,
                    struct ch3_window *window);

#endif
