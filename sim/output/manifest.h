// SPDX-License-Identifier: GPL-3.0-or-later
// The manifest of a run: all that is needed to repeat it and to know where its numbers come from.
#ifndef NETSIM_OUTPUT_MANIFEST_H
#define NETSIM_OUTPUT_MANIFEST_H

#include "sim/measure/result.h"
#include "sim/scenario/scenario.h"

#include <jansson.h>
#include <stdbool.h>

#define MANIFEST_SCHEMA 1

// The program's call.
struct manifest_execution {
    const char *version;
    gint64 started; // microseconds since 1970, UTC
    int argc;
    char *const *argv;
    // Other files that the run has written: [{"as": "--trace", "file", …}]. Borrowed; NULL: none.
    json_t *files;
};

// Returns the document as a new reference. All of it but the member "execution" (host, times,
// command) is equal for two runs of one scenario and seed. `csv` is the text of results.csv, which
// lies next to the manifest: the manifest contains its SHA-256, so that a reader can check whether
// both belong to one run.
json_t *manifest_json(const struct scenario *scenario, const struct result *result,
                      const struct manifest_execution *execution, const char *csv);

// The files next to results.csv that only some runs have: times of single repetitions, links, and
// links by size.
enum manifest_extra { MANIFEST_SAMPLES, MANIFEST_LINKS, MANIFEST_LINKS_BY_SIZE, MANIFEST_EXTRAS };

// Returns the name of such a file; static.
const char *manifest_extra_file(enum manifest_extra extra);

// Writes results.csv and manifest.json into a directory, and those of the extra files that have a
// text; replaces the files of the previous run, and sets *other if that was of another scenario, or
// of other settings or another seed. Returns false and sets *error if they can't be written; then
// the previous files are unchanged.
bool manifest_write(const char *directory, json_t *manifest, const char *csv,
                    const GString *const extras[MANIFEST_EXTRAS], bool *other, GError **error);

// Whether a manifest and the results next to it belong to one run; true for those of older
// versions, which lack the digest. If not, returns false, and *error names both files.
bool manifest_is_of(const json_t *manifest, const char *directory, const char *csv, GError **error);

#endif
