// SPDX-License-Identifier: GPL-3.0-or-later
// A host's stack: packets that arrive go to the transport of their protocol number.
#include "models/inet/interface.h"

#include "models/inet/socket.h"
#include "models/inet/timer.h"

// ---- Captures ----

uint32_t inet_station_address(const struct cluster *cluster, int station)
{
    int host = network_station_host(cluster->network, station);
    return inet_address(cluster->host_count, host, inet_subnet(cluster, station));
}

int inet_address_station(const struct cluster *cluster, uint32_t address)
{
    for (int host = 0; host < cluster->host_count; host++) {
        uint32_t first = inet_address(cluster->host_count, host, 0);
        uint32_t step = inet_address(cluster->host_count, host, 1) - first;
        if (address < first || (address - first) % step != 0)
            continue;
        uint32_t card = (address - first) / step;
        if (card < (uint32_t)network_host_stations(cluster->network, host))
            return network_station(cluster->network, host, (int)card);
    }
    return -1;
}

static void interface_frame_bytes(void *owner, const struct packet *packet, uint8_t *bytes,
                                  uint32_t room)
{
    const struct inet_interface *interface = owner;
    const struct inet_host *host = interface->host;
    const struct inet_header *header = (const void *)packet->header;
    const struct inet_addresses addresses = {
        inet_station_address(host->cluster, route_from(packet->route)),
        inet_station_address(host->cluster, route_to(packet->route)),
    };
    if (room < IP_HEADER)
        return;
    inet_write_header(bytes, &addresses, header->protocol, header->identification,
                      packet->wire_bytes - ETHERNET_HEADER - ETHERNET_FCS);
    for (int i = 0; i < host->protocol_count; i++)
        if (host->protocols[i].ops->number == header->protocol)
            host->protocols[i].ops->write(packet, &addresses, bytes + IP_HEADER, room - IP_HEADER);
}

static void interface_words(void *owner, const struct packet *packet, struct trace_words *words)
{
    const struct inet_host *host = ((const struct inet_interface *)owner)->host;
    const struct inet_header *header = (const void *)packet->header;
    for (int i = 0; i < host->protocol_count; i++)
        if (host->protocols[i].ops->number == header->protocol && host->protocols[i].ops->words)
            host->protocols[i].ops->words(packet, words);
}

// ---- Receiving ----

static void interface_receive(struct cpu_context *context, void *owner, struct packet *packet)
{
    struct inet_interface *interface = owner;
    struct inet_host *host = interface->host;
    uint8_t number = packet_header(packet, struct inet_header)->protocol;
    for (int i = 0; i < host->protocol_count; i++) {
        if (host->protocols[i].ops->number != number)
            continue;
        host->protocols[i].ops->receive(context, host->protocols[i].owner, interface, packet);
        return;
    }
    packet_drop(host->cluster->network, packet, "no transport of its protocol number");
}

static bool interface_polled(struct cpu_context *context, void *owner)
{
    struct inet_host *host = ((struct inet_interface *)owner)->host;
    bool any = false;
    for (int i = 0; i < host->protocol_count; i++)
        if (host->protocols[i].ops->polled)
            any |= host->protocols[i].ops->polled(context, host->protocols[i].owner);
    return any;
}

static const struct nic_protocol ip_protocol = {
    .receive = interface_receive,
    .polled = interface_polled,
    .sent = inet_interface_sent,
    .frame_bytes = interface_frame_bytes,
    .words = interface_words,
};

void inet_register(struct inet_host *host, const struct inet_protocol *ops, void *owner)
{
    g_assert(host->protocol_count < INET_PROTOCOLS);
    host->protocols[host->protocol_count].ops = ops;
    host->protocols[host->protocol_count++].owner = owner;
}

// ---- Create and free ----

static void add_interface(struct inet_host *host, int station)
{
    struct nic *nic = ethernet_nic_at(host->cluster, station);
    if (host->cluster->cards[station].idle)
        return;
    struct inet_interface *interface = g_new0(struct inet_interface, 1);
    interface->host = host;
    interface->nic = nic;
    int64_t own = host->cluster->cards[station].mtu;
    interface->mtu = own > 0 ? own : host->config->mtu;
    nic_set_mtu(nic, interface->mtu);
    g_ptr_array_add(host->interfaces, interface);
    nic_register(nic, IP_ETHERTYPE, &ip_protocol, interface);
}

struct inet_host *inet_host_new(struct cluster *cluster, struct host *host,
                                const struct inet_config *config, const char *drops)
{
    struct inet_host *inet = g_new0(struct inet_host, 1);
    inet->sim = cluster->sim;
    inet->cluster = cluster;
    inet->host = host;
    inet->config = config;
    inet->interfaces = g_ptr_array_new_with_free_func(g_free);
    inet->processes = g_ptr_array_new_with_free_func(g_free);
    inet->queue_drops = sim_loss_counter(inet->sim, drops, LOSS_DROPPED);
    inet_timers_init(inet);
    for (int nth = 0; nth < network_host_stations(cluster->network, host->index); nth++)
        add_interface(inet, network_station(cluster->network, host->index, nth));
    return inet;
}

void inet_host_free(struct inet_host *host)
{
    if (!host)
        return;
    g_ptr_array_free(host->interfaces, TRUE);
    g_ptr_array_free(host->processes, TRUE);
    inet_timers_clear(host);
    g_free(host);
}
