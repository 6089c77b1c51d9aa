// SPDX-License-Identifier: GPL-3.0-or-later
// Reductions whose result is spread over the ranks (MPI_Reduce_scatter), and those that begin with
// one, as Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
// MPICH", IJHPCA 19 (2005), describe them.
//
// Not modelled: operations that do not commute; elements, so that a message is cut at any byte.
#include "sim/mpi/algorithm.h"

// Step i: the operand of the rank i above goes there, that for this rank comes from the rank i
// below (MPICH2 for long messages).
void mpi_reduce_scatter_pairwise(struct mpi_schedule *schedule,
                                 const struct mpi_collective_call *call)
{
    struct mpi_blocks blocks = mpi_blocks_of(schedule, call, call->blocks, BUFFER_SEND, 0);
    struct mpi_place sum = {BUFFER_RECEIVE, 0}, operand = {BUFFER_TEMPORARY, 0};
    int64_t own = mpi_block_bytes(&blocks, call->rank, 1);
    mpi_schedule_copy(schedule, mpi_block_place(&blocks, call->rank), sum, own);
    for (int i = 1; i < call->ranks; i++) {
        int to = (call->rank + i) % call->ranks,
            from = (call->rank - i + call->ranks) % call->ranks;
        mpi_sendrecv(schedule, to, mpi_block_place(&blocks, to), mpi_block_bytes(&blocks, to, 1),
                     from, operand, own);
        mpi_schedule_reduce(schedule, operand, sum, own);
    }
    mpi_schedule_end_round(schedule);
}

// ---- Pairs of ranks of which one acts ----

void mpi_fold_in(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                 const struct mpi_fold *fold, struct mpi_place sum, struct mpi_place operand,
                 int64_t size)
{
    int neighbour = call->rank ^ 1;
    if (!mpi_fold_paired(fold, call->rank))
        return;
    if (fold->place < 0) {
        mpi_schedule_send(schedule, neighbour, sum, size);
        mpi_schedule_end_round(schedule);
        return;
    }
    mpi_schedule_recv(schedule, neighbour, operand, size);
    mpi_schedule_end_round(schedule);
    mpi_schedule_reduce(schedule, operand, sum, size);
}

void mpi_fold_out(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                  const struct mpi_fold *fold, struct mpi_place sum, int64_t size)
{
    if (mpi_fold_paired(fold, call->rank) && fold->place >= 0)
        mpi_schedule_send(schedule, call->rank ^ 1, sum, size);
    else if (fold->place < 0)
        mpi_schedule_recv(schedule, call->rank ^ 1, sum, size);
    mpi_schedule_end_round(schedule);
}

// ---- Recursive halving ----

// A message to be halved, in as many pieces as a fold has places. Both buffers have the whole
// message; pieces keep their offsets.
struct halving {
    struct mpi_fold fold;
    struct mpi_place sum, operand;   // summed up so far; what arrives
    const struct mpi_blocks *blocks; // a piece: the blocks of the ranks of a place; NULL: equal
                                     // ones
    int64_t size;
    int first, count; // the pieces that this rank has left
};

// The last of equal pieces has the remainder, too.
static int64_t piece_start(const struct halving *halving, int piece)
{
    const struct mpi_fold *fold = &halving->fold;
    if (halving->blocks)
        return mpi_block_start(halving->blocks,
                               piece < fold->surplus ? 2 * piece : piece + fold->surplus);
    return piece == fold->power ? halving->size : piece * (halving->size / fold->power);
}

static int64_t piece_bytes(const struct halving *halving, int first, int count)
{
    return piece_start(halving, first + count) - piece_start(halving, first);
}

static struct mpi_place piece_place(const struct halving *halving, struct mpi_place whole,
                                    int first)
{
    return mpi_place(whole.buffer, whole.offset + piece_start(halving, first));
}

// Sends `count` pieces from `mine` on, and receives as many from `theirs` on; empty ones are left
// out.
static void exchange_pieces(struct mpi_schedule *schedule, const struct halving *halving, int peer,
                            int mine, struct mpi_place into, int theirs, int count)
{
    int64_t sent = piece_bytes(halving, mine, count), got = piece_bytes(halving, theirs, count);
    if (got > 0)
        mpi_schedule_recv(schedule, peer, piece_place(halving, into, theirs), got);
    if (sent > 0)
        mpi_schedule_send(schedule, peer, piece_place(halving, halving->sum, mine), sent);
    mpi_schedule_end_round(schedule);
}

