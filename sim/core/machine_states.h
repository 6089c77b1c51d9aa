// SPDX-License-Identifier: GPL-3.0-or-later
// A trace sink that keeps the state of each state machine (machine.h), for the report of a run that
// is stopped. A machine in a state that nothing follows has ended and is not kept.
#ifndef NETSIM_CORE_MACHINE_STATES_H
#define NETSIM_CORE_MACHINE_STATES_H

#include "sim/core/trace.h"

#include <jansson.h>

struct machine_states;

struct machine_states *machine_states_new(void);
void machine_states_free(struct machine_states *states); // ignores NULL

struct trace *machine_states_trace(struct machine_states *states);

// A list of {"where": "rank 0", "machine": "send", "number": 3, "state": "posted", "since_us": 1.5,
// "waits_for": ...}, the latest step first; a new reference. "waits_for" is there if the state's
// row has a wait. At most `most` machines; *total: how many there are.
json_t *machine_states_json(const struct machine_states *states, guint most, guint *total);

#endif
