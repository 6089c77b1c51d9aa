// SPDX-License-Identifier: GPL-3.0-or-later
// Copies and DMA that meet on the memory bus, in closed form.
//
// A copy out of main memory takes 10 ns per byte and moves two bytes over the memory bus for each;
// the I/O bus takes 5 ns per byte. Both ask for 200 MB/s, of 300 MB/s: while they meet both go at
// 3/4 of their rates, and each loses a third of the time that they would have had together.
#include "sim/host/host.h"
#include "tests/support/spans.h"
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"

#include <glib.h>

#define US TIME_US

// Copies, between work of its own before and after.
struct copier {
    struct cpu_task task;
    struct world *world;
    sim_time before, after;
    int64_t bytes;
    bool updates; // with work of so long on the bytes
    sim_time work;
    struct event copied, ended; // posted after the copy, and at the end
    sim_time copied_at, ended_at;
};

struct dma {
    struct event ask, done;
    struct world *world;
    int64_t bytes;
    sim_time end;
};

struct wake {
    struct event event;
    struct cpu_task *task;
};

struct world {
    struct sim *sim;
    struct host_config config;
    struct host *host;
    GPtrArray *owned;
};

static struct world *world_new(int64_t rate, int64_t cores, struct trace *trace)
{
    struct world *world = g_new0(struct world, 1);
    world->config = (struct host_config){
        .processor = {.cores = cores, .clock = 1000000000, .cycle_ratio = 1},
        .memory = {.copy_cached = 1000000000,
                   .copy_uncached = 100000000,
                   .bus_rate = rate,
                   .copy_traffic = 2},
        .bus = {.clock = 50000000, .width = 4, .read_burst = 1 << 20, .write_burst = 1 << 20},
    };
    world->sim = sim_new(1, trace);
    world->host = host_new(world->sim, 0, "host", &world->config);
    world->owned = g_ptr_array_new_with_free_func(g_free);
    return world;
}

static void world_free(struct world *world)
{
    host_free(world->host);
    sim_free(world->sim);
    g_ptr_array_unref(world->owned);
    g_free(world);
}

static void world_run(struct world *world)
{
    engine_run(world->sim->engine, TIME_NEVER);
}

static enum cpu_next copier_run(struct cpu_context *context, struct cpu_task *task)
{
    struct copier *copier = container_of(task, struct copier, task);
    cpu_spend_time(context, copier->before, stage_called("before", STAGE_LIBRARY));
    const struct memory_config *memory = &copier->world->config.memory;
    if (copier->updates)
        mem_update(context, memory, copier->bytes, (struct copy_reuse){COPY_NEVER, COPY_NEVER},
                   copier->work, stage_called("update", STAGE_COPY), MESSAGE_NONE);
    else
        mem_copy(context, memory, copier->bytes, COPY_WARM, MESSAGE_NONE);
    cpu_post(context, &copier->copied);
    cpu_spend_time(context, copier->after, stage_called("after", STAGE_LIBRARY));
    cpu_post(context, &copier->ended);
    return CPU_SLEEP;
}

static void copied_event(struct engine *engine, struct event *event)
{
    container_of(event, struct copier, copied)->copied_at = engine_now(engine);
}

static void ended_event(struct engine *engine, struct event *event)
{
    container_of(event, struct copier, ended)->ended_at = engine_now(engine);
}

static void wake_event(struct engine *engine, struct event *event)
{
    (void)engine;
    cpu_wake(container_of(event, struct wake, event)->task);
}

static struct copier *copier_on(struct world *world, int64_t core, enum cpu_class class,
                                sim_time when, sim_time before, int64_t bytes, sim_time after)
{
    struct copier *copier = g_new0(struct copier, 1);
    copier->world = world;
    copier->before = before;
    copier->after = after;
    copier->bytes = bytes;
    cpu_task_init(&copier->task, world->host->cores[core], class, copier_run);
    event_init(&copier->copied, copied_event);
    event_init(&copier->ended, ended_event);
    struct wake *wake = g_new0(struct wake, 1);
    wake->task = &copier->task;
    event_init(&wake->event, wake_event);
    engine_schedule(world->sim->engine, &wake->event, when);
    g_ptr_array_add(world->owned, copier);
    g_ptr_array_add(world->owned, wake);
    return copier;
}

