// SPDX-License-Identifier: GPL-3.0-or-later
// Once pools and tables have grown, puts, gets, acknowledgements and events ask the system for no
// memory: a program of ten times as many asks as often.
#include "sim/run/run.h"
#include "tests/support/allocations.h"
#include "tests/support/compiled.h"
#include "tests/support/suite.h"

#include <glib.h>

#define FEW 200
#define MANY 2000

// Allocations of a run with `count` turns of the loops.
static uint64_t asked(const char *program, int count)
{
    GString *text = g_string_new(
        "schema: 1\nname: t\nstack: portals\nnic: intercept\nhosts: [{name: n, count: 2}]\n"
        "links: [{from: n0, to: n1}]\nlink: {rate: 2 Gb/s}\n"
        "host: {processor: {cores: 2}, bus: {width: 8 B, clock: 66 MHz}}\nworkload: {program: [");
    g_string_append(text, program);
    g_string_append(text, "]}\n");
    char *number = g_strdup_printf("%d", count);
    g_string_replace(text, "COUNT", number, 0);
    struct compiled compiled = compiled_new(text->str, NULL);
    uint64_t before = allocations.count;
    struct result *result =
        run_scenario(&model_registry, compiled.scenario, &(struct run_options){0});
    uint64_t asked_for = allocations.count - before;
#if !defined(__SANITIZE_ADDRESS__)
    CU_ASSERT(asked_for > 0); // making hosts and cards does
#endif
    const struct series_result *series = g_ptr_array_index(result->series, 0);
    SUITE_SAME_INTEGER(series->status, SIM_COMPLETED);
    result_free(result);
    compiled_free(&compiled);
    g_free(number);
    g_string_free(text, TRUE);
    return asked_for;
}

static void expect_none(const char *program)
{
    asked(program, FEW); // whatever is made once in a process
    SUITE_SAME_INTEGER((long long)asked(program, MANY), (long long)asked(program, FEW));
}

static void test_puts(void)
{
    expect_none("{ranks: [0], do: [attach: {size: 1 MiB, manage_remote: true}, "
                "event: {kind: put_end, count: COUNT}]}, "
                "{ranks: [1], do: [compute: 1 ms, loop: {count: COUNT, do: [put: {to: 0, size: 29 "
                "B}]}]}");
    expect_none("{ranks: [0], do: [attach: {size: 1 MiB, manage_remote: true}, "
                "event: {kind: put_end, count: COUNT}]}, "
                "{ranks: [1], do: [compute: 1 ms, loop: {count: COUNT, do: [put: {to: 0, size: 2 "
                "KiB, ack: true, request: a}, put: {to: 0, size: 20 KiB}, wait: a]}]}");
}

static void test_gets(void)
{
    expect_none("{ranks: [0], do: [attach: {size: 1 MiB, manage_remote: true, get: true}, "
                "event: {kind: get_end, count: COUNT}]}, "
                "{ranks: [1], do: [compute: 1 ms, loop: {count: COUNT, do: [get: {from: 0, size: "
                "3000 B}]}]}");
}

static void test_tables(void)
{
    expect_none("{ranks: all, do: [loop: {count: COUNT, do: [attach: {name: in, size: 1 KiB}, "
                "bind: {name: out, size: 1 KiB}, detach: in, detach: out]}]}");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"puts and acknowledgements", test_puts},
        {"gets", test_gets},
        {"attaching and detaching", test_tables},
        {0},
    };
    return suite_run("Portals: allocations", cases);
}
