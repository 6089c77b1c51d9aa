// SPDX-License-Identifier: GPL-3.0-or-later
// The vocabulary of checks on curves made by hand: each word holds, misses by a hair, and reports
// missing data. Every line is one such case, so a bound that is off by one, a neighbour that is
// forgotten, or a reversed relation shows.
#include "tests/support/judged.h"
#include "tests/support/suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static void test_value(void)
{
    static const struct judged_sample samples[] = {
        {"A 1:74", "{value: {series: A, size: 1 B, expected: 74 us, tolerance: 0 us}}", HOLDS,
         "74 us"},
        {"A 1:75.4799", "{value: {series: A, size: 1 B, expected: 74, tolerance: 2 %}}", HOLDS,
         "75.48"},
        {"A 1:75.4801", "{value: {series: A, size: 1 B, expected: 74, tolerance: 2 %}}", MISSES,
         "75.48"},
        {"A 1:72.5", "{value: {series: A, size: 1 B, expected: 74, tolerance: 1.4 us}}", MISSES,
         "72.5"},
        {"A 2:74", "{value: {series: A, size: 1 B, expected: 74, tolerance: 1 us}}", NOT,
         "no value at 1 B"},
        {"A 2:74", "{value: {series: B, size: 1 B, expected: 74, tolerance: 1 us}}", NOT,
         "series missing: s has no \"B\""},
        {"A 1:80; B 1:77",
         "{value: {series: {series: A, minus: B}, size: 1 B, expected: 3 us, tolerance: 0}}", HOLDS,
         "3 us"},
        {"xA 1:80", "{value: {series: xA, size: 1 B, expected: 80, tolerance: 1 us}}", MISSES,
         "xA of s ended as failed"},
        {0}};
    judged_all(samples);
}

// A printed table of values.
static void test_values(void)
{
    static const struct judged_sample samples[] = {
        {"A 1:100 2:204 4:392",
         "{values: {series: A, points: [[1 B, 100], [2 B, 200 us], [4 B, "
         "400]], tolerance: 2 %}}",
         HOLDS, "furthest off: 204 us for 200 us at 2 B"},
        {"A 1:100 2:204.1 4:392",
         "{values: {series: A, points: [[1 B, 100], [2 B, 200], [4 B, "
         "400]], tolerance: 2 %}}",
         MISSES, "204.1 us for 200 us at 2 B; 1 of 3 values outside"},
        {"A 1:100 2:204.1 4:392",
         "{values: {series: A, points: [[1 B, 100], [2 B, 200], [4 B, "
         "400]], tolerance: 2 %, share: 66 %}}",
         HOLDS, "1 of 3 values outside"},
        {"A 1:104 2:204",
         "{values: {series: A, points: [[1 B, 100], [2 B, 200]], tolerance: 3 us}}", MISSES,
         "2 of 2 values outside"},
        {"A 1:100 2:200", "{values: {series: A, points: [[1 B, 100], [2 B, 200]], tolerance: 0}}",
         HOLDS, "furthest off: 100 us"},
        {"A 1:100", "{values: {series: A, points: [[1 B, 100], [2 B, 200]], tolerance: 3 us}}", NOT,
         "there is no value at 2 B"},
        {"xA 1:100", "{values: {series: xA, points: [[1 B, 100]], tolerance: 3 us}}", MISSES,
         "xA of s ended as failed"},
        // Values whose sizes are counts are reported in plain numbers.
        {"cA 1:100 1024:200",
         "{values: {series: cA, points: [[1, 100], [1024, 199]], tolerance: "
         "1 us}}",
         HOLDS, "200 us for 199 us at 1024"},
        {0}};
    judged_all(samples);
}

