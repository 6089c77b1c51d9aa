// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to the configuration compiler: scenario.c reads the file and its series, testbed.c finds
// the testbed, case.c makes a case from a merged tree.
#ifndef NETSIM_SCENARIO_COMPILER_H
#define NETSIM_SCENARIO_COMPILER_H

#include "sim/scenario/ensemble.h"
#include "sim/scenario/keys.h"
#include "sim/scenario/scenario.h"

// One `--set`.
struct scenario_set {
    char *path;
    const char *value;  // text, in origin
    const char *origin; // "--set path=value", interned
    bool unsets;        // the value is blank: the key is removed where it was given
    bool unset;         // and it was given somewhere
};

struct compiler {
    const struct scenario_schema *schema;
    const struct scenario_options *options;
    int64_t draw;          // 0: none
    const char *directory; // of the scenario file; NULL: no other file may be read
    struct node *root;     // of the scenario file
    size_t nodes;          // in the trees of all cases so far
    GPtrArray *sets;       // struct scenario_set *
    struct recording_shelf recordings;
    struct ensemble_shelf ensembles;
    GHashTable *testbeds; // name -> struct node *; NULL if it could not be read
    struct diag_list *diags;
};

// Returns true if `schema:` is present and names a version that this program reads; complains
// otherwise.
bool compiler_check_version(const struct node *tree, struct diag_list *diags);

// Returns the tree of the testbed that `name` (a scalar) names, without the keys that only testbeds
// have, or NULL after an error. The compiler owns it.
const struct node *compiler_testbed(struct compiler *compiler, const struct node *name);

#endif
