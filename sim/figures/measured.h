// SPDX-License-Identifier: GPL-3.0-or-later
// Points that a user has measured (sim/output/measured.h), for a picture of simulated points.
#ifndef NETSIM_FIGURES_MEASURED_H
#define NETSIM_FIGURES_MEASURED_H

#include "sim/figures/choice.h"

// The document (document.h) of such points: series with "measured" true, and an interval where an
// error is given. `panels` are those of the picture that the points are added to (NULL: they are
// alone): each metric must be one of them. `name` names points without a series. Returns a new
// reference, or NULL and sets *error, with path, line and column.
json_t *measured_document(const char *path, const char *text, size_t length, const char *name,
                          const json_t *panels, struct choice *choice, GError **error);

#endif
