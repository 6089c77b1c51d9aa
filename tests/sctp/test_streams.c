// SPDX-License-Identifier: GPL-3.0-or-later
// Streams over the whole stack: a lost packet delays its stream only (claims
// sctp.sctp.stream_order, sctp.sctp.no_hol_across_streams), and SACKs name what has arrived
// (sctp.sctp.sack).
#include "models/inet/socket.h"
#include "tests/support/suite.h"
#include "tests/support/world_sctp.h"

#include <string.h>

#define MESSAGES 30
#define BYTES 1452 // a packet each
#define STREAMS 3

// The messages that the reader gets, in order.
struct reader {
    int count;
    struct {
        int stream, ssn, sent; // sent: its number among all, from 0
        sim_time when;
    } got[MESSAGES];
};

static void send_all(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    bool unordered = argument;
    for (uint32_t i = 0; i < MESSAGES; i++) {
        struct sctp_send_info info = {
            .station = -1,
            .stream = (uint16_t)(i % STREAMS),
            .protocol = i,
            .bytes = BYTES,
            .unordered = unordered,
        };
        SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), BYTES);
    }
}

static bool read_all(struct cpu_context *context, void *process, void *argument)
{
    struct sctp_node *node = process;
    struct reader *reader = argument;
    struct sctp_received received;
    while (reader->count < MESSAGES) {
        int64_t bytes = sctp_receive(context, node->socket, 1 << 20, &received);
        if (bytes == SCTP_AGAIN) {
            if (inet_wait(context, sctp_socket_inet(node->socket), INET_READABLE))
                cpu_post_wake(context, &node->process.task);
            return false;
        }
        CU_ASSERT_FATAL(bytes == BYTES && received.end);
        reader->got[reader->count].stream = received.stream;
        reader->got[reader->count].ssn = received.ssn;
        reader->got[reader->count].sent = (int)received.protocol;
        reader->got[reader->count++].when = context->now;
    }
    return true;
}

// Sends the messages, and drops the packets with TSNs `drops` once.
static struct world *transfer(const char *profile, const char *drops, bool unordered,
                              struct reader *reader)
{
    const char *const sets[] = {
        profile, drops, "sctp.initial_cwnd=64 KiB", "sctp.burst=100", "sctp.no_delay=true", NULL};
    struct world *world = sctp_world(2, 1, sets, NULL);
    struct sctp_call *call = world_keep(world, g_new(struct sctp_call, 1));
    *call = (struct sctp_call){send_all, unordered ? reader : NULL};
    memset(reader, 0, sizeof *reader);
    sctp_connect_nodes(world);
    world_do(sctp_node(world, 1), read_all, reader);
    world_do_at(sctp_node(world, 0), TIME_S, sctp_call_job, call);
    sctp_run_until(world, 20 * TIME_S);
    SUITE_SAME_INTEGER(reader->count, MESSAGES);
    return world;
}

// Number of the reader's turn at which it got the message.
static int turn_of(const struct reader *reader, int sent)
{
    int turn = 0;
    while (turn < reader->count && reader->got[turn].sent != sent)
        turn++;
    return turn;
}

static void check_stream_order(const struct reader *reader)
{
    int next[STREAMS] = {0};
    for (int i = 0; i < reader->count; i++)
        SUITE_SAME_INTEGER(reader->got[i].ssn, next[reader->got[i].stream]++);
}

// The host's first packets: INIT, COOKIE-ECHO, perhaps a heartbeat. Returns link 0's packet that
// holds the n-th message, from 0, in a run without loss.
static int packet_of_message(const char *profile, int message)
{
    struct reader reader;
    struct world *world = transfer(profile, "seed=1", false, &reader);
    int64_t packets = 0, last = -1;
    uint32_t first = 0;
    for (int i = 0; i < sctp_log_count(world); i++) {
        const struct sctp_line *line = sctp_log_at(world, i);
        if (line->node != 0)
            continue;
        packets += line->packet != last;
        last = line->packet;
        if (line->type == SCTP_DATA && first == 0)
            first = line->tsn;
        if (line->type == SCTP_DATA && line->tsn == first + (uint32_t)message)
            break;
    }
    world_free(world);
    return (int)packets;
}

