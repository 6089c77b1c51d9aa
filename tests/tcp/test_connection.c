// SPDX-License-Identifier: GPL-3.0-or-later
// Opening and closing, with and without losses (RFC 793, 3.4-3.5).
#include "tests/support/suite.h"
#include "tests/support/timers.h"
#include "tests/support/world_tcp.h"

#include <string.h>

static void close_both(struct world *world, sim_time when)
{
    world_do_at(tcp_node(world, 0), when, tcp_close_job, NULL);
    world_do_at(tcp_node(world, 1), when, tcp_read_job, GSIZE_TO_POINTER(1)); // the end of the
                                                                              // stream
    world_do_at(tcp_node(world, 1), when, tcp_close_job, NULL);
}

static void test_handshake(void)
{
    struct world *world = tcp_world(NULL, NULL);
    tcp_connect_nodes(world);
    world_run(world);
    TCP_EXPECT(world, 0, TIME_NEVER, "node0 S 0:0(0) win 5840");
    TCP_EXPECT(world, 1, TIME_NEVER, "node1 SA 0:0(0) ack 1 win 5840");
    TCP_EXPECT(world, 2, TIME_NEVER, "node0 A 1:1(0) ack 1 win 5840");
    SUITE_SAME_INTEGER(tcp_log_count(world), 3);
    for (int i = 0; i < 2; i++) {
        const struct tcp_line *syn = tcp_log_at(world, i);
        SUITE_SAME_INTEGER(syn->mss, 1460);
        CU_ASSERT(syn->sack_permitted && syn->timestamps && syn->scale == -1);
        SUITE_SAME_INTEGER(syn->wire, 14 + 20 + 20 + 4 + 12); // MSS, SACK with timestamps
        SUITE_SAME_INTEGER(tcp_node(world, i)->socket->snd.mss, 1448);
        SUITE_SAME_INTEGER(tcp_node(world, i)->socket->machine.state, TCP_ESTABLISHED);
    }
    CU_ASSERT(tcp_log_at(world, 2)->mss == -1 && tcp_log_at(world, 2)->timestamps);
    world_free(world);
}

static void test_options(void)
{
    struct world *world =
        tcp_world((const char *const[]){"tcp.timestamps=false", "tcp.recovery=reno",
                                        "tcp.window_scale=3", "tcp.receive_buffer=256 KiB",
                                        "tcp.mtu=9000 B", "eepro100.largest_frame=9014 B", NULL},
                  NULL);
    tcp_connect_nodes(world);
    world_run(world);
    const struct tcp_line *syn = tcp_log_at(world, 0);
    CU_ASSERT(!syn->timestamps && !syn->sack_permitted);
    SUITE_SAME_INTEGER(syn->scale, 3);
    SUITE_SAME_INTEGER(syn->mss, 8960);
    SUITE_SAME_INTEGER(tcp_node(world, 0)->socket->snd.mss, 8960);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->socket->snd.scale, 3);
    SUITE_SAME_INTEGER(tcp_log_at(world, 2)->window, 2 * 8960 / 8);
    world_free(world);
}

static void test_close(void)
{
    struct world *world = tcp_world(NULL, NULL);
    tcp_connect_nodes(world);
    close_both(world, 100 * TIME_MS);
    world_run(world);
    TCP_EXPECT(world, 3, TIME_NEVER, "node0 FA 1:1(0) ack 1 win 5840");
    TCP_EXPECT(world, 4, TIME_NEVER, "node1 FA 1:1(0) ack 2 win 5840");
    TCP_EXPECT(world, 5, TIME_NEVER, "node0 A 2:2(0) ack 2 win 5840");
    SUITE_SAME_INTEGER(tcp_log_count(world), 6);
    CU_ASSERT(tcp_node(world, 1)->reset); // read reports the end of the stream
    SUITE_SAME_INTEGER(tcp_node(world, 0)->socket->machine.state, TCP_TIME_WAIT);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->socket->machine.state, TCP_CLOSED);
    world_free(world);
}

