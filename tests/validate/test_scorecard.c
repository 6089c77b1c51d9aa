// SPDX-License-Identifier: GPL-3.0-or-later
// A scorecard as people and as build servers see it, to the letter.
#include "sim/validate/scorecard.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <stdlib.h>

static const char rows[] =
    "{'claims': ["
    "{'id': 'sys.a.b.c', 'standing': 'predicted', 'verdict': 'holds', 'expected': '1 us', "
    "'simulated': '2 us'},"
    "{'id': 'sys.x', 'standing': 'chosen', 'standing_by': 'a.b', 'verdict': 'misses', 'expected': "
    "'a < b', 'simulated': '\\u0022c\\u0022 & d',"
    " 'deviation': 0.125},"
    "{'id': 'gm.a.b', 'standing': 'fitted', 'verdict': 'known_miss', 'expected': '1', 'simulated': "
    "'2', 'why': 'so far',"
    " 'deviation': -0.5},"
    "{'id': 'sys.t', 'standing': 'test', 'verdict': 'not_run', 'expected': 'e', 'why': 'for w'},"
    "{'id': 'sys.a.d', 'standing': null, 'verdict': 'not_checkable', 'why': 'no\\u0001 \\ufffe "
    "\\u00e4 and so many"
    " words that the line is full, and another one has to be begun for the rest of them'},"
    "{'id': 'gm.a.c', 'verdict': 'same_as', 'why': 'as gm.a.b', 'deviation': null},"
    "{'id': 'lone', 'verdict': 'holds', 'why': 'it is listed', 'known_miss': 'page', 'expected': "
    "'3', 'simulated': '4'}],"
    "'totals': {'claims': 6, 'holds': 2, 'misses': 1, 'known_miss': 1, 'not_checkable': 1,"
    " 'not_run': 1, 'predicted': {'claims': 5, 'hold': 3}, 'by_standing': {"
    "'predicted': {'claims': 1, 'holds': 1}},"
    " 'behaviours': {'claims': 9, 'holds': 4, 'not_run': 3, 'lack': %s},"
    " 'same_as': 1, 'listed_but_hold': %d,"
    " 'causes': [{'thesis': 'gm', 'cause': 'polls', 'claims': ['gm.a.b', 'gm.a.d']},"
    " {'thesis': 'sys', 'cause': null, 'claims': ['sys.y']}],"
    " 'figures': [{'thesis': 'gm', 'figure': '4.12', 'statements': 5, 'hold': 2, 'level': 1,"
    " 'miss': 2, 'worst_deviation': -0.5, 'worst': 'gm.a.b'},"
    " {'thesis': 'sys', 'figure': '6.1', 'statements': 1, 'hold': 1, 'worst_deviation': null}],"
    " 'theses': [{'thesis': 'gm', 'facts': 4, 'hold': 1, 'level': 1, 'miss': 2, 'not_decidable': "
    "3, 'others': {'facts': 6, 'hold': 3, 'level': 2, 'miss': 1}, 'numbers': {'count': 5, "
    "'median': 0.033, 'p90': 0.76}, 'percentages': {'count': 0, "
    "'median': null, 'p90': null}},"
    " {'thesis': 'sys', 'facts': 2, 'hold': 2, 'numbers': {'count': 1, 'median': 0.5, 'p90': 0.5},"
    " 'percentages': {'count': 2, 'median': 0.014, 'p90': 0.239}}], 'by_kind': {"
    "'value': {'claims': 4, 'holds': 2, 'misses': 1, 'known_miss': 1},"
    "'order': {'claims': 2, 'not_checkable': 1, 'same_as': 1}},"
    "'top40': {'ranks': %d, 'hold': 1, 'predicted': {'ranks': 2, 'hold': 1}, 'list': ["
    "{'rank': 1, 'standing': 'predicted', 'verdict': 'holds', 'title': 'first'},"
    "{'rank': 12, 'standing': null, 'verdict': 'not_checkable', 'title': 'second'}]}}}";

// Without results of tests if there are no ranks.
static json_t *scorecard_of(int listed, int ranks)
{
    const char *lack = ranks ? "null" : "'none are there'";
    char *text = g_strdelimit(g_strdup_printf(rows, lack, listed, ranks), "'", '"');
    json_error_t error;
    json_t *scorecard = json_loads(text, 0, &error);
    SUITE_SAME_TEXT(error.text, "");
    g_free(text);
    return scorecard;
}

static void same_print(int listed, int ranks, bool colour, const char *expected)
{
    json_t *scorecard = scorecard_of(listed, ranks);
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    scorecard_print(scorecard, false, colour, 0, file);
    fclose(file);
    SUITE_SAME_TEXT(text, expected);
    free(text);
    json_decref(scorecard);
}

