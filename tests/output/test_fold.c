// SPDX-License-Identifier: GPL-3.0-or-later
// Text that is folded at a width: lines of words, tables, and that nothing is lost.
#include "sim/output/fold.h"
#include "sim/output/text.h"
#include "tests/support/suite.h"

#include <string.h>

static void same_fold(const char *text, int width, const char *expected)
{
    GString *out = g_string_new(NULL);
    fold_append(out, text, width);
    SUITE_SAME_TEXT(out->str, expected);
    g_string_free(out, TRUE);
}

static void test_words(void)
{
    same_fold("one two three four\n", 20, "one two three four\n");
    same_fold("one two three four\n", 0, "one two three four\n");
    same_fold("one two three four\n", 13, "one two three\n  four\n");
    same_fold("  one two three four", 10, "  one two\n    three\n    four");
    same_fold("a_word_that_is_too_long and more\n", 10, "a_word_that_is_too_long\n  and more\n");
    same_fold("ends with a_word_that_is_too_long\n", 10, "ends with\n  a_word_that_is_too_long\n");
    same_fold("\n\nshort\n\n", 5, "\n\nshort\n\n");
    same_fold("", 5, "");
}

// A text below its own column.
static void test_last_column(void)
{
    same_fold("holds  it is a statement of several words that goes on\n", 40,
              "holds  it is a statement of several\n"
              "       words that goes on\n");
    same_fold("  -q, --quiet    no progress and no summary at all\n"
              "  --all          all\n",
              44,
              "  -q, --quiet    no progress and no summary\n"
              "                 at all\n"
              "  --all          all\n");
}

static void test_table(void)
{
    same_fold("name        first    second     third\n"
              "one             1         2         3\n"
              "three          30        40        50\n",
              29,
              "name        first    second\n"
              "one             1         2\n"
              "three          30        40\n"
              "\n"
              "name   third\n"
              "one        3\n"
              "three     50\n");
    // As many columns as are needed to distinguish the rows.
    same_fold("within   a  x     1.00 (0 .. 2)    2.00 (1 .. 3)    +3 %\n"
              "within   b  y     1.00 (0 .. 2)    2.00 (1 .. 3)    +3 %\n",
              50,
              "within   a  x     1.00 (0 .. 2)    2.00 (1 .. 3)\n"
              "within   b  y     1.00 (0 .. 2)    2.00 (1 .. 3)\n"
              "\n"
              "within   a  +3 %\n"
              "within   b  +3 %\n");
    // A heading above, which is no row.
    same_fold("of all of them, in us\n"
              "             first series    second series\n"
              "       1     1.00 (0 .. 2)   2.00 (1 .. 3)\n",
              30,
              "of all of them, in us\n"
              "             first series\n"
              "       1     1.00 (0 .. 2)\n"
              "\n"
              "          second series\n"
              "       1  2.00 (1 .. 3)\n");
}

static void test_sequences(void)
{
    same_fold("\033[1mone two\033[0m three\n", 13, "\033[1mone two\033[0m three\n");
    same_fold("\033[1mone two\033[0m three\n", 8, "\033[1mone two\033[0m\n  three\n");
}

// Bytes that are no UTF-8, wide letters and others that have no width.
static void test_letters(void)
{
    same_fold("\xff\xfe words\n", 4, "\xff\xfe\n  words\n");
    same_fold("\u65e5\u672c \u8a9e\n", 6, "\u65e5\u672c\n  \u8a9e\n");
    same_fold("e\u0301e\u0301 e\u0301\n", 4, "e\u0301e\u0301 e\u0301\n");
}

static char *words_of(const char *text)
{
    char **words = g_strsplit_set(text, " \n", -1);
    GString *all = g_string_new(NULL);
    for (char **word = words; *word; word++)
        g_string_append_printf(all, "%s%s", **word ? "|" : "", *word);
    g_strfreev(words);
    return g_string_free(all, FALSE);
}

// Random words, at all widths: no word is lost, and only a long one makes a line too wide.
static void test_nothing_is_lost(void)
{
    GRand *random = g_rand_new_with_seed(5);
    for (int round = 0; round < 300; round++) {
        GString *text = g_string_new(NULL), *out = g_string_new(NULL);
        for (int word = 0; word < 40; word++)
            g_string_append_printf(text, "%.*s%c", g_rand_int_range(random, 1, 9), "abcdefghi",
                                   g_rand_int_range(random, 0, 12) ? ' ' : '\n');
        int width = g_rand_int_range(random, 12, 90);
        fold_append(out, text->str, width);
        char *before = words_of(text->str), *after = words_of(out->str);
        SUITE_SAME_TEXT(after, before);
        char **lines = g_strsplit(out->str, "\n", -1);
        for (char **line = lines; *line; line++)
            CU_ASSERT(text_width(*line) <= width);
        g_strfreev(lines);
        g_free(before);
        g_free(after);
        g_string_free(text, TRUE);
        g_string_free(out, TRUE);
    }
    g_rand_free(random);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"lines of words", test_words},
        {"a text in the last column", test_last_column},
        {"tables", test_table},
        {"sequences of terminals", test_sequences},
        {"letters", test_letters},
        {"nothing is lost", test_nothing_is_lost},
        {0},
    };
    return suite_run("output: fold", cases);
}
