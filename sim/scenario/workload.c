// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/workload.h"

#include "sim/config/param_map.h"
#include "sim/config/reader.h"
#include "sim/program/communicator.h"
#include "sim/scenario/placement.h"

#include <string.h>

#define WORKLOAD_PATH "workload"

#define MOST_COUNTED (INT64_C(1) << 40) // of what a benchmark counts instead of bytes
#define MOST_STEPS 10000                // of a range of sizes
#define SIZES_STEP "step"               // before the step of a range

struct workload_kind;

struct workload_reader {
    struct workload *workload;
    const struct node *map;
    const struct workload_kind *kind;
    const struct scenario_schema *schema;
    const struct stack_schema *stack;
    const struct topology *topology;
    struct recording_shelf *shelf;
    struct diag_list *diags;
};

void workload_clear(struct workload *workload)
{
    program_free(workload->program);
    recording_unref(workload->recording);
    if (workload->sizes)
        g_array_free(workload->sizes, TRUE);
    if (workload->placement)
        g_array_free(workload->placement, TRUE);
    param_values_free(workload->parameters);
    *workload = (struct workload){0};
}

// ---- Sizes ----

static void add_size(GArray *sizes, int64_t size)
{
    for (guint i = 0; i < sizes->len; i++)
        if (g_array_index(sizes, int64_t, i) == size)
            return;
    g_array_append_val(sizes, size);
}

// step 0: doubles.
static void sizes_add_range(GArray *sizes, int64_t first, int64_t last, int64_t step)
{
    if (first == 0 && step == 0) {
        add_size(sizes, 0);
        first = 1;
    }
    for (int64_t size = first; size < last;) {
        add_size(sizes, size);
        int64_t more = step > 0 ? step : size;
        size = size > INT64_MAX - more ? last : size + more;
    }
    add_size(sizes, last);
}

// The unit of the benchmark's sizes; NULL: bytes.
static const char *counted(const struct workload_reader *reader)
{
    const struct benchmark_schema *benchmark = reader->workload->benchmark;
    return benchmark ? benchmark->counts : NULL;
}

static void complain_large(const struct workload_reader *reader, const struct node *node,
                           const char *text, const char *path, enum quantity_kind kind,
                           int64_t most)
{
    char *bound = quantity_format(kind, (struct quantity){.integer = most});
    char *hint = g_strdup_printf("at most %s", bound);
    diag_add(reader->diags, node->mark, path, hint, "\"%.40s\" is too large", text);
    g_free(hint);
    g_free(bound);
}

static bool read_size(const struct workload_reader *reader, const struct node *node,
                      const char *text, const char *path, int64_t *size)
{
    struct quantity value;
    char *error, *hint;
    const char *counts = counted(reader);
    enum quantity_kind kind = counts ? QUANTITY_COUNT : QUANTITY_SIZE;
    int64_t most = counts ? MOST_COUNTED : quantity_most_value(kind);
    bool good = quantity_parse(text, kind, &value, &error, &hint);
    if (!good)
        diag_add(reader->diags, node->mark, path, hint, "\"%.40s\": %s", text, error);
    else if (value.integer < 0)
        diag_add(reader->diags, node->mark, path, NULL, "\"%.40s\": a %s is not negative", text,
                 counts ? "count" : "size");
    else if (value.integer > most)
        complain_large(reader, node, text, path, kind, most);
    g_free(error);
    g_free(hint);
    *size = value.integer;
    return good && *size >= 0 && *size <= most;
}

// Cuts "B step C" into B and C; NULL: there is no step.
static char *cut_step(char *end)
{
    char *word = strstr(end, SIZES_STEP);
    if (!word || word == end || !g_ascii_isspace(word[-1]))
        return NULL;
    *word = '\0';
    return g_strstrip(word + strlen(SIZES_STEP));
}

