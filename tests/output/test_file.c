// SPDX-License-Identifier: GPL-3.0-or-later
// Result files: whole or not there, and errors that name the file.
#include "sim/output/file.h"
#include "tests/output/sample.h"
#include "tests/support/suite.h"

#include <unistd.h>

static void test_replace(void)
{
    char *directory = sample_directory();
    char *path = g_build_filename(directory, "results.csv", NULL);
    GError *error = NULL;
    CU_ASSERT(file_put(path, "old", 3, &error));
    CU_ASSERT(file_put(path, "newer", 5, &error));
    char *text = sample_read(path);
    SUITE_SAME_TEXT(text, "newer");
    GDir *entries = g_dir_open(directory, 0, NULL);
    SUITE_SAME_TEXT(g_dir_read_name(entries), "results.csv");
    CU_ASSERT_PTR_NULL(g_dir_read_name(entries)); // no temporary file stays
    g_dir_close(entries);
    g_free(text);
    g_free(path);
    sample_remove(directory);
}

static void test_directories(void)
{
    char *directory = sample_directory();
    char *deep = g_build_filename(directory, "a", "b", NULL);
    char *file = g_build_filename(directory, "file", NULL);
    char *below = g_build_filename(file, "c", NULL);
    GError *error = NULL;
    CU_ASSERT(file_check_directory(deep, &error));
    CU_ASSERT_FALSE(g_file_test(deep, G_FILE_TEST_EXISTS)); // a check makes nothing
    CU_ASSERT(file_make_directory(deep, &error));
    CU_ASSERT(file_check_directory(deep, &error));
    CU_ASSERT(file_check_directory("surely-not-here", &error));
    CU_ASSERT(file_put(file, "", 0, &error));
    CU_ASSERT_FALSE(file_check_directory(below, &error));
    SUITE_CONTAINS(error->message, below);
    g_clear_error(&error);
    CU_ASSERT_FALSE(file_check_directory(file, &error));
    g_clear_error(&error);
    CU_ASSERT_FALSE(file_make_directory(below, &error));
    g_clear_error(&error);
    g_rmdir(deep);
    char *above = g_path_get_dirname(deep);
    g_rmdir(above);
    g_free(above);
    g_free(below);
    g_free(file);
    g_free(deep);
    sample_remove(directory);
}

static void test_streams(void)
{
    GError *error = NULL;
    CU_ASSERT_PTR_NULL(file_begin("/dev/null/x", &error));
    SUITE_CONTAINS(error->message, "/dev/null/x");
    g_clear_error(&error);
    CU_ASSERT_TRUE_FATAL(g_file_test("/dev/full", G_FILE_TEST_EXISTS)); // every Linux has it
    CU_ASSERT_FALSE(file_put("/dev/full", "lost", 4, &error));
    SUITE_CONTAINS(error->message, "No space left");
    g_clear_error(&error);
}

// A file's new contents are visible when it ends, and never if it is dropped.
static void test_begun(void)
{
    char *directory = sample_directory();
    char *path = g_build_filename(directory, "f", NULL);
    GError *error = NULL;
    CU_ASSERT(file_put(path, "old", 3, &error));
    for (int ends = 0; ends <= 1; ends++) {
        struct file *file = file_begin(path, &error);
        fputs("new", file_stream(file));
        fflush(file_stream(file));
        char *before = sample_read(path);
        SUITE_SAME_TEXT(before, "old");
        g_free(before);
        if (!ends)
            file_drop(file);
        CU_ASSERT(!ends || file_end(file, &error));
        char *after = sample_read(path);
        SUITE_SAME_TEXT(after, ends ? "new" : "old");
        g_free(after);
    }
    g_free(path);
    sample_remove(directory);
}

// One that can't be written keeps the others from being changed.
static void test_all_or_none(void)
{
    char *directory = sample_directory();
    char *path = g_build_filename(directory, "a", NULL);
    const struct file_text first[] = {{"a", "old", 3}};
    const struct file_text texts[] = {{"a", "new", 3}, {"not/there", "x", 1}};
    GError *error = NULL;
    CU_ASSERT(file_put_all(directory, first, 1, &error));
    CU_ASSERT_FALSE(file_put_all(directory, texts, 2, &error));
    SUITE_CONTAINS(error->message, "not/there");
    g_clear_error(&error);
    char *text = sample_read(path);
    SUITE_SAME_TEXT(text, "old");
    g_free(text);
    g_free(path);
    sample_remove(directory);
}

static void test_uses(void)
{
    char *directory = sample_directory();
    char *file = g_build_filename(directory, "file", NULL);
    char *same = g_build_filename(directory, ".", "file", NULL);
    char *link = g_build_filename(directory, "link", NULL);
    char *other = g_build_filename(directory, "other", NULL);
    GError *error = NULL;
    CU_ASSERT_EQUAL(symlink("file", link), 0);
    for (int there = 0; there <= 1; there++) {
        const char *const names[] = {same, link};
        for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
            const struct file_use both[] = {{"--a", file, true}, {"--b", names[i], true}};
            const struct file_use input[] = {{"--a", file, true},
                                             {"what is read", names[i], false}};
            const struct file_use inputs[] = {{"one", file, false}, {"two", names[i], false}};
            CU_ASSERT_FALSE(file_uses_differ(both, 2, &error));
            SUITE_CONTAINS(error->message, "written by --a, too");
            g_clear_error(&error);
            CU_ASSERT_FALSE(file_uses_differ(input, 2, &error));
            SUITE_CONTAINS(error->message, "the file of what is read");
            g_clear_error(&error);
            CU_ASSERT(file_uses_differ(inputs, 2, &error));
        }
        const struct file_use apart[] = {{"--a", file, true}, {"--b", other, true}};
        const struct file_use devices[] = {{"--a", "/dev/null", true}, {"--b", "/dev/null", true}};
        CU_ASSERT(file_uses_differ(apart, 2, &error));
        CU_ASSERT(file_uses_differ(devices, 2, &error));
        CU_ASSERT(file_put(link, "x", 1, &error)); // makes the target, and leaves the link
    }
    CU_ASSERT(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
    CU_ASSERT(g_file_test(file, G_FILE_TEST_IS_REGULAR));
    g_free(other);
    g_free(link);
    g_free(same);
    g_free(file);
    sample_remove(directory);
}

static void test_results_directory(void)
{
    static const char *const cases[][2] = {
        {"pingpong", "results/pingpong"},
        {"../../etc", "results/_._.._etc"},
        {"..", "results/_."},
        {"", "results/_"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *path = file_results_directory(cases[i][0]);
        SUITE_SAME_TEXT(path, cases[i][1]);
        g_free(path);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a file is replaced at once", test_replace},
        {"directories: checked, then made", test_directories},
        {"streams that can't be written", test_streams},
        {"a file is seen when it is whole", test_begun},
        {"all files of a list or none", test_all_or_none},
        {"outputs that are one file, or an input", test_uses},
        {"no scenario's name leads out of results/", test_results_directory},
        {0},
    };
    return suite_run("output: file", cases);
}
