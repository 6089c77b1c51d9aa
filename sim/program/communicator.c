// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/program/communicator.h"

#include "sim/config/expression.h"
#include "sim/config/reader.h"
#include "sim/core/intern.h"
#include "sim/program/program.h"

#include <string.h>

struct communicators_reader {
    GPtrArray *list;
    int ranks;
    struct diag_list *diags;
};

static void communicator_free(void *data)
{
    struct communicator *communicator = data;
    g_ptr_array_free(communicator->groups, TRUE);
    g_free(communicator);
}

static void group_free(void *data)
{
    g_array_free(data, TRUE);
}

GArray *communicator_add_group(struct communicator *communicator)
{
    GArray *group = g_array_new(FALSE, FALSE, sizeof(int));
    g_ptr_array_add(communicator->groups, group);
    return group;
}

static const char *variable_of(const char *name, const char *what)
{
    char *text = g_strdup_printf("%s_%s", name, what);
    const char *interned = intern_text(text);
    g_free(text);
    return interned;
}

GPtrArray *communicators_new(void)
{
    return g_ptr_array_new_with_free_func(communicator_free);
}

struct communicator *communicator_add(GPtrArray *communicators, const char *name)
{
    struct communicator *communicator = g_new(struct communicator, 1);
    *communicator = (struct communicator){
        .name = intern_text(name),
        .rank_variable = variable_of(name, "rank"),
        .ranks_variable = variable_of(name, "ranks"),
        .parent = COMMUNICATOR_OF_ALL,
        .groups = g_ptr_array_new_with_free_func(group_free),
    };
    g_ptr_array_add(communicators, communicator);
    return communicator;
}

int communicator_find(const GPtrArray *communicators, const char *name)
{
    for (guint i = 0; i < communicators->len; i++)
        if (strcmp(((struct communicator *)g_ptr_array_index(communicators, i))->name, name) == 0)
            return (int)i;
    return -1;
}

// ---- Lists of ranks ----

static void add_ranks(const struct communicators_reader *reader, const struct node *node,
                      const char *path, GArray *group, bool *taken)
{
    int first, last;
    const char *text = reader_text(node, path, "a rank, or a range such as 1..3", reader->diags);
    if (!text)
        return;
    if (!program_parse_ranks(text, &first, &last)) {
        diag_add(reader->diags, node->mark, path, "write 0, or 1..3", "\"%.60s\" is no rank", text);
        return;
    }
    if (last >= reader->ranks) {
        char *hint = g_strdup_printf("ranks are 0 .. %d", reader->ranks - 1);
        diag_add(reader->diags, node->mark, path, hint, "there is no rank %d", last);
        g_free(hint);
        return;
    }
    for (int rank = first; rank <= last; rank++) {
        if (taken[rank])
            diag_add(reader->diags, node->mark, path, NULL, "rank %d is named twice", rank);
        taken[rank] = true;
        g_array_append_val(group, rank);
    }
}

static void read_ranks(const struct communicators_reader *reader, const struct node *list,
                       const char *path, struct communicator *communicator)
{
    bool *taken = g_new0(bool, reader->ranks);
    GArray *group = communicator_add_group(communicator);
    if (list->kind != NODE_LIST)
        add_ranks(reader, list, path, group, taken);
    else if (list->children->len == 0)
        diag_add(reader->diags, list->mark, path, NULL, "a communicator has at least one rank");
    for (guint i = 0; list->kind == NODE_LIST && i < list->children->len; i++) {
        char *item_path = reader_path_item(path, i);
        add_ranks(reader, g_ptr_array_index(list->children, i), item_path, group, taken);
        g_free(item_path);
    }
    g_free(taken);
}

// ---- Splits ----

// Each rank goes to the group of its colour, in the job's order.
static void split(const struct communicators_reader *reader, struct expression *colour,
                  double *values, const struct node *node, const char *path,
                  struct communicator *communicator)
{
    GHashTable *groups = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    char *error = NULL;
    values[1] = reader->ranks;
    for (int rank = 0; rank < reader->ranks && !error; rank++) {
        values[0] = rank;
        int64_t key = expression_value(colour, &error);
        GArray *group = g_hash_table_lookup(groups, &key);
        if (!group) {
            group = communicator_add_group(communicator);
            g_hash_table_insert(groups, g_memdup2(&key, sizeof key), group);
        }
        g_array_append_val(group, rank);
    }
    if (error)
        diag_add(reader->diags, node->mark, path, NULL, "\"%.60s\": %s", node->text, error);
    g_free(error);
    g_hash_table_destroy(groups);
}

static void duplicate(const struct communicators_reader *reader, struct communicator *communicator)
{
    if (communicator->parent == COMMUNICATOR_OF_ALL) {
        GArray *group = communicator_add_group(communicator);
        for (int rank = 0; rank < reader->ranks; rank++)
            g_array_append_val(group, rank);
        return;
    }
    const struct communicator *parent = g_ptr_array_index(reader->list, communicator->parent);
    for (guint i = 0; i < parent->groups->len; i++) {
        const GArray *from = g_ptr_array_index(parent->groups, i);
        g_array_append_vals(communicator_add_group(communicator), from->data, from->len);
    }
}

