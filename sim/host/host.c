// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/host/host.h"

#include <glib.h>

#define P struct processor_config
#define K struct kernel_config

static const struct param processor_params[] = {
    PARAM(P, cores, PARAM_COUNT, .fallback = "1", .least = "1", .most = "256",
          .doc = "processors of a host", .source = "testbed"),
    PARAM(P, clock, PARAM_FREQUENCY, .fallback = "1 GHz", .least = "1 MHz",
          .doc = "clock of a processor; costs in cycles count on it", .source = "testbed"),
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

const struct param_table processor_table = {
    .name = "processor",
    .doc = "processors of a host",
    .size = sizeof(struct processor_config),
    .params = processor_params,
    .check = processor_check,
};

static const struct param kernel_params[] = {
    PARAM(K, system_call, PARAM_COST, .fallback = "500 cycles",
          .doc = "entry and exit of an ordinary system call",
          .source = "prior: null system call of Linux 2.4, 0.25..0.4 us"),
    PARAM(K, fast_trap, PARAM_COST, .fallback = "300 cycles",
          .doc = "entry and exit of a fast trap",
          .source = "prior: trap gate without the system-call path"),
    PARAM(K, interrupt_entry, PARAM_COST, .fallback = "4 us",
          .doc = "from the interrupt line to the device's handler",
          .source = "prior: interrupt and service routine 5..10 us in all"),
    PARAM(K, interrupt_exit, PARAM_COST, .fallback = "1 us", .doc = "end of interrupt and return",
          .source = "prior: interrupt and service routine 5..10 us in all"),
    PARAM(K, wake_process, PARAM_COST, .fallback = "1.5 us",
          .doc = "waking a process, charged to who wakes it",
          .source = "prior: wake_up of Linux 2.4, with an interrupt to the other processor"),
    PARAM(K, switch_process, PARAM_COST, .fallback = "7 us",
          .doc = "schedule, context switch and return to user mode, charged to the woken process",
          .source = "prior: lmbench context switch of Linux 2.4 with cache refill"),
    PARAM(K, block_process, PARAM_COST, .fallback = "2 us",
          .doc = "going to sleep, charged to who does", .source = "prior: schedule of Linux 2.4"),
    {0},
};

const struct param_table kernel_table = {
    .name = "kernel",
    .doc = "what the operating system charges",
    .size = sizeof(struct kernel_config),
    .params = kernel_params,
};

struct host *host_new(struct sim *sim, int index, const char *name,
                      const struct host_config *config)
{
    struct host *host = g_new0(struct host, 1);
    host->sim = sim;
    host->index = index;
    host->name = g_intern_string(name);
    host->config = *config;
    host->bus = bus_new(sim, name, &config->bus);
    host->cores = g_new0(struct cpu *, config->processor.cores);
    for (int64_t core = 0; core < config->processor.cores; core++) {
        char *label = g_strdup_printf("cpu %" G_GINT64_FORMAT, core);
        host->cores[core] = cpu_new(sim, name, label, config->processor.clock, true);
        g_free(label);
    }
    struct memory_bus memory = {config->memory.bus_rate, host->cores, config->processor.cores};
    bus_share_memory(host->bus, &memory);
    return host;
}

void host_free(struct host *host)
{
    if (!host)
        return;
    for (int64_t core = 0; core < host->config.processor.cores; core++)
        cpu_free(host->cores[core]);
    g_free(host->cores);
    bus_free(host->bus);
    g_free(host);
}

struct cpu *host_interrupt_core(const struct host *host)
{
    return host->cores[host->config.processor.interrupt_core];
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
