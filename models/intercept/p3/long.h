// SPDX-License-Identifier: GPL-3.0-or-later
// Long messages (thesis 002, 5.2.2): the target reads them through the VDMA handler.
#ifndef NETSIM_MODELS_INTERCEPT_P3_LONG_H
#define NETSIM_MODELS_INTERCEPT_P3_LONG_H

#include "models/intercept/p3/p3_internal.h"

// Takes messages of other types that the VDMA handler has for its client.
typedef void p3_message_fn(struct cpu_context *context, struct p3_process *process, int from,
                           const void *body);

// Makes process->long_side, and becomes the client of process->handler. Undone by p3_long_clear,
// which does nothing if long_side is NULL.
void p3_long_init(struct p3_process *process, p3_message_fn *others);
void p3_long_clear(struct p3_process *process);

// Has the VDMA handlers connected if this process does not know the peer. Later posts to the
// handler for the peer follow the connection request.
void p3_long_meet(struct cpu_context *context, struct p3_process *process, int peer);

// Describes the wait of a transfer that this process sends by p3_long_send: "MATCH_REPLY for long
// message 1 from node1". The caller frees it. NULL: the transfer has ended.
char *p3_long_send_waits(const struct p3_process *process, const struct portals_transfer *transfer);

// Appends what long messages wait for, as p3_waits does.
void p3_long_waits(const struct p3_process *process, GPtrArray *waits);

extern const struct machine_kind p3_long_send_machine, p3_long_receive_machine;

#endif
