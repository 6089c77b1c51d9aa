// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/mpi_tcp/stacks.h"
#include "models/tcp/rules.h"
#include "sim/benchmark/stream.h"

static const struct benchmark benchmarks[] = {
    BENCHMARK_OF_STREAM("iperf.tcp",
                        "iperf over one TCP connection: writes for a time, and what is received by "
                        "second",
                        .parameters = &stream_table),
    {.build = NULL},
};

static const struct scenario_rule mpi_tcp_rules[] = {
    TCP_SOCKET_RULE("lam_tcp_buffer", "lam_tcp.socket_buffer"),
    TCP_SOCKET_RULE("mpich_p4_buffer", "mpich_p4.socket_buffer"),
    TCP_SOCKET_RULE("netpipe_send_buffer", "netpipe.send_buffer"),
    TCP_SOCKET_RULE("netpipe_receive_buffer", "netpipe.receive_buffer"),
    {0},
};

const struct model mpi_tcp_model = {
    .name = "mpi_tcp",
    .stands_on = (const char *const[]){"ethernet", "inet", "tcp", NULL},
    .sections = (const struct scenario_section *const[]){mpi_tcp_sections, NULL},
    .rules = mpi_tcp_rules,
    .stacks = (const struct stack *const[]){&lam_tcp_stack, &mpich_p4_stack, &tcp_stack, NULL},
    .benchmarks = benchmarks,
};
