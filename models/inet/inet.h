// SPDX-License-Identifier: GPL-3.0-or-later
// The Internet stack of a host below its transports: interfaces (a card with its transmit queue),
// demultiplexing by protocol number, processes that sleep on sockets, and timers of the kernel's
// clock. A transport (models/tcp) registers under its protocol number, makes packets and hands them
// to an interface, and receives those that arrive.
//
// Addresses are stations of the network; a capture shows them as IPv4 addresses (inet_address).
//
// Not modelled: ARP, ICMP, fragments, forwarding from one interface to another, options of IP.
#ifndef NETSIM_MODELS_INET_INET_H
#define NETSIM_MODELS_INET_INET_H

#include "models/inet/capture.h"
#include "models/inet/config.h"
#include "sim/cluster/cluster.h"
#include "sim/core/pool.h"

#include <glib.h>

struct inet_host;
struct inet_interface;
struct inet_timer;

// The packets of one connection: they leave in the order in which they were made, even if a process
// and an interrupt on two processors made them. All zero: empty.
struct inet_flow {
    struct packet *head, *tail;
};

// The Internet layer's part of a packet's header. Every transport's header begins with it.
struct inet_header {
    struct inet_flow *flow; // until the packet has left the host; NULL: it keeps no order with
                            // others
    uint16_t identification;
    uint8_t protocol; // RFC 790's number
    bool ready;       // it may leave now
};

// A transport.
struct inet_protocol {
    uint8_t number;
    // Called in the softirq: a packet of that number has arrived on an interface. The callee frees
    // it.
    void (*receive)(struct cpu_context *context, void *owner, struct inet_interface *interface,
                    struct packet *packet);
    // For captures: writes the bytes after IP's header, at most `room`, which the caller has
    // zeroed.
    void (*write)(const struct packet *packet, const struct inet_addresses *addresses,
                  uint8_t *bytes, uint32_t room);
    // For traces, as station_words_fn.
    void (*words)(const struct packet *packet, struct trace_words *words);
    // As in struct nic_protocol; NULL: never.
    bool (*polled)(struct cpu_context *context, void *owner);
};

// An interface: a card and the queue of packets before its ring.
struct inet_interface {
    struct inet_host *host;
    struct nic *nic;
    int64_t mtu; // bytes of an IP packet: as in the host's list of cards, or else the stack's
    struct packet *queue_head, *queue_tail;
    int64_t queue_length;
    int64_t pending;         // packets made that have not reached the queue yet
    int64_t since_interrupt; // frames given to the card since the last one with a transmit
                             // interrupt
};

#define INET_PROTOCOLS 4 // transports of one host

struct inet_host {
    struct sim *sim;
    struct cluster *cluster;
    struct host *host;
    const struct inet_config *config;
    GPtrArray *interfaces; // struct inet_interface *; in the order of the cards
    struct {
        const struct inet_protocol *ops;
        void *owner;
    } protocols[INET_PROTOCOLS];
    int protocol_count;
    GPtrArray *processes; // struct inet_process *
    uint16_t identification;
    struct inet_timer *expired_head, *expired_tail;
    struct pool timers;   // those that are armed
    sim_time tick_passed; // of the kernel's clock at time 0
    struct cpu_task timer_task;
    int64_t *queue_drops;
};

// The stack of a host, with an interface per card that the case's stack uses. `drops` names the
// counter of packets that a full transmit queue drops. The caller frees it with inet_host_free,
// after the run and after the transports.
struct inet_host *inet_host_new(struct cluster *cluster, struct host *host,
                                const struct inet_config *config, const char *drops);
void inet_host_free(struct inet_host *host);

// From now on packets of the protocol's number go to `ops`.
void inet_register(struct inet_host *host, const struct inet_protocol *ops, void *owner);

// ---- Interfaces and addresses ----
//
// A host's interfaces are numbered in the order of its cards, from 0 on; each has one address, the
// card's station. Cards with the same number at all hosts are one subnet (10.0.CARD.0/24), whether
// or not their network is one of its own.

int inet_interfaces(const struct inet_host *host); // how many
int inet_station(const struct inet_interface *interface);

// Returns the n-th interface, or NULL if the host has fewer.
struct inet_interface *inet_interface_at(const struct inet_host *host, int nth);

// Returns the interface whose own station this is, or NULL if the host has no such one.
struct inet_interface *inet_interface_of(const struct inet_host *host, int station);

// Returns the first interface whose card has a route to the station, or NULL if none has.
struct inet_interface *inet_interface_to(const struct inet_host *host, int station);

// Returns the interface that a kernel's routing table gives for the station: that of the same
// subnet if its card has a route there, else the first that has one. Returns NULL if none has.
struct inet_interface *inet_interface_toward(const struct inet_host *host, int station);

// Returns the route from an interface's card to a station, or NULL if there is none. The network
// owns it.
const struct route *inet_route(const struct inet_interface *interface, int station);

// Returns the largest IP packet that reaches a station from an interface: the smaller of the MTUs
// of both ends, as a transport learns it from the path (RFC 1191).
int64_t inet_path_mtu(const struct inet_interface *interface, int station);

// The addresses of a host of the cluster, which need not have a stack yet: the stations of its
// cards that the case's stack uses, in order. Writes at most `most` of them and returns how many
// there are.
int inet_stations(const struct cluster *cluster, int host, int *stations, int most);

// Returns the number of a station's card among those of its host, counted from 0, the unused ones
// included: that of its subnet.
int inet_subnet(const struct cluster *cluster, int station);

// The IPv4 address of a station (inet_address), and the station that has an address; -1 if none
// has.
uint32_t inet_station_address(const struct cluster *cluster, int station);
int inet_address_station(const struct cluster *cluster, uint32_t address);

// Returns the station by which this host reaches another one: the first station of the peer with a
// route from this host's first interface that has any. Returns -1 if there is none.
int inet_peer_station(const struct inet_host *host, const struct inet_host *peer);

// Returns a packet for `route` with an IP packet of `bytes` bytes. The caller writes its own header
// and sets the message.
struct packet *inet_packet_new(struct inet_interface *interface, const struct route *route,
                               int64_t bytes);
void inet_packet_free(struct inet_interface *interface, struct packet *packet);

// Charges the driver and hands the packet to the interface at the context's time after that. `flow`
// must outlive the packet's stay on the host; NULL: no flow.
void inet_send(struct cpu_context *context, struct inet_interface *interface, uint8_t protocol,
               struct inet_flow *flow, struct packet *packet);

// Like inet_send, for a packet that the card cuts from the one before it (segmentation offload):
// the driver was charged with that one.
void inet_send_part(struct cpu_context *context, struct inet_interface *interface, uint8_t protocol,
                    struct inet_flow *flow, struct packet *packet);

// Returns true if the interface's queue would drop another packet. Packets that are made but have
// not reached the queue count.
bool inet_full(const struct inet_interface *interface);

#endif
