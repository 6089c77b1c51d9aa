// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/grim_run.h"

#include "tests/support/suite.h"

#include <string.h>

static const char *const machine[] = {
    "nic=lanai9",          "switch.discipline=cut_through", "switch.latency=150 ns",
    "link.rate=1280 Mb/s", "link.propagation=15 ns",        "link.preamble=0 B",
    "link.gap=1 B",        "link.least_frame=0 B",
};

struct rpi_run *grim_run(const struct rpi_program *program)
{
    struct rpi_program whole = *program;
    size_t count = 0;
    while (whole.sets[count])
        count++;
    CU_ASSERT_FATAL(count + G_N_ELEMENTS(machine) < G_N_ELEMENTS(whole.sets));
    // The machine first, so that a test's own settings win.
    memmove(&whole.sets[G_N_ELEMENTS(machine)], whole.sets, count * sizeof *whole.sets);
    memcpy(whole.sets, machine, sizeof machine);
    whole.sets[G_N_ELEMENTS(machine) + count] = NULL;
    whole.stack = "grim";
    return rpi_run(&whole, 1);
}

struct rpi_run *grim_run_good(const struct rpi_program *program)
{
    struct rpi_run *run = grim_run(program);
    char *text = rpi_reason(run, "text"), *ledger = rpi_ledger_text(run);
    SUITE_SAME_TEXT(text, "");
    SUITE_SAME_TEXT(ledger, "");
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "completed");
    CU_ASSERT(run->result->ledger_balanced);
    g_free(text);
    g_free(ledger);
    return run;
}

void grim_same(const char *file, int line, const struct rpi_run *run, int rank,
               const char *machines, const char *expected)
{
    char *text = rpi_run_text(run, rank, machines);
    suite_same_text(file, line, text, expected);
    g_free(text);
}

void grim_fails(const char *file, int line, const struct rpi_program *program, const char *kind,
                const char *part)
{
    struct rpi_run *run = grim_run(program);
    char *found = rpi_reason(run, "kind"), *text = rpi_reason(run, "text");
    suite_same_text(file, line, found, kind);
    suite_contains(file, line, text, part);
    g_free(found);
    g_free(text);
    rpi_run_free(run);
}

int64_t grim_counter(const struct rpi_run *run, const char *name)
{
    return json_integer_value(json_object_get(run->result->counters, name));
}

double grim_time(const struct rpi_run *run, int rank)
{
    for (guint i = 0; i < run->result->values->len; i++) {
        const struct result_value *value =
            &g_array_index(run->result->values, struct result_value, i);
        if (value->rank == rank && strcmp(value->metric, "program_us") == 0)
            return value->value;
    }
    return -1;
}
