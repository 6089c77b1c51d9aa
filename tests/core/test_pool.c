// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/pool.h"

#include "sim/core/poison.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <stdint.h>
#include <string.h>

#if POISONS
#include <fcntl.h>
#include <sanitizer/asan_interface.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

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

// Freed objects are handed out again (the last first, if they need not be kept poisoned), and the
// pool does not grow past its peak.
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
    void *next = pool_take(&pool);
    CU_ASSERT((next == last) == !POISONS);
    pool_give(&pool, NULL); // ignored
    SUITE_SAME_INTEGER(pool.in_use, 1);
    pool_clear(&pool);
    SUITE_SAME_INTEGER(pool.in_use, 0);
}

#if POISONS

#define SOME_BYTES 64

static int poisoned(const unsigned char *object, int bytes)
{
    int count = 0;
    for (int i = 0; i < bytes; i++)
        count += __asan_address_is_poisoned(object + i) != 0;
    return count;
}

// An object is poisoned from its first byte to its last while it is free, before it is taken for
// the first time, too, and at no byte while it is in use; what stands after it always is.
static void test_poison(void)
{
    enum { COUNT = 300 };
    struct pool pool;
    pool_init(&pool, SOME_BYTES);
    unsigned char *objects[COUNT];
    for (int i = 0; i < COUNT; i++) {
        objects[i] = pool_take(&pool);
        SUITE_SAME_INTEGER(poisoned(objects[i], SOME_BYTES), 0);
        SUITE_SAME_INTEGER(poisoned(objects[i] + SOME_BYTES, 1), 1);
        for (int byte = 0; byte < SOME_BYTES; byte++)
            CU_ASSERT(objects[i][byte] != 0);
    }
    for (int i = 0; i < COUNT; i += 2)
        pool_give(&pool, objects[i]);
    for (int i = 0; i < COUNT; i++)
        SUITE_SAME_INTEGER(poisoned(objects[i], SOME_BYTES), i % 2 ? 0 : SOME_BYTES);
    // Of those freed, the first is handed out again first, and none at once.
    int taken = 0;
    while (pool_take(&pool) != objects[0])
        taken++;
    CU_ASSERT(taken >= COUNT / 2 - 1);
    pool_clear(&pool);
}

static void read_free(struct pool *pool, unsigned char *object)
{
    pool_give(pool, object);
    *(volatile unsigned char *)(object + SOME_BYTES / 2);
}

static void give_twice(struct pool *pool, unsigned char *object)
{
    pool_give(pool, object);
    pool_give(pool, object);
}

static void write_beyond(struct pool *pool, unsigned char *object)
{
    (void)pool;
    *(volatile unsigned char *)(object + SOME_BYTES) = 1;
}

static void do_right(struct pool *pool, unsigned char *object)
{
    *(volatile unsigned char *)(object + SOME_BYTES - 1) = 1;
    pool_give(pool, object);
}

// Whether a process that does it lives on.
static bool survives(void (*act)(struct pool *pool, unsigned char *object))
{
    pid_t child = fork();
    if (child == 0) {
        struct pool pool;
        pool_init(&pool, SOME_BYTES);
        if (dup2(open("/dev/null", O_WRONLY), STDERR_FILENO) >= 0)
            act(&pool, pool_take(&pool));
        _exit(0);
    }
    int status = -1;
    CU_ASSERT_EQUAL_FATAL(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_misuse(void)
{
    CU_ASSERT(survives(do_right));
    CU_ASSERT(!survives(read_free));
    CU_ASSERT(!survives(give_twice));
    CU_ASSERT(!survives(write_beyond));
}

#endif

static void note_visit(void *object, void *data)
{
    (void)data;
    ++*(int *)object;
}

// Objects in use are visited once each, free ones not at all.
static void test_each(void)
{
    struct pool pool;
    pool_init(&pool, OBJECT_BYTES);
    pool_each(&pool, note_visit, NULL);
    int **objects = g_new(int *, OBJECTS);
    for (int i = 0; i < OBJECTS; i++) {
        objects[i] = pool_take(&pool);
        *objects[i] = 0;
    }
    for (int i = 0; i < OBJECTS; i++)
        if (i % 3 == 1)
            pool_give(&pool, objects[i]);
    pool_each(&pool, note_visit, NULL);
    int visits = 0, others = 0;
    for (int i = 0; i < OBJECTS; i++)
        if (i % 3 != 1)
            *objects[i] == 1 ? visits++ : others++;
    SUITE_SAME_INTEGER(visits, (int64_t)pool.in_use);
    SUITE_SAME_INTEGER(others, 0);
    g_free(objects);
    pool_clear(&pool);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"objects are apart and aligned", test_objects},
        {"objects are used again", test_reuse},
        {"each object in use", test_each},
#if POISONS
        {"free objects are poisoned", test_poison},
        {"misuse ends the program", test_misuse},
#endif
        {NULL, NULL},
    };
    return suite_run("core: pool", cases);
}
