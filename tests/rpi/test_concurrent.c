// SPDX-License-Identifier: GPL-3.0-or-later
// Several messages at a time over the VIA RPI: the order of long ones, eager ones during a
// rendezvous, send descriptors that run short, and progress (thesis 000, 4.5.3, 4.7.3, 4.7.4).
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#define FIRST "{compute: 100 ms}, "           // lets the other ranks go first
#define LOOK "{iprobe: {from: 0, tag: 99}}, " // handles what has come, and finds nothing

// via.rpi.long_order, via.rpi.body_to_request_map: the second body is a quarter of the first, but
// the receiver knows bodies by their order only, so it leaves behind the last piece of the first.
static void test_two_longs(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"lam_via.pieces=one_by_one"},
        .ops =
            {"{isend: {to: 1, size: 160 KiB, tag: 1, request: a}}, {isend: {to: 1, size: 40 KiB, "
             "tag: 2, request: b}}, {compute: 10 ms}, {waitall: all}",
             FIRST LOOK "{irecv: {from: 0, size: 160 KiB, tag: 1, request: a}}, {irecv: {from: 0, "
                        "size: 40 KiB, tag: 2, request: b}}, {waitall: all}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "send[1] start -> syn_sent long\n"
                   "send[2] start -> syn_sent long\n"
                   "send[1] syn_sent -> wait_ack\n"
                   "send[2] syn_sent -> wait_ack\n"
                   "send[1] wait_ack -> body_sent first piece\n"
                   "send[2] wait_ack -> wait_turn\n"
                   "send[1] body_sent -> body_sent last piece\n"
                   "send[2] wait_turn -> body_sent first piece\n"
                   "send[1] body_sent -> done\n"
                   "send[2] body_sent -> body_sent last piece\n"
                   "send[2] body_sent -> done\n",
                   "probe[1] start -> posted\n"
                   "cbuf[0] unexpected_long\n"
                   "cbuf[1] unexpected_long\n"
                   "recv[2] start -> ack_sent target\n"
                   "recv[3] start -> ack_sent target\n"
                   "recv[2] ack_sent -> wait_body long\n"
                   "recv[3] ack_sent -> wait_body long\n"
                   "recv[2] wait_body -> done\n"
                   "recv[3] wait_body -> done\n");
}

// via.rpi.long_order: a receive that starts late answers late, and its body comes behind those of
// receives that started before it.
static void test_longs_received_in_reverse(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops =
            {"{isend: {to: 1, size: 40 KiB, tag: 1, request: a}}, {isend: {to: 1, size: 200 KiB, "
             "tag: 2, request: b}}, {isend: {to: 1, size: 40 KiB, tag: 3, request: c}}, {waitall: "
             "all}",
             FIRST LOOK "{irecv: {from: 0, size: 40 KiB, tag: 3, request: c}}, {irecv: {from: 0, "
                        "size: 200 KiB, tag: 2, request: b}}, {irecv: {from: 0, size: 40 KiB, tag: "
                        "1, request: a}}, {waitall: all}"},
    };
    struct program_run *run = program_run(&program, 1);
    char *text = program_run_text(run, 1, RPI_REQUESTS);
    CU_ASSERT(run->result->ledger_balanced);
    SUITE_CONTAINS(text, "recv[2] wait_body -> done\n"
                         "recv[3] wait_body -> done\n"
                         "recv[4] wait_body -> done\n");
    g_free(text);
    program_run_free(run);
}

