// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cases/case_reader.h"

#include <string.h>

// ---- Variants ----

// "each SIZE = 1 KiB | 24 KiB": puts the variant's value in the place of $SIZE in all lines.
static bool apply_each(struct case_reader *reader, GString *text, const char *line)
{
    struct case_file *file = reader->file;
    char **sides = g_strsplit(line + strlen("each "), " = ", 2);
    char **values = g_strsplit(sides[0] && sides[1] ? sides[1] : "", " | ", -1);
    int count = (int)g_strv_length(values);
    bool good = count > 0 && (file->variants == 1 || file->variants == count);
    if (good) {
        char *variable = g_strdup_printf("$%s", sides[0]);
        file->variants = count;
        g_string_replace(text, variable, values[file->variant], 0);
        g_string_append_printf(file->with, "%s %s = %s", file->with->len ? "," : " with", sides[0],
                               values[file->variant]);
        g_free(variable);
    }
    g_strfreev(values);
    g_strfreev(sides);
    return good ||
           case_reader_fail(reader, "as many values for each are written NAME = A | B:", line);
}

static char **with_variant(struct case_reader *reader)
{
    struct case_file *file = reader->file;
    char *joined = g_strjoinv("\n", file->lines);
    GString *text = g_string_new(joined);
    g_free(joined);
    for (int i = 0; file->lines[i]; i++) {
        reader->line = i + 1;
        if (g_str_has_prefix(file->lines[i], "each ") && !apply_each(reader, text, file->lines[i]))
            break;
    }
    char **lines = g_strsplit(text->str, "\n", -1);
    g_string_free(text, TRUE);
    return lines;
}

// ---- The file ----

static bool has_fact(const struct case_file *file, const char *what)
{
    for (guint i = 0; i < file->facts->len; i++)
        if (strcmp(g_array_index(file->facts, struct case_fact, i).what, what) == 0)
            return true;
    return false;
}

// Unless a case states its end, it completes and its books balance.
static void add_understood(struct case_file *file)
{
    static const struct case_fact understood[] = {{0, "status", "", true, "completed"},
                                                  {0, "books", "", true, "balanced"},
                                                  {0, "ledger", "", true, ""}};
    if (!has_fact(file, "status") && !has_fact(file, "refused"))
        g_array_append_vals(file->facts, understood, G_N_ELEMENTS(understood));
}

static void give_operations(struct case_file *file)
{
    for (guint i = 0; i < file->blocks->len; i++) {
        const struct case_block *block = g_ptr_array_index(file->blocks, i);
        if (block->kind == CASE_ALL)
            file->program.all = block->ops->str;
        else if (block->kind == CASE_RANK && block->ops->len > 0)
            file->program.ops[block->rank] = block->ops->str;
    }
}

// The stack is the name of the file's folder; what the hosts are is in machine.yaml there.
static void find_stack(struct case_file *file)
{
    char *folder = g_path_get_dirname(file->path), *name = g_path_get_basename(folder);
    char *machine = g_build_filename(folder, "machine.yaml", NULL);
    if (g_file_get_contents(machine, &file->machine, NULL, NULL))
        file->program.machine = file->machine;
    file->program.stack = g_string_chunk_insert(file->strings, name);
    g_free(machine);
    g_free(name);
    g_free(folder);
}

static void block_free(void *data)
{
    struct case_block *block = data;
    g_array_unref(block->expected);
    g_string_free(block->ops, TRUE);
    g_free(block);
}

struct case_file *case_file_read(const char *path, int variant)
{
    struct case_file *file = g_new0(struct case_file, 1);
    struct case_reader reader = {.file = file};
    char *text = NULL;
    GError *error = NULL;
    *file = (struct case_file){.path = path, .variant = variant, .variants = 1};
    file->blocks = g_ptr_array_new_with_free_func(block_free);
    file->facts = g_array_new(FALSE, FALSE, sizeof(struct case_fact));
    file->strings = g_string_chunk_new(1024);
    file->with = g_string_new(NULL);
    find_stack(file);
    if (!g_file_get_contents(path, &text, NULL, &error)) {
        file->error = g_strdup_printf("%s:1: %s", path, error->message);
        g_error_free(error);
    }
    file->lines = g_strsplit(text ? text : "", "\n", -1);
    char **lines = with_variant(&reader);
    for (int i = 0; lines[i] && !file->error; i++) {
        reader.line = i + 1;
        case_reader_line(&reader, lines[i]);
    }
    if (!file->error && file->program.ranks == 0)
        case_reader_fail(&reader, "a case has ranks:", "ranks 2");
    add_understood(file);
    give_operations(file);
    g_strfreev(lines);
    g_free(text);
    return file;
}

void case_file_free(struct case_file *file)
{
    g_ptr_array_unref(file->blocks);
    g_array_unref(file->facts);
    g_strfreev(file->show);
    g_strfreev(file->lines);
    g_string_free(file->with, TRUE);
    g_string_chunk_free(file->strings);
    g_free(file->machine);
    g_free(file->error);
    g_free(file);
}
