// SPDX-License-Identifier: GPL-3.0-or-later
// A communication matrix: how much each rank has for each other. Only pairs that have something
// take memory. It is filled rank by rank.
#ifndef NETSIM_FLATTEN_TRAFFIC_H
#define NETSIM_FLATTEN_TRAFFIC_H

#include <glib.h>
#include <stdint.h>

struct traffic_cell {
    int peer;
    uint64_t messages;
    int64_t bytes; // INT64_MAX: that many, or more
};

struct traffic {
    int ranks;
    GArray **rows;             // by rank: struct traffic_cell, by ascending peer
    struct traffic_cell *line; // by peer: of the rank that is being filled
    GArray *touched;           // int: its peers so far
};

void traffic_init(struct traffic *traffic, int ranks);
void traffic_clear(struct traffic *traffic);

// Adds a message of the rank that is being filled; ends the rank's row.
void traffic_add(struct traffic *traffic, int peer, int64_t bytes);
void traffic_end_row(struct traffic *traffic, int rank);

// The traffic of a rank to another; NULL: none.
const struct traffic_cell *traffic_find(const struct traffic *traffic, int rank, int peer);

static inline const struct traffic_cell *traffic_cell(const GArray *row, guint i)
{
    return &g_array_index(row, struct traffic_cell, i);
}

// a + b, at most INT64_MAX; neither is negative.
int64_t traffic_sum(int64_t a, int64_t b);

#endif
