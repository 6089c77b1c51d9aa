// SPDX-License-Identifier: GPL-3.0-or-later
// The one world of tests that are below an MPI library: a cluster, a provider on it (TCP, VIA, GM,
// ...), and processes that a test controls.
//
// A process works through a list of jobs, one call per slice of processor time; without one it does
// what its provider does then (polls, or sleeps). world_run runs until nothing is left to happen;
// the functions that add jobs only add them. Additions of a provider are in world_PROVIDER.h.
#ifndef NETSIM_TESTS_SUPPORT_WORLD_H
#define NETSIM_TESTS_SUPPORT_WORLD_H

#include "sim/cluster/cluster.h"
#include "sim/core/sim.h"
#include "sim/scenario/scenario.h"
#include "tests/support/compiled.h"

#include <glib.h>

struct world;

// The first member of a provider's processes.
struct world_process {
    struct world *world;
    int number;
    struct cpu_task task;
    GQueue jobs;
    sim_time job_end; // when the last job was done
};

// True: done, on to the next job. False: the process sleeps, and the job is called again when it
// has been woken. `process` is the provider's.
typedef bool world_job_fn(struct cpu_context *context, void *process, void *argument);

// A row for each provider. All functions but `build` may be NULL.
struct world_provider {
    size_t process_bytes;
    bool starts_in_run; // processes do nothing before world_run, which wakes them all
    void (*prepare)(struct world *world);                              // before there is a cluster
    void (*build)(struct world *world);                                // once there is one
    enum cpu_next (*idle)(struct cpu_context *context, void *process); // what it does without a job
    void (*close)(void *process);
    void (*free)(struct world *world);
};

extern const struct world_provider world_cards; // Ethernet cards, and no processes
extern const struct world_provider world_via, world_tcp, world_gm, world_grim, world_lanai;

struct world {
    const struct world_provider *provider;
    struct compiled compiled;
    const struct scenario_case *test_case; // its first series; NULL: built by hand
    struct sim *sim;
    struct cluster *cluster;
    struct topology *topology; // of a world built by hand
    void *state;               // the provider's
    GPtrArray *processes;      // struct world_process *, which begin the provider's
    GPtrArray *kept;           // freed with the world
};

// Two hosts "node0", "node1" and a switch: every cost is written out, so that no default moves a
// test, and no two are alike, so that one can't stand in for another.
extern const char world_pair[];

// Like world_pair, but with the hosts joined by one cable.
extern const char world_cable[];

// A scenario's first series. `sets` as with --set, NULL-terminated, or NULL. A text that does not
// compile ends the program. `trace` may be NULL.
struct world *world_new(const struct world_provider *provider, const char *text,
                        const char *const *sets, struct trace *trace);

// Like world_new, but from a scenario that has been compiled already; the world owns it from now
// on.
struct world *world_new_compiled(const struct world_provider *provider, struct compiled compiled,
                                 struct trace *trace);

// Hosts joined by hand, in the manner of Myrinet: links of 4 ns per byte and 50 ns, and one
// cut-through switch of 150 ns, or one cable from host to host.
struct world_star {
    int hosts;
    bool cable;
    const struct link_config *links; // of each host, world_link
    const struct host_config *host;
    uint64_t seed;
    struct trace *trace; // NULL: none
    void *state;         // what world->state is while the provider builds
};
struct world *world_new_star(const struct world_provider *provider, const struct world_star *star);

// Such a link; its packet corrupt_nth from the host, counted from 1, gets a bit error (0: none).
// The caller frees what is in it with world_link_clear, after the world.
struct link_config world_link(int64_t corrupt_nth);
void world_link_clear(struct link_config *link);

void world_free(struct world *world);

// Frees a pointer with the world, and returns it.
void *world_keep(struct world *world, void *pointer);

// Runs until nothing is left to happen.
void world_run(struct world *world);

// ---- Processes ----

// The next process, on a core; the world frees it.
void *world_process_new(struct world *world, struct cpu *core);

// Gives a process (any provider's) a job now, or when the time comes (0: now); or only wakes it
// then.
void world_do(void *owner, world_job_fn *job, void *argument);
void world_do_at(void *owner, sim_time when, world_job_fn *job, void *argument);
void world_wake_at(void *process, sim_time when);

// The n-th process, from 0 on: the provider's.
void *world_process(const struct world *world, int number);

// ---- What has come of it ----

int64_t world_counter(const struct world *world, const char *name);

// The first line of the ledger's report, or "" if there is none; the caller frees it.
char *world_ledger_line(const struct world *world);

// The receiver has taken all of a message that the provider does not close.
void world_close_message(struct world *world, struct message_ref message);

// Time that a processor has spent in a stage.
sim_time world_stage_time(const struct cpu *cpu, const char *stage);

// Time that a frame of `wire_bytes` takes from the first bit at one host to the last at the other
// in a world that was compiled, on idle links.
sim_time world_wire_time(const struct world *world, int64_t wire_bytes);

#endif
