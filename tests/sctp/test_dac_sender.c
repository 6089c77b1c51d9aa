// SPDX-License-Identifier: GPL-3.0-or-later
// Delayed acknowledgments of CMT at the sender (Iyengar, Amer, Stewart 2006): how many missing
// reports one SACK is worth.
#include "tests/sctp/sender.h"

#define CMT(more) "{profile: s2007, cmt: true, no_delay: true, burst_rule: none" more "}"
#define FLAGS CMT(", cmt_dac: true")
#define NUMBER CMT(", cmt_dac: true, cmt_dac_form: number")

// Odd TSNs are on path 1, even ones on path 2.
static struct sender *flying(const char *section)
{
    struct sender *sender = sender_new(section, 2);
    sender->paths[0].cc.cwnd = sender->paths[1].cc.cwnd = 15000;
    sender_send(sender, 12, CHUNK);
    sender_take(sender);
    return sender;
}

// After one SACK with these flags 2 is missing so often.
static void after(const char *section, const char *sack, int flags, int expected)
{
    struct sender *sender = flying(section);
    sender_sack_of(sender, sack, (uint8_t)flags, SENDER_RWND);
    SUITE_SAME_INTEGER(sender_chunk(sender, 2)->missing, expected);
    sender_free(sender);
}

// The BSD stack: bit 0x80 stands for two or three received packets.
static void test_flag(void)
{
    after(FLAGS, "0 4", 0x00, 1);
    after(FLAGS, "0 4", 0x40, 1);
    after(FLAGS, "0 4", 0x80, 2);
    after(FLAGS, "0 4", 0xC0, 2);
    after(CMT(", cmt_dac: false"), "0 4", 0x80, 1);
}

// A mixed SACK, of two paths, is worth one.
static void test_mixed(void)
{
    after(FLAGS, "0 3-4", 0x80, 1);
    after(NUMBER, "0 3-4", 2, 1);
}

// So is one that acknowledges something before the chunk: only one packet needs to be later.
static void test_between(void)
{
    after(FLAGS, "1 4", 0x80, 1);
    struct sender *sender = flying(FLAGS);
    sender_sack_of(sender, "0 4 8", 0x80, SENDER_RWND);
    SUITE_SAME_INTEGER(sender_chunk(sender, 2)->missing, 2);
    SUITE_SAME_INTEGER(sender_chunk(sender, 6)->missing, 1);
    sender_free(sender);
}

// Two SACKs are enough then.
static void test_fast_retransmit(void)
{
    struct sender *sender = flying(FLAGS);
    sender_sack_of(sender, "0 4", 0x80, SENDER_RWND);
    sender_sack_of(sender, "0 4 6", 0x80, SENDER_RWND);
    SUITE_SAME_INTEGER(*sender->stack.count.fast_retransmits, 1);
    sender_free(sender);
}

// ns-2: the number itself, also 0; only paths with chunks newly in gap blocks make a SACK mixed.
static void test_number(void)
{
    after(NUMBER, "0 4", 0, 0);
    after(NUMBER, "0 4", 1, 1);
    after(NUMBER, "0 4", 2, 2);
    after(NUMBER, "1 4", 2, 2);
    struct sender *sender = flying(NUMBER);
    sender_sack_of(sender, "0 4", 3, SENDER_RWND);
    SUITE_SAME_INTEGER(*sender->stack.count.fast_retransmits, 1);
    sender_free(sender);
}

static const struct suite_case cases[] = {
    {"the flag", test_flag},           {"a mixed SACK", test_mixed},
    {"a chunk between", test_between}, {"fast retransmit", test_fast_retransmit},
    {"the number", test_number},       {0},
};

int main(void)
{
    return suite_run("sctp: delayed acknowledgments at the sender", cases);
}
