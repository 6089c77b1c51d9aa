// SPDX-License-Identifier: GPL-3.0-or-later
// MPI libraries above their devices: what their calls cost and which collectives they take. A
// stack names the section of its library (struct stack, library_section).
#ifndef NETSIM_MODELS_MPI_PROFILES_PROFILES_H
#define NETSIM_MODELS_MPI_PROFILES_PROFILES_H

#include "sim/config/param.h"
#include "sim/config/reader.h"

extern const struct param_table lam_table, mpich_table, mpich_1_2_2_table, mpich2_table,
    openmpi_table, openmpi5_table, mpich4_table;

// The sections of all libraries; ends with a NULL path.
extern const struct scenario_section library_sections[];

// Keys of all libraries that have other names now.
extern const struct reader_renamed library_renamed[];

#endif
