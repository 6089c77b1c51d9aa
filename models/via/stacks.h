// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks of this fabric.
#ifndef NETSIM_MODELS_VIA_STACKS_H
#define NETSIM_MODELS_VIA_STACKS_H

#include "models/ethernet/nics.h"
#include "models/via/vip.h"
#include "sim/workload/stack.h"

extern const struct stack lam_via_stack; // LAM/MPI over the VIA RPI
extern const struct stack mvich_stack;   // MPICH over MVICH
extern const struct stack mvia_stack;    // bare M-VIA

// The fabric's parameter sections; ends with a NULL path.
extern const struct scenario_section via_sections[];

// An agent on each rank's host, by rank. Free with via_agents_free.
struct vip_agent **via_agents_new(struct cluster *cluster, const struct scenario_case *test_case,
                                  struct mpi_process *const *processes, int ranks);
void via_agents_free(struct vip_agent **agents, int ranks);

#endif
