// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes of blocks as a list by rank, from YAML: [1 KiB, 0 B, 4 B]. It becomes one expression of the
// rank, as programs may write it themselves.
#include "sim/config/reader.h"
#include "sim/program/op_read.h"

#define LONGEST_LIST 256

// Appends "peer == 1 ? (1024) : ".
static void append_choice(GString *text, guint place, enum op_reading reading,
                          const struct node *node, int64_t value)
{
    g_string_append_printf(text, OPERATION_PEER " == %u ? (", place);
    if (reading == OP_READING_KNOWN)
        g_string_append_printf(text, "%" G_GINT64_FORMAT, value);
    else
        g_string_append(text, node->text);
    g_string_append(text, ") : ");
}

void op_read_sizes(struct op_reader *reader, struct op *op, const struct operation_key *key,
                   const struct node *list, const char *path)
{
    struct operation_key element = *key;
    guint count = list->children->len, most = (guint)MIN(reader->ranks, LONGEST_LIST);
    GString *text = g_string_new(NULL);
    element.per_peer = false;
    if (count == 0 || count > most)
        diag_add(reader->diags, list->mark, path, "an expression of " OPERATION_PEER " does too",
                 "%u sizes, for 1 to %u ranks", count, most);
    for (guint i = 0; i < count && count <= most; i++) {
        int64_t value;
        const struct node *node = g_ptr_array_index(list->children, i);
        char *item_path = reader_path_item(path, i);
        enum op_reading reading = op_read_number(reader, &element, node, item_path, &value);
        append_choice(text, i, reading, node, value);
        g_free(item_path);
    }
    g_string_append(text, "-1"); // a rank without a size is refused when the call is made
    op_add_computed(op, key, text->str, list->mark);
    g_string_free(text, TRUE);
}
