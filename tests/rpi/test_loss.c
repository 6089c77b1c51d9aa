// SPDX-License-Identifier: GPL-3.0-or-later
// Lost frames: M-VIA does not send them again, so a program that misses one can't end well, and the
// books name the message.
//
// Every frame that a rank sends is dropped in turn, in a run of its own. Those that make the
// connection are repeated. Any other ends the run with a deadlock; or, if more messages follow the
// lost one on its connection, with reader and writer out of step; or, if it is of a long body but
// not of its last piece, with a program that has not noticed: then only the books record it.
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#include <string.h>

#define MOST_FRAMES 200

struct tally {
    int completed, silent, deadlock, failed;
};

static void expect_consistent(const struct program_run *run, struct tally *tally)
{
    char *kind = program_reason(run, "kind"), *books = program_ledger_text(run);
    switch (run->result->status) {
    case SIM_COMPLETED:
        CU_ASSERT(run->result->ledger_balanced);
        tally->completed++;
        break;
    case SIM_LOST:
        tally->silent++;
        break;
    case SIM_DEADLOCK:
        tally->deadlock++;
        break;
    case SIM_FAILED:
        SUITE_SAME_TEXT(kind, "out_of_step");
        tally->failed++;
        break;
    }
    CU_ASSERT(run->result->status == SIM_COMPLETED || !run->result->ledger_balanced);
    if (!run->result->ledger_balanced) {
        SUITE_CONTAINS(books, "lost: ");
        CU_ASSERT(run->result->ledger.lost > 0);
    }
    g_free(kind);
    g_free(books);
}

// Drops each frame in turn until there are no more.
static struct tally drop_each(const struct test_program *program)
{
    struct tally tally = {0};
    struct program_run *whole = program_run(program, 1);
    SUITE_SAME_TEXT(sim_status_name(whole->result->status), "completed");
    for (int nth = 1; nth < MOST_FRAMES; nth++) {
        struct program_run *run = program_run_lossy(program, nth);
        expect_consistent(run, &tally);
        bool beyond = run->result->fingerprint == whole->result->fingerprint;
        program_run_free(run);
        if (beyond)
            break;
    }
    program_run_free(whole);
    return tally;
}

// A single message of each class: nothing follows what is lost.
static void test_single(void)
{
    static const struct {
        const char *size;
        int deadlocks; // frames that are lost for good
    } messages[] = {
        {"0 B", 1},      // envelope
        {"1 KiB", 1},    // envelope and data
        {"10 KiB", 7},   // the same in frames of 1468 bytes
        {"20000 B", 14}, // the body: all but the envelope
    };
    for (size_t i = 0; i < G_N_ELEMENTS(messages); i++) {
        char *send = g_strdup_printf("{send: {to: 1, size: %s}}", messages[i].size);
        char *receive = g_strdup_printf("{recv: {from: 0, size: %s}}", messages[i].size);
        struct test_program program = {.ranks = 2, .ops = {send, receive}};
        struct tally tally = drop_each(&program);
        SUITE_SAME_INTEGER(tally.deadlock, messages[i].deadlocks);
        SUITE_SAME_INTEGER(tally.failed, i == 3);
        SUITE_SAME_INTEGER(tally.silent, 0);
        CU_ASSERT(tally.completed > 0);
        g_free(send);
        g_free(receive);
    }
}

// The report names the message, its lost bytes and the reason; and the rank that waits for it.
static void test_report(void)
{
    struct test_program program = {
        .ranks = 2, .ops = {"{send: {to: 1, size: 10 KiB}}", "{recv: {from: 0, size: 10 KiB}}"}};
    bool found = false;
    for (int nth = 1; nth < 12 && !found; nth++) {
        struct program_run *run = program_run_lossy(&program, nth);
        char *books = program_ledger_text(run), *ranks = program_reason(run, "ranks");
        // The second frame of the message and, with it, those after it.
        found = strstr(books, "bytes 1432..2899 lost: ") != NULL;
        if (found) {
            SUITE_CONTAINS(books, "message 1, rank 0 to 1, 10240 B: bytes 0..1431 not delivered; ");
            SUITE_CONTAINS(books, "lost: an earlier frame of the transfer was lost");
            SUITE_SAME_TEXT(sim_status_name(run->result->status), "deadlock");
            SUITE_CONTAINS(ranks, "\"rank\":1");
            SUITE_CONTAINS(ranks, "\"waits_for\":\"a matching message\"");
            CU_ASSERT_PTR_NULL(strstr(ranks, "\"rank\":0"));
        }
        g_free(books);
        g_free(ranks);
        program_run_free(run);
    }
    CU_ASSERT(found);
}

