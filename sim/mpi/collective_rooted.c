// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives from or to one root: broadcast, reduction, gather, scatter; linear, and by binomial
// tree. LAM 7 and MPICH 1.2 have the same trees: a rank's parent is the one without its lowest bit,
// counted from the root.
//
// Not modelled: derived datatypes, operations that do not commute, packing.
#include "sim/mpi/algorithm.h"

static const struct mpi_place send_buffer = {BUFFER_SEND, 0};
static const struct mpi_place receive_buffer = {BUFFER_RECEIVE, 0};

static void send_now(struct mpi_schedule *schedule, int peer, struct mpi_place from, int64_t size)
{
    mpi_schedule_send(schedule, peer, from, size);
    mpi_schedule_end_round(schedule);
}

static void recv_now(struct mpi_schedule *schedule, int peer, struct mpi_place to, int64_t size)
{
    mpi_schedule_recv(schedule, peer, to, size);
    mpi_schedule_end_round(schedule);
}

// ---- Broadcast ----

// The root starts sends to all and waits for them together (LAM).
void mpi_bcast_linear(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct mpi_place data = {call->buffer, 0};
    if (call->rank != call->root)
        mpi_schedule_recv(schedule, call->root, data, call->size);
    for (int peer = 0; call->rank == call->root && peer < call->ranks; peer++)
        if (peer != call->root)
            mpi_schedule_send(schedule, peer, data, call->size);
    mpi_schedule_end_round(schedule);
}

// Each sends to its children one after the other, the root of the largest subtree first.
void mpi_bcast_binomial(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct mpi_place data = {call->buffer, 0};
    int relative = mpi_relative(call), bit = mpi_lowest_bit(relative, call->ranks);
    if (relative != 0)
        recv_now(schedule, mpi_absolute(call, relative - bit), data, call->size);
    while ((bit >>= 1) > 0)
        if (relative + bit < call->ranks)
            send_now(schedule, mpi_absolute(call, relative + bit), data, call->size);
}

// ---- Reduction ----

// The root takes in the operands from the last rank to the first (LAM).
void mpi_reduce_linear(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct mpi_place operand = {BUFFER_TEMPORARY, 0};
    int last = call->ranks - 1;
    if (call->rank != call->root) {
        send_now(schedule, call->root, send_buffer, call->size);
        return;
    }
    if (call->rank == last)
        mpi_schedule_copy(schedule, send_buffer, call->to, call->size);
    else
        recv_now(schedule, last, call->to, call->size);
    for (int peer = last - 1; peer >= 0; peer--) {
        if (peer != call->rank)
            recv_now(schedule, peer, operand, call->size);
        mpi_schedule_reduce(schedule, peer == call->rank ? send_buffer : operand, call->to,
                            call->size);
    }
    mpi_schedule_end_round(schedule);
}

// Up the tree. A leaf sends from the program's buffer; others sum up in a copy of their operand, at
// the root in the receive buffer.
void mpi_reduce_binomial(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct mpi_place operand = {BUFFER_TEMPORARY, 0}, sum = call->to;
    int relative = mpi_relative(call), parent_bit = mpi_lowest_bit(relative, call->ranks);
    bool leaf = relative != 0 && (parent_bit == 1 || relative + 1 == call->ranks);
    if (relative != 0)
        sum = leaf ? send_buffer : mpi_place(BUFFER_TEMPORARY, call->size);
    if (!leaf)
        mpi_schedule_copy(schedule, send_buffer, sum, call->size);
    for (int bit = 1; bit < parent_bit; bit <<= 1)
        if (relative + bit < call->ranks) {
            recv_now(schedule, mpi_absolute(call, relative + bit), operand, call->size);
            mpi_schedule_reduce(schedule, operand, sum, call->size);
        }
    if (relative != 0)
        mpi_schedule_send(schedule, mpi_absolute(call, relative - parent_bit), sum, call->size);
    mpi_schedule_end_round(schedule);
}

// ---- Gather ----

static void copy_own(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                     int64_t from, int64_t to)
{
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, from), mpi_place(BUFFER_RECEIVE, to),
                      call->size);
}

// The root receives the blocks one after the other (LAM).
void mpi_gather_linear(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    if (call->rank != call->root)
        send_now(schedule, call->root, send_buffer, call->size);
    for (int peer = 0; call->rank == call->root && peer < call->ranks; peer++) {
        if (peer == call->rank)
            copy_own(schedule, call, 0, peer * call->size);
        else
            recv_now(schedule, peer, mpi_place(BUFFER_RECEIVE, peer * call->size), call->size);
    }
    mpi_schedule_end_round(schedule);
}

