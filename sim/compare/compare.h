// SPDX-License-Identifier: GPL-3.0-or-later
// Two results, curve by curve. A curve is one metric of one series (of all ranks together, or of
// one rank) over message sizes.
#ifndef NETSIM_COMPARE_COMPARE_H
#define NETSIM_COMPARE_COMPARE_H

#include "sim/compare/curve.h"

#include <stdbool.h>
#include <stdio.h>

// Errors of what is compared, code 0.
GQuark compare_error_quark(void);

struct compared_series {
    char *name;
    char *status;      // NULL: not known
    char *fingerprint; // NULL: not known
    char *reason;      // the kind of it, of one that did not complete; NULL: none, or not known
};

struct compared_curve {
    char *series;
    const char *metric; // interned
    int rank;           // -1: of all ranks
    GArray *points;     // struct curve_point
};

// What was read from one place.
struct compared {
    char *name;        // as it was given
    char *fingerprint; // of the whole run; NULL: not known
    GPtrArray *series; // struct compared_series *
    GPtrArray *curves; // struct compared_curve *
};

// Reads a result:
//   DIR                   a directory that `netsim run` wrote: results.csv, and manifest.json if it
//                         is there; or that `netsim sweep` wrote: sweep.sqlite
//   FILE.json             what `netsim run --format json` printed
//   FILE.csv              results.csv, or a file of golden curves (tests/golden)
//   FILE.sqlite#KEY       one case of a database: the start of its key
//   FILE.sqlite[#PATH=VALUE,…]   the newest sweep in it: the points with these values
// NULL and *error if it can't be read. Free with compared_free.
struct compared *compared_load(const char *place, GError **error);
void compared_free(struct compared *compared);

// For readers: empty; the values of a series as series_json has them; one more value.
struct compared *compared_new(const char *place);
void compared_add_series(struct compared *compared, const char *name, const char *status,
                         const char *fingerprint, const char *reason);
void compared_add_value(struct compared *compared, const char *series, const char *metric, int rank,
                        int64_t size, double value);
void compared_add_document(struct compared *compared, const char *name, json_t *series);

// Text of that form, as compared_load reads from a .csv file (compared_csv.c). False and *error,
// which starts with the line, "3: this row has no value".
bool compared_read_csv(struct compared *compared, const char *text, size_t length, GError **error);
// A database, as above; `which` is what stands behind the #, or NULL.
bool compared_read_database(struct compared *compared, const char *file, const char *which,
                            GError **error);

struct compare_options {
    double tolerance;           // largest relative deviation from A that is no difference
    const char *const *metrics; // NULL-terminated; NULL or empty: all
};

// The comparison, new reference:
//   {"same", "differences", "tolerance", "fingerprints": {"a", "b", "agree"},
//    "series": [{"series", "a", "b"}],        # statuses that differ, with the kind of failure
//    "curves": [{"series", "metric", "rank", "points", "missing", "outside", "worst"}]}
// "missing" is null, or what one of both does not have; "worst" is null if nothing was to compare,
// else {"size_bytes", "a", "b", "deviation"}, whose deviation is null if A is 0 and B is not.
json_t *compare(const struct compared *a, const struct compared *b,
                const struct compare_options *options);

// As text for people.
void compare_print(const json_t *comparison, FILE *file);

#endif
