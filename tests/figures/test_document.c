// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of made-up results: the curves that a specification asks for are drawn, and missing ones
// are reported; mistakes of specifications are reported with their place.
#include "sim/figures/document.h"
#include "sim/figures/gallery.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

static GPtrArray *specs_of(const char *text)
{
    struct diag_list *diags = diag_list_new();
    GPtrArray *specs = figure_specs_parse(text, "f.yaml", diags);
    char *complaints = fake_complaints(diags);
    SUITE_SAME_TEXT(complaints, "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(specs);
    g_free(complaints);
    diag_list_free(diags);
    return specs;
}

static json_t *json_of(const char *text)
{
    json_error_t error;
    char *quoted = g_strdelimit(g_strdup(text), "'", '"');
    json_t *json = json_loads(quoted, 0, &error);
    SUITE_SAME_TEXT(error.text, "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(json);
    g_free(quoted);
    return json;
}

// Compares a document's text, with single quotes, and frees the document.
static void same_document(json_t *document, const char *expected)
{
    char *text = json_dumps(document, JSON_REAL_PRECISION(6)), *told = g_strdup(text);
    SUITE_SAME_TEXT(g_strdelimit(told, "\"", '\''), expected);
    g_free(told);
    free(text);
    json_decref(document);
}

#define POINTS(a, b, c)                                                                            \
    "[{'size_bytes': 1, 't_us': " a ", 'b_MB_per_s': 1}, {'size_bytes': 8, 't_us': " b "},"        \
    " {'size_bytes': 64, 't_us': " c "}]"

static const char result[] =
    "{'scenario': 's', 'series': ["
    "{'name': 'A', 'stack': 'lam_via', 'status': 'completed', 'points': " POINTS(
        "10", "20",
        "40") ", 'values': [{'metric': 'drops', 'rank': null, 'size_bytes': null, 'value': 3}]},"
              "{'name': 'B', 'stack': 'mvich', 'status': 'completed', 'points': " POINTS(
                  "5", "0",
                  "null") "},"
                          "{'name': 'F', 'status': 'failed', 'reason': {'text': 'it broke'}, "
                          "'points': "
                          "[{'size_bytes': 1, 't_us': 7}]},"
                          "{'name': 'L', 'stack': 'gm', 'status': 'lost', 'points': " POINTS(
                              "1", "2", "3") "},"
                                             "{'name': 'N', 'points': []}]}";

static json_t *drawn(const char *spec, bool given)
{
    GPtrArray *specs = specs_of(spec);
    struct runs *runs = runs_new_empty();
    json_t *json = json_of(result);
    if (given)
        figure_given(g_ptr_array_index(specs, 0), runs, json);
    else
        runs_add_result(runs, "s", "", json);
    json_t *document = figure_document(g_ptr_array_index(specs, 0), runs);
    json_decref(json);
    runs_free(runs);
    g_ptr_array_unref(specs);
    return document;
}

#define HEAD                                                                                       \
    "schema: 1\nfigures:\n- id: via.one\n  file: one\n  title: One\n  source: here\n"              \
    "  scenario: s\n"

static void test_sizes(void)
{
    same_document(
        drawn(HEAD "  number: \"1.2\"\n  note: look\n  panels:\n"
                   "  - title: first\n    y: {metric: t_us}\n"
                   "    series: [A, {series: A, over: B}, {series: A, minus: B, name: "
                   "gap, stack: gm}, F, X, L, N, {series: F, over: A}, {series: A, over: "
                   "F}]\n"
                   "  - kind: bars\n"
                   "    x: {scale: linear, range: [8 B, 64 B], label: bytes}\n"
                   "    y: {metric: b_MB_per_s, label: rate, unit: x, scale: log, range: "
                   "[-1, 2.5], zero: false}\n    series: [A]\n",
              false),
        "{'figure': 1, 'id': 'via.one', 'number': '1.2', 'file': 'one', 'title': 'One', 'source': "
        "'here', 'notes': ['look', 'not drawn: X (series missing: s has no \\'X\\')', 'not drawn: "
        "A (it has no b_MB_per_s in this range)'], 'panels': [{'title': 'first', 'kind': 'lines', "
        "'x': {'label': 'message size', 'unit': 'B', 'scale': 'log'}, 'y': {'label': 't', 'unit': "
        "'us', 'scale': 'linear'}, 'marks': [], 'series': [{'name': 'A', 'stack': 'lam_via', "
        "'scenario': 's', 'points': [[1, 10.0], [8, 20.0], [64, 40.0]], 'failure': null}, {'name': "
        "'A / B', 'stack': 'lam_via', 'scenario': 's', 'points': [[1, 2.0]], 'failure': null}, "
        "{'name': 'gap', 'stack': 'gm', 'scenario': 's', 'points': [[1, 5.0], [8, 20.0]], "
        "'failure': null}, {'name': 'F', 'stack': null, 'scenario': 's', 'points': [[1, 7.0]], "
        "'failure': {'status': 'failed', 'text': 'failed: it broke'}}, {'name': 'L', 'stack': "
        "'gm', 'scenario': 's', 'points': [[1, 1.0], [8, 2.0], [64, 3.0]], 'failure': {'status': "
        "'lost', 'text': 'lost: no reason was given'}}, {'name': 'N', 'stack': null, 'scenario': "
        "'s', 'points': [], 'failure': {'status': null, 'text': 'did not end: no reason was "
        "given'}}, {'name': 'F / A', 'stack': null, 'scenario': 's', 'points': [[1, 0.7]], "
        "'failure': {'status': 'failed', 'text': 'failed: it broke'}}, {'name': 'A / F', 'stack': "
        "'lam_via', 'scenario': 's', 'points': [[1, 1.42857]], 'failure': {'status': 'failed', "
        "'text': 'failed: it broke'}}]}, {'kind': 'bars', 'x': {'label': 'bytes', 'unit': 'B', "
        "'scale': 'linear'}, 'y': {'label': 'rate', 'unit': 'x', 'scale': 'log', 'range': [-1.0, "
        "2.5], 'zero': false}, 'marks': [], 'series': [{'name': 'A', 'stack': 'lam_via', "
        "'scenario': 's', 'points': [], 'failure': null}]}], 'lost': 1}");
}

static void test_marks(void)
{
    same_document(
        drawn(HEAD "  panels:\n  - y: {metric: t_us}\n    x: {counts: messages}\n"
                   "    series: []\n    marks:\n"
                   "    - {kind: band, from: 2, to: 4, text: t, source: u, claim: c}\n"
                   "    - {kind: vertical, x: 3, text: t, source: u, note: n}\n"
                   "    - {kind: horizontal, y: -1.5, text: t, source: u}\n"
                   "  - y: {metric: t_us, zero: true}\n    series: []\n    marks:\n"
                   "    - {kind: point, x: 2 KiB, y: 4, text: t, source: u}\n",
              false),
        "{'figure': 1, 'id': 'via.one', 'number': null, 'file': 'one', 'title': 'One', 'source': "
        "'here', 'notes': [], 'panels': [{'kind': 'lines', 'x': {'label': 'messages', 'unit': '', "
        "'scale': 'log'}, 'y': {'label': 't', 'unit': 'us', 'scale': 'linear'}, 'marks': [{'kind': "
        "'band', 'from': 2.0, 'to': 4.0, 'text': 't', 'source': 'u', 'claim': 'c'}, {'kind': "
        "'vertical', 'x': 3.0, 'text': 't', 'source': 'u', 'note': 'n'}, {'kind': 'horizontal', "
        "'y': -1.5, 'text': 't', 'source': 'u'}], 'series': []}, {'kind': 'lines', 'x': {'label': "
        "'message size', 'unit': 'B', 'scale': 'log'}, 'y': {'label': 't', 'unit': 'us', 'scale': "
        "'linear', 'zero': true}, 'marks': [{'kind': 'point', 'x': 2048.0, 'y': 4.0, 'text': 't', "
        "'source': 'u'}], 'series': []}]}");
}

#define SETTING                                                                                    \
    "  panels:\n  - y: {metric: t_us}\n    x: {set: p.q, label: q, unit: z, values: [2, two, 1.5]" \
    ", at: 8 B}\n    series: [A, {series: A, minus: B}, F, X]\n"

// A setting along the axis: a run for each value, of which here only some are there.
static void test_setting(void)
{
    GPtrArray *specs = specs_of(HEAD SETTING);
    struct runs *runs = runs_new_empty();
    json_t *json = json_of(result);
    runs_add_result(runs, "s", "p.q=two", json);
    runs_add_result(runs, "s", "p.q=1.5", json);
    same_document(
        figure_document(g_ptr_array_index(specs, 0), runs),
        "{'figure': 1, 'id': 'via.one', 'number': null, 'file': 'one', 'title': 'One', 'source': "
        "'here', 'notes': ['not drawn: A, p.q=2 (s was not run)', 'not drawn: A - B, p.q=2 (s was "
        "not run)', 'not drawn: F, p.q=2 (s was not run)', 'not drawn: X, p.q=2 (s was not run)', "
        "'not drawn: X, p.q=two (series missing: s has no \\'X\\')', 'not drawn: X, p.q=1.5 "
        "(series missing: s has no \\'X\\')'], 'panels': [{'kind': 'lines', 'x': {'set': 'p.q', "
        "'label': 'q', 'unit': 'z', 'swept': true, 'scale': 'linear'}, 'y': {'label': 't', 'unit': "
        "'us', 'scale': "
        "'linear'}, 'marks': [], 'series': [{'name': 'A', 'stack': 'lam_via', 'scenario': 's', "
        "'points': [[2, null], ['two', 20.0], [1.5, 20.0]], 'failure': null}, {'name': 'A - B', "
        "'stack': 'lam_via', 'scenario': 's', 'points': [[2, null], ['two', 20.0], [1.5, 20.0]], "
        "'failure': null}, {'name': 'F', 'stack': null, 'scenario': 's', 'points': [[2, null], "
        "['two', null], [1.5, null]], 'failure': {'status': 'failed', 'text': 'failed: it "
        "broke'}}, {'name': 'X', 'stack': null, 'scenario': 's', 'points': [[2, null], ['two', "
        "null], [1.5, null]], 'failure': null}]}]}");
    json_decref(json);
    runs_free(runs);
    g_ptr_array_unref(specs);
}

// A result stands for the scenario of its name, or else for the one that the figure is about.
static void test_given(void)
{
    static const char other[] = "  panels:\n  - y: {metric: t_us}\n    series: [{series: A, "
                                "scenario: %s}, {series: B, scenario: %s}]\n";
    static const struct {
        const char *first, *second, *said;
    } samples[] = {
        {"s", "s", "[]"},
        {"t", "s", "['not drawn: A (%s)']"},
        {"t", "t", "[]"},
        {"t", "u", "['not drawn: B (%s)']"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *panels = g_strdup_printf(other, samples[i].first, samples[i].second);
        char *spec = g_strconcat(HEAD, panels, NULL);
        json_t *document = drawn(spec, true);
        json_t *notes = json_object_get(document, "notes");
        char *text = json_dumps(notes, 0), *told = g_strdelimit(g_strdup(text), "\"", '\'');
        char **parts = g_strsplit(samples[i].said, "%s", 2);
        CU_ASSERT_TRUE(g_str_has_prefix(told, parts[0]));
        SUITE_SAME_INTEGER((long long)json_array_size(notes), parts[1] ? 1 : 0);
        g_strfreev(parts);
        g_free(told);
        free(text);
        json_decref(document);
        g_free(spec);
        g_free(panels);
    }
}

// ---- Results that no figure is made for ----

static json_t *of_result(json_t *json)
{
    struct choice *choice = choice_new(&(struct choice_words){0}, NULL);
    json_t *document = figure_of_result(json, choice);
    choice_free(choice);
    return document;
}

static void test_of_result(void)
{
    json_t *json = json_of(result);
    same_document(
        of_result(json),
        "{'figure': 1, 'id': 's', 'number': null, 'file': 's', 'title': 's', 'source': null, "
        "'notes': [], 'panels': [{'kind': 'lines', 'x': {'label': 'message size', 'unit': 'B', "
        "'scale': 'log'}, 'y': {'label': 't', 'unit': 'us', 'scale': 'log'}, 'series': [{'name': "
        "'A', 'stack': 'lam_via', 'scenario': 's', 'points': [[1, 10.0], [8, 20.0], [64, 40.0]], "
        "'failure': null}, {'name': 'B', 'stack': 'mvich', 'scenario': 's', 'points': [[1, 5.0], "
        "[8, 0.0]], 'failure': null}, {'name': 'F', 'stack': null, 'scenario': 's', 'points': [[1, "
        "7.0]], 'failure': {'status': 'failed', 'text': 'failed: it broke'}}, {'name': 'L', "
        "'stack': 'gm', 'scenario': 's', 'points': [[1, 1.0], [8, 2.0], [64, 3.0]], 'failure': "
        "{'status': 'lost', 'text': 'lost: no reason was given'}}, {'name': 'N', 'stack': null, "
        "'scenario': 's', 'points': [], 'failure': {'status': null, 'text': 'did not end: no "
        "reason was given'}}]}, {'kind': 'lines', 'x': {'label': 'message size', 'unit': 'B', "
        "'scale': 'log'}, 'y': {'label': 'b', 'unit': 'MB/s', 'scale': 'linear'}, 'series': "
        "[{'name': 'A', 'stack': 'lam_via', 'scenario': 's', 'points': [[1, 1.0]], 'failure': "
        "null}, {'name': 'B', 'stack': 'mvich', 'scenario': 's', 'points': [[1, 1.0]], 'failure': "
        "null}, {'name': 'F', 'stack': null, 'scenario': 's', 'points': [], 'failure': {'status': "
        "'failed', 'text': 'failed: it broke'}}, {'name': 'L', 'stack': 'gm', 'scenario': 's', "
        "'points': [[1, 1.0]], 'failure': {'status': 'lost', 'text': 'lost: no reason was "
        "given'}}, {'name': 'N', 'stack': null, 'scenario': 's', 'points': [], 'failure': "
        "{'status': null, 'text': 'did not end: no reason was given'}}]}, {'kind': 'bars', 'x': "
        "{'label': '', 'unit': '', 'scale': 'linear'}, 'y': {'label': 'drops', 'unit': '', "
        "'scale': 'linear'}, 'series': [{'name': 'A', 'stack': 'lam_via', 'scenario': 's', "
        "'points': [['all', 3]], 'failure': null}, {'name': 'B', 'stack': 'mvich', 'scenario': "
        "'s', 'points': [], 'failure': null}, {'name': 'F', 'stack': null, 'scenario': 's', "
        "'points': [], 'failure': {'status': 'failed', 'text': 'failed: it broke'}}, {'name': 'L', "
        "'stack': 'gm', 'scenario': 's', 'points': [], 'failure': {'status': 'lost', 'text': "
        "'lost: no reason was given'}}, {'name': 'N', 'stack': null, 'scenario': 's', 'points': "
        "[], 'failure': {'status': null, 'text': 'did not end: no reason was given'}}]}], 'lost': "
        "1}");
    json_decref(json);
    json =
        json_of("{'series': [{'name': 'A', 'counts': 'hosts', 'status': 'failed', 'points': "
                "[{'size_bytes': 2, 'n': 1}], 'values': [{'metric': 'time_us', 'rank': 0, "
                "'size_bytes': null, 'value': 1}, {'metric': 'time_us', 'rank': 1, 'size_bytes': "
                "null, 'value': 2}, {'metric': 'x', 'rank': 1, 'size_bytes': 4, 'value': 2}]}]}");
    same_document(
        of_result(json),
        "{'figure': 1, 'id': 'result', 'number': null, 'file': 'result', 'title': 'result', "
        "'source': null, 'notes': [], 'panels': [{'kind': 'lines', 'x': {'label': 'hosts', 'unit': "
        "'', 'scale': 'log'}, 'y': {'label': 'n', 'unit': '', 'scale': 'linear'}, 'series': "
        "[{'name': 'A', 'stack': null, 'scenario': null, 'points': [[2, 1.0]], 'failure': "
        "{'status': 'failed', 'text': 'failed: no reason was given'}}]}, {'kind': 'bars', 'x': "
        "{'label': '', 'unit': '', 'scale': 'linear'}, 'y': {'label': 'time', 'unit': 'us', "
        "'scale': 'linear'}, 'series': [{'name': 'A', 'stack': null, 'scenario': null, 'points': "
        "[['rank 0', 1], ['rank 1', 2]], 'failure': {'status': 'failed', 'text': 'failed: no "
        "reason was given'}}]}]}");
    json_decref(json);
    json = json_of("{'scenario': 'z', 'series': [{'name': 'A', 'status': 'deadlock'}]}");
    same_document(
        of_result(json),
        "{'figure': 1, 'id': 'z', 'number': null, 'file': 'z', 'title': 'z', 'source': null, "
        "'notes': [], 'panels': [{'kind': 'lines', 'x': {'label': 'message size', 'unit': 'B', "
        "'scale': 'log'}, 'y': {'label': 'latency', 'unit': 'us', 'scale': 'log'}, 'series': "
        "[{'name': 'A', 'stack': null, 'scenario': 'z', 'points': [], 'failure': {'status': "
        "'deadlock', 'text': 'deadlock: no reason was given'}}]}]}");
    json_decref(json);
}

// The axis of a panel's x, of a result and of a figure whose sizes count that.
static void expect_x(const char *counts, const char *expected)
{
    char *text = g_strdup_printf("{'series': [{'name': 'A', 'counts': '%s', 'status': 'completed', "
                                 "'points': [{'size_bytes': 0, 'n': 1}]}]}",
                                 counts);
    char *spec = g_strdup_printf(HEAD "  panels:\n  - y: {metric: t_us}\n    x: {counts: %s}\n"
                                      "    series: []\n",
                                 counts);
    json_t *one = json_of(text);
    json_t *documents[] = {of_result(one), drawn(spec, false)};
    for (size_t i = 0; i < G_N_ELEMENTS(documents); i++) {
        json_t *panel = json_array_get(json_object_get(documents[i], "panels"), 0);
        same_document(json_incref(json_object_get(panel, "x")), expected);
        json_decref(documents[i]);
    }
    json_decref(one);
    g_free(spec);
    g_free(text);
}

// Times are linear and have their unit; numbers of things have none.
static void test_times(void)
{
    expect_x("second", "{'label': 'time', 'unit': 's', 'scale': 'linear'}");
    expect_x("ms", "{'label': 'time', 'unit': 'ms', 'scale': 'linear'}");
    expect_x("messages", "{'label': 'messages', 'unit': '', 'scale': 'log'}");
}

static void test_counts(void)
{
    int failed;
    json_t *document = drawn(HEAD "  panels:\n  - y: {metric: t_us}\n    series: [A, F, L]\n"
                                  "  - y: {metric: b_MB_per_s}\n    series: [A, B, F, L]\n"
                                  "  - y: {metric: b_MB_per_s}\n    series: [X]\n",
                             false);
    SUITE_SAME_INTEGER(figure_count_series(document, &failed), 4);
    SUITE_SAME_INTEGER(failed, 2);
    SUITE_SAME_INTEGER(figure_lost(document), 1);
    SUITE_SAME_INTEGER((long long)json_array_size(json_object_get(document, "panels")), 3);
    figure_drop_empty_panels(document);
    SUITE_SAME_INTEGER((long long)json_array_size(json_object_get(document, "panels")), 2);
    json_decref(document);
    document = drawn(HEAD "  panels:\n  - y: {metric: t_us}\n    series: [X]\n", false);
    figure_drop_empty_panels(document);
    SUITE_SAME_INTEGER((long long)json_array_size(json_object_get(document, "panels")), 1);
    SUITE_SAME_INTEGER(figure_lost(document), 0);
    SUITE_SAME_INTEGER(figure_count_series(document, &failed), 0);
    SUITE_SAME_INTEGER(failed, 0);
    json_decref(document);
}

// ---- Specifications ----

#define PANEL HEAD "  panels:\n  - "

static void test_wrong(void)
{
    static const char *const samples[][2] = {
        {"[]", "f.yaml:1:1: error: a file of figures is expected here, not a list\n"},
        {"schema: 1\n", "f.yaml:1:1: error: figures: must be given (the pictures)\n"},
        {"figures: []\n", "f.yaml:1:1: error: schema: must be given (write schema: 1)\n"},
        {"schema: 2\nfigures: []\n",
         "f.yaml:1:9: error: schema: 2 is too large (the range is 1 .. 1)\n"},
        {"schema: 1\nfigures: [5]\n",
         "f.yaml:2:11: error: figures[0]: a figure is expected here, not text\n"},
        {"schema: 1\nfigures: [{}]\n",
         "f.yaml:2:11: error: figures[0].id: must be given (the claim that asks for this figure)\n"
         "f.yaml:2:11: error: figures[0].file: must be given (the picture's path, without its "
         "suffix)\n"
         "f.yaml:2:11: error: figures[0].title: must be given (above the picture)\n"
         "f.yaml:2:11: error: figures[0].source: must be given (the reference and the figure's "
         "number there)\n"
         "f.yaml:2:11: error: figures[0].panels: must be given (from left to right)\n"},
        {HEAD, "f.yaml:3:3: error: figures[0].panels: must be given (from left to right)\n"},
        {"schema: 1\nfigures:\n- {id: a b, file: ../x, title: t, source: s, panels: []}\n",
         "f.yaml:3:8: error: figures[0].id: \"a b\" cannot be a name (a name has letters, digits, "
         "and - _ . inside, at most 64 characters)\n"
         "f.yaml:3:19: error: figures[0].file: the picture's file must lie below the directory of "
         "all pictures\n"},
        {"schema: 1\nfigures:\n- {id: a, file: /x, title: t, source: s, panels: []}\n",
         "f.yaml:3:17: error: figures[0].file: the picture's file must lie below the directory of "
         "all pictures\n"},
        {HEAD "  claims: [[a]]\n  panels: []\n", "f.yaml:8:12: error: figures[0].claims[0]: the id "
                                                 "of a claim is expected here, not a list\n"},
        {PANEL "5\n",
         "f.yaml:9:5: error: figures[0].panels[0]: a panel is expected here, not text\n"},
        {PANEL "{}\n",
         "f.yaml:9:5: error: figures[0].panels[0].y: must be given (the axis of the metric)\n"},
        {PANEL "{y: {}}\n", "f.yaml:9:9: error: figures[0].panels[0].y.metric: must be given (the "
                            "metric that is drawn)\n"},
        {PANEL "{y: {metric: t_us}}\n", "f.yaml:9:5: error: figures[0].panels[0]: the key series "
                                        "is missing, here and at the figure\n"},
        {PANEL "{y: {metric: t_us, range: [1]}, series: []}\n",
         "f.yaml:9:31: error: figures[0].panels[0].y.range: a range is [LEAST, MOST]\n"},
        {PANEL "{y: {metric: t_us, range: [2, 2]}, series: []}\n",
         "f.yaml:9:31: error: figures[0].panels[0].y.range: the range ends before it starts\n"},
        {PANEL "{y: {metric: t_us, zero: no}, series: []}\n",
         "f.yaml:9:30: error: figures[0].panels[0].y.zero: unknown answer \"no\" (known: false, "
         "true)\n"},
        {PANEL "{y: {metric: t_us}, x: 5, series: []}\n",
         "f.yaml:9:28: error: figures[0].panels[0].x: an axis is expected here, not text\n"},
        {PANEL "{y: {metric: t_us}, x: {range: [1, 2]}, series: []}\n",
         "f.yaml:9:37: error: figures[0].panels[0].x.range: \"1\": missing unit (write for example "
         "1 B; units are B, kB, MB, GB, KiB, MiB, GiB)\n"},
        {PANEL "{y: {metric: t_us}, x: {scale: cubic}, series: []}\n",
         "f.yaml:9:36: error: figures[0].panels[0].x.scale: unknown scale \"cubic\" (known: "
         "linear, log)\n"},
        {PANEL "{y: {metric: t_us}, x: {set: p.q}, series: []}\n",
         "f.yaml:9:28: error: figures[0].panels[0].x: a setting along an axis needs a label\n"
         "f.yaml:9:28: error: figures[0].panels[0].x: a setting along an axis needs values\n"},
        {PANEL "{y: {metric: t_us}, x: {set: p.q, label: q, values: [[1]]}, series: []}\n",
         "f.yaml:9:58: error: figures[0].panels[0].x.values: a value is expected here, not a list\n"
         "f.yaml:9:28: error: figures[0].panels[0].x: a setting along an axis needs values\n"},
        {PANEL "{y: {metric: t_us}, kind: pie, series: []}\n",
         "f.yaml:9:31: error: figures[0].panels[0].kind: unknown kind of panel \"pie\" (known: "
         "lines, bars)\n"},
        {PANEL "{y: {metric: t_us}, series: [], marks: [5]}\n",
         "f.yaml:9:45: error: figures[0].panels[0].marks[0]: a mark is expected here, not text\n"},
        {PANEL "{y: {metric: t_us}, series: [], marks: [{}]}\n",
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].kind: must be given (a band, a line or "
         "a point)\n"
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].text: must be given (drawn in the "
         "picture)\n"
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].source: must be given (where the "
         "reference prints this)\n"},
        {PANEL "{y: {metric: t_us}, series: [], marks: [{kind: dot}]}\n",
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].text: must be given (drawn in the "
         "picture)\n"
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].source: must be given (where the "
         "reference prints this)\n"
         "f.yaml:9:52: error: figures[0].panels[0].marks[0].kind: unknown kind of mark \"dot\" "
         "(known: point, vertical, horizontal, band)\n"},
        {PANEL "{y: {metric: t_us}, series: [], marks: [{kind: band}]}\n",
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].text: must be given (drawn in the "
         "picture)\n"
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].source: must be given (where the "
         "reference prints this)\n"
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].from: must be given for a band mark\n"
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].to: must be given for a band mark\n"},
        {PANEL "{y: {metric: t_us}, series: [], marks: [{kind: point}]}\n",
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].text: must be given (drawn in the "
         "picture)\n"
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].source: must be given (where the "
         "reference prints this)\n"
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].x: must be given for a point mark\n"
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].y: must be given for a point mark\n"},
        {PANEL "{y: {metric: t_us}, series: [], marks: [{kind: vertical}]}\n",
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].text: must be given (drawn in the "
         "picture)\n"
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].source: must be given (where the "
         "reference prints this)\n"
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].x: must be given for a vertical "
         "mark\n"},
        {PANEL "{y: {metric: t_us}, series: [], marks: [{kind: horizontal}]}\n",
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].text: must be given (drawn in the "
         "picture)\n"
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].source: must be given (where the "
         "reference prints this)\n"
         "f.yaml:9:45: error: figures[0].panels[0].marks[0].y: must be given for a horizontal "
         "mark\n"},
        {PANEL "{y: {metric: t_us}, series: [{over: A}]}\n",
         "f.yaml:9:34: error: figures[0].panels[0].series[0]: a curve needs a series\n"},
        {PANEL "{y: {metric: t_us}, series: [{series: A, over: B, minus: B}]}\n",
         "f.yaml:9:55: error: figures[0].panels[0].series[0]: it is either `over` or `minus`, not "
         "both\n"},
        {PANEL "{y: {metric: t_us}, series: [{series: A, over: {series: B, minus: A}}]}\n",
         "f.yaml:9:34: error: figures[0].panels[0].series[0]: a relation of a relation can't be "
         "checked\n"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        struct diag_list *diags = diag_list_new();
        CU_ASSERT_PTR_NULL(figure_specs_parse(samples[i][0], "f.yaml", diags));
        char *complaints = fake_complaints(diags);
        SUITE_SAME_TEXT(complaints, samples[i][1]);
        g_free(complaints);
        diag_list_free(diags);
    }
}

// ---- The gallery ----

static void test_select(void)
{
    static const struct {
        const char *words[3], *found;
    } samples[] = {
        {{NULL}, "sys.fig.1 gm.fig.1 gm.fig.2 "},
        {{"1.1", NULL}, "sys.fig.1 "},
        {{"fig.1", NULL}, "sys.fig.1 gm.fig.1 "},
        {{"gm.*", NULL}, "gm.fig.1 gm.fig.2 "},
        {{"gm.fig.2", "1.1", NULL}, "sys.fig.1 gm.fig.2 "},
        {{"1.1", "gm", NULL}, "unknown: gm"},
        {{"fig", "1.1", NULL}, "unknown: fig"},
    };
    GPtrArray *specs = specs_of("schema: 1\nfigures:\n"
                                "- {id: sys.fig.1, number: \"1.1\", file: a, title: t, source: s, "
                                "claims: [c, d], panels: []}\n"
                                "- {id: gm.fig.1, file: b, title: t, source: s, panels: []}\n"
                                "- {id: gm.fig.2, number: \"2\", file: c, title: t, source: s, "
                                "claims: [d, e], panels: []}\n");
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        const char *unknown;
        GPtrArray *found = gallery_select(specs, (char **)samples[i].words, &unknown);
        GString *names = g_string_new(NULL);
        for (guint k = 0; found && k < found->len; k++)
            g_string_append_printf(names, "%s ",
                                   ((struct figure_spec *)g_ptr_array_index(found, k))->id);
        if (!found)
            g_string_append_printf(names, "unknown: %s", unknown);
        SUITE_SAME_TEXT(names->str, samples[i].found);
        g_string_free(names, TRUE);
        if (found)
            g_ptr_array_unref(found);
    }
    GPtrArray *claims = gallery_claims(specs);
    char *joined = g_strjoinv(" ", (char **)claims->pdata);
    SUITE_SAME_TEXT(joined, "c d e");
    g_free(joined);
    g_ptr_array_unref(claims);
    g_ptr_array_unref(specs);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"over sizes", test_sizes},
        {"marks", test_marks},
        {"over a setting", test_setting},
        {"one's own result", test_given},
        {"results without a figure", test_of_result},
        {"times", test_times},
        {"how many", test_counts},
        {"wrong specifications", test_wrong},
        {"which figures", test_select},
        {0},
    };
    return suite_run("figures: documents", cases);
}
