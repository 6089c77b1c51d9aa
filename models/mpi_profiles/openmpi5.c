// SPDX-License-Identifier: GPL-3.0-or-later
// Open MPI 5.0.9 above its PML, with one process on a node: what an MPI call costs, and the
// collectives of its modules tuned and basic (ompi/mca/coll). Its module han, which has a higher
// priority, steps back where each node has one process (coll_han_subcomms.c,
// mca_coll_han_comm_create).
#include "models/mpi_profiles/profiles.h"
#include "sim/mpi/library.h"

#define OPENMPI5_TUNED                                                                             \
    "Open MPI 5.0.9, coll_tuned_decision_fixed.c, the same since 4.1.0 (ompi_coll_tuned_..."       \
    "_intra_dec_fixed)"
#define OPENMPI5_BASIC "Open MPI 5.0.9, coll_basic_module.c"
#define OPENMPI5_FREE "unused by the rules of Open MPI 5.0"

static const struct param openmpi5_params[] = {
    LIBRARY_PARAMS("1500 cycles", "1200 cycles", "60 cycles", "prior: as Open MPI 1.2.1"),
    LIBRARY_BUFFER_PARAMS("128 B", "Open MPI 5.0.9, mpi.h.in"),
    LIBRARY_COMMUNICATOR_PARAMS(
        "4 B", "allgather", "8 B",
        "assumed: as others; Open MPI 5.0 agrees on a number by rounds of allreduce of one int"),
    LIBRARY_RULE_PARAM(barrier, "measured", OPENMPI5_TUNED),
    LIBRARY_RULE_PARAM(bcast, "measured", OPENMPI5_TUNED),
    LIBRARY_RULE_PARAM(reduce, "measured", OPENMPI5_TUNED),
    LIBRARY_RULE_PARAM(allreduce, "measured", OPENMPI5_TUNED),
    LIBRARY_RULE_PARAM(gather, "measured", OPENMPI5_TUNED),
    LIBRARY_RULE_PARAM(scatter, "measured", OPENMPI5_TUNED),
    LIBRARY_RULE_PARAM(allgather, "measured", OPENMPI5_TUNED),
    LIBRARY_RULE_PARAM(alltoall, "measured", OPENMPI5_TUNED),
    LIBRARY_RULE_PARAM(reduce_scatter, "measured", OPENMPI5_TUNED),
    LIBRARY_RULE_PARAM(scan, "linear", OPENMPI5_BASIC),
    LIBRARY_RULE_PARAM(exscan, "linear", OPENMPI5_BASIC),
    LIBRARY_RULE_PARAM(gatherv, "linear", OPENMPI5_BASIC),
    LIBRARY_RULE_PARAM(scatterv, "linear", OPENMPI5_BASIC),
    LIBRARY_RULE_PARAM(allgatherv, "measured", OPENMPI5_TUNED),
    LIBRARY_RULE_PARAM(alltoallv, "measured", OPENMPI5_TUNED),
    LIBRARY_COLLECTIVE_PARAMS_OF("4", "false", "false", LIBRARY_REDUCTION_TODAY,
                                 "Open MPI 5.0.9, ompi/mpi/c, and coll_basic_gatherv.c"),
    LIBRARY_COUNT_PARAMS("0 B", OPENMPI5_FREE, "128",
                         "Open MPI 5.0.9, coll_tuned_component.c (init_max_requests)"),
    LIBRARY_SWITCH_PARAMS("7", "199 B", "2999 B", OPENMPI5_FREE),
    LIBRARY_MORE_SWITCH_PARAMS("9999 B", "8388608 B", "50000 B", "50000 B", "12", OPENMPI5_FREE),
    {0},
};

const struct param_table openmpi5_table =
    PARAM_TABLE(struct mpi_library_config, openmpi5_params, .name = "openmpi5",
                .doc = "Open MPI 5.0 above its PML");
