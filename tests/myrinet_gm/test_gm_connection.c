// SPDX-License-Identifier: GPL-3.0-or-later
// GM's reliable connection between two cards: go-back-N with ACK, NACK, resend timer and sessions,
// under lost and corrupted packets, missing receive buffers and pulled cables.
#include "models/myrinet_gm/gm/gm_internal.h"
#include "sim/core/random.h"
#include "tests/support/suite.h"
#include "tests/support/transition_log.h"
#include "tests/support/world_gm.h"

#define US TIME_US
#define MS TIME_MS

// Faults of the packets that node0 sends (data) and of those that node1 sends (ACKs).
#define FAULTS(of_data, of_acks)                                                                   \
    "links=[{from: node0, to: switch, fault_direction: forward" of_data                            \
    "}, {from: node1, to: switch, fault_direction: forward" of_acks "}]"

struct pair {
    struct world *world;
    struct gm_end *from, *to;
};

static struct pair pair_traced(const char *const *sets, struct trace *trace)
{
    struct world *world = world_new(&world_gm, gm_pair, sets, trace);
    struct pair p = {world, gm_end_new(world, 0, 2), gm_end_new(world, 1, 2)};
    return p;
}

static struct pair pair_new(const char *const *sets)
{
    return pair_traced(sets, NULL);
}

static struct gm_connection *connection_of(const struct pair *p, int host)
{
    return gm_connection_get(&gm_fabric(p->world)->cards[host], 1 - host);
}

static int64_t count(const struct pair *p, const char *name)
{
    return world_counter(p->world, name);
}

static sim_time last_callback(const struct pair *p)
{
    return gm_end_returned(p->from, p->from->returned->len - 1)->when;
}

// Ends the case's world, in which all messages must have arrived.
static void pair_end(struct pair *p, guint messages)
{
    gm_check(p->world);
    SUITE_SAME_INTEGER(p->to->received->len, messages);
    SUITE_SAME_INTEGER(gm_end_count(p->from, GM_SUCCESS), messages);
    SUITE_SAME_INTEGER(gm_send_tokens(p->from->port), 61);
    for (int host = 0; host < 2; host++) {
        struct gm_connection *connection = connection_of(p, host);
        SUITE_SAME_INTEGER(connection->count, 0);
        SUITE_SAME_INTEGER(connection->in_pipe, 0);
        SUITE_SAME_INTEGER(connection->machine.state, GM_CONNECTION_IDLE);
    }
    world_free(p->world);
}

// ---- Sequences of transitions ----

// One message of five packets, 20,000 B, from node0 to node1; the sender's connection as text.
static void check_story(const char *faults, const char *expected, sim_time least, sim_time most)
{
    struct transition_log *log = transition_log_new("connection", true);
    struct pair p = pair_traced((const char *const[]){faults, NULL}, &log->sink.trace);
    gm_end_provide(p.to, 15, 1, 0);
    gm_end_send(p.from, &(struct gm_send_job){.to = p.to, .bytes = 20000, .size = -1, .at = 0});
    world_run(p.world);
    SUITE_SAME_TEXT(log->text->str, expected);
    sim_time end = last_callback(&p);
    CU_ASSERT(end >= least && end < most);
    pair_end(&p, 1);
    transition_log_free(log);
}

#define PLAIN "node0 connection[1] idle -> sending\n"
#define DONE "node0 connection[1] sending -> idle (ACK)\n"
#define GAP "node0 connection[1] sending -> resending (NACK: gap)\n"
#define TIMER "node0 connection[1] sending -> resending (resend timer)\n"
#define AGAIN "node0 connection[1] resending -> sending\n"
#define DONE_RESENDING AGAIN DONE

