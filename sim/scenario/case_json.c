// SPDX-License-Identifier: GPL-3.0-or-later
// A resolved case as JSON, for the manifest.
#include "sim/program/communicator.h"
#include "sim/scenario/case.h"
#include "sim/scenario/draw_host.h"
#include "sim/scenario/placement.h"
#include "sim/scenario/topology_read.h"

#include <string.h>

// Parameter sets that many links or switches share, each shown once.
struct shared_values {
    json_t *list;
    GHashTable *numbers; // struct param_values * -> its number in the list + 1
};

static int number_of(struct shared_values *shared, struct param_values *values)
{
    gpointer number = g_hash_table_lookup(shared->numbers, values);
    if (!number) {
        json_array_append_new(shared->list, param_values_json(values));
        number = GSIZE_TO_POINTER(json_array_size(shared->list));
        g_hash_table_insert(shared->numbers, values, number);
    }
    return GPOINTER_TO_INT(number) - 1;
}

static json_t *switches_json(const struct topology *topology, struct shared_values *shared)
{
    json_t *list = json_array();
    for (guint i = 0; i < topology->switches->len; i++) {
        const struct topology_switch *box = g_ptr_array_index(topology->switches, i);
        json_array_append_new(list, json_pack("{s:s, s:i}", "name", box->name, "parameters",
                                              number_of(shared, box->values)));
    }
    return list;
}

// "node0", or "node0.eth1" if the host lists its cards.
static json_t *end_json(const struct topology *topology, const struct topology_link *link, int end)
{
    const struct topology_card *card = topology_link_card(topology, link, end);
    const char *name = topology_node_name(topology, topology_link_node(link, end));
    return card ? json_sprintf("%s.%s", name, card->name) : json_string(name);
}

static const struct topology_bus *bus_at(const struct topology *topology, int index)
{
    return g_ptr_array_index(topology->buses, (guint)index);
}

// The parameters of the buses besides host.bus, by name; NULL: there is none.
static json_t *buses_json(const struct topology *topology)
{
    json_t *buses = topology->buses->len > 0 ? json_object() : NULL;
    for (int i = 0; i < (int)topology->buses->len; i++)
        json_object_set_new(buses, bus_at(topology, i)->name,
                            param_values_json(bus_at(topology, i)->values));
    return buses;
}

// A host's name, or that and the cards that it lists.
static json_t *host_json(const struct topology *topology, int host)
{
    const char *name = topology_node_name(topology, host);
    const GArray *cards = topology_cards_of(topology, host);
    if (!cards)
        return json_string(name);
    json_t *list = json_array();
    for (guint i = 0; i < cards->len; i++) {
        const struct topology_card *card = &g_array_index(cards, struct topology_card, i);
        json_t *json = json_pack("{s:s, s:s}", "name", card->name, "nic", card->nic);
        if (card->bus >= 0)
            json_object_set_new(json, "bus", json_string(bus_at(topology, card->bus)->name));
        if (card->mtu > 0)
            json_object_set_new(json, "mtu_bytes", json_integer(card->mtu));
        json_array_append_new(list, json);
    }
    return json_pack("{s:s, s:o}", "name", name, TOPOLOGY_NICS_KEY, list);
}

static json_t *links_json(const struct topology *topology, struct shared_values *shared)
{
    json_t *list = json_array();
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:i}", "from", end_json(topology, link, 0),
                                        "to", end_json(topology, link, 1), "parameters",
                                        number_of(shared, link->values)));
        if (topology->cards->len > 0 && topology_idle_host(topology, (int)i) >= 0)
            json_object_set_new(json_array_get(list, i), "used", json_false());
    }
    return list;
}

static json_t *routes_json(const struct topology *topology)
{
    if (topology->routing != TOPOLOGY_ROUTES_DEFAULT)
        return json_string(topology_routings[topology->routing - TOPOLOGY_ROUTES_UP_DOWN]);
    json_t *list = json_array();
    for (guint i = 0; i < topology->routes->len; i++) {
        const struct topology_route *route = g_ptr_array_index(topology->routes, i);
        json_t *via = json_array(), *links = json_array();
        for (guint k = 0; k < route->via->len; k++) {
            int node = g_array_index(route->via, int, k);
            json_array_append_new(via, json_string(topology_node_name(topology, node)));
        }
        for (guint k = 0; k < route->links->len; k++) {
            int link = g_array_index(route->links, int, k);
            json_array_append_new(links, link < 0 ? json_string("any") : json_integer(link));
        }
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "from",
                                              topology_node_name(topology, route->from), "to",
                                              topology_node_name(topology, route->to), "via", via,
                                              "links", links));
    }
    return list;
}

