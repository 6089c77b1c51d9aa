// SPDX-License-Identifier: GPL-3.0-or-later
// Phases in time, and noise against its distribution: mean and spread of interrupts and wake-ups,
// the ticks of each processor and what they cost, and that none of it keeps a run alive.
#include "sim/host/host.h"
#include "tests/support/suite.h"

#include <math.h>

static void test_phases(void)
{
    SUITE_SAME_INTEGER(phase_passed(0.0, 1000), 0);
    SUITE_SAME_INTEGER(phase_left(0.0, 1000), 0);
    SUITE_SAME_INTEGER(phase_passed(0.25, 1000), 250);
    SUITE_SAME_INTEGER(phase_left(0.25, 1000), 750);
    SUITE_SAME_INTEGER(phase_passed(1.0, 1000), 0); // a whole period is none
    SUITE_SAME_INTEGER(phase_left(1.0, 1000), 0);
    SUITE_SAME_INTEGER(phase_left(0.9999, 10), 0);
    SUITE_SAME_INTEGER(phase_left(0.5, 0), 0);
}

// ---- Interrupts and wake-ups ----

#define TIMES 20000

struct served {
    struct cpu_task task;
    struct event asks;
    struct host *host;
    int times;
    double sum[2], squares[2]; // of an interrupt and a switch, us
};

static void note(struct served *served, int what, sim_time time)
{
    double us = time_to_us(time);
    served->sum[what] += us;
    served->squares[what] += us * us;
}

static enum cpu_next serve_one(struct cpu_context *context, struct cpu_task *task)
{
    struct served *served = container_of(task, struct served, task);
    sim_time begin = context->now;
    host_interrupt_enter(context, served->host);
    note(served, 0, context->now - begin);
    begin = context->now;
    host_switch_in(context, served->host);
    note(served, 1, context->now - begin);
    return CPU_SLEEP;
}

static void ask_again(struct engine *engine, struct event *event)
{
    struct served *served = container_of(event, struct served, asks);
    cpu_wake(&served->task);
    if (++served->times < TIMES)
        engine_schedule(engine, event, served->times * TIME_MS);
}

static struct host_config bare(int64_t cores)
{
    return (struct host_config){
        .processor = {.cores = cores, .clock = 1000000000, .cycle_ratio = 1},
        .bus = {.clock = 1, .read_burst = 1, .write_burst = 1},
    };
}

static struct served serve_all(const struct noise_config *noise, uint64_t seed, const char *name)
{
    struct host_config config = bare(1);
    config.noise = *noise;
    struct sim *sim = sim_new(seed, NULL);
    struct served served = {.host = host_new(sim, 0, name, &config)};
    cpu_task_init(&served.task, served.host->cores[0], CPU_INTERRUPT, serve_one);
    event_init(&served.asks, ask_again);
    engine_schedule(sim->engine, &served.asks, 0);
    engine_run(sim->engine, TIME_NEVER);
    host_free(served.host);
    sim_free(sim);
    return served;
}

// Of an exponential distribution the deviation is the mean, and a mean of n values has a deviation
// of mean / sqrt(n); that of the mean of squares, 2 mean^2, is mean^2 sqrt(20 / n).
static void expect_exponential(const struct served *served, int what, double mean)
{
    CU_ASSERT_DOUBLE_EQUAL(served->sum[what] / TIMES, mean, 4.0 * mean / sqrt(TIMES));
    CU_ASSERT_DOUBLE_EQUAL(served->squares[what] / TIMES, 2.0 * mean * mean,
                           4.0 * mean * mean * sqrt(20.0 / TIMES));
}

