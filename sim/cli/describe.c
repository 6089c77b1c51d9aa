// SPDX-License-Identifier: GPL-3.0-or-later
// netsim describe: the parameter tables and benchmarks as text for a terminal, the tables as
// Markdown for docs/parameters.md, and a JSON Schema for editors.
#include "sim/cli/cli.h"
#include "sim/scenario/json_schema.h"

#include "sim/cli/describe_file.h"
#include "sim/cli/describe_machine.h"
#include "sim/cli/describe_operations.h"
#include "sim/cli/describe_progress.h"
#include "sim/cli/describe_search.h"
#include "sim/config/param_kind.h"
#include "sim/config/prior.h"
#include "sim/config/reader.h"
#include "sim/core/intern.h"
#include "sim/model/model.h"
#include "sim/output/json.h"
#include "sim/output/text.h"
#include "sim/run/schema.h"
#include "sim/scenario/keys.h"

#include <string.h>

#define HIT_WIDTH 40 // of a path with its default
#define MOST_HITS 40

// Before the name of a benchmark whose own keys of the workload these are.
#define WORKLOAD_OF "workload of "

#define MACHINES "machine" // the word before the name of a state machine
#define FILES "file"       // the word before that of a kind of file

static const char *const describe_formats[] = {"text", "markdown", "json", "dot", "svg", NULL};

// ---- Which tables ----

// All sections, with those of links and switches under the keys that they have in a scenario.
static GArray *all_sections(const struct scenario_schema *schema)
{
    GArray *sections = g_array_new(FALSE, FALSE, sizeof(struct scenario_section));
    const struct scenario_section link = {"link", schema->link_table};
    const struct scenario_section node = {"switch", schema->switch_table};
    g_array_append_val(sections, link);
    g_array_append_val(sections, node);
    for (const struct scenario_section *section = schema->sections; section->path; section++)
        g_array_append_val(sections, *section);
    for (const struct benchmark_schema *one = schema->benchmarks; one->name; one++) {
        char *path = g_strconcat(WORKLOAD_OF, one->name, NULL);
        const struct scenario_section own = {intern_text(path), one->parameters};
        if (one->parameters)
            g_array_append_val(sections, own);
        g_free(path);
    }
    return sections;
}

static const struct stack_schema *find_stack(const struct scenario_schema *schema, const char *name)
{
    for (const struct stack_schema *stack = schema->stacks; stack->name; stack++)
        if (strcmp(stack->name, name) == 0)
            return stack;
    return NULL;
}

static const struct benchmark_schema *find_benchmark(const struct scenario_schema *schema,
                                                     const char *name)
{
    for (const struct benchmark_schema *one = schema->benchmarks; name && one->name; one++)
        if (strcmp(one->name, name) == 0)
            return one;
    return NULL;
}

static bool lies_below(const char *path, const char *above)
{
    size_t length = strlen(above);
    return strncmp(path, above, length) == 0 && (path[length] == '\0' || path[length] == '.');
}

// Whether MODEL means this section: its path or one above it, its table, a stack that reads it, or
// a benchmark that has it.
static bool section_is_meant(const struct scenario_section *section, const char *model,
                             const struct stack_schema *stack)
{
    if (lies_below(section->path, model) || strcmp(section->table->name, model) == 0)
        return true;
    if (g_str_has_prefix(section->path, WORKLOAD_OF) &&
        (strcmp(model, "workload") == 0 || strcmp(section->path + strlen(WORKLOAD_OF), model) == 0))
        return true;
    return stack && stack->sections && g_strv_contains(stack->sections, section->path);
}

// Answers a key that has other names now: "burst_setup", "host.bus.burst_setup". Returns false for
// others.
static bool report_renamed(const GArray *sections, const char *word)
{
    const char *dot = strrchr(word, '.');
    const char *key = dot ? dot + 1 : word;
    for (guint i = 0; i < sections->len; i++) {
        const struct scenario_section *section =
            &g_array_index(sections, struct scenario_section, i);
        const struct reader_renamed *row = reader_renamed_find(section->table->renamed, key);
        bool meant = row && (!dot || (strlen(section->path) == (size_t)(dot - word) &&
                                      g_str_has_prefix(word, section->path)));
        if (!meant)
            continue;
        char *text = reader_renamed_text(row);
        cli_error(row->note, "%s.%s: %s", section->path, key, text);
        g_free(text);
        return true;
    }
    return false;
}

