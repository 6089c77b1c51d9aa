// SPDX-License-Identifier: GPL-3.0-or-later
// The command line: one table of subcommands, from which dispatch and help are made, and what the
// subcommands share.
#ifndef NETSIM_CLI_CLI_H
#define NETSIM_CLI_CLI_H

#include "sim/cli/option.h"
#include "sim/output/captures.h"
#include "sim/output/file.h"
#include "sim/scenario/scenario.h"

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

// Exit codes of the program.
enum cli_exit {
    CLI_DONE = 0,
    CLI_BAD_INPUT = 1,    // bad usage or scenario; output that can't be written
    CLI_CHECK_FAILED = 2, // the run was completed, but a check did not hold
    CLI_RUN_FAILED = 3,   // the simulated program failed or came to a deadlock
};

// The exit code after an error: `otherwise`, or 128 + N if signal N has interrupted a campaign.
enum cli_exit cli_exit_of(const GError *error, enum cli_exit otherwise);

struct cli_command {
    const char *name;
    const char *arguments;   // "SCENARIO", as the help shows it; "" if none
    const char *summary;     // a line in lower case, for the list of commands
    const char *description; // more, for the command's own help
    // argv[0] is the command's name. Returns an exit code.
    enum cli_exit (*run)(const struct cli_command *command, int argc, char **argv);
    const struct cli_option *options; // NULL: none but --help
    int least, most;                  // arguments
    enum cli_words words;             // what a shell offers for them
    const char *const *choices;       // of CLI_WORDS_CHOICE
};

// All of them; ends with a NULL name.
extern const struct cli_command cli_commands[];

// The program: finds the command and runs it.
int cli_main(int argc, char **argv);

