// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/file.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static void set_error(GError **error, const char *path, const char *what, int number)
{
    g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(number), "%s: %s: %s", path,
                what, g_strerror(number));
}

FILE *file_create(const char *path, GError **error)
{
    FILE *file = fopen(path, "we");
    if (!file)
        set_error(error, path, "cannot be written", errno);
    return file;
}

bool file_finish(FILE *file, const char *path, GError **error)
{
    bool failed_before = ferror(file);
    errno = 0;
    if (fclose(file) == 0 && !failed_before)
        return true;
    set_error(error, path, "could not be written whole", errno ? errno : EIO);
    return false;
}

bool file_check_directory(const char *path, GError **error)
{
    char *at = g_strdup(path);
    while (g_access(at, F_OK) != 0 && errno == ENOENT && strcmp(at, ".") != 0) {
        char *above = g_path_get_dirname(at);
        g_free(at);
        at = above;
    }
    int problem = 0;
    if (g_access(at, W_OK | X_OK) != 0)
        problem = errno;
    else if (!g_file_test(at, G_FILE_TEST_IS_DIR))
        problem = ENOTDIR;
    if (problem)
        set_error(error, path, "cannot be written to", problem);
    g_free(at);
    return problem == 0;
}

bool file_make_directory(const char *path, GError **error)
{
    if (g_mkdir_with_parents(path, 0777) == 0)
        return true;
    set_error(error, path, "cannot be made", errno);
    return false;
}

bool file_replace(const char *directory, const char *name, const char *text, size_t length,
                  GError **error)
{
    char *path = g_build_filename(directory, name, NULL);
    bool done = g_file_set_contents(path, text, (gssize)length, error);
    g_free(path);
    return done;
}

char *file_results_directory(const char *scenario)
{
    char *name = g_strdelimit(g_strdup(*scenario ? scenario : "_"), G_DIR_SEPARATOR_S, '_');
    if (*name == '.')
        *name = '_';
    char *path = g_build_filename("results", name, NULL);
    g_free(name);
    return path;
}