// A copy of 10 us a KB from 0 on, and nothing else on processor 0.
static struct copier *copy_at(struct world *world, sim_time when, int64_t bytes)
{
    return copier_on(world, 0, CPU_USER, when, 0, bytes, 0);
}

static void ask_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct dma *dma = container_of(event, struct dma, ask);
    bus_transfer(dma->world->host->bus, BUS_READ, dma->bytes, &dma->done,
                 stage_called("DMA", STAGE_BUS), MESSAGE_NONE);
}

static void done_event(struct engine *engine, struct event *event)
{
    container_of(event, struct dma, done)->end = engine_now(engine);
}

static struct dma *dma_at(struct world *world, sim_time when, int64_t bytes)
{
    struct dma *dma = g_new0(struct dma, 1);
    dma->world = world;
    dma->bytes = bytes;
    event_init(&dma->ask, ask_event);
    event_init(&dma->done, done_event);
    engine_schedule(world->sim->engine, &dma->ask, when);
    g_ptr_array_add(world->owned, dma);
    return dma;
}

// ---- The closed form ----

// (rate of the memory bus, start of copy, its bytes, start of DMA, its bytes; then both ends)
static void check(int64_t rate, sim_time copy_start, int64_t copy, sim_time dma_start,
                  int64_t bytes, sim_time copy_end, sim_time dma_end)
{
    struct world *world = world_new(rate, 1, NULL);
    struct copier *copier = copy_at(world, copy_start, copy);
    struct dma *dma = dma_at(world, dma_start, bytes);
    world_run(world);
    SUITE_SAME_INTEGER(copier->ended_at, copy_end);
    SUITE_SAME_INTEGER(dma->end, dma_end);
    struct cpu_usage usage = cpu_usage(world->host->cores[0]);
    SUITE_SAME_INTEGER(usage.busy[CPU_USER], copy_end - copy_start);
    SUITE_SAME_INTEGER(bus_busy(world->host->bus), dma_end - dma_start);
    world_free(world);
}

static void test_closed_form(void)
{
    int64_t rate = 300000000;
    // The DMA of 15 us lies within the copy of 100 us: both lose 5 us.
    check(rate, 0, 10000, 30 * US, 3000, 105 * US, 50 * US);
    // The copy of 12 us has 9 us to go: both lose 3 us.
    check(rate, 0, 1200, 3 * US, 3000, 15 * US, 21 * US);
    // They do not meet: one ends when the other begins, or earlier.
    check(rate, 0, 1000, 10 * US, 3000, 10 * US, 25 * US);
    check(rate, 0, 1000, 50 * US, 3000, 10 * US, 65 * US);
    // The bus has room for both, or is not modelled.
    check(400000000, 0, 10000, 30 * US, 3000, 100 * US, 45 * US);
    check(0, 0, 10000, 30 * US, 3000, 100 * US, 45 * US);
    // Of 100 MB/s either alone is too much for the bus. Alone, each has the rate that was measured
    // for it; together both go at a quarter.
    check(100000000, 0, 10000, 30 * US, 3000, 145 * US, 90 * US);
}

// A stream of transactions and a copy: the copy ends when the fluid does, whatever the pieces.
static void test_stream(void)
{
    static const int pieces[] = {1, 3, 10, 40};
    for (size_t i = 0; i < G_N_ELEMENTS(pieces); i++) {
        struct world *world = world_new(300000000, 1, NULL);
        struct copier *copier = copy_at(world, 0, 9000);
        struct dma *last = NULL;
        for (int k = 0; k < pieces[i]; k++)
            last = dma_at(world, 0, 36000 / pieces[i]);
        world_run(world);
        // 90 us of copy and 180 us of DMA, of which 90 us together; rounded up a piece.
        CU_ASSERT_TRUE(copier->ended_at >= 120 * US && copier->ended_at <= 120 * US + pieces[i]);
        CU_ASSERT_TRUE(last->end >= 210 * US && last->end <= 210 * US + pieces[i]);
        world_free(world);
    }
}

