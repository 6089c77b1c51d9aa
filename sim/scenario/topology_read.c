// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/topology_read.h"

#include "sim/config/param_map.h"
#include "sim/config/reader.h"
#include "sim/scenario/host_settings.h"
#include "sim/scenario/topology_names.h"

#include <string.h>

// ---- What an item has besides its parameters ----

struct node_item {
    const char *name;
    int64_t count;
    GPtrArray *nics; // read by topology_cards_read
};

struct bus_item {
    const char *name;
};

struct link_item {
    const char *const *from, *const *to;
    int64_t count, split;
    bool deal;
};

struct route_item {
    const char *from, *to;
    const char *const *via, *const *links;
};

#define NODE_PARAMS                                                                                \
    PARAM(struct node_item, name, PARAM_STRING, .doc = "name, or a group's name with count"),      \
        PARAM(struct node_item, count, PARAM_COUNT, .fallback = "1", .least = "1",                 \
              .most = "1048576", .doc = "how many; they are called NAME0, NAME1, …")

PARAM_FORM(host_settings_node, param_node_later, "{SECTION: {KEY: VALUE, ...}}")

static const struct param host_params[] = {
    NODE_PARAMS,
    PARAM_AS(struct node_item, TOPOLOGY_NICS_KEY, nics, PARAM_LIST, .table = &topology_card_table,
             .optional = true, .doc = "the cards of each of these hosts, one link each"),
    {.name = HOST_SETTINGS_KEY,
     .kind = PARAM_NODE,
     .node = &host_settings_node,
     .optional = true,
     .doc = "settings of `host` that these hosts have of their own"},
    {0}};

static const struct param switch_params[] = {NODE_PARAMS, {0}};

static const struct param bus_item_params[] = {
    PARAM(struct bus_item, name, PARAM_STRING, .doc = "what a card's `bus` calls it"), {0}};

static const struct param link_params[] = {
    PARAM(struct link_item, from, PARAM_NAMES,
          .doc = "a host or switch, a group, a range such as node0..2, or a list; HOST.CARD "
                 "ends at that card of the host"),
    PARAM(struct link_item, to, PARAM_NAMES,
          .doc =
              "the other end, likewise; the same single host: a loopback cable, which leads from "
              "a card's output to its own input"),
    PARAM(struct link_item, count, PARAM_COUNT, .fallback = "1", .least = "1", .most = "1024",
          .doc = "parallel links between each pair"),
    PARAM(struct link_item, split, PARAM_COUNT, .fallback = "1", .least = "1", .most = "1048576",
          .doc = "cuts both sides into so many equal blocks, and joins first with first, second "
                 "with second, …"),
    PARAM(struct link_item, deal, PARAM_BOOL, .fallback = "false",
          .doc = "with split: `to` is not cut, but dealt out one by one, like cards"),
    {0}};

static const struct param route_params[] = {
    PARAM(struct route_item, from, PARAM_STRING, .doc = "the sending host"),
    PARAM(struct route_item, to, PARAM_STRING, .doc = "the receiving host"),
    PARAM(struct route_item, via, PARAM_NAMES, .fallback = "[]", .doc = "switches, in order"),
    PARAM(struct route_item, links, PARAM_NAMES, .fallback = "[]",
          .doc = "for each hop, which of parallel links: 0, 1, …, or any"),
    {0}};

const struct param_table topology_host_table =
    PARAM_TABLE(struct node_item, host_params, .name = "hosts", .doc = "hosts of one kind");
const struct param_table topology_bus_item_table =
    PARAM_TABLE(struct bus_item, bus_item_params, .name = "buses",
                .doc = "a bus besides that of `host.bus`, with the keys of that");
const struct param_table topology_switch_item_table =
    PARAM_TABLE(struct node_item, switch_params, .name = "switches",
                .doc = "switches of one kind, with the keys of `switch`");
const struct param_table topology_link_item_table =
    PARAM_TABLE(struct link_item, link_params, .name = "links",
                .doc = "links of one kind, with the keys of `link`");
const struct param_table topology_route_table = PARAM_TABLE(
    struct route_item, route_params, .name = "routes", .doc = "the way from one host to another");

// ---- Building ----

struct builder {
    struct topology *topology;
    const struct scenario_schema *schema;
    const struct node *tree;
    struct topology_names names;
    struct diag_list *diags;
};

// ---- Items ----

typedef void item_reader_fn(struct builder *builder, const struct node *item, const char *path);

