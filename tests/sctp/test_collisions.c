// SPDX-License-Identifier: GPL-3.0-or-later
// Set-up packets for which an association exists: every row of RFC 9260, 5.2, with a scripted peer.
#include "models/sctp_cmt/sctp/setup.h"
#include "tests/support/sctp_peer.h"
#include "tests/support/suite.h"

#include <string.h>

static struct sctp_association *association_of(const struct sctp_peer *peer)
{
    return sctp_node_association(peer->world, 0);
}

static struct sctp_cookie last_cookie(const struct sctp_peer *peer)
{
    struct sctp_cookie cookie = {0};
    CU_ASSERT_FATAL(peer->cookies->len > 0);
    CU_ASSERT(sctp_cookie_read(sctp_node(peer->world, 0)->host,
                               peer->cookies->pdata[peer->cookies->len - 1], &cookie));
    return cookie;
}

// A packet with a tag that is a number; the peer's until the world is freed.
static const char *tagged(struct sctp_peer *peer, const char *packet, uint32_t tag)
{
    return world_keep(peer->world, g_strdup_printf("%s vtag=%u", packet, tag));
}

static struct sctp_peer *cookie_wait(void)
{
    struct sctp_peer *peer = sctp_peer_new(1, NULL);
    sctp_peer_call(peer, TIME_MS, sctp_peer_connect, NULL);
    SUITE_SAME_TEXT(sctp_peer_run(peer, 5 * TIME_MS), "INIT/0\n");
    return peer;
}

static struct sctp_peer *cookie_echoed(void)
{
    struct sctp_peer *peer = cookie_wait();
    sctp_peer_at(peer, 6 * TIME_MS, "INIT-ACK");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 10 * TIME_MS), "COOKIE-ECHO\n");
    return peer;
}

static struct sctp_peer *established(void)
{
    struct sctp_peer *peer = sctp_peer_new(1, NULL);
    sctp_peer_associate(peer);
    return peer;
}

// With data that the peer never acknowledges.
static struct sctp_peer *shutdown_pending(void)
{
    struct sctp_peer *peer = established();
    sctp_peer_call(peer, 12 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(100));
    sctp_peer_call(peer, 13 * TIME_MS, sctp_peer_shutdown, NULL);
    SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), "DATA(0)\n");
    return peer;
}

static struct sctp_peer *shutdown_sent(void)
{
    struct sctp_peer *peer = established();
    sctp_peer_call(peer, 13 * TIME_MS, sctp_peer_shutdown, NULL);
    SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), "SHUTDOWN(-1)\n");
    return peer;
}

static struct sctp_peer *shutdown_received(void)
{
    struct sctp_peer *peer = established();
    sctp_peer_call(peer, 12 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(100));
    sctp_peer_at(peer, 15 * TIME_MS, "SHUTDOWN");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), "DATA(0)\n");
    return peer;
}

static struct sctp_peer *shutdown_ack_sent(void)
{
    struct sctp_peer *peer = established();
    sctp_peer_at(peer, 15 * TIME_MS, "SHUTDOWN");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), "SHUTDOWN-ACK\n");
    return peer;
}

// ---- INIT and INIT-ACK ----

enum tags { SAME, SAME_TIED, NEW_TIED, NO_COOKIE };

static const struct {
    const char *name;
    struct sctp_peer *(*enter)(void);
    enum sctp_state state;
    enum tags tags;
    const char *answer;
} init_rows[] = {
    {"COOKIE-WAIT", cookie_wait, SCTP_COOKIE_WAIT, SAME, "INIT-ACK\n"},
    {"COOKIE-ECHOED", cookie_echoed, SCTP_COOKIE_ECHOED, SAME_TIED, "INIT-ACK\n"},
    {"ESTABLISHED", established, SCTP_ESTABLISHED, NEW_TIED, "INIT-ACK\n"},
    {"SHUTDOWN-PENDING", shutdown_pending, SCTP_SHUTDOWN_PENDING, NEW_TIED, "INIT-ACK\n"},
    {"SHUTDOWN-SENT", shutdown_sent, SCTP_SHUTDOWN_SENT, NEW_TIED, "INIT-ACK\n"},
    {"SHUTDOWN-RECEIVED", shutdown_received, SCTP_SHUTDOWN_RECEIVED, NEW_TIED, "INIT-ACK\n"},
    {"SHUTDOWN-ACK-SENT", shutdown_ack_sent, SCTP_SHUTDOWN_ACK_SENT, NO_COOKIE,
     "SHUTDOWN-ACK/77\n"},
};

