// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/topology.h"

#include "sim/core/intern.h"
#include "sim/net/fabric.h"
#include "tests/support/suite.h"

#include <string.h>

void topology_defaults(const struct param_table *table, void *config)
{
    struct diag_list *diags = diag_list_new();
    struct param_values *values = param_read(table, NULL, table->name, diags);
    diag_print(diags, stderr);
    g_assert(!diag_any(diags));
    memcpy(config, values->values, table->size);
    param_values_free(values);
    diag_list_free(diags);
}

struct link_config topology_link_defaults(void)
{
    struct link_config config;
    topology_defaults(&link_table, &config);
    config.drop_nth = config.corrupt_nth = (struct param_counts){NULL, 0};
    config.down = (struct param_windows){NULL, 0};
    return config;
}

struct switch_config topology_switch_defaults(void)
{
    struct switch_config config;
    topology_defaults(&switch_table, &config);
    return config;
}

struct link_config topology_wormhole_link(void)
{
    struct link_config config = topology_link_defaults();
    config.rate = 2000000000;
    config.preamble = config.gap = config.least_frame = 0;
    return config;
}

struct switch_config topology_wormhole_switch(void)
{
    struct switch_config config = topology_switch_defaults();
    config.discipline = SWITCH_CUT_THROUGH;
    config.latency = 150 * TIME_NS;
    return config;
}

// Values that only carry the struct: no origins, no diagnostics. The lists in it are the test's.
static struct param_values *values_of(const struct param_table *table, const void *config)
{
    struct param_values *values = g_new0(struct param_values, 1);
    values->table = table;
    values->path = table->name;
    values->values = g_memdup2(config, table->size);
    return values;
}

static void values_free(struct param_values *values)
{
    g_free(values->values);
    g_free(values);
}

static void switch_free(void *data)
{
    struct topology_switch *node = data;
    values_free(node->values);
    g_free(node);
}

static void link_free(void *data)
{
    struct topology_link *link = data;
    values_free(link->values);
    g_free(link);
}

static void route_free(void *data)
{
    struct topology_route *route = data;
    g_array_unref(route->via);
    g_array_unref(route->links);
    g_free(route);
}

static const char *numbered(const char *word, int number)
{
    char *name = g_strdup_printf("%s%d", word, number);
    const char *interned = intern_text(name);
    g_free(name);
    return interned;
}

struct topology *topology_new(int hosts, int switches)
{
    struct topology *topology = g_new0(struct topology, 1);
    topology->hosts = g_array_new(FALSE, TRUE, sizeof(struct topology_node));
    topology->switches = g_ptr_array_new_with_free_func(switch_free);
    topology->links = g_ptr_array_new_with_free_func(link_free);
    topology->routes = g_ptr_array_new_with_free_func(route_free);
    for (int i = 0; i < hosts; i++) {
        struct topology_node host = {.name = numbered("node", i)};
        g_array_append_val(topology->hosts, host);
    }
    struct switch_config defaults = topology_switch_defaults();
    for (int i = 0; i < switches; i++) {
        struct topology_switch *node = g_new0(struct topology_switch, 1);
        node->name = numbered("switch", i);
        node->values = values_of(&switch_table, &defaults);
        g_ptr_array_add(topology->switches, node);
    }
    return topology;
}

void topology_free(struct topology *topology)
{
    g_array_unref(topology->hosts);
    g_ptr_array_unref(topology->switches);
    g_ptr_array_unref(topology->links);
    g_ptr_array_unref(topology->routes);
    g_free(topology);
}

void topology_set_switch(struct topology *topology, int index, const struct switch_config *config)
{
    struct topology_switch *node = g_ptr_array_index(topology->switches, index);
    *(struct switch_config *)node->values->values = *config;
}

void topology_set_switches(struct topology *topology, const struct switch_config *config)
{
    for (guint i = 0; i < topology->switches->len; i++)
        topology_set_switch(topology, (int)i, config);
}

int topology_add_link(struct topology *topology, int a, int b, const struct link_config *config)
{
    struct topology_link *link = g_new0(struct topology_link, 1);
    link->a = a;
    link->b = b;
    link->values = values_of(&link_table, config);
    g_ptr_array_add(topology->links, link);
    return (int)topology->links->len - 1;
}

void topology_add_route(struct topology *topology, int from, int to, int hops, const int *via,
                        const int *links)
{
    struct topology_route *route = g_new0(struct topology_route, 1);
    route->from = from;
    route->to = to;
    route->via = g_array_new(FALSE, FALSE, sizeof(int));
    route->links = g_array_new(FALSE, FALSE, sizeof(int));
    g_array_append_vals(route->via, via, (guint)hops);
    g_array_append_vals(route->links, links, (guint)hops + 1);
    g_ptr_array_add(topology->routes, route);
}

struct topology *topology_star(int hosts, const struct link_config *link,
                               const struct switch_config *node)
{
    struct topology *topology = topology_new(hosts, 1);
    topology_set_switches(topology, node);
    for (int i = 0; i < hosts; i++)
        topology_add_link(topology, i, hosts, link);
    return topology;
}

struct topology *topology_row(int switches, const struct link_config *link,
                              const struct switch_config *node)
{
    struct topology *topology = topology_new(2, switches);
    topology_set_switches(topology, node);
    int last = 0;
    for (int i = 0; i < switches; i++) {
        topology_add_link(topology, last, 2 + i, link);
        last = 2 + i;
    }
    topology_add_link(topology, last, 1, link);
    return topology;
}

void topology_refused(const struct topology *topology, const char *message, const char *hint)
{
    struct diag_list *diags = diag_list_new();
    CU_ASSERT_FALSE(network_check(topology, diags));
    CU_ASSERT_FATAL(diags->items->len > 0);
    const struct diag *diag = g_ptr_array_index(diags->items, 0);
    SUITE_CONTAINS(diag->message, message);
    SUITE_CONTAINS(diag->hint, hint);
    diag_list_free(diags);
}
