// SPDX-License-Identifier: GPL-3.0-or-later
// Setting up an association with a scripted peer: every row of the handshake (RFC 9260, 5.1);
// claims sctp.sctp.handshake and sctp.sctp.multihoming of thesis 004, 2.2.
#include "tests/support/sctp_peer.h"
#include "tests/support/suite.h"
#include "tests/support/timers.h"

#include <string.h>

#define OPENING                                                                                    \
    "node0 sctp[1] CLOSED -> COOKIE-WAIT (associate)\n"                                            \
    "node0 sctp[1] COOKIE-WAIT -> COOKIE-ECHOED (receive INIT-ACK)\n"

static const struct sctp_association *association_of(const struct sctp_peer *peer)
{
    return sctp_node_association(peer->world, 0);
}

static void expect_time(const struct sctp_peer *peer, guint line, sim_time when)
{
    CU_ASSERT_FATAL(line < peer->times->len);
    sim_time came = g_array_index(peer->times, sim_time, line);
    CU_ASSERT(came >= when && came < when + 2 * TIME_MS);
    if (!(came >= when && came < when + 2 * TIME_MS))
        SUITE_SAME_INTEGER(came, when);
}

// ---- The server ----

// INIT-ACK has all that the association needs, so the host keeps nothing (sctp.handshake).
static void test_init_keeps_nothing(void)
{
    struct sctp_peer *peer = sctp_peer_new(1, NULL);
    sctp_peer_call(peer, 0, sctp_peer_listen, NULL);
    for (int i = 0; i < 20; i++)
        sctp_peer_at(peer, (1 + i) * TIME_MS, "INIT");
    sctp_peer_run(peer, 100 * TIME_MS);
    SUITE_SAME_INTEGER(peer->cookies->len, 20);
    SUITE_SAME_INTEGER(peer->world->sim->ledger ? association_of(peer) != NULL : 1, 0);
    SUITE_SAME_INTEGER(g_hash_table_size(sctp_node(peer->world, 0)->host->by_peer), 0);
    SUITE_SAME_TEXT(sctp_peer_steps(peer), "");
    sctp_peer_free(peer);
}

static void test_server(void)
{
    struct sctp_peer *peer = sctp_peer_new(1, NULL);
    sctp_peer_associate(peer);
    const struct sctp_association *association = association_of(peer);
    SUITE_SAME_INTEGER(association->peer_tag, SCTP_PEER_TAG);
    SUITE_SAME_INTEGER(association->tag, peer->own_tag);
    SUITE_SAME_INTEGER(association->out.stream_count, 5); // what the peer takes
    SUITE_SAME_INTEGER(association->in.stream_count, 5);
    SUITE_SAME_INTEGER(association->out.peer_rwnd, 100000);
    sctp_peer_free(peer);
}

// An INIT that is not answered with INIT-ACK.
static const struct {
    const char *packet, *answer;
    bool listening;
} refused[] = {
    {"INIT", "ABORT\n", false},        {"INIT os=0", "ABORT(7)\n", true},
    {"INIT is=0", "ABORT(7)\n", true}, {"INIT rwnd=1499", "ABORT(7)\n", true},
    {"INIT tag=0", "", true},                                    // RFC 9260, 3.3.2
    {"INIT vtag=5", "", true},         {"INIT; DATA", "", true}, // it stands alone
    {"INIT host", "ABORT(5)\n", true}, {"INIT torn", "ABORT(13)\n", true},
    {"INIT short=1", "", true},
};

static void test_refused(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        struct sctp_peer *peer = sctp_peer_new(1, NULL);
        if (refused[i].listening)
            sctp_peer_call(peer, 0, sctp_peer_listen, NULL);
        sctp_peer_at(peer, TIME_MS, refused[i].packet);
        if (!SUITE_SAME_TEXT(sctp_peer_run(peer, 50 * TIME_MS), refused[i].answer))
            CU_FAIL(refused[i].packet);
        SUITE_SAME_TEXT(sctp_peer_steps(peer), "");
        sctp_peer_free(peer);
    }
}