// INIT-ACK has the INIT's tag, SHUTDOWN-ACK the association's.
static void test_init(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(init_rows); i++) {
        struct sctp_peer *peer = init_rows[i].enter();
        const struct sctp_association *association = association_of(peer);
        uint32_t tag = association->tag, tsn = association->initial_tsn;
        bool timer = inet_timer_armed(association->t1);
        enum tags tags = init_rows[i].tags;
        sctp_peer_at(peer, 21 * TIME_MS, "INIT tag=99");
        if (!SUITE_SAME_TEXT(sctp_peer_run(peer, 30 * TIME_MS), init_rows[i].answer))
            CU_FAIL(init_rows[i].name);
        SUITE_SAME_INTEGER(association->machine.state, init_rows[i].state);
        SUITE_SAME_INTEGER(inet_timer_armed(association->t1), timer);
        SUITE_SAME_INTEGER(association->tag, tag);
        if (tags != NO_COOKIE) {
            struct sctp_cookie cookie = last_cookie(peer);
            CU_ASSERT((cookie.tag == tag) == (tags != NEW_TIED));
            CU_ASSERT((cookie.tsn == tsn) == (tags != NEW_TIED));
            SUITE_SAME_INTEGER(cookie.peer_tag, 99);
            SUITE_SAME_INTEGER(cookie.tie_tag, tags == SAME ? 0 : tag);
            SUITE_SAME_INTEGER(cookie.peer_tie_tag, tags == SAME ? 0 : SCTP_PEER_TAG);
        }
        sctp_peer_free(peer);
    }
}

static void test_new_addresses(void)
{
    struct sctp_peer *peer = sctp_peer_new(2, NULL);
    sctp_peer_associate(peer);
    sctp_peer_at(peer, 20 * TIME_MS, "INIT address=0 address=1");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 30 * TIME_MS), "ABORT(11)\n");
    SUITE_SAME_INTEGER(association_of(peer)->machine.state, SCTP_ESTABLISHED);
    sctp_peer_free(peer);
}

// Chunks of the handshake in a state in which they mean nothing.
static void test_unexpected(void)
{
    static const char *const packets[] = {"INIT-ACK", "COOKIE-ACK"};
    for (size_t i = 0; i < G_N_ELEMENTS(init_rows); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(packets); k++) {
            enum sctp_state state = init_rows[i].state;
            if (state == (k == 0 ? SCTP_COOKIE_WAIT : SCTP_COOKIE_ECHOED))
                continue;
            struct sctp_peer *peer = init_rows[i].enter();
            sctp_peer_at(peer, 21 * TIME_MS, packets[k]);
            SUITE_SAME_TEXT(sctp_peer_run(peer, 30 * TIME_MS), "");
            SUITE_SAME_TEXT(sctp_peer_steps(peer), "");
            sctp_peer_free(peer);
        }
}

// ---- COOKIE-ECHO ----

