// SPDX-License-Identifier: GPL-3.0-or-later
// The schedules of collectives, run abstractly: ranks take turns at random, each byte knows whose
// operands are in it and where it stood, and at the end every byte must be where MPI puts it. Sends
// wait for their receive (nothing may rely on buffering) or do not, and data sent must not
// change before their round has ended.
#include "sim/core/random.h"
#include "sim/mpi/collective.h"
#include "tests/support/suite.h"

#include <string.h>

#define MOST_RANKS 33
#define MOST_SIZE 24

// A byte: the ranks whose operand is in it (a bit each), and its place in their send buffer,
// from 1.
struct cell {
    uint64_t ranks;
    int place;
};

struct message {
    struct cell *cells;
    int64_t size;
    const struct cell *source; // which must stay as it was sent
};

struct rank {
    struct mpi_schedule schedule;
    struct cell *buffers[BUFFER_KINDS];
    int64_t cells[BUFFER_KINDS];
    guint begun, round; // steps before `begun` are started; the round under way begins at `round`
    bool left;
};

struct play {
    enum mpi_collective collective;
    int ranks, root;
    int64_t size;
    bool uneven; // blocks that may differ do
    struct rank rank[MOST_RANKS];
    // Between each pair: what was sent, how many receives were started, and how many are done.
    GArray *sent[MOST_RANKS][MOST_RANKS]; // struct message
    guint wanted[MOST_RANKS][MOST_RANKS], taken[MOST_RANKS][MOST_RANKS];
};

static const struct mpi_step *step_at(const struct rank *rank, guint number)
{
    return &g_array_index(rank->schedule.steps, struct mpi_step, number);
}

// ---- Blocks ----

// Bytes that go from one rank to another in an alltoallv; of one rank's block in the others (either
// rank -1). Some are empty.
static int64_t block_bytes(const struct play *play, int from, int to)
{
    bool pair = play->collective == COLLECTIVE_ALLTOALLV;
    int which = pair ? 3 * from + 5 * to : MAX(from, to);
    return play->uneven ? (which * 7 + 2) % 5 * play->size / 3 : play->size;
}

// Where the block to (or of) a rank begins in a buffer of one for each.
static int64_t sent_start(const struct play *play, int from, int to)
{
    int64_t start = 0;
    for (int i = 0; i < to; i++)
        start += block_bytes(play, from, i);
    return start;
}

static int64_t received_start(const struct play *play, int from, int to)
{
    int64_t start = 0;
    for (int i = 0; i < from; i++)
        start += block_bytes(play, i, to);
    return start;
}

// ---- Setting up ----

static void rank_build(struct play *play, int number, const struct mpi_library_config *library)
{
    struct rank *rank = &play->rank[number];
    struct mpi_process process = {.rank = number, .ranks = play->ranks, .library = library};
    mpi_schedule_init(&rank->schedule);
    int64_t blocks[MOST_RANKS], receive_blocks[MOST_RANKS];
    struct mpi_collective_sizes sizes = {.size = play->size};
    for (int peer = 0; peer < play->ranks; peer++) {
        blocks[peer] = block_bytes(play, number, peer);
        receive_blocks[peer] = block_bytes(play, peer, number);
        // Of gatherv and scatterv only the root knows the blocks of others.
        bool unknown =
            play->collective == COLLECTIVE_GATHERV || play->collective == COLLECTIVE_SCATTERV;
        if (play->collective != COLLECTIVE_ALLTOALLV)
            blocks[peer] = unknown && number != play->root && number != peer
                               ? INT64_MIN
                               : block_bytes(play, -1, peer);
    }
    if (play->uneven) {
        sizes.blocks = blocks;
        sizes.receive_blocks = receive_blocks;
    }
    mpi_collective_build_sized(&rank->schedule, &process, NULL, play->collective, play->root,
                               &sizes);
    rank->cells[BUFFER_SEND] =
        mpi_collective_send_bytes_sized(play->collective, number, play->ranks, play->root, &sizes);
    rank->cells[BUFFER_RECEIVE] = mpi_collective_receive_bytes_sized(
        play->collective, number, play->ranks, play->root, &sizes);
    rank->cells[BUFFER_TEMPORARY] = rank->schedule.temporary;
    for (int i = 0; i < BUFFER_KINDS; i++)
        rank->buffers[i] = g_new0(struct cell, rank->cells[i] + 1);
    bool has_data = play->collective != COLLECTIVE_BCAST &&
                    play->collective != COLLECTIVE_SCATTER &&
                    play->collective != COLLECTIVE_SCATTERV;
    for (int64_t i = 0; (has_data || number == play->root) && i < rank->cells[BUFFER_SEND]; i++)
        rank->buffers[BUFFER_SEND][i] = (struct cell){UINT64_C(1) << number, (int)i + 1};
}