static void test_stories(void)
{
    check_story(FAULTS("", ""), PLAIN DONE, 0, 2 * MS);
    // A missing packet is noticed when the next one arrives: a NACK, no timer.
    check_story(FAULTS(", drop_nth: [2]", ""), PLAIN GAP AGAIN DONE, 0, 3 * MS);
    check_story(FAULTS(", corrupt_nth: [2]", ""), PLAIN GAP AGAIN DONE, 0, 3 * MS);
    // No packet follows the last one: the resend timer, 10 ms.
    check_story(FAULTS(", drop_nth: [5]", ""), PLAIN TIMER AGAIN DONE, 10 * MS, 13 * MS);
    check_story(FAULTS(", corrupt_nth: [5]", ""), PLAIN TIMER AGAIN DONE, 10 * MS, 13 * MS);
    // Like the loss above, but the NACK (the second packet of node1) is lost as well.
    check_story(FAULTS(", drop_nth: [2]", ", drop_nth: [2]"), PLAIN TIMER AGAIN DONE, 10 * MS,
                13 * MS);
    // A lost ACK is made good by a later one ...
    check_story(FAULTS("", ", drop_nth: [1, 2, 3, 4]"), PLAIN DONE, 0, 2 * MS);
    // ... but for the last: the packet arrives twice, and is acknowledged again.
    check_story(FAULTS("", ", drop_nth: [5]"), PLAIN TIMER DONE_RESENDING, 10 * MS, 13 * MS);
}

// ---- Every single and double loss ----

// Seven packets of three messages in both roles; no loss may cost more than a resend interval each.
static void test_all_pairs_of_losses(void)
{
    for (int first = 1; first <= 9; first++)
        for (int second = 1; second <= 9; second++) {
            char *faults =
                g_strdup_printf(FAULTS(", drop_nth: [%d]", ", corrupt_nth: [%d]"), first, second);
            struct pair p = pair_new((const char *const[]){faults, NULL});
            gm_end_provide(p.to, 14, 2, 0);
            gm_end_send_to(p.from, p.to, 9000, 2);
            gm_end_provide(p.to, 3, 1, 0);
            gm_end_send_to(p.from, p.to, 5, 1);
            world_run(p.world);
            CU_ASSERT(last_callback(&p) < 25 * MS);
            pair_end(&p, 3);
            g_free(faults);
        }
}

// ---- Numbers wrap ----

// 16 bits of sequence number and of session, both near their end.
static void check_wrap(uint16_t session, uint16_t sequence, const char *faults, sim_time provided,
                       sim_time most)
{
    int messages = 10;
    struct pair p = pair_new((const char *const[]){faults, NULL});
    connection_of(&p, 0)->session = session;
    connection_of(&p, 0)->first = sequence;
    connection_of(&p, 1)->in_session = session;
    connection_of(&p, 1)->expected = sequence;
    gm_end_provide(p.to, 13, 10, provided);
    gm_end_send_to(p.from, p.to, 8000, messages);
    world_run(p.world);
    CU_ASSERT(last_callback(&p) < most);
    pair_end(&p, (guint)messages);
}

static void test_wrap(void)
{
    // A loss that the next packet shows needs no timer on either side of the wrap.
    check_wrap(0, 65533, FAULTS("", ""), 0, 8 * MS);
    check_wrap(0, 65533, FAULTS(", drop_nth: [3]", ""), 0, 8 * MS);
    check_wrap(0, 65535, FAULTS(", drop_nth: [1]", ""), 0, 8 * MS);
    check_wrap(0, 65533, FAULTS(", drop_nth: [4, 6]", ", drop_nth: [3, 5]"), 0, 28 * MS);
    check_wrap(65535, 65535, FAULTS("", ""), 0, 8 * MS);
    check_wrap(65535, 65535, FAULTS("", ""), 5 * MS, 18 * MS); // refused: the session wraps
    check_wrap(65534, 7, FAULTS(", drop_nth: [5]", ""), 9 * MS, 28 * MS);
    check_wrap(32767, 32767, FAULTS(", drop_nth: [2]", ""), 5 * MS, 28 * MS);
}

// ---- Random faults ----

struct traffic {
    struct world *world;
    struct gm_end *ends[2][2];
};

static void random_traffic(struct traffic *t, struct random_stream *random)
{
    static const int ports[2] = {2, 5};
    for (int host = 0; host < 2; host++)
        for (int i = 0; i < 2; i++) {
            t->ends[host][i] = gm_end_new(t->world, host, ports[i]);
            for (int size = 0; size <= 15; size++)
                gm_end_provide(t->ends[host][i], size, 1 + (int)random_below(random, 3), 0);
        }
    for (int i = 0; i < 120; i++) {
        int host = (int)random_below(random, 2);
        gm_end_send(t->ends[host][random_below(random, 2)],
                    &(struct gm_send_job){
                        .to = t->ends[1 - host][random_below(random, 2)],
                        .bytes = (int64_t)random_below(random, i % 3 ? 200 : 20000),
                        .header = (int64_t)random_below(random, 50),
                        .size = -1,
                        .directed = random_below(random, 4) == 0,
                    });
    }
}