// Reads the step of a range of sizes (text NULL: it doubles), which must leave few enough of them.
static bool read_step(const struct workload_reader *reader, const struct node *node,
                      const char *text, const char *path, int64_t span, int64_t *step)
{
    *step = 0;
    if (!text)
        return true;
    if (!read_size(reader, node, text, path, step))
        return false;
    bool good = *step > 0 && span / *step < MOST_STEPS;
    if (*step == 0)
        diag_add(reader->diags, node->mark, path, "write a step above 0",
                 "a range of sizes does not move with a step of 0");
    else if (!good)
        diag_add(reader->diags, node->mark, path, "write a larger step",
                 "a range of sizes has at most %d steps", MOST_STEPS);
    return good;
}

// Reads "0 B .. 4 MiB" or "1 KiB .. 64 KiB step 1 KiB", of which `end` is the part after the dots;
// `first` is NULL if the part before them is wrong.
static void read_size_range(const struct workload_reader *reader, const struct node *node,
                            const int64_t *first, char *end, const char *path)
{
    char *by = cut_step(end);
    int64_t last, step;
    if (!read_size(reader, node, g_strstrip(end), path, &last) || !first)
        return;
    if (*first > last)
        diag_add(reader->diags, node->mark, path, "write the smaller size first",
                 "\"%.40s\": the range is empty", node->text);
    else if (read_step(reader, node, by, path, last - *first, &step))
        sizes_add_range(reader->workload->sizes, *first, last, step);
}

// "64 KiB", or a range.
static void read_size_item(const struct workload_reader *reader, const struct node *node,
                           const char *path)
{
    const char *text = reader_text(node, path,
                                   counted(reader) ? "a number, or a range such as 1 .. 64"
                                                   : "a size, or a range such as 0 B .. 4 MiB",
                                   reader->diags);
    if (!text)
        return;
    char **ends = g_strsplit(text, "..", 2);
    int64_t first;
    // Nothing at all has no parts.
    bool good = read_size(reader, node, ends[0] ? g_strstrip(ends[0]) : "", path, &first);
    if (ends[0] && ends[1])
        read_size_range(reader, node, good ? &first : NULL, ends[1], path);
    else if (good)
        add_size(reader->workload->sizes, first);
    g_strfreev(ends);
}

// The sizes of a workload that names none.
static void usual_sizes(const struct workload_reader *reader)
{
    const struct benchmark_schema *benchmark = reader->workload->benchmark;
    const char *own = benchmark ? benchmark->sizes : NULL;
    if (benchmark && benchmark->sizeless) {
        add_size(reader->workload->sizes, 0);
        return;
    }
    if (counted(reader) && !own) {
        diag_add(reader->diags, reader->map->mark, WORKLOAD_PATH ".sizes", NULL,
                 "must be given: the numbers of %s", counted(reader));
        return;
    }
    struct node *usual = node_new_scalar(reader->map->mark, own ? own : WORKLOAD_SIZES);
    read_size_item(reader, usual, WORKLOAD_PATH ".sizes");
    node_free(usual);
}

// ---- Keys of benchmarks ----

// The ranks' work is given by one of three keys.
struct workload_kind {
    const char *key;
    const char *noun;          // in messages; NULL: a benchmark
    const char *communicators; // why they are refused; NULL: allowed
    void (*read)(const struct workload_reader *reader, const struct node *node);
};

// The reader of a workload, if it is a benchmark, to which the key belongs; else NULL after a
// complaint.
static const struct workload_reader *workload_benchmark_reader(const struct param_reading *reading)
{
    const struct workload_reader *reader = reading->map->context;
    if (reader->kind && reader->kind->noun)
        diag_add(reading->diags, reading->node->key_mark, WORKLOAD_PATH, NULL,
                 "%s belongs to a benchmark, and this is %s", reading->param->name,
                 reader->kind->noun);
    return reader->kind && reader->kind->noun ? NULL : reader;
}

