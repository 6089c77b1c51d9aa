// SPDX-License-Identifier: GPL-3.0-or-later
// What models offer to the simulator: stacks (a protocol and the library that ran on it), and their
// parameter tables. models/registry.c fills in the one list; sim/ knows no model by name.
#ifndef NETSIM_WORKLOAD_STACK_H
#define NETSIM_WORKLOAD_STACK_H

#include "sim/cluster/cluster.h"
#include "sim/config/scenario.h"
#include "sim/mpi/process.h"
#include "sim/workload/benchmark.h"

// A way of communicating that ranks can run on.
struct stack {
    struct stack_schema schema;
    // Puts the stack on a cluster: one process per rank, rank r on host r modulo the number of
    // hosts, its device connected to all others as if the job had just been started. Returns the
    // stack's own state.
    void *(*build)(struct cluster *cluster, const struct scenario_case *test_case,
                   struct mpi_process *const *processes, int ranks);
    void (*free)(void *state);
    // Asked when nothing is left to happen: a sentence on what of the stack holds what, and what
    // would avoid it; NULL: it knows of nothing. The caller frees it. May be missing.
    char *(*blocked)(void *state);
    // What captures of its cards hold; NULL: it has no frames that could be captured.
    const struct capture_link *frames;
    // The MPI library's parameter section ("lam"), NULL if the stack is no MPI library.
    const char *library_section;
};

// The benchmarks that every MPI library runs, for a stack's list.
#define MPI_BENCHMARKS                                                                             \
    "pmb.pingpong", "pmb.sendrecv", "pmb.exchange", "pmb.bcast", "pmb.reduce", "pmb.allreduce",    \
        "pmb.allgather", "pmb.alltoall", "pmb.barrier"

// Which class a stage of a processor's work, or a delay, belongs to (sim/explain/stage.h).
struct stage_class_entry {
    const char *stage, *class;
};

struct registry {
    const struct stack *const *stacks; // NULL-terminated
    // Of each model. The lists end with a NULL path, the list of lists with NULL.
    const struct scenario_section *const *sections;
    const char *const *nics; // NIC models (each a section too), NULL-terminated
    // Beside those that sim/ has. The lists end with a NULL schema.name, the list of lists with
    // NULL; NULL: none.
    const struct benchmark *const *benchmarks;
    // Of stages that are not a library's own work, as those are that are not listed. Ends with a
    // NULL stage; NULL: none.
    const struct stage_class_entry *stage_classes;
};

// Defined by models/registry.c.
extern const struct registry model_registry;

// The schema for the configuration compiler: what sim/ itself has (host, network, benchmarks) and
// what the registry adds. Made once; free with registry_schema_free.
struct scenario_schema *registry_schema(const struct registry *registry);
void registry_schema_free(struct scenario_schema *schema);

// The benchmark of that name, of the registry or of sim/; NULL if there is none.
const struct benchmark *registry_benchmark(const struct registry *registry, const char *name);

const struct stack *registry_stack(const struct registry *registry, const char *name);

#endif
