// SPDX-License-Identifier: GPL-3.0-or-later
// The stack "grim": GRIM's library over its firmware on Myrinet cards (thesis 003, chapter IV).
#ifndef NETSIM_MODELS_GRIM_ENDPOINT_STACK_H
#define NETSIM_MODELS_GRIM_ENDPOINT_STACK_H

#include "sim/model/stack.h"

extern const struct stack grim_stack;

// "grim"; ends with a NULL path.
extern const struct scenario_section grim_sections[];

#endif
