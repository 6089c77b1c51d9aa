// SPDX-License-Identifier: GPL-3.0-or-later
// MPICH 1.2 above its device (ADI-2): what an MPI call costs, and its collectives. Release 1.2.5
// brought new ones for long messages; in it a broadcast goes down a tree if it is short and its
// processes are few (small_and_few), in later releases if either is so (small_or_few). MVICH
// stands on a release before.
#include "models/mpi_profiles/profiles.h"
#include "sim/mpi/library.h"

#define COSTS                                                                                      \
    LIBRARY_PARAMS("1000 cycles", "800 cycles", "60 cycles",                                       \
                   "prior: instructions of MPICH 1.2, whose device interface is thinner than "     \
                   "LAM's")

// Releases are commits of matthiasdiener/mpich: 1.2.2.3 is 32b7f2ca, 1.2.5 is 4836f61d, 1.2.5.2 is
// b5daebd9 (intra_fns_new.c 1.21, the same broadcast), 1.2.5.3 is f90a1910. The revisions 1.22 to
// 1.30, of February 2003 to March 2004, were not found.
#define NEW "MPICH 1.2.5 (January 2003, 4836f61d), src/coll/intra_fns_new.c 1.20"
#define OLD "MPICH 1.2.2.3 (32b7f2ca), src/coll/intra_fns.c 1.17"

static const struct param mpich_params[] = {
    COSTS,
    LIBRARY_BUFFER_PARAMS("512 B", "MPICH 1.2, mpi.h"),
    LIBRARY_COMMUNICATOR_PARAMS("4 B", "allreduce", "8 B",
                                "MPICH 1.2, context_util.c, comm_split.c"),
    LIBRARY_RULE_PARAM(barrier, "recursive_doubling", NEW),
    LIBRARY_RULE_PARAM(bcast, "small_and_few",
                       NEW ", lines 16, 17, 392; 1.31, of March 2004 (1.2.5.3, f90a1910), has "
                           "small_or_few",
                       .prior = "or small_or_few: 0.1"),
    LIBRARY_RULE_PARAM(reduce, "binomial", NEW),
    LIBRARY_RULE_PARAM(allreduce, "recursive_doubling", NEW),
    LIBRARY_RULE_PARAM(gather, "binomial", NEW),
    LIBRARY_RULE_PARAM(scatter, "binomial", NEW),
    LIBRARY_RULE_PARAM(allgather, "recursive_doubling", NEW),
    LIBRARY_RULE_PARAM(alltoall, "by_size", NEW),
    LIBRARY_RULE_PARAM(reduce_scatter, "doubling_or_pairwise", NEW),
    LIBRARY_RULE_PARAM(scan, "recursive_doubling",
                       "assumed: as MPICH2; " NEW " leaves it to intra_scan.c",
                       .prior = "or linear"),
    LIBRARY_RULE_PARAM(exscan, "recursive_doubling", "assumed: as its scan; MPICH 1.2 has none"),
    LIBRARY_RULE_PARAM(gatherv, "linear", NEW),
    LIBRARY_RULE_PARAM(scatterv, "linear", NEW),
    LIBRARY_RULE_PARAM(allgatherv, "doubling_or_ring", NEW),
    LIBRARY_RULE_PARAM(alltoallv, "linear", NEW),
    LIBRARY_COLLECTIVE_PARAMS("0", "false", "true", NEW),
    LIBRARY_SWITCH_PARAMS("8", "128 B", "262144 B", LIBRARY_MPICH_1_2_5),
    // Its points are "up to" 512 B and 262,144 elements, which are taken for bytes.
    LIBRARY_MORE_SWITCH_PARAMS("2048 B", "513 B", "81920 B", "262145 B", "7",
                               "reduce_scatter_long, allgather_long: " LIBRARY_MPICH_1_2_5
                               "; others: " LIBRARY_MPICH2),
    {0},
};

const struct param_table mpich_table =
    PARAM_TABLE(struct mpi_library_config, mpich_params, .name = "mpich",
                .doc = "MPICH 1.2.5 above its device", .renamed = library_renamed);

static const struct param old_params[] = {
    COSTS,
    LIBRARY_BUFFER_PARAMS("512 B", "MPICH 1.2, mpi.h"),
    LIBRARY_COMMUNICATOR_PARAMS("4 B", "allreduce", "8 B",
                                "MPICH 1.2, context_util.c, comm_split.c"),
    LIBRARY_RULE_PARAM(barrier, "recursive_doubling", OLD),
    LIBRARY_RULE_PARAM(bcast, "binomial", OLD),
    LIBRARY_RULE_PARAM(reduce, "binomial", OLD),
    LIBRARY_RULE_PARAM(allreduce, "reduce_bcast", OLD),
    LIBRARY_RULE_PARAM(gather, "linear", OLD),
    LIBRARY_RULE_PARAM(scatter, "linear", OLD),
    LIBRARY_RULE_PARAM(allgather, "ring", OLD),
    LIBRARY_RULE_PARAM(alltoall, "linear", OLD),
    LIBRARY_RULE_PARAM(reduce_scatter, "reduce_scatterv", OLD),
    LIBRARY_RULE_PARAM(scan, "linear", OLD),
    LIBRARY_RULE_PARAM(exscan, "linear", "assumed: as its scan; MPICH 1.2 has none"),
    LIBRARY_RULE_PARAM(gatherv, "linear", OLD),
    LIBRARY_RULE_PARAM(scatterv, "linear", OLD),
    LIBRARY_RULE_PARAM(allgatherv, "ring", OLD),
    LIBRARY_RULE_PARAM(alltoallv, "linear", OLD),
    LIBRARY_COLLECTIVE_PARAMS("0", "false", "true", OLD),
    LIBRARY_SWITCH_PARAMS("8", "128 B", "262144 B", LIBRARY_MPICH_1_2_5),
    LIBRARY_MORE_SWITCH_PARAMS("2048 B", "524288 B", "81920 B", "524288 B", "7", LIBRARY_MPICH2),
    {0},
};

const struct param_table mpich_1_2_2_table =
    PARAM_TABLE(struct mpi_library_config, old_params, .name = "mpich_1_2_2",
                .doc = "MPICH 1.2.2 above its device, as in MVICH", .renamed = library_renamed);
