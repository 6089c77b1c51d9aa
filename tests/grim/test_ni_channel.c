// SPDX-License-Identifier: GPL-3.0-or-later
// Logical channels (thesis 003, 4.3): an interface of its own for each endpoint, sequence numbers
// by channel or by card, buffers at the sender or at both cards, and the cost of scanning them.
#include "tests/support/suite.h"
#include "tests/support/world_grim.h"

#include <stdlib.h>

// ---- Structure ----

// grim.chan.private_interface: each endpoint has a queue of its own, an equal share of the memory;
// one that is full takes nothing from the others.
static void test_private(void)
{
    struct grim_world_options options = grim_world_defaults(2, 4);
    options.ni.queue = 16 * 1024;
    options.ni.endpoint_messages = 1;
    options.ni.nack_pause = 1 * TIME_MS;
    options.ni.stalled = 30 * TIME_MS;
    struct world *world = grim_world_new(&options);
    grim_end(world, 1)->polls_from = TIME_NEVER;
    grim_world_send(world, 0, 1, 0, 1000);
    for (int end = 2; end <= 6; end += 2)
        grim_world_send(world, end, end + 1, 60, 100);
    grim_world_run(world);
    SUITE_SAME_INTEGER(grim_channel_queued(grim_end(world, 0)->channel), 16 * 1024 / 4 / 32);
    for (int end = 2; end <= 6; end += 2) {
        SUITE_SAME_INTEGER(grim_end(world, end + 1)->taken, 100);
        SUITE_SAME_INTEGER(grim_channel_queued(grim_end(world, end)->channel), 0);
        SUITE_SAME_INTEGER(grim_channel_number(grim_end(world, end)->channel), end / 2);
        CU_ASSERT_PTR_EQUAL(grim_channel_find(grim_fabric(world), (uint16_t)end),
                            grim_end(world, end)->channel);
    }
    CU_ASSERT_PTR_NULL(grim_channel_find(grim_fabric(world), 8));
    world_free(world);
}

// grim.chan.bidirectional: one channel carries both directions.
static void test_bidirectional(void)
{
    struct grim_world_options options = grim_world_defaults(2, 2);
    struct world *world = grim_world_new(&options);
    grim_end(world, 1)->replies = grim_end(world, 3)->replies = true;
    grim_world_send(world, 0, 1, 100, 50);
    grim_world_send(world, 2, 3, 300, 50);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    for (int end = 0; end < 4; end++)
        SUITE_SAME_INTEGER(grim_end(world, end)->taken, 50);
    world_free(world);
}

// ---- Sequence numbers ----

struct congested {
    sim_time other; // when the endpoint that polls had taken all
    int64_t resent, resent_other;
    int64_t dropped;
    int64_t sram;
};

// Two pairs of endpoints on two hosts; one receiver does not poll for 5 ms, the other always.
static struct congested run_congested(int sequencing)
{
    struct grim_world_options options = grim_world_defaults(2, 2);
    options.ni.sequencing = sequencing;
    options.ni.endpoint_messages = 4;
    options.machines = "message";
    options.detail = true;
    struct world *world = grim_world_new(&options);
    grim_end(world, 1)->polls_from = 5 * TIME_MS;
    grim_world_send(world, 0, 1, 0, 20);
    grim_world_send(world, 2, 3, 0, 20);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    struct congested result = {
        .other = grim_end(world, 3)->last_taken,
        .resent = grim_world_count(world, "(again to "),
        .resent_other = grim_world_count(world, "(again to endpoint 3"),
        .dropped = world_counter(world, "GRIM: messages dropped out of sequence"),
        .sram = lanai_sram_left(grim_ni_card(grim_fabric_ni(grim_fabric(world), 0))),
    };
    world_free(world);
    return result;
}

// Time that the two cards spend on the sequence numbers of 40 messages that nothing holds up.
static sim_time sequencing_time(int sequencing)
{
    struct grim_world_options options = grim_world_defaults(2, 2);
    options.ni.sequencing = sequencing;
    struct world *world = grim_world_new(&options);
    grim_world_send(world, 0, 1, 0, 20);
    grim_world_send(world, 2, 3, 0, 20);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    sim_time time = grim_world_stage(world, 0, "sequence number") +
                    grim_world_stage(world, 1, "sequence number");
    world_free(world);
    return time;
}

