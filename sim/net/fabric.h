// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to sim/net: the parts of a network. Users of the network include network.h only.
//
// There are three kinds of channel. If both ends take packets in whole (stations, store-and-forward
// switches), a packet's departure is known when it joins the first-in first-out queue: it needs no
// event but the one at its arrival. If PAUSE frames may hold it up, or its queue asks for them,
// pause.c runs the queue. If an end is a cut-through switch, back-pressure decides, and wormhole.c
// runs the channel.
#ifndef NETSIM_NET_FABRIC_H
#define NETSIM_NET_FABRIC_H

#include "sim/core/link_load.h"
#include "sim/core/pool.h"
#include "sim/net/link.h"
#include "sim/net/network.h"
#include "sim/net/route.h"
#include "sim/net/switch.h"
#include "sim/net/worm.h"

struct ack_window;
struct channel;
struct disorder;
struct pausing;
struct repeater;

struct station {
    struct channel *out, *in;
    int host;
    bool limited;    // takes a packet only if it has a credit
    bool held;       // takes none, whatever its credits
    int64_t credits; // that no packet has taken
    station_receive_fn *receive;
    struct pause_offer pause;
    station_begin_fn *begin; // NULL: only whole packets are reported
    int64_t head;            // bytes of a frame after which begin is called
    void *owner;
    station_words_fn *words; // NULL: its packets have none
    void *words_owner;
};

// A channel from one switch to another.
struct neighbour {
    int node; // index of the other switch
    struct channel *channel;
};

struct fabric_switch {
    const char *name;
    const struct switch_config *config;
    const struct switch_discipline *discipline;
    struct channel **out; // by port, in the order of the topology's links
    int ports;
    int neighbour_count;
    struct neighbour *neighbours; // the neighbouring switches, by port
    int route_bytes;              // that it removes from a packet's front
};

// An end of a channel: either `station` or `node` is NULL.
struct channel_end {
    struct station *station;
    struct fabric_switch *node;
    int port; // of the switch
};

enum drop_cause {
    DROP_LOST,     // by the link's drop faults
    DROP_DOWN,     // the link was down
    DROP_FULL,     // no room in the output queue
    DROP_CHECK,    // a store-and-forward switch found a wrong check sequence
    DROP_UNWANTED, // no receiver is attached to the station
    DROP_CAUSES
};

// The drops on a channel by one cause.
struct drop_note {
    const char *reason; // interned; NULL before the first drop
    int64_t *count;     // sim_counter
};

// A packet that waits in an output queue leaves it when its transmission starts.
struct queue_entry {
    sim_time when; // it starts; where that is not yet known (pause.h), when it came
    int64_t bytes;
};

// The entries of an output queue, as a ring. Its capacity is a power of two and grows on
// demand.
struct output_queue {
    struct queue_entry *entries;
    uint32_t head, tail, capacity;
    int64_t limit, byte_limit; // packets, bytes; 0: no bound
    int64_t bytes;
};

// The counts of a channel that few packets touch.
struct seldom_counts {
    int64_t counts[LINK_COUNTS - LINK_SELDOM];
    GArray *drops; // by a card or host; NULL: none
};

// A channel's counts: a cache line, and the others from the first packet that they count.
struct link_meter {
    alignas(CACHE_LINE) int64_t counts[LINK_SELDOM];
    struct seldom_counts *seldom; // NULL: all are zero
};
_Static_assert(sizeof(struct link_meter) == CACHE_LINE, "networks have many links");

