// SPDX-License-Identifier: GPL-3.0-or-later
// When a receiver sends a SACK, with what, and where to (RFC 9260, 6.2, 6.7; the BSD stack of
// September 2007), for each profile.
#include "tests/support/sctp_receiver_alone.h"
#include "tests/support/suite.h"

#define RFC "{profile: rfc9260}"
#define S2007 "{profile: s2007}"
#define NS2 "{profile: ns2, cmt: false, cmt_pf: 0}"

// Each second packet at once, a lone one after 200 ms.
static const struct sctp_step in_order[] = {
    {"1", ""},     {"2", "0:SACK 2"}, {"3", ""},         {"+199", ""}, {"+2", "0:SACK 3"},
    {"+1000", ""}, {"4", ""},         {"5", "0:SACK 5"}, {0},
};

// The first DATA at once.
static const struct sctp_step in_order_s2007[] = {
    {"1", "0:SACK 1"}, {"2", ""}, {"3", "0:SACK 3"}, {"4", ""}, {"+201", "0:SACK 4"}, {0},
};

static void test_in_order(void)
{
    sctp_receiver_play(RFC, in_order);
    sctp_receiver_play(S2007, in_order_s2007);
    sctp_receiver_play(NS2, in_order);
}

// Chunks of one packet count as one packet.
static const struct sctp_step bundled[] = {
    {"1 2 3", ""}, {"4 5", "0:SACK 5"}, {"6 8", "0:SACK 6 [8]"}, {"7", "0:SACK 8"}, {0},
};

static void test_bundled(void)
{
    sctp_receiver_play(RFC, bundled);
    sctp_receiver_play(NS2, bundled);
}

static const struct sctp_step gap[] = {
    {"1", ""},
    {"2", "0:SACK 2"},
    {"4", "0:SACK 2 [4]"},
    {"5", "0:SACK 2 [4-5]"},
    {"7", "0:SACK 2 [4-5 7]"},
    {"3", "0:SACK 5 [7]"},
    {"6", "0:SACK 7"},
    {"8", ""},
    {0},
};

static const struct sctp_step gap_s2007[] = {
    {"1", "0:SACK 1"},       {"3", "0:SACK 1 [3]"},
    {"5", "0:SACK 1 [3 5]"}, {"2", "0:SACK 3 [5]"},
    {"4", "0:SACK 5"},       {"6", ""},
    {"7", "0:SACK 7"},       {0},
};

static void test_gap(void)
{
    sctp_receiver_play(RFC, gap);
    sctp_receiver_play(S2007, gap_s2007);
    sctp_receiver_play(NS2, gap);
}

// To the other path, since the SACKs may have been lost on this one.
static const struct sctp_step duplicates[] = {
    {"1", ""},
    {"1", "1:SACK 1 dup 1"},
    {"2", ""},
    {"4", "0:SACK 2 [4]"},
    {"4 1 4", "1:SACK 2 [4] dup 4 1 4"},
    {"5", "0:SACK 2 [4-5]"},
    {0},
};

static void test_duplicates(void)
{
    sctp_receiver_play(RFC, duplicates);
    // The BSD stack forgot those up to cum_tsn, unless something is missing.
    sctp_receiver_play(S2007, (const struct sctp_step[]){
                                  {"1", "0:SACK 1"},
                                  {"1", ""},
                                  {"1", "1:SACK 1 dup 1 1"},
                                  {"2", ""},
                                  {"+201", "0:SACK 2"},
                                  {"2", ""},
                                  {"+201", "1:SACK 2 dup 2"},
                                  {"4", "0:SACK 2 [4]"},
                                  {"1", "1:SACK 2 [4] dup 1"},
                                  {"4", "1:SACK 2 [4] dup 4"},
                                  {0},
                              });
}

// The last DATA's source is tried again after some SACKs to another path: the other direction may
// be the broken one, as after a failover of the peer.
static void test_duplicates_again(void)
{
    sctp_receiver_play(RFC, (const struct sctp_step[]){{"1", ""},
                                                       {"1", "1:SACK 1 dup 1"},
                                                       {"1", "0:SACK 1 dup 1"},
                                                       {"1", "1:SACK 1 dup 1"},
                                                       {"2", ""},
                                                       {"3", "0:SACK 3"},
                                                       {"3", "1:SACK 3 dup 3"},
                                                       {0}});
    sctp_receiver_play(S2007, (const struct sctp_step[]){{"1", "0:SACK 1"},
                                                         {"3", "0:SACK 1 [3]"},
                                                         {"3", "1:SACK 1 [3] dup 3"},
                                                         {"3", "1:SACK 1 [3] dup 3"},
                                                         {"3", "1:SACK 1 [3] dup 3"},
                                                         {"3", "0:SACK 1 [3] dup 3"},
                                                         {"3", "1:SACK 1 [3] dup 3"},
                                                         {0}});
    sctp_receiver_play(NS2, (const struct sctp_step[]){
                                {"1", ""}, {"1", "0:SACK 1 dup 1"}, {"1", "0:SACK 1 dup 1"}, {0}});
}

