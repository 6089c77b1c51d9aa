// SPDX-License-Identifier: GPL-3.0-or-later
// Routes: the channels that a packet enters from one station to another, in order.
//
// A route is computed at the first use of its pair: the given route of its hosts if the topology
// has one, else a shortest path, of those that up*/down* allows if the topology asks for it
// (up_down.h). Among equally near channels the pair decides (route.c), so that all packets of a
// pair take one route and the pairs are distributed evenly.
#ifndef NETSIM_NET_ROUTE_H
#define NETSIM_NET_ROUTE_H

#include "sim/net/network.h"

struct channel;

#define ROUTE_MAX_LINKS 255

struct route {
    uint64_t pair; // from << 32 | to: the key of the cache
    int links;
    int route_bytes; // in front of a packet when it leaves the station
    struct channel *channels[];
};

struct route_cache;

// The topology must outlive the cache, which looks given routes up in it.
struct route_cache *route_cache_new(struct network *network, const struct topology *topology);
void route_cache_free(struct route_cache *cache);
const struct route *route_find(struct route_cache *cache, int from, int to);
const struct route *route_back(struct route_cache *cache, int station);

#endif
