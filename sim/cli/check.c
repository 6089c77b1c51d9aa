// SPDX-License-Identifier: GPL-3.0-or-later
// netsim check: is a scenario right?
#include "sim/cli/cli.h"

#include "sim/workload/stack.h"

enum cli_exit cli_check(const struct cli_command *command, int argc, char **argv)
{
    char **sets = NULL;
    const GOptionEntry entries[] = {
        {"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &sets, "check with this setting (repeatable)",
         "PATH=VALUE"},
        G_OPTION_ENTRY_NULL,
    };
    enum cli_exit code;
    if (cli_parse(command, entries, 1, G_MAXINT, &argc, &argv, &code)) {
        struct scenario_schema *schema = registry_schema(&model_registry);
        code = CLI_DONE;
        for (int i = 1; i < argc; i++) {
            struct scenario *scenario = cli_scenario(schema, argv[i], sets, 0);
            if (scenario)
                cli_print("%s: correct, %u series\n", argv[i], scenario->cases->len);
            else
                code = CLI_BAD_INPUT;
            scenario_free(scenario);
        }
        registry_schema_free(schema);
    }
    g_strfreev(sets);
    return code;
}
