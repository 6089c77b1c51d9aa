// SPDX-License-Identifier: GPL-3.0-or-later
// A host: cores, memory, I/O buses, the costs of its operating system for entering the kernel and
// for waking a process, and the chance in all that.
#ifndef NETSIM_HOST_HOST_H
#define NETSIM_HOST_HOST_H

#include "sim/host/bus.h"
#include "sim/host/chance.h"
#include "sim/host/memory.h"
#include "sim/host/processor.h"
#include "sim/host/stages.h"

#include <glib.h>

struct processor_config {
    int64_t cores;
    int64_t clock;      // Hz
    double cycle_ratio; // its cycles per cycle of the reference, see processor_rate
    int64_t interrupt_core;
};

struct kernel_config {
    struct cost system_call;
    struct cost fast_trap;
    sim_time interrupt_latency; // ps
    sim_time interrupt_ack;     // ps
    struct cost interrupt_entry;
    struct cost interrupt_exit;
    sim_time interrupt_unmask;  // ps
    struct cost wake_process;   // charged to the waker
    sim_time wake_other;        // ps
    struct cost switch_process; // charged to the woken process
    int64_t process_set;        // bytes
    struct cost block_process;  // charged to the sleeper
    struct cost wake_thread;    // charged to the waker
    struct cost switch_thread;  // charged to the woken thread
};

struct host_config {
    struct processor_config processor;
    struct memory_config memory;
    struct bus_config bus;
    struct kernel_config kernel;
    struct phase_config phase;
    struct noise_config noise;
};

// Cycles of the reference processor, in which the tables give costs, that this processor does per
// second. The reference is a processor of 2000 and 2001 (Athlon MP, Pentium III with its L2 on the
// die).
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
    GPtrArray *more_buses;    // struct bus *, from host_add_bus
    struct host_noise *noise; // NULL: none
};

// Copies the config. The caller frees the host with host_free.
struct host *host_new(struct sim *sim, int index, const char *name,
                      const struct host_config *config);
void host_free(struct host *host);

// Adds a bus besides the host's own. The host frees it. Call it before the first transaction.
struct bus *host_add_bus(struct host *host, const char *name, const struct bus_config *config);

struct cpu *host_interrupt_core(const struct host *host);

// The copy source for data that the interrupt handler has touched last (a received frame copied or
// checksummed): they are in the interrupt core's cache and in no other.
enum copy_source host_received_source(const struct host *host, const struct cpu *cpu);

// A device raises an interrupt; `service` handles it. Call it from an event.
void host_interrupt(const struct host *host, struct cpu_task *service);

// Charge an interrupt's entry into the kernel, with its noise, and its exit.
void host_interrupt_enter(struct cpu_context *context, const struct host *host);
void host_interrupt_leave(struct cpu_context *context, const struct host *host);

// Charges a woken process, or a thread of one, for the time until it runs: the message to its
// processor if that is not the interrupt core, the switch to it in cycles, and the refill of its
// first-level cache, a time of the memory that has the process's set (the second-level cache).
void host_switch_in(struct cpu_context *context, const struct host *host);

// A thread of the kernel is a task of CPU_KERNEL that sleeps between its pieces of work. It has no
// address space of its own and does not return to user mode, so it is woken and switched to at
// costs of its own (kernel.wake_thread, kernel.switch_thread).

// Wakes such a thread at the context's now, after charging the waker. A caller that knows the
// thread to be awake need not wake it again, and pays nothing then.
void host_wake_thread(struct cpu_context *context, const struct host *host,
                      struct cpu_task *thread);

// Like host_switch_in, for a woken thread when it begins to run.
void host_thread_switch_in(struct cpu_context *context, const struct host *host);

// The core of the host's n-th kernel thread. Threads take the cores in the opposite order of
// processes: the first one the interrupt core, where what wakes it most often happens, the next the
// core before it. So the first thread shares its core with the first process only if there is but
// one core, and n threads and m processes share none while n + m are no more than the cores.
struct cpu *host_thread_core(const struct host *host, int nth);

// The core of the host's n-th process. With more than one core, processes avoid the interrupt core
// as long as they can.
struct cpu *host_process_core(const struct host *host, int nth);

#endif
