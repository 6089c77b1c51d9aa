// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/net/up_down.h"

#include "sim/net/fabric.h"

// ---- Searching ----

// A breadth-first search over switches.
struct search {
    const struct network *network;
    int *queue;
    int head, tail;
};

static void search_spread(struct search *search, int *distance)
{
    while (search->head < search->tail) {
        int at = search->queue[search->head++];
        const struct fabric_switch *node = &search->network->switches[at];
        for (int i = 0; i < node->neighbour_count; i++) {
            int other = node->neighbours[i].node;
            if (distance[other] >= 0)
                continue;
            distance[other] = distance[at] + 1;
            search->queue[search->tail++] = other;
        }
    }
}

// Links from each switch to the nearest of the sources; -1: no path.
static int *distances_from(const struct network *network, const bool *sources)
{
    int count = network->switch_count;
    int *distance = g_new(int, (gsize)count + 1);
    struct search search = {network, g_new(int, (gsize)count + 1), 0, 0};
    for (int i = 0; i < count; i++) {
        distance[i] = sources[i] ? 0 : -1;
        if (sources[i])
            search.queue[search.tail++] = i;
    }
    search_spread(&search, distance);
    g_free(search.queue);
    return distance;
}

// The number of each switch's connected component.
static int *networks_of(const struct network *network)
{
    int count = network->switch_count;
    int *number = g_new(int, (gsize)count + 1), *reached = g_new(int, (gsize)count + 1);
    struct search search = {network, g_new(int, (gsize)count + 1), 0, 0};
    for (int i = 0; i < count; i++)
        number[i] = reached[i] = -1;
    for (int i = 0; i < count; i++) {
        if (reached[i] >= 0)
            continue;
        int first = search.tail;
        reached[i] = 0;
        search.queue[search.tail++] = i;
        search_spread(&search, reached);
        for (int k = first; k < search.tail; k++)
            number[search.queue[k]] = i;
    }
    g_free(search.queue);
    g_free(reached);
    return number;
}

// ---- Tops ----

static bool *with_hosts(const struct network *network)
{
    bool *has = g_new0(bool, (gsize)network->switch_count + 1);
    for (int i = 0; i < network->switch_count; i++)
        has[i] = network->switches[i].neighbour_count < network->switches[i].ports;
    return has;
}

// In each component, the switches that are farthest from all hosts.
static bool *farthest_switches(const struct network *network, const bool *has_hosts)
{
    int count = network->switch_count;
    int *distance = distances_from(network, has_hosts), *number = networks_of(network);
    int *most = g_new0(int, (gsize)count + 1);
    bool *tops = g_new0(bool, (gsize)count + 1);
    for (int i = 0; i < count; i++)
        most[number[i]] = MAX(most[number[i]], distance[i]);
    for (int i = 0; i < count; i++)
        tops[i] = distance[i] == most[number[i]];
    g_free(most);
    g_free(number);
    g_free(distance);
    return tops;
}

// Leaves one top per component.
static void keep_one_top(const struct network *network, bool *tops)
{
    int count = network->switch_count;
    int *number = networks_of(network), *best = g_new(int, (gsize)count + 1);
    for (int i = 0; i < count; i++)
        best[i] = -1;
    for (int i = 0; i < count; i++) {
        int *of = &best[number[i]];
        const struct fabric_switch *switches = network->switches;
        if (tops[i] && (*of < 0 || switches[i].neighbour_count > switches[*of].neighbour_count))
            *of = i;
    }
    for (int i = 0; i < count; i++)
        tops[i] = best[number[i]] == i;
    g_free(best);
    g_free(number);
}

// Ranks by distance from the tops, equals by number.
static int *ranks_below(const struct network *network, const bool *tops)
{
    int count = network->switch_count, rank = 0;
    int *distance = distances_from(network, tops), *ranks = g_new0(int, (gsize)count + 1);
    for (int level = 0; rank < count; level++)
        for (int i = 0; i < count; i++)
            // A switch that no top reaches is in a component without hosts.
            if (distance[i] == level || (distance[i] < 0 && level == 0))
                ranks[i] = rank++;
    g_free(distance);
    return ranks;
}

// True if all switches with hosts that are connected at all are joined by legal paths.
static bool all_legal(const struct network *network, const int *ranks, const bool *has_hosts)
{
    int *number = networks_of(network);
    bool good = true;
    for (int to = 0; good && to < network->switch_count; to++) {
        if (!has_hosts[to])
            continue;
        uint16_t *distance = up_down_distances(network, ranks, to);
        for (int from = 0; from < network->switch_count; from++)
            good &= !has_hosts[from] || number[from] != number[to] ||
                    distance[2 * from] != UP_DOWN_UNREACHED;
        g_free(distance);
    }
    g_free(number);
    return good;
}

int *up_down_ranks(const struct network *network)
{
    bool *has_hosts = with_hosts(network), *tops = farthest_switches(network, has_hosts);
    int *ranks = ranks_below(network, tops);
    if (!all_legal(network, ranks, has_hosts)) {
        keep_one_top(network, tops);
        g_free(ranks);
        ranks = ranks_below(network, tops);
    }
    g_free(tops);
    g_free(has_hosts);
    return ranks;
}

// ---- Distances ----

// A packet's state is its switch and whether it has gone down: 2 s, 2 s + 1. The search runs
// against the packet's direction.
struct legal_search {
    const int *ranks;
    uint16_t *distance;
    int *queue;
    int tail;
};

static void legal_reach(struct legal_search *search, int state, uint16_t distance)
{
    if (search->distance[state] != UP_DOWN_UNREACHED)
        return;
    search->distance[state] = distance;
    search->queue[search->tail++] = state;
}

static void legal_step_back(struct legal_search *search, int state, int before)
{
    uint16_t distance = (uint16_t)(search->distance[state] + 1);
    bool gone_down = state % 2, up = search->ranks[state / 2] < search->ranks[before];
    if (up && !gone_down)
        legal_reach(search, 2 * before, distance);
    if (!up && gone_down) {
        legal_reach(search, 2 * before, distance);
        legal_reach(search, 2 * before + 1, distance);
    }
}

uint16_t *up_down_distances(const struct network *network, const int *ranks, int destination)
{
    int states = 2 * network->switch_count;
    uint16_t *distance = g_new0(uint16_t, (gsize)states);
    struct legal_search search = {ranks, distance, g_new(int, (gsize)states), 0};
    for (int i = 0; i < states; i++)
        distance[i] = UP_DOWN_UNREACHED;
    legal_reach(&search, 2 * destination, 0);
    legal_reach(&search, 2 * destination + 1, 0);
    for (int head = 0; head < search.tail; head++) {
        const struct fabric_switch *node = &network->switches[search.queue[head] / 2];
        for (int i = 0; i < node->neighbour_count; i++)
            legal_step_back(&search, search.queue[head], node->neighbours[i].node);
    }
    g_free(search.queue);
    return distance;
}
