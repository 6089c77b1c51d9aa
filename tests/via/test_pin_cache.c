// SPDX-License-Identifier: GPL-3.0-or-later
// The registration cache, case by case. The id of the claim that a test checks stands before it;
// random use against a naive model is in test_pin_cache_random.c.
//
// The hosts of these tests may pin 16 pages of 4 KiB. Addresses and lengths are given in pages
// unless stated otherwise.
#include "models/via/lam_via/pin_cache.h"
#include "tests/support/suite.h"
#include "tests/support/transition_log.h"
#include "tests/support/world_via.h"

#define PAGE 4096
#define BASE INT64_C(0x30000000)
#define LOOKUP (700 * TIME_NS)

struct bench {
    struct transition_log *log;
    struct world *world;
    struct via_node *node;
    struct pin_cache *cache;
};

static struct bench bench_new(void)
{
    const char *sets[] = {"host.memory.pin_limit=64 KiB", NULL};
    struct bench bench = {.log = transition_log_new("pin", true)};
    bench.world = world_new(&world_via, world_pair, sets, &bench.log->sink.trace);
    bench.node = via_node(bench.world, 0);
    bench.cache = pin_cache_new(bench.node->nic, vip_create_ptag(bench.node->nic),
                                &(struct pin_search){.lookup = {.time = LOOKUP}}, "cache");
    return bench;
}

static void bench_free(struct bench *bench)
{
    pin_cache_free(bench->cache);
    world_free(bench->world);
    transition_log_free(bench->log);
}

// ---- Calls ----

struct call {
    struct pin_cache *cache;
    int64_t address, bytes;
    struct pin_area *area;
    sim_time cost;
};

static bool acquire_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct call *call = argument;
    sim_time start = context->now;
    (void)node;
    call->area = pin_cache_acquire(context, call->cache, call->address, call->bytes);
    call->cost = context->now - start;
    return true;
}

static bool release_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct call *call = argument;
    (void)node;
    pin_cache_release(context, call->cache, call->area);
    return true;
}

static struct call acquire_bytes(struct bench *bench, int64_t address, int64_t bytes)
{
    struct call call = {.cache = bench->cache, .address = BASE + address, .bytes = bytes};
    world_do(bench->node, acquire_job, &call);
    world_run(bench->world);
    return call;
}

static struct pin_area *acquire(struct bench *bench, int from, int pages)
{
    return acquire_bytes(bench, (int64_t)from * PAGE, (int64_t)pages * PAGE).area;
}

static void release(struct bench *bench, struct pin_area *area)
{
    struct call call = {.cache = bench->cache, .area = area};
    world_do(bench->node, release_job, &call);
    world_run(bench->world);
}

// An area that was acquired once and released: cached and unused.
static struct pin_area *leave(struct bench *bench, int from, int pages)
{
    struct pin_area *area = acquire(bench, from, pages);
    if (area)
        release(bench, area);
    return area;
}

static bool is(const struct pin_area *area, int from, int pages)
{
    return area && area->address == BASE + (int64_t)from * PAGE &&
           area->end == BASE + (int64_t)(from + pages) * PAGE;
}

static int64_t pinned_pages(const struct bench *bench)
{
    return vip_pinned_bytes(bench->node->nic) / PAGE;
}

static bool usable(const struct bench *bench, const struct pin_area *area)
{
    return vip_mem_valid(bench->node->nic, area->handle, area->address, area->end - area->address);
}

// The cache's steps since the last call: "p" and the page for the subject, then the event, as "p3
// registered, p3 released".
static void check_steps(struct bench *bench, const char *expected)
{
    GString *text = g_string_new(NULL);
    char **lines = g_strsplit(bench->log->text->str, "\n", -1);
    for (char **line = lines; *line && **line; line++) {
        gint64 subject = g_ascii_strtoll(strchr(*line, '[') + 1, NULL, 10);
        const char *event = strstr(*line, "-> ") + 3;
        g_string_append_printf(text, "%sp%d %.*s", text->len ? ", " : "",
                               (int)((subject - BASE) / PAGE), (int)strcspn(event, " "), event);
    }
    SUITE_SAME_TEXT(text->str, expected);
    g_string_truncate(bench->log->text, 0);
    g_strfreev(lines);
    g_string_free(text, TRUE);
}

