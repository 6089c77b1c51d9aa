// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/unused.h"

#include "sim/config/reader.h"
#include "sim/net/topology.h"
#include "sim/scenario/keys.h"

#include <string.h>

struct unused {
    const struct scenario_schema *schema;
    GHashTable *used;  // places of values that some case reads
    GHashTable *found; // the others: place -> struct finding *
    GPtrArray *order;  // of struct finding *
};

struct finding {
    struct source_mark mark;
    const char *what; // static: "nothing reads this"
    char *path, *reason;
};

// Of the case that is being checked.
struct search {
    struct unused *unused;
    bool links;       // whether links are checked
    const char *file; // NULL: only what --set has given
    const struct scenario_case *test_case;
};

static char *place_text(struct source_mark mark)
{
    return g_strdup_printf("%s:%d:%d", mark.file, mark.line, mark.column);
}

// Given in the scenario's own file or with --set; a default has no line either.
static bool is_own(const struct search *search, struct source_mark mark)
{
    if (mark.line == 0)
        return mark.file && g_str_has_prefix(mark.file, "--set ");
    return search->file && strcmp(mark.file, search->file) == 0;
}

// ---- Links ----

// An item of `links` may be many links, of which each is checked.
static char *link_key(const struct topology *topology, int link)
{
    const struct topology_link *one = g_ptr_array_index(topology->links, (guint)link);
    char *at = place_text(one->mark), *key = g_strdup_printf("%s link %d", at, link);
    g_free(at);
    return key;
}

// Hosts that list their cards are a machine: what leads to a card that the stack does not drive, or
// that `nic` does not choose, is no mistake.
static bool is_left_out(const struct scenario_case *test_case, const struct topology_link *link)
{
    const char *const *drives = test_case->stack->nics;
    bool chosen = node_get(test_case->tree, "nic") != NULL;
    for (int end = 0; end < 2; end++) {
        const struct topology_card *card = topology_link_card(&test_case->topology, link, end);
        if (card && link->idle[end] && (chosen || (drives && !g_strv_contains(drives, card->nic))))
            return true;
    }
    return false;
}

static void use_links(const struct search *search)
{
    const struct topology *topology = &search->test_case->topology;
    for (int i = 0; search->links && i < (int)topology->links->len; i++)
        if (topology_idle_host(topology, i) < 0 ||
            is_left_out(search->test_case, g_ptr_array_index(topology->links, (guint)i)))
            g_hash_table_add(search->unused->used, link_key(topology, i));
}

// ---- What is read ----

static void use_values(const struct search *search, const struct param_values *values)
{
    for (int i = 0; values && values->table->params[i].name; i++)
        if (is_own(search, values->origins[i]))
            g_hash_table_add(search->unused->used, place_text(values->origins[i]));
}

static void use_case(const struct search *search)
{
    use_links(search);
    const struct scenario_case *test_case = search->test_case;
    const struct topology *topology = &test_case->topology;
    for (guint i = 0; i < test_case->sections->len; i++) {
        const struct param_values *values = g_ptr_array_index(test_case->sections, i);
        if (scenario_case_reads(test_case, search->unused->schema, values->path))
            use_values(search, values);
    }
    for (guint i = 0; i < topology->own->len; i++) {
        const GPtrArray *own = g_ptr_array_index(topology->own, i);
        for (guint k = 0; k < own->len; k++)
            use_values(search, g_ptr_array_index(own, k));
    }
    for (guint i = 0; i < topology->buses->len; i++) {
        const struct topology_bus *bus = g_ptr_array_index(topology->buses, i);
        use_values(search, bus->values);
    }
    const struct param_values *before = NULL; // links of one item share theirs
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        if (link->values != before)
            use_values(search, link->values);
        before = link->values;
    }
    for (guint i = 0; i < topology->switches->len; i++) {
        const struct topology_switch *box = g_ptr_array_index(topology->switches, i);
        if (box->values != before)
            use_values(search, box->values);
        before = box->values;
    }
}

// ---- What decides instead ----

