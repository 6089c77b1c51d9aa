// SPDX-License-Identifier: GPL-3.0-or-later
// Counters by peer against an array of all ranks.
#include "sim/mpi/peer_counts.h"
#include "tests/support/suite.h"

#define RANKS 5000

static void test_like_an_array(void)
{
    static uint32_t expected[RANKS];
    struct peer_counts counts = {0};
    uint32_t chance = 1;
    for (int i = 0; i < 20000; i++) {
        chance = chance * 1103515245 + 12345;
        int peer = (int)(chance >> 8) % (i < 10000 ? 37 : RANKS);
        SUITE_SAME_INTEGER(*peer_counts_at(&counts, peer), expected[peer]);
        ++*peer_counts_at(&counts, peer);
        expected[peer]++;
    }
    for (int peer = 0; peer < RANKS; peer++)
        if (expected[peer] > 0)
            SUITE_SAME_INTEGER(*peer_counts_at(&counts, peer), expected[peer]);
    peer_counts_clear(&counts);
}

static void test_few_peers_take_few_places(void)
{
    struct peer_counts counts = {0};
    for (int i = 0; i < 17; i++)
        ++*peer_counts_at(&counts, 1 << i);
    SUITE_SAME_INTEGER(counts.used, 17);
    SUITE_SAME_INTEGER(counts.size, 32);
    peer_counts_clear(&counts);
    SUITE_SAME_INTEGER(counts.size, 0);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"like an array", test_like_an_array},
        {"few peers take few places", test_few_peers_take_few_places},
        {0},
    };
    return suite_run("mpi: counters by peer", cases);
}
