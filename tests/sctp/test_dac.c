// SPDX-License-Identifier: GPL-3.0-or-later
// DAC over the whole stack (Iyengar, Amer, Stewart 2006): two paths of unlike delay reorder
// everything. Without DAC there are at least 1.4 times the SACKs, with it no needless
// retransmissions either.
#include "tests/support/suite.h"
#include "tests/support/world_sctp.h"

#define BYTES (3 << 20)

struct outcome {
    int64_t sacks, retransmissions;
    bool counted; // some SACK counted more than one packet
};

static struct outcome transfer(const char *profile, bool dac)
{
    const char *const sets[] = {profile,
                                "sctp.cmt=true",
                                dac ? "sctp.cmt_dac=true" : "sctp.cmt_dac=false",
                                "sctp.cmt_pf=0",
                                "sctp.receive_buffer=4 MiB",
                                "sctp.send_buffer=4 MiB",
                                "links[1].propagation=5 ms",
                                "links[3].propagation=5 ms",
                                NULL};
    struct world *world = sctp_world(2, 2, sets, NULL);
    struct outcome outcome = {0};
    sctp_transfer(world, 2 * TIME_S, BYTES, 1400);
    sctp_run_until(world, 30 * TIME_S);
    SUITE_SAME_INTEGER(sctp_node(world, 1)->bytes_read, BYTES);
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    outcome.sacks = world_counter(world, "sctp SACKs sent");
    outcome.retransmissions = world_counter(world, "sctp chunks retransmitted");
    for (int i = 0; i < sctp_log_count(world); i++) {
        const struct sctp_line *line = sctp_log_at(world, i);
        outcome.counted |= line->type == SCTP_SACK && line->flags != 0;
    }
    world_free(world);
    return outcome;
}

static void test_fewer_sacks(void)
{
    static const char *const profiles[] = {"sctp.profile=rfc9260", "sctp.profile=s2007",
                                           "sctp.profile=ns2"};
    for (int i = 0; i < 3; i++) {
        struct outcome with = transfer(profiles[i], true), without = transfer(profiles[i], false);
        CU_ASSERT(with.counted && !without.counted);
        CU_ASSERT(5 * without.sacks >= 7 * with.sacks);
        CU_ASSERT(with.retransmissions == 0 && without.retransmissions == 0);
    }
}

static const struct suite_case cases[] = {
    {"fewer SACKs in spite of reordering", test_fewer_sacks},
    {0},
};

int main(void)
{
    return suite_run("sctp: DAC", cases);
}