static void report_unknown(const struct scenario_schema *schema, const GArray *sections,
                           char *const *words)
{
    if (!words[1] && report_renamed(sections, words[0]))
        return;
    GPtrArray *names = g_ptr_array_new();
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < sections->len; i++) {
        struct describe_hit hit = {.section = &g_array_index(sections, struct scenario_section, i)};
        if (!g_str_has_prefix(hit.section->path, WORKLOAD_OF))
            g_ptr_array_add(names, (gpointer)hit.section->path);
        for (hit.param = hit.section->table->params; hit.param->name; hit.param++) {
            g_ptr_array_add(names, (gpointer)hit.param->name);
            g_ptr_array_add(paths, describe_path(&hit));
        }
    }
    for (const struct stack_schema *stack = schema->stacks; stack->name; stack++)
        g_ptr_array_add(names, (gpointer)stack->name);
    for (const struct benchmark_schema *one = schema->benchmarks; one->name; one++)
        g_ptr_array_add(names, (gpointer)one->name);
    describe_operation_names(schema, names);
    g_ptr_array_extend(names, paths, NULL, NULL);
    g_ptr_array_add(names, NULL);
    char *hint = words[1] ? NULL : cli_did_you_mean(words[0], (const char *const *)names->pdata);
    char *all = g_strjoinv(" ", (char **)words);
    cli_error(hint ? hint : "`netsim list sections` and `netsim list parameters` list the names",
              words[1] ? "no parameter has all of these words in its name or meaning: %s"
                       : "nothing is called `%s', and no meaning has the word",
              all);
    g_free(all);
    g_free(hint);
    g_ptr_array_unref(paths);
    g_ptr_array_unref(names);
}

// The sections of `all` that MODEL (NULL: all) stands for; empty if none.
static GArray *chosen_sections(const struct scenario_schema *schema, const GArray *all,
                               const char *model)
{
    const struct stack_schema *stack = model ? find_stack(schema, model) : NULL;
    GArray *chosen = g_array_new(FALSE, FALSE, sizeof(struct scenario_section));
    for (guint i = 0; i < all->len; i++) {
        struct scenario_section section = g_array_index(all, struct scenario_section, i);
        if (!model || section_is_meant(&section, model, stack))
            g_array_append_val(chosen, section);
    }
    return chosen;
}

// ---- One parameter in words ----

// "1 B .. 64 KiB", "at least 0", the choices, or nothing. The caller frees it.
static char *range_text(const struct param *param)
{
    if (param->choices)
        return g_strjoinv(", ", (char **)param->choices);
    if (!param_types[param->kind].number)
        return g_strdup("");
    const char *least, *most;
    param_bounds(param, &least, &most);
    return most ? g_strdup_printf("%s .. %s", least, most) : g_strdup_printf("at least %s", least);
}

// The default, and for which profiles it is another: "1 s (s2007: 3 s, ns2: 3 s)". The caller frees
// it.
static char *default_text(const struct param_table *table, const struct param *param)
{
    if (!param->fallback)
        return g_strdup("must be given");
    GString *text = g_string_new(*param->fallback ? param->fallback : "empty");
    const char *lead = " (";
    for (int i = 1; param->by_profile && table->params[0].choices[i]; i++) {
        const char *value = param_fallback(param, i);
        if (strcmp(value, param->fallback) == 0)
            continue;
        g_string_append_printf(text, "%s%s: %s", lead, table->params[0].choices[i], value);
        lead = ", ";
    }
    g_string_append(text, *lead == ',' ? ")" : "");
    return g_string_free(text, FALSE);
}

// The default's source, and the claims it was chosen for; NULL: not given. The caller frees it.
static char *source_text(const struct param *param)
{
    if (!param->chosen_for)
        return g_strdup(param->source);
    char **ids = g_strsplit(param->chosen_for, " ", -1);
    char *list = g_strjoinv(", ", ids);
    char *text = g_strdup_printf("%s%schosen for %s", param->source ? param->source : "",
                                 param->source ? "; " : "", list);
    g_free(list);
    g_strfreev(ids);
    return text;
}

