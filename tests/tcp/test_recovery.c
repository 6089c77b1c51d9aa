// SPDX-License-Identifier: GPL-3.0-or-later
// Losses within one window: what Reno (RFC 2581), NewReno (RFC 2582) and selective acknowledgments
// (RFC 3517) each send, as Fall and Floyd have shown it (Computer Communication Review 26/3, 1996):
// of several drops Reno finds the first by duplicates and the last by a timeout, NewReno mends one
// hole a round trip, and with selective acknowledgments all are mended in about one.
#include "tests/support/suite.h"
#include "tests/support/transition_log.h"
#include "tests/support/world_tcp.h"

#include <stdio.h>

#define SEGMENT 1448
#define SEGMENTS 60

struct transfer {
    struct world *world;
    int retransmitted[32]; // segment numbers, in the order of sending
    sim_time when[32];
    int count;
    int64_t timeouts, recoveries;
};

// Sends SEGMENTS full segments from node 0, of which those in `drops` (a list of segment numbers)
// are lost once.
static struct transfer transfer_with(const char *recovery, const char *drops, const char *limited,
                                     const char *buffer, const char *latency)
{
    struct transfer result = {0};
    char *sets[] = {
        g_strdup_printf("tcp.recovery=%s", recovery),
        g_strdup_printf("links[0].drop_nth=%s", drops),
        g_strdup_printf("tcp.limited_transmit=%s", limited),
        g_strdup_printf("tcp.send_buffer=%s", buffer),
        g_strdup_printf("switches[0].latency=%s", latency),
        g_strdup("tcp.send_buffer_grows=false"),
        NULL,
    };
    struct world *world = tcp_world((const char *const *)sets, NULL);
    int64_t highest = -1;
    tcp_transfer(world, SEGMENTS * SEGMENT);
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, SEGMENTS * SEGMENT);
    for (int i = 0; i < tcp_log_count(world); i++) {
        const struct tcp_line *line = tcp_log_at(world, i);
        if (line->node != 0 || line->payload == 0)
            continue;
        if (line->sequence < highest && result.count < 32) {
            result.when[result.count] = line->when;
            result.retransmitted[result.count++] = (int)((line->sequence - 1) / SEGMENT);
        }
        highest = MAX(highest, line->sequence + line->payload);
    }
    result.world = world;
    result.timeouts = *sim_counter(world->sim, "tcp retransmission timeouts");
    result.recoveries = *sim_counter(world->sim, "tcp fast retransmits");
    for (int i = 0; sets[i]; i++)
        g_free(sets[i]);
    return result;
}

static struct transfer transfer(const char *recovery, const char *drops, const char *limited)
{
    return transfer_with(recovery, drops, limited, "128 KiB", "5 us");
}

// The expected retransmissions, as "27 28 29".
static void check(const char *recovery, const char *drops, const char *expected, int recoveries,
                  int timeouts)
{
    struct transfer result = transfer(recovery, drops, "false");
    GString *happened = g_string_new(NULL);
    for (int i = 0; i < result.count; i++)
        g_string_append_printf(happened, "%s%d", i ? " " : "", result.retransmitted[i]);
    bool same = SUITE_SAME_TEXT(happened->str, expected);
    same &= SUITE_SAME_INTEGER(result.recoveries, recoveries);
    same &= SUITE_SAME_INTEGER(result.timeouts, timeouts);
    if (!same)
        fprintf(stderr, "that was %s with frames %s lost\n", recovery, drops);
    g_string_free(happened, TRUE);
    world_free(result.world);
}

// Frame n of node 0 carries segment n - 3.
static void test_one_drop(void)
{
    const char *const all[] = {"reno", "newreno", "sack"};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
        check(all[i], "[30]", "27", 1, 0);
}

// Reno halves its window for each hole, until too few duplicates are left.
static void test_reno(void)
{
    check("reno", "[30, 31]", "27 28", 2, 0);
    check("reno", "[30, 31, 32]", "27 28 29", 2, 1);
    check("reno", "[30, 32, 34]", "27 29 31", 2, 1);
    check("reno", "[30, 31, 32, 33]", "27 28 29 30 31", 2, 1);
}

