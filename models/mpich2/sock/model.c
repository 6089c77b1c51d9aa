// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/mpich2/ch3/rma.h"
#include "models/mpich2/sock/sock.h"
#include "models/tcp/rules.h"

static const struct scenario_section sections[] = {
    {"ch3_sock", &sock_table}, {"mpich4_sock", &mpich4_sock_table}, {NULL, NULL}};

static const struct scenario_rule ch3_sock_rules[] = {
    TCP_SOCKET_RULE("ch3_sock_buffer", "ch3_sock.socket_buffer"),
    TCP_SOCKET_RULE("mpich4_sock_buffer", "mpich4_sock.socket_buffer"),
    {0},
};

static const struct machine_kind *const sock_machines[] = {&sock_connection_machine, NULL};

const struct model ch3_sock_model = {
    .name = "mpich2/sock",
    .stands_on = (const char *const[]){"ethernet", "inet", "tcp", "mpi_tcp", "mpich2/ch3", NULL},
    .sections = (const struct scenario_section *const[]){sections, NULL},
    .rules = ch3_sock_rules,
    .machines = sock_machines,
    .stacks = (const struct stack *const[]){&sock_stack, &mpich4_sock_stack, NULL},
    .operations = ch3_rma_operations,
};