static bool read_benchmark(const struct param_reading *reading)
{
    const struct workload_reader *reader = reading->map->context;
    GPtrArray *names = g_ptr_array_new();
    const struct benchmark_schema *benchmarks = reader->schema->benchmarks;
    for (const struct benchmark_schema *one = benchmarks; one->name; one++)
        g_ptr_array_add(names, (char *)one->name);
    g_ptr_array_add(names, NULL);
    int index = reader_choice(reading->node, reading->path, "benchmark",
                              (const char *const *)names->pdata, reading->diags);
    g_ptr_array_free(names, TRUE);
    if (index < 0)
        return false;
    reader->workload->benchmark = &benchmarks[index];
    reader->workload->repetitions = benchmarks[index].repetitions;
    return true;
}

static bool read_sizes(const struct param_reading *reading)
{
    const struct workload_reader *reader = workload_benchmark_reader(reading);
    const struct node *sizes = reading->node;
    const struct benchmark_schema *benchmark = reader ? reader->workload->benchmark : NULL;
    if (!reader)
        return false;
    if (benchmark && benchmark->sizeless) {
        diag_add(reading->diags, sizes->key_mark, WORKLOAD_PATH, NULL, "%s has no message size",
                 benchmark->name);
        return false;
    }
    if (sizes->kind != NODE_LIST) {
        read_size_item(reader, sizes, reading->path);
        return true;
    }
    if (sizes->children->len == 0)
        diag_add(reading->diags, sizes->mark, reading->path, NULL, "the list is empty");
    for (guint i = 0; i < sizes->children->len; i++) {
        char *path = reader_path_item(reading->path, i);
        read_size_item(reader, g_ptr_array_index(sizes->children, i), path);
        g_free(path);
    }
    return true;
}

static bool workload_node_is(const struct node *node, const char *word)
{
    return node->kind == NODE_SCALAR && g_strcmp0(node->text, word) == 0;
}

static bool read_repetitions(const struct param_reading *reading)
{
    const struct workload_reader *reader = workload_benchmark_reader(reading);
    const struct benchmark_schema *benchmark = reader ? reader->workload->benchmark : NULL;
    if (benchmark && benchmark->over_time)
        diag_add(reading->diags, reading->node->key_mark, reading->path, "duration says how long",
                 "%s runs for a time, and repeats nothing", benchmark->name);
    return reader && (workload_node_is(reading->node, "auto") ||
                      reader_count(reading->node, reading->path, 1, INT64_MAX,
                                   &reader->workload->repetitions, reading->diags));
}

static bool read_samples(const struct param_reading *reading)
{
    static const char *const words[] = {"false", "true", NULL};
    const struct workload_reader *reader = workload_benchmark_reader(reading);
    if (!reader)
        return false;
    const struct benchmark_schema *benchmark = reader->workload->benchmark;
    int chosen = reader_choice(reading->node, reading->path, "value", words, reading->diags);
    reader->workload->samples = chosen == 1;
    if (chosen == 1 && benchmark && benchmark->overlapping)
        diag_add(reading->diags, reading->node->mark, reading->path, NULL,
                 "the messages of %s overlap, so that a single one has no time of its own",
                 benchmark->name);
    return chosen >= 0;
}

// So many equal repetitions, or periods of them, end a size.
static bool read_steady(const struct param_reading *reading)
{
    const struct workload_reader *reader = workload_benchmark_reader(reading);
    const struct node *node = reading->node;
    int64_t steady = 0;
    if (!reader || workload_node_is(node, "false"))
        return reader != NULL;
    const struct benchmark_schema *benchmark = reader->workload->benchmark;
    if (reader->workload->samples)
        return param_refuse(reading, NULL, "leave one of them out",
                            "samples keeps each repetition, and steady leaves some out");
    if (benchmark && benchmark->over_time) {
        diag_add(reading->diags, node->key_mark, reading->path, NULL,
                 "%s runs for a time, and repeats nothing", benchmark->name);
        return false;
    }
    bool good = reader_count(node, reading->path, WORKLOAD_LEAST_STEADY, WORKLOAD_MOST_STEADY,
                             &steady, reading->diags);
    reader->workload->steady = (int)steady;
    return good;
}

