// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of the interpreter share: interpreter.c has programs and what concerns no library,
// interpreter_mpi.c what every MPI library does, interpreter_operation.c what only some do.
#ifndef NETSIM_INTERPRETER_INTERPRETER_INTERNAL_H
#define NETSIM_INTERPRETER_INTERPRETER_INTERNAL_H

#include "sim/benchmark/stream.h"
#include "sim/flatten/communicator_call.h"
#include "sim/interpreter/interpreter.h"
#include "sim/measure/clocks.h"
#include "sim/measure/laps.h"
#include "sim/mpi/schedule.h"
#include "sim/source/call_kind.h"

// Where a process is between two slices.
enum interpreter_phase {
    PHASE_INIT,       // the device comes up (MPI_Init)
    PHASE_NEXT,       // the next operation is to be started
    PHASE_WAIT,       // in a blocking call until its requests are done
    PHASE_CHOOSE,     // in a blocking call until one of its requests is done
    PHASE_TEST,       // looks whether its requests are done
    PHASE_POLL,       // nothing can happen before an event: the next look comes after it
    PHASE_BUFFER,     // makes room in the buffer of buffered sends
    PHASE_DRAIN,      // a call that does not block handles what has happened meanwhile
    PHASE_COLLECTIVE, // between two rounds of a collective
    PHASE_OPENED,     // the collective is over that an operation begins with
    PHASE_FINALIZE,
    PHASE_ENDED,
};

// A request that the program has named, and not waited for.
struct open_request {
    int number;                  // op_call.request
    struct mpi_request *request; // NULL: it was done when it was started (a buffered send)
};

// A transfer as a call describes it, before it is started.
struct planned_transfer {
    enum mpi_request_kind kind;
    enum send_mode mode;
    struct mpi_transfer transfer;
};

// A request that the program starts again and again.
struct persistent_request {
    int number;
    struct planned_transfer plan;
};

// A request that no call waits for: of a buffered send, or freed while it was under way. It is
// given back when it is done.
struct detached_request {
    struct mpi_request *request;
    int64_t offset, bytes; // of the attached buffer; 0 B: none
};

// Of buffered sends (MPI_Buffer_attach).
struct attached_buffer {
    bool attached;
    int64_t address, bytes;
};

