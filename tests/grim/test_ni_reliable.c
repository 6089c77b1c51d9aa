// SPDX-License-Identifier: GPL-3.0-or-later
// GRIM's reliable transmission between cards (thesis 003, 4.2.1): the traces of Fig. 4.3, roll-back
// of refused messages and of no others, and the consequences of loss with and without timers.
#include "models/grim/ni/ni_internal.h"
#include "sim/core/random.h"
#include "sim/net/fabric.h"
#include "tests/support/suite.h"
#include "tests/support/world_grim.h"

#include <string.h>

static struct grim_world_options logged(int hosts)
{
    struct grim_world_options options = grim_world_defaults(hosts, 1);
    options.machines = "message,receiver";
    return options;
}

// ---- Fig. 4.3 ----

// grim.rel.sequence_token, grim.rel.accept, grim.rel.ack_frees.
static void test_single(void)
{
    struct grim_world_options options = logged(2);
    options.detail = true;
    struct world *world = grim_world_new(&options);
    grim_world_send(world, 0, 1, 0, 1);
    grim_world_run(world);
    SUITE_SAME_TEXT(grim_world_log(world),
                    "end0 message[1] unused -> not sent (active message to endpoint 1, 0 B)\n"
                    "end0 message[1] not sent -> sent (to endpoint 1, token 0, sequence 0)\n"
                    "end1 receiver[0] expecting -> expecting (0 from endpoint 0 accepted)\n"
                    "end0 message[1] sent -> acknowledged\n"
                    "end0 message[1] acknowledged -> unused\n");
    CU_ASSERT_TRUE(grim_world_complete(world));
    world_free(world);
}

// grim.rel.optimistic: no message waits for the ACK of the one before.
static void test_three(void)
{
    struct grim_world_options options = logged(2);
    struct world *world = grim_world_new(&options);
    grim_world_send(world, 0, 1, 0, 3);
    grim_world_run(world);
    SUITE_SAME_TEXT(grim_world_log(world), "end0 message[1] unused -> not sent\n"
                                           "end0 message[2] unused -> not sent\n"
                                           "end0 message[1] not sent -> sent\n"
                                           "end0 message[3] unused -> not sent\n"
                                           "end0 message[2] not sent -> sent\n"
                                           "end1 receiver[0] expecting -> expecting\n"
                                           "end0 message[3] not sent -> sent\n"
                                           "end1 receiver[1] expecting -> expecting\n"
                                           "end0 message[1] sent -> acknowledged\n"
                                           "end0 message[1] acknowledged -> unused\n"
                                           "end1 receiver[2] expecting -> expecting\n"
                                           "end0 message[2] sent -> acknowledged\n"
                                           "end0 message[2] acknowledged -> unused\n"
                                           "end0 message[3] sent -> acknowledged\n"
                                           "end0 message[3] acknowledged -> unused\n");
    CU_ASSERT_TRUE(grim_world_complete(world));
    world_free(world);
}

// grim.rel.example_three, grim.rel.nack: the endpoint has room for one message; it polls, and makes
// room for two, before the refused one arrives again.
static void test_refused(void)
{
    struct grim_world_options options = logged(3);
    options.detail = true;
    options.ni.endpoint_messages = 2;
    options.ni.nack_pause = 60 * TIME_US;
    struct world *world = grim_world_new(&options);
    grim_end(world, 1)->polls_from = 40 * TIME_US;
    grim_world_send(world, 2, 1, 0, 1); // takes one of the two places
    grim_world_send(world, 0, 1, 0, 3);
    grim_end(world, 0)->starts = 10 * TIME_US;
    grim_world_run(world);
    SUITE_SAME_TEXT(grim_world_log(world),
                    "end2 message[1] unused -> not sent (active message to endpoint 1, 0 B)\n"
                    "end2 message[1] not sent -> sent (to endpoint 1, token 0, sequence 0)\n"
                    "end1 receiver[0] expecting -> expecting (0 from endpoint 2 accepted)\n"
                    "end2 message[1] sent -> acknowledged\n"
                    "end2 message[1] acknowledged -> unused\n"
                    "end0 message[1] unused -> not sent (active message to endpoint 1, 0 B)\n"
                    "end0 message[2] unused -> not sent (active message to endpoint 1, 0 B)\n"
                    "end0 message[1] not sent -> sent (to endpoint 1, token 0, sequence 0)\n"
                    "end0 message[3] unused -> not sent (active message to endpoint 1, 0 B)\n"
                    "end0 message[2] not sent -> sent (to endpoint 1, token 1, sequence 1)\n"
                    "end1 receiver[0] expecting -> expecting (0 from endpoint 0 accepted)\n"
                    "end0 message[3] not sent -> sent (to endpoint 1, token 2, sequence 2)\n"
                    "end1 receiver[1] expecting -> dropping (1 from endpoint 0 refused)\n"
                    "end0 message[1] sent -> acknowledged\n"
                    "end0 message[1] acknowledged -> unused\n"
                    "end1 receiver[2] dropping -> dropping (2 from endpoint 0 dropped)\n"
                    "end0 message[2] sent -> not sent (NACK)\n"
                    "end0 message[3] sent -> not sent (behind it)\n"
                    "end0 message[2] not sent -> sent (again to endpoint 1, token 1, sequence 1)\n"
                    "end0 message[3] not sent -> sent (again to endpoint 1, token 2, sequence 2)\n"
                    "end1 receiver[1] dropping -> expecting (1 from endpoint 0 accepted)\n"
                    "end0 message[2] sent -> acknowledged\n"
                    "end0 message[2] acknowledged -> unused\n"
                    "end1 receiver[2] expecting -> expecting (2 from endpoint 0 accepted)\n"
                    "end0 message[3] sent -> acknowledged\n"
                    "end0 message[3] acknowledged -> unused\n");
    CU_ASSERT_TRUE(grim_world_complete(world));
    world_free(world);
}