static void test_gain(void)
{
#define GAIN "over: A, under: B, sizes: 1 B .. 4 B, "
    static const char *const curves = "A 1:109 2:104 4:113; B 1:100 2:100 4:100";
    const struct judged_sample samples[] = {
        {curves, "{gain: {" GAIN "statistic: greatest, expected: 13 %, tolerance: 0.1 %}}", HOLDS,
         "13 % at 4 B"},
        {curves, "{gain: {" GAIN "statistic: greatest, expected: 12 %, tolerance: 0.9 %}}", MISSES,
         "13 % at 4 B"},
        {curves, "{gain: {" GAIN "statistic: mean, expected: 8.667 %, tolerance: 0.001 %}}", HOLDS,
         "8.667 % over 3 sizes; the greatest is 13 % at 4 B"},
        {curves, "{gain: {" GAIN "statistic: mean, expected: 10 %, tolerance: 1 %}}", MISSES,
         "8.667 %"},
        {curves,
         "{gain: {" GAIN "statistic: mean, expected: 6.5 %, tolerance: 0.01 %, except: 4 B}}",
         HOLDS, "6.5 % over 2 sizes"},
        {curves, "{gain: {" GAIN "statistic: greatest, most: 13.1 %}}", HOLDS, "13 %"},
        {curves, "{gain: {" GAIN "statistic: greatest, below: 12.9 %}}", MISSES, "13 %"},
        {curves, "{gain: {" GAIN "statistic: mean, least: 9 %}}", MISSES, "8.667 %"},
        {"A 1:90 2:95; B 1:100 2:100",
         "{gain: {over: A, under: B, statistic: greatest, expected: -5 %, tolerance: 0.001 %}}",
         HOLDS, "-5 % at 2 B"},
        {"A 1:109; B 2:100",
         "{gain: {over: A, under: B, statistic: mean, expected: 9 %, tolerance: 1 %}}", NOT,
         "no value at these sizes"},
        // A series that stands for a setting.
        {"A 1:6 2:6",
         "{gain: {over: A, under: {series: A, set: [p.q=1]}, statistic: mean, expected: 20 %, "
         "tolerance: 0.01 %}}",
         HOLDS, "20 % over 2 sizes"},
        {"cA 8:109 16:120; cB 8:100 16:100",
         "{gain: {over: cA, under: cB, sizes: 8 .. 16, statistic: greatest, "
         "expected: 20 %, "
         "tolerance: 0.01 %}}",
         HOLDS, "20 % at 16"},
        {0}};
    judged_all(samples);
#undef GAIN
}

static void test_bounds(void)
{
    static const struct judged_sample samples[] = {
        {"A 1:4 2:5; B 1:2 2:2", "{ratio: {over: A, under: B, sizes: 1 B .. 2 B, above: 2}}",
         MISSES, "2 at 1 B; 1 of 2 values outside"},
        {"A 1:4 2:5; B 1:2 2:2", "{ratio: {over: A, under: B, sizes: 1 B .. 2 B, least: 2}}", HOLDS,
         "2 at 1 B"},
        {"A 1:4 2:5; B 1:2 2:2", "{ratio: {over: A, under: B, sizes: 2 B, above: 2}}", HOLDS,
         "2.5 at 2 B"},
        {"A 1:4 2:5; B 1:2 2:2",
         "{ratio: {over: A, under: B, sizes: 1 B .. 2 B, except: 1 B, above: 2}}", HOLDS, "2.5"},
        {"A 1:4 2:5; B 1:2", "{ratio: {over: A, under: B, sizes: 1 B .. 2 B, above: 1}}", NOT,
         "A / B has no value at 2 B"},
        {"A 1:4 2:5; B 1:5 2:5",
         "{difference: {series: A, minus: B, sizes: 1 B .. 2 B, below: 0, level: 0 %}}", MISSES,
         "0 us at 2 B; 1 of 2"},
        {"A 1:4 2:5; B 1:5 2:5", "{difference: {series: A, minus: B, sizes: 1 B, below: 0}}", HOLDS,
         "-1 us at 1 B"},
        {"A 1:4 2:5; B 1:2 2:9", "{bound: {series: [A, B], most: 9 us}}", HOLDS, "9 us at 2 B (B)"},
        {"A 1:4 2:5; B 1:2 2:9", "{bound: {series: [A, B], below: 9 us}}", MISSES,
         "1 of 4 values outside"},
        {"A 1:4 2:5; B 1:2 2:9", "{bound: {series: [A, C], below: 9 us}}", NOT, "no \"C\""},
        {0}};
    judged_all(samples);
}

