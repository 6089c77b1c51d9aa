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

// Reports a measured time: `elapsed` over `count` repetitions of `parts` messages each. times: of
// each repetition, valid during the call; NULL if they are not kept, or have no time of their own.
// repetitions: what they were like, by the clock; NULL if they are not one turn of a loop each.
typedef void interpreter_measure_fn(void *owner, int rank, int64_t size, int64_t count,
                                    int64_t parts, sim_time elapsed, const sim_time *times,
                                    const struct repetitions *repetitions);

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
