// SPDX-License-Identifier: GPL-3.0-or-later
// Bare M-VIA as a stack, and the sections that every stack on VIA needs.
#ifndef NETSIM_MODELS_VIA_VIP_STACK_H
#define NETSIM_MODELS_VIA_VIP_STACK_H

#include "models/ethernet/nics.h"
#include "sim/model/stack.h"

extern const struct stack mvia_stack;

// "mvia" and "mvia_native"; ends with a NULL path.
extern const struct scenario_section via_sections[];

#endif
