// SPDX-License-Identifier: GPL-3.0-or-later
// The network of a scenario, built from a topology: stations (the hosts' ends of links), links and
// switches.
//
// The simulator source-routes every packet: the route (the links to enter, in order) of a pair of
// stations is computed once, and is a shortest (legal) path (route.h). Equal paths and parallel
// links are distributed by pair, so that packets of one pair keep their order and all links are
// used. Switches differ by discipline (switch.h).
#ifndef NETSIM_NET_NETWORK_H
#define NETSIM_NET_NETWORK_H

#include "sim/core/machine.h"
#include "sim/core/sim.h"
#include "sim/net/link.h"
#include "sim/net/packet.h"
#include "sim/net/switch.h"
#include "sim/net/topology.h"

#include <stdbool.h>

struct network;

// A packet's last bit has arrived at a station. The receiver now owns the packet and frees it with
// packet_free. It checks packet->corrupt as its hardware would.
typedef void station_receive_fn(void *owner, struct packet *packet);

// Checks what cut-through switches require of a topology that the configuration compiler has
// passed: their links must agree, and their slack must suffice. Returns false and adds diagnostics
// if the network cannot be built.
bool network_check(const struct topology *topology, struct diag_list *diags);

// Returns the first link that is configured to lose, damage or disorder packets, or NULL.
const struct topology_link *network_faulty_link(const struct topology *topology);

// Never returns NULL. The topology must have passed network_check and must outlive the network. The
// caller frees the result with network_free.
struct network *network_new(struct sim *sim, const struct topology *topology);
void network_free(struct network *network);

// Ends the loads of all packets that are still under way, wherever they are. To be called before
// the stacks are freed, if that precedes the network, since loads may belong to the stacks. No
// packet may be carried any further after it.
void network_release(struct network *network);

// Stations are numbered consecutively. A host has one per link, in the order of the topology's
// links; a loopback cable, from a host to itself, is one link of one station.
int network_stations(const struct network *network);
int network_host_stations(const struct network *network, int host);
int network_station(const struct network *network, int host, int nth);
int network_station_host(const struct network *network, int station);

// Returns the station at the far end of a station's cable: the station itself if it is a loopback
// cable, or -1 if the cable leads to a switch.
int network_peer_station(const struct network *network, int station);

void network_attach(struct network *network, int station, station_receive_fn *receive, void *owner);

// For traces: has packets that the station sends described in their protocol's words. The words
// have no text and no numbers before.
typedef void station_words_fn(void *owner, const struct packet *packet, struct trace_words *words);
void network_attach_words(struct network *network, int station, station_words_fn *words,
                          void *owner);

// The head of a packet has arrived at a station; its last bit will arrive at `last`. The network
// still owns the packet. If the cable is pulled out meanwhile, the packet arrives damaged.
typedef void station_begin_fn(void *owner, struct packet *packet, sim_time last);

// From now on calls `begin`, with the owner that was attached, when the first `bytes` bytes of a
// longer frame have arrived at the station. A packet does not pause on its last link, so the
// arrival of each byte is then known: network_station_in_time of the remaining bytes before `last`.
void network_attach_head(struct network *network, int station, int64_t bytes,
                         station_begin_fn *begin);

// Serialisation time of `bytes` on the link to a station.
sim_time network_station_in_time(const struct network *network, int station, int64_t bytes);

// Back-pressure of a station at a cut-through switch: from now on a packet can only enter the last
// link with a credit, which it consumes. There are none at first; network_credit grants one. A
// packet that is lost on the last link returns its credit. A packet without a credit is held in the
// network as before any busy link. A station without network_limit takes every packet, and so does
// a station at a store-and-forward switch.
void network_limit(struct network *network, int station);
void network_credit(struct network *network, int station);

// Holds a station that lags with received packets, or releases it. While held, it takes no further
// packet, whatever its credits. Has no effect without network_limit.
void network_hold(struct network *network, int station, bool held);

// The part of an end of a link in PAUSE frames (sim/net/pause.h): flags.
enum pause_mode {
    PAUSE_NONE,
    PAUSE_OBEY = 1,
    PAUSE_SEND = 2,
    PAUSE_FULL = PAUSE_OBEY | PAUSE_SEND
};

// A station's part.
struct pause_offer {
    int mode;       // enum pause_mode
    int64_t quanta; // of 512 bit times, for which it pauses its sender
    // If it comes to send them: as of network_attach_head, to follow the FIFO's level while a frame
    // arrives. NULL: not called.
    station_begin_fn *begin;
    int64_t head;
};

// After network_attach, before the first packet: a station at a store-and-forward end. It sends
// PAUSE frames if the other end of its cable obeys them, and obeys those that the other end sends.
void network_offer_pause(struct network *network, int station, const struct pause_offer *offer);

// True if the station sends PAUSE frames, as both ends are known now.
bool network_sends_pause(const struct network *network, int station);

// Has the station's sender paused from now on, or no longer. Does nothing if the station sends no
// PAUSE frames.
void network_pause(struct network *network, int station, bool hold);

// True if a packet that the station sends now, after all others have left, begins at once. If not,
// because of a PAUSE or of a PAUSE frame, schedules `again` (which belongs to the station, and may
// be pending) for the time when it should ask again.
bool network_station_free(struct network *network, int station, struct event *again);

// Returns the route from one station to another, or NULL if no path of links joins them. A station
// has a route to itself over a loopback cable only. The network owns and caches it.
const struct route *network_route(struct network *network, int from, int to);

