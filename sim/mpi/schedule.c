// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/schedule.h"

#define COLLECTIVE_TAG 1

void mpi_schedule_init(struct mpi_schedule *schedule)
{
    *schedule = (struct mpi_schedule){
        .steps = g_array_new(FALSE, FALSE, sizeof(struct mpi_step)),
    };
    for (size_t i = 0; i < G_N_ELEMENTS(schedule->scratch); i++)
        schedule->scratch[i] = g_array_new(FALSE, FALSE, sizeof(int64_t));
}

void mpi_schedule_clear(struct mpi_schedule *schedule)
{
    if (schedule->steps)
        g_array_free(schedule->steps, TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(schedule->scratch); i++)
        if (schedule->scratch[i])
            g_array_free(schedule->scratch[i], TRUE);
}

void mpi_schedule_reset(struct mpi_schedule *schedule, const struct mpi_group *group)
{
    schedule->group = group;
    g_array_set_size(schedule->steps, 0);
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