// via.rpi.tiny_during_long, via.rpi.progress_during_rendezvous, via.rpi.short_body_follows: while
// the long message waits for its receive, a tiny and a short one pass it, and the short body finds
// its own request, not the long one's.
static void test_eager_during_rendezvous(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops =
            {FIRST "{isend: {to: 1, size: 100 KiB, tag: 1, request: a}}, {compute: 10 ms}, {send: "
                   "{to: 1, size: 1 KiB, tag: 2}}, {compute: 10 ms}, {send: {to: 1, size: 24 KiB, "
                   "tag: 3}}, {wait: a}",
             "{irecv: {from: 0, size: 1 KiB, tag: 2, request: b}}, {recv: {from: 0, size: 24 KiB, "
             "tag: 3}}, {recv: {from: 0, size: 100 KiB, tag: 1}}, {wait: b}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "send[1] start -> syn_sent long\n"
                   "send[2] start -> envelope_sent tiny\n"
                   "send[1] syn_sent -> wait_ack\n"
                   "send[2] envelope_sent -> done\n"
                   "send[3] start -> envelope_sent short\n"
                   "send[3] envelope_sent -> body_sent\n"
                   "send[3] body_sent -> done\n"
                   "send[1] wait_ack -> body_sent first piece\n"
                   "send[1] body_sent -> body_sent last piece\n"
                   "send[1] body_sent -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[2] start -> posted\n"
                   "cbuf[0] unexpected_long\n"
                   "recv[1] posted -> done\n"
                   "recv[2] posted -> wait_body short\n"
                   "recv[2] wait_body -> done\n"
                   "recv[3] start -> ack_sent target\n"
                   "recv[3] ack_sent -> wait_body long\n"
                   "recv[3] wait_body -> done\n");
}

// via.rpi.body_to_request_map: the long receive stands in the list first; a short envelope goes in
// front of it, because its body comes next. The long body, 18 ms long, is under way when the short
// message is sent.
static void test_short_during_long_body(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {FIRST
                "{isend: {to: 1, size: 320 KiB, tag: 1, request: a}}, {compute: 8 ms}, {send: "
                "{to: 1, size: 24 KiB, tag: 3}}, {wait: a}",
                "{irecv: {from: 0, size: 320 KiB, tag: 1, request: a}}, {recv: {from: 0, size: 24 "
                "KiB, "
                "tag: 3}}, {wait: a}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS, NULL,
                   "recv[1] start -> posted\n"
                   "recv[2] start -> posted\n"
                   "recv[1] posted -> ack_sent target\n"
                   "recv[1] ack_sent -> wait_body long\n"
                   "recv[2] posted -> wait_body short\n"
                   "recv[2] wait_body -> done\n"
                   "recv[1] wait_body -> done\n");
}

// via.rpi.send_desc_shortage: of two descriptors, two tiny messages take one each, a short one
// both; the others wait in the send queue and go in order as descriptors come back.
static void test_descriptor_shortage(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"lam_via.sdescs=2"},
        .ops = {"{isend: {to: 1, size: 8 KiB, request: a}}, {isend: {to: 1, size: 8 KiB, request: "
                "b}}, "
                "{isend: {to: 1, size: 24 KiB, request: c}}, {isend: {to: 1, size: 8 KiB, request: "
                "d}}, "
                "{waitall: all}",
                FIRST "{loop: {count: 4, do: [{recv: {from: 0, size: 24 KiB}}]}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "send[1] start -> envelope_sent tiny\n"
                   "send[2] start -> envelope_sent tiny\n"
                   "send[3] start -> wait_descriptor\n"
                   "send[4] start -> wait_descriptor\n"
                   "send[1] envelope_sent -> done\n"
                   "send[2] envelope_sent -> done\n"
                   "send[3] wait_descriptor -> envelope_sent short\n"
                   "send[3] envelope_sent -> body_sent\n"
                   "send[4] wait_descriptor -> envelope_sent tiny\n"
                   "send[3] body_sent -> done\n"
                   "send[4] envelope_sent -> done\n",
                   NULL);
}

// A tiny message that would fit does not overtake the short one before it, which lacks a
// descriptor.
static void test_shortage_keeps_order(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"lam_via.sdescs=2"},
        .ops = {"{isend: {to: 1, size: 8 KiB, request: a}}, {isend: {to: 1, size: 24 KiB, request: "
                "b}}, "
                "{isend: {to: 1, size: 8 KiB, request: c}}, {waitall: all}",
                FIRST "{loop: {count: 3, do: [{recv: {from: 0, size: 24 KiB}}]}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "send[1] start -> envelope_sent tiny\n"
                   "send[2] start -> wait_descriptor\n"
                   "send[3] start -> wait_descriptor\n"
                   "send[1] envelope_sent -> done\n"
                   "send[2] wait_descriptor -> envelope_sent short\n"
                   "send[2] envelope_sent -> body_sent\n"
                   "send[3] wait_descriptor -> envelope_sent tiny\n"
                   "send[2] body_sent -> done\n"
                   "send[3] envelope_sent -> done\n",
                   NULL);
}

