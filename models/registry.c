// SPDX-License-Identifier: GPL-3.0-or-later
// The one list of what exists.
#include "models/ethernet/nics.h"
#include "models/via/stacks.h"
#include "sim/workload/stack.h"

static const struct stack *const stacks[] = {&lam_via_stack, &mvia_stack, NULL};

static const struct scenario_section *const sections[] = {ethernet_sections, via_sections, NULL};

static const char *const nics[] = {"eepro100", "tulip", NULL};

const struct registry model_registry = {.stacks = stacks, .sections = sections, .nics = nics};