static struct play *play_new(const struct mpi_library_config *library,
                             enum mpi_collective collective, int ranks, int root, int64_t size,
                             bool uneven)
{
    struct play *play = g_new0(struct play, 1);
    *play = (struct play){
        .collective = collective, .ranks = ranks, .root = root, .size = size, .uneven = uneven};
    for (int i = 0; i < ranks; i++) {
        rank_build(play, i, library);
        for (int peer = 0; peer < ranks; peer++)
            play->sent[i][peer] = g_array_new(FALSE, TRUE, sizeof(struct message));
    }
    return play;
}

static void play_free(struct play *play)
{
    for (int i = 0; i < play->ranks; i++) {
        mpi_schedule_clear(&play->rank[i].schedule);
        for (int k = 0; k < BUFFER_KINDS; k++)
            g_free(play->rank[i].buffers[k]);
        for (int peer = 0; peer < play->ranks; peer++) {
            for (guint k = 0; k < play->sent[i][peer]->len; k++)
                g_free(g_array_index(play->sent[i][peer], struct message, k).cells);
            g_array_free(play->sent[i][peer], TRUE);
        }
    }
    g_free(play);
}

// ---- Running ----

static struct cell *cells_at(struct rank *rank, struct mpi_place place, int64_t size)
{
    CU_ASSERT_FATAL(place.offset >= 0 && place.offset + size <= rank->cells[place.buffer]);
    return rank->buffers[place.buffer] + place.offset;
}

static void local_step(struct rank *rank, const struct mpi_step *step)
{
    const struct cell *from = cells_at(rank, step->from, step->size);
    struct cell *to = cells_at(rank, step->to, step->size);
    for (int64_t i = 0; i < step->size; i++) {
        if (step->kind == STEP_COPY) {
            to[i] = from[i];
            continue;
        }
        // Each operand once, and like with like.
        CU_ASSERT((to[i].ranks & from[i].ranks) == 0);
        CU_ASSERT_EQUAL(to[i].place, from[i].place);
        to[i].ranks |= from[i].ranks;
    }
}

static void start_step(struct play *play, int number, const struct mpi_step *step)
{
    struct rank *rank = &play->rank[number];
    switch (step->kind) {
    case STEP_SEND: {
        struct cell *from = cells_at(rank, step->from, step->size);
        struct message message = {g_memdup2(from, sizeof *from * (gsize)step->size), step->size,
                                  from};
        g_array_append_val(play->sent[number][step->peer], message);
        break;
    }
    case STEP_RECV:
        play->wanted[number][step->peer]++;
        break;
    case STEP_COPY:
    case STEP_REDUCE:
        local_step(rank, step);
        break;
    }
}

static void enter_round(struct play *play, int number)
{
    struct rank *rank = &play->rank[number];
    const struct mpi_step *step;
    rank->round = rank->begun;
    do {
        step = step_at(rank, rank->begun++);
        start_step(play, number, step);
    } while (!step->ends_round);
}

// Whether the messages that the round waits for have been sent, and, unless the library buffers,
// its sends have met their receives.
static bool round_over(const struct play *play, int number, bool eager)
{
    for (int peer = 0; peer < play->ranks; peer++) {
        if (play->sent[peer][number]->len < play->wanted[number][peer])
            return false;
        if (!eager && play->wanted[peer][number] < play->sent[number][peer]->len)
            return false;
    }
    return true;
}

static void take_message(struct play *play, int number, const struct mpi_step *step)
{
    struct cell *to = cells_at(&play->rank[number], step->to, step->size);
    const struct message *message = &g_array_index(play->sent[step->peer][number], struct message,
                                                   play->taken[number][step->peer]++);
    SUITE_SAME_INTEGER(message->size, step->size);
    for (int64_t i = 0; i < MIN(step->size, message->size); i++)
        to[i] = message->cells[i];
}

