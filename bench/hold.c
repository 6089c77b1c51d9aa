// SPDX-License-Identifier: GPL-3.0-or-later
// The hold model: a fixed number of pending events, each of which schedules itself anew when it
// runs, after delays of five distributions. The yardstick is a bare heap that reads the owner of
// each item that it takes out, as an engine must. It does not show cancelled events, nor events at
// the current time, which wait in a list of their own.
#include "bench/bench.h"
#include "bench/heap.h"

#include "sim/core/engine.h"
#include "sim/core/random.h"

#define DELAYS 65536 // a power of two

static const size_t pending_counts[] = {64, 1024, 16384, 262144, 1048576};
#define QUICK_COUNTS 4 // the largest takes seconds

// ---- Delays, with a mean of 1 ms ----

typedef sim_time hold_delay_fn(struct random_stream *random);

// At least 1 ps: an event never runs at the time at which it was scheduled.
static sim_time delay_exponential(struct random_stream *random)
{
    return 1 + random_exponential(random, TIME_MS);
}

static sim_time delay_uniform(struct random_stream *random)
{
    return 1 + (sim_time)(random_uniform(random) * (double)(2 * TIME_MS));
}

// Nine in ten are short, and one is long: packets and timers.
static sim_time delay_bimodal(struct random_stream *random)
{
    double share = random_uniform(random);
    return random_chance(random, 0.9) ? 1 + (sim_time)(share * (double)TIME_MS / 10)
                                      : 9 * TIME_MS + (sim_time)(share * (double)TIME_MS);
}

static sim_time delay_equal(struct random_stream *random)
{
    (void)random;
    return TIME_MS;
}

// Whole microseconds: of many pending events, many have the same time.
static sim_time delay_coarse(struct random_stream *random)
{
    return TIME_US * (1 + random_exponential(random, TIME_MS) / TIME_US);
}

static const struct hold_kind {
    const char *name;
    hold_delay_fn *delay;
} hold_kinds[] = {
    {"exponential", delay_exponential}, {"uniform", delay_uniform},
    {"bimodal", delay_bimodal},         {"equal", delay_equal},
    {"coarse", delay_coarse},
};

// ---- Both sides ----

struct hold {
    const sim_time *delays;
    uint32_t next_delay;
    uint64_t left; // events to run
};

struct hold_event {
    struct event event;
    struct hold *hold;
};

static inline sim_time hold_delay(struct hold *hold)
{
    return hold->delays[hold->next_delay++ & (DELAYS - 1)];
}

static void hold_run(struct engine *engine, struct event *event)
{
    struct hold *hold = container_of(event, struct hold_event, event)->hold;
    engine_schedule(engine, event, engine_now(engine) + hold_delay(hold));
    if (--hold->left == 0)
        engine_stop(engine);
}

struct contest {
    struct engine *engine;
    struct hold_event *events;
    struct hold hold;
    struct heap heap;
    struct hold_event *owners; // of the heap's items
    struct hold heap_hold;
    uint64_t heap_sequence;
};

// The first delays begin at some time within a mean one: the events are not in step.
static void contest_fill(struct contest *contest, size_t pending, const sim_time *delays)
{
    struct random_stream *random = random_new(1, "hold, begin");
    contest->engine = engine_new();
    contest->events = g_new0(struct hold_event, pending);
    contest->owners = g_new0(struct hold_event, pending);
    contest->hold.delays = contest->heap_hold.delays = delays;
    for (size_t i = 0; i < pending; i++) {
        sim_time begin = (sim_time)(random_uniform(random) * (double)TIME_MS) / TIME_US * TIME_US;
        contest->events[i].hold = &contest->hold;
        contest->owners[i].hold = &contest->heap_hold;
        event_init(&contest->events[i].event, hold_run);
        engine_schedule(contest->engine, &contest->events[i].event,
                        begin + hold_delay(&contest->hold));
        heap_push(&contest->heap,
                  (struct heap_item){begin + hold_delay(&contest->heap_hold),
                                     contest->heap_sequence++, &contest->owners[i]});
    }
    random_free(random);
}

static void contest_clear(struct contest *contest)
{
    engine_free(contest->engine);
    g_free(contest->events);
    g_free(contest->owners);
    g_free(contest->heap.items);
}

static double engine_round(struct contest *contest, uint64_t count)
{
    double start = bench_seconds();
    contest->hold.left = count;
    engine_run(contest->engine, TIME_NEVER);
    return (double)count / (bench_seconds() - start);
}

static double heap_round(struct contest *contest, uint64_t count)
{
    struct heap *heap = &contest->heap;
    double start = bench_seconds();
    for (uint64_t i = 0; i < count; i++) {
        struct heap_item item = heap_pop(heap);
        struct hold_event *owner = item.owner;
        item.when += hold_delay(owner->hold);
        item.sequence = contest->heap_sequence++;
        heap_push(heap, item);
    }
    return (double)count / (bench_seconds() - start);
}

static json_t *hold_at(size_t pending, const struct hold_kind *kind, const sim_time *delays,
                       bool quick)
{
    struct contest contest = {0};
    // Many short rounds: on a machine that others use too, each side finds a quiet moment.
    uint64_t count = quick ? 100000 : 400000;
    int rounds = quick ? 5 : 15;
    double engine_best = 0.0, heap_best = 0.0;
    contest_fill(&contest, pending, delays);
    engine_round(&contest, MAX(count, pending)); // until every event was scheduled by another
    heap_round(&contest, MAX(count, pending));
    for (int round = 0; round < rounds; round++) {
        engine_best = MAX(engine_best, engine_round(&contest, count));
        heap_best = MAX(heap_best, heap_round(&contest, count));
    }
    contest_clear(&contest);
    json_t *result = json_object();
    json_object_set_new(result, "pending", json_integer((json_int_t)pending));
    json_object_set_new(result, "distribution", json_string(kind->name));
    json_object_set_new(result, "events_per_s", json_real(engine_best));
    json_object_set_new(result, "bare_heap_events_per_s", json_real(heap_best));
    json_object_set_new(result, "ratio", bench_ratio(engine_best, heap_best));
    return result;
}

json_t *bench_hold(const struct bench_options *options)
{
    json_t *results = json_array();
    sim_time *delays = g_new(sim_time, DELAYS);
    for (size_t k = 0; k < G_N_ELEMENTS(hold_kinds); k++) {
        const struct hold_kind *kind = &hold_kinds[k];
        struct random_stream *random = random_new(1, "hold");
        for (size_t i = 0; i < DELAYS; i++)
            delays[i] = kind->delay(random);
        random_free(random);
        size_t counts = options->quick ? QUICK_COUNTS : G_N_ELEMENTS(pending_counts);
        for (size_t i = 0; i < counts; i++) {
            bench_say(options, "hold model, %s delays, %zu pending events", kind->name,
                      pending_counts[i]);
            json_array_append_new(results,
                                  hold_at(pending_counts[i], kind, delays, options->quick));
        }
    }
    g_free(delays);
    return results;
}