static void test_unknown_parameters(void)
{
    static const struct {
        const char *packet, *answer;
    } rows[] = {
        {"INIT param=0x8abc param=0xcabc", "INIT-ACK unrecognized=0xcabc\n"}, // 10: skip
        {"INIT param=0xcabc param=0xcdef", "INIT-ACK unrecognized=0xcabc unrecognized=0xcdef\n"},
        {"INIT param=0x0abc param=0xcabc", "INIT-ACK\n"}, // 00: stop
        {"INIT param=0x4abc param=0xcabc", "INIT-ACK unrecognized=0x4abc\n"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct sctp_peer *peer = sctp_peer_new(1, NULL);
        sctp_peer_call(peer, 0, sctp_peer_listen, NULL);
        sctp_peer_at(peer, TIME_MS, rows[i].packet);
        SUITE_SAME_TEXT(sctp_peer_run(peer, 50 * TIME_MS), rows[i].answer);
        sctp_peer_free(peer);
    }
}

static void test_bad_cookies(void)
{
    static const char *const packets[] = {"COOKIE-ECHO bad", "COOKIE-ECHO vtag=other",
                                          "COOKIE-ECHO vtag=0", "COOKIE-ECHO short=1"};
    for (size_t i = 0; i < G_N_ELEMENTS(packets); i++) {
        struct sctp_peer *peer = sctp_peer_new(1, NULL);
        sctp_peer_call(peer, 0, sctp_peer_listen, NULL);
        sctp_peer_at(peer, 1 * TIME_MS, "INIT");
        sctp_peer_at(peer, 5 * TIME_MS, packets[i]);
        SUITE_SAME_TEXT(sctp_peer_run(peer, 50 * TIME_MS), "INIT-ACK\n");
        SUITE_SAME_TEXT(sctp_peer_steps(peer), "");
        sctp_peer_free(peer);
    }
}

// A cookie lives for cookie_life, and longer if the client has asked for it.
static void test_stale_cookie(void)
{
    static const char *const sets[] = {"sctp.cookie_life=20 ms", NULL};
    struct sctp_peer *peer = sctp_peer_new(1, sets);
    sctp_peer_call(peer, 0, sctp_peer_listen, NULL);
    sctp_peer_at(peer, 1 * TIME_MS, "INIT");
    sctp_peer_at(peer, 100 * TIME_MS, "COOKIE-ECHO");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 150 * TIME_MS), "INIT-ACK\nERROR(3)\n");
    SUITE_SAME_TEXT(sctp_peer_steps(peer), "");
    sctp_peer_at(peer, 200 * TIME_MS, "INIT preservative=1000");
    sctp_peer_at(peer, 900 * TIME_MS, "COOKIE-ECHO");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 950 * TIME_MS), "INIT-ACK\nCOOKIE-ACK\n");
    SUITE_SAME_TEXT(sctp_peer_steps(peer),
                    "node0 sctp[1] CLOSED -> ESTABLISHED (receive COOKIE-ECHO)\n");
    sctp_peer_free(peer);
}

static void test_data_after_cookie(void)
{
    struct sctp_peer *peer = sctp_peer_new(1, NULL);
    sctp_peer_call(peer, 0, sctp_peer_listen, NULL);
    sctp_peer_at(peer, 1 * TIME_MS, "INIT");
    sctp_peer_at(peer, 5 * TIME_MS, "COOKIE-ECHO; DATA bytes=100");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 300 * TIME_MS), "INIT-ACK\nCOOKIE-ACK SACK(0)\n");
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_COMM_UP);
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_NOTHING); // the data
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), -1);
    sctp_peer_free(peer);
}

// The addresses of the INIT become paths; only that of the handshake is confirmed.
static void test_server_paths(void)
{
    struct sctp_peer *peer = sctp_peer_new(2, NULL);
    sctp_peer_call(peer, 0, sctp_peer_listen, NULL);
    sctp_peer_from(peer, 1 * TIME_MS, 1, "INIT address=0 address=1");
    sctp_peer_from(peer, 5 * TIME_MS, 1, "COOKIE-ECHO");
    SUITE_CONTAINS(sctp_peer_run(peer, 10 * TIME_MS), "COOKIE-ACK on card 1\n");
    const struct sctp_association *association = association_of(peer);
    CU_ASSERT_FATAL(association && association->path_count == 2);
    SUITE_SAME_INTEGER(association->paths[0].machine.state, SCTP_PATH_UNCONFIRMED);
    SUITE_SAME_INTEGER(association->paths[1].machine.state, SCTP_PATH_ACTIVE);
    CU_ASSERT(association->primary == &association->paths[1]);
    for (int i = 0; i < 2; i++) { // each by the own card of its network
        SUITE_SAME_INTEGER(inet_subnet(peer->world->cluster, association->paths[i].local), i);
        SUITE_SAME_INTEGER(inet_subnet(peer->world->cluster, association->paths[i].remote), i);
    }
    sctp_peer_free(peer);
}

