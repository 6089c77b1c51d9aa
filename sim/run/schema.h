// SPDX-License-Identifier: GPL-3.0-or-later
// The schema of scenarios: everything that a list of models lets a file contain.
#ifndef NETSIM_RUN_SCHEMA_H
#define NETSIM_RUN_SCHEMA_H

#include "sim/model/model.h"

// Builds the schema for the configuration compiler from sim/ itself (host, network, benchmarks) and
// the models. The caller frees it with registry_schema_free.
struct scenario_schema *registry_schema(const struct registry *registry);
void registry_schema_free(struct scenario_schema *schema);

#endif
