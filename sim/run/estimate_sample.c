// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/run/estimate_sample.h"

#include "sim/benchmark/benchmark.h"
#include "sim/flatten/flatten.h"
#include "sim/model/model.h"

#include <stddef.h>
#include <string.h>

// Ranks of a sample, and operations that are read of all of them: milliseconds, as each point of a
// sweep is estimated. A rank must be read to its end.
#define SAMPLE_RANKS 16
#define SAMPLE_OPERATIONS 20000

// A case of more ranks is not unfolded: its program would be made for all of them.
#define SAMPLE_MOST_RANKS 4096

// Spreads the sample: multiples of the golden section are no multiples of powers of two, whose
// ranks have more to do in a tree than others.
#define GOLDEN_SECTION 0.6180339887

// The case's source of operations, until the budget of all ranks is used up: then each rank's
// program is cut off.
struct metered_source {
    struct op_source source;
    struct op_source *inner;
    int budget;
};

struct sampling {
    struct metered_source metered;
    struct flatten *flatten;
    const struct workload *workload;
    guint8 *is_read;  // by rank
    guint8 *is_peer;  // by rank, of the rank that is read
    double all_peers; // of the ranks that were read
};

static enum source_next metered_next(struct op_source *source, int rank, struct op_call *call)
{
    struct metered_source *metered = container_of(source, struct metered_source, source);
    if (metered->budget <= 0)
        return SOURCE_END;
    metered->budget--;
    return metered->inner->next(metered->inner, rank, call);
}

static void note_peer(struct sampling *sampling, const struct flat_op *op)
{
    int size = mpi_group_size(op->group, sampling->workload->ranks);
    if ((op->kind != FLAT_SEND && op->kind != FLAT_RECV) || op->peer < 0 || op->peer >= size)
        return;
    int rank = mpi_group_rank(op->group, op->peer);
    if (!sampling->is_peer[rank])
        sampling->all_peers++;
    sampling->is_peer[rank] = true;
}

// Returns false if the rank cannot be read to its end.
static bool sample_rank(struct sampling *sampling, int rank)
{
    struct flat_op op;
    enum source_next next;
    memset(sampling->is_peer, false, (size_t)sampling->workload->ranks);
    while ((next = flatten_next(sampling->flatten, rank, &op)) == SOURCE_CALL) {
        if (op.kind == FLAT_OTHER || --sampling->metered.budget <= 0)
            return false;
        note_peer(sampling, &op);
    }
    return next == SOURCE_END && sampling->metered.budget > 0;
}

static int next_rank(struct sampling *sampling, int number)
{
    int ranks = sampling->workload->ranks;
    double place = GOLDEN_SECTION * (number + 1);
    int rank = (int)((place - (int)place) * ranks);
    while (sampling->is_read[rank])
        rank = (rank + 1) % ranks;
    sampling->is_read[rank] = true;
    return rank;
}

static bool sample_ranks(struct sampling *sampling, struct estimate_sample *sample)
{
    int ranks = sampling->workload->ranks, most = MIN(ranks, SAMPLE_RANKS), read = 0;
    for (int i = 0; i < most; i++) {
        double before = sampling->all_peers;
        if (!sample_rank(sampling, next_rank(sampling, i))) {
            sampling->all_peers = before;
            break;
        }
        read++;
    }
    sample->peers = read > 0 ? sampling->all_peers / read : 0;
    return read > 0;
}

// The case's workload as it is unfolded. A benchmark that does not change its peers has the same in
// each repetition and for each size.
static struct workload sampled_workload(const struct workload *workload)
{
    struct workload once = *workload;
    once.sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
    bool changes = !workload->benchmark || workload->benchmark->peers == BENCHMARK_PEERS_CHANGE;
    guint sizes = workload->sizes ? workload->sizes->len : 0;
    if (sizes > 0)
        g_array_append_vals(once.sizes, workload->sizes->data, changes ? sizes : 1);
    if (!changes)
        once.repetitions = 1;
    return once;
}

// Collectives without a library's rules are not known.
static bool is_known(const struct workload *workload, const struct stack *stack)
{
    return stack && stack->library_section && !workload->recording &&
           workload->ranks <= SAMPLE_MOST_RANKS &&
           (!workload->benchmark || !workload->benchmark->over_time);
}

bool estimate_sample(const struct scenario_case *test_case, struct estimate_sample *sample)
{
    const struct registry *registry = &model_registry;
    const struct stack *stack = registry_stack(registry, test_case->stack->name);
    if (!is_known(&test_case->workload, stack))
        return false;
    struct workload once = sampled_workload(&test_case->workload);
    const struct benchmark *benchmark =
        once.benchmark ? registry_benchmark(registry, once.benchmark->name) : NULL;
    struct sampling sampling = {
        .metered = {.source = {.next = metered_next},
                    .inner = workload_source(benchmark, &once),
                    .budget = SAMPLE_OPERATIONS},
        .workload = &once,
        .is_read = g_new0(guint8, once.ranks),
        .is_peer = g_new(guint8, once.ranks),
    };
    sampling.flatten = flatten_new(&sampling.metered.source, once.ranks,
                                   scenario_section_values(test_case, stack->library_section));
    bool known = sample_ranks(&sampling, sample);
    flatten_free(sampling.flatten);
    op_source_free(sampling.metered.inner);
    g_free(sampling.is_read);
    g_free(sampling.is_peer);
    g_array_unref(once.sizes);
    return known;
}