// grim.chan.any_to_any: only the refused channel's messages are sent again;
// grim.chan.ni_level_sequencing: all channels' are rolled back;
// grim.chan.no_hol_blocking: by channel the other endpoint has its messages while the one is full;
// by card it waits until that one polls. The price: the state is larger, and for the same messages
// without any congestion the cards are longer busy with sequence numbers.
static void test_sequencing(void)
{
    struct congested channel = run_congested(GRIM_SEQUENCE_CHANNEL);
    struct congested ni = run_congested(GRIM_SEQUENCE_NI);
    CU_ASSERT_TRUE(channel.resent > 0 && ni.resent > 0);
    SUITE_SAME_INTEGER(channel.resent_other, 0);
    CU_ASSERT_TRUE(ni.resent_other > 0);
    CU_ASSERT_TRUE(channel.other < 1 * TIME_MS);
    CU_ASSERT_TRUE(ni.other > 5 * TIME_MS);
    CU_ASSERT_TRUE(channel.sram < ni.sram);
    sim_time by_ni = sequencing_time(GRIM_SEQUENCE_NI);
    CU_ASSERT_TRUE(by_ni > 0 && sequencing_time(GRIM_SEQUENCE_CHANNEL) > by_ni);
}

// Fig. 4.8: any channel to any channel, each direction numbered from 0.
static void test_any_to_any(void)
{
    struct grim_world_options options = grim_world_defaults(2, 3);
    options.machines = "receiver";
    options.detail = true;
    struct world *world = grim_world_new(&options);
    for (int from = 0; from < 6; from += 2)
        for (int to = 1; to < 6; to += 2)
            grim_world_send(world, from, to, 0, 7);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    SUITE_SAME_INTEGER(grim_world_count(world, "(0 from endpoint "), 9);
    SUITE_SAME_INTEGER(grim_world_count(world, "(6 from endpoint 4 accepted)"), 3);
    SUITE_SAME_INTEGER(grim_world_count(world, "(7 from endpoint"), 0);
    // 9 times 7 null messages and their ACKs.
    SUITE_SAME_INTEGER(world_counter(world, "GRIM: bytes of messages sent"), 63 * 32);
    SUITE_SAME_INTEGER(world_counter(world, "GRIM: control messages sent"), 63);
    SUITE_SAME_INTEGER(world_counter(world, "GRIM: bytes of control messages"), 63 * 8);
    world_free(world);
}

// ---- Buffers ----

struct buffered {
    int64_t refused, dropped, hops;
    sim_time receiving; // the receiving card's time for it
    int64_t room;       // messages that the sender's queue holds
    int incoming;
};

// A receiver that polls too late for its four places.
static struct buffered run_buffered(int buffering, sim_time polls_from)
{
    struct grim_world_options options = grim_world_defaults(2, 1);
    options.ni.buffering = buffering;
    options.ni.endpoint_messages = 4;
    options.ni.queue = 16 * 1024;
    options.machines = "receiver,incoming";
    struct world *world = grim_world_new(&options);
    grim_end(world, 1)->polls_from = polls_from;
    grim_end(world, 0)->inject_cost = 20 * TIME_US; // the receiver keeps up once it polls
    grim_world_send(world, 0, 1, 0, 60);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    struct buffered result = {
        .refused = world_counter(world, "GRIM: messages refused"),
        .dropped = world_counter(world, "GRIM: messages dropped out of sequence"),
        .hops = (int64_t)network_hops(world->cluster->network),
        .receiving = grim_world_stage(world, 1, "incoming queue"),
        .incoming = grim_world_count(world, "queued -> delivered"),
    };
    world_free(world);
    return result;
}

// grim.chan.sender_only_buffering: a message that the endpoint can't take is dropped and sent
// again; grim.chan.early_recv_queue: with queues at both it waits on the receiving card, and while
// that queue is empty messages cut through; grim.buf.no_recv_queue_tradeoff: the first costs
// retransmissions, the second a check of the queue for each message.
static void test_buffering(void)
{
    struct buffered sender = run_buffered(GRIM_BUFFER_SENDER, 500 * TIME_US);
    struct buffered both = run_buffered(GRIM_BUFFER_BOTH, 500 * TIME_US);
    struct buffered through = run_buffered(GRIM_BUFFER_BOTH, 0);
    CU_ASSERT_TRUE(sender.refused > 0);
    SUITE_SAME_INTEGER(sender.incoming, 0);
    SUITE_SAME_INTEGER(both.refused, 0);
    SUITE_SAME_INTEGER(both.dropped, 0);
    CU_ASSERT_TRUE(both.incoming > 10);
    SUITE_SAME_INTEGER(through.incoming, 0);
    CU_ASSERT_TRUE(sender.hops > both.hops);
    SUITE_SAME_INTEGER(both.hops, 2 * 2 * 60);
    SUITE_SAME_INTEGER(sender.receiving, 0);
    CU_ASSERT_TRUE(through.receiving > 0);
}

