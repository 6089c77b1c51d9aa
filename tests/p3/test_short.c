// SPDX-License-Identifier: GPL-3.0-or-later
// Short messages: the packets of a message of each size, the states of its sender and its receiver,
// and boot messages.
#include "tests/p3/world_p3.h"
#include "tests/support/suite.h"

// The made-up card and library stand in for the real ones in these tests only.
#include "tests/p3/world_p3.c" // NOLINT(bugprone-suspicious-include)

// ---- Packets ----

// icpt.short.flow, icpt.cfg.packet_kinds, icpt.short.single_packet, icpt.short.stop_data,
// icpt.short.next_cts_only_when_forced, icpt.cfg.packet_payload: the packets of a message, with an
// interrupt per packet and with polling, and over planes that keep order and that do not.
static void test_packets(void)
{
    static const struct {
        int64_t bytes;
        int rts, cts, data, stop, next_cts, last, msgend;
    } rows[] = {
        {0, 1, 0, 0, 0, 0, 0, 1},     {29, 1, 0, 0, 0, 0, 0, 1},    {416, 1, 0, 0, 0, 0, 0, 1},
        {417, 1, 1, 0, 0, 0, 1, 1},   {900, 1, 1, 0, 0, 0, 1, 1},   {901, 1, 1, 1, 0, 0, 1, 1},
        {8160, 1, 1, 15, 0, 0, 1, 1}, {8161, 1, 1, 15, 1, 1, 1, 1}, {16384, 1, 1, 30, 2, 2, 1, 1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows) * 4; i++) {
        size_t row = i / 4;
        struct p3_world_options options = p3_world_defaults();
        options.config.poll = i % 2;
        options.jitter = i % 4 < 2 ? 0 : 20 * TIME_US;
        struct p3_world *world = p3_world_new(&options);
        p3_world_put(world, 0, 1, rows[row].bytes);
        p3_world_run(world);
        p3_world_expect_over(world);
        SUITE_SAME_INTEGER(p3_world_packets(world, 0, P3_RTS, P3_TX_CALLER), rows[row].rts);
        SUITE_SAME_INTEGER(p3_world_packets(world, 1, P3_CTS, P3_TX_THREAD), rows[row].cts);
        SUITE_SAME_INTEGER(p3_world_packets(world, 0, P3_DATA, P3_TX_THREAD), rows[row].data);
        SUITE_SAME_INTEGER(p3_world_packets(world, 0, P3_STOP_DATA, P3_TX_THREAD), rows[row].stop);
        SUITE_SAME_INTEGER(p3_world_packets(world, 1, P3_NEXT_CTS, P3_TX_THREAD),
                           rows[row].next_cts);
        SUITE_SAME_INTEGER(p3_world_packets(world, 0, P3_LAST_DATA, P3_TX_THREAD), rows[row].last);
        SUITE_SAME_INTEGER(p3_world_packets(world, 1, P3_MSGEND, P3_TX_THREAD), rows[row].msgend);
        SUITE_SAME_INTEGER(p3_world_packets(world, 0, P3_MSGERROR, -1), 0);
        p3_world_free(world);
    }
}

