// SPDX-License-Identifier: GPL-3.0-or-later
// Which of the hosts' cards the stack of a case uses: marks the ends of links whose card it does
// not.
#include "sim/scenario/topology_read.h"

// The ends of links at hosts, host by host in the order of the links: 2 * link + end.
struct host_ends {
    int *first; // by host, and one after the last
    int *code;
};

static struct host_ends host_ends_new(const struct topology *topology)
{
    int hosts = (int)topology->hosts->len;
    struct host_ends ends = {.first = g_new0(int, hosts + 2),
                             .code = g_new(int, 2 * topology->links->len + 1)};
    int *filled = g_new0(int, hosts + 1);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 2 * (int)topology->links->len; i++) {
            const struct topology_link *link = g_ptr_array_index(topology->links, (guint)i / 2);
            int host = topology_link_node(link, i % 2);
            if (!topology_is_host(topology, host) || i % 2 >= topology_link_ends(link))
                continue;
            if (pass == 0)
                ends.first[host + 1]++;
            else
                ends.code[ends.first[host] + filled[host]++] = i;
        }
        for (int host = 0; pass == 0 && host < hosts; host++)
            ends.first[host + 1] += ends.first[host];
    }
    g_free(filled);
    return ends;
}

static void host_ends_clear(struct host_ends *ends)
{
    g_free(ends->first);
    g_free(ends->code);
}

static bool *idle_at(const struct topology *topology, int code)
{
    struct topology_link *link = g_ptr_array_index(topology->links, (guint)code / 2);
    return &link->idle[code % 2];
}

static bool is_driven(const struct topology_use *use, const char *nic)
{
    return !use->drives || !use->drives[0] || g_strv_contains(use->drives, nic);
}

static bool is_named(const struct topology_use *use, const struct topology_card *card)
{
    return !use->card || g_str_equal(card->name, use->card) || g_str_equal(card->nic, use->card);
}

// Whether the stack could use a card by itself; NULL: of a host that lists none.
static bool fits(const struct topology_use *use, const struct topology_card *card)
{
    return !card || (is_named(use, card) && is_driven(use, card->nic));
}

// ---- By route ----

// The network that a link is part of: that of its switch, or one of its own.
static int network_of(const struct topology *topology, int *parent, int code)
{
    const struct topology_link *link = g_ptr_array_index(topology->links, (guint)code / 2);
    int other = topology_link_node(link, !(code % 2));
    return topology_is_host(topology, other) ? topology_node_count(topology) + code / 2
                                             : topology_network(parent, other);
}

// The ends that fit, by network: for each network a GArray of struct member.
struct member {
    int host, code;
};

static GHashTable *members_new(const struct topology *topology, int *parent,
                               const struct host_ends *ends)
{
    GHashTable *networks =
        g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)(void (*)(void))g_array_unref);
    for (int host = 0; host < (int)topology->hosts->len; host++) {
        for (int i = ends->first[host]; i < ends->first[host + 1]; i++) {
            struct member member = {host, ends->code[i]};
            gpointer key = GINT_TO_POINTER(network_of(topology, parent, member.code));
            if (*idle_at(topology, member.code))
                continue;
            GArray *list = g_hash_table_lookup(networks, key);
            if (!list)
                g_hash_table_insert(networks, key,
                                    list = g_array_new(FALSE, FALSE, sizeof(struct member)));
            g_array_append_val(list, member);
        }
    }
    return networks;
}

// A host without any peer, for it is alone, keeps its first card.
static void leave_unused(struct topology *topology, const struct host_ends *ends, int host,
                         const bool *used)
{
    bool any = false;
    for (int i = ends->first[host]; i < ends->first[host + 1]; i++)
        any |= used[ends->code[i]];
    for (int i = ends->first[host]; i < ends->first[host + 1]; i++) {
        bool *idle = idle_at(topology, ends->code[i]);
        if (!any && !*idle)
            any = true;
        else
            *idle |= !used[ends->code[i]];
    }
}

