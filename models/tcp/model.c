// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/ethernet/nics.h"
#include "models/tcp/rules.h"
#include "models/tcp/stack.h"
#include "models/tcp/tcp.h"

static const struct scenario_rule tcp_rules[] = {
    ETHERNET_RULES("tcp", "tcp.mtu"),
    TCP_SOCKET_RULE("tcp_send_buffer", "tcp.send_buffer"),
    TCP_SOCKET_RULE("tcp_receive_buffer", "tcp.receive_buffer"),
    {0},
};

static const struct machine_kind *const tcp_machines[] = {
    &tcp_connection_machine, &tcp_recovery_machine, &tcp_tail_machine, NULL};

const struct model tcp_model = {
    .name = "tcp",
    .stands_on = (const char *const[]){"ethernet", "inet", NULL},
    .sections = (const struct scenario_section *const[]){tcp_sections, NULL},
    .rules = tcp_rules,
    .machines = tcp_machines,
};
