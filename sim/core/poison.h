// SPDX-License-Identifier: GPL-3.0-or-later
// Poisoning of objects that are freed and kept for reuse. AddressSanitizer then reports any read or
// write of such an object. In other builds nothing happens.
#ifndef NETSIM_CORE_POISON_H
#define NETSIM_CORE_POISON_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define POISONS 1
#elif defined(__has_feature)
#define POISONS __has_feature(address_sanitizer)
#else
#define POISONS 0
#endif

#if POISONS

#include <sanitizer/asan_interface.h>

// `memory` is aligned to 8 bytes. It must not be touched until it is unpoisoned or freed.
static inline void poison(void *memory, size_t bytes)
{
    ASAN_POISON_MEMORY_REGION(memory, bytes);
}

static inline void unpoison(void *memory, size_t bytes)
{
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
}

#else

static inline void poison(void *memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
}

static inline void unpoison(void *memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
}

#endif

#endif
