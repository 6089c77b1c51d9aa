// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/mpi_profiles/profiles.h"

const struct model mpi_profiles_model = {
    .name = "mpi_profiles",
    .sections = (const struct scenario_section *const[]){library_sections, NULL},
};
