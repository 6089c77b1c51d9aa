// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of the interpreter share: interpreter.c has programs and what concerns no library,
// interpreter_mpi.c what every MPI library does, interpreter_operation.c what only some do.
#ifndef NETSIM_WORKLOAD_INTERPRETER_INTERNAL_H
#define NETSIM_WORKLOAD_INTERPRETER_INTERNAL_H

#include "sim/mpi/schedule.h"
#include "sim/workload/clocks.h"
#include "sim/workload/interpreter.h"
#include "sim/workload/laps.h"
#include "sim/workload/stream.h"

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

// A request that the program has named, and not waited for.
struct open_request {
    int number; // op_call.request
    struct mpi_request *request;
};

// The buffer of calls that name none.
struct own_buffer {
    int64_t address, allocated;
};

struct kept_operation;

struct interpreter {
    struct mpi_process *process;
    struct op_source *source;
    enum interpreter_phase phase;
    struct op_call call; // under way; what it points at is valid while it is started
    bool called;         // there is one
    GArray *open;        // struct open_request, in the order of starting
    GPtrArray *waiting;  // requests to give back when the wait is over
    GArray *own_buffers; // struct own_buffer, by op_call.own_buffer
    struct mpi_schedule schedule;
    struct kept_operation *kept, *unused; // operations, all of them and those without a request
    int64_t temporary, temporary_bytes;   // the library's temporary buffer
    sim_time measure_start;
    struct laps laps;      // of the measurement under way
    struct clocks clocks;  // of the program
    sim_time began, ended; // the program
    struct stream *stream; // NULL: none
    bool streams;          // the call goes on with its next buffer
    interpreter_measure_fn *measure;
    void *owner;
};

// Ends the run: what is wrong with the program, at the operation that is under way.
void interpreter_fail(struct interpreter *run, const char *format, ...) G_GNUC_PRINTF(2, 3);

// The call's buffer of `size` bytes: the one that it names, or its own.
int64_t interpreter_address(struct interpreter *run, int64_t size);

// Whether the name that the call gives to its request can be taken; the run fails if not.
bool interpreter_name_free(struct interpreter *run);

// What comes after the call's request has been started: with a name the program goes on, without
// one it waits.
enum interpreter_phase interpreter_started(struct interpreter *run, struct mpi_request *request);

void interpreter_wait_for(struct interpreter *run, struct mpi_request *request);

// Calls, each of which returns what comes next.
enum interpreter_phase interpreter_transfer(struct interpreter *run, struct cpu_context *context);
enum interpreter_phase interpreter_wait(struct interpreter *run, struct cpu_context *context);
enum interpreter_phase interpreter_sendrecv(struct interpreter *run, struct cpu_context *context);
enum interpreter_phase interpreter_collective(struct interpreter *run, struct cpu_context *context);

// The kinds of models.
enum interpreter_phase interpreter_operation(struct interpreter *run, struct cpu_context *context);

// A buffer of a stream. The call goes on with the next one if interpreter_stream_goes_on says so
// when it is done.
enum interpreter_phase interpreter_stream(struct interpreter *run, struct cpu_context *context);
bool interpreter_stream_goes_on(struct interpreter *run, sim_time now);

// The request with those arguments was given back: their room is for another.
void interpreter_operation_over(struct interpreter *run, const void *arguments);
void interpreter_operations_free(struct interpreter *run);

#endif
