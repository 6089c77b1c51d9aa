// SPDX-License-Identifier: GPL-3.0-or-later
// The stack "grim": GRIM's library over its firmware on Myrinet cards (thesis 003, chapter IV).
#ifndef NETSIM_MODELS_GRIM_STACK_H
#define NETSIM_MODELS_GRIM_STACK_H

#include "sim/workload/stack.h"

extern const struct stack grim_stack;

// Of library and remote memory, "grim" and "grim_memory"; the card's are grim_ni_sections.
extern const struct scenario_section grim_sections[];

#endif