// Messages arrive, and what this round has sent is still what it was.
static void end_round(struct play *play, int number)
{
    const struct rank *rank = &play->rank[number];
    guint sent[MOST_RANKS] = {0};
    for (guint k = rank->begun; k-- > rank->round;) {
        const struct mpi_step *step = step_at(rank, k);
        if (step->kind != STEP_SEND)
            continue;
        const GArray *messages = play->sent[number][step->peer];
        const struct message *message =
            &g_array_index(messages, struct message, messages->len - ++sent[step->peer]);
        CU_ASSERT(message->size == 0 ||
                  memcmp(message->cells, message->source,
                         sizeof *message->cells * (size_t)message->size) == 0);
    }
    for (guint k = rank->round; k < rank->begun; k++)
        if (step_at(rank, k)->kind == STEP_RECV)
            take_message(play, number, step_at(rank, k));
}

static bool all_entered(const struct play *play)
{
    for (int i = 0; i < play->ranks; i++)
        if (play->rank[i].schedule.steps->len > 0 && play->rank[i].begun == 0)
            return false;
    return true;
}

// Runs the schedules to their end. From a barrier no rank may leave before all have entered.
static void play_run(struct play *play, struct random_stream *random, bool eager)
{
    int left = 0, idle = 0;
    while (left < play->ranks && idle < 100000) {
        int number = (int)random_below(random, (uint64_t)play->ranks);
        struct rank *rank = &play->rank[number];
        idle++;
        if (rank->left || !round_over(play, number, eager))
            continue;
        idle = 0;
        end_round(play, number);
        if (rank->begun < rank->schedule.steps->len) {
            enter_round(play, number);
            continue;
        }
        rank->round = rank->begun;
        rank->left = true;
        left++;
        if (play->collective == COLLECTIVE_BARRIER)
            CU_ASSERT(all_entered(play));
    }
    // No rank hangs, and nothing is left over.
    CU_ASSERT_EQUAL(left, play->ranks);
    for (int a = 0; a < play->ranks; a++)
        for (int b = 0; b < play->ranks; b++)
            CU_ASSERT_EQUAL(play->sent[a][b]->len, play->taken[b][a]);
}

// Every step's peer is another rank, the last step ends a round, and no local step follows a
// request of its own round.
static void check_form(const struct play *play)
{
    for (int i = 0; i < play->ranks; i++) {
        const struct rank *rank = &play->rank[i];
        guint steps = rank->schedule.steps->len;
        bool requests = false;
        CU_ASSERT(steps == 0 || step_at(rank, steps - 1)->ends_round);
        for (guint k = 0; k < steps; k++) {
            const struct mpi_step *step = step_at(rank, k);
            bool request = step->kind == STEP_SEND || step->kind == STEP_RECV;
            if (request)
                CU_ASSERT(step->peer >= 0 && step->peer < play->ranks && step->peer != i);
            CU_ASSERT(request || !requests);
            CU_ASSERT(request || step->size > 0);
            requests = step->ends_round ? false : requests || request;
        }
    }
}

// ---- The results by the MPI standard ----

static void expect_cell(const struct cell *cell, uint64_t ranks, int64_t place)
{
    CU_ASSERT_EQUAL(cell->ranks, ranks);
    SUITE_SAME_INTEGER(cell->place, place + 1);
}

// One block of each rank.
static void check_blocks(const struct play *play, int number)
{
    const struct cell *got = play->rank[number].buffers[BUFFER_RECEIVE];
    bool all_to_all =
        play->collective == COLLECTIVE_ALLTOALL || play->collective == COLLECTIVE_ALLTOALLV;
    for (int peer = 0; peer < play->ranks; peer++) {
        int to = all_to_all ? number : -1;
        int64_t begins = received_start(play, peer, to),
                began = all_to_all ? sent_start(play, peer, number) : 0;
        for (int64_t i = 0; i < block_bytes(play, peer, to); i++)
            expect_cell(&got[begins + i], UINT64_C(1) << peer, began + i);
    }
}

static void check_bytes(const struct play *play, int number, enum mpi_buffer buffer, uint64_t ranks,
                        int64_t first, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i++)
        expect_cell(&play->rank[number].buffers[buffer][i], ranks, first + i);
}

static void check_message(const struct play *play, int number, enum mpi_buffer buffer,
                          uint64_t ranks)
{
    check_bytes(play, number, buffer, ranks, 0, play->size);
}

// The own block of those that follow one another in every send buffer or the root's.
static void check_own(const struct play *play, int number, uint64_t ranks)
{
    check_bytes(play, number, BUFFER_RECEIVE, ranks, sent_start(play, -1, number),
                block_bytes(play, -1, number));
}