static void test_newreno(void)
{
    check("newreno", "[30, 31]", "27 28", 1, 0);
    check("newreno", "[30, 31, 32]", "27 28 29", 1, 0);
    check("newreno", "[30, 32, 34]", "27 29 31", 1, 0);
    check("newreno", "[30, 31, 32, 33]", "27 28 29 30", 1, 0);
}

static void test_sack(void)
{
    check("sack", "[30, 31]", "27 28", 1, 0);
    check("sack", "[30, 31, 32]", "27 28 29", 1, 0);
    check("sack", "[30, 32, 34]", "27 29 31", 1, 0);
    check("sack", "[30, 31, 32, 33]", "27 28 29 30", 1, 0);
}

// The states that congestion control goes through.
static void expect_states(const char *recovery, const char *drops, const char *expected)
{
    struct transition_log *log = transition_log_new("tcp recovery", true);
    char *sets[] = {g_strdup_printf("tcp.recovery=%s", recovery),
                    g_strdup_printf("links[0].drop_nth=%s", drops), NULL};
    struct world *world = tcp_world((const char *const *)sets, &log->sink.trace);
    tcp_transfer(world, SEGMENTS * SEGMENT);
    world_run(world);
    char *detail = g_strdup_printf(" (%s)", recovery);
    g_string_replace(log->text, detail, "", 0);
    g_free(detail);
    if (!SUITE_SAME_TEXT(log->text->str, expected))
        fprintf(stderr, "that was %s with frames %s lost\n", recovery, drops);
    world_free(world);
    transition_log_free(log);
    g_free(sets[0]);
    g_free(sets[1]);
}

#define STATE(from, to) "node0 tcp recovery[1] " from " -> " to "\n"
#define FAST STATE("open", "disorder") STATE("disorder", "recovery") STATE("recovery", "open")
#define SLOW_START STATE("open", "disorder") STATE("disorder", "loss") STATE("loss", "open")

static void test_states(void)
{
    const char *const all[] = {"reno", "newreno", "sack"};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        expect_states(all[i], "[30]", FAST);
        // The last segment: no later one reveals the loss.
        expect_states(all[i], "[62]", STATE("open", "loss") STATE("loss", "open"));
        // The last but two: two duplicates are not enough, and there is nothing to send for them.
        expect_states(all[i], "[60]", SLOW_START);
    }
    expect_states("reno", "[30, 31]", FAST FAST);
    expect_states("newreno", "[30, 31]", FAST);
    expect_states("newreno", "[30, 31, 32, 33]", FAST);
    expect_states("sack", "[30, 31, 32, 33]", FAST);
}

// How long the holes take: with selective acknowledgments all leave one after the other; NewReno
// waits for a partial acknowledgment in between, which is a round trip.
static void test_pace(void)
{
    struct transfer sack = transfer("sack", "[30, 31, 32, 33]", "false");
    struct transfer newreno = transfer("newreno", "[30, 31, 32, 33]", "false");
    sim_time round_trip =
        world_wire_time(sack.world, SEGMENT + 70) + world_wire_time(sack.world, 70);
    for (int i = 1; i < 4; i++) {
        CU_ASSERT(sack.when[i] - sack.when[i - 1] < 130 * TIME_US);
        CU_ASSERT(newreno.when[i] - newreno.when[i - 1] >= round_trip);
    }
    world_free(sack.world);
    world_free(newreno.world);
}

// A path so long, and a buffer so small, that what is under way is on the path, and not in the
// sender's queue.
#define SLOW_SWITCH (5 * TIME_MS)
#define SLOW "32 KiB", "5 ms"

// State of the sender when it sent a segment again for the first time.
struct before_retransmission {
    int64_t sent, acknowledged; // sequence numbers
    int duplicates;             // acknowledgments that it may have seen
};