// In each step a pair of ranks shares the pieces that both have left: each sums up one half of
// them. near: neighbours first, so that the distance doubles; else the farthest, and each rank ends
// with the piece of its place.
static void halve(struct mpi_schedule *schedule, struct halving *halving, bool near)
{
    const struct mpi_fold *fold = &halving->fold;
    halving->first = 0;
    halving->count = fold->power;
    while (halving->count > 1) {
        int distance = near ? fold->power / halving->count : halving->count / 2;
        int half = halving->count /= 2, upper = halving->first + half;
        bool below = !(fold->place & distance);
        int mine = below ? halving->first : upper, theirs = below ? upper : halving->first;
        exchange_pieces(schedule, halving, mpi_fold_rank(fold, fold->place ^ distance), theirs,
                        halving->operand, mine, half);
        mpi_schedule_reduce(schedule, piece_place(halving, halving->operand, mine),
                            piece_place(halving, halving->sum, mine),
                            piece_bytes(halving, mine, half));
        halving->first = mine;
    }
}

// Recursive halving from the farthest rank on; odd ranks act for their neighbours among a number
// that is no power of two (MPICH2 up to long messages).
void mpi_reduce_scatter_recursive_halving(struct mpi_schedule *schedule,
                                          const struct mpi_collective_call *call)
{
    struct mpi_blocks blocks = mpi_blocks_of(schedule, call, call->blocks, BUFFER_TEMPORARY, 0);
    struct mpi_place result = {BUFFER_RECEIVE, 0};
    int64_t size = mpi_block_bytes(&blocks, 0, call->ranks);
    int64_t own = mpi_block_bytes(&blocks, call->rank, 1);
    struct halving halving = {.fold = mpi_fold_of(call, 1),
                              .sum = {BUFFER_TEMPORARY, 0},
                              .operand = {BUFFER_TEMPORARY, size},
                              .blocks = &blocks,
                              .size = size};
    if (size == 0)
        return;
    int neighbour = call->rank ^ 1;
    bool acts = halving.fold.place >= 0, paired = mpi_fold_paired(&halving.fold, call->rank);
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, 0), halving.sum, size);
    mpi_fold_in(schedule, call, &halving.fold, halving.sum, halving.operand, size);
    if (acts) {
        halve(schedule, &halving, false);
        mpi_schedule_copy(schedule, mpi_block_place(&blocks, call->rank), result, own);
    }
    int64_t theirs = acts && paired ? mpi_block_bytes(&blocks, neighbour, 1) : 0;
    if (theirs > 0)
        mpi_schedule_send(schedule, neighbour, mpi_block_place(&blocks, neighbour), theirs);
    if (!acts && own > 0)
        mpi_schedule_recv(schedule, neighbour, result, own);
    mpi_schedule_end_round(schedule);
}

// ---- Recursive doubling ----

// All blocks but `count` of them from `first` on, packed: two runs of bytes.
struct runs {
    int64_t head, gap, tail;
};

static struct runs runs_without(const struct mpi_blocks *blocks, int ranks, int first, int count)
{
    int64_t head = mpi_block_start(blocks, MIN(first, ranks)),
            gap = mpi_block_bytes(blocks, MIN(first, ranks), MIN(count, ranks - MIN(first, ranks)));
    return (struct runs){head, gap, mpi_block_start(blocks, ranks) - head - gap};
}

// Packs the runs of `whole` into `packed`.
static void pack(struct mpi_schedule *schedule, const struct runs *runs, struct mpi_place whole,
                 struct mpi_place packed)
{
    struct mpi_place tail = mpi_place(whole.buffer, whole.offset + runs->head + runs->gap);
    mpi_schedule_copy(schedule, whole, packed, runs->head);
    mpi_schedule_copy(schedule, tail, mpi_place(packed.buffer, packed.offset + runs->head),
                      runs->tail);
}

static void reduce_runs(struct mpi_schedule *schedule, const struct runs *runs,
                        struct mpi_place packed, struct mpi_place whole)
{
    struct mpi_place tail = mpi_place(whole.buffer, whole.offset + runs->head + runs->gap);
    mpi_schedule_reduce(schedule, packed, whole, runs->head);
    mpi_schedule_reduce(schedule, mpi_place(packed.buffer, packed.offset + runs->head), tail,
                        runs->tail);
}

