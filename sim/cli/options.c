// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a command line: GLib's option parser, with this program's own reports of mistakes.
#include "sim/cli/cli.h"

#include "sim/campaign/mpi_workers.h"
#include "sim/campaign/workers.h"
#include "sim/config/quantity.h"
#include "sim/core/diag.h"
#include "sim/core/shown.h"
#include "sim/core/time.h"
#include "sim/output/fold.h"
#include "sim/output/table.h"
#include "sim/output/text.h"

#include <limits.h>
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

enum cli_exit cli_refuse(GError *error)
{
    cli_error(NULL, "%s", error->message);
    g_error_free(error);
    return CLI_BAD_INPUT;
}

enum cli_exit cli_exit_of(const GError *error, enum cli_exit otherwise)
{
    return workers_signal_of(error) ? (enum cli_exit)error->code : otherwise;
}

enum cli_exit cli_exit_with(GError *error, enum cli_exit otherwise)
{
    enum cli_exit code = cli_exit_of(error, otherwise);
    if (error)
        cli_refuse(error);
    return code;
}

// --wide was given.
static bool page_is_wide;

int cli_width(FILE *file)
{
    return page_is_wide ? 0 : table_width(file);
}

int cli_wrap_width(FILE *file)
{
    return page_is_wide ? INT_MAX : MAX(table_width(file), 40);
}

void cli_print_text(const char *text)
{
    GString *shown = g_string_new(NULL), *folded = g_string_new(NULL);
    shown_append(shown, text, SHOWN_TEXT);
    fold_append(folded, shown->str, cli_width(stdout));
    fwrite(folded->str, 1, folded->len, stdout);
    g_string_free(shown, TRUE);
    g_string_free(folded, TRUE);
}

void cli_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    cli_print_text(text);
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
    cli_print_text(*text->text);
    free(*text->text);
    g_free(text->text);
    g_free(text->length);
}

char *cli_did_you_mean(const char *word, const char *const *candidates)
{
    const char *nearest = diag_nearest(word, candidates);
    return nearest ? g_strdup_printf("did you mean %s?", nearest) : NULL;
}

const char *cli_words_name(enum cli_words words)
{
    static const char *const names[] = {
        [CLI_WORDS_NONE] = "none",           [CLI_WORDS_FILE] = "file",
        [CLI_WORDS_DIRECTORY] = "directory", [CLI_WORDS_SCENARIO] = "scenario",
        [CLI_WORDS_RESULT] = "result",       [CLI_WORDS_PARAMETER] = "parameter",
        [CLI_WORDS_SECTION] = "section",     [CLI_WORDS_FIGURE] = "figure",
        [CLI_WORDS_SHIPPED] = "shipped",     [CLI_WORDS_COMMAND] = "command",
        [CLI_WORDS_CHOICE] = "choice",       [CLI_WORDS_STACK] = "stack",
        [CLI_WORDS_BENCHMARK] = "benchmark", [CLI_WORDS_TESTBED] = "testbed",
    };
    return names[words];
}

char *cli_option_summary(const struct cli_option *option)
{
    GString *text = g_string_new(option->summary);
    for (int i = 0; option->choices && option->choices[i]; i++)
        g_string_append_printf(text, "%s%s",
                               i == 0                   ? ": "
                               : option->choices[i + 1] ? ", "
                                                        : " or ",
                               option->choices[i]);
    return g_string_free(text, FALSE);
}

// ---- Words ----

#define HELP_LETTER 'h'

static const struct cli_option *option_find(const struct cli_command *command, const char *name,
                                            size_t length, char letter)
{
    for (const struct cli_option *option = command->options; option && option->name; option++)
        if (letter ? option->letter == letter
                   : strncmp(option->name, name, length) == 0 && !option->name[length])
            return option;
    return NULL;
}

// A word of short options, one after the other; what follows an unknown one is left out, as the
// parser refuses that. Whether the next word is the value of the last of them.
static bool split_letters(const struct cli_command *command, GPtrArray *words, const char *word)
{
    if (!word[1])
        g_ptr_array_add(words, g_strdup(word)); // "-" is an argument
    for (size_t i = 1; word[i]; i++) {
        const struct cli_option *option = option_find(command, NULL, 0, word[i]);
        g_ptr_array_add(words, g_strdup_printf("-%c", word[i]));
        if (option && option->value != CLI_FLAG) {
            if (word[i + 1])
                g_ptr_array_add(words, g_strdup(word + i + 1));
            return !word[i + 1];
        }
        if (!option && word[i] != HELP_LETTER)
            return false;
    }
    return false;
}

GPtrArray *cli_words_split(const struct cli_command *command, int argc, char **argv)
{
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    bool options = true, value = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        options = options && (value || strcmp(word, "--") != 0);
        if (options && !value && word[0] == '-' && word[1] != '-') {
            value = split_letters(command, words, word);
            continue;
        }
        const struct cli_option *option = options && !value && word[0] == '-'
                                              ? option_find(command, word + 2, strlen(word + 2), 0)
                                              : NULL;
        value = option && option->value != CLI_FLAG && !option->optional;
        g_ptr_array_add(words, option && option->optional
                                   ? g_strconcat(word, "=", option->choices[0], NULL)
                                   : g_strdup(word));
    }
    g_ptr_array_add(words, NULL);
    return words;
}

