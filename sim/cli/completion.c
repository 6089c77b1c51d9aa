// SPDX-License-Identifier: GPL-3.0-or-later
// The commands and their options as the shells' completion files need them. Those files define the
// kinds of words, and how a shell gets them.
#include "sim/cli/reference.h"

#include <string.h>

// `test` is the launcher's, of a source tree.
#define LAUNCHER_TEST "test"
#define LAUNCHER_TEST_SUMMARY "build everything and run the test suite"

// In single quotes, without those around it. `also` are characters that get a backslash.
static char *quoted(const char *text, const char *also)
{
    GString *out = g_string_new(NULL);
    for (; *text; text++) {
        if (*text == '\'') {
            g_string_append(out, "'\\''");
            continue;
        }
        if (strchr(also, *text))
            g_string_append_c(out, '\\');
        g_string_append_c(out, *text);
    }
    return g_string_free(out, FALSE);
}

// "choice table json", or the name of the kind.
static char *words_text(enum cli_words words, const char *const *choices)
{
    char *all = words == CLI_WORDS_CHOICE ? g_strjoinv(" ", (char **)choices) : NULL;
    char *text = all ? g_strconcat("choice ", all, NULL) : g_strdup(cli_words_name(words));
    g_free(all);
    return text;
}

// ---- bash ----

static void bash_option_value(GString *out, const struct cli_option *option)
{
    if (option->value == CLI_FLAG || option->optional)
        return;
    char *words = words_text(option->words, option->choices);
    g_string_append_printf(out, "        --%s", option->name);
    if (option->letter)
        g_string_append_printf(out, " | -%c", option->letter);
    g_string_append_printf(out, ") value='%s' ;;\n", words);
    g_free(words);
}

static void bash_command(GString *out, const struct cli_command *command)
{
    char *words = words_text(command->words, command->choices);
    g_string_append_printf(out, "    %s)\n        arguments='%s'\n        options='", command->name,
                           words);
    for (const struct cli_option *option = command->options; option->name; option++)
        g_string_append_printf(out, "--%s ", option->name);
    g_string_append(out, "--help'\n        case $previous in\n");
    for (const struct cli_option *option = command->options; option->name; option++)
        bash_option_value(out, option);
    g_string_append(out, "        esac\n        ;;\n");
    g_free(words);
}

void completion_bash(GString *out, const struct cli_command *commands)
{
    g_string_append(out, "    commands='");
    for (const struct cli_command *command = commands; command->name; command++)
        g_string_append_printf(out, "%s ", command->name);
    g_string_append(out, LAUNCHER_TEST "'\n    case $command in\n");
    for (const struct cli_command *command = commands; command->name; command++)
        bash_command(out, command);
    g_string_append(out, "    esac\n");
}

// ---- zsh ----

static void zsh_option(GString *out, const struct cli_option *option)
{
    char *summary = quoted(option->summary, "[]");
    const char *often = option->value == CLI_LIST ? "*" : "";
    g_string_append(out, "            ");
    bool flag = option->value == CLI_FLAG;
    if (option->letter)
        g_string_append_printf(out, "'(-%c --%s)'{-%c%s,--%s%s}'", option->letter, option->name,
                               option->letter, flag ? "" : "+", option->name, flag ? "" : "=");
    else
        g_string_append_printf(out, "'%s--%s%s", often, option->name,
                               flag               ? ""
                               : option->optional ? "=-"
                                                  : "=");
    g_string_append_printf(out, "[%s]", summary);
    if (!flag) {
        char *words = words_text(option->words, option->choices);
        char *argument = quoted(option->argument, "[]:");
        g_string_append_printf(out, "%s:%s: _netsim_words %s", option->optional ? ":" : "",
                               argument, words);
        g_free(argument);
        g_free(words);
    }
    g_string_append(out, "' \\\n");
    g_free(summary);
}

void completion_zsh(GString *out, const struct cli_command *commands)
{
    g_string_append(out, "    commands=(\n");
    for (const struct cli_command *command = commands; command->name; command++) {
        char *summary = quoted(command->summary, ":");
        g_string_append_printf(out, "        '%s:%s'\n", command->name, summary);
        g_free(summary);
    }
    g_string_append(out, "        '" LAUNCHER_TEST ":" LAUNCHER_TEST_SUMMARY "'\n    )\n"
                         "    case $command in\n");
    for (const struct cli_command *command = commands; command->name; command++) {
        char *words = words_text(command->words, command->choices);
        g_string_append_printf(out, "    %s)\n        _arguments \\\n", command->name);
        for (const struct cli_option *option = command->options; option->name; option++)
            zsh_option(out, option);
        g_string_append_printf(out,
                               "            '(-h --help)'{-h,--help}'[print its help]' \\\n"
                               "            '*:argument: _netsim_words %s'\n        ;;\n",
                               words);
        g_free(words);
    }
    g_string_append(out, "    esac\n");
}

// ---- fish ----

static void fish_option(GString *out, const char *command, const struct cli_option *option)
{
    char *summary = quoted(option->summary, "");
    g_string_append_printf(out, "complete -c netsim -n '__fish_seen_subcommand_from %s' -l %s",
                           command, option->name);
    if (option->letter)
        g_string_append_printf(out, " -s %c", option->letter);
    if (option->value != CLI_FLAG && !option->optional) {
        char *words = words_text(option->words, option->choices);
        g_string_append_printf(out, " -x -a '(__netsim_words %s)'", words);
        g_free(words);
    }
    g_string_append_printf(out, " -d '%s'\n", summary);
    g_free(summary);
}

static void fish_command(GString *out, const char *name, const char *summary)
{
    char *text = quoted(summary, "");
    g_string_append_printf(out, "complete -c netsim -n __fish_use_subcommand -a %s -d '%s'\n", name,
                           text);
    g_free(text);
}

void completion_fish(GString *out, const struct cli_command *commands)
{
    for (const struct cli_command *command = commands; command->name; command++)
        fish_command(out, command->name, command->summary);
    fish_command(out, LAUNCHER_TEST, LAUNCHER_TEST_SUMMARY);
    for (const struct cli_command *command = commands; command->name; command++) {
        char *words = words_text(command->words, command->choices);
        g_string_append_printf(
            out,
            "complete -c netsim -n '__fish_seen_subcommand_from %s' -k -a '(__netsim_words %s)'\n",
            command->name, words);
        for (const struct cli_option *option = command->options; option->name; option++)
            fish_option(out, command->name, option);
        g_free(words);
    }
}