// A: the peer has restarted. Data under way are lost, and the ledger records them so.
static void test_restart(void)
{
    struct sctp_peer *peer = established();
    sctp_peer_call(peer, 11 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(100));
    sctp_peer_at(peer, 12 * TIME_MS, "DATA tsn=0");
    sctp_peer_run(peer, 19 * TIME_MS);
    uint32_t old = peer->own_tag;
    sctp_peer_at(peer, 20 * TIME_MS, "INIT tag=99");
    sctp_peer_at(peer, 25 * TIME_MS, "COOKIE-ECHO");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 30 * TIME_MS), "INIT-ACK\nCOOKIE-ACK\n");
    SUITE_SAME_TEXT(sctp_peer_steps(peer),
                    "node0 sctp[1] ESTABLISHED -> ESTABLISHED (receive COOKIE-ECHO, restart)\n");
    const struct sctp_association *association = association_of(peer);
    CU_ASSERT(association->tag == peer->own_tag && association->tag != old);
    SUITE_SAME_INTEGER(association->peer_tag, 99);
    SUITE_SAME_INTEGER(association->out.next - peer->own_tsn, 0);
    SUITE_SAME_INTEGER(association->in.cum_tsn, SCTP_PEER_TSN - 1);
    SUITE_SAME_INTEGER(association->paths[0].flight, 0);
    SUITE_SAME_INTEGER(association->paths[0].machine.state, SCTP_PATH_ACTIVE);
    SUITE_SAME_INTEGER(association->out.buffer.used, 0);
    char *line = world_ledger_line(peer->world);
    SUITE_CONTAINS(line, "lost: SCTP association restarted by the peer");
    g_free(line);
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_NOTHING); // the data before it
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_SEND_FAILED);
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_RESTART);
    sctp_peer_at(peer, 40 * TIME_MS, "DATA tsn=0 ssn=0");
    sctp_peer_call(peer, 41 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(100));
    SUITE_CONTAINS(sctp_peer_run(peer, 50 * TIME_MS), "DATA(0)\n");
    sctp_peer_free(peer);
}

// A in SHUTDOWN-ACK-SENT: the old association has to end first.
static void test_restart_in_shutdown(void)
{
    struct sctp_peer *peer = established();
    uint32_t tag = peer->own_tag;
    sctp_peer_at(peer, 11 * TIME_MS, "INIT tag=99");
    sctp_peer_run(peer, 13 * TIME_MS);
    sctp_peer_at(peer, 14 * TIME_MS, tagged(peer, "SHUTDOWN cum=-1", tag));
    uint32_t tsn = peer->own_tsn; // of the INIT-ACK: the association has another
    peer->own_tsn = association_of(peer)->initial_tsn;
    SUITE_SAME_TEXT(sctp_peer_run(peer, 16 * TIME_MS), "SHUTDOWN-ACK/77\n");
    peer->own_tsn = tsn;
    sctp_peer_at(peer, 17 * TIME_MS, "COOKIE-ECHO");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), "SHUTDOWN-ACK ERROR(10)/77\n");
    SUITE_SAME_INTEGER(association_of(peer)->machine.state, SCTP_SHUTDOWN_ACK_SENT);
    // The peer answers what it takes for a packet out of the blue, and then goes on.
    sctp_peer_at(peer, 21 * TIME_MS, "SHUTDOWN-COMPLETE flags=1 vtag=77");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 30 * TIME_MS), "");
    SUITE_SAME_INTEGER(association_of(peer)->machine.state, SCTP_CLOSED);
    sctp_peer_free(peer);
}

// B: both ends have sent INIT.
static void test_both_opened(void)
{
    struct sctp_peer *peer = cookie_wait();
    sctp_peer_call(peer, 6 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(100));
    sctp_peer_at(peer, 11 * TIME_MS, "INIT");
    sctp_peer_at(peer, 15 * TIME_MS, "COOKIE-ECHO; DATA tsn=0");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), "INIT-ACK\nCOOKIE-ACK SACK(0) DATA(0)\n");
    SUITE_SAME_TEXT(
        sctp_peer_steps(peer),
        "node0 sctp[1] COOKIE-WAIT -> ESTABLISHED (receive COOKIE-ECHO, both opened)\n");
    CU_ASSERT(!inet_timer_armed(association_of(peer)->t1));
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_COMM_UP);
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_NOTHING);
    sctp_peer_free(peer);
}

// B in COOKIE-ECHOED: the tag of the INIT-ACK was another one.
static void test_both_opened_echoed(void)
{
    struct sctp_peer *peer = cookie_echoed();
    sctp_peer_at(peer, 11 * TIME_MS, "INIT tag=99 tsn=7");
    sctp_peer_at(peer, 15 * TIME_MS, "COOKIE-ECHO");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), "INIT-ACK\nCOOKIE-ACK\n");
    SUITE_SAME_TEXT(
        sctp_peer_steps(peer),
        "node0 sctp[1] COOKIE-ECHOED -> ESTABLISHED (receive COOKIE-ECHO, both opened)\n");
    SUITE_SAME_INTEGER(association_of(peer)->peer_tag, 99);
    SUITE_SAME_INTEGER(association_of(peer)->in.cum_tsn, SCTP_PEER_TSN + 6);
    sctp_peer_free(peer);
}

