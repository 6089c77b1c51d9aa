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
    struct cost pack_piece;
    int64_t bsend_overhead; // bytes
    int64_t context_bytes, split_bytes;
    int split; // enum mpi_split
    // The rules of collectives: indices into the lists below.
    int barrier, bcast, reduce, allreduce, gather, scatter, allgather, alltoall;
    int reduce_scatter, scan, exscan, gatherv, scatterv, allgatherv, alltoallv;
    int64_t linear_processes;
    // Switch points of rules by size (bytes) and by number of processes (..._few).
    int64_t bcast_short, bcast_long, bcast_few;
    int64_t reduce_short, reduce_scatter_long;
    int64_t allgather_short, allgather_long;
    int64_t alltoall_short, alltoall_medium, alltoall_few;
    int64_t segment;                  // bytes
    int64_t element, allreduce_short; // bytes; of libraries that count elements
    int64_t alltoall_batch;           // requests of a kind at a time; 0: all
    struct cost reduce_kib;           // per KiB of one operand
    bool empty_collectives_send, empty_blocks_send;
};

// Names of the rules, NULL-terminated; sim/mpi/collective.c has the algorithms in this order.
extern const char *const mpi_barrier_rules[], *const mpi_bcast_rules[],
                                                  *const mpi_reduce_rules[],
                                                      *const mpi_allreduce_rules[],
                                                          *const mpi_gather_rules[],
                                                              *const mpi_scatter_rules[],
                                                                  *const mpi_allgather_rules[],
                                                                      *const mpi_alltoall_rules[];
extern const char *const mpi_reduce_scatter_rules[],
    *const mpi_scan_rules[], *const mpi_exscan_rules[], *const mpi_gatherv_rules[],
                                                            *const mpi_scatterv_rules[],
                                                                *const mpi_allgatherv_rules[],
                                                                    *const mpi_alltoallv_rules[];

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

// Buffered sends and derived datatypes.
#define LIBRARY_BUFFER_PARAMS(overhead, overhead_source)                                           \
    PARAM(struct mpi_library_config, bsend_overhead, PARAM_SIZE, .fallback = overhead,             \
          .doc = "of each message in the buffer of buffered sends (MPI_BSEND_OVERHEAD)",           \
          .source = overhead_source),                                                              \
        PARAM(struct mpi_library_config, pack_piece, PARAM_COST, .fallback = "100 cycles",         \
              .doc = "packing or unpacking each piece of a derived datatype, besides its copy",    \
              .source = "prior: a loop's turn and the start of a copy of few words")

// How MPI_Comm_split exchanges the colours of all ranks, before or after it has a context.
enum mpi_split { MPI_SPLIT_ALLGATHER, MPI_SPLIT_ALLREDUCE, MPI_SPLIT_CONTEXT_FIRST };
extern const char *const mpi_split_rules[];

// Making communicators.
#define LIBRARY_COMMUNICATOR_PARAMS(context, rule, bytes, library_source)                          \
    PARAM(struct mpi_library_config, context_bytes, PARAM_SIZE, .fallback = context,               \
          .doc = "of the allreduce by which processes agree on the context of a new communicator", \
          .source = library_source),                                                               \
        PARAM(struct mpi_library_config, split, PARAM_CHOICE, .fallback = rule,                    \
              .choices = mpi_split_rules,                                                          \
              .doc = "how MPI_Comm_split learns the colours: an allgather, or an allreduce of a "  \
                     "table, and then a context; or the context and then an allgather",            \
              .source = library_source),                                                           \
        PARAM(struct mpi_library_config, split_bytes, PARAM_SIZE, .fallback = bytes,               \
              .doc = "colour and key of a process in that", .source = library_source)

// A row for the rule of one collective.
#define LIBRARY_RULE_PARAM(collective, rule, ...)                                                  \
    PARAM(struct mpi_library_config, collective, PARAM_CHOICE, .fallback = rule,                   \
          .choices = mpi_##collective##_rules, .doc = "algorithm of MPI's " #collective,           \
          .source = __VA_ARGS__)

