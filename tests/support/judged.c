// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/judged.h"

#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

const char *judged_data_dir = ".";

// A series that is completed, with its points.
static json_t *series_of(const char *text)
{
    char **words = g_strsplit(g_strstrip((char *)text), " ", -1);
    json_t *points = json_array();
    for (char **word = words + 1; *word; word++) {
        char *value;
        json_int_t size = strtoll(*word, &value, 10);
        json_array_append_new(points, json_pack("{s:I, s:f}", "size_bytes", size, "latency_us",
                                                g_ascii_strtod(value + 1, NULL)));
    }
    json_t *series = json_pack("{s:s, s:s, s:n, s:o, s:[], s:{s:i, s:i}}", "name", words[0],
                               "status", words[0][0] == 'x' ? "failed" : "completed", "reason",
                               "points", points, "values", "counters", "drops", 3, "none", 0);
    if (words[0][0] == 'c')
        json_object_set_new(series, "counts", json_string("things"));
    g_strfreev(words);
    return series;
}

static json_t *result_of(const char *curves)
{
    json_t *list = json_array();
    char **parts = g_strsplit(curves, ";", -1);
    for (char **part = parts; *part; part++)
        json_array_append_new(list, series_of(*part));
    g_strfreev(parts);
    return json_pack("{s:o}", "series", list);
}

// {order: {lower: A}} becomes {order: {scenario: s, metric: latency_us, lower: A}}.
struct check *judged_check(const char *text)
{
    const char *inner = strchr(text + 1, '{') + 1;
    char *whole = g_strdup_printf("%.*sscenario: s, metric: latency_us, %s", (int)(inner - text),
                                  text, inner);
    struct diag_list *diags = diag_list_new();
    struct node *node = node_parse(whole, strlen(whole), "check", NULL, diags);
    struct check *check = node ? check_read(node, "check", diags) : NULL;
    char *complaints = fake_complaints(diags);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    node_free(node);
    diag_list_free(diags);
    g_free(whole);
    return check;
}

struct judgement judged_one(const struct judged_sample *sample)
{
    struct runs *runs = runs_new_empty();
    json_t *result = result_of(sample->curves);
    runs_add_result(runs, "s", "", result);
    json_t *other = result_of("A 1:5 2:5");
    runs_add_result(runs, "s", "p.q=1", other);
    runs_add_result(runs, "s", "p.r=1", result);
    struct check *check = judged_check(sample->check);
    struct judge_context context = {runs, judged_data_dir};
    struct judgement judgement = {0};
    if (check) {
        judge_needs(check, runs);
        judgement = judge(&context, check);
    }
    check_free(check);
    runs_free(runs);
    json_decref(result);
    json_decref(other);
    return judgement;
}

void judged_all(const struct judged_sample *samples)
{
    static const char *const names[] = {"holds", "level", "misses", "not checkable"};
    for (const struct judged_sample *sample = samples; sample->curves; sample++) {
        struct judgement judgement = judged_one(sample);
        char *expected = g_strdup_printf("%s: %s", sample->check, names[sample->judged]);
        char *actual = g_strdup_printf("%s: %s", sample->check, names[judgement.judged]);
        SUITE_SAME_TEXT(actual, expected);
        char *said = g_strdup_printf("%s | %s", judgement.simulated ? judgement.simulated : "",
                                     judgement.why ? judgement.why : "");
        SUITE_CONTAINS(said, sample->says);
        CU_ASSERT_PTR_NOT_NULL(judgement.expected);
        g_free(said);
        g_free(actual);
        g_free(expected);
        judgement_clear(&judgement);
    }
}
