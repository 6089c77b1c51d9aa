// SPDX-License-Identifier: GPL-3.0-or-later
// The one list of what exists, in the order in which it is described. NAME stands for NAME_model.
#include "sim/model/model.h"

// clang-format off
#define MODELS(MODEL) \
    MODEL(ethernet) \
    MODEL(mpi_profiles) \
    MODEL(nas) \
    MODEL(vip) \
    MODEL(lam_via) \
    MODEL(mvich) \
    MODEL(inet) \
    MODEL(tcp) \
    MODEL(mpi_tcp) \
    MODEL(openmpi) \
    MODEL(lanai) \
    MODEL(gm) \
    MODEL(armci) \
    MODEL(mpich_gm) \
    MODEL(grim) \
    MODEL(grim_ni) \
    MODEL(grim_memory) \
    MODEL(intercept_nic) \
    MODEL(vdma) \
    MODEL(portals) \
    MODEL(p3) \
    MODEL(sctp_wire) \
    MODEL(sctp) \
    MODEL(sctp_native) \
    MODEL(ch3) \
    MODEL(ch3_sock) \
    MODEL(iwarp) \
    MODEL(ch3_sctp) \
    MODEL(ch3_hybrid)
// clang-format on

#define DECLARED(name) extern const struct model name##_model;
#define LISTED(name) &name##_model,

MODELS(DECLARED)

const struct registry model_registry = {(const struct model *const[]){MODELS(LISTED) NULL}};
