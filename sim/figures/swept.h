// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of a sweep.
#ifndef NETSIM_FIGURES_SWEPT_H
#define NETSIM_FIGURES_SWEPT_H

#include <glib.h>
#include <jansson.h>

// The document (document.h) of the sweep that a database holds: a panel for each metric. With one
// axis, a line over its values for each series and message size; with two numbers swept, a field of
// colours for each series. New reference; NULL and *error if there is no such database or no sweep
// in it.
json_t *swept_document(const char *database, GError **error);

#endif
