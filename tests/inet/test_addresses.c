// SPDX-License-Identifier: GPL-3.0-or-later
// From stations to IPv4 addresses, and back.
#include "tests/support/suite.h"
#include "tests/support/world_sctp.h"

static void test_both_ways(void)
{
    struct world *world = sctp_world(3, 2, NULL, NULL);
    const struct cluster *cluster = world->cluster;
    for (int host = 0; host < 3; host++)
        for (int card = 0; card < 2; card++) {
            int station = network_station(cluster->network, host, card);
            uint32_t address = inet_station_address(cluster, station);
            SUITE_SAME_INTEGER(address, inet_address(3, host, card));
            SUITE_SAME_INTEGER(inet_address_station(cluster, address), station);
        }
    world_free(world);
}

static void test_of_nobody(void)
{
    static const uint32_t addresses[] = {0,          0x0a000000, 0x0a000004, 0x0a000201, 0x0a0000ff,
                                         0x09ffffff, 0x0a010001, 0xc0a80001, UINT32_MAX};
    struct world *world = sctp_world(3, 2, NULL, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(addresses); i++)
        SUITE_SAME_INTEGER(inet_address_station(world->cluster, addresses[i]), -1);
    world_free(world);
}

static const struct suite_case cases[] = {
    {"an address gives its station back", test_both_ways},
    {"addresses of nobody", test_of_nobody},
    {0},
};

int main(void)
{
    return suite_run("inet: addresses", cases);
}
