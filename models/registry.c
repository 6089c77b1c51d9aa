// SPDX-License-Identifier: GPL-3.0-or-later
// The one list of what exists.
#include "models/armci/armci.h"
#include "models/armci/benchmarks.h"
#include "models/ethernet/nics.h"
#include "models/grim/benchmarks.h"
#include "models/grim/ni.h"
#include "models/grim/stack.h"
#include "models/libraries/libraries.h"
#include "models/mpi_tcp/stacks.h"
#include "models/myrinet_gm/gm_stacks.h"
#include "models/myrinet_gm/lanai.h"
#include "models/tcp/tcp.h"
#include "models/via/stacks.h"
#include "sim/workload/stack.h"

static const struct stack *const stacks[] = {
    &lam_via_stack, &mvich_stack, &mvia_stack,  &lam_tcp_stack, &mpich_p4_stack,
    &tcp_stack,     &gm_stack,    &armci_stack, &grim_stack,    NULL};

static const struct scenario_section *const sections[] = {
    ethernet_sections, library_sections, tcp_sections, mpi_tcp_sections,
    via_sections,      lanai_sections,   gm_sections,  armci_sections,
    grim_sections,     grim_ni_sections, NULL};

static const char *const nics[] = {"eepro100", "tulip", "lanai4", "lanai7", "lanai9", NULL};

static const struct benchmark *const benchmarks[] = {gm_benchmarks, armci_benchmarks,
                                                     grim_benchmarks, NULL};

static const struct stage_class_entry stage_classes[] = {
    {"TCP", "kernel"},
    {"checksum", "kernel"},
    {"agent", "kernel"},
    {"pin cache", "pin"},
    {"dreg", "pin"},
    {"delayed ACK", "waiting for ACK"},
    {"retransmission timer", "waiting for ACK"},
    {"probe timer", "waiting for window"},
    {"resend timer", "waiting for ACK"},
    {"PIO", "bus"},
    {"interrupt line", "interrupt"},
    {"dispatch", "NIC"},
    {"timer", "NIC"},
    {"finish RDMA", "NIC"},
    {"finish receive", "NIC"},
    {"finish SDMA", "NIC"},
    {"finish send", "NIC"},
    {"start send", "NIC"},
    {"start SDMA", "NIC"},
    {"start RDMA", "NIC"},
    {"poll tokens", "NIC"},
    {"scan", "NIC"},
    {"sequence number", "NIC"},
    {"send message", "NIC"},
    {"scoreboard", "NIC"},
    {"second DMA", "NIC"},
    {"send control", "NIC"},
    {"receive packet", "NIC"},
    {"deliver", "NIC"},
    {"incoming queue", "NIC"},
    {"finish DMA", "NIC"},
    {"start fetch", "NIC"},
    {"finish fetch", "NIC"},
    {"host request", "NIC"},
    {"take ACK", "NIC"},
    {"take NACK", "NIC"},
    {"free message", "NIC"},
    {"walk", "NIC"},
    {"translation", "NIC"},
    {"remote memory", "NIC"},
    {"translate pages", "kernel"},
    {"registration", "pin"},
    {0},
};

const struct registry model_registry = {.stacks = stacks,
                                        .sections = sections,
                                        .nics = nics,
                                        .benchmarks = benchmarks,
                                        .stage_classes = stage_classes};
