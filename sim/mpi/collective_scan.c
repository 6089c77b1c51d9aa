// SPDX-License-Identifier: GPL-3.0-or-later
// Scans: rank i gets the reduction of the operands of the ranks up to it, or of those before it.
//
// Not modelled: operations that do not commute.
#include "sim/mpi/algorithm.h"

static const struct mpi_place operand = {BUFFER_SEND, 0};
static const struct mpi_place result = {BUFFER_RECEIVE, 0};
static const struct mpi_place arrived = {BUFFER_TEMPORARY, 0};

// From each rank to the next (LAM, Open MPI).
void mpi_scan_linear(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    if (call->rank == 0) {
        mpi_schedule_copy(schedule, operand, result, call->size);
    } else {
        mpi_schedule_recv(schedule, call->rank - 1, result, call->size);
        mpi_schedule_end_round(schedule);
        mpi_schedule_reduce(schedule, operand, result, call->size);
    }
    if (call->rank + 1 < call->ranks)
        mpi_schedule_send(schedule, call->rank + 1, result, call->size);
    mpi_schedule_end_round(schedule);
}

// Like mpi_scan_linear, but keeps the received sum while its place has the next rank's.
void mpi_exscan_linear(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct mpi_place kept = {BUFFER_TEMPORARY, 0};
    if (call->rank > 0) {
        mpi_schedule_recv(schedule, call->rank - 1, result, call->size);
        mpi_schedule_end_round(schedule);
        mpi_schedule_copy(schedule, result, kept, call->size);
        mpi_schedule_reduce(schedule, operand, result, call->size);
    }
    if (call->rank + 1 < call->ranks)
        mpi_schedule_send(schedule, call->rank + 1, call->rank == 0 ? operand : result, call->size);
    mpi_schedule_end_round(schedule);
    if (call->rank > 0)
        mpi_schedule_copy(schedule, kept, result, call->size);
    mpi_schedule_end_round(schedule);
}

// Ranks that differ in one bit exchange their sums so far; a sum from a lower rank also counts for
// the result (MPICH).
static void doubling(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                     bool exclusive)
{
    struct mpi_place sum = mpi_place(BUFFER_TEMPORARY, call->size);
    bool has_result = !exclusive;
    mpi_schedule_copy(schedule, operand, sum, call->size);
    if (has_result)
        mpi_schedule_copy(schedule, operand, result, call->size);
    for (int bit = 1; bit < call->ranks; bit <<= 1) {
        int partner = call->rank ^ bit;
        if (partner >= call->ranks)
            continue;
        mpi_sendrecv(schedule, partner, sum, call->size, partner, arrived, call->size);
        mpi_schedule_reduce(schedule, arrived, sum, call->size);
        if (partner > call->rank)
            continue;
        if (has_result)
            mpi_schedule_reduce(schedule, arrived, result, call->size);
        else
            mpi_schedule_copy(schedule, arrived, result, call->size);
        has_result = true;
    }
    mpi_schedule_end_round(schedule);
}

void mpi_scan_recursive_doubling(struct mpi_schedule *schedule,
                                 const struct mpi_collective_call *call)
{
    doubling(schedule, call, false);
}

void mpi_exscan_recursive_doubling(struct mpi_schedule *schedule,
                                   const struct mpi_collective_call *call)
{
    doubling(schedule, call, true);
}
