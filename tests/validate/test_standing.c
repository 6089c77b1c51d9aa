// SPDX-License-Identifier: GPL-3.0-or-later
// The standing of claims: which checks decide, and which values targets of calibrations fix.
// (Chosen values need scenarios: tests/cli/test_validate.py.)
#include "sim/core/intern.h"
#include "sim/validate/standing.h"
#include "sim/validate/totals.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <string.h>

// Two curves at four sizes, of one scenario.
static const char document[] =
    "{\"series\": [{\"name\": \"A\", \"status\": \"completed\", \"values\": [], \"points\": ["
    "{\"size_bytes\": 1, \"a_us\": 1}, {\"size_bytes\": 2, \"a_us\": 2}, {\"size_bytes\": 3, "
    "\"a_us\": 3},"
    "{\"size_bytes\": 4, \"a_us\": 4}, {\"size_bytes\": 8, \"a_us\": 8}]},"
    "{\"name\": \"B\", \"status\": \"completed\", \"values\": [], \"points\": ["
    "{\"size_bytes\": 1, \"a_us\": 2}, {\"size_bytes\": 2, \"a_us\": 3}, {\"size_bytes\": 3, "
    "\"a_us\": 4},"
    "{\"size_bytes\": 4, \"a_us\": 5}, {\"size_bytes\": 8, \"a_us\": 9}]}]}";

#define CLAIM(id, checks)                                                                          \
    "  s." id ": {kind: shape, statement: x, source: y, check: [" checks "]}\n"
#define VALUE(series, size)                                                                        \
    "{value: {scenario: s, metric: a_us, series: " series ", size: " size                          \
    ", expected: 1 us, tolerance: 1 us}}"
#define ORDER(sizes) "{order: {scenario: s, metric: a_us, lower: A, higher: B, sizes: " sizes "}}"
#define GAIN(sizes)                                                                                \
    "{gain: {scenario: s, metric: a_us, over: B, under: A, statistic: mean, above: 0 %, "          \
    "sizes: " sizes "}}"
#define SETTING "{parameter: {scenario: s, series: A, path: a.b, equals: 1}}"
#define FIGURE "{figure: {scenario: s, metric: a_us, series: A, spec: f}}"

static const char claims[] =
    "behaviours:\n"
    "  s.behaviour: {statement: x, source: y}\n"
    "  s.outside: {statement: x, source: y, outside: z}\n"
    "others:\n"
    "  s.unchecked: {kind: shape, statement: x, source: y, not_checkable: z}\n" //
    CLAIM("target", VALUE("A", "1 B"))                                          //
    CLAIM("other", VALUE("B", "1 B"))                                           //
    CLAIM("elsewhere", VALUE("A", "2 B"))                                       //
    CLAIM("again", VALUE("A", "1 B"))                                           //
    CLAIM("both", ORDER("1 B"))                                                 //
    CLAIM("wider", ORDER("1 B .. 2 B"))                                         //
    CLAIM("order", ORDER("8 B"))                                                //
    CLAIM("order_again", ORDER("8 B"))                                          //
    CLAIM("gain", GAIN("2 B .. 4 B"))                                           //
    CLAIM("gain_again", GAIN("4 B"))                                            //
    CLAIM("gain_wider", GAIN("2 B .. 8 B"))                                     //
    CLAIM("gain_between", GAIN("3 B"))                                          //
    CLAIM("mixed", VALUE("A", "1 B") ", " VALUE("A", "8 B"))                    //
    CLAIM("setting", SETTING)                                                   //
    CLAIM("figure", FIGURE)                                                     //
    CLAIM("figure_setting", SETTING ", " FIGURE)                                //
    CLAIM("setting_beside", SETTING ", " VALUE("A", "8 B"))                     //
    "  s.configured: {kind: config, statement: x, source: y, check: " VALUE(
        "A", "8 B") "}\n" //
                    "  s.agreement: {kind: agreement, statement: x, source: y, check: [" VALUE(
                        "A", "1 B") ", "
                                    "{agreement: {scenario: s, metric: a_us, series: A, with: B, "
                                    "tolerance: 1 %}}]}\n"
                                    "  s.agreement_unchecked: {kind: agreement, statement: x, "
                                    "source: y, not_checkable: z}\n" //
    CLAIM("sequence",
          "{transitions: {scenario: s, series: A, steps: x}}, {ends_with: {scenario: s, "
          "series: A, status: completed}}") //
    CLAIM("ends", "{ends_with: {scenario: s, series: A, status: completed}}");

