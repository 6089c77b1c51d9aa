// SPDX-License-Identifier: GPL-3.0-or-later
// Programs from YAML: which ranks do what.
#include "sim/program/program.h"

#include "sim/config/reader.h"
#include "sim/program/op_read.h"

#include <string.h>

// Marks the ranks of one item in `steps`: +1 where they start, -1 after their end.
static void read_rank_item(struct op_reader *reader, const struct node *node, const char *path,
                           struct program_part *part, int *steps)
{
    const char *text =
        reader_text(node, path, "a rank, a range such as 1..3, or \"all\"", reader->diags);
    int first, last;
    if (!text)
        return;
    if (strcmp(text, "all") == 0) {
        part->all = true;
    } else if (!program_parse_ranks(text, &first, &last)) {
        op_complain(reader, node, path, "write 0, 1..3, a list of such, or all",
                    "these are no ranks");
    } else if (last >= reader->ranks) {
        char *hint = g_strdup_printf("ranks are 0 .. %d", reader->ranks - 1);
        op_complain(reader, node, path, hint, "there is no such rank");
        g_free(hint);
    } else {
        steps[first]++;
        steps[last + 1]--;
    }
}

static void read_part_ranks(struct op_reader *reader, const struct node *node, const char *path,
                            struct program_part *part)
{
    int *steps = g_new0(int, reader->ranks + 1);
    if (node->kind != NODE_LIST)
        read_rank_item(reader, node, path, part, steps);
    for (guint i = 0; node->kind == NODE_LIST && i < node->children->len; i++) {
        char *item_path = reader_path_item(path, i);
        read_rank_item(reader, g_ptr_array_index(node->children, i), item_path, part, steps);
        g_free(item_path);
    }
    for (int rank = 0, depth = 0; rank < reader->ranks; rank++) {
        depth += steps[rank];
        if (depth > 0)
            g_array_append_val(part->ranks, rank);
    }
    g_free(steps);
}

static void read_part(struct op_reader *reader, const struct node *node, const char *path,
                      struct program *program)
{
    static const char *const known[] = {"ranks", "do", NULL};
    if (!reader_is(node, NODE_MAP, path, "{ranks: …, do: […]}", reader->diags))
        return;
    reader_keys(node, path, known, reader->diags);
    struct program_part *part = program_add_part(program);
    part->mark = node->mark;
    for (int i = 0; known[i]; i++) {
        const struct node *child = node_get(node, known[i]);
        char *child_path = reader_path(path, known[i]);
        if (!child)
            diag_add(reader->diags, node->mark, path, NULL, "the key %s is missing", known[i]);
        else if (i == 0)
            read_part_ranks(reader, child, child_path, part);
        else
            op_read_list(reader, child, child_path, part->body);
        g_free(child_path);
    }
    op_reader_finish(reader);
}

struct program *program_read(const struct node *list, const struct node *communicators, int ranks,
                             const struct op_library *library, const char *path,
                             struct diag_list *diags)
{
    static const struct op_library unknown = {.name = NULL};
    guint before = diags->found;
    if (!reader_is(list, NODE_LIST, path, "a list of parts", diags))
        return NULL;
    struct program *program = program_new();
    program->communicators =
        communicators_read(communicators, ranks, "workload." COMMUNICATORS_KEY, diags);
    struct op_reader *reader =
        op_reader_new(ranks, program->communicators, library ? library : &unknown, diags);
    for (guint i = 0; i < list->children->len; i++) {
        char *part_path = reader_path_item(path, i);
        read_part(reader, g_ptr_array_index(list->children, i), part_path, program);
        g_free(part_path);
    }
    op_reader_free(reader);
    if (diags->found == before)
        return program;
    program_free(program);
    return NULL;
}

json_t *program_schema(void)
{
    json_t *rank = program_rank_schema("all|");
    json_t *ranks = json_pack("{s:[{s:O}, {s:s, s:{s:o}}]}", "anyOf", "anyOf", rank, "type",
                              "array", "items", "anyOf", rank);
    return json_pack("{s:s, s:{s:s, s:{s:o, s:{s:s}}, s:[s, s], s:b}}", "type", "array", "items",
                     "type", "object", "properties", "ranks", ranks, "do", "$ref",
                     "#/$defs/operations", "required", "ranks", "do", "additionalProperties", 0);
}
