// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/net/network.h"

#include "sim/core/huge.h"
#include "sim/net/fabric.h"
#include "sim/net/pause.h"
#include "sim/net/stop_go.h"
#include "sim/net/wormhole.h"

#include <string.h>

// ---- Building ----

static const struct topology_link *topology_link_at(const struct topology *topology, int link)
{
    return g_ptr_array_index(topology->links, link);
}

// Hosts' stations are numbered host by host, in the order of the topology's links.
static void network_build_stations(struct network *network)
{
    const struct topology *topology = network->topology;
    int hosts = network->host_count, links = (int)topology->links->len;
    network->first_station = g_new0(int, hosts + 1);
    for (int i = 0; i < links; i++) {
        const struct topology_link *link = topology_link_at(topology, i);
        if (link->a < hosts)
            network->first_station[link->a + 1]++;
        if (link->b < hosts && topology_link_ends(link) == 2)
            network->first_station[link->b + 1]++;
    }
    for (int host = 0; host < hosts; host++)
        network->first_station[host + 1] += network->first_station[host];
    network->station_count = network->first_station[hosts];
    network->stations = g_new0(struct station, network->station_count);
    for (int host = 0; host < hosts; host++)
        for (int i = network->first_station[host]; i < network->first_station[host + 1]; i++)
            network->stations[i].host = host;
}

static void network_build_switches(struct network *network)
{
    const struct topology *topology = network->topology;
    network->switches = g_new0(struct fabric_switch, network->switch_count);
    for (int i = 0; i < network->switch_count; i++) {
        const struct topology_switch *from = g_ptr_array_index(topology->switches, i);
        struct fabric_switch *node = &network->switches[i];
        node->name = from->name;
        node->config = from->values->values;
        node->discipline = switch_discipline(node->config->discipline);
        node->route_bytes = (int)node->config->route_bytes;
    }
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = topology_link_at(topology, (int)i);
        for (int side = 0; side < 2; side++) {
            int node = (side ? link->b : link->a) - network->host_count;
            if (node >= 0)
                network->switches[node].ports++;
        }
    }
    for (int i = 0; i < network->switch_count; i++) {
        struct fabric_switch *node = &network->switches[i];
        g_assert(node->config->ports == 0 || node->ports <= node->config->ports);
        node->out = g_new0(struct channel *, node->ports);
        node->ports = 0;
    }
}

// Adds the next end of a link at a node: a new station of the host, or a new port of the switch.
static struct channel_end network_new_end(struct network *network, int node, int *host_links)
{
    struct channel_end end = {NULL, NULL, 0};
    if (node < network->host_count) {
        end.station = &network->stations[network->first_station[node] + host_links[node]++];
    } else {
        end.node = &network->switches[node - network->host_count];
        end.port = end.node->ports++;
    }
    return end;
}

static void channel_connect(struct channel *channel)
{
    if (channel->to.station)
        channel->to.station->in = channel;
    if (channel->from.station)
        channel->from.station->out = channel;
    if (channel->from.node)
        channel->from.node->out[channel->from.port] = channel;
}

// Returns the number of this link among those that join the same two nodes.
static int link_twin(GHashTable *joined, const struct topology_link *link)
{
    int64_t least = MIN(link->a, link->b), most = MAX(link->a, link->b);
    int64_t key = least << 32 | most;
    gpointer count = g_hash_table_lookup(joined, &key);
    g_hash_table_insert(joined, g_memdup2(&key, sizeof key),
                        GINT_TO_POINTER(GPOINTER_TO_INT(count) + 1));
    return GPOINTER_TO_INT(count);
}

static void network_build_channels(struct network *network)
{
    const struct topology *topology = network->topology;
    int *host_links = g_new0(int, network->host_count);
    GHashTable *joined = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    network->channel_count = 2 * (int)topology->links->len;
    network->channels = huge_alloc0((size_t)network->channel_count * sizeof(struct channel));
    for (int i = 0; i < network->channel_count / 2; i++) {
        const struct topology_link *link = topology_link_at(topology, i);
        struct channel_end a = network_new_end(network, link->a, host_links);
        int ends = topology_link_ends(link);
        struct channel_end b = ends == 2 ? network_new_end(network, link->b, host_links) : a;
        int twin = link_twin(joined, link);
        for (int side = 0; side < ends; side++) {
            struct channel *channel = &network->channels[2 * i + side];
            channel->network = network;
            channel->from = side ? b : a;
            channel->to = side ? a : b;
            channel->link = i;
            channel->side = side;
            channel->twin = twin;
            channel_connect(channel);
        }
    }
    // All ends are known before the first channel reads its switches.
    for (int i = 0; i < network->channel_count; i++)
        if (network->channels[i].network)
            channel_init(&network->channels[i], topology_link_at(topology, i / 2)->values->values);
    g_hash_table_unref(joined);
    g_free(host_links);
}

static void network_use_symbols(struct network *network)
{
    network->flow = &stop_go_flow_control;
    network->stops = sim_counter(network->sim, "STOP symbols");
    network->gos = sim_counter(network->sim, "GO symbols");
    for (int i = 0; i < network->channel_count; i++) {
        struct channel *channel = &network->channels[i];
        if (channel->worm && channel->worm->to_cuts)
            channel->worm->gate = gate_new(channel);
    }
}

