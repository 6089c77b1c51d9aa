// SPDX-License-Identifier: GPL-3.0-or-later
// Broadcasts and reductions of messages in segments, along a chain or a tree, so that ranks work on
// different segments at a time; and Open MPI's choice between them.
//
// Each rank's next receive is started together with its sends, not before it waits for the last
// one.
#include "sim/mpi/algorithm.h"

// ---- Chain and tree: by ranks counted from the root ----

#define MOST_CHILDREN 48 // 3 on each of the 16 levels of a tree of radix 4

struct tree {
    int parent, children[MOST_CHILDREN], count; // absolute ranks; parent -1: the root
};

static void add_child(struct tree *tree, const struct mpi_collective_call *call, int relative)
{
    if (relative < call->ranks)
        tree->children[tree->count++] = mpi_absolute(call, relative);
}

static struct tree chain_of(const struct mpi_collective_call *call)
{
    int relative = mpi_relative(call);
    struct tree tree = {.parent = relative == 0 ? -1 : mpi_absolute(call, relative - 1)};
    add_child(&tree, call, relative + 1);
    return tree;
}

// Level l has the 2^l ranks from 2^l - 1 on. A rank's children are 2^l and 2 * 2^l above it, so
// that odd ranks are in the left half of the tree, even ones in the right.
static struct tree binary_of(const struct mpi_collective_call *call)
{
    int relative = mpi_relative(call), width = 1;
    while (relative >= 2 * width - 1)
        width *= 2;
    int near = relative - width / 2, first = width / 2 - 1; // of the level above
    bool parent_is_near = near < first + width / 2;
    struct tree tree = {.parent = -1};
    if (relative > 0)
        tree.parent = mpi_absolute(call, parent_is_near ? near : near - width / 2);
    add_child(&tree, call, relative + width);
    add_child(&tree, call, relative + 2 * width);
    return tree;
}

// The children are 1, 2, 4, ... above a rank whose lowest bit is above these.
static struct tree binomial_of(const struct mpi_collective_call *call)
{
    int relative = mpi_relative(call), lowest = mpi_lowest_bit(relative, call->ranks);
    struct tree tree = {.parent = relative == 0 ? -1 : mpi_absolute(call, relative - lowest)};
    for (int bit = 1; bit < lowest; bit <<= 1)
        add_child(&tree, call, relative + bit);
    return tree;
}

// The children are one bit above a rank's highest each, so that a parent is without it.
static struct tree binomial_near_of(const struct mpi_collective_call *call)
{
    int relative = mpi_relative(call), bit = 1;
    while (bit <= relative)
        bit <<= 1;
    struct tree tree = {.parent = relative == 0 ? -1 : mpi_absolute(call, relative - bit / 2)};
    for (; bit < call->ranks; bit <<= 1)
        add_child(&tree, call, relative + bit);
    return tree;
}

// A parent is without the last digit to the base 4 that is not 0; the largest subtree is served
// first.
static struct tree knomial_of(const struct mpi_collective_call *call)
{
    const int radix = 4;
    int relative = mpi_relative(call), place = 1;
    while (place < call->ranks && relative % (radix * place) == 0)
        place *= radix;
    struct tree tree = {
        .parent =
            relative == 0 ? -1 : mpi_absolute(call, relative / (radix * place) * radix * place)};
    while ((place /= radix) > 0)
        for (int digit = 1; digit < radix; digit++)
            add_child(&tree, call, relative + digit * place);
    return tree;
}

// In which the ranks of a subtree follow one another, so that operands are combined in their order:
// the last rank is the parent, the one before it the first child, with the upper half of the others
// below it.
static struct tree in_order_of(const struct mpi_collective_call *call)
{
    struct tree tree = {.parent = -1};
    int first = 0, ranks = call->ranks;
    while (call->rank != first + ranks - 1) {
        int parent = first + ranks - 1, lower = ranks / 2;
        bool in_lower = call->rank < first + lower;
        if (!in_lower)
            first += lower;
        ranks = in_lower ? lower : ranks - lower - 1;
        if (call->rank == first + ranks - 1)
            tree.parent = parent;
    }
    if (ranks > 1)
        tree.children[tree.count++] = first + ranks - 2;
    if (ranks > 2)
        tree.children[tree.count++] = first + ranks / 2 - 1;
    return tree;
}

// ---- Segments ----

// A part of a message, cut into segments of which the last may be short; none of no bytes but one.
struct part {
    int64_t begin, bytes, segment;
    int count;
};

