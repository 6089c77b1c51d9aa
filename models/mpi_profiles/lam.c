// SPDX-License-Identifier: GPL-3.0-or-later
// LAM 7 above its RPI: what an MPI call costs, and the collectives of its module lam_basic.
#include "models/mpi_profiles/profiles.h"
#include "sim/mpi/library.h"

#define LAM_BASIC "LAM 7, lam_basic"

static const struct param lam_params[] = {
    LIBRARY_PARAMS("1500 cycles", "1200 cycles", "60 cycles", "prior: instructions of LAM 7"),
    LIBRARY_BUFFER_PARAMS("40 B", "LAM 7, mpi.h"),
    LIBRARY_COMMUNICATOR_PARAMS("512 B", "context_first", "12 B", "LAM 7, lamcid.c, ccsplit.c"),
    LIBRARY_RULE_PARAM(barrier, "by_processes", LAM_BASIC),
    LIBRARY_RULE_PARAM(bcast, "by_processes", LAM_BASIC),
    LIBRARY_RULE_PARAM(reduce, "by_processes", LAM_BASIC),
    LIBRARY_RULE_PARAM(allreduce, "reduce_bcast", LAM_BASIC),
    LIBRARY_RULE_PARAM(gather, "linear", LAM_BASIC),
    LIBRARY_RULE_PARAM(scatter, "linear", LAM_BASIC),
    LIBRARY_RULE_PARAM(allgather, "gather_bcast", LAM_BASIC),
    LIBRARY_RULE_PARAM(alltoall, "linear", LAM_BASIC),
    LIBRARY_RULE_PARAM(reduce_scatter, "reduce_scatterv", LAM_BASIC),
    LIBRARY_RULE_PARAM(scan, "linear", LAM_BASIC),
    LIBRARY_RULE_PARAM(exscan, "linear", LAM_BASIC),
    LIBRARY_RULE_PARAM(gatherv, "linear", LAM_BASIC),
    LIBRARY_RULE_PARAM(scatterv, "linear", LAM_BASIC),
    LIBRARY_RULE_PARAM(allgatherv, "gatherv_each", LAM_BASIC),
    LIBRARY_RULE_PARAM(alltoallv, "in_order", LAM_BASIC),
    LIBRARY_COLLECTIVE_PARAMS("4", "true", "true", LAM_BASIC),
    LIBRARY_SWITCH_PARAMS("8", "128 B", "262144 B", LIBRARY_MPICH_1_2_5),
    LIBRARY_MORE_SWITCH_PARAMS("2048 B", "524288 B", "81920 B", "524288 B", "7", LIBRARY_MPICH2),
    {0},
};

const struct param_table lam_table = PARAM_TABLE(
    struct mpi_library_config, lam_params, .name = "lam",
    .doc = "LAM/MPI above its request progression interface", .renamed = library_renamed);