// Groups of ranks that double exchange their sums, but for the blocks that the sender's group keeps
// to itself (MPICH 1.2.5 for short messages).
void mpi_reduce_scatter_recursive_doubling(struct mpi_schedule *schedule,
                                           const struct mpi_collective_call *call)
{
    struct mpi_blocks blocks = mpi_blocks_of(schedule, call, call->blocks, BUFFER_TEMPORARY, 0);
    int64_t size = mpi_block_bytes(&blocks, 0, call->ranks);
    struct mpi_place sum = {BUFFER_TEMPORARY, 0}, packed = {BUFFER_TEMPORARY, size},
                     arrived = {BUFFER_TEMPORARY, 2 * size};
    struct mpi_collective_call all = *call;
    all.root = 0;
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, 0), sum, size);
    for (int bit = 1; bit < call->ranks; bit <<= 1) {
        int partner = call->rank ^ bit, mine = call->rank & ~(bit - 1), theirs = mine ^ bit;
        struct runs sent = runs_without(&blocks, call->ranks, mine, bit),
                    got = runs_without(&blocks, call->ranks, theirs, bit);
        if (partner < call->ranks) {
            pack(schedule, &sent, sum, packed);
            mpi_sendrecv(schedule, partner, packed, sent.head + sent.tail, partner, arrived,
                         got.head + got.tail);
        }
        mpi_spread(schedule, &all, bit, arrived, got.head + got.tail);
        if (theirs < call->ranks)
            reduce_runs(schedule, &got, arrived, sum);
    }
    mpi_schedule_copy(schedule, mpi_block_place(&blocks, call->rank), mpi_place(BUFFER_RECEIVE, 0),
                      mpi_block_bytes(&blocks, call->rank, 1));
    mpi_schedule_end_round(schedule);
}

// ---- Ring ----

// Block i goes once round, from the rank above i to i, and each rank adds its operand (Open MPI for
// long messages).
void mpi_reduce_scatter_ring(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct mpi_blocks blocks = mpi_blocks_of(schedule, call, call->blocks, BUFFER_TEMPORARY, 0);
    int rank = call->rank, ranks = call->ranks, left = (rank + ranks - 1) % ranks,
        right = (rank + 1) % ranks;
    int64_t size = mpi_block_bytes(&blocks, 0, ranks);
    struct mpi_place operand = {BUFFER_TEMPORARY, size};
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, 0), mpi_place(BUFFER_TEMPORARY, 0), size);
    for (int step = 1; step < ranks; step++) {
        int sent = (rank - step + ranks) % ranks, received = (sent + ranks - 1) % ranks;
        int64_t bytes = mpi_block_bytes(&blocks, received, 1);
        mpi_sendrecv(schedule, right, mpi_block_place(&blocks, sent),
                     mpi_block_bytes(&blocks, sent, 1), left, operand, bytes);
        mpi_schedule_reduce(schedule, operand, mpi_block_place(&blocks, received), bytes);
    }
    mpi_schedule_copy(schedule, mpi_block_place(&blocks, rank), mpi_place(BUFFER_RECEIVE, 0),
                      mpi_block_bytes(&blocks, rank, 1));
    mpi_schedule_end_round(schedule);
}

// ---- Butterfly ----

// The place whose number has the bits of this one in the opposite order.
static int mirrored_place(const struct mpi_fold *fold, int place)
{
    int mirrored = 0;
    for (int bit = 1; bit < fold->power; bit <<= 1)
        mirrored = mirrored << 1 | (place & bit ? 1 : 0);
    return mirrored;
}

// The rank at the place that has summed up the piece sends its blocks to the rank that acts there
// and its neighbour, and gets its own from the former.
static void butterfly_return(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                             const struct halving *halving)
{
    const struct mpi_fold *fold = &halving->fold;
    const struct mpi_blocks *blocks = halving->blocks;
    struct mpi_place result = {BUFFER_RECEIVE, 0};
    int peer = mpi_fold_rank(fold, halving->first), neighbour = peer ^ 1;
    int64_t own = mpi_block_bytes(blocks, call->rank, 1), theirs = mpi_block_bytes(blocks, peer, 1),
            third = mpi_fold_paired(fold, peer) ? mpi_block_bytes(blocks, neighbour, 1) : 0;
    if (third > 0) {
        mpi_schedule_send(schedule, neighbour, mpi_block_place(blocks, neighbour), third);
        mpi_schedule_end_round(schedule);
    }
    if (peer == call->rank)
        mpi_schedule_copy(schedule, mpi_block_place(blocks, peer), result, own);
    else if (own > 0)
        mpi_schedule_recv(schedule, peer, result, own);
    if (peer != call->rank && theirs > 0)
        mpi_schedule_send(schedule, peer, mpi_block_place(blocks, peer), theirs);
    mpi_schedule_end_round(schedule);
}