static void test_order(void)
{
    static const struct judged_sample samples[] = {
        {"A 1:1 2:2; B 1:2 2:3; C 1:3 2:4",
         "{order: {lower: A, higher: [B, C], sizes: 1 B .. 2 B}}", HOLDS, "at all 2 sizes"},
        {"A 1:1 2:3; B 1:2 2:3; C 1:3 2:4",
         "{order: {lower: A, higher: [B, C], sizes: 1 B .. 2 B, level: 0 %}}", MISSES,
         "not at 1 of 2 sizes (2 B), worst at 2 B: 3 against 3 us"},
        {"A 1:1 2:2; B 1:2 2:3; C 1:3 2:2.5",
         "{order: {lower: [A, B], higher: C, sizes: 1 B .. 2 B}}", MISSES, "(2 B)"},
        {"A 1:1 2:9 4:1; B 1:2 2:3 4:2",
         "{order: {lower: A, higher: B, sizes: 1 B .. 4 B, except: 2 B}}", HOLDS, "all 2 sizes"},
        {"A 1:1 2:9 4:1 8:1; B 1:2 2:3 4:2 8:2",
         "{order: {lower: A, higher: B, sizes: 1 B .. 8 B, share: 75 %}}", HOLDS, "1 of 4"},
        {"A 1:1 2:9 4:1 8:1; B 1:2 2:3 4:2 8:2",
         "{order: {lower: A, higher: B, sizes: 1 B .. 8 B, share: 76 %}}", MISSES, "1 of 4"},
        {"A 1:1 2:3; B 1:1 2:4",
         "{order: {lower: A, higher: B, sizes: 1 B .. 2 B, somewhere: true}}", HOLDS,
         "lowest at 2 B"},
        {"A 1:1 2:3; B 1:1 2:3",
         "{order: {lower: A, higher: B, sizes: 1 B .. 2 B, somewhere: true, level: 0 %}}", MISSES,
         "never above nor below"},
        {"A 1:1.1 2:3; B 1:1 2:4",
         "{order: {lower: A, higher: B, sizes: 1 B .. 2 B, somewhere: true}}", MISSES, "(1 B)"},
        {"A 1:1 2:3; B 1:2", "{order: {lower: A, higher: B, sizes: 1 B .. 2 B}}", NOT,
         "B has no value at 2 B"},
        {"A 1:1 2:1 4:1; B 1:2 4:2", "{order: {lower: A, higher: B, sizes: 1 B .. 4 B}}", NOT,
         "different sizes"},
        {"A 1:1 2:3; xB 1:2", "{order: {lower: A, higher: xB, sizes: 1 B .. 2 B}}", MISSES,
         "the run failed"},
        // Under settings: another run of the same scenario.
        {"A 1:6 2:6", "{order: {lower: {series: A, set: p.q=1}, higher: A, sizes: 1 B .. 2 B}}",
         HOLDS, "5 against 6"},
        {"A 1:6 2:6", "{order: {lower: {series: A, set: p.q=2}, higher: A, sizes: 1 B .. 2 B}}",
         NOT, "was not run"},
        {0}};
    judged_all(samples);
}

