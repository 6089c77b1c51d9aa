// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks and steps that algorithms of several collectives share.
#include "sim/mpi/algorithm.h"

struct mpi_blocks mpi_blocks_of(struct mpi_schedule *schedule,
                                const struct mpi_collective_call *call, const int64_t *blocks,
                                enum mpi_buffer buffer, int scratch)
{
    if (!blocks)
        return (struct mpi_blocks){
            .buffer = buffer, .unit = call->size, .total = call->size * call->ranks};
    GArray *starts = schedule->scratch[scratch];
    g_array_set_size(starts, (guint)call->ranks + 1);
    int64_t *start = &g_array_index(starts, int64_t, 0);
    start[0] = 0;
    for (int i = 0; i < call->ranks; i++)
        start[i + 1] = start[i] + blocks[i];
    return (struct mpi_blocks){.buffer = buffer, .starts = start, .count = call->ranks};
}

// Step `bit` of recursive doubling joins the group of `bit` ranks below (bit not set in their
// numbers) and the group above. If that is not whole, only the first of the group below have a
// partner in it; these send the data they received to the others, halving the distance each time.
void mpi_spread(struct mpi_schedule *schedule, const struct mpi_collective_call *call, int bit,
                struct mpi_place data, int64_t size)
{
    int relative = mpi_relative(call);
    int have = call->ranks - (relative & ~(bit - 1)) - bit;
    if ((relative & bit) || have <= 0 || have >= bit)
        return;
    for (int half = bit >> 1; half > 0; half >>= 1) {
        int partner = relative ^ half, end = (relative & ~(2 * half - 1)) + have;
        if (partner > relative && relative < end && partner >= end)
            mpi_schedule_send(schedule, mpi_absolute(call, partner), data, size);
        else if (partner < relative && partner < end && relative >= end)
            mpi_schedule_recv(schedule, mpi_absolute(call, partner), data, size);
        mpi_schedule_end_round(schedule);
    }
}
