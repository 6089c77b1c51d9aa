// SPDX-License-Identifier: GPL-3.0-or-later
// Open MPI's layers allocate nothing per message once their pools have grown: a program that takes
// all protocols of a message, with one card ten times slower so that messages arrive ahead of their
// turn, asks the system for as much memory in 400 rounds as in 200.
#include "tests/support/allocations_run.h"

// Eager, synchronous, empty, rendezvous; posted and unexpected; to oneself.
#define ROUND_0                                                                                    \
    "{isend: {to: 1, size: 7 KiB, tag: 1, request: a}}, "                                          \
    "{issend: {to: 1, size: 1 KiB, tag: 2, request: b}}, "                                         \
    "{isend: {to: 1, size: 60 KiB, tag: 3, request: c}}, "                                         \
    "{irecv: {from: 0, size: 5 KiB, request: d}}, {send: {to: 0, size: 5 KiB}}, "                  \
    "{waitall: all}, {recv: {from: 1, size: 0 B}}"
#define ROUND_1                                                                                    \
    "{recv: {from: 0, size: 60 KiB, tag: 3}}, {recv: {from: 0, size: 1 KiB, tag: 2}}, "            \
    "{recv: {from: 0, size: 7 KiB, tag: 1}}, {send: {to: 0, size: 0 B}}"

static uint64_t asked_for(int rounds, const char *rendezvous)
{
    char *first = g_strdup_printf("{loop: {count: %d, do: [" ROUND_0 "]}}", rounds),
         *second = g_strdup_printf("{loop: {count: %d, do: [" ROUND_1 "]}}", rounds);
    struct test_program program = {
        .ranks = 2,
        .stack = "openmpi_tcp",
        .machine = "links: [{from: node, to: switch, rate: 10 Mb/s}, {from: node, to: switch}]\n"
                   "nic: eepro100\n",
        .sets = {"openmpi_tcp.eager=8 KiB", "openmpi_tcp.min_rdma=20 KiB",
                 "openmpi_tcp.max_send=9 KiB", rendezvous},
        .ops = {first, second},
    };
    uint64_t messages, count = allocations_of(&program, &messages);
    SUITE_SAME_INTEGER((long long)messages, rounds * 5LL);
    g_free(first);
    g_free(second);
    return count;
}

// Pools, rings and tables double: a few allocations for twice as many rounds would be a leak of
// theirs, one per message is 1000.
static void test_rounds(void)
{
    static const char *const ways[] = {"openmpi_tcp.rendezvous=put",
                                       "openmpi_tcp.rendezvous=pipeline"};
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        uint64_t few = asked_for(200, ways[i]), many = asked_for(400, ways[i]);
        allocations_expect_even(few, many, 8, ways[i]);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {{"rounds", test_rounds}, {0}};
    return suite_run("openmpi: allocations", cases);
}
