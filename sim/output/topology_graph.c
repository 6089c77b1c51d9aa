// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/topology_graph.h"

#include "sim/output/text.h"

#include <string.h>

#define MOST_HOSTS 40 // that are drawn one by one
#define MOST_SWITCHES 40

// ---- Names ----

// The number at the end of a name, after its stem; -1: it has none.
static long graph_name_number(const char *name, size_t *stem)
{
    size_t length = strlen(name), digits = length;
    while (digits > 0 && g_ascii_isdigit(name[digits - 1]))
        digits--;
    *stem = digits;
    return digits == length || length - digits > 8 ? -1 : strtol(name + digits, NULL, 10);
}

static bool graph_follows(const char *name, const char *before)
{
    size_t stem, stem_before;
    long number = graph_name_number(name, &stem), last = graph_name_number(before, &stem_before);
    return number >= 0 && last >= 0 && number == last + 1 && stem == stem_before &&
           strncmp(name, before, stem) == 0;
}

char *topology_names_text(const struct topology *topology, const GArray *nodes)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < nodes->len;) {
        const char *first = topology_node_name(topology, g_array_index(nodes, int, i));
        guint end = i + 1;
        while (end < nodes->len &&
               graph_follows(topology_node_name(topology, g_array_index(nodes, int, end)),
                             topology_node_name(topology, g_array_index(nodes, int, end - 1))))
            end++;
        const char *last = topology_node_name(topology, g_array_index(nodes, int, end - 1));
        g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "", first);
        if (end == i + 2)
            g_string_append_printf(out, ", %s", last);
        else if (end > i + 2)
            g_string_append_printf(out, " .. %s", last);
        i = end;
    }
    return g_string_free(out, FALSE);
}

char *topology_link_rate(const struct topology_link *link)
{
    int index = param_index(link->values->table, "rate");
    return index < 0 ? g_strdup("")
                     : param_value_text(link->values, &link->values->table->params[index]);
}

// ---- Levels and networks ----

// For each node of the topology: 0 of hosts, else the distance from the nearest host.
static int *graph_levels(const struct topology *topology)
{
    int count = topology_node_count(topology), hosts = (int)topology->hosts->len;
    int *levels = g_new(int, count + 1);
    for (int i = 0; i < count; i++)
        levels[i] = i < hosts ? 0 : G_MAXINT;
    for (int level = 0, found = 1; found > 0; level++) {
        found = 0;
        for (guint i = 0; i < topology->links->len; i++) {
            const struct topology_link *link = g_ptr_array_index(topology->links, i);
            if (levels[link->a] == level && levels[link->b] == G_MAXINT)
                found += (levels[link->b] = level + 1) > 0;
            else if (levels[link->b] == level && levels[link->a] == G_MAXINT)
                found += (levels[link->a] = level + 1) > 0;
        }
    }
    for (int i = 0; i < count; i++)
        if (levels[i] == G_MAXINT)
            levels[i] = 1; // a switch without hosts
    return levels;
}

// ---- What is one node ----

// Returns the key of a node: nodes with the same one are drawn together. The caller frees it.
static char *graph_key(const struct topology *topology, int node, enum graph_detail detail,
                       GPtrArray *const *near)
{
    const char *name = topology_node_name(topology, node);
    size_t stem;
    long number = graph_name_number(name, &stem);
    if (detail == GRAPH_GROUPS && number >= 0)
        return g_strdup_printf("%.*s#", (int)stem, name);
    if (detail == GRAPH_EDGES && topology_is_host(topology, node)) {
        GString *key = g_string_new("at");
        for (guint i = 0; i < near[node]->len; i++)
            g_string_append_printf(key, " %d", GPOINTER_TO_INT(g_ptr_array_index(near[node], i)));
        return g_string_free(key, FALSE);
    }
    return g_strdup_printf("%d", node);
}

// The neighbours of each host, in the order of its links.
static GPtrArray **graph_near(const struct topology *topology)
{
    int hosts = (int)topology->hosts->len;
    GPtrArray **near = g_new0(GPtrArray *, topology_node_count(topology) + 1);
    for (int i = 0; i < hosts; i++)
        near[i] = g_ptr_array_new();
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        if (link->a < hosts)
            g_ptr_array_add(near[link->a], GINT_TO_POINTER(link->b));
        if (link->b < hosts && link->a != link->b)
            g_ptr_array_add(near[link->b], GINT_TO_POINTER(link->a));
    }
    return near;
}

