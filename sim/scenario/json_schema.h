// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON Schema of scenario files, made from the compiler's schema.
#ifndef NETSIM_SCENARIO_JSON_SCHEMA_H
#define NETSIM_SCENARIO_JSON_SCHEMA_H

#include "sim/scenario/schema.h"

#include <jansson.h>

// A JSON Schema of scenario and testbed files for editors, new reference.
json_t *scenario_json_schema(const struct scenario_schema *schema);

#endif
