// SPDX-License-Identifier: GPL-3.0-or-later
// The clocks of a free program: `clock` sets one to zero, `lap` notes the time since then or since
// its lap before. The times of a rank's laps are reported as the metrics NAME_mean_us, NAME_min_us
// and NAME_max_us of that rank.
#ifndef NETSIM_MEASURE_CLOCKS_H
#define NETSIM_MEASURE_CLOCKS_H

#include "sim/measure/result.h"
#include "sim/program/program.h"

// The clocks of one rank. Zeroed, there are none.
struct clocks {
    GArray *list; // struct program_clock, in the order of their first use; NULL: none
};

struct program_clock {
    const char *name; // interned
    sim_time since;   // when it was set, or its last lap ended
    int64_t laps;
    sim_time least, most, sum; // of the laps
};

// Sets the clock of that name (interned) to zero at `now`.
void clocks_set(struct clocks *clocks, const char *name, sim_time now);

// Ends a lap. A clock that was never set runs from `began` on, the beginning of the program.
void clocks_lap(struct clocks *clocks, const char *name, sim_time began, sim_time now);

// Adds the three metrics of each clock that has a lap.
void clocks_report(const struct clocks *clocks, int rank, struct series_result *result);

void clocks_clear(struct clocks *clocks);

// Appends the names (g_free) of the metrics that a program's clocks may report, each once.
void clocks_append_metrics(GPtrArray *metrics, const struct program *program);

#endif