// C: a cookie of an INIT-ACK that was overtaken.
static void test_late(void)
{
    struct sctp_peer *peer = sctp_peer_new(1, NULL);
    sctp_peer_call(peer, 0, sctp_peer_listen, NULL);
    sctp_peer_at(peer, 1 * TIME_MS, "INIT");
    sctp_peer_run(peer, 3 * TIME_MS);
    uint32_t first = peer->own_tag;
    sctp_peer_at(peer, 4 * TIME_MS, "INIT");
    sctp_peer_at(peer, 7 * TIME_MS, "COOKIE-ECHO");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 10 * TIME_MS), "INIT-ACK\nCOOKIE-ACK\n");
    uint32_t tag = association_of(peer)->tag;
    CU_ASSERT(tag != first);
    sctp_peer_at(peer, 11 * TIME_MS, tagged(peer, "COOKIE-ECHO cookie=1", first));
    SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), "");
    SUITE_SAME_TEXT(sctp_peer_steps(peer), "");
    SUITE_SAME_INTEGER(association_of(peer)->tag, tag);
    sctp_peer_free(peer);
}

// D: COOKIE-ACK was lost. The cookie may be as old as it likes.
static void test_again(void)
{
    static const char *const sets[] = {"sctp.cookie_life=20 ms", NULL};
    struct sctp_peer *peer = sctp_peer_new(1, sets);
    sctp_peer_associate(peer);
    sctp_peer_at(peer, 20 * TIME_MS, "COOKIE-ECHO");
    sctp_peer_at(peer, 500 * TIME_MS, "COOKIE-ECHO; DATA tsn=0");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 800 * TIME_MS), "COOKIE-ACK\nCOOKIE-ACK SACK(0)\n");
    SUITE_SAME_TEXT(sctp_peer_steps(peer), "");
    sctp_peer_free(peer);
}

static void test_again_echoed(void)
{
    struct sctp_peer *peer = cookie_echoed();
    sctp_peer_at(peer, 11 * TIME_MS, "INIT");
    sctp_peer_at(peer, 15 * TIME_MS, "COOKIE-ECHO");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), "INIT-ACK\nCOOKIE-ACK\n");
    SUITE_SAME_TEXT(sctp_peer_steps(peer),
                    "node0 sctp[1] COOKIE-ECHOED -> ESTABLISHED (receive COOKIE-ECHO)\n");
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_COMM_UP);
    sctp_peer_free(peer);
}

// Anything else: two INITs of a peer that restarts, of which only one can be the restart.
static void test_no_row(void)
{
    struct sctp_peer *peer = established();
    sctp_peer_at(peer, 11 * TIME_MS, "INIT tag=98");
    sctp_peer_run(peer, 13 * TIME_MS);
    uint32_t first = peer->own_tag;
    sctp_peer_at(peer, 14 * TIME_MS, "INIT tag=99");
    sctp_peer_at(peer, 17 * TIME_MS, "COOKIE-ECHO");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), "INIT-ACK\nCOOKIE-ACK\n");
    sctp_peer_at(peer, 21 * TIME_MS, tagged(peer, "COOKIE-ECHO cookie=2", first));
    SUITE_SAME_TEXT(sctp_peer_run(peer, 30 * TIME_MS), "");
    SUITE_SAME_INTEGER(association_of(peer)->peer_tag, 99);
    sctp_peer_free(peer);
}

static const struct suite_case cases[] = {
    {"INIT in every state", test_init},
    {"a restart must not bring addresses along", test_new_addresses},
    {"INIT-ACK and COOKIE-ACK out of place are dropped", test_unexpected},
    {"A: restart", test_restart},
    {"A: restart in SHUTDOWN-ACK-SENT", test_restart_in_shutdown},
    {"B: both have opened", test_both_opened},
    {"B: both have opened, in COOKIE-ECHOED", test_both_opened_echoed},
    {"C: late", test_late},
    {"D: again", test_again},
    {"D: again, in COOKIE-ECHOED", test_again_echoed},
    {"no row of the table: dropped", test_no_row},
    {0},
};

int main(void)
{
    return suite_run("sctp: collisions", cases);
}
