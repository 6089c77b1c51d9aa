// SPDX-License-Identifier: GPL-3.0-or-later
// An I/O bus (PCI) that devices of a host share. Transactions are served in the order of the
// requests. Each is cut into bursts, and every burst costs its set-up in clocks of the bus, so that
// a bus of twice the clock sets up in half the time. A device's read must fetch its first data from
// memory while the bus waits or the device retries (a delayed transaction, PCI 2.1, 3.3.3.3). A
// device's write is posted to the bridge (3.2.5), which takes the data at once. So reads and writes
// have separate set-ups and burst lengths. The host's writes to a device are posted, too.
//
// With memory_bus.h, a transaction also takes the time that it loses to the processors' copies.
//
// Several buses of one host work at once, and take nothing from each other.
//
// Not modelled: the order of bursts of several devices within their transactions (a transaction
// runs to its end), the individual retries of a delayed read, full posting buffers.
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
    int64_t width;      // bytes
    int64_t rate;       // bytes per second; 0: width times clock
    int64_t read_burst; // bytes
    double read_setup;  // clocks
    int64_t write_burst;
    double write_setup;
};

extern const struct param_table bus_table;

struct bus;

// `group` names the host in the timeline and `name` the bus among its lanes; both outlive the
// trace. The caller frees the bus with bus_free.
struct bus *bus_new(struct sim *sim, const char *group, const char *name,
                    const struct bus_config *config);
void bus_free(struct bus *bus);

const struct bus_config *bus_config(const struct bus *bus);

// Lets transactions compete with the processors' copies on the memory bus. Call it before the first
// transaction. Copies `memory`.
void bus_share_memory(struct bus *bus, const struct memory_bus *memory);

// Requests a transaction of `bytes` now. It runs after all earlier requests; `done` is scheduled
// for its end. `stage` has class STAGE_BUS.
void bus_transfer(struct bus *bus, enum bus_way way, int64_t bytes, struct event *done,
                  const struct stage *stage, struct message_ref message);

// Bytes per burst of such a transaction.
int64_t bus_burst(const struct bus_config *config, enum bus_way way);

// Time of one transaction of `bytes` on an idle bus.
sim_time bus_time(const struct bus_config *config, enum bus_way way, int64_t bytes);

// Adds a transaction that already ran and that nothing waited for: it counts as load and delays
// nothing.
void bus_note(struct bus *bus, enum bus_way way, int64_t bytes);

// Busy time so far.
sim_time bus_busy(const struct bus *bus);

#endif
