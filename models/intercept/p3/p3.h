// SPDX-License-Identifier: GPL-3.0-or-later
// The NAL of thesis 002 (5.2): Portals over Intercept, in the Linux kernel. Short messages go by a
// cut-down RMPP over the circular buffers of a VNIC of their own (short.h), long ones by reads that
// the receiver drives through the VDMA handler (long.h). Arrivals are handled in a kernel thread
// per application process (thread.c).
#ifndef NETSIM_MODELS_INTERCEPT_P3_H
#define NETSIM_MODELS_INTERCEPT_P3_H

#include "models/intercept/nic/nic.h"
#include "models/intercept/vdma/handler.h"
#include "models/portals/library.h"

struct p3_config;  // section "p3"
struct p3_process; // the NAL's part of a process

extern const struct portals_nal p3_nal;

// ---- Long messages (long.c) ----

// Sends a put or reply of more bytes than the threshold: TRY_MATCH by the VDMA handler, then the
// target reads (5.2.2). Contract of portals_nal.send.
enum portals_status p3_long_send(struct cpu_context *context, struct p3_process *process,
                                 struct portals_transfer *transfer);

// The library wants bytes of the long message `arriving`. Contract of portals_nal.receive.
void p3_long_receive(struct cpu_context *context, struct p3_process *process, void *arriving,
                     struct portals_transfer *transfer);

#endif
