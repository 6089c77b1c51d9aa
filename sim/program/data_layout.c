// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/program/data_layout.h"

int64_t data_layout_blocks(const struct data_layout *layout)
{
    int64_t blocks = 1;
    switch (layout->kind) {
    case DATA_CONTIGUOUS:
        break;
    case DATA_STRIDED:
        for (int i = 1; i <= layout->levels; i++)
            blocks *= layout->counts[i];
        break;
    case DATA_VECTOR:
        blocks = 0;
        for (int i = 0; i < layout->sets; i++)
            blocks += layout->segments[i].count;
        break;
    }
    return blocks;
}
