// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the simulator's speed on this machine.
//
// hold         the event engine in the hold model, against a bare 4-ary heap in the same process
// star         raw frames through one switch, against the same frames in ns-3
// clos         packets through Clos networks of cut-through switches
// allpairs     a whole stack on a large machine: every node puts to random peers
// streams      transports at full rate, against TCP in ns-3
// messages     short messages of every MPI library, against SMPI
// collectives  messages of collectives of few and of many ranks, at the level of packets
// nas          a parallel program of many short messages, over MPI libraries
// flows        an allreduce of thousands of ranks on flows, against SimGrid used bare
// memory       bytes for each host of a large cluster
//
// Times are of processors, so that other work on the machine changes little; each rate is the best
// of several rounds, between which its peer runs.
#ifndef NETSIM_BENCH_BENCH_H
#define NETSIM_BENCH_BENCH_H

#include "sim/model/model.h"
#include "sim/scenario/scenario.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct series_result;

struct bench_options {
    const struct registry *registry;
    const struct scenario_schema *schema; // of the registry
    const char *data_dir;                 // holds scenarios/ and bench/
    bool quick;                           // less time, more noise
    bool peers;                           // compare with other simulators that are installed
    // Called with what is measured next, and why something is left out; may be NULL.
    void (*say)(const char *text);
};

// A column of a part's table.
struct bench_column {
    const char *header;
    const char *key; // in a row of the part
    // The value as text, which the caller frees; NULL: the value is a text.
    char *(*text)(const json_t *value);
};

struct bench_part {
    const char *name;
    const char *title; // of its table
    // Returns the rows, an array of objects (new reference). A value that could not be measured is
    // null.
    json_t *(*measure)(const struct bench_options *options);
    const struct bench_column *columns; // ends with a NULL header
    bool memory; // measures memory: before those that leave some in the allocator's hands
};

// All of them, in the order of their output; ends with a NULL name.
extern const struct bench_part bench_parts[];

// Measures the parts of these names, or all without names: {"hold": [{"pending", ...}], ...}, with
// the keys of their columns. New reference.
json_t *bench_run(const struct bench_options *options, const char *const *names);

// Prints the results as aligned tables, or in Markdown with the machine that they are from.
void bench_print(const json_t *results, bool markdown, FILE *out);

// ---- The measurements ----

json_t *bench_flows(const struct bench_options *options);
json_t *bench_hold(const struct bench_options *options);
json_t *bench_star(const struct bench_options *options);
json_t *bench_clos(const struct bench_options *options);
json_t *bench_allpairs(const struct bench_options *options);
json_t *bench_streams(const struct bench_options *options);
json_t *bench_messages(const struct bench_options *options);
json_t *bench_collectives(const struct bench_options *options);
json_t *bench_nas(const struct bench_options *options);
json_t *bench_memory(const struct bench_options *options);

// ---- What they share ----

void bench_say(const struct bench_options *options, const char *format, ...) G_GNUC_PRINTF(2, 3);

// Memory in use: what malloc has handed out or, if another allocator replaces it, the resident set.
int64_t bench_bytes_in_use(void);

// Seconds of processors that this process, and those of its children that have ended, have used.
double bench_seconds(void);

// A number, or null if it is 0: nothing was measured.
json_t *bench_number(double value);

// rate / peer, or null if there is none of either.
json_t *bench_ratio(double rate, double peer);

// The scenario of this text, or NULL after errors, which have been printed. Free with
// scenario_free.
struct scenario *bench_scenario(const struct bench_options *options, const char *text);

// Runs the first case of a scenario. Returns how many of `count`, which reads a result, it did per
// second of processor time; 0 if the run was not completed.
double bench_case_rate(const struct bench_options *options, const struct scenario *scenario,
                       double (*count)(const struct series_result *series, void *owner),
                       void *owner);

// Messages of a result: a `count`.
double bench_messages_of(const struct series_result *series, void *owner);

#endif
