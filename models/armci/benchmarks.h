// SPDX-License-Identifier: GPL-3.0-or-later
// armci.put, armci.get, armci.accumulate: rank 0 calls, rank 1 is the target.
#ifndef NETSIM_MODELS_ARMCI_BENCHMARKS_H
#define NETSIM_MODELS_ARMCI_BENCHMARKS_H

#include "sim/benchmark/benchmark.h"

extern const struct benchmark armci_benchmarks[]; // ends with a NULL schema.name

#endif
