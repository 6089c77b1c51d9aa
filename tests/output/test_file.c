// SPDX-License-Identifier: GPL-3.0-or-later
// Result files: whole or not there, and errors that name the file.
#include "sim/output/file.h"
#include "tests/output/sample.h"
#include "tests/support/suite.h"

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
    if (!g_file_test("/dev/full", G_FILE_TEST_EXISTS))
        return;
    CU_ASSERT_FALSE(file_put("/dev/full", "lost", 4, &error));
    SUITE_CONTAINS(error->message, "No space left");
    g_clear_error(&error);
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
        {"no scenario's name leads out of results/", test_results_directory},
        {0},
    };
    return suite_run("output: file", cases);
}
