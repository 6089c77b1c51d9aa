// SPDX-License-Identifier: GPL-3.0-or-later
// The options of a command as a table, from which the reader of the command line, the command's
// --help, its part of the man page, and the completion of bash, zsh and fish are made.
//
// --time-limit and --simulated-limit are read with the others (struct cli_limits); a command that
// has them has --set, too.
//
// To add an option: a member in the command's struct of arguments, a row in its table, and
//
//   ninja -C BUILD reference
//
// which makes the parts of docs/netsim.1 and completion/ anew that are made from the tables
// (`netsim help --fill FILE`, sim/cli/reference.h). Nothing else lists options. A name that several
// commands have means the same in all of them: the macros below are for those, and a test compares.
//
// The tables are read with GLib's GOptionContext. It knows no value that is joined to a short
// option (-j2, -qj2), so that cli_words_split takes such words apart beforehand: the table has the
// letters that take a value. popt and argp know them, but popt would be one more library for
// twenty lines, and argp wants a function with a case for each option besides the table, keeps its
// own texts of mistakes, and ends the program by itself.
#ifndef NETSIM_CLI_OPTION_H
#define NETSIM_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#define CLI_MOST_JOBS 1024

// The kind of an option's value, and the type of the member that stores it, initially 0.
enum cli_value {
    CLI_FLAG, // nothing: gboolean
    CLI_TEXT, // text: char *
    CLI_LIST, // text each time it is given: char **
    CLI_JOBS, // a number of processes, 0 .. CLI_MOST_JOBS: int
};

// The completions that a shell offers for a value or an argument.
enum cli_words {
    CLI_WORDS_NONE, // no suggestions
    CLI_WORDS_FILE,
    CLI_WORDS_DIRECTORY,
    CLI_WORDS_SCENARIO,  // YAML files, and the scenarios that `netsim list` shows
    CLI_WORDS_SHIPPED,   // scenarios, testbeds and sweeps that `netsim list` shows
    CLI_WORDS_RESULT,    // as CLI_WORDS_SCENARIO, and all other files
    CLI_WORDS_PARAMETER, // paths of parameters
    CLI_WORDS_SECTION,   // the names that `netsim describe` knows
    CLI_WORDS_FIGURE,
    CLI_WORDS_STACK,
    CLI_WORDS_BENCHMARK,
    CLI_WORDS_TESTBED,
    CLI_WORDS_COMMAND,
    CLI_WORDS_CHOICE, // one of the choices
};

// The name of a kind of words in completion/.
const char *cli_words_name(enum cli_words words);

struct cli_option {
    const char *name;           // without dashes
    char letter;                // the short option; 0: none
    enum cli_value value;       //
    size_t offset;              // of the member in the command's arguments
    const char *argument;       // the name of the value; NULL for a flag
    const char *summary;        // for the help: in lower case, without a full stop
    const char *more;           // sentences only for the man page, `literal`; NULL: none
    const char *const *choices; // values, NULL-terminated; the first is the default; NULL: any
    enum cli_words words;
    bool optional; // the value may be left out for the first choice, and follows a "=" else
};

#define CLI_TESTBED_SUMMARY "the machine: a testbed that `netsim list testbeds` shows"
#define CLI_BENCHMARK_SUMMARY "benchmark, as `netsim list benchmarks` names it"
#define CLI_STACK_SUMMARY "library and protocol, as `netsim list stacks` names it"

// clang-format off
#define CLI_SET_OPTION(type, member)                                                               \
    {.name = "set", .value = CLI_LIST, .offset = offsetof(type, member),                           \
     .argument = "PATH=VALUE", .words = CLI_WORDS_PARAMETER,                                       \
     .summary = "set one parameter; beats the file (repeatable)",                                  \
     .more = "PATH is where it stands in the scenario; the file beats the default. Without a value "       \
             "(`PATH=`) it removes the key, so that the default holds."}
#define CLI_UNUSED_OPTION(type, member)                                                            \
    {.name = "allow-unused", .value = CLI_FLAG, .offset = offsetof(type, member),                  \
     .summary = "accept settings that nothing reads",                                              \
     .more = "They are parameters of a stack or a card that no series has, or those of `link` and " \
             "`switch` where each link or switch has its own. Without it such a setting is an "    \
             "error."}