// Values that differ by less than 2 % count neither for nor against, be the sign right or wrong.
static void test_level(void)
{
#define ORDER "{order: {lower: A, higher: B, sizes: 1 B .. 4 B"
    static const struct judged_sample samples[] = {
        {"A 1:99 2:99 4:99; B 1:100 2:100 4:100", ORDER "}}", LEVEL,
         "at 0 of 3 sizes, nearest at 1 B: 99 against 100 us; 3 of 3 level"},
        {"A 1:101 2:101 4:101; B 1:100 2:100 4:100", ORDER "}}", LEVEL, "3 of 3 level"},
        {"A 1:99 2:99 4:99; B 1:100 2:100 4:100", ORDER ", level: 0.5 %}}", HOLDS, "at all 3"},
        // 2 % is decided, a hair less is level.
        {"A 1:98 2:98 4:98; B 1:100 2:100 4:100", ORDER "}}", HOLDS, "at all 3 sizes"},
        {"A 1:102 2:98 4:98; B 1:100 2:100 4:100", ORDER "}}", MISSES, "not at 1 of 3 sizes (1 B)"},
        {"A 1:101.99 2:98 4:98; B 1:100 2:100 4:100", ORDER "}}", HOLDS,
         "at 2 of 3 sizes, nearest at 1 B: 102 against 100 us; 1 of 3 level"},
        // Fewer than half decided.
        {"A 1:101.99 2:98 4:99; B 1:100 2:100 4:100", ORDER "}}", LEVEL, "2 of 3 level"},
        {"A 1:99 2:90 4:90 8:99; B 1:100 2:100 4:100 8:100",
         "{order: {lower: A, higher: B, sizes: 1 B .. 8 B}}", HOLDS, "2 of 4 level"},
        // Of the decided sizes half are right.
        {"A 1:90 2:110 4:99; B 1:100 2:100 4:100", ORDER ", share: 50 %}}", HOLDS, "1 of 3 level"},
        {"A 1:90 2:110 4:99; B 1:100 2:100 4:100", ORDER ", share: 51 %}}", MISSES, "1 of 3 level"},
        {"A 1:101 2:99 4:100; B 1:100 2:100 4:100", ORDER ", somewhere: true}}", LEVEL,
         "never above nor below"},
        {"A 1:101 2:98 4:100; B 1:100 2:100 4:100", ORDER ", somewhere: true}}", HOLDS,
         "never above; lowest at 2 B: 98"},
        {"A 1:102 2:90 4:100; B 1:100 2:100 4:100", ORDER ", somewhere: true}}", MISSES, "(1 B)"},
        // Signs: of a quotient, a difference, a mean, a gain; not where both sides are bounded.
        {"A 1:101; B 1:100", "{ratio: {over: A, under: B, below: 1}}", LEVEL,
         "1.01 at 1 B; 1 of 1 level"},
        {"A 1:102; B 1:100", "{ratio: {over: A, under: B, below: 1}}", MISSES, "1 of 1 values"},
        {"A 1:101 2:150; B 1:100 2:100", "{ratio: {over: A, under: B, above: 1}}", HOLDS,
         "1.5 at 2 B; 1 of 2 level"},
        {"A 1:101; B 1:100", "{ratio: {over: A, under: B, least: 1.01}}", HOLDS, "1.01"},
        {"A 1:99; B 1:100", "{ratio: {over: A, under: B, least: 1, most: 1.1}}", MISSES, "0.99"},
        {"A 1:101 2:150; B 1:100 2:200", "{difference: {series: A, minus: B, below: 0}}", HOLDS,
         "-50 us at 2 B; 1 of 2 level"},
        {"A 1:101; B 1:100", "{difference: {series: A, minus: B, below: 0}}", LEVEL, "1 us at 1 B"},
        {"A 1:101 2:99; B 1:100 2:100", "{mean: {series: {series: A, minus: B}, above: 0}}", LEVEL,
         "0 us over 2"},
        {"A 1:101 2:109; B 1:100 2:100", "{mean: {series: {series: A, minus: B}, above: 0}}", HOLDS,
         "5 us over 2"},
        {"A 1:101 2:109; B 1:100 2:100", "{mean: {series: {series: A, over: B}, below: 1}}", MISSES,
         "1.05 over 2"},
        {"A 1:101 2:102; B 1:100 2:100", "{gain: {over: A, under: B, statistic: mean, above: 0 %}}",
         LEVEL, "1.5 % over 2"},
        {"A 1:101 2:103; B 1:100 2:100", "{gain: {over: A, under: B, statistic: mean, above: 0 %}}",
         HOLDS, "2 % over 2"},
        {"A 1:99 2:97; B 1:100 2:100", "{gain: {over: A, under: B, statistic: mean, above: 0 %}}",
         MISSES, "-2 % over 2"},
        {"A 4:1 8:2 16:5", "{slows_beyond: {series: A, size: 4 B, sizes: 8 B .. 16 B}}", HOLDS,
         "0 % at 8 B"},
        {"A 4:1 8:1.99", "{slows_beyond: {series: A, size: 4 B, sizes: 8 B}}", LEVEL, "0.5025 %"},
        {"A 1:2 2:2 4:1.97; B 1:1 2:1 4:1",
         "{narrows: {over: A, under: B, sizes: 1 B .. 2 B, later: 4 B}}", LEVEL, "then 1.97"},
        {0}};
    judged_all(samples);
#undef ORDER
}

// Under each of several settings: with p.q=1 the curve A is 5, without it is 6.
static void test_judged_across(void)
{
#define BOTH "across: [p.q=1, p.r=1], "
    static const struct judged_sample samples[] = {
        {"A 1:6 2:6", "{bound: {" BOTH "series: A, below: 7 us}}", HOLDS,
         "holds with p.q=1: 5 us at 1 B; holds with p.r=1: 6 us at 1 B"},
        {"A 1:6 2:6", "{bound: {" BOTH "series: A, below: 4 us}}", MISSES,
         "misses with p.q=1: 5 us at 1 B; 2 of 2 values outside; misses with p.r=1"},
        {"A 1:6 2:6", "{bound: {" BOTH "series: A, below: 6 us}}", LEVEL,
         "undecided: the source does not say which of the settings it had"},
        {"A 1:6 2:6", "{bound: {across: [p.q=1, p.none=1], series: A, below: 6 us}}", NOT,
         "was not run"},
        {"A 1:6 2:6",
         "{order: {" BOTH "lower: A, higher: {series: A, set: p.r=1}, sizes: 1 B .. 2 B}}", LEVEL,
         "level with p.r=1: at 0 of 2 sizes"},
        {0}};
    judged_all(samples);
#undef BOTH
}