// Calls `read` for each item of the list at `key`, which is written as in the example; an absent
// list is an empty one.
static void each_item(struct builder *builder, const char *key, const char *example,
                      item_reader_fn *read)
{
    const struct node *list = node_get(builder->tree, key);
    if (node_is_null(list))
        return;
    if (list->kind != NODE_LIST) {
        diag_add(builder->diags, list->mark, key, example, "a list is expected here, not %s",
                 reader_noun(list));
        return;
    }
    for (guint i = 0; i < list->children->len; i++) {
        const struct node *item = g_ptr_array_index(list->children, i);
        char *path = reader_path_item(key, i);
        if (reader_is(item, NODE_MAP, path, "a map", builder->diags))
            read(builder, item, path);
        g_free(path);
    }
}

// Reads what an item has besides its parameters, and checks its keys: those of both tables (the
// second may be NULL).
static struct param_values *topology_read_item(struct builder *builder,
                                               const struct param_table *table,
                                               const struct param_table *parameters,
                                               const struct node *item, const char *path)
{
    GPtrArray *names = g_ptr_array_new();
    param_table_names(table, names);
    if (parameters)
        param_table_names(parameters, names);
    g_ptr_array_add(names, NULL);
    bool known = reader_keys_or(item, path, (const char *const *)names->pdata, NULL,
                                parameters ? parameters->renamed : NULL, builder->diags);
    bool good;
    g_ptr_array_free(names, TRUE);
    struct param_values *values = param_read_part(table, item, path, true, &good, builder->diags);
    if (good && known)
        return values;
    param_values_free(values);
    return NULL;
}

// Reads an item's parameters, laid over the defaults that the scenario has (NULL: none).
static struct param_values *read_parameters(struct builder *builder,
                                            const struct param_table *table,
                                            const struct node *defaults, const struct node *item,
                                            const char *path)
{
    bool usable = defaults && defaults->kind == NODE_MAP;
    struct node *laid = node_merge(usable ? defaults : NULL, item);
    struct param_values *values = param_read_part(table, laid, path, true, NULL, builder->diags);
    node_free(laid);
    return values;
}

// Enters NAME, or NAME0 … with its group, into `names`. How many nodes that is; 0 after an error.
static int enter_nodes(struct builder *builder, const struct node *item, const char *path,
                       const struct node_item *read, GPtrArray *names)
{
    const struct node *name = node_get(item, "name");
    char *where = reader_path(path, "name");
    int first = topology_node_count(builder->topology), count = (int)read->count;
    bool group = node_get(item, "count") != NULL;
    bool good = reader_name(name, where, builder->diags);
    if (good && first + count > TOPOLOGY_MOST_NODES) {
        diag_add(builder->diags, name->mark, path, NULL, "more than %d hosts and switches",
                 TOPOLOGY_MOST_NODES);
        good = false;
    }
    struct topology_range all = {first, count, name->mark};
    const char *kept = good ? topology_names_add(&builder->names, read->name, all, where) : NULL;
    if (kept && !group)
        g_ptr_array_add(names, (char *)kept);
    for (int i = 0; kept && group && i < count; i++) {
        char *numbered = g_strdup_printf("%s%d", read->name, i);
        kept = topology_names_add(&builder->names, numbered,
                                  (struct topology_range){first + i, 1, name->mark}, where);
        g_ptr_array_add(names, (char *)kept);
        g_free(numbered);
    }
    g_free(where);
    return kept ? count : 0;
}

// Settings that these hosts have of their own; NULL: none.
static GPtrArray *read_own(struct builder *builder, const struct node *item, const char *path)
{
    const struct node *given = node_get(item, HOST_SETTINGS_KEY);
    if (!given)
        return NULL;
    char *where = reader_path(path, HOST_SETTINGS_KEY);
    GPtrArray *own = host_settings_read(node_get(builder->tree, HOST_SETTINGS_KEY), given,
                                        builder->schema, where, builder->diags);
    g_ptr_array_add(builder->topology->own, own);
    g_free(where);
    return own;
}

static void read_host(struct builder *builder, const struct node *item, const char *path)
{
    struct param_values *read = topology_read_item(builder, &topology_host_table, NULL, item, path);
    if (!read)
        return;
    char *cards_path = reader_path(path, TOPOLOGY_NICS_KEY);
    const GArray *cards = topology_cards_read(builder->topology, node_get(item, TOPOLOGY_NICS_KEY),
                                              cards_path, builder->schema, builder->diags);
    g_free(cards_path);
    GPtrArray *names = g_ptr_array_new(), *own = read_own(builder, item, path);
    int count = enter_nodes(builder, item, path, read->values, names);
    for (int i = 0; i < count; i++) {
        struct topology_node host = {g_ptr_array_index(names, i), item->mark, cards, own};
        g_array_append_val(builder->topology->hosts, host);
    }
    g_ptr_array_free(names, TRUE);
    param_values_free(read);
}

