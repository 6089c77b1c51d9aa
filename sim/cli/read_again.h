// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by `netsim explain` and `netsim diagram`: the option --size, and the scenario with further
// settings.
#ifndef NETSIM_CLI_READ_AGAIN_H
#define NETSIM_CLI_READ_AGAIN_H

#include "sim/cli/cli.h"

// The arguments with which a scenario is read again for a trial.
struct cli_reader {
    const struct scenario_schema *schema;
    const char *file;
    char **sets;
    uint64_t seed;
};

// For struct explain_again, whose owner is a struct cli_reader.
struct scenario *cli_read_again(void *owner, GPtrArray *more, char **why);

// Reads --size: a size with its unit, or a number of bytes. Returns false after an error.
bool cli_size_read(const char *text, int64_t *size);

#endif