// The last lines of a text, in full or in brief.
#define CAUSES_AND_TABLES                                                                          \
    "Known misses by cause\n"                                                                      \
    "gm     polls\n"                                                                               \
    "       gm.a.b, gm.a.d\n"                                                                      \
    "sys    (no cause is named)\n"                                                                 \
    "       sys.y\n"                                                                               \
    "\n"                                                                                           \
    "figure      statements   hold  level   miss  the miss that is furthest off\n"                 \
    "gm     4.12          5      2      1      2  -50.00 %  gm.a.b\n"                              \
    "sys    6.1           1      1      0      0\n"                                                \
    "\n"                                                                                           \
    "                              predicted facts        chosen or fitted          "              \
    "numbers, off by   percentages, by points\n"                                                   \
    "thesis facts  hold level  miss  not decidable facts  hold level  miss  count   "              \
    "median     90 %  count   median     90 %\n"                                                   \
    "gm         4     1     1     2              3     6     3     2     1      5    "             \
    "3.3 %   76.0 %      0        -        -\n"                                                    \
    "sys        2     2     0     0              0     0     0     0     0      1   "              \
    "50.0 %   50.0 %      2      1.4     23.9\n"

static void test_text(void)
{
    same_print(2, 2, false,
               "holds          sys.a.b.c [predicted]\n"
               "               expected   1 us\n"
               "               simulated  2 us\n"
               "MISSES         sys.x [chosen: a.b]\n"
               "               expected   a < b\n"
               "               simulated  \"c\" & d\n"
               "               deviation  +12.50 %\n"
               "known miss     gm.a.b [fitted]\n"
               "               expected   1\n"
               "               simulated  2\n"
               "               deviation  -50.00 %\n"
               "               why        so far\n"
               "not run        sys.t [test]\n"
               "               expected   e\n"
               "               why        for w\n"
               "not checkable  sys.a.d\n"
               "               why        no\001 \357\277\276 ä and so many words that the line is "
               "full, and\n"
               "                          another one has to be begun for the rest of them\n"
               "same as        gm.a.c\n"
               "               why        as gm.a.b\n"
               "holds          lone\n"
               "               expected   3\n"
               "               simulated  4\n"
               "               why        it is listed\n"
               "\n"
               "The most important results\n"
               "  1  holds          predicted  first\n"
               " 12  not checkable             second\n"
               "1 of 2 hold; of the predicted, 1 of 2\n"
               "\n"
               "kind        claims  holds  level  MISSES  known miss  not run  not checkable  "
               "refuted  open  same as\n"
               "value            4      2      0       1           1        0              0       "
               " 0     0        0\n"
               "order            2      0      0       0           0        0              1       "
               " 0     0        1\n"
               "all              6      2      0       1           1        1              1       "
               " 0     0        1\n"
               "\n"
               "standing    claims  holds  level  MISSES  known miss  not run  not checkable  "
               "refuted  open  same as\n"
               "predicted        1      1      0       0           0        0              0       "
               " 0     0        0\n"
               "\n"
               "4 of 9 behaviours hold; 3 were not run: `netsim test' does\n"
               "\n"
               "2 claims are listed as known to miss and do not: see `why' above\n"
               "\n"
               "3 of 5 predicted claims hold\n"
               "\n" CAUSES_AND_TABLES);
}

// One line per claim: verdict, id, standing, deviation and the simulated value; then the totals.
static void test_brief(void)
{
    json_t *scorecard = scorecard_of(2, 2);
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    scorecard_print(scorecard, true, false, 0, file);
    fclose(file);
    SUITE_CONTAINS(
        text,
        "holds          sys.a.b.c                                    predicted               2 us\n"
        "MISSES         sys.x                                        chosen        +12.50 %  \"c\" "
        "& d\n"
        "known miss     gm.a.b                                       fitted        -50.00 %  2\n"
        "not run        sys.t                                        test\n"
        "not checkable  sys.a.d\n"
        "same as        gm.a.c\n"
        "holds          lone                                                                 4\n"
        "\n"
        "The most important results\n");
    SUITE_CONTAINS(text, "3 of 5 predicted claims hold\n");
    free(text);
    json_decref(scorecard);
}

// The comparisons of simulations precede the last line.
static void test_compared(void)
{
    json_t *scorecard = json_loads("{\"claims\": [], \"totals\": {\"compared\": {\"claims\": 7, "
                                   "\"hold\": 6}, \"predicted\": {\"claims\": 2, \"hold\": 1}}}",
                                   0, NULL);
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    scorecard_print(scorecard, false, false, 0, file);
    fclose(file);
    SUITE_CONTAINS(text, "\n\n6 of 7 comparisons of simulations hold\n\n1 of 2 predicted claims "
                         "hold\n");
    free(text);
    json_decref(scorecard);
}

