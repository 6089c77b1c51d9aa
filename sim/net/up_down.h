// SPDX-License-Identifier: GPL-3.0-or-later
// Up*/down* routing: every channel between two switches leads up or down, and a path goes up first,
// then down. Packets then cannot wait for one another in a cycle: cut-through switches cannot
// deadlock, whatever the topology.
//
// Source: Schroeder and others, "Autonet", IEEE JSAC 9 (1991), for one tree; the GM mapper uses it.
#ifndef NETSIM_NET_UP_DOWN_H
#define NETSIM_NET_UP_DOWN_H

#include "sim/net/network.h"

#define UP_DOWN_UNREACHED UINT16_MAX

// The order of the switches: a channel leads up if it goes to a lower rank.
//
// The tops are the switches that are farthest from any host, and a switch nearer to a top ranks
// higher: in a Clos network or a fat tree all spines are tops, and every shortest path is legal. If
// that leaves two switches with hosts without a legal path, only one top remains: of the farthest
// switches, the one with the most links to switches. Equals rank by number. The caller frees the
// array.
int *up_down_ranks(const struct network *network);

// Legal distances to a destination switch, in links: from switch s, [2 s] for a packet that may
// still go up, [2 s + 1] for one that has gone down. The caller frees the array.
uint16_t *up_down_distances(const struct network *network, const int *ranks, int destination);

#endif