static const char calibration[] =
    "targets:\n"
    "  - {series: A, metric: a_us, size: 1 B, value: 1 us, claim: s.target}\n"
    "  - {series: B, metric: a_us, size: 1 B, value: 1 us, claim: s.other}\n"
    "  - {order: [A, B], metric: a_us, over: 8 B .. 8 B, claim: s.order}\n"
    "  - {gain: [B, A], metric: a_us, sizes: [2 B, 4 B], value: 1 %, claim: s.gain}\n"
    "  - {series: A, metric: a_us, size: 2 B, value: 1 us}\n";

struct world {
    struct diag_list *diags;
    struct claim_list *list;
    struct fits *fits;
    struct runs *runs;
};

static struct world world_new(const char *targets)
{
    struct world world = {diag_list_new(), claims_new(), fits_new(), runs_new_empty()};
    struct node *tree = node_parse(claims, strlen(claims), "c.yaml", NULL, world.diags);
    CU_ASSERT_TRUE_FATAL(tree && claims_read(world.list, tree, world.diags));
    node_free(tree);
    tree = node_parse(targets, strlen(targets), "calibration/one.yaml", NULL, world.diags);
    fits_read(world.fits, tree, world.list, world.diags);
    node_free(tree);
    json_t *result = json_loads(document, 0, NULL);
    runs_add_result(world.runs, "s", "", result);
    json_decref(result);
    return world;
}

// Its complaints; the caller frees them.
static char *world_free(struct world *world)
{
    char *complaints = fake_complaints(world->diags);
    runs_free(world->runs);
    fits_free(world->fits);
    claims_free(world->list);
    diag_list_free(world->diags);
    return complaints;
}

static void test_each(void)
{
    static const struct {
        const char *id, *standing, *by;
    } samples[] = {
        {"s.behaviour", "test", NULL},
        {"s.outside", NULL, NULL},
        {"s.unchecked", NULL, NULL},
        // A target, and checks that use nothing but its value.
        {"s.target", "fitted", "one"},
        {"s.again", "fitted", "one"},
        {"s.both", "fitted", "one"},
        // The same curve at another size; one size more.
        {"s.elsewhere", "predicted", NULL},
        {"s.wider", "predicted", NULL},
        // An order fixes no value, but is itself a target.
        {"s.order", "fitted", "one"},
        {"s.order_again", "predicted", NULL},
        // A gain fixes the quotient.
        {"s.gain", "fitted", "one"},
        {"s.gain_again", "fitted", "one"},
        {"s.gain_wider", "predicted", NULL},
        // Between two sizes that are fixed.
        {"s.gain_between", "fitted", "one"},
        // One check that is not fixed, and the claim can fail.
        {"s.mixed", "predicted", NULL},
        {"s.setting", "setting", NULL},
        {"s.figure", "drawn", NULL},
        {"s.figure_setting", "drawn", NULL},
        {"s.setting_beside", "predicted", NULL},
        {"s.ends", "predicted", NULL},
        {"s.sequence", "test", NULL},
        {"s.configured", "setting", NULL},
        // No source is asked, whatever was fitted.
        {"s.agreement", "compared", NULL},
        {"s.agreement_unchecked", NULL, NULL},
    };
    struct world world = world_new(calibration);
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *by;
        struct standing_context context = {world.list, world.fits, world.runs};
        enum standing standing = standing_of(claims_find(world.list, samples[i].id), &context, &by);
        if (g_strcmp0(standing_name(standing), samples[i].standing) != 0 ||
            g_strcmp0(by, samples[i].by) != 0)
            CU_FAIL(samples[i].id);
        g_free(by);
    }
    char *complaints = world_free(&world);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
}

