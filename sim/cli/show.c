// SPDX-License-Identifier: GPL-3.0-or-later
// netsim show: the text of a scenario, testbed or sweep that is shipped, or of the user's own file.
#include "sim/cli/cli.h"

struct show_arguments {
    gboolean path;
};

static enum cli_exit show(const char *name, bool path_only)
{
    bool own = g_file_test(name, G_FILE_TEST_IS_REGULAR);
    char *path = own ? g_strdup(name) : cli_shipped(name), *text = NULL;
    gsize length = 0;
    GError *error = NULL;
    enum cli_exit code = CLI_BAD_INPUT;
    if (!path)
        return code;
    if (path_only) {
        printf("%s\n", path);
        code = CLI_DONE;
    } else if (g_file_get_contents(path, &text, &length, &error)) {
        fwrite(text, 1, length, stdout);
        code = CLI_DONE;
    } else {
        cli_refuse(error);
    }
    g_free(text);
    g_free(path);
    return code;
}

const struct cli_option cli_show_options[] = {
    {.name = "path",
     .value = CLI_FLAG,
     .offset = offsetof(struct show_arguments, path),
     .summary = "print where the file is instead"},
    CLI_OPTIONS_END,
};

enum cli_exit cli_show(const struct cli_command *command, int argc, char **argv)
{
    struct show_arguments arguments = {0};
    enum cli_exit code;
    if (cli_parse(command, &arguments, &argc, &argv, &code))
        code = show(argv[1], arguments.path);
    cli_clear(command, &arguments);
    return code;
}
