// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/armci_run.h"

#include "tests/support/suite.h"

#include <string.h>

static struct test_program on_machine(const struct test_program *program)
{
    struct test_program whole = *program;
    whole.machine = program_machine("armci");
    whole.stack = "armci";
    return whole;
}

static gint by_time(gconstpointer a, gconstpointer b)
{
    const struct program_line *first = *(const struct program_line *const *)a,
                              *second = *(const struct program_line *const *)b;
    return first->when < second->when ? -1 : first->when > second->when;
}

static struct program_run *sorted(struct program_run *run)
{
    g_ptr_array_sort(run->lines, by_time); // stable
    return run;
}

struct program_run *armci_run(const struct test_program *program)
{
    return armci_run_observed(program, NULL);
}

struct program_run *armci_run_observed(const struct test_program *program,
                                       struct mpi_observer *observer)
{
    struct test_program whole = on_machine(program);
    return sorted(program_run_observed(&whole, 1, observer));
}

struct program_run *armci_run_good(const struct test_program *program)
{
    struct test_program whole = on_machine(program);
    struct program_run *run = program_run_good(&whole);
    SUITE_SAME_INTEGER(run->result->ledger.misordered, 0);
    SUITE_SAME_INTEGER(run->result->ledger.duplicated, 0);
    return sorted(run);
}

// ---- Its transitions ----

static bool is_of(const struct program_line *line, const char *where, const char *part)
{
    return strcmp(line->where, where) == 0 && strstr(line->text, part) != NULL;
}

int armci_run_count(const struct program_run *run, const char *where, const char *part)
{
    int count = 0;
    for (guint i = 0; i < run->lines->len; i++)
        count += is_of(g_ptr_array_index(run->lines, i), where, part);
    return count;
}

sim_time armci_run_when(const struct program_run *run, const char *where, const char *part, int nth)
{
    for (guint i = 0; i < run->lines->len; i++) {
        const struct program_line *line = g_ptr_array_index(run->lines, i);
        if (is_of(line, where, part) && --nth == 0)
            return line->when;
    }
    SUITE_SAME_TEXT("", part); // there is no such line
    return -1;
}

char *armci_run_text(const struct program_run *run, const char *where, const char *machine)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < run->lines->len; i++) {
        const struct program_line *line = g_ptr_array_index(run->lines, i);
        if (strcmp(line->where, where) == 0 && g_str_has_prefix(line->text, machine))
            g_string_append_printf(text, "%s\n", line->text);
    }
    return g_string_free(text, FALSE);
}