static void read_bus(struct builder *builder, const struct node *item, const char *path)
{
    const struct param_table *table = builder->schema->bus_table;
    struct param_values *read =
        topology_read_item(builder, &topology_bus_item_table, table, item, path);
    if (!read)
        return;
    const char *name = ((const struct bus_item *)read->values)->name;
    const struct node *host = node_get(builder->tree, HOST_SETTINGS_KEY);
    char *where = reader_path(path, "name");
    if (reader_name(node_get(item, "name"), where, builder->diags) &&
        !topology_bus_is_taken(builder->topology, node_get(item, "name"), where, builder->diags)) {
        struct topology_bus *bus = g_new(struct topology_bus, 1);
        *bus = (struct topology_bus){
            .name = g_string_chunk_insert(builder->topology->names, name),
            .mark = item->mark,
            .values = read_parameters(builder, table, node_get(host, "bus"), item, path),
        };
        g_ptr_array_add(builder->topology->buses, bus);
    }
    g_free(where);
    param_values_free(read);
}

static void read_switch(struct builder *builder, const struct node *item, const char *path)
{
    const struct param_table *table = builder->schema->switch_table;
    struct param_values *read =
        topology_read_item(builder, &topology_switch_item_table, table, item, path);
    if (!read)
        return;
    GPtrArray *names = g_ptr_array_new();
    int count = enter_nodes(builder, item, path, read->values, names);
    struct param_values *values =
        read_parameters(builder, table, node_get(builder->tree, "switch"), item, path);
    for (int i = 0; i < count; i++) {
        struct topology_switch *box = g_new(struct topology_switch, 1);
        *box = (struct topology_switch){g_ptr_array_index(names, i), item->mark,
                                        param_values_ref(values)};
        g_ptr_array_add(builder->topology->switches, box);
    }
    param_values_free(values);
    g_ptr_array_free(names, TRUE);
    param_values_free(read);
}

// ---- Links ----

static GArray *resolve_all(struct builder *builder, const char *const *names,
                           const struct node *item, const char *path, const char *key)
{
    GArray *ends = g_array_new(FALSE, FALSE, sizeof(struct topology_end));
    char *key_path = reader_path(path, key);
    bool good = true;
    for (; *names; names++)
        good &=
            topology_names_end(&builder->names, *names, node_get(item, key)->mark, key_path, ends);
    g_free(key_path);
    if (good)
        return ends;
    g_array_free(ends, TRUE);
    return NULL;
}

static bool same_ends(const GArray *a, const GArray *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len * sizeof(struct topology_end)) == 0;
}

static void add_link(struct builder *builder, const struct topology_end *a,
                     const struct topology_end *b, int64_t count, struct source_mark mark,
                     struct param_values *values)
{
    for (int64_t i = 0; i < count; i++) {
        struct topology_link *link = g_new(struct topology_link, 1);
        *link = (struct topology_link){.a = a->node,
                                       .b = b->node,
                                       .card = {a->card, b->card},
                                       .mark = mark,
                                       .values = param_values_ref(values)};
        g_ptr_array_add(builder->topology->links, link);
    }
}

// A link between two ends, or the loopback cable of a single host.
static void join_two(struct builder *builder, const struct topology_end *a,
                     const struct topology_end *b, bool single, int64_t count,
                     const struct node *item, const char *path, struct param_values *values)
{
    const char *name = topology_node_name(builder->topology, a->node);
    bool host = topology_is_host(builder->topology, a->node);
    if (a->node == b->node && !host)
        diag_add(builder->diags, item->mark, path, "only a host can have a loopback cable",
                 "a link joins the switch %s with itself", name);
    else if (a->node == b->node && !single)
        diag_add(builder->diags, item->mark, path,
                 "a loopback cable names one host, the same in from and to",
                 "a link joins %s with itself", name);
    else if (a->node == b->node && a->card != b->card)
        diag_add(builder->diags, item->mark, path,
                 "a loopback cable begins and ends at one card: name it in from and to",
                 "a link joins two cards of %s", name);
    else
        add_link(builder, a, b, count, item->mark, values);
}

// Joins every node of one side with every node of the other; the same group on both sides pair by
// pair.
static void join_all(struct builder *builder, const GArray *from, const GArray *to, int64_t count,
                     const struct node *item, const char *path, struct param_values *values)
{
    bool mesh = from->len > 1 && same_ends(from, to);
    for (guint i = 0; i < from->len; i++) {
        for (guint k = mesh ? i + 1 : 0; k < to->len; k++) {
            const struct topology_end *a = &g_array_index(from, struct topology_end, i);
            const struct topology_end *b = &g_array_index(to, struct topology_end, k);
            join_two(builder, a, b, from->len == 1 && to->len == 1, count, item, path, values);
        }
    }
}

