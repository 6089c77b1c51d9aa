// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a new scenario. Each key stands below a comment of what it means, as the tables of
// keys and parameters have it; parameters that one may want to set stand there as comments, with
// the values that hold without them.
#include "sim/cli/new.h"

#include "sim/cli/cli.h"
#include "sim/config/quantity.h"
#include "sim/output/text.h"
#include "sim/scenario/keys.h"
#include "sim/scenario/topology_read.h"

#include <string.h>

#define LINE_WIDTH 80
#define USUAL_SIZES "1 B .. 64 KiB"
#define USUAL_REPETITIONS "20"
#define HOST_NAME "node"

struct new_writer {
    GString *out;
    const struct new_request *request;
    const struct new_machine *machine;
    const struct scenario_schema *schema;
};

// ---- Comments ----

// Appends text as a comment, in lines that begin with `indent` blanks.
static void new_write_comment(struct new_writer *writer, int indent, const char *text)
{
    char *start = g_strdup_printf("%*s# ", indent, "");
    GString *wrapped = g_string_new(NULL);
    text_append_wrapped(wrapped, text, LINE_WIDTH - indent - 2, 0);
    char **lines = g_strsplit(wrapped->str, "\n", -1);
    for (char **line = lines; *line; line++)
        g_string_append_printf(writer->out, "%s%s\n", start, *line);
    g_strfreev(lines);
    g_string_free(wrapped, TRUE);
    g_free(start);
}

static void new_write_key_comment(struct new_writer *writer, enum scenario_key_index key)
{
    new_write_comment(writer, 0, scenario_keys[key].doc);
}

static const char *new_param_doc(const struct param_table *table, const char *name)
{
    int index = param_index(table, name);
    return index < 0 ? "" : table->params[index].doc;
}

// The values of a table at `path` of the testbed; the caller frees them.
static struct param_values *testbed_values(const struct new_writer *writer,
                                           const struct param_table *table, const char *path)
{
    struct diag_list *diags = diag_list_new();
    struct param_values *values = param_read_part(
        table, cli_node_at(writer->machine->testbed->tree, path), path, false, NULL, diags);
    diag_list_free(diags);
    return values;
}

static char *new_scalar_text(const char *text)
{
    bool plain = text && *text && !strpbrk(text, ":#{}[],&*!|>'\"%@`") && !g_ascii_isspace(*text);
    if (plain)
        return g_strdup(text);
    char *escaped = g_strescape(text ? text : "", "");
    char *quoted = g_strdup_printf("\"%s\"", escaped);
    g_free(escaped);
    return quoted;
}

// A parameter's value as YAML; NULL: it has none. The caller frees it.
static char *new_value_yaml(const struct param_values *values, const struct param *param)
{
    char *text = param_value_text(values, param);
    if (!text)
        return NULL;
    if (param->kind == PARAM_COUNTS || param->kind == PARAM_WINDOWS || param->kind == PARAM_NAMES)
        return text;
    char *yaml = new_scalar_text(text);
    g_free(text);
    return yaml;
}

// Appends a table's parameters as comments, each below its meaning.
static void new_write_table(struct new_writer *writer, const struct param_values *values,
                            int indent)
{
    for (const struct param *param = values->table->params; param->name; param++) {
        char *yaml = new_value_yaml(values, param);
        new_write_comment(writer, indent + 2, param->doc);
        g_string_append_printf(writer->out, "%*s#%s: %s\n", indent, "", param->name,
                               yaml ? yaml : "");
        g_free(yaml);
    }
}

