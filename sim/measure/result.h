// SPDX-License-Identifier: GPL-3.0-or-later
// The result of a run: for each series its values, its outcome and the ledger's verdict. Output
// formats are made from this alone.
#ifndef NETSIM_MEASURE_RESULT_H
#define NETSIM_MEASURE_RESULT_H

#include "sim/core/ledger.h"
#include "sim/core/link_load.h"
#include "sim/core/sim.h"

#include <glib.h>
#include <jansson.h>

// One measured value. A metric's name carries its unit: "latency_us", "bandwidth_MB_per_s".
struct result_value {
    int rank;     // -1: of all ranks together
    int64_t size; // message size in bytes, or the unit that the series counts; -1: not of one size
    const char *metric; // interned
    double value;
};

// A counter of trouble (sim_loss_counter).
struct result_loss {
    const char *name; // interned
    enum sim_loss kind;
    int64_t count, before; // before: the part of it before the measurement began
};

// The time of one repetition, if they are kept (workload.samples): see samples.h.
struct result_sample {
    int rank;
    int64_t size; // as in result_value
    double us;
};

// Unusual repetitions of a size.
enum standout_kind {
    STANDOUT_LONGEST, // the longest takes many times the median
    STANDOUT_FIRST,   // the first differs from the others
};

// Such a repetition, of the rank whose time the benchmark reports.
struct result_standout {
    enum standout_kind kind;
    int rank;
    int64_t size;                    // as in result_value
    int64_t repetition, repetitions; // its number, from 1, of how many
    double us, usual_us;             // usual: the median, or the mean of the others
    const char *wait;                // the timer that it waited for, interned or static; or NULL
    double wait_us;                  // the wait of one message, where a repetition has several
};

struct series_result {
    char *name; // of the series
    char *stack;
    int number;           // which of the scenario's series, from 0
    const char *fidelity; // static; NULL: packets
    const char *note;     // interned: what such a run can't show; NULL: nothing
    const char *basis;    // interned: what its costs come from and how far they are off; NULL: none
    const char *counts;   // static: the unit of the sizes ("messages"); NULL: bytes
    enum sim_status status;
    json_t *reason;  // {"kind", "text", …}; NULL if completed
    GArray *values;  // struct result_value, in the order of measuring
    GArray *samples; // struct result_sample, in the order of measuring; NULL: none are kept
    struct ledger_totals ledger;
    bool ledger_balanced;
    GPtrArray *ledger_report; // char *: lines on lost or open messages
    GPtrArray *declined;      // char *: lines on the first declined messages; NULL: there are none
    json_t *counters;         // {"name": value}
    GArray *losses;           // struct result_loss, those above 0, by name
    GPtrArray *links;         // struct link_load *, as network_link_loads; NULL: no packets
    GPtrArray *link_sizes;    // struct link_size *, as link_sizes_end; NULL: not kept apart
    GArray *standouts;        // struct result_standout, in the order of measuring
    bool faults;              // links were configured to lose or corrupt packets
    uint64_t events;
    uint64_t fingerprint;
    sim_time simulated;
    double wall_s;
};

struct result {
    char *scenario;
    uint64_t seed;
    GPtrArray *series;        // struct series_result *
    GPtrArray *idle_settings; // char *: of the command line, "tcp.mtu=1400 B", without effect
};

struct result *result_new(const char *scenario, uint64_t seed);
void result_free(struct result *result);
struct series_result *series_result_new(const char *name, const char *stack);
void series_result_free(struct series_result *series);
void series_result_add(struct series_result *series, int rank, int64_t size, const char *metric,
                       double value);

// Returns the worst status of all series, in the order of enum sim_status.
enum sim_status result_status(const struct result *result);

// Sums over the series; the fingerprint mixes theirs in order.
uint64_t result_events(const struct result *result);
uint64_t result_fingerprint(const struct result *result);

// The same step by step: from RESULT_FINGERPRINT_START, add the fingerprint of each of the series.
#define RESULT_FINGERPRINT_START 0
uint64_t result_fingerprint_add(uint64_t hash, uint64_t fingerprint);

double result_wall_s(const struct result *result);
sim_time result_simulated(const struct result *result);
struct ledger_totals result_ledger(const struct result *result);

// How sizes that count something are shown along the axis of a plot. `counts` as in struct
// series_result.
struct size_axis {
    const char *label, *unit; // static, or `counts`; unit "": none
    bool linear;              // else logarithmic
};
struct size_axis size_axis_of(const char *counts);

// The unit of a metric, from its name: "latency_us" is in us, "bandwidth_MB_per_s" in MB/s; "" if
// it has none.
const char *metric_unit(const char *metric);

// The sign of a change for the worse: 1 of times, -1 of rates ("..._per_s"), 0 of metrics of which
// neither more nor less is worse by name.
int metric_worse_sign(const char *metric);

#endif
