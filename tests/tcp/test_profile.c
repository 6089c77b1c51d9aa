// SPDX-License-Identifier: GPL-3.0-or-later
// The profiles of section `tcp`: their defaults make sense, and profile freebsd6 at work. Its rules
// one by one are in tests/script/tcp/freebsd6_*.pkt.
#include "models/tcp/tcp.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"
#include "tests/support/world_tcp.h"

#include <string.h>

static void expect(const char *text, const char *part)
{
    struct diag_list *diags = diag_list_new();
    struct node *map = node_parse(text, strlen(text), "t.yaml", NULL, diags);
    struct param_values *values = param_read(&tcp_table, map, "tcp", diags);
    char *complaints = fake_complaints(diags);
    if (part)
        SUITE_CONTAINS(complaints, part);
    else
        SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    param_values_free(values);
    node_free(map);
    diag_list_free(diags);
}

static void test_tables(void)
{
    expect("{}", NULL);
    expect("{profile: linux24}", NULL);
    expect("{profile: freebsd6}", NULL);
    expect("{profile: freebsd7}", "did you mean freebsd6");
    expect("{profile: freebsd6, send_buffer: 4 KiB}", NULL);
    expect("{profile: linux24, send_low_water: 20 KiB}", "send_low_water");
    expect("{profile: freebsd6, probe_most: 1 s}", "probe_least");
}

#define MOST_SETS 6
#define SEGMENT 1448

static struct world *transfer(const char *const *more, int64_t bytes)
{
    const char *sets[MOST_SETS + 1] = {"tcp.profile=freebsd6"};
    for (int i = 0; more && more[i]; i++) {
        g_assert(i + 1 < MOST_SETS);
        sets[i + 1] = more[i];
    }
    struct world *world = tcp_world(sets, NULL);
    tcp_transfer(world, bytes);
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, bytes);
    return world;
}

// The data of a full segment, with its frame: 1,448 B of 1,514 B; at an MTU of 9,000 B not the
// 8,948 B that fit, but four clusters of 2,048 B (FreeBSD 6.2: tcp_mss).
static void test_segment_sizes(void)
{
    static const struct {
        const char *sets[5];
        int64_t payload, wire;
    } cases[] = {
        {{NULL}, 1448, 1514},
        {{"tcp.timestamps=false", NULL}, 1460, 1514},
        {{"tcp.mtu=9000 B", "eepro100.largest_frame=9014 B", NULL}, 8192, 14 + 52 + 8192},
        {{"tcp.mtu=9000 B", "eepro100.largest_frame=9014 B", "tcp.mss_multiple=0 B",
          "tcp.send_buffer=256 KiB", NULL},
         8948,
         9014},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct world *world = transfer(cases[i].sets, 20 * cases[i].payload);
        for (int n = 0; n < 20; n++) {
            const struct tcp_line *line = tcp_log_data(world, 0, 0, n);
            CU_ASSERT_FATAL(line != NULL);
            SUITE_SAME_INTEGER(line->payload, cases[i].payload);
            SUITE_SAME_INTEGER(line->wire, cases[i].wire);
            CU_ASSERT(line->checksums);
        }
        CU_ASSERT_PTR_NULL(tcp_log_data(world, 0, 0, 20));
        world_free(world);
    }
}

// Acknowledgments of data by node 1: how many there are, and the most that one is for.
struct acks {
    int count;
    int64_t least, most; // bytes
    int64_t edge;        // highest sequence number offered
};

// An offer never shrinks, but by what the window field cannot tell.
static struct acks count_acks(const struct world *world)
{
    struct acks acks = {.least = INT64_MAX};
    int64_t last = 1;
    for (int i = 0; i < tcp_log_count(world); i++) {
        const struct tcp_line *line = tcp_log_at(world, i);
        if (line->node == 0 || line->flags != TCP_ACK)
            continue;
        int64_t right = line->acknowledgment + 2 * line->window; // scaled by 1
        CU_ASSERT(right >= acks.edge - 1);
        acks.edge = MAX(acks.edge, right);
        if (line->acknowledgment == last)
            continue;
        acks.least = MIN(acks.least, line->acknowledgment - last);
        acks.most = MAX(acks.most, line->acknowledgment - last);
        acks.count++;
        last = line->acknowledgment;
    }
    return acks;
}

