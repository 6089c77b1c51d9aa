// SPDX-License-Identifier: GPL-3.0-or-later
// A long body in pieces, one by one or as far as send descriptors go (thesis
// 000, 4.4.3, 4.5.3, 5.2): how many are under way, their order, what is lost, and that it ends.
// (For waits when descriptors run out see tests/cases/lam_via/pieces_*.case.)
#include "tests/support/rpi_bench.h"
#include "tests/support/suite.h"

#include <string.h>

#define AS_GO "lam_via.pieces=as_descriptors_go"

// The most pieces of a body of `size` that rank 0 has posted and not seen complete, sampled every
// 100 us, from the ACK to the end. The books of descriptors and of the request must agree.
static int most_outstanding(const char *size, const char *first_set, const char *second_set)
{
    char *send = g_strdup_printf("{send: {to: 1, size: %s}}", size);
    char *receive = g_strdup_printf("{recv: {from: 0, size: %s}}", size);
    struct test_program program = {
        .ranks = 2, .sets = {first_set, second_set}, .ops = {send, receive}};
    struct rpi_bench *bench = rpi_bench_new(&program);
    int most = 0;
    for (double at = 1.2; at < 60; at += 0.1) {
        rpi_bench_run(bench, at);
        struct mpi_request *request = bench->processes[0]->active;
        const struct rpi_process_peer *peer = rpi_bench_peer(bench, 0, 1);
        if (!request || rpi_of(request)->cq_packbuf == 0)
            continue;
        const struct rpi_request *r = rpi_of(request);
        SUITE_SAME_INTEGER(r->pieces_out, rpi_bench_process(bench, 0)->config->sdescs -
                                              peer->cp_free_send_desc_cnt);
        most = MAX(most, r->pieces_out);
    }
    rpi_bench_finish(bench);
    rpi_bench_expect_quiet(bench, 0);
    rpi_bench_free(bench);
    g_free(send);
    g_free(receive);
    return most;
}

// via.rpi.long_fragmentation: all of a body that fits, else as many pieces as there are
// descriptors, if so set; else one by one.
static void test_outstanding(void)
{
    SUITE_SAME_INTEGER(most_outstanding("128 KiB", "lam_via.sdescs=10", AS_GO), 4);
    SUITE_SAME_INTEGER(most_outstanding("1 MiB", "lam_via.sdescs=10", AS_GO), 10);
    SUITE_SAME_INTEGER(most_outstanding("1 MiB", "lam_via.sdescs=3", AS_GO), 3);
    SUITE_SAME_INTEGER(most_outstanding("1 MiB", "lam_via.sdescs=10", NULL), 1);
}

// The milliseconds at which a rank's transition that contains the text was reported first; -1:
// never.
static double when(const struct program_run *run, int rank, const char *part)
{
    for (guint i = 0; i < run->lines->len; i++) {
        const struct program_line *line = g_ptr_array_index(run->lines, i);
        if (line->rank == rank && strstr(line->text, part))
            return (double)line->when / (double)TIME_MS;
    }
    return -1;
}

// The longest waiting message gets descriptors first: a short message needs both of them at a time,
// and the body, for which one would do, leaves them. It comes through long before the body's end,
// and so does a tiny one.
static void test_eager_passes(void)
{
    static const char *const sizes[] = {"24 KiB", "1 KiB"};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        char *send = g_strdup_printf("{isend: {to: 1, size: 4 MiB, tag: 1, request: a}}, {compute: "
                                     "5 ms}, {iprobe: {from: 1, tag: 9}}, {send: {to: 1, size: %s, "
                                     "tag: 2}}, {wait: a}",
                                     sizes[i]);
        struct test_program program = {
            .ranks = 2,
            .sets = {AS_GO, "lam_via.sdescs=2"},
            .ops = {send, "{irecv: {from: 0, size: 4 MiB, tag: 1, request: a}}, {recv: {from: 0, "
                          "size: 24 KiB, tag: 2}}, {wait: a}"},
        };
        struct program_run *run = program_run_good(&program);
        CU_ASSERT(when(run, 0, "send[1] body_sent -> body_sent last piece") > 200);
        CU_ASSERT(when(run, 0, "wait_descriptor -> envelope_sent") > 0);
        CU_ASSERT(when(run, 1, "recv[2] posted -> ") > 0);
        CU_ASSERT(when(run, 1, i == 0 ? "recv[2] wait_body -> done" : "recv[2] posted -> done") <
                  30);
        program_run_free(run);
        g_free(send);
    }
}

