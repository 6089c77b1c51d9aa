// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/sctp_cmt/native/native.h"
#include "sim/benchmark/stream.h"

static const struct benchmark benchmarks[] = {
    BENCHMARK_OF_STREAM("iperf.sctp",
                        "iperf over one SCTP association: writes for a time, and what is received "
                        "by second",
                        .parameters = &stream_own_write_table, .write_size = native_write_size),
    {.build = NULL},
};

const struct model sctp_native_model = {
    .name = "sctp_cmt/native",
    .stands_on = (const char *const[]){"ethernet", "inet", "sctp_cmt/wire", "sctp_cmt/sctp", NULL},
    .sections = (const struct scenario_section *const[]){native_sctp_sections, NULL},
    .stacks = (const struct stack *const[]){&native_sctp_stack, NULL},
    .benchmarks = benchmarks,
};
