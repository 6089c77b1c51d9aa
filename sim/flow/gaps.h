// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes at which a curve must be measured so that straight lines between its points stand for it.
// Frames, packets, copies and interrupts that keep a distance make steps in a curve, and a step is
// found only between two points on both sides of it. Between any two there is a gap; a point in its
// middle shows whether a line suffices for it, and if not, both its halves are gaps.
#ifndef NETSIM_FLOW_GAPS_H
#define NETSIM_FLOW_GAPS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct gaps_search {
    void *owner;
    // Measures the sizes (int64_t, growing); false gives up.
    bool (*measure)(void *owner, const GArray *sizes);
    double (*value)(void *owner, int64_t size); // of a size that was measured; above 0
    double tolerance; // by which a middle may be off its line, relative to its value
    guint most;       // points that may be measured
};

// Four sizes per octave from 1 B on that are below `largest`, and that: coarse enough for any
// stack, and so close that no two steps of frames are alike in all of them. The caller frees it
// with g_array_unref (int64_t).
GArray *gaps_grid(int64_t largest);

// Measures between the sizes (int64_t, growing), which were measured. Where `most` does not
// suffice, the gaps that are left are those which matter least: small steps, or within few bytes.
// Returns whether all of `measure` went well.
bool gaps_close(const struct gaps_search *search, const GArray *sizes);

#endif
