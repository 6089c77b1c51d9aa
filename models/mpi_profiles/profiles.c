// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpi_profiles/profiles.h"

const struct reader_renamed library_renamed[] = {
    {"reduce_rate",
     {"reduce_kib"},
     "a cost for each KiB, in cycles or as a time, instead of a rate",
     "0.2.0"},
    {0},
};
