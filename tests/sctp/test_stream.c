// SPDX-License-Identifier: GPL-3.0-or-later
// User messages become chunks: fragments, turns of streams, SSNs, the ring of TSNs.
#include "tests/sctp/sender.h"

#define ROOMY "{no_delay: true, initial_cwnd: 1 MiB}"

// "stream:ssn BE" of each chunk that is made.
static void made(struct sender *sender, const char *expected)
{
    GString *text = g_string_new(NULL);
    const struct sctp_out *out = sender_out(sender);
    for (uint32_t tsn = out->cum_tsn + 1; tsn != out->next; tsn++) {
        const struct sctp_outgoing *chunk = sctp_out_at(out, tsn);
        g_string_append_printf(text, "%s%d:%d+%u", text->len ? " " : "", chunk->stream, chunk->ssn,
                               chunk->bytes);
        for (int i = 0; i < 4; i++)
            if (chunk->flags >> i & 1)
                g_string_append_c(text, "EBUI"[i]);
        SUITE_SAME_INTEGER(chunk->tsn, tsn);
    }
    SUITE_SAME_TEXT(text->str, expected);
    g_string_free(text, TRUE);
}

static void cut(struct sender *sender, int64_t room, int64_t expected)
{
    SUITE_SAME_INTEGER(sctp_stream_cut(&sender->association, &sender->paths[0], room), expected);
}

static void test_fragments(void)
{
    struct sender *sender = sender_new(ROOMY, 1);
    SUITE_SAME_INTEGER(sctp_fragment_point(&sender->association), CHUNK);
    sender_put(sender, 3, 2 * CHUNK + 1, false);
    cut(sender, WIRE, WIRE);
    made(sender, "3:0+1452B");
    cut(sender, 10 * WIRE, WIRE + 20); // one byte, padded
    made(sender, "3:0+1452B 3:0+1452 3:0+1E");
    CU_ASSERT(!sctp_out_pending(&sender->association));
    CU_ASSERT(!sctp_out_empty(&sender->association));
    SUITE_SAME_INTEGER(sender_out(sender)->buffer.used, 2 * CHUNK + 1);
    sender_free(sender);
}

// A message that fits is one chunk; of several, those that fit into the room are taken.
static void test_room(void)
{
    struct sender *sender = sender_new(ROOMY, 1);
    for (int i = 0; i < 4; i++)
        sender_put(sender, 0, 500, false);
    cut(sender, WIRE, 2 * 516);
    cut(sender, 515, 0);
    cut(sender, 516, 516);
    made(sender, "0:0+500EB 0:1+500EB 0:2+500EB");
    sender_free(sender);
}

// Streams take turns message by message; none while a message is partly in chunks.
static void test_turns(void)
{
    struct sender *sender = sender_new(ROOMY, 1);
    sender_put(sender, 1, 100, false);
    sender_put(sender, 1, 100, false);
    sender_put(sender, 2, 2000, false);
    sender_put(sender, 5, 100, false);
    cut(sender, 116 + WIRE + 115, 116 + WIRE);
    made(sender, "1:0+100EB 2:0+1452B");
    sender_free(sender);
}

static void test_lock(void)
{
    struct sender *sender = sender_new(ROOMY, 1);
    sender_put(sender, 2, 2000, false);
    cut(sender, WIRE, WIRE);
    CU_ASSERT_PTR_EQUAL(sender_out(sender)->locked, &sender_out(sender)->streams[2]);
    sender_put(sender, 4, 100, false);
    sender_put(sender, 2, 50, false);
    cut(sender, 3000, 564 + 116 + 68);
    CU_ASSERT_PTR_NULL(sender_out(sender)->locked);
    made(sender, "2:0+1452B 2:0+548E 4:0+100EB 2:1+50EB");
    sender_free(sender);
}

static void test_unordered(void)
{
    struct sender *sender = sender_new(ROOMY, 1);
    sender_put(sender, 0, 8, false);
    sender_put(sender, 0, 8, true);
    sender_put(sender, 0, 8, false);
    cut(sender, WIRE, 72);
    made(sender, "0:0+8EB 0:0+8EBU 0:1+8EB");
    sender_free(sender);
}

static void test_chunk_limit(void)
{
    struct sender *sender = sender_new("{chunk_limit: 600 B}", 1);
    sender_put(sender, 0, 1300, false);
    cut(sender, 2000, 616 + 616 + 116);
    made(sender, "0:0+600B 0:0+600 0:0+100E");
    sender_free(sender);
}

