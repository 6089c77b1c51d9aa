// SPDX-License-Identifier: GPL-3.0-or-later
// A cluster is built from its case: hosts with the case's configuration, a card on every station.
#include "models/ethernet/nics.h"
#include "tests/support/suite.h"
#include "tests/support/world.h"

static void test_pair(void)
{
    const char *sets[] = {"host.processor.cores=3", "host.memory.page=8 KiB", NULL};
    struct world *world = world_new(&world_cards, world_pair, sets, NULL);
    CU_ASSERT_EQUAL(world->cluster->host_count, 2);
    CU_ASSERT_EQUAL(network_stations(world->cluster->network), 2);
    for (int i = 0; i < 2; i++) {
        const struct host *host = world->cluster->hosts[i];
        CU_ASSERT_EQUAL(host->index, i);
        SUITE_SAME_TEXT(host->name, i ? "node1" : "node0");
        CU_ASSERT_EQUAL(host->config.processor.cores, 3);
        CU_ASSERT_EQUAL(host->config.memory.page, 8192);
        CU_ASSERT_EQUAL(host->config.kernel.fast_trap.time, 311 * TIME_NS);
        CU_ASSERT_EQUAL(host->config.bus.rate, 100000000);
        struct nic *nic = ethernet_nic(world->cluster, i, 0);
        CU_ASSERT_EQUAL(nic_station(nic), network_station(world->cluster->network, i, 0));
        CU_ASSERT_EQUAL(nic_config(nic)->tx_start, 601 * TIME_NS);
    }
    world_free(world);
}

// Two cables between the hosts: each host has two cards, one for each.
static void test_two_cards(void)
{
    const char *sets[] = {"links=[{from: node0, to: node1, count: 2}]", NULL};
    struct world *world = world_new(&world_cards, world_cable, sets, NULL);
    CU_ASSERT_EQUAL(network_stations(world->cluster->network), 4);
    for (int host = 0; host < 2; host++)
        for (int nth = 0; nth < 2; nth++) {
            const struct nic *nic = ethernet_nic(world->cluster, host, nth);
            CU_ASSERT_EQUAL(nic_station(nic), network_station(world->cluster->network, host, nth));
            CU_ASSERT_EQUAL(network_station_host(world->cluster->network, nic_station(nic)), host);
        }
    CU_ASSERT_PTR_NOT_EQUAL(ethernet_nic(world->cluster, 0, 0), ethernet_nic(world->cluster, 0, 1));
    world_free(world);
}

// Without cards: a fabric with hardware of its own puts that on the stations.
static void test_without_cards(void)
{
    struct world *world = world_new(&world_cards, world_pair, NULL, NULL);
    struct sim *sim = sim_new(1, NULL);
    struct cluster *cluster = cluster_new(sim, world->test_case);
    CU_ASSERT_PTR_NULL(cluster_card(cluster, 0, 0));
    cluster_free(cluster);
    cluster_free(NULL);
    sim_free(sim);
    world_free(world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"two hosts and their cards", test_pair},
        {"two cards in a host", test_two_cards},
        {"hosts without cards", test_without_cards},
        {NULL, NULL},
    };
    return suite_run("cluster: cluster", cases);
}