static void refuse_communicators(const struct workload_reader *reader)
{
    const struct node *node = node_get(reader->map, COMMUNICATORS_KEY);
    if (node && reader->kind->communicators)
        diag_add(reader->diags, node->key_mark, WORKLOAD_PATH, NULL,
                 COMMUNICATORS_KEY " belong to a free program, and %s",
                 reader->kind->communicators);
}

// ---- The keys ----

#define STEADY_LEAST G_STRINGIFY(WORKLOAD_LEAST_STEADY)
#define STEADY_MOST G_STRINGIFY(WORKLOAD_MOST_STEADY)
#define COUNT_FROM_1 "{\"type\": \"integer\", \"minimum\": 1"

static const struct param_node benchmark_node = {.read = read_benchmark, .form = "NAME"};
static const struct param_node program_node = {
    .read = param_node_later, .form = "[OPERATION, ...]", .make = program_schema};
static const struct param_node sizes_node = {.read = read_sizes, .form = "SIZE or [SIZE, ...]"};
static const struct param_node repetitions_node = {
    .read = read_repetitions,
    .form = "auto, or a number",
    .schema = "{\"anyOf\": [{\"const\": \"auto\"}, " COUNT_FROM_1 "}], \"default\": \"auto\"}"};
static const struct param_node ranks_node = {
    .read = param_node_later, .form = "a number", .schema = COUNT_FROM_1 "}"};
static const struct param_node placement_node = {
    .read = param_node_later, .form = "cyclic, block or [HOST, ...]", .make = placement_schema};
static const struct param_node communicators_node = {
    .read = param_node_later, .form = "{NAME: [RANK, ...]}", .make = communicators_schema};
static const struct param_node samples_node = {.read = read_samples,
                                               .form = "true or false",
                                               .schema =
                                                   "{\"type\": \"boolean\", \"default\": false}"};
static const struct param_node steady_node = {
    .read = read_steady,
    .form = "false, or a number from " STEADY_LEAST " to " STEADY_MOST,
    .schema = "{\"anyOf\": [{\"const\": false}, {\"type\": \"integer\", \"minimum\": " STEADY_LEAST
              ", \"maximum\": " STEADY_MOST "}]}"};
static const struct param_node replay_node = {
    .read = param_node_later, .form = "FILE", .schema = PARAM_SCHEMA_TEXT};

#define WORKLOAD_KEY(name_, node_, doc_)                                                           \
    {                                                                                              \
        .name = (name_), .kind = PARAM_NODE, .node = &(node_), .optional = true, .doc = (doc_)     \
    }

static const struct param workload_rows[] = {
    WORKLOAD_KEY("benchmark", benchmark_node,
                 "the benchmark that the ranks run, in place of a program or a recording"),
    WORKLOAD_KEY("program", program_node, "what each rank does, operation by operation"),
    WORKLOAD_KEY("sizes", sizes_node,
                 "a size, a range A .. B that doubles, or with `step C` adds C, or a list of such"),
    WORKLOAD_KEY("repetitions", repetitions_node,
                 "how often each size is repeated; auto: as often as the benchmark does it"),
    WORKLOAD_KEY("ranks", ranks_node, "the number of ranks"),
    WORKLOAD_KEY(PLACEMENT_KEY, placement_node,
                 "the hosts of the ranks in order; without it they go round all hosts"),
    WORKLOAD_KEY(COMMUNICATORS_KEY, communicators_node, "communicators besides that of all ranks"),
    WORKLOAD_KEY("samples", samples_node, "true: the time of each repetition is kept"),
    WORKLOAD_KEY("steady", steady_node, "so many equal repetitions end a size; false: all are run"),
    WORKLOAD_KEY(REPLAY_KEY, replay_node, "a recorded program, in place of a benchmark"),
    {.name = NULL},
};

// Reads what the keys of the workload's kind are for, once all others are known.
static bool finish_workload(const struct param_map *map)
{
    const struct workload_reader *reader = map->context;
    reader->kind->read(reader, node_get(map->node, reader->kind->key));
    return true;
}