static enum graph_detail graph_usual_detail(const struct topology *topology)
{
    if (topology->switches->len > MOST_SWITCHES)
        return GRAPH_GROUPS;
    return topology->hosts->len > MOST_HOSTS ? GRAPH_EDGES : GRAPH_EACH;
}

static char *graph_count_text(guint count, const char *noun)
{
    char *digits = text_grouped(count), *text = g_strconcat(digits, " ", noun, NULL);
    g_free(digits);
    return text;
}

static void graph_add_node(struct topology_graph *graph, const struct topology *topology,
                           const GArray *members, int level, int network)
{
    int first = g_array_index(members, int, 0);
    bool host = topology_is_host(topology, first);
    struct graph_node node = {
        .label = topology_names_text(topology, members),
        .note =
            members->len == 1 ? NULL : graph_count_text(members->len, host ? "hosts" : "switches"),
        .host = host,
        .first = first,
        .count = (int)members->len,
        .level = level,
        .network = host ? -1 : network,
    };
    g_array_append_val(graph->nodes, node);
}

static void graph_free_members(void *list)
{
    g_array_free(list, TRUE);
}

// Fills the nodes, and the index of the node for each of the topology's.
static int *graph_nodes(struct topology_graph *graph, const struct topology *topology,
                        enum graph_detail detail)
{
    int count = topology_node_count(topology);
    int *levels = graph_levels(topology), *of = g_new(int, count + 1);
    int *networks = topology_networks(topology);
    GPtrArray **near = graph_near(topology);
    GPtrArray *groups = g_ptr_array_new_with_free_func(graph_free_members);
    GHashTable *keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GHashTable *numbers = g_hash_table_new(NULL, NULL); // representative -> network + 1
    for (int i = 0; i < count; i++) {
        char *key = graph_key(topology, i, detail, near);
        int at = GPOINTER_TO_INT(g_hash_table_lookup(keys, key)) - 1;
        if (at < 0) {
            at = (int)groups->len;
            g_ptr_array_add(groups, g_array_new(FALSE, FALSE, sizeof(int)));
            g_hash_table_insert(keys, g_strdup(key), GINT_TO_POINTER(at + 1));
        }
        g_array_append_val((GArray *)g_ptr_array_index(groups, (guint)at), i);
        of[i] = at;
        g_free(key);
    }
    for (guint i = 0; i < groups->len; i++) {
        int first = g_array_index((GArray *)g_ptr_array_index(groups, i), int, 0);
        gpointer whose = GINT_TO_POINTER(topology_network(networks, first) + 1);
        int number = GPOINTER_TO_INT(g_hash_table_lookup(numbers, whose)) - 1;
        if (number < 0 && !topology_is_host(topology, first)) {
            number = graph->networks++;
            g_hash_table_insert(numbers, whose, GINT_TO_POINTER(number + 1));
        }
        graph_add_node(graph, topology, g_ptr_array_index(groups, i), levels[first], number);
    }
    for (int i = 0; i < (int)topology->hosts->len; i++)
        g_ptr_array_unref(near[i]);
    g_hash_table_unref(numbers);
    g_hash_table_unref(keys);
    g_ptr_array_unref(groups);
    g_free(near);
    g_free(networks);
    g_free(levels);
    return of;
}

// ---- Links ----

static int graph_kind_of(struct topology_graph *graph, const struct topology_link *link)
{
    char *rate = topology_link_rate(link);
    for (guint i = 0; i < graph->kinds->len; i++) {
        struct graph_kind *kind = &g_array_index(graph->kinds, struct graph_kind, i);
        if (strcmp(kind->rate, rate) != 0)
            continue;
        kind->links++;
        g_free(rate);
        return (int)i;
    }
    struct graph_kind kind = {rate, 1};
    g_array_append_val(graph->kinds, kind);
    return (int)graph->kinds->len - 1;
}

static void graph_append_end(GString *out, const struct topology *topology,
                             const struct topology_link *link, int end)
{
    const struct topology_card *card = topology_link_card(topology, link, end);
    g_string_append(out, topology_node_name(topology, topology_link_node(link, end)));
    if (card)
        g_string_append_printf(out, ".%s", card->name);
}