// Recursive halving from the nearest rank on, after which pieces are in the order of mirrored
// numbers and change places; odd ranks act for their neighbours (Traff, EuroPVM/MPI 2005; Open
// MPI).
void mpi_reduce_scatter_butterfly(struct mpi_schedule *schedule,
                                  const struct mpi_collective_call *call)
{
    struct mpi_blocks blocks = mpi_blocks_of(schedule, call, call->blocks, BUFFER_TEMPORARY, 0);
    int64_t size = mpi_block_bytes(&blocks, 0, call->ranks),
            own = mpi_block_bytes(&blocks, call->rank, 1);
    struct halving halving = {.fold = mpi_fold_of(call, 1),
                              .sum = {BUFFER_TEMPORARY, 0},
                              .operand = {BUFFER_TEMPORARY, size},
                              .blocks = &blocks,
                              .size = size};
    const struct mpi_fold *fold = &halving.fold;
    if (size == 0)
        return;
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, 0), halving.sum, size);
    mpi_fold_in(schedule, call, fold, halving.sum, halving.operand, size);
    if (fold->place >= 0) {
        halve(schedule, &halving, true);
        butterfly_return(schedule, call, &halving);
    } else if (own > 0) {
        mpi_schedule_recv(schedule, mpi_fold_rank(fold, mirrored_place(fold, call->rank / 2)),
                          mpi_place(BUFFER_RECEIVE, 0), own);
    }
    mpi_schedule_end_round(schedule);
}

// ---- Rabenseifner's reductions ----

// Like mpi_fold_in for pairs of which the even rank acts: each of a pair sums up one half of the
// message, and the odd one sends its half to the other.
static void fold_in_halves(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                           const struct halving *halving)
{
    const struct mpi_fold *fold = &halving->fold;
    int64_t lower = call->size / 2, upper = call->size - lower;
    struct mpi_place sum = halving->sum, operand = halving->operand,
                     upper_sum = mpi_place(sum.buffer, sum.offset + lower),
                     upper_operand = mpi_place(operand.buffer, operand.offset + lower);
    int neighbour = call->rank ^ 1;
    if (!mpi_fold_paired(fold, call->rank))
        return;
    if (fold->place >= 0) {
        mpi_sendrecv(schedule, neighbour, upper_sum, upper, neighbour, operand, lower);
        mpi_schedule_reduce(schedule, operand, sum, lower);
        mpi_schedule_recv(schedule, neighbour, upper_sum, upper);
    } else {
        mpi_sendrecv(schedule, neighbour, sum, lower, neighbour, upper_operand, upper);
        mpi_schedule_reduce(schedule, upper_operand, upper_sum, upper);
        mpi_schedule_send(schedule, neighbour, upper_sum, upper);
    }
    mpi_schedule_end_round(schedule);
}

static struct halving rabenseifner_begin(struct mpi_schedule *schedule,
                                         const struct mpi_collective_call *call, int keeps,
                                         bool halves, struct mpi_place sum)
{
    struct halving halving = {.fold = mpi_fold_of(call, keeps),
                              .sum = sum,
                              .operand = {BUFFER_TEMPORARY, 0},
                              .size = call->size};
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, 0), sum, call->size);
    if (halves)
        fold_in_halves(schedule, call, &halving);
    else
        mpi_fold_in(schedule, call, &halving.fold, sum, halving.operand, call->size);
    if (halving.fold.place >= 0)
        halve(schedule, &halving, true);
    return halving;
}

// Returns the first piece of the partner's half, of the last step that is not undone.
static int other_half(const struct halving *halving, int distance)
{
    return halving->fold.place & distance ? halving->first - halving->count
                                          : halving->first + halving->count;
}

