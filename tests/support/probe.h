// SPDX-License-Identifier: GPL-3.0-or-later
// A network with plain stations, for tests: packets are sent at given times, and every arrival is
// kept.
//
// Each packet carries a message of its own, opened when it is sent. A station takes what arrives
// whole and drops what is corrupt, as a NIC would.
#ifndef NETSIM_TESTS_SUPPORT_PROBE_H
#define NETSIM_TESTS_SUPPORT_PROBE_H

#include "sim/net/network.h"

struct probe_packet {
    int from, to; // stations
    uint32_t wire_bytes;
    int number; // in the order of probe_send
    struct message_ref message;
    sim_time when;    // handed to the network
    sim_time left;    // it has left the station, by the network's report; -1: not yet
    sim_time arrived; // -1: not yet
    bool corrupt;

    struct event send, sent;
    struct probe *probe;
};

struct probe {
    struct sim *sim;
    struct network *network;
    GPtrArray *packets;  // struct probe_packet *, by number
    GPtrArray *arrivals; // the same, in order of arrival
};

// The topology must have passed network_check, and outlive the probe.
struct probe *probe_new(const struct topology *topology, uint64_t seed, struct trace *trace);
void probe_free(struct probe *probe);

// Like probe_new, with seed 1, but a topology that network_check refuses ends the running case.
struct probe *probe_checked(const struct topology *topology, struct trace *trace);

// Before the run, or from an event: sends one packet at `when`.
struct probe_packet *probe_send(struct probe *probe, sim_time when, int from, int to,
                                uint32_t wire_bytes);

// Until no event is left.
void probe_run(struct probe *probe);

#endif
