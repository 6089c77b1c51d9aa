// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/intercept/nic/nic_internal.h"

#include <string.h>

// ---- Which stations ----

static int first_station(const struct cluster *cluster, int host)
{
    for (int nth = 0; nth < network_host_stations(cluster->network, host); nth++) {
        int station = network_station(cluster->network, host, nth);
        if (nic_has_station(&cluster->cards[station]))
            return station;
    }
    return -1;
}

// ---- Create and free ----

static struct intercept_nic *nic_new(const struct cluster *cluster, int host, int station,
                                     const struct intercept_nic_config *config)
{
    struct intercept_nic *nic = g_new0(struct intercept_nic, 1);
    nic->cluster = cluster;
    nic->host = cluster->hosts[host];
    nic->bus = cluster_bus(cluster, station);
    nic->sim = cluster->sim;
    nic->network = cluster->network;
    nic->iuca = host;
    nic->config = *config;
    nic->lane = trace_lane_new(nic->sim->trace, nic->host->name, "NIC");
    nic->interrupts = sim_counter(nic->sim, "Intercept interrupts");
    nic->virtual_interrupts = sim_counter(nic->sim, "Intercept virtual interrupts");
    nic->slice_interrupts = sim_counter(nic->sim, "Intercept VDMA interrupts");
    nic->sent = sim_counter(nic->sim, "Intercept packets sent");
    nic->received = sim_counter(nic->sim, "Intercept packets received");
    nic->tx_full = sim_counter(nic->sim, "Intercept TX-CB full");
    nic->rx_full = sim_counter(nic->sim, "Intercept packets held, RX-CB full");
    nic->errors = sim_loss_counter(nic->sim, "Intercept packets refused", LOSS_DROPPED);
    nic_interrupt_init(nic);
    nic_circular_init(nic);
    nic_vdma_init(nic);
    nic_read_init(nic);
    nic_planes_init(nic, cluster);
    nic_capture_init(nic);
    return nic;
}

static void nic_free(void *card)
{
    struct intercept_nic *nic = card;
    nic_capture_clear(nic);
    sparse_clear(&nic->ways);
    pool_clear(&nic->entries);
    g_free(nic);
}

void intercept_add_nics(struct cluster *cluster, const struct scenario_case *test_case)
{
    const struct intercept_nic_config *config = scenario_section_values(test_case, NIC_NAME);
    for (int host = 0; host < cluster->host_count; host++) {
        int station = first_station(cluster, host);
        if (station >= 0)
            cluster_put_card(cluster, station, nic_new(cluster, host, station, config), nic_free);
    }
}

// ---- Looks ----

int64_t intercept_peer_footprint(void)
{
    return (int64_t)(sizeof(struct nic_way) + sizeof(struct nic_entry));
}

struct intercept_nic *intercept_nic(const struct cluster *cluster, int host)
{
    int station = first_station(cluster, host);
    return station >= 0 ? cluster->cards[station].card : NULL;
}

int intercept_iuca(const struct intercept_nic *nic)
{
    return nic->iuca;
}

// ---- Checks ----

// Cables at Intercept cards, by host. The caller frees the result with g_free.
static int *count_planes(const struct topology *topology)
{
    int *planes = g_new0(int, topology_node_count(topology));
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        for (int end = 0; end < topology_link_ends(link); end++) {
            const struct topology_card *card = topology_link_card(topology, link, end);
            if (!card || (strcmp(card->nic, NIC_NAME) == 0 && !link->idle[end]))
                planes[topology_link_node(link, end)]++;
        }
    }
    return planes;
}

static void check_host(const struct scenario_case *test_case, const struct topology_node *node,
                       int planes, struct diag_list *diags)
{
    const struct intercept_nic_config *config = scenario_section_values(test_case, NIC_NAME);
    if (planes > INTERCEPT_PLANES)
        diag_add(diags, node->mark, "links", "one for each plane at most",
                 "%s has %d links; an Intercept card has %d planes", node->name, planes,
                 INTERCEPT_PLANES);
    else if (planes == 0)
        diag_add(diags, node->mark, "links", NULL, "%s has no cable at an Intercept card",
                 node->name);
    else if (!(config->plane_mask & ((1 << planes) - 1)))
        scenario_complain(test_case, diags, NIC_NAME, "plane_mask",
                          "1 is plane 0, 2 plane 1, 4 plane 2, 8 plane 3",
                          "%s has cables at planes 0 to %d, of which mask %" G_GINT64_FORMAT
                          " allows none",
                          node->name, planes - 1, config->plane_mask);
}

void intercept_check_planes(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct topology *topology = &test_case->topology;
    int *planes = count_planes(topology);
    for (int host = 0; host < (int)topology->hosts->len; host++)
        check_host(test_case, &g_array_index(topology->hosts, struct topology_node, host),
                   planes[host], diags);
    g_free(planes);
}
