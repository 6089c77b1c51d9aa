// SPDX-License-Identifier: GPL-3.0-or-later
// Which core a host's interrupts and processes run on.
#include "sim/host/host.h"
#include "tests/support/suite.h"

#include <glib.h>

static struct host *host_of(struct sim *sim, int64_t cores, int64_t interrupt_core)
{
    struct host_config config = {
        .processor = {.cores = cores, .clock = 1000000000, .interrupt_core = interrupt_core},
        .bus = {.rate = 132000000, .burst = 128},
    };
    return host_new(sim, 3, "node3", &config);
}

static void check_cores(int64_t cores, int64_t interrupt_core)
{
    struct sim *sim = sim_new(1, NULL);
    struct host *host = host_of(sim, cores, interrupt_core);
    const struct cpu *interrupt = host_interrupt_core(host);
    CU_ASSERT_PTR_EQUAL(interrupt, host->cores[interrupt_core]);
    // One process after the other on another core; the interrupt core comes last, then it starts
    // again.
    for (int64_t nth = 0; nth < 2 * cores; nth++) {
        const struct cpu *core = host_process_core(host, (int)nth);
        bool last = nth % cores == cores - 1;
        CU_ASSERT_EQUAL(core == interrupt, last);
        for (int64_t before = 0; before < nth % cores; before++)
            CU_ASSERT_PTR_NOT_EQUAL(core, host_process_core(host, (int)before));
    }
    host_free(host);
    sim_free(sim);
}

static void test_cores(void)
{
    check_cores(1, 0);
    for (int64_t interrupt_core = 0; interrupt_core < 2; interrupt_core++)
        check_cores(2, interrupt_core);
    for (int64_t interrupt_core = 0; interrupt_core < 4; interrupt_core++)
        check_cores(4, interrupt_core);
}

static void test_parts(void)
{
    struct sim *sim = sim_new(1, NULL);
    struct host *host = host_of(sim, 2, 0);
    CU_ASSERT_EQUAL(host->index, 3);
    SUITE_SAME_TEXT(host->name, "node3");
    CU_ASSERT_PTR_NOT_EQUAL(host->cores[0], host->cores[1]);
    CU_ASSERT_EQUAL(cpu_clock(host->cores[1]), 1000000000);
    CU_ASSERT_EQUAL(bus_busy(host->bus), 0);
    host_free(host);
    host_free(NULL);
    sim_free(sim);
}

// The table itself refuses interrupts on a core that is not there.
static void test_interrupt_core_checked(void)
{
    const char *texts[] = {"{cores: 2, interrupt_core: 1}", "{cores: 2, interrupt_core: 2}"};
    for (int i = 0; i < 2; i++) {
        struct diag_list *diags = diag_list_new();
        struct node *map = node_parse(texts[i], strlen(texts[i]), "t.yaml", NULL, diags);
        struct param_values *values = param_read(&processor_table, map, "host.processor", diags);
        CU_ASSERT_EQUAL(diag_any(diags), i == 1);
        if (i == 1)
            SUITE_SAME_TEXT(((struct diag *)g_ptr_array_index(diags->items, 0))->message,
                            "there is no core 2 in a host with 2");
        param_values_free(values);
        node_free(map);
        diag_list_free(diags);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"cores of interrupts and processes", test_cores},
        {"parts of a host", test_parts},
        {"the interrupt core is checked", test_interrupt_core_checked},
        {NULL, NULL},
    };
    return suite_run("host: host", cases);
}