static void test_one_loss(void)
{
    static const char *const profiles[] = {"sctp.profile=rfc9260", "sctp.profile=s2007"};
    for (int i = 0; i < 2; i++) {
        struct reader reader;
        char drop[64];
        // Message 7 is of stream 1.
        g_snprintf(drop, sizeof drop, "links[0].drop_nth=[%d]", packet_of_message(profiles[i], 7));
        struct world *world = transfer(profiles[i], drop, false, &reader);
        SUITE_SAME_INTEGER(world_counter(world, "sctp chunks retransmitted"), 1);
        check_stream_order(&reader);
        int late = turn_of(&reader, 7);
        // The two other streams do not wait: 8 and 9 are read before it. Those of its own stream
        // that arrived before its retransmission are read right after it.
        CU_ASSERT(turn_of(&reader, 8) < late && turn_of(&reader, 9) < late);
        CU_ASSERT(turn_of(&reader, 11) < late && turn_of(&reader, 12) < late);
        SUITE_SAME_INTEGER(turn_of(&reader, 10), late + 1);
        SUITE_SAME_INTEGER(turn_of(&reader, 13), late + 2);
        // Two streams read on: their messages before it have gone by.
        for (int before = 0; before < 7; before++)
            CU_ASSERT(turn_of(&reader, before) < late);
        world_free(world);
    }
}

// Unordered messages wait for nothing.
static void test_unordered(void)
{
    struct reader reader;
    char drop[64];
    g_snprintf(drop, sizeof drop, "links[0].drop_nth=[%d]",
               packet_of_message("sctp.profile=rfc9260", 7));
    struct world *world = transfer("sctp.profile=rfc9260", drop, true, &reader);
    int late = turn_of(&reader, 7);
    CU_ASSERT(turn_of(&reader, 10) < late);
    for (int turn = 0; turn + 1 < reader.count; turn++) // all others in the order of sending
        if (turn != late && turn + 1 != late)
            CU_ASSERT(reader.got[turn].sent < reader.got[turn + 1].sent);
    world_free(world);
}

// Claim sctp.sack: packets that arrived after a loss are not sent again.
static void test_sack(void)
{
    struct reader reader;
    char drop[64];
    int packet = packet_of_message("sctp.profile=rfc9260", 7);
    g_snprintf(drop, sizeof drop, "links[0].drop_nth=[%d, %d, %d]", packet, packet + 3, packet + 9);
    struct world *world = transfer("sctp.profile=rfc9260", drop, false, &reader);
    SUITE_SAME_INTEGER(world_counter(world, "sctp chunks retransmitted"), 3);
    SUITE_SAME_INTEGER(world_counter(world, "sctp chunks received twice"), 0);
    check_stream_order(&reader);
    world_free(world);
}

// A message that is larger than the buffer is read in parts.
static void test_large(void)
{
    static const char *const profiles[] = {"sctp.profile=rfc9260", "sctp.profile=s2007"};
    for (int i = 0; i < 2; i++) {
        const char *const sets[] = {profiles[i], "sctp.receive_buffer=8000 B",
                                    "links[0].drop_probability=0.05", NULL};
        struct world *world = sctp_world(2, 1, sets, NULL);
        sctp_transfer(world, TIME_S, 300000, 50000);
        sctp_run_until(world, 1000 * TIME_S);
        SUITE_SAME_INTEGER(sctp_node(world, 1)->bytes_read, 300000);
        CU_ASSERT(ledger_balanced(world->sim->ledger));
        world_free(world);
    }
}

static const struct suite_case cases[] = {
    {"a loss delays its stream only", test_one_loss},
    {"unordered messages wait for nothing", test_unordered},
    {"only what is lost is sent again", test_sack},
    {"a message larger than the buffer", test_large},
    {0},
};

int main(void)
{
    return suite_run("sctp: streams", cases);
}