// SYN, ACK or any piece: the sender's frames and the receiver's one are dropped together, so each
// loss is of one or two of them.
static void test_long(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {"{send: {to: 1, size: 40000 B}}", "{recv: {from: 0, size: 40000 B}}"},
    };
    struct tally tally = drop_each(&program);
    // A SYN and the frames of two pieces, of which the last alone has immediate data.
    SUITE_SAME_INTEGER(tally.deadlock, 1 + 5);
    SUITE_SAME_INTEGER(tally.silent, 23);
    SUITE_SAME_INTEGER(tally.failed, 0);
}

// An ACK that is lost: the data of a synchronous message have come, but its sender never learns of
// it. The receiver has sent three messages before, so that the number of its ACK is none of the
// sender's frames.
static void test_lost_ack(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops =
            {"{loop: {count: 3, do: [{recv: {from: 1, size: 8 B}}]}}, {ssend: {to: 1, size: 8 B}}",
             "{loop: {count: 3, do: [{send: {to: 0, size: 8 B}}]}}, {recv: {from: 0, size: 8 B}}"},
    };
    int seen = 0;
    for (int nth = 1; nth < 10; nth++) {
        struct program_run *run = program_run_lossy(&program, nth);
        char *ranks = program_reason(run, "ranks");
        if (run->result->status == SIM_DEADLOCK && run->result->ledger.delivered == 4) {
            SUITE_CONTAINS(ranks, "\"waits_for\":\"the receiver's ACK\"");
            SUITE_CONTAINS(ranks, "\"held_by\":\"rank 1\"");
            seen++;
        }
        g_free(ranks);
        program_run_free(run);
    }
    SUITE_SAME_INTEGER(seen, 1);
}

// Several messages of all classes, expected and unexpected: whatever is lost, the run ends, its
// books name a lost message, and no message passes for another.
static void test_mixed(void)
{
    static const char *const receives[] = {
        "{irecv: {from: 0, tag: 1, size: 20000 B, request: a}}, {irecv: {from: 0, tag: 2, size: "
        "40000 B, "
        "request: b}}, {irecv: {from: 0, tag: 3, size: 8 B, request: c}}, {irecv: {from: 0, tag: "
        "4, "
        "size: 20000 B, request: d}}, {irecv: {from: 0, tag: 5, size: 40000 B, request: e}}, "
        "{waitall: "
        "all}",
        "{recv: {from: 0, tag: 3, size: 8 B}}, {irecv: {from: 0, tag: 5, size: 40000 B, request: "
        "e}}, "
        "{recv: {from: 0, tag: 4, size: 20000 B}}, {recv: {from: 0, tag: 1, size: 20000 B}}, "
        "{recv: "
        "{from: 0, tag: 2, size: 40000 B}}, {wait: e}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(receives); i++) {
        struct test_program program = {
            .ranks = 2,
            .sets = {"lam_via.area=256 KiB"},
            .ops =
                {"{isend: {to: 1, tag: 1, size: 20000 B, request: a}}, {isend: {to: 1, tag: 2, "
                 "size: "
                 "40000 B, request: b}}, {isend: {to: 1, tag: 3, size: 8 B, request: c}}, {isend: "
                 "{to: "
                 "1, tag: 4, size: 20000 B, request: d}}, {isend: {to: 1, tag: 5, size: 40000 B, "
                 "request: e}}, {waitall: all}",
                 receives[i]},
        };
        struct tally tally = drop_each(&program);
        CU_ASSERT(tally.deadlock > 5);
        CU_ASSERT(tally.silent > 20);
        CU_ASSERT(tally.failed > 20);
        CU_ASSERT(tally.completed <= 4);
    }
}

// A frame with a wrong check sum is lost like one that never came.
static void test_corrupt(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"link.corrupt_nth=[3, 4, 5]", "link.fault_direction=forward"},
        .ops = {"{send: {to: 1, size: 10 KiB}}", "{recv: {from: 0, size: 10 KiB}}"},
    };
    struct program_run *run = program_run(&program, 1);
    struct tally tally = {0};
    expect_consistent(run, &tally);
    SUITE_SAME_INTEGER(tally.deadlock, 1);
    program_run_free(run);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"one eager message", test_single},
        {"report", test_report},
        {"one long message", test_long},
        {"lost ACK", test_lost_ack},
        {"several messages", test_mixed},
        {"wrong check sum", test_corrupt},
        {0},
    };
    return suite_run("rpi: lost frames", cases);
}
