// SPDX-License-Identifier: GPL-3.0-or-later
// Random use of the registration cache against a naive model: a list of areas, youngest first. The
// cache's steps are read from its trace, and the model judges each of them
// (via.pin.lazy_deregistration, via.pin.subset_reuse, via.pin.overlap_replaces_old,
// via.pin.busy_area_blocks, via.pin.lru_eviction).
//
// Which of several overlapped areas goes first is left to the cache.
#include "models/via/lam_via/pin_cache.h"
#include "sim/core/random.h"
#include "tests/support/suite.h"
#include "tests/support/transition_log.h"
#include "tests/support/world_via.h"

#define PAGE 4096
#define BASE INT64_C(0x30000000)
#define LIMIT (INT64_C(96) << 10)
#define MOST_AREAS 100
#define MOST_HELD 12

struct model_area {
    int64_t from, to;
    int references;
    struct pin_area *area;
};

struct model {
    struct model_area areas[MOST_AREAS]; // youngest first
    int count;
    int64_t pinned; // bytes
    int wrong;
    int refused_busy, refused_full, hits, evicted, replaced; // what the dice reached
};

struct bench {
    struct transition_log *log;
    struct world *world;
    struct via_node *node;
    struct pin_cache *cache;
    struct model model;
    int64_t from, to; // wanted
    struct pin_area *result;
};

static int64_t page_bytes(int64_t from, int64_t to)
{
    return ((to - 1) / PAGE - from / PAGE + 1) * PAGE;
}

// ---- The model ----

static void judge(struct model *model, bool good, const char *what)
{
    if (!good && model->wrong++ < 5)
        fprintf(stderr, "the cache's step is wrong: %s\n", what);
}

static int model_find(const struct model *model, int64_t from)
{
    for (int i = 0; i < model->count; i++)
        if (model->areas[i].from == from)
            return i;
    return -1;
}

static void model_remove(struct model *model, int number)
{
    struct model_area *area = &model->areas[number];
    model->pinned -= page_bytes(area->from, area->to);
    memmove(area, area + 1, (size_t)(model->count - number - 1) * sizeof *area);
    model->count--;
}

static void model_insert(struct model *model, const struct model_area *area)
{
    g_assert(model->count < MOST_AREAS);
    memmove(model->areas + 1, model->areas, (size_t)model->count * sizeof *area);
    model->areas[0] = *area;
    model->count++;
    model->pinned += page_bytes(area->from, area->to);
}

static int model_container(const struct bench *bench)
{
    for (int i = 0; i < bench->model.count; i++)
        if (bench->model.areas[i].from <= bench->from && bench->to <= bench->model.areas[i].to)
            return i;
    return -1;
}

static bool model_overlaps(const struct bench *bench, int number)
{
    const struct model_area *area = &bench->model.areas[number];
    return area->from < bench->to && bench->from < area->to;
}

static int model_overlapped(const struct bench *bench)
{
    int count = 0;
    for (int i = 0; i < bench->model.count; i++)
        count += model_overlaps(bench, i);
    return count;
}

static int model_oldest_unused(const struct model *model)
{
    for (int i = model->count - 1; i >= 0; i--)
        if (model->areas[i].references == 0)
            return i;
    return -1;
}

static bool model_fits(const struct bench *bench)
{
    return bench->model.pinned + page_bytes(bench->from, bench->to) <= LIMIT;
}

// ---- Judging the cache's steps ----

static void step_removed(struct bench *bench, int number, bool evicted)
{
    struct model *model = &bench->model;
    judge(model, number >= 0, "it removes an area that is not there");
    if (number < 0)
        return;
    judge(model, model->areas[number].references == 0, "it removes an area in use");
    if (evicted) {
        judge(model, number == model_oldest_unused(model), "it evicts another than the oldest");
        judge(model, !model_fits(bench), "it evicts though there is room");
        judge(model, model_overlapped(bench) == 0, "it evicts before it has replaced");
        model->evicted++;
    } else {
        judge(model, model_overlaps(bench, number), "it replaces an area that is not in the way");
        model->replaced++;
    }
    model_remove(model, number);
}

static void step_refused(struct bench *bench, bool busy)
{
    struct model *model = &bench->model;
    if (busy) {
        model->refused_busy++;
        return;
    }
    judge(model, !model_fits(bench), "it refuses though there is room");
    judge(model, model_oldest_unused(model) < 0, "it refuses though an area could be evicted");
    model->refused_full++;
}

static void step_hit(struct bench *bench, int number)
{
    struct model *model = &bench->model;
    judge(model, number >= 0 && number == model_container(bench),
          "it uses an area that does not hold all");
    if (number < 0)
        return;
    struct model_area area = model->areas[number];
    area.references++;
    model_remove(model, number);
    model_insert(model, &area);
    judge(model, bench->result == area.area, "it returns another area");
    model->hits++;
}

static void step_registered(struct bench *bench)
{
    struct model_area area = {bench->from, bench->to, 1, bench->result};
    judge(&bench->model, model_overlapped(bench) == 0, "it registers over another area");
    judge(&bench->model, model_fits(bench), "it registers more than the limit");
    judge(&bench->model, area.area != NULL, "it does not return what it has registered");
    if (!area.area)
        return;
    model_insert(&bench->model, &area);
}

