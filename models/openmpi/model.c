// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/openmpi/btl.h"
#include "models/openmpi/pml.h"
#include "models/openmpi/stack.h"
#include "models/tcp/rules.h"

// Of a release: its rules are named by `prefix`, its section is `section`.
#define OPENMPI_RULES(prefix, section)                                                             \
    {                                                                                              \
        .name = prefix "_match_header",                                                            \
        .compares = "a match header of Open MPI's PML with the room that " section ".eager keeps", \
        .settings = {section ".match_header", section ".largest_header"},                          \
        .remedy = "a larger largest_header",                                                       \
        .because = "an eager fragment keeps room for the longest header of the PML",               \
    },                                                                                             \
        {                                                                                          \
            .name = prefix "_rendezvous_header",                                                   \
            .compares = "a rendezvous header of Open MPI's PML with the room that " section        \
                        ".eager keeps",                                                            \
            .settings = {section ".rendezvous_header", section ".largest_header"},                 \
            .remedy = "a larger largest_header",                                                   \
            .because = "an eager fragment keeps room for the longest header of the PML",           \
        },                                                                                         \
        TCP_SOCKET_RULE(prefix "_send_buffer", section ".send_buffer"),                            \
        TCP_SOCKET_RULE(prefix "_receive_buffer", section ".receive_buffer")

static const struct scenario_rule openmpi_rules[] = {
    OPENMPI_RULES("openmpi", "openmpi_tcp"),
    OPENMPI_RULES("openmpi5", "openmpi5_tcp"),
    {0},
};

static const struct machine_kind *const openmpi_machines[] = {&openmpi_request_machine,
                                                              &btl_machine, NULL};

const struct model openmpi_model = {
    .name = "openmpi",
    .stands_on = (const char *const[]){"ethernet", "inet", "tcp", NULL},
    .sections = (const struct scenario_section *const[]){openmpi_sections, NULL},
    .rules = openmpi_rules,
    .machines = openmpi_machines,
    .stacks = (const struct stack *const[]){&openmpi_tcp_stack, &openmpi5_tcp_stack, NULL},
};