// Appends a section of parameters as a comment: the named ones (NULL: all), as the testbed has
// them.
static void new_write_section(struct new_writer *writer, const char *path,
                              const struct param_table *table, const char *const *names)
{
    struct param_values *values = testbed_values(writer, table, path);
    g_string_append_printf(writer->out, "#%s:\n", path);
    for (const struct param *param = table->params; param->name; param++) {
        if (names && !g_strv_contains(names, param->name))
            continue;
        char *yaml = new_value_yaml(values, param);
        GString *doc = g_string_new(NULL);
        text_append_wrapped(doc, param->doc, LINE_WIDTH - 6, 0);
        char **lines = g_strsplit(doc->str, "\n", -1);
        for (char **line = lines; *line; line++)
            g_string_append_printf(writer->out, "#  # %s\n", *line);
        g_string_append_printf(writer->out, "#  %s: %s\n", param->name, yaml ? yaml : "");
        g_strfreev(lines);
        g_string_free(doc, TRUE);
        g_free(yaml);
    }
    param_values_free(values);
}

// ---- Machine ----

// Appends the parameters in which an item differs from those of all links or switches.
static void new_write_own(struct new_writer *writer, const struct param_values *own,
                          const char *path, const struct param_table *table, int64_t ports)
{
    if (!own)
        return;
    struct param_values *common = testbed_values(writer, table, path);
    for (const struct param *param = table->params; param->name; param++) {
        char *yaml = new_value_yaml(own, param), *usual = new_value_yaml(common, param);
        bool is_ports = ports > 0 && strcmp(param->name, "ports") == 0;
        if (is_ports || (yaml && g_strcmp0(yaml, usual) != 0)) {
            new_write_comment(writer, 4, param->doc);
            if (is_ports)
                g_string_append_printf(writer->out, "    ports: %d\n", (int)ports);
            else
                g_string_append_printf(writer->out, "    %s: %s\n", param->name, yaml);
        }
        g_free(usual);
        g_free(yaml);
    }
    param_values_free(common);
}

static void new_write_item_key(struct new_writer *writer, const struct param_table *table,
                               const char *key, const char *value, bool first)
{
    if (!first)
        new_write_comment(writer, 4, new_param_doc(table, key));
    g_string_append_printf(writer->out, "%s%s: %s\n", first ? "  - " : "    ", key, value);
}

static void new_write_item_count(struct new_writer *writer, const struct param_table *table,
                                 const char *key, int count)
{
    char digits[16];
    g_snprintf(digits, sizeof digits, "%d", count);
    new_write_item_key(writer, table, key, digits, false);
}

static void new_write_hosts(struct new_writer *writer)
{
    const struct topology *topology = &writer->machine->testbed->topology;
    const GArray *cards = topology_cards_of(topology, 0);
    new_write_key_comment(writer, SCENARIO_KEY_HOSTS);
    g_string_append(writer->out, "hosts:\n");
    new_write_item_key(writer, &topology_host_table, "name", HOST_NAME, true);
    new_write_item_count(writer, &topology_host_table, "count", writer->machine->hosts);
    if (!cards || writer->request->nic)
        return;
    new_write_comment(writer, 4, "the cards of each of these hosts, one link each");
    g_string_append(writer->out, "    nics:\n");
    for (guint i = 0; i < writer->machine->rails->len; i++) {
        const char *name = g_array_index(writer->machine->rails, struct new_rail, i).card;
        const struct topology_card *card =
            &g_array_index(cards, struct topology_card, topology_card_find(cards, name));
        g_string_append_printf(writer->out, "      - {name: %s, nic: %s", card->name, card->nic);
        if (card->bus >= 0)
            g_string_append_printf(
                writer->out, ", bus: %s",
                ((struct topology_bus *)g_ptr_array_index(topology->buses, (guint)card->bus))
                    ->name);
        if (card->mtu > 0)
            g_string_append_printf(writer->out, ", mtu: %d B", (int)card->mtu);
        g_string_append(writer->out, "}\n");
    }
}

// "net0leaf": the name of a group of switches. The caller frees it.
static char *switches_name(const struct new_rail *rail, const char *name)
{
    return *rail->prefix ? g_strdup_printf("%s%s", rail->prefix, name) : g_strdup(name);
}

