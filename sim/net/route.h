// SPDX-License-Identifier: GPL-3.0-or-later
// Routes: the channels that a packet enters from one station to another, in order.
//
// A route is computed at the first use of its pair: the given route of its hosts if the topology
// has one, else a shortest path, of those that up*/down* allows if the topology asks for it
// (up_down.h). Among equally near channels the pair decides (route.c), so that all packets of a
// pair take one route and the pairs are distributed evenly.
//
// The cache keeps the routes that route_find returns, so it grows with the pairs of connections. A
// sender of single packets to any station has each packet own its route (route_make): there are as
// many as packets under way.
#ifndef NETSIM_NET_ROUTE_H
#define NETSIM_NET_ROUTE_H

#include "sim/net/network.h"

struct channel;

#define ROUTE_MAX_LINKS 255

struct route {
    uint64_t pair; // from << 32 | to: the key of the cache
    uint16_t links;
    uint16_t route_bytes; // in front of a packet when it leaves the station
    uint32_t packets;     // that own it together; 0: the cache does
    struct channel *channels[];
};

_Static_assert(sizeof(struct route) == 16, "with six links it fills a cache line");

struct route_cache;

// The topology must outlive the cache, which looks given routes up in it.
struct route_cache *route_cache_new(struct network *network, const struct topology *topology);
void route_cache_free(struct route_cache *cache);
const struct route *route_find(struct route_cache *cache, int from, int to);
const struct route *route_back(struct route_cache *cache, int station);

// Like route_find, but the result is not kept: the caller owns it, and frees it with route_discard.
struct route *route_make(struct route_cache *cache, int from, int to);
void route_discard(struct route_cache *cache, struct route *route);

#endif