// Every message arrives whole, once and in the order of its stream, whatever is lost; no send
// fails.
static void check_random(uint64_t seed, const char *const *sets, int64_t *resent)
{
    struct traffic t = {.world = world_new(&world_gm, gm_pair, sets, NULL)};
    struct random_stream *random = random_new(seed, "traffic");
    random_traffic(&t, random);
    world_run(t.world);
    gm_check(t.world);
    int returned = 0, arrived = 0;
    for (int i = 0; i < 4; i++) {
        const struct gm_end *end = t.ends[i / 2][i % 2];
        returned += gm_end_count(end, GM_SUCCESS);
        arrived += (int)(end->received->len + end->written->len);
        SUITE_SAME_INTEGER(gm_send_tokens(end->port), 61);
    }
    SUITE_SAME_INTEGER(returned, 120);
    SUITE_SAME_INTEGER(arrived, 120);
    *resent += world_counter(t.world, "GM packets resent");
    random_free(random);
    world_free(t.world);
}

static void test_random(void)
{
    int64_t resent = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        char *text = g_strdup_printf("seed=%d", (int)seed);
        check_random(seed,
                     (const char *const[]){text,
                                           FAULTS(", drop_probability: 0.05, bit_error_rate: 1e-6",
                                                  ", drop_probability: 0.08"),
                                           "gm.resend_interval=1 ms", NULL},
                     &resent);
        check_random(seed,
                     (const char *const[]){
                         text, FAULTS(", drop_probability: 0.2", ", drop_probability: 0.2"),
                         "gm.resend_interval=1 ms", "gm.window=3", "gm.receive_buffers=1",
                         "gm.send_buffers=1", NULL},
                     &resent);
        // Timers that often expire before the answer can be there: answers are late, and those to
        // old sessions and to earlier transmissions of a packet arrive as well.
        check_random(seed,
                     (const char *const[]){text, FAULTS(", drop_probability: 0.02", ""),
                                           "gm.resend_interval=70 us", "gm.refused_interval=40 us",
                                           NULL},
                     &resent);
        g_free(text);
    }
    CU_ASSERT(resent > 1000);
}

// ---- What must be survived ----

// 1e-4 of the packets are corrupted.
static void test_corruption(void)
{
    struct pair p = pair_new(
        (const char *const[]){FAULTS(", corrupt_nth: [1000, 2000, 3000, 3001]", ""), NULL});
    gm_end_provide(p.to, 16, 4, 0);
    gm_end_send_to(p.from, p.to, 65536, 200);
    world_run(p.world);
    SUITE_SAME_INTEGER(count(&p, "LANai: CRC-8 error"), 4);
    CU_ASSERT(count(&p, "GM packets resent") >= 4);
    CU_ASSERT(count(&p, "GM packets resent") <= 4 * 5); // the packets in flight, no more
    pair_end(&p, 200);
}

// A receiver without buffers for 10 ms.
static void test_starved_receiver(void)
{
    struct pair p = pair_new(NULL);
    gm_end_provide(p.to, 13, 2, 10 * MS);
    gm_end_send_to(p.from, p.to, 8000, 50);
    world_run(p.world);
    CU_ASSERT(last_callback(&p) > 10 * MS && last_callback(&p) < 20 * MS);
    CU_ASSERT(count(&p, "GM messages refused for lack of a receive buffer") >= 8);
    // The second packet of each is still being fetched when the NACK of the first arrives: it never
    // goes out.
    SUITE_SAME_INTEGER(count(&p, "GM packets out of order"), 0);
    pair_end(&p, 50);
}

// A cable that is pulled for 50 ms and put back.
static void test_cable(void)
{
    struct pair p =
        pair_new((const char *const[]){FAULTS(", down: [{from: 2 ms, to: 52 ms}]", ""), NULL});
    gm_end_provide(p.to, 13, 4, 0);
    gm_end_send_to(p.from, p.to, 8000, 50);
    world_run(p.world);
    sim_time end = last_callback(&p);
    CU_ASSERT(end > 52 * MS && end < 52 * MS + 10 * MS + 10 * MS);
    SUITE_SAME_INTEGER(count(&p, "GM sends timed out"), 0);
    pair_end(&p, 50);
}

