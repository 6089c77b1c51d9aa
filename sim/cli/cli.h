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

// The program's exit codes.
enum cli_exit {
    CLI_DONE = 0,
    CLI_BAD_INPUT = 1,    // bad usage or scenario; output that can't be written
    CLI_CHECK_FAILED = 2, // the run was completed, but a check did not hold
    CLI_RUN_FAILED = 3,   // the simulated program failed or came to a deadlock
};

// The exit code after an error: `otherwise`, or 128 + N if signal N has interrupted a campaign.
enum cli_exit cli_exit_of(const GError *error, enum cli_exit otherwise);

// Like cli_exit_of; prints the error on stderr and frees it. NULL: there is none.
enum cli_exit cli_exit_with(GError *error, enum cli_exit otherwise);

struct cli_command {
    const char *name;
    const char *arguments;   // "SCENARIO", as the help shows it; "" if none
    const char *summary;     // one line in lower case, for the list of commands
    const char *description; // more text, for the command's own help
    // argv[0] is the command's name. Returns an exit code.
    enum cli_exit (*run)(const struct cli_command *command, int argc, char **argv);
    const struct cli_option *options; // NULL: only --help
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
enum cli_exit cli_new(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_show(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_bench(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_diagram(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_explain(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_flatten(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_export(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_trace(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_calibrate(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_fit(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_validate(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_compare(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_plot(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_figures(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_report(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_sweep(const struct cli_command *command, int argc, char **argv);
enum cli_exit cli_help(const struct cli_command *command, int argc, char **argv);

// The options of the commands; each table is in the command's own file.
extern const struct cli_option cli_run_options[];
extern const struct cli_option cli_check_options[];
extern const struct cli_option cli_describe_options[];
extern const struct cli_option cli_list_options[];
extern const struct cli_option cli_new_options[];
extern const struct cli_option cli_show_options[];
extern const struct cli_option cli_bench_options[];
extern const struct cli_option cli_diagram_options[];
extern const struct cli_option cli_explain_options[];
extern const struct cli_option cli_flatten_options[];
extern const struct cli_option cli_export_options[];
extern const struct cli_option cli_trace_options[];
extern const struct cli_option cli_calibrate_options[];
extern const struct cli_option cli_fit_options[];
extern const struct cli_option cli_validate_options[];
extern const struct cli_option cli_compare_options[];
extern const struct cli_option cli_plot_options[];
extern const struct cli_option cli_figures_options[];
extern const struct cli_option cli_report_options[];
extern const struct cli_option cli_sweep_options[];
extern const struct cli_option cli_help_options[];

// The kinds that `netsim list` lists, NULL-terminated.
extern const char *const cli_list_kinds[];

// The help of the whole program.
void cli_usage(FILE *out);

// ---- Shared by commands ----

// Prints an error on stderr: "netsim: " and the text. The hint (may be NULL) follows in brackets.
void cli_error(const char *hint, const char *format, ...) G_GNUC_PRINTF(2, 3);
// Prints the error on stderr and frees it. Returns CLI_BAD_INPUT.
enum cli_exit cli_refuse(GError *error);

// Columns that text for people may have: those of table_width; after --wide any number (0).
int cli_width(FILE *file);
// Columns that text_append_wrapped may have: those of cli_width, at least 40; after --wide INT_MAX.
int cli_wrap_width(FILE *file);

// Prints whole lines of text for people to stdout, as sim/core/shown.h shows it, folded at
// cli_width.
void cli_print(const char *format, ...) G_GNUC_PRINTF(1, 2);
void cli_print_text(const char *text);

// Like cli_print, but for text that is written to a file: it goes to `file` and is printed at the
// end.
struct cli_text {
    FILE *file;
    char **text; // the text written so far
    size_t *length;
};
struct cli_text cli_text_begin(void);
void cli_text_print(struct cli_text *text);

// "did you mean NAME?" for the candidate closest to `word`, or NULL if none is close. The caller
// frees it.
char *cli_did_you_mean(const char *word, const char *const *candidates);

// Splits words of joined short options according to the command's options: "-qj2" becomes "-q",
// "-j", "2". The list owns its words and ends with NULL.
GPtrArray *cli_words_split(const struct cli_command *command, int argc, char **argv);

// Reads the command's options into its struct of arguments, which must be zeroed and which the
// caller clears with cli_clear in any case; argv[1 .. argc-1] are then its arguments, as many as
// the command takes. Returns false if the command has nothing more to do, with the exit code in
// *code: after --help, and after a reported error.
bool cli_parse(const struct cli_command *command, void *arguments, int *argc, char ***argv,
               enum cli_exit *code);

// Frees all texts that options have stored in the arguments.
void cli_clear(const struct cli_command *command, void *arguments);

// A command's body, with its words (NULL-terminated) and its struct of arguments.
typedef enum cli_exit cli_body_fn(char **words, const void *arguments);

// Runs a command: cli_parse into its zeroed struct of arguments, the body, and cli_clear.
enum cli_exit cli_with_options(const struct cli_command *command, int argc, char **argv,
                               void *arguments, cli_body_fn *body);

// The index of `word` in a NULL-terminated list of choices. Returns -1 and prints an error on
// stderr if it is none of them. NULL means the first.
int cli_choice(const char *option, const char *word, const char *const *choices);

// The most draws that a command runs.
#define CLI_MOST_DRAWS 10000

// Reads a whole number from 1 to `most`; a NULL text is 0. Returns false and prints an error on
// stderr if it is none.
bool cli_count(const char *option, const char *text, int most, int *count);

// Reads a seed as given to --seed: 1 .. 2^63-1, or 0 for a NULL text. Returns false and prints an
// error on stderr if it is not a seed.
bool cli_seed(const char *text, uint64_t *seed);

// Limits of a run: what CLI_LIMIT_OPTIONS read. --simulated-limit becomes a setting of --set.
struct cli_limits {
    char *time, *simulated; // as given; NULL: not given
    double seconds;         // wall clock; 0: no limit
    int64_t end;            // when these end for the whole command (g_get_monotonic_time)
};

// Which frames the captures hold: the options --pcap-*.
struct cli_pcap {
    char *at, *from, *to, *snap; // as given; NULL: not given
    char **nodes;
    struct captures_options options;
};

// Reads a simulated time above 0 as given to `option`; 0 for a NULL text. Returns false and prints
// an error on stderr if it is none.
bool cli_time_read(const char *option, const char *text, sim_time *time);

// Reads the bounds of a stretch of simulated time, as given to the options `from_option` and
// `to_option`; 0 for a NULL text. Returns false and prints an error on stderr if there is no such
// stretch.
bool cli_stretch_read(const char *from_option, const char *from_text, const char *to_option,
                      const char *to_text, sim_time *from, sim_time *to);

// Reads these options; `directory` is that of --pcap, NULL: not given. Returns false and prints an
// error on stderr if one is invalid. The results last until cli_pcap_clear.
bool cli_pcap_read(struct cli_pcap *pcap, const char *directory);
void cli_pcap_clear(struct cli_pcap *pcap);

// The directory that holds scenarios/: NETSIM_DATA_DIR, else share/netsim next to the installed
// program, else the source tree, else the configured installation directory. Never NULL.
const char *cli_data_dir(void);

// The path of a file in the directory of the running program, which need not exist; NULL if the
// program's place is unknown. The caller frees it.
char *cli_beside_program(const char *name);

// Compiles the scenario that an argument names: a file, the name of one in the data directory with
// or without "scenarios/" and ".yaml", or CLI_STDIN, the text of standard input, which may be
// compiled again. Returns NULL after printed errors. `sets` may be NULL.
#define CLI_STDIN "-"
struct scenario *cli_scenario(const struct scenario_schema *schema, const char *argument,
                              char **sets, bool allow_unused, uint64_t seed);

// Whether --series names this series; NULL: all are wanted.
bool cli_series_wanted(char **names, const char *name);

// Whether the scenario has all series of --series (NULL: none were given). If not, prints an error.
bool cli_series_exist(const struct scenario *scenario, char **names);

// Removes the series that --series (NULL: none were given) does not name. Returns false and prints
// an error if the scenario lacks one that it names.
bool cli_series_keep(struct scenario *scenario, char **names);

// Whether cli_draw will be able to draw into this file, checked before a long run: its ending, and
// that there is a Python. Returns false and prints an error if not.
bool cli_can_draw(const char *option, const char *path);

// Has a script of plots/ draw a document into a file. Returns false after printing an error.
bool cli_draw(const char *script, const char *json, const char *path);

// Whether the records of `what` ("--trace") can be there: some wanted series runs on packets.
// Prints a message if not, and if others run on flows.
bool cli_packets_exist(const struct scenario *scenario, char **names, const char *what);

// Like cli_scenario without printing, allowing settings that nothing reads. Returns NULL and sets
// *why to the first mistake, if the scenario has one; the caller frees it.
struct scenario *cli_scenario_quietly(const struct scenario_schema *schema, const char *argument,
                                      char **sets, uint64_t seed, char **why);

// The figures (struct figure_spec *) of the references. Returns NULL after printed mistakes. Free
// with g_ptr_array_unref.
GPtrArray *cli_figure_specs(void);

// The figures that the words name, or all without words. Returns NULL after a printed error. Free
// before `specs`.
GPtrArray *cli_figures_named(const GPtrArray *specs, char **words);

// Prints on stderr the gaps and failures of a picture (sim/figures/document.h).
void cli_figure_notes(json_t *document);

// Whether no written file (path NULL: none) is also another file of the list, or one from which the
// scenario (NULL: none) was read. If not, prints an error.
bool cli_files_differ(const struct scenario *scenario, const struct file_use *uses, int count);

// Whether series of a figure lost data; if so, prints that.
bool cli_figure_lost(const json_t *document);

// The path of a shipped scenario, testbed or sweep, by its name in `netsim list`, with or without
// .yaml. Returns NULL after a printed error. The caller frees it.
char *cli_shipped(const char *name);

// The node at a path of maps ("host.memory"), or NULL.
const struct node *cli_node_at(const struct node *tree, const char *path);

// The description in a scenario's or testbed's file; NULL: it has none. The caller frees it.
char *cli_description(const char *path);

// That of a file, or of the shipped scenario or sweep with this name; NULL: there is none. The
// caller frees it.
char *cli_description_of(const char *name);

// Names (without .yaml) of the YAML files in a folder of the data directory ("scenarios",
// "scenarios/testbeds") except those of fits (NAME.fit.yaml), ascending, NULL-terminated. Free with
// g_strfreev.
char **cli_data_names(const char *folder);

#endif