static void check_rank(const struct play *play, int number)
{
    uint64_t all = (UINT64_C(1) << play->ranks) - 1, root = UINT64_C(1) << play->root,
             before = (UINT64_C(1) << number) - 1;
    switch (play->collective) {
    case COLLECTIVE_BARRIER:
    case COLLECTIVES:
        break;
    case COLLECTIVE_BCAST:
        check_message(play, number, BUFFER_SEND, root);
        break;
    case COLLECTIVE_REDUCE:
        if (number == play->root)
            check_message(play, number, BUFFER_RECEIVE, all);
        break;
    case COLLECTIVE_ALLREDUCE:
        check_message(play, number, BUFFER_RECEIVE, all);
        break;
    case COLLECTIVE_SCAN:
        check_message(play, number, BUFFER_RECEIVE, before | UINT64_C(1) << number);
        break;
    case COLLECTIVE_EXSCAN:
        if (number > 0) // MPI leaves rank 0's undefined
            check_message(play, number, BUFFER_RECEIVE, before);
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        check_own(play, number, all);
        break;
    case COLLECTIVE_SCATTER:
    case COLLECTIVE_SCATTERV:
        check_own(play, number, root);
        break;
    case COLLECTIVE_GATHER:
    case COLLECTIVE_GATHERV:
        if (number == play->root)
            check_blocks(play, number);
        break;
    case COLLECTIVE_ALLGATHER:
    case COLLECTIVE_ALLGATHERV:
    case COLLECTIVE_ALLTOALL:
    case COLLECTIVE_ALLTOALLV:
        check_blocks(play, number);
        break;
    }
}

static const struct {
    enum mpi_collective collective;
    const char *const *rules;
    size_t rule; // the field
    bool rooted;
} collectives[] = {
#define RULE(field) offsetof(struct mpi_library_config, field)
    {COLLECTIVE_BARRIER, mpi_barrier_rules, RULE(barrier), false},
    {COLLECTIVE_BCAST, mpi_bcast_rules, RULE(bcast), true},
    {COLLECTIVE_REDUCE, mpi_reduce_rules, RULE(reduce), true},
    {COLLECTIVE_ALLREDUCE, mpi_allreduce_rules, RULE(allreduce), false},
    {COLLECTIVE_GATHER, mpi_gather_rules, RULE(gather), true},
    {COLLECTIVE_SCATTER, mpi_scatter_rules, RULE(scatter), true},
    {COLLECTIVE_ALLGATHER, mpi_allgather_rules, RULE(allgather), false},
    {COLLECTIVE_ALLTOALL, mpi_alltoall_rules, RULE(alltoall), false},
    {COLLECTIVE_REDUCE_SCATTER, mpi_reduce_scatter_rules, RULE(reduce_scatter), false},
    {COLLECTIVE_SCAN, mpi_scan_rules, RULE(scan), false},
    {COLLECTIVE_EXSCAN, mpi_exscan_rules, RULE(exscan), false},
    {COLLECTIVE_GATHERV, mpi_gatherv_rules, RULE(gatherv), true},
    {COLLECTIVE_SCATTERV, mpi_scatterv_rules, RULE(scatterv), true},
    {COLLECTIVE_ALLGATHERV, mpi_allgatherv_rules, RULE(allgatherv), false},
    {COLLECTIVE_ALLTOALLV, mpi_alltoallv_rules, RULE(alltoallv), false},
};

static struct mpi_library_config library_with(size_t field, int rule)
{
    struct mpi_library_config library = {
        .linear_processes = 4,
        .bcast_short = 10,
        .bcast_few = 8,
        .alltoall_short = 16,
        .alltoall_medium = 64,
        .bcast_long = 20,
        .reduce_short = 10,
        .reduce_scatter_long = 40,
        .allgather_short = 20,
        .allgather_long = 40,
        .alltoall_few = 7,
        .alltoall_batch = 3,
        .element = 2,
        .allreduce_short = 4,
        .segment = 4,
        .empty_collectives_send = true,
        .empty_blocks_send = true,
    };
    *(int *)((char *)&library + field) = rule;
    return library;
}