const struct param_table workload_table =
    PARAM_TABLE(struct workload, workload_rows, .name = "workload", .doc = "what the ranks do",
                .finish = finish_workload);

// Whether the stack can run what the workload asks for.
static void check_stack(const struct workload_reader *reader, const struct node *node,
                        const char *name)
{
    if (!reader->stack || g_strv_contains(reader->stack->benchmarks, name))
        return;
    char *list = g_strjoinv(", ", (char **)reader->stack->benchmarks);
    char *hint = g_strdup_printf("it can run %s", list);
    diag_add(reader->diags, node->mark, WORKLOAD_PATH, hint, "the stack %s cannot run %s%s",
             reader->stack->name, strcmp(name, WORKLOAD_PROGRAM) == 0 ? "a free " : "", name);
    g_free(hint);
    g_free(list);
}

// ---- Ranks ----

static int usual_ranks_of(const struct benchmark_schema *benchmark, int hosts)
{
    int least = MAX(benchmark->least_ranks, 1);
    if (!benchmark->rank_per_host)
        return least;
    return MAX(benchmark->most_ranks ? MIN(hosts, benchmark->most_ranks) : hosts, least);
}

// How many ranks there are if the file does not say.
static int usual_ranks(const struct workload_reader *reader)
{
    const struct benchmark_schema *benchmark = reader->workload->benchmark;
    int placed = node_get(reader->map, PLACEMENT_KEY) ? (int)reader->workload->placement->len : 0;
    if (reader->workload->recording)
        return recording_ranks(reader->workload->recording);
    if (benchmark)
        return MAX(placed, usual_ranks_of(benchmark, (int)reader->topology->hosts->len));
    bool all;
    int named = program_ranks_named(node_get(reader->map, "program"), &all);
    int hosts = placed > 0 ? placed : (int)reader->topology->hosts->len;
    return MIN(all ? MAX(named, hosts) : MAX(named, placed), PROGRAM_MOST_RANKS);
}

// A benchmark may run on some numbers of ranks only.
static void check_refusal(const struct workload_reader *reader, struct source_mark mark)
{
    const struct workload *workload = reader->workload;
    const struct benchmark_schema *benchmark = workload->benchmark;
    if (!benchmark || !benchmark->refusal)
        return;
    char *allowed = benchmark->refusal(workload->parameters->values, workload->ranks);
    if (allowed)
        diag_add(reader->diags, mark, WORKLOAD_PATH ".ranks", NULL,
                 "%s does not run on %d ranks: their number must be %s", benchmark->name,
                 workload->ranks, allowed);
    g_free(allowed);
}

static void check_ranks(const struct workload_reader *reader, struct source_mark mark)
{
    int ranks = reader->workload->ranks;
    const struct benchmark_schema *benchmark = reader->workload->benchmark;
    if (benchmark && ranks < benchmark->least_ranks)
        diag_add(reader->diags, mark, WORKLOAD_PATH ".ranks", NULL,
                 "%s needs at least %d ranks, not %d", benchmark->name, benchmark->least_ranks,
                 ranks);
    else if (benchmark && benchmark->most_ranks && ranks > benchmark->most_ranks)
        diag_add(reader->diags, mark, WORKLOAD_PATH ".ranks", NULL,
                 "%s runs on at most %d ranks, not %d", benchmark->name, benchmark->most_ranks,
                 ranks);
    const struct recording *recording = reader->workload->recording;
    if (recording && ranks != recording_ranks(recording))
        diag_add(reader->diags, mark, WORKLOAD_PATH ".ranks", NULL,
                 "the recording has %d ranks, not %d", recording_ranks(recording), ranks);
    check_refusal(reader, mark);
    int hosts = (int)reader->topology->hosts->len;
    if (reader->stack && reader->stack->one_process_per_host && hosts && ranks > hosts)
        diag_add(reader->diags, mark, WORKLOAD_PATH ".ranks", "take more hosts or fewer ranks",
                 "the stack %s runs one process a host, and %d ranks do not fit %d host%s",
                 reader->stack->name, ranks, hosts, hosts == 1 ? "" : "s");
    else
        placement_check(reader->map, reader->workload->placement, ranks, reader->topology,
                        reader->stack, reader->diags);
}

