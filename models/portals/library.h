// SPDX-License-Identifier: GPL-3.0-or-later
// The Portals 3.2 library: a process's network interface (NI) with its portal table (PT), match
// entries (ME), memory descriptors (MD) and event queues (EQ), and the API calls on them.
//
// A stack over it has a model that stands on this one and lists its operations
// (`.operations = portals_operations`); the stack's schema names PORTALS_OPERATIONS,
// PORTALS_BENCHMARKS and the section "portals", its device is portals_ops.
#ifndef NETSIM_MODELS_PORTALS_LIBRARY_H
#define NETSIM_MODELS_PORTALS_LIBRARY_H

#include "models/portals/nal.h"
#include "models/portals/tables.h"
#include "sim/config/param.h"
#include "sim/core/pool.h"
#include "sim/mpi/process.h"
#include "sim/program/operation_kind.h"

struct portals_message;

struct portals_config {
    int64_t header;                                      // B
    int64_t pid;                                         // of every process
    int64_t entries, descriptors, queues, access, table; // limits that a program asks for
    int64_t slots;                                       // of the first EQ
    struct cost api, dispatch, attach, put, parse, scan, event, finalize, see, cold, first;
};

extern const struct param_table portals_table; // section "portals"

// For the stack's schema.
extern const struct operation_kind portals_operations[];
#define PORTALS_OPERATIONS "put", "get", "attach", "bind", "detach", "event", "equeue"
#define PORTALS_BENCHMARKS "portals.pingpong", "portals.bandwidth", "portals.put"

// The device of processes that use Portals (stack->device). process_size is that of struct
// portals_ni, or of a struct of the stack's own that begins with one.
extern const struct mpi_device_ops portals_ops;

// The interface of a process.
struct portals_ni {
    struct mpi_process *process;
    const struct portals_config *config;
    const struct portals_nal *nal;
    void *nal_process;
    struct portals_id id;
    struct portals_tables tables;
    struct pool messages;                      // struct portals_message
    struct portals_message *open;              // those under way
    int64_t dropped;                           // the NI's drop counter (PTL_SR_DROP_COUNT)
    int64_t overwritten;                       // events lost before they were taken
    bool called;                               // it has put or got
    struct mpi_queue events;                   // requests that wait for events, oldest first
    int64_t unclaimed[PORTALS_EVENTS_COUNTED]; // seen, and wanted by no request yet
    struct {
        int64_t *dropped, *truncated, *overwritten;
    } counters;
};

// Makes the interface of a process whose device begins with it (stack->process_init). `nal_process`
// is the NAL's part of the process. The nid is the host's index. Undone by portals_ni_clear, also
// if it was never made (all zero).
void portals_ni_init(struct portals_ni *ni, struct mpi_process *process,
                     const struct portals_config *config, const struct portals_nal *nal,
                     void *nal_process);
void portals_ni_clear(struct portals_ni *ni);

// For the NAL.
static inline void *portals_nal_process(const struct portals_ni *ni)
{
    return ni->nal_process;
}

static inline const struct portals_config *portals_ni_config(const struct portals_ni *ni)
{
    return ni->config;
}

static inline struct portals_id portals_ni_id(const struct portals_ni *ni)
{
    return ni->id;
}

// Sets the wait, from now on, of the operation of this process whose transfer this is, as the NAL
// knows it ("CTS"). Does nothing for a transfer on which no operation of this process waits.
void portals_transfer_waits(struct portals_transfer *transfer, const struct wait *wait);

#endif