static void check_once(const struct mpi_library_config *library, enum mpi_collective collective,
                       int ranks, int root, int64_t size, struct random_stream *random)
{
    bool uneven = mpi_collective_has_blocks(collective);
    struct mpi_library_config silent = *library;
    silent.empty_blocks_send = silent.empty_collectives_send = false;
    for (int run = 0; run < (uneven ? 8 : 4); run++) {
        bool eager = run & 1;
        struct play *play =
            play_new(run & 2 ? &silent : library, collective, ranks, root, size, run & 4);
        check_form(play);
        play_run(play, random, eager);
        for (int i = 0; i < ranks; i++)
            check_rank(play, i);
        play_free(play);
    }
}

// Every algorithm of every collective, 1 to 17 ranks, several roots, sizes that ranks do and do not
// divide.
static void test_every_algorithm(void)
{
    static const int64_t sizes[] = {0, 1, 5, MOST_SIZE};
    struct random_stream *random = random_new(9, "turns");
    for (size_t c = 0; c < G_N_ELEMENTS(collectives); c++)
        for (int rule = 0; collectives[c].rules[rule]; rule++) {
            struct mpi_library_config library = library_with(collectives[c].rule, rule);
            for (int ranks = 1; ranks <= 17; ranks++)
                for (int root = 0; root < (collectives[c].rooted ? ranks : 1);
                     root += MAX(1, ranks / 3))
                    for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++)
                        check_once(&library, collectives[c].collective, ranks, root, sizes[k],
                                   random);
        }
    random_free(random);
}

// Barriers and trees also beyond that, where more subtrees are cut off.
static void test_more_ranks(void)
{
    struct random_stream *random = random_new(10, "turns");
    for (size_t c = 0; c < G_N_ELEMENTS(collectives); c++)
        for (int rule = 0; collectives[c].rules[rule]; rule++) {
            struct mpi_library_config library = library_with(collectives[c].rule, rule);
            for (int ranks = 18; ranks <= MOST_RANKS; ranks++)
                check_once(&library, collectives[c].collective, ranks, ranks / 2, 1, random);
        }
    random_free(random);
}

// A collective that is made of two takes the library's rule for both.
static void test_halves(void)
{
    struct random_stream *random = random_new(11, "turns");
    for (int rule = 0; mpi_bcast_rules[rule]; rule++)
        for (int ranks = 1; ranks <= 9; ranks++) {
            struct mpi_library_config library = library_with(RULE(bcast), rule);
            library.reduce = library.gather = rule % 2;
            check_once(&library, COLLECTIVE_ALLREDUCE, ranks, 0, 12, random);
            check_once(&library, COLLECTIVE_ALLGATHER, ranks, 0, 3, random);
        }
    random_free(random);
}

// ---- How much they do ----

struct work {
    int messages, most_rounds; // of all ranks; of the rank with the most
    int64_t bytes;
};

static struct work work_of(enum mpi_collective collective, size_t field, const char *const *rules,
                           const char *name, int ranks, int64_t size)
{
    int rule = 0;
    while (strcmp(rules[rule], name) != 0)
        rule++;
    struct mpi_library_config library = library_with(field, rule);
    struct play *play = play_new(&library, collective, ranks, 0, size, false);
    struct work work = {0};
    for (int i = 0; i < ranks; i++) {
        int rounds = 0;
        for (guint k = 0; k < play->rank[i].schedule.steps->len; k++) {
            const struct mpi_step *step = step_at(&play->rank[i], k);
            work.messages += step->kind == STEP_SEND;
            work.bytes += step->kind == STEP_SEND ? step->size : 0;
            rounds += step->ends_round;
        }
        work.most_rounds = MAX(work.most_rounds, rounds);
    }
    play_free(play);
    return work;
}

