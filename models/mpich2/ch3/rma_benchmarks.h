// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmarks of one-sided operations.
#ifndef NETSIM_MODELS_MPICH2_CH3_RMA_BENCHMARKS_H
#define NETSIM_MODELS_MPICH2_CH3_RMA_BENCHMARKS_H

#include "sim/benchmark/benchmark.h"

extern const struct benchmark ch3_rma_benchmarks[];

// Their names, for the list of a stack.
#define CH3_RMA_BENCHMARKS "rma.put", "rma.get", "rma.accumulate", "rma.mixed"

#endif
