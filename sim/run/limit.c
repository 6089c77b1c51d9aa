// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/run/limit.h"

#include "sim/config/quantity.h"

#define EVENTS_A_LOOK 20000 // some milliseconds

static const struct param limit_params[] = {
    PARAM(struct limit_config, simulated_time, PARAM_DURATION, .fallback = "0", .most = "37440 min",
          .doc = "a run that is not over after so long fails; 0: the end of time alone, 26 days",
          .source = "no limit"),
    PARAM(
        struct limit_config, memory, PARAM_SIZE, .fallback = "0",
        .doc =
            "a run that would take more is refused; 0: what the machine has, and this process may "
            "have (ulimit -v)",
        .source = "this machine"),
    PARAM(struct limit_config, operations, PARAM_COUNT, .fallback = "9007199254740992",
          .least = "1", .doc = "a workload with more operations of all ranks together is refused",
          .source = "2^53: a machine of today needs years"),
    {0},
};

static const struct param_table limit_table =
    PARAM_TABLE(struct limit_config, limit_params, .name = "limits", .doc = "how far a run goes");

const struct scenario_section limit_sections[] = {{"limits", &limit_table}, {0}};

struct limits limits_of(const struct scenario_case *test_case, double wall_s)
{
    const struct limit_config *config = scenario_section_values(test_case, "limits");
    return (struct limits){.simulated = config ? config->simulated_time : 0, .wall_s = wall_s};
}

int64_t limit_wall_end(const struct limits *limits)
{
    if (limits->wall_s <= 0)
        return INT64_MAX;
    return limits->wall_end ? limits->wall_end
                            : g_get_monotonic_time() + (int64_t)(limits->wall_s * G_USEC_PER_SEC);
}

// Runs to `until`, or to a limit outside of the simulation, which is polled occasionally.
static enum limit_reached run_in_pieces(struct engine *engine, sim_time until,
                                        const struct limits *limits)
{
    int64_t end = limit_wall_end(limits);
    if (limits->wall_end && g_get_monotonic_time() >= end) // those before it took all of it
        return LIMIT_WALL;
    for (;;) {
        uint64_t before = engine_events(engine);
        engine_run_some(engine, until, EVENTS_A_LOOK);
        if (engine_stopped(engine) || engine_events(engine) - before < EVENTS_A_LOOK)
            return LIMIT_NONE;
        if (limits->interrupt && limits->interrupt())
            return LIMIT_INTERRUPT;
        if (limits->enough && limits->enough(limits->owner))
            return LIMIT_ENOUGH;
        if (g_get_monotonic_time() >= end)
            return LIMIT_WALL;
    }
}

enum limit_reached limit_run(struct sim *sim, const struct limits *limits)
{
    bool bounded = limits->simulated > 0 && limits->simulated < TIME_END;
    sim_time limit = bounded ? limits->simulated : TIME_END - 1;
    bool stops = limits->stop_at > 0 && limits->stop_at < limit;
    sim_time until = stops ? limits->stop_at : limit;
    enum limit_reached outside = run_in_pieces(sim->engine, until, limits);
    if (outside != LIMIT_NONE)
        return outside;
    if (engine_stopped(sim->engine) || engine_pending(sim->engine) == 0)
        return LIMIT_NONE;
    return stops ? LIMIT_STOP : bounded ? LIMIT_SIMULATED : LIMIT_END_OF_TIME;
}

static void fail_stopped(struct sim *sim, sim_time stop, json_t *detail, int rank, const char *at)
{
    char *text = quantity_format(QUANTITY_DURATION, (struct quantity){.integer = stop});
    sim_fail(sim, SIM_FAILED, "stopped", detail,
             "stopped after %s of simulated time (--stop-at); rank %d is at %s", text, rank, at);
    g_free(text);
}

static void fail_simulated(struct sim *sim, sim_time limit, json_t *detail, int rank,
                           const char *at)
{
    char *text = quantity_format(QUANTITY_DURATION, (struct quantity){.integer = limit});
    sim_fail(sim, SIM_FAILED, "simulated_limit", detail,
             "the run is not over after %s of simulated time, its limit (limits.simulated_time); "
             "rank %d is at %s",
             text, rank, at);
    g_free(text);
}

void limit_fail(struct sim *sim, const struct limits *limits, enum limit_reached reached,
                json_t *detail, int rank, const char *at)
{
    switch (reached) {
    case LIMIT_NONE:
    case LIMIT_ENOUGH:
        json_decref(detail);
        return;
    case LIMIT_END_OF_TIME:
        sim_fail(sim, SIM_FAILED, "end_of_time", detail,
                 "what comes next is past the end of simulated time, 26 days; rank %d is at %s",
                 rank, at);
        return;
    case LIMIT_SIMULATED:
        fail_simulated(sim, limits->simulated, detail, rank, at);
        return;
    case LIMIT_STOP:
        fail_stopped(sim, limits->stop_at, detail, rank, at);
        return;
    case LIMIT_INTERRUPT:
        sim_fail(sim, SIM_FAILED, SIM_INTERRUPTED, detail,
                 "the run was interrupted; rank %d is at %s", rank, at);
        return;
    case LIMIT_WALL:
        sim_fail(
            sim, SIM_FAILED, "time_limit", detail,
            "the run was still going on after %g s, its limit (--time-limit); rank %d is at %s",
            limits->wall_s, rank, at);
        return;
    }
}
