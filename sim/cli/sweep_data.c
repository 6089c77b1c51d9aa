// SPDX-License-Identifier: GPL-3.0-or-later
// netsim sweep --report and netsim sweep merge: what needs databases and runs nothing.
#include "sim/cli/sweep.h"

#include "sim/campaign/points.h"
#include "sim/output/file.h"
#include "sim/run/schema.h"

#include <glib/gstdio.h>
#include <string.h>

// The database that an argument names: itself, or the one in a directory. The caller frees it.
static char *sweep_database_of(const char *argument)
{
    if (g_file_test(argument, G_FILE_TEST_IS_DIR))
        return g_build_filename(argument, SWEEP_DATABASE, NULL);
    return g_strdup(argument);
}

char *sweep_directory(const struct scenario *scenario, const char *out)
{
    return out ? g_strdup(out) : file_results_directory(scenario->name);
}

// Returns true if an argument is a scenario and no database: by the existing file, else by its
// name.
static bool is_scenario(const char *argument)
{
    if (g_str_has_suffix(argument, ".yaml") || g_str_has_suffix(argument, ".yml"))
        return true;
    return !g_file_test(argument, G_FILE_TEST_EXISTS) && !strchr(argument, '/') &&
           !strchr(argument, '.');
}

// The database of results/NAME, if there is one and `argument` is a name. The caller frees it.
static char *database_of_name(const char *argument)
{
    if (g_file_test(argument, G_FILE_TEST_EXISTS) || strchr(argument, '/'))
        return NULL;
    char *directory = file_results_directory(argument);
    char *database = g_build_filename(directory, SWEEP_DATABASE, NULL);
    g_free(directory);
    if (g_file_test(database, G_FILE_TEST_EXISTS))
        return database;
    g_free(database);
    return NULL;
}

// The database that the sweep of a scenario has written; NULL after mistakes, which have been
// printed. The caller frees it.
static char *database_of_scenario(const char *argument, const char *out)
{
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct scenario *scenario = cli_scenario(schema, argument, NULL, true, 0);
    char *database = NULL;
    if (scenario) {
        char *directory = sweep_directory(scenario, out);
        database = g_build_filename(directory, SWEEP_DATABASE, NULL);
        g_free(directory);
        scenario_free(scenario);
    }
    registry_schema_free(schema);
    return database;
}

enum cli_exit sweep_report(const char *argument, const char *out, bool csv, const char *format)
{
    GError *error = NULL;
    char *path = out ? NULL : database_of_name(argument);
    if (!path)
        path = out || is_scenario(argument) ? database_of_scenario(argument, out)
                                            : sweep_database_of(argument);
    struct store *store = path ? store_open_existing(path, &error) : NULL;
    g_free(path);
    if (error)
        return cli_refuse(error);
    if (!store)
        return CLI_BAD_INPUT;
    enum cli_exit code = sweep_print(store, csv, format);
    store_close(store);
    return code;
}

static bool merge_one(struct store *into, const char *argument, GError **error)
{
    char *path = sweep_database_of(argument);
    struct store *from = store_open_existing(path, error);
    bool merged = from && store_merge(into, from, error) && points_merge(into, from, error);
    if (from && !merged)
        g_prefix_error(error, "%s: ", path);
    store_close(from);
    g_free(path);
    return merged;
}

// All or nothing: the transaction is committed when every database has been read, and their union
// is sound.
static enum cli_exit merge(const char *out, char **arguments)
{
    GError *error = NULL;
    char *path = sweep_database_of(out);
    bool is_new = !g_file_test(path, G_FILE_TEST_EXISTS);
    struct store *into = store_open(path, &error);
    bool good = into && store_begin(into, &error);
    for (; good && *arguments; arguments++)
        good = merge_one(into, *arguments, &error);
    good = good && store_is_sound(into, &error) && store_commit(into, &error);
    store_close(into);
    if (!good && into && is_new)
        g_unlink(path);
    if (good)
        cli_print("%s\n", path);
    g_free(path);
    return good ? CLI_DONE : cli_refuse(error);
}

enum cli_exit sweep_merge(const struct cli_command *command, int argc, char **argv)
{
    static const struct cli_command merging = {
        "sweep merge",
        "OUT SWEEP_DATABASE...",
        "join the databases of shards",
        "Puts all results of the DATABASEs (files, or directories with a sweep.sqlite) into OUT,\n"
        "which is made if it is missing. What several have must be the same in all.",
        NULL,
        NULL,
        2,
        INT_MAX,
        CLI_WORDS_RESULT,
        NULL};
    enum cli_exit code;
    (void)command;
    if (!cli_parse(&merging, NULL, &argc, &argv, &code))
        return code;
    return merge(argv[1], argv + 2);
}
