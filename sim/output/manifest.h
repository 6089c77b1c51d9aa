// SPDX-License-Identifier: GPL-3.0-or-later
// The manifest of a run: all that is needed to repeat it and to know what its numbers stand on.
#ifndef NETSIM_OUTPUT_MANIFEST_H
#define NETSIM_OUTPUT_MANIFEST_H

#include "sim/config/scenario.h"
#include "sim/workload/result.h"

#include <jansson.h>

#define MANIFEST_SCHEMA 1

// How the program was called.
struct manifest_execution {
    const char *version;
    gint64 started; // microseconds since 1970, UTC
    int argc;
    char *const *argv;
};

// The document, new reference. Everything but the member "execution" (host, times, command) is
// equal for two runs of one scenario and seed.
json_t *manifest_json(const struct scenario *scenario, const struct result *result,
                      const struct manifest_execution *execution);

#endif