// The prior of a default, "within 1.6 (usual of a kernel)"; NULL: it has none. The caller frees it.
static char *default_prior_text(const struct scenario_section *section, const struct param *param)
{
    struct diag_list *diags = diag_list_new();
    struct param_values *values =
        param_read_part(section->table, NULL, section->path, false, NULL, diags);
    struct prior prior;
    char *text = NULL;
    if (prior_of(values, (int)(param - section->table->params), &prior)) {
        text = prior.usual ? g_strdup_printf("%s (usual of %s)", prior.text, prior.usual->name)
                           : g_strdup(prior.text);
        prior_clear(&prior);
    }
    param_values_free(values);
    diag_list_free(diags);
    return text;
}

// ---- Text ----

static void append_indented(GString *out, const char *text)
{
    g_string_append(out, "      ");
    text_append_wrapped(out, text, cli_wrap_width(stdout) - 6, 6);
    g_string_append_c(out, '\n');
}

// A parameter with its default, range and units: in one line if they fit, else in two or three.
static void append_param_head(GString *out, const struct param *param, const char *fallback,
                              const char *range)
{
    const char *units = param_kind_units(param->kind);
    char *within = *range ? g_strdup_printf("[%s]", range) : NULL;
    char *line = g_strdup_printf("  %s = %s%s%s   %s", param->name, fallback, within ? "   " : "",
                                 within ? within : "", units);
    if (text_width(line) <= cli_wrap_width(stdout)) {
        g_string_append_printf(out, "%s\n", line);
    } else {
        char *start = g_strdup_printf("%s = %s", param->name, fallback);
        g_string_append(out, "  ");
        text_append_wrapped(out, start, cli_wrap_width(stdout) - 6, 6);
        g_string_append_c(out, '\n');
        bool fits = within && text_width(within) + text_width(units) + 9 <= cli_wrap_width(stdout);
        if (fits)
            g_string_append_printf(out, "      %s   %s\n", within, units);
        else if (within)
            append_indented(out, within);
        if (!fits)
            append_indented(out, units);
        g_free(start);
    }
    g_free(line);
    g_free(within);
}

static void append_param_text(GString *out, const struct scenario_section *section,
                              const struct param *param)
{
    const struct param_table *table = section->table;
    char *prior = default_prior_text(section, param);
    char *range = range_text(param), *fallback = default_text(table, param);
    append_param_head(out, param, fallback, range);
    g_free(fallback);
    append_indented(out, param->doc ? param->doc : "");
    char *source = source_text(param);
    if (source) {
        char *line = g_strdup_printf("source: %s", source);
        append_indented(out, line);
        g_free(line);
        g_free(source);
    }
    if (prior) {
        char *line = g_strdup_printf("uncertain: %s", prior);
        append_indented(out, line);
        g_free(line);
        g_free(prior);
    }
    g_free(range);
}

// "links: 10 Mb/s or 100 Mb/s (source)" of a card's own section; NULL: it is none. The caller frees
// it.
static char *links_text(const struct scenario_schema *schema,
                        const struct scenario_section *section)
{
    const struct card_rates *rates = scenario_card_rates(schema, section->path);
    if (!rates)
        return NULL;
    char *text = card_rates_text(rates);
    char *line = g_strdup_printf("links: %s (source: %s)", text, rates->source);
    g_free(text);
    return line;
}

static void append_section_text(GString *out, const struct scenario_schema *schema,
                                const struct scenario_section *section)
{
    char *links = links_text(schema, section);
    char *head = g_strdup_printf("%s: %s", section->path, section->table->doc);
    g_string_append(out, out->len > 0 ? "\n" : "");
    text_append_wrapped(out, head, cli_wrap_width(stdout) - 2, 2);
    g_string_append_c(out, '\n');
    g_free(head);
    if (links) {
        g_string_append(out, "  ");
        text_append_wrapped(out, links, cli_wrap_width(stdout) - 2, 2);
        g_string_append_c(out, '\n');
    }
    g_free(links);
    for (const struct param *param = section->table->params; param->name; param++)
        append_param_text(out, section, param);
}

