// SPDX-License-Identifier: GPL-3.0-or-later
// The own values of each host in a draw: of the sections of hosts, the parameters that may be
// anywhere in a range (sim/config/prior.h), such as the phases of its clocks. A value that a user
// sets has no range, and stays. Which draw it is stands in host.phase.draw, which draw K of a
// scenario (draw.h) sets to K; a user may set it without the key `draw`, and then only chance
// differs from a run without draws.
#ifndef NETSIM_SCENARIO_DRAW_HOST_H
#define NETSIM_SCENARIO_DRAW_HOST_H

#include "sim/scenario/case.h"

#include <jansson.h>

#define DRAW_HOST_SECTION "host.phase"
#define DRAW_HOST_KEY "draw"

struct prior;

// Whether each host has its own value of a parameter in a draw: that of a section of hosts, with
// this prior.
bool draw_host_has_own(const struct param_values *values, const struct prior *prior);

// The draw that a host has its own values of, and chance is of (host -1); 0: none.
int64_t draw_of_host(const struct scenario_case *test_case, int host);

// The own values of each host, for the manifest: {"node0": {"host.phase.tick": "0.37", …}, …}, a
// new reference; NULL: none has any.
json_t *draw_hosts_json(const struct scenario_case *test_case);

// Puts a host's own values in a draw (1 or more) into `copy`, a copy of `values`, which are those
// of the section at `path` that the host has. They have the quantiles draw_quantile(draw,
// "host.phase.tick of node0").
void draw_host_values(const struct param_values *values, const char *path, int64_t draw,
                      const char *host, void *copy);

#endif
