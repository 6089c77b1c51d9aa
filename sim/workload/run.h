// SPDX-License-Identifier: GPL-3.0-or-later
// Runs compiled scenarios.
#ifndef NETSIM_WORKLOAD_RUN_H
#define NETSIM_WORKLOAD_RUN_H

#include "sim/config/scenario.h"
#include "sim/core/trace.h"
#include "sim/workload/result.h"
#include "sim/workload/stack.h"

// Told now and then how far a series is: done is a fraction 0 .. 1 of the work that is known ahead,
// by messages measured; detail is a short text ("VIA RPI: 64 KiB").
typedef void run_progress_fn(void *owner, int series, double done, const char *detail);

struct run_options {
    struct trace *trace;       // NULL: none
    run_progress_fn *progress; // NULL: none
    void *progress_owner;
};

// Runs one case (one series); never NULL. The caller frees the result.
struct series_result *run_case(const struct registry *registry,
                               const struct scenario_case *test_case, int series, uint64_t seed,
                               const struct run_options *options);

// Runs all series of a scenario one after the other.
struct result *run_scenario(const struct registry *registry, const struct scenario *scenario,
                            const struct run_options *options);

#endif