// Descriptors are counted for each peer: a shortage to one does not hold up messages to another.
static void test_shortage_is_of_a_peer(void)
{
    struct test_program program = {
        .ranks = 3,
        .sets = {"lam_via.sdescs=2"},
        .ops =
            {"{isend: {to: 1, size: 16 KiB, request: a}}, {isend: {to: 1, size: 16 KiB, request: "
             "b}}, {isend: {to: 1, size: 16 KiB, request: c}}, {isend: {to: 2, size: 8 KiB, "
             "request: "
             "d}}, {waitall: all}",
             FIRST "{loop: {count: 3, do: [{recv: {from: 0, size: 16 KiB}}]}}",
             FIRST "{recv: {from: 0, size: 8 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "send[1] start -> envelope_sent tiny\n"
                   "send[2] start -> envelope_sent tiny\n"
                   "send[3] start -> wait_descriptor\n"
                   "send[4] start -> envelope_sent tiny\n"
                   "send[1] envelope_sent -> done\n"
                   "send[3] wait_descriptor -> envelope_sent tiny\n"
                   "send[2] envelope_sent -> done\n"
                   "send[4] envelope_sent -> done\n"
                   "send[3] envelope_sent -> done\n",
                   NULL);
}

// via.rpi.send_desc_shortage, via.rpi.long_order: ACKs that lack a descriptor leave in the order of
// their SYNs. Two messages the other way have taken both descriptors.
static void test_acks_without_descriptor(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"lam_via.sdescs=2"},
        .ops =
            {"{isend: {to: 1, size: 160 KiB, tag: 1, request: a}}, {isend: {to: 1, size: 40 KiB, "
             "tag: 2, request: b}}, {loop: {count: 2, do: [{recv: {from: 1, size: 16 KiB}}]}}, "
             "{waitall: all}",
             FIRST LOOK "{isend: {to: 0, size: 16 KiB, request: s}}, {isend: {to: 0, size: 16 KiB, "
                        "request: t}}, {irecv: {from: 0, size: 160 KiB, tag: 1, request: a}}, "
                        "{irecv: {from: 0, size: 40 KiB, tag: 2, request: b}}, {waitall: all}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS, NULL,
                   "probe[1] start -> posted\n"
                   "cbuf[0] unexpected_long\n"
                   "cbuf[1] unexpected_long\n"
                   "send[2] start -> envelope_sent tiny\n"
                   "send[3] start -> envelope_sent tiny\n"
                   "recv[4] start -> wait_descriptor\n"
                   "recv[5] start -> wait_descriptor\n"
                   "send[2] envelope_sent -> done\n"
                   "recv[4] wait_descriptor -> ack_sent target\n"
                   "send[3] envelope_sent -> done\n"
                   "recv[5] wait_descriptor -> ack_sent target\n"
                   "recv[4] ack_sent -> wait_body long\n"
                   "recv[5] ack_sent -> wait_body long\n"
                   "recv[4] wait_body -> done\n"
                   "recv[5] wait_body -> done\n");
}

