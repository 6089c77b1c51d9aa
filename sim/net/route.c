// SPDX-License-Identifier: GPL-3.0-or-later
// Where several channels are equally near, the first such choice of a route goes by the places of
// the two stations at their switches (destination modulo choices, turned by one for each round of
// sources): the pairs of a permutation, of a fan-in or of an all-to-all exchange are shared out
// exactly evenly. Later choices go by a hash of the pair, so that one choice does not decide the
// next.
#include "sim/net/route.h"

#include "sim/net/fabric.h"
#include "sim/net/up_down.h"

#define UNREACHED UINT16_MAX

struct route_cache {
    struct network *network;
    GHashTable *routes; // by pair of stations; the key is the route's first member
    GHashTable *given;  // by pair of hosts: GPtrArray of struct topology_route *
    // By destination switch, to it from each switch (up_down_distances, if ranks are there); NULL:
    // not yet computed.
    uint16_t **distances;
    int *ranks; // of up*/down*; NULL: any shortest path will do
};

// The choices of one route so far.
struct route_walk {
    struct route_cache *cache;
    uint64_t pair;
    struct channel *first, *last; // the channels of the two stations
    bool chosen;                  // there was a choice before
    struct channel *channels[ROUTE_MAX_LINKS];
    int links;
};

static uint64_t pair_key(int from, int to)
{
    return (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
}

// g_int64_hash only folds the halves, by which many pairs fall together.
static guint pair_hash(gconstpointer key)
{
    return (guint)((*(const uint64_t *)key * 0x9e3779b97f4a7c15u) >> 32);
}

static void given_add(GHashTable *given, struct topology_route *route)
{
    uint64_t key = pair_key(route->from, route->to);
    GPtrArray *routes = g_hash_table_lookup(given, &key);
    if (!routes) {
        routes = g_ptr_array_new();
        g_hash_table_insert(given, g_memdup2(&key, sizeof key), routes);
    }
    g_ptr_array_add(routes, route);
}

static bool goes_up_down(const struct network *network, const struct topology *topology)
{
    bool cuts_through = false;
    switch (topology->routing) {
    case TOPOLOGY_ROUTES_UP_DOWN:
        return true;
    case TOPOLOGY_ROUTES_SHORTEST:
        return false;
    case TOPOLOGY_ROUTES_DEFAULT:
        for (int i = 0; i < network->switch_count; i++)
            cuts_through |= !network->switches[i].discipline->stores;
        return cuts_through;
    }
    return false;
}

struct route_cache *route_cache_new(struct network *network, const struct topology *topology)
{
    struct route_cache *cache = g_new0(struct route_cache, 1);
    cache->network = network;
    cache->routes = g_hash_table_new_full(pair_hash, g_int64_equal, NULL, g_free);
    cache->given =
        g_hash_table_new_full(pair_hash, g_int64_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
    cache->distances = g_new0(uint16_t *, network->switch_count);
    cache->ranks = goes_up_down(network, topology) ? up_down_ranks(network) : NULL;
    for (guint i = 0; topology->routes && i < topology->routes->len; i++)
        given_add(cache->given, g_ptr_array_index(topology->routes, i));
    return cache;
}

void route_cache_free(struct route_cache *cache)
{
    if (!cache)
        return;
    g_hash_table_unref(cache->routes);
    g_hash_table_unref(cache->given);
    for (int i = 0; i < cache->network->switch_count; i++)
        g_free(cache->distances[i]);
    g_free(cache->distances);
    g_free(cache->ranks);
    g_free(cache);
}

// ---- Distances ----

static int switch_index(const struct network *network, const struct fabric_switch *node)
{
    return (int)(node - network->switches);
}

// Links from each switch to the destination. Links are duplex: the search goes out from the
// destination.
static uint16_t *distances_to(const struct network *network, int destination)
{
    uint16_t *distance = g_new(uint16_t, network->switch_count);
    int *queue = g_new(int, network->switch_count);
    for (int i = 0; i < network->switch_count; i++)
        distance[i] = UNREACHED;
    int head = 0, tail = 0;
    distance[destination] = 0;
    queue[tail++] = destination;
    while (head < tail) {
        const struct fabric_switch *node = &network->switches[queue[head++]];
        uint16_t next = (uint16_t)(distance[switch_index(network, node)] + 1);
        for (int i = 0; i < node->neighbour_count; i++) {
            int other = node->neighbours[i].node;
            if (distance[other] != UNREACHED)
                continue;
            distance[other] = next;
            queue[tail++] = other;
        }
    }
    g_free(queue);
    return distance;
}

static const uint16_t *route_distances(struct route_cache *cache, const struct fabric_switch *node)
{
    int index = switch_index(cache->network, node);
    if (!cache->distances[index])
        cache->distances[index] = cache->ranks
                                      ? up_down_distances(cache->network, cache->ranks, index)
                                      : distances_to(cache->network, index);
    return cache->distances[index];
}

// ---- Choices ----

// The place of a port among its switch's ports to stations.
static unsigned station_rank(const struct fabric_switch *node, int port)
{
    unsigned rank = 0;
    for (int i = 0; i < port; i++)
        rank += node->out[i]->to.station != NULL;
    return rank;
}

// A channel between two switches, one of `count` equal ones.
static unsigned route_choice(struct route_walk *walk, unsigned count)
{
    if (count == 1)
        return 0;
    if (!walk->chosen) {
        walk->chosen = true;
        unsigned from = station_rank(walk->first->to.node, walk->first->to.port);
        unsigned to = station_rank(walk->last->from.node, walk->last->from.port);
        return (to + from / count) % count;
    }
    uint64_t hash = (walk->pair + (uint64_t)walk->links) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93u;
    return (unsigned)((hash >> 32) % count);
}

// True if a walk may go on from a switch to this neighbour.
typedef bool route_step_fn(const struct neighbour *neighbour, const void *data);

// Takes one of the channels that lead on from the walk's end; false if there is none.
static bool route_step(struct route_walk *walk, route_step_fn *leads_on, const void *data)
{
    const struct fabric_switch *node = walk->channels[walk->links - 1]->to.node;
    unsigned count = 0;
    for (int i = 0; i < node->neighbour_count; i++)
        count += leads_on(&node->neighbours[i], data);
    if (count == 0 || walk->links == ROUTE_MAX_LINKS - 1)
        return false;
    unsigned choice = route_choice(walk, count);
    for (int i = 0; i < node->neighbour_count; i++) {
        if (!leads_on(&node->neighbours[i], data) || choice-- > 0)
            continue;
        walk->channels[walk->links++] = node->neighbours[i].channel;
        break;
    }
    return true;
}

// ---- Shortest paths ----

struct nearer {
    const uint16_t *distance; // to the goal, of each switch
    uint16_t wanted;
};

static bool leads_nearer(const struct neighbour *neighbour, const void *data)
{
    const struct nearer *nearer = data;
    return nearer->distance[neighbour->node] == nearer->wanted;
}

static bool walk_shortest(struct route_walk *walk)
{
    const struct network *network = walk->cache->network;
    const uint16_t *distance = route_distances(walk->cache, walk->last->from.node);
    uint16_t left = distance[switch_index(network, walk->first->to.node)];
    if (left == UNREACHED)
        return false;
    while (left > 0) {
        struct nearer nearer = {distance, --left};
        if (!route_step(walk, leads_nearer, &nearer))
            return false;
    }
    return true;
}

// ---- Up*/down* ----

struct legal_way {
    const uint16_t *distance; // up_down_distances
    const int *ranks;
    int from;
    bool gone_down;
    uint16_t wanted;
};

static bool leads_up(const struct legal_way *way, int node)
{
    return way->ranks[node] < way->ranks[way->from];
}

static bool leads_legally(const struct neighbour *neighbour, const void *data)
{
    const struct legal_way *way = data;
    bool up = leads_up(way, neighbour->node);
    return !(up && way->gone_down) && way->distance[2 * neighbour->node + !up] == way->wanted;
}

static bool walk_up_down(struct route_walk *walk)
{
    const struct network *network = walk->cache->network;
    struct legal_way way = {
        .distance = route_distances(walk->cache, walk->last->from.node),
        .ranks = walk->cache->ranks,
        .from = switch_index(network, walk->first->to.node),
    };
    way.wanted = way.distance[2 * way.from];
    if (way.wanted == UP_DOWN_UNREACHED)
        return false;
    while (way.wanted > 0) {
        way.wanted--;
        if (!route_step(walk, leads_legally, &way))
            return false;
        int next = switch_index(network, walk->channels[walk->links - 1]->to.node);
        way.gone_down |= !leads_up(&way, next);
        way.from = next;
    }
    return true;
}

static bool walk_computed(struct route_walk *walk)
{
    return walk->cache->ranks ? walk_up_down(walk) : walk_shortest(walk);
}

// ---- Given routes ----

struct given_hop {
    int node;
    int link; // -1: any
};

static bool leads_by_hop(const struct neighbour *neighbour, const void *data)
{
    const struct given_hop *hop = data;
    return neighbour->node == hop->node && (hop->link < 0 || neighbour->channel->link == hop->link);
}

static bool link_matches(const struct topology_route *given, guint hop,
                         const struct channel *channel)
{
    int link = g_array_index(given->links, int, hop);
    return link < 0 || link == channel->link;
}

static int given_switch(const struct network *network, const struct topology_route *given,
                        guint index)
{
    return g_array_index(given->via, int, index) - network->host_count;
}

// Follows a given route; false if it does not join these two stations of its hosts.
static bool walk_given(struct route_walk *walk, const struct topology_route *given)
{
    const struct network *network = walk->cache->network;
    guint hops = given->via->len;
    if (hops == 0 || !link_matches(given, 0, walk->first) ||
        !link_matches(given, hops, walk->last) ||
        switch_index(network, walk->first->to.node) != given_switch(network, given, 0) ||
        switch_index(network, walk->last->from.node) != given_switch(network, given, hops - 1))
        return false;
    for (guint i = 1; i < hops; i++) {
        struct given_hop hop = {given_switch(network, given, i),
                                g_array_index(given->links, int, i)};
        if (!route_step(walk, leads_by_hop, &hop))
            return false;
    }
    return true;
}

static bool walk_any_given(struct route_walk *walk, int from_host, int to_host)
{
    uint64_t key = pair_key(from_host, to_host);
    const GPtrArray *routes = g_hash_table_lookup(walk->cache->given, &key);
    for (guint i = 0; routes && i < routes->len; i++) {
        walk->links = 1;
        walk->chosen = false;
        if (walk_given(walk, g_ptr_array_index(routes, i)))
            return true;
    }
    walk->links = 1;
    walk->chosen = false;
    return false;
}

// ---- Routes ----

// The channel that ends at the station.
static struct channel *station_in(const struct network *network, int station)
{
    const struct channel *out = network->stations[station].out;
    return &network->channels[2 * out->link + !out->side];
}

static bool walk_route(struct route_walk *walk, int from, int to)
{
    const struct network *network = walk->cache->network;
    walk->channels[0] = walk->first;
    walk->links = 1;
    if (!walk->first->to.node || !walk->last->from.node)
        return walk->first == walk->last; // a link from host to host
    int from_host = network->stations[from].host, to_host = network->stations[to].host;
    if (!walk_any_given(walk, from_host, to_host) && !walk_computed(walk))
        return false;
    walk->channels[walk->links++] = walk->last;
    return true;
}

const struct route *route_find(struct route_cache *cache, int from, int to)
{
    struct network *network = cache->network;
    uint64_t pair = pair_key(from, to);
    struct route *route = g_hash_table_lookup(cache->routes, &pair);
    if (route || from == to)
        return route;
    struct route_walk walk = {
        .cache = cache,
        .pair = pair,
        .first = network->stations[from].out,
        .last = station_in(network, to),
    };
    if (!walk_route(&walk, from, to))
        return NULL;
    route = g_malloc(sizeof *route + (size_t)walk.links * sizeof(struct channel *));
    route->pair = pair;
    route->links = walk.links;
    route->route_bytes = 0;
    for (int i = 0; i < walk.links; i++) {
        const struct fabric_switch *node = walk.channels[i]->to.node;
        route->route_bytes += node ? (int)node->config->route_bytes : 0;
        route->channels[i] = walk.channels[i];
    }
    g_hash_table_insert(cache->routes, &route->pair, route);
    return route;
}

int route_from(const struct route *route)
{
    return (int)(route->pair >> 32);
}

int route_to(const struct route *route)
{
    return (int)(uint32_t)route->pair;
}

int route_links(const struct route *route)
{
    return route->links;
}
