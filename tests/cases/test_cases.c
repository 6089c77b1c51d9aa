// SPDX-License-Identifier: GPL-3.0-or-later
// Runs case files (README.md in this folder) and compares what happened with what they expect.
//
//   test_cases FILE|FOLDER…          a line for each case: "pass FILE", or
//                                    "fail FILE:LINE: expected X, got Y";
//                                    ends with 0 if all pass, else with 1
//   test_cases --print FILE          the file with the transitions that really happened, on stdout;
//                                    writes nothing else
//   test_cases --print-times FILE    the same, with the time of each in a remark
#include "tests/cases/case_check.h"
#include "tests/cases/case_print.h"

#include <stdio.h>
#include <string.h>

static bool check_file(const char *path)
{
    bool good = true;
    for (int variant = 0, variants = 1; good && variant < variants; variant++) {
        struct case_file *file = case_file_read(path, variant);
        if (file->error)
            printf("fail %s\n", file->error);
        good = !file->error && case_check(file);
        variants = file->variants;
        case_file_free(file);
    }
    if (good)
        printf("pass %s\n", path);
    return good;
}

static gint by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Checks all case files of a folder, at least one.
static bool check_folder(const char *path)
{
    GDir *folder = g_dir_open(path, 0, NULL);
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    bool good = true;
    const char *name;
    while ((name = g_dir_read_name(folder)))
        if (g_str_has_suffix(name, ".case"))
            g_ptr_array_add(files, g_build_filename(path, name, NULL));
    g_ptr_array_sort(files, by_name);
    for (guint i = 0; i < files->len; i++)
        good &= check_file(g_ptr_array_index(files, i));
    if (files->len == 0)
        printf("fail %s:1: expected case files, got none\n", path);
    good &= files->len > 0;
    g_ptr_array_unref(files);
    g_dir_close(folder);
    return good;
}

int main(int argc, char **argv)
{
    bool times = argc == 3 && strcmp(argv[1], "--print-times") == 0;
    if (times || (argc == 3 && strcmp(argv[1], "--print") == 0))
        return case_print(argv[2], times) ? 0 : 1;
    if (argc < 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: %s FILE|FOLDER... | --print FILE | --print-times FILE\n", argv[0]);
        return 2;
    }
    bool good = true;
    for (int i = 1; i < argc; i++)
        good &=
            g_file_test(argv[i], G_FILE_TEST_IS_DIR) ? check_folder(argv[i]) : check_file(argv[i]);
    return good ? 0 : 1;
}
