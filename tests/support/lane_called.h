// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes for tests, as the network makes them: by their names.
#ifndef NETSIM_TESTS_SUPPORT_LANE_CALLED_H
#define NETSIM_TESTS_SUPPORT_LANE_CALLED_H

#include "sim/core/trace.h"

// "wire a->b" and "wire a->b#2" are links from a to b, "port ..." is a queue, all else a resource.
trace_lane lane_called(struct trace *trace, const char *group, const char *name);

#endif
