// SPDX-License-Identifier: GPL-3.0-or-later
// Which core a host's interrupts and processes run on.
#include "sim/host/host.h"
#include "tests/support/suite.h"

#include <glib.h>

static struct host *host_of(struct sim *sim, int64_t cores, int64_t interrupt_core)
{
    struct host_config config = {
        .processor = {.cores = cores,
                      .clock = 1000000000,
                      .interrupt_core = interrupt_core,
                      .cycle_ratio = 1},
        .bus = {.clock = 33000000, .width = 4, .read_burst = 128, .write_burst = 128},
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

// ---- Cycles ----

// Costs in cycles are the reference processor's: one that takes 1.24 for each needs so much longer,
// while costs in time are unchanged.
static void test_cycle_ratio(void)
{
    struct processor_config reference = {.clock = 300000000, .cycle_ratio = 1},
                            slower = {.cores = 1, .clock = 300000000, .cycle_ratio = 1.24};
    SUITE_SAME_INTEGER(processor_rate(&reference), 300000000);
    SUITE_SAME_INTEGER(processor_rate(&slower), 241935484);
    struct sim *sim = sim_new(1, NULL);
    struct host_config config = {.processor = slower,
                                 .bus = {.clock = 1, .read_burst = 1, .write_burst = 1}};
    struct host *host = host_new(sim, 0, "host", &config);
    const struct cpu *cpu = host->cores[0];
    SUITE_SAME_INTEGER(cpu_cost(cpu, (struct cost){.cycles = 3000}) / TIME_NS, 12400);
    SUITE_SAME_INTEGER(cpu_cost(cpu, (struct cost){.time = 7 * TIME_US}), 7 * TIME_US);
    // For each KiB, in proportion.
    SUITE_SAME_INTEGER(cpu_cost_of_bytes(cpu, (struct cost){.cycles = 3000}, 512) / TIME_NS, 6200);
    SUITE_SAME_INTEGER(cpu_cost_of_bytes(cpu, (struct cost){.time = TIME_US}, 0), 0);
    SUITE_SAME_INTEGER(cpu_cost_of_bytes(cpu, (struct cost){.time = TIME_END}, INT64_MAX),
                       TIME_END);
    host_free(host);
    sim_free(sim);
}

// ---- Interrupts and switches ----

struct routine {
    struct cpu_task service, process;
    struct host *host;
    struct event asks[2];
    sim_time began[4], left[4];
    int services;
    sim_time switched;
};

static enum cpu_next serve(struct cpu_context *context, struct cpu_task *task)
{
    struct routine *routine = container_of(task, struct routine, service);
    int nth = routine->services++;
    routine->began[nth] = context->now;
    host_interrupt_enter(context, routine->host);
    host_interrupt_leave(context, routine->host);
    routine->left[nth] = context->now;
    cpu_post_wake(context, &routine->process);
    return CPU_SLEEP;
}

static enum cpu_next switched_to(struct cpu_context *context, struct cpu_task *task)
{
    struct routine *routine = container_of(task, struct routine, process);
    sim_time before = context->now;
    host_switch_in(context, routine->host);
    routine->switched = context->now - before;
    return CPU_SLEEP;
}

static void first_asks(struct engine *engine, struct event *event)
{
    (void)engine;
    struct routine *routine = container_of(event, struct routine, asks[0]);
    host_interrupt(routine->host, &routine->service);
}

static void second_asks(struct engine *engine, struct event *event)
{
    (void)engine;
    struct routine *routine = container_of(event, struct routine, asks[1]);
    host_interrupt(routine->host, &routine->service);
}

// Two devices ask, the second one `later`, on a host of `cores` whose process has a set of `set`
// bytes.
static struct routine interrupted(int64_t cores, sim_time later, int64_t set)
{
    struct sim *sim = sim_new(1, NULL);
    struct host_config config = {
        .processor = {.cores = cores, .clock = 1000000000, .cycle_ratio = 2},
        .bus = {.clock = 1, .read_burst = 1, .write_burst = 1},
        .memory = {.refill = 5000000000},
        .kernel = {.interrupt_latency = 1600 * TIME_NS,
                   .interrupt_ack = 300 * TIME_NS,
                   .interrupt_entry = {.cycles = 1000},
                   .interrupt_exit = {.cycles = 500},
                   .interrupt_unmask = 70 * TIME_NS,
                   .wake_other = 1300 * TIME_NS,
                   .switch_process = {.cycles = 4000},
                   .process_set = set},
    };
    struct routine routine = {.host = host_new(sim, 0, "host", &config)};
    cpu_task_init(&routine.service, host_interrupt_core(routine.host), CPU_INTERRUPT, serve);
    cpu_task_init(&routine.process, host_process_core(routine.host, 0), CPU_USER, switched_to);
    event_init(&routine.asks[0], first_asks);
    event_init(&routine.asks[1], second_asks);
    engine_schedule(sim->engine, &routine.asks[0], TIME_US);
    engine_schedule(sim->engine, &routine.asks[1], TIME_US + later);
    engine_run(sim->engine, TIME_NEVER);
    host_free(routine.host);
    sim_free(sim);
    return routine;
}

// The line and the controller take their time on every processor, code its cycles; a process on
// another processor hears of its wake-up later.
static void test_interrupt_path(void)
{
    for (int64_t cores = 1; cores <= 2; cores++) {
        // Both asks before the processor hears of the first are one interrupt.
        struct routine routine = interrupted(cores, 1500 * TIME_NS, 0);
        SUITE_SAME_INTEGER(routine.services, 1);
        SUITE_SAME_INTEGER(routine.began[0], 2600 * TIME_NS);
        SUITE_SAME_INTEGER(routine.left[0] - routine.began[0], (300 + 2000 + 1000 + 70) * TIME_NS);
        SUITE_SAME_INTEGER(routine.switched, ((cores > 1 ? 1300 : 0) + 8000) * TIME_NS);
    }
    SUITE_SAME_INTEGER(interrupted(2, 20 * TIME_US, 0).services, 2);
}

// The refill of a cache with a process's set takes a time of the memory, whatever the processor's
// clock; and no time of a thread of the kernel.
static void test_refill(void)
{
    sim_time without = interrupted(1, 0, 0).switched;
    SUITE_SAME_INTEGER(without, 8000 * TIME_NS);
    SUITE_SAME_INTEGER(interrupted(1, 0, 16000).switched, without + 3200 * TIME_NS);
    SUITE_SAME_INTEGER(interrupted(1, 0, 32000).switched, without + 6400 * TIME_NS);
}

// ---- Threads of the kernel ----

struct threaded {
    struct cpu_task process, thread;
    struct host *host;
    sim_time charged, began, switched; // the waker; when the thread began, and what it was charged
};

static enum cpu_next wakes(struct cpu_context *context, struct cpu_task *task)
{
    struct threaded *threaded = container_of(task, struct threaded, process);
    sim_time before = context->now;
    host_wake_thread(context, threaded->host, &threaded->thread);
    threaded->charged = context->now - before;
    return CPU_SLEEP;
}

static enum cpu_next is_woken(struct cpu_context *context, struct cpu_task *task)
{
    struct threaded *threaded = container_of(task, struct threaded, thread);
    threaded->began = context->now;
    host_thread_switch_in(context, threaded->host);
    threaded->switched = context->now - threaded->began;
    return CPU_SLEEP;
}

static struct threaded thread_woken(int64_t cores, int nth)
{
    struct sim *sim = sim_new(1, NULL);
    struct host_config config = {
        .processor = {.cores = cores, .clock = 1000000000, .cycle_ratio = 1},
        .bus = {.clock = 1, .read_burst = 1, .write_burst = 1},
        .kernel = {.wake_other = 1300 * TIME_NS,
                   .wake_process = {.cycles = 1},
                   .switch_process = {.cycles = 2},
                   .wake_thread = {.cycles = 700},
                   .switch_thread = {.time = 2000 * TIME_NS}},
    };
    struct threaded threaded = {.host = host_new(sim, 0, "host", &config)};
    cpu_task_init(&threaded.process, host_process_core(threaded.host, 0), CPU_USER, wakes);
    cpu_task_init(&threaded.thread, host_thread_core(threaded.host, nth), CPU_KERNEL, is_woken);
    cpu_wake(&threaded.process);
    engine_run(sim->engine, TIME_NEVER);
    host_free(threaded.host);
    sim_free(sim);
    return threaded;
}

// The waker pays for the wake-up, and the thread, which begins when it has paid, for the switch; on
// another core than that of interrupts it hears of it later.
static void test_threads(void)
{
    static const struct {
        int64_t cores;
        int nth;
        sim_time switched_ns;
    } cases[] = {{1, 0, 2000}, {2, 0, 2000}, {4, 0, 2000}, {4, 1, 3300}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct threaded threaded = thread_woken(cases[i].cores, cases[i].nth);
        SUITE_SAME_INTEGER(threaded.charged, 700 * TIME_NS);
        SUITE_SAME_INTEGER(threaded.began, 700 * TIME_NS);
        SUITE_SAME_INTEGER(threaded.switched, cases[i].switched_ns * TIME_NS);
    }
}

// Threads and processes share no core while there are enough, and each has one in any case.
static void test_thread_cores(void)
{
    for (int64_t cores = 1; cores <= 5; cores++)
        for (int64_t interrupts = 0; interrupts < cores; interrupts++) {
            struct sim *sim = sim_new(1, NULL);
            struct host_config config = {
                .processor = {.cores = cores,
                              .clock = 1000000000,
                              .cycle_ratio = 1,
                              .interrupt_core = interrupts},
                .bus = {.clock = 1, .read_burst = 1, .write_burst = 1},
            };
            struct host *host = host_new(sim, 0, "host", &config);
            CU_ASSERT_PTR_EQUAL(host_thread_core(host, 0), host_interrupt_core(host));
            for (int thread = 0; thread < 7; thread++)
                for (int process = 0; thread + process + 2 <= cores; process++)
                    CU_ASSERT_PTR_NOT_EQUAL(host_thread_core(host, thread),
                                            host_process_core(host, process));
            CU_ASSERT_PTR_EQUAL(host_thread_core(host, (int)cores + 1), host_thread_core(host, 1));
            host_free(host);
            sim_free(sim);
        }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"cores of interrupts and processes", test_cores},
        {"parts of a host", test_parts},
        {"the interrupt core is checked", test_interrupt_core_checked},
        {"cycles of the reference processor", test_cycle_ratio},
        {"the path of an interrupt", test_interrupt_path},
        {"a switch fills the cache", test_refill},
        {"threads of the kernel", test_threads},
        {"cores of threads", test_thread_cores},
        {NULL, NULL},
    };
    return suite_run("host: host", cases);
}