// Both close at once: each FIN is acknowledged, both wait.
static void test_close_at_once(void)
{
    struct world *world = tcp_world(NULL, NULL);
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 0), 100 * TIME_MS, tcp_close_job, NULL);
    world_do_at(tcp_node(world, 1), 100 * TIME_MS, tcp_close_job, NULL);
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 0)->socket->machine.state, TCP_TIME_WAIT);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->socket->machine.state, TCP_TIME_WAIT);
    SUITE_SAME_INTEGER(tcp_log_count(world), 7);
    world_free(world);
}

// RFC 2988, 2.1 and 5.5: three seconds, then twice that.
static void test_lost_syn(void)
{
    struct world *world = tcp_world((const char *const[]){"links[0].drop_nth=[1, 2]", NULL}, NULL);
    tcp_connect_nodes(world);
    world_run(world);
    const char *const syn = "node0 S 0:0(0) win 5840";
    TCP_EXPECT(world, 0, TIME_NEVER, syn);
    TCP_EXPECT(world, 1, TIME_NEVER, syn);
    TCP_EXPECT(world, 2, TIME_NEVER, syn);
    TCP_EXPECT(world, 3, TIME_NEVER, "node1 SA 0:0(0) ack 1 win 5840");
    TCP_EXPECT(world, 4, TIME_NEVER, "node0 A 1:1(0) ack 1 win 5840");
    CU_ASSERT(ABS(tcp_log_at(world, 1)->when - 3 * TIME_S) < TIME_MS);
    CU_ASSERT(ABS(tcp_log_at(world, 2)->when - 9 * TIME_S) < TIME_MS);
    CU_ASSERT(tcp_established(tcp_node(world, 0)->socket));
    expect_timer(world->sim, "tcp time-outs: SYN", 2, "retransmission timer (SYN)");
    world_free(world);
}

static void test_lost_syn_ack(void)
{
    struct world *world = tcp_world((const char *const[]){"links[1].drop_nth=[1]", NULL}, NULL);
    tcp_connect_nodes(world);
    world_run(world);
    // Both sides' timers run out at the same tick.
    CU_ASSERT(tcp_established(tcp_node(world, 0)->socket));
    CU_ASSERT(tcp_established(tcp_node(world, 1)->socket));
    CU_ASSERT(ABS(tcp_log_at(world, 2)->when - 3 * TIME_S) < TIME_MS);
    world_free(world);
}

// The third segment of the handshake is lost: data do its work.
static void test_lost_handshake_ack(void)
{
    struct world *world = tcp_world((const char *const[]){"links[0].drop_nth=[2]", NULL}, NULL);
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(100));
    world_do_at(tcp_node(world, 1), 5 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(100));
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, 100);
    CU_ASSERT(tcp_node(world, 1)->process.job_end < 11 * TIME_MS);
    world_free(world);
}

static void test_lost_fin(void)
{
    struct world *world = tcp_world(
        (const char *const[]){"links[0].drop_nth=[3]", "links[1].drop_nth=[2]", NULL}, NULL);
    tcp_connect_nodes(world);
    close_both(world, 100 * TIME_MS);
    world_run(world);
    TCP_EXPECT(world, 3, TIME_NEVER, "node0 FA 1:1(0) ack 1 win 5840");
    TCP_EXPECT(world, 4, TIME_NEVER, "node0 FA 1:1(0) ack 1 win 5840");
    TCP_EXPECT(world, 5, TIME_NEVER, "node1 FA 1:1(0) ack 2 win 5840");
    SUITE_SAME_INTEGER(tcp_node(world, 0)->socket->machine.state, TCP_TIME_WAIT);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->socket->machine.state, TCP_CLOSED);
    expect_timer(world->sim, "tcp time-outs: FIN", 2, "retransmission timer (FIN)");
    world_free(world);
}