// A test that looks again and again.
struct polling {
    sim_time every;  // OPERATION_ANY: it looks once
    sim_time looked; // when the last look began
    sim_time turn;   // from one look to the next
    sim_time asleep; // since when nothing could happen
    bool counted;    // in sim->polling
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
    trace_lane calls;    // of what the program does; 0: nobody wants it
    GArray *open;        // struct open_request, in the order of starting
    GPtrArray *waiting;  // requests to give back when the wait is over
    GArray *asked;       // int: numbers of the open requests that the wait or test is for
    enum completion completion;
    struct polling polling;
    GArray *persistent; // struct persistent_request
    GArray *detached;   // struct detached_request, by offset those in the buffer
    struct attached_buffer buffer;
    struct planned_transfer waits_for_room; // a buffered send
    bool over;                              // the program's last call has ended
    GArray *own_buffers;                    // struct own_buffer, by op_call.own_buffer
    struct mpi_schedule schedule;
    struct kept_operation *kept, *unused;    // operations, all of them and those without a request
    const struct operation_kind *collective; // under way
    struct mpi_transfer opened; // the operation that begins with the collective under way
    bool opens;                 // there is one
    struct internal_collective pending[COMMUNICATOR_COLLECTIVES_MOST]; // of making a communicator
    int pending_count, pending_next;
    int64_t temporary, temporary_bytes; // the library's temporary buffer
    sim_time measure_start;
    struct laps laps;               // of the measurement under way
    struct repetitions repetitions; // likewise
    struct clocks clocks;           // of the program
    sim_time began, ended;          // the program
    struct stream *stream;          // NULL: none
    bool streams;                   // the call goes on with its next buffer
    interpreter_measure_fn *measure;
    void (*started)(void *owner); // as a measurement begins; NULL: nothing is told
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

// The same for a request that was done when it was started.
enum interpreter_phase interpreter_done(struct interpreter *run);

// What a call of a transfer asks for.
struct planned_transfer interpreter_plan(struct interpreter *run);

// Starts a buffered send, if the buffer has room (interpreter_buffered.c). False if it has not.
bool interpreter_send_buffered(struct interpreter *run, struct cpu_context *context,
                               const struct planned_transfer *plan);

// Ends the run: there is no room for it.
void interpreter_buffer_full(struct interpreter *run, const struct planned_transfer *plan);

// The same for a call, which tries to make room first.
enum interpreter_phase interpreter_bsend(struct interpreter *run, struct cpu_context *context,
                                         const struct planned_transfer *plan);
enum interpreter_phase interpreter_buffer_again(struct interpreter *run,
                                                struct cpu_context *context);
enum interpreter_phase interpreter_buffer(struct interpreter *run, struct cpu_context *context);

// Leaves the request to itself.
void interpreter_detach(struct interpreter *run, struct mpi_request *request, int64_t offset,
                        int64_t bytes);

// Gives detached requests back that are done.
void interpreter_reap(struct interpreter *run, struct cpu_context *context);

// The program waits for all detached requests. False if there are none.
bool interpreter_wait_for_detached(struct interpreter *run);

// The open request of that number, or NULL if there is none.
const struct open_request *interpreter_find_open(const struct interpreter *run, int number);

// Persistent requests, and what is done with several (interpreter_requests.c).
enum interpreter_phase interpreter_persistent(struct interpreter *run, struct cpu_context *context);
enum interpreter_phase interpreter_requests(struct interpreter *run, struct cpu_context *context);
bool interpreter_is_persistent(const struct interpreter *run, int number);

// Whether one of the requests that are asked for is done, or none is open.
bool interpreter_one_done(const struct interpreter *run);

// Progress has come to an end for now: what is done is closed, by the call's rule.
void interpreter_choose(struct interpreter *run);
enum interpreter_phase interpreter_test(struct interpreter *run, struct cpu_context *context);
enum interpreter_phase interpreter_poll(struct interpreter *run, struct cpu_context *context);

// Calls, each of which returns what comes next.
enum interpreter_phase interpreter_transfer(struct interpreter *run, struct cpu_context *context);
enum interpreter_phase interpreter_wait(struct interpreter *run, struct cpu_context *context);
enum interpreter_phase interpreter_sendrecv(struct interpreter *run, struct cpu_context *context);
enum interpreter_phase interpreter_collective(struct interpreter *run, struct cpu_context *context);

// Starts a collective that the library runs for a call, among the call's group and in memory of the
// library's own. False if there is nothing to do.
bool interpreter_internal_collective(struct interpreter *run, const struct operation_kind *kind,
                                     int64_t size);

// Makes or frees a communicator; interpreter_next_collective goes on with the next collective of
// that.
enum interpreter_phase interpreter_communicator(struct interpreter *run,
                                                struct cpu_context *context);
enum interpreter_phase interpreter_next_collective(struct interpreter *run);

// The kinds of models; opened: the collective is over that the call begins with.
enum interpreter_phase interpreter_operation(struct interpreter *run, struct cpu_context *context);
enum interpreter_phase interpreter_opened(struct interpreter *run, struct cpu_context *context);

// A buffer of a stream. The call goes on with the next one if interpreter_stream_goes_on says so
// when it is done.
enum interpreter_phase interpreter_stream(struct interpreter *run, struct cpu_context *context);
bool interpreter_stream_goes_on(struct interpreter *run, sim_time now);

// The request with those arguments was given back: their room is for another.
void interpreter_operation_over(struct interpreter *run, const void *arguments);
void interpreter_operations_free(struct interpreter *run);

#endif
