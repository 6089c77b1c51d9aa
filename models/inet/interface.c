// SPDX-License-Identifier: GPL-3.0-or-later
// Interfaces: from a transport to a card.
#include "models/inet/interface.h"
#include "sim/core/fifo.h"

int inet_station(const struct inet_interface *interface)
{
    return nic_station(interface->nic);
}

int inet_interfaces(const struct inet_host *host)
{
    return (int)host->interfaces->len;
}

struct inet_interface *inet_interface_at(const struct inet_host *host, int nth)
{
    return nth >= 0 && nth < inet_interfaces(host) ? g_ptr_array_index(host->interfaces, (guint)nth)
                                                   : NULL;
}

struct inet_interface *inet_interface_of(const struct inet_host *host, int station)
{
    for (int i = 0; i < inet_interfaces(host); i++)
        if (inet_station(inet_interface_at(host, i)) == station)
            return inet_interface_at(host, i);
    return NULL;
}

const struct route *inet_route(const struct inet_interface *interface, int station)
{
    return network_route(interface->host->cluster->network, inet_station(interface), station);
}

int64_t inet_path_mtu(const struct inet_interface *interface, int station)
{
    int64_t peer = interface->host->cluster->cards[station].mtu;
    return MIN(interface->mtu, peer > 0 ? peer : interface->host->config->mtu);
}

int inet_subnet(const struct cluster *cluster, int station)
{
    int host = network_station_host(cluster->network, station);
    return station - network_station(cluster->network, host, 0);
}

int inet_stations(const struct cluster *cluster, int host, int *stations, int most)
{
    int count = 0;
    for (int nth = 0; nth < network_host_stations(cluster->network, host); nth++) {
        int station = network_station(cluster->network, host, nth);
        if (cluster->cards[station].idle)
            continue;
        if (count < most)
            stations[count] = station;
        count++;
    }
    return count;
}

struct inet_interface *inet_interface_toward(const struct inet_host *host, int station)
{
    const struct cluster *cluster = host->cluster;
    for (int i = 0; i < inet_interfaces(host); i++) {
        struct inet_interface *interface = inet_interface_at(host, i);
        int own = inet_station(interface);
        if (inet_subnet(cluster, own) == inet_subnet(cluster, station) &&
            inet_route(interface, station))
            return interface;
    }
    return inet_interface_to(host, station);
}

struct inet_interface *inet_interface_to(const struct inet_host *host, int station)
{
    for (guint i = 0; i < host->interfaces->len; i++) {
        struct inet_interface *interface = g_ptr_array_index(host->interfaces, i);
        if (inet_route(interface, station))
            return interface;
    }
    return NULL;
}

int inet_peer_station(const struct inet_host *host, const struct inet_host *peer)
{
    for (guint i = 0; i < host->interfaces->len; i++) {
        int from = inet_station(g_ptr_array_index(host->interfaces, i));
        for (guint k = 0; k < peer->interfaces->len; k++) {
            int to = inet_station(g_ptr_array_index(peer->interfaces, k));
            if (network_route(host->cluster->network, from, to))
                return to;
        }
    }
    return -1;
}

struct packet *inet_packet_new(struct inet_interface *interface, const struct route *route,
                               int64_t bytes)
{
    struct packet *packet = packet_new(interface->host->cluster->network);
    packet->protocol = IP_ETHERTYPE;
    packet->route = route;
    packet->wire_bytes = (uint32_t)(ETHERNET_HEADER + bytes + ETHERNET_FCS);
    return packet;
}

void inet_packet_free(struct inet_interface *interface, struct packet *packet)
{
    packet_free(interface->host->cluster->network, packet);
}

// ---- The queue ----

// Puts a frame into the card's ring. The one that fills the ring reports when it has left, and so
// does one in transmit_interrupt.
static void ring_put(struct inet_interface *interface, struct packet *packet)
{
    bool last = nic_tx_room(interface->nic) == 1;
    void *token = NULL;
    if (++interface->since_interrupt >= interface->host->config->transmit_interrupt || last) {
        token = interface;
        interface->since_interrupt = 0;
    }
    nic_transmit(interface->nic, packet, token);
}

bool inet_full(const struct inet_interface *interface)
{
    int64_t room = interface->queue_head ? 0 : nic_tx_room(interface->nic);
    return interface->queue_length + interface->pending >= interface->host->config->queue + room;
}

static void queue_put(struct inet_interface *interface, struct packet *packet)
{
    struct inet_host *host = interface->host;
    interface->pending--;
    if (!interface->queue_head && nic_tx_room(interface->nic) > 0) {
        ring_put(interface, packet);
        return;
    }
    if (interface->queue_length == host->config->queue) {
        (*host->queue_drops)++;
        packet_drop(host->cluster->network, packet, "transmit queue full");
        return;
    }
    FIFO_APPEND(interface->queue_head, interface->queue_tail, packet, next);
    interface->queue_length++;
}

void inet_interface_sent(struct cpu_context *context, void *owner, void *token)
{
    struct inet_interface *interface = owner;
    (void)context;
    (void)token;
    while (interface->queue_head && nic_tx_room(interface->nic) > 0) {
        struct packet *packet = interface->queue_head;
        interface->queue_head = packet->next;
        interface->queue_length--;
        ring_put(interface, packet);
    }
}

// ---- Sending ----

static struct inet_header *header_to_fill(struct packet *packet)
{
    return packet_header(packet, struct inet_header);
}

static void flow_leave(struct inet_flow *flow)
{
    struct packet *packet;
    while ((packet = flow->head) && header_to_fill(packet)->ready) {
        flow->head = packet->next;
        header_to_fill(packet)->flow = NULL;
        queue_put(packet->token, packet);
    }
}

static void leave_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct packet *packet = container_of(event, struct packet, event);
    struct inet_header *header = header_to_fill(packet);
    header->ready = true;
    if (header->flow)
        flow_leave(header->flow);
    else
        queue_put(packet->token, packet);
}

static void make_leave(struct cpu_context *context, struct inet_interface *interface,
                       struct packet *packet)
{
    packet->token = interface;
    packet->event.run = leave_event;
    cpu_post(context, &packet->event);
}

static void enter_flow(struct inet_interface *interface, uint8_t protocol, struct inet_flow *flow,
                       struct packet *packet)
{
    *header_to_fill(packet) = (struct inet_header){
        .flow = flow,
        .identification = interface->host->identification++,
        .protocol = protocol,
    };
    if (flow)
        FIFO_APPEND(flow->head, flow->tail, packet, next);
    interface->pending++;
}

void inet_send(struct cpu_context *context, struct inet_interface *interface, uint8_t protocol,
               struct inet_flow *flow, struct packet *packet)
{
    const struct nic_config *card = nic_config(interface->nic);
    enter_flow(interface, protocol, flow, packet);
    cpu_spend_for(context, card->tx_frame, &stage_driver, packet->message);
    cpu_spend_for(context, card->doorbell, &stage_driver, packet->message);
    make_leave(context, interface, packet);
}

void inet_send_part(struct cpu_context *context, struct inet_interface *interface, uint8_t protocol,
                    struct inet_flow *flow, struct packet *packet)
{
    enter_flow(interface, protocol, flow, packet);
    make_leave(context, interface, packet);
}