static void test_bad_targets(void)
{
    static const struct {
        const char *targets, *part;
    } samples[] = {
        {"targets: [{series: A, size: 1 B, claim: s.gone}]",
         "calibration/one.yaml:1:41: error: targets: there is no claim s.gone"},
        {"target: []", "a list of targets is expected"},
        {"[]", "a list of targets is expected"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        struct world world = world_new(samples[i].targets);
        char *complaints = world_free(&world);
        SUITE_CONTAINS(complaints, samples[i].part);
        g_free(complaints);
    }
}

// ---- Ranks ----

static void expect_rank(const char *rows, const char *standing, const char *verdict)
{
    struct claim_rank rank = {1, (char *)"t", g_ptr_array_new()};
    g_ptr_array_add(rank.ids, (gpointer)intern_text("a"));
    g_ptr_array_add(rank.ids, (gpointer)intern_text("b"));
    json_t *list = json_loads(rows, 0, NULL), *total = totals_of_rank(list, &rank);
    SUITE_SAME_TEXT(json_string_value(json_object_get(total, "verdict")), verdict);
    CU_ASSERT(g_strcmp0(json_string_value(json_object_get(total, "standing")), standing) == 0);
    json_decref(total);
    json_decref(list);
    g_ptr_array_unref(rank.ids);
}

#define ROW(id, standing, verdict)                                                                 \
    "{\"id\": \"" id "\", \"standing\": " standing ", \"verdict\": \"" verdict "\"}"

// The worst verdict, and the weakest standing of what results are held against.
static void test_ranks(void)
{
    expect_rank("[" ROW("a", "\"predicted\"", "holds") "," ROW("b", "\"test\"", "not_run") "]",
                "predicted", "not_run");
    expect_rank("[" ROW("a", "\"predicted\"", "holds") "," ROW("b", "\"fitted\"", "holds") "]",
                "fitted", "holds");
    expect_rank("[" ROW("a", "\"chosen\"", "known_miss") "," ROW("b", "\"fitted\"", "not_run") "]",
                "fitted", "known_miss");
    expect_rank("[" ROW("a", "\"chosen\"", "holds") "," ROW("b", "\"predicted\"", "misses") "]",
                "chosen", "misses");
    expect_rank("[" ROW("a", "\"test\"", "holds") "," ROW("b", "\"setting\"", "holds") "]", "test",
                "holds");
    expect_rank("[" ROW("a", "\"setting\"", "holds") "," ROW("b", "null", "not_checkable") "]",
                "setting", "not_checkable");
    expect_rank("[" ROW("a", "\"test\"", "not_run") "," ROW("b", "\"test\"", "not_checkable") "]",
                "test", "not_run");
    // Level is not enough for a rank, and so is a guess that does not hold; a miss counts more.
    expect_rank("[" ROW("a", "\"predicted\"", "holds") "," ROW("b", "\"predicted\"", "level") "]",
                "predicted", "level");
    expect_rank("[" ROW("a", "\"predicted\"", "level") "," ROW("b", "\"guess\"", "refuted") "]",
                "predicted", "refuted");
    expect_rank("[" ROW("a", "\"arithmetic\"", "holds") "," ROW("b", "\"guess\"", "open") "]",
                "arithmetic", "open");
    expect_rank(
        "[" ROW("a", "\"predicted\"", "known_miss") "," ROW("b", "\"guess\"", "refuted") "]",
        "predicted", "known_miss");
    // A claim of another rank is none of this one.
    expect_rank("[" ROW("a", "\"test\"", "holds") "," ROW("c", "\"fitted\"", "misses") "]", "test",
                "holds");
}

// Claims that are predicted and can be checked are counted by themselves, and so are compared ones.
static void test_predicted(void)
{
    json_t *rows = json_loads(
        "[{\"kind\": \"k\", \"standing\": \"predicted\", \"verdict\": \"holds\"},"
        " {\"kind\": \"k\", \"standing\": \"predicted\", \"verdict\": \"known_miss\"},"
        " {\"kind\": \"k\", \"standing\": \"predicted\", \"verdict\": \"level\"},"
        " {\"kind\": \"guess\", \"standing\": \"guess\", \"verdict\": \"refuted\"},"
        " {\"kind\": \"k\", \"standing\": \"predicted\", \"verdict\": \"not_checkable\"},"
        " {\"kind\": \"k\", \"standing\": \"fitted\", \"verdict\": \"holds\"},"
        " {\"kind\": \"agreement\", \"standing\": \"compared\", \"verdict\": \"holds\"},"
        " {\"kind\": \"agreement\", \"standing\": \"compared\", \"verdict\": \"misses\"},"
        " {\"kind\": \"k\", \"standing\": null, \"verdict\": \"same_as\"}]",
        0, NULL);
    json_t *totals = totals_of(rows);
    char *text = json_dumps(json_object_get(totals, "predicted"), JSON_COMPACT);
    SUITE_SAME_TEXT(text, "{\"claims\":3,\"hold\":1,\"level\":1}");
    free(text);
    text = json_dumps(json_object_get(totals, "compared"), JSON_COMPACT);
    SUITE_SAME_TEXT(text, "{\"claims\":2,\"hold\":1,\"level\":0}");
    free(text);
    json_t *standings = json_object_get(totals, "by_standing");
    CU_ASSERT_EQUAL(json_object_size(standings), 4);
    json_t *fitted = json_object_get(standings, "fitted");
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(fitted, "holds")), 1);
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(totals, "claims")), 8);
    json_decref(totals);
    json_decref(rows);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"each standing", test_each},
        {"targets that are wrong", test_bad_targets},
        {"ranks", test_ranks},
        {"what is predicted", test_predicted},
        {0},
    };
    return suite_run("validate: standing", cases);
}
