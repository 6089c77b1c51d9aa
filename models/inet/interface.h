// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to models/inet: the callbacks that the host registers with a card.
#ifndef NETSIM_MODELS_INET_INTERFACE_H
#define NETSIM_MODELS_INET_INTERFACE_H

#include "models/ethernet/nics.h"
#include "models/inet/inet.h"

// struct nic_protocol, `sent`: the ring has room again.
void inet_interface_sent(struct cpu_context *context, void *owner, void *token);

#endif
