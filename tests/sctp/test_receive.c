// SPDX-License-Identifier: GPL-3.0-or-later
// Which DATA is taken, what FORWARD-TSN skips, and the map of TSNs against a naive one.
#include "sim/core/random.h"
#include "tests/support/sctp_receiver_alone.h"
#include "tests/support/suite.h"

#include <string.h>

static void test_wrap(void)
{
    // The first TSN is 0xfffffff0: TSN 17 is 0.
    struct sctp_receiver *receiver = sctp_receiver_new("{profile: rfc9260}");
    for (int tsn = 40; tsn > 1; tsn--) {
        char packet[16];
        g_snprintf(packet, sizeof packet, "%d", tsn);
        sctp_receiver_packet(receiver, 0, packet);
    }
    SUITE_SAME_TEXT(sctp_receiver_delivered(receiver), "");
    sctp_receiver_sent(receiver);
    sctp_receiver_packet(receiver, 0, "42 1");
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 40 [42]");
    SUITE_SAME_INTEGER(receiver->association->in.cum_tsn, 23);
    sctp_receiver_free(receiver);
}

// Each must end the association (RFC 9260, 6.6, 6.9; the BSD stack does).
static void test_violations(void)
{
    static const char *const packets[] = {
        "1E",             // the end of nothing
        "1B 2",           // a whole message within another one
        "1B 2B",          // a message begins within another one
        "1 3E 2",         // with the end first
        "3B 2B",          // the later one first
        "1 2s0.0",        // an SSN that was delivered
        "2s0.3 3s0.3",    // an SSN that waits
        "1s0.0B 2s1.0E",  // fragments of different streams
        "1s0.0B 2s0.1E",  // of different SSNs
        "1s0.0B 2s0.0UE", // ordered and unordered
        "3s0.0E 2s1.0M",  // the later one first
    };
    for (size_t i = 0; i < G_N_ELEMENTS(packets); i++) {
        struct sctp_receiver *receiver = sctp_receiver_new("{profile: rfc9260}");
        sctp_receiver_packet(receiver, 0, packets[i]);
        if (receiver->aborts != 1)
            SUITE_SAME_TEXT(packets[i], "aborted");
        SUITE_SAME_INTEGER(receiver->cause, SCTP_PROTOCOL_VIOLATION);
        sctp_receiver_free(receiver);
    }
}

static void test_forward(void)
{
    struct sctp_receiver *receiver = sctp_receiver_new("{profile: rfc9260}");
    sctp_receiver_packet(receiver, 0, "1s1.0 3s1.2 4s1.3 6s2.0");
    SUITE_SAME_TEXT(sctp_receiver_delivered(receiver), "1.0:100 2.0:100");
    sctp_receiver_sent(receiver);
    sctp_receiver_forward(receiver, 2, (const uint16_t[]){1, 1}, 1);
    SUITE_SAME_TEXT(sctp_receiver_delivered(receiver), "1.2:100 1.3:100");
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 4 [6]");
    // Out of date: a SACK at once.
    sctp_receiver_forward(receiver, 3, (const uint16_t[]){1, 1}, 1);
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 4 [6]");
    sctp_receiver_packet(receiver, 0, "8s3.0B 11s3.1");
    sctp_receiver_sent(receiver);
    // Beyond all that has come: fragments go, what is complete is delivered.
    sctp_receiver_forward(receiver, 5000, (const uint16_t[]){3, 0}, 1);
    SUITE_SAME_TEXT(sctp_receiver_delivered(receiver), "3.1:100");
    SUITE_SAME_INTEGER(receiver->association->in.held, 0);
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 5000");
    sctp_receiver_packet(receiver, 0, "5001s3.2");
    SUITE_SAME_TEXT(sctp_receiver_delivered(receiver), "3.2:100");
    sctp_receiver_free(receiver);
}

// A restart forgets what is held, but the reader still has what is queued.
static void test_restart(void)
{
    struct sctp_receiver *receiver =
        sctp_receiver_new("{profile: s2007, receive_buffer: 10000 B, sws_receive: 0 B}");
    struct sctp_association *association = receiver->association;
    sctp_receiver_packet(receiver, 0, "1:1000 3:500 6s1.0:500B");
    sctp_in_clear(association);
    sctp_in_init(association, receiver->first_tsn, 4);
    SUITE_SAME_INTEGER(association->in.held, 0);
    SUITE_SAME_INTEGER(sctp_rwnd(association), 10000 - 1256);
    sctp_receiver_sent(receiver);
    sctp_receiver_packet(receiver, 0, "2:500 1:500");
    SUITE_SAME_TEXT(sctp_receiver_delivered(receiver), "0.0:1000 0.0:500 0.1:500");
    while (receiver->unread.length > 0)
        sctp_receiver_read(receiver);
    SUITE_SAME_INTEGER(sctp_rwnd(association), 10000);
    sctp_receiver_free(receiver);
}

