// SPDX-License-Identifier: GPL-3.0-or-later
// Timers of the kernel's clock, and those of the background, which do not keep a run alive.
#include "models/inet/timer.h"
#include "models/mpi_tcp/mesh.h"
#include "models/mpi_tcp/stacks.h"
#include "sim/model/job.h"
#include "sim/model/model.h"
#include "sim/run/run.h"
#include "tests/support/compiled.h"
#include "tests/support/suite.h"
#include "tests/support/world_tcp.h"

#define PERIOD 3 // ticks

// A timer that is armed again whenever it expires.
struct beat {
    struct cpu_task task; // arms it for the first time
    struct inet_host *host;
    struct inet_timer *timer;
    const struct inet_timer_kind *kind;
    int times; // that it is armed; -1: for ever
    int beats;
};

static const struct stage beat_stage = {"heartbeat", STAGE_KERNEL};

static void beat_arm(struct cpu_context *context, struct beat *beat)
{
    if (beat->times == 0)
        return;
    beat->times -= beat->times > 0;
    inet_timer_arm(context, beat->host, &beat->timer, beat->kind, beat, PERIOD);
}

static void beat_run(struct cpu_context *context, void *owner)
{
    struct beat *beat = owner;
    beat->beats++;
    beat_arm(context, beat);
}

static const struct inet_timer_kind foreground = {
    .wait = {"timer", STAGE_FOR_ACK}, .stage = &beat_stage, .run = beat_run};
static const struct inet_timer_kind background = {
    .wait = {"heartbeat timer", STAGE_FOR_ACK},
    .stage = &beat_stage,
    .run = beat_run,
    .background = true,
};

static enum cpu_next beat_start(struct cpu_context *context, struct cpu_task *task)
{
    struct beat *beat = container_of(task, struct beat, task);
    if (!beat->timer)
        beat_arm(context, beat);
    return CPU_SLEEP;
}

static void beat_init(struct beat *beat, struct inet_host *host, const struct inet_timer_kind *kind,
                      int times)
{
    *beat = (struct beat){.host = host, .kind = kind, .times = times};
    cpu_task_init(&beat->task, host->host->cores[0], CPU_KERNEL, beat_start);
    cpu_wake(&beat->task);
}

// The background timer beats as often as the other keeps the run alive, and then no more.
static void test_background_ends(void)
{
    struct world *world = tcp_world(NULL, NULL);
    struct inet_host *host = tcp_node(world, 0)->host->inet;
    sim_time tick = host->config->tick;
    struct beat beat, other;
    beat_init(&beat, host, &background, -1);
    world_run(world);
    SUITE_SAME_INTEGER(beat.beats, 0);
    CU_ASSERT(inet_timer_armed(beat.timer));
    SUITE_SAME_INTEGER((int64_t)engine_pending(world->sim->engine), 0);
    CU_ASSERT(sim_now(world->sim) < tick);
    beat_init(&other, host, &foreground, 4);
    world_run(world);
    SUITE_SAME_INTEGER(other.beats, 4);
    CU_ASSERT(beat.beats == 3 || beat.beats == 4);
    CU_ASSERT(inet_timer_armed(beat.timer));
    SUITE_SAME_INTEGER(sim_now(world->sim) / tick, 4 * PERIOD);
    inet_timer_cancel(&beat.timer);
    CU_ASSERT_PTR_NULL(beat.timer);
    world_free(world);
}

// A timer of n ticks expires at the n-th tick from now, and ticks are as early as the phase has it.
static void test_tick_phase(void)
{
    for (int percent = 0; percent <= 100; percent += 10) {
        char *set = g_strdup_printf("host.phase.tick=%g", percent / 100.0);
        struct world *world = tcp_world((const char *const[]){set, NULL}, NULL);
        struct inet_host *host = tcp_node(world, 0)->host->inet;
        sim_time tick = host->config->tick, passed = percent < 100 ? tick * percent / 100 : 0;
        struct beat beat;
        beat_init(&beat, host, &foreground, 4);
        world_run(world);
        SUITE_SAME_INTEGER(beat.beats, 4);
        sim_time end = 4 * PERIOD * tick - passed;
        CU_ASSERT(sim_now(world->sim) >= end && sim_now(world->sim) < end + tick / 20);
        SUITE_SAME_INTEGER(inet_ticks(host, end), 4 * PERIOD);
        SUITE_SAME_INTEGER(inet_ticks(host, end - 1), 4 * PERIOD - 1);
        world_free(world);
        g_free(set);
    }
}

// ---- A whole run ----

static struct beat beats[2];

static void beats_start(struct job *job)
{
    if (lam_tcp_stack.start)
        lam_tcp_stack.start(job);
    for (int rank = 0; rank < 2; rank++)
        beat_init(&beats[rank], mesh_of(job->processes[rank])->host->inet, &background, -1);
}

// LAM over TCP whose hosts have heartbeats: a run of this program in the registry of all models.
static struct series_result *run_beating(const char *program)
{
    struct stack stack = lam_tcp_stack;
    stack.start = beats_start;
    const struct stack *const stacks[] = {&stack, NULL};
    const struct model *models[64] = {NULL};
    struct model beating;
    for (int i = 0; model_registry.models[i]; i++) {
        models[i] = model_registry.models[i];
        if (strcmp(models[i]->name, "mpi_tcp") == 0) {
            beating = *models[i];
            beating.stacks = stacks;
            models[i] = &beating;
        }
    }
    const struct registry registry = {models};
    char *text = g_strdup_printf(
        "schema: 1\nname: t\nhosts: [{name: node, count: 2}]\nlinks: [{from: node0, to: node1}]\n"
        "nic: eepro100\nstack: lam_tcp\nworkload: {ranks: 2, program: [{ranks: all, do: [%s]}]}\n",
        program);
    struct compiled compiled = compiled_new_in(&registry, text, NULL);
    struct series_result *result = run_case(&registry, compiled.test_case, 0, 1, NULL);
    compiled_free(&compiled);
    g_free(text);
    return result;
}

// It ends with the program, although heartbeats are armed.
static void test_run_ends(void)
{
    struct series_result *result =
        run_beating("compute: 200 ms, sendrecv: {to: 1 - rank, from: 1 - rank, size: 1 KiB}");
    SUITE_SAME_INTEGER(result->status, SIM_COMPLETED);
    CU_ASSERT(result->ledger_balanced);
    CU_ASSERT(beats[0].beats >= 5 && beats[1].beats >= 5);
    CU_ASSERT(result->simulated < TIME_S);
    series_result_free(result);
}

// Ranks that wait for each other are reported, although heartbeats are armed.
static void test_deadlock(void)
{
    struct series_result *result =
        run_beating("compute: 200 ms, recv: {from: 1 - rank, size: 1 KiB}");
    SUITE_SAME_INTEGER(result->status, SIM_DEADLOCK);
    const char *kind = json_string_value(json_object_get(result->reason, "kind"));
    SUITE_SAME_TEXT(kind, "deadlock");
    CU_ASSERT(beats[0].beats >= 5 && beats[1].beats >= 5);
    CU_ASSERT(result->simulated < TIME_S);
    series_result_free(result);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"background timers do not keep a run alive", test_background_ends},
        {"ticks have a phase", test_tick_phase},
        {"a run ends while they are armed", test_run_ends},
        {"a deadlock is reported while they are armed", test_deadlock},
        {0}};
    return suite_run("inet: timers", cases);
}
