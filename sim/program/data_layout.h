// SPDX-License-Identifier: GPL-3.0-or-later
// The layout of data in memory, of one-sided transfers and of messages (derived datatypes).
#ifndef NETSIM_PROGRAM_DATA_LAYOUT_H
#define NETSIM_PROGRAM_DATA_LAYOUT_H

#include <stdint.h>

#define DATA_LAYOUT_LEVELS 7 // of strides, at most

enum data_layout_kind { DATA_CONTIGUOUS, DATA_STRIDED, DATA_VECTOR };

// A set of a vector: `count` segments of `bytes` each.
struct data_segments {
    int64_t bytes, count;
};

struct data_layout {
    enum data_layout_kind kind;
    // DATA_STRIDED: counts[0] bytes are contiguous; counts[i] pieces of level i - 1 are strides[i -
    // 1] bytes apart, for i = 1 .. levels. The peer's memory has peer_strides.
    int levels;
    int64_t counts[DATA_LAYOUT_LEVELS + 1];
    int64_t strides[DATA_LAYOUT_LEVELS], peer_strides[DATA_LAYOUT_LEVELS];
    // DATA_VECTOR: sets of segments at arbitrary addresses.
    int sets;
    const struct data_segments *segments;
    int64_t bytes; // of all data; the only member used for DATA_CONTIGUOUS
};

// Number of contiguous pieces of the layout, >= 1; 1 for DATA_CONTIGUOUS.
int64_t data_layout_blocks(const struct data_layout *layout);

#endif
