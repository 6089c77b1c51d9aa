// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/intercept/vdma/handler_align.h"

bool vdma_aligned(int64_t local, int64_t remote, int64_t bytes)
{
    return local % VDMA_ALIGNMENT == 0 && remote % VDMA_ALIGNMENT == 0 && bytes % VDMA_QWORD == 0 &&
           bytes >= VDMA_LEAST;
}

struct vdma_split vdma_split(int64_t local, int64_t bytes)
{
    int64_t first = (VDMA_ALIGNMENT - local % VDMA_ALIGNMENT) % VDMA_ALIGNMENT;
    first = MIN(first, bytes);
    int64_t middle = (bytes - first) / VDMA_QWORD * VDMA_QWORD;
    if (middle < VDMA_LEAST)
        middle = 0;
    return (struct vdma_split){.first = first, .middle = middle, .last = bytes - first - middle};
}

bool vdma_displaced(int64_t remote)
{
    return remote % VDMA_ALIGNMENT != 0;
}

int64_t vdma_slice_bytes(int64_t local, int64_t remote, int64_t left)
{
    int64_t reach = VDMA_SLICE - local % INTERCEPT_PAGE;
    if (!vdma_displaced(remote))
        reach = MIN(reach, VDMA_SLICE - remote % INTERCEPT_PAGE);
    if (left <= reach)
        return left;
    int64_t bytes = reach - (local + reach) % INTERCEPT_PAGE;
    if (left - bytes < VDMA_LEAST)
        bytes -= VDMA_ALIGNMENT;
    return bytes;
}
