// SPDX-License-Identifier: GPL-3.0-or-later
// ch3:hybrid allocates nothing per one-sided operation once its pools have grown: a program that
// repeats puts and gets asks the system for about as much memory in 200 rounds as in 100.
#include "tests/support/allocations_run.h"

#define ROUND                                                                                      \
    "{put: {to: 1 - rank, size: 100 B, buffer: 1048576}}, "                                        \
    "{put: {to: 1 - rank, size: 40 kB, buffer: 1048576}}, "                                        \
    "{get: {from: 1 - rank, size: 20 kB, buffer: 1048576}}, "                                      \
    "{get: {from: 1 - rank, size: 1 B, buffer: 8388608}}, {win_fence: {}}"

static uint64_t asked_for(int rounds, const char *get)
{
    char *body = g_strdup_printf("{win_create: {size: 1 MiB, buffer: 1048576}}, {win_fence: {}}, "
                                 "{loop: {count: %d, do: [" ROUND "]}}, {win_free: {}}",
                                 rounds);
    struct test_program program = {
        .ranks = 2,
        .stack = "ch3_hybrid",
        .sets = {get},
        .ops = {body, body},
    };
    uint64_t count = allocations_of(&program, NULL);
    g_free(body);
    return count;
}

// Pools and tables double: a few allocations for twice as many rounds would be theirs, one per
// operation is 800.
static void check(const char *get)
{
    uint64_t few = asked_for(100, get), many = asked_for(200, get);
    allocations_expect_even(few, many, 16, get);
}

static void test_by_write(void)
{
    check("ch3_hybrid.get=write");
}

static void test_by_read(void)
{
    check("ch3_hybrid.get=read");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"gets by write", test_by_write}, {"gets by read", test_by_read}, {0}};
    return suite_run("mpich2: allocations of ch3:hybrid", cases);
}
