// SPDX-License-Identifier: GPL-3.0-or-later
// The manifest of a run: all that is needed to repeat it and to know what its numbers stand on.
#ifndef NETSIM_OUTPUT_MANIFEST_H
#define NETSIM_OUTPUT_MANIFEST_H

#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"

#include <jansson.h>
#include <stdbool.h>

#define MANIFEST_SCHEMA 1

// How the program was called.
struct manifest_execution {
    const char *version;
    gint64 started; // microseconds since 1970, UTC
    int argc;
    char *const *argv;
};

// The document, new reference. Everything but the member "execution" (host, times, command) is
// equal for two runs of one scenario and seed. `csv` is what results.csv beside it will hold: the
// manifest has its SHA-256, so that a reader knows whether both are of one run.
json_t *manifest_json(const struct scenario *scenario, const struct result *result,
                      const struct manifest_execution *execution, const char *csv);

// The file of the times of single repetitions, beside results.csv.
#define MANIFEST_SAMPLES "samples.csv"

// Puts results.csv and manifest.json into a directory, and samples.csv if there are any (else
// NULL): that of the run before goes. False and *error if they can't be written: then what was
// there still is.
bool manifest_write(const char *directory, json_t *manifest, const char *csv, const char *samples,
                    GError **error);

// Whether a manifest and the results beside it are of one run; those of older versions don't say.
// False and *error names both.
bool manifest_is_of(const json_t *manifest, const char *directory, const char *csv, GError **error);

#endif
