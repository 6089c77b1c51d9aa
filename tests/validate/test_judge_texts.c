// SPDX-License-Identifier: GPL-3.0-or-later
// The texts about a check: what it expects, what was simulated, why it can't be checked, and how
// far off it is.
#include "tests/support/judged.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <math.h>

// The expectation of a check, as scorecards print it.
static void test_expected(void)
{
    static const char *const samples[][2] = {
        {"{value: {series: A, size: 1 B, expected: 74, tolerance: 1.4 us}}", "74 us within 1.4 us"},
        {"{value: {series: A, size: 1 B, expected: 74, tolerance: 2 %}}", "74 us within 2 %"},
        {"{values: {series: A, points: [[1 B, 100], [2 B, 200]], tolerance: 2 %, share: 66 %}}",
         "2 values within 2 %, at 66 % of the sizes"},
        {"{values: {series: A, points: [[1 B, 100]], tolerance: 3 us}}", "1 value within 3 us"},
        {"{gain: {over: A, under: B, sizes: 1 B .. 4 B, statistic: greatest, expected: 13 %, "
         "tolerance: 0.1 %}}",
         "greatest gain of A / B 13 % within 0.1 % at 1 B .. 4 B"},
        {"{gain: {over: A, under: B, sizes: 1 B .. 4 B, except: 2 B, statistic: mean, least: 9 %}}",
         "mean gain of A / B at least 9 % at 1 B .. 4 B but 2 B"},
        {"{gain: {over: A, under: {series: A, set: [p.q=1]}, statistic: mean, below: 20 %}}",
         "mean gain of A / A (p.q=1) below 20 %"},
        {"{ratio: {over: A, under: B, sizes: 1 B .. 2 B, above: 2}}",
         "A / B above 2 at 1 B .. 2 B"},
        {"{difference: {series: A, minus: B, sizes: 1 B, below: 0}}", "A - B below 0 us at 1 B"},
        {"{bound: {series: [A, B], most: 9 us}}", "A, B at most 9 us"},
        {"{mean: {series: A, sizes: 1 B .. 4 B, expected: 3, tolerance: 1 %}}",
         "mean of A 3 us within 1 % at 1 B .. 4 B"},
        {"{mean: {series: A, least: 3, below: 4}}", "mean of A at least 3 us and below 4 us"},
        {"{first: {series: A, sizes: 1 B .. 4 B, except: 2 B, least: 3, between: 4 B}}",
         "A at least 3 us for the first time in 4 B, of 1 B .. 4 B but 2 B"},
        {"{order: {lower: A, higher: [B, C], sizes: 1 B .. 2 B}}", "A below B, C at 1 B .. 2 B"},
        {"{order: {lower: A, higher: B, sizes: 1 B .. 2 B, somewhere: true}}",
         "A below B at 1 B .. 2 B, never above and once below"},
        {"{order: {lower: A, higher: B, sizes: 1 B .. 8 B, share: 75 %}}",
         "A below B at 1 B .. 8 B, at 75 % of the sizes"},
        {"{crossover: {before: B, after: A, sizes: 1 B .. 4 B, between: 2 B .. 4 B}}",
         "B lower, then A; they cross once in 2 B .. 4 B"},
        {"{monotone: {series: A, sizes: 1 B .. 4 B}}", "A never falls at 1 B .. 4 B"},
        {"{monotone: {series: A, sizes: 1 B .. 4 B, falling: true}}",
         "A never rises at 1 B .. 4 B"},
        {"{no_step: {series: A, sizes: 1 B .. 4 B, most: 33 %}}",
         "A is off its neighbours' line by at most 33 % at 1 B .. 4 B"},
        {"{parallel: {series: A, to: B, sizes: 1 B .. 2 B, most: 9.9 %}}",
         "A - B changes from size to size by at most 9.9 % at 1 B .. 2 B"},
        {"{slows_beyond: {series: A, size: 4 B, sizes: 8 B .. 16 B, least: 10 %}}",
         "A moves at least 10 % fewer bytes per time than at 4 B at 8 B .. 16 B"},
        {"{slows_beyond: {series: A, size: 4 B, sizes: 8 B .. 16 B}}",
         "A moves fewer bytes per time than at 4 B at 8 B .. 16 B"},
        {"{widest: {series: [A, B], sizes: 1 B .. 4 B, within: 1 B .. 2 B}}",
         "widest in 1 B .. 2 B: A, B"},
        {"{narrows: {over: A, under: B, sizes: 1 B .. 2 B, later: 4 B}}",
         "A / B is nearer to 1 at 4 B than at 1 B .. 2 B"},
        {"{ends_with: {series: A, status: completed}}", "ends as completed"},
        {"{ends_with: {series: A, status: failed, reason: overrun}}", "ends as failed (overrun)"},
        {"{contains_event: {series: A, counter: drops, least: 4}}", "drops at least 4"},
        {"{contains_event: {series: A, counter: drops, most: 0}}", "drops at most 0"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        struct judged_sample sample = {"A 1:1 2:1 4:1 8:1 16:1; B 1:1 2:1 4:1; C 1:1 2:1",
                                       samples[i][0], HOLDS, ""};
        struct judgement judgement = judged_one(&sample);
        SUITE_SAME_TEXT(judgement.expected, samples[i][1]);
        judgement_clear(&judgement);
    }
}

// All texts about a check: how it was judged, the simulated value, why not, and how far off.
static void test_said(void)
{
    static const char *const names[] = {"holds", "level", "misses", "not checkable"};
    static const struct {
        const char *curves, *check, *said;
    } samples[] = {
        {"A 1:74 2:75", "{value: {series: A, size: 2 B, expected: 74 us, tolerance: 2 %}}",
         "holds: 75 us, 0.01351"},
        {"A 1:0.5", "{value: {series: A, size: 1 B, expected: 0 us, tolerance: 1 us}}",
         "holds: 0.5 us, nan"},
        {"A 1:-2", "{value: {series: A, size: 1 B, expected: -4 us, tolerance: 50 %}}",
         "holds: -2 us, 0.5"},
        {"A 1:3", "{value: {series: A, expected: 3 us, tolerance: 1 us}}",
         "not checkable: -; there is no value at all sizes together, nan"},
        {"cA 7:3", "{value: {series: cA, size: 8, expected: 3 us, tolerance: 1 us}}",
         "not checkable: -; there is no value at 8, nan"},
        {"cA 7:3", "{value: {series: cA, size: 7 B, expected: 3 us, tolerance: 1 us}}",
         "not checkable: -; the sizes of cA are things, so they have no unit, nan"},
        {"A 7:3", "{value: {series: A, size: 7, expected: 3 us, tolerance: 1 us}}",
         "not checkable: -; the sizes of A are bytes, so they need a unit, nan"},
        {"A 1:12345 2:9999.9",
         "{value: {series: A, size: 1 B, expected: 10000 us, tolerance: 1 us}}",
         "misses: 12345 us, 0.2345"},
        {"A 1:103 2:206.5 4:0",
         "{values: {series: A, points: [[1 B, 100], [2 B, 200], [4 B, 0]], tolerance: 3 %}}",
         "misses: furthest off: 206.5 us for 200 us at 2 B; 1 of 3 values outside, 0.0325"},
        {"A 1:103 2:1", "{values: {series: A, points: [[1 B, 100], [2 B, 0]], tolerance: 3 %}}",
         "misses: furthest off: 1 us for 0 us at 2 B; 1 of 2 values outside, nan"},
        {"A 1:97 2:103", "{values: {series: A, points: [[1 B, 100], [2 B, 100]], tolerance: 3 us}}",
         "holds: furthest off: 97 us for 100 us at 1 B, -0.03"},
        {"A 1:97 2:104",
         "{values: {series: A, points: [[1 B, 100], [2 B, 100]], tolerance: 3 us, share: 50 %}}",
         "holds: furthest off: 104 us for 100 us at 2 B; 1 of 2 values outside, 0.04"},
        {"A 1:109 2:104 4:113; B 1:100 2:100 4:100",
         "{gain: {over: A, under: B, statistic: greatest, expected: 12 %, tolerance: 1.1 %}}",
         "holds: 13 % at 4 B, 0.01"},
        {"A 1:109 2:104 4:113; B 1:100 2:100 4:100",
         "{gain: {over: A, under: B, statistic: mean, least: 9 %, most: 10 %}}",
         "misses: 8.667 % over 3 sizes; the greatest is 13 % at 4 B, 0.003333"},
        {"A 1:109 2:109; B 1:100 2:100",
         "{gain: {over: A, under: B, statistic: greatest, least: 5 %, below: 10 %}}",
         "holds: 9 % at 1 B, -0.01"},
        {"A 1:109 2:109; B 1:100 2:100",
         "{gain: {over: A, under: B, statistic: greatest, above: 5 %, most: 6 %}}",
         "misses: 9 % at 1 B, 0.03"},
        {"A 1:4 2:6 4:5", "{bound: {series: A, least: 5, most: 5 us}}",
         "misses: 4 us at 1 B; 2 of 3 values outside, 0.2"},
        {"A 1:4 2:4 4:4", "{bound: {series: A, least: 4, most: 4 us}}", "holds: 4 us at 1 B, 0"},
        {"A 1:4 2:4 4:4", "{bound: {series: A, above: 4, below: 9 us}}",
         "misses: 4 us at 1 B; 3 of 3 values outside, 0"},
        {"A 1:-4 2:-6", "{bound: {series: A, least: -5 us}}",
         "misses: -6 us at 2 B; 1 of 2 values outside, 0.2"},
        {"A 1:0 2:1", "{bound: {series: A, most: 0 us}}",
         "misses: 1 us at 2 B; 1 of 2 values outside, nan"},
        {"A 1:4; B 1:7", "{bound: {series: [A, B], most: 5 us}}",
         "misses: 7 us at 1 B (B); 1 of 2 values outside, 0.4"},
        {"A 1:4; xB 1:7", "{bound: {series: [A, xB], most: 5 us}}",
         "misses: the run failed; xB of s ended as failed, nan"},
        {"A 1:4 2:5", "{bound: {series: A, sizes: 1 B .. 4 B, most: 5 us}}",
         "not checkable: -; A has no value at 4 B, nan"},
        {"A 1:4 2:5", "{bound: {series: A, sizes: 1 B .. 4 B, except: 4 B, most: 5 us}}",
         "holds: 5 us at 2 B, 0"},
        {"A 1:4 2:5", "{bound: {series: A, sizes: 1 B .. 2 B, except: 1 B .. 2 B, most: 5 us}}",
         "not checkable: -; A has no value at these sizes, nan"},
        {"A 1:4 2:9; B 1:2 2:3", "{ratio: {over: A, under: B, least: 2, below: 3}}",
         "misses: 2 at 1 B; 1 of 2 values outside, 0"},
        {"A 1:4 2:9; B 1:2 2:3", "{difference: {series: A, minus: B, least: 2, below: 3}}",
         "misses: 6 us at 2 B; 1 of 2 values outside, 1"},
        {"A 1:1 2:2 4:3 8:4 16:5 32:6 64:7 128:1; B 1:1 2:2 4:3 8:4 16:5 32:6 64:8 128:0.5",
         "{order: {lower: A, higher: B, sizes: 1 B .. 128 B, level: 0 %}}",
         "misses: not at 7 of 8 sizes (1 B, 2 B, 4 B, 8 B, 16 B, 32 B, ...), worst at 128 B: 1 "
         "against 0.5 us, 1"},
        {"A 1:1 2:2 4:3 8:4 16:5 32:6 64:7; B 1:1 2:1 4:1 8:1 16:1 32:1 64:8",
         "{order: {lower: A, higher: B, share: 10 %, sizes: 1 B .. 64 B}}",
         "holds: not at 5 of 7 sizes (2 B, 4 B, 8 B, 16 B, 32 B), worst at 32 B: 6 against 1 us; "
         "1 of 7 level, 5"},
        {"A 1:1 2:2 4:3 8:4 16:5 32:6 64:7; B 1:1 2:1 4:1 8:1 16:1 32:1 64:8",
         "{order: {lower: A, higher: B, share: 10 %, sizes: 1 B .. 64 B, level: 0 %}}",
         "holds: not at 6 of 7 sizes (1 B, 2 B, 4 B, 8 B, 16 B, 32 B), worst at 32 B: 6 against 1 "
         "us, 5"},
        {"A 1:1; B 1:2", "{order: {lower: A, higher: B, sizes: 1 B}}",
         "holds: at 1 B: 1 against 2 us, -0.5"},
        {"A 1:8 2:9 4:8; B 1:10 2:10 4:10",
         "{order: {lower: A, higher: B, somewhere: true, sizes: 1 B .. 4 B}}",
         "holds: never above; lowest at 1 B: 8 against 10 us, -0.2"},
        {"A 1:10 2:9 4:10; B 1:10 2:10 4:10",
         "{order: {lower: A, higher: B, somewhere: true, sizes: 1 B .. 4 B}}",
         "holds: never above; lowest at 2 B: 9 against 10 us; 2 of 3 level, -0.1"},
        {"A 1:10 2:11 4:9; B 1:10 2:10 4:10",
         "{order: {lower: A, higher: B, somewhere: true, sizes: 1 B .. 4 B}}",
         "misses: not at 1 of 3 sizes (2 B), worst at 2 B: 11 against 10 us; 1 of 3 level, 0.1"},
        {"A 1:-2 2:0; B 1:-1 2:0", "{order: {lower: A, higher: B, level: 0 %, sizes: 1 B .. 2 B}}",
         "misses: not at 1 of 2 sizes (2 B), worst at 2 B: 0 against 0 us, 0"},
        {"A 1:-1.05 2:1; B 1:-1 2:0", "{order: {lower: A, higher: B, sizes: 1 B .. 2 B}}",
         "misses: not at 1 of 2 sizes (2 B), worst at 2 B: 1 against 0 us, 1"},
        {"A 1:4 2:3; B 1:5 2:6; C 1:3 2:1; D 1:6 2:4",
         "{order: {lower: [A, C], higher: [B, D], sizes: 1 B .. 2 B}}",
         "holds: at all 2 sizes, nearest at 1 B: 4 against 5 us, -0.2"},
        {"A 1:1 2:2 4:6; B 1:2 2:3 4:5",
         "{crossover: {before: A, after: B, between: 1 B .. 3 B, expected: 2 B, sizes: 1 B .. 4 "
         "B}}",
         "holds: A lower up to 3 B, 0.5"},
        {"A 1:1 2:2 4:6; B 1:2 2:3 4:5",
         "{crossover: {before: A, after: B, between: 3 B .. 4 B, sizes: 1 B .. 4 B}}",
         "holds: A lower up to 3 B, nan"},
        {"A 1:2 2:3 4:5; B 1:1 2:2 4:6",
         "{crossover: {before: A, after: B, between: 1 B .. 4 B, sizes: 1 B .. 4 B}}",
         "misses: B lower up to 3 B, nan"},
        {"A 1:1 2:2 4:6 8:1 16:9; B 1:2 2:3 4:5 8:3 16:3",
         "{crossover: {before: A, after: B, between: 1 B .. 4 B, sizes: 1 B .. 16 B}}",
         "misses: A lower first; 3 crossings, the first at 3 B, nan"},
        {"A 1:2 2:2; B 1:1 2:1",
         "{crossover: {before: A, after: B, between: 1 B .. 2 B, sizes: 1 B .. 2 B}}",
         "misses: no crossing: B is lower throughout, nan"},
        {"A 1:1 2:2 4:3 8:9; B 1:2 2:2 4:2 8:2",
         "{crossover: {before: A, after: B, between: 1 B .. 8 B, sizes: 1 B .. 8 B}}",
         "holds: A lower up to 2 B, nan"},
        {"cA 1:1 3:3; cB 1:2 3:2",
         "{crossover: {before: cA, after: cB, between: 1 .. 3, sizes: 1 .. 3}}",
         "holds: cA lower up to 2, nan"},
        {"A 1:2 2:1.5 4:1.2 8:5", "{monotone: {series: A, sizes: 1 B .. 8 B}}",
         "misses: the wrong way by 25 % at 2 B, 0.25"},
        {"A 1:1 2:2 4:4", "{monotone: {series: A, sizes: 1 B .. 4 B}}",
         "holds: nearest to it -100 % at 2 B, -1"},
        {"A 1:-2 2:-1", "{monotone: {series: A, falling: true, sizes: 1 B .. 2 B}}",
         "misses: the wrong way by 50 % at 2 B, 0.5"},
        {"A 1:1", "{monotone: {series: A, sizes: 1 B}}",
         "not checkable: -; there are too few sizes, nan"},
        {"A 1:10 2:9 4:16 8:32 16:65", "{no_step: {series: A, most: 40 %, sizes: 1 B .. 16 B}}",
         "holds: at most 33.33 % at 2 B, -0.06667"},
        {"A 1:10 2:9", "{no_step: {series: A, most: 40 %, sizes: 1 B .. 2 B}}",
         "not checkable: -; there are too few sizes, nan"},
        {"A 1:10 2:20 4:28; B 1:3 2:11 4:22",
         "{parallel: {series: A, to: B, most: 9 %, sizes: 1 B .. 4 B}}",
         "misses: at most 10.71 % at 4 B, 0.01714"},
        {"A 1:10 2:20; B 1:3 2:11; C 1:1",
         "{parallel: {series: A, to: C, most: 9 %, sizes: 1 B .. 2 B}}",
         "not checkable: -; C has no value at 2 B, nan"},
        {"A 4:1 8:2.1 16:5", "{slows_beyond: {series: A, size: 4 B, sizes: 8 B .. 16 B}}",
         "holds: nearest: -4.762 % at 8 B, -0.04762"},
        {"A 4:1 8:1.5 16:5", "{slows_beyond: {series: A, size: 4 B, sizes: 8 B .. 16 B}}",
         "misses: nearest: 33.33 % at 8 B, 0.3333"},
        {"A 4:1 8:3", "{slows_beyond: {series: A, size: 4 B, sizes: 8 B .. 16 B}}",
         "not checkable: -; A has no value at 16 B, nan"},
        {"A 1:1 2:1 4:1; B 1:2 2:3 4:2; C 1:4 2:1 4:6",
         "{widest: {series: [A, B, C], within: 1 B .. 2 B, sizes: 1 B .. 4 B}}",
         "misses: widest at 4 B: highest / lowest 6, 0.5"},
        {"A 1:1 2:1; B 1:3 2:3", "{widest: {series: [A, B], within: 1 B, sizes: 1 B .. 2 B}}",
         "misses: widest at 2 B: highest / lowest 3, 0"},
        {"A 1:3 2:1; B 1:1 2:2", "{widest: {series: [A, B], within: 1 B, sizes: 1 B .. 2 B}}",
         "holds: widest at 1 B: highest / lowest 3, -0.3333"},
        {"A 1:2 2:8 4:1.5 8:1.5; B 1:1 2:1 4:1 8:1",
         "{narrows: {over: A, under: B, sizes: 1 B .. 2 B, later: 4 B .. 8 B}}",
         "holds: mean 4, then 1.5, -0.9808"},
        {"A 1:2 2:0.5 4:1; B 1:1 2:1 4:1",
         "{narrows: {over: A, under: B, sizes: 1 B .. 2 B, later: 4 B}}",
         "level: mean 1, then 1; level, 0"},
        {"xA 1:1", "{ends_with: {series: xA, status: failed}}", "holds: ended as failed, nan"},
        {"A 1:1", "{contains_event: {series: A, counter: drops, most: 2}}", "misses: 3, 0.5"},
        {"A 1:1", "{contains_event: {series: A, counter: drops, above: 3}}", "misses: 3, 0"},
        {"A 1:1", "{contains_event: {series: A, counter: none, most: 0}}", "holds: 0, nan"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        struct judged_sample sample = {.curves = samples[i].curves, .check = samples[i].check};
        struct judgement judgement = judged_one(&sample);
        char *said = g_strdup_printf("%s: %s%s%s, %.4g", names[judgement.judged],
                                     judgement.simulated ? judgement.simulated : "-",
                                     judgement.why ? "; " : "", judgement.why ? judgement.why : "",
                                     judgement.deviation);
        SUITE_SAME_TEXT(said, samples[i].said);
        g_free(said);
        judgement_clear(&judgement);
    }
}

static void expect_deviation(const char *curves, const char *check, double expected)
{
    struct judged_sample sample = {.curves = curves, .check = check};
    struct judgement judgement = judged_one(&sample);
    CU_ASSERT_DOUBLE_EQUAL(judgement.deviation, expected, 1e-12);
    judgement_clear(&judgement);
}

static void test_deviation(void)
{
    expect_deviation("A 1:75", "{value: {series: A, size: 1 B, expected: 74, tolerance: 1 us}}",
                     1.0 / 74.0);
    expect_deviation("A 1:4 2:3; B 1:2 2:2",
                     "{ratio: {over: A, under: B, sizes: 1 B .. 2 B, above: 2}}", 0.25);
    expect_deviation("A 1:8 2:9; B 1:10 2:10", "{order: {lower: A, higher: B, sizes: 1 B .. 2 B}}",
                     -0.1);
    expect_deviation("A 1:10 2:9 4:16", "{no_step: {series: A, sizes: 2 B, most: 10 %}}",
                     3.0 / 9.0 - 0.1);
}

static void test_same_value(void)
{
    json_t *size = json_string("64 KiB"), *count = json_integer(4), *name = json_string("eepro100");
    CU_ASSERT_TRUE(judge_same_value(size, "65536 B"));
    CU_ASSERT_FALSE(judge_same_value(size, "65535 B"));
    CU_ASSERT_FALSE(judge_same_value(size, "65536"));
    CU_ASSERT_TRUE(judge_same_value(count, "4"));
    CU_ASSERT_FALSE(judge_same_value(count, "5"));
    CU_ASSERT_TRUE(judge_same_value(name, "eepro100"));
    CU_ASSERT_FALSE(judge_same_value(name, "tulip"));
    json_decref(size);
    json_decref(count);
    json_decref(name);
}

int main(void)
{
    static const struct suite_case cases[] = {{"what is expected, in words", test_expected},
                                              {"deviations", test_deviation},
                                              {"all that is said", test_said},
                                              {"values of parameters", test_same_value},
                                              {0}};
    return suite_run("validate: texts of judgements", cases);
}
