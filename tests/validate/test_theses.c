// SPDX-License-Identifier: GPL-3.0-or-later
// A scorecard's rows by thesis: one verdict for claims that judge the same numbers,
// how far printed numbers are off, figures, and causes.
#include "sim/validate/theses.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

// 'ID KIND STANDING VERDICT' with more keys.
#define ROW(id, kind, standing, verdict, ...)                                                      \
    "{'id': '" id "', 'kind': '" kind "', 'standing': " standing ", 'verdict': '" verdict          \
    "'" __VA_ARGS__ "}"
#define PREDICTED(id, verdict, ...) ROW(id, "number", "'predicted'", verdict, __VA_ARGS__)
#define OFF(value, points) "{'off': " value ", 'points': " points "}"

static json_t *rows_of(const char *text)
{
    char *whole = g_strdelimit(g_strdup_printf("[%s]", text), "'", '"');
    json_error_t error;
    json_t *rows = json_loads(whole, 0, &error);
    SUITE_SAME_TEXT(error.text, "");
    g_free(whole);
    return rows;
}

// Takes ownership.
static void same_json(json_t *json, const char *expected)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(4));
    SUITE_SAME_TEXT(g_strdelimit(text, "\"", '\''), expected);
    free(text);
    json_decref(json);
}

// The standing and the verdict of the fact of some rows, "predicted, holds".
static void expect_fact(const char *text, const char *expected)
{
    json_t *rows = rows_of(text), *facts = theses_facts(rows);
    SUITE_SAME_INTEGER(json_array_size(facts), 1);
    const json_t *fact = json_array_get(facts, 0);
    const char *standing = json_string_value(json_object_get(fact, "standing"));
    char *said = g_strdup_printf("%s, %s", standing ? standing : "none",
                                 json_string_value(json_object_get(fact, "verdict")));
    SUITE_SAME_TEXT(said, expected);
    g_free(said);
    json_decref(facts);
    json_decref(rows);
}

#define F ", 'fact': 'f'"
static void test_facts(void)
{
    expect_fact(PREDICTED("s.a", "holds"), "predicted, holds");
    expect_fact(PREDICTED("s.a", "holds", F) "," PREDICTED("s.b", "known_miss", F),
                "predicted, known_miss");
    expect_fact(PREDICTED("s.a", "holds", F) "," PREDICTED("s.b", "level", F), "predicted, holds");
    expect_fact(PREDICTED("s.a", "not_checkable", F) "," PREDICTED("s.b", "level", F),
                "predicted, level");
    expect_fact(PREDICTED("s.a", "not_checkable", F), "predicted, not_checkable");
    // The greatest standing, and one claim named by its id.
    expect_fact(
        PREDICTED("s.a", "holds") "," ROW("s.b", "shape", "'fitted'", "level", ", 'fact': 's.a'"),
        "fitted, holds");
    // Claims that can't fail make no level fact hold, and guesses make none miss, but where they
    // are alone.
    expect_fact(
        PREDICTED("s.a", "level", F) "," ROW("s.b", "arithmetic", "'arithmetic'", "holds", F),
        "predicted, level");
    expect_fact(PREDICTED("s.a", "holds", F) "," ROW("s.b", "guess", "'guess'", "refuted", F),
                "predicted, holds");
    expect_fact(ROW("s.a", "guess", "'guess'", "refuted"), "guess, refuted");
    expect_fact(ROW("s.a", "guess", "'guess'", "open"), "guess, open");
    // Neither machines, drawings and behaviours nor what is counted elsewhere.
    expect_fact(PREDICTED("s.a", "holds") "," ROW("s.b", "config", "'setting'", "holds") "," ROW(
                    "s.c", "behaviour", "'test'",
                    "holds") "," ROW("s.d", "figure", "'drawn'",
                                     "holds") "," ROW("s.e", "number", "null", "same_as"),
                "predicted, holds");
    // The same name in two theses is two facts.
    json_t *rows = rows_of(PREDICTED("s.a", "holds", F) "," PREDICTED("t.a", "holds", F));
    json_t *facts = theses_facts(rows);
    SUITE_SAME_INTEGER(json_array_size(facts), 2);
    json_decref(facts);
    json_decref(rows);
}

