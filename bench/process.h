// SPDX-License-Identifier: GPL-3.0-or-later
// Measures what a process takes, and all that it starts.
#ifndef NETSIM_BENCH_PROCESS_H
#define NETSIM_BENCH_PROCESS_H

#include <jansson.h>
#include <stdint.h>

struct bench_usage {
    double wall_s, cpu_s; // of processors: user and system time of all processes
    int64_t bytes;        // the largest resident memory of one process
};

// In the process: does the work. Returns what it has found (new reference), or NULL.
typedef json_t *bench_work_fn(void *owner);

// Does the work in a process of its own, a fork of this one, whose memory is counted. Returns what
// it found (new reference); NULL if it found nothing or broke down.
json_t *bench_process(bench_work_fn *work, void *owner, struct bench_usage *usage);

#endif