// The communicator that is duplicated must stand before this one.
static void read_dup(const struct communicators_reader *reader, const struct node *map,
                     const char *path, struct communicator *communicator)
{
    static const char *const known[] = {"dup", NULL};
    const struct node *node = node_get(map, known[0]);
    char *dup_path = reader_path(path, known[0]);
    const char *text = reader_text(node, dup_path, "the name of a communicator", reader->diags);
    reader_keys(map, path, known, reader->diags);
    communicator->made = COMMUNICATOR_DUPLICATED;
    communicator->parent = text ? communicator_find(reader->list, text) : COMMUNICATOR_OF_ALL;
    if (text && strcmp(text, communicator->name) == 0)
        communicator->parent = COMMUNICATOR_OF_ALL;
    if (communicator->parent == COMMUNICATOR_OF_ALL && text && strcmp(text, "all") != 0)
        diag_add(reader->diags, node->mark, dup_path, "or all, the ranks of the job",
                 "no communicator \"%.40s\" stands before this one", text);
    else
        duplicate(reader, communicator);
    g_free(dup_path);
}

static void read_split(const struct communicators_reader *reader, const struct node *map,
                       const char *path, struct communicator *communicator)
{
    static const char *const known[] = {"split", NULL};
    static const char *const names[] = {"rank", "ranks"};
    double values[] = {0, 1};
    struct expression_variables variables = {G_N_ELEMENTS(values), names, values};
    const struct node *node = node_get(map, known[0]);
    communicator->made = COMMUNICATOR_SPLIT;
    reader_keys(map, path, known, reader->diags);
    if (!node) {
        diag_add(reader->diags, map->mark, path, "write {split: rank % 2}, or a list of ranks",
                 "the key split is missing");
        return;
    }
    char *split_path = reader_path(path, known[0]), *error = NULL;
    const char *text = reader_text(node, split_path, "an expression of rank", reader->diags);
    struct expression *colour = text ? expression_new(text, &variables, &error) : NULL;
    if (colour)
        split(reader, colour, values, node, split_path, communicator);
    else if (text)
        diag_add(reader->diags, node->mark, split_path, "it may use rank and ranks",
                 "\"%.60s\": %s", text, error);
    expression_free(colour);
    g_free(error);
    g_free(split_path);
}

// ---- All of them ----

// A name must do as the beginning of a variable's.
static bool good_name(const struct communicators_reader *reader, const struct node *node,
                      const char *path, const char *variable)
{
    double value = 1;
    struct expression_variables variables = {1, &variable, &value};
    char *error = NULL;
    struct expression *expression = expression_new(variable, &variables, &error);
    if (!expression)
        diag_add(reader->diags, node->key_mark, path, "take a name such as row",
                 "\"%.60s\" cannot be the name of a communicator", node->key);
    expression_free(expression);
    g_free(error);
    return expression != NULL;
}

static void read_one(const struct communicators_reader *reader, const struct node *node,
                     const char *path)
{
    const char *variable = variable_of(node->key, "rank");
    if (!good_name(reader, node, path, variable))
        return;
    struct communicator *communicator = communicator_add(reader->list, node->key);
    if (node->kind == NODE_MAP && node_get(node, "dup"))
        read_dup(reader, node, path, communicator);
    else if (node->kind == NODE_MAP)
        read_split(reader, node, path, communicator);
    else
        read_ranks(reader, node, path, communicator);
}

GPtrArray *communicators_read(const struct node *map, int ranks, const char *path,
                              struct diag_list *diags)
{
    struct communicators_reader reader = {communicators_new(), ranks, diags};
    if (!map ||
        !reader_is(map, NODE_MAP, path, "a map of names and their ranks, {row: 0..3}", diags))
        return reader.list;
    if (map->children->len > COMMUNICATORS_MOST) {
        diag_add(diags, map->mark, path, NULL,
                 "%u communicators are more than the %d that there may be", map->children->len,
                 COMMUNICATORS_MOST);
        return reader.list;
    }
    for (guint i = 0; i < map->children->len; i++) {
        const struct node *child = g_ptr_array_index(map->children, i);
        char *child_path = reader_path(path, child->key);
        read_one(&reader, child, child_path);
        g_free(child_path);
    }
    return reader.list;
}

json_t *communicators_schema(void)
{
    json_t *split =
        json_pack("{s:s, s:{s:{s:s}}, s:[s], s:b}", "type", "object", "properties", "split", "type",
                  "string", "required", "split", "additionalProperties", 0);
    json_t *dup = json_pack("{s:s, s:{s:{s:s}}, s:[s], s:b}", "type", "object", "properties", "dup",
                            "type", "string", "required", "dup", "additionalProperties", 0);
    json_t *list = json_pack("{s:s, s:i, s:{s:o}}", "type", "array", "minItems", 1, "items",
                             "anyOf", program_rank_schema(""));
    json_t *forms = program_rank_schema("");
    json_array_append_new(forms, list);
    json_array_append_new(forms, split);
    json_array_append_new(forms, dup);
    return json_pack("{s:s, s:{s:o}}", "type", "object", "additionalProperties", "anyOf", forms);
}
