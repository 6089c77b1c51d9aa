// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cluster/cluster.h"

#include "sim/core/intern.h"
#include "sim/scenario/draw_host.h"

#include <glib.h>
#include <string.h>

const struct scenario_section cluster_sections[] = {
    {"host.processor", &processor_table},
    {"host.memory", &memory_table},
    {"host.bus", &bus_table},
    {"host.kernel", &kernel_table},
    {"host.phase", &phase_table},
    {"host.noise", &noise_table},
    {NULL, NULL},
};

// The further buses of all hosts, by host and then in the order of the topology; NULL where no card
// of the host sits at it. The caller frees the array.
static struct bus **buses_new(struct cluster *cluster, const struct topology *topology)
{
    int count = (int)topology->buses->len;
    struct bus **buses = g_new0(struct bus *, cluster->host_count * count + 1);
    for (int host = 0; host < cluster->host_count; host++) {
        const GArray *cards = topology_cards_of(topology, host);
        for (guint i = 0; cards && i < cards->len; i++) {
            int index = g_array_index(cards, struct topology_card, i).bus;
            struct bus **bus = index >= 0 ? &buses[host * count + index] : NULL;
            if (!bus || *bus)
                continue;
            const struct topology_bus *named = g_ptr_array_index(topology->buses, (guint)index);
            *bus = host_add_bus(cluster->hosts[host], named->name, named->values->values);
        }
    }
    return buses;
}

// The further bus at which a card sits; NULL: it sits at the host's own.
static struct bus *bus_of(struct bus *const *buses, const struct topology *topology, int host,
                          const struct topology_card *card)
{
    return card && card->bus >= 0 ? buses[host * (int)topology->buses->len + card->bus] : NULL;
}

// Stations are numbered as the network does it: a host's in the order of its links.
static void cards_init(struct cluster *cluster, const struct scenario_case *test_case)
{
    const struct topology *topology = &test_case->topology;
    int *next = g_new0(int, cluster->host_count + 1);
    struct bus **buses = buses_new(cluster, topology);
    cluster->cards = g_new0(struct cluster_card, network_stations(cluster->network));
    for (int i = 0; i < 2 * (int)topology->links->len; i++) { // 2 * link + end
        const struct topology_link *link = g_ptr_array_index(topology->links, (guint)i / 2);
        int host = topology_link_node(link, i % 2);
        if (host >= cluster->host_count || i % 2 >= topology_link_ends(link))
            continue;
        const struct topology_card *card = topology_link_card(topology, link, i % 2);
        const char *name = cluster->hosts[host]->name;
        struct bus *named = bus_of(buses, topology, host, card);
        char *full = card ? g_strdup_printf("%s.%s", name, card->name) : NULL;
        cluster->cards[network_station(cluster->network, host, next[host]++)] =
            (struct cluster_card){
                .nic = card ? card->nic : test_case->nic,
                .name = full ? intern_text(full) : name,
                .bus = named ? named : cluster->hosts[host]->bus,
                .mtu = card ? card->mtu : 0,
                .listed = card != NULL,
                .idle = link->idle[i % 2],
            };
        g_free(full);
    }
    g_free(next);
    g_free(buses);
}

// Copies a section of a host, with what the host has of its own in the draw of its phases.
static void take_host_values(const struct scenario_case *test_case, int host, const char *path,
                             void *copy)
{
    const struct param_values *values = scenario_host_section(test_case, host, path);
    int64_t draw = draw_of_host(test_case, host);
    memcpy(copy, values->values, values->table->size);
    if (draw > 0)
        draw_host_values(
            values, path, draw,
            g_array_index(test_case->topology.hosts, struct topology_node, (guint)host).name, copy);
}

static struct host_config config_of(const struct scenario_case *test_case, int host)
{
    struct host_config config;
    take_host_values(test_case, host, "host.processor", &config.processor);
    take_host_values(test_case, host, "host.memory", &config.memory);
    take_host_values(test_case, host, "host.bus", &config.bus);
    take_host_values(test_case, host, "host.kernel", &config.kernel);
    take_host_values(test_case, host, "host.phase", &config.phase);
    take_host_values(test_case, host, "host.noise", &config.noise);
    return config;
}

uint64_t cluster_seed(const struct scenario_case *test_case, uint64_t seed)
{
    int64_t draw = draw_of_host(test_case, -1);
    char *name = g_strdup_printf("draw %" G_GINT64_FORMAT, draw);
    uint64_t drawn = draw > 0 ? random_hash(seed, name) : seed;
    g_free(name);
    return drawn;
}

struct cluster *cluster_new(struct sim *sim, const struct scenario_case *test_case)
{
    struct cluster *cluster = g_new0(struct cluster, 1);
    const GArray *names = test_case->topology.hosts;
    cluster->sim = sim;
    cluster->host_count = (int)names->len;
    cluster->hosts = g_new0(struct host *, names->len);
    for (int i = 0; i < cluster->host_count; i++) {
        const struct topology_node *node = &g_array_index(names, struct topology_node, i);
        struct host_config config = config_of(test_case, i);
        cluster->hosts[i] = host_new(sim, i, node->name, &config);
    }
    cluster->network = network_new(sim, &test_case->topology);
    cards_init(cluster, test_case);
    return cluster;
}

void cluster_free(struct cluster *cluster)
{
    if (!cluster)
        return;
    for (int i = 0; i < network_stations(cluster->network); i++)
        if (cluster->cards[i].card)
            cluster->cards[i].free(cluster->cards[i].card);
    g_free(cluster->cards);
    for (int i = 0; i < cluster->host_count; i++)
        host_free(cluster->hosts[i]);
    g_free(cluster->hosts);
    network_free(cluster->network);
    g_free(cluster);
}

void cluster_put_card(struct cluster *cluster, int station, void *card, void (*card_free)(void *))
{
    g_assert(!cluster->cards[station].card);
    cluster->cards[station].card = card;
    cluster->cards[station].free = card_free;
}

void *cluster_card(const struct cluster *cluster, int host, int nth)
{
    return cluster->cards[network_station(cluster->network, host, nth)].card;
}

struct bus *cluster_bus(const struct cluster *cluster, int station)
{
    int host = network_station_host(cluster->network, station);
    return cluster->cards ? cluster->cards[station].bus : cluster->hosts[host]->bus;
}

int cluster_station(const struct cluster *cluster, int host)
{
    int nth = 0, stations = network_host_stations(cluster->network, host);
    while (nth < stations - 1 && cluster->cards[network_station(cluster->network, host, nth)].idle)
        nth++;
    return network_station(cluster->network, host, nth);
}

static void send_event(struct engine *engine, struct event *event)
{
    struct packet *packet = container_of(event, struct packet, event);
    (void)engine;
    network_send(packet->token, packet, NULL);
}

void cluster_send(struct cpu_context *context, const struct cluster *cluster, struct packet *packet)
{
    packet->token = cluster->network;
    event_init(&packet->event, send_event);
    cpu_post(context, &packet->event);
}
