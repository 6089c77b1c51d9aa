// SPDX-License-Identifier: GPL-3.0-or-later
// A made-up world for the configuration compiler: three stacks, three benchmarks, a few tables. No
// simulator needed.
#ifndef NETSIM_TESTS_SUPPORT_FAKE_SCHEMA_H
#define NETSIM_TESTS_SUPPORT_FAKE_SCHEMA_H

#include "sim/scenario/scenario.h"
#include "sim/scenario/topology_read.h"

struct fake_memory {
    int64_t copy_hot, copy_cold, cache; // B/s; B
    struct cost pin;
};

struct fake_bus {
    int64_t clock; // Hz
    int64_t width; // bytes
};

struct fake_rpi {
    int64_t tiny, short_, area; // bytes
    int policy;
    bool cache;
    const char *label;
};

struct fake_gm {
    int64_t tokens; // must be given
};

struct fake_link {
    int64_t rate; // bits a second
    sim_time delay;
    double loss;
    struct param_counts drop;
    struct param_windows down;
};

struct fake_switch {
    int64_t ports;
    sim_time latency;
    int64_t forwarding; // B/s
};

// The keys of the workload that fake.scan has of its own.
struct fake_scan {
    int64_t window;
    int64_t unit; // bytes
    int way;
};

enum fake_policy { FAKE_LRU, FAKE_FIFO };

extern const struct scenario_schema fake_schema;
extern const struct param_table fake_memory_table, fake_bus_table, fake_rpi_table, fake_gm_table,
    fake_link_table, fake_switch_table, fake_scan_table;

// Compiles a text called "t.yaml" in the made-up world. On success *scenario is set if it is asked
// for; returns the complaints, one per line. The caller frees both.
char *fake_compile(const char *text, const char *const *sets, struct scenario **scenario);

// Like fake_compile, but for a file.
char *fake_load(const char *file, const struct scenario_options *options,
                struct scenario **scenario);

// The diagnostics of a list, as text; the caller frees it.
char *fake_complaints(const struct diag_list *diags);

// Hosts, switches and links of a text, and what there is to complain about them.
struct fake_topology {
    struct topology topology;
    char *complaints;
};

// A text that is not YAML ends the program. Give it to fake_topology_clear.
struct fake_topology fake_topology(const char *text);
void fake_topology_clear(struct fake_topology *read);

// "n0.eth0-s n1.eth0*-s": all links by name, with * where the card is not used; the caller frees
// it.
char *fake_topology_links(const struct fake_topology *read);

#endif