// One direction of a link, with the queue of the end that sends on it.
struct channel {
    // Fields that every packet touches.
    alignas(CACHE_LINE) struct network *network;
    struct worm *worm;  // NULL: both ends store and forward
    sim_time byte_time; // ps, or 0 if that is not a whole number
    sim_time delay;   // from sending the last bit (cut-through: the head) to the packet's event at
                      // the far end
    event_fn *arrive; // the packet's event there
    sim_time busy_until;        // when the last packet so far, and the gap after it, have left
    struct link_faults *faults; // NULL: none
    uint16_t preamble, gap, least_frame;
    uint8_t route_bytes; // R: that the switch at its end removes from a packet's front
    // Those that packets touch where an end stores them, or the link is busy.
    struct pausing *pausing; // NULL: the start of a packet is known when it enters
    struct output_queue queue;
    int64_t rate;
    struct channel_end from, to;
    int link, side, twin; // of the topology; twin: number among the parallel links of two nodes
    trace_lane wire_lane, queue_lane;
    struct drop_note *drop_notes; // by cause; NULL before the first drop
    // Of a link with a window: one of the two (repeater.h).
    struct ack_window *window;
    struct repeater *repeater;
    struct disorder *disorder; // NULL: packets arrive once and in order
    int64_t *risked;           // counter of packets left to chance; NULL: none is
    struct link_meter meter;
};

_Static_assert(offsetof(struct channel, pausing) == CACHE_LINE, "the line that each hop touches");
_Static_assert(sizeof(struct channel) == 5 * CACHE_LINE, "a large network has many");

struct flow_control;

struct network {
    struct sim *sim;
    struct engine *engine;
    const struct flow_control *flow; // of the cut-through switches
    int64_t *stops, *gos;            // sim_counter: symbols sent; NULL without them
    struct pool packets;
    uint64_t drops, hops, repeats;
    uint64_t walks;                   // of wormhole.c, to distinguish them
    network_deadlock_fn *on_deadlock; // NULL: no callback, or already called
    void *deadlock_owner;
    struct station *stations;
    int station_count, host_count, switch_count, channel_count;
    int *first_station; // by host; host_count + 1 entries
    struct fabric_switch *switches;
    struct worm *worms; // of the channels at cut-through switches
    // Link i: 2i leads from its first end to its second, 2i + 1 back; that of a loopback cable,
    // which has one direction, is all zero.
    struct channel *channels;
    const struct topology *topology;
    struct route_cache *routes;
};

// Serialisation time of `bytes` on the channel.
static inline sim_time channel_time(const struct channel *channel, int64_t bytes)
{
    return channel->byte_time ? bytes * channel->byte_time : time_of_bytes(bytes, channel->rate);
}

// Bytes of a frame on the wire: preamble, frame, padding.
static inline int64_t channel_bytes(const struct channel *channel, uint32_t wire_bytes)
{
    uint32_t frame = wire_bytes < channel->least_frame ? channel->least_frame : wire_bytes;
    return (int64_t)channel->preamble + frame;
}

// Like channel_bytes, for a packet with its route bytes on this channel and its idle byte times.
static inline int64_t channel_packet_bytes(const struct channel *channel,
                                           const struct packet *packet)
{
    return channel_bytes(channel, packet->wire_bytes) + packet->route_bytes + packet->idle;
}

// Counts a packet that begins on the channel, with `bytes` of channel_packet_bytes.
static inline void channel_count_packet(struct channel *channel, int64_t bytes, int64_t idle)
{
    channel->meter.counts[LINK_PACKETS]++;
    channel->meter.counts[LINK_BYTES] += bytes - channel->preamble - idle;
}

// Returns the channel's seldom counts, made with the first call.
struct seldom_counts *channel_seldom(struct channel *channel);

// Adds to one of the channel's seldom counts.
void channel_count_seldom(struct channel *channel, enum link_count which, int64_t more);

// Counts a packet that has come to the channel's end.
static inline void channel_count_arrived(struct channel *channel, bool corrupt)
{
    channel->meter.counts[LINK_ARRIVED]++;
    if (corrupt)
        channel_count_seldom(channel, LINK_CORRUPT, 1);
}

// Counts a packet at the end of its channel, where it is taken in whole. If it was cut on this
// cable and none of it was used, it has not arrived. The copy that a repeating link has marked bad
// is discarded.
void channel_count_end(struct channel *channel, const struct packet *packet);

