// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/temporary.h"

#include <ftw.h>
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

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return g_remove(path);
}

void temporary_remove(char *directory)
{
    nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
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
