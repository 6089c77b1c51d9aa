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
    bool what_if;          // as of the options
    bool medians;          // the file's draw is not for now
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

// Prepares a compilation; the arguments must outlive it. It ends with compiler_close, before which
// draws of its cases can be had.
void compiler_open(struct compiler *compiler, const struct scenario_schema *schema,
                   const struct scenario_options *options, const char *directory);
void compiler_close(struct compiler *compiler);

// Compiles a tree (NULL: it could not be read), which the compiler takes over. NULL, with
// diagnostics, after an error.
struct scenario *compiler_run(struct compiler *compiler, struct node *root, const char *file,
                              struct diag_list *diags);

// The case as the draw has it, from the one with the medians, whose tree must be there; `mix` is a
// text of draw_mix.h, as if it were set (NULL: that of the tree). As case_read, it may return
// readable parts after errors; the caller frees it.
struct scenario_case *compiler_draw_case(struct compiler *compiler, int64_t draw, const char *mix,
                                         const struct scenario_case *medians,
                                         struct diag_list *diags);

// Adds what is new of `found`: the same mistake shows in every case.
void compiler_add_new(struct diag_list *diags, const struct diag_list *found);

// Returns true if `schema:` is present and names a version that this program reads; complains
// otherwise.
bool compiler_check_version(const struct node *tree, struct diag_list *diags);

// Returns the tree of the testbed that `name` (a scalar) names, without the keys that only testbeds
// have, or NULL after an error. The compiler owns it.
const struct node *compiler_testbed(struct compiler *compiler, const struct node *name);

#endif
