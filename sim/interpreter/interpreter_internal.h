// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the parts of the interpreter: interpreter.c has the phases of a process from call to
// call, interpreter_play.c the steps of a call.
#ifndef NETSIM_INTERPRETER_INTERPRETER_INTERNAL_H
#define NETSIM_INTERPRETER_INTERPRETER_INTERNAL_H

#include "sim/benchmark/stream.h"
#include "sim/flatten/unfold.h"
#include "sim/interpreter/interpreter.h"
#include "sim/measure/clocks.h"
#include "sim/measure/laps.h"
#include "sim/measure/steady.h"

// Where a process is between two slices.
enum interpreter_phase {
    PHASE_INIT,       // the device comes up (MPI_Init)
    PHASE_NEXT,       // the next call is to be started
    PHASE_WAIT,       // in a blocking call until its requests are done
    PHASE_CHOOSE,     // in a blocking call until one of its requests is done
    PHASE_TEST,       // tests its requests
    PHASE_POLL,       // nothing can happen before an event: the next test follows it
    PHASE_BUFFER,     // makes room in the buffer of buffered sends
    PHASE_DRAIN,      // a call that does not wait makes the progress that its library makes in it
    PHASE_CALL,       // the call goes on
    PHASE_COLLECTIVE, // in a collective, until its round is done
    PHASE_FINALIZE,
    PHASE_ENDED,
};

// A request that no call waits for: of a buffered send, or freed while it was under way. It is
// freed when it is done.
struct detached_request {
    struct mpi_request *request;
    int64_t offset, bytes; // of the attached buffer; 0 B: none
};

// Of buffered sends (MPI_Buffer_attach).
struct attached_buffer {
    bool attached;
    int64_t address, bytes;
    int64_t room; // offset of the room that the next send gets
};

// Tests that are repeated.
struct polling {
    sim_time looked; // when the last test began
    sim_time turn;   // from one test to the next
    sim_time asleep; // since when nothing could happen
    bool counted;    // in sim->polling
};

// Progress of the call under way, by the library's rule (sim/mpi/progress.h).
struct progressing {
    const enum mpi_act *acts; // that are still to come, of a call that does not wait
    guint own;                // in `waiting`: see next_own
    bool inside;              // a wait may not leave yet: a turn, or what it exhausts, goes on
    bool sends;               // the call has started sends
};

struct kept_operation;

struct interpreter {
    struct mpi_process *process;
    struct op_source *source;
    enum interpreter_phase phase;
    sim_time start;      // of the process
    struct event begin;  // at that time
    struct op_call call; // under way; what it points at is valid while it is started
    bool called;         // there is one
    struct unfold_program program;
    struct unfold *unfold;
    struct flat_op step; // the latest of the call
    trace_lane calls;    // of the program's calls; 0: not recorded
    GPtrArray *waiting;  // requests to free when the wait has ended
    struct progressing progress;
    struct polling polling;
    GArray *detached; // struct detached_request, by offset those in the buffer
    struct attached_buffer buffer;
    bool over;                            // the program's last call has ended
    struct kept_operation *kept, *unused; // operations, all of them and those without a request
    sim_time measure_start;
    struct laps laps;               // of the measurement under way
    struct repetitions repetitions; // of the measurement under way
    struct steady *steady;          // NULL: all repetitions are run
    sim_time left_out;              // of the measurement under way, as the others are like the last
    int64_t turns_left_out;         // repetitions of it
    struct clocks clocks;           // of the program
    sim_time began, ended;          // the program
    struct stream *stream;          // NULL: none
    bool streams;                   // the call goes on with its next buffer
    interpreter_measure_fn *measure;
    void (*started)(void *owner); // as a measurement begins; NULL: no listener
    void *owner;
};

// Ends the run: what is wrong with the program, at the operation that is under way.
void interpreter_fail(struct interpreter *run, const char *format, ...) G_GNUC_PRINTF(2, 3);

// The program waits for the request, which is freed after the wait.
void interpreter_wait_for(struct interpreter *run, struct mpi_request *request);

// Runs the steps of the call under way, up to the next that ends a slice. Returns the phase after
// it; PHASE_NEXT: the call has ended.
enum interpreter_phase interpreter_play(struct interpreter *run, struct cpu_context *context);

// ---- Steps; each returns the phase after it, PHASE_NEXT if the call goes on ----

// A call that does not wait begins with the progress of these acts.
static inline void interpreter_act(struct interpreter *run, const enum mpi_act *acts)
{
    run->progress.acts = acts;
}

// Tests (interpreter_test.c).
enum interpreter_phase interpreter_begin_test(struct interpreter *run, struct cpu_context *context);
enum interpreter_phase interpreter_test(struct interpreter *run, struct cpu_context *context);
enum interpreter_phase interpreter_poll(struct interpreter *run, struct cpu_context *context);

// True if one of the awaited requests is done, or there is none.
bool interpreter_one_done(const struct interpreter *run);

// True if the test would find what it asks for.
bool interpreter_test_good(const struct interpreter *run);

// Progress has come to an end for now: closes what is done, by the call's rule.
void interpreter_choose(struct interpreter *run);

// Buffered sends (interpreter_buffered.c). interpreter_find_room: PHASE_BUFFER: there is no room
// before requests have made progress. Then interpreter_room_again returns true, or fails the run if
// there still is none.
enum interpreter_phase interpreter_find_room(struct interpreter *run, struct cpu_context *context);
bool interpreter_room_again(struct interpreter *run, struct cpu_context *context);
void interpreter_send_buffered(struct interpreter *run, struct cpu_context *context,
                               struct mpi_transfer *transfer);
void interpreter_attach(struct interpreter *run);
enum interpreter_phase interpreter_detach_buffer(struct interpreter *run);

// No call waits for the request any more.
void interpreter_detach(struct interpreter *run, struct mpi_request *request, int64_t offset,
                        int64_t bytes);

// Frees detached requests that are done.
void interpreter_reap(struct interpreter *run, struct cpu_context *context);

// The program waits for all detached requests. Returns false if there are none.
bool interpreter_wait_for_detached(struct interpreter *run);

// A buffer of a stream (interpreter_stream.c). The call goes on with the next one if
// interpreter_stream_goes_on is true when it is done.
enum interpreter_phase interpreter_stream(struct interpreter *run, struct cpu_context *context);
bool interpreter_stream_goes_on(struct interpreter *run, sim_time now);

// ---- Arguments of models' operations (interpreter_operation.c) ----

// Copies them until the request is freed: those of the source are gone with its next call.
const void *interpreter_keep(struct interpreter *run, const struct op_call *call);

// The request with those arguments was freed: their memory is for another.
void interpreter_operation_over(struct interpreter *run, const void *arguments);
void interpreter_operations_free(struct interpreter *run);

#endif
