// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program over ARMCI and keeps its transitions with their times, for tests that compare
// their order.
//
// A line is written as in the state log, without its time and place: "put[1] BUFFER -> COPYS
// buffer 1: 400000 B at 0", "data server[1] COPYR 400000 B at 0". Lines of components below ARMCI
// are kept as well. Sorted by time; what happened at one time stays in the order of the run.
#ifndef NETSIM_TESTS_SUPPORT_ARMCI_RUN_H
#define NETSIM_TESTS_SUPPORT_ARMCI_RUN_H

#include "sim/core/time.h"
#include "sim/workload/result.h"

#include <glib.h>

#define ARMCI_MOST_RANKS 8

// What a test runs: ranks on `hosts` nodes of two processors (0: a node each) and one switch.
struct armci_program {
    int ranks, hosts;
    const char *sets[24];              // "armci.put=sequential", ends with NULL
    const char *ops[ARMCI_MOST_RANKS]; // of each rank, "{put: {to: 1, size: 1 KiB}}, barrier"
    const char *all;                   // of every rank, after its own; or NULL
};

struct armci_line {
    sim_time when;
    const char *where; // interned: "rank 0", "data server node1"
    char *text;
};

struct armci_run {
    struct series_result *result;
    GPtrArray *lines; // struct armci_line *
};

// What is wrong with the program fails the running case and ends it.
struct armci_run *armci_run(const struct armci_program *program);
void armci_run_free(struct armci_run *run);

// The same, and fails the running case unless the run completes with balanced books.
struct armci_run *armci_run_good(const struct armci_program *program);

// Lines of a place that contain a text: how many; and when the nth of them was, from 1 (-1: there
// are not so many).
int armci_run_count(const struct armci_run *run, const char *where, const char *part);
sim_time armci_run_when(const struct armci_run *run, const char *where, const char *part, int nth);

// All lines of a place that begin with `machine`, each ended by a line feed; the caller frees it.
char *armci_run_text(const struct armci_run *run, const char *where, const char *machine);

int64_t armci_run_counter(const struct armci_run *run, const char *name);

// Part of the sentence that says why the run ended; "" if it completed. The caller frees it.
char *armci_run_reason(const struct armci_run *run);

#endif
