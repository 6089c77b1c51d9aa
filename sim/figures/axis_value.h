// SPDX-License-Identifier: GPL-3.0-or-later
// Values of parameters as places on an axis: "64 KiB" is at 65536 B, "2 Gb/s" at 2000 Mb/s.
#ifndef NETSIM_FIGURES_AXIS_VALUE_H
#define NETSIM_FIGURES_AXIS_VALUE_H

#include <glib.h>
#include <stdbool.h>

// The unit of an axis on which all texts have a place, "" for plain numbers; their places go into
// `places`. NULL: they are names.
const char *axis_values_place(const GPtrArray *texts, double *places);

// The place of one text on an axis with such a unit; false if it has none there.
bool axis_value_place(const char *text, const char *unit, double *place);

#endif
