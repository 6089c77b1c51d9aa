// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/schedule.h"

#define COLLECTIVE_TAG 1

void mpi_schedule_init(struct mpi_schedule *schedule)
{
    *schedule = (struct mpi_schedule){
        .steps = g_array_new(FALSE, FALSE, sizeof(struct mpi_step)),
        .round = g_ptr_array_new(),
    };
    for (size_t i = 0; i < G_N_ELEMENTS(schedule->scratch); i++)
        schedule->scratch[i] = g_array_new(FALSE, FALSE, sizeof(int64_t));
}

void mpi_schedule_clear(struct mpi_schedule *schedule)
{
    if (schedule->steps)
        g_array_free(schedule->steps, TRUE);
    if (schedule->round)
        g_ptr_array_free(schedule->round, TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(schedule->scratch); i++)
        if (schedule->scratch[i])
            g_array_free(schedule->scratch[i], TRUE);
}

void mpi_schedule_reset(struct mpi_schedule *schedule, const struct mpi_group *group)
{
    schedule->group = group;
    g_array_set_size(schedule->steps, 0);
    schedule->next = 0;
    schedule->temporary = 0;
}

// ---- Building ----

static void uses(struct mpi_schedule *schedule, struct mpi_place place, int64_t size)
{
    if (place.buffer == BUFFER_TEMPORARY)
        schedule->temporary = MAX(schedule->temporary, place.offset + size);
}

void mpi_schedule_send(struct mpi_schedule *schedule, int peer, struct mpi_place from, int64_t size)
{
    struct mpi_step step = {.kind = STEP_SEND,
                            .peer = mpi_group_rank(schedule->group, peer),
                            .size = size,
                            .from = from};
    uses(schedule, from, size);
    g_array_append_val(schedule->steps, step);
}

void mpi_schedule_recv(struct mpi_schedule *schedule, int peer, struct mpi_place to, int64_t size)
{
    struct mpi_step step = {
        .kind = STEP_RECV, .peer = mpi_group_rank(schedule->group, peer), .size = size, .to = to};
    uses(schedule, to, size);
    g_array_append_val(schedule->steps, step);
}

static void add_local(struct mpi_schedule *schedule, enum mpi_step_kind kind, struct mpi_place from,
                      struct mpi_place to, int64_t size)
{
    struct mpi_step step = {.kind = kind, .size = size, .from = from, .to = to};
    if (size == 0)
        return;
    uses(schedule, from, size);
    uses(schedule, to, size);
    g_array_append_val(schedule->steps, step);
}

void mpi_schedule_copy(struct mpi_schedule *schedule, struct mpi_place from, struct mpi_place to,
                       int64_t size)
{
    add_local(schedule, STEP_COPY, from, to, size);
}

void mpi_schedule_reduce(struct mpi_schedule *schedule, struct mpi_place from, struct mpi_place to,
                         int64_t size)
{
    add_local(schedule, STEP_REDUCE, from, to, size);
}

void mpi_schedule_end_round(struct mpi_schedule *schedule)
{
    if (schedule->steps->len > 0)
        g_array_index(schedule->steps, struct mpi_step, schedule->steps->len - 1).ends_round = true;
}

// ---- Running ----

struct mpi_transfer mpi_schedule_transfer(const struct mpi_schedule *schedule,
                                          const struct mpi_step *step)
{
    struct mpi_place place = step->kind == STEP_SEND ? step->from : step->to;
    return (struct mpi_transfer){
        .peer = step->peer,
        .tag = COLLECTIVE_TAG,
        .context = CONTEXT_COLLECTIVE,
        .group = schedule->group,
        .address = schedule->address[place.buffer] + place.offset,
        .size = step->size,
    };
}

// alone: the round has no other step
static void start_request(struct mpi_schedule *schedule, struct cpu_context *context,
                          struct mpi_process *process, const struct mpi_step *step, bool alone)
{
    struct mpi_transfer transfer = mpi_schedule_transfer(schedule, step);
    transfer.blocking = alone;
    struct mpi_request *request = mpi_start(
        context, process, step->kind == STEP_SEND ? REQUEST_SEND : REQUEST_RECV, &transfer);
    mpi_wait(process, request);
    g_ptr_array_add(schedule->round, request);
}

static void start_step(struct mpi_schedule *schedule, struct cpu_context *context,
                       struct mpi_process *process, const struct mpi_step *step, bool alone)
{
    switch (step->kind) {
    case STEP_SEND:
    case STEP_RECV:
        start_request(schedule, context, process, step, alone);
        break;
    case STEP_COPY:
        mem_copy(context, &process->host->config.memory, step->size, COPY_WARM, MESSAGE_NONE);
        break;
    case STEP_REDUCE:
        mpi_charge_reduce(context, process, step->size);
        break;
    }
}

bool mpi_schedule_step(struct mpi_schedule *schedule, struct cpu_context *context,
                       struct mpi_process *process)
{
    if (process->open_waits > 0)
        return true;
    for (guint i = 0; i < schedule->round->len; i++)
        mpi_request_free(context, g_ptr_array_index(schedule->round, i));
    g_ptr_array_set_size(schedule->round, 0);
    if (schedule->next == schedule->steps->len)
        return false;
    const struct mpi_step *step;
    bool first = true;
    do {
        step = &g_array_index(schedule->steps, struct mpi_step, schedule->next++);
        start_step(schedule, context, process, step, first && step->ends_round);
        first = false;
    } while (!step->ends_round);
    return true;
}