// The last acknowledgment is lost: the FIN comes again, and TIME-WAIT answers it.
static void test_time_wait_answers(void)
{
    struct world *world = tcp_world((const char *const[]){"links[0].drop_nth=[4]", NULL}, NULL);
    tcp_connect_nodes(world);
    close_both(world, 100 * TIME_MS);
    world_run(world);
    TCP_EXPECT(world, 6, TIME_NEVER, "node1 FA 1:1(0) ack 2 win 5840");
    TCP_EXPECT(world, 7, TIME_NEVER, "node0 A 2:2(0) ack 2 win 5840");
    SUITE_SAME_INTEGER(tcp_node(world, 1)->socket->machine.state, TCP_CLOSED);
    world_free(world);
}

static void test_refused(void)
{
    struct world *world = tcp_world(NULL, NULL);
    world_do_at(tcp_node(world, 0), TIME_MS, tcp_connect_job, NULL);
    world_do_at(tcp_node(world, 0), 2 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(1));
    world_run(world);
    TCP_EXPECT(world, 0, TIME_NEVER, "node0 S 0:0(0) win 5840");
    CU_ASSERT(tcp_log_at(world, 1)->flags == (TCP_RST | TCP_ACK));
    SUITE_SAME_INTEGER(tcp_log_count(world), 2);
    CU_ASSERT(tcp_node(world, 0)->reset && !tcp_established(tcp_node(world, 0)->socket));
    world_free(world);
}

static bool give_up_job(struct cpu_context *context, void *process, void *options)
{
    struct tcp_node *node = process;
    tcp_connect_job(context, node, options);
    tcp_close(context, node->socket);
    return true;
}

// A socket closed before the answer knows no connection any more, and answers with RST.
static void test_close_before_the_answer(void)
{
    struct world *world = tcp_world(NULL, NULL);
    world_do(tcp_node(world, 1), tcp_listen_job, NULL);
    world_do_at(tcp_node(world, 0), TIME_MS, give_up_job, NULL);
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 0)->socket->machine.state, TCP_CLOSED);
    TCP_EXPECT(world, 0, TIME_NEVER, "node0 S 0:0(0) win 5840");
    TCP_EXPECT(world, 1, TIME_NEVER, "node1 SA 0:0(0) ack 1 win 5840");
    CU_ASSERT(tcp_log_at(world, 2)->flags & TCP_RST);
    SUITE_SAME_INTEGER(tcp_log_at(world, 2)->node, 0);
    SUITE_SAME_INTEGER(tcp_log_count(world), 3); // the answer is not sent again
    world_free(world);
}

// RFC 2525, 2.17: a close with data unread reports their loss to the peer.
static void test_close_unread(void)
{
    struct world *world = tcp_world(NULL, NULL);
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(100));
    world_do_at(tcp_node(world, 1), 20 * TIME_MS, tcp_close_job, NULL);
    world_do_at(tcp_node(world, 0), 30 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(100));
    world_run(world);
    const struct tcp_line *last = tcp_log_at(world, tcp_log_count(world) - 1);
    CU_ASSERT(last->node == 1 && (last->flags & TCP_RST));
    CU_ASSERT(tcp_node(world, 0)->reset);
    world_free(world);
}

// A socket that has read all and closed acknowledges a retransmission of the data read: the writer
// gets its FIN acknowledged, and no reset. Node 1's lost frames are the acknowledgment of the data
// and its FIN.
static void test_closed_knows_old_data(void)
{
    struct world *world = tcp_world((const char *const[]){"links[1].drop_nth=[2, 3]", NULL}, NULL);
    tcp_transfer(world, 100);
    world_do_at(tcp_node(world, 1), 20 * TIME_MS, tcp_close_job, NULL);
    world_do_at(tcp_node(world, 0), 600 * TIME_MS, tcp_close_job, NULL);
    world_run(world);
    TCP_EXPECT(world, 3, TIME_NEVER, "node0 PA 1:101(100) ack 1 win 5840");
    TCP_EXPECT(world, 4, TIME_NEVER, "node1 A 1:1(0) ack 101 win 5840");
    TCP_EXPECT(world, 5, TIME_NEVER, "node1 FA 1:1(0) ack 101 win 5840");
    TCP_EXPECT(world, 6, TIME_NEVER, "node0 PA 1:101(100) ack 1 win 5840");
    TCP_EXPECT(world, 7, TIME_NEVER, "node1 A 2:2(0) ack 101 win 5840");
    for (int i = 0; i < tcp_log_count(world); i++)
        CU_ASSERT(!(tcp_log_at(world, i)->flags & TCP_RST));
    CU_ASSERT(!tcp_node(world, 0)->reset);
    SUITE_SAME_INTEGER(tcp_node(world, 0)->socket->machine.state, TCP_CLOSED);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->socket->machine.state, TCP_TIME_WAIT);
    world_free(world);
}