// icpt.portals.truncation: the CTS carries the number of wanted bytes; others are never sent. The
// closed form with w = min(rlen, mlen).
static void test_truncated(void)
{
    static const struct {
        int64_t bytes, accept;
        int cts, packets;
    } rows[] = {
        {5000, 0, 0, 0}, {5000, 416, 0, 0}, {5000, 417, 1, 1}, {5000, 901, 1, 2}, {300, 200, 0, 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct p3_world_options options = p3_world_defaults();
        options.accept = rows[i].accept;
        struct p3_world *world = p3_world_new(&options);
        p3_world_put(world, 0, 1, rows[i].bytes);
        p3_world_run(world);
        p3_world_expect_over(world);
        SUITE_SAME_INTEGER(p3_world_packets(world, 1, P3_CTS, -1), rows[i].cts);
        SUITE_SAME_INTEGER(p3_world_packets(world, 0, P3_DATA, -1) +
                               p3_world_packets(world, 0, P3_LAST_DATA, -1),
                           rows[i].packets);
        SUITE_SAME_INTEGER(p3_world_told(world, 0)->mlen, rows[i].accept);
        p3_world_free(world);
    }
}

// icpt.short.nomatch: no byte is copied, and the sender takes it for delivered.
static void test_no_match(void)
{
    struct p3_world_options options = p3_world_defaults();
    options.accept = P3_WORLD_NO_MATCH;
    struct p3_world *world = p3_world_new(&options);
    p3_world_put(world, 0, 1, 5000);
    p3_world_run(world);
    p3_world_expect_over(world);
    SUITE_SAME_INTEGER(p3_world_packets(world, 1, P3_CTS, -1), 0);
    SUITE_SAME_INTEGER(p3_world_told(world, 0)->sent_status, PORTALS_OK);
    p3_world_free(world);
}

// ---- States ----

// icpt.fig.5_6: one message of two grants.
static void test_states(void)
{
    struct p3_world_options options = p3_world_defaults();
    options.config.grant = 2;
    struct p3_world *world = p3_world_new(&options);
    p3_world_put(world, 0, 1, 416 + 3 * 484);
    p3_world_run(world);
    p3_world_expect_over(world);
    p3_world_expect_lines(world, "short send",
                          "rank 0 short send[0] NEW -> RTS_SENT\n"
                          "rank 0 short send[0] RTS_SENT -> SENDING\n"
                          "rank 0 short send[0] SENDING -> WAIT_CTS\n"
                          "rank 0 short send[0] WAIT_CTS -> SENDING\n"
                          "rank 0 short send[0] SENDING -> WAIT_END\n"
                          "rank 0 short send[0] WAIT_END -> DONE\n");
    p3_world_expect_lines(world, "short receive",
                          "rank 1 short receive[0] PARSED -> RECEIVING\n"
                          "rank 1 short receive[0] RECEIVING -> ENDED\n");
    p3_world_free(world);
}

// Reasons that held messages up, in the order in which they ended: for those that fit into an RTS,
// only the boot message that is not confirmed.
static void test_held(void)
{
    struct p3_world_options options = p3_world_defaults();
    options.config.grant = 2;
    struct p3_world *world = p3_world_new(&options);
    p3_world_put(world, 0, 1, 29);
    p3_world_put(world, 0, 1, 29);
    p3_world_run(world);
    p3_world_put(world, 0, 1, 416 + 3 * 484);
    p3_world_run(world);
    p3_world_expect_lines(world, "held",
                          "rank 0 held up by its RTS to be sent by the kernel thread\n"
                          "rank 0 held up by CTS\n"
                          "rank 0 held up by NEXT_CTS\n");
    p3_world_free(world);
}

// icpt.short.bootmsg: the first message has the number 0; others are numbered and wait. Its MSGEND
// confirms it as well as a CTS. Both directions do so by themselves.
static void test_boot(void)
{
    static const int64_t sizes[] = {29, 2048};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        struct p3_world_options options = p3_world_defaults();
        struct p3_world *world = p3_world_new(&options);
        p3_world_put(world, 0, 1, sizes[i]);
        p3_world_put(world, 0, 1, 10);
        p3_world_put(world, 0, 1, 10);
        p3_world_run(world);
        p3_world_put(world, 1, 0, 29);
        p3_world_run(world);
        p3_world_expect_over(world);
        SUITE_SAME_INTEGER(p3_world_packets(world, 0, P3_RTS, P3_TX_CALLER), 1);
        SUITE_SAME_INTEGER(p3_world_packets(world, 0, P3_RTS, P3_TX_THREAD), 2);
        SUITE_SAME_INTEGER(p3_world_counter(world, "RMPP: packets postponed"), 2);
        p3_world_expect_lines(world, "boot",
                              "rank 0 boot[1] FRESH -> WAIT\nrank 0 boot[1] WAIT -> OPEN\n"
                              "rank 1 boot[0] FRESH -> WAIT\nrank 1 boot[0] WAIT -> OPEN\n");
        char *text = p3_world_lines(world, "rank 0 short send[2]");
        SUITE_SAME_TEXT(text, "rank 0 short send[2] NEW -> POSTPONED\n"
                              "rank 0 short send[2] POSTPONED -> RTS_SENT\n"
                              "rank 0 short send[2] RTS_SENT -> DONE\n");
        g_free(text);
        p3_world_put(world, 0, 1, 29);
        p3_world_run(world);
        SUITE_SAME_INTEGER(p3_world_packets(world, 0, P3_RTS, P3_TX_CALLER), 2);
        p3_world_free(world);
    }
}

// icpt.short.tx_full_postpone: a packet that a full TX-CB refuses is sent later, by the thread, and
// everything arrives in order.
static void test_full(void)
{
    for (int poll = 0; poll < 2; poll++) {
        struct p3_world_options options = p3_world_defaults();
        options.config.poll = poll;
        options.room = 3;
        options.latency = 50 * TIME_US;
        struct p3_world *world = p3_world_new(&options);
        p3_world_put(world, 0, 1, 29);
        p3_world_run(world);
        for (int i = 0; i < 50; i++) {
            p3_world_put(world, 0, 1, 29 + 40 * i);
            p3_world_put(world, 1, 0, 29 + 40 * i);
        }
        p3_world_run(world);
        p3_world_expect_over(world);
        CU_ASSERT(p3_world_packets(world, 0, P3_RTS, P3_TX_CALLER) >= 4);
        CU_ASSERT(p3_world_packets(world, 0, P3_RTS, P3_TX_THREAD) > 0);
        p3_world_free(world);
    }
}