// Notes how many packets wait for the channel.
static inline void channel_count_queue(struct channel *channel, int64_t packets, int64_t bytes,
                                       sim_time since)
{
    int64_t *counts = channel->meter.counts;
    if (packets > counts[LINK_QUEUE]) {
        counts[LINK_QUEUE] = packets;
        counts[LINK_QUEUE_WHEN] = since;
    }
    if (bytes > counts[LINK_QUEUE_BYTES])
        counts[LINK_QUEUE_BYTES] = bytes;
}

// "node0->switch0", or "node0->switch0#2" for the second of parallel links. The caller frees it.
char *channel_name(const struct channel *channel);

// Counts one more in *counter, which is made with the first; its name is `what` and the channel's.
void channel_count_loss(const struct channel *channel, int64_t **counter, const char *what,
                        enum sim_loss kind);

// Sets up a channel whose ends, link and side are set.
void channel_init(struct channel *channel, const struct link_config *config);
void channel_clear(struct channel *channel);

// Requests the channel for the packet now. `packet->sent` is scheduled for the time when it has
// left.
void channel_enter(struct channel *channel, struct packet *packet);

// A packet that has waited since `since` has the channel from `start`.
void channel_start(struct channel *channel, struct packet *packet, sim_time since, sim_time start);

// Of channel_start: the packet's `bytes` (channel_packet_bytes) occupy the channel, and count.
void channel_occupy(struct channel *channel, const struct packet *packet, sim_time start,
                    int64_t bytes);

// True if the queue can hold another packet of `bytes`.
bool output_queue_fits(const struct output_queue *queue, int64_t bytes);

// Adds a packet, or takes the first one out and returns its time (struct queue_entry).
void output_queue_put(struct output_queue *queue, sim_time when, int64_t bytes);
sim_time output_queue_take(struct output_queue *queue);

// Returns true and reserves the room if the queue can hold a packet of `bytes` until `start`.
bool output_queue_admit(struct output_queue *queue, sim_time now, sim_time start, int64_t bytes);

// Applies the link's faults to a packet on a channel: may mark it corrupt. Returns false and the
// cause if it is lost. The next packet waits until the channel's window (if any, and without a
// repeater) has room.
bool channel_judge(struct channel *channel, struct packet *packet, sim_time start, sim_time end,
                   enum drop_cause *cause);

extern const struct stage channel_packet_stage; // its bits go out
extern const struct stage channel_lost_stage;   // its bits go out, but it is lost
extern const struct stage channel_waits_stage;  // it waits in a port's queue

// The first packet of a message touches the wire: a step of the message's arrow.
void channel_trace_step(struct channel *channel, const struct packet *packet, sim_time when);

// Records that the packet gets the channel at `start` after waiting since `since`.
void channel_trace_packet(const struct channel *channel, const struct packet *packet,
                          sim_time since, sim_time start);

// Records the latency from `from`, when the packet's last bit (its head, before a cut-through
// switch) has left the sender, until its event at the far end.
void channel_trace_delay(const struct channel *channel, struct message_ref message, sim_time from);

// Drops the packet as packet_drop does, without a count of its own: the caller has counted it.
void packet_lose(struct network *network, struct packet *packet, const char *reason);

// The packet is lost on the channel or at its end: notes and counts the loss, and frees the packet.
void channel_drop(struct channel *channel, struct packet *packet, enum drop_cause cause);

// Calls the network's on_deadlock, once.
static inline void network_deadlocked(struct network *network)
{
    network_deadlock_fn *on_deadlock = network->on_deadlock;
    network->on_deadlock = NULL;
    if (on_deadlock)
        on_deadlock(network->deadlock_owner);
}

// The packet's event at a station: its last bit has arrived.
void station_arrive(struct engine *engine, struct event *event);

// Schedules the arrival of a packet that is on the channel from `start` to `end`. If the channel
// ends at a station that begins with a packet's head, the head arrives first.
void channel_schedule_arrival(struct channel *channel, struct packet *packet, sim_time start,
                              sim_time end);

#endif