static void test_crossover(void)
{
    static const struct judged_sample samples[] = {
        {"A 1:1 2:2 4:6; B 1:2 2:3 4:5",
         "{crossover: {before: A, after: B, sizes: 1 B .. 4 B, between: 2 B .. 4 B}}", HOLDS,
         "A lower up to 3 B"},
        {"A 1:1 2:2 4:6; B 1:2 2:3 4:5",
         "{crossover: {before: B, after: A, sizes: 1 B .. 4 B, between: 2 B .. 4 B}}", MISSES,
         "A lower up to 3 B"},
        {"A 1:1 2:4 4:6; B 1:2 2:3 4:5",
         "{crossover: {before: A, after: B, sizes: 1 B .. 4 B, between: 2 B .. 4 B}}", MISSES,
         "up to 2 B"}, // 1.5 B, which is rounded
        {"A 1:1 2:4 4:4; B 1:2 2:3 4:5",
         "{crossover: {before: A, after: B, sizes: 1 B .. 4 B, between: 1 B .. 2 B}}", MISSES,
         "2 crossings"},
        {"A 1:1 2:2 4:4; B 1:2 2:3 4:5",
         "{crossover: {before: A, after: B, sizes: 1 B .. 4 B, between: 1 B .. 2 B}}", MISSES,
         "no crossing: A is lower throughout"},
        // Touching is no crossing.
        {"A 1:1 2:3 4:4; B 1:2 2:3 4:5",
         "{crossover: {before: A, after: B, sizes: 1 B .. 4 B, between: 1 B .. 4 B}}", MISSES,
         "no crossing"},
        {"A 1:1 2:3; B 1:2 2:3",
         "{crossover: {before: A, after: B, sizes: 1 B .. 4 B, between: 1 B .. 4 B}}", NOT,
         "A has no value at 4 B"},
        {0}};
    judged_all(samples);
}

static void test_shape(void)
{
    static const struct judged_sample samples[] = {
        {"A 1:1 2:1 4:2", "{monotone: {series: A, sizes: 1 B .. 4 B}}", HOLDS, ""},
        {"A 1:1 2:0.99 4:2", "{monotone: {series: A, sizes: 1 B .. 4 B}}", MISSES, "1 % at 2 B"},
        {"A 1:3 2:2 4:2", "{monotone: {series: A, sizes: 1 B .. 4 B, falling: true}}", HOLDS, ""},
        {"A 1:3 2:2 4:2.1", "{monotone: {series: A, sizes: 1 B .. 4 B, falling: true}}", MISSES,
         "5 % at 4 B"},
        // A straight line has no step, whatever its slope: a + b * size.
        {"A 0:5 1:7 2:9 4:13 8:21", "{no_step: {series: A, sizes: 0 B .. 8 B, most: 0.001 %}}",
         HOLDS, ""},
        // 9 in place of 12: a quarter of its value below the line from 10 to 16.
        {"A 1:10 2:9 4:16", "{no_step: {series: A, sizes: 1 B .. 4 B, most: 33 %}}", MISSES,
         "33.33 % at 2 B"},
        {"A 1:10 2:9 4:16", "{no_step: {series: A, sizes: 1 B .. 4 B, most: 34 %}}", HOLDS, "2 B"},
        {"A 1:10 2:9 4:16", "{no_step: {series: A, sizes: 1 B .. 4 B, except: 2 B, most: 1 %}}",
         NOT, "too few sizes"},
        // The neighbours of a size may lie outside of the range.
        {"A 1:10 2:9 4:16", "{no_step: {series: A, sizes: 2 B, most: 33 %}}", MISSES, "2 B"},
        {"A 1:10 2:20; B 1:3 2:13", "{parallel: {series: A, to: B, sizes: 1 B .. 2 B, most: 0 %}}",
         HOLDS, ""},
        {"A 1:10 2:20; B 1:3 2:11",
         "{parallel: {series: A, to: B, sizes: 1 B .. 2 B, most: 9.9 %}}", MISSES, "10 % at 2 B"},
        {"A 1:10 2:20; B 1:3 2:11", "{parallel: {series: A, to: B, sizes: 1 B .. 2 B, most: 10 %}}",
         HOLDS, "10 %"},
        // 4 B in 1, 8 B in 2, 16 B in 5: no slower at 8, slower at 16.
        {"A 4:1 8:2.1 16:5", "{slows_beyond: {series: A, size: 4 B, sizes: 8 B .. 16 B}}", HOLDS,
         "8 B"},
        {"A 4:1 8:2 16:5", "{slows_beyond: {series: A, size: 4 B, sizes: 8 B .. 16 B, level: 0 %}}",
         MISSES, "0 % at 8 B"},
        // By 10 % at least: 4, 3.6 and 3.2 B in 1; but 3.61.
        {"A 4:1 9:2.5 16:5",
         "{slows_beyond: {series: A, size: 4 B, sizes: 9 B .. 16 B, least: 10 "
         "%}}",
         HOLDS, "-10 % at 9 B"},
        {"A 4:1 9:2.49 16:5",
         "{slows_beyond: {series: A, size: 4 B, sizes: 9 B .. 16 B, least: 10 "
         "%}}",
         MISSES, "-9.639 % at 9 B"},
        {"A 8:2 16:5", "{slows_beyond: {series: A, size: 4 B, sizes: 8 B .. 16 B}}", NOT,
         "no value at 4 B"},
        {0}};
    judged_all(samples);
}

