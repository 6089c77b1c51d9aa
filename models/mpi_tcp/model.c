// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/mpi_tcp/stacks.h"
#include "sim/workload/stream.h"

static const struct benchmark benchmarks[] = {
    BENCHMARK_OF_STREAM("iperf.tcp",
                        "iperf over one TCP connection: writes for a time, and what is received by "
                        "second"),
    {.build = NULL},
};

const struct model mpi_tcp_model = {
    .name = "mpi_tcp",
    .stands_on = (const char *const[]){"ethernet", "inet", "tcp", NULL},
    .sections = (const struct scenario_section *const[]){mpi_tcp_sections, NULL},
    .stacks = (const struct stack *const[]){&lam_tcp_stack, &mpich_p4_stack, &tcp_stack, NULL},
    .benchmarks = benchmarks,
};
