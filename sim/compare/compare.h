// SPDX-License-Identifier: GPL-3.0-or-later
// Compares two results curve by curve. A curve is one metric of one series (of all ranks together,
// or of one rank) over message sizes.
#ifndef NETSIM_COMPARE_COMPARE_H
#define NETSIM_COMPARE_COMPARE_H

#include "sim/compare/curve.h"
#include "sim/compare/tolerances.h"

#include <stdbool.h>
#include <stdio.h>

// Errors of comparing, code 0.
GQuark compare_error_quark(void);

struct compared_series {
    char *name;
    char *status;      // NULL: unknown
    char *fingerprint; // NULL: unknown
    char *reason;      // kind of failure, unless completed; NULL: none, or unknown
};

struct compared_curve {
    char *series;
    const char *metric; // interned
    int rank;           // -1: all ranks together
    GArray *points;     // struct curve_point
};

// The data read from one place.
struct compared {
    char *name;        // as given by the user
    char *fingerprint; // of the whole run; NULL: unknown
    GPtrArray *series; // struct compared_series *
    GPtrArray *curves; // struct compared_curve *
};

// Reads a result:
//   DIR                   a directory that `netsim run` wrote: results.csv, and manifest.json if it
//                         exists; or that `netsim sweep` wrote: sweep.sqlite
//   FILE.json             what `netsim run --format json` printed
//   FILE.csv              results.csv, or a file of golden curves (tests/golden)
//   FILE.sqlite#KEY       one case of a database: the start of its key
//   FILE.sqlite[#PATH=VALUE,…]   the newest sweep in it: the points with these values
// Returns NULL and sets *error if it can't be read. Free with compared_free.
struct compared *compared_load(const char *place, GError **error);
void compared_free(struct compared *compared);

// For readers: an empty result; adds the values of a series in the form of series_json; adds one
// value.
struct compared *compared_new(const char *place);
void compared_set_fingerprint(struct compared *compared, const char *fingerprint); // NULL: stays
void compared_add_series(struct compared *compared, const char *name, const char *status,
                         const char *fingerprint, const char *reason);
void compared_add_value(struct compared *compared, const char *series, const char *metric, int rank,
                        int64_t size, double value);
void compared_add_document(struct compared *compared, const char *name, json_t *series);

// The mean of results (struct compared *, one at least), which may be of several seeds. A series
// has completed if it has in all; a value is there if all have it, as a mean over those that
// succeeded would leave out just the bad ones. Free with compared_free.
struct compared *compared_mean(const char *place, const GPtrArray *all);

// Reads text in the form of a .csv file of compared_load (compared_csv.c). Returns false and sets
// *error, which starts with the line: "3: this row has no value".
bool compared_read_csv(struct compared *compared, const char *text, size_t length, GError **error);
// Reads a database as described above; `which` is the text after the #, or NULL.
bool compared_read_database(struct compared *compared, const char *file, const char *which,
                            GError **error);

// The metrics of both, each once: const char *, interned. Free with g_ptr_array_unref.
GPtrArray *compared_metrics(const struct compared *a, const struct compared *b);

struct compare_options {
    const struct tolerances *tolerances; // NULL: values must be equal
    const char *const *metrics; // as text_metric_is takes them; NULL-terminated; NULL or empty: all
    bool common;                // compare only what both have: the rest is no difference
};

// Whether a metric is to be compared.
bool compare_wants(const struct compare_options *options, const char *metric);

// Returns the comparison as a new reference:
//   {"same", "differences", "compared": number of points, "tolerances": [TEXT],
//    "fingerprints": {"a", "b", "agree"}, "series": [{"series", "a", "b"}: those that differ],
//    "curves": [{"series", "metric", "rank", "verdict": same|near|differs|skipped, "points",
//                "missing", "outside", "worst": {"size_bytes", "a", "b", "deviation"}}]}
// A deviation is relative to A and has a sign; the worst is that of the points outside of the
// tolerance, if there are any.
json_t *compare(const struct compared *a, const struct compared *b,
                const struct compare_options *options);

// Prints the comparison as text for people.
void compare_print(const json_t *comparison, FILE *file);

// As JUnit XML: a suite of the series, with a case of its end if that differs and one for each
// curve. The caller frees it (g_free).
char *compare_junit(const json_t *comparison);

#endif