// A range of sizes as a whole.
static void test_ranges(void)
{
    static const struct judged_sample samples[] = {
        {"cA 0:900 1:0 2:30 3:900",
         "{mean: {series: cA, sizes: 1 .. 2, expected: 15, tolerance: 0}}", HOLDS,
         "15 us over 2 values"},
        {"cA 0:900 1:0 2:30 3:900",
         "{mean: {series: cA, sizes: 1 .. 2, expected: 14.8 us, tolerance: 1 %}}", MISSES, "15 us"},
        {"cA 0:900 1:0 2:30 3:900", "{mean: {series: cA, sizes: 0 .. 2, except: 1, least: 465}}",
         HOLDS, "465 us over 2 values"},
        {"cA 0:900 1:0 2:30 3:900", "{mean: {series: cA, above: 457.5}}", MISSES,
         "457.5 us over 4"},
        {"cA 0:900 1:0", "{mean: {series: cA, sizes: 0 .. 2, least: 1}}", NOT, "no value at 2"},
        {"A 1:1", "{mean: {series: A, sizes: 1 .. 1, least: 1}}", NOT, "they need a unit"},
        {"cA 1:6; cB 1:3", "{mean: {series: {series: cA, over: cB}, expected: 2, tolerance: 0}}",
         HOLDS, "2 over 1 value"},
        {"cA 0:900 1:0 2:30 3:900",
         "{first: {series: cA, sizes: 1 .. 3, above: 29, between: 2 .. 3}}", HOLDS, "30 us at 2"},
        {"cA 0:900 1:0 2:30 3:900",
         "{first: {series: cA, sizes: 1 .. 3, above: 30, between: 1 .. 2}}", MISSES, "900 us at 3"},
        // Values before the range do not count, and 0 is found where no other value is.
        {"cA 0:900 1:0 2:30 3:900",
         "{first: {series: cA, sizes: 0 .. 3, below: 900, between: 1 .. 1}}", HOLDS, "0 us at 1"},
        {"cA 0:900 1:0", "{first: {series: cA, sizes: 0 .. 1, above: 901, between: 0 .. 1}}",
         MISSES, "never"},
        {"cA 0:900 1:0", "{first: {series: cA, sizes: 0 .. 2, above: 901, between: 0 .. 1}}", NOT,
         "no value at 2"},
        {0}};
    judged_all(samples);
}

static void test_several(void)
{
    static const struct judged_sample samples[] = {
        {"A 1:1 2:1 4:1; B 1:2 2:3 4:2; C 1:1 2:1 4:1",
         "{widest: {series: [A, B, C], sizes: 1 B .. 4 B, within: 1 B .. 2 B}}", HOLDS,
         "widest at 2 B: highest / lowest 3"},
        {"A 1:1 2:1 4:1; B 1:2 2:3 4:3",
         "{widest: {series: [A, B], sizes: 1 B .. 4 B, within: 1 B .. 2 B}}", MISSES,
         "widest at 4 B"},
        {"A 1:1 2:1; B 1:2 2:3", "{widest: {series: [A, B], sizes: 1 B .. 4 B, within: 1 B}}", NOT,
         "no value at 4 B"},
        {"A 1:2 2:2 4:1.5; B 1:1 2:1 4:1",
         "{narrows: {over: A, under: B, sizes: 1 B .. 2 B, later: 4 B}}", HOLDS,
         "mean 2, then 1.5"},
        {"A 1:2 2:2 4:2; B 1:1 2:1 4:1",
         "{narrows: {over: A, under: B, sizes: 1 B .. 2 B, later: 4 B, level: 0 %}}", MISSES,
         "then 2"},
        // From a ratio above 1 to one below, but closer to 1.
        {"A 1:2 4:3; B 1:1 4:4", "{narrows: {over: A, under: B, sizes: 1 B, later: 4 B}}", HOLDS,
         "then 0.75"},
        {"A 1:2 4:1; B 1:1 4:4", "{narrows: {over: A, under: B, sizes: 1 B, later: 4 B}}", MISSES,
         "then 0.25"},
        {"A 1:2; B 1:1", "{narrows: {over: A, under: B, sizes: 1 B, later: 4 B}}", NOT,
         "no values at these sizes"},
        {0}};
    judged_all(samples);
}

