// SPDX-License-Identifier: GPL-3.0-or-later
// MPICH2 1.0.5 above its device: what an MPI call costs, and its collectives (src/mpi/coll), whose
// algorithms and switch points Thakur, Rabenseifner and Gropp describe: "Optimization of collective
// communication operations in MPICH", IJHPCA 19 (2005).
#include "models/mpi_profiles/profiles.h"
#include "sim/mpi/library.h"

#define COLL "MPICH2, src/mpi/coll of its CVS of 2006 (1.0.5: December 2006)"

static const struct param mpich2_params[] = {
    LIBRARY_PARAMS("1000 cycles", "800 cycles", "60 cycles",
                   "prior: as MPICH 1.2, of which it has the depth of calls"),
    LIBRARY_BUFFER_PARAMS("95 B", "MPICH2 1.0, mpif.h"),
    LIBRARY_COMMUNICATOR_PARAMS("128 B", "allgather", "8 B",
                                "MPICH2 1.0, src/mpi/comm: commutil.c, comm_split.c"),
    LIBRARY_RULE_PARAM(barrier, "dissemination", COLL),
    LIBRARY_RULE_PARAM(bcast, "by_size", COLL),
    LIBRARY_RULE_PARAM(reduce, "by_size", COLL),
    LIBRARY_RULE_PARAM(allreduce, "by_size", COLL),
    LIBRARY_RULE_PARAM(gather, "binomial", COLL),
    LIBRARY_RULE_PARAM(scatter, "binomial", COLL),
    LIBRARY_RULE_PARAM(allgather, "by_size", COLL),
    LIBRARY_RULE_PARAM(alltoall, "by_block", COLL),
    LIBRARY_RULE_PARAM(reduce_scatter, "by_size", COLL),
    LIBRARY_RULE_PARAM(scan, "recursive_doubling", COLL),
    LIBRARY_RULE_PARAM(exscan, "recursive_doubling", COLL),
    LIBRARY_RULE_PARAM(gatherv, "linear", COLL),
    LIBRARY_RULE_PARAM(scatterv, "linear", COLL),
    LIBRARY_RULE_PARAM(allgatherv, "by_size", COLL),
    LIBRARY_RULE_PARAM(alltoallv, "linear", COLL),
    LIBRARY_COLLECTIVE_PARAMS("0", "false", "false", COLL),
    LIBRARY_SWITCH_PARAMS("7", "256 B", "32768 B", LIBRARY_MPICH2),
    LIBRARY_MORE_SWITCH_PARAMS("2048 B", "524288 B", "81920 B", "524288 B", "7", LIBRARY_MPICH2),
    {0},
};

const struct param_table mpich2_table =
    PARAM_TABLE(struct mpi_library_config, mpich2_params, .name = "mpich2",
                .doc = "MPICH2 1.0.5 above its device");
