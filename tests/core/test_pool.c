// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/pool.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <stdint.h>
#include <string.h>

#define OBJECTS 10000
#define OBJECT_BYTES 37

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t) * (void *const *)a, y = (uintptr_t) * (void *const *)b;
    return x < y ? -1 : x > y;
}

// Objects don't overlap, are aligned, and keep what is written to them.
static void test_objects(void)
{
    struct pool pool;
    pool_init(&pool, OBJECT_BYTES);
    unsigned char **objects = g_new(unsigned char *, OBJECTS);
    int wrong = 0;
    for (int i = 0; i < OBJECTS; i++) {
        objects[i] = pool_take(&pool);
        memset(objects[i], i & 0xff, OBJECT_BYTES);
        wrong += (uintptr_t)objects[i] % 16 != 0;
    }
    for (int i = 0; i < OBJECTS; i++)
        for (int byte = 0; byte < OBJECT_BYTES; byte++)
            wrong += objects[i][byte] != (i & 0xff);
    qsort(objects, OBJECTS, sizeof *objects, by_address);
    for (int i = 1; i < OBJECTS; i++)
        wrong += objects[i] - objects[i - 1] < OBJECT_BYTES;
    SUITE_SAME_INTEGER(wrong, 0);
    SUITE_SAME_INTEGER(pool.in_use, OBJECTS);
    CU_ASSERT(pool.allocated >= OBJECTS);
    g_free(objects);
    pool_clear(&pool);
}

// What is given back is handed out again, and the pool does not grow past its peak.
static void test_reuse(void)
{
    struct pool pool;
    pool_init(&pool, sizeof(void *));
    void *held[100];
    for (int round = 0; round < 1000; round++) {
        for (int i = 0; i < 100; i++)
            held[i] = pool_take(&pool);
        for (int i = 0; i < 100; i++)
            pool_give(&pool, held[(i * 37) % 100]);
    }
    SUITE_SAME_INTEGER(pool.in_use, 0);
    SUITE_SAME_INTEGER(pool.peak, 100);
    CU_ASSERT(pool.allocated < 300);
    void *last = pool_take(&pool);
    pool_give(&pool, last);
    CU_ASSERT_PTR_EQUAL(pool_take(&pool), last);
    pool_give(&pool, NULL); // ignored
    SUITE_SAME_INTEGER(pool.in_use, 1);
    pool_clear(&pool);
    SUITE_SAME_INTEGER(pool.in_use, 0);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"objects are apart and aligned", test_objects},
        {"objects are used again", test_reuse},
        {NULL, NULL},
    };
    return suite_run("core: pool", cases);
}
