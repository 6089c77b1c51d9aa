// SPDX-License-Identifier: GPL-3.0-or-later
// A machine as text.
#include "sim/output/topology_graph.h"

#include "sim/output/text.h"

#include <string.h>

#define LABEL_WIDTH 10

// Appends a line of the machine, which goes on below its text.
static void machine_line(GString *out, const char *label, const char *text, int width)
{
    g_string_append(out, "  ");
    text_append_left(out, label, LABEL_WIDTH);
    text_append_wrapped(out, text, MAX(width - LABEL_WIDTH - 2, 30), LABEL_WIDTH + 2);
    g_string_append_c(out, '\n');
}

static char *machine_param(const struct param_values *values, const char *name)
{
    int index = param_index(values->table, name);
    return index < 0 ? NULL : param_value_text(values, &values->table->params[index]);
}

// Appends ", NAME VALUE" of those of the parameters that the table has.
static void machine_params(GString *out, const struct param_values *values,
                           const char *const *names)
{
    for (; *names; names++) {
        char *text = machine_param(values, *names);
        if (text)
            g_string_append_printf(out, ", %s %s", *names, text);
        g_free(text);
    }
}

static GArray *machine_nodes(int first, int count)
{
    GArray *nodes = g_array_new(FALSE, FALSE, sizeof(int));
    for (int i = first; i < first + count; i++)
        g_array_append_val(nodes, i);
    return nodes;
}

static void machine_hosts(GString *out, const struct topology *topology, int width)
{
    const GArray *hosts = topology->hosts;
    for (guint i = 0, end; i < hosts->len; i = end) {
        const struct topology_node *first = &g_array_index(hosts, struct topology_node, i);
        for (end = i + 1; end < hosts->len; end++) {
            const struct topology_node *other = &g_array_index(hosts, struct topology_node, end);
            if (other->cards != first->cards || other->own != first->own)
                break;
        }
        GArray *nodes = machine_nodes((int)i, (int)(end - i));
        char *names = topology_names_text(topology, nodes);
        GString *text = g_string_new(NULL);
        g_string_append_printf(text, "%u: %s", end - i, names);
        if (first->cards) {
            char *cards = topology_cards_text(first->cards);
            g_string_append_printf(text, ", with %s", cards);
            g_free(cards);
        }
        if (first->own)
            g_string_append(text, ", with settings of their own");
        machine_line(out, i == 0 ? "hosts" : "", text->str, width);
        g_string_free(text, TRUE);
        g_free(names);
        g_array_unref(nodes);
    }
}

static void machine_switches(GString *out, const struct topology *topology, int width)
{
    static const char *const shown[] = {"ports", "latency", NULL};
    const GPtrArray *switches = topology->switches;
    for (guint i = 0, end; i < switches->len; i = end) {
        const struct topology_switch *first = g_ptr_array_index(switches, i);
        for (end = i + 1; end < switches->len; end++)
            if (((const struct topology_switch *)g_ptr_array_index(switches, end))->values !=
                first->values)
                break;
        GArray *nodes = machine_nodes((int)(topology->hosts->len + i), (int)(end - i));
        char *names = topology_names_text(topology, nodes);
        char *discipline = machine_param(first->values, "discipline");
        GString *text = g_string_new(NULL);
        g_string_append_printf(text, "%u: %s, %s", end - i, names, discipline ? discipline : "");
        machine_params(text, first->values, shown);
        machine_line(out, i == 0 ? "switches" : "", text->str, width);
        g_string_free(text, TRUE);
        g_free(discipline);
        g_free(names);
        g_array_unref(nodes);
    }
}

// The nodes at one end of some links, each once, ascending.
static char *machine_ends(const struct topology *topology, guint first, guint end, int which)
{
    bool *seen = g_new0(bool, topology_node_count(topology) + 1);
    GArray *nodes = g_array_new(FALSE, FALSE, sizeof(int));
    const struct topology_card *card =
        topology_link_card(topology, g_ptr_array_index(topology->links, first), which);
    for (guint i = first; i < end; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        seen[which ? link->b : link->a] = true;
    }
    for (int i = 0; i < topology_node_count(topology); i++)
        if (seen[i])
            g_array_append_val(nodes, i);
    char *names = topology_names_text(topology, nodes);
    char *text = card ? g_strdup_printf("%s (%s)", names, card->name) : g_strdup(names);
    g_free(names);
    g_array_unref(nodes);
    g_free(seen);
    return text;
}

// A line for the links of each item of the file.
static void machine_links(GString *out, const struct topology *topology, int width)
{
    static const char *const shown[] = {"propagation", NULL};
    const GPtrArray *links = topology->links;
    for (guint i = 0, end; i < links->len; i = end) {
        const struct topology_link *first = g_ptr_array_index(links, i);
        bool idle = first->idle[0] || first->idle[1];
        for (end = i + 1; end < links->len; end++)
            if (((const struct topology_link *)g_ptr_array_index(links, end))->values !=
                first->values)
                break;
        char *from = machine_ends(topology, i, end, 0), *to = machine_ends(topology, i, end, 1);
        char *rate = topology_link_rate(first);
        GString *text = g_string_new(NULL);
        g_string_append_printf(text, "%u: %s to %s, %s", end - i, from, to, rate);
        machine_params(text, first->values, shown);
        if (idle)
            g_string_append(text, "; the stack does not use them");
        machine_line(out, i == 0 ? "links" : "", text->str, width);
        g_string_free(text, TRUE);
        g_free(rate);
        g_free(to);
        g_free(from);
    }
}

static bool machine_cuts_through(const struct topology *topology)
{
    bool cuts = false;
    for (guint i = 0; !cuts && i < topology->switches->len; i++) {
        const struct topology_switch *box = g_ptr_array_index(topology->switches, i);
        char *discipline = machine_param(box->values, "discipline");
        cuts = g_strcmp0(discipline, "cut_through") == 0;
        g_free(discipline);
    }
    return cuts;
}

static void machine_routing(GString *out, const struct topology *topology, int width)
{
    static const char *const texts[] = {
        [TOPOLOGY_ROUTES_UP_DOWN] = "the shortest paths that go up and then down",
        [TOPOLOGY_ROUTES_SHORTEST] = "the shortest paths",
    };
    enum topology_routing routing = topology->routing;
    if (routing == TOPOLOGY_ROUTES_DEFAULT)
        routing =
            machine_cuts_through(topology) ? TOPOLOGY_ROUTES_UP_DOWN : TOPOLOGY_ROUTES_SHORTEST;
    char *text = topology->routes->len > 0 ? g_strdup_printf("%u given, others: %s",
                                                             topology->routes->len, texts[routing])
                                           : g_strdup(texts[routing]);
    if (topology->switches->len > 0)
        machine_line(out, "routes", text, width);
    g_free(text);
}

void topology_append_text(GString *out, const struct topology *topology, int width)
{
    machine_hosts(out, topology, width);
    machine_switches(out, topology, width);
    machine_links(out, topology, width);
    machine_routing(out, topology, width);
}
