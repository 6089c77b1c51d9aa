// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks on nodes of other numbers, as in LAM's "mpirun n3 n0 n4": the VIA RPI knows its peers by
// the number of their node, MPI by their rank (thesis 000, 4.3.2, 4.7.1).
#include "tests/support/rpi_bench.h"
#include "tests/support/suite.h"

#define SCRAMBLED "workload.placement=[node3, node0, node4]"

static void expect_nodes(const struct vip_descriptor *descriptor, int from, int to)
{
    struct rpi_immediate immediate = rpi_immediate_unpack(descriptor->immediate);
    SUITE_SAME_INTEGER(immediate.src_node, from);
    SUITE_SAME_INTEGER(immediate.dest_node, to);
}

// via.rpi.node_number_identity, via.rpi.proc_lookup_o1: rank 0 is on node 3, rank 1 on node 0, rank
// 2 on node 4. Immediate data carry these numbers, and records stand at them; nodes without a
// process have none. Envelopes carry ranks.
static void test_numbers(void)
{
    static const int nodes[] = {3, 0, 4};
    struct test_program program = {
        .ranks = 3,
        .hosts = 6,
        .sets = {SCRAMBLED},
        .ops = {"{send: {to: 1, size: 10 B}}, {send: {to: 2, size: 10 B}}",
                "{recv: {from: 0, size: 10 B}}", "{recv: {from: any, size: 10 B}}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_finish(bench);
    for (int rank = 0; rank < 3; rank++) {
        const struct rpi_process *rpi = rpi_bench_process(bench, rank);
        SUITE_SAME_INTEGER(rpi->node, nodes[rank]);
        for (int node = 0; node < 6; node++) {
            const struct rpi_process_peer *peer = &rpi->procs[node];
            SUITE_SAME_INTEGER(peer->node, node);
            CU_ASSERT((peer->rank >= 0) == (node == 3 || node == 0 || node == 4));
            CU_ASSERT((peer->cp_vi_hand != NULL) == (peer->rank >= 0 && peer->rank != rank));
        }
        for (int peer = 0; peer < 3; peer++)
            SUITE_SAME_INTEGER(rpi->procs[nodes[peer]].rank, peer);
        rpi_bench_expect_quiet(bench, rank);
    }
    for (int to = 1; to < 3; to++) {
        expect_nodes(&rpi_bench_peer(bench, 0, to)->cp_send_desc[0], 3, nodes[to]);
        const struct vip_descriptor *came = &rpi_bench_peer(bench, to, 0)->cp_recv_desc[0];
        expect_nodes(came, 3, nodes[to]);
        SUITE_SAME_INTEGER(rpi_bench_envelope(came).ce_rank, 0);
    }
    rpi_bench_free(bench);
}

// All classes, expected and not, from any source, waits for descriptors and for memory,
// collectives: on a machine whose nodes are alike, every rank goes through the same states at the
// same times wherever it is.
static void test_same_course(void)
{
    static const char *const placements[] = {
        "workload.placement=[node0, node1, node2, node3]",
        "workload.placement=[node3..0]",
        "workload.placement=[node5, node2, node0, node4]",
    };
    uint64_t fingerprints[G_N_ELEMENTS(placements)];
    char *texts[G_N_ELEMENTS(placements)][4];
    for (size_t i = 0; i < G_N_ELEMENTS(placements); i++) {
        struct test_program program = {
            .ranks = 4,
            .hosts = 6,
            .sets = {placements[i], "lam_via.sdescs=2", "lam_via.area=256 KiB", "switch.queue=0"},
            .ops = {"{isend: {to: 2, size: 100 KiB, tag: 1, request: a}}, {isend: {to: 1, size: 20 "
                    "KiB, request: b}}, {issend: {to: 3, size: 5 B, request: c}}, {waitall: all}",
                    "{recv: {from: any, size: 20 KiB}}, {ssend: {to: 2, size: 30 KiB, tag: 2}}",
                    "{compute: 5 ms}, {recv: {from: any, tag: 2, size: 30 KiB}}, {recv: {from: "
                    "any, tag: 1, size: 100 KiB}}, {sendrecv: {to: 2, from: 2, size: 10 B}}",
                    "{probe: {from: any}}, {recv: {from: 0, size: 5 B}}"},
            .all = "barrier, {alltoall: {size: 40 KiB}}, {bcast: {root: 2, size: 200 KiB}}, "
                   "{reduce: {root: 3, size: 8 KiB}}",
        };
        struct program_run *run = program_run_good(&program);
        fingerprints[i] = run->result->fingerprint;
        for (int rank = 0; rank < 4; rank++) {
            texts[i][rank] = program_run_text(run, rank, RPI_REQUESTS_AND_PINS);
            CU_ASSERT(texts[i][rank][0] != '\0');
            SUITE_SAME_TEXT(texts[i][rank], texts[0][rank]);
        }
        SUITE_SAME_INTEGER((long long)fingerprints[i], (long long)fingerprints[0]);
        program_run_free(run);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(placements); i++)
        for (int rank = 0; rank < 4; rank++)
            g_free(texts[i][rank]);
}

// Reports speak of ranks.
static void test_reports(void)
{
    struct test_program program = {
        .ranks = 2,
        .hosts = 3,
        .sets = {"workload.placement=[node2, node1]"},
        .ops = {"{loop: {count: 51, do: [{send: {to: 1, size: 4 B}}]}}",
                "{compute: 1 s}, {loop: {count: 51, do: [{recv: {from: 0, size: 4 B}}]}}"},
    };
    struct program_run *run = program_run(&program, 1);
    char *kind = program_reason(run, "kind"), *rank = program_reason(run, "rank"),
         *peer = program_reason(run, "peer");
    SUITE_SAME_TEXT(kind, "connection_broken");
    SUITE_SAME_TEXT(rank, "1");
    SUITE_SAME_TEXT(peer, "0");
    g_free(kind);
    g_free(rank);
    g_free(peer);
    program_run_free(run);
    struct test_program blocked = {
        .ranks = 2,
        .hosts = 3,
        .sets = {"workload.placement=[node2, node1]"},
        .ops = {"{send: {to: 1, size: 100 KiB}}", "{compute: 1 ms}"},
    };
    run = program_run(&blocked, 1);
    char *ranks = program_reason(run, "ranks");
    SUITE_CONTAINS(ranks, "\"held_by\":\"rank 1\"");
    SUITE_CONTAINS(ranks, "\"host\":\"node2\"");
    g_free(ranks);
    program_run_free(run);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"numbers of nodes", test_numbers},
        {"the same course everywhere", test_same_course},
        {"reports", test_reports},
        {0},
    };
    return suite_run("rpi: placement", cases);
}
