// SPDX-License-Identifier: GPL-3.0-or-later
// Values of parameters as positions on an axis: "64 KiB" is at 65536 B, "2 Gb/s" at 2000 Mb/s.
#ifndef NETSIM_CONFIG_AXIS_VALUE_H
#define NETSIM_CONFIG_AXIS_VALUE_H

#include <glib.h>
#include <stdbool.h>

// The unit of an axis that has a position for every text, "" for plain numbers; stores the
// positions in `places`. Returns NULL if the texts are names.
const char *axis_values_place(const GPtrArray *texts, double *places);

// The position of one text on an axis with such a unit. Returns false if it has none.
bool axis_value_place(const char *text, const char *unit, double *place);

#endif
