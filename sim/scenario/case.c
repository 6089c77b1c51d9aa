// SPDX-License-Identifier: GPL-3.0-or-later
// From one merged tree to a case: stack, NIC, sections, topology, workload.
#include "sim/scenario/case.h"
#include "sim/config/reader.h"
#include "sim/scenario/keys.h"
#include "sim/scenario/placement.h"
#include "sim/scenario/rule.h"
#include "sim/scenario/topology_read.h"
#include "sim/scenario/workload.h"

#include <string.h>

static void free_values(void *data)
{
    param_values_free(data);
}

void case_free(struct scenario_case *test_case)
{
    if (!test_case)
        return;
    g_free(test_case->name);
    g_ptr_array_free(test_case->sections, TRUE);
    topology_clear(&test_case->topology);
    workload_clear(&test_case->workload);
    node_free(test_case->tree);
    g_free(test_case);
}

// ---- Sections ----

// Checks the keys of the section tree that starts at `node`.
static void check_section_keys(const struct node *node, const char *path,
                               const struct scenario_schema *schema, struct diag_list *diags)
{
    GPtrArray *known = keys_of_section(schema, path);
    bool is_section = known->len > 1;
    if (is_section && !node_is_null(node) &&
        reader_is(node, NODE_MAP, path, "a map of parameters", diags)) {
        keys_check(node, path, known, schema, diags);
        for (guint i = 0; i < node->children->len; i++) {
            const struct node *child = g_ptr_array_index(node->children, i);
            char *child_path = reader_path(path, child->key);
            check_section_keys(child, child_path, schema, diags);
            g_free(child_path);
        }
    }
    g_ptr_array_free(known, TRUE);
}

static const struct node *find_path(const struct node *tree, const char *path)
{
    char **keys = g_strsplit(path, ".", -1);
    for (int i = 0; keys[i] && tree; i++)
        tree = node_get(tree, keys[i]);
    g_strfreev(keys);
    return tree;
}

static void read_sections(struct scenario_case *test_case, const struct scenario_schema *schema,
                          struct diag_list *diags)
{
    const struct node *tree = test_case->tree;
    for (guint i = 0; i < tree->children->len; i++) {
        const struct node *child = g_ptr_array_index(tree->children, i);
        check_section_keys(child, child->key, schema, diags);
    }
    struct node *nothing = node_new_map(tree->mark);
    for (const struct scenario_section *section = schema->sections; section->path; section++) {
        const struct node *map = find_path(tree, section->path);
        if (!map || map->kind != NODE_MAP)
            map = nothing; // what else it may be has been complained about
        // Sections of other stacks only may be left out.
        bool needed =
            test_case->stack && scenario_section_is_of(schema, section->path, test_case->stack);
        g_ptr_array_add(test_case->sections,
                        param_read_part(section->table, map, section->path, needed, NULL, diags));
    }
    node_free(nothing);
}

// ---- Stack and NIC ----

static const struct stack_schema *
read_stack(const struct node *tree, const struct scenario_schema *schema, struct diag_list *diags)
{
    const struct node *node = node_get(tree, "stack");
    GPtrArray *names = g_ptr_array_new();
    for (const struct stack_schema *stack = schema->stacks; stack->name; stack++)
        g_ptr_array_add(names, (char *)stack->name);
    g_ptr_array_add(names, NULL);
    int index = reader_choice(node, "stack", "stack", (const char *const *)names->pdata, diags);
    g_ptr_array_free(names, TRUE);
    return index < 0 ? NULL : &schema->stacks[index];
}

static void read_fidelity(struct scenario_case *test_case, struct diag_list *diags)
{
    const struct node *node = node_get(test_case->tree, "fidelity");
    if (!node)
        return;
    test_case->fidelity_mark = node->mark;
    int index = reader_choice(node, "fidelity", "fidelity", fidelity_names, diags);
    test_case->fidelity = index < 0 ? FIDELITY_PACKET : (enum fidelity)index;
}

static void read_flow(struct scenario_case *test_case, struct diag_list *diags)
{
    const struct node *node = node_get(test_case->tree, "flow");
    int index = node ? reader_choice(node, "flow", "flow", flow_player_names, diags) : -1;
    test_case->flow = index < 0 ? FLOW_BY_DEVICE : (enum flow_player)index;
}

static const char *only_one(const char *const *names)
{
    return names[0] && !names[1] ? names[0] : NULL;
}

// A host that lists no cards, or (cards) one that does and has one of that name; -1: none.
static int case_find_host(const struct topology *topology, const char *card)
{
    for (int host = 0; host < (int)topology->hosts->len; host++) {
        const GArray *cards = topology_cards_of(topology, host);
        if (card ? cards && topology_card_find(cards, card) >= 0 : !cards)
            return host;
    }
    return -1;
}

static const char *const *driven(const struct scenario_schema *schema,
                                 const struct stack_schema *stack)
{
    return stack && stack->nics ? stack->nics : schema->nics;
}