static void test_runs(void)
{
    static const struct judged_sample samples[] = {
        {"A 1:1", "{ends_with: {series: A, status: completed}}", HOLDS, "ended as completed"},
        {"xA 1:1", "{ends_with: {series: xA, status: deadlock}}", MISSES, "ended as failed"},
        {"xA 1:1", "{ends_with: {series: xA, status: failed, reason: overrun}}", MISSES, "failed"},
        {"A 1:1", "{ends_with: {series: B, status: completed}}", NOT, "no \"B\""},
        {"A 1:1", "{contains_event: {series: A, counter: drops}}", HOLDS, "3"},
        {"A 1:1", "{contains_event: {series: A, counter: drops, least: 4}}", MISSES, "3"},
        {"A 1:1", "{contains_event: {series: A, counter: none}}", MISSES, "0"},
        {"A 1:1", "{contains_event: {series: A, counter: none, most: 0}}", HOLDS, "0"},
        {"A 1:1", "{contains_event: {series: A, counter: gone}}", NOT, "no counter \"gone\""},
        {0}};
    judged_all(samples);
}

// Values of one rank, as programs have them: {"metric", "rank", "size_bytes", "value"}.
static void test_rank(void)
{
    static const struct {
        const char *series;
        enum judged judged;
    } samples[] = {{"{series: A, rank: 1}", HOLDS},
                   {"{series: A, rank: 0}", MISSES},
                   {"{series: A, rank: 2}", NOT},
                   {"A", NOT}};
    struct runs *runs = runs_new_empty();
    json_t *result = json_pack(
        "{s:[{s:s, s:s, s:[], s:[{s:s, s:i, s:n, s:f}, {s:s, s:i, s:n, s:f}]}]}", "series", "name",
        "A", "status", "completed", "points", "values", "metric", "latency_us", "rank", 0,
        "size_bytes", "value", 3.0, "metric", "latency_us", "rank", 1, "size_bytes", "value", 5.0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(result);
    runs_add_result(runs, "s", "", result);
    struct judge_context context = {runs, "."};
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *text = g_strdup_printf("{value: {series: %s, expected: 5 us, tolerance: 0 us}}",
                                     samples[i].series);
        struct check *check = judged_check(text);
        struct judgement judgement = judge(&context, check);
        CU_ASSERT_EQUAL(judgement.judged, samples[i].judged);
        judgement_clear(&judgement);
        check_free(check);
        g_free(text);
    }
    runs_free(runs);
    json_decref(result);
}

static const char figures[] =
    "schema: 1\nfigures:\n"
    "  - id: f\n    scenario: s\n    series: [A, {series: B, minus: A}]\n    panels:\n"
    "      - y: {metric: latency_us}\n"
    "      - y: {metric: other_us}\n        series: [C]\n"
    "      - y: {metric: latency_us}\n        scenario: t\n"
    "        series: [{series: D, over: {scenario: s, series: A}}]\n"
    "  - id: last\n    scenario: s\n    series: [C]\n    panels: [{y: {metric: latency_us}}]\n";

