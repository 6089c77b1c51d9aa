// SPDX-License-Identifier: GPL-3.0-or-later
// Open MPI 1.2.1 above its PML: what an MPI call costs, and the collectives of its modules tuned
// and basic (ompi/mca/coll). Tuned's decisions are those of its public sources of late 2006, in
// which allreduce first takes recursive doubling; that 1.2 has them shows in a backtrace of it on
// its users' list (4 April 2007, "Address not mapped" error on user defined MPI_OP function).
// Basic's forms are those of 2005, from LAM.
#include "models/mpi_profiles/profiles.h"
#include "sim/mpi/library.h"

#define TUNED "Open MPI of late 2006, coll_tuned_decision_fixed.c"
#define OPENMPI_BASIC "assumed of 1.2.1: Open MPI of 2005 to 2006, ompi/mca/coll/basic, from LAM's"

static const struct param openmpi_params[] = {
    LIBRARY_PARAMS("1500 cycles", "1200 cycles", "60 cycles",
                   "prior: as LAM, whose components it has"),
    LIBRARY_BUFFER_PARAMS("128 B", "Open MPI 1.2, mpi.h"),
    LIBRARY_COMMUNICATOR_PARAMS(
        "4 B", "allgather", "8 B",
        "assumed: as others; Open MPI 1.2 agrees on a number by rounds of allreduce of one int"),
    LIBRARY_RULE_PARAM(barrier, "by_power", TUNED),
    LIBRARY_RULE_PARAM(bcast, "segmented", TUNED),
    LIBRARY_RULE_PARAM(reduce, "segmented", TUNED),
    LIBRARY_RULE_PARAM(allreduce, "doubling_or_ring", TUNED),
    LIBRARY_RULE_PARAM(gather, "linear", OPENMPI_BASIC),
    LIBRARY_RULE_PARAM(scatter, "linear", OPENMPI_BASIC),
    LIBRARY_RULE_PARAM(allgather, "by_size_or_neighbours", TUNED),
    LIBRARY_RULE_PARAM(alltoall, "by_block_or_pairwise", TUNED),
    LIBRARY_RULE_PARAM(reduce_scatter, "halving_or_scatterv", OPENMPI_BASIC),
    LIBRARY_RULE_PARAM(scan, "linear", OPENMPI_BASIC),
    LIBRARY_RULE_PARAM(exscan, "linear", OPENMPI_BASIC),
    LIBRARY_RULE_PARAM(gatherv, "linear", OPENMPI_BASIC),
    LIBRARY_RULE_PARAM(scatterv, "linear", OPENMPI_BASIC),
    LIBRARY_RULE_PARAM(allgatherv, "gatherv_each", OPENMPI_BASIC),
    LIBRARY_RULE_PARAM(alltoallv, "in_order", OPENMPI_BASIC),
    LIBRARY_COLLECTIVE_PARAMS("4", "true", "true", OPENMPI_BASIC),
    LIBRARY_SWITCH_PARAMS("7", "199 B", "2999 B", TUNED),
    LIBRARY_MORE_SWITCH_PARAMS("9999 B", "8388608 B", "50000 B", "50000 B", "12", TUNED),
    {0},
};

const struct param_table openmpi_table =
    PARAM_TABLE(struct mpi_library_config, openmpi_params, .name = "openmpi",
                .doc = "Open MPI 1.2.1 above its PML");
