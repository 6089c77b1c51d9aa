// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/cli.h"

#include "sim/cli/reference.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct cli_command cli_commands[] = {
    {"run", "SCENARIO", "run every series of a scenario",
     "Prints a table and what ran, and writes results.csv and manifest.json to\n"
     "results/NAME/. SCENARIO is a file, the name of a scenario that `netsim list` shows, or - "
     "for\n"
     "standard input.\n"
     "Ends with 0 if all went well, 1 if the scenario or the command line is wrong, 2 if messages\n"
     "are missing from a run that came to its end, 3 if the simulated program failed.",
     cli_run, cli_run_options, 1, 1, CLI_WORDS_SCENARIO, NULL},
    {"check", "SCENARIO...", "validate a scenario without running it",
     "Reads each scenario and all that it includes, and reports every mistake with its place.",
     cli_check, cli_check_options, 1, INT_MAX, CLI_WORDS_SCENARIO, NULL},
    {"describe", "[NAME|WORD...]", "print or search the parameters of the models",
     "Prints every parameter with its unit, default, range, meaning and source, and the\n"
     "operations of programs with their keys; those of a NAME, which is a model, section, stack,\n"
     "benchmark or operation, or a parameter's path. Other words are searched in the names and\n"
     "meanings of all parameters: those that have all of them are listed, the best first.\n\n"
     "  netsim describe file [NAME]      the keys of figures, claims, targets, sweeps,\n"
     "                                   of a topology and of a workload\n"
     "  netsim describe machine [NAME]   the state machines of the protocols, and their steps",
     cli_describe, cli_describe_options, 0, INT_MAX, CLI_WORDS_SECTION, NULL},
    {"list", "[KIND]", "list stacks, testbeds, benchmarks, scenarios and sweeps",
     "KIND is stacks, testbeds, benchmarks, scenarios or sweeps, all of which are listed if none "
     "is\n"
     "given; or figures, sections or parameters.",
     cli_list, cli_list_options, 0, 1, CLI_WORDS_CHOICE, cli_list_kinds},
    {"new", "NAME", "write a scenario with comments, to begin with",
     "Writes NAME.yaml, which passes `netsim check` and runs: a machine of the size asked for, "
     "with\n"
     "the costs of a shipped testbed, a stack, and a benchmark that it runs. Its comments explain\n"
     "each key, and list the parameters that one may want to set.\n\n"
     "  netsim new mine --stack lam_tcp --hosts 16 --switches 2 --benchmark pmb.alltoall",
     cli_new, cli_new_options, 1, 1, CLI_WORDS_NONE, NULL},
    {"show", "NAME [HOST]", "show a scenario as it is resolved, and draw its machine",
     "Prints series, hosts, switches, links, ranks and the values that files and --set give, of a\n"
     "scenario, testbed or sweep: a file, a name that `netsim list` has, or - for standard input.\n"
     "--svg and --dot draw the machine, --route FROM prints the routes from a host to HOST.\n\n"
     "  netsim show x306 --svg x306.svg\n"
     "  netsim show pingpong_cluster1 --route node0 node5\n"
     "  netsim show pingpong_cluster1 --file >mine.yaml",
     cli_show, cli_show_options, 1, 2, CLI_WORDS_SHIPPED, NULL},
    {"bench", "[PART...]", "measure the speed of the simulator",
     "Measures the event engine, the network, the MPI stacks and the memory of a large cluster on\n"
     "this machine, in seconds of processors, or only these parts: hold, star, clos, allpairs,\n"
     "streams, messages, collectives, nas, flows, memory. Where Debian's libns3-dev is installed,\n"
     "the same frames go through ns-3; where libsimgrid-dev is, short messages and thousands of\n"
     "ranks on flows go through SMPI, and the latter through SimGrid used bare.",
     cli_bench, cli_bench_options, 0, INT_MAX, CLI_WORDS_NONE, NULL},
    {"sweep", "SCENARIO", "run a scenario with many values of its parameters",
     "Runs all combinations of the values given by --set and by the scenario's own `sweep:`, in\n"
     "parallel, into a database; what is in it is not run again, and an interrupted sweep goes on\n"
     "where it stopped. A run that fails is a result. Under mpirun, all ranks work.\n\n"
     "  netsim sweep --report DIR|DATABASE   what a sweep has shown\n"
     "  netsim sweep merge OUT DATABASE...   join the databases of shards\n\n"
     "Ends with 2 if a run lost data, crashed the simulator or took longer than --time-limit.",
     cli_sweep, cli_sweep_options, 1, 1, CLI_WORDS_RESULT, NULL},
    {"explain", "SCENARIO", "say where the time of a message goes",
     "Takes the critical path of a message apart: library, traps, copies, buses, cards, wires,\n"
     "switches, interrupts, wake-ups, waiting. The parts add up to the measured time exactly.\n"
     "Without --size: a row for each size, by class of the stages. With it the stages themselves,\n"
     "how busy each resource was and how many waited for it, and what bounds the run.\n"
     "A benchmark is explained with at most 20 repetitions of each size.\n"
     "Ends with 3 if the simulated program failed, and says why.",
     cli_explain, cli_explain_options, 1, 1, CLI_WORDS_SCENARIO, NULL},
    {"diagram", "SCENARIO", "draw the path of one message through hosts, cards and links",
     "Draws the space-time diagram of a message as SVG or HTML: a column for each program, "
     "library, "
     "kernel,\n"
     "bus, card, link and switch, an arrow for each packet, the steps of state machines, the "
     "critical\n"
     "path in colour, and for each time the parameters that it depends on.\n"
     "Ends with 3 if the simulated program failed.",
     cli_diagram, cli_diagram_options, 1, 1, CLI_WORDS_SCENARIO, NULL},
    {"flatten", "SCENARIO", "say which messages a program's calls come to",
     "Prints what each rank does as point-to-point operations, one a line: collectives as the\n"
     "schedules that the series' library runs, with the copies and reductions between their\n"
     "messages. A started request has a number, by which a wait names it. Nothing is simulated.\n"
     "A benchmark has one repetition of each size unless workload.repetitions is given:\n\n"
     "  netsim flatten bcast_cluster1 --series MPICH --set 'workload.sizes=64 KiB'\n\n"
     "Ends with 3 if the program can't be evaluated, and says where.",
     cli_flatten, cli_flatten_options, 1, 1, CLI_WORDS_SCENARIO, NULL},
    {"export", "TARGET SCENARIO", "write a scenario for other programs",
     "TARGET is ti: what each rank of a program, of a benchmark with MPI or of a replay calls, as\n"
     "SimGrid's time-independent traces. NAME.txt of each series lists the files of its ranks; a\n"
     "README has the command line of smpirun. Collectives stay collectives. Nothing is simulated.\n"
     "What these traces can't express is refused with its place.\n\n"
     "  netsim export ti replay_stencil --series 'LAM TCP' --out stencil",
     cli_export, cli_export_options, 2, 2, CLI_WORDS_SCENARIO, NULL},
    {"trace", "FILE", "say what is in a recorded program",
     "FILE is what `workload.replay` takes: a list of SimGrid's time-independent traces, such a\n"
     "trace of all ranks, or the .otf2 file of an OTF2 archive. Prints its calls by operation "
     "with\n"
     "their sizes, who sends how much to whom, and how much each rank computes. All of it is\n"
     "checked; mistakes have file and line. Nothing is simulated.\n\n"
     "  netsim trace traces/stencil_16/trace.txt --matrix stencil.png",
     cli_trace, cli_trace_options, 1, 1, CLI_WORDS_FILE, NULL},
    {"validate", "[PATTERN...]", "hold the claims of the sources against what is simulated",
     "Runs what the claims of references/claims/ look at, prints for each what was expected, what\n"
     "came out and the verdict, and the totals. PATTERN is a system (via), the start of an id\n"
     "(via.pingpong), an id, or a glob ('via.*.c2.*'). Ends with 2 if a claim misses that is not\n"
     "known to.",
     cli_validate, cli_validate_options, 0, INT_MAX, CLI_WORDS_NONE, NULL},
    {"compare", "A B", "compare two results curve by curve",
     "A and B are directories that `netsim run' wrote, files of `run --format json', CSV files, "
     "or\n"
     "databases: FILE.sqlite#KEY is the case with that key, FILE.sqlite#PATH=VALUE the points of\n"
     "its newest sweep with that value. Ends with 2 if a curve deviates by more than the "
     "tolerance,\n"
     "or one of both lacks a series or a point.",
     cli_compare, cli_compare_options, 2, 2, CLI_WORDS_RESULT, NULL},
    {"plot", "SCENARIO|DIR|DATABASE|CSV...", "draw scenarios, results, sweeps and measured points",
     "A SCENARIO is run first; DIR is what `netsim run` or `netsim sweep` wrote, DATABASE that of\n"
     "a sweep, CSV a results.csv or measured points: columns size, latency_us or another metric,\n"
     "error, series. Several come into one picture. Latency and bandwidth over message sizes; of "
     "a\n"
     "sweep, the axes that do most: lines over one, fields of colours over two. --x alone draws "
     "lines\n"
     "over that axis, --y a field. What failed is marked. With --figure the axes, series and "
     "marks\n"
     "are those of a figure of the references. Needs Debian's python3-matplotlib.",
     cli_plot, cli_plot_options, 1, INT_MAX, CLI_WORDS_RESULT, NULL},
    {"report", "DIR|DATABASE...", "write runs and sweeps as one page of HTML",
     "DIR is what `netsim run` or `netsim sweep` wrote, DATABASE that of a sweep. The page has\n"
     "their curves, which can be zoomed, read off and switched, with bands; values, links and\n"
     "losses; where the time of a run's messages goes; claims of the sources; every parameter "
     "with\n"
     "its source; and what was typed. It is one file that needs no network. Needs Debian's\n"
     "python3-matplotlib; without its node-d3 the pictures are SVG.",
     cli_report, cli_report_options, 1, INT_MAX, CLI_WORDS_RESULT, NULL},
    {"figures", "[ID...]", "draw the figures of the references",
     "Simulates what is not in DIR/cache.sqlite, draws each figure from it with what its source\n"
     "states, and writes DIR/index.html, which puts each beside its claims and their verdicts.\n"
     "ID is as --list shows it (via.fig.6_1, via.*), the same without its system (fig.6_1), or a\n"
     "number (6.1); all without it. What is missing or failed is said. Needs Debian's\n"
     "python3-matplotlib.",
     cli_figures, cli_figures_options, 0, INT_MAX, CLI_WORDS_FIGURE, NULL},
    {"calibrate", "SCENARIO", "fit parameters to reference points",
     "Looks for the values of the --fit parameters with which the scenario comes nearest to the\n"
     "points, orders and crossovers of --to, by least squares, and says how well each is\n"
     "determined and which can't be told apart. The overlay that it writes is for a testbed's\n"
     "`include'. Only the sizes that are asked for are run. With --posterior it weighs draws of "
     "all\n"
     "uncertain constants by --to, and writes them as an ensemble.",
     cli_calibrate, cli_calibrate_options, 1, 1, CLI_WORDS_SCENARIO, NULL},
    {"fit", "MEASURED", "fit a machine to measured points",
     "MEASURED is a CSV file of points, with the columns size, value and, if there are any, "
     "series,\n"
     "metric, unit and error. Builds the scenario that they were measured with, finds out which "
     "of\n"
     "its uncertain constants the points can determine and which they can't tell apart, fits the\n"
     "former, weighs draws of all of them, and writes the fitted values for a testbed's "
     "`include',\n"
     "a scenario that has them, and a picture of the points, the curve, its band and the "
     "residuals.\n\n"
     "  netsim fit measured.csv --testbed cluster1 --stack lam_tcp",
     cli_fit, cli_fit_options, 1, 1, CLI_WORDS_FILE, NULL},
    {"help", "[COMMAND]", "explain a command", NULL, cli_help, cli_help_options, 0, 1,
     CLI_WORDS_COMMAND, NULL},
    {.name = NULL},
};

