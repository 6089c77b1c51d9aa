// SPDX-License-Identifier: GPL-3.0-or-later
// The one list of what exists.
#include "models/ethernet/nics.h"
#include "models/libraries/libraries.h"
#include "models/mpi_tcp/stacks.h"
#include "models/tcp/tcp.h"
#include "models/via/stacks.h"
#include "sim/workload/stack.h"

static const struct stack *const stacks[] = {
    &lam_via_stack, &mvich_stack, &mvia_stack, &lam_tcp_stack, &mpich_p4_stack, &tcp_stack, NULL};

static const struct scenario_section *const sections[] = {
    ethernet_sections, library_sections, tcp_sections, mpi_tcp_sections, via_sections, NULL};

static const char *const nics[] = {"eepro100", "tulip", NULL};

static const struct stage_class_entry stage_classes[] = {
    {"TCP", "kernel"},
    {"checksum", "kernel"},
    {"agent", "kernel"},
    {"pin cache", "pin"},
    {"dreg", "pin"},
    {"delayed ACK", "waiting for ACK"},
    {"retransmission timer", "waiting for ACK"},
    {"probe timer", "waiting for window"},
    {0},
};

const struct registry model_registry = {
    .stacks = stacks, .sections = sections, .nics = nics, .stage_classes = stage_classes};
