// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/topology_names.h"

#include "sim/config/reader.h"

#include <string.h>

void topology_names_init(struct topology_names *names, struct topology *topology,
                         struct diag_list *diags)
{
    *names = (struct topology_names){
        topology, g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free), diags};
}

void topology_names_clear(struct topology_names *names)
{
    g_hash_table_destroy(names->ranges);
}

static const char *const *known_names(const struct topology_names *names)
{
    return (const char *const *)g_hash_table_get_keys_as_array(names->ranges, NULL);
}

const char *topology_names_add(struct topology_names *names, const char *name,
                               struct topology_range range, const char *path)
{
    const struct topology_range *before = g_hash_table_lookup(names->ranges, name);
    if (before) {
        diag_add(names->diags, range.mark, path, NULL,
                 "the name %s is taken twice, first in %s:%d:%d", name, before->mark.file,
                 before->mark.line, before->mark.column);
        return NULL;
    }
    char *kept = g_string_chunk_insert(names->topology->names, name);
    g_hash_table_insert(names->ranges, kept, g_memdup2(&range, sizeof range));
    return kept;
}

bool topology_split_range(const char *text, char **first, char **last)
{
    const char *dots = strstr(text, "..");
    if (!dots)
        return false;
    *first = g_strstrip(g_strndup(text, (gsize)(dots - text)));
    *last = g_strstrip(g_strdup(dots + 2));
    size_t stem = strlen(*first);
    while (stem > 0 && g_ascii_isdigit((*first)[stem - 1]))
        stem--;
    if (g_ascii_isdigit(**last)) {
        char *full = g_strdup_printf("%.*s%s", (int)stem, *first, *last);
        g_free(*last);
        *last = full;
    }
    return true;
}

const struct topology_range *topology_names_find(struct topology_names *names, const char *name,
                                                 struct source_mark mark, const char *path)
{
    const struct topology_range *range = g_hash_table_lookup(names->ranges, name);
    if (range)
        return range;
    const char *const *known = known_names(names);
    char *hint = reader_hint(name, known);
    diag_add(names->diags, mark, path, hint, "there is no host or switch \"%.64s\"", name);
    g_free(hint);
    g_free((void *)known);
    return NULL;
}

// Finds the card of that name or, if the host has only one of it, of that model.
static bool find_card(struct topology_names *names, int node, const char *text,
                      struct source_mark mark, const char *path, int *card)
{
    const GArray *cards = topology_cards_of(names->topology, node);
    const char *name = topology_node_name(names->topology, node);
    *card = cards ? topology_card_find(cards, text) + 1 : 0;
    if (*card > 0)
        return true;
    char *hint = cards ? topology_cards_text(cards) : NULL;
    char *full = hint ? g_strdup_printf("its cards are %s", hint) : NULL;
    diag_add(names->diags, mark, path, full ? full : "a host that lists `nics` has cards",
             "%s has no card \"%.64s\"", name, text);
    g_free(full);
    g_free(hint);
    return false;
}

// Appends the nodes that a name, a group or a range means, each with its card of that name
// (NULL: none is named).
static bool resolve(struct topology_names *names, const char *text, const char *card,
                    struct source_mark mark, const char *path, GArray *ends)
{
    char *first = NULL, *last = NULL;
    bool is_range = topology_split_range(text, &first, &last);
    const struct topology_range *a =
        topology_names_find(names, is_range ? first : text, mark, path);
    const struct topology_range *b =
        a && is_range ? topology_names_find(names, last, mark, path) : a;
    g_free(first);
    g_free(last);
    if (!a || !b)
        return false;
    int end = b->first + b->count;
    if (a->first >= end ||
        topology_is_host(names->topology, a->first) != topology_is_host(names->topology, end - 1)) {
        diag_add(names->diags, mark, path, NULL, "\"%.64s\" is no range of nodes", text);
        return false;
    }
    bool good = true;
    for (int node = a->first; node < end && good; node++) {
        struct topology_end one = {node, 0};
        good = !card || find_card(names, node, card, mark, path, &one.card);
        g_array_append_val(ends, one);
    }
    return good;
}

// Returns true if the text is a name, or a range of two.
static bool is_known(const struct topology_names *names, const char *text)
{
    char *first = NULL, *last = NULL;
    if (!topology_split_range(text, &first, &last))
        return g_hash_table_contains(names->ranges, text);
    bool known =
        g_hash_table_contains(names->ranges, first) && g_hash_table_contains(names->ranges, last);
    g_free(first);
    g_free(last);
    return known;
}

// Names may have dots: one that is known as it is written is not cut.
bool topology_names_end(struct topology_names *names, const char *text, struct source_mark mark,
                        const char *path, GArray *ends)
{
    const char *dot = strrchr(text, '.');
    char *nodes = g_strndup(text, dot ? (gsize)(dot - text) : 0);
    bool cut = !is_known(names, text) && is_known(names, nodes);
    bool good = resolve(names, cut ? nodes : text, cut ? dot + 1 : NULL, mark, path, ends);
    g_free(nodes);
    return good;
}
