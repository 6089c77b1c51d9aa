// SPDX-License-Identifier: GPL-3.0-or-later
// vdma.transfer: SCS's VDMATransfer (thesis 002, 6.1), whose source the thesis does not show. It is
// read as one write, PUT to DONE. A single rank writes to itself, for a card that is cabled to
// itself.
#include "models/intercept/vdma/operations.h"
#include "models/intercept/vdma/raw.h"
#include "sim/program/program.h"

struct transfer_config {
    int operation; // enum vdma_operation
    int64_t offset, peer_offset;
};

#define T struct transfer_config

static const char *const operation_names[] = {
    [VDMA_OPERATION_WRITE] = "write",
    [VDMA_OPERATION_READ] = "read",
    NULL,
};

static const struct param benchmark_params[] = {
    PARAM(T, operation, PARAM_CHOICE, .fallback = "write", .choices = operation_names,
          .doc = "PUT, GETs and DONE, or GETs only",
          .source = "assumed: thesis 002, 6.1 does not show VDMATransfer"),
    PARAM(T, offset, PARAM_SIZE, .fallback = "0 B", .most = "1 MiB",
          .doc = "displacement of the buffer from a page at rank 0",
          .source = "assumed: the handler wants multiples of 32 B (thesis 002, 2.2.2)"),
    PARAM(T, peer_offset, PARAM_SIZE, .fallback = "0 B", .most = "1 MiB",
          .doc = "the same at rank 1", .source = "assumed: as offset"),
    {0},
};

static const struct param_table table = PARAM_TABLE(T, benchmark_params, .name = "vdma.transfer",
                                                    .doc = "what vdma.transfer transfers");

static void append(GPtrArray *body, int rank, int64_t size, const struct workload *workload)
{
    const struct transfer_config *config = workload->parameters->values;
    int64_t count = workload->repetitions > 0 ? workload->repetitions : 1;
    if (rank != 0)
        return;
    op_append(body, OP_MEASURE_START);
    struct vdma_arguments *arguments =
        op_append_kind(op_append_loop(body, count, NULL)->body, &vdma_operations[config->operation])
            ->arguments;
    arguments->common.peer = workload->ranks > 1 ? 1 : 0;
    arguments->common.size = size;
    arguments->offset = config->offset;
    arguments->peer_offset = config->peer_offset;
    benchmark_measure_stop(body, size, count, 1);
}

const struct benchmark vdma_benchmarks[] = {
    {
        .schema = {.name = "vdma.transfer",
                   .doc = "SCS's VDMATransfer: a write of raw VDMA until its DONE; one rank writes "
                          "to itself; MB is 10^6 B",
                   .least_ranks = 1,
                   .most_ranks = 2,
                   .rank_per_host = true,
                   .metrics = BENCHMARK_POINT_METRICS,
                   .sizes = "100 MB",
                   .parameters = &table},
        .report = {.messages = 1, .megabyte = BENCHMARK_MEGABYTE},
        .append = append,
    },
    {.schema = {.name = NULL}},
};
