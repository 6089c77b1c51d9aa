// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks over TCP.
#ifndef NETSIM_MODELS_MPI_TCP_STACKS_H
#define NETSIM_MODELS_MPI_TCP_STACKS_H

#include "models/ethernet/nics.h"
#include "sim/model/stack.h"

extern const struct stack lam_tcp_stack;  // LAM/MPI over the TCP RPI
extern const struct stack mpich_p4_stack; // MPICH 1.2.5 over ch_p4
extern const struct stack tcp_stack;      // bare TCP, as NetPIPE measures it

// Their parameter sections; ends with a NULL path.
extern const struct scenario_section mpi_tcp_sections[];

#endif