// grim.chan.early_recv_queue: the memory is split in two. A receiver that never polls: the pending
// messages fit into the endpoint queue, the incoming queue, and the sender's half.
static void test_split(void)
{
    for (int buffering = 0; buffering < 2; buffering++) {
        struct grim_world_options options = grim_world_defaults(2, 1);
        options.ni.buffering = buffering;
        options.ni.queue = 16 * 1024;
        options.ni.endpoint_messages = 4;
        options.ni.nack_pause = 1 * TIME_MS;
        options.ni.stalled = 20 * TIME_MS;
        struct world *world = grim_world_new(&options);
        grim_end(world, 1)->polls_from = TIME_NEVER;
        grim_world_send(world, 0, 1, 0, 2000);
        grim_world_run(world);
        int64_t queued = grim_channel_queued(grim_end(world, 0)->channel);
        SUITE_SAME_INTEGER(queued, buffering == GRIM_BUFFER_BOTH ? 256 : 512);
        SUITE_SAME_INTEGER(grim_end(world, 0)->injected,
                           buffering == GRIM_BUFFER_BOTH ? 4 + 256 + 256 : 4 + 512);
        SUITE_SAME_INTEGER(world_counter(world, "GRIM: most bytes in a card's message queue"),
                           32 * (buffering == GRIM_BUFFER_BOTH ? 256 : 512));
        world_free(world);
    }
}

// ---- Scanning ----

struct scanner {
    struct cpu_task task;
    struct world *world;
    struct grim_scan scan;
    bool done;
};

static void scan_done(void *owner, struct grim_scan *scan)
{
    struct scanner *scanner = owner;
    CU_ASSERT_PTR_EQUAL(scan, &scanner->scan);
    scanner->done = true;
}

static enum cpu_next scanner_run(struct cpu_context *context, struct cpu_task *task)
{
    struct scanner *scanner = container_of(task, struct scanner, task);
    grim_ni_scan(context, grim_fabric_ni(grim_fabric(scanner->world), 0), &scanner->scan);
    return CPU_SLEEP;
}

static struct grim_scan scan_of(bool lanai4, int64_t channels)
{
    struct grim_world_options options = grim_world_defaults(2, 1);
    if (lanai4)
        grim_world_lanai4(&options);
    struct scanner scanner = {.world = grim_world_new(&options)};
    scanner.scan.channels = channels;
    scanner.scan.done = scan_done;
    scanner.scan.owner = &scanner;
    cpu_task_init(&scanner.task, scanner.world->cluster->hosts[0]->cores[0], CPU_USER, scanner_run);
    cpu_wake(&scanner.task);
    grim_world_run(scanner.world);
    CU_ASSERT_TRUE(scanner.done);
    world_free(scanner.world);
    return scanner.scan;
}

// grim.cfg.scan_search_cards, grim.scan.monotone: a round over N channels takes one constant and N
// times another, each in cycles of the card's clock.
static void test_scan(void)
{
    static const int64_t channels[] = {1, 8, 16, 32};
    for (int lanai4 = 0; lanai4 < 2; lanai4++) {
        struct grim_world_options options = grim_world_defaults(2, 1);
        if (lanai4)
            grim_world_lanai4(&options);
        sim_time last = 0;
        for (size_t i = 0; i < G_N_ELEMENTS(channels); i++) {
            struct grim_scan scan = scan_of(lanai4, channels[i]);
            sim_time once = cost_time(options.scan.scan, options.lanai.clock);
            sim_time each = cost_time(options.scan.scan_channel, options.lanai.clock);
            SUITE_SAME_INTEGER(scan.time, once + channels[i] * each);
            SUITE_SAME_INTEGER(scan.clock % (500 * TIME_NS), 0);
            CU_ASSERT_TRUE(llabs(scan.clock - scan.time) < 500 * TIME_NS);
            CU_ASSERT_TRUE(scan.time > last);
            last = scan.time;
        }
    }
}

struct costs {
    sim_time scan, receive, deliver, sequence, all;
};

// 100 messages in one direction between cards with `channels` logical channels, all but one without
// traffic.
static struct costs run_channels(int64_t channels, int host)
{
    struct grim_world_options options = grim_world_defaults(2, 1);
    options.ni.channels = channels;
    options.ni.queue = 512 * 1024;
    struct world *world = grim_world_new(&options);
    grim_world_send(world, 0, 1, 0, 100);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    struct costs costs = {
        .scan = grim_world_stage(world, host, "scan"),
        .receive = grim_world_stage(world, host, "receive packet"),
        .deliver = grim_world_stage(world, host, "deliver"),
        .sequence = grim_world_stage(world, host, "sequence number"),
        .all = grim_end(world, 1)->last_taken,
    };
    world_free(world);
    return costs;
}

