// SPDX-License-Identifier: GPL-3.0-or-later
// From chunks to messages: streams, fragments, unordered messages, partial delivery; and all of it
// by chance, with loss, duplication and reordering (RFC 9260, 6.5, 6.6, 6.9).
#include "sim/core/random.h"
#include "tests/support/sctp_receiver_alone.h"
#include "tests/support/suite.h"

struct arrival {
    const char *packet, *delivered;
};

static void play(const char *section, const struct arrival *arrivals)
{
    struct sctp_receiver *receiver = sctp_receiver_new(section);
    for (; arrivals->packet; arrivals++) {
        sctp_receiver_packet(receiver, 0, arrivals->packet);
        SUITE_SAME_TEXT(sctp_receiver_delivered(receiver), arrivals->delivered);
    }
    SUITE_SAME_INTEGER(receiver->aborts, 0);
    SUITE_SAME_INTEGER(receiver->association->in.held, 0);
    sctp_receiver_free(receiver);
}

#define RFC "{profile: rfc9260}"

// Claim sctp.stream_order.
static void test_stream_order(void)
{
    play(RFC, (const struct arrival[]){
                  {"1s0.0", "0.0:100"},
                  {"3s0.2", ""},
                  {"5s0.4 4s0.3", ""},
                  {"2s0.1", "0.1:100 0.2:100 0.3:100 0.4:100"},
                  {"6s0.5", "0.5:100"},
                  {0},
              });
}

// Claim sctp.no_hol_across_streams: what is missing in stream 1 holds up nothing of stream 2.
static void test_no_head_of_line(void)
{
    play(RFC, (const struct arrival[]){
                  {"2s2.0", "2.0:100"},
                  {"4s2.1 3s1.1", "2.1:100"},
                  {"6s2.2:50B 7s2.2:60E", "2.2:110"},
                  {"1s1.0", "1.0:100 1.1:100"},
                  {"5s1.2", "1.2:100"},
                  {0},
              });
}

static void test_ssn_wraps(void)
{
    struct sctp_receiver *receiver = sctp_receiver_new(RFC);
    receiver->association->in.streams[1].ssn = 65534;
    sctp_receiver_packet(receiver, 0, "4s1.1 3s1.0 2s1.65535");
    SUITE_SAME_TEXT(sctp_receiver_delivered(receiver), "");
    sctp_receiver_packet(receiver, 0, "1s1.65534");
    SUITE_SAME_TEXT(sctp_receiver_delivered(receiver), "1.65534:100 1.65535:100 1.0:100 1.1:100");
    sctp_receiver_free(receiver);
}

static void test_fragments(void)
{
    play(RFC, (const struct arrival[]){
                  {"1s0.0:10B", ""},
                  {"2s0.0:20M", ""},
                  {"3s0.0:30E", "0.0:60"},
                  {"6s0.1:30E", ""},
                  {"4s0.1:10B", ""},
                  {"5s0.1:20M", "0.1:60"},
                  {"10s0.2:4E 8s0.2:2M 9s0.2:3M", ""},
                  {"12s0.3B", ""},
                  {"7s0.2:1B", "0.2:10"},
                  {"13s0.3M 15s0.3E", ""},
                  {"14s0.3M", "0.3:400"},
                  {"11s1.0", "1.0:100"},
                  {0},
              });
}

static void test_unordered(void)
{
    play(RFC, (const struct arrival[]){
                  {"2s0.0U", "0.u:100"},
                  {"4s0.9:10UE", ""},
                  {"3s0.9:10UB", "0.u:20"},
                  {"5s0.0U 7s0.1", "0.u:100"},
                  {"6s0.0", "0.0:100 0.1:100"},
                  {"1s3.0", "3.0:100"},
                  {0},
              });
}

// A message of at least half of the buffer is read in parts; the others wait for its end.
static void test_partial(void)
{
    play("{profile: rfc9260, receive_buffer: 4000 B}",
         (const struct arrival[]){
             {"1s0.0:1000B 2s0.0:999M", ""},
             {"5s1.0:10 6s2.0:10U", "1.0:10 2.u:10"},
             {"3s0.0:100M", "0.0:2099+"},
             {"7s1.1:10 8s2.0:20U 9s0.1:10", ""},
             {"10s3.0:10", ""},
             {"4s0.0:50E", "+0.0:50 2.u:20 0.1:10 1.1:10 3.0:10"},
             {"11s0.2:10", "0.2:10"},
             {0},
         });
}