#define LIBRARY_SWITCH(field, kind, value, text, switch_source)                                    \
    PARAM(struct mpi_library_config, field, kind, .fallback = value, .doc = text,                  \
          .source = switch_source)

// Where a broadcast is long, and where it is short.
#define LIBRARY_BCAST_SWITCH_PARAMS(short_, long_, switch_source)                                  \
    LIBRARY_SWITCH(bcast_short, PARAM_SIZE, short_,                                                \
                   "rules small_... and by_size: a broadcast of fewer bytes is small",             \
                   switch_source),                                                                 \
        LIBRARY_SWITCH(bcast_long, PARAM_SIZE, long_,                                              \
                       "rule by_size: a broadcast of as many bytes is long", switch_source)

// The switch points of MPICH 1.2.5's rules. few: processes, short_ and medium: sizes of an
// alltoall.
#define LIBRARY_SWITCH_PARAMS(few, short_, medium, switch_source)                                  \
    LIBRARY_SWITCH(bcast_short, PARAM_SIZE, "12288 B",                                             \
                   "rules small_... and by_size: a broadcast of fewer bytes is small",             \
                   switch_source),                                                                 \
        LIBRARY_SWITCH_PARAMS_OF(few, short_, medium, switch_source)

// Those but the broadcast's.
#define LIBRARY_SWITCH_PARAMS_OF(few, short_, medium, switch_source)                               \
    LIBRARY_SWITCH(bcast_few, PARAM_COUNT, few,                                                    \
                   "rules small_... and by_size: up to this many processes are few",               \
                   switch_source),                                                                 \
        LIBRARY_SWITCH(alltoall_short, PARAM_SIZE, short_,                                         \
                       "rules by_size and by_block...: up to this is short, bytes to all peers "   \
                       "together or to each",                                                      \
                       switch_source),                                                             \
        LIBRARY_SWITCH(alltoall_medium, PARAM_SIZE, medium,                                        \
                       "rule by_size: below this is medium, from it on long; by_block...: up to "  \
                       "this",                                                                     \
                       switch_source)

// The switch points of MPICH2's rules, which others may be given.
#define LIBRARY_MORE_SWITCH_PARAMS(reduce, scatter, gather_short, gather_long, few, switch_source) \
    LIBRARY_SWITCH(bcast_long, PARAM_SIZE, "524288 B",                                             \
                   "rule by_size: a broadcast of as many bytes is long", LIBRARY_MPICH2),          \
        LIBRARY_MORE_SWITCH_PARAMS_OF(reduce, scatter, gather_short, gather_long, few,             \
                                      switch_source)

// Those but the broadcast's.
#define LIBRARY_MORE_SWITCH_PARAMS_OF(reduce, scatter, gather_short, gather_long, few,             \
                                      switch_source)                                               \
    LIBRARY_SWITCH(reduce_short, PARAM_SIZE, reduce,                                               \
                   "rules by_size and doubling_or_ring of reduce and allreduce: up to this "       \
                   "is short",                                                                     \
                   switch_source),                                                                 \
        LIBRARY_SWITCH(reduce_scatter_long, PARAM_SIZE, scatter,                                   \
                       "rules by_size and ..._or_... of reduce_scatter: from this on is long, "    \
                       "bytes of one operand",                                                     \
                       switch_source),                                                             \
        LIBRARY_SWITCH(allgather_short, PARAM_SIZE, gather_short,                                  \
                       "rules by_size... of allgather and allgatherv: below this is short, bytes " \
                       "of all blocks",                                                            \
                       switch_source),                                                             \
        LIBRARY_SWITCH(allgather_long, PARAM_SIZE, gather_long,                                    \
                       "rules by_size... and doubling_or_ring of allgather and allgatherv: from "  \
                       "this on is long, bytes of all blocks",                                     \
                       switch_source),                                                             \
        LIBRARY_SWITCH(alltoall_few, PARAM_COUNT, few,                                             \
                       "rules by_block...: up to this many processes are few, for which even "     \
                       "short is medium",                                                          \
                       switch_source)

