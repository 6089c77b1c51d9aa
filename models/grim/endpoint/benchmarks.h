// SPDX-License-Identifier: GPL-3.0-or-later
// What thesis 003 measures of GRIM, and the latencies of its interfaces.
#ifndef NETSIM_MODELS_GRIM_ENDPOINT_BENCHMARKS_H
#define NETSIM_MODELS_GRIM_ENDPOINT_BENCHMARKS_H

#include "sim/workload/benchmark.h"

// grim.inject, grim.scan, grim.latency, grim.remote; ends with a NULL schema.name.
extern const struct benchmark grim_benchmarks[];

#endif
