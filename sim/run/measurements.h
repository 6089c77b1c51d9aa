// SPDX-License-Identifier: GPL-3.0-or-later
// The measurements of a run, and the results made of them: a benchmark's values for each size,
// once all ranks that measure have measured it; of a free program, how long each rank took. Whether
// packets or flows have taken the time makes no difference.
#ifndef NETSIM_RUN_MEASUREMENTS_H
#define NETSIM_RUN_MEASUREMENTS_H

#include "sim/benchmark/benchmark.h"
#include "sim/measure/repetitions.h"
#include "sim/run/run.h"

// Of one case while it runs.
struct measurements {
    const struct scenario_case *test_case;
    const struct run_options *options;
    const struct benchmark *benchmark; // NULL: a free program
    struct benchmark_report report;
    GArray *points; // struct point, in the order of measuring; NULL: a free program
    guint points_measured, points_expected;
    struct series_result *result; // not owned
    const struct sim *sim;        // whose timers are awaited; NULL: none
};

// Begins the measurements of a case, whose values go into `result`, and prepares that. All
// arguments must outlive the measurements.
void measurements_begin(struct measurements *of, const struct registry *registry,
                        const struct scenario_case *test_case, const struct run_options *options,
                        struct series_result *result);
void measurements_clear(struct measurements *of);

// Tells options->measured about an interval.
void measurements_tell(const struct measurements *of, const struct run_interval *interval);

// A benchmark's rank has measured an interval: its messages are repetitions of `parts` messages
// each. times: of each repetition, valid during the call; NULL if they are not kept. repetitions:
// what they were like, valid likewise; NULL if that is not known. Returns true if that was the last
// interval of its size.
bool measurements_add(struct measurements *of, const struct run_interval *interval, int64_t parts,
                      const sim_time *times, const struct repetitions *repetitions);

// A rank's free program has ended; interval: the program from its first call to its last.
void measurements_add_program(const struct measurements *of, const struct run_interval *interval);

#endif
