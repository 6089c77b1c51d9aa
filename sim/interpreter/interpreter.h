// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program on a process: executes the calls that its source yields (source.h), each as the
// corresponding MPI calls.
#ifndef NETSIM_INTERPRETER_INTERPRETER_H
#define NETSIM_INTERPRETER_INTERPRETER_H

#include "sim/measure/repetitions.h"
#include "sim/measure/result.h"
#include "sim/mpi/process.h"
#include "sim/source/source.h"

#include <stdbool.h>

struct interpreter;

// A measured time: over `count` repetitions of `parts` messages each that were run, and what is
// added for repetitions that were left out because they would have been like the last.
struct interpreter_measured {
    int64_t size, count, parts;
    sim_time elapsed;
    int64_t count_left_out; // 0, too, if repetitions are not one turn of a loop each
    sim_time left_out;
    const sim_time *times; // of each repetition; NULL if they are not kept, or have no own time
    // Their times, by the clock; NULL: not one turn of a loop each, or some left out.
    const struct repetitions *repetitions;
};

// Reports a measured time, which is valid during the call.
typedef void interpreter_measure_fn(void *owner, int rank,
                                    const struct interpreter_measured *measured);

// Creates an interpreter for the calls of the process's rank. `source`, which all ranks may share,
// must outlive it. The caller frees it with interpreter_free.
struct interpreter *interpreter_new(struct mpi_process *process, struct op_source *source,
                                    interpreter_measure_fn *measure, void *owner);
void interpreter_free(struct interpreter *run);

// Starts the process at `when`, 0 or later; peers may wake its task before. Call it once, at time
// 0.
void interpreter_start(struct interpreter *run, sim_time when);

// Calls `started` with the owner of `measure` whenever the rank begins to measure.
void interpreter_on_start(struct interpreter *run, void (*started)(void *owner));

// Keeps the times of single repetitions from now on: 16 B per repetition of the longest
// measurement. Does not change the run.
void interpreter_keep_laps(struct interpreter *run);

// The end of the repetitions of all ranks once they have become alike, shared by all ranks. It
// must outlive the interpreter. Without it all are run. For sources with `leave` and `all_laps`.
struct steady;
void interpreter_join_steady(struct interpreter *run, struct steady *steady);

// The stream that calls of the class CALL_STREAM belong to, which all ranks share. It must outlive
// the interpreter.
struct stream;
void interpreter_join_stream(struct interpreter *run, struct stream *stream);

// The process's task function: init of the device, the program, finalize.
enum cpu_next interpreter_run(struct cpu_context *context, struct cpu_task *task);

// True once the program has ended.
bool interpreter_ended(const struct interpreter *run);

// True once the program's last operation has ended, also while its library shuts down.
bool interpreter_program_ended(const struct interpreter *run);

// Time from the end of MPI_Init to the program's last operation; 0 before it has ended.
sim_time interpreter_time(const struct interpreter *run);

// Reports what the program's own clocks have measured: metrics of the process's rank.
void interpreter_report_clocks(const struct interpreter *run, struct series_result *result);

// When the program's last operation ended; 0 before it has.
sim_time interpreter_end(const struct interpreter *run);

// The program's current place, for reports: "pingpong.yaml:12:9: recv". The caller frees it.
char *interpreter_place(const struct interpreter *run);

#endif