static void test_most_duplicates(void)
{
    struct sctp_receiver *receiver = sctp_receiver_new(RFC);
    GString *packet = g_string_new("1"), *expected = g_string_new("1:SACK 1 dup");
    for (int i = 0; i < 30; i++)
        g_string_append(packet, " 1");
    for (int i = 0; i < 20; i++)
        g_string_append(expected, " 1");
    sctp_receiver_packet(receiver, 0, packet->str);
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), expected->str);
    SUITE_SAME_INTEGER(*receiver->stack.count.duplicates, 30);
    g_string_free(packet, TRUE);
    g_string_free(expected, TRUE);
    sctp_receiver_free(receiver);
}

static void test_immediate(void)
{
    sctp_receiver_play(RFC, (const struct sctp_step[]){{"1I", "0:SACK 1"}, {"2", ""}, {0}});
    sctp_receiver_play(S2007, (const struct sctp_step[]){{"1", "0:SACK 1"}, {"2I", ""}, {0}});
    sctp_receiver_play(NS2, (const struct sctp_step[]){{"1I", ""}, {0}});
}

// A SACK that waits rides in front of any packet to the peer; then none waits.
static const struct sctp_step rides[] = {
    {">", ""},     {"1", ""}, {">", "front:SACK 1"}, {">", ""},
    {"+1000", ""}, {"2", ""}, {"3", "0:SACK 3"},     {0},
};

static void test_rides(void)
{
    sctp_receiver_play(RFC, rides);
    sctp_receiver_play(NS2, rides);
    sctp_receiver_play(
        S2007, (const struct sctp_step[]){
                   {"1", "0:SACK 1"}, {"2", ""}, {">", "front:SACK 2"}, {"+1000", ""}, {0}});
}

// 64 TSNs are kept: the 66th is dropped after the 1st.
static void test_beyond_the_map(void)
{
    sctp_receiver_play(
        "{profile: rfc9260, map: 64}",
        (const struct sctp_step[]){{"1", ""}, {"66", "0:SACK 1"}, {"65", "0:SACK 1 [65]"}, {0}});
    // A TSN beyond the map that shares the bit of a received one is no duplicate.
    sctp_receiver_play(
        "{profile: rfc9260, map: 64}",
        (const struct sctp_step[]){
            {"1", ""}, {"3", "0:SACK 1 [3]"}, {"67", "0:SACK 1 [3]"}, {"2", "0:SACK 3"}, {0}});
    // It counts as a packet, but asks for nothing by itself.
    sctp_receiver_play(
        "{profile: s2007, map: 64}",
        (const struct sctp_step[]){{"1", "0:SACK 1"}, {"66", ""}, {"67", "0:SACK 1"}, {0}});
}

// Acknowledged, and complained of after the SACK (RFC 9260, 6.5).
static void test_invalid_stream(void)
{
    sctp_receiver_play(
        RFC, (const struct sctp_step[]){
                 {"1s4.0", "0:ERROR"}, {"2s9.0", "0:SACK 2; 0:ERROR"}, {"3s3.0", ""}, {0}});
    sctp_receiver_play(
        S2007, (const struct sctp_step[]){{"1s4.0 2s5.0", "0:SACK 2; 0:ERROR; 0:ERROR"}, {0}});
}

static void test_settings(void)
{
    static const struct sctp_step each[] = {{"1", "0:SACK 1"}, {"2", "0:SACK 2"}, {0}};
    static const struct sctp_step third[] = {{"1", ""}, {"2", ""}, {"3", "0:SACK 3"}, {0}};
    sctp_receiver_play("{profile: rfc9260, sack_delay: 0 ms}", each);
    sctp_receiver_play("{profile: s2007, sack_delay: 0 ms}", each);
    sctp_receiver_play("{profile: rfc9260, sack_frequency: 1}", each);
    sctp_receiver_play("{profile: s2007, sack_frequency: 1}", each);
    sctp_receiver_play("{profile: rfc9260, sack_frequency: 3}", third);
    sctp_receiver_play(
        "{profile: rfc9260, sack_delay: 500 ms}",
        (const struct sctp_step[]){{"1", ""}, {"+499", ""}, {"+2", "0:SACK 1"}, {0}});
}

static void test_destination(void)
{
    struct sctp_receiver *receiver = sctp_receiver_new(RFC);
    struct sctp_path *paths = receiver->association->paths;
    sctp_receiver_packet(receiver, 0, "1");
    sctp_receiver_packet(receiver, 1, "2");
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "1:SACK 2");
    // Not to an address that does not answer, or that was never confirmed.
    paths[1].machine.state = SCTP_PATH_INACTIVE;
    sctp_receiver_packet(receiver, 1, "4");
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 2 [4]");
    paths[1].machine.state = SCTP_PATH_UNCONFIRMED;
    sctp_receiver_packet(receiver, 1, "5");
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 2 [4-5]");
    paths[1].machine.state = SCTP_PATH_PF; // it may still be reached
    sctp_receiver_packet(receiver, 1, "6");
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "1:SACK 2 [4-6]");
    // A duplicate, and no other path is up.
    paths[1].machine.state = SCTP_PATH_INACTIVE;
    sctp_receiver_packet(receiver, 0, "6");
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 2 [4-6] dup 6");
    sctp_receiver_free(receiver);
}