static void test_partial_unordered(void)
{
    play("{profile: rfc9260, receive_buffer: 4000 B}",
         (const struct arrival[]){
             {"1s0.0:1000UB 2s0.0:1001UM", "0.u:2001+"},
             {"4s0.0:10UM 5s0.0:10UM", ""},
             {"3s0.0:10UM", "+0.u:30+"},
             {"7s0.0:10", ""},
             {"6s0.0:5UE", "+0.u:5 0.0:10"},
             {0},
         });
}

// Not while something before it is missing: that must not wait for it.
static void test_partial_in_turn(void)
{
    play("{profile: rfc9260, receive_buffer: 4000 B}", (const struct arrival[]){
                                                           {"2s0.0:1000B 3s0.0:1001M", ""},
                                                           {"1s1.0:10", "1.0:10 0.0:2001+"},
                                                           {"4s0.0:1E", "+0.0:1"},
                                                           {0},
                                                       });
}

// ---- By chance ----

#define STREAMS 4
#define MESSAGES 400
#define MOST_CHUNKS (6 * MESSAGES)

struct message {
    int chunks, stream, ssn, bytes, read;
    bool unordered;
};

struct play {
    struct random_stream *random;
    struct sctp_receiver *receiver;
    struct message messages[MESSAGES];
    struct sctp_data chunks[MOST_CHUNKS + 1]; // by TSN, from 1 on; protocol: its message
    uint8_t flags[MOST_CHUNKS + 1];
    int chunk_count, delivered;
    int next_ssn[STREAMS], partial; // message that is read in parts; -1: none
    int64_t largest;                // message
};

static int below(struct play *play, int bound)
{
    return (int)random_below(play->random, (uint64_t)bound);
}

static void make_messages(struct play *play, int most_bytes)
{
    int ssn[STREAMS] = {0};
    play->chunk_count = 0;
    for (int i = 0; i < MESSAGES; i++) {
        struct message *message = &play->messages[i];
        *message = (struct message){.chunks = 1 + below(play, 6), .stream = below(play, STREAMS)};
        message->unordered = below(play, 4) == 0;
        message->ssn = message->unordered ? 0 : ssn[message->stream]++;
        for (int part = 0; part < message->chunks; part++) {
            int tsn = ++play->chunk_count;
            play->chunks[tsn] = (struct sctp_data){
                .tsn = (uint32_t)tsn,
                .stream = (uint16_t)message->stream,
                .ssn = (uint16_t)message->ssn,
                .protocol = (uint32_t)i,
                .bytes = 1 + (uint32_t)below(play, most_bytes),
                .offset = (uint32_t)message->bytes,
            };
            message->bytes += (int)play->chunks[tsn].bytes;
            play->flags[tsn] = (uint8_t)((part == 0 ? SCTP_DATA_BEGIN : 0) |
                                         (part == message->chunks - 1 ? SCTP_DATA_END : 0) |
                                         (message->unordered ? SCTP_DATA_UNORDERED : 0));
        }
        play->largest = MAX(play->largest, message->bytes);
    }
}

// Each byte once and in order; ordered messages in the order of their SSNs; one in parts alone.
static void reads(struct sctp_receiver *receiver, const struct sctp_incoming *incoming, void *data)
{
    struct play *play = data;
    struct message *message = &play->messages[incoming->protocol];
    (void)receiver;
    CU_ASSERT(play->partial < 0 || play->partial == (int)incoming->protocol);
    CU_ASSERT_EQUAL(incoming->begins, message->read == 0);
    CU_ASSERT_EQUAL(incoming->offset, message->read);
    CU_ASSERT_EQUAL(incoming->stream, message->stream);
    CU_ASSERT_EQUAL(incoming->unordered, message->unordered);
    message->read += (int)incoming->bytes;
    play->partial = incoming->ends ? -1 : (int)incoming->protocol;
    if (!incoming->ends)
        return;
    CU_ASSERT_EQUAL(message->read, message->bytes);
    play->delivered++;
    if (!message->unordered)
        CU_ASSERT_EQUAL(message->ssn, play->next_ssn[message->stream]++);
}

