// SPDX-License-Identifier: GPL-3.0-or-later
// The cards that hosts list: which link ends at which, and which of them a stack uses.
#include "sim/scenario/topology_read.h"

#include "sim/config/reader.h"

#include <string.h>

struct card_item {
    const char *name, *nic, *bus;
    int64_t mtu;
};

static const struct param card_params[] = {
    PARAM(struct card_item, name, PARAM_STRING, .doc = "what links and `nic` call the card"),
    PARAM(struct card_item, nic, PARAM_STRING, .doc = "its NIC model"),
    PARAM(struct card_item, bus, PARAM_STRING, .fallback = "",
          .doc = "which of `buses` it sits at; the host's own (host.bus) if it is not given"),
    PARAM(struct card_item, mtu, PARAM_SIZE, .fallback = "0 B",
          .doc = "longest packet of its interface, within a frame; 0: the stack's"),
    {0}};

const struct param_table topology_card_table = PARAM_TABLE(
    struct card_item, card_params, .name = "nics", .doc = "a card of each of these hosts");

// ---- Reading ----

bool topology_lists_cards(const struct node *tree)
{
    const struct node *hosts = node_get(tree, "hosts");
    for (guint i = 0; hosts && hosts->kind == NODE_LIST && i < hosts->children->len; i++)
        if (node_get(g_ptr_array_index(hosts->children, i), TOPOLOGY_NICS_KEY))
            return true;
    return false;
}

static const struct topology_card *card_at(const GArray *cards, int index)
{
    return &g_array_index(cards, struct topology_card, index);
}

static bool is_taken(const GArray *cards, const char *name, struct source_mark mark,
                     const char *path, struct diag_list *diags)
{
    for (int i = 0; i < (int)cards->len; i++) {
        const struct topology_card *before = card_at(cards, i);
        if (strcmp(before->name, name) != 0)
            continue;
        diag_add(diags, mark, path, NULL, "the name %s is taken twice, first in %s:%d:%d", name,
                 before->mark.file, before->mark.line, before->mark.column);
        return true;
    }
    return false;
}

// ---- Buses ----

bool topology_bus_is_taken(const struct topology *topology, const struct node *name,
                           const char *path, struct diag_list *diags)
{
    for (guint i = 0; i < topology->buses->len; i++) {
        const struct topology_bus *before = g_ptr_array_index(topology->buses, i);
        if (strcmp(before->name, name->text) != 0)
            continue;
        diag_add(diags, name->mark, path, NULL, "the name %s is taken twice, first in %s:%d:%d",
                 name->text, before->mark.file, before->mark.line, before->mark.column);
        return true;
    }
    return false;
}

// The index of the bus that a card names, -1: it names none, the host's own; -2 after an error.
static int find_bus(const struct topology *topology, const struct node *node, const char *path,
                    struct diag_list *diags)
{
    if (!node)
        return -1;
    if (!reader_text(node, path, "the name of a bus", diags))
        return -2;
    GString *known = g_string_new(NULL);
    for (guint i = 0; i < topology->buses->len; i++) {
        const struct topology_bus *bus = g_ptr_array_index(topology->buses, i);
        if (strcmp(bus->name, node->text) == 0) {
            g_string_free(known, TRUE);
            return (int)i;
        }
        g_string_append_printf(known, "%s%s", i > 0 ? ", " : "the buses are ", bus->name);
    }
    diag_add(diags, node->mark, path, known->len ? known->str : "list it in `buses`",
             "unknown bus \"%.64s\"", node->text);
    g_string_free(known, TRUE);
    return -2;
}

static void read_card(struct topology *topology, GArray *cards, const struct node *item,
                      const char *path, const struct scenario_schema *schema,
                      struct diag_list *diags)
{
    bool known = param_keys(&topology_card_table, item, path, diags), good;
    struct param_values *values =
        param_read_part(&topology_card_table, item, path, true, &good, diags);
    char *name_path = reader_path(path, "name"), *nic_path = reader_path(path, "nic");
    char *bus_path = reader_path(path, "bus");
    int model = -1, bus = find_bus(topology, node_get(item, "bus"), bus_path, diags);
    if (good && known && reader_name(node_get(item, "name"), name_path, diags))
        model = reader_choice(node_get(item, "nic"), nic_path, "NIC model", schema->nics, diags);
    const struct card_item *read = values->values;
    if (model >= 0 && bus >= -1 &&
        !is_taken(cards, read->name, node_get(item, "name")->mark, name_path, diags)) {
        const struct topology_card card = {
            .name = g_string_chunk_insert(topology->names, read->name),
            .nic = schema->nics[model],
            .bus = bus,
            .mtu = read->mtu,
            .mark = item->mark,
        };
        g_array_append_val(cards, card);
    }
    g_free(name_path);
    g_free(nic_path);
    g_free(bus_path);
    param_values_free(values);
}

