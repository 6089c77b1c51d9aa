// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/mpi_profiles/profiles.h"

const struct scenario_section library_sections[] = {
    {"lam", &lam_table},
    {"mpich", &mpich_table},
    {"mpich_1_2_2", &mpich_1_2_2_table},
    {"mpich2", &mpich2_table},
    {"openmpi", &openmpi_table},
    {"openmpi5", &openmpi5_table},
    {"mpich4", &mpich4_table},
    {NULL, NULL},
};

const struct model mpi_profiles_model = {
    .name = "mpi_profiles",
    .sections = (const struct scenario_section *const[]){library_sections, NULL},
};