// grim.scan.send_side_only, grim.chan.scan_loop: more channels lengthen the sending card's scan,
// and cost the receiving card nothing.
static void test_send_side(void)
{
    struct costs one = run_channels(1, 0), many = run_channels(16, 0);
    CU_ASSERT_TRUE(many.scan > 3 * one.scan);
    CU_ASSERT_TRUE(many.all > one.all);
    struct costs receives_one = run_channels(1, 1), receives_many = run_channels(16, 1);
    SUITE_SAME_INTEGER(receives_one.receive, receives_many.receive);
    SUITE_SAME_INTEGER(receives_one.deliver, receives_many.deliver);
    SUITE_SAME_INTEGER(receives_one.sequence, receives_many.sequence);
}

// Time from an injection to when the message is taken, with nothing else going on; *empty: channels
// that the scan checked in vain.
static sim_time latency(int64_t channels, sim_time starts, bool lanai4, int64_t *empty)
{
    struct grim_world_options options = grim_world_defaults(2, 1);
    if (lanai4)
        grim_world_lanai4(&options);
    options.ni.channels = channels;
    struct world *world = grim_world_new(&options);
    grim_end(world, 0)->starts = starts;
    grim_world_send(world, 0, 1, 0, 1);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    sim_time taken = grim_end(world, 1)->last_taken - starts;
    *empty = world_counter(world, "GRIM: most empty channels before a message");
    world_free(world);
    return taken;
}

// grim.scan.worst_case_wait, grim.chan.scan_loop: the scan's position when a message arrives
// decides how many empty channels of 16 it passes, from none to 15.
static void test_worst_case(void)
{
    struct grim_world_options options = grim_world_defaults(2, 1);
    sim_time each = cost_time(options.scan.scan_channel, options.lanai.clock);
    sim_time once = cost_time(options.scan.scan, options.lanai.clock);
    sim_time least = TIME_NEVER, most = 0;
    int64_t fewest = G_MAXINT64, many = 0, empty;
    for (int i = 0; i < 200; i++) {
        sim_time taken = latency(16, i * 37 * TIME_NS + 1, false, &empty);
        least = MIN(least, taken);
        most = MAX(most, taken);
        fewest = MIN(fewest, empty);
        many = MAX(many, empty);
    }
    SUITE_SAME_INTEGER(fewest, 0);
    SUITE_SAME_INTEGER(many, 15);
    // Within the turns of the loop: an idle one looks once in 10 cycles.
    sim_time turn = 2 * cost_time(options.lanai.idle_turn, options.lanai.clock);
    CU_ASSERT_TRUE(most - least <= 15 * each + once + turn);
    CU_ASSERT_TRUE(most - least >= 14 * each);
}

// grim.chan.scan_loop: a message that arrives at any time waits until the loop gets to its channel.
// On average that is half a round, so that each further empty channel adds half of the time of its
// check.
static double mean_latency(int64_t channels)
{
    double sum = 0.0;
    int64_t empty;
    for (int i = 0; i < 128; i++)
        sum += (double)latency(channels, i * 97 * TIME_NS + 1, false, &empty) / 128;
    return sum;
}

static void test_loop(void)
{
    struct grim_world_options options = grim_world_defaults(2, 1);
    double each = (double)cost_time(options.scan.scan_channel, options.lanai.clock);
    double eight = mean_latency(8);
    static const int channels[] = {16, 24, 32};
    for (size_t i = 0; i < G_N_ELEMENTS(channels); i++) {
        double added = (mean_latency(channels[i]) - eight) / (channels[i] - 8) / each;
        printf(" (%d channels: %.3f) ", channels[i], added);
        CU_ASSERT_TRUE(added > 0.4 && added < 0.6);
    }
}

// grim.lanai9_faster: the same firmware in the same cycles on the faster card.
static void test_lanai9(void)
{
    int64_t empty;
    sim_time four = latency(1, 1, true, &empty), nine = latency(1, 1, false, &empty);
    CU_ASSERT_TRUE(four > nine + 5 * TIME_US);
    printf(" (%.2f us, %.2f us) ", time_to_us(four), time_to_us(nine));
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"grim.chan.private_interface: a queue for each endpoint", test_private},
        {"grim.chan.bidirectional: one channel both ways", test_bidirectional},
        {"grim.chan.any_to_any, ni_level_sequencing, no_hol_blocking", test_sequencing},
        {"Fig. 4.8: any channel to any channel", test_any_to_any},
        {"grim.chan.sender_only_buffering, early_recv_queue", test_buffering},
        {"grim.chan.early_recv_queue: memory split in two", test_split},
        {"grim.cfg.scan_search_cards: a full scan", test_scan},
        {"grim.scan.send_side_only: what channels cost", test_send_side},
        {"grim.scan.worst_case_wait: 15 empty channels", test_worst_case},
        {"grim.chan.scan_loop: delay grows with the channels", test_loop},
        {"grim.lanai9_faster: the same cycles in less time", test_lanai9},
        {0},
    };
    return suite_run("grim: logical channels", cases);
}