void cli_usage(FILE *out)
{
    fputs("netsim simulates cluster interconnects packet by packet.\n\n"
          "Usage:\n  netsim COMMAND [OPTION...] [ARGUMENT...]\n\nCommands:\n",
          out);
    for (const struct cli_command *command = cli_commands; command->name; command++)
        fprintf(out, "  %-10s%s\n", command->name, command->summary);
    fputs("\nOptions:\n"
          "  --version  print the version\n"
          "  --help     print this text\n"
          "\n`netsim help COMMAND` explains a command. A first run:\n"
          "  netsim run scenarios/pingpong_cluster1.yaml\n",
          out);
}

static const struct cli_command *command_find(const char *name)
{
    for (const struct cli_command *command = cli_commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

static enum cli_exit command_unknown(const char *name)
{
    const char *names[G_N_ELEMENTS(cli_commands)] = {NULL};
    for (size_t i = 0; cli_commands[i].name; i++)
        names[i] = cli_commands[i].name;
    // The launcher of a source tree takes this word for itself; here it was not called.
    char *hint = strcmp(name, "test") == 0
                     ? g_strdup("only the launcher ./netsim of a source tree runs the tests")
                     : cli_did_you_mean(name, names);
    char *all = g_strjoinv(", ", (char **)names);
    char *known = g_strdup_printf("there are %s", all);
    cli_error(hint ? hint : known, "unknown command `%s'", name);
    g_free(known);
    g_free(all);
    g_free(hint);
    return CLI_BAD_INPUT;
}

static enum cli_exit command_run(const struct cli_command *command, int argc, char **argv)
{
    char *name = g_strconcat("netsim ", command->name, NULL);
    g_set_prgname(name);
    g_free(name);
    return command->run(command, argc, argv);
}

struct help_arguments {
    char *fill;
};

const struct cli_option cli_help_options[] = {
    {.name = "fill",
     .value = CLI_TEXT,
     .offset = offsetof(struct help_arguments, fill),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "print FILE with the parts made anew that come from the tables of options",
     .more = "They stand between lines with `Begin: NAME` and `End`; the man page and the files of "
             "completion have such parts."},
    CLI_OPTIONS_END,
};

// The help of one command, NULL: of the program.
static enum cli_exit help_print(char *name)
{
    const struct cli_command *about = name ? command_find(name) : NULL;
    if (name && !about)
        return command_unknown(name);
    if (!about || about->run == cli_help) {
        cli_usage(stdout);
        return CLI_DONE;
    }
    char *arguments[] = {name, (char[]){"--help"}, NULL};
    return command_run(about, 2, arguments);
}

static enum cli_exit help_words(char **words, const void *data)
{
    const struct help_arguments *arguments = data;
    return arguments->fill ? reference_fill(arguments->fill, cli_commands) : help_print(words[0]);
}

enum cli_exit cli_help(const struct cli_command *command, int argc, char **argv)
{
    struct help_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, help_words);
}

// Whether stdout is a pipe without a reader.
static bool reader_is_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) > 0 && (output.revents & POLLERR);
}