static void new_write_switch_group(struct new_writer *writer, const struct new_rail *rail,
                                   const char *role, int count, bool group)
{
    char *name = switches_name(rail, role);
    new_write_item_key(writer, &topology_switch_item_table, "name", name, true);
    if (group)
        new_write_item_count(writer, &topology_switch_item_table, "count", count);
    new_write_own(writer, rail->box, "switch", writer->schema->switch_table, rail->ports);
    g_free(name);
}

static void new_write_switches(struct new_writer *writer)
{
    const struct new_machine *machine = writer->machine;
    int leaves = new_machine_leaves(machine), spines = new_machine_spines(machine);
    if (machine->switches == 0) {
        // A testbed with switches must not keep them.
        if (machine->testbed->topology.switches->len > 0)
            g_string_append(writer->out, "switches: []\n");
        return;
    }
    new_write_key_comment(writer, SCENARIO_KEY_SWITCHES);
    g_string_append(writer->out, "switches:\n");
    for (guint i = 0; i < machine->rails->len; i++) {
        const struct new_rail *rail = &g_array_index(machine->rails, struct new_rail, i);
        if (spines == 0) {
            new_write_switch_group(writer, rail, "switch", leaves, leaves > 1);
            continue;
        }
        new_write_switch_group(writer, rail, "leaf", leaves, true);
        if (machine->shape == NEW_SHAPE_TREE)
            new_write_switch_group(writer, rail, "root", 1, false);
        else
            new_write_switch_group(writer, rail, "spine", spines, true);
    }
}

static void new_write_link(struct new_writer *writer, const struct new_rail *rail, const char *from,
                           const char *to, int split)
{
    new_write_item_key(writer, &topology_link_item_table, "from", from, true);
    g_string_append_printf(writer->out, "    to: %s\n", to);
    if (split > 1)
        new_write_item_count(writer, &topology_link_item_table, "split", split);
    new_write_own(writer, rail->link, "link", writer->schema->link_table, 0);
}

// "node0..7.em0", or "node.em0" of all hosts. The caller frees it.
static char *hosts_range(const struct new_writer *writer, const struct new_rail *rail, int first,
                         int count)
{
    GString *text = g_string_new(HOST_NAME);
    if (count < writer->machine->hosts)
        g_string_append_printf(text, "%d", first);
    if (count < writer->machine->hosts && count > 1)
        g_string_append_printf(text, "..%d", first + count - 1);
    if (rail->card)
        g_string_append_printf(text, ".%s", rail->card);
    return g_string_free(text, FALSE);
}

static char *switches_range(const char *name, int first, int count, int all)
{
    if (all == 1)
        return g_strdup(name);
    if (count == all)
        return g_strdup(name);
    return count == 1 ? g_strdup_printf("%s%d", name, first)
                      : g_strdup_printf("%s%d..%d", name, first, first + count - 1);
}

// Joins hosts to switches, as evenly as possible: the first ones have a host more.
static void new_write_edge(struct new_writer *writer, const struct new_rail *rail, const char *name,
                           int leaves)
{
    int hosts = writer->machine->hosts, each = hosts / leaves, more = hosts % leaves;
    int blocks[][2] = {{more, each + 1}, {leaves - more, each}};
    int host = 0, box = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++) {
        int switches = blocks[i][0], count = switches * blocks[i][1];
        if (switches == 0)
            continue;
        char *from = hosts_range(writer, rail, host, count);
        char *to = switches_range(name, box, switches, leaves);
        new_write_link(writer, rail, from, to, switches);
        g_free(to);
        g_free(from);
        host += count;
        box += switches;
    }
}

// Joins each switch with the next, and in a ring the last with the first.
static void new_write_chain(struct new_writer *writer, const struct new_rail *rail,
                            const char *name)
{
    int switches = writer->machine->switches;
    char *from = g_strdup_printf("%s0..%d", name, switches - 2);
    char *to = g_strdup_printf("%s1..%d", name, switches - 1);
    char *first = g_strdup_printf("%s0", name);
    char *last = g_strdup_printf("%s%d", name, switches - 1);
    if (switches == 2)
        new_write_link(writer, rail, first, last, 1);
    else
        new_write_link(writer, rail, from, to, switches - 1);
    if (writer->machine->shape == NEW_SHAPE_RING)
        new_write_link(writer, rail, last, first, 1);
    g_free(last);
    g_free(first);
    g_free(to);
    g_free(from);
}

