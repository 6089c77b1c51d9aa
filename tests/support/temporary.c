// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/temporary.h"

#include <glib.h>
#include <glib/gstdio.h>

char *temporary_directory(void)
{
    GError *error = NULL;
    char *directory = g_dir_make_tmp("netsim-test-XXXXXX", &error);
    if (!directory)
        g_error("%s", error->message);
    return directory;
}

static void remove_all(const char *path)
{
    GDir *listing = g_file_test(path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open(path, 0, NULL);
    const char *entry;
    while (listing && (entry = g_dir_read_name(listing))) {
        char *inner = g_build_filename(path, entry, NULL);
        remove_all(inner);
        g_free(inner);
    }
    if (listing)
        g_dir_close(listing);
    g_remove(path);
}

void temporary_remove(char *directory)
{
    remove_all(directory);
    g_free(directory);
}

char *temporary_file(const char *directory, const char *name, const char *text)
{
    char *path = g_build_filename(directory, name, NULL), *parent = g_path_get_dirname(path);
    GError *error = NULL;
    g_mkdir_with_parents(parent, 0700);
    if (!g_file_set_contents(path, text, -1, &error))
        g_error("%s", error->message);
    g_free(parent);
    return path;
}