// A figure must be there, draw the curves that are asked for, and have values.
static void test_figure(void)
{
    static const struct judged_sample samples[] = {
        {"A 1:1 2:2", "{figure: {spec: f, series: A, sizes: 1 B .. 2 B}}", HOLDS, "1 curve, 2"},
        {"A 1:1 2:2; B 1:2 2:3",
         "{figure: {spec: f, series: [A, {series: B, minus: A}], sizes: 1 B .. 2 B}}", HOLDS,
         "2 curves, 4 values"},
        {"C 1:1 2:2", "{figure: {spec: last, series: C, sizes: 1 B .. 2 B}}", HOLDS, "1 curve, 2"},
        {"A 1:1 2:2", "{figure: {spec: g, series: A, sizes: 1 B .. 2 B}}", MISSES,
         "no such figure"},
        {"A 1:1; B 1:2", "{figure: {spec: f, series: [A, B], sizes: 1 B}}", MISSES,
         "it does not draw B"},
        {"A 1:1; B 1:2", "{figure: {spec: f, series: {series: B, over: A}, sizes: 1 B}}", MISSES,
         "it does not draw B / A"},
        {"A 1:1; C 1:2", "{figure: {spec: f, series: C, sizes: 1 B}}", MISSES,
         "it does not draw C"}, // another metric
        {"A 1:1; D 1:2", "{figure: {spec: f, series: D, sizes: 1 B}}", MISSES,
         "it does not draw D"}, // but over another
        {"A 1:1; D 1:2",
         "{figure: {spec: f, series: {series: D, scenario: t, over: {series: A, scenario: s}}}}",
         NOT, "t was not run"}, // drawn, but without values
        {"A 1:1; D 1:2", "{figure: {spec: f, series: {series: D, over: A}}}", MISSES,
         "it does not draw D / A"}, // of s, which is not the curve drawn
        {"A 1:1", "{figure: {spec: f, series: A, sizes: 1 B .. 2 B}}", NOT, "no value at 2 B"},
        {0}};
    char *directory = g_dir_make_tmp("netsim-judge-XXXXXX", NULL);
    char *folder = g_build_filename(directory, "references", "figures", NULL);
    char *file = g_build_filename(folder, "f.yaml", NULL);
    CU_ASSERT_EQUAL(g_mkdir_with_parents(folder, 0700), 0);
    CU_ASSERT_TRUE(g_file_set_contents(file, figures, -1, NULL));
    judged_data_dir = directory;
    judged_all(samples);
    judged_data_dir = ".";
    g_remove(file);
    for (int i = 0; i < 3; i++) {
        g_rmdir(folder);
        char *up = g_path_get_dirname(folder);
        g_free(folder);
        folder = up;
    }
    g_free(folder);
    g_free(file);
    g_free(directory);
}

// Two simulations of the same, size by size.
static void test_agreement(void)
{
    static const struct judged_sample samples[] = {
        {"A 1:100 2:200; B 1:102 2:196", "{agreement: {series: A, with: B, tolerance: 2 %}}", HOLDS,
         "furthest apart: 102 us for 100 us at 1 B"},
        {"A 1:100 2:200; B 1:102 2:195.9", "{agreement: {series: A, with: B, tolerance: 2 %}}",
         MISSES, "furthest apart: 195.9 us for 200 us at 2 B; 1 of 2 values outside"},
        {"A 1:100 2:200; B 1:300 2:200",
         "{agreement: {series: A, with: B, from: 2 B, tolerance: 2 %}}", HOLDS,
         "200 us for 200 us at 2 B"},
        {"A 1:100 2:200 4:400; B 1:100 2:100 4:400",
         "{agreement: {series: A, with: B, sizes: 1 B .. 4 B, except: 2 B, tolerance: 1 %}}", HOLDS,
         "100 us for 100 us at 1 B"},
        {"A 1:100; B 1:101; C 1:200; D 1:190",
         "{agreement: {series: [A, C], with: [B, D], tolerance: 4 %}}", MISSES,
         "190 us for 200 us at 1 B (D); 1 of 2 values outside"},
        {"A 0:0 1:1; B 0:0 1:1", "{agreement: {series: A, with: B, tolerance: 1 %}}", HOLDS,
         "0 us"},
        {"A 0:0 1:1; B 0:1 1:1", "{agreement: {series: A, with: B, tolerance: 1 %}}", MISSES,
         "1 us for 0 us"},
        {"A 1:100 2:200; B 1:100", "{agreement: {series: A, with: B, tolerance: 2 %}}", NOT,
         "A has 2 values, B has 1"},
        {"A 1:100 2:200; B 1:100 4:200", "{agreement: {series: A, with: B, tolerance: 2 %}}", NOT,
         "A and B have values at different sizes"},
        {"A 1:100", "{agreement: {series: A, with: B, tolerance: 2 %}}", NOT,
         "series missing: s has no \"B\""},
        {"A 1:100; xB 1:100", "{agreement: {series: A, with: xB, tolerance: 2 %}}", MISSES,
         "xB of s ended as failed"},
        {"A 1:100; B 1:100", "{agreement: {series: A, with: B, from: 2 B, tolerance: 2 %}}", NOT,
         "A has no value at these sizes"},
        {0}};
    judged_all(samples);
}

int main(void)
{
    static const struct suite_case cases[] = {{"a value", test_value},
                                              {"tables of values", test_values},
                                              {"gains", test_gain},
                                              {"bounds, quotients and differences", test_bounds},
                                              {"orders", test_order},
                                              {"level values", test_level},
                                              {"across settings", test_judged_across},
                                              {"crossovers", test_crossover},
                                              {"the shape of a curve", test_shape},
                                              {"ranges", test_ranges},
                                              {"several curves", test_several},
                                              {"agreements", test_agreement},
                                              {"ends and counters of runs", test_runs},
                                              {"values of one rank", test_rank},
                                              {"figures", test_figure},
                                              {0}};
    return suite_run("validate: judge", cases);
}