static void new_write_rail(struct new_writer *writer, const struct new_rail *rail)
{
    const struct new_machine *machine = writer->machine;
    int leaves = new_machine_leaves(machine), spines = new_machine_spines(machine);
    char *edge = switches_name(rail, spines > 0 ? "leaf" : "switch");
    if (machine->shape == NEW_SHAPE_DIRECT) {
        char *from = hosts_range(writer, rail, 0, 1), *to = hosts_range(writer, rail, 1, 1);
        new_write_link(writer, rail, from, to, 1);
        g_free(to);
        g_free(from);
    } else {
        new_write_edge(writer, rail, edge, leaves);
    }
    if (spines > 0) {
        bool tree = machine->shape == NEW_SHAPE_TREE;
        char *above = switches_name(rail, tree ? "root" : "spine");
        new_write_link(writer, rail, edge, above, 1);
        g_free(above);
    } else if (machine->switches > 1) {
        new_write_chain(writer, rail, edge);
    }
    g_free(edge);
}

static void new_write_links(struct new_writer *writer)
{
    const struct new_machine *machine = writer->machine;
    new_write_key_comment(writer, SCENARIO_KEY_LINKS);
    char *ends =
        g_strdup_printf("from and to: %s", new_param_doc(&topology_link_item_table, "from"));
    new_write_comment(writer, 0, ends);
    g_free(ends);
    g_string_append(writer->out, "links:\n");
    for (guint i = 0; i < machine->rails->len; i++)
        new_write_rail(writer, &g_array_index(machine->rails, struct new_rail, i));
}

// The rate of links for a card that has the given one or not.
static int64_t new_rate(const struct card_rates *rates, int64_t given)
{
    int64_t best = 0;
    if (rates->between && card_rates_have(rates, given))
        return given;
    for (const int64_t *one = rates->values; *one; one++)
        best = MAX(best, *one);
    return best;
}

// Names the card where the hosts list several and the testbed's `nic` is another one.
static void new_write_listed_nic(struct new_writer *writer)
{
    const struct new_rail *rail = &g_array_index(writer->machine->rails, struct new_rail, 0);
    const struct node *nic = node_get(writer->machine->testbed->tree, "nic");
    const struct stack_schema *stack = writer->request->stack;
    if (!rail->card || !nic || nic->kind != NODE_SCALAR || !stack->nics ||
        g_strv_contains(stack->nics, nic->text))
        return;
    g_string_append_c(writer->out, '\n');
    new_write_key_comment(writer, SCENARIO_KEY_NIC);
    g_string_append_printf(writer->out, "nic: %s\n", rail->card);
}

// The card that was asked for, and a rate of links at which it runs.
static void new_write_nic(struct new_writer *writer)
{
    const char *nic = writer->request->nic;
    if (!nic) {
        new_write_listed_nic(writer);
        return;
    }
    const struct card_rates *rates = scenario_card_rates(writer->schema, nic);
    const char *bus = scenario_card_bus(writer->schema, nic);
    struct param_values *link = testbed_values(writer, writer->schema->link_table, "link");
    const struct param *rate = &link->table->params[param_index(link->table, "rate")];
    int64_t given = *(const int64_t *)((const char *)link->values + rate->offset);
    g_string_append_c(writer->out, '\n');
    new_write_key_comment(writer, SCENARIO_KEY_NIC);
    g_string_append_printf(writer->out, "nic: %s\n", nic);
    if (rates && new_rate(rates, given) != given) {
        char *text = quantity_format(QUANTITY_BIT_RATE,
                                     (struct quantity){.integer = new_rate(rates, given)});
        new_write_comment(writer, 0, "at which this card runs:");
        g_string_append_printf(writer->out, "link:\n");
        new_write_comment(writer, 2, rate->doc);
        g_string_append_printf(writer->out, "  rate: %s\n", text);
        g_free(text);
    }
    const struct node *kind = cli_node_at(writer->machine->testbed->tree, "host.bus.kind");
    const char *plugs = kind && kind->kind == NODE_SCALAR ? kind->text : "pci";
    if (bus && strcmp(bus, plugs) != 0) {
        new_write_comment(writer, 0,
                          "the bus that this card plugs into, which has lanes in place of a width "
                          "and a clock:");
        g_string_append_printf(writer->out, "host: {bus: {kind: %s, width: 0 B, clock: 0 Hz}}\n",
                               bus);
        if (writer->machine->testbed->topology.buses->len > 0)
            g_string_append(writer->out, TOPOLOGY_BUSES_KEY ": []\n");
    }
    param_values_free(link);
}