// ---- Roll-back ----

// grim.rel.rollback: of messages to three endpoints in turn only those to the one that refuses are
// sent again, from the refused one on.
static void test_rollback(void)
{
    struct grim_world_options options = logged(4);
    options.detail = true;
    options.ni.endpoint_messages = 2;
    options.ni.nack_pause = 100 * TIME_US;
    struct world *world = grim_world_new(&options);
    grim_end(world, 2)->polls_from = 80 * TIME_US;
    for (int i = 0; i < 2; i++)
        for (int to = 1; to <= 3; to++)
            grim_world_send(world, 0, to, 0, 5);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    SUITE_SAME_INTEGER(grim_world_count(world, "(to endpoint 1,"), 10);
    SUITE_SAME_INTEGER(grim_world_count(world, "(to endpoint 2,"), 10);
    SUITE_SAME_INTEGER(grim_world_count(world, "(to endpoint 3,"), 10);
    // The messages in flight to the endpoint when the NACK arrived go again, and nothing else.
    int behind = grim_world_count(world, "sent -> not sent (behind it)");
    int refused = grim_world_count(world, "sent -> not sent (NACK)");
    CU_ASSERT_TRUE(refused > 0 && behind > 0);
    SUITE_SAME_INTEGER(grim_world_count(world, "(again to endpoint 2,"), refused + behind);
    SUITE_SAME_INTEGER(grim_world_count(world, "(again "), refused + behind);
    // The same numbers as the first time.
    static const char third[] = "to endpoint 2, token 7, sequence 2)";
    SUITE_SAME_INTEGER(grim_world_count(world, third), 2);
    world_free(world);
}

// grim.rel.nack: each of the ten messages after a refused one is dropped without an answer; and
// grim.rel.nack_repeat: the refused one is refused again at each arrival, until there is room.
static void test_repeat(void)
{
    struct grim_world_options options = logged(2);
    options.detail = true;
    options.ni.endpoint_messages = 1;
    options.ni.nack_pause = 200 * TIME_US;
    struct world *world = grim_world_new(&options);
    grim_end(world, 1)->polls_from = 700 * TIME_US; // 1 is taken at once, 2 is refused four times
    grim_world_send(world, 0, 1, 0, 12);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    int refused = grim_world_count(world, "(1 from endpoint 0 refused");
    SUITE_SAME_INTEGER(refused, 4);
    SUITE_SAME_INTEGER(grim_world_count(world, "message[2] sent -> not sent (NACK)"), refused);
    SUITE_SAME_INTEGER(grim_world_count(world, "(2 from endpoint 0 dropped"), refused);
    CU_ASSERT_TRUE(grim_world_count(world, "(11 from endpoint 0 dropped") > 0);
    SUITE_SAME_INTEGER(grim_end(world, 1)->taken, 12);
    world_free(world);
}

