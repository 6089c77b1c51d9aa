// SPDX-License-Identifier: GPL-3.0-or-later
// Points that a user has measured, out of CSV, for a picture of simulated ones:
//
//   # comments, above the header
//   size,latency (us),error,series
//   1 KiB,255.1,3.2,our cluster
//   64 KiB,5790,40,our cluster
//
// The first column is what stands along x: "size", or a parameter that was swept, by its path or
// the last word of it. A column "series" has names; without it the file's is the name. A column
// "error" is of the column before it: its value +- so much. Each other column is a metric, by its
// name or what a picture calls it: "latency_us", "latency (us)". A unit stands in the header, "size
// (KiB)", or with each value, "64 KiB"; a size without one is in bytes. Times are converted to the
// unit of the picture. A field without text is no point.
#ifndef NETSIM_FIGURES_MEASURED_H
#define NETSIM_FIGURES_MEASURED_H

#include "sim/figures/choice.h"

// The document (document.h) of such points: series with "measured" true, and an interval where
// there is an error. `panels` are those of the picture that they come into (NULL: they are
// alone): each metric must be one of them. `name` is what points without a series are called. New
// reference; NULL and *error, with path, line and column.
json_t *measured_document(const char *path, const char *text, size_t length, const char *name,
                          const json_t *panels, struct choice *choice, GError **error);

#endif
