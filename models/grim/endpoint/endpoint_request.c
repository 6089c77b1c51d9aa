// SPDX-License-Identifier: GPL-3.0-or-later
// The states of requests, and what wakes the process that waits for one.
#include "models/grim/endpoint/endpoint.h"
#include "models/grim/endpoint/operations.h"

const struct stage grim_stage = {"GRIM", STAGE_LIBRARY};
const struct stage grim_handlers_stage = {"handlers", STAGE_LIBRARY};
const struct stage grim_poll_stage = {"endpoint poll", STAGE_LIBRARY};

static const struct wait notification_words = {"words of notification", WAIT_OTHER};

// ---- States of requests ----

// A message that has arrived before its receive takes it from the start to where it would be.
static const struct machine_state grim_request_states[] = {
    [GRIM_REQUEST_NEW] = {"new",
                          {"its start", WAIT_OTHER},
                          HOLDER_UNKNOWN,
                          MACHINE_TO(GRIM_REQUEST_ASK, GRIM_REQUEST_INJECT, GRIM_REQUEST_POSTED,
                                     GRIM_REQUEST_PARTS, GRIM_REQUEST_CONFIRM, GRIM_REQUEST_COUNT,
                                     GRIM_REQUEST_SCAN, GRIM_REQUEST_DONE)},
    [GRIM_REQUEST_ASK] = {"ask_name",
                          {"its turn to ask the server for a handler's integer", WAIT_OTHER},
                          HOLDER_UNKNOWN,
                          MACHINE_TO(GRIM_REQUEST_ASKED)},
    [GRIM_REQUEST_ASKED] = {"asked",
                            {"the server's answer with a handler's integer", WAIT_OTHER},
                            HOLDER_UNKNOWN,
                            MACHINE_TO(GRIM_REQUEST_INJECT, GRIM_REQUEST_DONE)},
    [GRIM_REQUEST_INJECT] = {"inject",
                             {"its turn to inject", WAIT_OTHER},
                             HOLDER_UNKNOWN,
                             MACHINE_TO(GRIM_REQUEST_WORD, GRIM_REQUEST_TAKEN, GRIM_REQUEST_LIST,
                                        GRIM_REQUEST_DONE)},
    [GRIM_REQUEST_WORD] = {"wait_word",
                           {"the word behind the data that it reads", WAIT_OTHER},
                           HOLDER_UNKNOWN,
                           MACHINE_TO(GRIM_REQUEST_DONE)},
    [GRIM_REQUEST_TAKEN] = {"wait_taken",
                            {"a matching receive at the peer", WAIT_OTHER},
                            HELD_BY_PEER,
                            MACHINE_TO(GRIM_REQUEST_DONE)},
    [GRIM_REQUEST_POSTED] = {"posted",
                             {"a matching message", WAIT_OTHER},
                             HELD_BY_PEER,
                             MACHINE_TO(GRIM_REQUEST_PARTS, GRIM_REQUEST_DONE)},
    [GRIM_REQUEST_PARTS] = {"receive",
                            {"the rest of its message", WAIT_OTHER},
                            HOLDER_UNKNOWN,
                            MACHINE_TO(GRIM_REQUEST_CONFIRM, GRIM_REQUEST_DONE)},
    [GRIM_REQUEST_CONFIRM] = {"confirm",
                              {"its turn to tell the sender", WAIT_OTHER},
                              HOLDER_UNKNOWN,
                              MACHINE_TO(GRIM_REQUEST_DONE)},
    [GRIM_REQUEST_COUNT] = {"count",
                            {"messages to handle", WAIT_OTHER},
                            HOLDER_UNKNOWN,
                            MACHINE_TO(GRIM_REQUEST_DONE)},
    [GRIM_REQUEST_LIST] = {"wait_list",
                           {"the server's list of handlers", WAIT_OTHER},
                           HOLDER_UNKNOWN,
                           MACHINE_TO(GRIM_REQUEST_DONE)},
    [GRIM_REQUEST_SCAN] = {"scan",
                           {"the card's scan of its channels", WAIT_OTHER},
                           HOLDER_UNKNOWN,
                           MACHINE_TO(GRIM_REQUEST_DONE)},
    [GRIM_REQUEST_DONE] = {"done", {"nothing", WAIT_OTHER}, .next = 0},
};

const struct machine_kind grim_request_machine = {
    .name = "request",
    .logged = "send, recv, probe, put, get, active_message, poll, call",
    .title = "Request of a GRIM endpoint",
    .source = "thesis 003, 4.4, 4.5",
    .states = grim_request_states,
    .count = G_N_ELEMENTS(grim_request_states),
};

void grim_enter(struct cpu_context *context, struct mpi_request *request,
                enum grim_request_state state)
{
    mpi_enter(context, request, state, NULL);
    if (state == GRIM_REQUEST_COUNT && grim_is(request, GRIM_OPERATION_CALL))
        request->waits_for = &notification_words;
}

const char *grim_name_of(const struct mpi_request *request)
{
    if (grim_is(request, GRIM_OPERATION_CALL))
        return ((const struct grim_call *)request->arguments)->argument;
    const char *handler = ((const struct grim_active_message *)request->arguments)->handler;
    return handler ? handler : grim_nop_name();
}

// ---- Waking ----

void grim_wake(struct grim_endpoint *endpoint)
{
    struct sim *sim = endpoint->process->sim;
    sim_time now = sim_now(sim), when = now;
    trace_lane lane = cpu_lane(endpoint->process->task.cpu);
    if (endpoint->config->polling_thread) {
        sim_time period = endpoint->config->thread_period;
        if (event_pending(&endpoint->thread_tick) || endpoint->ended)
            return;
        when = time_next_tick(phase_left(endpoint->process->host->config.phase.tick, period),
                              period, now);
        trace_delay(sim->trace, lane, &stage_poll, now, when, MESSAGE_NONE);
        engine_schedule(sim->engine, &endpoint->thread_tick, when);
        return;
    }
    if (!endpoint->asleep || event_pending(&endpoint->wake))
        return;
    sim_time turn = cpu_cost(endpoint->process->task.cpu, endpoint->config->poll);
    if (turn > 0)
        when = time_next_tick(endpoint->idle_since, turn, now);
    trace_delay(sim->trace, lane, &stage_poll, now, when, MESSAGE_NONE);
    engine_schedule(sim->engine, &endpoint->wake, when);
}