// A cable that stays away: after the timeout each send ends with GM_SEND_TIMED_OUT, the tokens are
// back, and when the cable is there again a new message gets through.
static void test_give_up(void)
{
    struct pair p = pair_new((const char *const[]){FAULTS(", down: [{from: 2 ms, to: 500 ms}]", ""),
                                                   "gm.send_timeout=100 ms", NULL});
    gm_end_provide(p.to, 13, 4, 0);
    gm_end_send(p.from, &(struct gm_send_job){.to = p.to, .bytes = 8000, .size = -1});
    for (int i = 0; i < 5; i++)
        gm_end_send(p.from,
                    &(struct gm_send_job){.to = p.to, .bytes = 8000, .size = -1, .at = 3 * MS});
    gm_end_send(p.from,
                &(struct gm_send_job){.to = p.to, .bytes = 7777, .size = -1, .at = 600 * MS});
    world_run(p.world);
    SUITE_SAME_INTEGER(gm_end_count(p.from, GM_SEND_TIMED_OUT), 5);
    SUITE_SAME_INTEGER(gm_end_count(p.from, GM_SUCCESS), 2);
    sim_time gone = gm_end_returned(p.from, 1)->when;
    CU_ASSERT(gone >= 103 * MS && gone < 115 * MS);
    SUITE_SAME_INTEGER(gm_send_tokens(p.from->port), 61);
    SUITE_SAME_INTEGER(gm_end_received(p.to, 1)->event.length, 7777);
    SUITE_SAME_INTEGER((long long)ledger_totals(p.world->sim->ledger).lost, 5);
    world_free(p.world);
}

// A receiver that never has a buffer: the same.
static void test_give_up_refused(void)
{
    struct pair p = pair_new((const char *const[]){"gm.send_timeout=50 ms", NULL});
    gm_end_send_to(p.from, p.to, 8000, 3);
    gm_end_provide(p.to, 5, 1, 0);
    gm_end_send(p.from, &(struct gm_send_job){.to = p.to, .bytes = 32, .size = -1, .at = 80 * MS});
    world_run(p.world);
    SUITE_SAME_INTEGER(gm_end_count(p.from, GM_SEND_TIMED_OUT), 3);
    SUITE_SAME_INTEGER(gm_end_count(p.from, GM_SUCCESS), 1);
    CU_ASSERT(gm_end_returned(p.from, 0)->when < 55 * MS);
    world_free(p.world);
}

// The timeout is of one message: of two that are refused for 40 ms each, one after the other, none
// has to give up at 50 ms.
static void test_refused_in_turn(void)
{
    struct pair p = pair_new((const char *const[]){"gm.send_timeout=50 ms", NULL});
    p.to->keeps = true;
    gm_end_send_to(p.from, p.to, 20000, 2);
    gm_end_provide(p.to, 15, 1, 40 * MS);
    gm_end_provide(p.to, 15, 1, 80 * MS);
    world_run(p.world);
    SUITE_SAME_INTEGER(count(&p, "GM sends timed out"), 0);
    CU_ASSERT(gm_end_returned(p.from, 0)->when > 40 * MS);
    CU_ASSERT(gm_end_returned(p.from, 1)->when > 80 * MS);
    pair_end(&p, 2);
}

// The cable is pulled when a part of the message has arrived. The receiver gives this part up when
// the stream's next message begins, which must not be taken for the old one.
static void test_give_up_half_way(void)
{
    struct pair p = pair_new((const char *const[]){
        FAULTS(", down: [{from: 300 us, to: 200 ms}]", ""), "gm.send_timeout=50 ms", NULL});
    p.to->keeps = true; // two buffers in all
    gm_end_provide(p.to, 15, 2, 0);
    gm_end_send(p.from, &(struct gm_send_job){.to = p.to, .bytes = 30000, .size = -1});
    gm_end_send(p.from,
                &(struct gm_send_job){.to = p.to, .bytes = 29999, .size = -1, .at = 300 * MS});
    gm_end_send(p.from,
                &(struct gm_send_job){.to = p.to, .bytes = 29998, .size = -1, .at = 300 * MS});
    world_run(p.world);
    SUITE_SAME_INTEGER(gm_end_returned(p.from, 0)->status, GM_SEND_TIMED_OUT);
    SUITE_SAME_INTEGER(p.to->received->len, 2);
    SUITE_SAME_INTEGER(gm_end_received(p.to, 0)->event.length, 29999);
    SUITE_SAME_INTEGER(gm_end_received(p.to, 1)->event.length, 29998);
    // The buffer that the first had taken was used again.
    SUITE_SAME_INTEGER(gm_receive_tokens(p.to->port), 254);
    world_free(p.world);
}

