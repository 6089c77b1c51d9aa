// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the simulator's speed on this machine.
//
// hold      the event engine in the hold model, against a bare 4-ary heap in the same process
// star      raw frames through one switch, against the same frames in ns-3 where that is installed
// clos      packets through Clos networks of cut-through switches
// allpairs  a whole stack on a large machine: every node puts to random peers
// streams   transports at full rate, against TCP in ns-3 where that is installed
// pingpong  the MPI stack of the first series of scenarios/pingpong_cluster1.yaml
// nas       a parallel program of many short messages, over MPI libraries
// flows     an allreduce of thousands of ranks on flows, against SimGrid used bare
// memory    bytes for each host of a large cluster
#ifndef NETSIM_BENCH_BENCH_H
#define NETSIM_BENCH_BENCH_H

#include "sim/model/model.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct bench_options {
    const struct registry *registry;
    const struct scenario_schema *schema; // of the registry
    const char *data_dir;                 // holds scenarios/ and bench/
    bool quick;                           // less time, more noise
    bool ns3;                             // compare with ns-3 if it is installed
    // Called with what is measured next, and why something is left out; may be NULL.
    void (*say)(const char *text);
};

// All of it: {"hold": [{"pending", "events_per_s", "bare_heap_events_per_s"}], "star": [{"hosts",
// "frames_per_s", "hops_per_s", "ns3_frames_per_s", "ratio"}], "clos": [{"hosts",
// "packet_hops_per_s"}], "allpairs": [{"hosts", "packets_per_s", "packet_hops_per_s",
// "bytes_per_host"}], "streams": [{"transport", "packets_per_s", "ns3_tcp_packets_per_s",
// "ratio"}], "pingpong": {"messages_per_s"}, "nas": [{"stack", "messages_per_s", "class_a_s"}],
// "memory": {"hosts", "bytes_per_host"}, "flows": [{"network", "ranks", "wall_s", "cpu_s",
// "messages", "messages_per_cpu_s", "bytes", "simgrid_cpu_s", "simgrid_messages_per_cpu_s",
// "simgrid_bytes", "ratio"}]}. Values that could not be measured are null. New reference.
//
// Of flows: the process from its start to its end, with all that it starts: the scenario is read,
// the machine built and the stack's curve measured in it, too. `bytes` is the largest memory of a
// process of them, resident; `ratio` is of the messages per second of processor time to SimGrid's.
json_t *bench_run(const struct bench_options *options);

// Prints the results as aligned tables.
void bench_print(json_t *results, FILE *out);

// ---- The parts; each returns its member of the above ----

json_t *bench_flows(const struct bench_options *options);
json_t *bench_hold(const struct bench_options *options);
json_t *bench_star(const struct bench_options *options);
json_t *bench_clos(const struct bench_options *options);
json_t *bench_allpairs(const struct bench_options *options);
json_t *bench_streams(const struct bench_options *options);
json_t *bench_pingpong(const struct bench_options *options);
json_t *bench_nas(const struct bench_options *options);
json_t *bench_memory(const struct bench_options *options);

void bench_say(const struct bench_options *options, const char *format, ...) G_GNUC_PRINTF(2, 3);

// Memory in use: what malloc has handed out or, if another allocator replaces it, the resident set.
int64_t bench_bytes_in_use(void);

// Seconds since an arbitrary moment, for differences.
double bench_seconds(void);

#endif
