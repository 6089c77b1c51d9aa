// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/openmpi/btl.h"
#include "models/openmpi/pml.h"
#include "models/openmpi/stack.h"
#include "models/tcp/rules.h"

static const struct scenario_rule openmpi_rules[] = {
    {
        .name = "openmpi_match_header",
        .compares = "a match header of Open MPI's PML with the room that openmpi_tcp.eager keeps",
        .settings = {"openmpi_tcp.match_header", "openmpi_tcp.largest_header"},
        .remedy = "a larger largest_header",
        .because = "an eager fragment keeps room for the longest header of the PML",
    },
    {
        .name = "openmpi_rendezvous_header",
        .compares =
            "a rendezvous header of Open MPI's PML with the room that openmpi_tcp.eager keeps",
        .settings = {"openmpi_tcp.rendezvous_header", "openmpi_tcp.largest_header"},
        .remedy = "a larger largest_header",
        .because = "an eager fragment keeps room for the longest header of the PML",
    },
    TCP_SOCKET_RULE("openmpi_send_buffer", "openmpi_tcp.send_buffer"),
    TCP_SOCKET_RULE("openmpi_receive_buffer", "openmpi_tcp.receive_buffer"),
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
    .stacks = (const struct stack *const[]){&openmpi_tcp_stack, NULL},
};