// Prints what a benchmark does and reports, for how many ranks and which sizes.
static void append_benchmark_text(GString *out, const struct benchmark_schema *benchmark)
{
    char *head = g_strdup_printf("%s: %s", benchmark->name, benchmark->doc);
    text_append_wrapped(out, head, cli_wrap_width(stdout) - 2, 2);
    g_free(head);
    g_string_append_printf(out, "\n  ranks: %d", MAX(benchmark->least_ranks, 1));
    if (benchmark->most_ranks == 0)
        g_string_append(out, " or more");
    else if (benchmark->most_ranks > benchmark->least_ranks)
        g_string_append_printf(out, " .. %d", benchmark->most_ranks);
    if (benchmark->over_time)
        g_string_append_printf(out,
                               "\n  over time: a value for each %s, or by bins of another length",
                               benchmark->counts);
    if (!benchmark->sizeless) {
        g_string_append_printf(out, "\n  sizes: %s",
                               benchmark->counts ? "numbers of " : "in bytes");
        g_string_append(out, benchmark->counts ? benchmark->counts : "");
        if (benchmark->sizes)
            g_string_append_printf(out, "; %s if none are given", benchmark->sizes);
    }
    g_string_append_printf(out, "\n  reports: %s\n", benchmark->metrics);
}

// ---- Markdown ----

static void append_param_markdown(GString *out, const struct scenario_section *section,
                                  const struct param *param)
{
    char *range = range_text(param), *source = source_text(param);
    char *fallback = default_text(section->table, param);
    char *prior = default_prior_text(section, param);
    g_string_append_printf(out, "| `%s` |", param->name);
    text_append_cell(out, fallback);
    g_free(fallback);
    text_append_cell(out, range);
    text_append_cell(out, param_kind_units(param->kind));
    text_append_cell(out, param->doc);
    text_append_cell(out, source);
    text_append_cell(out, prior);
    g_string_append_c(out, '\n');
    g_free(prior);
    g_free(source);
    g_free(range);
}

static void append_section_markdown(GString *out, const struct scenario_schema *schema,
                                    const struct scenario_section *section)
{
    char *links = links_text(schema, section);
    g_string_append_printf(out,
                           "\n## `%s`\n\n%s%s%s\n\n"
                           "| Parameter | Default | Range | Unit | Meaning | Source | Uncertain |\n"
                           "|---|---|---|---|---|---|---|\n",
                           section->path, section->table->doc, links ? "; " : "",
                           links ? links : "");
    g_free(links);
    for (const struct param *param = section->table->params; param->name; param++)
        append_param_markdown(out, section, param);
}

// ---- Parameters that were searched for ----

static json_t *param_json(const struct describe_hit *hit)
{
    char *path = describe_path(hit), *range = range_text(hit->param);
    char *fallback = default_text(hit->section->table, hit->param);
    char *source = source_text(hit->param);
    char *prior = default_prior_text(hit->section, hit->param);
    json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s?, s:s?, s:s?}", "path", path, "default",
                             fallback, "unit", param_kind_units(hit->param->kind), "range", range,
                             "meaning", hit->param->doc, "source", source, "uncertain", prior);
    g_free(prior);
    g_free(source);
    g_free(fallback);
    g_free(range);
    g_free(path);
    return json;
}

// The beginning of a text, cut between words to fit a line after `used` columns.
static void append_beginning(GString *out, const char *text, int used)
{
    int room = MAX(cli_wrap_width(stdout) - used, 24);
    if (text_width(text) <= room) {
        g_string_append(out, text);
        return;
    }
    GString *part = g_string_new(NULL);
    text_append_wrapped(part, text, room - 4, 0);
    g_string_truncate(part, strcspn(part->str, "\n"));
    g_string_append_printf(out, "%s ...", part->str);
    g_string_free(part, TRUE);
}