#define LIBRARY_MPICH2 "MPICH2 1.0.5, mpiimpl.h; Thakur, Rabenseifner, Gropp, IJHPCA 19 (2005)"
#define LIBRARY_MPICH_1_2_5 "MPICH 1.2.5 (January 2003), src/coll/intra_fns_new.c"

// Further inputs of the rules, and the cost of reductions.
#define LIBRARY_COLLECTIVE_PARAMS(linear, empty, empty_blocks, library_source)                     \
    LIBRARY_COLLECTIVE_PARAMS_OF(linear, empty, empty_blocks, LIBRARY_REDUCTION, library_source)

// The cost of reductions, and where it comes from: of hosts of about 2002, and of today.
#define LIBRARY_REDUCTION                                                                          \
    "4800 cycles", "prior: a sum of floats reads two streams and writes one, 300 MB/s on an "      \
                   "Athlon MP"
#define LIBRARY_REDUCTION_TODAY                                                                    \
    "1000 cycles", "prior: a sum of doubles reads two streams of the cache beyond the first and "  \
                   "writes one, 8 GB/s of an operand at 3 GHz and host.processor.cycle_ratio 0.4"

#define LIBRARY_COLLECTIVE_PARAMS_OF(linear, empty, empty_blocks, reduction, library_source)       \
    LIBRARY_COLLECTIVE_ROWS(linear, empty, empty_blocks, reduction, library_source)
#define LIBRARY_COLLECTIVE_ROWS(linear, empty, empty_blocks, kib, kib_source, library_source)      \
    LIBRARY_SWITCH(linear_processes, PARAM_COUNT, linear,                                          \
                   "rule by_processes: linear up to this many processes, by tree above",           \
                   library_source),                                                                \
        LIBRARY_SWITCH(segment, PARAM_SIZE, "8192 B",                                              \
                       "rules pipeline, binary and split_binary: the message goes in segments of " \
                       "so many bytes; 0: in one (rule segmented chooses by itself)",              \
                       "Open MPI 1.2, ompi/mca/coll/tuned: one of its sizes"),                     \
        PARAM(struct mpi_library_config, reduce_kib, PARAM_COST, .fallback = kib,                  \
              .doc = "combining two operands of a reduction, for each KiB of one",                 \
              .source = kib_source),                                                               \
        PARAM(struct mpi_library_config, empty_collectives_send, PARAM_BOOL, .fallback = empty,    \
              .doc = "bcast, reduce and allreduce of no bytes send empty messages",                \
              .source = library_source),                                                           \
        PARAM(struct mpi_library_config, empty_blocks_send, PARAM_BOOL, .fallback = empty_blocks,  \
              .doc = "the other collectives of no bytes send empty messages, and gatherv, "        \
                     "scatterv and alltoallv do so for empty blocks",                              \
              .source = library_source)

// Of libraries whose rules count elements, or start the requests of an exchange in batches.
#define LIBRARY_COUNT_PARAMS(allreduce, allreduce_source, batch, batch_source)                     \
    LIBRARY_SWITCH(element, PARAM_SIZE, "8 B",                                                     \
                   "an element of reductions and broadcasts, by which rules count",                \
                   "assumed: double, int64; programs here have bytes only"),                       \
        LIBRARY_SWITCH(allreduce_short, PARAM_SIZE, allreduce,                                     \
                       "rule by_size_and_count of allreduce: up to this is short",                 \
                       allreduce_source),                                                          \
        LIBRARY_SWITCH(alltoall_batch, PARAM_COUNT, batch,                                         \
                       "rules ..._batches of alltoall and alltoallv: receives, and sends, that "   \
                       "are started at a time; 0: all",                                            \
                       batch_source)

#endif
