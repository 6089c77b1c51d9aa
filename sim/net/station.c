// SPDX-License-Identifier: GPL-3.0-or-later
// A station at the far end of a channel: its credit, and the packets that arrive.
#include "sim/net/network.h"

#include "sim/net/fabric.h"
#include "sim/net/wormhole.h"

// ---- Credit ----

void network_limit(struct network *network, int station)
{
    network->stations[station].limited = true;
    struct channel *in = network->stations[station].in;
    if (in->worm)
        in->worm->to_limited = true;
}

void network_credit(struct network *network, int station)
{
    struct station *to = &network->stations[station];
    g_assert(to->limited);
    if (to->credits++ == 0 && !to->held && to->in->worm)
        worm_open(to->in);
}

void network_hold(struct network *network, int station, bool held)
{
    struct station *to = &network->stations[station];
    to->held = held;
    if (!held && to->in->worm && !worm_closed(to->in))
        worm_open(to->in);
}

// ---- Arrival ----

static sim_time station_head_time(const struct channel *channel)
{
    return channel_time(channel, channel->preamble + channel->to.station->head);
}

static void station_arrive_head(struct engine *engine, struct event *event)
{
    struct packet *packet = container_of(event, struct packet, event);
    struct channel *channel = packet->route->channels[packet->hop - 1];
    const struct station *station = channel->to.station;
    sim_time last = engine_now(engine) - station_head_time(channel) +
                    channel_time(channel, channel_packet_bytes(channel, packet));
    packet->begun = true;
    packet->event.run = channel->arrive;
    engine_schedule(engine, &packet->event, last);
    station->begin(station->owner, packet, last);
}

void channel_schedule_arrival(struct channel *channel, struct packet *packet, sim_time start,
                              sim_time end)
{
    const struct station *station = channel->to.station;
    bool begins = station && station->begin && packet->wire_bytes > station->head &&
                  packet->cut_on != PACKET_STOMPED;
    packet->event.run = begins ? station_arrive_head : channel->arrive;
    engine_schedule(channel->network->engine, &packet->event,
                    (begins ? start + station_head_time(channel) : end) + channel->delay);
}

// The cable was pulled out during the packet: little of it arrives, and its credit is returned. Or
// the packet was marked bad, and a link repeats it.
static void station_arrive_cut(const struct channel *channel, struct packet *packet)
{
    struct network *network = channel->network;
    const struct station *station = channel->to.station;
    if (packet->cut_on == PACKET_STOMPED)
        packet_free(network, packet);
    else
        channel_drop(&network->channels[packet->cut_on - 1], packet, DROP_DOWN);
    if (station->limited)
        network_credit(network, (int)(station - network->stations));
}

void station_arrive(struct engine *engine, struct event *event)
{
    (void)engine;
    struct packet *packet = container_of(event, struct packet, event);
    struct channel *channel = packet->route->channels[packet->hop - 1];
    const struct station *station = channel->to.station;
    packet->corrupt |= packet->cut_on && packet->begun;
    channel_count_end(channel, packet);
    if (packet->cut_on && !packet->begun)
        station_arrive_cut(channel, packet);
    else if (station->receive)
        station->receive(station->owner, packet);
    else
        channel_drop(channel, packet, DROP_UNWANTED);
}
