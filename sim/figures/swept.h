// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of a sweep.
#ifndef NETSIM_FIGURES_SWEPT_H
#define NETSIM_FIGURES_SWEPT_H

#include "sim/figures/choice.h"

#include <glib.h>
#include <jansson.h>

// The document (document.h) of the chosen part of the sweep in a database. x and y are the axes
// that the user names, or by default those with the largest effect in the sweep's report. It has a
// colour field per series and message size; lines if one axis is enough, or if only x is named;
// lines over message sizes if there are many, or if they are named as x. An axis that changes
// nothing is left out. `together`: other results are added to the picture, so that there are only
// lines, in one panel per metric. Returns a new reference, or NULL and sets *error if there is no
// such database, no sweep in it, or no such axis.
json_t *swept_document(const char *database, struct choice *choice, bool together, GError **error);

#endif