// Transactions keep their order, and each begins when the one before ends.
static void test_order(void)
{
    struct world *world = world_new(300000000, 1, NULL);
    struct dma *first = dma_at(world, 0, 2000), *second = dma_at(world, 1 * US, 1000);
    struct dma *third = dma_at(world, 10 * US, 400), *late = dma_at(world, 100 * US, 200);
    world_run(world);
    SUITE_SAME_INTEGER(first->end, 10 * US);
    SUITE_SAME_INTEGER(second->end, 15 * US);
    SUITE_SAME_INTEGER(third->end, 17 * US);
    SUITE_SAME_INTEGER(late->end, 101 * US);
    world_free(world);
}

// ---- On the processor ----

static void add_stage(void *owner, const char *stage, sim_time time)
{
    g_string_append_printf(owner, "%s %" G_GINT64_FORMAT " ", stage, time / TIME_NS);
}

// Work after the copy in its slice is delayed, work before it is not; and the time counts as the
// copy's.
static void test_slice(void)
{
    struct span_log *log = span_log_new();
    struct world *world = world_new(300000000, 1, &log->trace);
    struct copier *copier = copier_on(world, 0, CPU_USER, 0, 6 * US, 1200, 8 * US);
    struct dma *dma = dma_at(world, 0, 6000); // 30 us, of which the copy has 12
    world_run(world);
    SUITE_SAME_INTEGER(dma->end, 34 * US);
    SUITE_SAME_INTEGER(copier->copied_at, (6 + 12 + 4) * US);
    SUITE_SAME_INTEGER(copier->ended_at, (6 + 12 + 4 + 8) * US);
    GString *stages = g_string_new(NULL);
    cpu_each_stage(world->host->cores[0], add_stage, stages);
    SUITE_SAME_TEXT(stages->str, "before 6000 copy 16000 after 8000 ");
    g_string_assign(stages, "");
    for (guint i = 0; i < log->spans->len; i++) {
        const struct span *span = &g_array_index(log->spans, struct span, i);
        g_string_append_printf(stages, "%s %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT " ", span->name,
                               span->from / US, span->to / US);
    }
    SUITE_SAME_TEXT(stages->str, "DMA 0-34 before 0-6 copy 6-22 after 22-30 ");
    g_string_free(stages, TRUE);
    world_free(world);
    span_log_free(log);
}

// A copy that an interrupt holds up meets nothing meanwhile; the interrupted work is delayed by the
// interrupt's own copy with the time that this lost.
static void test_interrupted(void)
{
    struct world *world = world_new(300000000, 1, NULL);
    struct copier *user = copier_on(world, 0, CPU_USER, 0, 0, 3000, 0);
    struct copier *idle = copier_on(world, 0, CPU_INTERRUPT, 10 * US, 20 * US, 0, 0);
    struct dma *meanwhile = dma_at(world, 12 * US, 600);
    world_run(world);
    SUITE_SAME_INTEGER(meanwhile->end, 15 * US);
    SUITE_SAME_INTEGER(idle->ended_at, 30 * US);
    SUITE_SAME_INTEGER(user->ended_at, 50 * US);
    world_free(world);

    world = world_new(300000000, 1, NULL);
    user = copier_on(world, 0, CPU_USER, 0, 0, 3000, 0);
    struct copier *copying = copier_on(world, 0, CPU_INTERRUPT, 10 * US, 0, 900, 0);
    struct dma *first = dma_at(world, 10 * US + US, 1200), *second = dma_at(world, 30 * US, 600);
    world_run(world);
    SUITE_SAME_INTEGER(first->end, (11 + 6 + 2) * US);
    SUITE_SAME_INTEGER(copying->ended_at, (10 + 9 + 2) * US);
    SUITE_SAME_INTEGER(second->end, (30 + 3 + 1) * US); // the user's copy, gone on since
    SUITE_SAME_INTEGER(user->ended_at, (30 + 9 + 2 + 1) * US);
    world_free(world);
}

