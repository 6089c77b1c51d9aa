// SPDX-License-Identifier: GPL-3.0-or-later
// An I/O bus (PCI) that all devices of a host share. Transactions are served in the order in which
// they are asked for; each is cut into bursts, and every burst costs its set-up (arbitration,
// address phase, the target's first wait states).
//
// With memory_bus.h, a transaction also takes the time that it loses to copies of the processors.
//
// Not modelled: the order of bursts of several devices within their transactions (a transaction
// runs to its end), retries, posted-write buffers.
#ifndef NETSIM_HOST_BUS_H
#define NETSIM_HOST_BUS_H

#include "sim/config/param.h"
#include "sim/core/sim.h"
#include "sim/host/memory_bus.h"

#include <stdint.h>

struct bus_config {
    int64_t rate;         // bytes a second while data flow
    int64_t burst;        // bytes in one burst
    sim_time burst_setup; // per burst
};

extern const struct param_table bus_table;

struct bus;

// `group` names the host in the timeline. Free with bus_free.
struct bus *bus_new(struct sim *sim, const char *group, const struct bus_config *config);
void bus_free(struct bus *bus);

// Before the first transaction: what goes over the bus meets the processors' copies on the memory
// bus, which is copied.
void bus_share_memory(struct bus *bus, const struct memory_bus *memory);

// Asks for a transaction of `bytes` now; `done` is scheduled for its end, behind all that were
// asked for before. `what` is static.
void bus_transfer(struct bus *bus, int64_t bytes, struct event *done, const char *what,
                  struct message_ref message);

// Time of one transaction of `bytes` on an idle bus.
sim_time bus_time(const struct bus_config *config, int64_t bytes);

// Adds a transaction that ran while nobody waited for it: it counts as load and delays nothing.
void bus_note(struct bus *bus, int64_t bytes);

// Busy time so far.
sim_time bus_busy(const struct bus *bus);

#endif
