// SPDX-License-Identifier: GPL-3.0-or-later
// Reading a command line: GLib's option parser, with this program's way to report mistakes.
#include "sim/cli/cli.h"

#include "sim/config/quantity.h"
#include "sim/core/diag.h"
#include "sim/core/shown.h"
#include "sim/core/time.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void cli_error(const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    char *whole = hint ? g_strdup_printf("netsim: %s (%s)\n", text, hint)
                       : g_strdup_printf("netsim: %s\n", text);
    shown_print(whole, SHOWN_TEXT, stderr);
    g_free(whole);
    g_free(text);
}

void cli_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    shown_print(text, SHOWN_TEXT, stdout);
    g_free(text);
}

struct cli_text cli_text_begin(void)
{
    struct cli_text text = {.text = g_new0(char *, 1), .length = g_new0(size_t, 1)};
    text.file = open_memstream(text.text, text.length);
    if (!text.file)
        g_error("no memory for what is to be printed");
    return text;
}

void cli_text_print(struct cli_text *text)
{
    fclose(text->file);
    shown_print(*text->text, SHOWN_TEXT, stdout);
    free(*text->text);
    g_free(text->text);
    g_free(text->length);
}

char *cli_did_you_mean(const char *word, const char *const *candidates)
{
    const char *nearest = diag_nearest(word, candidates);
    return nearest ? g_strdup_printf("did you mean %s?", nearest) : NULL;
}

static GOptionContext *context_new(const struct cli_command *command, const GOptionEntry *entries,
                                   gboolean *help)
{
    const GOptionEntry help_entries[] = {
        {"help", 'h', 0, G_OPTION_ARG_NONE, help, "print this text", NULL},
        G_OPTION_ENTRY_NULL,
    };
    GOptionContext *context = g_option_context_new(command->arguments);
    g_option_context_set_help_enabled(context, FALSE);
    if (entries)
        g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_add_main_entries(context, help_entries, NULL);
    g_option_context_set_description(context, command->description);
    return context;
}

// GLib writes its own text for the terminal's locale, which would lose the ellipsis in the C
// locale.
static void print_help(GOptionContext *context, const struct cli_command *command)
{
    char *help = g_option_context_get_help(context, TRUE, NULL);
    char **parts = g_strsplit(help, "…", -1);
    char *plain = g_strjoinv("...", parts);
    printf("netsim %s: %s\n\n%s", command->name, command->summary, plain);
    g_free(plain);
    g_strfreev(parts);
    g_free(help);
}

// "--foo" of the arguments that no entry knows, for a hint.
static char *option_hint(const GOptionEntry *entries, const char *message)
{
    const char *dashes = strstr(message, "--");
    char *hint = NULL;
    if (dashes && entries) {
        char *word = g_strndup(dashes, strcspn(dashes, "= "));
        GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
        for (const GOptionEntry *entry = entries; entry->long_name; entry++)
            g_ptr_array_add(names, g_strdup_printf("--%s", entry->long_name));
        g_ptr_array_add(names, NULL);
        hint = cli_did_you_mean(word, (const char *const *)names->pdata);
        g_free(word);
        g_ptr_array_unref(names);
    }
    return hint;
}

static void report_option(const struct cli_command *command, const GOptionEntry *entries,
                          const GError *error)
{
    char *hint = g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION)
                     ? option_hint(entries, error->message)
                     : NULL;
    if (!hint)
        hint = g_strdup_printf("see `netsim help %s'", command->name);
    cli_error(hint, "%s: %s", command->name, error->message);
    g_free(hint);
}

static bool count_is_right(const struct cli_command *command, int given, int least, int most)
{
    if (given >= least && given <= most)
        return true;
    char *hint = g_strdup_printf("usage: netsim %s [OPTION...]%s%s", command->name,
                                 *command->arguments ? " " : "", command->arguments);
    cli_error(hint, "%s: too %s arguments", command->name, given < least ? "few" : "many");
    g_free(hint);
    return false;
}

bool cli_parse(const struct cli_command *command, const GOptionEntry *entries, int least, int most,
               int *argc, char ***argv, enum cli_exit *code)
{
    gboolean help = FALSE;
    GError *error = NULL;
    GOptionContext *context = context_new(command, entries, &help);
    bool go_on = false;
    *code = CLI_BAD_INPUT;
    // The parser takes options out of the array that it is given; the caller's own strings stay.
    if (!g_option_context_parse(context, argc, argv, &error)) {
        report_option(command, entries, error);
        g_error_free(error);
    } else if (help) {
        print_help(context, command);
        *code = CLI_DONE;
    } else {
        if (*argc > 1 && strcmp((*argv)[1], "--") == 0) {
            (*argv)++;
            (*argc)--;
        }
        go_on = count_is_right(command, *argc - 1, least, most);
    }
    g_option_context_free(context);
    return go_on;
}

int cli_choice(const char *option, const char *word, const char *const *choices)
{
    for (int i = 0; choices[i]; i++)
        if (!word || strcmp(word, choices[i]) == 0)
            return i;
    char *all = g_strjoinv(", ", (char **)choices);
    char *hint = cli_did_you_mean(word, choices);
    cli_error(hint, "%s %s: it must be one of %s", option, word, all);
    g_free(hint);
    g_free(all);
    return -1;
}

bool cli_seed(const char *text, uint64_t *seed)
{
    guint64 value = 0;
    if (text && !g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT64, &value, NULL)) {
        cli_error(NULL, "--seed %s: a seed is a whole number from 1 to %" G_GINT64_FORMAT, text,
                  G_MAXINT64);
        return false;
    }
    *seed = value;
    return true;
}

static void sets_add(char ***sets, char *set)
{
    guint count = *sets ? g_strv_length(*sets) : 0;
    *sets = g_renew(char *, *sets, count + 2);
    (*sets)[count] = set;
    (*sets)[count + 1] = NULL;
}

bool cli_limits_read(struct cli_limits *limits, char ***sets)
{
    if (limits->simulated)
        sets_add(sets, g_strconcat("limits.simulated_time=", limits->simulated, NULL));
    if (!limits->time)
        return true;
    struct quantity time;
    char *error = NULL, *hint = NULL;
    bool plain = *limits->time && !limits->time[strspn(limits->time, "0123456789.")];
    char *text = g_strconcat(limits->time, plain ? " s" : NULL, NULL);
    bool good = quantity_parse(text, QUANTITY_DURATION, &time, &error, &hint);
    if (!good)
        cli_error(hint, "--time-limit %s: %s", limits->time, error);
    else if (time.integer <= 0)
        cli_error(NULL, "--time-limit %s: a limit is above 0", limits->time);
    limits->seconds = good ? time_to_s(time.integer) : 0;
    g_free(error);
    g_free(hint);
    g_free(text);
    return good && time.integer > 0;
}

void cli_limits_clear(struct cli_limits *limits)
{
    g_free(limits->time);
    g_free(limits->simulated);
}
