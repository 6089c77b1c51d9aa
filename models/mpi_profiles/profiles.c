// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpi_profiles/profiles.h"

const struct reader_renamed library_renamed[] = {
    {"reduce_rate",
     {"reduce_kib"},
     "a cost for each KiB, in cycles or as a time, instead of a rate",
     "1.1.0"},
    {0},
};
