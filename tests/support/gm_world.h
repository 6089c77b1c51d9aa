// SPDX-License-Identifier: GPL-3.0-or-later
// A cluster with GM's cards, and processes on it that do what a test tells them to.
//
// An end is a process with one port. It works through its jobs in order, one call of GM a slice;
// while there is none to do, and it listens, it takes events out of its queue: received messages go
// on the books and are closed in the ledger, all else goes to gm_unknown. Nothing happens before
// gm_world_run.
#ifndef NETSIM_TESTS_SUPPORT_GM_WORLD_H
#define NETSIM_TESTS_SUPPORT_GM_WORLD_H

#include "models/myrinet_gm/gm/gm_parts.h"
#include "models/myrinet_gm/gm/gm.h"
#include "sim/cluster/cluster.h"
#include "tests/support/compiled.h"

#include <glib.h>

struct gm_world;

struct gm_received {
    struct gm_event event;
    sim_time when;
};

struct gm_returned {
    enum gm_status status;
    int64_t number; // of the send, counted from 0
    sim_time when;
};

struct gm_written_note {
    struct gm_write write;
    sim_time when;
};

struct gm_end {
    struct gm_world *world;
    int host, number;
    struct cpu_task task;
    struct gm_port *port;
    GQueue jobs;
    struct event alarm; // of a job that is to be done later
    bool deaf;          // never takes events
    bool blocks;        // waits by interrupt
    bool keeps;         // does not give a receive buffer back behind its message
    sim_time work;      // that it does on each message
    sim_time poll_turn; // 100 ns
    GArray *received;   // struct gm_received
    GArray *returned;   // struct gm_returned, in the order of the callbacks
    GArray *written;    // struct gm_written_note
    int64_t sends;      // begun so far
};

struct gm_world {
    struct compiled compiled;
    const struct scenario_case *test_case;
    struct sim *sim;
    struct cluster *cluster;
    struct gm_fabric *fabric;
    GPtrArray *ends, *tickets;
};

// Two hosts "node0" and "node1" on one switch. All of GM's costs are written out.
extern const char gm_pair[];

// `sets` as with --set, NULL-terminated, or NULL. trace may be NULL.
struct gm_world *gm_world_new(const char *text, const char *const *sets, struct trace *trace);
void gm_world_free(struct gm_world *world);
void gm_world_run(struct gm_world *world);

// Memory of each end: registered, but for its last GM_WORLD_OUTSIDE bytes.
#define GM_WORLD_MEMORY INT64_C(0x10000000)
#define GM_WORLD_BYTES (INT64_C(16) << 20)
#define GM_WORLD_OUTSIDE 4096

// Opens the port of a host's card.
struct gm_end *gm_end_new(struct gm_world *world, int host, int number);

// ---- Jobs ----

struct gm_send_job {
    struct gm_end *to;
    int64_t bytes, header; // of the message, and in front of it
    int priority;
    int size;        // class; -1: the least that fits
    bool directed;   // to `remote`
    int64_t remote;  // 0: the target's memory
    int64_t address; // 0: the sender's memory
    sim_time at;     // not before
};
void gm_end_send(struct gm_end *end, const struct gm_send_job *send);

// The most usual: `count` messages of `bytes` each.
void gm_end_send_to(struct gm_end *end, struct gm_end *to, int64_t bytes, int count);

// Gives `count` receive buffers of a size class, not before `at`.
void gm_end_provide(struct gm_end *end, int size, int count, sim_time at);

typedef void gm_job_fn(struct cpu_context *context, struct gm_end *end, void *argument);
void gm_end_do(struct gm_end *end, sim_time at, gm_job_fn *custom, void *argument);

// ---- What has come of it ----

struct gm_received *gm_end_received(struct gm_end *end, guint i);
struct gm_returned *gm_end_returned(struct gm_end *end, guint i);

// How many callbacks came with the status.
int gm_end_count(const struct gm_end *end, enum gm_status status);

int64_t gm_world_counter(const struct gm_world *world, const char *name);

// Fails the running case unless every message opened was delivered, once and in order.
void gm_world_check(const struct gm_world *world);

// The connection of a card to that of another host; NULL: they have not talked.
const struct gm_connection *gm_world_connection(const struct gm_card *card, int host);

#endif
