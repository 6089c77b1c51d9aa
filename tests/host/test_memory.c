// SPDX-License-Identifier: GPL-3.0-or-later
// Cost of copying by the copy model, and the count of pages.
#include "sim/host/memory.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#define KIB 1024

// A byte takes 1 ns cached and 2 ns uncached.
static const struct memory_config config = {
    .cache = 256 * KIB,
    .copy_cached = 1000000000,
    .copy_uncached = 500000000,
    .copy_traffic = 3,
    .copy_setup = {.cycles = 150},
    .page = 4 * KIB,
};

#define SETUP (150 * TIME_NS)

static struct sim *sim;
static struct cpu *cpu;

static void set_up(void)
{
    sim = sim_new(1, NULL);
    cpu = cpu_new(sim, "host", "cpu 0", 1000000000, true);
}

static void tear_down(void)
{
    cpu_free(cpu);
    sim_free(sim);
}

static sim_time warm(int64_t bytes)
{
    return memory_copy_time(&config, cpu, bytes, COPY_WARM);
}

// Source and destination together fit into the cache: the cached rate, up to half its size.
static void test_cached(void)
{
    set_up();
    CU_ASSERT_EQUAL(warm(0), 0);
    CU_ASSERT_EQUAL(warm(1), SETUP + 1 * TIME_NS);
    CU_ASSERT_EQUAL(warm(1500), SETUP + 1500 * TIME_NS);
    CU_ASSERT_EQUAL(warm(128 * KIB), SETUP + 128 * KIB * TIME_NS);
    tear_down();
}

// From one and a half times the cache on nothing hits.
static void test_uncached(void)
{
    set_up();
    CU_ASSERT_EQUAL(warm(192 * KIB), SETUP + 2 * 192 * KIB * TIME_NS);
    CU_ASSERT_EQUAL(warm(4096 * KIB), SETUP + 2 * 4096 * KIB * TIME_NS);
    tear_down();
}

// Halfway between the two, half of the bytes miss.
static void test_between(void)
{
    set_up();
    int64_t bytes = 160 * KIB;
    CU_ASSERT_EQUAL(warm(bytes), SETUP + (bytes / 2 + 2 * (bytes / 2)) * TIME_NS);
    int64_t quarter = 144 * KIB;
    CU_ASSERT_EQUAL(warm(quarter), SETUP + (quarter * 3 / 4 + 2 * (quarter / 4)) * TIME_NS);
    tear_down();
}

// Bytes that a device wrote are in no cache, however few they are.
static void test_cold(void)
{
    set_up();
    CU_ASSERT_EQUAL(memory_copy_time(&config, cpu, 0, COPY_COLD), 0);
    for (int64_t bytes = 1; bytes <= 512 * KIB; bytes = 3 * bytes + 1)
        CU_ASSERT_EQUAL(memory_copy_time(&config, cpu, bytes, COPY_COLD),
                        SETUP + 2 * bytes * TIME_NS);
    tear_down();
}

static void test_no_cache(void)
{
    struct memory_config without = config;
    without.cache = 0;
    set_up();
    CU_ASSERT_EQUAL(memory_copy_time(&without, cpu, 100, COPY_WARM), SETUP + 200 * TIME_NS);
    without.cache = 1;
    CU_ASSERT_EQUAL(memory_copy_time(&without, cpu, 100, COPY_WARM), SETUP + 200 * TIME_NS);
    tear_down();
}

