// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/rpi_bench.h"
#include "models/ethernet/nics.h"

#include "sim/interpreter/interpreter.h"
#include "sim/model/model.h"
#include "sim/source/program_source.h"
#include "tests/support/suite.h"
#include "tests/support/world.h"

#include <string.h>

struct rpi_bench *rpi_bench_new(const struct test_program *program)
{
    struct rpi_bench *bench = g_new0(struct rpi_bench, 1);
    bench->compiled = program_compiled(program);
    const struct scenario_case *test_case = bench->compiled.test_case;
    bench->ranks = test_case->workload.ranks;
    bench->trace = program_trace_new(&bench->lines);
    bench->sim = sim_new(1, bench->trace);
    bench->cluster = cluster_new(bench->sim, test_case);
    ethernet_add_nics(bench->cluster, test_case);
    bench->job = job_new(bench->cluster, test_case,
                         registry_stack(&model_registry, test_case->stack->name), interpreter_run);
    bench->processes = bench->job->processes;
    bench->source = program_source_new(test_case->workload.program, bench->ranks);
    for (int rank = 0; rank < bench->ranks; rank++) {
        bench->interpreters[rank] =
            interpreter_new(bench->processes[rank], bench->source, NULL, NULL);
        cpu_wake(&bench->processes[rank]->task);
    }
    return bench;
}

void rpi_bench_free(struct rpi_bench *bench)
{
    for (int rank = 0; rank < bench->ranks; rank++)
        interpreter_free(bench->interpreters[rank]);
    op_source_free(bench->source);
    job_free(bench->job);
    cluster_free(bench->cluster);
    sim_free(bench->sim);
    program_trace_free(bench->trace);
    g_ptr_array_unref(bench->lines);
    compiled_free(&bench->compiled);
    g_free(bench);
}

void rpi_bench_run(struct rpi_bench *bench, double until_ms)
{
    engine_run(bench->sim->engine,
               until_ms > 0 ? (sim_time)(until_ms * (double)TIME_MS) : TIME_NEVER);
}

bool rpi_bench_ended(const struct rpi_bench *bench, int rank)
{
    return interpreter_ended(bench->interpreters[rank]);
}

void rpi_bench_finish(struct rpi_bench *bench)
{
    rpi_bench_run(bench, 0);
    SUITE_SAME_TEXT(sim_status_name(bench->sim->status), "completed");
    CU_ASSERT(ledger_balanced(bench->sim->ledger));
    for (int rank = 0; rank < bench->ranks; rank++)
        CU_ASSERT(rpi_bench_ended(bench, rank));
}

void rpi_bench_expect_quiet(const struct rpi_bench *bench, int rank)
{
    const struct rpi_process *rpi = rpi_bench_process(bench, rank);
    CU_ASSERT_PTR_NULL(rpi->send_queue.head);
    CU_ASSERT_PTR_NULL(rpi->process->active);
    SUITE_SAME_INTEGER((long long)rpi->process->request_pool.in_use, 0);
    SUITE_SAME_INTEGER(rpi->process->matcher.posted_count, 0);
    SUITE_SAME_INTEGER(rpi->process->matcher.unexpected_count, 0);
    SUITE_SAME_INTEGER(rpi->process->open_waits, 0);
    SUITE_SAME_INTEGER(rpi->owed_acks, 0);
    for (int other = 0; other < bench->ranks; other++) {
        const struct rpi_process_peer *peer = rpi_peer_of(rpi, other);
        if (other == rank)
            continue;
        SUITE_SAME_INTEGER(peer->cp_free_send_desc_cnt, rpi->config->sdescs);
        SUITE_SAME_INTEGER(peer->pending_head, peer->pending_tail);
        SUITE_SAME_INTEGER(peer->cp_vi_hand->unmade + peer->cp_vi_hand->receive.posted.count,
                           rpi->config->rdescs);
        CU_ASSERT(!peer->extents || peer->extents->len == 0);
        CU_ASSERT_PTR_NULL(peer->cp_bmsg);
        CU_ASSERT_PTR_NULL(peer->cp_current_recv_req.head);
        CU_ASSERT_PTR_NULL(peer->bodies.head);
        SUITE_SAME_INTEGER(peer->cp_read_pointer,
                           rpi_bench_peer(bench, other, rank)->cp_remote_write_pointer);
    }
}

struct rpi_envelope rpi_bench_envelope(const struct vip_descriptor *descriptor)
{
    struct rpi_envelope envelope;
    memcpy(&envelope, descriptor->content.bytes, sizeof envelope);
    return envelope;
}

sim_time rpi_bench_process_time(const struct rpi_bench *bench, int rank, const char *stage)
{
    return world_stage_time(bench->processes[rank]->task.cpu, stage);
}