#define CLI_SERIES_OPTION(type, member)                                                            \
    {.name = "series", .value = CLI_LIST, .offset = offsetof(type, member), .argument = "NAME",    \
     .summary = "only this one of the series (repeatable)"}
#define CLI_SEED_OPTION(type, member)                                                              \
    {.name = "seed", .value = CLI_TEXT, .offset = offsetof(type, member), .argument = "N",         \
     .summary = "seed of all random streams"}
#define CLI_PROCESSES_OPTION(type, member, zero, otherwise)                                        \
    {.name = "jobs", .letter = 'j', .value = CLI_JOBS, .offset = offsetof(type, member),           \
     .argument = "N",                                                                              \
     .summary = "simulate in N processes; 0" zero ": one for each processor" otherwise}
#define CLI_JOBS_OPTION(type, member) CLI_PROCESSES_OPTION(type, member, ", the default", "")
#define CLI_WIDE_OPTION(type, member)                                                              \
    {.name = "wide", .value = CLI_FLAG, .offset = offsetof(type, member),                          \
     .summary = "do not fold lines and tables at the width of the page",                           \
     .more = "That is the terminal's; off a terminal $COLUMNS, or 80 columns."}
#define CLI_QUIET_OPTION(type, member)                                                             \
    {.name = "quiet", .letter = 'q', .value = CLI_FLAG, .offset = offsetof(type, member),          \
     .summary = "no progress, no summary"}
#define CLI_AGAIN_OPTION(type, member)                                                             \
    {.name = "again", .value = CLI_FLAG, .offset = offsetof(type, member),                         \
     .summary = "run also what is kept from before"}
#define CLI_DATABASE_OPTION(type, member, note)                                                    \
    {.name = "database", .value = CLI_TEXT, .offset = offsetof(type, member), .argument = "FILE",  \
     .words = CLI_WORDS_FILE, .summary = "keep the runs in this database" note,                    \
     .more = "What is there is not run again."}
#define CLI_FORMAT_OPTION(type, member, list, text)                                                \
    {.name = "format", .value = CLI_TEXT, .offset = offsetof(type, member), .argument = "FORMAT",  \
     .choices = (list), .words = CLI_WORDS_CHOICE, .summary = "form of the output", .more = (text)}
// --time-limit for the command as a whole, and for each of the runs that it makes.
#define CLI_LIMIT_OPTIONS(type, member)                                                            \
    CLI_LIMIT_OPTIONS_OF(type, member,                                                             \
                         "It bounds the whole command (10s, 500ms on the clock on the wall): "     \
                         "what is running then, and what has not begun, has failed; it says "      \
                         "where each rank is and what it waits for.")
#define CLI_LIMIT_OPTIONS_EACH(type, member)                                                       \
    CLI_LIMIT_OPTIONS_OF(type, member,                                                             \
                         "It bounds each run by itself (10s, 500ms on the clock on the wall), "    \
                         "which has then failed; the others go on.")
#define CLI_LIMIT_OPTIONS_OF(type, member, details)                                                \
    {.name = "time-limit", .value = CLI_TEXT, .offset = offsetof(type, member.time),               \
     .argument = "TIME", .summary = "end what takes longer; without a unit: seconds",              \
     .more = (details)},                                                                           \
    {.name = "simulated-limit", .value = CLI_TEXT, .offset = offsetof(type, member.simulated),     \
     .argument = "TIME", .summary = "end a run that is not over after so much simulated time",     \
     .more = "The end is always at the same event: `limits.simulated_time`."}
// Those that several commands have, one after the other, for members of the options' names.
#define CLI_SETTING_OPTIONS(type)                                                                  \
    CLI_SET_OPTION(type, sets), CLI_UNUSED_OPTION(type, allow_unused)
#define CLI_SCENARIO_OPTIONS(type)                                                                 \
    CLI_SETTING_OPTIONS(type), CLI_SEED_OPTION(type, seed)
#define CLI_FIT_OPTIONS(type)                                                                      \
    CLI_SCENARIO_OPTIONS(type), CLI_JOBS_OPTION(type, jobs),                                       \
    CLI_DATABASE_OPTION(type, database, ""), CLI_LIMIT_OPTIONS_EACH(type, limits)
#define CLI_OPTIONS_END {.name = NULL}
// clang-format on

// Returns the help's text on an option, with its choices. The caller frees it.
char *cli_option_summary(const struct cli_option *option);

#endif