// The same at the end of a collective, which may return with a descriptor that has just come free:
// the ACK that waits for it goes before that of a receive that is started then.
//
// Rank 0's descriptors are taken by a long body of one piece, for 21 ms, and behind it by its
// message of the alltoall. In this time the SYNs of two receives come. The ACK of the first follows
// the body; what completes last, and ends the alltoall, is the message behind it.
static void test_acks_behind_collective(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"lam_via.sdescs=2", "mvia.largest_transfer=256 KiB"},
        .ops = {"{isend: {to: 1, size: 256 KiB, tag: 9, request: s}}, {irecv: {from: 1, size: 40 "
                "KiB, tag: 0, request: z}}, {irecv: {from: 1, size: 40 KiB, tag: 1, request: a}}, "
                "{compute: 10 ms}, {iprobe: {from: 1, tag: 99}}, {alltoall: {size: 8 KiB}}, "
                "{irecv: {from: 1, size: 50 KiB, tag: 2, request: b}}, {waitall: all}",
                "{irecv: {from: 0, size: 256 KiB, tag: 9, request: s}}, {compute: 5 ms}, " LOOK
                "{compute: 10 ms}, {isend: {to: 0, size: 40 KiB, tag: 0, request: z}}, {isend: "
                "{to: 0, size: 40 KiB, tag: 1, request: a}}, {isend: {to: 0, size: 50 KiB, tag: 2, "
                "request: b}}, {alltoall: {size: 8 KiB}}, {waitall: all}"},
    };
    struct program_run *run = program_run(&program, 1);
    char *text = program_run_text(run, 0, "recv");
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "completed");
    CU_ASSERT(run->result->ledger_balanced);
    SUITE_SAME_TEXT(text, "recv[2] start -> posted\n"
                          "recv[3] start -> posted\n"
                          "recv[5] start -> posted\n"
                          "recv[2] posted -> wait_descriptor\n"
                          "recv[3] posted -> wait_descriptor\n"
                          "recv[5] posted -> done\n"
                          "recv[2] wait_descriptor -> ack_sent target\n"
                          "recv[7] start -> wait_descriptor\n"
                          "recv[3] wait_descriptor -> ack_sent target\n"
                          "recv[2] ack_sent -> wait_body long\n"
                          "recv[7] wait_descriptor -> ack_sent target\n"
                          "recv[3] ack_sent -> wait_body long\n"
                          "recv[7] ack_sent -> wait_body long\n"
                          "recv[2] wait_body -> done\n"
                          "recv[3] wait_body -> done\n"
                          "recv[7] wait_body -> done\n");
    g_free(text);
    program_run_free(run);
}

// Memory for one buffer, and a posted receive has it: a long send waits for it, and a short one
// behind it, whose own buffer would fit, keeps its place.
static void test_wait_for_pin(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"host.memory.pin_limit=1200 KiB", "lam_via.pieces=one_by_one"},
        .ops = {"{irecv: {from: 1, size: 1 MiB, tag: 1, request: r}}, {isend: {to: 1, size: 900 "
                "KiB, tag: 2, request: s}}, {isend: {to: 1, size: 30 KiB, tag: 3, request: t}}, "
                "{waitall: all}",
                FIRST "{send: {to: 0, size: 1 MiB, tag: 1}}, {recv: {from: 0, size: 30 KiB, tag: "
                      "3}}, {recv: {from: 0, size: 900 KiB, tag: 2}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "recv[1] start -> posted\n"
                   "send[2] start -> wait_pin\n"
                   "send[3] start -> wait_descriptor\n"
                   "recv[1] posted -> ack_sent target\n"
                   "recv[1] ack_sent -> wait_body long\n"
                   "recv[1] wait_body -> done\n"
                   "send[2] wait_pin -> syn_sent long\n"
                   "send[3] wait_descriptor -> envelope_sent short\n"
                   "send[2] syn_sent -> wait_ack\n"
                   "send[3] envelope_sent -> body_sent\n"
                   "send[3] body_sent -> done\n"
                   "send[2] wait_ack -> body_sent first piece\n"
                   "send[2] body_sent -> body_sent last piece\n"
                   "send[2] body_sent -> done\n",
                   NULL);
}

