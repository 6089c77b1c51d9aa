// SPDX-License-Identifier: GPL-3.0-or-later
// Packets that no association takes, tags that are wrong, and chunks that are not understood
// (RFC 9260, 3.2, 6.10, 8.4, 8.5), with a scripted peer.
#include "tests/support/sctp_peer.h"
#include "tests/support/suite.h"

struct row {
    const char *packet, *answer;
};

static void test_out_of_the_blue(void)
{
    static const struct row rows[] = {
        {"ABORT vtag=4", ""},
        {"DATA vtag=4; ABORT", ""},
        {"SHUTDOWN-ACK vtag=4", "SHUTDOWN-COMPLETE T/4\n"},
        {"SHUTDOWN-COMPLETE vtag=4", ""},
        {"ERROR cause=3 vtag=4", ""},
        {"ERROR cause=1 vtag=4", "ABORT T/4\n"},
        {"COOKIE-ACK vtag=4", ""},
        {"COOKIE-ACK vtag=4; DATA", ""},
        {"DATA vtag=4", "ABORT T/4\n"},
        {"SACK vtag=4", "ABORT T/4\n"},
        {"HEARTBEAT vtag=4", "ABORT T/4\n"},
        {"HEARTBEAT-ACK vtag=4", "ABORT T/4\n"},
        {"SHUTDOWN vtag=4", "ABORT T/4\n"},
        {"INIT-ACK vtag=4", "ABORT T/4\n"},
        {"CHUNK type=200 vtag=4", "ABORT T/4\n"},
        {"DATA vtag=4 bad_crc=1", ""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct sctp_peer *peer = sctp_peer_new(1, NULL);
        sctp_peer_call(peer, 0, sctp_peer_listen, NULL);
        sctp_peer_at(peer, TIME_MS, rows[i].packet);
        if (!SUITE_SAME_TEXT(sctp_peer_run(peer, 50 * TIME_MS), rows[i].answer))
            CU_FAIL(rows[i].packet);
        bool bad = i == G_N_ELEMENTS(rows) - 1;
        SUITE_SAME_INTEGER(world_counter(peer->world, "sctp packets out of the blue"), !bad);
        SUITE_SAME_INTEGER(world_counter(peer->world, "sctp packets with a wrong checksum"), bad);
        sctp_peer_free(peer);
    }
}

// With an association: which tags are taken.
static void test_tags(void)
{
    static const struct {
        const char *packet, *answer;
        bool ends, counted;
    } rows[] = {
        {"HEARTBEAT", "HEARTBEAT-ACK\n", false, false},
        {"HEARTBEAT vtag=other", "", false, true},
        {"HEARTBEAT vtag=peer", "", false, true},
        {"DATA vtag=0", "", false, true},
        {"ABORT", "", true, false},
        {"ABORT flags=1 vtag=peer", "", true, false},
        {"ABORT vtag=peer", "", false, true},
        {"ABORT flags=1", "", false, true},
        {"ABORT vtag=other", "", false, true},
        {"SHUTDOWN-COMPLETE", "", false, false}, // nothing in ESTABLISHED
        {"SHUTDOWN-COMPLETE flags=1 vtag=peer", "", false, false},
        {"SHUTDOWN-ACK vtag=other", "", false, true},
        {"COOKIE-ACK vtag=other", "", false, true},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct sctp_peer *peer = sctp_peer_new(1, NULL);
        sctp_peer_associate(peer);
        sctp_peer_at(peer, 11 * TIME_MS, rows[i].packet);
        if (!SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), rows[i].answer))
            CU_FAIL(rows[i].packet);
        SUITE_SAME_TEXT(sctp_peer_steps(peer),
                        rows[i].ends ? "node0 sctp[1] ESTABLISHED -> CLOSED (receive ABORT)\n"
                                     : "");
        SUITE_SAME_INTEGER(world_counter(peer->world, "sctp packets with a wrong tag"),
                           rows[i].counted);
        SUITE_SAME_INTEGER(sctp_peer_notified(peer), rows[i].ends ? SCTP_COMM_LOST : -1);
        sctp_peer_free(peer);
    }
}