// "eepro100 (10 Mb/s or 100 Mb/s), tulip (...)": NIC models with their link rates.
static char *models_text(const char *const *nics, const struct scenario_schema *schema)
{
    GString *text = g_string_new(NULL);
    for (; *nics; nics++) {
        const struct card_rates *rates = scenario_card_rates(schema, *nics);
        char *of = rates ? card_rates_text(rates) : NULL;
        g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", *nics);
        if (of)
            g_string_append_printf(text, " (%s)", of);
        g_free(of);
    }
    return g_string_free(text, FALSE);
}

// The NIC model of hosts that list no cards: the one that the file names, or the only one.
static const char *read_model(const struct node *node, const struct scenario_case *test_case,
                              const struct scenario_schema *schema, struct diag_list *diags)
{
    const struct stack_schema *stack = test_case->stack;
    const char *const *drives = driven(schema, stack);
    if (!node && (only_one(drives) || !drives[0]))
        return only_one(drives);
    char *list = models_text(drives, schema), *hint = NULL;
    if (stack && drives[0])
        hint = g_strdup_printf("the stack %s drives %s", stack->name, list);
    else if (drives[0])
        hint = g_strdup(list);
    const char *nic = NULL;
    int index = -1;
    if (!node)
        diag_add(diags, test_case->tree->mark, "nic", hint, "must be given");
    else
        index = reader_choice(node, "nic", "NIC model", schema->nics, diags);
    if (index >= 0 && g_strv_contains(drives, schema->nics[index]))
        nic = schema->nics[index];
    else if (index >= 0)
        diag_add(diags, node->mark, "nic", hint, "the stack cannot drive the NIC model %s",
                 schema->nics[index]);
    g_free(hint);
    g_free(list);
    return nic;
}

// The NIC model of the first host's card that the stack uses.
static const char *first_model(const struct topology *topology)
{
    int used = topology_used_link(topology, 0);
    if (used < 0)
        return NULL;
    const struct topology_link *link = g_ptr_array_index(topology->links, (guint)used);
    const struct topology_card *card = topology_link_card(topology, link, link->a != 0);
    return card ? card->nic : NULL;
}

// Reads `nic` where hosts list their cards: a NIC model, or the name of a card.
static void read_nic(struct scenario_case *test_case, const struct scenario_schema *schema,
                     struct diag_list *diags)
{
    const struct topology *topology = &test_case->topology;
    const struct node *node = node_get(test_case->tree, "nic");
    const char *text = node && node->kind == NODE_SCALAR ? node->text : NULL;
    bool is_card =
        text && !g_strv_contains(schema->nics, text) && case_find_host(topology, text) >= 0;
    int plain = case_find_host(topology, NULL);
    if (is_card && plain >= 0)
        diag_add(diags, node->mark, "nic", "list its cards, or name a NIC model",
                 "%s lists no cards, and %s is no NIC model", topology_node_name(topology, plain),
                 text);
    else if (plain >= 0 || (text && g_strv_contains(schema->nics, text)))
        test_case->nic = read_model(node, test_case, schema, diags);
}

static void choose_cards(struct scenario_case *test_case, const struct scenario_schema *schema,
                         struct diag_list *diags)
{
    const struct node *node = node_get(test_case->tree, "nic");
    bool lists = test_case->topology.cards->len > 0;
    const struct topology_use use = {
        .stack = test_case->stack->name,
        .cards = test_case->stack->cards,
        .drives = driven(schema, test_case->stack),
        .card = lists && node ? node->text : NULL,
        .mark = node ? node->mark : test_case->tree->mark,
    };
    topology_use_cards(&test_case->topology, &use, diags);
    const char *first = first_model(&test_case->topology);
    if (!diag_any(diags) && first)
        test_case->nic = first;
}

struct scenario_case *case_read(const char *name, struct source_mark mark, struct node *tree,
                                const struct scenario_schema *schema, struct recording_shelf *shelf,
                                bool what_if, struct diag_list *diags)
{
    struct scenario_case *test_case = g_new0(struct scenario_case, 1);
    test_case->name = g_strdup(name);
    test_case->mark = mark;
    test_case->tree = tree;
    test_case->sections = g_ptr_array_new_with_free_func(free_values);
    read_fidelity(test_case, diags);
    read_flow(test_case, diags);
    test_case->stack = read_stack(tree, schema, diags);
    bool lists = topology_lists_cards(tree);
    if (!lists)
        test_case->nic = read_model(node_get(tree, "nic"), test_case, schema, diags);
    read_sections(test_case, schema, diags);
    topology_read(&test_case->topology, tree, schema, diags);
    if (lists)
        read_nic(test_case, schema, diags);
    workload_read(&test_case->workload, tree, schema, test_case->stack, &test_case->topology, shelf,
                  diags);
    if (!diag_any(diags))
        choose_cards(test_case, schema, diags);
    if (!diag_any(diags))
        topology_check_joined(&test_case->topology, true, diags);
    if (!diag_any(diags) && schema->check)
        schema->check(test_case, diags);
    rules_read_what_if(tree, schema, diags);
    if (diag_any(diags))
        return test_case;
    rules_check(test_case, schema, what_if, diags);
    if (test_case->stack->check)
        test_case->stack->check(test_case, diags);
    return test_case;
}
