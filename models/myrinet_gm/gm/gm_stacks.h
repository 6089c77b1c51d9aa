// SPDX-License-Identifier: GPL-3.0-or-later
// Bare GM as a stack, and its benchmarks.
#ifndef NETSIM_MODELS_MYRINET_GM_GM_GM_STACKS_H
#define NETSIM_MODELS_MYRINET_GM_GM_GM_STACKS_H

#include "sim/benchmark/benchmark.h"
#include "sim/model/stack.h"

extern const struct stack gm_stack;

// "gm" and "gm_native"; ends with a NULL path.
extern const struct scenario_section gm_sections[];

// gm.allsize: latency, bandwidth in one direction and in both. Ends with a NULL name.
extern const struct benchmark gm_benchmarks[];

#endif
