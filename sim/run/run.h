// SPDX-License-Identifier: GPL-3.0-or-later
// Runs compiled scenarios.
#ifndef NETSIM_RUN_RUN_H
#define NETSIM_RUN_RUN_H

#include "sim/core/capture.h"
#include "sim/core/trace.h"
#include "sim/measure/result.h"
#include "sim/model/model.h"
#include "sim/scenario/scenario.h"
#include "sim/source/source.h"

// Progress callback, called occasionally. `done` is the finished fraction 0 .. 1 of the work known
// in advance, by messages measured; `detail` is a short text ("VIA RPI: 64 KiB").
typedef void run_progress_fn(void *owner, int series, double done, const char *detail);

// Called for each measured interval: the rank, the lane of its processor, the message size, the
// number of messages (the time of one is elapsed / count), and start and end. A free program is
// reported as a whole, once per rank at the end, with size -1 and count 1. Messages that were left
// out because they would have been like the last are not in count and not in the interval: the mean
// is (elapsed + left_out) / (count + count_left_out).
struct run_interval {
    int rank;
    trace_lane lane;
    int64_t size, count;
    sim_time from, to;
    int64_t count_left_out;
    sim_time left_out;
};
typedef void run_measured_fn(void *owner, const struct run_interval *interval);

struct cluster;
struct sim;

struct run_options {
    struct trace *trace;           // NULL: none
    struct capture *capture;       // NULL: none
    struct mpi_observer *observer; // NULL: none
    struct op_source *source;      // its calls are run; NULL: the workload's. Not owned
    // Plays the messages in place of the case's own stack and cards; NULL: those do. Not owned
    const struct stack *stack;
    run_progress_fn *progress; // NULL: none
    void *progress_owner;
    run_measured_fn *measured; // NULL: none
    void *measured_owner;
    // Called once the case is built, before its first event.
    void (*began)(void *owner, const struct sim *sim);
    void *began_owner;
    // Called when the simulation has come to its end, however that was, before it is taken apart.
    void (*ended)(void *owner, const struct cluster *cluster);
    void *ended_owner;
    // Ends the run after so much simulated time, with a report of what every rank waits for and of
    // the states of all state machines. 0: it goes to its end.
    sim_time stop_at;
    bool link_sizes;         // keeps what links carry apart by size, if there are several
    double time_limit_s;     // seconds of wall-clock time; 0: none
    int64_t wall_end;        // when these end (g_get_monotonic_time), for several runs
                             // together; 0: they begin with the run
    bool (*interrupt)(void); // polled occasionally; true stops the run. NULL: none
    // Polled occasionally; true ends the run, which has then completed, whatever is under way.
    // NULL: it goes to its end.
    bool (*enough)(void *owner);
    void *enough_owner;
};

// Runs one case (one series). Never returns NULL. The caller frees the result.
struct series_result *run_case(const struct registry *registry,
                               const struct scenario_case *test_case, int series, uint64_t seed,
                               const struct run_options *options);

// Runs all series of a scenario, one after another.
struct result *run_scenario(const struct registry *registry, const struct scenario *scenario,
                            const struct run_options *options);

#endif
