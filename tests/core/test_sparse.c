// SPDX-License-Identifier: GPL-3.0-or-later
// Sparse arrays: zero at first, apart from one another, and only where they were asked for.
#include "sim/core/sparse.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <stdint.h>

#define LENGTH 1000

static void test_items(void)
{
    struct sparse array;
    sparse_init(&array, LENGTH, sizeof(uint32_t));
    CU_ASSERT_PTR_NULL(array.blocks);
    uint32_t *first = sparse_at(&array, 0);
    for (int i = LENGTH - 1; i >= 0; i--) {
        uint32_t *item = sparse_at(&array, i);
        SUITE_SAME_INTEGER(*item, 0);
        *item = (uint32_t)i + 1;
    }
    for (int i = 0; i < LENGTH; i++)
        SUITE_SAME_INTEGER(*(uint32_t *)sparse_at(&array, i), i + 1);
    CU_ASSERT_PTR_EQUAL(sparse_at(&array, 0), first);
    sparse_clear(&array);
    CU_ASSERT_PTR_NULL(array.blocks);
}

static void test_neighbours_only(void)
{
    struct sparse array;
    sparse_init(&array, LENGTH, sizeof(uint32_t));
    sparse_at(&array, 500);
    int there = 0;
    for (int i = 0; i < LENGTH / 64; i++)
        there += array.blocks[i] != NULL;
    SUITE_SAME_INTEGER(there, 1);
    sparse_clear(&array);
}

// An item of the size of a connection has few neighbours, if any.
static void test_large_items(void)
{
    static const struct {
        size_t size;
        int with;
    } samples[] = {{31, 64}, {33, 32}, {1000, 2}, {1024, 2}, {1025, 1}, {100000, 1}};
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        struct sparse array;
        int with = samples[i].with;
        sparse_init(&array, LENGTH, samples[i].size);
        sparse_at(&array, 7 * with);
        CU_ASSERT_PTR_NULL(sparse_peek(&array, 7 * with - 1));
        CU_ASSERT_PTR_NOT_NULL(sparse_peek(&array, 8 * with - 1));
        CU_ASSERT_PTR_NULL(sparse_peek(&array, 8 * with));
        CU_ASSERT_PTR_NOT_NULL(sparse_at(&array, LENGTH - 1));
        sparse_clear(&array);
    }
}

static void test_a_look_makes_nothing(void)
{
    struct sparse array;
    sparse_init(&array, LENGTH, sizeof(uint32_t));
    CU_ASSERT_PTR_NULL(sparse_peek(&array, 500));
    CU_ASSERT_PTR_NULL(array.blocks);
    *(uint32_t *)sparse_at(&array, 500) = 7;
    SUITE_SAME_INTEGER(*(const uint32_t *)sparse_peek(&array, 500), 7);
    SUITE_SAME_INTEGER(*(const uint32_t *)sparse_peek(&array, 501), 0);
    CU_ASSERT_PTR_NULL(sparse_peek(&array, 700));
    CU_ASSERT_PTR_NULL(array.blocks[700 / 64]);
    sparse_clear(&array);
}

int main(void)
{
    static const struct suite_case cases[] = {{"items", test_items},
                                              {"neighbours only", test_neighbours_only},
                                              {"large items", test_large_items},
                                              {"a look makes nothing", test_a_look_makes_nothing},
                                              {0}};
    return suite_run("core: sparse array", cases);
}
