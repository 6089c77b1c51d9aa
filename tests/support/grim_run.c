// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/grim_run.h"

#include <string.h>

static struct test_program on_machine(const struct test_program *program)
{
    struct test_program whole = *program;
    whole.machine = program_machine("grim");
    whole.stack = "grim";
    return whole;
}

struct program_run *grim_run(const struct test_program *program)
{
    return grim_run_observed(program, NULL);
}

struct program_run *grim_run_observed(const struct test_program *program,
                                      struct mpi_observer *observer)
{
    struct test_program whole = on_machine(program);
    return program_run_observed(&whole, 1, observer);
}

struct program_run *grim_run_good(const struct test_program *program)
{
    struct test_program whole = on_machine(program);
    return program_run_good(&whole);
}

double grim_time(const struct program_run *run, int rank)
{
    for (guint i = 0; i < run->result->values->len; i++) {
        const struct result_value *value =
            &g_array_index(run->result->values, struct result_value, i);
        if (value->rank == rank && strcmp(value->metric, "program_us") == 0)
            return value->value;
    }
    return -1;
}