static void check_bounds(const struct play *play)
{
    const struct sctp_association *association = play->receiver->association;
    const struct sctp_in *in = &association->in;
    int64_t used = in->held + in->queued, queued = 0, charged = 0;
    for (const GList *item = play->receiver->unread.head; item; item = item->next) {
        const struct sctp_incoming *incoming = item->data;
        queued += incoming->bytes;
        charged += incoming->charge;
    }
    SUITE_SAME_INTEGER(in->queued, queued);
    SUITE_SAME_INTEGER(in->queued + in->overhead, charged);
    CU_ASSERT(in->held >= 0);
    CU_ASSERT(used <= association->settings.receive_buffer + play->largest);
}

// Chunks that the peer has sent and not seen acknowledged, in random order, with loss and
// duplication; they may exceed the buffer.
static void play_round(struct play *play, int window)
{
    uint32_t cum = play->receiver->association->in.cum_tsn - play->receiver->first_tsn + 1;
    int most = MIN(window, play->chunk_count - (int)cum);
    for (int i = 0; i < 2 * most; i++) {
        int tsn = (int)cum + 1 + below(play, most);
        if (below(play, 5) == 0) // lost
            continue;
        sctp_receiver_data(play->receiver, below(play, 2), play->flags[tsn], &play->chunks[tsn]);
        check_bounds(play);
        if (below(play, 3) == 0)
            sctp_receiver_done(play->receiver);
        if (below(play, 2) == 0)
            sctp_receiver_read(play->receiver);
        if (below(play, 10) == 0)
            sctp_receiver_wait(play->receiver, (sim_time)below(play, 300) * TIME_MS);
    }
    sctp_receiver_done(play->receiver);
}

static void play_by_chance(uint64_t seed, const char *section, int window, int most_bytes)
{
    struct play *play = g_new0(struct play, 1);
    play->random = random_new(seed, "reassembly");
    play->receiver = sctp_receiver_new(section);
    play->receiver->reader = reads;
    play->receiver->reader_data = play;
    play->partial = -1;
    make_messages(play, most_bytes);
    const struct sctp_in *in = &play->receiver->association->in;
    uint32_t last = play->receiver->first_tsn + (uint32_t)play->chunk_count - 1;
    for (int round = 0; in->cum_tsn != last && round < 20000; round++)
        play_round(play, window);
    for (int i = 0; i < 2 * MESSAGES; i++)
        sctp_receiver_read(play->receiver);
    SUITE_SAME_INTEGER(play->receiver->aborts, 0);
    SUITE_SAME_INTEGER(play->delivered, MESSAGES);
    SUITE_SAME_INTEGER(in->held, 0);
    SUITE_SAME_INTEGER(in->queued, 0);
    sctp_receiver_free(play->receiver);
    random_free(play->random);
    g_free(play);
}

static void test_by_chance(void)
{
    static const char *const profiles[] = {"rfc9260", "s2007", "ns2"};
    for (uint64_t seed = 0; seed < 30; seed++) {
        char section[120];
        bool small = seed % 2;
        g_snprintf(section, sizeof section,
                   "{profile: %s, receive_buffer: %s, sws_receive: 0 B, map: %d}",
                   profiles[seed % 3], small ? "1500 B" : "1 MiB", seed % 5 ? 4096 : 16);
        play_by_chance(seed, section, seed % 4 < 2 ? 20 : 300, small ? 400 : 1400);
    }
}

static const struct suite_case cases[] = {
    {"a stream's messages in order", test_stream_order},
    {"no head-of-line blocking over streams", test_no_head_of_line},
    {"SSNs wrap", test_ssn_wraps},
    {"fragments in any order", test_fragments},
    {"unordered messages", test_unordered},
    {"partial delivery", test_partial},
    {"partial delivery of an unordered message", test_partial_unordered},
    {"partial delivery waits for what is before it", test_partial_in_turn},
    {"by chance: all arrive once, in order, in bounds", test_by_chance},
    {0},
};

int main(void)
{
    return suite_run("sctp: reassembly", cases);
}