// ---- Comparison ----

// via.pin.compare_function: all positions of two intervals, touching ones included. a is [10, 20).
static void test_compare(void)
{
    static const struct {
        int64_t from, to;
        int expected; // of a against it
    } others[] = {
        {0, 5, 1},                 // well below
        {0, 10, 1},                // below, touching
        {0, 11, 0},                // overlaps from below
        {0, 19, 0},   {0, 20, 0},  // contains a, with the same end
        {0, 30, 0},                // contains a
        {10, 11, 0},  {10, 19, 0}, // within a, with the same start
        {10, 20, 0},               // the same
        {10, 30, 0},               // contains a, with the same start
        {11, 12, 0},  {12, 19, 0}, // within a
        {11, 20, 0},  {19, 20, 0}, // within a, with the same end
        {11, 30, 0},  {19, 30, 0}, // overlaps from above
        {20, 30, -1},              // above, touching
        {21, 22, -1},              // above
    };
    struct pin_area a = {.address = 10, .end = 20};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        struct pin_area b = {.address = others[i].from, .end = others[i].to};
        SUITE_SAME_INTEGER(pin_area_compare(&a, &b), others[i].expected);
        SUITE_SAME_INTEGER(pin_area_compare(&b, &a), -others[i].expected);
    }
}

// via.pin.compare_function: the three rules as they are written, for all pairs of small intervals.
static void test_compare_rules(void)
{
    int wrong = 0;
    for (int64_t a = 0; a < 6; a++)
        for (int64_t a_end = a + 1; a_end <= 6; a_end++)
            for (int64_t b = 0; b < 6; b++)
                for (int64_t b_end = b + 1; b_end <= 6; b_end++) {
                    struct pin_area left = {.address = a, .end = a_end},
                                    right = {.address = b, .end = b_end};
                    int expected = a < b && a_end <= b ? -1 : a >= b_end && a_end > b_end ? 1 : 0;
                    wrong += pin_area_compare(&left, &right) != expected;
                    // Equal means that they have a byte in common.
                    wrong += (expected == 0) != (a < b_end && b < a_end);
                }
    CU_ASSERT_EQUAL(wrong, 0);
}

// ---- Reuse ----

// via.pin.lazy_deregistration: a registration outlives its use; the next one costs a search.
static void test_lazy_deregistration(void)
{
    struct bench bench = bench_new();
    struct call first = acquire_bytes(&bench, 0, 3 * PAGE);
    sim_time registration = (521 + 2017 + 3 * 509) * TIME_NS;
    SUITE_SAME_INTEGER(first.cost, LOOKUP + registration);
    release(&bench, first.area);
    CU_ASSERT_EQUAL(pinned_pages(&bench), 3);
    CU_ASSERT_EQUAL(pin_cache_areas(bench.cache), 1);
    CU_ASSERT(usable(&bench, first.area));
    for (int i = 0; i < 10; i++) {
        struct call again = acquire_bytes(&bench, 0, 3 * PAGE);
        CU_ASSERT_PTR_EQUAL(again.area, first.area);
        SUITE_SAME_INTEGER(again.cost, LOOKUP);
        release(&bench, again.area);
    }
    struct pin_cache_stats stats = pin_cache_stats(bench.cache);
    CU_ASSERT(stats.registrations == 1 && stats.hits == 10);
    CU_ASSERT(stats.evictions == 0 && stats.replacements == 0 && stats.refusals == 0);
    bench_free(&bench);
}

// via.pin.subset_reuse: what lies within a registered area is used through its handle.
static void test_subset_reuse(void)
{
    static const struct {
        int64_t from, bytes;
    } parts[] = {{0, 4 * PAGE},     {0, 1}, {0, PAGE}, {100, 5000}, {PAGE, 3 * PAGE},
                 {4 * PAGE - 1, 1}, {17, 0}};
    struct bench bench = bench_new();
    struct pin_area *whole = acquire(&bench, 0, 4);
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        CU_ASSERT_PTR_EQUAL(acquire_bytes(&bench, parts[i].from, parts[i].bytes).area, whole);
    CU_ASSERT_EQUAL(whole->refcount, 1 + (int)G_N_ELEMENTS(parts));
    CU_ASSERT_EQUAL(pinned_pages(&bench), 4);
    CU_ASSERT_EQUAL(pin_cache_stats(bench.cache).registrations, 1);
    bench_free(&bench);
}

