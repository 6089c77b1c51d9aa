// SPDX-License-Identifier: GPL-3.0-or-later
// Intercept cards without software above them. The world has one process per host, whose jobs are
// what a driver does; `process->nic` is its card.
#ifndef NETSIM_TESTS_SUPPORT_WORLD_INTERCEPT_H
#define NETSIM_TESTS_SUPPORT_WORLD_INTERCEPT_H

#include "models/intercept/nic/nic.h"
#include "tests/support/world.h"

struct icpt_process {
    struct world_process process;
    struct intercept_nic *nic;
    struct host *host;
};

// A machine like system 1 of thesis 002, with links of 250 MB/s, 5 ns/m and no least frame. Every
// cost of the hosts' software is 0 but those of the section "intercept".
#define ICPT_MACHINE                                                                               \
    "schema: 1\n"                                                                                  \
    "name: t\n"                                                                                    \
    "stack: cards\n"                                                                               \
    "nic: intercept\n"                                                                             \
    "host:\n"                                                                                      \
    "  processor: {cores: 2, clock: 1 GHz}\n"                                                      \
    "  bus: {clock: 66.666667 MHz, width: 8 B, rate: 533.333333 MB/s, read_burst: 64 B,\n"         \
    "        read_setup: 63.3, write_burst: 256 B, write_setup: 9.5}\n"                            \
    "  kernel: {interrupt_entry: 0 ns, interrupt_exit: 0 ns, interrupt_latency: 1500 ns,\n"        \
    "           interrupt_ack: 0 ns, interrupt_unmask: 0 ns}\n"                                    \
    "link: {rate: 2 Gb/s, propagation: 25 ns, preamble: 0 B, gap: 0 B, least_frame: 0 B}\n"        \
    "workload: {program: []}\n"

// Two hosts, back to back with one cable.
#define ICPT_CABLE                                                                                 \
    ICPT_MACHINE "hosts: [{name: node, count: 2}]\n"                                               \
                 "links: [{from: node0, to: node1}]\n"

// A host whose card's one cable leads back to itself.
#define ICPT_LOOP                                                                                  \
    ICPT_MACHINE "hosts: [{name: node0}]\n"                                                        \
                 "links: [{from: node0, to: node0}]\n"

struct world *icpt_world_new(const char *text, const char *const *sets, struct trace *trace);

// Whether the scenario is refused with such a text in its complaints.
bool icpt_refused(const char *text, const char *const *sets, const char *complaint);

struct icpt_process *icpt_process(const struct world *world, int host);

#endif
