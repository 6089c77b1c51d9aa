// SPDX-License-Identifier: GPL-3.0-or-later
// Startup of the VIA RPI and what it costs in pinned memory (thesis 000, 4.7.1, 4.7.2).
#include "tests/support/rpi_bench.h"
#include "tests/support/suite.h"

#include <string.h>

// via.param.tiny, via.param.short, via.param.area, via.param.rdesc, via.param.sdesc,
// via.param.device, via.param.class_boundaries: the defaults are those of the thesis;
// via.param.runtime_tunable: and each can be set for a run.
static void test_settings(void)
{
    struct test_program program = {.ranks = 2, .all = "barrier"};
    struct compiled compiled = program_compiled(&program);
    const struct rpi_config *config = scenario_section_values(compiled.test_case, "lam_via");
    SUITE_SAME_TEXT(config->device, "/dev/via_eth0");
    SUITE_SAME_INTEGER(config->tiny, 16384);
    SUITE_SAME_INTEGER(config->short_limit, 32768);
    SUITE_SAME_INTEGER(config->area, 65536);
    SUITE_SAME_INTEGER(config->rdescs, 50);
    SUITE_SAME_INTEGER(config->sdescs, 10);
    compiled_free(&compiled);
    struct test_program tuned = {
        .ranks = 2,
        .sets = {"lam_via.device=/dev/via_eth1", "lam_via.tiny=100 B", "lam_via.short=200 B",
                 "lam_via.area=400 B", "lam_via.rdescs=3", "lam_via.sdescs=4"},
        .all = "barrier",
    };
    compiled = program_compiled(&tuned);
    config = scenario_section_values(compiled.test_case, "lam_via");
    SUITE_SAME_TEXT(config->device, "/dev/via_eth1");
    SUITE_SAME_INTEGER(config->tiny, 100);
    SUITE_SAME_INTEGER(config->short_limit, 200);
    SUITE_SAME_INTEGER(config->area, 400);
    SUITE_SAME_INTEGER(config->rdescs, 3);
    SUITE_SAME_INTEGER(config->sdescs, 4);
    compiled_free(&compiled);
}

// Every event of an order that must hold, each somewhere after the one before.
static void expect_order(const char *text, const char *const *parts)
{
    for (const char *at = text; *parts; parts++) {
        at = strstr(at, *parts);
        CU_ASSERT_PTR_NOT_NULL_FATAL(at);
        at += strlen(*parts);
    }
}

// via.rpi.startup_sequence: NIC and error handler; tag, completion queue, memory management; a VI
// for each peer; exchange; then connections.
static void test_sequence(void)
{
    static const char steps[] = "rpi[0] query -> init\n"
                                "rpi[0] init -> addprocs\n"
                                "rpi[0] addprocs -> exchange\n"
                                "vi[1] idle -> connect_pending\n"
                                "vi[2] idle -> connect_pending\n"
                                "rpi[0] connect_request -> connect_wait\n";
    struct test_program program = {.ranks = 3, .all = "barrier"};
    struct program_run *run = program_run(&program, 1);
    for (int rank = 0; rank < 3; rank++) {
        char *text = program_run_text(run, rank, RPI_STARTUP);
        SUITE_CONTAINS(text, steps);
        expect_order(text, (const char *const[]){"vi[1] connect_pending -> connected\n",
                                                 "rpi[0] connect_wait -> up\n", NULL});
        expect_order(text, (const char *const[]){"vi[2] connect_pending -> connected\n",
                                                 "rpi[0] connect_wait -> up\n", NULL});
        g_free(text);
    }
    program_run_free(run);
}

// Until `startup` of a rank has reached a step, a microsecond at a time.
static void run_until(struct rpi_bench *bench, int rank, enum rpi_startup step)
{
    for (double at = 0.001; bench->processes[rank]->startup.machine.state < (int)step;
         at += 0.001) {
        CU_ASSERT_FATAL(at < 100);
        rpi_bench_run(bench, at);
    }
}

// via.rpi.error_handler: query registers it, before there is anything that could go wrong.
// via.rpi.startup_sequence: tag and queue come with init, the VIs with addprocs, a peer at a time.
static void test_first_steps(void)
{
    struct test_program program = {.ranks = 6, .all = "barrier"};
    struct rpi_bench *bench = rpi_bench_new(&program);
    const struct rpi_process *rpi = rpi_bench_process(bench, 0);
    run_until(bench, 0, RPI_INIT);
    CU_ASSERT(rpi->nic->error != NULL);
    CU_ASSERT_PTR_EQUAL(rpi->nic->error_owner, rpi);
    CU_ASSERT_PTR_NULL(rpi->cq);
    run_until(bench, 0, RPI_ADDPROCS);
    CU_ASSERT_PTR_NOT_NULL(rpi->cq);
    CU_ASSERT_PTR_NOT_NULL(rpi->pins);
    CU_ASSERT(rpi->ptag != 0);
    CU_ASSERT_PTR_NULL(rpi_bench_peer(bench, 0, 5)->cp_vi_hand);
    run_until(bench, 0, RPI_EXCHANGE);
    CU_ASSERT_PTR_NOT_NULL(rpi_bench_peer(bench, 0, 5)->cp_vi_hand);
    rpi_bench_finish(bench);
    rpi_bench_free(bench);
}

