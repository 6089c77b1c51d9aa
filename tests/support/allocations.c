// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/allocations.h"

#include <stdlib.h>

struct allocations allocations;

#if !defined(__SANITIZE_ADDRESS__)
// glibc's own names, so that counting needs no look-up (which would allocate).
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
    allocations.count++;
    allocations.bytes += size;
    return __libc_malloc(size);
}

void *calloc(size_t nmemb, size_t size)
{
    allocations.count++;
    allocations.bytes += nmemb * size;
    return __libc_calloc(nmemb, size);
}

void *realloc(void *ptr, size_t size)
{
    allocations.count++;
    allocations.bytes += size;
    return __libc_realloc(ptr, size);
}
#endif
