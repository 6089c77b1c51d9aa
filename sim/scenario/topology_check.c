// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of a topology as a whole: too many links at a switch, hosts that nothing joins.
#include "sim/scenario/topology_read.h"

void topology_check_ports(const struct topology *topology, const struct param_table *table,
                          struct diag_list *diags)
{
    int index = param_index(table, "ports");
    if (index < 0)
        return;
    const struct param *ports = &table->params[index];
    int *used = g_new0(int, topology_node_count(topology) + 1);
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        const int ends[] = {link->a, link->b};
        for (int k = 0; k < 2; k++) {
            if (topology_is_host(topology, ends[k]))
                continue;
            const struct topology_switch *box =
                g_ptr_array_index(topology->switches, ends[k] - (int)topology->hosts->len);
            int64_t most = *(const int64_t *)((const char *)box->values->values + ports->offset);
            if (++used[ends[k]] != most + 1 || most == 0)
                continue;
            diag_add(diags, link->mark, "links",
                     "give the switch more ports, or use "
                     "another",
                     "%s has %d ports, and this is one link more", box->name, (int)most);
        }
    }
    g_free(used);
}

static void free_list(void *list)
{
    g_array_free(list, TRUE);
}

// For each node, the hosts and networks that it has a link to (GArray of int). A network lists its
// hosts.
static GPtrArray *neighbours(const struct topology *topology, int *parent, bool used_only)
{
    GPtrArray *lists = g_ptr_array_new_with_free_func(free_list);
    for (int i = 0; i < topology_node_count(topology); i++)
        g_ptr_array_add(lists, g_array_new(FALSE, FALSE, sizeof(int)));
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        if (used_only && (link->idle[0] || link->idle[1]))
            continue;
        int a = topology_network(parent, link->a), b = topology_network(parent, link->b);
        g_array_append_val((GArray *)g_ptr_array_index(lists, a), b);
        g_array_append_val((GArray *)g_ptr_array_index(lists, b), a);
    }
    return lists;
}

// Marks with `stamp` the hosts that `from` reaches and counts them.
static int reach(const struct topology *topology, const GPtrArray *lists, int from, int *stamps,
                 int stamp)
{
    const GArray *near = g_ptr_array_index(lists, from);
    int reached = 1;
    stamps[from] = stamp;
    for (guint i = 0; i < near->len; i++) {
        int node = g_array_index(near, int, i);
        if (stamps[node] == stamp)
            continue;
        stamps[node] = stamp;
        reached += topology_is_host(topology, node);
        const GArray *beyond = g_ptr_array_index(lists, node);
        for (guint k = 0; !topology_is_host(topology, node) && k < beyond->len; k++) {
            int host = g_array_index(beyond, int, k);
            if (!topology_is_host(topology, host) || stamps[host] == stamp)
                continue;
            stamps[host] = stamp;
            reached++;
        }
    }
    return reached;
}

// Whether one network has a link to all hosts: the usual case, which needs no other check.
static bool one_network(const struct topology *topology, const GPtrArray *lists)
{
    int hosts = (int)topology->hosts->len;
    int *stamps = g_new0(int, topology_node_count(topology) + 1);
    bool found = false;
    for (int node = hosts; !found && node < topology_node_count(topology); node++)
        found = reach(topology, lists, node, stamps, node + 1) - 1 == hosts;
    g_free(stamps);
    return found;
}

static const char *joined_hint(const struct topology *topology, bool used_only)
{
    if (!used_only)
        return "hosts do not forward: a way leads over links and switches only";
    if (topology->cards->len == 0)
        return "the stack uses one card of each host, that of its first link";
    return "the stack uses the cards that `nic` names, or else the first that it drives";
}

void topology_check_joined(const struct topology *topology, bool used_only, struct diag_list *diags)
{
    int hosts = (int)topology->hosts->len;
    int *parent = topology_networks(topology);
    GPtrArray *lists = neighbours(topology, parent, used_only);
    int *stamps = g_new0(int, topology_node_count(topology) + 1);
    bool good = one_network(topology, lists);
    for (int a = 0; !good && a < hosts; a++) {
        if (reach(topology, lists, a, stamps, a + 1) == hosts)
            continue;
        int b = 0;
        while (stamps[b] == a + 1)
            b++;
        diag_add(diags, g_array_index(topology->hosts, struct topology_node, b).mark, "links",
                 joined_hint(topology, used_only), "no way joins %s and %s",
                 topology_node_name(topology, a), topology_node_name(topology, b));
        break;
    }
    g_ptr_array_free(lists, TRUE);
    g_free(stamps);
    g_free(parent);
}
