// SPDX-License-Identifier: GPL-3.0-or-later
// Counts the allocations of a test program: allocations.c replaces malloc and its kin in each
// program that reads the counts.
//
// Under AddressSanitizer, which has a malloc of its own, nothing is counted.
#ifndef NETSIM_TESTS_SUPPORT_ALLOCATIONS_H
#define NETSIM_TESTS_SUPPORT_ALLOCATIONS_H

#include <stdint.h>

// Since the program began.
struct allocations {
    uint64_t count, bytes;
};

extern struct allocations allocations;

#endif
