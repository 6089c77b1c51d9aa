// SPDX-License-Identifier: GPL-3.0-or-later
// A measured curve of times by size as few straight lines: each piece is base + slope * size, for a
// range of sizes, and nowhere farther from the curve than a tolerance. The curve is linear between
// its points, so what holds at the points of a piece holds at every size of it.
#ifndef NETSIM_FLOW_PIECES_H
#define NETSIM_FLOW_PIECES_H

#include <glib.h>
#include <stdint.h>

struct piece_point {
    int64_t size; // strictly growing
    double value; // > 0
};

struct flow_piece {
    int64_t first, last; // sizes, both included
    double base, slope;  // of the value, and per unit of size
};

// Bounds on the lines.
struct piece_shape {
    double tolerance; // of the deviation, relative to the curve; 0 .. below 1
    int64_t cut;      // a piece ends at this size, if the curve goes past it
    // Of the pieces beyond the cut: the least slope, and a size, below all of the curve's, at which
    // their lines are not negative. Those up to the cut may fall.
    double least_slope, origin;
};

// Returns the pieces (struct flow_piece) from the first point's size to the last one's, without a
// gap: as few as there can be with ends at any whole size, and with that number the least worst
// deviation, to a millionth. The caller frees it with g_array_unref. count >= 1. A piece of one
// size is exact but for the shape's slope and origin, so that there is always a result.
GArray *pieces_fit(const struct piece_point *points, int count, const struct piece_shape *shape);

// The value of the curve at a size within it.
double pieces_curve_at(const struct piece_point *points, int count, int64_t size);

// The piece that holds `size`; the first or last of them if none does.
const struct flow_piece *pieces_at(const GArray *pieces, int64_t size);

// The value by the piece that holds `size`.
double pieces_value(const GArray *pieces, int64_t size);

#endif