static void test_exponential(void)
{
    struct noise_config noise = {.interrupt = 2 * TIME_US, .wake_up = 5 * TIME_US};
    struct served served = serve_all(&noise, 1, "node0");
    expect_exponential(&served, 0, 2.0);
    expect_exponential(&served, 1, 5.0);
    struct served again = serve_all(&noise, 1, "node0"), other = serve_all(&noise, 1, "node1"),
                  seeded = serve_all(&noise, 2, "node0");
    CU_ASSERT_EQUAL(served.sum[0], again.sum[0]);
    CU_ASSERT_NOT_EQUAL(served.sum[0], other.sum[0]);
    CU_ASSERT_NOT_EQUAL(served.sum[0], seeded.sum[0]);
    struct noise_config off = {.tick = 10 * TIME_MS};
    struct served quiet = serve_all(&off, 1, "node0");
    CU_ASSERT_EQUAL(quiet.sum[0], 0.0);
    CU_ASSERT_EQUAL(quiet.sum[1], 0.0);
}

// ---- Ticks ----

struct worked {
    struct cpu_task task;
    sim_time end;
};

static enum cpu_next work_long(struct cpu_context *context, struct cpu_task *task)
{
    (void)task;
    cpu_spend_time(context, 100 * TIME_MS, &stage_driver);
    return CPU_SLEEP;
}

// A process that works for 100 ms, with a tick of 8 us each ms: it ends when all of its work is
// done, and the ticks come at phase + n ms on every processor.
static void check_ticks(double phase)
{
    enum { WORK = 8, PERIOD = 1000 };
    struct host_config config = bare(2);
    config.phase.tick = phase;
    config.noise = (struct noise_config){.tick = TIME_MS, .tick_work = {.cycles = 8000}};
    struct sim *sim = sim_new(1, NULL);
    struct host *host = host_new(sim, 0, "node0", &config);
    struct worked worked;
    cpu_task_init(&worked.task, host->cores[1], CPU_USER, work_long);
    cpu_wake(&worked.task);
    engine_run(sim->engine, TIME_NEVER);
    sim_time first = phase > 0.0 ? phase_left(phase, TIME_MS) : TIME_MS;
    int64_t ticks = 0; // those that come before the work is done
    while (first + ticks * TIME_MS < 100 * TIME_MS + ticks * WORK * TIME_US)
        ticks++;
    for (int core = 0; core < 2; core++) {
        struct cpu_usage usage = cpu_usage(host->cores[core]);
        SUITE_SAME_INTEGER(usage.slices[CPU_INTERRUPT], ticks);
        SUITE_SAME_INTEGER(usage.busy[CPU_INTERRUPT], ticks * WORK * TIME_US);
    }
    SUITE_SAME_INTEGER(sim_now(sim), 100 * TIME_MS + ticks * WORK * TIME_US);
    host_free(host);
    sim_free(sim);
}

static void test_ticks(void)
{
    check_ticks(0.0);
    check_ticks(0.25);
    check_ticks(0.9);
}

// Ticks without work are none.
static void test_idle(void)
{
    struct host_config config = bare(1);
    config.noise = (struct noise_config){.tick = TIME_MS, .tick_work = {.time = TIME_US}};
    struct sim *sim = sim_new(1, NULL);
    struct host *host = host_new(sim, 0, "node0", &config);
    engine_run(sim->engine, TIME_NEVER);
    SUITE_SAME_INTEGER(sim_now(sim), 0);
    host_free(host);
    sim_free(sim);
}

static void test_endless_ticks(void)
{
    static const char text[] = "{tick: 1 ms, tick_work: 1 ms}";
    struct diag_list *diags = diag_list_new();
    struct node *map = node_parse(text, sizeof text - 1, "t.yaml", NULL, diags);
    struct param_values *values = param_read(&noise_table, map, "host.noise", diags);
    CU_ASSERT_FATAL(diag_any(diags));
    SUITE_SAME_TEXT(((struct diag *)g_ptr_array_index(diags->items, 0))->message,
                    "timer interrupts would leave no time for anything else");
    param_values_free(values);
    node_free(map);
    diag_list_free(diags);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"phases are shares of a period", test_phases},
        {"interrupts and wake-ups are exponential, by seed and host", test_exponential},
        {"timer interrupts take their time on every processor", test_ticks},
        {"they keep no run alive", test_idle},
        {"they leave time for others", test_endless_ticks},
        {NULL, NULL},
    };
    return suite_run("host: chance", cases);
}
