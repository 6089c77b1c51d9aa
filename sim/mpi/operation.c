// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/operation.h"

int64_t mpi_layout_blocks(const struct mpi_layout *layout)
{
    int64_t blocks = 1;
    switch (layout->kind) {
    case MPI_CONTIGUOUS:
        break;
    case MPI_STRIDED:
        for (int i = 1; i <= layout->levels; i++)
            blocks *= layout->counts[i];
        break;
    case MPI_VECTOR:
        blocks = 0;
        for (int i = 0; i < layout->sets; i++)
            blocks += layout->segments[i].count;
        break;
    }
    return blocks;
}
