// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/sparse.h"

#include <glib.h>

// A block holds a power of two of items: small ones share it, large ones hardly do, so that one
// neighbour among thousands does not bring dozens of others.
#define BLOCK_ITEMS_MOST 64
#define BLOCK_BYTES 2048

static int block_count(const struct sparse *array)
{
    return ((array->length - 1) >> array->shift) + 1;
}

void sparse_init(struct sparse *array, int length, size_t item_size)
{
    int shift = 0;
    while (2 << shift <= BLOCK_ITEMS_MOST && (item_size << 1) << shift <= BLOCK_BYTES)
        shift++;
    *array = (struct sparse){.length = length, .shift = shift, .item_size = item_size};
}

void sparse_clear(struct sparse *array)
{
    for (int i = 0; array->blocks && i < block_count(array); i++)
        g_free(array->blocks[i]);
    g_clear_pointer(&array->blocks, g_free);
}

static void *item_of(const struct sparse *array, void *block, int index)
{
    return (char *)block + ((size_t)index & ((1U << array->shift) - 1)) * array->item_size;
}

void *sparse_at(struct sparse *array, int index)
{
    g_assert(index >= 0 && index < array->length);
    if (!array->blocks)
        array->blocks = g_new0(void *, block_count(array));
    void **block = &array->blocks[index >> array->shift];
    if (!*block)
        *block = g_malloc0_n((size_t)1 << array->shift, array->item_size);
    return item_of(array, *block, index);
}

const void *sparse_peek(const struct sparse *array, int index)
{
    g_assert(index >= 0 && index < array->length);
    void *block = array->blocks ? array->blocks[index >> array->shift] : NULL;
    return block ? item_of(array, block, index) : NULL;
}