// A message of no bytes still has a buffer: its first byte stands for it.
static void test_no_bytes(void)
{
    struct bench bench = bench_new();
    const struct pin_area *area = acquire_bytes(&bench, 100, 0).area;
    CU_ASSERT(area && area->address == BASE + 100 && area->end == BASE + 101);
    CU_ASSERT_EQUAL(pinned_pages(&bench), 1);
    CU_ASSERT_PTR_EQUAL(acquire_bytes(&bench, 100, 0).area, area);
    CU_ASSERT_PTR_EQUAL(acquire_bytes(&bench, 100, 1).area, area);
    bench_free(&bench);
}

// The tree finds areas of any size by what lies in them (via.pin.exact_match_hash_fails: a table of
// start addresses doesn't; test_pin_structures.c).
static void test_other_start(void)
{
    struct bench bench = bench_new();
    struct pin_area *areas[] = {leave(&bench, 0, 3), leave(&bench, 4, 5), leave(&bench, 10, 4)};
    CU_ASSERT_PTR_EQUAL(acquire(&bench, 1, 1), areas[0]);
    CU_ASSERT_PTR_EQUAL(acquire(&bench, 6, 2), areas[1]);
    CU_ASSERT_PTR_EQUAL(acquire(&bench, 13, 1), areas[2]);
    CU_ASSERT_EQUAL(pin_cache_stats(bench.cache).hits, 3);
    bench_free(&bench);
}

// ---- Overlap ----

// via.pin.overlap_reregister, via.pin.overlap_replaces_old: a partial overlap or a superset is
// registered as a whole, after the overlapped areas have been deregistered.
static void check_overlap(int from, int pages, const char *steps)
{
    struct bench bench = bench_new();
    leave(&bench, 2, 3);
    leave(&bench, 6, 2);
    g_string_truncate(bench.log->text, 0);
    struct pin_area *area = acquire(&bench, from, pages);
    CU_ASSERT(is(area, from, pages));
    CU_ASSERT(usable(&bench, area));
    CU_ASSERT_EQUAL(area->refcount, 1);
    CU_ASSERT_EQUAL(pin_cache_stats(bench.cache).hits, 0);
    check_steps(&bench, steps);
    bench_free(&bench);
}

static void test_overlap(void)
{
    check_overlap(1, 2, "p2 replaced, p1 registered");
    check_overlap(4, 2, "p2 replaced, p4 registered");
    check_overlap(0, 6, "p2 replaced, p0 registered");
    check_overlap(2, 4, "p2 replaced, p2 registered");
    check_overlap(1, 4, "p2 replaced, p1 registered");
    // Touching is not overlapping.
    check_overlap(5, 1, "p5 registered");
    check_overlap(0, 2, "p0 registered");
    check_overlap(8, 3, "p8 registered");
}

// Several overlapped areas are all replaced, in whatever order they are found.
static void test_overlap_of_several(void)
{
    struct bench bench = bench_new();
    leave(&bench, 0, 2);
    leave(&bench, 3, 2);
    leave(&bench, 6, 2);
    leave(&bench, 9, 2);
    struct pin_area *area = acquire(&bench, 1, 6);
    CU_ASSERT(is(area, 1, 6) && usable(&bench, area));
    CU_ASSERT_EQUAL(pin_cache_areas(bench.cache), 2);
    CU_ASSERT_EQUAL(pinned_pages(&bench), 8);
    CU_ASSERT_EQUAL(pin_cache_stats(bench.cache).replacements, 3);
    bench_free(&bench);
}