// ---- The client ----

static void test_client(void)
{
    struct sctp_peer *peer = sctp_peer_new(1, NULL);
    sctp_peer_accept(peer);
    SUITE_SAME_INTEGER(association_of(peer)->peer_tag, SCTP_PEER_TAG);
    CU_ASSERT(!inet_timer_armed(association_of(peer)->t1));
    sctp_peer_free(peer);
}

// An INIT-ACK that nothing can be made of.
static void test_bad_init_ack(void)
{
    static const struct {
        const char *packet, *answer;
    } rows[] = {
        {"INIT-ACK cookie=0", "ABORT(2)\n"}, {"INIT-ACK os=0", "ABORT(7)\n"},
        {"INIT-ACK is=0", "ABORT(7)\n"},     {"INIT-ACK tag=0", "ABORT T(7)/own\n"},
        {"INIT-ACK rwnd=10", "ABORT(7)\n"},  {"INIT-ACK host", "ABORT(5)\n"},
        {"INIT-ACK torn", "ABORT(13)\n"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct sctp_peer *peer = sctp_peer_new(1, NULL);
        sctp_peer_call(peer, TIME_MS, sctp_peer_connect, NULL);
        SUITE_SAME_TEXT(sctp_peer_run(peer, 3 * TIME_MS), "INIT/0\n");
        sctp_peer_at(peer, 4 * TIME_MS, rows[i].packet);
        SUITE_SAME_TEXT(sctp_peer_run(peer, 50 * TIME_MS), rows[i].answer);
        SUITE_CONTAINS(sctp_peer_steps(peer), "node0 sctp[1] COOKIE-WAIT -> CLOSED");
        SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_CANT_STR_ASSOC);
        SUITE_SAME_INTEGER(sctp_socket_error(sctp_node(peer->world, 0)->socket), SCTP_REFUSED);
        sctp_peer_free(peer);
    }
}

// INIT goes out Max.Init.Retransmits times more, each after twice the time.
static void test_t1_init(void)
{
    static const char *const sets[] = {"sctp.init_retries=3", NULL};
    static const int seconds[] = {0, 1, 3, 7};
    struct sctp_peer *peer = sctp_peer_new(1, sets);
    sctp_peer_call(peer, TIME_MS, sctp_peer_connect, NULL);
    SUITE_SAME_TEXT(sctp_peer_run(peer, 100 * TIME_S), "INIT/0\nINIT/0\nINIT/0\nINIT/0\n");
    for (guint i = 0; i < G_N_ELEMENTS(seconds); i++)
        expect_time(peer, i, seconds[i] * TIME_S + TIME_MS);
    SUITE_SAME_TEXT(sctp_peer_steps(peer), "node0 sctp[1] CLOSED -> COOKIE-WAIT (associate)\n"
                                           "node0 sctp[1] COOKIE-WAIT -> CLOSED (give up)\n");
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_CANT_STR_ASSOC);
    SUITE_SAME_INTEGER(sctp_socket_error(sctp_node(peer->world, 0)->socket), SCTP_TIMED_OUT);
    expect_timer(peer->world->sim, "sctp time-outs: T1-init", 3, "T1-init (INIT)");
    sctp_peer_free(peer);
}

// With several addresses (sctp_connectx) they take turns.
static void test_t1_alternates(void)
{
    static const char *const sets[] = {"sctp.init_retries=2", NULL};
    struct sctp_peer *peer = sctp_peer_new(2, sets);
    sctp_peer_call(peer, TIME_MS, sctp_peer_connect_all, NULL);
    SUITE_SAME_TEXT(sctp_peer_run(peer, 100 * TIME_S), "INIT/0\nINIT/0 on card 1\nINIT/0\n");
    sctp_peer_free(peer);
}