static void new_write_machine(struct new_writer *writer)
{
    const struct new_testbed *testbed = writer->machine->testbed;
    new_write_key_comment(writer, SCENARIO_KEY_TESTBED);
    char *text = g_strdup_printf("%s: %s. Its costs hold here.", testbed->name,
                                 testbed->description ? testbed->description : "a shipped testbed");
    new_write_comment(writer, 0, text);
    g_free(text);
    g_string_append_printf(writer->out, "testbed: testbeds/%s.yaml\n", testbed->name);
    if (writer->machine->as_testbed) {
        new_write_comment(writer, 0,
                          "Its hosts, switches and links are those of the testbed; `netsim show` "
                          "prints and draws them.");
        return;
    }
    g_string_append_c(writer->out, '\n');
    new_write_hosts(writer);
    g_string_append_c(writer->out, '\n');
    new_write_switches(writer);
    g_string_append_c(writer->out, '\n');
    new_write_links(writer);
    new_write_nic(writer);
}

// ---- Workload ----

static void new_write_workload_key(struct new_writer *writer, const char *key, const char *value)
{
    new_write_comment(writer, 2, new_param_doc(&workload_table, key));
    g_string_append_printf(writer->out, "  %s: %s\n", key, value);
}

static void new_write_ranks(struct new_writer *writer, int ranks)
{
    char digits[16];
    g_snprintf(digits, sizeof digits, "%d", ranks);
    new_write_workload_key(writer, "ranks", digits);
}

// Each rank passes a message on in a ring.
static void new_write_program(struct new_writer *writer, int ranks)
{
    new_write_ranks(writer, ranks);
    new_write_workload_key(writer, "program", "");
    g_string_truncate(writer->out, writer->out->len - strlen(" \n"));
    g_string_append(writer->out,
                    "\n    - ranks: all\n"
                    "      do:\n"
                    "        - loop:\n"
                    "            count: 10\n"
                    "            do:\n"
                    "              - sendrecv: {to: (rank + 1) % ranks, from: (rank - 1) % ranks, "
                    "size: 1 KiB}\n");
}

static void new_write_benchmark(struct new_writer *writer, int ranks)
{
    const struct benchmark_schema *benchmark = writer->request->benchmark;
    new_write_comment(writer, 2, new_param_doc(&workload_table, "benchmark"));
    new_write_comment(writer, 2, benchmark->doc);
    g_string_append_printf(writer->out, "  benchmark: %s\n", benchmark->name);
    new_write_ranks(writer, ranks);
    if (!benchmark->sizeless)
        new_write_workload_key(writer, "sizes", benchmark->sizes ? benchmark->sizes : USUAL_SIZES);
    if (!benchmark->over_time && benchmark->repetitions == 0)
        new_write_workload_key(writer, "repetitions", USUAL_REPETITIONS);
    if (!benchmark->parameters)
        return;
    new_write_comment(writer, 2,
                      "of this benchmark alone, with the values that hold without them:");
    struct diag_list *diags = diag_list_new();
    struct param_values *values =
        param_read_part(benchmark->parameters, NULL, "workload", false, NULL, diags);
    new_write_table(writer, values, 2);
    param_values_free(values);
    diag_list_free(diags);
}

