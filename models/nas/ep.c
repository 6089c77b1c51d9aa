// SPDX-License-Identifier: GPL-3.0-or-later
// EP: batches of pairs of random numbers, shared out; three sums at the end.
#include "models/nas/nas.h"

#define BATCH_LOG_2 16 // pairs
#define ANNULI 10      // whose counts are summed

static const int64_t ep_iterations_of[NAS_CLASSES] = {1, 1, 1, 1, 1};
static const int pairs_log_2[NAS_CLASSES] = {24, 25, 28, 30, 32};

static int64_t batches_of(enum nas_class class)
{
    return INT64_C(1) << (pairs_log_2[class] - BATCH_LOG_2);
}

static double ep_operations_of(enum nas_class class, int64_t iterations)
{
    return (double)iterations * (double)(INT64_C(1) << (pairs_log_2[class] + 1));
}

static void ep_build(struct nas *nas)
{
    int64_t batches = batches_of(nas->class);
    int64_t own = batches / nas->ranks + (nas->rank < batches % nas->ranks);
    nas_broadcasts(nas, 1, NAS_INTEGER); // whether phases are timed
    nas_barrier(nas);
    nas_start_clock(nas);
    GPtrArray *around = nas_iterations(nas, nas->iterations);
    nas_compute(nas, (double)(own << (BATCH_LOG_2 + 1)));
    nas_collective(nas, OP_ALLREDUCE, NAS_DOUBLE);
    nas_collective(nas, OP_ALLREDUCE, NAS_DOUBLE);
    nas_collective(nas, OP_ALLREDUCE, ANNULI * NAS_DOUBLE);
    nas_end_loop(nas, around);
    nas_stop_clock(nas);
    nas_collective(nas, OP_ALLREDUCE, NAS_DOUBLE); // the time
}

static char *ep_refusal(enum nas_class class, int ranks)
{
    return ranks > batches_of(class)
               ? g_strdup_printf("at most %" G_GINT64_FORMAT " in this class", batches_of(class))
               : NULL;
}

const struct nas_code nas_ep = {
    .iterations = ep_iterations_of,
    .operations = ep_operations_of,
    .build = ep_build,
    .refusal = ep_refusal,
};
