// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/host/chance.h"

#include "sim/core/intern.h"
#include "sim/host/stages.h"

#include <math.h>

#define PHASE struct phase_config
#define NOISE struct noise_config

static const struct stage noise_stage = {"noise", STAGE_INTERRUPT};
static const struct stage noise_wake_stage = {"noise of a wake-up", STAGE_WAKE_UP};
static const struct stage tick_stage = {"timer interrupt", STAGE_INTERRUPT};

#define PHASE_SOURCE "chosen: the same phase in all hosts; a real one is unknown"

static const struct param phase_params[] = {
    PARAM(PHASE, draw, PARAM_COUNT, .fallback = "0", .most = "1000000",
          .doc =
              "number of the draw whose phases the hosts have, each its own, and by which chance "
              "decides; 0: the phases below; draw K of a scenario sets it to K",
          .source = "off"),
    PARAM(PHASE, tick, PARAM_REAL, .fallback = "0", .most = "1", .prior = "anywhere 0 .. 1",
          .doc = "share of a tick of the kernel's clock that has passed when the run begins",
          .source = PHASE_SOURCE),
    PARAM(PHASE, card, PARAM_REAL, .fallback = "0", .most = "1", .prior = "anywhere 0 .. 1",
          .doc = "share of a period of the cards' clocks that has passed when the run begins: of a "
                 "LANai's tick, or of the distance of interrupts, with 0 the first comes at once",
          .source = PHASE_SOURCE),
    PARAM(PHASE, second, PARAM_REAL, .fallback = "0", .most = "1", .prior = "anywhere 0 .. 1",
          .doc = "share of a second of the time of day that has passed when the run begins, for "
                 "kernels that compare whole seconds",
          .source = PHASE_SOURCE),
    PARAM(
        PHASE, process, PARAM_DURATION, .fallback = "0 s", .most = "1 s",
        .prior = "anywhere 0 s .. 100 us", .doc = "from the run's begin until the processes start",
        .source = "chosen: all at once; in draws assumed: the launcher's last message reaches one "
                  "host after the other"),
    {0},
};

const struct param_table phase_table =
    PARAM_TABLE(PHASE, phase_params, .name = "phase",
                .doc = "where a host's clocks are when a run begins; in a draw each host's are "
                       "anywhere");

static const struct param noise_params[] = {
    PARAM(
        NOISE, interrupt, PARAM_DURATION, .fallback = "0 s", .most = "1 s",
        .doc =
            "mean of the time that an interrupt takes longer by chance, exponentially distributed",
        .source = "off; 1 us to 5 us are usual: interrupts are off for 1 us in the mean, and for "
                  "97 us at most (Hallinan, Embedded Linux Primer, 17.4.6)"),
    PARAM(NOISE, wake_up, PARAM_DURATION, .fallback = "0 s", .most = "1 s",
          .doc = "mean of the time that a woken process takes longer by chance, exponentially "
                 "distributed",
          .source = "off; as of an interrupt"),
    PARAM(NOISE, tick, PARAM_DURATION, .fallback = "10 ms", .least = "10 us", .most = "1 s",
          .doc = "period of the timer interrupts of each processor, if they take time",
          .source = "Linux 2.4: HZ of 100 on PCs"),
    PARAM(NOISE, tick_work, PARAM_COST, .fallback = "0 s",
          .doc = "cost of a timer interrupt; 0: there are none",
          .source = "off; 5 us to 15 us are usual: 0.5 to 1.5 % at 1,000 Hz (Tsafrir, The "
                    "context-switch overhead inflicted by hardware interrupts, 2007)"),
    {0},
};

static void noise_check(const void *values, const struct param_values *report)
{
    const struct noise_config *config = values;
    if (config->tick_work.time >= config->tick)
        param_complain(report, "tick_work", "less than tick",
                       "timer interrupts would leave no time for anything else");
}

const struct param_table noise_table = PARAM_TABLE(
    NOISE, noise_params, .name = "noise", .check = noise_check,
    .doc =
        "small delays of a host's kernel, by chance; off unless they are set, as repetitions then "
        "differ");

// ---- Phases ----

sim_time phase_passed(double share, sim_time period)
{
    sim_time passed = (sim_time)llround(share * (double)period);
    return passed < period ? passed : 0;
}

sim_time phase_left(double share, sim_time period)
{
    sim_time passed = phase_passed(share, period);
    return passed > 0 ? period - passed : 0;
}

// ---- Noise ----

struct noise_tick {
    struct host_noise *noise;
    struct event event;
    struct cpu_task task;
};

struct host_noise {
    struct sim *sim;
    struct noise_config config;
    struct random_stream *stream;
    struct noise_tick *ticks; // one per processor
    int64_t count;            // 0: no timer interrupts
};

// Timer interrupts keep no run alive.
static void tick_rings(struct engine *engine, struct event *event)
{
    struct noise_tick *tick = container_of(event, struct noise_tick, event);
    cpu_wake(&tick->task);
    engine_schedule(engine, event, sim_now(tick->noise->sim) + tick->noise->config.tick);
}

static enum cpu_next tick_runs(struct cpu_context *context, struct cpu_task *task)
{
    const struct noise_tick *tick = container_of(task, struct noise_tick, task);
    cpu_spend(context, tick->noise->config.tick_work, &tick_stage);
    return CPU_SLEEP;
}

static void start_ticks(struct host_noise *noise, double phase, struct cpu *const *cores)
{
    sim_time first = phase_left(phase, noise->config.tick);
    noise->ticks = g_new0(struct noise_tick, noise->count);
    for (int64_t i = 0; i < noise->count; i++) {
        struct noise_tick *tick = &noise->ticks[i];
        tick->noise = noise;
        event_init_background(&tick->event, tick_rings);
        cpu_task_init(&tick->task, cores[i], CPU_INTERRUPT, tick_runs);
        engine_schedule(noise->sim->engine, &tick->event, first ? first : noise->config.tick);
    }
}

struct host_noise *host_noise_new(struct sim *sim, const char *host,
                                  const struct noise_config *config, double tick_phase,
                                  struct cpu *const *cores, int64_t count)
{
    bool ticks = config->tick_work.time > 0 || config->tick_work.cycles > 0;
    if (config->interrupt == 0 && config->wake_up == 0 && !ticks)
        return NULL;
    struct host_noise *noise = g_new0(struct host_noise, 1);
    noise->sim = sim;
    noise->config = *config;
    noise->count = ticks ? count : 0;
    char *name = g_strdup_printf("noise %s", host);
    noise->stream = random_new(sim->seed, name);
    g_free(name);
    start_ticks(noise, tick_phase, cores);
    return noise;
}

void host_noise_free(struct host_noise *noise)
{
    if (!noise)
        return;
    for (int64_t i = 0; i < noise->count; i++)
        engine_cancel(noise->sim->engine, &noise->ticks[i].event);
    random_free(noise->stream);
    g_free(noise->ticks);
    g_free(noise);
}

void host_noise_interrupt(struct cpu_context *context, const struct host_noise *noise)
{
    if (noise && noise->config.interrupt > 0)
        cpu_spend_time(context, random_exponential(noise->stream, noise->config.interrupt),
                       &noise_stage);
}

void host_noise_wake_up(struct cpu_context *context, const struct host_noise *noise)
{
    if (noise && noise->config.wake_up > 0)
        cpu_spend_time(context, random_exponential(noise->stream, noise->config.wake_up),
                       &noise_wake_stage);
}
