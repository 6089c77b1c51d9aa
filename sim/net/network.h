// SPDX-License-Identifier: GPL-3.0-or-later
// The network of a scenario: stations (the host's ends of its links), links and switches, built
// from a topology.
//
// Every packet is source-routed in the simulator: its route (the links to enter, in order) is
// computed once for a pair of stations, shortest (legal) path first (route.h); equal paths and
// parallel links are shared out by pair, so that packets of one pair keep their order and all links
// are used. Switches differ by discipline (switch.h).
#ifndef NETSIM_NET_NETWORK_H
#define NETSIM_NET_NETWORK_H

#include "sim/core/sim.h"
#include "sim/net/link.h"
#include "sim/net/packet.h"
#include "sim/net/switch.h"
#include "sim/scenario/topology.h"

#include <stdbool.h>

struct network;

// A packet's last bit has arrived at a station. The receiver owns the packet now and ends with
// packet_free. It checks packet->corrupt as its hardware would.
typedef void station_receive_fn(void *owner, struct packet *packet);

// What cut-through switches ask of a topology that the configuration compiler has passed: that
// their links agree, and that their slack suffices. False and diagnostics if it can't be built.
bool network_check(const struct topology *topology, struct diag_list *diags);

// NULL never: the topology has passed network_check, and must outlive the network. Free with
// network_free.
struct network *network_new(struct sim *sim, const struct topology *topology);
void network_free(struct network *network);

// Stations are numbered through; a host has one for each of its links, in the order of the
// topology's links.
int network_stations(const struct network *network);
int network_host_stations(const struct network *network, int host);
int network_station(const struct network *network, int host, int nth);
int network_station_host(const struct network *network, int station);

void network_attach(struct network *network, int station, station_receive_fn *receive, void *owner);

// The head of a packet has arrived at a station; its last bit will at `last`. The packet is the
// network's still. If a cable is pulled under it meanwhile, it comes damaged.
typedef void station_begin_fn(void *owner, struct packet *packet, sim_time last);

// From now on the station is told when the first `bytes` bytes of a longer frame have arrived, with
// the owner that was attached. On its last link a packet does not pause, so that each of its bytes
// has its time then: network_station_in_time before `last` for those that are still to come.
void network_attach_head(struct network *network, int station, int64_t bytes,
                         station_begin_fn *begin);

// The time that `bytes` take on the link to a station.
sim_time network_station_in_time(const struct network *network, int station, int64_t bytes);

// Back-pressure of a station behind a cut-through switch: from now on it takes a packet only if it
// has a place for it. It has none at first, and network_place gives it one. A packet takes its
// place when it gets the last link, and one that is lost there gives it back; without a place it is
// held in the network like behind any link that is taken. A station that never calls this takes
// all, and so does one behind a switch that stores.
void network_limit(struct network *network, int station);
void network_place(struct network *network, int station);

// The station is behind with what has come, or no longer: while it is, such a station takes no
// further packet, whatever places it has. Without network_limit it takes all.
void network_hold(struct network *network, int station, bool held);

// The route from one station to another, or NULL if no path of links joins them. Owned by the
// network; cached.
const struct route *network_route(struct network *network, int from, int to);

int route_from(const struct route *route);
int route_to(const struct route *route);
int route_links(const struct route *route);
// At the switch behind link `nth` (from 0) of the route: the port by which packets leave less the
// one by which they come, and the bytes that the switch takes off their front.
int route_turn(const struct route *route, int nth);
int route_turn_bytes(const struct route *route, int nth);

// A packet with header, message and flags cleared.
struct packet *packet_new(struct network *network);
void packet_free(struct network *network, struct packet *packet);

// The packet is dropped: tells the ledger and a capture why (static or interned), and frees it.
void packet_drop(struct network *network, struct packet *packet, const char *reason);

// For a station's hardware that has rendered a packet it sends or has received: hands it to the
// capture. `length` without check sequence; `interface` is wanted (capture_wants).
void packet_capture(const struct network *network, const struct packet *packet, int interface,
                    enum capture_direction direction, const void *bytes, uint32_t length);

// Sends a packet (route and wire_bytes set; idle, if it has to take longer on the wire) from its
// route's first station: it takes its place behind the packets that the station is still sending.
// `sent` (an idle event, or NULL) is scheduled for when its last bit and the gap behind it have
// left and the station can send again.
void network_send(struct network *network, struct packet *packet, struct event *sent);

// Rate of the station's link in bits a second, and the time that a packet of `wire_bytes` occupies
// it (with preamble and gap, without route bytes).
int64_t network_station_rate(const struct network *network, int station);
sim_time network_station_time(const struct network *network, int station, uint32_t wire_bytes);

// Time from network_send at a station that is sending nothing until byte `nth` (from 0) of the
// frame begins on the wire: that of the preamble and of the bytes before it.
sim_time network_station_byte_time(const struct network *network, int station, int64_t nth);

// For deadlock reports, when no event is left: the cycles of held ports in cut-through switches, a
// line for each channel that is held, in the order in which they wait for one another. NULL if
// nothing is held; g_ptr_array_unref.
GPtrArray *network_describe_blocked(const struct network *network);

// Whether packets hold ports in a cycle, and not only in front of stations that have no place.
bool network_blocked_in_cycle(const struct network *network);

// Calls `on_deadlock` once, when a first cycle of held ports closes, which nothing can open again.
// With timers above the network events never run out: so waiting for that is not enough.
typedef void network_deadlock_fn(void *owner);
void network_on_deadlock(struct network *network, network_deadlock_fn *on_deadlock, void *owner);

// Packets dropped in the network so far (faults, full queues, links that are down).
uint64_t network_drops(const struct network *network);

// What was dropped so far on the links between two stations, there and back: a clause for each link
// and cause, the most first, with the setting that decides it: "37 packets lost on link
// node0->switch, 2 packets dropped, queue full at switch->node1 (switch.queue)". Of all packets
// there, also of other pairs. NULL: nothing. The caller frees it.
char *network_describe_drops(struct network *network, int from, int to);

// Hops that packets have made so far: links entered.
uint64_t network_hops(const struct network *network);

#endif
