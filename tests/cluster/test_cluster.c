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

static void ended(struct engine *engine, struct event *event)
{
    (void)engine;
    (void)event;
}

// A card sits at the bus that the host's list names. Buses of one host work at once, and each host
// has its own.
static void test_buses(void)
{
    const char *sets[] = {
        "buses=[{name: csa, rate: 1 GB/s}, {name: spare}]",
        "hosts=[{name: node, count: 2, nics: [{name: a, nic: eepro100, bus: csa}, "
        "{name: b, nic: eepro100, bus: csa}, {name: c, nic: eepro100}]}]",
        "links=[{from: node0, to: node1, count: 3}]",
        NULL,
    };
    struct world *world = world_new(&world_cards, world_cable, sets, NULL);
    struct cluster *cluster = world->cluster;
    struct bus *buses[2][3];
    for (int host = 0; host < 2; host++)
        for (int nth = 0; nth < 3; nth++)
            buses[host][nth] = cluster_bus(cluster, network_station(cluster->network, host, nth));
    for (int host = 0; host < 2; host++) {
        CU_ASSERT_PTR_EQUAL(buses[host][0], buses[host][1]);
        CU_ASSERT_PTR_EQUAL(buses[host][2], cluster->hosts[host]->bus);
        SUITE_SAME_INTEGER(cluster->hosts[host]->more_buses->len, 1); // no card sits at `spare`
        SUITE_SAME_INTEGER(bus_config(buses[host][0])->rate, 1000000000);
        SUITE_SAME_INTEGER(bus_config(buses[host][2])->rate, 100000000);
        SUITE_SAME_INTEGER(bus_config(buses[host][0])->clock, 1000000000); // of host.bus
    }
    CU_ASSERT_PTR_NOT_EQUAL(buses[0][0], buses[1][0]);
    struct event done[3];
    for (int nth = 0; nth < 3; nth++) {
        event_init(&done[nth], ended);
        bus_transfer(buses[0][nth], BUS_READ, 100000, &done[nth], &stage_copy, MESSAGE_NONE);
    }
    sim_time fast = bus_time(bus_config(buses[0][0]), BUS_READ, 100000);
    SUITE_SAME_INTEGER(done[0].when, fast);
    SUITE_SAME_INTEGER(done[1].when, 2 * fast);
    SUITE_SAME_INTEGER(done[2].when, bus_time(bus_config(buses[0][2]), BUS_READ, 100000));
    world_run(world);
    SUITE_SAME_INTEGER(bus_busy(buses[0][0]), 2 * fast);
    SUITE_SAME_INTEGER(bus_busy(buses[1][0]), 0);
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
        {"several buses in a host", test_buses},
        {"hosts without cards", test_without_cards},
        {NULL, NULL},
    };
    return suite_run("cluster: cluster", cases);
}
