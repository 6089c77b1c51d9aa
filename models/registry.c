// SPDX-License-Identifier: GPL-3.0-or-later
// The one list of what exists.
#include "sim/workload/model.h"

extern const struct model ethernet_model;
extern const struct model libraries_model;
extern const struct model via_model;
extern const struct model inet_model;
extern const struct model tcp_model;
extern const struct model mpi_tcp_model;
extern const struct model myrinet_gm_model;
extern const struct model armci_model;
extern const struct model grim_model;

const struct registry model_registry = {(const struct model *const[]){
    &ethernet_model, &libraries_model, &via_model, &inet_model, &tcp_model, &mpi_tcp_model,
    &myrinet_gm_model, &armci_model, &grim_model, NULL}};
