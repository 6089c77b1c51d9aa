// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of a sweep.
#ifndef NETSIM_FIGURES_SWEPT_H
#define NETSIM_FIGURES_SWEPT_H

#include "sim/figures/choice.h"

#include <glib.h>
#include <jansson.h>

// The document (document.h) of the sweep that a database holds, as far as it is chosen. Along x and
// y are the axes that the user names, or those that do most, as the report of the sweep has it:
// colours in a field for each series and message size; lines if one axis is enough, or if only x
// is named; over message sizes if they are many, or named as x. An axis that changes nothing is
// left out. `together`: other results come into the same picture, so that there are lines, one
// panel for each metric. New reference; NULL and *error if there is no such database, no sweep in
// it, or no such axis.
json_t *swept_document(const char *database, struct choice *choice, bool together, GError **error);

#endif
