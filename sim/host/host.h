// SPDX-License-Identifier: GPL-3.0-or-later
// A host: cores, memory, an I/O bus and what its operating system charges for entering the kernel
// and for waking a process.
#ifndef NETSIM_HOST_HOST_H
#define NETSIM_HOST_HOST_H

#include "sim/host/bus.h"
#include "sim/host/memory.h"
#include "sim/host/processor.h"
#include "sim/host/stages.h"

struct processor_config {
    int64_t cores;
    int64_t clock;          // Hz
    double cycle_ratio;     // its cycles for the work of one of the reference, see processor_rate
    int64_t interrupt_core; // core that device interrupts go to
};

struct kernel_config {
    struct cost system_call;     // entry and exit of an ordinary system call (ioctl)
    struct cost fast_trap;       // entry and exit of a trap that skips the system-call path
    sim_time interrupt_latency;  // from the interrupt line to the processor, which goes on so long
    sim_time interrupt_ack;      // the processor masks and acknowledges at the controller
    struct cost interrupt_entry; // the kernel's way to the device's handler
    struct cost interrupt_exit;  // and back
    sim_time interrupt_unmask;   // the processor unmasks at the controller
    struct cost wake_process;    // charged to who wakes: the scheduler's wake_up
    sim_time wake_other;         // until another processor, which idles, hears of it
    struct cost switch_process;  // charged to the woken: schedule, context switch, return to user
                                 // mode
    struct cost block_process;   // charged to who goes to sleep
};

struct host_config {
    struct processor_config processor;
    struct memory_config memory;
    struct bus_config bus;
    struct kernel_config kernel;
};

// Cycles a second of the reference processor in which the tables give costs: those that this one
// does the work of. The reference is a processor of 2000 and 2001 (Athlon MP, Pentium III with its
// L2 on the die).
int64_t processor_rate(const struct processor_config *config);

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

// From an event: a device asks for an interrupt, which `service` is to treat.
void host_interrupt(const struct host *host, struct cpu_task *service);

// Charge an interrupt's way into the kernel, and out of it.
void host_interrupt_enter(struct cpu_context *context, const struct host *host);
void host_interrupt_leave(struct cpu_context *context, const struct host *host);

// Charges a woken process, or thread of the kernel, for what it takes until it runs: the message
// to its processor if that is not the one of interrupts, and the switch to it.
void host_switch_in(struct cpu_context *context, const struct host *host);

// The core that the host's n-th process runs on: with more than one core, processes keep clear of
// the interrupt core as long as they can.
struct cpu *host_process_core(const struct host *host, int nth);

#endif