// A copy that has not begun when an interrupt comes is as long as before when it begins.
static void test_interrupted_before(void)
{
    struct world *world = world_new(300000000, 1, NULL);
    struct copier *user = copier_on(world, 0, CPU_USER, 0, 15 * US, 3000, 0); // from 35 to 65 us
    copier_on(world, 0, CPU_INTERRUPT, 10 * US, 20 * US, 0, 0);
    struct dma *early = dma_at(world, 20 * US, 600), *late = dma_at(world, 60 * US, 600);
    world_run(world);
    SUITE_SAME_INTEGER(early->end, 23 * US);
    SUITE_SAME_INTEGER(late->end, (60 + 3 + 1) * US);
    SUITE_SAME_INTEGER(user->ended_at, (15 + 20 + 30 + 1) * US);
    world_free(world);
}

// Two processors and a device ask for 600 MB/s of 300: all go at half.
static void test_two_processors(void)
{
    struct world *world = world_new(300000000, 2, NULL);
    struct copier *a = copier_on(world, 0, CPU_USER, 0, 0, 10000, 0);
    struct copier *b = copier_on(world, 1, CPU_USER, 0, 0, 10000, 0);
    struct dma *dma = dma_at(world, 20 * US, 2000);
    world_run(world);
    SUITE_SAME_INTEGER(dma->end, 40 * US);
    SUITE_SAME_INTEGER(a->ended_at, 110 * US);
    SUITE_SAME_INTEGER(b->ended_at, 110 * US);
    world_free(world);
}

// The device loses what it loses to the longer of two copies, on whichever processor that is.
static void test_copies_of_two_lengths(void)
{
    for (int longer = 0; longer < 2; longer++) {
        struct world *world = world_new(300000000, 2, NULL);
        struct copier *whole = copier_on(world, longer, CPU_USER, 0, 0, 10000, 0);
        struct copier *part = copier_on(world, 1 - longer, CPU_USER, 18 * US, 0, 500, 0);
        struct dma *dma = dma_at(world, 20 * US, 2000);
        world_run(world);
        SUITE_SAME_INTEGER(dma->end, (20 + 10 + 10) * US);
        SUITE_SAME_INTEGER(whole->ended_at, (100 + 10) * US);
        SUITE_SAME_INTEGER(part->ended_at, (18 + 5 + 3) * US);
        world_free(world);
    }
}

// An update of 1000 B moves 3000 B over the bus, in 15 us at the copy's 200 MB/s or in the time of
// its work if that is longer; then it asks for less: 100 MB/s in 30 us, for which there is room,
// and 150 MB/s in 20 us, which meet the DMA's 200 for 15 us and lose a sixth of them.
static void test_update(void)
{
    static const struct {
        sim_time work, update_end, dma_end;
    } rows[] = {{0, 20 * US, 20 * US},
                {15 * US, 20 * US, 20 * US},
                {20 * US, 22500 * TIME_NS, 17500 * TIME_NS},
                {30 * US, 30 * US, 15 * US}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct world *world = world_new(300000000, 1, NULL);
        struct copier *copier = copy_at(world, 0, 1000);
        copier->updates = true;
        copier->work = rows[i].work;
        struct dma *dma = dma_at(world, 0, 3000);
        world_run(world);
        SUITE_SAME_INTEGER(copier->ended_at, rows[i].update_end);
        SUITE_SAME_INTEGER(dma->end, rows[i].dma_end);
        world_free(world);
    }
}

// Copies within the cache ask nothing of the memory bus.
static void test_cached(void)
{
    struct world *world = world_new(300000000, 1, NULL);
    world->config.memory.cache = 1 << 20;
    struct copier *copier = copy_at(world, 0, 100000);
    struct dma *dma = dma_at(world, 10 * US, 3000);
    world_run(world);
    SUITE_SAME_INTEGER(copier->ended_at, 100 * US);
    SUITE_SAME_INTEGER(dma->end, 25 * US);
    world_free(world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"copy and DMA lose the same", test_closed_form},
        {"a stream of transactions is fluid", test_stream},
        {"transactions keep their order", test_order},
        {"what stands behind a copy comes later", test_slice},
        {"interrupted copies", test_interrupted},
        {"interrupted before", test_interrupted_before},
        {"two processors", test_two_processors},
        {"copies of two lengths", test_copies_of_two_lengths},
        {"an update", test_update},
        {"copies within the cache", test_cached},
        {0},
    };
    return suite_run("host: memory bus", cases);
}