// DATA go with the first COOKIE-ECHO, but not with its repetitions.
static void test_t1_cookie(void)
{
    static const char *const sets[] = {"sctp.init_retries=2", NULL};
    struct sctp_peer *peer = sctp_peer_new(1, sets);
    sctp_peer_call(peer, TIME_MS, sctp_peer_connect, NULL);
    sctp_peer_call(peer, 2 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(100));
    sctp_peer_call(peer, 2 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(4000));
    sctp_peer_at(peer, 4 * TIME_MS, "INIT-ACK");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 100 * TIME_S),
                    "INIT/0\nCOOKIE-ECHO DATA(0)\nCOOKIE-ECHO\nCOOKIE-ECHO\n");
    SUITE_SAME_TEXT(sctp_peer_steps(peer),
                    OPENING "node0 sctp[1] COOKIE-ECHOED -> CLOSED (give up)\n");
    for (int i = 0; i < 2; i++)
        SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_SEND_FAILED);
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_CANT_STR_ASSOC);
    SUITE_SAME_INTEGER((long long)ledger_totals(peer->world->sim->ledger).lost, 2);
    expect_timer(peer->world->sim, "sctp time-outs: T1-cookie", 2, "T1-cookie (COOKIE-ECHO)");
    sctp_peer_free(peer);
}

static void test_data_follow_cookie_ack(void)
{
    struct sctp_peer *peer = sctp_peer_new(1, NULL);
    sctp_peer_call(peer, TIME_MS, sctp_peer_connect, NULL);
    sctp_peer_run(peer, 2 * TIME_MS - 1);
    const struct sctp_socket *socket = sctp_node(peer->world, 0)->socket;
    CU_ASSERT_PTR_NULL(sctp_socket_wait(socket)); // nothing waits
    sctp_peer_call(peer, 2 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(100));
    sctp_peer_call(peer, 2 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(1452));
    sctp_peer_run(peer, 3 * TIME_MS);
    const struct wait *wait = sctp_socket_wait(socket);
    CU_ASSERT_FATAL(wait != NULL);
    SUITE_SAME_TEXT(wait->text, "the association's set-up");
    sctp_peer_at(peer, 4 * TIME_MS, "INIT-ACK");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 10 * TIME_MS), "COOKIE-ECHO DATA(0)\n");
    sctp_peer_at(peer, 11 * TIME_MS, "COOKIE-ACK; SACK cum=0");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), "DATA(1)\n");
    sctp_peer_free(peer);
}

// The BSD stack and ns-2 take DATA for the COOKIE-ACK that was lost; RFC 9260, 6 drops them.
static void test_data_for_cookie_ack(void)
{
    static const struct {
        const char *profile, *came, *steps;
    } rows[] = {
        {"sctp.profile=rfc9260", "", ""},
        {"sctp.profile=s2007", "SACK(0)\nDATA(1)\n",
         "node0 sctp[1] COOKIE-ECHOED -> ESTABLISHED (receive DATA)\n"},
        {"sctp.profile=ns2", "SACK(0)\nDATA(1)\n",
         "node0 sctp[1] COOKIE-ECHOED -> ESTABLISHED (receive DATA)\n"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *const sets[] = {rows[i].profile, "sctp.confirm_all=false",
                                    "sctp.sack_delay=0 s", NULL};
        struct sctp_peer *peer = sctp_peer_new(1, sets);
        sctp_peer_call(peer, TIME_MS, sctp_peer_connect, NULL);
        sctp_peer_call(peer, 2 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(100));
        sctp_peer_call(peer, 2 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(1452));
        sctp_peer_at(peer, 4 * TIME_MS, "INIT-ACK");
        SUITE_SAME_TEXT(sctp_peer_run(peer, 10 * TIME_MS), "INIT/0\nCOOKIE-ECHO DATA(0)\n");
        sctp_peer_steps(peer);
        sctp_peer_at(peer, 11 * TIME_MS, "DATA tsn=0 bytes=100");
        SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), rows[i].came);
        SUITE_SAME_TEXT(sctp_peer_steps(peer), rows[i].steps);
        sctp_peer_free(peer);
    }
}

