// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/ethernet/nic_internal.h"
#include "sim/core/intern.h"

#include <glib.h>

#include <string.h>

// "NIC send", or "NIC eth1 send" if its host lists its cards.
static trace_lane nic_lane(const struct nic *nic, const char *name, const char *way)
{
    const char *host = nic->host->name;
    bool listed = g_str_has_prefix(name, host) && name[strlen(host)] == '.';
    char *label = listed ? g_strdup_printf("NIC %s %s", name + strlen(host) + 1, way)
                         : g_strdup_printf("NIC %s", way);
    trace_lane lane = trace_lane_add(
        nic->sim->trace,
        &(struct trace_lane_info){.group = host, .name = intern_text(label), .kind = TRACE_RING});
    g_free(label);
    return lane;
}

struct nic *nic_new(struct host *host, struct bus *bus, struct network *network, int station,
                    const char *name, const struct nic_config *config)
{
    struct nic *nic = g_new0(struct nic, 1);
    nic->host = host;
    nic->bus = bus;
    nic->sim = host->sim;
    nic->network = network;
    nic->station = station;
    nic->config = *config;
    ethernet_transmit_init(nic);
    ethernet_receive_init(nic);
    ethernet_interrupt_init(nic);
    nic->lane_tx = nic_lane(nic, name, "send");
    nic->lane_rx = nic_lane(nic, name, "receive");
    nic->frame = g_byte_array_new();
    nic->interface = capture_interface(nic->sim->capture, name, &nic_capture_link,
                                       network_station_rate(network, station));
    network_attach(network, station, ethernet_receive, nic);
    network_attach_words(network, station, ethernet_words, nic);
    ethernet_offer_pause(nic);
    return nic;
}

void nic_free(struct nic *nic)
{
    if (!nic)
        return;
    g_array_free(nic->tx_done, TRUE);
    g_free(nic->fetches);
    g_byte_array_free(nic->frame, TRUE);
    g_free(nic);
}

const struct nic_config *nic_config(const struct nic *nic)
{
    return &nic->config;
}

int nic_station(const struct nic *nic)
{
    return nic->station;
}