static void new_write_workload(struct new_writer *writer, int ranks)
{
    new_write_key_comment(writer, SCENARIO_KEY_WORKLOAD);
    g_string_append(writer->out, "workload:\n");
    if (writer->request->benchmark)
        new_write_benchmark(writer, ranks);
    else
        new_write_program(writer, ranks);
}

// ---- Parameters ----

// Whether a stack is the only one that reads a section.
static bool section_is_own(const struct scenario_schema *schema, const struct stack_schema *stack,
                           const char *path)
{
    for (const struct stack_schema *other = schema->stacks; other->name; other++)
        if (other != stack && other->sections && g_strv_contains(other->sections, path))
            return false;
    return true;
}

// The section of the stack's name, or else the last that it alone reads; NULL: there is none.
static const char *own_section(const struct scenario_schema *schema,
                               const struct stack_schema *stack)
{
    const char *own = NULL;
    for (const char *const *path = stack->sections; path && *path; path++)
        if (g_strcmp0(own, stack->name) != 0 && section_is_own(schema, stack, *path))
            own = *path;
    return own;
}

static const struct param_table *new_section_table(const struct scenario_schema *schema,
                                                   const char *path)
{
    for (const struct scenario_section *section = schema->sections; section->path; section++)
        if (strcmp(section->path, path) == 0)
            return section->table;
    return NULL;
}

static void new_write_parameters(struct new_writer *writer)
{
    static const char *const of_links[] = {"rate", "propagation", "drop_probability", NULL};
    static const char *const of_switches[] = {"discipline", "ports", "latency", "queue", NULL};
    const struct stack_schema *stack = writer->request->stack;
    char *read = stack->sections ? new_names_text(stack->sections) : g_strdup("");
    char *text = g_strdup_printf(
        "What follows are parameters as they hold without being set here; take the # away to set "
        "one. `netsim describe NAME` has all of a section, with ranges and sources; the stack %s "
        "reads %s, and link, switch and host.",
        stack->name, read);
    new_write_comment(writer, 0, text);
    g_free(text);
    g_free(read);
    if (!writer->request->nic) {
        new_write_section(writer, "link", writer->schema->link_table, of_links);
        new_write_section(writer, "switch", writer->schema->switch_table, of_switches);
    }
    const char *own = own_section(writer->schema, stack);
    if (own)
        new_write_section(writer, own, new_section_table(writer->schema, own), NULL);
}

char *new_text(const struct new_request *request, const struct new_machine *machine, int ranks,
               const struct scenario_schema *schema)
{
    struct new_writer writer = {g_string_new(NULL), request, machine, schema};
    char *head =
        g_strdup_printf("%s over %s, %d hosts. `netsim run %s` runs it, `netsim show %s "
                        "--svg FILE` draws the machine.",
                        request->benchmark ? request->benchmark->name : "A program",
                        request->stack->name, machine->hosts, request->file, request->file);
    new_write_comment(&writer, 0, head);
    g_string_append(writer.out, "\n");
    new_write_key_comment(&writer, SCENARIO_KEY_SCHEMA);
    g_string_append(writer.out, "schema: 1\n");
    new_write_key_comment(&writer, SCENARIO_KEY_NAME);
    g_string_append_printf(writer.out, "name: %s\n\n", request->name);
    new_write_machine(&writer);
    g_string_append_c(writer.out, '\n');
    new_write_key_comment(&writer, SCENARIO_KEY_STACK);
    new_write_comment(&writer, 0, request->stack->doc);
    g_string_append_printf(writer.out, "stack: %s\n\n", request->stack->name);
    new_write_workload(&writer, ranks);
    g_string_append_c(writer.out, '\n');
    new_write_parameters(&writer);
    g_free(head);
    return g_string_free(writer.out, FALSE);
}