static bool read_ranks(const struct workload_reader *reader)
{
    bool block;
    reader->workload->placement =
        placement_read(reader->map, reader->topology, &block, reader->diags);
    const struct node *node = node_get(reader->map, "ranks");
    int64_t ranks = 0;
    if (!node)
        ranks = usual_ranks(reader);
    else if (!reader_count(node, WORKLOAD_PATH ".ranks", 1, PROGRAM_MOST_RANKS, &ranks,
                           reader->diags))
        return false;
    reader->workload->ranks = (int)ranks;
    if (block)
        placement_spread(reader->workload->placement, (int)ranks);
    check_ranks(reader, node ? node->mark : reader->map->mark);
    return true;
}

// ---- Keys of a benchmark's own ----

// The benchmark that the file names; NULL if there is none, of which is complained elsewhere.
static const struct benchmark_schema *named_benchmark(const struct workload_reader *reader)
{
    const struct node *name = node_get(reader->map, "benchmark");
    if (!name || name->kind != NODE_SCALAR)
        return NULL;
    for (const struct benchmark_schema *one = reader->schema->benchmarks; one->name; one++)
        if (g_strcmp0(one->name, name->text) == 0)
            return one;
    return NULL;
}

// A key that belongs to another benchmark is sent there.
static void check_workload_keys(const struct workload_reader *reader)
{
    const struct benchmark_schema *benchmark = named_benchmark(reader);
    bool replays = node_get(reader->map, REPLAY_KEY);
    GPtrArray *known = workload_keys_of(benchmark);
    if (replays) {
        g_ptr_array_set_size(known, (gint)known->len - 1);
        param_table_names(&replay_table, known);
        g_ptr_array_add(known, NULL);
    }
    for (guint i = 0; i < reader->map->children->len; i++) {
        const struct node *child = g_ptr_array_index(reader->map->children, i);
        if (g_strv_contains((const char *const *)known->pdata, child->key))
            continue;
        for (const struct benchmark_schema *other = reader->schema->benchmarks; other->name;
             other++)
            if (other->parameters && param_index(other->parameters, child->key) >= 0) {
                char *path = reader_path(WORKLOAD_PATH, child->key);
                diag_add(reader->diags, child->key_mark, path, NULL, "belongs to %s, and not to %s",
                         other->name,
                         benchmark ? benchmark->name
                         : replays ? "a recording"
                                   : "a free program");
                g_free(path);
                g_ptr_array_free(known, TRUE);
                return;
            }
    }
    reader_keys(reader->map, WORKLOAD_PATH, (const char *const *)known->pdata, reader->diags);
    g_ptr_array_free(known, TRUE);
}

GPtrArray *workload_keys_of(const struct benchmark_schema *benchmark)
{
    GPtrArray *keys = g_ptr_array_new();
    param_table_names(&workload_table, keys);
    if (benchmark && benchmark->parameters)
        param_table_names(benchmark->parameters, keys);
    g_ptr_array_add(keys, NULL);
    return keys;
}

// ---- The kinds ----

static void read_for_benchmark(const struct workload_reader *reader, const struct node *node)
{
    const struct benchmark_schema *benchmark = reader->workload->benchmark;
    if (!node_get(reader->map, "sizes"))
        usual_sizes(reader);
    if (!benchmark)
        return;
    if (benchmark->parameters)
        reader->workload->parameters = param_read_part(benchmark->parameters, reader->map,
                                                       WORKLOAD_PATH, true, NULL, reader->diags);
    check_stack(reader, node, benchmark->name);
    read_ranks(reader);
}