// A long message in each direction at a time: the ACK of the one takes its turn between pieces of
// the other, so that both bodies are under way together, and each takes what it takes alone.
static void test_both_ways(void)
{
    static const char *const descriptors[] = {"lam_via.sdescs=2", "lam_via.sdescs=10"};
    for (size_t i = 0; i < G_N_ELEMENTS(descriptors); i++) {
        struct test_program program = {
            .ranks = 2,
            .sets = {AS_GO, descriptors[i]},
            .ops = {"{irecv: {from: 1, size: 1 MiB, request: r}}, {isend: {to: 1, size: 1 MiB, "
                    "request: s}}, {waitall: all}",
                    "{irecv: {from: 0, size: 1 MiB, request: r}}, {compute: 20 ms}, {isend: {to: "
                    "0, size: 1 MiB, request: s}}, {waitall: all}"},
        };
        struct program_run *run = program_run_good(&program);
        double first_ends = when(run, 1, "recv[1] wait_body -> done");
        double second_starts = when(run, 1, "send[2] wait_ack -> body_sent first piece");
        CU_ASSERT(second_starts > 20 && second_starts < first_ends - 20);
        program_run_free(run);
    }
}

// Each of several ranks sends to each other at a time, with the fewest descriptors and with the
// usual ones: it ends, and leaves nothing.
static void test_several_peers(void)
{
    static const char *const descriptors[] = {"lam_via.sdescs=2", "lam_via.sdescs=3",
                                              "lam_via.sdescs=10"};
    for (size_t i = 0; i < G_N_ELEMENTS(descriptors); i++) {
        struct test_program program = {
            .ranks = 5,
            .sets = {AS_GO, descriptors[i], "switch.queue=0"},
            .all = "{alltoall: {size: 300 KiB}}, {alltoall: {size: 20 KiB}}, {alltoall: {size: 700 "
                   "KiB}}",
        };
        struct rpi_bench *bench = rpi_bench_new(&program);
        rpi_bench_finish(bench);
        for (int rank = 0; rank < program.ranks; rank++)
            rpi_bench_expect_quiet(bench, rank);
        rpi_bench_free(bench);
    }
}

// Bodies to one port of the switch from several senders: where 128 frames may wait, those that
// alternate between their peers by piece (23 frames) get through, those that send ten pieces to one
// of them at a time do not. M-VIA does not repeat what is lost; the books name the place.
static void test_switch_overrun(void)
{
    struct test_program program = {
        .ranks = 6, .sets = {"lam_via.pieces=one_by_one"}, .all = "{alltoall: {size: 256 KiB}}"};
    program_run_free(program_run_good(&program));
    program.sets[0] = AS_GO;
    struct program_run *run = program_run(&program, 1);
    char *books = program_ledger_text(run);
    CU_ASSERT(run->result->status == SIM_LOST || run->result->status == SIM_DEADLOCK);
    SUITE_CONTAINS(books, "lost: queue full at switch->");
    g_free(books);
    program_run_free(run);
    program.sets[1] = "switch.queue=0";
    program_run_free(program_run_good(&program));
}

// The loss of a frame of any piece but the last shows in the books only; pieces that were posted
// after it arrive all the same.
static void test_lost_piece(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {AS_GO, "link.drop_nth=[40]", "link.fault_direction=forward"},
        .ops = {"{send: {to: 1, size: 160 KiB}}", "{recv: {from: 0, size: 160 KiB}}"},
    };
    struct program_run *run = program_run(&program, 1);
    char *books = program_ledger_text(run);
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "lost");
    SUITE_CONTAINS(books, "message 1, rank 0 to 1, 163840 B: bytes ");
    SUITE_SAME_INTEGER(program_counter(run, "via transfers with a lost frame"), 1);
    CU_ASSERT(when(run, 0, "body_sent -> done") > 0);
    CU_ASSERT(when(run, 1, "wait_body -> done") > 0);
    // Of five pieces of 32 KiB at the most the rest of one is gone.
    CU_ASSERT(run->result->ledger.lost == 1);
    g_free(books);
    program_run_free(run);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"how many are under way", test_outstanding},
        {"eager messages pass a body", test_eager_passes},
        {"both ways", test_both_ways},
        {"several peers", test_several_peers},
        {"too much for the switch", test_switch_overrun},
        {"a lost piece", test_lost_piece},
        {0},
    };
    return suite_run("rpi: pieces of long bodies", cases);
}
