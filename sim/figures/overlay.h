// SPDX-License-Identifier: GPL-3.0-or-later
// Several pictures in one: panels with the same axes are merged.
#ifndef NETSIM_FIGURES_OVERLAY_H
#define NETSIM_FIGURES_OVERLAY_H

#include <glib.h>
#include <jansson.h>

struct overlay_part {
    const char *label; // distinguishes it from the other parts
    json_t *document;  // borrowed, and may be changed
};

// The document of all parts. A name that several documents use for a series gets the part's label
// in brackets; measured series look like the simulated series of their name. Returns a new
// reference.
json_t *overlay_document(const struct overlay_part *parts, guint count);

#endif
