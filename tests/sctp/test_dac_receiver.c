// SPDX-License-Identifier: GPL-3.0-or-later
// The receiver's part of delayed acknowledgments for CMT (DAC; Iyengar, Amer, Stewart 2006): a gap
// does not force a SACK, and a SACK carries the number of packets that it acknowledges.
#include "tests/support/sctp_receiver_alone.h"
#include "tests/support/suite.h"

#define S2007 "{profile: s2007, cmt: true, cmt_dac: true}"
#define NS2 "{profile: ns2}"
#define RFC "{profile: rfc9260, cmt: true}"

// While all is in order, packets do not count. With a gap each one does, and the second one sends.
static void test_s2007(void)
{
    sctp_receiver_play(S2007, (const struct sctp_step[]){
                                  {"1", "0:SACK 1"},
                                  {"2", ""},
                                  {"3", "0:SACK 3"},
                                  {"5", ""}, // starts the timer
                                  {"6", "0:SACK 3 [5-6] flags 0x80"},
                                  {"8", ""},
                                  {"", ""}, // no packet with DATA
                                  {"+201", "0:SACK 3 [5-6 8] flags 0x40"},
                                  {"4", ""},                    // fills a gap: counts
                                  {"7", "0:SACK 8 flags 0x80"}, // fills one, too
                                  {"9", ""},
                                  {0},
                              });
}

// Every eighth TSN the map slides, which takes the full check: that packet counts.
static void test_s2007_slide(void)
{
    sctp_receiver_play(S2007, (const struct sctp_step[]){
                                  {"1 2 3 4 5 6", "0:SACK 6"},
                                  {"7", ""},
                                  {"8", "0:SACK 8 flags 0x40"},
                                  {"9", ""},
                                  {"10 11 12 13 14 15 16 17", "0:SACK 17 flags 0x40"},
                                  {"18", ""},
                                  {"19", "0:SACK 19"},
                                  {0},
                              });
}

// In the full check even enough packets wait, if no timer runs: the SACK has just ridden away.
static void test_s2007_timer(void)
{
    sctp_receiver_play("{profile: s2007, cmt: true, cmt_dac: true, sack_frequency: 1}",
                       (const struct sctp_step[]){
                           {"1", "0:SACK 1"},
                           {"2", "0:SACK 2"},
                           {"4", ""},
                           {">", "front:SACK 2 [4] flags 0x40"},
                           {"5", ""},
                           {"6", "0:SACK 2 [4-6] flags 0x80"},
                           {0},
                       });
}

// The other reasons for an immediate SACK remain.
static void test_forced(void)
{
    sctp_receiver_play(S2007, (const struct sctp_step[]){
                                  {"1", "0:SACK 1"},
                                  {"3", ""},
                                  {"3", "1:SACK 1 [3] dup 3 flags 0x80"},
                                  {"3", "1:SACK 1 [3] dup 3 flags 0x40"},
                                  {0},
                              });
    sctp_receiver_play("{profile: s2007, cmt: true, cmt_dac: true, sack_delay: 0 ms}",
                       (const struct sctp_step[]){
                           {"1", "0:SACK 1"},
                           {"3", "0:SACK 1 [3] flags 0x40"},
                           {"4", "0:SACK 1 [3-4] flags 0x40"},
                           {0},
                       });
}

// By RFC 9260's rule each packet counts.
static void test_rfc(void)
{
    static const struct sctp_step bits[] = {
        {"1", ""},   {"2", "0:SACK 2 flags 0x80"},
        {"4", ""},   {"6", "0:SACK 2 [4 6] flags 0x80"},
        {"7", ""},   {"+201", "0:SACK 2 [4 6-7] flags 0x40"},
        {"3 5", ""}, {"8", "0:SACK 8 flags 0x80"},
        {0},
    };
    static const struct sctp_step number[] = {
        {"1", ""}, {"2", "0:SACK 2 flags 0x02"},
        {"4", ""}, {"6", "0:SACK 2 [4 6] flags 0x02"},
        {"7", ""}, {"+201", "0:SACK 2 [4 6-7] flags 0x01"},
        {0},
    };
    sctp_receiver_play(RFC, bits);
    sctp_receiver_play(NS2, number);
}

// The two bits wrap at four packets; a whole number does not.
static void test_wrap(void)
{
    sctp_receiver_play(
        "{profile: rfc9260, cmt: true, sack_frequency: 3}",
        (const struct sctp_step[]){{"1", ""}, {"2", ""}, {"3", "0:SACK 3 flags 0xc0"}, {0}});
    sctp_receiver_play(
        "{profile: rfc9260, cmt: true, sack_frequency: 4}",
        (const struct sctp_step[]){{"1", ""}, {"2", ""}, {"3", ""}, {"4", "0:SACK 4"}, {0}});
    sctp_receiver_play("{profile: ns2, sack_frequency: 4}",
                       (const struct sctp_step[]){
                           {"1", ""}, {"2", ""}, {"3", ""}, {"4", "0:SACK 4 flags 0x04"}, {0}});
}

// Reordering between two paths: DAC halves the SACKs.
static int64_t sacks_of_reordering(const char *section)
{
    struct sctp_receiver *receiver = sctp_receiver_new(section);
    // The second path is 10 TSNs late: 11 2 13 4 15 6 ...
    for (uint32_t i = 0; i < 200; i++) {
        char packet[16];
        g_snprintf(packet, sizeof packet, "%u", i % 2 ? i + 1 : i + 11);
        sctp_receiver_packet(receiver, i % 2, packet);
    }
    int64_t sacks = *receiver->stack.count.sacks_sent;
    sctp_receiver_free(receiver);
    return sacks;
}

static void test_fewer(void)
{
    SUITE_SAME_INTEGER(sacks_of_reordering("{profile: s2007, cmt: true}"), 200);
    SUITE_SAME_INTEGER(sacks_of_reordering(S2007), 100); // the first one alone, the last one waits
    SUITE_SAME_INTEGER(sacks_of_reordering("{profile: rfc9260, cmt: true, cmt_dac: false}"), 200);
    SUITE_SAME_INTEGER(sacks_of_reordering(RFC), 100);
}

// Without CMT the switch has no effect.
static void test_off(void)
{
    sctp_receiver_play("{profile: s2007, cmt: false, cmt_dac: true}",
                       (const struct sctp_step[]){
                           {"1", "0:SACK 1"}, {"3", "0:SACK 1 [3]"}, {"4", "0:SACK 1 [3-4]"}, {0}});
}

static const struct suite_case cases[] = {
    {"the BSD stack counts while something is missing", test_s2007},
    {"the BSD stack counts when its map slides", test_s2007_slide},
    {"the BSD stack waits for its timer to run", test_s2007_timer},
    {"duplicates and no delay force a SACK", test_forced},
    {"RFC 9260's rule counts each packet", test_rfc},
    {"two bits wrap at four packets", test_wrap},
    {"reordering: half as many SACKs", test_fewer},
    {"not without CMT", test_off},
    {0},
};

int main(void)
{
    return suite_run("sctp: DAC, receiver", cases);
}
