// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of what a card's packets wait for.
#include "models/intercept/nic/nic_internal.h"

static void add(GString *text, const struct intercept_nic *nic, char *clause)
{
    if (text->len == 0)
        g_string_append_printf(text, "%s's card: ", nic->host->name);
    else
        g_string_append(text, "; ");
    g_string_append(text, clause);
    g_free(clause);
}

static void describe_plane(GString *text, const struct nic_plane *plane)
{
    const struct intercept_nic *nic = plane->nic;
    const struct nic_engine *engine = &nic->engine;
    bool waits = plane->sending || plane->waiting > 0;
    bool holds_up = engine->waits && engine->plane == plane;
    int stuck = network_stuck_packets(nic->network, plane->station);
    if (!waits && stuck == 0)
        return;
    GString *clause = g_string_new(NULL);
    g_string_printf(clause, "plane %d: ", plane->number);
    if (waits)
        g_string_append_printf(
            clause, "%" G_GINT64_FORMAT " packets wait for the link%s", plane->used,
            holds_up ? ", and the card sends nothing before they have gone" : "");
    else
        g_string_append_printf(clause, "the link never passes %d packet%s", stuck,
                               stuck == 1 ? "" : "s");
    if (holds_up || stuck > 0)
        g_string_append(clause, " (leave the plane out of intercept.plane_mask)");
    add(text, nic, g_string_free(clause, FALSE));
}

static void describe_vnic(GString *text, const struct vnic *vnic)
{
    for (int nth = 0; nth < NIC_TX_CBS; nth++)
        if (vnic->tx[nth].first)
            add(text, vnic->nic,
                g_strdup_printf("VNIC %d: %" G_GINT64_FORMAT " B wait in TX-CB %d", vnic->number,
                                vnic->tx[nth].used, nth));
    if (vnic->held_count > 0)
        add(text, vnic->nic,
            g_strdup_printf("VNIC %d: %" G_GINT64_FORMAT " packets wait for room in the RX-CB "
                            "(intercept.rx_cb)",
                            vnic->number, vnic->held_count));
}

static void describe_channel(GString *text, const struct nic_channel *channel)
{
    if (channel->machine.state == NIC_FREE || channel->machine.state == NIC_DONE)
        return;
    bool stuck = nic_channel_stuck(channel);
    add(text, channel->nic,
        g_strdup_printf(
            "VDMA channel %d %s: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " packets missing%s",
            channel->number, machine_state_name(&nic_channel_machine, &channel->machine),
            channel->left, channel->packets,
            stuck ? ", as its buffer does not begin at a page (intercept.old_firmware)" : ""));
}

char *intercept_describe(const struct intercept_nic *nic)
{
    GString *text = g_string_new(NULL);
    for (int i = 0; i < nic->plane_count; i++)
        describe_plane(text, &nic->planes[i]);
    for (int i = 0; i < INTERCEPT_VNICS; i++)
        describe_vnic(text, &nic->vnics[i]);
    for (int i = 0; i < INTERCEPT_CHANNELS; i++)
        describe_channel(text, &nic->vdma.channels[i]);
    return g_string_free(text, text->len == 0);
}
