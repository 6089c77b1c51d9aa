// SPDX-License-Identifier: GPL-3.0-or-later
// Shares of draws: Wilson's interval against published values, verdicts, texts.
#include "sim/statistics/share.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <math.h>

// Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17
// (1998), table I, method 3.
static void test_published_intervals(void)
{
    static const struct {
        size_t hits, n;
        double low, high;
    } rows[] = {
        {81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0.0000, 0.1611},
        {1, 29, 0.0061, 0.1718},   {29, 29, 0.8830, 1.0000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct share share = share_of(rows[i].hits, rows[i].n);
        CU_ASSERT_DOUBLE_EQUAL(share.low, rows[i].low, 0.00005);
        CU_ASSERT_DOUBLE_EQUAL(share.high, rows[i].high, 0.00005);
        struct share weighted = share_weighted(share.value, (double)rows[i].n);
        CU_ASSERT_DOUBLE_EQUAL(weighted.low, share.low, 0.0);
    }
}

static void test_verdicts(void)
{
    static const struct {
        size_t hits, n;
        enum share_verdict verdict;
    } rows[] = {
        {0, 20, SHARE_IN_NONE},    {1, 20, SHARE_IN_FEW},   {2, 20, SHARE_UNDECIDED},
        {18, 20, SHARE_UNDECIDED}, {19, 20, SHARE_IN_MOST}, {20, 20, SHARE_IN_ALL},
        {0, 0, SHARE_UNDECIDED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct share share = share_of(rows[i].hits, rows[i].n);
        CU_ASSERT_EQUAL(share_judge(&share), rows[i].verdict);
    }
}

// As many draws as a dear claim takes.
static void test_decided(void)
{
    static const struct {
        size_t hits, n;
        bool decided;
    } rows[] = {
        {0, 0, false},  {0, 20, false},  {2, 20, false},  {3, 20, true},   {10, 20, true},
        {17, 20, true}, {18, 20, false}, {20, 20, false}, {0, 34, false},  {0, 35, true},
        {0, 40, true},  {40, 40, true},  {1, 40, false},  {39, 40, false}, {1, 60, true},
        {2, 60, false}, {4, 60, false},  {2, 80, true},   {8, 80, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct share share = share_of(rows[i].hits, rows[i].n);
        CU_ASSERT_EQUAL(share_is_decided(&share), rows[i].decided);
    }
}

static void assert_text(char *text, const char *wanted)
{
    SUITE_SAME_TEXT(text, wanted);
    g_free(text);
}

static void test_texts(void)
{
    struct share share = share_of(97, 100);
    assert_text(share_text(&share), "in 97 % of the draws (92 .. 99 %)");
    share = share_of(20, 20);
    assert_text(share_text(&share), "in all draws (at least 84 %)");
    share = share_of(0, 20);
    assert_text(share_text(&share), "in no draw (at most 16 %)");
    assert_text(share_percent(0.996), "99.6 %");
    assert_text(share_percent(0.9999), "99.99 %");
    assert_text(share_percent(0.004), "0.4 %");
    assert_text(share_percent(1.0), "100 %");
    assert_text(share_percent(0.0), "0 %");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"published intervals", test_published_intervals},
        {"verdicts", test_verdicts},
        {"decided", test_decided},
        {"texts", test_texts},
        {0},
    };
    return suite_run("statistics: share", cases);
}
