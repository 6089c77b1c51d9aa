// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/describe_file.h"

#include "sim/calibrate/target.h"
#include "sim/config/param_map.h"
#include "sim/figures/spec.h"
#include "sim/output/json.h"
#include "sim/output/text.h"
#include "sim/scenario/sweep.h"
#include "sim/scenario/topology_read.h"
#include "sim/scenario/workload.h"
#include "sim/validate/claim.h"

#include <string.h>

#define FILE_TEXT_WIDTH 80

// The maps of a kind of file; those of checks are made when they are asked for.
struct described_file {
    const char *name;
    const struct param_table *tables[8]; // NULL-terminated
    bool checks;
};

static const struct described_file described_files[] = {
    {.name = "figures", .tables = {&figure_file_table}},
    {.name = "claims", .tables = {&claim_behaviour_table, &claim_other_table}, .checks = true},
    {.name = "targets",
     .tables = {&target_file_table, &target_tables[TARGET_POINT], &target_tables[TARGET_ORDER],
                &target_tables[TARGET_CROSSOVER], &target_tables[TARGET_GAIN]}},
    {.name = "sweep", .tables = {&sweep_table}},
    {.name = "topology",
     .tables = {&topology_host_table, &topology_bus_item_table, &topology_switch_item_table,
                &topology_link_item_table, &topology_route_table}},
    {.name = "workload", .tables = {&workload_table, &replay_table}},
};

// Called with each map of a file.
typedef void table_fn(const struct param_table *table, void *data);

static void each_table(const struct described_file *file, table_fn *visit, void *data)
{
    struct param_table check;
    for (const struct param_table *const *table = file->tables; *table; table++)
        visit(*table, data);
    for (unsigned word = 0; file->checks && check_table(word, &check); word++) {
        visit(&check, data);
        g_free((gpointer)check.params);
    }
}

// ---- Text ----

static const char *form_of(const struct param *row)
{
    return row->kind == PARAM_NODE ? row->node->form : param_kind_units(row->kind);
}

static void append_row(GString *out, const struct param *row)
{
    char *choices = row->choices ? g_strjoinv(", ", (char **)row->choices) : NULL;
    const char *form = choices ? choices : form_of(row);
    gsize begin = out->len;
    g_string_append_printf(out, "  %s = %s   ", row->name,
                           row->fallback   ? row->fallback
                           : row->optional ? "may be left out"
                                           : "must be given");
    if (text_width(out->str + begin) + text_width(form) <= FILE_TEXT_WIDTH) {
        g_string_append(out, form);
    } else {
        g_string_truncate(out, out->len - strlen("   "));
        g_string_append(out, "\n      ");
        text_append_wrapped(out, form, FILE_TEXT_WIDTH - 6, 6);
    }
    g_string_append(out, "\n      ");
    text_append_wrapped(out, row->doc, FILE_TEXT_WIDTH - 6, 6);
    g_string_append_c(out, '\n');
    g_free(choices);
}

// A map, and after it those that are in it.
static void append_table(const struct param_table *table, void *data)
{
    GString *out = data;
    char *head = g_strdup_printf("%s: %s", table->name, table->doc);
    g_string_append(out, out->len > 0 ? "\n" : "");
    text_append_wrapped(out, head, FILE_TEXT_WIDTH - 2, 2);
    g_string_append_c(out, '\n');
    g_free(head);
    for (const struct param *row = table->params; row->name; row++)
        append_row(out, row);
    for (const struct param *row = table->params; row->name; row++)
        if (row->kind == PARAM_MAP || row->kind == PARAM_LIST)
            append_table(row->table, out);
}

// ---- JSON Schema ----

static void add_schema(const struct param_table *table, void *data)
{
    json_object_set_new(data, table->name, param_map_schema(table));
}

static void print_schemas(json_t *schemas)
{
    char *text = document_text(schemas);
    fputs(text, stdout);
    g_free(text);
}

enum cli_exit describe_files(char *const *words, bool json)
{
    const char *names[G_N_ELEMENTS(described_files) + 1] = {NULL};
    GString *out = g_string_new(NULL);
    json_t *schemas = json_object();
    bool found = false;
    for (size_t i = 0; i < G_N_ELEMENTS(described_files); i++) {
        const struct described_file *file = &described_files[i];
        names[i] = file->name;
        if (words[0] && (words[1] || strcmp(words[0], file->name) != 0))
            continue;
        found = true;
        json_t *own = json_object();
        json_object_set_new(schemas, file->name, own);
        each_table(file, json ? add_schema : append_table, json ? (void *)own : (void *)out);
    }
    if (!found) {
        char *known = g_strjoinv(", ", (char **)names);
        cli_error(NULL, "describe file %s: the files are %s", words[0], known);
        g_free(known);
    } else if (json) {
        print_schemas(json_incref(schemas));
    } else {
        fputs(out->str, stdout);
    }
    json_decref(schemas);
    g_string_free(out, TRUE);
    return found ? CLI_DONE : CLI_BAD_INPUT;
}
