// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/huge.h"

#include <glib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_LINE 64
#define HUGE_PAGE ((size_t)2 << 20)

// Aligned to a page of either kind. Pages that the array shares with others would have to be huge
// for those, too: so only whole ones are asked for.
void *huge_alloc(size_t bytes)
{
    void *memory = NULL;
    bool large = bytes >= HUGE_PAGE;
    if (posix_memalign(&memory, large ? HUGE_PAGE : HUGE_LINE, MAX(bytes, 1)) != 0)
        g_error("out of memory for %zu bytes", bytes);
    if (large)
        madvise(memory, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return memory;
}

void *huge_alloc0(size_t bytes)
{
    return memset(huge_alloc(bytes), 0, bytes);
}

void huge_free(void *memory)
{
    free(memory);
}