// From the first segment on, each acknowledgment is for two segments, if nothing is read.
static void test_every_second(void)
{
    struct world *world = tcp_world((const char *const[]){"tcp.profile=freebsd6", NULL}, NULL);
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(40 * SEGMENT));
    world_run(world);
    struct acks acks = count_acks(world);
    SUITE_SAME_INTEGER(acks.count, 20);
    SUITE_SAME_INTEGER(acks.least, 2 * SEGMENT);
    SUITE_SAME_INTEGER(acks.most, 2 * SEGMENT);
    CU_ASSERT(acks.edge <= 1 + 65536);
    world_free(world);
}

// A reader that keeps up makes room for two segments between acknowledgments: its updates of the
// window acknowledge, too, and no acknowledgment is for more than two segments.
static void test_updates(void)
{
    struct world *world = transfer(NULL, 60 * SEGMENT);
    struct acks acks = count_acks(world);
    CU_ASSERT(acks.count > 30);
    SUITE_SAME_INTEGER(acks.least, SEGMENT);
    SUITE_SAME_INTEGER(acks.most, 2 * SEGMENT);
    CU_ASSERT(acks.edge > 1 + 60 * SEGMENT + 65536 - 2 * SEGMENT);
    SUITE_SAME_INTEGER(*tcp_node(world, 1)->host->duplicates_received, 0);
    world_free(world);
}

// A congestion window in bytes recovers as one in segments does: by what was acknowledged
// selectively, or by partial acknowledgments, without a timeout.
static void test_recovery(void)
{
    static const char *const recoveries[] = {"tcp.recovery=sack", "tcp.recovery=newreno",
                                             "tcp.recovery=reno"};
    for (size_t i = 0; i < G_N_ELEMENTS(recoveries); i++) {
        struct world *world =
            transfer((const char *const[]){"links[0].drop_nth=[40]", recoveries[i],
                                           "tcp.send_buffer=64 KiB", NULL},
                     300000);
        const struct tcp_host *host = tcp_node(world, 0)->host;
        SUITE_SAME_INTEGER(*host->retransmissions, 1);
        SUITE_SAME_INTEGER(*host->recoveries, 1);
        SUITE_SAME_INTEGER(*host->timeouts, 0);
        const struct inet_cc *cc = &tcp_node(world, 0)->socket->cc;
        SUITE_SAME_INTEGER(cc->mss, 1448);
        CU_ASSERT(cc->ssthresh >= 2 * cc->mss && cc->ssthresh < 65536);
        CU_ASSERT(cc->cwnd >= cc->ssthresh);
        world_free(world);
    }
}

// A lost tail waits for the timer: 3 ms and the slop of 200 ms.
static void test_timeout(void)
{
    struct world *world =
        transfer((const char *const[]){"links[0].drop_nth=[3]", NULL}, 1448); // SYN, ACK, data
    CU_ASSERT_FATAL(tcp_log_data(world, 0, 0, 1) != NULL);
    sim_time waited = tcp_log_data(world, 0, 0, 1)->when - tcp_log_data(world, 0, 0, 0)->when;
    CU_ASSERT(waited > 202 * TIME_MS && waited < 204 * TIME_MS);
    SUITE_SAME_INTEGER(*tcp_node(world, 0)->host->timeouts, 1);
    world_free(world);
}

// The largest buffers of thesis 004's machines: setsockopt doubles nothing, and the window
// announces all of it with a shift of 2.
static void test_large_buffers(void)
{
    struct world *world = transfer(
        (const char *const[]){"tcp.receive_buffer=233016 B", "tcp.send_buffer=233016 B", NULL},
        400000);
    const struct tcp_socket *socket = tcp_node(world, 1)->socket;
    SUITE_SAME_INTEGER(socket->rcv.buffer.size, 233016);
    SUITE_SAME_INTEGER(socket->rcv.scale, 2);
    SUITE_SAME_INTEGER(tcp_node(world, 0)->socket->snd.wnd, 233016 / 4 * 4);
    SUITE_SAME_INTEGER(socket->rcv.buffer.used, 0);
    SUITE_SAME_INTEGER(tcp_node(world, 0)->socket->snd.buffer.used, 0);
    world_free(world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"tables", test_tables},
        {"segments' sizes", test_segment_sizes},
        {"every second segment", test_every_second},
        {"window updates", test_updates},
        {"recovery", test_recovery},
        {"timeout", test_timeout},
        {"large buffers", test_large_buffers},
        {0},
    };
    return suite_run("tcp: profiles", cases);
}
