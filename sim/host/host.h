// SPDX-License-Identifier: GPL-3.0-or-later
// A host: cores, memory, an I/O bus and what its operating system charges for entering the kernel
// and for waking a process.
#ifndef NETSIM_HOST_HOST_H
#define NETSIM_HOST_HOST_H

#include "sim/host/bus.h"
#include "sim/host/memory.h"
#include "sim/host/processor.h"

struct processor_config {
    int64_t cores;
    int64_t clock;          // Hz
    int64_t interrupt_core; // core that device interrupts go to
};

struct kernel_config {
    struct cost system_call;     // entry and exit of an ordinary system call (ioctl)
    struct cost fast_trap;       // entry and exit of a trap that skips the system-call path
    struct cost interrupt_entry; // from the interrupt line to the device's handler
    struct cost interrupt_exit;
    struct cost wake_process; // charged to who wakes: the scheduler's wake_up, the inter-processor
                              // interrupt
    struct cost switch_process; // charged to the woken: schedule, context switch, return to user
                                // mode
    struct cost block_process;  // charged to who goes to sleep
};

struct host_config {
    struct processor_config processor;
    struct memory_config memory;
    struct bus_config bus;
    struct kernel_config kernel;
};

extern const struct param_table processor_table;
extern const struct param_table kernel_table;

struct host {
    struct sim *sim;
    int index;
    const char *name; // interned
    struct host_config config;
    struct cpu **cores; // config.processor.cores of them
    struct bus *bus;
};

// Copies the config. Free with host_free.
struct host *host_new(struct sim *sim, int index, const char *name,
                      const struct host_config *config);
void host_free(struct host *host);

struct cpu *host_interrupt_core(const struct host *host);

// How a processor finds data that the interrupt handler has touched last (a received frame copied
// or checksummed): in the cache of the interrupt core, and in no other's.
enum copy_source host_received_source(const struct host *host, const struct cpu *cpu);

// The core that the host's n-th process runs on: with more than one core, processes keep clear of
// the interrupt core as long as they can.
struct cpu *host_process_core(const struct host *host, int nth);

#endif