// via.rpi.bootstrap_exchange: a process learns of its peer's area only in the exchange, and asks
// for connections after it. via.rpi.init_flags: a peer's record is initialised before it is
// connected.
static void test_exchange(void)
{
    struct test_program program = {.ranks = 2, .all = "barrier"};
    struct rpi_bench *bench = rpi_bench_new(&program);
    const struct rpi_process_peer *peer = rpi_bench_peer(bench, 0, 1);
    CU_ASSERT_FALSE(peer->prpi_init);
    run_until(bench, 0, RPI_EXCHANGE);
    SUITE_SAME_INTEGER(peer->cp_remote_rdma_area, 0);
    SUITE_SAME_INTEGER(peer->cp_vi_hand->machine.state, VIP_IDLE);
    CU_ASSERT(peer->prpi_init && !peer->prpi_connect);
    run_until(bench, 0, RPI_REQUEST);
    SUITE_SAME_INTEGER(peer->cp_remote_rdma_area, rpi_bench_peer(bench, 1, 0)->cp_rdma_area);
    SUITE_SAME_INTEGER(peer->cp_remote_rdma_area_hand.index,
                       rpi_bench_peer(bench, 1, 0)->cp_rdma_area_hand.index);
    CU_ASSERT_FALSE(peer->prpi_connect);
    run_until(bench, 0, RPI_UP);
    CU_ASSERT(peer->prpi_init && peer->prpi_connect);
    SUITE_SAME_INTEGER(peer->cp_vi_hand->machine.state, VIP_CONNECTED);
    rpi_bench_finish(bench);
    rpi_bench_free(bench);
}

// via.rpi.proc_lookup_o1: the record of a node stands at its number.
static void test_lookup(void)
{
    struct test_program program = {.ranks = 5, .all = "barrier"};
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_finish(bench);
    for (int rank = 0; rank < 5; rank++)
        for (int node = 0; node < 5; node++) {
            const struct rpi_process_peer *peer = &rpi_bench_process(bench, rank)->procs[node];
            SUITE_SAME_INTEGER(peer->node, node);
            CU_ASSERT_PTR_EQUAL(peer->owner, rpi_bench_process(bench, rank));
        }
    rpi_bench_free(bench);
}

static int64_t pinned_after_startup(int ranks)
{
    struct test_program program = {.ranks = ranks, .all = "{compute: 1 ms}"};
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_finish(bench);
    int64_t pinned = vip_pinned_bytes(rpi_bench_process(bench, 0)->nic);
    for (int rank = 0; rank < ranks; rank++) {
        SUITE_SAME_INTEGER(vip_pinned_bytes(rpi_bench_process(bench, rank)->nic), pinned);
        for (int peer = 0; peer < ranks; peer++)
            if (peer != rank)
                CU_ASSERT(rpi_bench_peer(bench, rank, peer)->prpi_connect);
    }
    rpi_bench_free(bench);
    return pinned;
}

// via.rpi.all_to_all_connections: all peers are connected before the program starts, and each costs
// the same pinned memory: at least its area.
static void test_all_connections(void)
{
    int64_t of_peer = pinned_after_startup(2);
    CU_ASSERT(of_peer >= 65536);
    for (int ranks = 3; ranks <= 6; ranks++)
        SUITE_SAME_INTEGER(pinned_after_startup(ranks), (ranks - 1) * of_peer);
}

// via.rpi.one_process_per_node: two processes on a node are refused before anything runs; with a
// node for each, the same program is taken.
static void test_one_process_per_node(void)
{
    struct test_program program = {.ranks = 2, .sets = {"workload.ranks=3"}, .all = "barrier"};
    char *complaints = program_complaints(&program);
    SUITE_CONTAINS(complaints, "workload.ranks");
    SUITE_CONTAINS(complaints, "one process");
    g_free(complaints);
    program.sets[0] = NULL;
    complaints = program_complaints(&program);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
}

// More processes than the pinnable memory has areas for: refused by name of the setting.
static void test_out_of_pinned_memory(void)
{
    struct test_program program = {
        .ranks = 6, .sets = {"host.memory.pin_limit=256 KiB"}, .all = "barrier"};
    struct program_run *run = program_run(&program, 1);
    char *kind = program_reason(run, "kind"), *setting = program_reason(run, "setting");
    SUITE_SAME_TEXT(kind, "out_of_pinned_memory");
    SUITE_SAME_TEXT(setting, "lam_via.area");
    g_free(kind);
    g_free(setting);
    program_run_free(run);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"settings", test_settings},
        {"sequence", test_sequence},
        {"query and init", test_first_steps},
        {"exchange and flags", test_exchange},
        {"records by node number", test_lookup},
        {"connections to all", test_all_connections},
        {"one process a node", test_one_process_per_node},
        {"out of pinned memory", test_out_of_pinned_memory},
        {0},
    };
    return suite_run("rpi: startup", cases);
}