#define WORK(collective, field, name, ranks, size)                                                 \
    work_of(collective, RULE(field), mpi_##field##_rules, name, ranks, size)

static void expect_work(struct work work, int messages, int rounds, int64_t bytes)
{
    SUITE_SAME_INTEGER(work.messages, messages);
    SUITE_SAME_INTEGER(work.most_rounds, rounds);
    SUITE_SAME_INTEGER(work.bytes, bytes);
}

// Numbers of messages, rounds and bytes by their closed forms, for p = 2^d ranks and n bytes.
static void test_closed_forms(void)
{
    for (int d = 1; d <= 5; d++) {
        int p = 1 << d;
        int64_t n = 32;
        expect_work(WORK(COLLECTIVE_BARRIER, barrier, "linear", p, 0), 2 * (p - 1), 2, 0);
        expect_work(WORK(COLLECTIVE_BARRIER, barrier, "binomial", p, 0), 2 * (p - 1), 2 * d, 0);
        expect_work(WORK(COLLECTIVE_BARRIER, barrier, "recursive_doubling", p, 0), p * d, d, 0);
        expect_work(WORK(COLLECTIVE_BCAST, bcast, "linear", p, n), p - 1, 1, (p - 1) * n);
        expect_work(WORK(COLLECTIVE_BCAST, bcast, "binomial", p, n), p - 1, d, (p - 1) * n);
        // The scatter moves half of the message in each step of the tree, the allgather all but
        // one's own block to each rank.
        expect_work(WORK(COLLECTIVE_BCAST, bcast, "scatter_allgather", p, n), p - 1 + p * d, 2 * d,
                    n / 2 * d + (p - 1) * n);
        expect_work(WORK(COLLECTIVE_REDUCE, reduce, "binomial", p, n), p - 1, d + 1, (p - 1) * n);
        expect_work(WORK(COLLECTIVE_REDUCE, reduce, "linear", p, n), p - 1, p, (p - 1) * n);
        expect_work(WORK(COLLECTIVE_GATHER, gather, "linear", p, n), p - 1, p - 1, (p - 1) * n);
        expect_work(WORK(COLLECTIVE_GATHER, gather, "binomial", p, n), p - 1, d, n * p / 2 * d);
        expect_work(WORK(COLLECTIVE_SCATTER, scatter, "binomial", p, n), p - 1, d + 1,
                    n * p / 2 * d);
        expect_work(WORK(COLLECTIVE_ALLGATHER, allgather, "ring", p, n), p * (p - 1), p - 1,
                    p * (p - 1) * n);
        expect_work(WORK(COLLECTIVE_ALLGATHER, allgather, "recursive_doubling", p, n), p * d, d,
                    p * (p - 1) * n);
        expect_work(WORK(COLLECTIVE_ALLREDUCE, allreduce, "recursive_doubling", p, n), p * d, d + 1,
                    p * d * n);
        expect_work(WORK(COLLECTIVE_ALLTOALL, alltoall, "linear", p, n), p * (p - 1), 1,
                    p * (p - 1) * n);
        expect_work(WORK(COLLECTIVE_ALLTOALL, alltoall, "pairwise", p, n), p * (p - 1), p - 1,
                    p * (p - 1) * n);
        expect_work(WORK(COLLECTIVE_ALLTOALL, alltoall, "scattered", p, n), p * (p - 1), 1,
                    p * (p - 1) * n);
        expect_work(WORK(COLLECTIVE_ALLTOALL, alltoall, "scattered_batches", p, n), p * (p - 1),
                    (p + 2) / 3, p * (p - 1) * n);
        expect_work(WORK(COLLECTIVE_GATHER, gather, "linear_sync", p, n), 3 * (p - 1),
                    MAX(p - 1, 3), (p - 1) * n);
        expect_work(WORK(COLLECTIVE_SCATTER, scatter, "linear_at_once", p, n), p - 1, 1,
                    (p - 1) * n);
        expect_work(WORK(COLLECTIVE_REDUCE_SCATTER, reduce_scatter, "ring", p, n), p * (p - 1), p,
                    p * (p - 1) * n);
        // Blocks whose places are their own mirrors need no message at the end.
        int moved = p - (1 << (d + 1) / 2);
        expect_work(WORK(COLLECTIVE_REDUCE_SCATTER, reduce_scatter, "butterfly", p, n),
                    p * d + moved, d + 1, (p * (p - 1) + moved) * n);
    }
}

// The steps of recursive doubling among other numbers of ranks: those beyond the power of two cost
// two messages each in a barrier, and no rank waits for more than two further rounds.
static void test_barrier_between_powers(void)
{
    for (int ranks = 2; ranks <= MOST_RANKS; ranks++) {
        int d = 0;
        while (2 << d <= ranks)
            d++;
        int surplus = ranks - (1 << d);
        expect_work(WORK(COLLECTIVE_BARRIER, barrier, "recursive_doubling", ranks, 0),
                    (1 << d) * d + 2 * surplus, d + (surplus ? 2 : 0), 0);
    }
}

// ---- Which algorithm ----

static int first_rank_sends(const struct mpi_library_config *library,
                            enum mpi_collective collective, int ranks, int64_t size)
{
    struct mpi_schedule schedule;
    struct mpi_process process = {.rank = 0, .ranks = ranks, .library = library};
    int sends = 0;
    mpi_schedule_init(&schedule);
    mpi_collective_build(&schedule, &process, NULL, collective, 0, size);
    for (guint i = 0; i < schedule.steps->len; i++)
        sends += g_array_index(schedule.steps, struct mpi_step, i).kind == STEP_SEND;
    mpi_schedule_clear(&schedule);
    return sends;
}

static int rule_named(const char *const *rules, const char *name)
{
    int rule = 0;
    while (strcmp(rules[rule], name) != 0)
        rule++;
    return rule;
}

// Linear up to the library's number of processes, by tree above.
static void test_by_processes(void)
{
    struct mpi_library_config library =
        library_with(RULE(bcast), rule_named(mpi_bcast_rules, "by_processes"));
    library.barrier = rule_named(mpi_barrier_rules, "by_processes");
    library.linear_processes = 8;
    SUITE_SAME_INTEGER(first_rank_sends(&library, COLLECTIVE_BCAST, 8, 1), 7);
    SUITE_SAME_INTEGER(first_rank_sends(&library, COLLECTIVE_BCAST, 9, 1), 4);
    SUITE_SAME_INTEGER(first_rank_sends(&library, COLLECTIVE_BARRIER, 8, 0), 7);
    SUITE_SAME_INTEGER(first_rank_sends(&library, COLLECTIVE_BARRIER, 9, 0), 4);
    // A program without a library takes the first rule: linear.
    SUITE_SAME_INTEGER(first_rank_sends(NULL, COLLECTIVE_BARRIER, 20, 0), 19);
}

// The two rules of MPICH, with 10 B as small and 8 ranks as few: a binomial root of 2^d ranks sends
// d messages, the other algorithm 2 d.
static void test_bcast_thresholds(void)
{
    static const struct {
        int ranks;
        int64_t size;
        int both, either;
    } wanted[] = {
        {8, 9, 3, 3}, {8, 10, 6, 3}, {16, 9, 8, 4}, {16, 32, 8, 8}, {4, 1000, 4, 2},
    };
    struct mpi_library_config both = library_with(RULE(bcast),
                                                  rule_named(mpi_bcast_rules, "small_and_few")),
                              either = library_with(RULE(bcast),
                                                    rule_named(mpi_bcast_rules, "small_or_few"));
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
        int ranks = wanted[i].ranks;
        SUITE_SAME_INTEGER(first_rank_sends(&both, COLLECTIVE_BCAST, ranks, wanted[i].size),
                           wanted[i].both);
        SUITE_SAME_INTEGER(first_rank_sends(&either, COLLECTIVE_BCAST, ranks, wanted[i].size),
                           wanted[i].either);
    }
}

