// SPDX-License-Identifier: GPL-3.0-or-later
// IS: keys are counted in buckets, the counts are summed, and each rank gets the keys of the
// buckets that are its own. Keys are the mean of four random numbers; how many are in a bucket is
// here what is expected of that, where the code draws them.
#include "models/nas/nas.h"

#define TESTED_KEYS 5 // carried along with the counts
#define SUMMED 4      // random numbers of a key
#define MOST_RANKS_S 128
#define MOST_RANKS 1024

static const int keys_log_2[NAS_CLASSES] = {16, 20, 23, 25, 27};
static const int buckets_log_2[NAS_CLASSES] = {9, 10, 10, 10, 10};
static const int64_t is_iterations_of[NAS_CLASSES] = {10, 10, 10, 10, 10};

// Probability that a key is in the first `share` (0 .. 1) of the range: that the sum of four
// uniform numbers is below 4 x share.
static double below(double share)
{
    static const double choose[] = {1, -4, 6, -4, 1};
    double sum = 0, x = share * SUMMED;
    for (int k = 0; k <= SUMMED && x > k; k++)
        sum += choose[k] * (x - k) * (x - k) * (x - k) * (x - k);
    return sum / 24;
}

// Where the buckets of each rank end, as a share of all keys: when those up to a bucket reach the
// mean of the ranks so far, it is the rank's last. Ranks for which no bucket is left get none.
static void find_ends(enum nas_class class, int ranks, double *ends)
{
    int buckets = 1 << buckets_log_2[class], rank = 0;
    for (int bucket = 0; bucket < buckets && rank < ranks; bucket++) {
        double up_to = below((double)(bucket + 1) / buckets);
        if (up_to * ranks >= rank + 1 || bucket == buckets - 1)
            ends[rank++] = up_to;
    }
    for (; rank < ranks; rank++)
        ends[rank] = 1;
}

// Bytes of the keys of one rank that belong to another; over all they are the rank's keys.
static int64_t keys_size(const double *ends, int64_t keys, int of)
{
    int64_t first = of == 0 ? 0 : (int64_t)(ends[of - 1] * (double)keys + 0.5);
    return ((int64_t)(ends[of] * (double)keys + 0.5) - first) * NAS_INTEGER;
}

static int64_t keys_of(enum nas_class class)
{
    return INT64_C(1) << keys_log_2[class];
}

// Bytes that a rank sends to each, and gets from each.
struct shares {
    const int64_t *sent, *received;
    int64_t sum; // of `sent`
};

// All ranks have the same keys to send, by what is expected.
static struct shares shares_of(struct nas *nas)
{
    double *ends = g_new(double, nas->ranks);
    int64_t *sent = program_own(nas->program, g_new(int64_t, nas->ranks));
    int64_t *received = program_own(nas->program, g_new(int64_t, nas->ranks));
    int64_t keys = keys_of(nas->class) / nas->ranks;
    find_ends(nas->class, nas->ranks, ends);
    for (int rank = 0; rank < nas->ranks; rank++) {
        sent[rank] = keys_size(ends, keys, rank);
        received[rank] = keys_size(ends, keys, nas->rank);
    }
    g_free(ends);
    return (struct shares){sent, received, keys * NAS_INTEGER};
}

static void redistribute(struct nas *nas, const struct shares *shares)
{
    struct collective_arguments *call = op_append(nas->body, OP_ALLTOALLV)->arguments;
    call->common.size = shares->sum;
    call->blocks = shares->sent;
    call->receive_blocks = shares->received;
}

static double is_operations_of(enum nas_class class, int64_t iterations)
{
    return (double)iterations * (double)keys_of(class);
}

// Keys are counted and put into buckets before, ranked after.
static void is_iteration(struct nas *nas, const struct shares *shares)
{
    int64_t keys = keys_of(nas->class) / nas->ranks;
    int64_t counts = (1 << buckets_log_2[nas->class]) + TESTED_KEYS;
    nas_compute(nas, (double)keys / 2);
    nas_collective(nas, OP_ALLREDUCE, counts * NAS_INTEGER);
    nas_collective(nas, OP_ALLTOALL, NAS_INTEGER);
    redistribute(nas, shares);
    nas_compute(nas, (double)keys / 2);
}

static void is_build(struct nas *nas)
{
    struct shares shares = shares_of(nas);
    nas_broadcasts(nas, 1, NAS_INTEGER); // whether phases are timed
    is_iteration(nas, &shares);
    nas_start_clock(nas);
    GPtrArray *around = nas_iterations(nas, nas->iterations);
    is_iteration(nas, &shares);
    nas_end_loop(nas, around);
    nas_stop_clock(nas);
    nas_collective(nas, OP_REDUCE, NAS_DOUBLE);
}

static char *is_refusal(enum nas_class class, int ranks)
{
    int most = class == NAS_S ? MOST_RANKS_S : MOST_RANKS;
    if (!nas_is_power_of_two(ranks))
        return nas_refuse_unless_power_of_two(ranks);
    return ranks > most ? g_strdup_printf("at most %d in this class", most) : NULL;
}

const struct nas_code nas_is = {
    .iterations = is_iterations_of,
    .operations = is_operations_of,
    .build = is_build,
    .refusal = is_refusal,
};
