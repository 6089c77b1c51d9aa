// SPDX-License-Identifier: GPL-3.0-or-later
// netsim flatten: the messages that a program's calls come to, rank by rank.
#include "sim/cli/cli.h"

#include "sim/config/quantity.h"
#include "sim/flatten/flatten.h"
#include "sim/output/json.h"
#include "sim/run/flatten_case.h"
#include "sim/run/schema.h"

static const char *const flatten_formats[] = {"table", "json", NULL};
enum flatten_format { FLATTEN_TABLE, FLATTEN_JSON };

struct flatten_arguments {
    char **sets, **series;
    char *rank, *format;
    gboolean allow_unused, wide;
};

// A series while it is printed.
struct printing {
    const struct scenario_case *test_case;
    struct flatten *flatten;
    enum flatten_format format;
};

static const char *name_of(const struct flat_op *op)
{
    if (op->kind == FLAT_SEND && op->synchronous)
        return "issend";
    return op->kind == FLAT_OTHER || op->kind == FLAT_MEASURE ? op->call->kind->name
                                                              : flat_kind_name(op->kind);
}

static bool has_peer(const struct flat_op *op)
{
    return op->kind <= FLAT_IPROBE || (op->kind == FLAT_OTHER && op->peer >= 0);
}

static bool has_size(const struct flat_op *op)
{
    return op->kind != FLAT_WAIT && op->kind != FLAT_COMPUTE && op->kind != FLAT_PROBE &&
           op->kind != FLAT_IPROBE && !op_call_is(op->call, OP_MEASURE_START);
}

// ---- As a table ----

static void append_quantity(GString *line, enum quantity_kind kind, int64_t value)
{
    char *text = quantity_format(kind, (struct quantity){.integer = value});
    g_string_append_printf(line, "%s%s", line->len > 0 ? ", " : "", text);
    g_free(text);
}

static void append_number(GString *line, const char *before, int number)
{
    if (number < 0)
        g_string_append_printf(line, "%sany", before);
    else
        g_string_append_printf(line, "%s%d", before, number);
}

// "from 3, 64 KiB, tag 7"
static void append_detail(GString *line, const struct flat_op *op)
{
    bool sends = op->kind == FLAT_SEND || op->kind == FLAT_OTHER;
    if (has_peer(op))
        append_number(line, sends ? "to " : "from ", op->peer);
    if (has_size(op))
        append_quantity(line, QUANTITY_SIZE, op->size);
    if (op->kind == FLAT_COMPUTE)
        append_quantity(line, QUANTITY_DURATION, op->time);
    if (op->kind <= FLAT_IPROBE && op->context == CONTEXT_POINT_TO_POINT)
        append_number(line, ", tag ", op->tag);
    if (op->kind <= FLAT_IPROBE && op->group)
        g_string_append_printf(line, ", in %s", op->group->name);
    for (int i = 0; i < op->awaited_count; i++)
        g_string_append_printf(line, "%s%u", i > 0 ? " " : "", op->awaited[i]);
}

static void print_row(int rank, const struct flat_op *op)
{
    GString *detail = g_string_new(NULL);
    char *number = op->request ? g_strdup_printf("%u", op->request) : g_strdup("");
    append_detail(detail, op);
    char *line = g_strdup_printf("%4d  %-14s  %-14s  %7s  %s", rank, op->call->kind->name,
                                 name_of(op), number, detail->str);
    cli_print("%s\n", g_strchomp(line));
    g_free(line);
    g_free(number);
    g_string_free(detail, TRUE);
}

// ---- As JSON ----

static json_t *rank_json(int rank)
{
    return rank < 0 ? json_string("any") : json_integer(rank);
}

static json_t *awaited_json(const struct flat_op *op)
{
    json_t *json = json_array();
    for (int i = 0; i < op->awaited_count; i++)
        json_array_append_new(json, json_integer(op->awaited[i]));
    return json;
}

static json_t *op_json(const char *series, int rank, const struct flat_op *op)
{
    json_t *json = json_pack("{s:s, s:i, s:s, s:s}", "series", series, "rank", rank, "call",
                             op->call->kind->name, "operation", name_of(op));
    const struct source_mark *mark = op->call->mark;
    if (mark->line > 0)
        json_object_set_new(json, "at",
                            json_sprintf("%s:%d:%d", mark->file, mark->line, mark->column));
    if (op->request)
        json_object_set_new(json, "request", json_integer(op->request));
    if (has_peer(op))
        json_object_set_new(json, "peer", rank_json(op->peer));
    if (op->kind <= FLAT_IPROBE) {
        json_object_set_new(json, "tag", rank_json(op->tag));
        json_object_set_new(json, "collective", json_boolean(op->context == CONTEXT_COLLECTIVE));
        if (op->group)
            json_object_set_new(json, "communicator", json_string(op->group->name));
    }
    if (has_size(op))
        json_object_set_new(json, "bytes", json_integer(op->size));
    if (op->kind == FLAT_COMPUTE)
        json_object_set_new(json, "ps", json_integer(op->time));
    if (op->kind == FLAT_WAIT)
        json_object_set_new(json, "requests", awaited_json(op));
    return json;
}