// The root asks each rank in turn by an empty message, when it is ready to receive its block; what
// may follow the block's first part is empty (Open MPI, which cuts no block by default).
void mpi_gather_linear_sync(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    if (call->rank != call->root) {
        recv_now(schedule, call->root, receive_buffer, 0);
        send_now(schedule, call->root, send_buffer, call->size);
        send_now(schedule, call->root, send_buffer, 0);
        return;
    }
    copy_own(schedule, call, 0, call->rank * call->size);
    for (int peer = 0; peer < call->ranks; peer++) {
        if (peer == call->rank)
            continue;
        mpi_schedule_recv(schedule, peer, mpi_place(BUFFER_RECEIVE, peer * call->size), call->size);
        mpi_schedule_send(schedule, peer, receive_buffer, 0);
        recv_now(schedule, peer, receive_buffer, 0);
    }
    mpi_schedule_end_round(schedule);
}

// Ranks of the subtree of `relative` in which `bit` is its lowest.
static int subtree(const struct mpi_collective_call *call, int relative, int bit)
{
    return MIN(bit, call->ranks - relative);
}

// Between blocks in the order of ranks and blocks in a temporary buffer, counted from the root: two
// copies.
static void rooted_rotate(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                          enum mpi_buffer by_rank, bool to_temporary)
{
    int64_t upper = (call->ranks - call->root) * call->size, lower = call->root * call->size;
    struct mpi_place first = {by_rank, lower}, second = {by_rank, 0};
    struct mpi_place begin = {BUFFER_TEMPORARY, 0}, rest = {BUFFER_TEMPORARY, upper};
    mpi_schedule_copy(schedule, to_temporary ? first : begin, to_temporary ? begin : first, upper);
    mpi_schedule_copy(schedule, to_temporary ? second : rest, to_temporary ? rest : second, lower);
}

// Up the tree, each with all blocks of its subtree. Blocks are collected in a temporary buffer,
// unless rank 0 is the root, which has them in order (MPICH 1.2.5).
void mpi_gather_binomial(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    int relative = mpi_relative(call), parent_bit = mpi_lowest_bit(relative, call->ranks);
    enum mpi_buffer blocks = call->rank == 0 && call->root == 0 ? BUFFER_RECEIVE
                             : relative & 1                     ? BUFFER_SEND
                                                                : BUFFER_TEMPORARY;
    if (blocks != BUFFER_SEND)
        mpi_schedule_copy(schedule, send_buffer, mpi_place(blocks, 0), call->size);
    for (int bit = 1; bit < parent_bit; bit <<= 1) {
        int child = relative + bit;
        if (child < call->ranks)
            recv_now(schedule, mpi_absolute(call, child), mpi_place(blocks, bit * call->size),
                     subtree(call, child, bit) * call->size);
    }
    if (relative != 0)
        send_now(schedule, mpi_absolute(call, relative - parent_bit), mpi_place(blocks, 0),
                 subtree(call, relative, parent_bit) * call->size);
    else if (call->root != 0)
        rooted_rotate(schedule, call, BUFFER_RECEIVE, false);
    mpi_schedule_end_round(schedule);
}

// ---- Scatter ----

// The root sends the blocks one after the other (LAM).
void mpi_scatter_linear(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    if (call->rank != call->root)
        recv_now(schedule, call->root, receive_buffer, call->size);
    for (int peer = 0; call->rank == call->root && peer < call->ranks; peer++) {
        if (peer == call->rank)
            copy_own(schedule, call, peer * call->size, 0);
        else
            send_now(schedule, peer, mpi_place(BUFFER_SEND, peer * call->size), call->size);
    }
    mpi_schedule_end_round(schedule);
}

// Like mpi_scatter_linear, with all sends started at once and waited for together (Open MPI).
void mpi_scatter_linear_at_once(struct mpi_schedule *schedule,
                                const struct mpi_collective_call *call)
{
    if (call->rank != call->root) {
        recv_now(schedule, call->root, receive_buffer, call->size);
        return;
    }
    copy_own(schedule, call, call->rank * call->size, 0);
    for (int peer = 0; peer < call->ranks; peer++)
        if (peer != call->rank)
            mpi_schedule_send(schedule, peer, mpi_place(BUFFER_SEND, peer * call->size),
                              call->size);
    mpi_schedule_end_round(schedule);
}

// Down the tree, each with all blocks of the child's subtree (MPICH 1.2.5).
void mpi_scatter_binomial(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    int relative = mpi_relative(call), bit = mpi_lowest_bit(relative, call->ranks);
    enum mpi_buffer blocks = call->rank == 0 && call->root == 0 ? BUFFER_SEND
                             : relative & 1                     ? BUFFER_RECEIVE
                                                                : BUFFER_TEMPORARY;
    if (relative == 0 && call->root != 0)
        rooted_rotate(schedule, call, BUFFER_SEND, true);
    if (relative != 0)
        recv_now(schedule, mpi_absolute(call, relative - bit), mpi_place(blocks, 0),
                 subtree(call, relative, bit) * call->size);
    while ((bit >>= 1) > 0) {
        int child = relative + bit;
        if (child < call->ranks)
            send_now(schedule, mpi_absolute(call, child), mpi_place(blocks, bit * call->size),
                     subtree(call, child, bit) * call->size);
    }
    if (blocks != BUFFER_RECEIVE)
        mpi_schedule_copy(schedule, mpi_place(blocks, 0), receive_buffer, call->size);
    mpi_schedule_end_round(schedule);
}
