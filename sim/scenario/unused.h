// SPDX-License-Identifier: GPL-3.0-or-later
// Settings without effect: parameters of stacks or cards that no series runs, defaults of links
// that all have their own; and links that end at a card that no stack uses. Users who set such a
// thing expect an effect.
//
// Only settings in the scenario's own file or by --set are checked, since testbeds and included
// files serve many scenarios. Links are checked wherever they are given. A value that a later one
// replaces does not count. Whether a model uses a parameter of a section that it reads is unknown
// here.
#ifndef NETSIM_SCENARIO_UNUSED_H
#define NETSIM_SCENARIO_UNUSED_H

#include "sim/scenario/case.h"

struct unused;

// Collects the settings that all added scenarios leave unused: the points of a sweep read different
// ones. The caller frees it with unused_free.
struct unused *unused_new(const struct scenario_schema *schema);
void unused_free(struct unused *unused);

// Adds the cases (struct scenario_case *) of a compiled scenario, which still have their trees, and
// the name of its file. With `only_sets`, only settings by --set are checked, since other series of
// the file may read the rest.
void unused_add(struct unused *unused, const GPtrArray *cases, const char *file, bool only_sets);

// Complains about each of them once.
void unused_report(const struct unused *unused, struct diag_list *diags);

#endif
