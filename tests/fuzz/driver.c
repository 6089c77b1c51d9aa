// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for libFuzzer in the ordinary suite: calls a target with each file it is given, and
// with each file of the directories it is given.
#include "tests/fuzz/fuzz.h"

#include <stdio.h>

static int run_file(const char *path)
{
    char *data;
    gsize size;
    GError *error = NULL;
    if (!g_file_get_contents(path, &data, &size, &error)) {
        fprintf(stderr, "%s\n", error->message);
        g_error_free(error);
        return -1;
    }
    printf("%s\n", path);
    fflush(stdout); // a crash must not hide which input it was
    // A copy without the NUL that GLib appends, so that a sanitizer sees a read beyond the end.
    uint8_t *exact = g_memdup2(data, size);
    LLVMFuzzerTestOneInput(exact, size);
    g_free(exact);
    g_free(data);
    return 1;
}

static int run_directory(const char *path)
{
    GDir *directory = g_dir_open(path, 0, NULL);
    const char *name;
    int files = 0;
    while (directory && files >= 0 && (name = g_dir_read_name(directory))) {
        char *file = g_build_filename(path, name, NULL);
        int run = run_file(file);
        files = run < 0 ? -1 : files + run;
        g_free(file);
    }
    if (directory)
        g_dir_close(directory);
    return files;
}

int main(int argc, char **argv)
{
    int files = 0;
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc && files >= 0; i++) {
        int run =
            g_file_test(argv[i], G_FILE_TEST_IS_DIR) ? run_directory(argv[i]) : run_file(argv[i]);
        files = run < 0 ? -1 : files + run;
    }
    if (files <= 0)
        fprintf(stderr, "no input was run\n");
    return files > 0 ? 0 : 1;
}
