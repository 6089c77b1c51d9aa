// SPDX-License-Identifier: GPL-3.0-or-later
// The workload of a case (a benchmark with its sizes or a free program), and its reader.
//
//   workload: {benchmark: pmb.pingpong, sizes: 0 B .. 4 MiB, repetitions: auto, ranks: 2}
//   workload: {benchmark: pmb.bcast, samples: true}      # the time of each repetition is kept
//   workload: {benchmark: pmb.bcast, steady: 3}          # repetitions that are alike are left out
//   workload: {ranks: 2, program: […]}        # see program.h
//   workload: {replay: FILE}                # see replay.h
//   workload: {benchmark: pmb.bcast, placement: [node2, node0, node1]}     # see placement.h
//
// sizes is a size, a range, or a list of such. A range "A .. B" goes from A to B by doubling (after
// 0 comes 1), "A .. B step C" by adding C, and B is always part of it. The sizes of a benchmark
// that counts another unit than bytes are plain numbers. A benchmark may have additional keys.
#ifndef NETSIM_SCENARIO_WORKLOAD_H
#define NETSIM_SCENARIO_WORKLOAD_H

#include "sim/net/topology.h"
#include "sim/program/program.h"
#include "sim/scenario/replay.h"
#include "sim/scenario/schema.h"

struct workload {
    const struct benchmark_schema *benchmark; // NULL: a free program
    struct program *program;                  // NULL: a benchmark, or a recording
    struct recording *recording;              // that is replayed, or NULL
    int ranks;
    GArray *placement; // int: the hosts of the ranks, see placement_host; never empty in a case
    GArray *sizes; // int64_t: message sizes of a benchmark, or numbers of the unit that it counts
    struct param_values *parameters; // of the benchmark's table, or of replay_table; NULL: none
    int64_t repetitions;             // 0: auto
    int steady;                      // periods after which the others are alike (sim/measure/
                                     // steady.h); 0: all repetitions are run
    bool samples;                    // the times of single repetitions are kept
    struct source_mark mark;
};

#define WORKLOAD_SIZES "0 B .. 4 MiB" // the default: what Pallas measures
#define WORKLOAD_LEAST_STEADY 2
#define WORKLOAD_MOST_STEADY 100
#define WORKLOAD_PROGRAM "program" // the name of free programs among a stack's benchmarks

// The keys of every workload.
extern const struct param_table workload_table;

// Those and the keys of the benchmark (NULL: none), as a NULL-terminated list that does not own its
// strings.
GPtrArray *workload_keys_of(const struct benchmark_schema *benchmark);

// Fills an empty (zeroed) workload from the key `workload` of `tree`. `stack` is NULL if it is
// unknown; `topology` may be incomplete after errors. The caller frees it with workload_clear, even
// after errors.
void workload_read(struct workload *workload, const struct node *tree,
                   const struct scenario_schema *schema, const struct stack_schema *stack,
                   const struct topology *topology, struct recording_shelf *shelf,
                   struct diag_list *diags);
void workload_clear(struct workload *workload);

#endif
