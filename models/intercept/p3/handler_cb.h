// SPDX-License-Identifier: GPL-3.0-or-later
// The first design (thesis 002, 4.1.1): all messages in pieces by the CB of the VDMA handler, of at
// most 504 B each with their headers, over its connections, its credits and its one plane.
//
// The thesis studied it and tried it for messages of one piece. That a message's pieces follow one
// another, and that the receiver reports the end of a message, are assumptions.
#ifndef NETSIM_MODELS_INTERCEPT_P3_HANDLER_CB_H
#define NETSIM_MODELS_INTERCEPT_P3_HANDLER_CB_H

#include "models/intercept/p3/p3_internal.h"

// Types of client messages; those of long messages are lower.
enum p3_cb_kind { P3_CB_PIECE = 128, P3_CB_END };

// Contracts of portals_nal.
enum portals_status p3_cb_send(struct cpu_context *context, struct p3_process *process,
                               struct portals_transfer *transfer);
void p3_cb_receive(struct cpu_context *context, struct p3_process *process, void *arriving,
                   struct portals_transfer *transfer);

// A client message of these kinds has come. In the handler's thread.
void p3_cb_message(struct cpu_context *context, struct p3_process *process, int from,
                   const void *body);

#endif