static void test_stale_at_client(void)
{
    struct sctp_peer *peer = sctp_peer_new(1, NULL);
    sctp_peer_call(peer, TIME_MS, sctp_peer_connect, NULL);
    sctp_peer_at(peer, 4 * TIME_MS, "INIT-ACK");
    sctp_peer_at(peer, 7 * TIME_MS, "ERROR cause=3 value=500000");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 10 * TIME_MS),
                    "INIT/0\nCOOKIE-ECHO\nINIT preservative=1000/0\n");
    SUITE_SAME_TEXT(sctp_peer_steps(peer), OPENING
                    "node0 sctp[1] COOKIE-ECHOED -> COOKIE-WAIT (receive ERROR, stale cookie)\n");
    sctp_peer_at(peer, 11 * TIME_MS, "INIT-ACK");
    sctp_peer_at(peer, 14 * TIME_MS, "COOKIE-ACK");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), "COOKIE-ECHO\n");
    SUITE_SAME_INTEGER(association_of(peer)->machine.state, SCTP_ESTABLISHED);
    sctp_peer_free(peer);
}

// Unrecognized parameters of an INIT-ACK are reported after the cookie.
static void test_unknown_in_init_ack(void)
{
    struct sctp_peer *peer = sctp_peer_new(1, NULL);
    sctp_peer_call(peer, TIME_MS, sctp_peer_connect, NULL);
    sctp_peer_at(peer, 4 * TIME_MS, "INIT-ACK param=0x8abc param=0xcabc");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 10 * TIME_MS), "INIT/0\nCOOKIE-ECHO ERROR(8)\n");
    sctp_peer_free(peer);
}

// The addresses of INIT-ACK are probed once the association is up (sctp.multihoming).
static void test_client_paths(void)
{
    struct sctp_peer *peer = sctp_peer_new(2, NULL);
    sctp_peer_call(peer, TIME_MS, sctp_peer_connect, NULL);
    sctp_peer_at(peer, 4 * TIME_MS, "INIT-ACK address=0 address=1");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 6 * TIME_MS), "INIT/0\nCOOKIE-ECHO\n");
    const struct sctp_association *association = association_of(peer);
    CU_ASSERT_FATAL(association->path_count == 2);
    SUITE_SAME_INTEGER(association->paths[0].machine.state, SCTP_PATH_ACTIVE);
    SUITE_SAME_INTEGER(association->paths[1].machine.state, SCTP_PATH_UNCONFIRMED);
    CU_ASSERT(association->primary == &association->paths[0]);
    sctp_peer_at(peer, 7 * TIME_MS, "COOKIE-ACK");
    SUITE_CONTAINS(sctp_peer_run(peer, 20 * TIME_S), "HEARTBEAT on card 1\n");
    sctp_peer_free(peer);
}

static void test_aborted(void)
{
    static const struct {
        const char *opening;
        enum sctp_state state;
    } rows[] = {{NULL, SCTP_COOKIE_WAIT}, {"INIT-ACK", SCTP_COOKIE_ECHOED}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct sctp_peer *peer = sctp_peer_new(1, NULL);
        sctp_peer_call(peer, TIME_MS, sctp_peer_connect, NULL);
        if (rows[i].opening)
            sctp_peer_at(peer, 4 * TIME_MS, rows[i].opening);
        sctp_peer_run(peer, 10 * TIME_MS);
        SUITE_SAME_INTEGER(association_of(peer)->machine.state, rows[i].state);
        sctp_peer_at(peer, 11 * TIME_MS, "ABORT");
        SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), "");
        SUITE_CONTAINS(sctp_peer_steps(peer), "-> CLOSED (receive ABORT)\n");
        SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_CANT_STR_ASSOC);
        SUITE_SAME_INTEGER(sctp_socket_error(sctp_node(peer->world, 0)->socket), SCTP_REFUSED);
        sctp_peer_free(peer);
    }
}

