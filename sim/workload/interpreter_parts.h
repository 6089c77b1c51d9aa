// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of the interpreter share: interpreter.c has programs and what concerns no library,
// interpreter_mpi.c what every MPI library does, interpreter_operation.c what only some do.
#ifndef NETSIM_WORKLOAD_INTERPRETER_PARTS_H
#define NETSIM_WORKLOAD_INTERPRETER_PARTS_H

#include "sim/config/quantity.h"
#include "sim/mpi/schedule.h"
#include "sim/workload/code.h"
#include "sim/workload/interpreter.h"
#include "sim/workload/laps.h"

// Where a process is between two slices.
enum interpreter_phase {
    PHASE_INIT,       // the device comes up (MPI_Init)
    PHASE_NEXT,       // the next operation is to be started
    PHASE_WAIT,       // in a blocking call until its requests are done
    PHASE_DRAIN,      // a call that does not block handles what has happened meanwhile
    PHASE_COLLECTIVE, // between two rounds of a collective
    PHASE_FINALIZE,
    PHASE_ENDED,
};

struct interpreter {
    struct mpi_process *process;
    struct code *code;
    char *code_error;
    enum interpreter_phase phase;
    GArray *frames;            // struct frame
    const struct code_op *op;  // under way
    struct mpi_request **open; // named requests by slot, NULL if not open
    GPtrArray *waiting;        // requests to give back when the wait is over
    struct mpi_schedule schedule;
    int64_t temporary, temporary_bytes; // the library's temporary buffer
    sim_time measure_start;
    struct laps laps;      // of the measurement under way
    sim_time began, ended; // the program
    interpreter_measure_fn *measure;
    void *owner;
};

// Ends the run: what is wrong with the program, at the operation that is under way.
void interpreter_fail(struct interpreter *run, const char *format, ...) G_GNUC_PRINTF(2, 3);

// What an operation's value comes out as now; `fallback` if it is not given.
int64_t interpreter_value(struct interpreter *run, const struct code_value *code, int64_t fallback);

// The same for a size or a duration, which is 0 .. quantity_most; the run fails, and 0 is returned,
// if it is not.
int64_t interpreter_quantity(struct interpreter *run, const struct code_value *code,
                             enum quantity_kind kind);

// The peer's rank, MPI_RANK_ANY if that is meant or after an error: what is computed may not come
// out as the number that stands for "any".
int interpreter_peer(struct interpreter *run, const struct code_value *peer);

// The operation's buffer of `size` bytes: the one that it names, or its own.
int64_t interpreter_address(struct interpreter *run, struct code_op *op, int64_t size);

// Whether the name that the operation gives to its request can be taken; the run fails if not.
bool interpreter_slot_free(struct interpreter *run, const struct code_op *op);

// What comes after the operation's request has been started: with a name the program goes on,
// without one it waits.
enum interpreter_phase interpreter_started(struct interpreter *run, const struct code_op *op,
                                           struct mpi_request *request);

void interpreter_wait_for(struct interpreter *run, struct mpi_request *request);

// Whether there is such a rank; the run fails if not.
bool interpreter_rank_valid(struct interpreter *run, int64_t rank);

// Operations, each of which returns what comes next.
enum interpreter_phase interpreter_transfer(struct interpreter *run, struct cpu_context *context,
                                            struct code_op *op);
enum interpreter_phase interpreter_wait(struct interpreter *run, struct cpu_context *context,
                                        const struct code_op *op);
enum interpreter_phase interpreter_sendrecv(struct interpreter *run, struct cpu_context *context,
                                            struct code_op *op);
enum interpreter_phase interpreter_collective(struct interpreter *run, struct cpu_context *context,
                                              struct code_op *op);

// The kinds from OP_PUT to OP_CALL.
enum interpreter_phase interpreter_operation(struct interpreter *run, struct cpu_context *context,
                                             struct code_op *op);

#endif