// Says what link or switch has its own value of a parameter of which there is a common one.
static void name_own(const struct param_values *values, const char *kind, const char *key,
                     GString *message)
{
    int index = param_index(values->table, key);
    struct source_mark mark = values->origins[index];
    char *text = param_value_text(values, &values->table->params[index]);
    g_string_append_printf(message, "every %s has its own, the first %s", kind, text);
    if (mark.line)
        g_string_append_printf(message, " (%s:%d:%d)", mark.file, mark.line, mark.column);
    else
        g_string_append_printf(message, " (%s)", mark.file);
    g_free(text);
}

static char *common_reason(const struct search *search, const char *kind, const char *key)
{
    const struct topology *topology = &search->test_case->topology;
    GString *message = g_string_new(NULL);
    bool links = strcmp(kind, "link") == 0;
    if (links && topology->links->len > 0) {
        const struct topology_link *link = g_ptr_array_index(topology->links, 0);
        name_own(link->values, kind, key, message);
    } else if (!links && topology->switches->len > 0) {
        const struct topology_switch *box = g_ptr_array_index(topology->switches, 0);
        name_own(box->values, kind, key, message);
    } else {
        g_string_append_printf(message, "there is no %s", kind);
    }
    return g_string_free(message, FALSE);
}

// Of a section: which stacks read it, or that it is another card's or choice's.
static char *section_reason(const struct search *search, const char *path)
{
    GString *message = g_string_new(NULL);
    const char *card = scenario_section_card(search->unused->schema, path);
    const struct section_choice *choice = scenario_case_leaves_out(search->test_case, path);
    if (choice) {
        g_string_append_printf(message, "%s reads it only with %s.%s: %s",
                               search->test_case->stack->name, choice->of, choice->key,
                               choice->value);
    } else if (card) {
        g_string_append_printf(message, "no series has the card %s", card);
    } else {
        const char *between = "no series runs ";
        for (const struct stack_schema *stack = search->unused->schema->stacks; stack->name;
             stack++) {
            if (!stack->sections || !g_strv_contains(stack->sections, path))
                continue;
            g_string_append_printf(message, "%s%s", between, stack->name);
            between = " or ";
        }
        g_string_append(message, ", which read it");
    }
    return g_string_free(message, FALSE);
}

// ---- Complaints ----

static void note(struct unused *unused, struct source_mark mark, const char *what, const char *path,
                 const char *reason)
{
    struct finding *finding = g_new(struct finding, 1);
    *finding = (struct finding){mark, what, g_strdup(path), g_strdup(reason)};
    g_ptr_array_add(unused->order, finding);
    g_hash_table_insert(unused->found, place_text(mark), finding);
}

static char *idle_reason(const struct scenario_case *test_case, int host)
{
    const struct topology *topology = &test_case->topology;
    int used = topology_used_link(topology, host);
    const struct topology_link *other = g_ptr_array_index(topology->links, (guint)used);
    const struct topology_card *card =
        topology_link_card(topology, other, topology_link_node(other, 1) == host);
    if (card)
        return g_strdup_printf("of the cards of %s, %s uses %s (%s:%d:%d)",
                               topology_node_name(topology, host), test_case->stack->name,
                               card->name, other->mark.file, other->mark.line, other->mark.column);
    return g_strdup_printf("%s has a card for each of its links, and %s uses that of "
                           "the first (%s:%d:%d)",
                           topology_node_name(topology, host), test_case->stack->name,
                           other->mark.file, other->mark.line, other->mark.column);
}

static void look_at_links(const struct search *search)
{
    const struct topology *topology = &search->test_case->topology;
    for (int i = 0; search->links && i < (int)topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, (guint)i);
        int host = topology_idle_host(topology, i);
        char *key = link_key(topology, i), *at = place_text(link->mark);
        if (host >= 0 && !g_hash_table_contains(search->unused->used, key) &&
            !g_hash_table_contains(search->unused->found, at)) {
            char *reason = idle_reason(search->test_case, host);
            note(search->unused, link->mark, "no packet takes this link", "links", reason);
            g_free(reason);
        }
        g_free(key);
        g_free(at);
    }
}

