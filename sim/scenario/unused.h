// SPDX-License-Identifier: GPL-3.0-or-later
// What was set and decides nothing: parameters of stacks or cards that no series runs, defaults of
// links that all have their own; and links that end at a card which no stack uses. A user who gives
// such a thing expects something of it.
//
// What is looked at is given in the scenario's own file or with --set; a testbed, and what is
// included, serve many scenarios. Links are looked at wherever they stand. A value that a later one
// replaces is none of these. Whether a model reads a parameter of a section that it reads, nobody
// knows here.
#ifndef NETSIM_SCENARIO_UNUSED_H
#define NETSIM_SCENARIO_UNUSED_H

#include "sim/scenario/case.h"

struct unused;

// What is unused in all scenarios together that are added: the points of a sweep read different
// things. Free with unused_free.
struct unused *unused_new(const struct scenario_schema *schema);
void unused_free(struct unused *unused);

// Adds the cases (struct scenario_case *) of a compiled scenario, which still have their trees, and
// the name of its file. With `only_sets`, what --set has given is looked at alone, as other series
// of the file might read the rest.
void unused_add(struct unused *unused, const GPtrArray *cases, const char *file, bool only_sets);

// Complains about all of it, once each.
void unused_report(const struct unused *unused, struct diag_list *diags);

#endif
