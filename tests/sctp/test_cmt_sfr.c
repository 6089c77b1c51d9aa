// SPDX-License-Identifier: GPL-3.0-or-later
// Split fast retransmit (Iyengar, Amer, Stewart 2006): of data on two unequal paths those on the
// slow one are not missing because those on the fast one arrive.
#include "tests/sctp/sender.h"

#define CMT(more) "{profile: s2007, cmt: true, no_delay: true, burst_rule: none" more "}"

// Odd TSNs are on path 1, even ones on path 2.
static struct sender *flying_from(const char *section, uint32_t first)
{
    struct sender *sender = sender_traced(section, 2, first, NULL);
    sender->paths[0].cc.cwnd = sender->paths[1].cc.cwnd = 15000;
    sender_send(sender, 12, CHUNK);
    SENT(sender, "1[1] 2[2] 1[3] 2[4] 1[5] 2[6] 1[7] 2[8] 1[9] 2[10] 1[11] 2[12]");
    return sender;
}

static struct sender *flying(const char *section)
{
    return flying_from(section, 1000);
}

static void fast_path_arrives(struct sender *sender)
{
    sender_sack(sender, "0 2");
    sender_sack(sender, "0 2 4");
    sender_sack(sender, "0 2 4 6");
    sender_sack(sender, "0 2 4 6 8");
}

static void test_on(void)
{
    struct sender *sender = flying(CMT(""));
    fast_path_arrives(sender);
    SENT(sender, "");
    SUITE_SAME_INTEGER(*sender->stack.count.fast_retransmits, 0);
    SUITE_SAME_INTEGER(*sender->stack.count.strikes_suppressed, 1 + 2 + 3 + 4);
    WINDOW(sender, 0, 15000, SENDER_RWND);
    sender_free(sender);
}

// Without it path 1 is cut twice, and 1 and 3 are sent again for nothing.
static void test_off(void)
{
    struct sender *sender = flying(CMT(", cmt_sfr: false"));
    fast_path_arrives(sender);
    SUITE_SAME_INTEGER(*sender->stack.count.fast_retransmits, 2);
    SUITE_SAME_INTEGER(*sender->stack.count.retransmissions, 2);
    SUITE_SAME_INTEGER(*sender->stack.count.strikes_suppressed, 0);
    WINDOW(sender, 0, 3750, 3750);
    sender_free(sender);
}

// A SACK that repeats its gaps reports nothing new; in ns-2 it counts for all chunks below the
// newest that was ever acknowledged.
static void test_repeated(void)
{
    struct sender *sender = flying(CMT(", cmt_sfr: false"));
    for (int i = 0; i < 3; i++)
        sender_sack(sender, "0 2 4");
    SUITE_SAME_INTEGER(sender_chunk(sender, 1)->missing, 1);
    sender_free(sender);
    sender = flying(CMT(", cmt_sfr: false, htna: false"));
    sender_sack(sender, "0 2 4");
    sender_sack(sender, "0 2 4");
    SUITE_SAME_INTEGER(sender_chunk(sender, 1)->missing, 2);
    SUITE_SAME_INTEGER(sender_chunk(sender, 3)->missing, 2);
    SUITE_SAME_INTEGER(sender_chunk(sender, 5)->missing, 0);
    sender_sack(sender, "0 2 4");
    SUITE_SAME_INTEGER(*sender->stack.count.fast_retransmits, 2);
    sender_free(sender);
}

// A real loss is found by later arrivals on the same path.
static void loss(uint32_t first)
{
    struct sender *sender = flying_from(CMT(""), first);
    sender_sack(sender, "0 4");
    sender_sack(sender, "0 4 6");
    SUITE_SAME_INTEGER(sender_chunk(sender, 2)->missing, 2);
    sender_sack(sender, "0 4 6 8");
    SUITE_SAME_INTEGER(*sender->stack.count.fast_retransmits, 1);
    SUITE_SAME_INTEGER(sender_chunk(sender, 2)->transmissions, 2);
    CU_ASSERT(sender_chunk(sender, 2)->no_fast); // CMT never does it again
    SUITE_SAME_INTEGER(sender_chunk(sender, 1)->missing, 0);
    WINDOW(sender, 1, 7500, 7500);
    WINDOW(sender, 0, 15000, SENDER_RWND);
    sender_free(sender);
}

// Wherever TSNs are in their circle.
static void test_loss(void)
{
    static const uint32_t first[] = {1, 0x7FFFFFFC, 0x90000000, UINT32_MAX - 3};
    for (size_t i = 0; i < G_N_ELEMENTS(first); i++)
        loss(first[i]);
}

// Acknowledgments on path 1 below a chunk of its own do not report that one missing.
static void test_earlier(void)
{
    struct sender *sender = flying(CMT(""));
    sender_sack(sender, "0 3 12"); // 5 and 7 are above path 1's highest
    SUITE_SAME_INTEGER(sender_chunk(sender, 1)->missing, 1);
    SUITE_SAME_INTEGER(sender_chunk(sender, 5)->missing, 0);
    SUITE_SAME_INTEGER(sender_chunk(sender, 2)->missing, 1);
    SUITE_SAME_INTEGER(sender_chunk(sender, 10)->missing, 1);
    sender_free(sender);
}

// The BSD stack has the rule without CMT, too: after a change of the primary.
static void change_of_primary(const char *section, int expected)
{
    struct sender *sender = sender_new(section, 2);
    sender_send(sender, 1, CHUNK);
    sender->association.primary = &sender->paths[1];
    sender_send(sender, 3, CHUNK);
    SENT(sender, "1[1] 2[2] 2[3] 2[4]");
    sender_sack(sender, "0 2");
    sender_sack(sender, "0 2-3");
    sender_sack(sender, "0 2-4");
    SUITE_SAME_INTEGER(*sender->stack.count.fast_retransmits, expected);
    sender_free(sender);
}

static void test_without_cmt(void)
{
    change_of_primary("{profile: s2007, no_delay: true}", 0);
    change_of_primary("{profile: s2007, no_delay: true, split_strikes: false}", 1);
    change_of_primary("{no_delay: true}", 1);
}

static const struct suite_case cases[] = {
    {"reordering between paths", test_on},
    {"the same without it", test_off},
    {"a loss is found", test_loss},
    {"what came before", test_earlier},
    {"without CMT", test_without_cmt},
    {"a SACK again", test_repeated},
    {0},
};

int main(void)
{
    return suite_run("sctp: split fast retransmit", cases);
}
