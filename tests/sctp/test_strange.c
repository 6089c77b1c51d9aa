// SPDX-License-Identifier: GPL-3.0-or-later
// A peer that sends any chunk at any time, with tags, TSNs and lengths that are right as often as
// not: whatever comes, the host goes on, keeps its books, and can be associated with afterwards.
#include "tests/support/sctp_peer.h"
#include "tests/support/suite.h"

#define SEEDS 60
#define PACKETS 250
#define WINDOW 6 // TSNs of a random packet are below it

// "%" stands for a small number.
static const char *const packets[] = {
    "INIT",
    "INIT tag=%",
    "INIT tag=7% tsn=%",
    "INIT address=0 address=1",
    "INIT param=0xc00% param=0x400%",
    "INIT os=% is=% rwnd=150%",
    "INIT torn",
    "INIT short=1",
    "INIT-ACK",
    "INIT-ACK tag=% tsn=%",
    "INIT-ACK cookie=0",
    "COOKIE-ECHO",
    "COOKIE-ECHO; DATA tsn=% ssn=%",
    "COOKIE-ECHO cookie=1",
    "COOKIE-ECHO bad",
    "COOKIE-ACK",
    "COOKIE-ACK; DATA tsn=%; SACK cum=%",
    "DATA tsn=% ssn=% bytes=100%",
    "DATA tsn=% sid=% ssn=%",
    "DATA tsn=% ssn=%; DATA tsn=% ssn=%",
    "DATA tsn=% bytes=0",
    "DATA short=1",
    "DATA tsn=% vtag=other",
    "SACK cum=%",
    "SACK",
    "SACK short=1",
    "HEARTBEAT",
    "HEARTBEAT-ACK",
    "ERROR cause=%",
    "ERROR cause=3 value=100%",
    "SHUTDOWN cum=%",
    "SHUTDOWN",
    "SHUTDOWN-ACK",
    "SHUTDOWN-ACK vtag=%",
    "SHUTDOWN-COMPLETE",
    "SHUTDOWN-COMPLETE flags=1 vtag=peer",
    "ABORT",
    "ABORT flags=1 vtag=peer",
    "ABORT vtag=other",
    "CHUNK type=0x3%; HEARTBEAT",
    "CHUNK type=0x7% bytes=%; HEARTBEAT",
    "CHUNK type=0xb% bytes=%; HEARTBEAT",
    "CHUNK type=0xf% bytes=%; HEARTBEAT",
    "ECNE; CWR; DATA tsn=%",
    "HEARTBEAT bad_crc=1",
};

static const char *some_packet(struct sctp_peer *peer, GRand *random)
{
    GString *text = g_string_new(NULL);
    gint32 count = (gint32)G_N_ELEMENTS(packets);
    for (const char *at = packets[g_rand_int_range(random, 0, count)]; *at; at++)
        if (*at == '%')
            g_string_append_printf(text, "%d", g_rand_int_range(random, 0, WINDOW));
        else
            g_string_append_c(text, *at);
    return world_keep(peer->world, g_string_free(text, FALSE));
}

// ---- Node 0's calls, on whatever association there is ----

static struct sctp_association *some_association(const struct sctp_node *node)
{
    const GPtrArray *all = node->socket->associations;
    return all->len > 0 ? g_ptr_array_index(all, 0) : NULL;
}

static void user_sends(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct world *world = node->process.world;
    struct sctp_send_info info = {
        .station = network_station(world->cluster->network, 1, 0),
        .port = SCTP_PEER_PORT,
        .bytes = 1500,
        .message = ledger_open(world->sim->ledger, 0, 1, 1500, 0),
    };
    (void)argument;
    if (sctp_send(context, node->socket, &info) < 0)
        ledger_drop_rest(world->sim->ledger, info.message, "not sent");
}

static void user_ends(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct sctp_association *association = some_association(node);
    if (association && argument)
        sctp_abort(context, node->socket, association->id);
    else if (association)
        sctp_shutdown(context, node->socket, association->id);
}

static void user_reads(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct sctp_received received;
    (void)argument;
    while (sctp_receive(context, node->socket, 1000, &received) > 0)
        CU_ASSERT(received.bytes > 0 && received.bytes <= 1000);
}

