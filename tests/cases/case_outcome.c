// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cases/case_outcome.h"

#include <string.h>

static gint by_time(gconstpointer a, gconstpointer b)
{
    const struct program_line *first = *(const struct program_line *const *)a,
                              *second = *(const struct program_line *const *)b;
    return first->when < second->when ? -1 : first->when > second->when;
}

struct case_outcome case_outcome_of(const struct case_file *file)
{
    struct case_outcome outcome = {0};
    outcome.run = program_run_try(&file->program, 1, &outcome.complaints);
    if (outcome.run)
        g_ptr_array_sort(outcome.run->lines, by_time); // stable
    return outcome;
}

void case_outcome_free(struct case_outcome *outcome)
{
    if (outcome->run)
        program_run_free(outcome->run);
    g_free(outcome->complaints);
}

// "show put, data server[1]": a machine, or one of its subjects.
static bool is_shown(const struct case_file *file, const struct program_line *line)
{
    for (char **shown = file->show; shown && *shown; shown++)
        if (strcmp(*shown, line->machine) == 0 ||
            (g_str_has_suffix(*shown, "]") && g_str_has_prefix(line->text, *shown)))
            return true;
    return false;
}

const struct program_line *case_next_line(const struct case_file *file,
                                          const struct case_block *block,
                                          const struct program_run *run, guint *at)
{
    while (*at < run->lines->len) {
        const struct program_line *line = g_ptr_array_index(run->lines, (*at)++);
        if (strcmp(line->where, block->place) == 0 && is_shown(file, line))
            return line;
    }
    return NULL;
}