// RFC 9260, 9.2: SHUTDOWN answers, and a SACK goes along if something is missing; in the BSD stack
// always.
static void test_shutdown_sent(void)
{
    struct sctp_receiver *receiver = sctp_receiver_new(RFC);
    receiver->association->machine.state = SCTP_SHUTDOWN_SENT;
    sctp_receiver_packet(receiver, 0, "1");
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "");
    SUITE_SAME_INTEGER(receiver->shutdowns, 1);
    sctp_receiver_packet(receiver, 0, "3");
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 1 [3]");
    SUITE_SAME_INTEGER(receiver->shutdowns, 2);
    sctp_receiver_free(receiver);
    receiver = sctp_receiver_new(S2007);
    receiver->association->machine.state = SCTP_SHUTDOWN_SENT;
    sctp_receiver_packet(receiver, 0, "1");
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 1");
    SUITE_SAME_INTEGER(receiver->shutdowns, 1);
    sctp_receiver_free(receiver);
}

static void test_life(void)
{
    static const char *const sections[] = {RFC, S2007, NS2};
    for (int i = 0; i < 3; i++) {
        struct sctp_receiver *receiver = sctp_receiver_new(sections[i]);
        receiver->association->errors = 3;
        sctp_receiver_packet(receiver, 0, "1");
        SUITE_SAME_INTEGER(receiver->association->errors, i == 1 ? 0 : 3);
        receiver->association->errors = 2;
        sctp_receiver_packet(receiver, 0, "1"); // a duplicate shows none
        SUITE_SAME_INTEGER(receiver->association->errors, 2);
        sctp_receiver_free(receiver);
    }
}

// As many gap blocks as fit: (1500 - 20 - 12 - 16) / 4.
static void test_many_gaps(void)
{
    struct sctp_receiver *receiver = sctp_receiver_new("{profile: rfc9260, map: 1000}");
    struct cpu_context context = sctp_receiver_context(receiver);
    for (uint32_t tsn = 2; tsn <= 1000; tsn += 2) {
        struct sctp_data data = {.tsn = tsn, .bytes = 1, .ssn = (uint16_t)tsn};
        sctp_receiver_data(receiver, 0, SCTP_DATA_BEGIN | SCTP_DATA_END, &data);
    }
    struct sctp_chunk *chunk = sctp_sack_take(&context, receiver->association, true);
    SUITE_SAME_INTEGER(chunk->sack.gap_count, 363);
    SUITE_SAME_INTEGER(chunk->length, 1468);
    SUITE_SAME_INTEGER(sctp_sack_gaps(&chunk->sack)[362].end, 726);
    sctp_chunk_free(&receiver->stack.pools, chunk);
    // It may ride to any path.
    receiver->association->paths[1].mtu = 576;
    chunk = sctp_sack_take(&context, receiver->association, true);
    SUITE_SAME_INTEGER(chunk->sack.gap_count, 132);
    sctp_chunk_free(&receiver->stack.pools, chunk);
    // Duplicates take the room of gap blocks.
    for (int i = 0; i < 20; i++)
        sctp_receiver_data(receiver, 0, SCTP_DATA_BEGIN | SCTP_DATA_END,
                           &(struct sctp_data){.tsn = 2, .bytes = 1});
    chunk = sctp_sack_take(&context, receiver->association, true);
    SUITE_SAME_INTEGER(chunk->sack.gap_count, 112);
    SUITE_SAME_INTEGER(chunk->sack.duplicate_count, 20);
    SUITE_SAME_INTEGER(chunk->length, 544);
    sctp_chunk_free(&receiver->stack.pools, chunk);
    sctp_receiver_free(receiver);
}

static const struct suite_case cases[] = {
    {"in order: each second packet, or after the delay", test_in_order},
    {"chunks of one packet are one packet", test_bundled},
    {"a gap, and its end, at once", test_gap},
    {"duplicates at once, listed, to another path", test_duplicates},
    {"duplicates again: to the source once more", test_duplicates_again},
    {"at most 20 duplicates are listed", test_most_duplicates},
    {"the I bit", test_immediate},
    {"a SACK rides in front of another packet", test_rides},
    {"TSNs beyond the map are dropped", test_beyond_the_map},
    {"an invalid stream: SACK, then ERROR", test_invalid_stream},
    {"delay and frequency are settings", test_settings},
    {"where SACKs go", test_destination},
    {"DATA after SHUTDOWN was sent", test_shutdown_sent},
    {"DATA shows life in the BSD stack", test_life},
    {"all gaps that fit into a packet", test_many_gaps},
    {0},
};

int main(void)
{
    return suite_run("sctp: acks", cases);
}
