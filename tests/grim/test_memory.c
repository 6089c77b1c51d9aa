// SPDX-License-Identifier: GPL-3.0-or-later
// Registered memory and the card's translation cache, by themselves: places and sizes in closed
// form, costs, and random use against a plain reference.
#include "models/grim/memory/memory.h"
#include "tests/support/suite.h"

#include <glib.h>

#define KIB 1024
#define MIB (1024 * KIB)
#define PAGE (4 * KIB)

static const struct memory_config host_memory = {.ram = 256LL * MIB,
                                                 .page = PAGE,
                                                 .pin_limit = 8LL * MIB,
                                                 .pin_page = {.time = 300 * TIME_NS},
                                                 .unpin_page = {.time = 100 * TIME_NS}};
static const struct grim_memory_config config = {
    .region = 4 * MIB, .regions = 3, .entry_ranges = 4, .map = {.time = 20 * TIME_US}};

static const struct grim_block *registered(struct grim_memory *memory, int endpoint,
                                           enum grim_registration kind, int64_t address,
                                           int64_t bytes)
{
    const struct grim_block *block = NULL;
    CU_ASSERT_EQUAL_FATAL(grim_memory_register(memory, endpoint, kind, address, bytes, &block),
                          GRIM_REGISTERED);
    return block;
}

// grim.cfg.contiguous_regions: several pieces of 4 MB on a host of 256 MB, and no more than there
// are; each is contiguous in itself.
static void contiguous_regions(void)
{
    struct grim_memory *memory = grim_memory_new(&host_memory, &config);
    const struct grim_block *block = registered(memory, 0, GRIM_CONTIGUOUS, 0x1000, 8 * MIB);
    int64_t run;
    SUITE_SAME_INTEGER(grim_block_pieces(block), 2);
    SUITE_SAME_INTEGER(grim_block_physical(block, 0x1000, &run), 244LL * MIB);
    SUITE_SAME_INTEGER(run, 4 * MIB);
    SUITE_SAME_INTEGER(grim_block_physical(block, 0x1000 + 5 * MIB, &run), 249LL * MIB);
    SUITE_SAME_INTEGER(run, 3 * MIB);
    const struct grim_block *other;
    CU_ASSERT_EQUAL(grim_memory_register(memory, 1, GRIM_CONTIGUOUS, 0x1000, 5 * MIB, &other),
                    GRIM_NO_REGION);
    registered(memory, 1, GRIM_CONTIGUOUS, 0x1000, 4 * MIB);
    CU_ASSERT_EQUAL(grim_memory_register(memory, 2, GRIM_CONTIGUOUS, 0x1000, 1, &other),
                    GRIM_NO_REGION);
    struct grim_block was;
    CU_ASSERT_TRUE(grim_memory_deregister(memory, 0, 0x1000, &was));
    CU_ASSERT_FALSE(grim_memory_deregister(memory, 0, 0x1000, &was));
    registered(memory, 2, GRIM_CONTIGUOUS, 0x1000, 8 * MIB);
    grim_memory_free(memory);
}

// Memory that is pinned page by page: whole pages, no two of which lie together, within the limit
// of the process.
static void pages(void)
{
    struct grim_memory *memory = grim_memory_new(&host_memory, &config);
    const struct grim_block *block = registered(memory, 0, GRIM_PAGED, 0x1800, PAGE);
    int64_t run;
    SUITE_SAME_INTEGER(block->address, 0x1000);
    SUITE_SAME_INTEGER(grim_block_pieces(block), 2);
    int64_t first = grim_block_physical(block, 0x1ffc, &run);
    SUITE_SAME_INTEGER(run, 4);
    int64_t second = grim_block_physical(block, 0x2000, &run);
    SUITE_SAME_INTEGER(run, PAGE);
    CU_ASSERT_NOT_EQUAL(second, first + 4);
    const struct grim_block *other;
    CU_ASSERT_EQUAL(grim_memory_register(memory, 0, GRIM_PAGED, 0x2000, 4, &other), GRIM_OVERLAP);
    CU_ASSERT_EQUAL(grim_memory_register(memory, 0, GRIM_PAGED, 16 * MIB, 8 * MIB, &other),
                    GRIM_PIN_LIMIT);
    registered(memory, 1, GRIM_PAGED, 16 * MIB, 8 * MIB); // another process, another limit
    CU_ASSERT_PTR_NULL(grim_memory_find(memory, 0, 0x3000));
    CU_ASSERT_PTR_NOT_NULL(grim_memory_find(memory, 0, 0x2fff));
    CU_ASSERT_PTR_NULL(grim_memory_find(memory, 2, 0x2000));
    grim_memory_free(memory);
}

static void costs(void)
{
    struct host host = {
        .config = {.processor = {.clock = 1000000000, .cycle_ratio = 1}, .memory = host_memory}};
    host.config.kernel.system_call = (struct cost){.time = 2 * TIME_US};
    struct grim_memory *memory = grim_memory_new(&host_memory, &config);
    const struct grim_block *paged = registered(memory, 0, GRIM_PAGED, 0, 10 * PAGE);
    SUITE_SAME_INTEGER(grim_memory_register_cost(&host, &config, paged), 5 * TIME_US);
    SUITE_SAME_INTEGER(grim_memory_deregister_cost(&host, paged), 3 * TIME_US);
    const struct grim_block *contiguous = registered(memory, 0, GRIM_CONTIGUOUS, 1 * MIB, 5 * MIB);
    SUITE_SAME_INTEGER(grim_memory_register_cost(&host, &config, contiguous), 42 * TIME_US);
    SUITE_SAME_INTEGER(grim_memory_deregister_cost(&host, contiguous), 2 * TIME_US);
    grim_memory_free(memory);
}

