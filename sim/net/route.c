// SPDX-License-Identifier: GPL-3.0-or-later
// Among several equally near channels, the first such choice of a route depends on the positions of
// the two stations at their switches (destination modulo choices, rotated by one per round of
// sources): the pairs of a permutation, of a fan-in or of an all-to-all exchange are distributed
// exactly evenly. Later choices use a hash of the pair, so that one choice does not decide the
// next.
#include "sim/net/route.h"

#include "sim/core/huge.h"
#include "sim/net/fabric.h"
#include "sim/net/up_down.h"

#include <string.h>

#define UNREACHED UINT16_MAX
#define FIRST_PLACES 64
#define FIRST_BLOCK ((size_t)1 << 10)
#define LARGEST_BLOCK ((size_t)2 << 20)

#define ROUTE_LINE 64
#define ROUTE_CLASSES 6 // the longest has ROUTE_MAX_LINKS links: 32 cache lines

struct hop_key {
    int node;
    GArray *hops; // of struct route_cache; their index in it is `at`
    uint32_t at;
};

// A station's position: its switch (-1: none), and its index among the stations of that switch.
struct route_end {
    int node;
    unsigned rank;
};

struct route_block {
    struct route_block *next;
    size_t used, size;
    alignas(CACHE_LINE) char routes[];
};

struct route_cache {
    struct network *network;
    // By pair of stations: a hash table with linear probing, at most half full.
    struct route **places; // NULL: free
    uint64_t place_count;  // a power of two
    uint64_t routes;
    struct route_block *blocks; // memory of the routes, one after another; the newest block first
    struct pool owned[ROUTE_CLASSES];          // routes that packets own, by length (route_class)
    struct route_end *ends;                    // by station
    struct channel *channels[ROUTE_MAX_LINKS]; // of one walk
    GHashTable *given; // by pair of hosts: GPtrArray of struct topology_route *
    // By destination switch: the distance from each switch (up_down_distances if there are ranks);
    // NULL: not yet computed.
    uint16_t **distances;
    int *ranks; // of up*/down*; NULL: any shortest path will do
    // By destination switch, from each switch (like distances): 1 + the index in `hops` of the
    // number of neighbours that lead on, followed by their numbers; 0: not yet computed. Equal
    // lists of a switch are stored once.
    uint32_t **ways;
    GArray *hops;           // uint16_t
    GHashTable *known_hops; // from struct hop_key to that index
};

// The choices of one route so far.
struct route_walk {
    struct route_cache *cache;
    uint64_t pair;
    const struct route_end *from, *to;
    int node;    // the switch where it is
    bool chosen; // a choice was made before
    int links;
    int route_bytes;           // of the switches so far
    struct channel **channels; // the cache's
};