// One line of a list: path, default and the beginning of the meaning.
static void append_hit(GString *out, const struct describe_hit *hit)
{
    char *path = describe_path(hit), *fallback = default_text(hit->section->table, hit->param);
    char *head = g_strdup_printf("%s = %s", path, fallback);
    text_append_left(out, head, HIT_WIDTH);
    g_string_append(out, "  ");
    append_beginning(out, hit->param->doc ? hit->param->doc : "", MAX(HIT_WIDTH, text_width(head)));
    g_string_append_c(out, '\n');
    g_free(head);
    g_free(fallback);
    g_free(path);
}

static void append_hits(GString *out, const GArray *hits)
{
    if (hits->len == 1) {
        const struct describe_hit *hit = &g_array_index(hits, struct describe_hit, 0);
        g_string_append_printf(out, "%s\n", hit->section->path);
        append_param_text(out, hit->section, hit->param);
        return;
    }
    for (guint i = 0; i < MIN(hits->len, MOST_HITS); i++)
        append_hit(out, &g_array_index(hits, struct describe_hit, i));
    if (hits->len > MOST_HITS)
        g_string_append_printf(out, "and %u more; another word finds fewer\n",
                               hits->len - MOST_HITS);
}

// Prints each of the parameters with all that is known of it.
static void print_json(const GArray *hits)
{
    json_t *list = json_array();
    for (guint i = 0; i < hits->len; i++)
        json_array_append_new(list, param_json(&g_array_index(hits, struct describe_hit, i)));
    char *text = document_text(json_pack("{s:o}", "parameters", list));
    fputs(text, stdout);
    g_free(text);
}

static void print_hits(const GArray *hits)
{
    GString *out = g_string_new(NULL);
    append_hits(out, hits);
    fputs(out->str, stdout);
    g_string_free(out, TRUE);
}

// ---- The command ----

static void print_sections(const struct scenario_schema *schema, const char *model,
                           const GArray *sections, bool markdown)
{
    const struct benchmark_schema *benchmark = find_benchmark(schema, model);
    GString *out = g_string_new(NULL);
    if (benchmark && !markdown)
        append_benchmark_text(out, benchmark);
    if (markdown)
        g_string_append(
            out, "# Parameters\n\n"
                 "Made by `netsim describe --format markdown` from the tables in the sources.\n"
                 "A parameter's path in a scenario is its section, a dot, and its name.\n");
    for (guint i = 0; i < sections->len; i++) {
        const struct scenario_section *section =
            &g_array_index(sections, struct scenario_section, i);
        if (markdown)
            append_section_markdown(out, schema, section);
        else
            append_section_text(out, schema, section);
    }
    if (!markdown)
        describe_progress_text(out, schema, model);
    else if (!model)
        describe_progress_markdown(out, schema);
    (markdown ? describe_operations_markdown : describe_operations_text)(out, schema, model);
    fputs(out->str, stdout);
    g_string_free(out, TRUE);
}

// The parameters of sections, as if they had been searched for.
static GArray *hits_of(const GArray *sections)
{
    GArray *hits = g_array_new(FALSE, FALSE, sizeof(struct describe_hit));
    for (guint i = 0; i < sections->len; i++) {
        struct describe_hit hit = {.section = &g_array_index(sections, struct scenario_section, i)};
        for (hit.param = hit.section->table->params; hit.param->name; hit.param++)
            g_array_append_val(hits, hit);
    }
    return hits;
}

// ---- Keys of scenarios that are no sections ----

static const struct scenario_key *find_key(const char *name)
{
    const struct scenario_key *key = scenario_keys;
    while (key->name && strcmp(key->name, name) != 0)
        key++;
    return key->name ? key : NULL;
}

// The file whose maps `netsim describe file` prints for the key; NULL: none.
static const char *file_of_key(enum scenario_key_index index)
{
    switch (index) {
    case SCENARIO_KEY_SWEEP:
        return "sweep";
    case SCENARIO_KEY_HOSTS:
    case SCENARIO_KEY_BUSES:
    case SCENARIO_KEY_SWITCHES:
    case SCENARIO_KEY_LINKS:
    case SCENARIO_KEY_ROUTES:
        return "topology";
    default:
        return NULL;
    }
}