// All steps of one request. An area that holds it must be found.
static void judge_request(struct bench *bench)
{
    bool busy = false, held = model_container(bench) >= 0, hit = false;
    char **lines = g_strsplit(bench->log->text->str, "\n", -1);
    for (char **line = lines; *line && **line; line++) {
        int number = model_find(&bench->model, g_ascii_strtoll(strchr(*line, '[') + 1, NULL, 10));
        const char *event = strstr(*line, "-> ") + 3;
        if (g_str_has_prefix(event, "hit")) {
            hit = true;
            step_hit(bench, number);
        } else if (g_str_has_prefix(event, "replaced") || g_str_has_prefix(event, "evicted")) {
            step_removed(bench, number, *event == 'e');
        } else if (g_str_has_prefix(event, "busy")) {
            busy = true;
            judge(&bench->model,
                  number >= 0 && bench->model.areas[number].references > 0 &&
                      model_overlaps(bench, number),
                  "an area that is not busy blocks it");
        } else if (g_str_has_prefix(event, "refused")) {
            step_refused(bench, busy);
        } else {
            judge(&bench->model, g_str_has_prefix(event, "registered") && !busy,
                  "it does something unknown");
            step_registered(bench);
        }
    }
    judge(&bench->model, held == hit, "it does not use the area that holds all");
    g_string_truncate(bench->log->text, 0);
    g_strfreev(lines);
}

// The invariants between any two calls.
static void check_invariants(struct bench *bench)
{
    struct model *model = &bench->model;
    int64_t sum = 0;
    for (int i = 0; i < model->count; i++) {
        const struct model_area *area = &model->areas[i];
        sum += page_bytes(area->from, area->to);
        judge(model, area->area->refcount == area->references, "its count of references differs");
        judge(model, area->area->address == area->from && area->area->end == area->to,
              "its area differs");
        judge(
            model,
            vip_mem_valid(bench->node->nic, area->area->handle, area->from, area->to - area->from),
            "one of its areas can't be used");
        for (int k = 0; k < i; k++)
            judge(model, model->areas[k].to <= area->from || area->to <= model->areas[k].from,
                  "two areas overlap");
    }
    judge(model, vip_pinned_bytes(bench->node->nic) == sum && sum <= LIMIT,
          "its pinned bytes differ");
    judge(model, pin_cache_areas(bench->cache) == model->count, "its number of areas differs");
}

// ---- The dice ----

static bool acquire_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct bench *bench = argument;
    (void)node;
    bench->result = pin_cache_acquire(context, bench->cache, bench->from, bench->to - bench->from);
    return true;
}

static bool release_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct bench *bench = argument;
    (void)node;
    pin_cache_release(context, bench->cache, bench->result);
    return true;
}

static void random_request(struct bench *bench, struct random_stream *random)
{
    bool small = random_chance(random, 0.5);
    int64_t bytes = 1 + (int64_t)random_below(random, (small ? 2 : 12) * PAGE);
    // Whole pages now and then, so that areas touch.
    bool whole = random_chance(random, 0.5);
    bench->from = BASE + (int64_t)random_below(random, 60 * PAGE);
    if (whole) {
        bench->from -= bench->from % PAGE;
        bytes += PAGE - 1 - (bytes - 1) % PAGE;
    }
    bench->to = bench->from + bytes;
}

static void release_one(struct bench *bench, struct pin_area **held, int *count, int number)
{
    bench->result = held[number];
    held[number] = held[--*count];
    for (int i = 0; i < bench->model.count; i++)
        bench->model.areas[i].references -= bench->model.areas[i].area == bench->result;
    world_do(bench->node, release_job, bench);
    world_run(bench->world);
    g_string_truncate(bench->log->text, 0);
}

static void random_use(enum pin_structure structure)
{
    const char *sets[] = {"host.memory.pin_limit=96 KiB", NULL};
    struct bench bench = {.log = transition_log_new("pin", true)};
    struct random_stream *random = random_new(4, "pins");
    struct pin_area *held[MOST_HELD];
    int count = 0;
    bench.world = world_new(&world_via, world_pair, sets, &bench.log->sink.trace);
    bench.node = via_node(bench.world, 0);
    bench.cache = pin_cache_new(
        bench.node->nic, 1, &(struct pin_search){.structure = structure, .buckets = 5}, "cache");
    for (int step = 0; step < 20000; step++) {
        if (count == MOST_HELD || (count > 0 && random_chance(random, 0.52))) {
            release_one(&bench, held, &count, (int)random_below(random, (uint64_t)count));
        } else {
            random_request(&bench, random);
            world_do(bench.node, acquire_job, &bench);
            world_run(bench.world);
            judge_request(&bench);
            if (bench.result)
                held[count++] = bench.result;
        }
        check_invariants(&bench);
    }
    const struct model *model = &bench.model;
    CU_ASSERT_EQUAL(model->wrong, 0);
    CU_ASSERT(model->hits > 1000 && model->evicted > 1000 && model->replaced > 1000);
    CU_ASSERT(model->refused_busy > 1000 && model->refused_full > 20);
    random_free(random);
    pin_cache_free(bench.cache);
    world_free(bench.world);
    transition_log_free(bench.log);
}

static void test_random(void)
{
    random_use(PIN_AVL);
}

static void test_random_hash(void)
{
    random_use(PIN_HASH);
}

static void test_random_hybrid(void)
{
    random_use(PIN_HYBRID);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"random use against a model", test_random},
        {"of a hash table", test_random_hash},
        {"of a table in front of the tree", test_random_hybrid},
        {NULL, NULL},
    };
    return suite_run("via: pin cache, random", cases);
}