// Alltoall by the bytes to all peers together: 16 are short, 64 are long.
static void test_alltoall_thresholds(void)
{
    struct mpi_library_config library =
        library_with(RULE(alltoall), rule_named(mpi_alltoall_rules, "by_size"));
    SUITE_SAME_INTEGER(first_rank_sends(&library, COLLECTIVE_ALLTOALL, 4, 4), 2);
    SUITE_SAME_INTEGER(first_rank_sends(&library, COLLECTIVE_ALLTOALL, 4, 5), 3);
    for (int64_t size = 15; size <= 16; size++) {
        struct play *play = play_new(&library, COLLECTIVE_ALLTOALL, 4, 0, size, false);
        int rounds = 0;
        for (guint k = 0; k < play->rank[0].schedule.steps->len; k++)
            rounds += step_at(&play->rank[0], k)->ends_round;
        SUITE_SAME_INTEGER(rounds, size == 15 ? 1 : 3);
        play_free(play);
    }
}

// No bytes: MPICH returns at once where there is nothing to move, LAM sends; a barrier and an
// alltoall go on.
static void test_empty(void)
{
    struct mpi_library_config library = library_with(RULE(bcast), 0);
    SUITE_SAME_INTEGER(first_rank_sends(&library, COLLECTIVE_BCAST, 4, 0), 3);
    library.empty_collectives_send = false;
    SUITE_SAME_INTEGER(first_rank_sends(&library, COLLECTIVE_BCAST, 4, 0), 0);
    SUITE_SAME_INTEGER(first_rank_sends(&library, COLLECTIVE_ALLREDUCE, 4, 0), 0);
    SUITE_SAME_INTEGER(first_rank_sends(&library, COLLECTIVE_BARRIER, 4, 0), 3);
    SUITE_SAME_INTEGER(first_rank_sends(&library, COLLECTIVE_ALLTOALL, 4, 0), 3);
}

