// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/ethernet/nics.h"
#include "models/tcp/stack.h"
#include "models/tcp/tcp.h"

#define NO_FULL_SEGMENT "no full segment fits into it"
#define SOCKET_RULE(rule, buffer)                                                                  \
    {                                                                                              \
        .name = (rule), .compares = buffer " with a segment of tcp.mtu",                           \
        .settings = {buffer, "tcp.mtu"}, .remedy = "a larger buffer, or a smaller MTU",            \
        .physics = true, .relation = RULE_AT_LEAST, .less = IP_HEADER + TCP_HEADER,                \
        .because = NO_FULL_SEGMENT,                                                                \
    }

static const struct scenario_rule tcp_rules[] = {
    ETHERNET_RULES("tcp", "tcp.mtu"),
    SOCKET_RULE("tcp_send_buffer", "tcp.send_buffer"),
    SOCKET_RULE("tcp_receive_buffer", "tcp.receive_buffer"),
    {0},
};

static const struct machine_kind *const tcp_machines[] = {&tcp_connection_machine,
                                                          &tcp_recovery_machine, NULL};

const struct model tcp_model = {
    .name = "tcp",
    .stands_on = (const char *const[]){"ethernet", "inet", NULL},
    .sections = (const struct scenario_section *const[]){tcp_sections, NULL},
    .rules = tcp_rules,
    .machines = tcp_machines,
};