// ---- Reading ----

struct parser {
    GOptionContext *context;
    GPtrArray *texts; // that the entries refer to
    gboolean help;
};

static GOptionEntry entry_of(const struct cli_option *option, void *arguments, GPtrArray *texts)
{
    static const GOptionArg args[] = {
        [CLI_FLAG] = G_OPTION_ARG_NONE,
        [CLI_TEXT] = G_OPTION_ARG_FILENAME,
        [CLI_LIST] = G_OPTION_ARG_FILENAME_ARRAY,
        [CLI_JOBS] = G_OPTION_ARG_INT,
    };
    char *summary = cli_option_summary(option);
    g_ptr_array_add(texts, summary);
    return (GOptionEntry){
        .long_name = option->name,
        .short_name = option->letter,
        .arg = args[option->value],
        .arg_data = (char *)arguments + option->offset,
        .description = summary,
        .arg_description = option->argument,
    };
}

// Paragraphs at the width of the page; lines that begin with a blank stay.
static char *description_text(const char *description)
{
    int width = table_width(stdout);
    GString *out = g_string_new(NULL), *paragraph = g_string_new(NULL);
    char **lines = g_strsplit(description, "\n", -1);
    for (char **line = lines; *line; line++) {
        bool is_text = **line && **line != ' ';
        if (is_text)
            g_string_append_printf(paragraph, "%s ", *line);
        if (is_text && line[1] && *line[1] && *line[1] != ' ')
            continue;
        if (is_text)
            text_append_wrapped(out, paragraph->str, MIN(width, TABLE_WIDTH), 0);
        else
            g_string_append(out, *line);
        g_string_truncate(paragraph, 0);
        g_string_append(out, line[1] ? "\n" : "");
    }
    g_strfreev(lines);
    g_string_free(paragraph, TRUE);
    return g_string_free(out, FALSE);
}

static void parser_start(struct parser *parser, const struct cli_command *command, void *arguments)
{
    *parser = (struct parser){.context = g_option_context_new(command->arguments),
                              .texts = g_ptr_array_new_with_free_func(g_free)};
    const GOptionEntry help_entries[] = {
        {"help", HELP_LETTER, 0, G_OPTION_ARG_NONE, &parser->help, "print this text", NULL},
        G_OPTION_ENTRY_NULL,
    };
    g_option_context_set_help_enabled(parser->context, FALSE);
    for (const struct cli_option *option = command->options; option && option->name; option++) {
        const GOptionEntry entries[] = {entry_of(option, arguments, parser->texts),
                                        G_OPTION_ENTRY_NULL};
        g_option_context_add_main_entries(parser->context, entries, NULL);
    }
    g_option_context_add_main_entries(parser->context, help_entries, NULL);
    char *description = command->description ? description_text(command->description) : NULL;
    g_option_context_set_description(parser->context, description);
    g_free(description);
}

static void parser_end(struct parser *parser)
{
    g_option_context_free(parser->context);
    g_ptr_array_unref(parser->texts);
}

// GLib writes its own text for the terminal's locale, which would lose the ellipsis in the C
// locale.
static void print_help(GOptionContext *context, const struct cli_command *command)
{
    char *help = g_option_context_get_help(context, TRUE, NULL);
    char **parts = g_strsplit(help, "…", -1);
    char *plain = g_strjoinv("...", parts);
    cli_print("netsim %s: %s\n\n%s", command->name, command->summary, plain);
    g_free(plain);
    g_strfreev(parts);
    g_free(help);
}

// Returns the options that the message's may have meant, or all options. The caller frees the text.
static char *option_hint(const struct cli_command *command, const char *message)
{
    const char *dashes = strstr(message, "--");
    char *word = dashes ? g_strndup(dashes, strcspn(dashes, "= ")) : g_strdup("");
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    for (const struct cli_option *option = command->options; option && option->name; option++)
        g_ptr_array_add(names, g_strdup_printf("--%s", option->name));
    g_ptr_array_add(names, g_strdup("--help"));
    g_ptr_array_add(names, NULL);
    char *hint = cli_did_you_mean(word, (const char *const *)names->pdata);
    if (!hint) {
        char *all = g_strjoinv(", ", (char **)names->pdata);
        hint = g_strdup_printf("there are %s; see `netsim help %s'", all, command->name);
        g_free(all);
    }
    g_free(word);
    g_ptr_array_unref(names);
    return hint;
}

static void report_option(const struct cli_command *command, const GError *error)
{
    char *hint = g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION)
                     ? option_hint(command, error->message)
                     : g_strdup_printf("see `netsim help %s'", command->name);
    cli_error(hint, "%s: %s", command->name, error->message);
    g_free(hint);
}

