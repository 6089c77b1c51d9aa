// SPDX-License-Identifier: GPL-3.0-or-later
// Hosts that differ from the others of their network: settings of an item of `hosts`, which
// override those of all hosts. Part of the configuration compiler.
//
//   host: {processor: {clock: 1.2 GHz}}
//   hosts: [{name: node, count: 4}, {name: old, count: 2, host: {processor: {clock: 600 MHz}}}]
#ifndef NETSIM_SCENARIO_HOST_SETTINGS_H
#define NETSIM_SCENARIO_HOST_SETTINGS_H

#include "sim/scenario/schema.h"

#define HOST_SETTINGS_KEY "host"

// Reads the map `own` at `path` ("hosts[1].host"), over the map `common` (NULL: none). Returns a
// list of struct param_values *, one per section of the schema below "host", even after errors. The
// caller frees it with g_ptr_array_unref.
GPtrArray *host_settings_read(const struct node *common, const struct node *own,
                              const struct scenario_schema *schema, const char *path,
                              struct diag_list *diags);

// The JSON Schema of the key, a new reference.
json_t *host_settings_schema(const struct scenario_schema *schema);

#endif