// A host sends to each other by the first of its cards that leads there, to the first of the
// other's cards in that network. Cards without such a sender are idle.
static void use_by_route(struct topology *topology, const struct host_ends *ends)
{
    int *parent = topology_networks(topology), hosts = (int)topology->hosts->len;
    int *reached = g_new0(int, hosts + 1); // the host that has reached it last, from 1
    bool *used = g_new0(bool, 2 * topology->links->len + 1);
    GHashTable *networks = members_new(topology, parent, ends);
    for (int host = 0; host < hosts; host++) {
        reached[host] = host + 1;
        for (int i = ends->first[host]; i < ends->first[host + 1]; i++) {
            int code = ends->code[i];
            if (*idle_at(topology, code))
                continue;
            const GArray *list =
                g_hash_table_lookup(networks, GINT_TO_POINTER(network_of(topology, parent, code)));
            for (guint k = 0; k < list->len; k++) {
                const struct member *member = &g_array_index(list, struct member, k);
                if (reached[member->host] == host + 1)
                    continue;
                reached[member->host] = host + 1;
                used[code] = used[member->code] = true;
            }
        }
    }
    for (int host = 0; host < hosts; host++)
        leave_unused(topology, ends, host, used);
    g_hash_table_unref(networks);
    g_free(parent);
    g_free(reached);
    g_free(used);
}

// Whether a host has a choice: more than one card that is not idle.
static bool any_choice(const struct topology *topology, const struct host_ends *ends)
{
    for (int host = 0; host < (int)topology->hosts->len; host++) {
        int free_ends = 0;
        for (int i = ends->first[host]; i < ends->first[host + 1]; i++)
            free_ends += !*idle_at(topology, ends->code[i]);
        if (free_ends > 1)
            return true;
    }
    return false;
}

// ---- All of it ----

// No card of the host is used: none has that name, or the stack does not drive it, or no link ends
// at it.
static void complain(const struct topology *topology, int host, const struct topology_use *use,
                     struct diag_list *diags)
{
    const GArray *cards = topology_cards_of(topology, host);
    char *text = topology_cards_text(cards), *hint = g_strdup_printf("its cards are %s", text);
    const char *name = topology_node_name(topology, host);
    struct source_mark mark = g_array_index(topology->hosts, struct topology_node, host).mark;
    bool named = false, fit = false;
    for (guint i = 0; i < cards->len; i++) {
        named |= is_named(use, &g_array_index(cards, struct topology_card, i));
        fit |= fits(use, &g_array_index(cards, struct topology_card, i));
    }
    if (use->card && !named)
        diag_add(diags, use->mark, "nic", hint, "%s has no card %s", name, use->card);
    else if (use->card && !fit)
        diag_add(diags, use->mark, "nic", hint, "the stack %s does not drive the card %s of %s",
                 use->stack, use->card, name);
    else if (use->card)
        diag_add(diags, use->mark, "nic", hint, "the card %s of %s has no link", use->card, name);
    else
        diag_add(diags, mark, "hosts", hint, "%s has no card%s that the stack %s drives", name,
                 fit ? " with a link" : "", use->stack);
    g_free(hint);
    g_free(text);
}

static void use_of_host(struct topology *topology, const struct host_ends *ends, int host,
                        const struct topology_use *use, struct diag_list *diags)
{
    int found = 0;
    for (int i = ends->first[host]; i < ends->first[host + 1]; i++) {
        const struct topology_link *link =
            g_ptr_array_index(topology->links, (guint)ends->code[i] / 2);
        bool one = fits(use, topology_link_card(topology, link, ends->code[i] % 2));
        found += one;
        *idle_at(topology, ends->code[i]) = !one || (found > 1 && use->cards == STACK_CARDS_FIRST);
    }
    if (found == 0 && topology_cards_of(topology, host) && topology->hosts->len > 1)
        complain(topology, host, use, diags);
}

void topology_use_cards(struct topology *topology, const struct topology_use *use,
                        struct diag_list *diags)
{
    struct host_ends ends = host_ends_new(topology);
    guint before = diags->found;
    for (int host = 0; host < (int)topology->hosts->len && diags->found == before; host++)
        use_of_host(topology, &ends, host, use, diags);
    if (diags->found == before && use->cards == STACK_CARDS_BY_ROUTE && any_choice(topology, &ends))
        use_by_route(topology, &ends);
    host_ends_clear(&ends);
}