static bool count_is_right(const struct cli_command *command, int given)
{
    if (given >= command->least && given <= command->most)
        return true;
    char *hint = g_strdup_printf("usage: netsim %s [OPTION...]%s%s", command->name,
                                 *command->arguments ? " " : "", command->arguments);
    cli_error(hint, "%s: too %s arguments", command->name, given < command->least ? "few" : "many");
    g_free(hint);
    return false;
}

// Whether all numbers of processes are valid; prints an error if not.
static bool jobs_are_right(const struct cli_command *command, const void *arguments)
{
    for (const struct cli_option *option = command->options; option && option->name; option++) {
        if (option->value != CLI_JOBS)
            continue;
        int jobs = *(const int *)((const char *)arguments + option->offset);
        if (jobs >= 0 && jobs <= CLI_MOST_JOBS)
            continue;
        cli_error("0: one for each processor",
                  "--%s %d: a number of processes is a whole number from 0 to %d", option->name,
                  jobs, CLI_MOST_JOBS);
        return false;
    }
    return true;
}

// Refuses what each of several ranks would do whole, into the same files. The first one reports it.
static bool is_alone(const struct cli_command *command)
{
    static const char *const once[] = {"calibrate", "figures", "fit", "validate", NULL};
    bool first;
    int launched = mpi_workers_launched(&first);
    if (launched < 2 || !g_strv_contains(once, command->name))
        return true;
    if (first)
        cli_error("start it once: -j N takes N processors; of all commands sweep alone shares its "
                  "runs among ranks",
                  "this is one of %d ranks, and each would do all of it", launched);
    return false;
}

static void sets_add(char ***sets, char *set)
{
    guint count = *sets ? g_strv_length(*sets) : 0;
    *sets = g_renew(char *, *sets, count + 2);
    (*sets)[count] = set;
    (*sets)[count + 1] = NULL;
}

// Reads --time-limit, and adds --simulated-limit to `sets` as a setting. Prints an error if the
// time is invalid.
static bool limits_read(struct cli_limits *limits, char ***sets)
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
    limits->end = g_get_monotonic_time() + (int64_t)(limits->seconds * G_USEC_PER_SEC);
    g_free(error);
    g_free(hint);
    g_free(text);
    return good && time.integer > 0;
}

// Where the value of the command's option of this name is kept; NULL: it has no such option.
static void *option_member(const struct cli_command *command, void *arguments, const char *name)
{
    for (const struct cli_option *option = command->options; option && option->name; option++)
        if (strcmp(option->name, name) == 0)
            return (char *)arguments + option->offset;
    return NULL;
}

static bool limits_are_right(const struct cli_command *command, void *arguments)
{
    G_STATIC_ASSERT(offsetof(struct cli_limits, time) == 0);
    struct cli_limits *limits = option_member(command, arguments, "time-limit");
    return !limits || limits_read(limits, option_member(command, arguments, "set"));
}

bool cli_parse(const struct cli_command *command, void *arguments, int *argc, char ***argv,
               enum cli_exit *code)
{
    GError *error = NULL;
    struct parser parser;
    bool go_on = false;
    parser_start(&parser, command, arguments);
    *code = CLI_BAD_INPUT;
    // The parser takes options out of the array that it is given; the caller's own strings stay.
    if (!g_option_context_parse(parser.context, argc, argv, &error)) {
        report_option(command, error);
        g_error_free(error);
    } else if (parser.help) {
        print_help(parser.context, command);
        *code = CLI_DONE;
    } else {
        if (*argc > 1 && strcmp((*argv)[1], "--") == 0) {
            (*argv)++;
            (*argc)--;
        }
        go_on = jobs_are_right(command, arguments) && count_is_right(command, *argc - 1) &&
                is_alone(command) && limits_are_right(command, arguments);
        const struct cli_option *wide = option_find(command, "wide", strlen("wide"), 0);
        page_is_wide = wide && *(const gboolean *)((const char *)arguments + wide->offset);
    }
    parser_end(&parser);
    return go_on;
}

void cli_clear(const struct cli_command *command, void *arguments)
{
    for (const struct cli_option *option = command->options; option && option->name; option++) {
        void *member = (char *)arguments + option->offset;
        if (option->value == CLI_TEXT)
            g_clear_pointer((char **)member, g_free);
        else if (option->value == CLI_LIST)
            g_clear_pointer((char ***)member, g_strfreev);
    }
}

enum cli_exit cli_with_options(const struct cli_command *command, int argc, char **argv,
                               void *arguments, cli_body_fn *body)
{
    enum cli_exit code;
    if (cli_parse(command, arguments, &argc, &argv, &code))
        code = body(argv + 1, arguments);
    cli_clear(command, arguments);
    return code;
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

bool cli_count(const char *option, const char *text, int most, int *count)
{
    guint64 value = 0;
    bool good = !text || g_ascii_string_to_unsigned(text, 10, 1, (guint64)most, &value, NULL);
    if (!good)
        cli_error(NULL, "%s %s: it must be a whole number from 1 to %d", option, text, most);
    *count = (int)value;
    return good;
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