// grim.rel.ack_out_of_order_ok, grim.rel.ack_frees: a message that is acknowledged before an
// earlier one keeps its place in the queue until the earlier one is acknowledged.
static void test_out_of_order(void)
{
    struct grim_world_options options = logged(3);
    options.ni.endpoint_messages = 1;
    options.ni.nack_pause = 100 * TIME_US;
    options.machines = "message";
    struct world *world = grim_world_new(&options);
    grim_end(world, 1)->polls_from = 60 * TIME_US;
    grim_world_send(world, 0, 1, 0, 2); // the second is refused
    grim_world_send(world, 0, 2, 0, 1);
    grim_world_run(world);
    SUITE_SAME_TEXT(grim_world_log(world), "end0 message[1] unused -> not sent\n"
                                           "end0 message[2] unused -> not sent\n"
                                           "end0 message[1] not sent -> sent\n"
                                           "end0 message[3] unused -> not sent\n"
                                           "end0 message[2] not sent -> sent\n"
                                           "end0 message[3] not sent -> sent\n"
                                           "end0 message[1] sent -> acknowledged\n"
                                           "end0 message[1] acknowledged -> unused\n"
                                           "end0 message[2] sent -> not sent\n"
                                           "end0 message[3] sent -> acknowledged\n"
                                           "end0 message[2] not sent -> sent\n"
                                           "end0 message[2] sent -> acknowledged\n"
                                           "end0 message[2] acknowledged -> unused\n"
                                           "end0 message[3] acknowledged -> unused\n");
    CU_ASSERT_TRUE(grim_world_complete(world));
    world_free(world);
}

// ---- Sequence ----

static void test_relation(void)
{
    for (int expected = 0; expected < 256; expected++)
        for (int distance = -GRIM_WINDOW; distance < GRIM_WINDOW; distance++)
            CU_ASSERT_EQUAL(ni_relation((uint8_t)expected, (uint8_t)(expected + distance)),
                            distance == 0  ? GRIM_NEXT
                            : distance < 0 ? GRIM_BEHIND
                                           : GRIM_AHEAD);
}

// A network that reorders: packets wait in front of a station, each for a random time, and overtake
// one another there.
struct shuffle {
    struct engine *engine;
    struct random_stream *random;
    sim_time most;
    station_receive_fn *receive; // the card's
    void *owner;
};

static void shuffled(struct engine *engine, struct event *event)
{
    struct packet *packet = container_of(event, struct packet, event);
    struct shuffle *shuffle = packet->token;
    (void)engine;
    packet->token = NULL;
    shuffle->receive(shuffle->owner, packet);
}

static void shuffle_in(void *owner, struct packet *packet)
{
    struct shuffle *shuffle = owner;
    sim_time wait = (sim_time)random_below(shuffle->random, (uint64_t)shuffle->most);
    packet->token = shuffle;
    event_init(&packet->event, shuffled);
    engine_schedule(shuffle->engine, &packet->event, engine_now(shuffle->engine) + wait);
}

// Between the network and the cards of a world.
static void shuffle_world(struct world *world, struct shuffle *shuffles,
                          struct random_stream *random, sim_time most)
{
    struct network *network = world->cluster->network;
    for (int host = 0; host < world->cluster->host_count; host++) {
        struct station *station = &network->stations[network_station(network, host, 0)];
        shuffles[host] = (struct shuffle){
            .engine = world->sim->engine,
            .random = random,
            .most = most,
            .receive = station->receive,
            .owner = station->owner,
        };
        network_attach(network, network_station(network, host, 0), shuffle_in, &shuffles[host]);
    }
}

static struct world *reordered(struct random_stream *random, bool reordering)
{
    struct grim_world_options options = grim_world_defaults(3, 1);
    options.ni.reordering = reordering;
    options.ni.receive_buffers = 8;
    options.ni.receive_buffer = 1024;
    options.ni.endpoint_messages = 1 + (int64_t)random_below(random, 40);
    options.ni.sequencing = (int)random_below(random, 2);
    options.ni.in_flight = 1 + (int64_t)random_below(random, 64);
    struct world *world = grim_world_new(&options);
    struct shuffle shuffles[3];
    shuffle_world(world, shuffles, random, (1 + (sim_time)random_below(random, 40)) * TIME_US);
    for (int i = 0; i < 6; i++)
        grim_world_send(world, i % 3, (i + 1 + i / 3) % 3, (uint32_t)random_below(random, 400), 60);
    grim_world_run(world);
    return world;
}

