// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/sparse.h"

#include <glib.h>

#define BLOCK 64 // items

static int block_count(const struct sparse *array)
{
    return (array->length + BLOCK - 1) / BLOCK;
}

void sparse_init(struct sparse *array, int length, size_t item_size)
{
    *array = (struct sparse){.length = length, .item_size = item_size};
}

void sparse_clear(struct sparse *array)
{
    for (int i = 0; array->blocks && i < block_count(array); i++)
        g_free(array->blocks[i]);
    g_clear_pointer(&array->blocks, g_free);
}

static void *item_of(const struct sparse *array, void *block, int index)
{
    return (char *)block + (size_t)(index % BLOCK) * array->item_size;
}

void *sparse_at(struct sparse *array, int index)
{
    g_assert(index >= 0 && index < array->length);
    if (!array->blocks)
        array->blocks = g_new0(void *, block_count(array));
    void **block = &array->blocks[index / BLOCK];
    if (!*block)
        *block = g_malloc0_n(BLOCK, array->item_size);
    return item_of(array, *block, index);
}

const void *sparse_peek(const struct sparse *array, int index)
{
    g_assert(index >= 0 && index < array->length);
    void *block = array->blocks ? array->blocks[index / BLOCK] : NULL;
    return block ? item_of(array, block, index) : NULL;
}