// Checks that the printed text has arrived. A reader that went away (`| head`) is no error.
static enum cli_exit finish_output(enum cli_exit code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    if (errno == EPIPE || reader_is_gone())
        return code;
    cli_error(NULL, "standard output could not be written: %s", g_strerror(errno ? errno : EIO));
    return code == CLI_DONE ? CLI_BAD_INPUT : code;
}

static enum cli_exit dispatch(int argc, char **argv)
{
    if (argc < 2) {
        cli_usage(stderr);
        return CLI_BAD_INPUT;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        puts("netsim " NETSIM_VERSION);
        return CLI_DONE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        cli_usage(stdout);
        return CLI_DONE;
    }
    if (word[0] == '-') {
        cli_error("a command comes first; `netsim help` lists them", "unknown option `%s'", word);
        return CLI_BAD_INPUT;
    }
    const struct cli_command *command = command_find(word);
    if (!command)
        return command_unknown(word);
    GPtrArray *words = cli_words_split(command, argc - 1, argv + 1);
    // The parser removes the options that it has read from the array.
    char **rest = g_memdup2(words->pdata, sizeof(char *) * words->len);
    enum cli_exit code = command_run(command, (int)words->len - 1, rest);
    g_free(rest);
    g_ptr_array_unref(words);
    return code;
}

