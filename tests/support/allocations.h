// SPDX-License-Identifier: GPL-3.0-or-later
// Counts what a test program asks the system for: malloc and its kin are replaced. Include it in
// one file of the program.
//
// Under AddressSanitizer, which has a malloc of its own, nothing is counted.
#ifndef NETSIM_TESTS_SUPPORT_ALLOCATIONS_H
#define NETSIM_TESTS_SUPPORT_ALLOCATIONS_H

#include <stdint.h>
#include <stdlib.h>

// So far.
static struct {
    uint64_t count, bytes;
} allocations;

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

#endif
