// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/limit.h"

enum limit_reached limit_run(struct sim *sim)
{
    engine_run(sim->engine, TIME_END - 1);
    if (engine_stopped(sim->engine) || engine_pending(sim->engine) == 0)
        return LIMIT_NONE;
    return LIMIT_END_OF_TIME;
}

void limit_fail(struct sim *sim, enum limit_reached limit, json_t *detail, int rank, const char *at)
{
    switch (limit) {
    case LIMIT_NONE:
        json_decref(detail);
        return;
    case LIMIT_END_OF_TIME:
        sim_fail(sim, SIM_FAILED, "end_of_time", detail,
                 "what comes next is past the end of simulated time, 26 days; rank %d is at %s",
                 rank, at);
        return;
    }
}
