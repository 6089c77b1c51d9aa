// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/openmpi/openmpi.h"

#include <string.h>

static bool reaches(const struct openmpi_process *ompi, int own, int station)
{
    return network_route(ompi->cluster->network, own, station) != NULL;
}

// Returns the index of the peer's station for an own one, or -1 if none is left that it reaches.
static int pair_of(const struct openmpi_process *ompi, int own, const int *stations, int count)
{
    int subnet = inet_subnet(ompi->cluster, own);
    for (int i = 0; i < count; i++)
        if (stations[i] >= 0 && inet_subnet(ompi->cluster, stations[i]) == subnet &&
            reaches(ompi, own, stations[i]))
            return i;
    for (int i = 0; i < count; i++)
        if (stations[i] >= 0 && reaches(ompi, own, stations[i]))
            return i;
    return -1;
}

// Inserts before those of less bandwidth.
static void add_endpoint(struct bml_peer *peer, int card, int station)
{
    const struct openmpi_config *config = peer->ompi->config;
    int at = peer->count++;
    for (; at > 0 && peer->endpoints[at - 1].bandwidth < config->bandwidth[card]; at--)
        peer->endpoints[at] = peer->endpoints[at - 1];
    peer->endpoints[at] = (struct btl_endpoint){
        .peer = peer,
        .card = card,
        .station = station,
        .bandwidth = config->bandwidth[card],
        .latency = config->latency[card],
    };
    peer->bandwidth += config->bandwidth[card];
}

static void make_lists(struct bml_peer *peer)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < peer->count; i++)
        least = MIN(least, peer->endpoints[i].latency);
    for (int i = 0; i < peer->count; i++) {
        peer->send.rails[peer->send.count++] = i;
        peer->put.rails[peer->put.count++] = i;
        if (peer->endpoints[i].latency == least)
            peer->eager.rails[peer->eager.count++] = i;
    }
}

struct bml_peer *bml_peer_of(struct openmpi_process *ompi, int rank)
{
    int stations[OPENMPI_MOST_RAILS];
    if (ompi->peers[rank])
        return ompi->peers[rank];
    struct bml_peer *peer = g_new0(struct bml_peer, 1);
    peer->ompi = ompi;
    peer->rank = rank;
    const struct openmpi_process *other = openmpi_of(ompi->process->peers[rank]);
    memcpy(stations, other->stations, sizeof stations);
    for (int i = 0; i < ompi->card_count; i++) {
        int pair = pair_of(ompi, ompi->stations[i], stations, other->card_count);
        if (pair < 0)
            continue;
        add_endpoint(peer, ompi->cards[i], stations[pair]);
        stations[pair] = -1;
    }
    if (peer->count == 0) {
        g_free(peer);
        mpi_fail(ompi->process, "unreachable", json_pack("{s:i}", "peer", rank),
                 " has no way to rank %d over the cards that take part (%s.cards)", rank,
                 ompi->section);
        return NULL;
    }
    make_lists(peer);
    ompi->peers[rank] = peer;
    return peer;
}

struct btl_endpoint *bml_next(struct bml_peer *peer, struct bml_list *list)
{
    struct btl_endpoint *endpoint = &peer->endpoints[list->rails[list->next]];
    list->next = (list->next + 1) % list->count;
    return endpoint;
}

int64_t bml_share(const struct btl_endpoint *endpoint, int64_t bytes)
{
    return (int64_t)((__int128)bytes * endpoint->bandwidth / endpoint->peer->bandwidth);
}
