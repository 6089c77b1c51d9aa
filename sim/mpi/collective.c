// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/collective.h"

#define COLLECTIVE_TAG 1

void mpi_schedule_init(struct mpi_schedule *schedule)
{
    *schedule = (struct mpi_schedule){
        .steps = g_array_new(FALSE, FALSE, sizeof(struct mpi_step)),
        .round = g_ptr_array_new(),
    };
}

void mpi_schedule_clear(struct mpi_schedule *schedule)
{
    if (schedule->steps)
        g_array_free(schedule->steps, TRUE);
    if (schedule->round)
        g_ptr_array_free(schedule->round, TRUE);
}

static void add(struct mpi_schedule *schedule, enum mpi_request_kind kind, int peer, int64_t size,
                int64_t offset)
{
    struct mpi_step step = {.kind = kind, .peer = peer, .size = size, .offset = offset};
    g_array_append_val(schedule->steps, step);
}

static void end_round(struct mpi_schedule *schedule)
{
    if (schedule->steps->len > 0)
        g_array_index(schedule->steps, struct mpi_step, schedule->steps->len - 1).ends_round = true;
}

// All report to rank 0, which then answers all (LAM, few processes).
static void barrier_linear(struct mpi_schedule *schedule, int rank, int ranks, int64_t size)
{
    (void)size;
    if (rank == 0) {
        for (int peer = 1; peer < ranks; peer++)
            add(schedule, MPI_RECV, peer, 0, 0);
        end_round(schedule);
        for (int peer = 1; peer < ranks; peer++)
            add(schedule, MPI_SEND, peer, 0, 0);
        end_round(schedule);
        return;
    }
    add(schedule, MPI_SEND, 0, 0, 0);
    end_round(schedule);
    add(schedule, MPI_RECV, 0, 0, 0);
    end_round(schedule);
}

// The same up and down a binomial tree (LAM, more processes).
static void barrier_tree(struct mpi_schedule *schedule, int rank, int ranks, int64_t size)
{
    (void)size;
    int parent_bit = 1;
    while (parent_bit < ranks && !(rank & parent_bit)) {
        if (rank + parent_bit < ranks) {
            add(schedule, MPI_RECV, rank + parent_bit, 0, 0);
            end_round(schedule);
        }
        parent_bit <<= 1;
    }
    if (rank != 0) {
        add(schedule, MPI_SEND, rank - parent_bit, 0, 0);
        end_round(schedule);
        add(schedule, MPI_RECV, rank - parent_bit, 0, 0);
        end_round(schedule);
    }
    for (int bit = parent_bit >> 1; bit > 0; bit >>= 1) {
        if (rank + bit < ranks) {
            add(schedule, MPI_SEND, rank + bit, 0, 0);
            end_round(schedule);
        }
    }
}

// All receives, then all sends, started at once and waited for together (LAM: lam_basic).
static void alltoall_linear(struct mpi_schedule *schedule, int rank, int ranks, int64_t size)
{
    for (int i = 1; i < ranks; i++) {
        int peer = (rank + i) % ranks;
        add(schedule, MPI_RECV, peer, size, peer * size);
    }
    for (int i = 1; i < ranks; i++) {
        int peer = (rank + i) % ranks;
        add(schedule, MPI_SEND, peer, size, peer * size);
    }
    end_round(schedule);
}

typedef void algorithm_fn(struct mpi_schedule *schedule, int rank, int ranks, int64_t size);

static const struct {
    algorithm_fn *few, *many;
} algorithms[] = {
    [MPI_BARRIER] = {barrier_linear, barrier_tree},
    [MPI_ALLTOALL] = {alltoall_linear, alltoall_linear},
};

void mpi_schedule_build(struct mpi_schedule *schedule, const struct mpi_process *process,
                        enum mpi_collective collective, int64_t size)
{
    bool few = !process->library || process->ranks <= process->library->linear_processes;
    g_array_set_size(schedule->steps, 0);
    schedule->next = 0;
    (few ? algorithms[collective].few : algorithms[collective].many)(schedule, process->rank,
                                                                     process->ranks, size);
}

static void start_step(struct mpi_schedule *schedule, struct cpu_context *context,
                       struct mpi_process *process, const struct mpi_step *step)
{
    int64_t buffer = step->kind == MPI_SEND ? schedule->send_buffer : schedule->receive_buffer;
    struct mpi_transfer transfer = {
        .peer = step->peer,
        .tag = COLLECTIVE_TAG,
        .context = MPI_COLLECTIVE,
        .address = buffer + step->offset,
        .size = step->size,
    };
    struct mpi_request *request = mpi_start(context, process, step->kind, &transfer);
    mpi_wait(process, request);
    g_ptr_array_add(schedule->round, request);
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
    do {
        step = &g_array_index(schedule->steps, struct mpi_step, schedule->next++);
        start_step(schedule, context, process, step);
    } while (!step->ends_round);
    return true;
}
