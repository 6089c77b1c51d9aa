// SPDX-License-Identifier: GPL-3.0-or-later
// MPICH 4.3.2 above its device, with one process on a node: what an MPI call costs, and its
// collectives (src/mpi/coll) by the selection file that is compiled in where no other is named
// (maint/tuning/coll/mpir/generic.json).
#include "models/mpi_profiles/profiles.h"
#include "sim/mpi/library.h"

#define MPICH4_JSON "MPICH 4.3.2, maint/tuning/coll/mpir/generic.json"
#define MPICH4_SIZES MPICH4_JSON ", avg_msg_size, total_msg_size and comm_size"

static const struct param mpich4_params[] = {
    LIBRARY_PARAMS("1000 cycles", "800 cycles", "60 cycles", "prior: as MPICH2 1.0.5"),
    LIBRARY_BUFFER_PARAMS("96 B", "MPICH 4.3.2, mpir_bsend.h: MPII_Bsend_data_t of 64 bits, about"),
    LIBRARY_COMMUNICATOR_PARAMS("260 B", "allgather", "8 B",
                                "MPICH 4.3.2, src/mpi/comm: contextid.c (a mask of 64 int and one "
                                "more), comm_split.c"),
    LIBRARY_RULE_PARAM(barrier, "dissemination", MPICH4_JSON " (k_dissemination, k = 2)"),
    LIBRARY_RULE_PARAM(bcast, "by_size", MPICH4_JSON),
    LIBRARY_RULE_PARAM(reduce, "by_size_and_count", MPICH4_JSON),
    LIBRARY_RULE_PARAM(allreduce, "by_size_and_count", MPICH4_JSON),
    LIBRARY_RULE_PARAM(gather, "binomial", MPICH4_JSON),
    LIBRARY_RULE_PARAM(scatter, "binomial", MPICH4_JSON),
    LIBRARY_RULE_PARAM(allgather, "by_size", MPICH4_JSON),
    LIBRARY_RULE_PARAM(alltoall, "by_block_in_batches", MPICH4_JSON),
    LIBRARY_RULE_PARAM(reduce_scatter, "by_size", MPICH4_JSON),
    LIBRARY_RULE_PARAM(scan, "recursive_doubling", MPICH4_JSON),
    LIBRARY_RULE_PARAM(exscan, "recursive_doubling", MPICH4_JSON),
    LIBRARY_RULE_PARAM(gatherv, "linear", MPICH4_JSON),
    LIBRARY_RULE_PARAM(scatterv, "linear", MPICH4_JSON),
    LIBRARY_RULE_PARAM(allgatherv, "by_size", MPICH4_JSON),
    LIBRARY_RULE_PARAM(alltoallv, "scattered_batches", MPICH4_JSON),
    LIBRARY_COLLECTIVE_PARAMS_OF("0", "false", "false", LIBRARY_REDUCTION_TODAY,
                                 "MPICH 4.3.2, src/mpi/coll"),
    LIBRARY_COUNT_PARAMS("8 B", MPICH4_SIZES, "32",
                         "MPICH 4.3.2, src/mpi/coll/cvars.txt (MPIR_CVAR_ALLTOALL_THROTTLE)"),
    LIBRARY_BCAST_SWITCH_PARAMS("12289 B", "524289 B", MPICH4_SIZES " (up to 12,288 and 524,288)"),
    LIBRARY_SWITCH_PARAMS_OF("7", "256 B", "32768 B", MPICH4_SIZES),
    LIBRARY_MORE_SWITCH_PARAMS_OF("2048 B", "524288 B", "81920 B", "524288 B", "7", MPICH4_SIZES),
    {0},
};

const struct param_table mpich4_table = PARAM_TABLE(
    struct mpi_library_config, mpich4_params, .name = "mpich4", .doc = "MPICH 4 above its device");
