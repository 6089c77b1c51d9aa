// SPDX-License-Identifier: GPL-3.0-or-later
// An I/O bus that devices of a host share: PCI, or PCI Express. Transactions are served in the
// order of the requests, each cut into bursts.
//
// On PCI every burst costs its set-up in clocks of the bus, so that a bus of twice the clock sets
// up in half the time. A device's read must fetch its first data from memory while the bus waits or
// the device retries (a delayed transaction, PCI 2.1, 3.3.3.3). A device's write is posted to the
// bridge (3.2.5), which takes the data at once. So reads and writes have separate set-ups and burst
// lengths. The host's writes to a device are posted, too.
//
// PCI Express has lanes for each direction: data read and data written do not meet. A burst is a
// packet, and costs the bytes of its header. A read's data come a latency after the request, and
// requests need not wait for one another: a device that asks for more while it waits keeps the
// lanes busy. A write is done a latency after its data have left. A read's `done` is the arrival of
// its last byte at the device.
//
// With memory_bus.h, a transaction also takes the time that it loses to the processors' copies.
//
// Several buses of one host work at once, and take nothing from each other.
//
// Not modelled: the order of bursts of several devices within their transactions (a transaction
// runs to its end), the individual retries of a delayed read, full posting buffers; of PCI Express,
// requests to read (24 B for up to 512 B of data) on the lanes of writes, flow-control and
// acknowledgement packets (some 8 % of a lane by pcie-bench), credits, switches, an IOMMU.
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

enum bus_kind { BUS_PCI, BUS_PCIE };

struct bus_config {
    int kind;      // enum bus_kind
    int64_t clock; // Hz
    int64_t width; // bytes
    int64_t lanes;
    int64_t lane_rate;  // bits per second and direction
    int64_t rate;       // bytes per second; 0: bus_most_rate
    int64_t read_burst; // bytes
    double read_setup;  // clocks
    int64_t write_burst;
    double write_setup;
    int64_t overhead;       // bytes per burst
    sim_time read_latency;  // ps
    sim_time write_latency; // ps
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

// Requests a transaction of `bytes` now. It runs after all earlier requests (pcie: of its
// direction); `done` is scheduled for its end. `stage` has class STAGE_BUS.
void bus_transfer(struct bus *bus, enum bus_way way, int64_t bytes, struct event *done,
                  const struct stage *stage, struct message_ref message);

// "pci", "pcie".
const char *bus_kind_name(const struct bus_config *config);

// Bytes per second that the bus moves by its width and clock, or by its lanes.
int64_t bus_most_rate(const struct bus_config *config);

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
