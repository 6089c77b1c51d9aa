// SPDX-License-Identifier: GPL-3.0-or-later
// One simulation: the engine, the ledger, the trace and the outcome. Every component is given its
// `struct sim`; nothing is global, so several simulations can coexist in one process.
#ifndef NETSIM_CORE_SIM_H
#define NETSIM_CORE_SIM_H

#include "sim/core/capture.h"
#include "sim/core/engine.h"
#include "sim/core/ledger.h"
#include "sim/core/trace.h"

#include <glib.h>
#include <jansson.h>
#include <stdint.h>

// How a simulation ended, from good to bad. SIM_LOST: the program finished but the ledger is not
// balanced, so its measurements are not a result.
enum sim_status { SIM_COMPLETED, SIM_LOST, SIM_DEADLOCK, SIM_FAILED };

// A timer was awaited. `what` is static.
struct sim_wait {
    const char *what;
    sim_time from, to;
};
#define SIM_WAITS 64

struct sim {
    struct engine *engine;
    struct ledger *ledger;
    struct trace *trace;     // NULL: nothing is traced. Not owned.
    struct capture *capture; // NULL: no frames are captured; set before the hosts are made. Not
                             // owned.
    uint64_t seed;
    enum sim_status status;
    json_t *reason; // why it did not complete: {"kind", "text", "time_us", …}; NULL if it did
    // From names to struct sim_counter *, owned by the table. A component looks its counter up once
    // with sim_counter and then increments it directly.
    GHashTable *counters;
    bool faults;    // some link is configured to strike packets, which a run may not meet with
    int polling;    // processes that have nothing under way but their next poll
    bool measuring; // sim_measurement_begins was called
    struct sim_wait waits[SIM_WAITS]; // the last timers that expired, in a ring
    unsigned wait_count;
};

// The kind of trouble that a counter counts, if any. The report mentions it even if counters are
// not shown.
enum sim_loss {
    LOSS_NONE,
    LOSS_DROPPED,    // packets that did not reach their destination
    LOSS_REPEATED,   // packets or messages that were sent again
    LOSS_TIMEOUT,    // timers that expired because nothing arrived
    LOSS_DUPLICATED, // packets that a link delivered twice
    LOSS_HELD,       // packets that a link held back
    LOSS_KINDS
};

// Names of counters of what was left to chance: packets on links with random faults, and choices of
// a protocol.
#define SIM_RISKED_PACKETS "packets on links with random faults"
#define SIM_RANDOM_CHOICES "random choices of a protocol"

struct sim_counter {
    int64_t value;
    enum sim_loss loss;
    int64_t before; // the value when the measurement began
};

struct sim *sim_new(uint64_t seed, struct trace *trace);
void sim_free(struct sim *sim);

static inline sim_time sim_now(const struct sim *sim)
{
    return engine_now(sim->engine);
}

// Returns the counter of that name, created with 0 if new. The pointer is valid as long as the
// simulation.
int64_t *sim_counter(struct sim *sim, const char *name);

// Like sim_counter, but for a counter of trouble.
int64_t *sim_loss_counter(struct sim *sim, const char *name, enum sim_loss loss);

// Stands in the name of a counter between the protocol and the timer that has expired: "tcp
// time-outs: SYN".
#define SIM_TIMEOUTS " time-outs: "

// Counts in *counter, which is NULL before the first time: only then there is one of that name.
void sim_count_loss(struct sim *sim, int64_t **counter, const char *name, enum sim_loss loss);

// Trouble from now on affects the measurement. Only the first call counts.
void sim_measurement_begins(struct sim *sim);

// A timer has expired that was armed at `from`.
static inline void sim_waited(struct sim *sim, const char *what, sim_time from, sim_time to)
{
    sim->waits[sim->wait_count++ % SIM_WAITS] = (struct sim_wait){what, from, to};
}

// The part of [from, to) that one of the last timers was awaited in, of the longest such; a NULL
// `what`: none was.
struct sim_wait sim_longest_wait(const struct sim *sim, sim_time from, sim_time to);

// Ends the run. Only the first call is reported. `kind` is a word ("connection_broken"); `format`
// makes a sentence on what failed, where, and which setting would avoid it. `detail` (a new
// reference, may be NULL) is an object whose members are added to the reason besides kind, text and
// time_us.
void sim_fail(struct sim *sim, enum sim_status status, const char *kind, json_t *detail,
              const char *format, ...) G_GNUC_PRINTF(5, 6);

const char *sim_status_name(enum sim_status status);

#endif
