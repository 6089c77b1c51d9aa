// SPDX-License-Identifier: GPL-3.0-or-later
// Cost of a search in the registration cache in each structure, over the number of areas, with the
// VIA RPI's own parameters on cluster 1's processor (1.4 GHz).
//
// via.pincache.avl_breakeven: the thesis takes a tree because it is nearly as quick as a hash table
// with less than about 3000 areas; via.pincache.hybrid_lookup_overhead: it found a table in front
// of the tree to cost 2 to 4 us more. The model charges comparisons and probes: a tree of 3000
// areas is at most 14 levels high, so it stays within a microsecond of the table; and a probe of
// the table before the tree costs a tenth of a microsecond, not 2 to 4. No count of instructions
// explains the thesis's number, which is not reproduced, as this test shows.
#include "models/via/lam_via/pin_cache.h"
#include "models/via/lam_via/rpi.h"
#include "tests/support/suite.h"
#include "tests/support/world_via.h"

#define PAGE INT64_C(4096)
#define BASE INT64_C(0x30000000)
#define CLOCK_GHZ 1.4

struct bench {
    struct world *world;
    struct via_node *node;
    struct pin_cache *cache;
    int areas;
    sim_time hit, part; // of searches, on average
};

// Every second page is an area of its own.
static int64_t area_address(int number)
{
    return BASE + 2 * PAGE * number;
}

static void take(struct cpu_context *context, struct bench *bench, int64_t address, int64_t bytes)
{
    struct pin_area *area = pin_cache_acquire(context, bench->cache, address, bytes);
    CU_ASSERT_PTR_NOT_NULL_FATAL(area);
    pin_cache_release(context, bench->cache, area);
}

static bool fill_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct bench *bench = argument;
    (void)node;
    for (int i = 0; i < bench->areas; i++) // not in the order of addresses
        take(context, bench, area_address((int)((int64_t)i * 7919 % bench->areas)), PAGE);
    return true;
}

static bool search_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct bench *bench = argument;
    sim_time start = context->now;
    (void)node;
    for (int i = 0; i < bench->areas; i++)
        take(context, bench, area_address(i), PAGE);
    bench->hit = (context->now - start) / bench->areas;
    start = context->now;
    for (int i = 0; i < bench->areas; i++)
        take(context, bench, area_address(i) + 64, PAGE - 64);
    bench->part = (context->now - start) / bench->areas;
    return true;
}

static struct pin_search rpi_search(enum pin_structure structure)
{
    struct diag_list *diags = diag_list_new();
    struct param_values *values = param_read(&rpi_table, NULL, "lam_via", diags);
    struct pin_search search = ((const struct rpi_config *)values->values)->pins;
    search.structure = structure;
    param_values_free(values);
    diag_list_free(diags);
    return search;
}

static sim_time cycles(struct cost cost)
{
    return cost_time(cost, INT64_C(1400) * 1000 * 1000);
}

// Searches `areas` areas: for a whole one, and for a part of one that begins elsewhere.
static struct bench measure(enum pin_structure structure, int areas)
{
    const char *sets[] = {"host.memory.pin_limit=400 MiB", "host.processor.clock=1.4 GHz", NULL};
    struct bench bench = {.world = world_new(&world_via, world_pair, sets, NULL), .areas = areas};
    struct pin_search search = rpi_search(structure);
    bench.node = via_node(bench.world, 0);
    bench.cache = pin_cache_new(bench.node->nic, 1, &search, "cache");
    world_do(bench.node, fill_job, &bench);
    world_do(bench.node, search_job, &bench);
    world_run(bench.world);
    SUITE_SAME_INTEGER(pin_cache_areas(bench.cache), areas);
    pin_cache_free(bench.cache);
    world_free(bench.world);
    return bench;
}

// A balanced tree of n areas has between log2 and 1.44 log2 levels; the average search ends one or
// two above the lowest.
static void test_tree(void)
{
    for (int areas = 1; areas <= 16384; areas *= 4) {
        struct bench tree = measure(PIN_AVL, areas);
        double comparisons = ((double)tree.hit / 1000 * CLOCK_GHZ - 300) / 60;
        int levels = 0;
        while (1 << levels < areas + 1)
            levels++;
        CU_ASSERT(comparisons >= levels - 2);
        CU_ASSERT(comparisons <= 1.44 * levels + 1);
        CU_ASSERT(tree.part == tree.hit);
    }
}

// The table's chains grow with what is in it: areas / buckets / 2 entries before the right one.
static void test_table(void)
{
    struct bench few = measure(PIN_HASH, 64), many = measure(PIN_HASH, 8192);
    double probes = (double)(many.hit - few.hit) / 1000 * CLOCK_GHZ / 40;
    CU_ASSERT(probes > 3 && probes < 5); // 8192 / 1021 / 2 = 4
    CU_ASSERT(few.hit < measure(PIN_AVL, 64).hit);
    // A part that begins elsewhere is found by a walk through half of all areas.
    CU_ASSERT(few.part > measure(PIN_AVL, 64).part);
    CU_ASSERT(many.part > 50 * measure(PIN_AVL, 8192).part);
}

// via.pin.exact_match_hash_fails: the table alone has an area under its start address only. A part
// that begins elsewhere in it is not found there, but by going through the list of areas, one of
// which is compared here; a table in front of the tree asks the tree.
static void test_exact_match(void)
{
    struct pin_search costs = rpi_search(PIN_HASH);
    struct bench table = measure(PIN_HASH, 1), both = measure(PIN_HYBRID, 1);
    sim_time hash = cycles(costs.lookup) + cycles(costs.hash);
    SUITE_SAME_INTEGER(table.hit, hash + cycles(costs.probe));
    SUITE_SAME_INTEGER(table.part, hash + cycles(costs.compare));
    SUITE_SAME_INTEGER(both.hit, table.hit);
    SUITE_SAME_INTEGER(both.part, table.part);
    // Of 64, which were all found a moment ago, the wanted one is the one before last.
    struct bench many = measure(PIN_HASH, 64);
    CU_ASSERT(many.part > hash + 60 * cycles(costs.compare));
}

// via.pincache.avl_breakeven
static void test_tree_against_table(void)
{
    CU_ASSERT(measure(PIN_AVL, 4).hit - measure(PIN_HASH, 4).hit < 100 * TIME_NS);
    sim_time gap = measure(PIN_AVL, 3000).hit - measure(PIN_HASH, 3000).hit;
    CU_ASSERT(gap > 0 && gap < 600 * TIME_NS);
}

// via.pincache.hybrid_lookup_overhead: known not to be reproduced. The table costs a tenth of a
// microsecond where it has nothing, and is quicker than the tree where it has something.
static void test_table_in_front_of_tree(void)
{
    for (int areas = 4; areas <= 4096; areas *= 32) {
        struct bench tree = measure(PIN_AVL, areas), hybrid = measure(PIN_HYBRID, areas);
        sim_time extra = hybrid.part - tree.part;
        CU_ASSERT(extra > 40 * TIME_NS && extra < 200 * TIME_NS);
        CU_ASSERT(hybrid.hit < tree.hit || areas < 8);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"the tree", test_tree},
        {"the table", test_table},
        {"via.pin.exact_match_hash_fails", test_exact_match},
        {"tree against table", test_tree_against_table},
        {"table in front of the tree", test_table_in_front_of_tree},
        {0},
    };
    return suite_run("via: pin cache, structures", cases);
}