// The smallest MTU of the paths decides.
static void test_fragment_point(void)
{
    struct sender *sender = sender_new("{mtu: 9000 B}", 2);
    SUITE_SAME_INTEGER(sctp_fragment_point(&sender->association), 8952);
    sender->paths[1].mtu = 1499;
    SUITE_SAME_INTEGER(sctp_fragment_point(&sender->association), 1448); // a multiple of 4
    sender_free(sender);
}

// The ring grows and TSNs wrap.
static void test_ring(void)
{
    struct sender *sender = sender_traced(ROOMY, 1, UINT32_MAX - 20, NULL);
    for (int i = 0; i < 70; i++)
        sender_put(sender, i % 10, 8, false);
    cut(sender, 100000, 70 * 24);
    SUITE_SAME_INTEGER(sender_out(sender)->room, 128);
    SUITE_SAME_INTEGER(sender_out(sender)->next, 49);
    for (uint32_t i = 1; i <= 70; i++)
        SUITE_SAME_INTEGER(sender_chunk(sender, i)->stream, (i - 1) % 10);
    sender_output(sender);
    sender_sack(sender, "65");
    SUITE_SAME_INTEGER(sender_out(sender)->buffer.used, 40);
    for (int i = 0; i < 123; i++)
        sender_put(sender, 0, 8, false);
    cut(sender, 100000, 123 * 24);
    SUITE_SAME_INTEGER(sender_out(sender)->room, 128); // exactly full
    sender_put(sender, 0, 8, false);
    cut(sender, 100000, 24);
    SUITE_SAME_INTEGER(sender_out(sender)->room, 256);
    for (uint32_t i = 66; i <= 194; i++)
        SUITE_SAME_INTEGER(sender_chunk(sender, i)->tsn, UINT32_MAX - 21 + i);
    sender_free(sender);
}

static void test_fewer_streams(void)
{
    struct sender *sender = sender_new(ROOMY, 1);
    sender_put(sender, 1, 100, false);
    sender_put(sender, 7, 100, false);
    sender_put(sender, 2, 100, false);
    sctp_out_limit_streams(&sender->association, 5);
    SUITE_SAME_INTEGER(sender_out(sender)->buffer.used, 200);
    SUITE_SAME_INTEGER(sender_out(sender)->waiting_bytes, 200);
    SUITE_SAME_INTEGER(sender_out(sender)->waiting, 2);
    sctp_out_limit_streams(&sender->association, 9);
    SUITE_SAME_INTEGER(sender_out(sender)->stream_count, 5);
    cut(sender, WIRE, 232);
    made(sender, "1:0+100EB 2:0+100EB");
    sender_free(sender);
    sender = sender_new(ROOMY, 1); // one of them has the turn
    sender_put(sender, 5, 2000, false);
    sender_put(sender, 2, 100, false);
    cut(sender, WIRE, WIRE);
    sctp_out_limit_streams(&sender->association, 5);
    CU_ASSERT_PTR_NULL(sender_out(sender)->locked);
    SUITE_SAME_INTEGER(sender_out(sender)->buffer.used, CHUNK + 100);
    cut(sender, WIRE, 116);
    sender_put(sender, 2, 3000, false); // one that stays keeps it
    cut(sender, WIRE, WIRE);
    sctp_out_limit_streams(&sender->association, 3);
    CU_ASSERT_PTR_EQUAL(sender_out(sender)->locked, &sender_out(sender)->streams[2]);
    sctp_out_limit_streams(&sender->association, 2);
    CU_ASSERT_PTR_NULL(sender_out(sender)->locked);
    sender_free(sender);
}

static const struct suite_case cases[] = {
    {"a long message becomes fragments", test_fragments},
    {"chunks fit into the room", test_room},
    {"streams take turns", test_turns},
    {"a message keeps the turn", test_lock},
    {"unordered messages have no number", test_unordered},
    {"the longest chunk may be set", test_chunk_limit},
    {"the smallest MTU decides", test_fragment_point},
    {"the ring grows, and TSNs wrap", test_ring},
    {"the peer takes fewer streams", test_fewer_streams},
    {0},
};

int main(void)
{
    return suite_run("sctp: streams of a sender", cases);
}
