// SPDX-License-Identifier: GPL-3.0-or-later
// The Internet stack of a host below its transports: interfaces (a card with its transmit queue),
// what comes in shared out by protocol number, processes that sleep on sockets, timers that count
// the kernel's clock. A transport (models/tcp) registers under its protocol number, makes packets
// and hands them to an interface, and gets those that arrive.
//
// Addresses are stations of the network; a capture shows them as IPv4 addresses (inet_address).
//
// Not modelled: ARP, ICMP, fragments, forwarding from one interface to another, options of IP.
#ifndef NETSIM_MODELS_INET_INET_H
#define NETSIM_MODELS_INET_INET_H

#include "models/inet/capture.h"
#include "models/inet/config.h"
#include "sim/cluster/cluster.h"

#include <glib.h>

struct inet_host;
struct inet_interface;
struct inet_timer;

// Packets that leave in the order in which they were made, also when a process and an interrupt on
// two processors made them: those of one connection. All zero: empty.
struct inet_flow {
    struct packet *head, *tail;
};

// What the Internet layer knows of a packet. The first member of every transport's own header in
// the packet.
struct inet_header {
    struct inet_flow *flow; // until the packet has left the host; NULL: it leaves by itself
    uint16_t identification;
    uint8_t protocol; // RFC 790's number
    bool ready;       // its time to leave has come
};

// A transport.
struct inet_protocol {
    uint8_t number;
    // In the interrupt handler's softirq: a packet of that number has come in on an interface. The
    // callee frees it.
    void (*receive)(struct cpu_context *context, void *owner, struct inet_interface *interface,
                    struct packet *packet);
    // For captures: writes what follows IP's header, at most `room` bytes, which are 0 before.
    void (*write)(const struct packet *packet, const struct inet_addresses *addresses,
                  uint8_t *bytes, uint32_t room);
};

// A card as the host uses it, with the packets that wait in front of the card's ring.
struct inet_interface {
    struct inet_host *host;
    struct nic *nic;
    int64_t mtu; // bytes of an IP packet
    struct packet *queue_head, *queue_tail;
    int64_t queue_length;
    int64_t pending;         // packets made that have not reached the queue
    int64_t since_interrupt; // frames given to the card since one was to report
};

#define INET_PROTOCOLS 4 // transports of one host

struct inet_host {
    struct sim *sim;
    struct cluster *cluster;
    struct host *host;
    const struct inet_config *config;
    GPtrArray *interfaces; // struct inet_interface *; the first is the one of the first card
    struct {
        const struct inet_protocol *ops;
        void *owner;
    } protocols[INET_PROTOCOLS];
    int protocol_count;
    GPtrArray *processes; // struct inet_process *
    uint16_t identification;
    struct inet_timer *expired_head, *expired_tail;
    struct cpu_task timer_task;
    int64_t *queue_drops;
};

// The stack of a host with an interface for each card that the case's stack uses. `drops` names
// the counter of packets that a full transmit queue drops. Free with inet_host_free, after the run
// and after the transports.
struct inet_host *inet_host_new(struct cluster *cluster, struct host *host,
                                const struct inet_config *config, const char *drops);
void inet_host_free(struct inet_host *host);

// Packets of the protocol's number go to `ops` from now on.
void inet_register(struct inet_host *host, const struct inet_protocol *ops, void *owner);

// The interface by which a station is reached: the first from whose card a way leads there. NULL if
// there is none.
struct inet_interface *inet_interface_to(const struct inet_host *host, int station);
int inet_station(const struct inet_interface *interface);

// The station of another host by which this one reaches it: of the first of its own interfaces
// from which a way leads there, the first that it leads to. -1: there is none.
int inet_peer_station(const struct inet_host *host, const struct inet_host *peer);

// A packet for `route`, whose IP packet has `bytes` bytes. The caller writes its own header and
// sets the message.
struct packet *inet_packet_new(struct inet_interface *interface, const struct route *route,
                               int64_t bytes);
void inet_packet_free(struct inet_interface *interface, struct packet *packet);

// Charges the driver, and hands the packet to the interface at the time that the context then has.
// `flow` must be there until the packet has left; NULL: the packet is of none.
void inet_send(struct cpu_context *context, struct inet_interface *interface, uint8_t protocol,
               struct inet_flow *flow, struct packet *packet);

// Whether the interface's queue would drop another packet: those that are made and have not reached
// it count as in it.
bool inet_full(const struct inet_interface *interface);

#endif