static struct part part_of(int64_t begin, int64_t bytes, int64_t segment)
{
    int64_t cut = segment > 0 ? MIN(segment, MAX(bytes, 1)) : MAX(bytes, 1);
    return (struct part){begin, bytes, cut, (int)MAX(1, (bytes + cut - 1) / cut)};
}

static struct mpi_place segment_place(const struct part *part, struct mpi_place whole, int number)
{
    return mpi_place(whole.buffer, whole.offset + part->begin + number * part->segment);
}

static int64_t segment_bytes(const struct part *part, int number)
{
    return MIN(part->segment, part->bytes - number * part->segment);
}

// ---- Broadcast ----

// A rank below the root sends each segment on to its children while it receives the next one.
static void pass_on(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                    const struct tree *tree, const struct part *part)
{
    struct mpi_place data = {call->buffer, 0};
    for (int i = 0; i <= part->count; i++) {
        if (i < part->count)
            mpi_schedule_recv(schedule, tree->parent, segment_place(part, data, i),
                              segment_bytes(part, i));
        for (int child = 0; i > 0 && child < tree->count; child++)
            mpi_schedule_send(schedule, tree->children[child], segment_place(part, data, i - 1),
                              segment_bytes(part, i - 1));
        mpi_schedule_end_round(schedule);
    }
}

static void bcast_along(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                        struct tree tree)
{
    struct mpi_place data = {call->buffer, 0};
    struct part whole = part_of(0, call->size, call->segment);
    if (tree.parent >= 0) {
        pass_on(schedule, call, &tree, &whole);
        return;
    }
    for (int i = 0; i < whole.count; i++) {
        for (int child = 0; child < tree.count; child++)
            mpi_schedule_send(schedule, tree.children[child], segment_place(&whole, data, i),
                              segment_bytes(&whole, i));
        mpi_schedule_end_round(schedule);
    }
}

void mpi_bcast_pipeline(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    bcast_along(schedule, call, chain_of(call));
}

void mpi_bcast_binary(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    bcast_along(schedule, call, binary_of(call));
}

// Each starts its sends together, to the root of the smallest subtree first (Open MPI).
void mpi_bcast_binomial_near(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    bcast_along(schedule, call, binomial_near_of(call));
}

void mpi_bcast_knomial(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    bcast_along(schedule, call, knomial_of(call));
}

static void send_segment(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                         int child, const struct part *part, int number)
{
    if (number >= part->count)
        return;
    mpi_schedule_send(schedule, child, segment_place(part, mpi_place(call->buffer, 0), number),
                      segment_bytes(part, number));
    mpi_schedule_end_round(schedule);
}

// Neighbours in the two halves of the tree exchange what they have. The last of an even number has
// none, and gets the rest from the root.
static void swap_halves(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                        const struct part halves[2])
{
    int relative = mpi_relative(call), last = call->ranks - 1;
    bool alone = call->ranks % 2 == 0 && (relative == 0 || relative == last);
    const struct part *mine = &halves[relative % 2 == 0], *theirs = &halves[relative % 2];
    int peer = mpi_absolute(call, alone          ? last - relative
                                  : relative % 2 ? relative + 1
                                                 : relative + call->ranks - 1);
    if (relative == 0 && !alone)
        return;
    if (relative != 0)
        mpi_schedule_recv(schedule, peer, mpi_place(call->buffer, theirs->begin), theirs->bytes);
    if (!alone || relative == 0)
        mpi_schedule_send(schedule, peer, mpi_place(call->buffer, mine->begin), mine->bytes);
    mpi_schedule_end_round(schedule);
}

// One half of the message goes down each half of a binary tree; then all exchange what they have.
void mpi_bcast_split_binary(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct tree tree = binary_of(call);
    int64_t left = (call->size + 1) / 2;
    if (call->ranks == 1)
        return;
    if (call->size - left < MAX(call->segment, 1)) {
        bcast_along(schedule, call, chain_of(call)); // too short to be split
        return;
    }
    const struct part halves[2] = {part_of(0, left, call->segment),
                                   part_of(left, call->size - left, call->segment)};
    if (tree.parent >= 0)
        pass_on(schedule, call, &tree, &halves[mpi_relative(call) % 2 == 0]);
    for (int i = 0; tree.parent < 0 && i < halves[0].count; i++) {
        send_segment(schedule, call, tree.children[0], &halves[0], i);
        if (tree.count > 1)
            send_segment(schedule, call, tree.children[1], &halves[1], i);
    }
    swap_halves(schedule, call, halves);
}

// ---- Reduction ----

