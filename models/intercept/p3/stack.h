// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef NETSIM_MODELS_INTERCEPT_P3_STACK_H
#define NETSIM_MODELS_INTERCEPT_P3_STACK_H

#include "sim/model/stack.h"

extern const struct stack portals_stack;
extern const struct scenario_section p3_sections[]; // "p3"

#endif
