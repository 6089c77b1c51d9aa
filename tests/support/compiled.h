// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario compiled from a text in the real schema, and its first series.
#ifndef NETSIM_TESTS_SUPPORT_COMPILED_H
#define NETSIM_TESTS_SUPPORT_COMPILED_H

#include "sim/scenario/scenario.h"

struct compiled {
    struct scenario_schema *schema;
    struct scenario *scenario;             // NULL: refused
    const struct scenario_case *test_case; // its first series, owned by the scenario; or NULL
};

// `sets` as with --set, NULL-terminated, or NULL. Complaints go to `diags`.
struct compiled compiled_try(const char *text, const char *const *sets, struct diag_list *diags);

// Like compiled_try, but in the schema of a registry of the test's own.
struct registry;
struct compiled compiled_try_in(const struct registry *registry, const char *text,
                                const char *const *sets, struct diag_list *diags);

// Like compiled_try and compiled_try_in, but a text that does not compile ends the program.
struct compiled compiled_new(const char *text, const char *const *sets);
struct compiled compiled_new_in(const struct registry *registry, const char *text,
                                const char *const *sets);

void compiled_free(struct compiled *compiled);

#endif