// via.pin.overlap_replaces_old: first the old area is deregistered, so that its pages are free for
// the new.
static void test_replaced_before(void)
{
    struct bench bench = bench_new();
    leave(&bench, 0, 10);
    g_string_truncate(bench.log->text, 0);
    CU_ASSERT(is(acquire(&bench, 4, 16), 4, 16));
    check_steps(&bench, "p0 replaced, p4 registered");
    CU_ASSERT_EQUAL(pin_cache_stats(bench.cache).evictions, 0);
    bench_free(&bench);
}

// via.pin.overpin_hazard: the reason for it. The new area stays whole whatever is deregistered
// later.
static void test_no_overpinning(void)
{
    struct bench bench = bench_new();
    leave(&bench, 0, 4);
    struct pin_area *area = acquire(&bench, 2, 6);
    leave(&bench, 9, 7);
    acquire(&bench, 9, 8);
    CU_ASSERT(usable(&bench, area));
    bench_free(&bench);
}

// ---- Use ----

// via.pin.busy_area_blocks: an overlapped area in use can't be replaced; the request is refused,
// for now.
static void test_busy_area_blocks(void)
{
    struct bench bench = bench_new();
    struct pin_area *old = acquire(&bench, 2, 3);
    g_string_truncate(bench.log->text, 0);
    CU_ASSERT_PTR_NULL(acquire(&bench, 4, 3));
    CU_ASSERT_PTR_NULL(acquire(&bench, 0, 8));
    check_steps(&bench, "p2 busy, p4 refused, p2 busy, p0 refused");
    CU_ASSERT_EQUAL(pin_cache_stats(bench.cache).refusals, 2);
    CU_ASSERT(usable(&bench, old));
    CU_ASSERT_EQUAL(pinned_pages(&bench), 3);
    release(&bench, old);
    CU_ASSERT(is(acquire(&bench, 4, 3), 4, 3));
    bench_free(&bench);
}

// via.pin.refcount: it counts the requests that use an area; the last one frees it.
static void test_refcount(void)
{
    struct bench bench = bench_new();
    struct pin_area *area = acquire(&bench, 0, 4);
    CU_ASSERT(area->refcount == 1 && area->lru_ok);
    CU_ASSERT_PTR_EQUAL(acquire(&bench, 1, 1), area);
    CU_ASSERT_PTR_EQUAL(acquire(&bench, 2, 2), area);
    CU_ASSERT_EQUAL(area->refcount, 3);
    for (int left = 2; left >= 0; left--) {
        CU_ASSERT_PTR_NULL(acquire(&bench, 3, 2));
        release(&bench, area);
        CU_ASSERT_EQUAL(area->refcount, left);
    }
    CU_ASSERT(is(acquire(&bench, 3, 2), 3, 2));
    bench_free(&bench);
}

// ---- Eviction ----

// via.pin.lru_eviction: from the tail, one by one, and no more than needed.
static void test_lru_eviction(void)
{
    struct bench bench = bench_new();
    leave(&bench, 0, 4);
    leave(&bench, 10, 4);
    leave(&bench, 20, 4);
    leave(&bench, 30, 4);
    // Used again, and thus the youngest now.
    leave(&bench, 0, 1);
    g_string_truncate(bench.log->text, 0);
    CU_ASSERT(is(acquire(&bench, 40, 1), 40, 1));
    check_steps(&bench, "p10 evicted, p40 registered");
    // Three pages are free; four more are needed.
    CU_ASSERT(is(acquire(&bench, 50, 7), 50, 7));
    check_steps(&bench, "p20 evicted, p50 registered");
    CU_ASSERT(is(acquire(&bench, 60, 8), 60, 8));
    check_steps(&bench, "p30 evicted, p0 evicted, p60 registered");
    CU_ASSERT_EQUAL(pinned_pages(&bench), 16);
    CU_ASSERT_EQUAL(pin_cache_stats(bench.cache).evictions, 4);
    bench_free(&bench);
}