static void graph_edges(struct topology_graph *graph, const struct topology *topology,
                        const int *of)
{
    GHashTable *known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        bool idle = link->idle[0] || link->idle[1];
        int a = MIN(of[link->a], of[link->b]), b = MAX(of[link->a], of[link->b]);
        int kind = graph_kind_of(graph, link);
        char *key = g_strdup_printf("%d %d %d %d", a, b, kind, idle);
        int at = GPOINTER_TO_INT(g_hash_table_lookup(known, key)) - 1;
        if (at >= 0) {
            g_array_index(graph->edges, struct graph_edge, at).count++;
            g_free(key);
            continue;
        }
        GString *ends = g_string_new(NULL);
        graph_append_end(ends, topology, link, 0);
        g_string_append(ends, " - ");
        graph_append_end(ends, topology, link, topology_link_ends(link) - 1);
        struct graph_edge edge = {a, b, 1, kind, idle, g_string_free(ends, FALSE)};
        g_array_append_val(graph->edges, edge);
        g_hash_table_insert(known, key, GINT_TO_POINTER(graph->edges->len));
    }
    g_hash_table_unref(known);
}

// ---- Create and free ----

static void clear_graph_node(void *data)
{
    struct graph_node *node = data;
    g_free(node->label);
    g_free(node->note);
}

static void clear_graph_edge(void *data)
{
    g_free(((struct graph_edge *)data)->ends);
}

static void clear_graph_kind(void *data)
{
    g_free(((struct graph_kind *)data)->rate);
}

struct topology_graph *topology_graph_new(const struct topology *topology, enum graph_detail detail)
{
    struct topology_graph *graph = g_new0(struct topology_graph, 1);
    graph->nodes = g_array_new(FALSE, TRUE, sizeof(struct graph_node));
    graph->edges = g_array_new(FALSE, TRUE, sizeof(struct graph_edge));
    graph->kinds = g_array_new(FALSE, TRUE, sizeof(struct graph_kind));
    g_array_set_clear_func(graph->nodes, clear_graph_node);
    g_array_set_clear_func(graph->edges, clear_graph_edge);
    g_array_set_clear_func(graph->kinds, clear_graph_kind);
    int *of =
        graph_nodes(graph, topology, detail == GRAPH_AUTO ? graph_usual_detail(topology) : detail);
    graph_edges(graph, topology, of);
    g_free(of);
    return graph;
}

void topology_graph_free(struct topology_graph *graph)
{
    if (!graph)
        return;
    g_array_unref(graph->nodes);
    g_array_unref(graph->edges);
    g_array_unref(graph->kinds);
    g_free(graph);
}

// ---- Graphviz ----

static void graph_append_dot(GString *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            g_string_append_c(out, '\\');
        g_string_append_c(out, *text);
    }
}

GString *topology_graph_dot(const struct topology_graph *graph, const char *title)
{
    GString *out = g_string_new("graph machine {\n    label=\"");
    graph_append_dot(out, title);
    g_string_append(out, "\"; labelloc=t; fontname=Helvetica; overlap=false;\n"
                         "    node [fontname=Helvetica, fontsize=11]; edge [fontname=Helvetica, "
                         "fontsize=10];\n");
    for (guint i = 0; i < graph->nodes->len; i++) {
        const struct graph_node *node = &g_array_index(graph->nodes, struct graph_node, i);
        g_string_append_printf(out, "    n%u [shape=box, style=\"%s\", label=\"", i,
                               node->host ? "rounded" : "filled");
        graph_append_dot(out, node->label);
        if (node->note)
            g_string_append_printf(out, "\\n%s", node->note);
        g_string_append(out, "\"];\n");
    }
    for (guint i = 0; i < graph->edges->len; i++) {
        const struct graph_edge *edge = &g_array_index(graph->edges, struct graph_edge, i);
        const struct graph_kind *kind = &g_array_index(graph->kinds, struct graph_kind, edge->kind);
        g_string_append_printf(out, "    n%d -- n%d [tooltip=\"", edge->a, edge->b);
        graph_append_dot(out, edge->ends);
        g_string_append_printf(out, ", %s\"", kind->rate);
        if (edge->count > 1)
            g_string_append_printf(out, ", label=\"%d links\"", edge->count);
        g_string_append_printf(out, "%s];\n", edge->idle ? ", style=dashed" : "");
    }
    g_string_append(out, "}\n");
    return out;
}
