// SPDX-License-Identifier: GPL-3.0-or-later
// Files of claims: mistakes in them are reported with their places, and patterns match as
// documented.
#include "sim/validate/anchor.h"
#include "sim/validate/claim.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <string.h>

// The complaints about a file of claims (ranks: about a list of ranks), "" if there are none.
static char *complaints_of(const char *claims, const char *ranks)
{
    struct diag_list *diags = diag_list_new();
    struct claim_list *list = claims_new();
    struct node *tree = node_parse(claims, strlen(claims), "c.yaml", NULL, diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(tree);
    bool good = claims_read(list, tree, diags);
    node_free(tree);
    if (ranks) {
        tree = node_parse(ranks, strlen(ranks), "top40.yaml", NULL, diags);
        CU_ASSERT_PTR_NOT_NULL_FATAL(tree);
        good &= claims_read_ranks(list, tree, diags);
        node_free(tree);
    }
    char *complaints = fake_complaints(diags);
    CU_ASSERT_EQUAL(good, *complaints == '\0');
    claims_free(list);
    diag_list_free(diags);
    return complaints;
}

static void expect(const char *claims, const char *part)
{
    char *complaints = complaints_of(claims, NULL);
    if (*part)
        SUITE_CONTAINS(complaints, part);
    else
        SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
}

// A claim whose check stands on line 6, after ten blanks.
static void expect_check(const char *check, const char *part)
{
    char *text = g_strdup_printf("others:\n  s.a:\n    kind: number\n    statement: it is so\n"
                                 "    source: \"1\"\n    check: %s\n",
                                 check);
    expect(text, part);
    g_free(text);
}

static void test_good(void)
{
    expect("behaviours:\n  s.b: {statement: x, source: y}\n"
           "  s.c: {statement: x, source: y, outside: z}\n"
           "others:\n  s.d: {kind: shape, statement: x, source: y, not_checkable: z}\n",
           "");
    expect_check("{ends_with: {scenario: s, series: A, status: completed}}", "");
    expect_check("[{ends_with: {scenario: s, series: A, status: completed}}, {figure: {spec: g, "
                 "scenario: s, metric: a_us, series: A, sizes: 1 B}}]",
                 "");
}

// A claim that states no more than an order or a sign has a level.
static void test_levels(void)
{
    static const char *const signs[] = {
        "{order: {%s lower: A, higher: B, sizes: 1 B%s}}",
        "{narrows: {%s over: A, under: B, sizes: 1 B, later: 2 B%s}}",
        "{slows_beyond: {%s series: A, size: 1 B, sizes: 2 B%s}}",
        "{gain: {%s over: A, under: B, statistic: mean, above: 0 %%%s}}",
        "{ratio: {%s over: A, under: B, most: 1%s}}",
        "{bound: {%s series: {series: A, over: B}, above: 1%s}}",
        "{difference: {%s series: A, minus: B, below: 0 us%s}}",
        "{mean: {%s series: {series: A, minus: B}, above: 0%s}}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(signs); i++) {
        for (int given = 0; given < 2; given++) {
            char *text = g_strdup_printf(signs[i], "scenario: s, metric: a_us,",
                                         given ? ", level: 1 %" : "");
            struct diag_list *diags = diag_list_new();
            struct node *node = node_parse(text, strlen(text), "c.yaml", NULL, diags);
            struct check *check = check_read(node, "check", diags);
            CU_ASSERT_PTR_NOT_NULL_FATAL(check);
            CU_ASSERT_DOUBLE_EQUAL(check->level, given ? 0.01 : 0.02, 1e-12);
            check_free(check);
            node_free(node);
            diag_list_free(diags);
            g_free(text);
        }
    }
}

// One check for each of the settings, each in the place of `set` or besides it.
static void test_across(void)
{
    static const char text[] =
        "{ratio: {scenario: s, metric: a_us, set: c=3, across: [a=1, [a=2, b=4]], over: A, "
        "under: {series: B, set: d=5}, most: 2}}";
    static const char *const sets[] = {"c=3\na=1", "c=3\na=2\nb=4"};
    struct diag_list *diags = diag_list_new();
    struct node *node = node_parse(text, strlen(text), "c.yaml", NULL, diags);
    struct check *first = check_read(node, "check", diags);
    const struct check *check = first;
    for (size_t i = 0; i < G_N_ELEMENTS(sets); i++, check = check->next) {
        CU_ASSERT_PTR_NOT_NULL_FATAL(check);
        const struct curve *curve = g_ptr_array_index(check->curves, 0);
        SUITE_SAME_TEXT(curve->sets, sets[i]);
        SUITE_SAME_TEXT(curve->other->sets, "d=5");
    }
    CU_ASSERT_PTR_NULL(check);
    check_free(first);
    node_free(node);
    diag_list_free(diags);
}

// Kinds that are no predictions, and what claims share.
static void test_kinds(void)
{
    expect("others:\n  s.a: {kind: guess, statement: x, source: y}\n"
           "  s.b: {kind: guess, statement: x, source: y, not_checkable: z, fact: f}\n"
           "  s.c: {kind: arithmetic, statement: x, source: y, fact: f, check: {ends_with: "
           "{scenario: s, series: A, status: completed}}}\n"
           "  s.d: {kind: shape, statement: x, source: y, known_miss: docs/fidelity.md#a, cause: "
           "one, check: {ends_with: {scenario: s, series: A, status: completed}}}\n",
           "");
    expect("others:\n  s.a: {kind: arithmetic, statement: x, source: y}\n",
           "it needs `check', `not_checkable' or `same_as'");
    expect("others:\n  s.a: {kind: arithmetic, statement: x, source: y, not_checkable: z}\n",
           "what follows from the inputs can be checked");
    expect("others:\n  s.a: {kind: guess, statement: x, source: y, known_miss: docs/fidelity.md#a, "
           "check: {ends_with: {scenario: s, series: A, status: completed}}}\n",
           "a guess that does not hold is refuted, and no known miss");
    expect("others:\n  s.a: {kind: shape, statement: x, source: y, not_checkable: z, cause: c}\n",
           "only a known miss has a cause");
}

static void test_bad_checks(void)
{
    expect_check("{valeu: {series: A}}",
                 "c.yaml:6:13: error: s.a.check.valeu: unknown key (did you mean");
    expect_check("{figure: {}, value: {}}", "c.yaml:6:12: error: s.a.check: a check has one word");
    expect_check("figure", "c.yaml:6:12: error: s.a.check: a check is expected here");
    expect_check("[]", "c.yaml:6:12: error: s.a.check: a check is missing");
    expect_check("{figure: {}}", "spec: must be given (the figure's id)");
    expect_check("{figure: {spec: f, scenario: s, metric: a_us}}",
                 "series: must be given (the curves)");
    expect_check("{figure: {spec: f, scenario: s, series: A}}", "a metric is missing");
    expect_check("{figure: {spec: f, scenario: s, metric: a_us, series: A, most: 1}}",
                 "unknown key");
    expect_check("{value: {scenario: s, metric: a_us, series: A, size: 1 B, expected: 74 MB/s, "
                 "tolerance: 1 us}}",
                 "c.yaml:6:80: error: s.a.check.value.expected: \"74 MB/s\" has the wrong unit "
                 "(the metric is in us)");
    expect_check("{value: {scenario: s, metric: a_us, series: A, size: 1.5, expected: 74, "
                 "tolerance: 1 us}}",
                 "\"1.5\": missing unit");
    // Plain numbers are of benchmarks that count something else than bytes: all, or none.
    expect_check("{value: {scenario: s, metric: a_us, series: A, size: 1, expected: 74, "
                 "tolerance: 1 us}}",
                 "");
    expect_check("{bound: {scenario: s, metric: a_us, series: A, sizes: 0 .. 4 B, least: 1}}", "");
    expect_check("{bound: {scenario: s, metric: a_us, series: A, sizes: 1 .. 4 B, least: 1}}",
                 "\"4 B\" has a unit, and the sizes before it have none");
    expect_check("{bound: {scenario: s, metric: a_us, series: A, sizes: [4 B, 8], least: 1}}",
                 "\"8\" lacks the unit that the sizes before it have");
    expect_check("{value: {scenario: s, series: A, expected: 74, tolerance: 1 us}}",
                 "a metric is missing");
    expect_check("{value: {metric: a_us, series: A, expected: 74, tolerance: 1 us}}",
                 "a curve needs a scenario");
    expect_check("{value: {scenario: s, metric: a_us, series: A, expected: 74}}",
                 "tolerance: must be given (how far off is as expected)");
    expect_check("{value: {scenario: s, metric: a_us, series: A, expected: much, tolerance: 1 us}}",
                 "\"much\" is no number");
    expect_check("{bound: {scenario: s, metric: a_us, series: A}}",
                 "a bound is missing (least, above, most or below)");
    expect_check("{bound: {scenario: s, metric: a_us, series: A, least: 1, above: 2}}",
                 "this side is bounded twice");
    expect_check("{bound: {scenario: s, metric: a_us, series: A, sizes: 4 B .. 1 B, least: 1}}",
                 "c.yaml:6:66: error: s.a.check.bound.sizes: the range ends before it starts");
    expect_check("{bound: {scenario: s, metric: a_us, series: A, sizes: all, least: 1}}",
                 "\"all\"");
    expect_check("{ratio: {scenario: s, metric: a_us, over: [A, B], under: C, least: 1}}",
                 "two plain series are expected");
    expect_check("{ratio: {scenario: s, metric: a_us, over: {series: A, over: B}, under: C, "
                 "least: 1}}",
                 "two plain series are expected");
    expect_check("{order: {scenario: s, metric: a_us, lower: A, higher: {series: B, se: x}, "
                 "sizes: 1 B}}",
                 "c.yaml:6:78: error: s.a.check.order.higher.se: unknown key (did you mean set?)");
    expect_check("{order: {scenario: s, metric: a_us, lower: A, higher: {series: B, set: x}, "
                 "sizes: 1 B}}",
                 "\"x\" is no setting (write PATH=VALUE");
    expect_check("{order: {scenario: s, metric: a_us, lower: A, higher: B, sizes: 1 B, "
                 "share: 150 %}}",
                 "a share is more than 0");
    for (int i = 0; i < 3; i++) {
        static const char *const levels[] = {"11 %", "-1 %", "0.01"};
        char *check = g_strdup_printf("{order: {scenario: s, metric: a_us, lower: A, higher: B, "
                                      "sizes: 1 B, level: %s}}",
                                      levels[i]);
        expect_check(check, "a level is at least 0 %, at most 10 %");
        g_free(check);
    }
    expect_check("{ratio: {scenario: s, metric: a_us, over: A, under: B, least: 1.1, level: 1 %}}",
                 "only an order or a sign can be level");
    expect_check("{ratio: {scenario: s, metric: a_us, over: A, under: B, least: 1, most: 1.1, "
                 "level: 1 %}}",
                 "only an order or a sign can be level");
    expect_check("{bound: {scenario: s, metric: a_us, series: A, above: 0, level: 1 %}}",
                 "only an order or a sign can be level");
    expect_check("{monotone: {scenario: s, metric: a_us, series: A, sizes: 1 B, level: 1 %}}",
                 "unknown key");
    expect_check("{order: {scenario: s, metric: a_us, lower: A, higher: B, sizes: 1 B, across: "
                 "a=1}}",
                 "it needs at least two settings to be judged across");
    expect_check("{order: {scenario: s, metric: a_us, lower: A, higher: B, sizes: 1 B, across: "
                 "[a=1, b]}}",
                 "\"b\" is no setting (write PATH=VALUE");
    expect_check("{gain: {scenario: s, metric: a_us, over: A, under: B, statistic: mean}}",
                 "either expected and tolerance, or a bound, must be given");
    expect_check("{gain: {scenario: s, metric: a_us, over: A, under: B, statistic: mean, most: 1 "
                 "%, expected: 1 %, tolerance: 1 %}}",
                 "either expected and tolerance, or a bound, must be given");
    expect_check("{mean: {scenario: s, metric: a_us, series: A}}",
                 "either expected and tolerance, or a bound, must be given");
    expect_check("{first: {scenario: s, metric: a_us, series: A, sizes: 1 .. 9, between: 2}}",
                 "a bound is missing");
    expect_check("{first: {scenario: s, metric: a_us, series: A, sizes: 1 .. 9, most: 1}}",
                 "between: must be given (where it is expected)");
    expect_check("{gain: {scenario: s, metric: a_us, over: A, under: B, statistic: median, most: "
                 "1 %}}",
                 "unknown statistic \"median\"");
    expect_check("{gain: {scenario: s, metric: a_us, over: A, statistic: mean, most: 1 %}}",
                 "under: must be given (the denominator)");
    expect_check("{gain: {scenario: s, metric: a_us, over: A, under: B, statistic: mean, most: 1 "
                 "us}}",
                 "\"1 us\" has the wrong unit (it has no unit here)");
    expect_check("{values: {scenario: s, metric: a_us, series: A, points: [], tolerance: 1 us}}",
                 "a point is missing");
    expect_check(
        "{values: {scenario: s, metric: a_us, series: A, points: [[1 B]], tolerance: 1 us}}",
        "a point is [SIZE, EXPECTED]");
    expect_check("{values: {scenario: s, metric: a_us, series: A, points: [[1 B, 5 MB/s]], "
                 "tolerance: 1 us}}",
                 "\"5 MB/s\" has the wrong unit (the metric is in us)");
    expect_check("{bound: {scenario: s, metric: a_us, series: {series: A, rank: -1}, least: 1}}",
                 "-1 is out of range");
    expect_check("{ends_with: {scenario: s, series: A, status: dead}}", "unknown status \"dead\"");
}

// Agreements of two simulations: the curves are given in pairs, the tolerance is relative, and the
// claim has the kind agreement.
static void test_agreements(void)
{
#define AGREEMENT(rest) "{agreement: {scenario: s, metric: a_us, series: A, " rest "}}"
#define OF_KIND(kind, check)                                                                       \
    "others:\n  s.a: {kind: " kind ", statement: x, source: y,\n         " check "}\n"
    expect(OF_KIND("agreement", "check: " AGREEMENT("with: B, from: 4 KiB, tolerance: 2 %")), "");
    expect(OF_KIND("agreement", "check: {ends_with: {scenario: s, series: A, status: failed}}"),
           "");
    expect(OF_KIND("shape", "check: " AGREEMENT("with: B, tolerance: 2 %")),
           "c.yaml:3:18: error: s.a: an agreement of two simulations is no statement of a source "
           "(write kind: agreement)");
    expect(OF_KIND("agreement", "same_as: s.b"),
           "c.yaml:2:8: error: s.a: an agreement is the same as no other claim");
    expect_check(AGREEMENT("tolerance: 2 %"),
                 "with: must be given (the other simulation's curves)");
    expect_check(AGREEMENT("with: B"), "tolerance: must be given (how far off is as expected)");
    expect_check(AGREEMENT("with: [B, C], tolerance: 2 %"),
                 "c.yaml:6:69: error: s.a.check.agreement: each curve of `series' needs one of "
                 "`with': there are 1 and 2");
    expect_check(AGREEMENT("with: B, tolerance: 2 us"),
                 "the tolerance of an agreement is a percentage above 0 %");
    expect_check(AGREEMENT("with: B, tolerance: 0 %"),
                 "the tolerance of an agreement is a percentage above 0 %");
    expect_check(AGREEMENT("with: B, tolerance: 2 %, from: 4 us"), "\"4 us\"");
    expect_check(AGREEMENT("with: B, tolerance: 2 %, to: C"), "agreement.to: unknown key");
#undef AGREEMENT
#undef OF_KIND
}

// More mistakes than are reported: none of those beyond the limit is accepted.
static void test_many_bad_checks(void)
{
    GString *text = g_string_new("others:\n  s.a:\n    kind: number\n    statement: it is so\n"
                                 "    source: \"1\"\n    check:\n");
    for (int i = 0; i < DIAG_LIMIT + 10; i++)
        g_string_append_printf(text, "      - valeu%d: {series: A}\n", i);
    g_string_append(text, "      - value: {senario: s}\n");
    char *complaints = complaints_of(text->str, NULL);
    SUITE_CONTAINS(complaints, "c.yaml:26:9: error: s.a.check[19].valeu19: unknown key (known: ");
    CU_ASSERT_TRUE(
        g_str_has_suffix(complaints, "\n(more errors follow; the first 20 are shown)\n"));
    g_free(complaints);
    g_string_free(text, TRUE);
}

static void test_bad_claims(void)
{
    expect("others:\n  s.a: {kind: nubmer, statement: x, source: y, not_checkable: z}\n",
           "c.yaml:2:15: error: s.a.kind: unknown kind \"nubmer\" (did you mean number?)");
    expect("others:\n  s.a: {statement: x, source: y, not_checkable: z}\n",
           "c.yaml:2:8: error: s.a.kind: must be given (what it is)");
    expect("others:\n  s.a: {kind: shape, statement: x, source: y}\n",
           "c.yaml:2:8: error: s.a: it needs `check', `not_checkable' or `same_as'");
    expect("others:\n  s.a: {kind: shape, statement: x, source: y, not_checkable: z,"
           " check: {ends_with: {scenario: s, series: A, status: completed}}}\n",
           "it needs `check', `not_checkable' or `same_as', and one only");
    expect(
        "others:\n  s.a: {kind: shape, statement: x, source: y, not_checkable: z, same_as: s.b}\n",
        "it needs `check', `not_checkable' or `same_as', and one only");
    expect("others:\n  s.a: {kind: shape, statement: x, source: y, same_as: []}\n",
           "the id of a claim is missing");
    expect("others:\n  s.a: {kind: shape, statement: x, source: y, same_as: [{s: b}]}\n",
           "the id of a claim");
    expect("others:\n  s.a: {kind: shape, statement: x, source: y, not_checkable: z,"
           " known_miss: docs/fidelity.md#a}\n",
           "what is not checked can't miss");
    expect("others:\n  s.a: {kind: shape, statement: x, source: y, known_miss: later,"
           " check: {ends_with: {scenario: s, series: A, status: completed}}}\n",
           "a known miss says where its analysis stands");
    expect("others:\n  s.a: {kind: shape, source: y, not_checkable: z}\n",
           "s.a.statement: must be given (in words of our own)");
    expect("others:\n  s.a: {kind: shape, statment: x, source: y, not_checkable: z}\n",
           "did you mean statement?");
    expect("behaviours:\n  s.a: {statement: x, source: y}\n"
           "others:\n  s.a: {kind: shape, statement: x, source: y, not_checkable: z}\n",
           "c.yaml:4:3: error: s.a: there is such a claim already");
    expect("claims:\n  s.a: {statement: x}\n", "c.yaml:1:1: error: claims: unknown key");
}

static void test_ranks(void)
{
    static const char claims[] = "behaviours:\n  s.a: {statement: x, source: y}\n";
    static const struct {
        const char *ranks, *part;
    } samples[] = {
        {"top40: [{rank: 1, title: t, ids: [s.b]}]",
         "top40.yaml:1:35: error: top40[0]: there is no claim"},
        {"top40: [{rank: 1, title: t}]",
         "top40[0].ids: must be given (the claims that it rests on)"},
        {"top40: [{rank: one, title: t, ids: [s.a]}]", "\"one\""},
        {"top: []", "a list of ranks is expected"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *complaints = complaints_of(claims, samples[i].ranks);
        SUITE_CONTAINS(complaints, samples[i].part);
        g_free(complaints);
    }
    char *complaints = complaints_of(claims, "top40: [{rank: 1, title: t, ids: [s.a]}]");
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
}

// The complaints about references/tests.yaml, with two claims.
static void expect_tests(const char *text, const char *part)
{
    static const char claims[] =
        "behaviours:\n  s.a: {statement: x, source: y}\n  s.b: {statement: x, source: y}\n";
    struct diag_list *diags = diag_list_new();
    struct claim_list *list = claims_new();
    struct node *tree = node_parse(claims, strlen(claims), "c.yaml", NULL, diags);
    struct node *tests = node_parse(text, strlen(text), "tests.yaml", NULL, diags);
    claims_read(list, tree, diags);
    bool good = claims_read_tests(list, tests, diags);
    CU_ASSERT_EQUAL(good, *part == '\0');
    char *complaints = fake_complaints(diags);
    if (*part)
        SUITE_CONTAINS(complaints, part);
    else
        SUITE_SAME_TEXT(complaints, "");
    if (good) {
        const GPtrArray *of_a = claims_find(list, "s.a")->tests;
        CU_ASSERT_EQUAL_FATAL(of_a->len, 2);
        SUITE_SAME_TEXT(g_ptr_array_index(of_a, 0), "tests/x.c");
        SUITE_SAME_TEXT(g_ptr_array_index(of_a, 1), "tests/y.py");
        CU_ASSERT_EQUAL(claims_find(list, "s.b")->tests->len, 0);
    }
    g_free(complaints);
    node_free(tests);
    node_free(tree);
    claims_free(list);
    diag_list_free(diags);
}

static void test_tests(void)
{
    expect_tests("tests:\n  s.a: [tests/x.c, tests/y.py]\n", "");
    expect_tests("tests:\n  s.c: [tests/x.c]\n",
                 "tests.yaml:2:3: error: tests: there is no claim s.c");
    expect_tests("tests:\n  s.a: tests/x.c\n", "a list of tests is expected");
    expect_tests("tset: {}\n", "a map of claims to tests is expected");
}

static void test_anchors(void)
{
    static const char page[] = "# The page\n\n## Broadcast on cluster 2: `pin_thrash`, 64 KiB\n"
                               "text # no-heading\n#nor-this\n```\n# in code\n```\n"
                               "####### too-deep\n### Größe, 3.5 µs\n<a id=\"own-name\"></a>\n";
    static const struct {
        const char *anchor;
        bool exists;
    } samples[] = {
        {"the-page", true},    {"broadcast-on-cluster-2-pin_thrash-64-kib", true},
        {"no-heading", false}, {"nor-this", false},
        {"in-code", false},    {"too-deep", false},
        {"größe-35-µs", true}, {"own-name", true},
        {"own", false},        {"The-page", false},
        {"the-page-1", false}, {"", false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++)
        if (anchor_exists(page, samples[i].anchor) != samples[i].exists)
            CU_FAIL(samples[i].anchor);
}

// A known miss without its analysis is refused.
static void test_analyses(void)
{
    static const char claims[] =
        "others:\n  s.a: {kind: shape, statement: x, source: y, known_miss: docs/fidelity.md#why,\n"
        "        check: {ends_with: {scenario: s, series: A, status: completed}}}\n";
    struct diag_list *diags = diag_list_new();
    struct claim_list *list = claims_new();
    struct node *tree = node_parse(claims, strlen(claims), "c.yaml", NULL, diags);
    CU_ASSERT_TRUE(claims_read(list, tree, diags));
    CU_ASSERT_TRUE(claims_are_analysed(list, "docs/fidelity.md", "# Why\n", diags));
    CU_ASSERT_TRUE(claims_are_analysed(list, "docs/flows.md", "# Why not\n", diags));
    CU_ASSERT_FALSE(claims_are_analysed(list, "docs/fidelity.md", "# Why not\n", diags));
    char *complaints = fake_complaints(diags);
    SUITE_CONTAINS(complaints,
                   "c.yaml:2:3: error: s.a: docs/fidelity.md#why: there is no such place");
    g_free(complaints);
    node_free(tree);
    claims_free(list);
    diag_list_free(diags);
}

// A claim that other claims contain names them, and they have checks.
static void test_same(void)
{
    static const struct {
        const char *same, *part;
    } samples[] = {
        {"s.a", ""},
        {"[s.a, s.b]", ""},
        {"s.c", "s.d: s.c is not checked itself"},
        {"[s.a, s.d]", "s.d: s.d is not checked itself"},
        {"s.e", "s.d: there is no claim s.e"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *claims = g_strdup_printf(
            "others:\n"
            "  s.a: {kind: shape, statement: x, source: y, check: {figure: {spec: g, scenario: s, "
            "metric: a_us, series: A}}}\n"
            "  s.b: {kind: shape, statement: x, source: y, check: {figure: {spec: g, scenario: s, "
            "metric: a_us, series: A}}}\n"
            "  s.c: {kind: shape, statement: x, source: y, not_checkable: z}\n"
            "  s.d: {kind: shape, statement: x, source: y, same_as: %s}\n",
            samples[i].same);
        struct diag_list *diags = diag_list_new();
        struct claim_list *list = claims_new();
        struct node *tree = node_parse(claims, strlen(claims), "c.yaml", NULL, diags);
        CU_ASSERT_TRUE(claims_read(list, tree, diags));
        CU_ASSERT_EQUAL(claims_refer(list, diags), *samples[i].part == '\0');
        char *complaints = fake_complaints(diags);
        SUITE_CONTAINS(complaints, samples[i].part);
        g_free(complaints);
        node_free(tree);
        claims_free(list);
        diag_list_free(diags);
        g_free(claims);
    }
    char *complaints = complaints_of(
        "others:\n"
        "  s.a: {kind: shape, statement: x, source: y, check: {figure: {spec: g, scenario: s, "
        "metric: a_us, series: A}}}\n"
        "  s.b: {kind: shape, statement: x, source: y, same_as: s.a}\n",
        "top40: [{rank: 1, title: t, ids: [s.b]}]");
    SUITE_CONTAINS(complaints, "s.b is not counted");
    g_free(complaints);
}

static void test_patterns(void)
{
    CU_ASSERT_TRUE(claim_matches("sys.a.b", "sys"));
    CU_ASSERT_TRUE(claim_matches("sys.a.b", "sys.a"));
    CU_ASSERT_TRUE(claim_matches("sys.a.b", "sys.a.b"));
    CU_ASSERT_FALSE(claim_matches("sys.ab", "sys.a"));
    CU_ASSERT_FALSE(claim_matches("sys.a", "sys.a.b"));
    CU_ASSERT_TRUE(claim_matches("sys.a.b", "*.b"));
    CU_ASSERT_TRUE(claim_matches("sys.a.b", "sys.?.b"));
    CU_ASSERT_FALSE(claim_matches("sys.a.b", "*.a"));
}

// The shipped files have no mistakes.
static void test_shipped(void)
{
    const char *source = g_getenv("NETSIM_SOURCE_DIR");
    struct diag_list *diags = diag_list_new();
    struct claim_list *list = claims_load(source ? source : ".", diags);
    char *complaints = fake_complaints(diags);
    SUITE_SAME_TEXT(complaints, "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(list);
    CU_ASSERT(list->ranks->len >= 12);
    CU_ASSERT_PTR_NOT_NULL(claims_find(list, "via.pingpong.latency_min.via_rpi"));
    g_free(complaints);
    claims_free(list);
    diag_list_free(diags);
}

int main(void)
{
    static const struct suite_case cases[] = {{"claims that are right", test_good},
                                              {"what can be level", test_levels},
                                              {"checks across settings", test_across},
                                              {"kinds, facts and causes", test_kinds},
                                              {"checks that are wrong", test_bad_checks},
                                              {"agreements", test_agreements},
                                              {"many wrong checks", test_many_bad_checks},
                                              {"claims that are wrong", test_bad_claims},
                                              {"ranks", test_ranks},
                                              {"which tests name them", test_tests},
                                              {"anchors of a page", test_anchors},
                                              {"known misses and their analyses", test_analyses},
                                              {"what other claims say already", test_same},
                                              {"patterns", test_patterns},
                                              {"what ships", test_shipped},
                                              {0}};
    return suite_run("validate: claim", cases);
}