// ---- Out of memory ----

// With less than this the rest of the program can't go on.
#define SPARE_BYTES ((size_t)4 << 20)

static void G_GNUC_NORETURN out_of_memory(void)
{
    static const char text[] =
        "netsim: out of memory (`netsim check' says what a scenario needs; a "
        "limit may be that of ulimit -v)\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(CLI_BAD_INPUT);
}

// GLib ends the program with a message and a trap when it gets no memory.
static void on_glib_error(const char *domain, GLogLevelFlags level, const char *message,
                          gpointer owner)
{
    if (strstr(message, "failed to allocate"))
        out_of_memory();
    g_log_default_handler(domain, level, message, owner);
}

// If there is no memory even for the message, there is only the trap. GLib raises it in an ordinary
// call, after malloc has returned: it interrupts nothing, so that the handler may allocate.
// NOLINTBEGIN(bugprone-signal-handler,cert-sig30-c)
static void on_trap(int number)
{
    void *more = malloc(SPARE_BYTES);
    if (!more)
        out_of_memory();
    free(more);
    signal(number, SIG_DFL);
    raise(number);
}
// NOLINTEND(bugprone-signal-handler,cert-sig30-c)

int cli_main(int argc, char **argv)
{
    signal(SIGTRAP, on_trap);
    g_log_set_handler("GLib", G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION,
                      on_glib_error, NULL);
    // A closed pipe is seen as an error of the write, which is reported, not as a silent death.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // so is a file that gets too large
    return (int)finish_output(dispatch(argc, argv));
}