static uint64_t pair_key(int from, int to)
{
    return (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
}

// g_int64_hash only folds the halves, so that many pairs collide.
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

static const uint16_t *hops_at(const GArray *hops, uint32_t at)
{
    return &g_array_index(hops, uint16_t, at);
}

static guint hop_key_hash(gconstpointer data)
{
    const struct hop_key *key = data;
    const uint16_t *hops = hops_at(key->hops, key->at);
    guint hash = (guint)key->node;
    for (int i = 0; i <= hops[0]; i++)
        hash = 31 * hash + hops[i];
    return hash;
}

static gboolean hop_key_equal(gconstpointer a, gconstpointer b)
{
    const struct hop_key *x = a, *y = b;
    const uint16_t *left = hops_at(x->hops, x->at), *right = hops_at(y->hops, y->at);
    size_t bytes = (1 + (size_t)left[0]) * sizeof *left;
    return x->node == y->node && left[0] == right[0] && memcmp(left, right, bytes) == 0;
}

static struct route_end *route_ends(const struct network *network)
{
    struct route_end *ends = g_new(struct route_end, network->station_count);
    for (int i = 0; i < network->station_count; i++)
        ends[i].node = -1; // unless it is at a switch
    for (int i = 0; i < network->switch_count; i++) {
        const struct fabric_switch *node = &network->switches[i];
        unsigned rank = 0;
        for (int port = 0; port < node->ports; port++) {
            const struct station *station = node->out[port]->to.station;
            if (station)
                ends[station - network->stations] = (struct route_end){i, rank++};
        }
    }
    return ends;
}

struct route_cache *route_cache_new(struct network *network, const struct topology *topology)
{
    struct route_cache *cache = g_new0(struct route_cache, 1);
    cache->network = network;
    cache->place_count = FIRST_PLACES;
    cache->places = g_new0(struct route *, FIRST_PLACES);
    for (int i = 0; i < ROUTE_CLASSES; i++)
        pool_init(&cache->owned[i], (size_t)ROUTE_LINE << i);
    cache->ends = route_ends(network);
    cache->given =
        g_hash_table_new_full(pair_hash, g_int64_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
    cache->distances = g_new0(uint16_t *, network->switch_count);
    cache->ways = g_new0(uint32_t *, network->switch_count);
    cache->hops = g_array_new(FALSE, FALSE, sizeof(uint16_t));
    cache->known_hops = g_hash_table_new_full(hop_key_hash, hop_key_equal, g_free, NULL);
    cache->ranks = goes_up_down(network, topology) ? up_down_ranks(network) : NULL;
    for (guint i = 0; topology->routes && i < topology->routes->len; i++)
        given_add(cache->given, g_ptr_array_index(topology->routes, i));
    return cache;
}

void route_cache_free(struct route_cache *cache)
{
    if (!cache)
        return;
    g_free(cache->places);
    while (cache->blocks) {
        struct route_block *next = cache->blocks->next;
        huge_free(cache->blocks);
        cache->blocks = next;
    }
    for (int i = 0; i < ROUTE_CLASSES; i++)
        pool_clear(&cache->owned[i]);
    g_free(cache->ends);
    g_hash_table_unref(cache->given);
    for (int i = 0; i < cache->network->switch_count; i++) {
        g_free(cache->distances[i]);
        g_free(cache->ways[i]);
    }
    g_free(cache->distances);
    g_free(cache->ways);
    g_array_unref(cache->hops);
    g_hash_table_unref(cache->known_hops);
    g_free(cache->ranks);
    g_free(cache);
}

// ---- Distances ----

static int switch_index(const struct network *network, const struct fabric_switch *node)
{
    return (int)(node - network->switches);
}

// Links from each switch to the destination. Links are duplex, so the search starts at the
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

static const uint16_t *route_distances(struct route_cache *cache, int index)
{
    if (!cache->distances[index])
        cache->distances[index] = cache->ranks
                                      ? up_down_distances(cache->network, cache->ranks, index)
                                      : distances_to(cache->network, index);
    return cache->distances[index];
}

// ---- Choices ----

// Chooses a channel between two switches, one of `count` equal ones.
static unsigned route_choice(struct route_walk *walk, unsigned count)
{
    if (count == 1)
        return 0;
    if (!walk->chosen) {
        walk->chosen = true;
        return (walk->to->rank + walk->from->rank / count) % count;
    }
    uint64_t hash = (walk->pair + (uint64_t)walk->links) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93u;
    return (unsigned)((hash >> 32) % count);
}

// Extends the walk to a neighbour of its switch. Returns false if the walk is too long.
static bool route_step(struct route_walk *walk, int neighbour)
{
    const struct fabric_switch *switches = walk->cache->network->switches;
    const struct neighbour *next = &switches[walk->node].neighbours[neighbour];
    if (walk->links == ROUTE_MAX_LINKS - 1)
        return false;
    walk->channels[walk->links++] = next->channel;
    walk->node = next->node;
    walk->route_bytes += switches[next->node].route_bytes;
    return true;
}

// ---- Computed routes ----

// The position of a computed walk. The phase is 1 after it has gone down, as far as that matters.
struct way_point {
    const uint16_t *distance; // to the destination, by switch, or by switch and phase
    const int *ranks;         // NULL: any shortest path
    int node, phase;
};

static bool leads_up(const struct way_point *point, int node)
{
    return point->ranks && point->ranks[node] < point->ranks[point->node];
}

static uint16_t way_left(const struct way_point *point)
{
    return point->ranks ? point->distance[2 * point->node + point->phase]
                        : point->distance[point->node];
}

// Like way_left, but from a neighbour; UNREACHED if the walk may not go there.
static uint16_t way_left_from(const struct way_point *point, int node)
{
    bool up = leads_up(point, node);
    struct way_point next = {point->distance, point->ranks, node, point->ranks && !up};
    return up && point->phase ? UNREACHED : way_left(&next);
}

// Returns the index in `hops` of the neighbours that lead nearer to the destination.
static uint32_t hops_find(struct route_cache *cache, int destination, struct way_point *point)
{
    point->distance = route_distances(cache, destination);
    const struct fabric_switch *node = &cache->network->switches[point->node];
    GArray *hops = cache->hops;
    uint16_t left = way_left(point), count = 0;
    guint at = hops->len;
    g_array_append_val(hops, count);
    for (int i = 0; i < node->neighbour_count; i++) {
        uint16_t neighbour = (uint16_t)i;
        if (left == UNREACHED || way_left_from(point, node->neighbours[i].node) != left - 1)
            continue;
        g_array_append_val(hops, neighbour);
        count++;
    }
    g_array_index(hops, uint16_t, at) = count;
    struct hop_key key = {point->node, hops, at};
    gpointer known;
    if (g_hash_table_lookup_extended(cache->known_hops, &key, NULL, &known)) {
        g_array_set_size(hops, at);
        return GPOINTER_TO_UINT(known);
    }
    g_hash_table_insert(cache->known_hops, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(at));
    return at;
}

static const uint16_t *route_hops(struct route_cache *cache, int destination,
                                  struct way_point *point)
{
    uint32_t **ways = &cache->ways[destination];
    if (!*ways)
        *ways = g_new0(uint32_t, 2 * (size_t)cache->network->switch_count);
    uint32_t *way = &(*ways)[2 * point->node + point->phase];
    if (*way == 0)
        *way = 1 + hops_find(cache, destination, point);
    return hops_at(cache->hops, *way - 1);
}

static bool walk_computed(struct route_walk *walk)
{
    struct route_cache *cache = walk->cache;
    struct way_point point = {.ranks = cache->ranks, .node = walk->node};
    while (walk->node != walk->to->node) {
        const uint16_t *hops = route_hops(cache, walk->to->node, &point);
        if (hops[0] == 0 || !route_step(walk, hops[1 + route_choice(walk, hops[0])]))
            return false;
        point.phase |= point.ranks && !leads_up(&point, walk->node);
        point.node = walk->node;
    }
    return true;
}

// ---- Given routes ----

struct given_hop {
    int node;
    int link; // -1: any
};

static bool leads_by_hop(const struct neighbour *neighbour, const struct given_hop *hop)
{
    return neighbour->node == hop->node && (hop->link < 0 || neighbour->channel->link == hop->link);
}

// Takes one of the links of a given hop. Returns false if it has none.
static bool step_given(struct route_walk *walk, const struct given_hop *hop)
{
    const struct fabric_switch *node = &walk->cache->network->switches[walk->node];
    unsigned count = 0;
    for (int i = 0; i < node->neighbour_count; i++)
        count += leads_by_hop(&node->neighbours[i], hop);
    if (count == 0)
        return false;
    unsigned choice = route_choice(walk, count);
    int neighbour = 0;
    while (!leads_by_hop(&node->neighbours[neighbour], hop) || choice-- > 0)
        neighbour++;
    return route_step(walk, neighbour);
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

// Follows a given route. Returns false if it does not join these two stations of its hosts.
static bool walk_given(struct route_walk *walk, const struct topology_route *given,
                       const struct channel *last)
{
    const struct network *network = walk->cache->network;
    guint hops = given->via->len;
    if (hops == 0 || !link_matches(given, 0, walk->channels[0]) ||
        !link_matches(given, hops, last) || walk->from->node != given_switch(network, given, 0) ||
        walk->to->node != given_switch(network, given, hops - 1))
        return false;
    for (guint i = 1; i < hops; i++) {
        struct given_hop hop = {given_switch(network, given, i),
                                g_array_index(given->links, int, i)};
        if (!step_given(walk, &hop))
            return false;
    }
    return true;
}

static void walk_begin(struct route_walk *walk)
{
    walk->links = 1;
    walk->node = walk->from->node;
    walk->route_bytes = walk->node < 0 ? 0 : walk->cache->network->switches[walk->node].route_bytes;
    walk->chosen = false;
}

static bool walk_any_given(struct route_walk *walk, int from_host, int to_host,
                           const struct channel *last)
{
    if (g_hash_table_size(walk->cache->given) == 0)
        return false;
    uint64_t key = pair_key(from_host, to_host);
    const GPtrArray *routes = g_hash_table_lookup(walk->cache->given, &key);
    for (guint i = 0; routes && i < routes->len; i++) {
        walk_begin(walk);
        if (walk_given(walk, g_ptr_array_index(routes, i), last))
            return true;
    }
    walk_begin(walk);
    return false;
}

// ---- Routes ----

static bool walk_route(struct route_walk *walk, int from, int to)
{
    const struct network *network = walk->cache->network;
    struct channel *last = network->stations[to].in;
    walk->channels[0] = network->stations[from].out;
    walk_begin(walk);
    if (walk->from->node < 0 || walk->to->node < 0)
        return walk->channels[0] == last; // a link from host to host
    int from_host = network->stations[from].host, to_host = network->stations[to].host;
    if (!walk_any_given(walk, from_host, to_host, last) && !walk_computed(walk))
        return false;
    walk->channels[walk->links++] = last;
    return true;
}

// Returns the slot of a pair, or the free slot where it belongs.
static struct route **route_place(const struct route_cache *cache, uint64_t pair)
{
    uint64_t mask = cache->place_count - 1, at = (pair * 0x9e3779b97f4a7c15u) >> 20;
    while (cache->places[at & mask] && cache->places[at & mask]->pair != pair)
        at++;
    return &cache->places[at & mask];
}

static void route_cache_grow(struct route_cache *cache)
{
    struct route **old = cache->places;
    uint64_t count = cache->place_count;
    cache->place_count = 2 * count;
    cache->places = g_new0(struct route *, cache->place_count);
    for (uint64_t i = 0; i < count; i++)
        if (old[i])
            *route_place(cache, old[i]->pair) = old[i];
    g_free(old);
}

static size_t route_size(int links)
{
    return sizeof(struct route) + (size_t)links * sizeof(struct channel *);
}

// The pool of routes of so many links.
static int route_class(int links)
{
    int class = 0;
    while ((size_t)ROUTE_LINE << class < route_size(links))
        class ++;
    return class;
}

// Allocates memory for a route, directly after the one before.
static struct route *route_new(struct route_cache *cache, int links)
{
    size_t size = route_size(links);
    struct route_block *block = cache->blocks;
    if (!block || block->used + size > block->size) {
        size_t larger = block ? MIN(2 * block->size, LARGEST_BLOCK) : FIRST_BLOCK;
        larger = MAX(larger, size);
        block = huge_alloc(sizeof *block + larger);
        *block = (struct route_block){.next = cache->blocks, .size = larger};
        cache->blocks = block;
    }
    struct route *route = (void *)(block->routes + block->used);
    block->used += size;
    return route;
}

// Walks from one station to another. Returns false if no path joins them.
static bool walk_pair(struct route_walk *walk, struct route_cache *cache, int from, int to)
{
    *walk = (struct route_walk){
        .cache = cache,
        .channels = cache->channels,
        .pair = pair_key(from, to),
        .from = &cache->ends[from],
        .to = &cache->ends[to],
    };
    return walk_route(walk, from, to);
}

static void route_write(struct route *route, const struct route_walk *walk)
{
    *route = (struct route){
        .pair = walk->pair,
        .links = (uint16_t)walk->links,
        .route_bytes = (uint16_t)walk->route_bytes,
    };
    memcpy(route->channels, walk->channels, (size_t)walk->links * sizeof(struct channel *));
}

static const struct route *route_of(struct route_cache *cache, int from, int to)
{
    uint64_t pair = pair_key(from, to);
    struct route *route = *route_place(cache, pair);
    struct route_walk walk;
    if (route)
        return route;
    if (!walk_pair(&walk, cache, from, to))
        return NULL;
    route = route_new(cache, walk.links);
    route_write(route, &walk);
    if (++cache->routes > cache->place_count / 2)
        route_cache_grow(cache);
    *route_place(cache, pair) = route;
    return route;
}

// Only a loopback cable leads from a station to itself.
static bool route_exists(const struct route_cache *cache, int from, int to)
{
    const struct station *station = &cache->network->stations[from];
    return from != to || station->out->to.station == station;
}

const struct route *route_find(struct route_cache *cache, int from, int to)
{
    return route_exists(cache, from, to) ? route_of(cache, from, to) : NULL;
}

struct route *route_make(struct route_cache *cache, int from, int to)
{
    struct route_walk walk;
    if (!route_exists(cache, from, to) || !walk_pair(&walk, cache, from, to))
        return NULL;
    struct route *route = pool_take(&cache->owned[route_class(walk.links)]);
    route_write(route, &walk);
    return route;
}

void route_discard(struct route_cache *cache, struct route *route)
{
    pool_give(&cache->owned[route_class(route->links)], route);
}

const struct route *route_back(struct route_cache *cache, int station)
{
    return cache->ends[station].node < 0 ? NULL : route_of(cache, station, station);
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

int route_turn(const struct route *route, int nth)
{
    return route->channels[nth + 1]->from.port - route->channels[nth]->to.port;
}

int route_link(const struct route *route, int nth, int *side)
{
    const struct channel *channel = route->channels[nth];
    if (side)
        *side = channel->side;
    return channel->link;
}

int route_turn_bytes(const struct route *route, int nth)
{
    return route->channels[nth]->route_bytes;
}
