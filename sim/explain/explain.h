// SPDX-License-Identifier: GPL-3.0-or-later
// Explains where the time of a message goes: runs one series as `netsim run` does, and splits up
// the critical path of the sizes that are asked for.
#ifndef NETSIM_EXPLAIN_EXPLAIN_H
#define NETSIM_EXPLAIN_EXPLAIN_H

#include "sim/explain/load.h"
#include "sim/run/run.h"

// A part of the time: of the critical path ("wire"), or of a process's sleep ("an ACK").
struct explain_part {
    const char *name;  // interned or static
    const char *class; // of a stage (sim/core/stage.h); of a part of a wait, the wait; else ""
    sim_time time;     // sum over all messages
};

// One series at one size. The parts of `path` add up to `total` exactly.
struct explanation {
    int64_t size;       // -1: a free program
    const char *counts; // static: the unit of a size that counts something; NULL: bytes
    enum sim_status status;
    bool done;    // else the run failed, or measured nothing
    char *why;    // why it is not done; or NULL
    char *report; // on a run that failed: what each rank waits for, and for which peer; or NULL
    json_t *reason;
    int rank;         // whose time it is: the slowest's
    int64_t messages; // messages that `total` covers
    bool over_time;   // of a benchmark over time: a buffer of it; it has no sizes
    // Of a benchmark: explained here, and measured by a run of the scenario; 0: a free program, or
    // a benchmark over time.
    int64_t repetitions, run_repetitions;
    bool whole; // all repetitions are measured together: `total` is that of a program
    bool added; // the size, not one of the scenario's, was run by itself
    // The run was too long to be recorded, so its size was run by itself with these repetitions;
    // what the run has measured.
    bool shortened;
    sim_time run_total;
    int64_t run_messages; // that run_total covers
    sim_time total;
    GArray *path; // struct explain_part, largest first; the waits that held it up are stages
    // struct explain_part: the stages on the path that ended each wait. The stages of one wait add
    // up to its part of `path` exactly.
    GArray *held;
    GArray *sleeps; // struct explain_part, largest first: the rank's, by what it waited for
    GArray *loads;  // struct resource_load, busiest first
    // The path by class alone, including what was waited for.
    sim_time work[STAGE_CLASSES];
    int64_t steps;      // messages with packets on the path, one after the other
    GPtrArray *choices; // char *, by algorithm_text: what decides how it is done
                        // explain_try
    GPtrArray *trials;  // struct explain_trial *; empty: nothing was tried (sim/explain/trial.h)
    char *bound;        // a sentence on what helped; NULL: nothing was tried
};

// The run to explain: a case, and what of it.
struct explain_run {
    const struct registry *registry;
    const struct scenario_case *test_case;
    uint64_t seed;
    // A message size of its benchmark; EXPLAIN_ALL: all. No matter for a free program and a
    // benchmark that takes no sizes.
    int64_t size;
    // The size is run by itself with so many repetitions; 0: as `run` does, after the sizes before
    // it.
    int64_t repetitions;
    guint most_pieces;         // of the record; 0: RECORD_MOST_PIECES
    double time_limit_s;       // wall clock, of all runs together; 0: none
    int64_t wall_end;          // when these end (g_get_monotonic_time)
    void (*beat)(void *owner); // polled during each run; NULL: none
    void *beat_owner;
};

#define EXPLAIN_ALL (-1)

// The largest number of repetitions of a size whose record in a whole run would be too long.
#define EXPLAIN_REPETITIONS 20

// Explains the size, or each of them in the order of the run. Returns struct explanation *, at
// least one; free with g_ptr_array_unref.
GPtrArray *explain_case(const struct explain_run *run);

// The same run of one size without a record: stores the measured time and the messages that it
// covers, or returns false and sets *why to a sentence that the caller frees.
bool explain_measure(const struct explain_run *run, sim_time *total, int64_t *messages, char **why);
void explanation_free(struct explanation *found);

// Frees one of the trials (trial.h) of an explanation.
struct explain_trial;
void explain_trial_free(struct explain_trial *trial);

// Adds time to the part with that name and class, keeping parts sorted by time, largest first.
void explain_add(GArray *parts, const char *name, const char *class, sim_time time);
void explain_sort(GArray *parts);

// The time of the stages of a class.
sim_time explain_class_time(const struct explanation *found, const char *class);

// The time of a part per message, in us.
double explain_us(const struct explanation *found, sim_time time);

#endif
