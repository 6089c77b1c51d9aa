// SPDX-License-Identifier: GPL-3.0-or-later
// How many calls have which size. Takes memory for each size that differs from the others.
#ifndef NETSIM_FLATTEN_SIZE_COUNTS_H
#define NETSIM_FLATTEN_SIZE_COUNTS_H

#include <glib.h>
#include <stdint.h>

struct size_count {
    int64_t size; // bytes, at least 0
    uint64_t calls;
};

struct size_counts {
    GHashTable *calls;
    GArray *sorted; // struct size_count, ascending; valid after size_counts_sort
};

void size_counts_init(struct size_counts *counts);
void size_counts_clear(struct size_counts *counts);
void size_counts_add(struct size_counts *counts, int64_t size, uint64_t calls);

// After this, what follows may be asked for, until the next one is added.
void size_counts_sort(struct size_counts *counts);

// The least size that at least `share` (0 .. 1) of all calls do not exceed: 0 the least of all, 0.5
// the median, 1 the most. There must be a call.
int64_t size_counts_quantile(const struct size_counts *counts, double share);

// The classes of a histogram: 0 has the size 0, class k the sizes above 2^(k-2) up to 2^(k-1).
#define SIZE_CLASSES 64
int size_class(int64_t size);
int64_t size_class_most(int class);

// Adds the calls of each class to an array of SIZE_CLASSES.
void size_counts_classes(const struct size_counts *counts, uint64_t *classes);

#endif
