// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/host/host.h"

#include "sim/core/intern.h"

#include <glib.h>

#define P struct processor_config
#define K struct kernel_config

static const struct param processor_params[] = {
    PARAM(P, cores, PARAM_COUNT, .fallback = "1", .least = "1", .most = "256",
          .doc = "processors of a host", .source = "testbed"),
    PARAM(P, clock, PARAM_FREQUENCY, .fallback = "1 GHz", .least = "1 MHz",
          .doc = "clock of a processor; costs in cycles count on it", .source = "testbed"),
    PARAM(P, cycle_ratio, PARAM_REAL, .fallback = "1", .least = "0.01", .most = "100",
          .doc = "its cycles for the work of one cycle of the reference, an Athlon MP or Pentium "
                 "III of 2001",
          .source = "prior: SPECint2000 per MHz, 0.43..0.45 of both, each with its best compiler",
          .prior = "within 1.1"),
    PARAM(P, interrupt_core, PARAM_COUNT, .fallback = "0", .most = "255",
          .doc = "core that serves device interrupts", .source = "Linux 2.4 default routing"),
    {0},
};

static void processor_check(const void *values, const struct param_values *report)
{
    const struct processor_config *config = values;
    if (config->interrupt_core >= config->cores)
        param_complain(report, "interrupt_core", "cores count from 0",
                       "there is no core %" G_GINT64_FORMAT " in a host with %" G_GINT64_FORMAT,
                       config->interrupt_core, config->cores);
}

const struct param_table processor_table =
    PARAM_TABLE(struct processor_config, processor_params, .name = "processor",
                .doc = "processors of a host", .check = processor_check);

static const struct param kernel_params[] = {
    PARAM(K, system_call, PARAM_COST, .fallback = "500 cycles",
          .doc = "entry and exit of an ordinary system call",
          .source = "prior: null system call of Linux 2.4, 0.25..0.4 us",
          .prior = "350 cycles .. 600 cycles"),
    PARAM(K, fast_trap, PARAM_COST, .fallback = "300 cycles",
          .doc = "entry and exit of a fast trap",
          .source = "prior: trap gate without the system-call path"),
    PARAM(K, interrupt_latency, PARAM_DURATION, .fallback = "1.6 us",
          .doc = "from the interrupt line to the processor, which meanwhile goes on",
          .source =
              "prior: an I/O APIC's message of 21..34 clocks of a bus of 16.7 MHz (Lundell on "
              "linux-kernel, 2001-10-08: 35..48 with the 14 of the end of interrupt)",
          .prior = "1.26 us .. 2.04 us"),
    PARAM(K, interrupt_ack, PARAM_DURATION, .fallback = "0 s",
          .doc = "masking and acknowledging at the interrupt controller before the handler runs",
          .source =
              "Linux 2.4 with an I/O APIC acknowledges a level-triggered interrupt at its end"),
    PARAM(K, interrupt_entry, PARAM_COST, .fallback = "1000 cycles",
          .doc = "the kernel's way from the processor's vector to the device's handler",
          .source = "prior: 500 cycles warm, 2000 cold (linux-kernel, 2003-02-10, \"interrupt "
                    "latency\")",
          .prior = "500 cycles .. 2000 cycles"),
    PARAM(K, interrupt_exit, PARAM_COST, .fallback = "500 cycles",
          .doc = "end of interrupt, a look for softirqs and return",
          .source = "prior: half of the way in", .with = "host.kernel.interrupt_entry"),
    PARAM(K, interrupt_unmask, PARAM_DURATION, .fallback = "100 ns",
          .doc = "unmasking, or end of interrupt, at the interrupt controller",
          .source = "prior: an uncached write to the local APIC"),
    PARAM(K, wake_process, PARAM_COST, .fallback = "800 cycles",
          .doc = "waking a process, charged to who wakes it",
          .source = "prior: try_to_wake_up and reschedule_idle of Linux 2.4"),
    PARAM(K, wake_other, PARAM_DURATION, .fallback = "1.3 us",
          .doc = "until a processor other than that of interrupts hears of a process woken for it",
          .source = "prior: an interrupt between processors, 21 clocks of an APIC bus of 16.7 MHz"),
    PARAM(
        K, switch_process, PARAM_COST, .fallback = "850 cycles",
        .doc = "schedule, context switch and return to user mode, charged to the woken process, "
               "before its cache has its memory again",
        .source =
            "prior: 700..1000 cycles, lmbench's 2p/0K of Linux 2.4.19, 0.87..1.00 us at 789 MHz "
            "(linux-kernel, 2003-04-12); kernels for several processors, with wake_other: 1580 at "
            "548 MHz (2002-09-08), 2350..2590 at 550 (linux-mm, 2001-07-08)",
        .prior = "700 cycles .. 1800 cycles"),
    PARAM(K, process_set, PARAM_SIZE, .fallback = "16 KiB", .most = "1 GiB",
          .doc = "memory that a process uses again when it is switched to, all of which comes back "
                 "to its first-level cache (host.memory.refill); 0: switch_process includes it",
          .source =
              "assumed: at most the first-level cache of a Pentium II or III, as in lmbench's "
              "2p/16K (no set of an MPI process was found)",
          .prior = "4 KiB .. 16 KiB"),
    PARAM(K, block_process, PARAM_COST, .fallback = "1600 cycles",
          .doc = "going to sleep, charged to who does",
          .source = "prior: schedule of Linux 2.4, 2 us at 800 MHz"),
    PARAM(K, wake_thread, PARAM_COST, .fallback = "800 cycles",
          .doc = "waking a thread of the kernel, charged to who wakes it",
          .source = "prior: as wake_process, the same functions of Linux 2.4",
          .with = "host.kernel.wake_process"),
    PARAM(K, switch_thread, PARAM_COST, .fallback = "3000 cycles",
          .doc = "schedule and context switch to a woken thread of the kernel, charged to it",
          .source = "prior: lmbench with cold caches, 1.5..3 us at 2.2 GHz, without another "
                    "address space and the return to user mode"),
    {0},
};