// Sets a packet's route, like network_route, but the packet owns it, together with its copies: for
// senders of single packets to ever other stations, whose routes would fill the memory. Returns
// false if there is none.
bool packet_set_route(struct network *network, struct packet *packet, int from, int to);

// Gives a packet that has no route that of another one.
void packet_share_route(struct packet *packet, const struct packet *of);

// For cards that also send packets for themselves into the network: returns the route from a
// station to its switch and back, or NULL if its cable leads to no switch.
const struct route *network_route_back(struct network *network, int station);

int route_from(const struct route *route);
int route_to(const struct route *route);
int route_links(const struct route *route);
// Link `nth` (from 0) of the route, by its index in the topology. *side (may be NULL): 0 if packets
// go from the link's first end to its second, else 1.
int route_link(const struct route *route, int nth, int *side);

// At the switch at the end of link `nth` (from 0) of the route: the number of the port by which
// packets leave minus that by which they come, and the bytes that the switch removes from their
// front.
int route_turn(const struct route *route, int nth);
int route_turn_bytes(const struct route *route, int nth);

// Returns a packet with header, message, load and flags cleared. The caller owns it until
// network_send.
struct packet *packet_new(struct network *network);
void packet_free(struct network *network, struct packet *packet);

// Returns a second packet like `of`, with a load of its own, which no component carries yet.
struct packet *packet_copy(struct network *network, const struct packet *of);

// Drops the packet: reports the reason (static or interned) to the ledger, for its message or, if
// it has a load, for all that its load carries, and to a capture; and frees the packet.
void packet_drop(struct network *network, struct packet *packet, const char *reason);

// For a station's hardware: hands the rendered bytes of a packet that it sends or has received to
// the capture. `length` excludes the check sequence. The interface must be wanted (capture_wants).
void packet_capture(const struct network *network, const struct packet *packet, int interface,
                    enum capture_direction direction, const void *bytes, uint32_t length);

// Sends a packet (route and wire_bytes set; idle, if it has to take longer on the wire) from its
// route's first station, after the packets that the station is still sending. `sent` (an idle
// event, or NULL) is scheduled for the time when the packet's last bit and the gap after it have
// left and the station can send again.
void network_send(struct network *network, struct packet *packet, struct event *sent);

// Rate of the station's link in bits per second, and the time for which a packet of `wire_bytes`
// occupies it (with preamble and gap, without route bytes).
int64_t network_station_rate(const struct network *network, int station);
sim_time network_station_time(const struct network *network, int station, uint32_t wire_bytes);

// Time from network_send at a station that is sending nothing until byte `nth` (from 0) of the
// frame begins on the wire: that of the preamble and of the bytes before it.
sim_time network_station_byte_time(const struct network *network, int station, int64_t nth);

// For deadlock reports, when no event is left: describes the cycles of held ports in cut-through
// switches, one line per held channel, in the order in which they wait for one another; before them
// the links with a window that never pass their packets, as "link node0->switch0: 7 packets
// unacknowledged, link down". Returns NULL if nothing is held. The caller frees it with
// g_ptr_array_unref.
GPtrArray *network_describe_blocked(const struct network *network);

// Describes the first of those links and counts the others, or returns NULL if there is none. The
// caller frees it.
char *network_describe_stuck(const struct network *network);

// Packets that the link of a station has taken from it and never passes; 0 if it passes them, or
// repeats nothing.
int network_stuck_packets(const struct network *network, int station);

// True if packets hold ports in a cycle, rather than only before stations without a credit, or
// switches pause each other in one.
bool network_blocked_in_cycle(const struct network *network);

// Calls `on_deadlock` once, when the first cycle of held ports, or of paused switches, closes.
// Nothing can open it again. Timers above the network keep the event queue from ever running empty,
// so waiting for that is not enough.
typedef void network_deadlock_fn(void *owner);
void network_on_deadlock(struct network *network, network_deadlock_fn *on_deadlock, void *owner);

// Packets dropped in the network so far (faults, full queues, links that are down).
uint64_t network_drops(const struct network *network);

// Describes the drops so far on the links between two stations, in both directions, including
// packets of other pairs. There is one clause per link and cause, most drops first, with the
// setting that decides it: "37 packets lost on link node0->switch, 2 packets dropped, queue full at
// switch->node1 (switch.queue)". It also has the packets that links with a window repeated ("3
// packets repeated on link node0->switch") or never pass (network_describe_stuck). Returns NULL if
// there are none. The caller frees it.
char *network_describe_drops(struct network *network, int from, int to);

// Packets so far that links with a window sent again. By link the counters "packets repeated on
// link node0->switch0" have them, and "time-outs of link node0->switch0" count missing answers.
uint64_t network_repeats(const struct network *network);

// Returns the directions over which anything was to pass, in the order of the topology's links: an
// array of struct link_load * (sim/core/link_load.h). The caller frees it with g_ptr_array_unref.
GPtrArray *network_link_loads(const struct network *network);

// Moves the traffic over each channel since the last call into its slot of `loads` (struct
// link_load *, NULL as long as there is none), where it adds up; the channels' counts begin anew.
// A packet under way on a link of worms counts where it ends, or if the run `ends`.
void network_take_loads(struct network *network, GPtrArray *loads, bool ends);

// Hops so far: links entered by packets.
uint64_t network_hops(const struct network *network);

extern const struct machine_kind network_slack_machine; // STOP and GO

#endif
