// SPDX-License-Identifier: GPL-3.0-or-later
// The traffic over the channels of a network, as records for reports.
#include "sim/net/fabric.h"
#include "sim/net/pause.h"
#include "sim/net/wormhole.h"

#include <string.h>

_Static_assert(LINK_UNWANTED - LINK_LOST == DROP_UNWANTED - DROP_LOST, "one order of causes");

static gint compare_drops(gconstpointer a, gconstpointer b)
{
    return strcmp(((const struct link_drop *)a)->reason, ((const struct link_drop *)b)->reason);
}

static const char *load_end_name(const struct channel *channel, const struct channel_end *end)
{
    if (end->node)
        return end->node->name;
    return topology_node_name(channel->network->topology, end->station->host);
}

static bool channel_has_load(const struct channel *channel)
{
    if (channel->meter.seldom)
        return true;
    for (int i = 0; i < LINK_SELDOM; i++)
        if (channel->meter.counts[i])
            return true;
    return false;
}

static struct link_load *channel_load(const struct channel *channel)
{
    char *name = channel_name(channel);
    struct link_load *load = link_load_new(name, load_end_name(channel, &channel->from),
                                           load_end_name(channel, &channel->to));
    load->rate = channel->rate;
    load->pauses = pausing_possible(channel);
    load->from_port = channel->from.node ? channel->from.port : -1;
    load->to_port = channel->to.node ? channel->to.port : -1;
    memcpy(load->counts, channel->meter.counts, sizeof channel->meter.counts);
    const struct seldom_counts *seldom = channel->meter.seldom;
    if (seldom)
        memcpy(load->counts + LINK_SELDOM, seldom->counts, sizeof seldom->counts);
    for (guint i = 0; seldom && seldom->drops && i < seldom->drops->len; i++) {
        const struct link_drop *drop = &g_array_index(seldom->drops, struct link_drop, i);
        link_load_add_drop(&load->drops, drop->reason, drop->packets);
    }
    if (load->drops)
        g_array_sort(load->drops, compare_drops);
    g_free(name);
    return load;
}

// Includes packets still under way; NULL: nothing has passed or waits.
static struct link_load *channel_load_so_far(const struct channel *channel)
{
    if (!channel->network || (!channel_has_load(channel) && !worm_has_waiting(channel)))
        return NULL;
    pausing_count(channel);
    struct link_load *load = channel_load(channel);
    worm_count_ongoing(channel, load->counts);
    return load;
}

GPtrArray *network_link_loads(const struct network *network)
{
    GPtrArray *loads = g_ptr_array_new_with_free_func((GDestroyNotify)link_load_free);
    for (int i = 0; i < network->channel_count; i++) {
        struct link_load *load = channel_load_so_far(&network->channels[i]);
        if (load)
            g_ptr_array_add(loads, load);
    }
    return loads;
}

// The channel's counts begin anew.
static void channel_clear_counts(struct channel *channel)
{
    struct link_meter *meter = &channel->meter;
    memset(meter->counts, 0, sizeof meter->counts);
    if (meter->seldom && meter->seldom->drops)
        g_array_unref(meter->seldom->drops);
    g_free(meter->seldom);
    meter->seldom = NULL;
}

void network_take_loads(struct network *network, GPtrArray *loads, bool ends)
{
    g_ptr_array_set_size(loads, MAX((int)loads->len, network->channel_count));
    for (int i = 0; i < network->channel_count; i++) {
        struct channel *channel = &network->channels[i];
        struct link_load *load = NULL;
        pausing_count(channel);
        if (ends)
            load = channel_load_so_far(channel);
        else if (channel->network && channel_has_load(channel))
            load = channel_load(channel);
        if (!load)
            continue;
        if (loads->pdata[i]) {
            link_load_add(loads->pdata[i], load);
            link_load_free(load);
        } else {
            loads->pdata[i] = load;
        }
        channel_clear_counts(channel);
    }
}
