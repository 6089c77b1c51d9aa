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
    int bursts; // that it has a virtual NIC for
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

// ---- Short messages ----

#define ICPT_VNIC 3 // of receivers
#define ICPT_SEEN 4096

// Opens ICPT_VNIC of a host, notes what becomes visible there, and takes it at once.
struct icpt_receiver {
    struct icpt_process *process;
    struct vnic *vnic;
    bool keeps; // takes nothing: set it before the world runs
    int count;
    int numbers[ICPT_SEEN], senders[ICPT_SEEN]; // of the messages that were taken
    int taken;
    sim_time last; // when the last one became visible
    int interrupts;
    sim_time interrupted; // when its handler was last called
};

struct icpt_receiver *icpt_receiver_new(struct world *world, int host, bool interrupts);

// The receiver takes all that is there, from `when` on.
void icpt_receiver_take_at(struct icpt_receiver *receiver, sim_time when);

// So many equal messages into a TX-CB, numbered from 0 on. One that is refused is not tried again.
struct icpt_burst {
    struct icpt_process *process;
    struct vnic *vnic;
    struct intercept_sm message;
    int nth, count, sent, refused;
    int rooms; // reports of room
    sim_time room_at;
    bool again; // goes on with the rest when there is room
};

// From a virtual NIC of its own of the host.
struct icpt_burst *icpt_burst_new(struct world *world, int from, int to, int count, uint16_t bytes);
void icpt_burst_start(struct icpt_burst *burst);
void icpt_burst_start_at(struct icpt_burst *burst, sim_time when);

#endif
