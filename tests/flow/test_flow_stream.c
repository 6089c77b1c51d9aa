// SPDX-License-Identifier: GPL-3.0-or-later
// The waits of messages on flows: for acknowledgments that are held back, and for interrupts at a
// distance.
#include "sim/flow/flow_pace.h"
#include "sim/flow/flow_stream.h"
#include "tests/support/suite.h"

#define MOST_PARTS 16

static const struct stack_stream linux_rule = {
    .segment = 1448,
    .least = 536,
    .header = 24,
    .window = 3,
    .tick = 10 * TIME_MS,
    .delay = 4,
    .pause = 21,
};

// Messages between two processes, each sent at a time and arriving a while later.
struct streamed {
    struct stream_part part;
    struct event sent, arrives;
    bool back;
    int64_t bytes;
    sim_time started; // -1: not yet
};

static struct stream_bench {
    struct sim *sim;
    struct flow_streams *streams;
    uint32_t there, back;
    struct streamed parts[MOST_PARTS];
    int count;
} bench;

static void streamed_arrives(struct engine *engine, struct event *event)
{
    (void)engine;
    flow_stream_arrived(&container_of(event, struct streamed, arrives)->part);
}

static void streamed_starts(struct stream_part *part)
{
    struct streamed *one = container_of(part, struct streamed, part);
    one->started = sim_now(bench.sim);
    event_init(&one->arrives, streamed_arrives);
    engine_schedule(bench.sim->engine, &one->arrives, one->started + 50 * TIME_US);
}

static void streamed_sent(struct engine *engine, struct event *event)
{
    struct streamed *one = container_of(event, struct streamed, sent);
    uint32_t number = one->back ? bench.back : bench.there;
    (void)engine;
    flow_stream_send(flow_streams_get(bench.streams, number), &one->part, one->bytes);
}

static void bench_open(const struct stack_stream *rule)
{
    bench = (struct stream_bench){.sim = sim_new(1, NULL)};
    bench.streams = flow_streams_new(bench.sim, rule, streamed_starts);
    flow_streams_open(bench.streams, &bench.there, &bench.back);
}

static void bench_close(void)
{
    flow_streams_free(bench.streams);
    sim_free(bench.sim);
}

static void send_at(sim_time when, bool back, int64_t bytes)
{
    struct streamed *one = &bench.parts[bench.count++];
    *one = (struct streamed){.back = back, .bytes = bytes, .started = -1};
    event_init(&one->sent, streamed_sent);
    engine_schedule(bench.sim->engine, &one->sent, when);
}

static sim_time started(int number)
{
    return bench.parts[number].started;
}

static void send_one_way(int count, int64_t bytes)
{
    for (int i = 0; i < count; i++)
        send_at((12 + i) * TIME_MS, false, bytes);
    engine_run(bench.sim->engine, TIME_END);
}

// The fourth waits for the fourth tick after the first has arrived, and the window grows; then each
// is acknowledged as it arrives.
static void test_short_ones_one_way_stop(void)
{
    struct stack_stream rule = linux_rule;
    rule.exchanged = true;
    bench_open(&rule);
    send_one_way(8, 4);
    for (int i = 0; i < 3; i++)
        SUITE_SAME_INTEGER(started(i), (12 + i) * TIME_MS);
    for (int i = 3; i < 7; i++) // the window has grown by one
        SUITE_SAME_INTEGER(started(i), 50 * TIME_MS);
    SUITE_SAME_INTEGER(started(7), 50050 * TIME_US);
    bench_close();
}

static void test_nothing_stops_before_an_exchange(void)
{
    bench_open(&linux_rule);
    send_one_way(8, 4);
    for (int i = 0; i < 8; i++)
        SUITE_SAME_INTEGER(started(i), (12 + i) * TIME_MS);
    bench_close();
}

// Two of 24 + 256 bytes are more than a receiver takes for a full segment at first.
static void test_a_full_segment_is_acknowledged(void)
{
    struct stack_stream rule = linux_rule;
    rule.exchanged = true;
    bench_open(&rule);
    send_one_way(8, 256);
    for (int i = 0; i < 8; i++)
        SUITE_SAME_INTEGER(started(i), (12 + i) * TIME_MS);
    bench_close();
}

static void test_data_carry_acknowledgments(void)
{
    struct stack_stream rule = linux_rule;
    rule.exchanged = true;
    bench_open(&rule);
    send_at(14500 * TIME_US, true, 4);
    send_one_way(6, 4);
    for (int i = 0; i < 6; i++)
        SUITE_SAME_INTEGER(started(1 + i), (12 + i) * TIME_MS);
    bench_close();
}

// ---- Interrupts ----

static void test_interrupts_keep_a_distance(void)
{
    const struct flow_pace pace = {.distance = 125 * TIME_US, .sent_delay = 65 * TIME_US};
    struct paced_card card = {0};
    SUITE_SAME_INTEGER(flow_pace_received(&pace, &card, 210 * TIME_US), 210 * TIME_US);
    SUITE_SAME_INTEGER(flow_pace_received(&pace, &card, 220 * TIME_US), 335 * TIME_US);
    SUITE_SAME_INTEGER(flow_pace_received(&pace, &card, 330 * TIME_US), 335 * TIME_US);
    SUITE_SAME_INTEGER(flow_pace_received(&pace, &card, 500 * TIME_US), 500 * TIME_US);
}

// Of two frames sent the first asks, 65 us later; what arrives then waits.
static void test_a_sent_frame_asks(void)
{
    const struct flow_pace pace = {.distance = 125 * TIME_US, .sent_delay = 65 * TIME_US};
    struct paced_card card = {0};
    flow_pace_sent(&pace, &card, 200 * TIME_US);
    flow_pace_sent(&pace, &card, 210 * TIME_US);
    SUITE_SAME_INTEGER(flow_pace_received(&pace, &card, 300 * TIME_US), 390 * TIME_US);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"short ones one way stop", test_short_ones_one_way_stop},
        {"nothing stops before an exchange", test_nothing_stops_before_an_exchange},
        {"a full segment is acknowledged", test_a_full_segment_is_acknowledged},
        {"data carry acknowledgments", test_data_carry_acknowledgments},
        {"interrupts keep a distance", test_interrupts_keep_a_distance},
        {"a sent frame asks", test_a_sent_frame_asks},
        {0},
    };
    return suite_run("flow: waits of messages", cases);
}