static void print_key(const struct scenario_key *key)
{
    static const struct {
        enum key_place place;
        const char *name;
    } places[] = {{KEY_IN_SCENARIO, "a scenario"},
                  {KEY_IN_TESTBED, "a testbed"},
                  {KEY_IN_SERIES, "the `set` of a series"}};
    const char *names[G_N_ELEMENTS(places) + 1] = {NULL}, **next = names;
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++)
        if (key->places & places[i].place)
            *next++ = places[i].name;
    char *in = g_strjoinv(", ", (char **)names);
    const char *file = file_of_key((enum scenario_key_index)(key - scenario_keys));
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s   a key of %s\n      ", key->name, in);
    text_append_wrapped(out, key->doc, cli_wrap_width(stdout) - 6, 6);
    g_string_append_c(out, '\n');
    if (file)
        g_string_append_printf(out, "      `netsim describe file %s` has the keys in it\n", file);
    fputs(out->str, stdout);
    g_string_free(out, TRUE);
    g_free(in);
}

// Prints the sections, benchmark or operations that the words name, or else the key of scenarios
// and the parameters that have them in name or meaning.
static enum cli_exit describe_words(const struct scenario_schema *schema, char *const *words,
                                    enum describe_format format)
{
    GArray *all = all_sections(schema);
    const char *name = words[0] && !words[1] ? words[0] : NULL;
    bool search = words[0] && words[1];
    GArray *sections = chosen_sections(schema, all, search ? "" : name);
    search |= name && sections->len == 0 && !find_benchmark(schema, name) &&
              !describe_has_operations(schema, name);
    GArray *hits = search ? describe_search(all, words) : hits_of(sections);
    const struct scenario_key *key =
        name && search && format == DESCRIBE_TEXT ? find_key(name) : NULL;
    bool found = !search || key || hits->len > 0;
    if (key)
        print_key(key);
    if (!found)
        report_unknown(schema, all, words);
    else if (format == DESCRIBE_JSON)
        print_json(hits);
    else if (!search)
        print_sections(schema, name, sections, format == DESCRIBE_MARKDOWN);
    else if (hits->len > 0)
        print_hits(hits);
    g_array_unref(hits);
    g_array_unref(sections);
    g_array_unref(all);
    return found ? CLI_DONE : CLI_BAD_INPUT;
}

static void print_schema(const struct scenario_schema *schema)
{
    char *text = document_text(scenario_json_schema(schema));
    fputs(text, stdout);
    g_free(text);
}

struct describe_arguments {
    gboolean schema, wide;
    char *format;
};

static enum cli_exit describe(char **words, const void *data)
{
    const struct describe_arguments *arguments = data;
    int format = cli_choice("--format", arguments->format, describe_formats);
    if (format < 0)
        return CLI_BAD_INPUT;
    if (words[0] && strcmp(words[0], MACHINES) == 0)
        return describe_machines(words + 1, (enum describe_format)format);
    if (format >= DESCRIBE_DOT) {
        cli_error("netsim describe machine NAME --format dot", "%s is a format of state machines",
                  describe_formats[format]);
        return CLI_BAD_INPUT;
    }
    if (words[0] && strcmp(words[0], FILES) == 0)
        return describe_files(words + 1, format == DESCRIBE_JSON);
    struct scenario_schema *schema = registry_schema(&model_registry);
    enum cli_exit code = CLI_DONE;
    if (arguments->schema)
        print_schema(schema);
    else
        code = describe_words(schema, words, (enum describe_format)format);
    registry_schema_free(schema);
    return code;
}

const struct cli_option cli_describe_options[] = {
    {.name = "json-schema",
     .value = CLI_FLAG,
     .offset = offsetof(struct describe_arguments, schema),
     .summary = "print a JSON Schema of scenarios, for editors"},
    CLI_WIDE_OPTION(struct describe_arguments, wide),
    CLI_FORMAT_OPTION(
        struct describe_arguments, format, describe_formats,
        "As `markdown` it is the reference of parameters; as `json` a list of them, each "
        "with path, default, unit, range, meaning and source. `dot` and `svg` (by Graphviz) draw "
        "a state machine."),
    CLI_OPTIONS_END,
};

enum cli_exit cli_describe(const struct cli_command *command, int argc, char **argv)
{
    struct describe_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, describe);
}