static struct before_retransmission before_retransmission(const struct transfer *transfer)
{
    struct before_retransmission before = {0};
    for (int i = 0; i < tcp_log_count(transfer->world); i++) {
        const struct tcp_line *line = tcp_log_at(transfer->world, i);
        if (line->node == 0 && line->when < transfer->when[0])
            before.sent = MAX(before.sent, line->sequence + line->payload);
        if (line->node == 0 || line->when + SLOW_SWITCH > transfer->when[0])
            continue;
        bool again = line->acknowledgment == before.acknowledged && line->payload == 0;
        before.duplicates = again ? before.duplicates + 1 : 0;
        before.acknowledged = line->acknowledgment;
    }
    return before;
}

// RFC 2581, 3.2: the third duplicate, no earlier and no later; the threshold is half of what was
// under way then (3.1, equation 3).
static void test_third_duplicate(void)
{
    struct transfer result = transfer_with("reno", "[30]", "false", SLOW);
    struct before_retransmission before = before_retransmission(&result);
    SUITE_SAME_INTEGER(before.acknowledged, 1 + 27 * SEGMENT);
    SUITE_SAME_INTEGER(before.duplicates, 3);
    const struct tcp_socket *socket = tcp_node(result.world, 0)->socket;
    SUITE_SAME_INTEGER(socket->cc.ssthresh, (before.sent - before.acknowledged) / SEGMENT / 2);
    // Then up by one per round trip.
    CU_ASSERT(socket->cc.cwnd >= socket->cc.ssthresh && socket->cc.cwnd <= socket->cc.ssthresh + 4);
    world_free(result.world);
    // With two duplicates only there is a timeout.
    struct world *world =
        tcp_world((const char *const[]){"tcp.recovery=reno", "links[0].drop_nth=[3]",
                                        "tcp.limited_transmit=false", NULL},
                  NULL);
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(3 * SEGMENT));
    world_do_at(tcp_node(world, 1), 5 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(3 * SEGMENT));
    world_run(world);
    SUITE_SAME_INTEGER(*sim_counter(world->sim, "tcp fast retransmits"), 0);
    SUITE_SAME_INTEGER(*sim_counter(world->sim, "tcp retransmission timeouts"), 1);
    world_free(world);
}

// RFC 3042: of a window of four, the first is lost; the three duplicates that are needed come only
// because the first two let new segments out.
static void test_limited_transmit(void)
{
    for (int limited = 0; limited < 2; limited++) {
        struct world *world = tcp_world(
            (const char *const[]){
                "links[0].drop_nth=[3]", "tcp.initial_window=3", "tcp.recovery=newreno",
                limited ? "tcp.limited_transmit=true" : "tcp.limited_transmit=false", NULL},
            NULL);
        tcp_connect_nodes(world);
        world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(8 * SEGMENT));
        world_do_at(tcp_node(world, 1), 5 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(8 * SEGMENT));
        world_run(world);
        SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, 8 * SEGMENT);
        SUITE_SAME_INTEGER(*sim_counter(world->sim, "tcp fast retransmits"), limited);
        SUITE_SAME_INTEGER(*sim_counter(world->sim, "tcp retransmission timeouts"), !limited);
        world_free(world);
    }
}

// A retransmission that is lost again is found by a timeout alone (RFC 3517, 5.1), for all three.
static void test_lost_retransmission(void)
{
    const char *const all[] = {"reno", "newreno", "sack"};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        struct transfer probe = transfer(all[i], "[30]", "false");
        int frame = 0; // of the retransmission
        int64_t highest = -1;
        for (int k = 0, n = 0; k < tcp_log_count(probe.world); k++) {
            const struct tcp_line *line = tcp_log_at(probe.world, k);
            n += line->node == 0;
            if (line->node == 0 && line->payload > 0 && line->sequence < highest)
                frame = n;
            if (line->node == 0)
                highest = MAX(highest, line->sequence);
        }
        world_free(probe.world);
        char *drops = g_strdup_printf("[30, %d]", frame);
        struct transfer result = transfer(all[i], drops, "false");
        SUITE_SAME_INTEGER(result.timeouts, 1);
        CU_ASSERT(result.retransmitted[0] == 27 && result.retransmitted[1] == 27);
        world_free(result.world);
        g_free(drops);
    }
}

