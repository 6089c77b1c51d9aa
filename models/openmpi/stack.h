// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks `openmpi_tcp` and `openmpi5_tcp`, and their parameters.
#ifndef NETSIM_MODELS_OPENMPI_STACK_H
#define NETSIM_MODELS_OPENMPI_STACK_H

#include "sim/model/stack.h"

extern const struct stack openmpi_tcp_stack, openmpi5_tcp_stack;
extern const struct scenario_section openmpi_sections[]; // ends with a NULL path

#endif