// grim.rel.reorder_safe: on a network that reorders messages, ACKs and NACKs, messages are taken
// once and in order. All arrive if those ahead of their turn are refused; if those are dropped, as
// they may be on Myrinet, some never do.
static void test_reorder(void)
{
    struct random_stream *random = random_new(7, "reorder");
    int64_t refused = 0, hung = 0;
    for (int round = 0; round < 60; round++) {
        struct world *world = reordered(random, round % 2 == 0);
        for (int i = 0; i < 3; i++)
            SUITE_SAME_INTEGER(grim_end(world, i)->out_of_order, 0);
        if (round % 2 == 0) {
            CU_ASSERT_TRUE(grim_world_complete(world));
            refused += world_counter(world, "GRIM: messages dropped out of sequence");
        }
        hung += round % 2 == 1 && !grim_world_complete(world);
        world_free(world);
    }
    CU_ASSERT_TRUE(refused > 1000);
    CU_ASSERT_TRUE(hung > 20);
    random_free(random);
}

// ---- Loss ----

// grim.rel.no_timeout: as published, no card notices a loss.
static void test_loss_hangs(void)
{
    struct grim_world_options options = logged(2);
    options.corrupt_nth[0] = 2;
    struct world *world = grim_world_new(&options);
    grim_world_send(world, 0, 1, 0, 3);
    grim_world_run(world);
    SUITE_SAME_INTEGER(grim_end(world, 1)->taken, 1);
    CU_ASSERT_FALSE(grim_world_complete(world));
    char *oldest = grim_world_report(world, 0, "oldest");
    SUITE_SAME_TEXT(oldest,
                    "active message to end1 is sent (token 1, sequence 1) and waits for its ACK; "
                    "grim_ni.timeouts would send it again");
    g_free(oldest);
    world_free(world);
}

// With the extension a lost message is sent again with all that follow it, and a lost ACK is sent
// again when its message arrives again.
static void test_timeouts(void)
{
    for (int host = 0; host < 2; host++) {
        struct grim_world_options options = logged(2);
        options.detail = true;
        options.corrupt_nth[host] = 2;
        options.ni.timeouts = true;
        struct world *world = grim_world_new(&options);
        grim_world_send(world, 0, 1, 0, 3);
        grim_world_run(world);
        CU_ASSERT_TRUE(grim_world_complete(world));
        SUITE_SAME_INTEGER(grim_end(world, 1)->taken, 3);
        SUITE_SAME_INTEGER(world_counter(world, "GRIM: timeouts"), 1);
        SUITE_SAME_INTEGER(grim_world_count(world, "message[2] sent -> not sent (timeout)"), 1);
        SUITE_SAME_INTEGER(grim_world_count(world, "(again to "), host == 0 ? 2 : 1);
        SUITE_SAME_INTEGER(world_counter(world, "GRIM: duplicates"), host);
        SUITE_SAME_INTEGER(world_counter(world, "GRIM: packets with CRC errors"), 1);
        world_free(world);
    }
}

// Two endpoints of a card share its numbers, and the ACK of the first message is lost. No more than
// half of the numbers go out until it arrives again: the receiver still distinguishes it from one
// that is ahead, and acknowledges it again.
static void test_half_of_the_numbers(void)
{
    struct grim_world_options options = grim_world_defaults(2, 2);
    options.machines = "message";
    options.detail = true;
    options.corrupt_nth[1] = 1;
    options.ni.sequencing = GRIM_SEQUENCE_NI;
    options.ni.timeouts = true;
    struct world *world = grim_world_new(&options);
    grim_world_send(world, 0, 1, 0, 100);
    grim_world_send(world, 2, 1, 0, 400);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    SUITE_SAME_INTEGER(grim_end(world, 1)->taken, 500);
    SUITE_SAME_INTEGER(world_counter(world, "GRIM: timeouts"), 1);
    SUITE_SAME_INTEGER(world_counter(world, "GRIM: duplicates"), 1);
    const char *text = grim_world_log(world);
    const char *timeout = strstr(text, "message[1] sent -> not sent (timeout)");
    const char *last = strstr(text, "sequence 127)"), *next = strstr(text, "sequence 128)");
    CU_ASSERT_TRUE(timeout && last && next && last < timeout && timeout < next);
    world_free(world);
}

// A peer that never polls: the run ends, and its reason names the refused message and its endpoint.
static void test_stalled(void)
{
    struct grim_world_options options = logged(2);
    options.ni.endpoint_messages = 1;
    options.ni.nack_pause = 100 * TIME_US;
    options.ni.stalled = 5 * TIME_MS;
    struct world *world = grim_world_new(&options);
    grim_end(world, 1)->polls_from = TIME_NEVER;
    grim_world_send(world, 0, 1, 0, 2);
    grim_world_run(world);
    SUITE_SAME_INTEGER(world->sim->status, SIM_DEADLOCK);
    SUITE_SAME_TEXT(json_string_value(json_object_get(world->sim->reason, "text")),
                    "node0's card got a NACK for its active message to end1 (sequence 1) 49 times, "
                    "and nothing has moved for 5000 us; an endpoint that polls, more "
                    "grim_ni.endpoint_messages and grim_ni.endpoint_bytes, or a longer "
                    "grim_ni.stalled would avoid it");
    world_free(world);
}