// The settings of single hosts, by name; NULL: none has any.
static json_t *own_settings_json(const struct topology *topology)
{
    json_t *hosts = NULL;
    for (guint i = 0; i < topology->hosts->len; i++) {
        const GPtrArray *own = g_array_index(topology->hosts, struct topology_node, i).own;
        json_t *settings = own ? json_object() : NULL;
        for (guint k = 0; own && k < own->len; k++) {
            const struct param_values *values = g_ptr_array_index(own, k);
            json_object_set_new(settings, strrchr(values->path, '.') + 1,
                                param_values_json(values));
        }
        if (settings && !hosts)
            hosts = json_object();
        if (settings)
            json_object_set_new(hosts, topology_node_name(topology, (int)i), settings);
    }
    return hosts;
}

static json_t *topology_json(const struct topology *topology)
{
    struct shared_values of_switches = {json_array(), g_hash_table_new(NULL, NULL)};
    struct shared_values of_links = {json_array(), g_hash_table_new(NULL, NULL)};
    json_t *hosts = json_array();
    for (guint i = 0; i < topology->hosts->len; i++)
        json_array_append_new(hosts, host_json(topology, (int)i));
    json_t *switches = switches_json(topology, &of_switches);
    json_t *links = links_json(topology, &of_links);
    json_t *json = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "hosts", hosts, "switches", switches,
                             "switch_parameters", of_switches.list, "links", links,
                             "link_parameters", of_links.list, "routes", routes_json(topology));
    json_t *own = own_settings_json(topology);
    if (own)
        json_object_set_new(json, "host_parameters", own);
    json_t *buses = buses_json(topology);
    if (buses)
        json_object_set_new(json, "bus_parameters", buses);
    g_hash_table_destroy(of_switches.numbers);
    g_hash_table_destroy(of_links.numbers);
    return json;
}

static void add_placement(json_t *json, const struct scenario_case *test_case)
{
    const struct workload *workload = &test_case->workload;
    if (!node_get(node_get(test_case->tree, "workload"), PLACEMENT_KEY))
        return;
    json_t *hosts = json_array();
    for (int rank = 0; rank < workload->ranks; rank++)
        json_array_append_new(
            hosts, json_string(topology_node_name(&test_case->topology,
                                                  placement_host(workload->placement, rank))));
    json_object_set_new(json, PLACEMENT_KEY, hosts);
}

static json_t *workload_json(const struct scenario_case *test_case)
{
    const struct workload *workload = &test_case->workload;
    json_t *json = json_pack("{s:i}", "ranks", workload->ranks);
    add_placement(json, test_case);
    if (workload->recording) {
        char *identity =
            g_strdup_printf("%016" G_GINT64_MODIFIER "x", recording_identity(workload->recording));
        json_object_set_new(json, REPLAY_KEY, json_string(identity));
        json_object_set_new(json, "format", json_string(recording_format(workload->recording)));
        json_object_set_new(json, "parameters", param_values_json(workload->parameters));
        g_free(identity);
        return json;
    }
    if (!workload->benchmark) {
        const struct node *given = node_get(test_case->tree, "workload");
        const struct node *communicators = node_get(given, COMMUNICATORS_KEY);
        if (communicators)
            json_object_set_new(json, COMMUNICATORS_KEY, node_json(communicators));
        json_object_set_new(json, "program", node_json(node_get(given, "program")));
        return json;
    }
    json_t *sizes = json_array();
    for (guint i = 0; i < workload->sizes->len; i++)
        json_array_append_new(sizes, json_integer(g_array_index(workload->sizes, int64_t, i)));
    json_object_set_new(json, "benchmark", json_string(workload->benchmark->name));
    if (workload->benchmark->over_time)
        json_decref(sizes);
    else
        json_object_set_new(json, workload->benchmark->counts ? "sizes" : "sizes_bytes", sizes);
    if (workload->benchmark->counts)
        json_object_set_new(json, "counts", json_string(workload->benchmark->counts));
    if (workload->parameters)
        json_object_set_new(json, "parameters", param_values_json(workload->parameters));
    if (!workload->benchmark->over_time)
        json_object_set_new(json, "repetitions",
                            workload->repetitions ? json_integer(workload->repetitions)
                                                  : json_string("auto"));
    if (workload->steady)
        json_object_set_new(json, "steady", json_integer(workload->steady));
    if (workload->samples)
        json_object_set_new(json, "samples", json_true());
    return json;
}

json_t *scenario_case_json(const struct scenario_case *test_case)
{
    json_t *parameters = json_object();
    for (guint i = 0; i < test_case->sections->len; i++) {
        const struct param_values *values = g_ptr_array_index(test_case->sections, i);
        json_object_set_new(parameters, values->path, param_values_json(values));
    }
    const struct node *testbed = node_get(test_case->tree, "testbed");
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:s?, s:s?, s:o, s:o, s:o}", "name", test_case->name, "fidelity",
        fidelity_names[test_case->fidelity], "stack", test_case->stack->name, "nic", test_case->nic,
        "testbed", testbed ? testbed->text : NULL, "topology", topology_json(&test_case->topology),
        "workload", workload_json(test_case), "parameters", parameters);
    json_t *drawn = draw_hosts_json(test_case);
    if (drawn)
        json_object_set_new(json, "drawn_hosts", drawn);
    return json;
}