// The round trip of the handshake is the first sample, unless something was sent twice.
static void test_first_sample(void)
{
    struct sctp_peer *peer = sctp_peer_new(1, (const char *const[]){"sctp.rto_least=10 ms", NULL});
    sctp_peer_call(peer, TIME_MS, sctp_peer_connect, NULL);
    sctp_peer_at(peer, 101 * TIME_MS, "INIT-ACK");
    sctp_peer_run(peer, 105 * TIME_MS);
    CU_ASSERT(association_of(peer)->paths[0].rto.measured);
    CU_ASSERT(association_of(peer)->paths[0].rto.rto < 400);
    sctp_peer_free(peer);
    peer = sctp_peer_new(1, NULL);
    sctp_peer_call(peer, TIME_MS, sctp_peer_connect, NULL);
    sctp_peer_at(peer, 1500 * TIME_MS, "INIT-ACK"); // after the second INIT
    sctp_peer_run(peer, 1600 * TIME_MS);
    CU_ASSERT(!association_of(peer)->paths[0].rto.measured);
    sctp_peer_free(peer);
}

// A run that ends during set-up: the engine forgets the timer that the host has armed.
static void test_freed_early(void)
{
    struct sctp_peer *peer = sctp_peer_new(1, NULL);
    struct sctp_node *node = sctp_node(peer->world, 0);
    sctp_peer_call(peer, TIME_MS, sctp_peer_connect, NULL);
    SUITE_SAME_TEXT(sctp_peer_run(peer, 5 * TIME_MS), "INIT/0\n");
    SUITE_SAME_INTEGER((long long)engine_pending(peer->world->sim->engine), 1); // T1-init
    sctp_host_free(node->host);
    node->host = NULL;
    SUITE_SAME_INTEGER((long long)engine_pending(peer->world->sim->engine), 0);
    sctp_peer_free(peer);
}

// ---- Lengths ----

static int length_of(const struct world *world, int type)
{
    int at = sctp_log_find(world, 0, 0, -1, type);
    return at < 0 ? -1 : sctp_log_at(world, at)->length;
}

static void test_lengths(void)
{
    static const char *const sets[] = {"sctp.init_bytes=112 B", "sctp.cookie_bytes=332 B", NULL};
    struct sctp_peer *peer = sctp_peer_new(2, sets);
    sctp_peer_accept(peer);
    SUITE_SAME_INTEGER(length_of(peer->world, SCTP_INIT), 112);
    sctp_peer_free(peer);
    peer = sctp_peer_new(1, sets);
    sctp_peer_associate(peer);
    SUITE_SAME_INTEGER(length_of(peer->world, SCTP_INIT_ACK), 112 + 4 + 332);
    sctp_peer_free(peer);
    peer = sctp_peer_new(2, (const char *const[]){"sctp.init_bytes=0 B", NULL});
    sctp_peer_accept(peer); // two addresses and the types of addresses
    SUITE_SAME_INTEGER(length_of(peer->world, SCTP_INIT), 20 + 2 * 8 + 6);
    sctp_peer_free(peer);
}

static const struct suite_case cases[] = {
    {"INIT-ACK costs the server no memory", test_init_keeps_nothing},
    {"a server goes from CLOSED to ESTABLISHED", test_server},
    {"INITs that are refused or dropped", test_refused},
    {"unknown parameters by their high bits", test_unknown_parameters},
    {"cookies with a wrong MAC or tag are dropped", test_bad_cookies},
    {"a cookie grows stale, later if the client asks for it", test_stale_cookie},
    {"DATA with COOKIE-ECHO", test_data_after_cookie},
    {"paths of the server", test_server_paths},
    {"a client goes through COOKIE-WAIT and COOKIE-ECHOED", test_client},
    {"INIT-ACKs that end the association", test_bad_init_ack},
    {"T1-init", test_t1_init},
    {"T1-init alternates between addresses", test_t1_alternates},
    {"T1-cookie", test_t1_cookie},
    {"DATA wait for COOKIE-ACK", test_data_follow_cookie_ack},
    {"DATA in place of COOKIE-ACK", test_data_for_cookie_ack},
    {"a stale cookie begins set-up again", test_stale_at_client},
    {"unknown parameters of INIT-ACK", test_unknown_in_init_ack},
    {"paths of the client", test_client_paths},
    {"ABORT during set-up", test_aborted},
    {"the first round trip", test_first_sample},
    {"a host that is freed early", test_freed_early},
    {"lengths of INIT and cookie", test_lengths},
    {0},
};

int main(void)
{
    return suite_run("sctp: set-up", cases);
}