// ---- The map against a naive one ----

#define MOST 700

// Gap blocks of an array of what has arrived, index: TSN after `cum`.
static int naive_gaps(const bool *arrived, uint32_t cum, uint32_t end, struct sctp_gap *gaps)
{
    int count = 0;
    for (uint32_t tsn = cum + 1; tsn < end; tsn++) {
        if (!arrived[tsn])
            continue;
        if (arrived[tsn - 1])
            gaps[count - 1].end = (uint16_t)(tsn - cum);
        else
            gaps[count++] = (struct sctp_gap){(uint16_t)(tsn - cum), (uint16_t)(tsn - cum)};
    }
    return count;
}

static void compare(const struct sctp_in *in, const bool *arrived, uint32_t first)
{
    static struct sctp_gap gaps[MOST], naive[MOST];
    uint32_t cum = 0, highest = MOST - 1;
    while (cum + 1 < MOST && arrived[cum + 1])
        cum++;
    while (!arrived[highest])
        highest--;
    SUITE_SAME_INTEGER(in->cum_tsn - first + 1, cum);
    SUITE_SAME_INTEGER(in->highest - first + 1, highest);
    int count = naive_gaps(arrived, cum, MOST, naive);
    SUITE_SAME_INTEGER(sctp_map_gaps(in, NULL, MOST), count);
    SUITE_SAME_INTEGER(sctp_map_gaps(in, gaps, MOST), count);
    CU_ASSERT(memcmp(gaps, naive, (size_t)count * sizeof *gaps) == 0);
}

// TSNs 1 .. MOST - 1 in an order by chance, within a window as wide as the map; some are taken
// back.
static void play_map(struct random_stream *random, uint32_t first, uint32_t size)
{
    static bool arrived[MOST];
    struct sctp_in in = {.cum_tsn = first - 1, .highest = first - 1, .map_size = size};
    memset(arrived, 0, sizeof arrived);
    arrived[0] = true;
    while (in.cum_tsn != first + MOST - 2) {
        uint32_t cum = in.cum_tsn - first + 1;
        uint32_t spread = (uint32_t)random_below(random, 3) == 0 ? size : 1 + size / 20;
        uint32_t tsn = cum + 1 + (uint32_t)random_below(random, MIN(spread, MOST - 1 - cum));
        bool known = tsn <= in.highest - first + 1 && sctp_map_has(&in, first + tsn - 1);
        CU_ASSERT_EQUAL(known, arrived[tsn]);
        if (!known)
            sctp_map_add(&in, first + tsn - 1);
        else if (random_chance(random, 0.05))
            sctp_map_remove(&in, first + tsn - 1, first + tsn - 1);
        arrived[tsn] = tsn <= in.cum_tsn - first + 1 || sctp_map_has(&in, first + tsn - 1);
        CU_ASSERT(arrived[tsn] || known);
        if (random_chance(random, 0.1))
            compare(&in, arrived, first);
    }
    compare(&in, arrived, first);
    for (uint32_t word = 0; word < size / 64; word++)
        CU_ASSERT_EQUAL(in.map[word], 0);
    g_free(in.map);
}

static void test_map(void)
{
    struct random_stream *random = random_new(7, "map");
    for (uint32_t size = 64; size <= 512; size *= 2)
        for (int round = 0; round < 5; round++)
            play_map(random, (uint32_t)random_below(random, MOST) - MOST / 2, size);
    random_free(random);
}

static void test_map_forward(void)
{
    uint64_t words[4] = {0};
    struct sctp_in in = {.cum_tsn = 99, .highest = 99, .map_size = 256, .map = words};
    for (uint32_t tsn = 110; tsn < 120; tsn++)
        sctp_map_add(&in, tsn);
    sctp_map_add(&in, 130);
    sctp_map_forward(&in, 109); // joins what follows
    SUITE_SAME_INTEGER(in.cum_tsn, 119);
    SUITE_SAME_INTEGER(sctp_map_gaps(&in, NULL, 9), 1);
    sctp_map_forward(&in, 129);
    SUITE_SAME_INTEGER(in.cum_tsn, 130);
    sctp_map_add(&in, 140);
    sctp_map_forward(&in, 1000);
    SUITE_SAME_INTEGER(in.highest, 1000);
    for (int i = 0; i < 4; i++)
        CU_ASSERT_EQUAL(words[i], 0);
}

static const struct suite_case cases[] = {
    {"TSNs wrap", test_wrap},
    {"what breaks the rules of messages ends it", test_violations},
    {"FORWARD-TSN", test_forward},
    {"a restart", test_restart},
    {"the map is as a naive one", test_map},
    {"the map skips", test_map_forward},
    {0},
};

int main(void)
{
    return suite_run("sctp: receive", cases);
}
