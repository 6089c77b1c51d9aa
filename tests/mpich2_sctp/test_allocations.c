// SPDX-License-Identifier: GPL-3.0-or-later
// ch3:sctp allocates nothing per message once its pools have grown: a program with all protocols
// asks the system for as much memory in 400 rounds as in 200, with either rule for MPI_ANY_TAG.
#include "tests/support/allocations_run.h"

// Eager, synchronous, rendezvous, in pieces; posted and unexpected; on several streams.
#define ROUND_0                                                                                    \
    "{isend: {to: 1, size: 100 B, tag: 1, request: a}}, "                                          \
    "{issend: {to: 1, size: 1 KiB, tag: 2, request: b}}, "                                         \
    "{isend: {to: 1, size: 20 KiB, tag: 3, request: c}}, "                                         \
    "{irecv: {from: 0, size: 5 KiB, request: d}}, {send: {to: 0, size: 5 KiB}}, "                  \
    "{waitall: all}, {recv: {from: 1, size: 0 B}}"
#define ROUND_1                                                                                    \
    "{recv: {from: 0, size: 20 KiB, tag: 3}}, {recv: {from: 0, size: 1 KiB, tag: 2}}, "            \
    "{recv: {from: 0, size: 100 B, tag: 1}}, {send: {to: 0, size: 0 B}}"

static uint64_t asked_for(int rounds, const char *any_tag, const char *losses)
{
    char *first = g_strdup_printf("{loop: {count: %d, do: [" ROUND_0 "]}}", rounds),
         *second = g_strdup_printf("{loop: {count: %d, do: [" ROUND_1 "]}}", rounds);
    struct test_program program = {
        .ranks = 2,
        .stack = "ch3_sctp",
        .sets = {"ch3.eager=8 KiB", "ch3_sctp.message=3000 B", "ch3_sctp.socket_buffer=12000 B",
                 "sctp.heartbeats=false", any_tag, losses},
        .ops = {first, second},
    };
    uint64_t messages, count = allocations_of(&program, &messages);
    SUITE_SAME_INTEGER((long long)messages, rounds * 5LL);
    g_free(first);
    g_free(second);
    return count;
}

// A few more for pools that grow late; one per message would be 1000.
static void check(const char *any_tag, const char *losses)
{
    uint64_t few = asked_for(200, any_tag, losses), many = asked_for(400, any_tag, losses);
    allocations_expect_even(few, many, 12, any_tag);
}

static const char *const rules[] = {"ch3_sctp.any_tag=violate", "ch3_sctp.any_tag=sequence",
                                    "ch3_sctp.any_tag=control_stream"};

static void test_rounds(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++)
        check(rules[i], NULL);
}

static void test_losses(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++)
        check(rules[i], "link.drop_probability=0.01");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"rounds", test_rounds}, {"with losses", test_losses}, {0}};
    return suite_run("mpich2_sctp: allocations", cases);
}
