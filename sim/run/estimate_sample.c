// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/run/estimate_sample.h"

#include "sim/benchmark/benchmark.h"
#include "sim/flatten/flatten.h"
#include "sim/measure/steady.h"
#include "sim/model/model.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// Ranks of a sample, and operations that are read of all of them: milliseconds, as each point of a
// sweep is estimated. A rank must be read to its end.
#define SAMPLE_RANKS 16
#define SAMPLE_OPERATIONS 20000

// A case of more ranks is not unfolded: its program would be made for all of them, in a third of a
// second for 50,000.
#define SAMPLE_MOST_RANKS 131072

// Spreads the sample: multiples of the golden section are no multiples of powers of two, whose
// ranks have more to do in a tree than others.
#define GOLDEN_SECTION 0.6180339887

// The case's source of operations, until the budget of all ranks is used up: then each rank's
// program is cut off.
struct metered_source {
    struct op_source source;
    struct op_source *inner;
    int budget;
    int calls; // that were made
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
    metered->calls++;
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

// ---- Repetitions that are alike ----

// Repetitions that a loop takes beyond the equal ones until it is seen to be steady, as measured.
#define TURNS_BEFORE_STEADY 2

// Whether the benchmark has a loop that may end early (benchmark_repeats).
static bool repeats_alike(const GPtrArray *body)
{
    for (guint i = 0; i < body->len; i++) {
        const struct op *op = g_ptr_array_index(body, i);
        if (op_is(op, OP_LOOP) && (((const struct loop_arguments *)op->arguments)->sharers > 0 ||
                                   repeats_alike(op->body)))
            return true;
    }
    return false;
}

static bool ends_early(const struct workload *workload)
{
    const struct benchmark *benchmark =
        workload->steady > 0 && workload->benchmark
            ? registry_benchmark(&model_registry, workload->benchmark->name)
            : NULL;
    // A kernel of one size changes from one repetition to the next.
    if (!benchmark || !workload->sizes ||
        (workload->benchmark->repetitions_for && workload->sizes->len < 2))
        return false;
    struct workload once = sampled_workload(workload);
    struct program *program = benchmark_program(benchmark, &once);
    bool early = program->parts->len > 0 &&
                 repeats_alike(((const struct program_part *)program->parts->pdata[0])->body);
    program_free(program);
    g_array_unref(once.sizes);
    return early;
}

// Those of so many repetitions that are run, if a loop's period is short.
static double turns_run(const struct workload *workload, double repetitions)
{
    double equal = MAX((double)workload->steady, repetitions / STEADY_PART);
    return MIN(repetitions, equal + TURNS_BEFORE_STEADY);
}

// ---- Messages ----

// Operations that are read for them, and ranks at least: one may send and another only receive.
#define MESSAGE_OPERATIONS 100000
#define LEAST_RANKS 2

// A benchmark's messages by the size of the call that sends them; those of other calls, as of
// barriers, are together.
struct size_count {
    double messages, packets;
};

struct counting {
    struct metered_source metered;
    struct flatten *flatten;
    const struct workload *workload;
    double payload;
    struct size_count *of_rank; // by index in the workload's sizes; one more: of other calls
};

// Of some ranks. The owner frees the counts.
struct counted {
    struct size_count *counts; // of ranks that were read to their end, or else of part of one
    int ranks;                 // that were read to their end
    double calls;              // that were read if none was
};

static guint size_buckets(const struct workload *workload)
{
    return (workload->sizes ? workload->sizes->len : 0) + 1;
}

static void count_flat(struct counting *counting, const struct flat_op *op)
{
    const struct operation_arguments *call = op_call_common(op->call);
    // Others without a peer are local.
    if (op->kind != FLAT_SEND && (op->kind != FLAT_OTHER || call->peer == OPERATION_ANY))
        return;
    int64_t size = op->kind == FLAT_SEND ? op->size : call->size;
    guint bucket = 0, others = size_buckets(counting->workload) - 1;
    while (bucket < others &&
           g_array_index(counting->workload->sizes, int64_t, bucket) != call->size)
        bucket++;
    counting->of_rank[bucket].messages++;
    counting->of_rank[bucket].packets += MAX(ceil((double)size / counting->payload), 1);
}

// Returns true if the rank is read to its end.
static bool count_rank(struct counting *counting, int rank)
{
    struct flat_op op;
    enum source_next next;
    memset(counting->of_rank, 0, size_buckets(counting->workload) * sizeof *counting->of_rank);
    while ((next = flatten_next(counting->flatten, rank, &op)) == SOURCE_CALL) {
        count_flat(counting, &op);
        if (--counting->metered.budget <= 0)
            return false;
    }
    return next == SOURCE_END && counting->metered.budget > 0;
}

static void count_ranks(struct counting *counting, int most, struct counted *counted)
{
    guint buckets = size_buckets(counting->workload);
    struct sampling order = {.workload = counting->workload,
                             .is_read = g_new0(guint8, counting->workload->ranks)};
    counted->counts = g_new0(struct size_count, buckets);
    for (bool whole = true; whole && counted->ranks < most;) {
        whole = count_rank(counting, next_rank(&order, counted->ranks));
        counted->ranks += whole;
        for (guint i = 0; (whole || counted->ranks == 0) && i < buckets; i++) {
            counted->counts[i].messages += counting->of_rank[i].messages;
            counted->counts[i].packets += counting->of_rank[i].packets;
        }
    }
    counted->calls = counting->metered.calls;
    g_free(order.is_read);
}

static struct counted count_workload(const struct scenario_case *test_case,
                                     const struct workload *workload, double payload, int most)
{
    const struct registry *registry = &model_registry;
    const char *library = registry_stack(registry, test_case->stack->name)->library_section;
    const struct benchmark *benchmark =
        workload->benchmark ? registry_benchmark(registry, workload->benchmark->name) : NULL;
    struct counting counting = {
        .metered = {.source = {.next = metered_next},
                    .inner = workload_source(benchmark, workload),
                    .budget = MESSAGE_OPERATIONS},
        .workload = workload,
        .payload = payload,
        .of_rank = g_new(struct size_count, size_buckets(workload)),
    };
    counting.flatten = flatten_new(&counting.metered.source, workload->ranks,
                                   library ? scenario_section_values(test_case, library) : NULL);
    struct counted counted = {0};
    count_ranks(&counting, MIN(workload->ranks, most), &counted);
    flatten_free(counting.flatten);
    op_source_free(counting.metered.inner);
    g_free(counting.of_rank);
    return counted;
}

// A benchmark does in each repetition what it does on average in so many after as many others.
static bool benchmark_messages(const struct scenario_case *test_case, double payload,
                               int64_t repetitions, struct estimate_messages *messages)
{
    const struct workload *all = &test_case->workload;
    struct workload few = *all, more = *all;
    few.repetitions = repetitions;
    more.repetitions = 2 * repetitions;
    struct counted second = count_workload(test_case, &more, payload, SAMPLE_RANKS),
                   first = count_workload(test_case, &few, payload, MAX(second.ranks, 1));
    bool known = second.ranks >= MIN(all->ranks, LEAST_RANKS) && first.ranks == second.ranks;
    double scale = known ? (double)all->ranks / second.ranks : 0, mean = 0;
    guint others = size_buckets(all) - 1;
    bool early = ends_early(all);
    for (guint i = 0; i <= others; i++) {
        double times =
            i < others ? (double)benchmark_repetitions(all, g_array_index(all->sizes, int64_t, i))
                       : mean;
        if (early && i < others)
            times = turns_run(all, times);
        double further = (times - (double)repetitions) / (double)repetitions;
        mean += times / MAX(others, 1);
        messages->messages +=
            scale * (first.counts[i].messages +
                     (second.counts[i].messages - first.counts[i].messages) * further);
        messages->packets +=
            scale * (first.counts[i].packets +
                     (second.counts[i].packets - first.counts[i].packets) * further);
    }
    g_free(first.counts);
    g_free(second.counts);
    return known;
}

// Repetitions at a time: of benchmarks that send in windows, and of those with many messages in
// each.
#define MANY_REPETITIONS 32
#define ONE_REPETITION 1

bool estimate_messages(const struct scenario_case *test_case, double payload, double operations,
                       struct estimate_messages *messages)
{
    const struct workload *workload = &test_case->workload;
    *messages = (struct estimate_messages){0};
    if (!registry_stack(&model_registry, test_case->stack->name)) // it is of a registry of its own
        return false;
    if (workload->recording || workload->ranks > SAMPLE_MOST_RANKS ||
        (workload->benchmark && workload->benchmark->over_time))
        return false;
    if (workload->benchmark && (!workload->benchmark->repetitions_for || ends_early(workload)))
        return benchmark_messages(test_case, payload, MANY_REPETITIONS, messages) ||
               benchmark_messages(test_case, payload, ONE_REPETITION, messages);
    struct counted counted = count_workload(test_case, workload, payload, SAMPLE_RANKS);
    bool whole = counted.ranks >= MIN(workload->ranks, LEAST_RANKS);
    double scale = counted.ranks > 0 ? (double)workload->ranks / counted.ranks
                                     : operations / MAX(counted.calls, 1);
    // The messages of one of many sizes are no measure of the others.
    bool known = whole || size_buckets(workload) == 1;
    for (guint i = 0; i < size_buckets(workload); i++) {
        messages->messages += scale * counted.counts[i].messages;
        messages->packets += scale * counted.counts[i].packets;
    }
    g_free(counted.counts);
    return known;
}
