// SPDX-License-Identifier: GPL-3.0-or-later
// One simulation: the engine, the books, the trace and the way it ended. Every component is given
// its `struct sim`; nothing is global, so several can live in one process.
#ifndef NETSIM_CORE_SIM_H
#define NETSIM_CORE_SIM_H

#include "sim/core/capture.h"
#include "sim/core/engine.h"
#include "sim/core/ledger.h"
#include "sim/core/trace.h"

#include <glib.h>
#include <jansson.h>
#include <stdint.h>

// How a simulation ended, from good to bad. Lost: the program came to its end, and the ledger is
// not balanced, so what was measured is no result.
enum sim_status { SIM_COMPLETED, SIM_LOST, SIM_DEADLOCK, SIM_FAILED };

struct sim {
    struct engine *engine;
    struct ledger *ledger;
    struct trace *trace;     // NULL: nothing is traced. Not owned.
    struct capture *capture; // NULL: no frames are captured; set before the hosts are made. Not
                             // owned.
    uint64_t seed;
    enum sim_status status;
    json_t *reason; // why it did not complete: {"kind", "text", "time_us", …}; NULL if it did
    // By name, struct sim_counter * owned by the table; reached through sim_counter once, then
    // bumped directly.
    GHashTable *counters;
    bool faults;    // some link loses or spoils packets because it was asked to
    bool measuring; // sim_measurement_begins was called
};

// What a counter says went wrong on the way, if anything did. People are told of it whether or not
// they look at counters.
enum sim_loss {
    LOSS_NONE,
    LOSS_DROPPED,  // packets that did not come to their end
    LOSS_REPEATED, // packets or messages that were sent once more
    LOSS_TIMEOUT,  // timers that ran out because nothing came
};

struct sim_counter {
    int64_t value;
    enum sim_loss loss;
    int64_t before; // of the value: what was there when the measurement began
};

struct sim *sim_new(uint64_t seed, struct trace *trace);
void sim_free(struct sim *sim);

static inline sim_time sim_now(const struct sim *sim)
{
    return engine_now(sim->engine);
}

// The counter of that name, made at 0 if new; valid as long as the simulation.
int64_t *sim_counter(struct sim *sim, const char *name);

// The same, of what goes wrong on the way.
int64_t *sim_loss_counter(struct sim *sim, const char *name, enum sim_loss loss);

// From here on what goes wrong concerns what is measured; the first call holds.
void sim_measurement_begins(struct sim *sim);

// Ends the run: what happened first is what is reported. `detail` (a new reference, may be NULL) is
// an object whose members join the reason beside kind, text and time_us. `kind` is a word
// ("connection_broken"), `format` a sentence that says what, where and which setting would avoid
// it.
void sim_fail(struct sim *sim, enum sim_status status, const char *kind, json_t *detail,
              const char *format, ...) G_GNUC_PRINTF(5, 6);

const char *sim_status_name(enum sim_status status);

#endif