static void test_colour(void)
{
    same_print(1, 0, true,
               "\033[32mholds          \033[0msys.a.b.c [predicted]\n"
               "               expected   1 us\n"
               "               simulated  2 us\n"
               "\033[1;31mMISSES         \033[0msys.x [chosen: a.b]\n"
               "               expected   a < b\n"
               "               simulated  \"c\" & d\n"
               "               deviation  +12.50 %\n"
               "\033[33mknown miss     \033[0mgm.a.b [fitted]\n"
               "               expected   1\n"
               "               simulated  2\n"
               "               deviation  -50.00 %\n"
               "               why        so far\n"
               "\033[36mnot run        \033[0msys.t [test]\n"
               "               expected   e\n"
               "               why        for w\n"
               "\033[2mnot checkable  \033[0msys.a.d\n"
               "               why        no\001 \357\277\276 ä and so many words that the line is "
               "full, and\n"
               "                          another one has to be begun for the rest of them\n"
               "\033[2msame as        \033[0mgm.a.c\n"
               "               why        as gm.a.b\n"
               "\033[32mholds          \033[0mlone\n"
               "               expected   3\n"
               "               simulated  4\n"
               "               why        it is listed\n"
               "\n"
               "kind        claims  holds  level  MISSES  known miss  not run  not checkable  "
               "refuted  open  same as\n"
               "value            4      2      0       1           1        0              0       "
               " 0     0        0\n"
               "order            2      0      0       0           0        0              1       "
               " 0     0        1\n"
               "all              6      2      0       1           1        1              1       "
               " 0     0        1\n"
               "\n"
               "standing    claims  holds  level  MISSES  known miss  not run  not checkable  "
               "refuted  open  same as\n"
               "predicted        1      1      0       0           0        0              0       "
               " 0     0        0\n"
               "\n"
               "4 of 9 behaviours hold; 3 were not run, as none are there: `netsim "
               "test' does\n"
               "\n"
               "1 claim is listed as known to miss and does not: see `why' above\n"
               "\n"
               "3 of 5 predicted claims hold\n"
               "\n" CAUSES_AND_TABLES);
}

static void test_junit(void)
{
    json_t *scorecard = scorecard_of(0, 0);
    char *text = scorecard_junit(scorecard);
    SUITE_SAME_TEXT(text,
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<testsuites name=\"netsim\" tests=\"7\" failures=\"2\" errors=\"0\" "
                    "skipped=\"4\" time=\"0\">\n"
                    "  <testsuite name=\"sys, predicted\" tests=\"1\" failures=\"0\" errors=\"0\" "
                    "skipped=\"0\" time=\"0\">\n"
                    "    <testcase classname=\"sys.a\" name=\"sys.a.b.c\" time=\"0\"/>\n"
                    "  </testsuite>\n"
                    "  <testsuite name=\"sys, chosen\" tests=\"1\" failures=\"1\" errors=\"0\" "
                    "skipped=\"0\" time=\"0\">\n"
                    "    <testcase classname=\"sys.x\" name=\"sys.x\" time=\"0\">\n"
                    "      <failure message=\"expected a &lt; b, simulated &quot;c&quot; &amp; d\" "
                    "type=\"misses\">expected a &lt; b, simulated &quot;c&quot; &amp; d</failure>\n"
                    "    </testcase>\n"
                    "  </testsuite>\n"
                    "  <testsuite name=\"gm, fitted\" tests=\"1\" failures=\"0\" errors=\"0\" "
                    "skipped=\"1\" time=\"0\">\n"
                    "    <testcase classname=\"gm.a\" name=\"gm.a.b\" time=\"0\">\n"
                    "      <skipped message=\"known miss: expected 1, simulated 2; so far\"/>\n"
                    "    </testcase>\n"
                    "  </testsuite>\n"
                    "  <testsuite name=\"sys, test\" tests=\"1\" failures=\"0\" errors=\"0\" "
                    "skipped=\"1\" time=\"0\">\n"
                    "    <testcase classname=\"sys.t\" name=\"sys.t\" time=\"0\">\n"
                    "      <skipped message=\"for w\"/>\n"
                    "    </testcase>\n"
                    "  </testsuite>\n"
                    "  <testsuite name=\"sys, not checked\" tests=\"1\" failures=\"0\" "
                    "errors=\"0\" skipped=\"1\" time=\"0\">\n"
                    "    <testcase classname=\"sys.a\" name=\"sys.a.d\" time=\"0\">\n"
                    "      <skipped message=\"no    ä and so many words that the line is full, and "
                    "another one has to be begun for the rest of them\"/>\n"
                    "    </testcase>\n"
                    "  </testsuite>\n"
                    "  <testsuite name=\"gm, not checked\" tests=\"1\" failures=\"0\" errors=\"0\" "
                    "skipped=\"1\" time=\"0\">\n"
                    "    <testcase classname=\"gm.a\" name=\"gm.a.c\" time=\"0\">\n"
                    "      <skipped message=\"as gm.a.b\"/>\n"
                    "    </testcase>\n"
                    "  </testsuite>\n"
                    "  <testsuite name=\"lone, not checked\" tests=\"1\" failures=\"1\" "
                    "errors=\"0\" skipped=\"0\" time=\"0\">\n"
                    "    <testcase classname=\"lone\" name=\"lone\" time=\"0\">\n"
                    "      <failure message=\"expected 3, simulated 4; it is listed\" "
                    "type=\"holds\">expected 3, simulated 4; it is listed</failure>\n"
                    "    </testcase>\n"
                    "  </testsuite>\n"
                    "</testsuites>\n");
    g_free(text);
    json_decref(scorecard);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"for people", test_text},         {"for people, in brief", test_brief},
        {"in colours", test_colour},       {"comparisons", test_compared},
        {"for build servers", test_junit}, {0},
    };
    return suite_run("validate: scorecard", cases);
}