static void test_summary(void)
{
    json_t *rows = rows_of(
        PREDICTED("s.a", "holds", ", 'printed': [" OFF("-0.02", "false") "]") "," //
        PREDICTED("s.b", "level") "," PREDICTED("s.c", "misses", F) "," PREDICTED(
            "s.d", "known_miss", F) "," ROW("s.e", "number", "null", "not_checkable") "," //
        PREDICTED("t.a", "misses",
                  ", 'printed': [" OFF("0.06", "false") "," OFF("-0.04", "false") "," OFF(
                      "0.2", "true") "]") "," //
        // Of a fact that is fitted nothing counts, nor does what was fitted itself.
        PREDICTED("t.b", "holds", F ", 'printed': [" OFF("0.5", "false") "]") "," ROW(
            "t.c", "number", "'fitted'", "holds", F ", 'printed': [" OFF("0.5", "false") "]"));
    json_t *facts = theses_facts(rows);
    same_json(theses_summary(rows, facts),
              "[{'thesis':'s','facts':3,'hold':1,'level':1,'miss':1,'not_decidable':1,"
              "'others':{'facts':0,'hold':0,'level':0,'miss':0},"
              "'numbers':{'count':1,'median':0.02,'p90':0.02},"
              "'percentages':{'count':0,'median':null,'p90':null}},"
              "{'thesis':'t','facts':1,'hold':0,'level':0,'miss':1,'not_decidable':0,"
              "'others':{'facts':1,'hold':1,'level':0,'miss':0},"
              "'numbers':{'count':2,'median':0.05,'p90':0.06},"
              "'percentages':{'count':1,'median':0.2,'p90':0.2}},"
              "{'thesis':'all','facts':4,'hold':1,'level':1,'miss':2,'not_decidable':1,"
              "'others':{'facts':1,'hold':1,'level':0,'miss':0},"
              "'numbers':{'count':3,'median':0.04,'p90':0.06},"
              "'percentages':{'count':1,'median':0.2,'p90':0.2}}]");
    json_decref(facts);
    json_decref(rows);
}

// Nine of ten values: of ten the ninth, of eleven the tenth.
static void test_ranks(void)
{
    for (int count = 10; count <= 11; count++) {
        json_t *printed = json_array();
        for (int i = count; i > 0; i--)
            json_array_append_new(printed, json_pack("{s:f, s:b}", "off", (double)i, "points", 0));
        json_t *rows = rows_of(PREDICTED("s.a", "holds"));
        json_object_set_new(json_array_get(rows, 0), "printed", printed);
        json_t *facts = theses_facts(rows), *theses = theses_summary(rows, facts);
        json_t *numbers = json_object_get(json_array_get(theses, 0), "numbers");
        CU_ASSERT_EQUAL(json_real_value(json_object_get(numbers, "p90")), count - 1);
        CU_ASSERT_EQUAL(json_real_value(json_object_get(numbers, "median")), count == 10 ? 5.5 : 6);
        json_decref(theses);
        json_decref(facts);
        json_decref(rows);
    }
}

static void test_figures(void)
{
#define SOURCE(text) ", 'source': '" text "'"
    json_t *rows = rows_of(
        PREDICTED("s.a", "known_miss", SOURCE("4.4, figures 4.10-4.11") ", 'deviation': -0.3") "," PREDICTED("s.b", "misses", SOURCE("figure 4.10") ", 'deviation': 0.2") "," PREDICTED("s.c", "level", SOURCE("4.6.3, figure 4.9a-b and 4.10") ", 'deviation': 0.9") "," ROW(
            "s.d", "shape", "'fitted'", "holds",
            SOURCE(
                "6.3, figures 3.1, 4.9")) "," ROW("s.e", "figure", "'drawn'", "holds",
                                                  SOURCE(
                                                      "figure 4.9")) "," ROW("s.f", "guess",
                                                                             "'guess'", "refuted",
                                                                             SOURCE(
                                                                                 "figure "
                                                                                 "4.9")) "," PREDICTED("s.g",
                                                                                                       "holds",
                                                                                                       SOURCE(
                                                                                                           "figure and 4.2")) "," PREDICTED("s.h",
                                                                                                                                            "holds"));
    same_json(theses_figures(rows),
              "[{'thesis':'s','figure':'3.1','statements':1,'hold':1,'level':0,'miss':0,"
              "'worst_deviation':null,'worst':null},"
              "{'thesis':'s','figure':'4.9','statements':2,'hold':1,'level':1,'miss':0,"
              "'worst_deviation':null,'worst':null},"
              "{'thesis':'s','figure':'4.10','statements':3,'hold':0,'level':1,'miss':2,"
              "'worst_deviation':-0.3,'worst':'s.a'},"
              "{'thesis':'s','figure':'4.11','statements':1,'hold':0,'level':0,'miss':1,"
              "'worst_deviation':-0.3,'worst':'s.a'}]");
    json_decref(rows);
}

static void test_causes(void)
{
#define CAUSE(text) ", 'cause': '" text "'"
    json_t *rows = rows_of(
        PREDICTED("s.a", "known_miss") "," PREDICTED("s.b", "known_miss", CAUSE("x")) "," PREDICTED(
            "s.c",
            "misses") "," PREDICTED("s.d", "holds",
                                    CAUSE("x")) "," ROW("s.e", "shape", "'fitted'", "known_miss",
                                                        CAUSE("x")) "," PREDICTED("t.a",
                                                                                  "known_miss",
                                                                                  CAUSE("x")));
    same_json(theses_causes(rows), "[{'thesis':'s','cause':'x','claims':['s.b','s.e']},"
                                   "{'thesis':'t','cause':'x','claims':['t.a']},"
                                   "{'thesis':'s','cause':null,'claims':['s.a']}]");
    json_decref(rows);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"facts", test_facts},     {"theses", test_summary}, {"nine of ten", test_ranks},
        {"figures", test_figures}, {"causes", test_causes},  {0},
    };
    return suite_run("validate: theses", cases);
}