// ---- Random programs ----

static void randomize(struct random_stream *random, struct grim_world_options *options, bool lossy)
{
    struct grim_ni_config *ni = &options->ni;
    ni->queue_style = (int)random_below(random, 3);
    ni->sequencing = (int)random_below(random, 2);
    ni->buffering = (int)random_below(random, 2);
    ni->endpoint_messages = 1 + (int64_t)random_below(random, 6);
    ni->in_flight = 1 + (int64_t)random_below(random, 40);
    ni->queue = 64 * 1024;
    ni->slot = 2 * 1024;
    ni->receive_buffers = 2 + (int64_t)random_below(random, 3);
    ni->control_entries = 64; // enough: test_ni_control.c has what happens if not
    ni->nack_pause = (sim_time)random_below(random, 3) * 20 * TIME_US;
    ni->channels = (int64_t)random_below(random, 2) * 6;
    ni->timeouts = lossy;
    ni->timeout = 500 * TIME_US;
    options->bit_error_rate = lossy ? 1e-5 : 0;
    options->drop_probability = lossy ? 0.02 : 0;
    options->seed = random_below(random, 1000000);
}

static bool random_run(uint64_t seed, bool lossy)
{
    struct random_stream *random = random_new(seed, "program");
    int hosts = 2 + (int)random_below(random, 4), per_host = 1 + (int)random_below(random, 3);
    struct grim_world_options options = grim_world_defaults(hosts, per_host);
    randomize(random, &options, lossy);
    struct world *world = grim_world_new(&options);
    int sent = 0;
    int64_t taken = 0;
    for (int i = 0; i < 60; i++) {
        int from = (int)random_below(random, (uint64_t)(int)world->processes->len);
        int to = (int)random_below(random, (uint64_t)(int)world->processes->len);
        int burst = 1 + (int)random_below(random, 5);
        if (from % hosts == to % hosts)
            continue;
        grim_world_send(world, from, to, (uint32_t)random_below(random, 1500), burst);
        sent += burst;
    }
    for (int i = 0; i < (int)world->processes->len; i++) {
        grim_end(world, i)->poll_cost = (sim_time)random_below(random, 30) * TIME_US;
        grim_end(world, i)->polls_from = (sim_time)random_below(random, 3) * 200 * TIME_US;
    }
    grim_world_run(world);
    for (int i = 0; i < (int)world->processes->len; i++)
        taken += grim_end(world, i)->taken;
    bool good = grim_world_complete(world) && taken == sent;
    if (!good)
        fprintf(stderr, "seed %u: %s, %d sent, %d taken\n", (unsigned)seed,
                world->sim->reason ? json_string_value(json_object_get(world->sim->reason, "text"))
                                   : "no reason",
                sent, (int)taken);
    world_free(world);
    random_free(random);
    return good;
}

// grim.rel.exactly_once_in_order: over all queue styles, sequencings and bufferings, with endpoints
// that are full more often than not.
static void test_random(void)
{
    for (uint64_t seed = 1; seed <= 150; seed++)
        CU_ASSERT_TRUE(random_run(seed, false));
}

static void test_random_loss(void)
{
    for (uint64_t seed = 1; seed <= 100; seed++)
        CU_ASSERT_TRUE(random_run(seed, true));
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"Fig. 4.3a: one message and its ACK", test_single},
        {"Fig. 4.3b: three messages ahead of their ACKs", test_three},
        {"Fig. 4.3c: grim.rel.example_three", test_refused},
        {"grim.rel.rollback: of the refused way only", test_rollback},
        {"grim.rel.nack_repeat: until there is room", test_repeat},
        {"grim.rel.ack_out_of_order_ok: marked, freed from the front", test_out_of_order},
        {"how sequence numbers stand to one another", test_relation},
        {"grim.rel.reorder_safe: on a network that reorders", test_reorder},
        {"grim.rel.no_timeout: loss hangs as published", test_loss_hangs},
        {"timers recover from loss of messages and of ACKs", test_timeouts},
        {"half of the numbers at most", test_half_of_the_numbers},
        {"a peer that never polls ends the run by name", test_stalled},
        {"grim.rel.exactly_once_in_order: random programs", test_random},
        {"random programs over a network that loses", test_random_loss},
        {0},
    };
    return suite_run("grim: reliable transmission", cases);
}
