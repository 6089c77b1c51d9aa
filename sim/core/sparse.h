// SPDX-License-Identifier: GPL-3.0-or-later
// A sparse array, such as the state that a process keeps for each of thousands of others: memory is
// allocated only for the neighbourhood of items that were used.
//
// Cost: O(1) per access. Items are zero at first and do not move. An unused array takes no memory.
#ifndef NETSIM_CORE_SPARSE_H
#define NETSIM_CORE_SPARSE_H

#include <stddef.h>

struct sparse {
    void **blocks; // NULL: no item was used yet
    int length;
    int shift; // a block holds 1 << shift items
    size_t item_size;
};

void sparse_init(struct sparse *array, int length, size_t item_size);
void sparse_clear(struct sparse *array);

// Returns the item of that index, 0 .. length - 1, and allocates it if necessary.
void *sparse_at(struct sparse *array, int index);

// Like sparse_at, without allocating it: returns NULL if neither the item nor a neighbour was used,
// so that it is zero.
const void *sparse_peek(const struct sparse *array, int index);

#endif
