// SPDX-License-Identifier: GPL-3.0-or-later
// An array of which few items are used, such as what a process keeps for each of thousands of
// others: only the neighbourhood of an item that was asked for is there.
//
// Cost: O(1) an item. Items are zero at first and do not move. An array that nobody has asked takes
// no memory.
#ifndef NETSIM_CORE_SPARSE_H
#define NETSIM_CORE_SPARSE_H

#include <stddef.h>

struct sparse {
    void **blocks; // NULL: none of the items was asked for
    int length;
    size_t item_size;
};

void sparse_init(struct sparse *array, int length, size_t item_size);
void sparse_clear(struct sparse *array);

// The item of that index, 0 .. length - 1.
void *sparse_at(struct sparse *array, int index);

// The same without making it: returns NULL if nobody has asked for it or a neighbour, so that it is
// zero.
const void *sparse_peek(const struct sparse *array, int index);

#endif
