// SPDX-License-Identifier: GPL-3.0-or-later
// The costs of the part of an MPI library above its device, and the rules by which it chooses the
// algorithms of its collectives. One table, with a section per library ("lam", "mpich").
//
// A rule is an algorithm, or a choice between algorithms by number of processes and size. The
// defaults are the behaviour of each library (models/mpi_profiles).
#ifndef NETSIM_MPI_LIBRARY_H
#define NETSIM_MPI_LIBRARY_H

#include "sim/config/param.h"

struct mpi_library_config {
    struct cost call;
    struct cost request;
    struct cost match; // per queue entry
    // The rules of collectives: indices into the lists below.
    int barrier, bcast, reduce, allreduce, gather, scatter, allgather, alltoall;
    int64_t linear_processes;
    int64_t bcast_short; // bytes
    int64_t bcast_few;
    int64_t alltoall_short;  // bytes
    int64_t alltoall_medium; // bytes
    struct cost reduce_kib;  // per KiB of one operand
    bool empty_collectives_send;
};

// Names of the rules, NULL-terminated; sim/mpi/collective.c has the algorithms in this order.
extern const char *const mpi_barrier_rules[], *const mpi_bcast_rules[],
                                                  *const mpi_reduce_rules[],
                                                      *const mpi_allreduce_rules[],
                                                          *const mpi_gather_rules[],
                                                              *const mpi_scatter_rules[],
                                                                  *const mpi_allgather_rules[],
                                                                      *const mpi_alltoall_rules[];

// The collectives that a rule of another one is made of, by name: {"reduce", "bcast"} of
// allreduce's reduce_bcast, each by its own rule. NULL-terminated; NULL: none.
const char *const *mpi_rule_parts(const char *collective, const char *rule);

#define LIBRARY_PARAMS(call_cost, request_cost, match_cost, library_source)                        \
    PARAM(struct mpi_library_config, call, PARAM_COST, .fallback = call_cost,                      \
          .doc = "entering and leaving an MPI function", .source = library_source),                \
        PARAM(struct mpi_library_config, request, PARAM_COST, .fallback = request_cost,            \
              .doc = "building a request; destroying one costs the same",                          \
              .source = library_source),                                                           \
        PARAM(struct mpi_library_config, match, PARAM_COST, .fallback = match_cost,                \
              .doc = "each queue entry that matching looks at", .source = library_source)

// A row for the rule of one collective.
#define LIBRARY_RULE_PARAM(collective, rule, rule_source)                                          \
    PARAM(struct mpi_library_config, collective, PARAM_CHOICE, .fallback = rule,                   \
          .choices = mpi_##collective##_rules, .doc = "algorithm of MPI's " #collective,           \
          .source = rule_source)

// What the rules look at, and what reductions cost.
#define LIBRARY_COLLECTIVE_PARAMS(linear, empty, library_source)                                   \
    PARAM(struct mpi_library_config, linear_processes, PARAM_COUNT, .fallback = linear,            \
          .doc = "rule by_processes: linear up to this many processes, by tree above",             \
          .source = library_source),                                                               \
        PARAM(struct mpi_library_config, bcast_short, PARAM_SIZE, .fallback = "12288 B",           \
              .doc = "rules small_...: a broadcast of fewer bytes is small",                       \
              .source = "MPICH 1.2.5 (January 2003), src/coll/intra_fns_new.c"),                   \
        PARAM(struct mpi_library_config, bcast_few, PARAM_COUNT, .fallback = "8",                  \
              .doc = "rules small_...: up to this many processes are few",                         \
              .source = "MPICH 1.2.5 (January 2003), src/coll/intra_fns_new.c"),                   \
        PARAM(struct mpi_library_config, alltoall_short, PARAM_SIZE, .fallback = "128 B",          \
              .doc = "rule by_size: up to this is short, bytes to all peers together",             \
              .source = "MPICH 1.2.5 (January 2003), src/coll/intra_fns_new.c"),                   \
        PARAM(struct mpi_library_config, alltoall_medium, PARAM_SIZE, .fallback = "262144 B",      \
              .doc = "rule by_size: below this is medium, from it on long",                        \
              .source = "MPICH 1.2.5 (January 2003), src/coll/intra_fns_new.c"),                   \
        PARAM(struct mpi_library_config, reduce_kib, PARAM_COST, .fallback = "4800 cycles",        \
              .doc = "combining two operands of a reduction, for each KiB of one",                 \
              .source = "prior: a sum of floats reads two streams and writes one, 300 MB/s on an " \
                        "Athlon MP"),                                                              \
        PARAM(struct mpi_library_config, empty_collectives_send, PARAM_BOOL, .fallback = empty,    \
              .doc = "bcast, reduce and allreduce of no bytes send empty messages",                \
              .source = library_source)

#endif