// RFC 2018, 4: the first block is the one that the segment which called for it belongs to.
static void test_blocks(void)
{
    struct transfer result = transfer("sack", "[30, 32, 34]", "false");
    int seen = 0;
    for (int i = 0; i < tcp_log_count(result.world); i++) {
        const struct tcp_line *line = tcp_log_at(result.world, i);
        if (line->sacks == 0)
            continue;
        CU_ASSERT(line->node == 1 && line->sacks <= 3);
        CU_ASSERT(line->sack_from[0] > line->acknowledgment);
        for (int k = 0; k < line->sacks; k++)
            CU_ASSERT(line->sack_from[k] < line->sack_to[k]);
        if (line->sacks == 3 && seen++ == 0) { // newest first
            CU_ASSERT(line->sack_from[0] > line->sack_from[1] &&
                      line->sack_from[1] > line->sack_from[2]);
        }
    }
    CU_ASSERT(seen > 0);
    world_free(result.world);
    // Reno and NewReno neither offer nor send blocks.
    result = transfer("newreno", "[30]", "false");
    for (int i = 0; i < tcp_log_count(result.world); i++)
        CU_ASSERT(tcp_log_at(result.world, i)->sacks == 0 &&
                  !tcp_log_at(result.world, i)->sack_permitted);
    world_free(result.world);
}

// RFC 2018, 3: four blocks fit into the options, three next to a timestamp, also where there are
// more.
static void test_most_blocks(void)
{
    for (int timestamps = 0; timestamps <= 1; timestamps++) {
        const char *const sets[] = {"tcp.recovery=sack",
                                    "links[0].drop_nth=[30, 32, 34, 36, 38, 40]",
                                    "tcp.send_buffer=128 KiB",
                                    "tcp.send_buffer_grows=false",
                                    timestamps ? "tcp.timestamps=true" : "tcp.timestamps=false",
                                    NULL};
        struct world *world = tcp_world(sets, NULL);
        tcp_connect_nodes(world);
        world_do_at(tcp_node(world, 1), 5 * TIME_MS, tcp_read_job,
                    GSIZE_TO_POINTER(SEGMENTS * SEGMENT));
        world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job,
                    GSIZE_TO_POINTER(SEGMENTS * SEGMENT));
        world_run(world);
        int most = 0;
        for (int i = 0; i < tcp_log_count(world); i++)
            most = MAX(most, tcp_log_at(world, i)->sacks);
        SUITE_SAME_INTEGER(most, timestamps ? 3 : 4);
        SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, SEGMENTS * SEGMENT);
        world_free(world);
    }
}

// RFC 2581, 3.1: a timeout closes the congestion window to one segment; slow start goes to half of
// what was under way.
static void test_timeout_window(void)
{
    GString *drops = g_string_new("[20");
    for (int frame = 21; frame <= 45; frame++)
        g_string_append_printf(drops, ", %d", frame);
    g_string_append(drops, "]");
    struct transfer result = transfer("sack", drops->str, "true");
    CU_ASSERT(result.timeouts >= 1 && result.count >= 2);
    CU_ASSERT(result.when[1] - result.when[0] >= 200 * TIME_US); // one, then the next
    world_free(result.world);
    g_string_free(drops, TRUE);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"one drop: a fast retransmit for all", test_one_drop},
        {"Reno: two to four drops", test_reno},
        {"NewReno: two to four drops", test_newreno},
        {"SACK: two to four drops", test_sack},
        {"states", test_states},
        {"SACK mends at once, NewReno a hole a round trip", test_pace},
        {"the third duplicate", test_third_duplicate},
        {"limited transmit", test_limited_transmit},
        {"a retransmission is lost, too", test_lost_retransmission},
        {"blocks of selective acknowledgments", test_blocks},
        {"as many blocks as fit", test_most_blocks},
        {"a timeout closes the window to one", test_timeout_window},
        {0},
    };
    return suite_run("tcp: recovery", cases);
}