// ---- What always holds ----

static unsigned seen; // bits of the states that there were

static void check(const struct sctp_peer *peer)
{
    const struct sctp_host *host = sctp_node(peer->world, 0)->host;
    guint addresses = 0;
    for (guint i = 0; i < host->associations->len; i++) {
        const struct sctp_association *association = g_ptr_array_index(host->associations, i);
        CU_ASSERT(association->ended == (association->machine.state == SCTP_CLOSED));
        seen |= 1u << association->machine.state;
        if (association->ended) {
            CU_ASSERT(!inet_timer_armed(association->t1) && !inet_timer_armed(association->t2));
            continue;
        }
        addresses += (guint)association->path_count;
        CU_ASSERT(association->tag != 0);
        CU_ASSERT(association->peer_tag != 0 || association->machine.state == SCTP_COOKIE_WAIT);
        bool opening = association->machine.state == SCTP_COOKIE_WAIT ||
                       association->machine.state == SCTP_COOKIE_ECHOED;
        bool closing = association->machine.state == SCTP_SHUTDOWN_SENT ||
                       association->machine.state == SCTP_SHUTDOWN_ACK_SENT;
        CU_ASSERT(inet_timer_armed(association->t1) == opening);
        CU_ASSERT(inet_timer_armed(association->t2) == closing);
    }
    SUITE_SAME_INTEGER(g_hash_table_size(host->by_peer), addresses);
}

// The peer first leaves what there is, and then associates as it should.
static void associates_again(struct sctp_peer *peer, sim_time now)
{
    const struct sctp_association *association = some_association(sctp_node(peer->world, 0));
    peer->tag = SCTP_PEER_TAG;
    if (association) {
        char *abort = g_strdup_printf("ABORT vtag=%u", association->tag);
        sctp_peer_at(peer, now, world_keep(peer->world, abort));
    }
    sctp_peer_run(peer, now + TIME_S);
    check(peer);
    sctp_peer_at(peer, now + TIME_S, "INIT");
    sctp_peer_run(peer, now + TIME_S + 100 * TIME_MS);
    sctp_peer_at(peer, now + TIME_S + 100 * TIME_MS, "COOKIE-ECHO; DATA tsn=0");
    SUITE_CONTAINS(sctp_peer_run(peer, now + 2 * TIME_S), "COOKIE-ACK SACK(0)");
}

static void run_seed(guint32 seed)
{
    static const char *const sets[][3] = {
        {NULL}, {"sctp.profile=s2007", NULL}, {"sctp.profile=s2007", "sctp.cmt=true", NULL}};
    GRand *random = g_rand_new_with_seed(seed);
    struct sctp_peer *peer = sctp_peer_new(2, sets[seed % G_N_ELEMENTS(sets)]);
    sim_time now = 20 * TIME_MS;
    sctp_peer_associate(peer); // so that there is a cookie
    for (int i = 0; i < PACKETS; i++) {
        now += g_rand_int_range(random, 1, 400) * 100 * TIME_US;
        sctp_peer_at(peer, now, some_packet(peer, random));
        if (g_rand_int_range(random, 0, 8) == 0)
            sctp_peer_call(peer, now, user_sends, NULL);
        if (g_rand_int_range(random, 0, 20) == 0)
            sctp_peer_call(peer, now, user_reads, NULL);
        if (g_rand_int_range(random, 0, 40) == 0)
            sctp_peer_call(peer, now, user_ends, GINT_TO_POINTER(g_rand_boolean(random)));
        sctp_peer_run(peer, now);
        check(peer);
    }
    associates_again(peer, now + TIME_S);
    sctp_peer_free(peer);
    g_rand_free(random);
}

static void test_strange(void)
{
    for (guint32 seed = 1; seed <= SEEDS; seed++)
        run_seed(seed);
    SUITE_SAME_INTEGER(seen, (2u << SCTP_SHUTDOWN_ACK_SENT) - 1); // all of them
}

static const struct suite_case cases[] = {
    {"any chunk at any time", test_strange},
    {0},
};

int main(void)
{
    return suite_run("sctp: strange peers", cases);
}