const GArray *topology_cards_read(struct topology *topology, const struct node *list,
                                  const char *path, const struct scenario_schema *schema,
                                  struct diag_list *diags)
{
    if (node_is_null(list) || !reader_is(list, NODE_LIST, path, "a list of cards", diags))
        return NULL;
    GArray *cards = g_array_new(FALSE, FALSE, sizeof(struct topology_card));
    g_ptr_array_add(topology->cards, cards);
    for (guint i = 0; i < list->children->len; i++) {
        const struct node *item = g_ptr_array_index(list->children, i);
        char *item_path = reader_path_item(path, i);
        if (reader_is(item, NODE_MAP, item_path, "a map", diags))
            read_card(topology, cards, item, item_path, schema, diags);
        g_free(item_path);
    }
    return cards;
}

// ---- Which link ends at which ----

// The links of each host's cards, -1: none. `first` is where each host's begin.
struct card_links {
    int *first, *link;
};

static struct card_links card_links_new(const struct topology *topology)
{
    int count = 0;
    struct card_links links = {.first = g_new(int, topology->hosts->len + 1)};
    for (int host = 0; host < (int)topology->hosts->len; host++) {
        const GArray *cards = topology_cards_of(topology, host);
        links.first[host] = count;
        count += cards ? (int)cards->len : 0;
    }
    links.link = g_new(int, count + 1);
    for (int i = 0; i < count; i++)
        links.link[i] = -1;
    return links;
}

// Takes the card that the link names.
static void take_named_card(const struct topology *topology, const struct card_links *links,
                            int index, int end, struct diag_list *diags)
{
    const struct topology_link *link = g_ptr_array_index(topology->links, (guint)index);
    int node = topology_link_node(link, end);
    int *owner = &links->link[links->first[node] + link->card[end] - 1];
    if (*owner < 0) {
        *owner = index;
        return;
    }
    const struct topology_link *first = g_ptr_array_index(topology->links, (guint)*owner);
    diag_add(diags, link->mark, "links", "a card has one link: list another in `nics` of the host",
             "the card %s of %s has a link already (%s:%d:%d)",
             topology_link_card(topology, link, end)->name, topology_node_name(topology, node),
             first->mark.file, first->mark.line, first->mark.column);
}

// The first card of the end's host that has no link yet.
static void take_free_card(const struct topology *topology, const struct card_links *links,
                           int index, int end, struct diag_list *diags)
{
    struct topology_link *link = g_ptr_array_index(topology->links, (guint)index);
    int node = topology_link_node(link, end);
    const GArray *cards = topology_cards_of(topology, node);
    int *owners = &links->link[links->first[node]], card = 0;
    while (card < (int)cards->len && owners[card] >= 0)
        card++;
    if (card < (int)cards->len) {
        owners[card] = index;
        link->card[end] = card + 1;
        if (topology_link_ends(link) == 1)
            link->card[1] = card + 1;
        return;
    }
    diag_add(diags, link->mark, "links", "list another in `nics` of the host",
             "%s has %u card%s, and this is one link more", topology_node_name(topology, node),
             cards->len, cards->len == 1 ? "" : "s");
}

void topology_place_links(struct topology *topology, struct diag_list *diags)
{
    guint before = diags->found;
    struct card_links links = card_links_new(topology);
    GArray *plain = g_array_new(FALSE, FALSE, sizeof(int)); // 2 * link + end
    for (int i = 0; i < (int)topology->links->len && diags->found == before; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, (guint)i);
        for (int end = 0; end < topology_link_ends(link); end++) {
            int code = 2 * i + end;
            if (link->card[end] > 0)
                take_named_card(topology, &links, i, end, diags);
            else if (topology_cards_of(topology, topology_link_node(link, end)))
                g_array_append_val(plain, code);
        }
    }
    for (guint i = 0; i < plain->len && diags->found == before; i++) {
        int code = g_array_index(plain, int, i);
        take_free_card(topology, &links, code / 2, code % 2, diags);
    }
    g_array_free(plain, TRUE);
    g_free(links.first);
    g_free(links.link);
}
