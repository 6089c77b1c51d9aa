// SPDX-License-Identifier: GPL-3.0-or-later
// MPICH 1.2 above its device (ADI-2): what an MPI call costs, and its collectives. Release 1.2.5
// brought new ones for long messages; in it a broadcast goes down a tree if it is short and its
// processes are few (small_and_few), in what came after it if either is so (small_or_few). MVICH
// stands on a release before.
#include "models/mpi_profiles/profiles.h"
#include "sim/mpi/library.h"

#define COSTS                                                                                      \
    LIBRARY_PARAMS("1000 cycles", "800 cycles", "60 cycles",                                       \
                   "prior: instructions of MPICH 1.2, whose device interface is thinner than "     \
                   "LAM's")

#define NEW "MPICH 1.2.5 (January 2003), src/coll/intra_fns_new.c 1.20"
#define OLD "MPICH up to 1.2.4"

static const struct param params[] = {
    COSTS,
    LIBRARY_RULE_PARAM(barrier, "recursive_doubling", NEW),
    LIBRARY_RULE_PARAM(bcast, "small_and_few", NEW "; 1.31, of March 2004, has small_or_few"),
    LIBRARY_RULE_PARAM(reduce, "binomial", NEW),
    LIBRARY_RULE_PARAM(allreduce, "recursive_doubling", NEW),
    LIBRARY_RULE_PARAM(gather, "binomial", NEW),
    LIBRARY_RULE_PARAM(scatter, "binomial", NEW),
    LIBRARY_RULE_PARAM(allgather, "recursive_doubling", NEW),
    LIBRARY_RULE_PARAM(alltoall, "by_size", NEW),
    LIBRARY_COLLECTIVE_PARAMS("0", "false", NEW),
    {0},
};

const struct param_table mpich_table = PARAM_TABLE(
    struct mpi_library_config, params, .name = "mpich", .doc = "MPICH 1.2.5 above its device");

static const struct param old_params[] = {
    COSTS,
    LIBRARY_RULE_PARAM(barrier, "recursive_doubling", OLD),
    LIBRARY_RULE_PARAM(bcast, "binomial", OLD),
    LIBRARY_RULE_PARAM(reduce, "binomial", OLD),
    LIBRARY_RULE_PARAM(allreduce, "reduce_bcast", OLD),
    LIBRARY_RULE_PARAM(gather, "linear", OLD),
    LIBRARY_RULE_PARAM(scatter, "linear", OLD),
    LIBRARY_RULE_PARAM(allgather, "ring", OLD),
    LIBRARY_RULE_PARAM(alltoall, "linear", OLD),
    LIBRARY_COLLECTIVE_PARAMS("0", "false", OLD),
    {0},
};

const struct param_table mpich_1_2_2_table =
    PARAM_TABLE(struct mpi_library_config, old_params, .name = "mpich_1_2_2",
                .doc = "MPICH 1.2.2 above its device, as in MVICH");
