// SPDX-License-Identifier: GPL-3.0-or-later
// Measurements of thesis 003, and the latencies of GRIM's interfaces.
#ifndef NETSIM_MODELS_GRIM_ENDPOINT_BENCHMARKS_H
#define NETSIM_MODELS_GRIM_ENDPOINT_BENCHMARKS_H

#include "sim/benchmark/benchmark.h"

// grim.inject, grim.scan, grim.latency, grim.remote; ends with a NULL schema.name.
extern const struct benchmark grim_benchmarks[];

#endif