// ---- Details ----

// Alltoall starts all its receives before its sends, in one round, each from and to its block;
// offsets need 64 bits (4 GiB a block).
static void test_alltoall_order(void)
{
    struct mpi_schedule schedule;
    struct mpi_process process = {.rank = 2, .ranks = 5};
    int64_t size = INT64_C(1) << 32;
    mpi_schedule_init(&schedule);
    mpi_collective_build(&schedule, &process, NULL, COLLECTIVE_ALLTOALL, 0, size);
    SUITE_SAME_INTEGER(schedule.steps->len, 1 + 2 * 4);
    for (guint k = 1; k < schedule.steps->len; k++) {
        const struct mpi_step *step = &g_array_index(schedule.steps, struct mpi_step, k);
        CU_ASSERT_EQUAL(step->kind, k <= 4 ? STEP_RECV : STEP_SEND);
        CU_ASSERT_EQUAL((k <= 4 ? step->to : step->from).offset, step->peer * size);
        CU_ASSERT_EQUAL(step->ends_round, k == 8);
        SUITE_SAME_INTEGER(step->peer, (2 + (int)(k - 1) % 4 + 1) % 5);
    }
    mpi_schedule_clear(&schedule);
}

// The children of a binomial tree: the root of the largest subtree first.
static void test_farthest_first(void)
{
    static const int children[] = {8, 4, 2, 1};
    struct mpi_library_config library = library_with(RULE(bcast), 1);
    struct mpi_process process = {.rank = 3, .ranks = 11, .library = &library};
    struct mpi_schedule schedule;
    mpi_schedule_init(&schedule);
    mpi_collective_build(&schedule, &process, NULL, COLLECTIVE_BCAST, 3, 7);
    SUITE_SAME_INTEGER(schedule.steps->len, 4);
    for (guint k = 0; k < schedule.steps->len; k++)
        SUITE_SAME_INTEGER(g_array_index(schedule.steps, struct mpi_step, k).peer,
                           (3 + children[k]) % 11);
    mpi_schedule_clear(&schedule);
}

// In a binomial reduction ranks that sum up make one copy of their operand; a leaf, also the last
// rank without a child, sends from the program's buffer.
static void test_reduce_copies(void)
{
    struct mpi_library_config library = library_with(RULE(reduce), 1);
    struct play *play = play_new(&library, COLLECTIVE_REDUCE, 7, 0, 8, false);
    for (int i = 0; i < 7; i++) {
        int copies = 0;
        for (guint k = 0; k < play->rank[i].schedule.steps->len; k++)
            copies += step_at(&play->rank[i], k)->kind == STEP_COPY;
        SUITE_SAME_INTEGER(copies, i % 2 == 0 && i != 6);
    }
    play_free(play);
}

// A schedule is built again in place.
static void test_rebuild(void)
{
    struct mpi_schedule schedule;
    struct mpi_library_config library = library_with(RULE(alltoall), 2);
    struct mpi_process process = {.rank = 1, .ranks = 4, .library = &library};
    mpi_schedule_init(&schedule);
    mpi_collective_build(&schedule, &process, NULL, COLLECTIVE_ALLTOALL, 0, 10);
    SUITE_SAME_INTEGER(schedule.temporary, 4 * 4 * 10);
    mpi_collective_build(&schedule, &process, NULL, COLLECTIVE_BARRIER, 0, 0);
    SUITE_SAME_INTEGER(schedule.steps->len, 2);
    SUITE_SAME_INTEGER(schedule.temporary, 0);
    mpi_schedule_clear(&schedule);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"every algorithm, 1 to 17 ranks", test_every_algorithm},
        {"18 to 33 ranks", test_more_ranks},
        {"made of two", test_halves},
        {"closed forms", test_closed_forms},
        {"barrier between powers of two", test_barrier_between_powers},
        {"by number of processes", test_by_processes},
        {"MPICH's thresholds of broadcast", test_bcast_thresholds},
        {"MPICH's thresholds of alltoall", test_alltoall_thresholds},
        {"no bytes", test_empty},
        {"order in alltoall", test_alltoall_order},
        {"farthest child first", test_farthest_first},
        {"copies of a reduction", test_reduce_copies},
        {"built again", test_rebuild},
        {NULL, NULL},
    };
    return suite_run("mpi: collectives", cases);
}