// New data to a socket that has closed are refused, as they will not be read (RFC 2525, 2.17).
static void test_closed_refuses_new_data(void)
{
    struct world *world = tcp_world(NULL, NULL);
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 1), 10 * TIME_MS, tcp_close_job, NULL);
    world_do_at(tcp_node(world, 0), 20 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(100));
    world_do_at(tcp_node(world, 0), 30 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(100));
    world_run(world);
    const struct tcp_line *last = tcp_log_at(world, tcp_log_count(world) - 1);
    CU_ASSERT(last->node == 1 && (last->flags & TCP_RST));
    CU_ASSERT(tcp_node(world, 0)->reset);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->socket->machine.state, TCP_CLOSED);
    world_free(world);
}

// A peer that never answers ends the run, and the report names the setting.
static void test_gives_up(void)
{
    struct world *world = tcp_world(
        (const char *const[]){"links[0].drop_probability=1", "tcp.syn_retries=2", NULL}, NULL);
    tcp_connect_nodes(world);
    world_run(world);
    SUITE_SAME_INTEGER(world->sim->status, SIM_FAILED);
    const char *text = json_string_value(json_object_get(world->sim->reason, "text"));
    SUITE_CONTAINS(text, "node0");
    SUITE_CONTAINS(text, "SYN-SENT");
    SUITE_CONTAINS(text, "tcp.syn_retries");
    SUITE_SAME_INTEGER(tcp_log_count(world), 3);
    world_free(world);
}

// State of a connection that only traffic and losses need is freed with them: thousands of idle
// connections fit into memory.
static void test_idle_keeps_little(void)
{
    struct world *world = tcp_world((const char *const[]){"links[0].drop_nth=[5]", NULL}, NULL);
    tcp_transfer(world, 20000);
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, 20000);
    tcp_read_done(tcp_node(world, 1)->socket);
    for (int i = 0; i < 2; i++) {
        const struct tcp_host *host = tcp_node(world, i)->host;
        SUITE_SAME_INTEGER(host->inet->timers.in_use, 0);
        SUITE_SAME_INTEGER(host->buffers.in_use, 0);
        SUITE_SAME_INTEGER(host->arrivals.in_use, 0);
        SUITE_SAME_INTEGER(host->gaps.in_use, 0);
        SUITE_SAME_INTEGER(host->contents.in_use, 0);
    }
    CU_ASSERT(tcp_node(world, 1)->host->gaps.peak > 0); // there was one
    CU_ASSERT(tcp_socket_footprint() < 800);
    world_free(world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"handshake", test_handshake},
        {"options", test_options},
        {"close", test_close},
        {"both close at once", test_close_at_once},
        {"a lost SYN", test_lost_syn},
        {"a lost answer to a SYN", test_lost_syn_ack},
        {"a lost acknowledgment of the handshake", test_lost_handshake_ack},
        {"a lost FIN", test_lost_fin},
        {"TIME-WAIT answers", test_time_wait_answers},
        {"nobody listens", test_refused},
        {"closing before the answer", test_close_before_the_answer},
        {"close with data unread", test_close_unread},
        {"closed, and data come that were read", test_closed_knows_old_data},
        {"closed, and new data come", test_closed_refuses_new_data},
        {"gives up", test_gives_up},
        {"an idle connection keeps little", test_idle_keeps_little},
        {0},
    };
    return suite_run("tcp: connection", cases);
}