// via.pin.lru_eviction: areas that are in use, or that may not be removed by age, are passed over.
static void test_eviction_skips(void)
{
    struct bench bench = bench_new();
    struct pin_area *used = acquire(&bench, 0, 4), *kept = leave(&bench, 10, 4);
    leave(&bench, 20, 4);
    leave(&bench, 30, 4);
    kept->lru_ok = false;
    g_string_truncate(bench.log->text, 0);
    CU_ASSERT(is(acquire(&bench, 40, 5), 40, 5));
    check_steps(&bench, "p20 evicted, p30 evicted, p40 registered");
    CU_ASSERT(usable(&bench, used) && usable(&bench, kept));
    bench_free(&bench);
}

// via.pin.lru_eviction: when all that is left is in use, nothing more can be pinned now.
static void test_all_in_use(void)
{
    struct bench bench = bench_new();
    struct pin_area *areas[] = {acquire(&bench, 0, 6), acquire(&bench, 10, 6)};
    leave(&bench, 20, 2);
    g_string_truncate(bench.log->text, 0);
    CU_ASSERT_PTR_NULL(acquire(&bench, 30, 5));
    check_steps(&bench, "p20 evicted, p30 refused");
    release(&bench, areas[0]);
    g_string_truncate(bench.log->text, 0);
    CU_ASSERT(is(acquire(&bench, 30, 5), 30, 5));
    check_steps(&bench, "p0 evicted, p30 registered");
    bench_free(&bench);
}

static bool evict_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct call *call = argument;
    (void)node;
    call->bytes = pin_cache_evict(context, call->cache);
    return true;
}

static bool evict(struct bench *bench)
{
    struct call call = {.cache = bench->cache};
    world_do(bench->node, evict_job, &call);
    world_run(bench->world);
    return call.bytes;
}

// via.pin.lru_eviction: other users of pinned memory take it by the same rule.
static void test_evict_for_others(void)
{
    struct bench bench = bench_new();
    CU_ASSERT_FALSE(evict(&bench));
    struct pin_area *used = acquire(&bench, 0, 2);
    leave(&bench, 10, 3);
    leave(&bench, 20, 4);
    g_string_truncate(bench.log->text, 0);
    CU_ASSERT(evict(&bench));
    CU_ASSERT_EQUAL(pinned_pages(&bench), 6);
    CU_ASSERT(evict(&bench));
    CU_ASSERT_FALSE(evict(&bench));
    check_steps(&bench, "p10 evicted, p20 evicted");
    CU_ASSERT(usable(&bench, used));
    CU_ASSERT_EQUAL(pinned_pages(&bench), 2);
    bench_free(&bench);
}

// via.cfg.pin_limit: what is longer than all that may be pinned is refused, and so is one page
// more.
static void test_longer_than_limit(void)
{
    struct bench bench = bench_new();
    CU_ASSERT_PTR_NULL(acquire(&bench, 0, 17));
    CU_ASSERT(is(acquire(&bench, 0, 16), 0, 16));
    CU_ASSERT_PTR_NULL(acquire(&bench, 20, 1));
    CU_ASSERT_EQUAL(pinned_pages(&bench), 16);
    bench_free(&bench);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"via.pin.compare_function", test_compare},
        {"via.pin.compare_function: the rules", test_compare_rules},
        {"via.pin.lazy_deregistration", test_lazy_deregistration},
        {"via.pin.subset_reuse", test_subset_reuse},
        {"no bytes", test_no_bytes},
        {"parts that begin elsewhere", test_other_start},
        {"via.pin.overlap_reregister, via.pin.overlap_replaces_old", test_overlap},
        {"via.pin.overlap_replaces_old: several", test_overlap_of_several},
        {"via.pin.overlap_replaces_old: before", test_replaced_before},
        {"via.pin.overpin_hazard", test_no_overpinning},
        {"via.pin.busy_area_blocks", test_busy_area_blocks},
        {"via.pin.refcount", test_refcount},
        {"via.pin.lru_eviction", test_lru_eviction},
        {"via.pin.lru_eviction: what is passed over", test_eviction_skips},
        {"via.pin.lru_eviction: all in use", test_all_in_use},
        {"via.pin.lru_eviction: for others", test_evict_for_others},
        {"via.cfg.pin_limit", test_longer_than_limit},
        {NULL, NULL},
    };
    return suite_run("via: pin cache", cases);
}
