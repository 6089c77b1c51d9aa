// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cases/case_print.h"

#include "tests/cases/case_outcome.h"

#include <stdio.h>
#include <string.h>

static void print_happened(const struct case_file *file, const struct case_block *block,
                           const struct program_run *run, bool times)
{
    const struct program_line *line;
    guint at = 0;
    int count = 0;
    for (; (line = case_next_line(file, block, run, &at)); count++) {
        printf("    > %s", line->text);
        if (times)
            printf(" # at %.6f ms", time_to_us(line->when) / 1000);
        printf("\n");
    }
    if (count == 0)
        printf("    > nothing\n");
}

static bool is_list(const struct case_block *block)
{
    return block->listed && block->kind != CASE_ORDER;
}

// Where a case lists transitions; if it does so nowhere yet, everywhere.
static bool is_printed(const struct case_file *file, const struct case_block *block)
{
    bool anywhere = false;
    for (guint i = 0; i < file->blocks->len; i++)
        anywhere |= is_list(g_ptr_array_index(file->blocks, i));
    bool can = block->kind == CASE_RANK || block->kind == CASE_PLACE;
    return can && (block->listed || !anywhere);
}

bool case_print(const char *path, bool times)
{
    struct case_file *file = case_file_read(path, 0);
    if (file->error)
        fprintf(stderr, "%s\n", file->error);
    struct case_outcome outcome = file->error ? (struct case_outcome){0} : case_outcome_of(file);
    if (outcome.complaints && !outcome.run)
        fprintf(stderr, "%s: refused: %s", path, outcome.complaints);
    bool good = outcome.run;
    guint next = 0;
    for (int i = 0; good && file->lines[i] && (file->lines[i][0] || file->lines[i + 1]); i++) {
        const char *text = file->lines[i];
        const struct case_block *block =
            next < file->blocks->len ? g_ptr_array_index(file->blocks, next) : NULL;
        if (text[strspn(text, " ")] != '>' || (block && block->kind == CASE_ORDER))
            printf("%s\n", text);
        if (!block || i + 1 < block->end)
            continue;
        if (is_printed(file, block))
            print_happened(file, block, outcome.run, times);
        next++;
    }
    case_outcome_free(&outcome);
    case_file_free(file);
    return good;
}
