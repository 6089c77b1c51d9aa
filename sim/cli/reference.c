// SPDX-License-Identifier: GPL-3.0-or-later
// The man page's parts, and the files around all parts.
#include "sim/cli/reference.h"

#include <string.h>

#define BEGIN "Begin: "
#define END "End"

// ---- Man page, in mdoc(7) ----

// Text as lines of mdoc: a sentence begins a line, `literal` is bold.
static void append_mdoc(GString *out, const char *text)
{
    bool literal = false, first = true;
    for (const char *at = text; *at; at++) {
        if (first && (*at == '.' || *at == '\''))
            g_string_append(out, "\\&");
        first = false;
        if (*at == '`')
            g_string_append(out, (literal = !literal) ? "\\fB" : "\\fR");
        else if (*at == '\\')
            g_string_append(out, "\\e");
        else if (*at == ' ' && at > text && at[-1] == '.' && g_ascii_isupper(at[1]))
            g_string_append_c(out, '\n');
        else
            g_string_append_c(out, *at);
    }
    g_string_append_c(out, '\n');
}

// " Ar SIZE" or " Cm table | json"; nothing of a flag.
static void append_value(GString *out, const struct cli_option *option)
{
    if (!option->argument)
        return;
    if (!option->choices) {
        g_string_append_printf(out, " Ar %s", option->argument);
        return;
    }
    char *all = g_strjoinv(" | ", (char **)option->choices);
    g_string_append_printf(out, option->optional ? " Ns Op No = Ns Cm %s" : " Cm %s", all);
    g_free(all);
}

static void append_man_option(GString *out, const struct cli_option *option)
{
    g_string_append(out, ".It ");
    if (option->letter)
        g_string_append_printf(out, "Fl %c , ", option->letter);
    g_string_append_printf(out, "Fl -%s", option->name);
    append_value(out, option);
    g_string_append_c(out, '\n');
    char *text = g_strconcat(option->summary, ".", NULL);
    *text = g_ascii_toupper(*text);
    append_mdoc(out, text);
    g_free(text);
    if (option->more)
        append_mdoc(out, option->more);
}

static void append_man_options(GString *out, const struct cli_command *command)
{
    g_string_append(out, ".Bl -tag -width Ds\n");
    for (const struct cli_option *option = command->options; option->name; option++)
        append_man_option(out, option);
    g_string_append(out, ".El\n");
}

// How a command is called.
static void append_man_call(GString *out, const struct cli_command *command)
{
    g_string_append_printf(out, ".Nm\n.Cm %s\n", command->name);
    for (const struct cli_option *option = command->options; option->name; option++) {
        g_string_append(out, ".Op ");
        if (option->letter)
            g_string_append_printf(out, "Fl %c", option->letter);
        else
            g_string_append_printf(out, "Fl -%s", option->name);
        append_value(out, option);
        g_string_append_c(out, '\n');
    }
    size_t length = strlen(command->arguments);
    if (*command->arguments == '[')
        g_string_append_printf(out, ".Op Ar %.*s\n", (int)length - 2, command->arguments + 1);
    else if (length > 0)
        g_string_append_printf(out, ".Ar %s\n", command->arguments);
}

static void append_man_synopsis(GString *out, const struct cli_command *commands)
{
    for (const struct cli_command *command = commands; command->name; command++)
        append_man_call(out, command);
}

// ---- Files ----

// False if there is no such part.
static bool append_part(GString *out, const char *name, const struct cli_command *commands)
{
    static const char options[] = "man options ";
    if (strcmp(name, "man synopsis") == 0)
        append_man_synopsis(out, commands);
    else if (strcmp(name, "bash commands") == 0)
        completion_bash(out, commands);
    else if (strcmp(name, "zsh commands") == 0)
        completion_zsh(out, commands);
    else if (strcmp(name, "fish commands") == 0)
        completion_fish(out, commands);
    else if (!g_str_has_prefix(name, options))
        return false;
    else
        for (const struct cli_command *command = commands;; command++) {
            if (!command->name)
                return false;
            if (strcmp(command->name, name + strlen(options)) == 0) {
                append_man_options(out, command);
                break;
            }
        }
    return true;
}

// The text with all parts made anew; NULL and *mistake, which the caller frees.
static GString *filled(char **lines, const struct cli_command *commands, char **mistake)
{
    GString *out = g_string_new(NULL);
    for (char **line = lines; *line; line++) {
        const char *begin = strstr(*line, " " BEGIN);
        g_string_append_printf(out, "%s%s", *line, line[1] ? "\n" : "");
        if (!begin)
            continue;
        const char *name = begin + strlen(" " BEGIN);
        if (!append_part(out, name, commands))
            *mistake =
                g_strdup_printf("line %d: there is no part \"%s\"", (int)(line - lines) + 1, name);
        while (!*mistake && line[1] && !g_str_has_suffix(line[1], " " END))
            line++;
        if (!*mistake && !line[1])
            *mistake = g_strdup_printf("the part \"%s\" has no end", name);
        if (*mistake) {
            g_string_free(out, TRUE);
            return NULL;
        }
    }
    return out;
}

enum cli_exit reference_fill(const char *path, const struct cli_command *commands)
{
    GError *error = NULL;
    char *text = NULL, *mistake = NULL;
    if (!g_file_get_contents(path, &text, NULL, &error)) {
        cli_error(NULL, "--fill: %s", error->message);
        g_error_free(error);
        return CLI_BAD_INPUT;
    }
    char **lines = g_strsplit(text, "\n", -1);
    GString *out = filled(lines, commands, &mistake);
    if (out) {
        fputs(out->str, stdout);
        g_string_free(out, TRUE);
    } else {
        cli_error(NULL, "--fill: %s: %s", path, mistake);
    }
    g_free(mistake);
    g_strfreev(lines);
    g_free(text);
    return out ? CLI_DONE : CLI_BAD_INPUT;
}