// via.rpi.long_order: a SYN whose receive can't pin holds up the ACK of the next one, although that
// could.
static void test_acks_wait_for_pin(void)
{
    struct test_program program = {
        .ranks = 3,
        .sets = {"host.memory.pin_limit=1400 KiB"},
        .ops = {"{isend: {to: 1, size: 900 KiB, tag: 1, request: a}}, {isend: {to: 1, size: 40 "
                "KiB, tag: 2, request: b}}, {waitall: all}",
                "{irecv: {from: 2, size: 1 MiB, tag: 3, request: c}}, " FIRST LOOK
                "{irecv: {from: 0, size: 900 KiB, tag: 1, request: a}}, {irecv: {from: 0, size: 40 "
                "KiB, tag: 2, request: b}}, {waitall: all}",
                FIRST FIRST "{send: {to: 1, size: 1 MiB, tag: 3}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS, NULL,
                   "recv[1] start -> posted\n"
                   "probe[2] start -> posted\n"
                   "cbuf[0] unexpected_long\n"
                   "cbuf[1] unexpected_long\n"
                   "recv[3] start -> wait_pin\n"
                   "recv[4] start -> wait_pin\n"
                   "recv[1] posted -> ack_sent target\n"
                   "recv[1] ack_sent -> wait_body long\n"
                   "recv[1] wait_body -> done\n"
                   "recv[3] wait_pin -> ack_sent target\n"
                   "recv[4] wait_pin -> ack_sent target\n"
                   "recv[3] ack_sent -> wait_body long\n"
                   "recv[4] ack_sent -> wait_body long\n"
                   "recv[3] wait_body -> done\n"
                   "recv[4] wait_body -> done\n",
                   NULL);
    // The same with receives that are posted before: the second has its memory from the start.
    struct test_program posted = {
        .ranks = 3,
        .sets = {"host.memory.pin_limit=1400 KiB"},
        .ops = {FIRST "{isend: {to: 1, size: 900 KiB, tag: 1, request: a}}, {isend: {to: 1, size: "
                      "40 KiB, tag: 2, request: b}}, {waitall: all}",
                "{irecv: {from: 2, size: 1 MiB, tag: 3, request: c}}, {irecv: {from: 0, size: 900 "
                "KiB, tag: 1, request: a}}, {irecv: {from: 0, size: 40 KiB, tag: 2, request: b}}, "
                "{waitall: all}",
                FIRST FIRST "{send: {to: 1, size: 1 MiB, tag: 3}}"},
    };
    PROGRAM_EXPECT(&posted, RPI_REQUESTS, NULL,
                   "recv[1] start -> posted\n"
                   "recv[2] start -> posted\n"
                   "recv[3] start -> posted\n"
                   "recv[2] posted -> wait_pin\n"
                   "recv[3] posted -> wait_pin\n"
                   "recv[1] posted -> ack_sent target\n"
                   "recv[1] ack_sent -> wait_body long\n"
                   "recv[1] wait_body -> done\n"
                   "recv[2] wait_pin -> ack_sent target\n"
                   "recv[3] wait_pin -> ack_sent target\n"
                   "recv[2] ack_sent -> wait_body long\n"
                   "recv[3] ack_sent -> wait_body long\n"
                   "recv[2] wait_body -> done\n"
                   "recv[3] wait_body -> done\n",
                   NULL);
}

// via.rpi.alltoall_decomposition: all receives are started before all sends, and each pins a buffer
// of its own.
static void test_alltoall(void)
{
    struct test_program program = {.ranks = 3, .all = "barrier, {alltoall: {size: 100 KiB}}"};
    struct program_run *run = program_run(&program, 1);
    CU_ASSERT(run->result->ledger_balanced);
    for (int rank = 0; rank < program.ranks; rank++) {
        SUITE_SAME_INTEGER(program_run_count(run, rank, "start -> syn_sent long"), 2);
        SUITE_SAME_INTEGER(program_run_count(run, rank, "ack_sent target"), 2);
        SUITE_SAME_INTEGER(program_run_count(run, rank, "pin registered 102400 B"), 4);
    }
    program_run_free(run);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"two long messages", test_two_longs},
        {"long messages received in another order", test_longs_received_in_reverse},
        {"tiny and short during a rendezvous", test_eager_during_rendezvous},
        {"short during a long body", test_short_during_long_body},
        {"shortage of send descriptors", test_descriptor_shortage},
        {"a shortage keeps the order", test_shortage_keeps_order},
        {"a shortage is of one peer", test_shortage_is_of_a_peer},
        {"ACKs without a descriptor", test_acks_without_descriptor},
        {"ACKs behind a collective", test_acks_behind_collective},
        {"sends that wait for memory", test_wait_for_pin},
        {"ACKs that wait for memory", test_acks_wait_for_pin},
        {"alltoall", test_alltoall},
        {0},
    };
    return suite_run("rpi: concurrent messages", cases);
}