// Segment by segment: the first child's goes where the sum is made, and the own operand is added.
static void reduce_along(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                         struct tree tree)
{
    struct part whole = part_of(0, call->size, call->segment);
    struct mpi_place own = {BUFFER_SEND, 0}, arrived = {BUFFER_TEMPORARY, 0},
                     sum = tree.parent < 0 ? call->to : mpi_place(BUFFER_TEMPORARY, whole.segment);
    if (tree.count == 0 && tree.parent < 0)
        mpi_schedule_copy(schedule, own, sum, call->size);
    for (int i = 0; i < whole.count; i++) {
        int64_t bytes = segment_bytes(&whole, i);
        struct mpi_place part = segment_place(&whole, sum, i), mine = segment_place(&whole, own, i);
        for (int child = 0; child < tree.count; child++) {
            mpi_schedule_recv(schedule, tree.children[child], child == 0 ? part : arrived, bytes);
            mpi_schedule_end_round(schedule);
            mpi_schedule_reduce(schedule, child == 0 ? mine : arrived, part, bytes);
        }
        if (tree.parent < 0)
            continue;
        mpi_schedule_send(schedule, tree.parent, tree.count > 0 ? part : mine, bytes);
        mpi_schedule_end_round(schedule);
    }
    mpi_schedule_end_round(schedule);
}

void mpi_reduce_pipeline(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    reduce_along(schedule, call, chain_of(call));
}

void mpi_reduce_binary(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    reduce_along(schedule, call, binary_of(call));
}

void mpi_reduce_binomial_in_segments(struct mpi_schedule *schedule,
                                     const struct mpi_collective_call *call)
{
    reduce_along(schedule, call, binomial_of(call));
}

// To the last rank, which sends the result to the root.
void mpi_reduce_in_order_binary(struct mpi_schedule *schedule,
                                const struct mpi_collective_call *call)
{
    struct mpi_collective_call ordered = *call;
    int last = call->ranks - 1;
    ordered.root = last;
    if (call->root != last)
        ordered.to = mpi_place(BUFFER_TEMPORARY, call->size);
    reduce_along(schedule, &ordered, in_order_of(call));
    if (call->root == last)
        return;
    if (call->rank == last)
        mpi_schedule_send(schedule, call->root, ordered.to, call->size);
    else if (call->rank == call->root)
        mpi_schedule_recv(schedule, last, call->to, call->size);
    mpi_schedule_end_round(schedule);
}

// ---- Open MPI's choices: coll_tuned_decision_fixed.c of 2006 ----

static void in_segments(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                        mpi_algorithm_fn *algorithm, int64_t segment)
{
    struct mpi_collective_call cut = *call;
    cut.segment = segment;
    algorithm(schedule, &cut);
}

// A line of ranks by bytes.
static double line(const struct mpi_collective_call *call, double slope, double begin)
{
    return slope * (double)call->size + begin;
}

void mpi_bcast_segmented(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    int ranks = call->ranks;
    if (call->size < 2048)
        mpi_bcast_binomial(schedule, call);
    else if (call->size < 370728)
        in_segments(schedule, call, mpi_bcast_split_binary, 1 << 10);
    else if (ranks < line(call, 1.6134e-6, 2.1102))
        in_segments(schedule, call, mpi_bcast_pipeline, 128 << 10);
    else if (ranks < 13)
        in_segments(schedule, call, mpi_bcast_split_binary, 8 << 10);
    else if (ranks < line(call, 2.3679e-6, 1.1787))
        in_segments(schedule, call, mpi_bcast_pipeline, 64 << 10);
    else if (ranks < line(call, 3.2118e-6, 8.7936))
        in_segments(schedule, call, mpi_bcast_pipeline, 16 << 10);
    else
        in_segments(schedule, call, mpi_bcast_pipeline, 8 << 10);
}

void mpi_reduce_segmented(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    int ranks = call->ranks;
    if ((ranks < 20 && call->size < 512) || (ranks < 10 && call->size <= 1024))
        mpi_reduce_linear(schedule, call);
    else if (ranks < 8 && call->size < 20480)
        mpi_reduce_binomial(schedule, call);
    else if (call->size < 2048)
        in_segments(schedule, call, mpi_reduce_binary, 0);
    else if (ranks > line(call, 0.6016 / 1024, 1.3496))
        in_segments(schedule, call, mpi_reduce_binary, 1 << 10);
    else if (ranks > line(call, 0.0410 / 1024, 9.7128))
        in_segments(schedule, call, mpi_reduce_pipeline, 1 << 10);
    else if (ranks > line(call, 0.0422 / 1024, 1.1614) || ranks > line(call, 0.0033 / 1024, 1.6761))
        in_segments(schedule, call, mpi_reduce_pipeline, 32 << 10);
    else
        in_segments(schedule, call, mpi_reduce_pipeline, 64 << 10);
}
