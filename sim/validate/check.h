// SPDX-License-Identifier: GPL-3.0-or-later
// The vocabulary of checks, which a file of claims applies to results. A check is a map with one
// key, the word, whose value is a map of the word's keys. Every word also takes `scenario`, `set`
// and `metric`, the defaults of its curves (curve.h), and `across`: settings of which the source
// does not print the one that it had, and under each of which the check is judged. Sizes are "1 B
// .. 4 KiB", or a list of such ranges, and mean the sizes of the curve within them, both ends
// included. Plain numbers, "1 .. 64", are for benchmarks that count something other than bytes.
#ifndef NETSIM_VALIDATE_CHECK_H
#define NETSIM_VALIDATE_CHECK_H

#include "sim/compare/curve.h"
#include "sim/config/param.h"

enum check_word {
    CHECK_VALUE,
    CHECK_VALUES,
    CHECK_BOUND,
    CHECK_RATIO,
    CHECK_DIFFERENCE,
    CHECK_GAIN,
    CHECK_MEAN,
    CHECK_FIRST,
    CHECK_ORDER,
    CHECK_CROSSOVER,
    CHECK_MONOTONE,
    CHECK_NO_STEP,
    CHECK_PARALLEL,
    CHECK_WIDEST,
    CHECK_NARROWS,
    CHECK_SLOWS_BEYOND,
    CHECK_AGREEMENT,
    CHECK_ENDS_WITH,
    CHECK_CONTAINS_EVENT,
    CHECK_PARAMETER,
    CHECK_TRANSITIONS,
    CHECK_FIGURE,
};

struct size_range {
    int64_t from, to; // both included
};

// The meaning of sizes, as in the file; the series must agree with it.
enum check_sizes { SIZES_UNKNOWN, SIZES_BYTES, SIZES_COUNTED };

struct check_bound {
    bool given, strict;
    double value;
};

struct check {
    enum check_word word;
    struct source_mark mark;
    struct curve defaults; // what its curves omit
    GPtrArray *curves;     // struct curve *: series, over, lower, before
    GPtrArray *others;     // struct curve *: to, higher, after, with
    GArray *sizes;         // struct size_range; empty: all sizes
    GArray *except;        // struct size_range
    GArray *range;         // struct size_range, one: between, within, later
    GArray *points;        // struct curve_point: expected values
    GPtrArray *steps;      // const char *, interned
    GPtrArray *of;         // const char *, interned
    int64_t size;          // -1: none
    int64_t from;          // the least size that is compared; -1: none
    enum check_sizes sizes_are;
    int mean; // statistic: the mean, not the greatest
    struct check_bound low, high;
    double expected, tolerance;
    bool has_expected, relative; // relative: the tolerance is a fraction of the expected value
    double share;                // of the sizes; 1: all
    double level;                // of two values: a part by which they differ, if they do; 0: none
    bool somewhere, falling;
    const char *status, *reason, *counter, *path, *equals, *spec; // interned, may be NULL
    guint across, place; // how many settings it is judged across, and which of them these are
    const char *under;   // they themselves, interned, as curve->sets; NULL: none
    struct check *next;  // the same check under the settings at the next place; NULL: the last
};

// Reads a check, with those that follow it. Returns NULL after a complaint at its place. Free with
// check_free.
struct check *check_read(const struct node *node, const char *path, struct diag_list *diags);
void check_free(struct check *check);

// The map of a word, in their order; false past the last. The caller frees its rows (g_free).
bool check_table(unsigned word, struct param_table *table);

// Whether a check states no more than an order or a sign, so that values can be level.
bool check_states_sign(const struct check *check);

// Whether a check asks for a size. That must be in `sizes`, if any are given, and not in `except`.
bool check_wants(const struct check *check, int64_t size);
bool size_in(const GArray *ranges, int64_t size);

#endif