static void print_line(const char *series, int rank, const struct flat_op *op)
{
    json_t *json = op_json(series, rank, op);
    char *text = json_dumps(json, JSON_COMPACT);
    puts(text);
    free(text);
    json_decref(json);
}

// ---- Ranks and series ----

// "FILE:1:2: ", or "" for a benchmark's call. The caller frees it.
static char *place_of(const struct op_call *call)
{
    const struct source_mark *mark = call->mark;
    return mark->line == 0 ? g_strdup("")
                           : g_strdup_printf("%s:%d:%d: ", mark->file, mark->line, mark->column);
}

static enum cli_exit print_rank(const struct printing *printing, int rank)
{
    struct flat_op op;
    enum source_next next = SOURCE_CALL;
    while (!ferror(stdout) && (next = flatten_next(printing->flatten, rank, &op)) == SOURCE_CALL) {
        if (printing->format == FLATTEN_TABLE)
            print_row(rank, &op);
        else
            print_line(printing->test_case->name, rank, &op);
    }
    if (next != SOURCE_WRONG)
        return CLI_DONE;
    char *place = place_of(op.call);
    cli_error(NULL, "%s%s, rank %d: %s", place, op.call->kind->name, rank, op.call->wrong);
    g_free(place);
    return CLI_RUN_FAILED;
}

// rank: -1: all.
static enum cli_exit print_series(const struct scenario_case *test_case, int rank,
                                  enum flatten_format format)
{
    struct workload workload = test_case->workload;
    if (workload.repetitions == 0)
        workload.repetitions = 1;
    struct printing printing = {test_case, flatten_case(&model_registry, test_case, &workload),
                                format};
    enum cli_exit code = CLI_DONE;
    if (format == FLATTEN_TABLE)
        cli_print("%s\nrank  call            operation       request  what\n", test_case->name);
    for (int i = MAX(rank, 0); code == CLI_DONE && i < workload.ranks; i++) {
        if (rank < 0 || rank == i)
            code = print_rank(&printing, i);
    }
    flatten_free(printing.flatten);
    return code;
}

// The number of a rank, or -1 for a NULL text. False and an error on stderr if it is none.
static bool read_rank(const char *text, int *rank)
{
    gint64 number = -1;
    GError *error = NULL;
    if (text && !g_ascii_string_to_signed(text, 10, 0, PROGRAM_MOST_RANKS - 1, &number, &error)) {
        cli_error("ranks are counted from 0", "--rank %s: %s", text, error->message);
        g_error_free(error);
        return false;
    }
    *rank = (int)number;
    return true;
}

static bool rank_exists(const struct scenario *scenario, int rank, char **series)
{
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
        if (!cli_series_wanted(series, test_case->name) || rank < test_case->workload.ranks)
            continue;
        cli_error(NULL, "--rank %d: %s has the ranks 0..%d", rank, test_case->name,
                  test_case->workload.ranks - 1);
        return false;
    }
    return true;
}

// The operations of a benchmark over time depend on the run.
static bool known_beforehand(const struct scenario *scenario, char **series)
{
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
        const struct benchmark_schema *benchmark = test_case->workload.benchmark;
        if (!cli_series_wanted(series, test_case->name) || !benchmark || !benchmark->over_time)
            continue;
        cli_error(NULL, "%s: %s writes until a time is over: how often, only a run says",
                  test_case->name, benchmark->name);
        return false;
    }
    return true;
}

static enum cli_exit flatten_argument(char **words, const void *data)
{
    const struct flatten_arguments *arguments = data;
    int format = cli_choice("--format", arguments->format, flatten_formats), rank;
    if (format < 0 || !read_rank(arguments->rank, &rank))
        return CLI_BAD_INPUT;
    struct scenario_schema *schema = registry_schema(&model_registry);
    schema->check = NULL; // of a run's needs of the machine and of the network
    struct scenario *scenario =
        cli_scenario(schema, words[0], arguments->sets, arguments->allow_unused, 0);
    enum cli_exit code = CLI_BAD_INPUT;
    if (scenario && cli_series_exist(scenario, arguments->series) &&
        rank_exists(scenario, rank, arguments->series) &&
        known_beforehand(scenario, arguments->series)) {
        code = CLI_DONE;
        for (guint i = 0; code == CLI_DONE && i < scenario->cases->len; i++) {
            const struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
            if (cli_series_wanted(arguments->series, test_case->name))
                code = print_series(test_case, rank, (enum flatten_format)format);
        }
    }
    scenario_free(scenario);
    registry_schema_free(schema);
    return code;
}

const struct cli_option cli_flatten_options[] = {
    CLI_SERIES_OPTION(struct flatten_arguments, series),
    {.name = "rank",
     .value = CLI_TEXT,
     .offset = offsetof(struct flatten_arguments, rank),
     .argument = "N",
     .summary = "only this rank"},
    CLI_SETTING_OPTIONS(struct flatten_arguments),
    CLI_WIDE_OPTION(struct flatten_arguments, wide),
    CLI_FORMAT_OPTION(struct flatten_arguments, format, flatten_formats,
                      "JSON is one object a line, with sizes in bytes and times in picoseconds."),
    CLI_OPTIONS_END,
};

enum cli_exit cli_flatten(const struct cli_command *command, int argc, char **argv)
{
    struct flatten_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, flatten_argument);
}
