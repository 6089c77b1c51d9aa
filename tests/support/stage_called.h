// SPDX-License-Identifier: GPL-3.0-or-later
// Stages for tests that spend time under names of their own.
#ifndef NETSIM_TESTS_SUPPORT_STAGE_CALLED_H
#define NETSIM_TESTS_SUPPORT_STAGE_CALLED_H

#include "sim/core/stage.h"

// The stage of that name and class: the same one each time. It stays until the program ends.
const struct stage *stage_called(const char *name, enum stage_class class);

#endif
