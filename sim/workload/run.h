// SPDX-License-Identifier: GPL-3.0-or-later
// Runs compiled scenarios.
#ifndef NETSIM_WORKLOAD_RUN_H
#define NETSIM_WORKLOAD_RUN_H

#include "sim/core/capture.h"
#include "sim/core/trace.h"
#include "sim/scenario/scenario.h"
#include "sim/workload/model.h"
#include "sim/workload/result.h"
#include "sim/workload/source.h"

// Told now and then how far a series is: done is a fraction 0 .. 1 of the work that is known ahead,
// by messages measured; detail is a short text ("VIA RPI: 64 KiB").
typedef void run_progress_fn(void *owner, int series, double done, const char *detail);

// Told of each interval that was measured: by which rank, on the lane of which processor, what one
// message's time is (elapsed / count), and from when to when. size is -1 and count 1 for the whole
// of a free program, which is told for each rank at the end.
struct run_interval {
    int rank;
    trace_lane lane;
    int64_t size, count;
    sim_time from, to;
};
typedef void run_measured_fn(void *owner, const struct run_interval *interval);

struct run_options {
    struct trace *trace;           // NULL: none
    struct capture *capture;       // NULL: none
    struct mpi_observer *observer; // NULL: none
    struct op_source *source;      // whose calls are run; NULL: the workload's. Not owned
    run_progress_fn *progress;     // NULL: none
    void *progress_owner;
    run_measured_fn *measured; // NULL: none
    void *measured_owner;
    double time_limit_s;     // on the clock on the wall; 0: none
    bool (*interrupt)(void); // asked now and then whether to stop; NULL: never
};

// Runs one case (one series); never NULL. The caller frees the result.
struct series_result *run_case(const struct registry *registry,
                               const struct scenario_case *test_case, int series, uint64_t seed,
                               const struct run_options *options);

// Runs all series of a scenario one after the other.
struct result *run_scenario(const struct registry *registry, const struct scenario *scenario,
                            const struct run_options *options);

#endif
