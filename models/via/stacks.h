// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks of this fabric.
#ifndef NETSIM_MODELS_VIA_STACKS_H
#define NETSIM_MODELS_VIA_STACKS_H

#include "sim/workload/stack.h"

extern const struct stack lam_via_stack; // LAM/MPI over the VIA RPI
extern const struct stack mvia_stack;    // bare M-VIA

// The fabric's parameter sections; ends with a NULL path.
extern const struct scenario_section via_sections[];

#endif
