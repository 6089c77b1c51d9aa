// SPDX-License-Identifier: GPL-3.0-or-later
// Deadlock among cut-through switches: every blocked channel waits for exactly one other, so a walk
// from any of them ends in a cycle, before a station without a credit, or before a link whose
// window is full and stays so. Deadlock among switches that pause each other: of the queues for
// which a channel is paused all have to shrink, so that a cycle through any of them is one.
#include "sim/net/pause.h"
#include "sim/net/repeater.h"
#include "sim/net/wormhole.h"

static int channel_number(const struct network *network, const struct channel *channel)
{
    return (int)(channel - network->channels);
}

// Walks from channel to channel until it meets one that was visited before: on this walk (a new
// cycle), or on an earlier one.
static struct channel *cycle_find(const struct network *network, struct channel *channel, int *seen,
                                  int walk)
{
    while (worm_blocked(channel) && seen[channel_number(network, channel)] == 0) {
        seen[channel_number(network, channel)] = walk;
        channel = worm_waits_for(channel);
    }
    bool closed = worm_blocked(channel) && seen[channel_number(network, channel)] == walk;
    return closed ? channel : NULL;
}

// One line per channel, starting with the first one in the topology.
static void cycle_describe(GPtrArray *lines, struct channel *start)
{
    for (struct channel *next = worm_waits_for(start), *end = start; next != end;
         next = worm_waits_for(next))
        if (next < start)
            start = next;
    struct channel *channel = start;
    do {
        g_ptr_array_add(lines, worm_describe(channel));
        channel = worm_waits_for(channel);
    } while (channel != start);
}

static GPtrArray *stuck_lines(const struct network *network)
{
    GPtrArray *lines = NULL;
    for (int i = 0; i < network->channel_count; i++) {
        struct repeater *repeater = network->channels[i].repeater;
        char *line = repeater ? repeater_describe_stuck(repeater) : NULL;
        if (line && !lines)
            lines = g_ptr_array_new_with_free_func(g_free);
        if (line)
            g_ptr_array_add(lines, line);
    }
    return lines;
}

char *network_describe_stuck(const struct network *network)
{
    GPtrArray *lines = stuck_lines(network);
    if (!lines)
        return NULL;
    guint more = lines->len - 1;
    const char *first = g_ptr_array_index(lines, 0);
    char *text = more == 0
                     ? g_strdup(first)
                     : g_strdup_printf("%s; and %u more link%s", first, more, more == 1 ? "" : "s");
    g_ptr_array_unref(lines);
    return text;
}

int network_stuck_packets(const struct network *network, int station)
{
    struct repeater *repeater = network->stations[station].out->repeater;
    return repeater ? repeater_stuck(repeater) : 0;
}

GPtrArray *network_describe_blocked(const struct network *network)
{
    int *seen = g_new0(int, network->channel_count);
    GPtrArray *lines = stuck_lines(network);
    for (int i = 0; i < network->channel_count; i++) {
        struct channel *channel = &network->channels[i];
        if (!worm_blocked(channel))
            continue;
        if (!lines)
            lines = g_ptr_array_new_with_free_func(g_free);
        struct channel *cycle = cycle_find(network, channel, seen, i + 1);
        if (cycle)
            cycle_describe(lines, cycle);
        else if (worm_closed(worm_waits_for(channel)) || worm_waits_for(channel)->worm->kept)
            g_ptr_array_add(lines, worm_describe(channel));
    }
    for (int i = 0; i < network->channel_count; i++) {
        const struct channel *channel = &network->channels[i];
        if (!pausing_in_cycle(channel))
            continue;
        if (!lines)
            lines = g_ptr_array_new_with_free_func(g_free);
        g_ptr_array_add(lines, pausing_describe(channel));
    }
    g_free(seen);
    return lines;
}

bool network_blocked_in_cycle(const struct network *network)
{
    int *seen = g_new0(int, network->channel_count);
    bool cycle = false;
    for (int i = 0; i < network->channel_count && !cycle; i++)
        cycle = pausing_in_cycle(&network->channels[i]) ||
                (worm_blocked(&network->channels[i]) &&
                 cycle_find(network, &network->channels[i], seen, i + 1) != NULL);
    g_free(seen);
    return cycle;
}
