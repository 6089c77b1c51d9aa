// SPDX-License-Identifier: GPL-3.0-or-later
// Demultiplexing: the association or listening socket of a packet, and the card of an address.
#include "models/sctp_cmt/sctp/setup.h"

int64_t sctp_peer_key(int peer_station, uint16_t port, uint16_t peer_port)
{
    return (int64_t)peer_station << 32 | (int64_t)peer_port << 16 | port;
}

struct sctp_association *sctp_host_find(const struct sctp_host *host, int peer_station,
                                        uint16_t port, uint16_t peer_port)
{
    int64_t key = sctp_peer_key(peer_station, port, peer_port);
    return g_hash_table_lookup(host->by_peer, &key);
}

struct sctp_association *sctp_host_find_any(const struct sctp_host *host, const int *stations,
                                            int count, uint16_t port, uint16_t peer_port)
{
    struct sctp_association *found = NULL;
    for (int i = 0; i < count && !found; i++)
        found = sctp_host_find(host, stations[i], port, peer_port);
    return found;
}

bool sctp_uses_card(const struct sctp_socket *socket, const struct inet_interface *interface)
{
    for (int i = 0; socket->cards != 0; i++)
        if (inet_interface_at(interface->host, i) == interface)
            return socket->cards >> i & 1;
    return true;
}

struct sctp_socket *sctp_host_listener(const struct sctp_host *host,
                                       const struct inet_interface *interface, uint16_t port)
{
    for (guint i = 0; i < host->sockets->len; i++) {
        struct sctp_socket *socket = g_ptr_array_index(host->sockets, i);
        if (socket->listening && socket->port == port && sctp_uses_card(socket, interface))
            return socket;
    }
    return NULL;
}

// Addresses of the n-th cards form a subnet (inet_address), so it is the n-th if the socket uses it
// and it has a route; else the first that has one.
struct inet_interface *sctp_card_for(const struct sctp_socket *socket, int station)
{
    const struct inet_host *inet = socket->host->inet;
    struct inet_interface *first = NULL;
    for (int i = 0; i < inet_interfaces(inet); i++) {
        struct inet_interface *interface = inet_interface_at(inet, i);
        if (!sctp_uses_card(socket, interface) || !inet_route(interface, station))
            continue;
        if (inet_subnet(inet->cluster, inet_station(interface)) ==
            inet_subnet(inet->cluster, station))
            return interface;
        if (!first)
            first = interface;
    }
    return first;
}