// A longer copy never takes less time; a cold one never less than a warm one. Odd rates, so that
// nothing divides evenly.
static void test_monotone(void)
{
    struct memory_config odd = config;
    odd.copy_cached = 1199999999;
    odd.copy_uncached = 599999993;
    set_up();
    sim_time last = 0, last_cold = 0;
    int wrong = 0;
    for (int64_t bytes = 0; bytes <= 420 * KIB; bytes += bytes < 4 * KIB ? 1 : 7) {
        sim_time time = memory_copy_time(&odd, cpu, bytes, COPY_WARM);
        sim_time cold = memory_copy_time(&odd, cpu, bytes, COPY_COLD);
        wrong += time < last || cold < last_cold || cold < time;
        last = time;
        last_cold = cold;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    tear_down();
}

// Four ways of 64 KiB that replace the least recently used line: all hits up to the cache's size,
// and from five lines in every set on nothing does. Between them the lines of the sets with five
// are missed: of a copy of 144 KiB half the sets have four lines, and half have five.
static void test_ways(void)
{
    struct memory_config ways = config;
    ways.cache_ways = 4;
    set_up();
    CU_ASSERT_EQUAL(memory_copy_time(&ways, cpu, 128 * KIB, COPY_WARM),
                    SETUP + 128 * KIB * TIME_NS);
    int64_t bytes = 144 * KIB, missed = bytes * 5 / 9;
    CU_ASSERT_EQUAL(memory_copy_time(&ways, cpu, bytes, COPY_WARM),
                    SETUP + (bytes + missed) * TIME_NS);
    CU_ASSERT_EQUAL(memory_copy_time(&ways, cpu, 160 * KIB, COPY_WARM),
                    SETUP + 2 * 160 * KIB * TIME_NS);
    CU_ASSERT_EQUAL(memory_copy_time(&ways, cpu, 1000, COPY_COLD), SETUP + 2000 * TIME_NS);
    ways.cache_keeps = 0.1;
    missed = missed * 9 / 10;
    CU_ASSERT_EQUAL(memory_copy_time(&ways, cpu, bytes, COPY_WARM),
                    SETUP + (bytes + missed) * TIME_NS);
    CU_ASSERT_EQUAL(memory_copy_time(&ways, cpu, 192 * KIB, COPY_WARM),
                    SETUP + 2 * 192 * KIB * TIME_NS);
    tear_down();
}

// The model of the ways against a cache that is gone through line by line: each set keeps the lines
// that were used last. The source begins at a set's first line, the destination half a way further.
static int64_t misses_by_simulation(int64_t bytes)
{
    enum { WAYS = 4, LINE = 32, SETS = 256 * KIB / WAYS / LINE, ROUNDS = 4 };
    static int64_t tag[SETS][WAYS];
    int64_t misses = 0, lines = bytes / LINE, apart = INT64_C(1) << 30;
    memset(tag, 0xff, sizeof(tag));
    for (int round = 0; round < ROUNDS; round++)
        for (int64_t i = 0; i < 2 * lines; i++) {
            int64_t line = i % 2 == 0 ? i / 2 : apart + SETS / 2 + i / 2;
            int64_t *set = tag[line % SETS];
            int way = 0;
            while (way < WAYS - 1 && set[way] != line)
                way++;
            misses += set[way] != line && round == ROUNDS - 1;
            memmove(set + 1, set, (size_t)way * sizeof(*set));
            set[0] = line;
        }
    return misses * LINE / 2;
}

static void test_ways_simulated(void)
{
    struct memory_config ways = config;
    ways.cache_ways = 4;
    set_up();
    for (int64_t bytes = 4 * KIB; bytes <= 200 * KIB; bytes += 4 * KIB) {
        sim_time time = memory_copy_time(&ways, cpu, bytes, COPY_WARM) - SETUP;
        int64_t missed = time / TIME_NS - bytes;
        CU_ASSERT(llabs(missed - misses_by_simulation(bytes)) <= 1);
    }
    tear_down();
}

// A piece of a long message finds in the cache what the whole of it leaves there.
static void test_within(void)
{
    struct memory_config ways = config;
    ways.cache_ways = 4;
    set_up();
    CU_ASSERT_EQUAL(
        memory_copy_time_within(&ways, cpu, 1000, (struct copy_reuse){256 * KIB, 256 * KIB}),
        SETUP + 1000 * TIME_NS);
    CU_ASSERT_EQUAL(
        memory_copy_time_within(&ways, cpu, 1000, (struct copy_reuse){512 * KIB, 512 * KIB}),
        SETUP + 2000 * TIME_NS);
    CU_ASSERT_EQUAL(
        memory_copy_time_within(&config, cpu, 1000, (struct copy_reuse){320 * KIB, 320 * KIB}),
        SETUP + 1500 * TIME_NS);
    tear_down();
}

// Source and destination are each in the cache or not, and of what a copy out of main memory moves
// the source is one part.
static void test_sides(void)
{
    struct memory_config ways = config;
    ways.cache_ways = 4;
    set_up();
    struct copy_reuse buffer_is_there = {512 * KIB, 128 * KIB},
                      source_is_there = {128 * KIB, 512 * KIB},
                      from_device = {COPY_NEVER, 128 * KIB}, neither = {COPY_NEVER, COPY_NEVER};
    for (int64_t traffic = 2; traffic <= 4; traffic++) {
        ways.copy_traffic = traffic;
        sim_time in = 12000 / traffic * TIME_NS, out = (12000 - 12000 / traffic) * TIME_NS;
        sim_time all = SETUP + 12000 * TIME_NS; // and a nanosecond more for each byte that misses
        CU_ASSERT_EQUAL(memory_copy_time_within(&ways, cpu, 12000, buffer_is_there), all + in);
        CU_ASSERT_EQUAL(memory_copy_time_within(&ways, cpu, 12000, source_is_there), all + out);
        CU_ASSERT_EQUAL(memory_copy_time_within(&ways, cpu, 12000, from_device), all + in);
        CU_ASSERT_EQUAL(memory_copy_time_within(&ways, cpu, 12000, neither), all + in + out);
        CU_ASSERT_EQUAL(memory_copy_time_within(&ways, cpu, 12000, neither),
                        memory_copy_time(&ways, cpu, 12000, COPY_COLD));
    }
    tear_down();
}

// An update takes the longer of its work and its memory accesses, which are three bytes over the
// bus per byte that misses: one and a half times those of a copy that moves two.
static void test_update(void)
{
    struct memory_config two = config;
    two.copy_traffic = 2;
    set_up();
    struct copy_reuse near = {2000, 2000}, never = {COPY_NEVER, COPY_NEVER},
                      from_device = {COPY_NEVER, 2000}, target_far = {2000, COPY_NEVER};
    const struct {
        const struct memory_config *memory;
        struct copy_reuse reuse;
        int64_t accesses; // ns, of 1200 B
    } rows[] = {
        {&config, near, 1200},
        {&config, never, 2400}, // as a copy, which moves three bytes as well
        {&config, from_device, 800 + 2 * 400},
        {&config, target_far, 400 + 2 * 800},
        {&two, near, 1200},
        {&two, never, 3600},
        {&two, from_device, 800 + 3 * 400},
        {&two, target_far, 400 + 3 * 800},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (int64_t work = 0; work <= 5000; work += 100)
            SUITE_SAME_INTEGER(
                memory_update_time(rows[i].memory, cpu, 1200, rows[i].reuse, work * TIME_NS),
                SETUP + MAX(rows[i].accesses, work) * TIME_NS);
    CU_ASSERT_EQUAL(memory_update_time(&config, cpu, 1200, never, 0),
                    memory_copy_time(&config, cpu, 1200, COPY_COLD));
    CU_ASSERT_EQUAL(memory_update_time(&config, cpu, 0, never, TIME_US), 0);
    tear_down();
}

static void test_pages(void)
{
    CU_ASSERT_EQUAL(memory_pages(&config, 0, 0), 0);
    CU_ASSERT_EQUAL(memory_pages(&config, 4095, 0), 0);
    CU_ASSERT_EQUAL(memory_pages(&config, 0, 1), 1);
    CU_ASSERT_EQUAL(memory_pages(&config, 0, 4096), 1);
    CU_ASSERT_EQUAL(memory_pages(&config, 0, 4097), 2);
    CU_ASSERT_EQUAL(memory_pages(&config, 4095, 1), 1);
    CU_ASSERT_EQUAL(memory_pages(&config, 4095, 2), 2);
    CU_ASSERT_EQUAL(memory_pages(&config, 4095, 4098), 3);
    CU_ASSERT_EQUAL(memory_pages(&config, INT64_C(0x8000000) + 100, 4 * KIB * KIB), 1025);
}

// ---- mem_copy charges the running handler ----

static struct stage_time {
    sim_time copy, other;
} stages;

static void add_stage(void *owner, const char *stage, sim_time time)
{
    (void)owner;
    *(strcmp(stage, "copy") == 0 ? &stages.copy : &stages.other) += time;
}

static enum cpu_next copy_run(struct cpu_context *context, struct cpu_task *task)
{
    (void)task;
    sim_time start = context->now;
    mem_copy(context, &config, 1000, COPY_WARM, MESSAGE_NONE);
    CU_ASSERT_EQUAL(context->now - start, SETUP + 1000 * TIME_NS);
    mem_copy(context, &config, 1000, COPY_COLD, MESSAGE_NONE);
    CU_ASSERT_EQUAL(context->now - start, 2 * SETUP + 3000 * TIME_NS);
    return CPU_SLEEP;
}

static void test_charges(void)
{
    set_up();
    struct cpu_task task;
    cpu_task_init(&task, cpu, CPU_USER, copy_run);
    cpu_wake(&task);
    engine_run(sim->engine, TIME_NEVER);
    stages = (struct stage_time){0};
    cpu_each_stage(cpu, add_stage, NULL);
    CU_ASSERT_EQUAL(stages.copy, 2 * SETUP + 3000 * TIME_NS);
    CU_ASSERT_EQUAL(stages.other, 0);
    CU_ASSERT_EQUAL(cpu_usage(cpu).busy[CPU_USER], stages.copy);
    tear_down();
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"cached", test_cached},
        {"uncached", test_uncached},
        {"between", test_between},
        {"cold source", test_cold},
        {"no cache to speak of", test_no_cache},
        {"monotone in the size", test_monotone},
        {"a cache with ways", test_ways},
        {"ways, line by line", test_ways_simulated},
        {"a piece of a larger work", test_within},
        {"source and destination", test_sides},
        {"an update", test_update},
        {"pages", test_pages},
        {"mem_copy charges the handler", test_charges},
        {NULL, NULL},
    };
    return suite_run("host: memory", cases);
}
