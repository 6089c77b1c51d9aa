// SPDX-License-Identifier: GPL-3.0-or-later
// Several pictures in one: what has the same axes comes into one panel.
#ifndef NETSIM_FIGURES_OVERLAY_H
#define NETSIM_FIGURES_OVERLAY_H

#include <glib.h>
#include <jansson.h>

struct overlay_part {
    const char *label; // tells it from the others
    json_t *document;  // borrowed, and may be changed
};

// The document of all of them. A name that series of several documents have gets the label of its
// own in brackets; measured series look like the simulated ones of their name. New reference.
json_t *overlay_document(const struct overlay_part *parts, guint count);

#endif
