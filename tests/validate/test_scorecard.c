// SPDX-License-Identifier: GPL-3.0-or-later
// A scorecard as people and as build servers see it, to the letter.
#include "sim/validate/scorecard.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <stdlib.h>

static const char rows[] =
    "{'claims': ["
    "{'id': 'sys.a.b.c', 'verdict': 'holds', 'expected': '1 us', 'simulated': '2 us'},"
    "{'id': 'sys.x', 'verdict': 'misses', 'expected': 'a < b', 'simulated': '\\u0022c\\u0022 & d',"
    " 'deviation': 0.125},"
    "{'id': 'gm.a.b', 'verdict': 'known_miss', 'expected': '1', 'simulated': '2', 'why': 'so far',"
    " 'deviation': -0.5},"
    "{'id': 'sys.a.d', 'verdict': 'not_checkable', 'why': 'no\\u0001 \\ufffe \\u00e4 and so many"
    " words that the line is full, and another one has to be begun for the rest of them'},"
    "{'id': 'gm.a.c', 'verdict': 'same_as', 'why': 'as gm.a.b', 'deviation': null},"
    "{'id': 'lone', 'verdict': 'holds', 'why': 'it is listed', 'expected': '3', 'simulated': '4'}],"
    "'totals': {'claims': 6, 'holds': 2, 'misses': 1, 'known_miss': 1, 'not_checkable': 1,"
    " 'same_as': 1, 'listed_but_hold': %d, 'by_kind': {"
    "'value': {'claims': 4, 'holds': 2, 'misses': 1, 'known_miss': 1},"
    "'order': {'claims': 2, 'not_checkable': 1, 'same_as': 1}},"
    "'top40': {'ranks': %d, 'hold': 1, 'list': ["
    "{'rank': 1, 'verdict': 'holds', 'title': 'first'},"
    "{'rank': 12, 'verdict': 'not_checkable', 'title': 'second'}]}}}";

static json_t *scorecard_of(int listed, int ranks)
{
    char *text = g_strdelimit(g_strdup_printf(rows, listed, ranks), "'", '"');
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
    scorecard_print(scorecard, colour, file);
    fclose(file);
    SUITE_SAME_TEXT(text, expected);
    free(text);
    json_decref(scorecard);
}

static void test_text(void)
{
    same_print(2, 2, false,
               "holds          sys.a.b.c\n"
               "               expected   1 us\n"
               "               simulated  2 us\n"
               "MISSES         sys.x\n"
               "               expected   a < b\n"
               "               simulated  \"c\" & d\n"
               "               deviation  +12.50 %\n"
               "known miss     gm.a.b\n"
               "               expected   1\n"
               "               simulated  2\n"
               "               deviation  -50.00 %\n"
               "               why        so far\n"
               "not checkable  sys.a.d\n"
               "               why        no\001 \357\277\276 ä and so many words that the line is "
               "full, and "
               "another one has to be\n"
               "                          begun for the rest of them\n"
               "same as        gm.a.c\n"
               "               why        as gm.a.b\n"
               "holds          lone\n"
               "               expected   3\n"
               "               simulated  4\n"
               "               why        it is listed\n"
               "\n"
               "The most important results\n"
               "  1  holds          first\n"
               " 12  not checkable  second\n"
               "1 of 2 hold\n"
               "\n"
               "kind        claims          holds         MISSES     known miss  not checkable     "
               "   same as\n"
               "value            4              2              1              1              0     "
               "         0\n"
               "order            2              0              0              0              1     "
               "         1\n"
               "all              6              2              1              1              1     "
               "         1\n"
               "\n"
               "2 claims hold though listed as known to miss: see `why' above\n");
}

static void test_colour(void)
{
    same_print(1, 0, true,
               "\033[32mholds          \033[0msys.a.b.c\n"
               "               expected   1 us\n"
               "               simulated  2 us\n"
               "\033[1;31mMISSES         \033[0msys.x\n"
               "               expected   a < b\n"
               "               simulated  \"c\" & d\n"
               "               deviation  +12.50 %\n"
               "\033[33mknown miss     \033[0mgm.a.b\n"
               "               expected   1\n"
               "               simulated  2\n"
               "               deviation  -50.00 %\n"
               "               why        so far\n"
               "\033[2mnot checkable  \033[0msys.a.d\n"
               "               why        no\001 \357\277\276 ä and so many words that the line is "
               "full, and "
               "another one has to be\n"
               "                          begun for the rest of them\n"
               "\033[2msame as        \033[0mgm.a.c\n"
               "               why        as gm.a.b\n"
               "\033[32mholds          \033[0mlone\n"
               "               expected   3\n"
               "               simulated  4\n"
               "               why        it is listed\n"
               "\n"
               "kind        claims          holds         MISSES     known miss  not checkable     "
               "   same as\n"
               "value            4              2              1              1              0     "
               "         0\n"
               "order            2              0              0              0              1     "
               "         1\n"
               "all              6              2              1              1              1     "
               "         1\n"
               "\n"
               "1 claim holds though listed as known to miss: see `why' above\n");
}

static void test_junit(void)
{
    json_t *scorecard = scorecard_of(0, 0);
    char *text = scorecard_junit(scorecard);
    SUITE_SAME_TEXT(text,
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<testsuites name=\"netsim\" tests=\"6\" failures=\"2\" errors=\"0\" "
                    "skipped=\"3\" time=\"0\">\n"
                    "  <testsuite name=\"sys\" tests=\"3\" failures=\"1\" errors=\"0\" "
                    "skipped=\"1\" time=\"0\">\n"
                    "    <testcase classname=\"sys.a\" name=\"sys.a.b.c\" time=\"0\"/>\n"
                    "    <testcase classname=\"sys.x\" name=\"sys.x\" time=\"0\">\n"
                    "      <failure message=\"expected a &lt; b, simulated &quot;c&quot; &amp; d\" "
                    "type=\"misses\">expected a &lt; b, simulated &quot;c&quot; &amp; d</failure>\n"
                    "    </testcase>\n"
                    "    <testcase classname=\"sys.a\" name=\"sys.a.d\" time=\"0\">\n"
                    "      <skipped message=\"no    ä and so many words that the line is full, and "
                    "another one has to be begun for the rest of them\"/>\n"
                    "    </testcase>\n"
                    "  </testsuite>\n"
                    "  <testsuite name=\"gm\" tests=\"2\" failures=\"0\" errors=\"0\" "
                    "skipped=\"2\" time=\"0\">\n"
                    "    <testcase classname=\"gm.a\" name=\"gm.a.b\" time=\"0\">\n"
                    "      <skipped message=\"known miss: expected 1, simulated 2; so far\"/>\n"
                    "    </testcase>\n"
                    "    <testcase classname=\"gm.a\" name=\"gm.a.c\" time=\"0\">\n"
                    "      <skipped message=\"as gm.a.b\"/>\n"
                    "    </testcase>\n"
                    "  </testsuite>\n"
                    "  <testsuite name=\"lone\" tests=\"1\" failures=\"1\" errors=\"0\" "
                    "skipped=\"0\" time=\"0\">\n"
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
        {"for people", test_text},
        {"in colours", test_colour},
        {"for build servers", test_junit},
        {0},
    };
    return suite_run("validate: scorecard", cases);
}