static void join(struct halving *halving, int theirs)
{
    halving->first = MIN(halving->first, theirs);
    halving->count *= 2;
}

static void rabenseifner_everywhere(struct mpi_schedule *schedule,
                                    const struct mpi_collective_call *call, int keeps, bool halves)
{
    struct mpi_place sum = {BUFFER_RECEIVE, 0};
    struct halving halving = rabenseifner_begin(schedule, call, keeps, halves, sum);
    const struct mpi_fold *fold = &halving.fold;
    for (int distance = fold->power / 2; fold->place >= 0 && distance > 0; distance /= 2) {
        int theirs = other_half(&halving, distance);
        exchange_pieces(schedule, &halving, mpi_fold_rank(fold, fold->place ^ distance),
                        halving.first, sum, theirs, halving.count);
        join(&halving, theirs);
    }
    mpi_fold_out(schedule, call, fold, sum, call->size);
}

// Halving, and all steps back with the sums (MPICH2 for long messages).
void mpi_allreduce_rabenseifner(struct mpi_schedule *schedule,
                                const struct mpi_collective_call *call)
{
    rabenseifner_everywhere(schedule, call, 1, false);
}

// Like mpi_allreduce_rabenseifner, but pairs share the work of their fold (Open MPI for long
// messages).
void mpi_allreduce_rabenseifner_halves(struct mpi_schedule *schedule,
                                       const struct mpi_collective_call *call)
{
    rabenseifner_everywhere(schedule, call, 0, true);
}

// The steps back towards the root: of a pair, the one on the root's side gets the pieces of the
// other. root: its place, at which the rank `acting` is.
static void gather_pieces(struct mpi_schedule *schedule, struct halving *halving, int root,
                          int acting)
{
    const struct mpi_fold *fold = &halving->fold;
    for (int distance = fold->power / 2; distance > 0; distance /= 2) {
        int partner = fold->place ^ distance, theirs = other_half(halving, distance);
        int peer = partner == root ? acting : mpi_fold_rank(fold, partner);
        int64_t got = piece_bytes(halving, theirs, halving->count),
                sent = piece_bytes(halving, halving->first, halving->count);
        if ((partner & distance) == (root & distance)) {
            if (sent > 0)
                mpi_schedule_send(schedule, peer,
                                  piece_place(halving, halving->sum, halving->first), sent);
            mpi_schedule_end_round(schedule);
            return;
        }
        if (got > 0)
            mpi_schedule_recv(schedule, peer, piece_place(halving, halving->sum, theirs), got);
        mpi_schedule_end_round(schedule);
        join(halving, theirs);
    }
}

// Even ranks act for their neighbours; a root that does not takes over from rank 0 before the
// gather.
static void rabenseifner_to_root(struct mpi_schedule *schedule,
                                 const struct mpi_collective_call *call, bool halves)
{
    bool is_root = call->rank == call->root;
    struct halving halving = rabenseifner_begin(
        schedule, call, 0, halves, is_root ? call->to : mpi_place(BUFFER_TEMPORARY, call->size));
    struct mpi_fold *fold = &halving.fold;
    int root = call->root >= 2 * fold->surplus ? call->root - fold->surplus : call->root / 2;
    if (mpi_fold_paired(fold, call->root) && call->root % 2 == 1) {
        root = 0;
        int64_t first = piece_bytes(&halving, 0, 1);
        if (is_root) {
            if (first > 0)
                mpi_schedule_recv(schedule, 0, halving.sum, first);
            fold->place = 0;
            halving.first = 0;
            halving.count = 1;
        } else if (fold->place == 0) {
            if (first > 0)
                mpi_schedule_send(schedule, call->root, halving.sum, first);
            fold->place = -1;
        }
        mpi_schedule_end_round(schedule);
    }
    if (fold->place >= 0)
        gather_pieces(schedule, &halving, root, call->root);
    mpi_schedule_end_round(schedule);
}

// Halving, and a gather to the root (MPICH2 for long messages).
void mpi_reduce_rabenseifner(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    rabenseifner_to_root(schedule, call, false);
}

// Like mpi_reduce_rabenseifner, but pairs share the work of their fold (Open MPI).
void mpi_reduce_rabenseifner_halves(struct mpi_schedule *schedule,
                                    const struct mpi_collective_call *call)
{
    rabenseifner_to_root(schedule, call, true);
}
