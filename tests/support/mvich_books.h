// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants of MVICH's credits and vbufs, for tests that look into a job.
#ifndef NETSIM_TESTS_SUPPORT_MVICH_BOOKS_H
#define NETSIM_TESTS_SUPPORT_MVICH_BOOKS_H

#include "models/via/mvich/mvich.h"
#include "tests/support/rpi_bench.h"

static inline struct mvich_process *mvich_bench_process(const struct rpi_bench *bench, int rank)
{
    return mvich_process_of(bench->processes[rank]);
}

// At any time: of each connection, credits at the sender, packets under way and credits that wait
// at the receiver are no more than the vbufs that it has posted beyond those for NOOPs; and a
// packet always finds one posted.
void mvich_bench_expect_credits(const struct rpi_bench *bench);

// Once the job has ended, the same sum is exactly that number, and nothing is in use but posted
// vbufs.
void mvich_bench_expect_quiet(const struct rpi_bench *bench);

#endif
