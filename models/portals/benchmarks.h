// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef NETSIM_MODELS_PORTALS_BENCHMARKS_H
#define NETSIM_MODELS_PORTALS_BENCHMARKS_H

#include "sim/benchmark/benchmark.h"

// Those of PORTALS_BENCHMARKS (library.h); ends with a NULL schema.name.
extern const struct benchmark portals_benchmarks[];

#endif
