// SPDX-License-Identifier: GPL-3.0-or-later
// A cluster for tests: compiled from YAML text in the real schema, with the series' NICs, and
// without a workload that runs.
#ifndef NETSIM_TESTS_SUPPORT_CLUSTER_WORLD_H
#define NETSIM_TESTS_SUPPORT_CLUSTER_WORLD_H

#include "sim/cluster/cluster.h"
#include "sim/core/sim.h"
#include "sim/scenario/scenario.h"
#include "tests/support/compiled.h"

struct cluster_world {
    struct compiled compiled;
    const struct scenario_case *test_case; // its first series
    struct sim *sim;
    struct cluster *cluster;
};

// Two hosts "node0", "node1" and a switch: every cost is written out, so that no default moves a
// test, and no two are alike, so that one can't stand in for another.
extern const char cluster_pair[];

// The same with the hosts joined by one cable.
extern const char cluster_cable[];

// `sets` as with --set, NULL-terminated, or NULL. A text that does not compile ends the program.
// `trace` may be NULL.
struct cluster_world *cluster_world_new(const char *text, const char *const *sets,
                                        struct trace *trace);
// The same with a sink for the frames of its cards; may be NULL.
struct cluster_world *cluster_world_capture(const char *text, const char *const *sets,
                                            struct trace *trace, struct capture *capture);
void cluster_world_free(struct cluster_world *world);

// Runs until nothing is left to happen.
void cluster_world_run(struct cluster_world *world);

// Time that a frame of `wire_bytes` takes from the first bit at host `from` to the last at host
// `to`, on idle links.
sim_time cluster_wire_time(const struct cluster_world *world, int64_t wire_bytes);

// The first line of the ledger's report, or "" if there is none; the caller frees it.
char *cluster_ledger_line(const struct cluster_world *world);

#endif
