// SPDX-License-Identifier: GPL-3.0-or-later
// Memory for large arrays that are read here and there: in huge pages where the system has them, as
// most of the time would else go into finding pages.
#ifndef NETSIM_CORE_HUGE_H
#define NETSIM_CORE_HUGE_H

#include <stddef.h>

// Returns zeroed memory, aligned to a cache line, which the caller frees with huge_free. Aborts if
// there is none.
void *huge_alloc0(size_t bytes);

// Like huge_alloc0, but its content is undefined.
void *huge_alloc(size_t bytes);

void huge_free(void *memory);

#endif
