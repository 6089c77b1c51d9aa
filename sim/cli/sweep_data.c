// SPDX-License-Identifier: GPL-3.0-or-later
// netsim sweep --report and netsim sweep merge: what needs databases and no simulator.
#include "sim/cli/sweep.h"

#include "sim/campaign/points.h"

#include <glib/gstdio.h>

#define DATABASE "sweep.sqlite"

static enum cli_exit complain(GError *error)
{
    cli_error(NULL, "%s", error->message);
    g_error_free(error);
    return CLI_BAD_INPUT;
}

// The database that an argument names: itself, or the one in a directory. The caller frees it.
static char *database_of(const char *argument)
{
    if (g_file_test(argument, G_FILE_TEST_IS_DIR))
        return g_build_filename(argument, DATABASE, NULL);
    return g_strdup(argument);
}

enum cli_exit sweep_report(const char *argument, bool csv, bool json)
{
    GError *error = NULL;
    char *path = database_of(argument);
    struct store *store = store_open_existing(path, &error);
    g_free(path);
    if (!store)
        return complain(error);
    enum cli_exit code = sweep_print(store, csv, json);
    store_close(store);
    return code;
}

static bool merge_one(struct store *into, const char *argument, GError **error)
{
    char *path = database_of(argument);
    struct store *from = store_open_existing(path, error);
    bool merged = from && store_merge(into, from, error) && points_merge(into, from, error);
    if (from && !merged)
        g_prefix_error(error, "%s: ", path);
    store_close(from);
    g_free(path);
    return merged;
}

// All or nothing: the transaction is committed when every database has been read.
static enum cli_exit merge(const char *out, char **arguments)
{
    GError *error = NULL;
    char *path = database_of(out);
    bool is_new = !g_file_test(path, G_FILE_TEST_EXISTS);
    struct store *into = store_open(path, &error);
    bool good = into && store_begin(into, &error);
    for (; good && *arguments; arguments++)
        good = merge_one(into, *arguments, &error);
    good = good && store_commit(into, &error);
    store_close(into);
    if (!good && into && is_new)
        g_unlink(path);
    if (good)
        printf("%s\n", path);
    g_free(path);
    return good ? CLI_DONE : complain(error);
}

enum cli_exit sweep_merge(const struct cli_command *command, int argc, char **argv)
{
    static const struct cli_command merging = {
        "sweep merge", "OUT DATABASE...", "join the databases of shards",
        "Puts all results of the DATABASEs (files, or directories with a sweep.sqlite) into OUT,\n"
        "which is made if it is missing. What several have must be the same in all.",
        NULL};
    const GOptionEntry entries[] = {G_OPTION_ENTRY_NULL};
    enum cli_exit code;
    (void)command;
    if (!cli_parse(&merging, entries, 2, G_MAXINT, &argc, &argv, &code))
        return code;
    return merge(argv[1], argv + 2);
}
