// SPDX-License-Identifier: GPL-3.0-or-later
// The vocabulary of checks: what a file of claims can ask of results, and how it is written. A
// check is a map with one key, the word, whose value is a map of the word's keys. Every word also
// takes `scenario`, `set` and `metric`, the defaults of its curves (curve.h). Sizes are "1 B .. 4
// KiB", or a list of such ranges, and mean the sizes of the curve within them, both ends included.
// Plain numbers, "1 .. 64", are for benchmarks that count something other than bytes.
//
//   value           series, expected, tolerance [size]       the value, within 3 us or 4 %
//   values          series, points, tolerance [share]
//                     a printed table: `points` is a list of [SIZE, EXPECTED], and each value, or
//                     at least a share of them, is within 3 us or 4 % of what is expected there
//   bound           series, least|above|most|below [sizes, except]      every value is inside
//   ratio           over, under, least|above|most|below [sizes, except] every quotient is inside
//   difference      series, minus, least|above|most|below [sizes, except]
//   gain            over, under, statistic, expected & tolerance | least|above|most|below
//                   [sizes, except]
//                     how much the quotient of two curves is above 1: its mean over the sizes, or
//                     the greatest, as statistic says. All are percentages, and so is the
//                     tolerance: 9 % within 2 % is 7 % to 11 %
//   mean            series, expected & tolerance | least|above|most|below [sizes, except]
//                     the mean of the values over the sizes, each counting once
//   first           series, sizes, between, least|above|most|below [except]
//                     of the sizes in their order, the first whose value is inside the bounds is in
//                     `between`: of a benchmark over time, when the rate comes back
//   order           lower, higher, sizes [except, share, somewhere, slack]
//                     every `lower` curve lies below every `higher` one, at each size; at a share
//                     of the sizes at least; or, somewhere, never above and once below. With a
//                     slack of 1 % it may lie less than that above
//   crossover       before, after, sizes, between [expected]
//                     `before` is lower first, `after` is lower then; they cross once, in `between`
//   monotone        series, sizes [falling]    never falls (rises) with the size
//   no_step         series, sizes, most [except]
//                     no value is further than `most` off the line between its neighbours
//   parallel        series, to, sizes, most [except]
//                     from size to size the distance of both changes by at most `most` of the value
//   widest          series, sizes, within
//                     the quotient of the highest and the lowest curve is greatest in `within`
//   narrows         over, under, sizes, later
//                     the mean quotient is nearer to 1 in `later` than in `sizes`
//   slows_beyond    series, size, sizes       bytes per time are fewer at each of `sizes` than
//                     at `size`
//   agreement       series, with, tolerance [from, sizes, except]
//                     two simulations of the same: each curve of `with` against the one of `series`
//                     that stands at its place, and at each size, from `from` on, it is at most the
//                     tolerance, a percentage of the value of `series`, above or below
//   ends_with       series, status [reason]   how the run ended; the kind of its reason
//   contains_event  series, counter [least|above|most|below]  a counter of the run; at least 1
//   parameter       series, path, equals      a value of the resolved case
//   transitions     series, steps [of]
//                     the lines of the state log (`netsim run --log-states`, by time) that `steps`
//                     lists come in this order. A step is written like a line without its time; *
//                     matches any text, and the end may be omitted after a whole word. Other lines
//                     may come in between, but none that matches `of`, one pattern or a list
//   figure          spec, series [sizes, except]
//                     the figure in references/figures/ with this id draws these curves, and they
//                     have values
#ifndef NETSIM_VALIDATE_CHECK_H
#define NETSIM_VALIDATE_CHECK_H

#include "sim/compare/curve.h"

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

// What sizes measure: as the file says, which the series must agree with.
enum check_sizes { SIZES_UNKNOWN, SIZES_BYTES, SIZES_COUNTED };

struct check_bound {
    bool given, strict;
    double value;
};

struct check {
    enum check_word word;
    struct source_mark mark;
    GPtrArray *curves; // struct curve *: series, over, lower, before
    GPtrArray *others; // struct curve *: to, higher, after, with
    GArray *sizes;     // struct size_range; empty: all sizes
    GArray *except;    // struct size_range
    GArray *range;     // struct size_range, one: between, within, later
    GArray *points;    // struct curve_point: expected values
    GPtrArray *steps;  // const char *, interned
    GPtrArray *of;     // const char *, interned
    int64_t size;      // -1: none
    int64_t from;      // the least size that is compared; -1: none
    enum check_sizes sizes_are;
    bool mean; // statistic: the mean, not the greatest
    struct check_bound low, high;
    double expected, tolerance;
    bool has_expected, relative; // relative: the tolerance is a fraction of the expected value
    double share;                // of the sizes; 1: all
    double slack;                // of the higher curve; 0: none
    bool somewhere, falling;
    const char *status, *reason, *counter, *path, *equals, *spec; // interned, may be NULL
};

// Reads a check. Returns NULL after a complaint at its place. Free with check_free.
struct check *check_read(const struct node *node, const char *path, struct diag_list *diags);
void check_free(struct check *check);

// Whether a check asks for a size: it is in `sizes`, if any are given, and not in `except`.
bool check_wants(const struct check *check, int64_t size);
bool size_in(const GArray *ranges, int64_t size);

#endif
