// SPDX-License-Identifier: GPL-3.0-or-later
// An I/O bus (PCI) that all devices of a host share. Transactions are served in the order in which
// they are asked for; each is cut into bursts, and every burst costs its set-up in clocks of the
// bus, so that a bus of twice the clock sets up in half the time. A device's read has to fetch its
// first data out of memory while the bus waits or the device asks again (a delayed transaction, PCI
// 2.1, 3.3.3.3); its write is posted to the bridge (3.2.5), which takes the data at once: so the
// two have set-ups, and bursts, of their own. What the host writes to a device is posted, too.
//
// With memory_bus.h, a transaction also takes the time that it loses to copies of the processors.
//
// Not modelled: the order of bursts of several devices within their transactions (a transaction
// runs to its end), the retries of a delayed read one by one, posting buffers that are full.
#ifndef NETSIM_HOST_BUS_H
#define NETSIM_HOST_BUS_H

#include "sim/config/param.h"
#include "sim/core/sim.h"
#include "sim/core/stage.h"
#include "sim/host/memory_bus.h"

#include <stdint.h>

enum bus_way {
    BUS_READ,  // a device reads the host's memory
    BUS_WRITE, // a device writes to the host's memory, or the host to a device
};

struct bus_config {
    int64_t clock;      // Hz
    int64_t width;      // bytes that move in a clock
    int64_t rate;       // bytes a second while data flow; 0: width times clock
    int64_t read_burst; // bytes in one burst
    double read_setup;  // clocks before the data of each burst
    int64_t write_burst;
    double write_setup;
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
// asked for before. `stage`: of class STAGE_BUS.
void bus_transfer(struct bus *bus, enum bus_way way, int64_t bytes, struct event *done,
                  const struct stage *stage, struct message_ref message);

// Bytes in one burst of such a transaction.
int64_t bus_burst(const struct bus_config *config, enum bus_way way);

// Time of one transaction of `bytes` on an idle bus.
sim_time bus_time(const struct bus_config *config, enum bus_way way, int64_t bytes);

// Adds a transaction that ran while nobody waited for it: it counts as load and delays nothing.
void bus_note(struct bus *bus, enum bus_way way, int64_t bytes);

// Busy time so far.
sim_time bus_busy(const struct bus *bus);

#endif