// One of `split` equal parts: a block, or every split-th end.
static GArray *part_of(const GArray *ends, int64_t split, bool deal, guint part)
{
    guint length = ends->len / (guint)split;
    GArray *taken = g_array_new(FALSE, FALSE, sizeof(struct topology_end));
    for (guint i = 0; i < length; i++) {
        guint index = deal ? i * (guint)split + part : part * length + i;
        g_array_append_val(taken, g_array_index(ends, struct topology_end, index));
    }
    return taken;
}

static void join(struct builder *builder, const GArray *from, const GArray *to,
                 const struct link_item *read, const struct node *item, const char *path)
{
    int64_t links = (int64_t)from->len * to->len * read->count / read->split;
    if (from->len % read->split != 0 || to->len % read->split != 0) {
        diag_add(builder->diags, node_get(item, "split")->mark, path, NULL,
                 "%u and %u nodes can't be cut into %d equal parts each", from->len, to->len,
                 (int)read->split);
        return;
    }
    if (links + builder->topology->links->len > TOPOLOGY_MOST_LINKS) {
        diag_add(builder->diags, item->mark, path, NULL, "more than %d links", TOPOLOGY_MOST_LINKS);
        return;
    }
    struct param_values *values = read_parameters(builder, builder->schema->link_table,
                                                  node_get(builder->tree, "link"), item, path);
    for (guint part = 0; part < read->split; part++) {
        GArray *some_from = part_of(from, read->split, false, part);
        GArray *some_to = part_of(to, read->split, read->deal, part);
        join_all(builder, some_from, some_to, read->count, item, path, values);
        g_array_free(some_from, TRUE);
        g_array_free(some_to, TRUE);
    }
    param_values_free(values);
}

static void read_link(struct builder *builder, const struct node *item, const char *path)
{
    struct param_values *values = topology_read_item(builder, &topology_link_item_table,
                                                     builder->schema->link_table, item, path);
    if (!values)
        return;
    const struct link_item *read = values->values;
    GArray *from = resolve_all(builder, read->from, item, path, "from");
    GArray *to = resolve_all(builder, read->to, item, path, "to");
    if (from && to)
        join(builder, from, to, read, item, path);
    if (from)
        g_array_free(from, TRUE);
    if (to)
        g_array_free(to, TRUE);
    param_values_free(values);
}

// ---- Routes ----

// The link that is number `which` (-1: any) of those between two nodes; -1 if it is any, -2 after
// an error.
static int find_link(const struct builder *builder, int a, int b, int64_t which)
{
    const GPtrArray *links = builder->topology->links;
    int64_t seen = 0;
    for (guint i = 0; i < links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(links, i);
        if (!((link->a == a && link->b == b) || (link->a == b && link->b == a)))
            continue;
        if (which < 0)
            return -1;
        if (seen++ == which)
            return (int)i;
    }
    return -2;
}

// The number of the parallel link that a route names for a hop: -1 is any.
static bool read_hop_link(struct builder *builder, const char *text, const struct node *item,
                          const char *path, int64_t *which)
{
    struct quantity value;
    char *error, *hint;
    bool any = strcmp(text, "any") == 0;
    bool good =
        any || (quantity_parse(text, QUANTITY_COUNT, &value, &error, &hint) && value.integer >= 0);
    *which = any || !good ? -1 : value.integer;
    if (!any) {
        g_free(error);
        g_free(hint);
    }
    if (!good)
        diag_add(builder->diags, node_get(item, "links")->mark, path, NULL,
                 "\"%.40s\" is neither the number of a parallel link nor \"any\"", text);
    return good;
}

static void check_hops(struct builder *builder, struct topology_route *route,
                       const struct route_item *read, const struct node *item, const char *path)
{
    guint hops = route->via->len + 1, named = g_strv_length((char **)read->links);
    if (named != 0 && named != hops) {
        diag_add(builder->diags, node_get(item, "links")->mark, path, NULL,
                 "%u links are named for %u hops", named, hops);
        return;
    }
    for (guint i = 0; i < hops; i++) {
        int a = i == 0 ? route->from : g_array_index(route->via, int, i - 1);
        int b = i == hops - 1 ? route->to : g_array_index(route->via, int, i);
        int64_t which = -1;
        if (named && !read_hop_link(builder, read->links[i], item, path, &which))
            continue;
        int link = find_link(builder, a, b, which);
        if (link == -2)
            diag_add(builder->diags, item->mark, path, NULL, "no link%s joins %s and %s",
                     which > 0 ? " of this number" : "", topology_node_name(builder->topology, a),
                     topology_node_name(builder->topology, b));
        g_array_append_val(route->links, link);
    }
}