// ---- Answers that are out of date ----

struct answers {
    struct gm_connection *connection;
    uint32_t after_old_session, after_beyond, after_old_attempt, after_nack;
    uint16_t session;
};

static void answer(struct cpu_context *context, struct gm_connection *connection,
                   enum gm_packet_kind kind, int session, int sequence, int attempt)
{
    struct gm_header header = {
        .kind = kind,
        .session = (uint16_t)(connection->session + session),
        .sequence = (uint16_t)(connection->first + sequence),
        .attempt = (uint16_t)attempt,
    };
    gm_connection_answer(context, connection, &header);
}

// The connection has sent two packets, each a second time (attempt 1), and has no answer yet.
static bool late_answers(struct cpu_context *context, void *process, void *argument)
{
    struct gm_end *end = process;
    struct answers *seen = argument;
    struct gm_connection *connection = seen->connection;
    (void)end;
    answer(context, connection, GM_PACKET_ACK, -1, 1, 0);
    answer(context, connection, GM_PACKET_NACK_REFUSED, 1, 0, 1);
    seen->after_old_session = connection->count;
    answer(context, connection, GM_PACKET_ACK, 0, 3, 0);
    answer(context, connection, GM_PACKET_ACK, 0, -1, 0);
    seen->after_beyond = connection->count;
    answer(context, connection, GM_PACKET_NACK_REFUSED, 0, 0, 0);
    answer(context, connection, GM_PACKET_NACK_CLOSED, 0, 0, 0);
    answer(context, connection, GM_PACKET_NACK_REJECTED, 0, 0, 2);
    seen->after_old_attempt = connection->count;
    answer(context, connection, GM_PACKET_NACK_REFUSED, 0, 0, 1);
    seen->after_nack = connection->count;
    seen->session = connection->session;
    return true;
}

// Only answers of this session, to packets in flight, count; and a NACK only if it answers the last
// transmission of the packet, for the receiver may have accepted a later one.
static void test_late_answers(void)
{
    struct pair p =
        pair_new((const char *const[]){FAULTS(", down: [{from: 0 ms, to: 13 ms}]", ""), NULL});
    struct answers seen = {.connection = connection_of(&p, 0)};
    gm_end_provide(p.to, 13, 1, 0);
    gm_end_send_to(p.from, p.to, 8000, 1);
    world_do_at(p.from, 12 * MS, late_answers, &seen);
    world_run(p.world);
    SUITE_SAME_INTEGER(seen.after_old_session, 2);
    SUITE_SAME_INTEGER(seen.after_beyond, 2);
    SUITE_SAME_INTEGER(seen.after_old_attempt, 2);
    SUITE_SAME_INTEGER(seen.after_nack, 0);
    SUITE_SAME_INTEGER(seen.session, 1);
    pair_end(&p, 1);
}

// A packet that is still being transmitted is not sent again, however short the timer: here
// transmission takes 165 us.
static void test_slow_wire(void)
{
    struct pair p =
        pair_new((const char *const[]){"link.rate=200 Mb/s", "gm.resend_interval=60 us", NULL});
    gm_end_provide(p.to, 15, 2, 0);
    gm_end_send_to(p.from, p.to, 32768, 5);
    world_run(p.world);
    SUITE_SAME_INTEGER(count(&p, "GM packets resent"), 0);
    pair_end(&p, 5);
}

// ---- Streams ----

