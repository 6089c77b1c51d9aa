// SPDX-License-Identifier: GPL-3.0-or-later
// How busy each resource of a record was while something was measured, and the length of its queue.
#ifndef NETSIM_EXPLAIN_LOAD_H
#define NETSIM_EXPLAIN_LOAD_H

#include "sim/explain/record.h"

// An interval that was measured.
struct measured_time {
    sim_time from, to; // from < to
    sim_time before;   // the sum of the intervals before it
};

// Intervals, each after the one before: load_time_add() appends one. Free with g_array_unref.
GArray *load_time_new(void);
void load_time_add(GArray *times, sim_time from, sim_time to);
// Their sum, and what of it lies between two times.
sim_time load_time_sum(const GArray *times);
sim_time load_time_within(const GArray *times, sim_time from, sim_time to);

struct resource_load {
    const char *group, *name; // of the lane
    const char *link;         // a link's: "a->b"; else NULL
    const char *ends[2];      // a link's: what it joins; else NULL
    bool processor, works;    // works: has a utilisation; else only a queue
    bool queues;              // its queue was recorded
    double busy;              // share of the measured time, 0 .. 1
    sim_time busy_time;       // the same
    double by_class[RECORD_CLASSES];
    double way;        // share of the measured time in which the critical path was on it
    double mean_queue; // waiting, averaged over time
    int longest_queue;
    const char *largest; // a processor's: the stage that took most of its time; else NULL
};

// The loads of all lanes with any activity in these times (at least one), busiest first. `way` is
// the time of the critical path on each lane (NULL: unknown). Free with g_array_unref.
GArray *load_measure(const struct record *record, const GArray *times, const sim_time *way);

// "node0 cpu 1", "switch0->node1". The caller frees it.
char *load_name(const struct resource_load *load);

#endif