const struct param_table kernel_table =
    PARAM_TABLE(struct kernel_config, kernel_params, .name = "kernel",
                .doc = "what the operating system charges");

int64_t processor_rate(const struct processor_config *config)
{
    return MAX((int64_t)((double)config->clock / config->cycle_ratio + 0.5), 1);
}

static void share_memory(const struct host *host, struct bus *bus)
{
    const struct host_config *config = &host->config;
    struct memory_bus memory = {config->memory.bus_rate, host->cores, config->processor.cores};
    bus_share_memory(bus, &memory);
}

struct host *host_new(struct sim *sim, int index, const char *name,
                      const struct host_config *config)
{
    struct host *host = g_new0(struct host, 1);
    host->sim = sim;
    host->index = index;
    host->name = intern_text(name);
    host->config = *config;
    host->bus = bus_new(sim, host->name, "bus", &config->bus);
    host->more_buses = g_ptr_array_new_with_free_func((GDestroyNotify)bus_free);
    host->cores = g_new0(struct cpu *, config->processor.cores);
    for (int64_t core = 0; core < config->processor.cores; core++) {
        char *label = g_strdup_printf("cpu %" G_GINT64_FORMAT, core);
        host->cores[core] = cpu_new(sim, name, label, processor_rate(&config->processor), true);
        g_free(label);
    }
    share_memory(host, host->bus);
    host->noise = host_noise_new(sim, name, &config->noise, config->phase.tick, host->cores,
                                 config->processor.cores);
    return host;
}

struct bus *host_add_bus(struct host *host, const char *name, const struct bus_config *config)
{
    char *label = g_strdup_printf("bus %s", name);
    struct bus *bus = bus_new(host->sim, host->name, intern_text(label), config);
    g_free(label);
    share_memory(host, bus);
    g_ptr_array_add(host->more_buses, bus);
    return bus;
}

void host_free(struct host *host)
{
    if (!host)
        return;
    host_noise_free(host->noise);
    for (int64_t core = 0; core < host->config.processor.cores; core++)
        cpu_free(host->cores[core]);
    g_free(host->cores);
    bus_free(host->bus);
    g_ptr_array_unref(host->more_buses);
    g_free(host);
}

struct cpu *host_interrupt_core(const struct host *host)
{
    return host->cores[host->config.processor.interrupt_core];
}

void host_interrupt(const struct host *host, struct cpu_task *service)
{
    sim_time now = sim_now(host->sim), when = now + host->config.kernel.interrupt_latency;
    trace_delay(host->sim->trace, cpu_lane(service->cpu), &stage_interrupt_line, now, when,
                MESSAGE_NONE);
    cpu_wake_at(service, when);
}

void host_interrupt_enter(struct cpu_context *context, const struct host *host)
{
    host_noise_interrupt(context, host->noise);
    cpu_spend_time(context, host->config.kernel.interrupt_ack, &stage_interrupt);
    cpu_spend(context, host->config.kernel.interrupt_entry, &stage_interrupt);
}

void host_interrupt_leave(struct cpu_context *context, const struct host *host)
{
    cpu_spend(context, host->config.kernel.interrupt_exit, &stage_interrupt);
    cpu_spend_time(context, host->config.kernel.interrupt_unmask, &stage_interrupt);
}

static void switch_in(struct cpu_context *context, const struct host *host, struct cost cost)
{
    if (context->cpu != host_interrupt_core(host))
        cpu_spend_time(context, host->config.kernel.wake_other, &stage_wake_up);
    host_noise_wake_up(context, host->noise);
    cpu_spend(context, cost, &stage_wake_up);
}

void host_switch_in(struct cpu_context *context, const struct host *host)
{
    const struct host_config *config = &host->config;
    switch_in(context, host, config->kernel.switch_process);
    if (config->kernel.process_set > 0)
        cpu_spend_time(context, time_at_rate(config->kernel.process_set, config->memory.refill),
                       &stage_wake_up);
}

void host_wake_thread(struct cpu_context *context, const struct host *host, struct cpu_task *thread)
{
    cpu_spend(context, host->config.kernel.wake_thread, &stage_wake_up);
    cpu_post_wake(context, thread);
}

void host_thread_switch_in(struct cpu_context *context, const struct host *host)
{
    switch_in(context, host, host->config.kernel.switch_thread);
}

enum copy_source host_received_source(const struct host *host, const struct cpu *cpu)
{
    return cpu == host_interrupt_core(host) ? COPY_WARM : COPY_COLD;
}

struct cpu *host_process_core(const struct host *host, int nth)
{
    const struct processor_config *processor = &host->config.processor;
    return host->cores[(processor->interrupt_core + 1 + nth) % processor->cores];
}

struct cpu *host_thread_core(const struct host *host, int nth)
{
    const struct processor_config *processor = &host->config.processor;
    int64_t back = nth % processor->cores;
    return host->cores[(processor->interrupt_core + processor->cores - back) % processor->cores];
}
