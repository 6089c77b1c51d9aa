// SPDX-License-Identifier: GPL-3.0-or-later
// How the data of messages and one-sided transfers lie in memory, from YAML.
#include "sim/config/reader.h"
#include "sim/program/op_read.h"

// The keys below `strided` and `segments`.
static const struct operation_key size_key = {.param = {.kind = PARAM_SIZE}},
                                  count_key = {.param = {.kind = PARAM_COUNT}};

static void read_value(struct op_reader *reader, const struct operation_key *key,
                       const struct node *node, const char *path, struct op_value *value)
{
    int64_t number;
    value->mark = node->mark;
    switch (op_read_number(reader, key, node, path, &number)) {
    case OP_READING_BAD:
        break;
    case OP_READING_KNOWN:
        value->text = g_strdup_printf("%" G_GINT64_FORMAT, number);
        break;
    case OP_READING_COMPUTED:
        value->text = g_strdup(node->text);
        break;
    }
}

// Reads a list of at least `least` values: the first by the first key, the others by the second.
static void read_values(struct op_reader *reader, const struct node *list, guint least,
                        const struct operation_key *first, const struct operation_key *others,
                        const char *path, GArray *values)
{
    if (!reader_is(list, NODE_LIST, path, "a list", reader->diags))
        return;
    guint most = DATA_LAYOUT_LEVELS + (first != others);
    if (list->children->len < least || list->children->len > most) {
        diag_add(reader->diags, list->mark, path, NULL, "%u to %u values are expected here, not %u",
                 least, most, list->children->len);
        return;
    }
    for (guint i = 0; i < list->children->len; i++) {
        char *item_path = reader_path_item(path, i);
        struct op_value value = {0};
        read_value(reader, i ? others : first, g_ptr_array_index(list->children, i), item_path,
                   &value);
        g_array_append_val(values, value);
        g_free(item_path);
    }
}

static void check_lengths(struct op_reader *reader, const struct op_layout *layout,
                          const struct node *map, const char *path)
{
    guint counts = layout->counts->len, strides = layout->strides->len;
    if (!counts || !strides) // has been complained about
        return;
    if (strides + 1 != counts)
        diag_add(reader->diags, map->mark, path, NULL,
                 "%u counts need %u strides (one for each count but the first), not %u", counts,
                 counts - 1, strides);
    else if (layout->peer_strides->len && layout->peer_strides->len != strides)
        diag_add(reader->diags, map->mark, path, NULL, "%u strides, but %u peer_strides", strides,
                 layout->peer_strides->len);
}

void op_read_strided(struct op_reader *reader, struct op *op, const struct node *map,
                     const char *path)
{
    static const char *const known[] = {"counts", "strides", "peer_strides", NULL};
    if (op->layout || !reader_is(map, NODE_MAP, path, "{counts: […], strides: […]}", reader->diags))
        return;
    reader_keys(map, path, known, reader->diags);
    if (node_get(map, "peer_strides") && op->kind->class != CALL_OPERATION)
        diag_add(reader->diags, map->mark, path, NULL,
                 "peer_strides are for one-sided operations: the peer of a message says itself how "
                 "its data lie");
    struct op_layout *layout = op->layout = op_layout_new();
    GArray *const values[] = {layout->counts, layout->strides, layout->peer_strides};
    for (int i = 0; known[i]; i++) {
        const struct node *list = node_get(map, known[i]);
        char *key_path = reader_path(path, known[i]);
        if (list)
            read_values(reader, list, i == 0 ? 2 : 1, &size_key, i == 0 ? &count_key : &size_key,
                        key_path, values[i]);
        else if (i < 2)
            diag_add(reader->diags, map->mark, path, NULL, "the key %s is missing", known[i]);
        g_free(key_path);
    }
    check_lengths(reader, layout, map, path);
}

static void read_set(struct op_reader *reader, const struct node *map, const char *path,
                     struct op_segments *set)
{
    static const char *const known[] = {"bytes", "count", NULL};
    static const struct operation_key *const by[] = {&size_key, &count_key};
    struct op_value *const values[] = {&set->bytes, &set->count};
    if (!reader_is(map, NODE_MAP, path, "{bytes: …, count: …}", reader->diags))
        return;
    reader_keys(map, path, known, reader->diags);
    for (int i = 0; known[i]; i++) {
        const struct node *node = node_get(map, known[i]);
        char *key_path = reader_path(path, known[i]);
        if (node)
            read_value(reader, by[i], node, key_path, values[i]);
        else
            diag_add(reader->diags, map->mark, path, NULL, "the key %s is missing", known[i]);
        g_free(key_path);
    }
}

void op_read_segments(struct op_reader *reader, struct op *op, const struct node *list,
                      const char *path)
{
    if (op->layout || !reader_is(list, NODE_LIST, path, "[{bytes: …, count: …}]", reader->diags))
        return;
    op->layout = op_layout_new();
    if (list->children->len == 0)
        diag_add(reader->diags, list->mark, path, NULL, "the list is empty");
    for (guint i = 0; i < list->children->len; i++) {
        char *item_path = reader_path_item(path, i);
        struct op_segments set = {0};
        read_set(reader, g_ptr_array_index(list->children, i), item_path, &set);
        g_array_append_val(op->layout->sets, set);
        g_free(item_path);
    }
}
