// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/placement.h"

#include "sim/config/reader.h"
#include "sim/program/program.h"
#include "sim/scenario/topology_names.h"
#include "sim/scenario/topology_read.h"

#include <string.h>

#define PLACEMENT_PATH "workload." PLACEMENT_KEY

struct placement_reader {
    const struct topology *topology;
    GHashTable *hosts; // name -> 1 + index
    GArray *placement;
    struct diag_list *diags;
};

// The index of a host, or -1 after a complaint.
static int placement_find_host(const struct placement_reader *reader, const struct node *item,
                               const char *path, const char *name)
{
    int host = GPOINTER_TO_INT(g_hash_table_lookup(reader->hosts, name)) - 1;
    if (host >= 0)
        return host;
    GPtrArray *names = g_ptr_array_new();
    for (guint i = 0; i < reader->topology->hosts->len; i++)
        g_ptr_array_add(names, (char *)topology_node_name(reader->topology, (int)i));
    g_ptr_array_add(names, NULL);
    char *hint = reader_hint(name, (const char *const *)names->pdata);
    diag_add(reader->diags, item->mark, path, hint, "there is no host \"%.64s\"", name);
    g_free(hint);
    g_ptr_array_free(names, TRUE);
    return -1;
}

// A host, or all from one to another: "node0..3", "node3..node0".
static void placement_read_item(const struct placement_reader *reader, const struct node *item,
                                const char *path)
{
    const char *text =
        reader_text(item, path, "a host, or a range such as node0..3", reader->diags);
    if (!text)
        return;
    char *first = NULL, *last = NULL;
    bool is_range = topology_split_range(text, &first, &last);
    int from = placement_find_host(reader, item, path, is_range ? first : text);
    int to = from >= 0 && is_range ? placement_find_host(reader, item, path, last) : from;
    g_free(first);
    g_free(last);
    if (from < 0 || to < 0)
        return;
    int step = to < from ? -1 : 1;
    for (int host = from; host != to + step; host += step)
        g_array_append_val(reader->placement, host);
}

static void read_list(struct placement_reader *reader, const struct node *list,
                      const char *list_path)
{
    reader->hosts = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < reader->topology->hosts->len; i++)
        g_hash_table_insert(reader->hosts, (void *)topology_node_name(reader->topology, (int)i),
                            GINT_TO_POINTER(i + 1));
    if (list->children->len == 0)
        diag_add(reader->diags, list->mark, list_path, NULL, "the list is empty");
    for (guint i = 0; i < list->children->len && reader->placement->len <= PROGRAM_MOST_RANKS;
         i++) {
        char *path = reader_path_item(list_path, i);
        placement_read_item(reader, g_ptr_array_index(list->children, i), path);
        g_free(path);
    }
    g_hash_table_destroy(reader->hosts);
}

static const char *const words[] = {"cyclic", "block", NULL};

// The list of hosts that the key has, NULL: all, or it is no good; and whether they have blocks.
static const struct node *hosts_of(const struct node *placement, bool *block,
                                   struct diag_list *diags)
{
    if (placement->kind == NODE_SCALAR) {
        *block = g_strcmp0(placement->text, words[1]) == 0;
        char *hint = placement->text ? reader_hint(placement->text, words) : NULL;
        if (!placement->text || !g_strv_contains(words, placement->text))
            diag_add(diags, placement->mark, PLACEMENT_PATH, hint,
                     "a list of hosts, cyclic or block is expected here, not \"%.64s\"",
                     placement->text ? placement->text : "");
        g_free(hint);
        return NULL;
    }
    const struct node *list = placement;
    if (placement->kind == NODE_MAP) {
        reader_keys(placement, PLACEMENT_PATH, words + 1, diags);
        list = node_get(placement, words[1]);
        *block = true;
        if (!list)
            diag_add(diags, placement->mark, PLACEMENT_PATH, NULL, "the key block is missing");
    }
    return list && reader_is(list, NODE_LIST, *block ? PLACEMENT_PATH ".block" : PLACEMENT_PATH,
                             "a list of hosts", diags)
               ? list
               : NULL;
}

