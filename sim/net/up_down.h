// SPDX-License-Identifier: GPL-3.0-or-later
// Up*/down* routing: every channel between two switches leads up or down, and a path goes up first,
// then down. No packet then waits on a channel upwards for one that waits, over others, for it: no
// deadlock is possible among cut-through switches, whatever the topology.
//
// Source: Schroeder and others, "Autonet", IEEE JSAC 9 (1991), for one tree; the GM mapper uses it.
#ifndef NETSIM_NET_UP_DOWN_H
#define NETSIM_NET_UP_DOWN_H

#include "sim/net/network.h"

#define UP_DOWN_UNREACHED UINT16_MAX

// The order of the switches: a channel leads up if it goes to a lower rank.
//
// The tops are the switches that are farthest from any host, and what is nearer to a top ranks
// higher: in a Clos network or a fat tree all spines are tops, and every shortest path is legal. If
// that leaves two switches with hosts without a legal path, there is one top: of the farthest, the
// one with the most links to switches. Equals rank by number. Caller frees it.
int *up_down_ranks(const struct network *network);

// Legal distances to a destination switch: of switch s, [2 s] for a packet that may still go up,
// [2 s + 1] for one that has gone down. Caller frees them.
uint16_t *up_down_distances(const struct network *network, const int *ranks, int destination);

#endif