// RFC 9260, 8.5.1 E: the peer is still closing what this end has never had.
static void test_shutdown_ack_in_setup(void)
{
    static const char *const openings[] = {NULL, "INIT-ACK"};
    for (size_t i = 0; i < G_N_ELEMENTS(openings); i++) {
        struct sctp_peer *peer = sctp_peer_new(1, NULL);
        sctp_peer_call(peer, TIME_MS, sctp_peer_connect, NULL);
        if (openings[i])
            sctp_peer_at(peer, 4 * TIME_MS, openings[i]);
        sctp_peer_run(peer, 10 * TIME_MS);
        sctp_peer_at(peer, 11 * TIME_MS, "SHUTDOWN-ACK vtag=1234");
        SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), "SHUTDOWN-COMPLETE T/1234\n");
        SUITE_SAME_TEXT(sctp_peer_steps(peer), "");
        sctp_peer_free(peer);
    }
}

static void expect_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct sctp_peer *peer = sctp_peer_new(1, NULL);
        sctp_peer_associate(peer);
        sctp_peer_at(peer, 11 * TIME_MS, rows[i].packet);
        if (!SUITE_SAME_TEXT(sctp_peer_run(peer, 20 * TIME_MS), rows[i].answer))
            CU_FAIL(rows[i].packet);
        sctp_peer_free(peer);
    }
}

static void test_unknown_chunks(void)
{
    static const struct row rows[] = {
        {"CHUNK type=0x3e; HEARTBEAT", ""},           // 00: stop
        {"CHUNK type=0x7e; HEARTBEAT", "ERROR(6)\n"}, // 01: stop and report
        {"CHUNK type=0xbe; HEARTBEAT", "HEARTBEAT-ACK\n"},
        {"CHUNK type=0xfe bytes=9; HEARTBEAT", "ERROR(6) HEARTBEAT-ACK\n"},
        {"ECNE; CWR; HEARTBEAT", "HEARTBEAT-ACK\n"}, // known, and nothing follows
    };
    expect_rows(rows, G_N_ELEMENTS(rows));
}

static void test_malformed(void)
{
    static const struct row rows[] = {
        {"DATA bytes=0", "ABORT(9)\n"},  {"DATA short=1", "ABORT(13)\n"},
        {"SACK short=1; HEARTBEAT", ""}, {"HEARTBEAT; SACK short=1", "HEARTBEAT-ACK\n"},
        {"SHUTDOWN short=1", ""},
    };
    expect_rows(rows, G_N_ELEMENTS(rows));
}

static void test_bundling(void)
{
    static const struct row rows[] = {
        {"HEARTBEAT; INIT; HEARTBEAT", "HEARTBEAT-ACK\n"}, // INIT ends the processing
        {"INIT-ACK; HEARTBEAT", ""},
        {"SHUTDOWN-COMPLETE; HEARTBEAT", ""},
        {"DATA tsn=0; ABORT; HEARTBEAT", ""}, // nothing after ABORT
        {"ERROR cause=1; HEARTBEAT", "HEARTBEAT-ACK\n"},
    };
    expect_rows(rows, G_N_ELEMENTS(rows));
}

static void test_peer_error(void)
{
    struct sctp_peer *peer = sctp_peer_new(1, NULL);
    sctp_peer_associate(peer);
    sctp_peer_at(peer, 11 * TIME_MS, "ERROR cause=1");
    sctp_peer_run(peer, 20 * TIME_MS);
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_REMOTE_ERROR);
    sctp_peer_free(peer);
}

static const struct suite_case cases[] = {
    {"packets out of the blue", test_out_of_the_blue},
    {"tags", test_tags},
    {"SHUTDOWN-ACK during set-up", test_shutdown_ack_in_setup},
    {"unknown chunks by their high bits", test_unknown_chunks},
    {"malformed chunks", test_malformed},
    {"chunks that do not belong together", test_bundling},
    {"ERROR is told to the user", test_peer_error},
    {0},
};

int main(void)
{
    return suite_run("sctp: out of the blue", cases);
}
