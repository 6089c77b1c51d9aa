// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the workload of a scenario: a benchmark with its sizes, or a free program. Part of the
// configuration compiler.
//
//   workload: {benchmark: pmb.pingpong, sizes: 0 B .. 4 MiB, repetitions: auto, ranks: 2}
//   workload: {benchmark: pmb.bcast, samples: true}      # the time of each repetition is kept
//   workload: {ranks: 2, program: […]}        # see program.h
//   workload: {benchmark: pmb.bcast, placement: [node2, node0, node1]}     # see placement.h
//
// sizes is a size, a range, or a list of such. A range "A .. B" goes from A to B by doubling (after
// 0 comes 1), and B is always part of it. The sizes of a benchmark that counts something else than
// bytes are plain numbers. A benchmark may have more keys of its own.
#ifndef NETSIM_CONFIG_WORKLOAD_H
#define NETSIM_CONFIG_WORKLOAD_H

#include "sim/config/scenario.h"

#define WORKLOAD_SIZES "0 B .. 4 MiB" // the default: what Pallas measures
#define WORKLOAD_PROGRAM "program"    // the name of free programs among a stack's benchmarks

// The keys of every workload, NULL-terminated.
extern const char *const workload_keys[];

// Those and the benchmark's own (NULL: none): a NULL-terminated list that owns no strings.
GPtrArray *workload_keys_of(const struct benchmark_schema *benchmark);

// Fills an empty (zeroed) workload from the key `workload` of `tree`. `stack` may be NULL if it is
// not known; the hosts of `topology` are those that could be read. Free with workload_clear, also
// after errors.
void workload_read(struct workload *workload, const struct node *tree,
                   const struct scenario_schema *schema, const struct stack_schema *stack,
                   const struct topology *topology, struct diag_list *diags);
void workload_clear(struct workload *workload);

// Whether a benchmark that runs on any number of ranks runs on the fewest, because nothing says how
// many: on fewer than there are hosts.
bool workload_ranks_are_fewest(const struct scenario_case *test_case);

#endif
