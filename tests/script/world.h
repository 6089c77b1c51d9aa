// SPDX-License-Identifier: GPL-3.0-or-later
// The world of a script: its scenario, built and torn down; and the script's own options.
#ifndef NETSIM_TESTS_SCRIPT_WORLD_H
#define NETSIM_TESTS_SCRIPT_WORLD_H

#include "tests/script/play.h"

// Options of a script.
struct script_options {
    sim_time tolerance;
    bool tolerance_given;
    GPtrArray *sets;         // char *: KEY=VALUE; NULL-terminated
    struct capture *capture; // NULL: none
};

void script_options_read(const struct script_protocol *protocol,
                         const struct script_settings *settings, const struct script *script,
                         struct script_options *options, struct script_report *report);
void script_options_clear(struct script_options *options);
// The value of an option of the script, or NULL.
const char *script_option(const struct script *script, const char *name);

struct script_built {
    struct scenario_schema *schema;
    struct scenario *scenario;
    struct script_world world;
};

// Builds hosts, cards and network of the protocol's scenario, without a host under test yet.
// Returns false, with a report at the script's first line, if a setting is refused.
bool script_world_build(struct script_built *built, const struct script_protocol *protocol,
                        const char *profile, const struct script_options *options,
                        struct script_report *report);
void script_world_clear(struct script_built *built);

#endif
