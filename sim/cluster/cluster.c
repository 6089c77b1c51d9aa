// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cluster/cluster.h"

#include <glib.h>

const struct scenario_section cluster_sections[] = {
    {"host.processor", &processor_table},
    {"host.memory", &memory_table},
    {"host.bus", &bus_table},
    {"host.kernel", &kernel_table},
    {NULL, NULL},
};

struct cluster *cluster_new(struct sim *sim, const struct scenario_case *test_case)
{
    struct cluster *cluster = g_new0(struct cluster, 1);
    const GArray *names = test_case->topology.hosts;
    struct host_config config = {
        .processor =
            *(const struct processor_config *)scenario_section_values(test_case, "host.processor"),
        .memory = *(const struct memory_config *)scenario_section_values(test_case, "host.memory"),
        .bus = *(const struct bus_config *)scenario_section_values(test_case, "host.bus"),
        .kernel = *(const struct kernel_config *)scenario_section_values(test_case, "host.kernel"),
    };
    cluster->sim = sim;
    cluster->host_count = (int)names->len;
    cluster->hosts = g_new0(struct host *, names->len);
    for (int i = 0; i < cluster->host_count; i++) {
        const struct topology_node *node = &g_array_index(names, struct topology_node, i);
        cluster->hosts[i] = host_new(sim, i, node->name, &config);
    }
    cluster->network = network_new(sim, &test_case->topology);
    cluster->cards = g_new0(struct cluster_card, network_stations(cluster->network));
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
    cluster->cards[station] = (struct cluster_card){card, card_free};
}

void *cluster_card(const struct cluster *cluster, int host, int nth)
{
    return cluster->cards[network_station(cluster->network, host, nth)].card;
}