// The place of a parameter's value: of {value: V, source: TEXT}, that of V.
static const struct node *value_of(const struct node *node)
{
    const struct node *value = node->kind == NODE_MAP ? node_get(node, "value") : NULL;
    return value ? value : node;
}

// One given value of the parameter `key` of `path`; common: the defaults of links or switches.
static void look_at(const struct search *search, const struct node *node, const char *path,
                    bool common)
{
    const struct node *value = value_of(node);
    if (!is_own(search, value->mark))
        return;
    char *at = place_text(value->mark), *where = reader_path(path, node->key);
    if (!g_hash_table_contains(search->unused->used, at) &&
        !g_hash_table_contains(search->unused->found, at)) {
        char *reason =
            common ? common_reason(search, path, node->key) : section_reason(search, path);
        note(search->unused, value->mark, "nothing reads this", where, reason);
        g_free(reason);
    }
    g_free(where);
    g_free(at);
}

static const struct param_table *table_at(const struct search *search, const char *path,
                                          bool *common)
{
    *common = strcmp(path, "link") == 0 || strcmp(path, "switch") == 0;
    if (*common)
        return *path == 'l' ? search->unused->schema->link_table
                            : search->unused->schema->switch_table;
    for (const struct scenario_section *section = search->unused->schema->sections; section->path;
         section++)
        if (strcmp(section->path, path) == 0)
            return section->table;
    return NULL;
}

static bool is_section(const struct search *search, const char *path)
{
    bool common;
    if (table_at(search, path, &common))
        return true;
    GPtrArray *keys = keys_of_section(search->unused->schema, path);
    bool is = keys->len > 1;
    g_ptr_array_free(keys, TRUE);
    return is;
}

// Goes through the parameters at and under a path.
static void search_section(const struct search *search, const struct node *node, const char *path)
{
    bool common;
    const struct param_table *table = table_at(search, path, &common);
    if (node->kind != NODE_MAP || !is_section(search, path))
        return;
    for (guint i = 0; i < node->children->len; i++) {
        const struct node *child = g_ptr_array_index(node->children, i);
        if (table && param_index(table, child->key) >= 0) {
            look_at(search, child, path, common);
            continue;
        }
        char *below = reader_path(path, child->key);
        search_section(search, child, below);
        g_free(below);
    }
}

// ---- All scenarios ----

static void free_finding(void *data)
{
    struct finding *finding = data;
    g_free(finding->path);
    g_free(finding->reason);
    g_free(finding);
}

struct unused *unused_new(const struct scenario_schema *schema)
{
    struct unused *unused = g_new(struct unused, 1);
    unused->schema = schema;
    unused->used = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    unused->found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    unused->order = g_ptr_array_new_with_free_func(free_finding);
    return unused;
}

void unused_free(struct unused *unused)
{
    if (!unused)
        return;
    g_hash_table_unref(unused->used);
    g_hash_table_unref(unused->found);
    g_ptr_array_unref(unused->order);
    g_free(unused);
}

void unused_add(struct unused *unused, const GPtrArray *cases, const char *file, bool only_sets)
{
    struct search search = {.unused = unused, .links = !only_sets, .file = only_sets ? NULL : file};
    for (guint i = 0; i < cases->len; i++) {
        search.test_case = g_ptr_array_index(cases, i);
        use_case(&search);
    }
    for (guint i = 0; i < cases->len; i++) {
        search.test_case = g_ptr_array_index(cases, i);
        look_at_links(&search);
        const GPtrArray *keys = search.test_case->tree->children;
        for (guint k = 0; k < keys->len; k++) {
            const struct node *child = g_ptr_array_index(keys, k);
            search_section(&search, child, child->key);
        }
    }
}

void unused_report(const struct unused *unused, struct diag_list *diags)
{
    for (guint i = 0; i < unused->order->len; i++) {
        const struct finding *finding = g_ptr_array_index(unused->order, i);
        char *at = place_text(finding->mark);
        if (!g_hash_table_contains(unused->used, at))
            diag_add(diags, finding->mark, finding->path, "--allow-unused runs it all the same",
                     "%s: %s", finding->what, finding->reason);
        g_free(at);
    }
}