// Either all cut-through switches have thresholds or none (network_check).
static void network_build_flow_control(struct network *network)
{
    network->flow = &credits_flow_control;
    for (int i = 0; i < network->switch_count; i++) {
        const struct switch_config *config = network->switches[i].config;
        if (config->discipline == SWITCH_CUT_THROUGH && config->stop > 0) {
            network_use_symbols(network);
            return;
        }
    }
}

static void network_build_worms(struct network *network)
{
    size_t count = 0;
    for (int i = 0; i < network->channel_count; i++)
        count += worm_wanted(&network->channels[i]);
    network->worms = huge_alloc0(count * sizeof(struct worm));
    struct worm *worm = network->worms;
    for (int i = 0; i < network->channel_count; i++)
        if (worm_wanted(&network->channels[i]))
            worm_init(worm++, &network->channels[i]);
}

static void network_build_neighbours(struct network *network)
{
    for (int i = 0; i < network->switch_count; i++) {
        struct fabric_switch *node = &network->switches[i];
        node->neighbours = g_new(struct neighbour, node->ports);
        for (int port = 0; port < node->ports; port++) {
            const struct fabric_switch *other = node->out[port]->to.node;
            if (other)
                node->neighbours[node->neighbour_count++] = (struct neighbour){
                    .node = (int)(other - network->switches),
                    .channel = node->out[port],
                };
        }
    }
}

struct network *network_new(struct sim *sim, const struct topology *topology)
{
    struct network *network = g_new0(struct network, 1);
    network->sim = sim;
    network->engine = sim->engine;
    network->topology = topology;
    network->host_count = (int)topology->hosts->len;
    network->switch_count = (int)topology->switches->len;
    pool_init(&network->packets, sizeof(struct packet));
    network_build_stations(network);
    network_build_switches(network);
    network_build_channels(network);
    network_build_worms(network);
    network_build_flow_control(network);
    network_build_neighbours(network);
    pausing_build(network);
    network->routes = route_cache_new(network, topology);
    return network;
}

void network_free(struct network *network)
{
    if (!network)
        return;
    network_release(network);
    route_cache_free(network->routes);
    for (int i = 0; i < network->channel_count; i++) {
        channel_clear(&network->channels[i]);
        if (network->channels[i].worm) {
            gate_free(network->channels[i].worm->gate);
            worm_clear(network->channels[i].worm);
        }
    }
    for (int i = 0; i < network->switch_count; i++) {
        g_free(network->switches[i].neighbours);
        g_free(network->switches[i].out);
    }
    huge_free(network->channels);
    huge_free(network->worms);
    g_free(network->switches);
    g_free(network->stations);
    g_free(network->first_station);
    pool_clear(&network->packets);
    g_free(network);
}

// ---- Stations ----

int network_stations(const struct network *network)
{
    return network->station_count;
}

int network_host_stations(const struct network *network, int host)
{
    return network->first_station[host + 1] - network->first_station[host];
}

int network_station(const struct network *network, int host, int nth)
{
    g_assert(nth >= 0 && nth < network_host_stations(network, host));
    return network->first_station[host] + nth;
}

int network_station_host(const struct network *network, int station)
{
    return network->stations[station].host;
}

int network_peer_station(const struct network *network, int station)
{
    const struct station *far = network->stations[station].out->to.station;
    return far ? (int)(far - network->stations) : -1;
}

void network_attach(struct network *network, int station, station_receive_fn *receive, void *owner)
{
    g_assert(station >= 0 && station < network->station_count);
    network->stations[station].receive = receive;
    network->stations[station].begin = NULL;
    network->stations[station].owner = owner;
}

void network_attach_words(struct network *network, int station, station_words_fn *words,
                          void *owner)
{
    network->stations[station].words = words;
    network->stations[station].words_owner = owner;
}

void network_attach_head(struct network *network, int station, int64_t bytes,
                         station_begin_fn *begin)
{
    network->stations[station].begin = begin;
    network->stations[station].head = bytes;
}

sim_time network_station_in_time(const struct network *network, int station, int64_t bytes)
{
    return channel_time(network->stations[station].in, bytes);
}

int64_t network_station_rate(const struct network *network, int station)
{
    return network->stations[station].out->rate;
}

sim_time network_station_time(const struct network *network, int station, uint32_t wire_bytes)
{
    const struct channel *out = network->stations[station].out;
    return channel_time(out, channel_bytes(out, wire_bytes) + out->gap);
}

sim_time network_station_byte_time(const struct network *network, int station, int64_t nth)
{
    const struct channel *out = network->stations[station].out;
    return channel_time(out, out->preamble + nth);
}

const struct route *network_route(struct network *network, int from, int to)
{
    return route_find(network->routes, from, to);
}

const struct route *network_route_back(struct network *network, int station)
{
    return route_back(network->routes, station);
}

// ---- Packets ----

void network_send(struct network *network, struct packet *packet, struct event *sent)
{
    packet->born = engine_now(network->engine);
    packet->sent = sent;
    packet->hop = 1;
    packet->route_bytes = (uint16_t)packet->route->route_bytes;
    channel_enter(packet->route->channels[0], packet);
}

void network_on_deadlock(struct network *network, network_deadlock_fn *on_deadlock, void *owner)
{
    network->on_deadlock = on_deadlock;
    network->deadlock_owner = owner;
}

uint64_t network_drops(const struct network *network)
{
    return network->drops;
}

uint64_t network_repeats(const struct network *network)
{
    return network->repeats;
}

uint64_t network_hops(const struct network *network)
{
    return network->hops;
}