// The kernel's answer: a window of the block that one entry can hold.
static void windows(void)
{
    struct grim_memory *memory = grim_memory_new(&host_memory, &config);
    const struct grim_block *paged = registered(memory, 0, GRIM_PAGED, 0, 6 * PAGE);
    struct grim_translation window = grim_block_translation(paged, PAGE + 5, 4);
    SUITE_SAME_INTEGER(window.address, PAGE);
    SUITE_SAME_INTEGER(window.bytes, 4 * PAGE);
    SUITE_SAME_INTEGER(grim_translation_run(&window, PAGE + 5), PAGE - 5);
    window = grim_block_translation(paged, 4 * PAGE, 4); // the block ends first
    SUITE_SAME_INTEGER(window.bytes, 2 * PAGE);
    const struct grim_block *whole = registered(memory, 0, GRIM_CONTIGUOUS, 1 * MIB, MIB);
    window = grim_block_translation(whole, 1 * MIB + 77, 4);
    SUITE_SAME_INTEGER(window.address, 1 * MIB);
    SUITE_SAME_INTEGER(grim_translation_run(&window, 1 * MIB + 77), MIB - 77);
    grim_memory_free(memory);
}

static struct grim_translation page_of(int endpoint, int64_t page)
{
    return (struct grim_translation){endpoint, page * PAGE, PAGE, PAGE};
}

// grim.rm.translation_cache: a static region that is never displaced, and a dynamic one in which
// the entry used longest ago makes room; static entries are searched first.
static void cache_regions(void)
{
    struct grim_cache *cache = grim_cache_new(2, 2);
    struct grim_translation evicted;
    int64_t looked;
    for (int64_t page = 0; page < 2; page++)
        CU_ASSERT_TRUE(
            grim_cache_add_static(cache, &(struct grim_translation){0, page * MIB, MIB, MIB}));
    struct grim_translation more = {0, 2 * MIB, MIB, MIB};
    CU_ASSERT_FALSE(grim_cache_add_static(cache, &more));
    grim_cache_add_dynamic(cache, &more, &evicted);
    SUITE_SAME_INTEGER(evicted.endpoint, -1);
    CU_ASSERT_PTR_NOT_NULL(grim_cache_find(cache, 0, MIB + 5, &looked));
    SUITE_SAME_INTEGER(looked, 2);
    CU_ASSERT_PTR_NOT_NULL(grim_cache_find(cache, 0, 2 * MIB, &looked));
    SUITE_SAME_INTEGER(looked, 3);
    CU_ASSERT_PTR_NULL(grim_cache_find(cache, 1, 2 * MIB, &looked)); // another endpoint's
    SUITE_SAME_INTEGER(looked, 3);
    struct grim_translation next = page_of(1, 0);
    grim_cache_add_dynamic(cache, &next, &evicted);
    CU_ASSERT_PTR_NOT_NULL(grim_cache_find(cache, 0, 2 * MIB, &looked)); // used again
    next = page_of(1, 1);
    grim_cache_add_dynamic(cache, &next, &evicted);
    SUITE_SAME_INTEGER(evicted.endpoint, 1);
    SUITE_SAME_INTEGER(evicted.address, 0);
    grim_cache_remove(cache, 0, 0, 4 * MIB);
    CU_ASSERT_PTR_NULL(grim_cache_find(cache, 0, 5, &looked));
    CU_ASSERT_PTR_NOT_NULL(grim_cache_find(cache, 1, PAGE, &looked));
    grim_cache_free(cache);
}

// The dynamic region against a reference that keeps pages in a list, the one used last in front.
static void cache_random(void)
{
    GRand *random = g_rand_new_with_seed(7);
    for (int round = 0; round < 50; round++) {
        guint size = (guint)g_rand_int_range(random, 1, 9);
        struct grim_cache *cache = grim_cache_new(0, size);
        GQueue reference = G_QUEUE_INIT;
        for (int step = 0; step < 300; step++) {
            int page = g_rand_int_range(random, 0, 14);
            int64_t looked;
            GList *place = g_queue_find(&reference, GINT_TO_POINTER(page + 1));
            bool hit = grim_cache_find(cache, 3, page * PAGE + page, &looked) != NULL;
            CU_ASSERT_EQUAL_FATAL(hit, place != NULL);
            if (place) {
                g_queue_unlink(&reference, place);
                g_queue_push_head_link(&reference, place);
                continue;
            }
            struct grim_translation made = page_of(3, page), evicted;
            grim_cache_add_dynamic(cache, &made, &evicted);
            int gone = evicted.endpoint < 0 ? 0 : (int)(evicted.address / PAGE) + 1;
            int expected = 0;
            if (g_queue_get_length(&reference) == size)
                expected = GPOINTER_TO_INT(g_queue_pop_tail(&reference));
            CU_ASSERT_EQUAL_FATAL(gone, expected);
            g_queue_push_head(&reference, GINT_TO_POINTER(page + 1));
        }
        g_queue_clear(&reference);
        grim_cache_free(cache);
    }
    g_rand_free(random);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"grim.cfg.contiguous_regions", contiguous_regions},
        {"pinned pages", pages},
        {"what registering costs", costs},
        {"windows of a block", windows},
        {"grim.rm.translation_cache: static and dynamic entries", cache_regions},
        {"random use of the cache", cache_random},
        {0},
    };
    return suite_run("grim: memory", cases);
}