// A thread that polls finds postponed packets and sends them by its own TX-CB, which has room.
static void test_other_cb(void)
{
    struct p3_world_options options = p3_world_defaults();
    options.config.poll = true;
    options.room = 1;
    options.latency = 1 * TIME_MS;
    struct p3_world *world = p3_world_new(&options);
    struct engine *engine = p3_world_sim(world)->engine;
    p3_world_put(world, 0, 1, 29);
    p3_world_run(world);
    p3_world_put(world, 0, 1, 29);
    p3_world_put(world, 0, 1, 29);
    engine_run(engine, engine_now(engine) + 200 * TIME_US);
    SUITE_SAME_INTEGER(p3_world_packets(world, 0, P3_RTS, P3_TX_CALLER), 2);
    SUITE_SAME_INTEGER(p3_world_packets(world, 0, P3_RTS, P3_TX_THREAD), 1);
    p3_world_run(world);
    p3_world_expect_over(world);
    p3_world_free(world);
}

// icpt.cfg.poll_delay: the loop polls after a pause of 1 us since it last did something, and then
// every 1.4 us. A packet that becomes visible at any time is taken at such a time.
static void test_loop(void)
{
    struct p3_world_options options = p3_world_defaults();
    options.config.poll = true;
    struct p3_world *world = p3_world_new(&options);
    struct p3_process *process = p3_world_process(world, 1);
    int64_t later = 0;
    for (int i = 0; i < 20; i++) {
        sim_time since = process->loop_since, now = sim_now(p3_world_sim(world));
        struct intercept_sm sm = p3_world_packet(0, 1, P3_DATA, 9);
        p3_world_inject(world, &sm, 10 * TIME_US + i * 170 * TIME_NS);
        p3_world_run(world);
        // 300 ns to take the packet, 300 ns for the record.
        sim_time looked = process->loop_since - 600 * TIME_NS - since - 1 * TIME_US;
        SUITE_SAME_INTEGER(looked % (1400 * TIME_NS), 0);
        later += looked + since + 1 * TIME_US - now - (10 * TIME_US + i * 170 * TIME_NS);
    }
    SUITE_SAME_INTEGER(p3_world_counter(world, "RMPP: unexpected data"), 20);
    CU_ASSERT(later > 20 * 400 * TIME_NS && later < 20 * 1000 * TIME_NS); // 0.7 us in the mean
    p3_world_free(world);
}

// ---- Gets ----

// A request is a header; the reply is a message of its own, from the thread.
static void test_get(void)
{
    struct p3_world_options options = p3_world_defaults();
    struct p3_world *world = p3_world_new(&options);
    p3_world_get(world, 0, 1, 1000);
    p3_world_run(world);
    p3_world_expect_over(world);
    SUITE_SAME_INTEGER(p3_world_packets(world, 0, P3_RTS, P3_TX_CALLER), 1);
    SUITE_SAME_INTEGER(p3_world_packets(world, 1, P3_RTS, P3_TX_THREAD), 1);
    SUITE_SAME_INTEGER(p3_world_packets(world, 1, P3_LAST_DATA, -1), 1);
    p3_world_free(world);
}

static void test_long_reply(void)
{
    struct p3_world_options options = p3_world_defaults();
    options.config.threshold = "computed";
    struct p3_world *world = p3_world_new(&options);
    p3_world_get(world, 0, 1, 8161);
    p3_world_run(world);
    SUITE_SAME_INTEGER(p3_world_sim(world)->status, SIM_FAILED);
    SUITE_CONTAINS(json_string_value(json_object_get(p3_world_sim(world)->reason, "text")),
                   "p3.long_replies");
    p3_world_free(world);
}

// ---- The first design ----

// icpt.design.handler_cb_max_message: pieces of at most 504 B with the handler's 32 B; the first
// has 384 B of data, the others 456 B. The end is a message of its own.
static void test_handler_cb(void)
{
    static const struct {
        int64_t bytes;
        int pieces;
    } rows[] = {{0, 1}, {384, 1}, {385, 2}, {840, 2}, {841, 3}, {100000, 220}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct p3_world_options options = p3_world_defaults();
        options.config.version = P3_HANDLER_CB;
        struct p3_world *world = p3_world_new(&options);
        p3_world_put(world, 0, 1, rows[i].bytes);
        p3_world_run(world);
        p3_world_expect_over(world);
        SUITE_SAME_INTEGER(p3_world_client_messages(world, 0), rows[i].pieces);
        SUITE_SAME_INTEGER(p3_world_client_messages(world, 1), 1);
        SUITE_SAME_INTEGER(p3_world_packets(world, 0, P3_RTS, -1), 0);
        p3_world_free(world);
    }
}

static const struct suite_case cases[] = {
    {"packets of a message", test_packets},
    {"truncated messages", test_truncated},
    {"no match", test_no_match},
    {"states of a message", test_states},
    {"what holds messages up", test_held},
    {"boot messages", test_boot},
    {"full TX-CB", test_full},
    {"room in the thread's TX-CB only", test_other_cb},
    {"the polling loop", test_loop},
    {"gets", test_get},
    {"long replies", test_long_reply},
    {"all by the handler's CB", test_handler_cb},
    {0},
};

int main(void)
{
    return suite_run("p3: short messages", cases);
}
