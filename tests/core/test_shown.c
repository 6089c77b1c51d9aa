// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that would steer a terminal, as they are shown there.
#include "sim/core/shown.h"
#include "tests/support/suite.h"

static const struct {
    const char *text, *line;
} cases[] = {
    {"VIA RPI", "VIA RPI"},
    {"größte µ-Serie 測試", "größte µ-Serie 測試"},
    {"\033[31mred\033[0m", "\\x1b[31mred\\x1b[0m"},
    {"\r\b\a\177", "\\x0d\\x08\\x07\\x7f"},
    {"\302\233"
     "31m",
     "\\x9b31m"}, // CSI in one character
    {"a\nb\tc", "a\\x0ab\\x09c"},
    {"\342\200\256gpj.", "\\u202egpj."}, // turned round
    {"\377\376 no UTF-8 \303", "\\xff\\xfe no UTF-8 \\xc3"},
    {"", ""},
};

static void test_lines(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GString *out = g_string_new("> ");
        shown_append(out, cases[i].text, SHOWN_LINE);
        SUITE_SAME_TEXT(out->str + 2, cases[i].line);
        // Shown once is shown for good.
        GString *again = g_string_new(NULL);
        shown_append(again, out->str, SHOWN_LINE);
        SUITE_SAME_TEXT(again->str, out->str);
        g_string_free(again, TRUE);
        g_string_free(out, TRUE);
    }
}

static void test_texts(void)
{
    GString *out = g_string_new(NULL);
    shown_append(out, "a\n\tb\033\n", SHOWN_TEXT);
    SUITE_SAME_TEXT(out->str, "a\n\tb\\x1b\n");
    g_string_free(out, TRUE);
}

int main(void)
{
    static const struct suite_case suite[] = {
        {"a line has nothing that steers", test_lines},
        {"a text keeps its line feeds", test_texts},
        {0},
    };
    return suite_run("core: shown", suite);
}