// armci.gm.reliable_multiplexed: no call connects anything; messages of several ports and both
// priorities go over one connection, numbered through.
static void test_multiplexed(void)
{
    struct world *world = world_new(&world_gm, gm_pair, NULL, NULL);
    struct gm_end *from[3], *to[3];
    for (int i = 0; i < 3; i++) {
        from[i] = gm_end_new(world, 0, 2 + i);
        to[i] = gm_end_new(world, 1, 4 + i);
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            gm_end_provide(to[k], 13, 2, 0);
            gm_end_send(from[i],
                        &(struct gm_send_job){.to = to[k], .bytes = 8192, .size = -1, .at = MS});
        }
    world_run(world);
    gm_check(world);
    const struct gm_card *card = &gm_fabric(world)->cards[0];
    CU_ASSERT_PTR_NULL(gm_world_connection(card, 0));
    SUITE_SAME_INTEGER(gm_world_connection(card, 1)->first, 9 * 2);
    SUITE_SAME_INTEGER(gm_world_connection(&gm_fabric(world)->cards[1], 0)->expected, 9 * 2);
    SUITE_SAME_INTEGER(gm_world_connection(card, 1)->session, 0);
    world_free(world);
}

// A message without a buffer holds up its own stream and no other; the messages sent after it
// arrive once and in order.
static void test_refusal_is_one_streams(void)
{
    struct world *world = world_new(&world_gm, gm_pair, NULL, NULL);
    struct gm_end *from = gm_end_new(world, 0, 2);
    struct gm_end *starved = gm_end_new(world, 1, 3), *fed = gm_end_new(world, 1, 4);
    gm_end_provide(fed, 13, 8, 0);
    gm_end_provide(starved, 13, 8, 20 * MS);
    for (int i = 0; i < 8; i++) {
        gm_end_send_to(from, starved, 8000, 1);
        gm_end_send_to(from, fed, 8000, 1);
    }
    world_run(world);
    gm_check(world);
    SUITE_SAME_INTEGER(fed->received->len, 8);
    SUITE_SAME_INTEGER(starved->received->len, 8);
    CU_ASSERT(gm_end_received(fed, 7)->when < 5 * MS);
    CU_ASSERT(gm_end_received(starved, 0)->when > 20 * MS);
    CU_ASSERT(gm_world_connection(&gm_fabric(world)->cards[0], 1)->session > 0);
    world_free(world);
}

// Both directions at once, with one packet buffer per direction on each card: received data leave
// SRAM without waiting for data to be sent.
static void test_flood(void)
{
    struct world *world =
        world_new(&world_gm, gm_pair,
                  (const char *const[]){"gm.send_buffers=1", "gm.receive_buffers=1", NULL}, NULL);
    struct gm_end *a = gm_end_new(world, 0, 2), *b = gm_end_new(world, 1, 2);
    gm_end_provide(a, 15, 40, 0);
    gm_end_provide(b, 15, 40, 0);
    gm_end_send_to(a, b, 30000, 100);
    gm_end_send_to(b, a, 30000, 100);
    world_run(world);
    gm_check(world);
    SUITE_SAME_INTEGER(a->received->len, 100);
    SUITE_SAME_INTEGER(b->received->len, 100);
    SUITE_SAME_INTEGER(world_counter(world, "GM packets resent"), 0);
    world_free(world);
}

// With a window of one the connection stops and waits, and nothing else changes.
static void test_window_of_one(void)
{
    struct pair p =
        pair_new((const char *const[]){"gm.window=1", FAULTS(", drop_nth: [3, 9]", ""), NULL});
    gm_end_provide(p.to, 13, 2, 0);
    gm_end_send_to(p.from, p.to, 8192, 10);
    world_run(p.world);
    CU_ASSERT(last_callback(&p) > 20 * MS); // no later packet shows the loss
    pair_end(&p, 10);
}

static const struct suite_case cases[] = {
    {"sequences of transitions", test_stories},
    {"every pair of losses", test_all_pairs_of_losses},
    {"numbers wrap", test_wrap},
    {"random faults", test_random},
    {"corrupted packets", test_corruption},
    {"a receiver without buffers for 10 ms", test_starved_receiver},
    {"a cable pulled for 50 ms", test_cable},
    {"giving up: no way", test_give_up},
    {"giving up: no buffer", test_give_up_refused},
    {"refused in turn", test_refused_in_turn},
    {"giving up half-way", test_give_up_half_way},
    {"answers that are out of date", test_late_answers},
    {"a timer shorter than a packet", test_slow_wire},
    {"armci.gm.reliable_multiplexed", test_multiplexed},
    {"a refusal is one stream's", test_refusal_is_one_streams},
    {"two-way flood with few buffers", test_flood},
    {"a window of one", test_window_of_one},
    {0},
};

int main(void)
{
    return suite_run("myrinet_gm: GM's connections", cases);
}
