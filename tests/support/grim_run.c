// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/grim_run.h"

#include "tests/support/suite.h"

#include <string.h>

static const char *const machine[] = {
    "nic=lanai9",          "switch.discipline=cut_through", "switch.latency=150 ns",
    "link.rate=1280 Mb/s", "link.propagation=15 ns",        "link.preamble=0 B",
    "link.gap=1 B",        "link.least_frame=0 B",
};

static struct test_program on_machine(const struct test_program *program)
{
    struct test_program whole = *program;
    size_t count = 0;
    while (whole.sets[count])
        count++;
    CU_ASSERT_FATAL(count + G_N_ELEMENTS(machine) < G_N_ELEMENTS(whole.sets));
    // The machine first, so that a test's own settings win.
    memmove(&whole.sets[G_N_ELEMENTS(machine)], whole.sets, count * sizeof *whole.sets);
    memcpy(whole.sets, machine, sizeof machine);
    whole.sets[G_N_ELEMENTS(machine) + count] = NULL;
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
