// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/diag.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

static char *printed(const struct diag_list *list)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    diag_print(list, out);
    fclose(out);
    return text;
}

static void expect_printed(const struct diag_list *list, const char *expected)
{
    char *text = printed(list);
    SUITE_SAME_TEXT(text, expected);
    free(text);
}

static void test_forms(void)
{
    struct diag_list *list = diag_list_new();
    CU_ASSERT_FALSE(diag_any(list));
    expect_printed(list, "");
    struct source_mark at = {"a.yaml", 3, 7}, file = {"b.yaml", 0, 0}, nowhere = {NULL, 0, 0};
    diag_add(list, at, "host.memory", "did you mean copy_cold?", "unknown key %s", "copy_colt");
    diag_add(list, file, "", NULL, "empty file");
    diag_add(list, nowhere, NULL, NULL, "no scenario");
    CU_ASSERT(diag_any(list));
    expect_printed(list, "a.yaml:3:7: error: host.memory: unknown key copy_colt "
                         "(did you mean copy_cold?)\n"
                         "b.yaml: error: empty file\n"
                         "error: no scenario\n");
    diag_list_free(list);
}

// Strings are copied: the caller's may go.
static void test_strings_are_copied(void)
{
    struct diag_list *list = diag_list_new();
    char path[] = "path", hint[] = "hint", word[] = "word";
    diag_add(list, (struct source_mark){"f", 1, 1}, path, hint, "%s", word);
    memset(path, 'x', 4);
    memset(hint, 'x', 4);
    memset(word, 'x', 4);
    expect_printed(list, "f:1:1: error: path: word (hint)\n");
    diag_list_free(list);
}

// A text cut at a number of bytes may end within a character.
static void test_cut_characters(void)
{
    struct diag_list *list = diag_list_new();
    diag_add(list, (struct source_mark){"f", 1, 1}, NULL, NULL, "\"%.4s\" is wrong", "abc\u00fc");
    expect_printed(list, "f:1:1: error: \"abc\uFFFD\" is wrong\n");
    diag_list_free(list);
}

static void test_limit(void)
{
    struct diag_list *list = diag_list_new();
    for (int i = 0; i < DIAG_LIMIT; i++)
        diag_add(list, (struct source_mark){"f", i + 1, 1}, NULL, NULL, "wrong");
    CU_ASSERT_FALSE(list->overflow);
    CU_ASSERT(diag_full(list));
    diag_add(list, (struct source_mark){"f", 99, 1}, NULL, NULL, "one too many");
    CU_ASSERT(list->overflow);
    SUITE_SAME_INTEGER(list->items->len, DIAG_LIMIT);
    SUITE_SAME_INTEGER(list->found, DIAG_LIMIT + 1);
    char *text = printed(list);
    SUITE_CONTAINS(text, "f:20:1: error: wrong\n");
    SUITE_CONTAINS(text, "(more errors follow; the first 20 are shown)\n");
    free(text);
    diag_list_free(list);
}

static void test_nearest(void)
{
    static const char *const keys[] = {"rate", "propagation", "preamble",
                                       "gap",  "least_frame", NULL};
    SUITE_SAME_TEXT(diag_nearest("rate", keys), "rate");
    SUITE_SAME_TEXT(diag_nearest("raet", keys), "rate"); // two letters in the wrong order
    SUITE_SAME_TEXT(diag_nearest("Rate", keys), "rate");
    SUITE_SAME_TEXT(diag_nearest("propogation", keys), "propagation");
    SUITE_SAME_TEXT(diag_nearest("leastframe", keys), "least_frame");
    SUITE_SAME_TEXT(diag_nearest("preambel", keys), "preamble");
    // Of those as near, the shorter, then by the alphabet, in whatever order they come.
    static const char *const nodes[] = {"node5", "nodex", "node", "node3", NULL};
    SUITE_SAME_TEXT(diag_nearest("nodes", nodes), "node");
    SUITE_SAME_TEXT(diag_nearest("node9", nodes), "node");
    SUITE_SAME_TEXT(diag_nearest("nodes", nodes + 3), "node3");
    CU_ASSERT_PTR_NULL(diag_nearest("bandwidth", keys));
    CU_ASSERT_PTR_NULL(diag_nearest("", keys));
    static const char *const none[] = {NULL};
    CU_ASSERT_PTR_NULL(diag_nearest("rate", none));
    char longest[5000];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    CU_ASSERT_PTR_NULL(diag_nearest(longest, keys));
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"how a diagnostic is printed", test_forms},
        {"strings are copied", test_strings_are_copied},
        {"characters that are cut", test_cut_characters},
        {"not more than the limit", test_limit},
        {"what was probably meant", test_nearest},
        {NULL, NULL},
    };
    return suite_run("core: diagnostics", cases);
}
