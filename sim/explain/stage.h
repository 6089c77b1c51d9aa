// SPDX-License-Identifier: GPL-3.0-or-later
// The classes that the stages of a message's way fall into, so that libraries with stages of their
// own can be compared: library, kernel, copy, pin, trap, interrupt, wake-up, bus, NIC, wire,
// switch, compute, and what was waited for.
//
// A stage that neither this file nor the registry (struct registry, stage_classes) knows is a
// library's own work. A wait is known by how devices say what a request waits for
// (struct mpi_request, waits_for):
//   "… credit …"              waiting for credit
//   "… free … descriptor …"   waiting for descriptor
//   "the receiver's …"        waiting for ACK: a handshake's answer
//   "an ACK …"                waiting for ACK
//   "… window …"              waiting for window
//   "room in …"               waiting for buffer
//   "memory to pin …"         waiting for memory
#ifndef NETSIM_EXPLAIN_STAGE_H
#define NETSIM_EXPLAIN_STAGE_H

#include "sim/workload/model.h"

#define STAGE_WAITING "waiting"
#define STAGE_LIBRARY "library"
#define STAGE_WIRE "wire"
#define STAGE_BEHIND "behind others"

// The classes in the order in which tables have them; NULL-terminated.
extern const char *const stage_classes[];

// Which of them a stage belongs to; `registry` may be NULL.
const char *stage_class(const struct registry *registry, const char *stage);

// The class that a stage is the name of, if that is a wait that holds messages up ("waiting for
// credit"); else NULL.
const char *stage_known_wait(const char *stage);

// The class of a wait that holds a message up ("waiting for credit"), or NULL: it is none, as
// waiting for a message to come is.
const char *stage_of_wait(const char *what);

#endif