enum cli_exit cli_run(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_check(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_describe(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_list(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_show(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_bench(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_explain(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_flatten(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_calibrate(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_validate(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_compare(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_plot(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_figures(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_sweep(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_help(const struct cli_command *command, int argc, char **argv);

// The options of the commands; each table stands in the command's own file.
extern const struct cli_option cli_run_options[];
extern const struct cli_option cli_check_options[];
extern const struct cli_option cli_describe_options[];
extern const struct cli_option cli_list_options[];
extern const struct cli_option cli_show_options[];
extern const struct cli_option cli_bench_options[];
extern const struct cli_option cli_explain_options[];
extern const struct cli_option cli_flatten_options[];
extern const struct cli_option cli_calibrate_options[];
extern const struct cli_option cli_validate_options[];
extern const struct cli_option cli_compare_options[];
extern const struct cli_option cli_plot_options[];
extern const struct cli_option cli_figures_options[];
extern const struct cli_option cli_sweep_options[];
extern const struct cli_option cli_help_options[];

// What `netsim list` lists, NULL-terminated.
extern const char *const cli_list_kinds[];

// The help of the whole program.
void cli_usage(FILE *out);

// ---- Shared by commands ----

// An error on stderr: "netsim: " and the text. The hint (may be NULL) stands in brackets behind it.
void cli_error(const char *hint, const char *format, ...) G_GNUC_PRINTF(2, 3);

// Prints to stdout what people read, as sim/core/shown.h has it.
void cli_print(const char *format, ...) G_GNUC_PRINTF(1, 2);

// The same for what is written to a file: it goes to `file` and is printed at the end.
struct cli_text {
    FILE *file;
    char **text; // as far as it is written
    size_t *length;
};
struct cli_text cli_text_begin(void);
void cli_text_print(struct cli_text *text);

// "did you mean NAME?" for the candidate that is near to `word`, or NULL. The caller frees it.
char *cli_did_you_mean(const char *word, const char *const *candidates);

// Takes apart what is joined to short options, as the command's options have it: "-qj2" becomes
// "-q",
// "-j", "2". The list owns its words and ends with NULL.
GPtrArray *cli_words_split(const struct cli_command *command, int argc, char **argv);

// Reads the command's options into its struct of arguments, which begins as zeros and is cleared
// with cli_clear in any case; what is left in argv[1 .. argc-1] are its arguments, as many as the
// command takes. False if the command has nothing more to do, with the exit code in *code: after
// --help, and after an error that has been reported.
bool cli_parse(const struct cli_command *command, void *arguments, int *argc, char ***argv,
               enum cli_exit *code);

// Frees all texts that options have put into the arguments.
void cli_clear(const struct cli_command *command, void *arguments);

// The index of `word` in a NULL-terminated list of choices; -1 and an error on stderr if it is none
// of them. NULL stands for the first.
int cli_choice(const char *option, const char *word, const char *const *choices);

// A seed as given to --seed: 1 .. 2^63-1, or 0 for a NULL text. False and an error on stderr if it
// is none.
bool cli_seed(const char *text, uint64_t *seed);

// Limits of a run: what CLI_LIMIT_OPTIONS read.
struct cli_limits {
    char *time, *simulated; // as given; NULL: not
    double seconds;         // on the clock on the wall; 0: none
};

// Reads --time-limit, and adds --simulated-limit to `sets` (g_strfreev; NULL: none yet) as what it
// stands for, limits.simulated_time. False and an error on stderr if the time is none.
bool cli_limits_read(struct cli_limits *limits, char ***sets);

// What to capture: the options --pcap and --pcap-*.
struct cli_pcap {
    char *directory, *at, *from, *to, *snap; // as given; NULL: not
    char **nodes;
    struct captures_options options; // directory NULL: nothing
};

// Reads them. False and an error on stderr if one is no such thing. What it fills in lasts until
// cli_pcap_clear.
bool cli_pcap_read(struct cli_pcap *pcap);
void cli_pcap_clear(struct cli_pcap *pcap);

// The directory that holds scenarios/: NETSIM_DATA_DIR, else share/netsim beside the installed
// program, else the source tree, else where it was to be installed. Never NULL.
const char *cli_data_dir(void);

// A file in the directory of the running program, whether it is there or not; NULL if the program's
// place is unknown. The caller frees it.
char *cli_beside_program(const char *name);

// Compiles the scenario that an argument names: a file, or the name of one in the data directory
// with or without "scenarios/" and ".yaml". NULL after errors, which have been printed. `sets` may
// be NULL.
struct scenario *cli_scenario(const struct scenario_schema *schema, const char *argument,
                              char **sets, bool allow_unused, uint64_t seed);

// Whether a series is among those of --series; NULL: all are.
bool cli_series_wanted(char **names, const char *name);

// Whether the scenario has all series of --series (NULL: none was given). If not, that has been
// said.
bool cli_series_exist(const struct scenario *scenario, char **names);

// The same in silence, with settings that nothing reads. NULL: *why is the first mistake, if it is
// one of the scenario's; the caller frees it.
struct scenario *cli_scenario_quietly(const struct scenario_schema *schema, const char *argument,
                                      char **sets, uint64_t seed, char **why);

// The figures (struct figure_spec *) of the references; NULL after mistakes, which have been
// printed. Free with g_ptr_array_unref.
GPtrArray *cli_figure_specs(void);

// Those that the words name, all without words; NULL after an error, which has been printed. Free
// before `specs`.
GPtrArray *cli_figures_named(const GPtrArray *specs, char **words);

// Says on stderr what is missing from a picture (sim/figures/document.h) and what failed in it.
void cli_figure_notes(json_t *document);

// Whether no file that is written (path NULL: none) is another one, or one that the scenario (NULL:
// none) was read from. If it is, that has been said.
bool cli_files_differ(const struct scenario *scenario, const struct file_use *uses, int count);

// Whether series of a figure lost data, which is then said.
bool cli_figure_lost(const json_t *document);

// The file of a scenario, testbed or sweep of the data directory, by its name as `netsim list` has
// it, with or without .yaml. NULL after an error, which has been printed. The caller frees it.
char *cli_shipped(const char *name);

// Names (without .yaml) of the YAML files in a folder of the data directory ("scenarios",
// "scenarios/testbeds") but those of fits (NAME.fit.yaml), ascending, NULL-terminated; free with
// g_strfreev.
char **cli_data_names(const char *folder);

#endif