// The one node that a route's key names; -1 after an error.
static int route_node(struct builder *builder, const char *name, const struct node *item,
                      const char *path, const char *key, bool host)
{
    const struct topology_range *range =
        topology_names_find(&builder->names, name, node_get(item, key)->mark, path);
    if (range && range->count == 1 && topology_is_host(builder->topology, range->first) == host)
        return range->first;
    if (range)
        diag_add(builder->diags, node_get(item, key)->mark, path, NULL, "%s is not one %s", name,
                 host ? "host" : "switch");
    return -1;
}

static void read_route(struct builder *builder, const struct node *item, const char *path)
{
    struct param_values *values =
        topology_read_item(builder, &topology_route_table, NULL, item, path);
    if (!values)
        return;
    const struct route_item *read = values->values;
    struct topology_route *route = g_new0(struct topology_route, 1);
    route->mark = item->mark;
    route->via = g_array_new(FALSE, FALSE, sizeof(int));
    route->links = g_array_new(FALSE, FALSE, sizeof(int));
    route->from = route_node(builder, read->from, item, path, "from", true);
    route->to = route_node(builder, read->to, item, path, "to", true);
    bool good = route->from >= 0 && route->to >= 0;
    for (const char *const *name = read->via; *name; name++) {
        int node = route_node(builder, *name, item, path, "via", false);
        good &= node >= 0;
        g_array_append_val(route->via, node);
    }
    if (good)
        check_hops(builder, route, read, item, path);
    g_ptr_array_add(builder->topology->routes, route);
    param_values_free(values);
}

const char *const topology_routings[] = {"up_down", "shortest", NULL};

// A list of given routes, or the word for how all are found.
static void read_routes(struct builder *builder)
{
    const struct node *routes = node_get(builder->tree, "routes");
    if (node_is_null(routes) || routes->kind != NODE_SCALAR) {
        each_item(builder, "routes", "write routes: [{from: node0, to: node1, via: [left, right]}]",
                  read_route);
        return;
    }
    static const enum topology_routing routings[] = {TOPOLOGY_ROUTES_UP_DOWN,
                                                     TOPOLOGY_ROUTES_SHORTEST};
    int choice = reader_choice(routes, "routes", "routing", topology_routings, builder->diags);
    if (choice >= 0)
        builder->topology->routing = routings[choice];
}

// ---- All of it ----

// Checks the parameters that stand for all links or switches once, where they stand.
static bool check_defaults(struct builder *builder, const char *key,
                           const struct param_table *table)
{
    const struct node *map = node_get(builder->tree, key);
    if (node_is_null(map))
        return true;
    guint before = builder->diags->found;
    if (map->kind == NODE_MAP)
        param_keys(table, map, key, builder->diags);
    param_values_free(param_read_part(table, map, key, false, NULL, builder->diags));
    return builder->diags->found == before;
}

void topology_read(struct topology *topology, const struct node *tree,
                   const struct scenario_schema *schema, struct diag_list *diags)
{
    topology_init(topology);
    struct builder builder = {.topology = topology, .schema = schema, .tree = tree, .diags = diags};
    guint before = diags->found;
    if (!check_defaults(&builder, "link", schema->link_table) ||
        !check_defaults(&builder, "switch", schema->switch_table))
        return;
    topology_names_init(&builder.names, topology, diags);
    if (schema->bus_table)
        each_item(&builder, TOPOLOGY_BUSES_KEY, "write buses: [{name: csa, clock: 66 MHz}]",
                  read_bus);
    each_item(&builder, "hosts", "write hosts: [{name: node, count: 4}]", read_host);
    each_item(&builder, "switches", "write switches: [{name: switch}]", read_switch);
    if (diags->found == before)
        each_item(&builder, "links", "write links: [{from: node, to: switch}]", read_link);
    if (diags->found == before)
        topology_place_links(topology, diags);
    if (diags->found == before)
        read_routes(&builder);
    if (diags->found == before && topology->hosts->len == 0)
        diag_add(diags, tree->mark, "hosts", "write hosts: [{name: node, count: 2}]",
                 "there must be at least one host");
    if (diags->found == before) {
        topology_check_ports(topology, schema->switch_table, diags);
        topology_check_joined(topology, false, diags);
    }
    topology_names_clear(&builder.names);
}