GArray *placement_read(const struct node *workload, const struct topology *topology, bool *block,
                       struct diag_list *diags)
{
    struct placement_reader reader = {
        .topology = topology,
        .placement = g_array_new(FALSE, FALSE, sizeof(int)),
        .diags = diags,
    };
    const struct node *placement = node_get(workload, PLACEMENT_KEY);
    guint before = diags->found;
    *block = false;
    const struct node *list = placement ? hosts_of(placement, block, diags) : NULL;
    if (list)
        read_list(&reader, list, *block ? PLACEMENT_PATH ".block" : PLACEMENT_PATH);
    for (int host = 0; !list && host < (int)topology->hosts->len; host++)
        g_array_append_val(reader.placement, host);
    if (diags->found > before)
        g_array_set_size(reader.placement, 0);
    return reader.placement;
}

void placement_spread(GArray *placement, int ranks)
{
    guint hosts = MIN(placement->len, (guint)ranks);
    for (int rank = 0; hosts > 0 && rank < ranks; rank++) {
        guint64 nth = (guint64)rank * hosts / (guint64)ranks;
        int host = g_array_index(placement, int, (guint)nth);
        g_array_append_val(placement, host);
    }
    g_array_remove_range(placement, 0, hosts > 0 ? placement->len - (guint)ranks : 0);
}

int placement_host(const GArray *placement, int rank)
{
    return g_array_index(placement, int, (guint)rank % placement->len);
}

int placement_fullest(const GArray *placement, int ranks, int hosts, int *most)
{
    int *on = g_new0(int, hosts), fullest = 0;
    for (int rank = 0; rank < ranks; rank++)
        on[placement_host(placement, rank)]++;
    for (int host = 1; host < hosts; host++)
        if (on[host] > on[fullest])
            fullest = host;
    *most = on[fullest];
    g_free(on);
    return fullest;
}

// The first rank that runs on a host that another has, and which; false: none does.
static bool share_host(const GArray *placement, int ranks, int hosts, int *first, int *second)
{
    int *on = g_new0(int, hosts); // 1 + the rank that is there
    bool found = false;
    for (*second = 0; *second < ranks && !found; (*second)++) {
        int *there = &on[placement_host(placement, *second)];
        found = *there > 0;
        *first = *there - 1;
        *there = *second + 1;
    }
    (*second)--;
    g_free(on);
    return found;
}

void placement_check(const struct node *workload, const GArray *placement, int ranks,
                     const struct topology *topology, const struct stack_schema *stack,
                     struct diag_list *diags)
{
    const struct node *list = node_get(workload, PLACEMENT_KEY);
    if (!list || placement->len == 0)
        return;
    if (list->kind == NODE_LIST && ranks < (int)placement->len) {
        diag_add(diags, list->mark, PLACEMENT_PATH, "take more ranks or fewer hosts",
                 "%u hosts are listed for %d rank%s", placement->len, ranks, ranks == 1 ? "" : "s");
        return;
    }
    int first, second;
    if (stack && stack->one_process_per_host &&
        share_host(placement, ranks, (int)topology->hosts->len, &first, &second))
        diag_add(diags, list->mark, PLACEMENT_PATH, "list a host for each rank",
                 "the stack %s runs one process a host, and ranks %d and %d are both on %s",
                 stack->name, first, second,
                 topology_node_name(topology, placement_host(placement, second)));
}

json_t *placement_schema(void)
{
    json_t *hosts =
        json_pack("{s:s, s:i, s:{s:s}}", "type", "array", "minItems", 1, "items", "type", "string");
    json_t *block = json_pack("{s:s, s:{s:O}, s:[s], s:b}", "type", "object", "properties",
                              words[1], hosts, "required", words[1], "additionalProperties", 0);
    return json_pack("{s:[o, {s:[s, s]}, o]}", "anyOf", hosts, "enum", words[0], words[1], block);
}