// The first call of a recording that the stack lacks.
static void check_operations(const struct workload_reader *reader)
{
    const struct recording *recording = reader->workload->recording;
    if (!reader->stack)
        return;
    const struct op_library library = {.name = reader->stack->name,
                                       .operations = reader->stack->operations,
                                       .own = reader->stack->own};
    for (int code = 0; operation_table[code].name; code++) {
        int line, rank;
        if (!recording_first(recording, (enum op_code)code, &rank, &line) ||
            op_library_has(&library, &operation_table[code]))
            continue;
        struct source_mark mark = {recording_file(recording, rank), line, 1};
        diag_add(reader->diags, mark, WORKLOAD_PATH "." REPLAY_KEY, NULL, "the stack %s has no %s",
                 reader->stack->name, operation_table[code].name);
    }
}

static void read_for_recording(const struct workload_reader *reader, const struct node *replay)
{
    check_stack(reader, replay, WORKLOAD_PROGRAM);
    reader->workload->parameters =
        param_read_part(&replay_table, reader->map, WORKLOAD_PATH, true, NULL, reader->diags);
    reader->workload->recording = recording_shelf_take(reader->shelf, replay, reader->diags);
    if (!reader->workload->recording)
        return;
    replay_check(reader->workload->recording, reader->map, reader->workload->parameters->values,
                 reader->diags);
    check_operations(reader);
    read_ranks(reader);
}

static void read_for_program(const struct workload_reader *reader, const struct node *program)
{
    check_stack(reader, program, WORKLOAD_PROGRAM);
    struct op_library library = {.all = reader->schema->operations};
    if (reader->stack) {
        library.name = reader->stack->name;
        library.operations = reader->stack->operations;
        library.own = reader->stack->own;
    }
    if (read_ranks(reader))
        reader->workload->program =
            program_read(program, node_get(reader->map, COMMUNICATORS_KEY), reader->workload->ranks,
                         &library, WORKLOAD_PATH ".program", reader->diags);
}

static const struct workload_kind workload_kinds[] = {
    {"benchmark", NULL, "this is a benchmark", read_for_benchmark},
    {"program", "a free program", NULL, read_for_program},
    {REPLAY_KEY, "a recording", "a recording has its own", read_for_recording},
};

// The kind by the key that the map has; NULL after a complaint about none or several.
static const struct workload_kind *kind_of(const struct node *map, struct diag_list *diags)
{
    const struct workload_kind *kind = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(workload_kinds); i++) {
        const struct node *node = node_get(map, workload_kinds[i].key);
        if (node && kind) {
            diag_add(diags, node->key_mark, WORKLOAD_PATH, "keep one of them",
                     "%s and %s exclude each other", kind->key, workload_kinds[i].key);
            return NULL;
        }
        kind = node ? &workload_kinds[i] : kind;
    }
    if (!kind)
        diag_add(diags, map->mark, WORKLOAD_PATH, NULL,
                 "the key benchmark, program or replay is missing");
    return kind;
}

void workload_read(struct workload *workload, const struct node *tree,
                   const struct scenario_schema *schema, const struct stack_schema *stack,
                   const struct topology *topology, struct recording_shelf *shelf,
                   struct diag_list *diags)
{
    const struct node *map = node_get(tree, WORKLOAD_PATH);
    workload->sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
    if (!map) {
        diag_add(diags, tree->mark, WORKLOAD_PATH, "write workload: {benchmark: NAME}",
                 "there must be a workload");
        return;
    }
    if (!reader_is(map, NODE_MAP, WORKLOAD_PATH, "a map", diags))
        return;
    workload->mark = map->mark;
    struct workload_reader reader = {workload, map, NULL, schema, stack, topology, shelf, diags};
    check_workload_keys(&reader);
    reader.kind = kind_of(map, diags);
    const struct param_map keys = {&workload_table, map,  WORKLOAD_PATH, workload, NULL,
                                   &reader,         diags};
    if (!reader.kind)
        return;
    refuse_communicators(&reader);
    param_map_read_part(&keys);
}
