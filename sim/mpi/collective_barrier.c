// SPDX-License-Identifier: GPL-3.0-or-later
// Barriers.
#include "sim/mpi/algorithm.h"

static const struct mpi_place nowhere = {BUFFER_SEND, 0};

static void send(struct mpi_schedule *schedule, int peer)
{
    mpi_schedule_send(schedule, peer, nowhere, 0);
}

static void recv(struct mpi_schedule *schedule, int peer)
{
    mpi_schedule_recv(schedule, peer, nowhere, 0);
}

// All report to rank 0, which then answers all (LAM, few processes).
void mpi_barrier_linear(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    if (call->rank == 0) {
        for (int peer = 1; peer < call->ranks; peer++)
            recv(schedule, peer);
        mpi_schedule_end_round(schedule);
        for (int peer = 1; peer < call->ranks; peer++)
            send(schedule, peer);
        mpi_schedule_end_round(schedule);
        return;
    }
    send(schedule, 0);
    mpi_schedule_end_round(schedule);
    recv(schedule, 0);
    mpi_schedule_end_round(schedule);
}

// Reports go up a binomial tree and answers down it (LAM, more processes).
void mpi_barrier_binomial(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    int rank = call->rank, parent_bit = mpi_lowest_bit(rank, call->ranks);
    for (int bit = 1; bit < parent_bit; bit <<= 1)
        if (rank + bit < call->ranks) {
            recv(schedule, rank + bit);
            mpi_schedule_end_round(schedule);
        }
    if (rank != 0) {
        send(schedule, rank - parent_bit);
        mpi_schedule_end_round(schedule);
        recv(schedule, rank - parent_bit);
        mpi_schedule_end_round(schedule);
    }
    for (int bit = parent_bit >> 1; bit > 0; bit >>= 1)
        if (rank + bit < call->ranks) {
            send(schedule, rank + bit);
            mpi_schedule_end_round(schedule);
        }
}

static void barrier_exchange(struct mpi_schedule *schedule, int peer)
{
    recv(schedule, peer);
    send(schedule, peer);
    mpi_schedule_end_round(schedule);
}

// Exchanges with the rank that differs in one bit, bit by bit, among the largest power of two of
// ranks; each of the others reports to one of them before, and is answered after (MPICH 1.2).
void mpi_barrier_recursive_doubling(struct mpi_schedule *schedule,
                                    const struct mpi_collective_call *call)
{
    int power = 1;
    while (2 * power <= call->ranks)
        power *= 2;
    if (call->rank >= power) {
        barrier_exchange(schedule, call->rank - power);
        return;
    }
    bool answers = call->rank + power < call->ranks;
    if (answers) {
        recv(schedule, call->rank + power);
        mpi_schedule_end_round(schedule);
    }
    for (int bit = 1; bit < power; bit <<= 1)
        barrier_exchange(schedule, call->rank ^ bit);
    if (answers) {
        send(schedule, call->rank + power);
        mpi_schedule_end_round(schedule);
    }
}

// Step i: to the rank 2^i above, from the rank 2^i below; the number of steps is logarithmic
// (Hensgen, Finkel, Manber 1988; MPICH2, Open MPI).
void mpi_barrier_dissemination(struct mpi_schedule *schedule,
                               const struct mpi_collective_call *call)
{
    for (int distance = 1; distance < call->ranks; distance <<= 1) {
        recv(schedule, (call->rank - distance + call->ranks) % call->ranks);
        send(schedule, (call->rank + distance) % call->ranks);
        mpi_schedule_end_round(schedule);
    }
}
