// SPDX-License-Identifier: GPL-3.0-or-later
// Registered memory: handles, pages, the limit, and what happens to pages that two regions share.
// The id of the claim that a test checks stands before it.
#include "sim/core/random.h"
#include "tests/support/suite.h"
#include "tests/support/world_via.h"

#define PAGE 4096
#define BASE INT64_C(0x20000000)
#define LIMIT (INT64_C(1) << 20) // of the test's hosts
#define PTAG 1

struct region {
    int64_t address, length;
    struct vip_mem_handle handle;
    bool registered;
    sim_time cost;
};

static bool register_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct region *region = argument;
    sim_time start = context->now;
    region->registered = vip_register_mem(context, node->nic, region->address, region->length, PTAG,
                                          &region->handle);
    region->cost = context->now - start;
    return true;
}

static bool deregister_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct region *region = argument;
    sim_time start = context->now;
    vip_deregister_mem(context, node->nic, region->handle);
    region->registered = false;
    region->cost = context->now - start;
    return true;
}

static struct region take(struct via_node *node, int64_t address, int64_t length)
{
    struct region region = {.address = address, .length = length};
    world_do(node, register_job, &region);
    world_run(node->process.world);
    return region;
}

static void give_back(struct via_node *node, struct region *region)
{
    world_do(node, deregister_job, region);
    world_run(node->process.world);
}

static bool valid(const struct via_node *node, const struct region *region, int64_t address,
                  int64_t length)
{
    return vip_mem_valid(node->nic, region->handle, address, length);
}

// ---- Handles ----

// via.via.register_api: a handle stands for exactly its region, until it is deregistered.
static void test_handles(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *node = via_node(world, 0);
    struct region a = take(node, BASE + 100, 5000), b = take(node, BASE + 90000, 10);
    CU_ASSERT(a.registered && b.registered);
    CU_ASSERT(a.handle.index > 0 && b.handle.index > 0 && a.handle.index != b.handle.index);
    CU_ASSERT(valid(node, &a, BASE + 100, 5000));
    CU_ASSERT(valid(node, &a, BASE + 5099, 1));
    CU_ASSERT_FALSE(valid(node, &a, BASE + 99, 2));
    CU_ASSERT_FALSE(valid(node, &a, BASE + 5099, 2));
    CU_ASSERT_FALSE(valid(node, &a, BASE + 90000, 1));
    CU_ASSERT_FALSE(valid(node, &b, BASE + 100, 1));
    CU_ASSERT_FALSE(vip_mem_valid(node->nic, (struct vip_mem_handle){0}, BASE + 100, 1));
    CU_ASSERT_FALSE(vip_mem_valid(node->nic, (struct vip_mem_handle){77}, BASE + 100, 1));
    give_back(node, &a);
    CU_ASSERT_FALSE(valid(node, &a, BASE + 100, 1));
    CU_ASSERT(valid(node, &b, BASE + 90000, 10));
    // Handles belong to one process.
    CU_ASSERT_FALSE(vip_mem_valid(via_node(world, 1)->nic, b.handle, BASE + 90000, 10));
    world_free(world);
}

static void test_tags(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    uint32_t first = vip_create_ptag(via_node(world, 0)->nic),
             second = vip_create_ptag(via_node(world, 0)->nic);
    CU_ASSERT(first != 0 && second != 0 && first != second);
    world_free(world);
}

// ---- Pages ----

// via.via.registration_required: whole pages are pinned until the region is deregistered; a page in
// two regions counts for both.
static void test_pages(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *node = via_node(world, 0);
    struct region one = take(node, BASE + PAGE - 1, 1);
    CU_ASSERT_EQUAL(vip_pinned_bytes(node->nic), PAGE);
    struct region two = take(node, BASE + PAGE - 1, 2);
    CU_ASSERT_EQUAL(vip_pinned_bytes(node->nic), 3 * PAGE);
    struct region ten = take(node, BASE, 10 * PAGE);
    CU_ASSERT_EQUAL(vip_pinned_bytes(node->nic), 13 * PAGE);
    give_back(node, &two);
    CU_ASSERT_EQUAL(vip_pinned_bytes(node->nic), 11 * PAGE);
    give_back(node, &one);
    give_back(node, &ten);
    CU_ASSERT_EQUAL(vip_pinned_bytes(node->nic), 0);
    CU_ASSERT_EQUAL(vip_pinned_bytes(via_node(world, 1)->nic), 0);
    world_free(world);
}

// The call, and each page: 521 ns system call, 2017 ns call, 509 ns to pin and 307 ns to release a
// page.
static void test_cost(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *node = via_node(world, 0);
    struct region region = take(node, BASE + 10, 3 * PAGE);
    SUITE_SAME_INTEGER(region.cost, (521 + 2017 + 4 * 509) * TIME_NS);
    give_back(node, &region);
    SUITE_SAME_INTEGER(region.cost, (521 + 2017 + 4 * 307) * TIME_NS);
    world_free(world);
}

// A refusal costs the call and, if it comes at the first page that is too much, the pages before
// it, pinned and released.
static void test_cost_of_refusal(void)
{
    static const char *const before[] = {"mvia.refusal=before_pages", NULL};
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *node = via_node(world, 0);
    struct region refused = take(node, BASE, LIMIT + 1);
    CU_ASSERT_FALSE(refused.registered);
    SUITE_SAME_INTEGER(refused.cost, (521 + 2017 + LIMIT / PAGE * (509 + 307)) * TIME_NS);
    SUITE_SAME_INTEGER(vip_pinned_bytes(node->nic), 0);
    struct region most = take(node, BASE, LIMIT - 3 * PAGE);
    CU_ASSERT(most.registered);
    refused = take(node, BASE + LIMIT, 10 * PAGE);
    CU_ASSERT_FALSE(refused.registered);
    SUITE_SAME_INTEGER(refused.cost, (521 + 2017 + 3 * (509 + 307)) * TIME_NS);
    SUITE_SAME_INTEGER(vip_pinned_bytes(node->nic), LIMIT - 3 * PAGE);
    world_free(world);
    world = world_new(&world_via, world_pair, before, NULL);
    refused = take(via_node(world, 0), BASE, LIMIT + 1);
    CU_ASSERT_FALSE(refused.registered);
    SUITE_SAME_INTEGER(refused.cost, (521 + 2017) * TIME_NS);
    world_free(world);
}

// The limit is each process's own and counts pages.
static void test_limit(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *node = via_node(world, 0);
    CU_ASSERT_EQUAL(vip_pin_limit(node->nic), LIMIT);
    struct region most = take(node, BASE, LIMIT - PAGE), last = take(node, BASE + 2 * LIMIT, 1);
    CU_ASSERT(most.registered && last.registered);
    CU_ASSERT_EQUAL(vip_pinned_bytes(node->nic), LIMIT);
    struct region more = take(node, BASE + 3 * LIMIT, 1);
    CU_ASSERT_FALSE(more.registered);
    CU_ASSERT_EQUAL(vip_pinned_bytes(node->nic), LIMIT);
    CU_ASSERT(take(via_node(world, 1), BASE, LIMIT).registered);
    give_back(node, &last);
    // One byte, but of two pages.
    CU_ASSERT_FALSE(take(node, BASE + 3 * LIMIT - 1, 2).registered);
    CU_ASSERT(take(node, BASE + 3 * LIMIT, PAGE).registered);
    world_free(world);
}

// via.cfg.pin_limit: a process may pin about 20 MB unless the scenario states otherwise.
static void test_default_limit(void)
{
    struct diag_list *diags = diag_list_new();
    struct param_values *values = param_read(&memory_table, NULL, "host.memory", diags);
    const struct memory_config *memory = values->values;
    CU_ASSERT_EQUAL(memory->pin_limit, INT64_C(20) << 20);
    CU_ASSERT_EQUAL(memory->page, PAGE);
    param_values_free(values);
    diag_list_free(diags);
}

// ---- Shared pages ----

// via.pin.overpin_hazard: an area is registered over an older one, and the older is deregistered:
// the shared pages are gone for the newer as well, whose handle is still there.
static void test_overpin(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *node = via_node(world, 0);
    struct region old = take(node, BASE + 2 * PAGE + 100, 2 * PAGE),
                  new = take(node, BASE, 10 * PAGE);
    CU_ASSERT(valid(node, &new, BASE, 10 * PAGE));
    give_back(node, &old);
    // Pages 2, 3 and 4 were the old one's.
    CU_ASSERT_FALSE(valid(node, &new, BASE, 10 * PAGE));
    CU_ASSERT(valid(node, &new, BASE, 2 * PAGE));
    CU_ASSERT_FALSE(valid(node, &new, BASE, 2 * PAGE + 1));
    CU_ASSERT_FALSE(valid(node, &new, BASE + 3 * PAGE, 1));
    CU_ASSERT_FALSE(valid(node, &new, BASE + 5 * PAGE - 1, 2));
    CU_ASSERT(valid(node, &new, BASE + 5 * PAGE, 5 * PAGE));
    // A third one over the same pages is whole, and so is the newer after it was registered afresh.
    struct region third = take(node, BASE + 2 * PAGE, 3 * PAGE);
    CU_ASSERT(valid(node, &third, BASE + 2 * PAGE, 3 * PAGE));
    CU_ASSERT_FALSE(valid(node, &new, BASE + 3 * PAGE, 1));
    give_back(node, &third);
    give_back(node, &new);
    new = take(node, BASE, 10 * PAGE);
    CU_ASSERT(valid(node, &new, BASE, 10 * PAGE));
    world_free(world);
}

// via.pin.overpin_hazard: the same seen by transfers. Node b's memory is registered a second time,
// and the older region deregistered: transfers to or from the shared pages fail, those next to
// them do not.
static void check_overpinned_transfer(int64_t offset, bool from, bool good)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    struct region older = take(b, VIA_ADDRESS + PAGE, PAGE);
    give_back(b, &older);
    struct via_transfer *transfer =
        from ? via_write(b, offset, 100, 0) : via_write(a, 0, 100, offset);
    world_run(world);
    if (from)
        CU_ASSERT_EQUAL(transfer->posted, good);
    CU_ASSERT_EQUAL(b->errors->len, from || good ? 0 : 1);
    CU_ASSERT_EQUAL(ledger_totals(world->sim->ledger).lost, from || good ? 0 : 1);
    world_free(world);
}

static void test_overpinned_transfers(void)
{
    for (int from = 0; from < 2; from++) {
        check_overpinned_transfer(0, from, true);
        check_overpinned_transfer(PAGE - 100, from, true);
        check_overpinned_transfer(PAGE - 99, from, false);
        check_overpinned_transfer(PAGE, from, false);
        check_overpinned_transfer(2 * PAGE - 1, from, false);
        check_overpinned_transfer(2 * PAGE, from, true);
    }
}

// Neighbours that meet within a page but share no byte do not touch each other.
static void test_neighbours(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *node = via_node(world, 0);
    struct region left = take(node, BASE, PAGE + 10), right = take(node, BASE + PAGE + 10, PAGE);
    give_back(node, &left);
    CU_ASSERT(valid(node, &right, BASE + PAGE + 10, PAGE));
    left = take(node, BASE, PAGE + 10);
    give_back(node, &right);
    CU_ASSERT(valid(node, &left, BASE, PAGE + 10));
    world_free(world);
}

// ---- Against a naive model ----

#define PAGES 40
#define REGIONS 12

struct model_region {
    struct region region;
    bool gone[PAGES]; // pages released with another region
};

static int first_page(const struct region *region)
{
    return (int)((region->address - BASE) / PAGE);
}

static int last_page(const struct region *region)
{
    return (int)((region->address + region->length - 1 - BASE) / PAGE);
}

static int64_t page_bytes(const struct region *region)
{
    return (int64_t)(last_page(region) - first_page(region) + 1) * PAGE;
}

static void model_release(struct model_region *regions, int number)
{
    const struct region *released = &regions[number].region;
    for (int i = 0; i < REGIONS; i++) {
        const struct region *other = &regions[i].region;
        bool overlaps = released->address < other->address + other->length &&
                        other->address < released->address + released->length;
        if (i == number || !other->registered || !overlaps)
            continue;
        for (int page = first_page(released); page <= last_page(released); page++)
            regions[i].gone[page] = true;
    }
}

static bool model_valid(const struct model_region *model, const struct region *asked)
{
    const struct region *region = &model->region;
    if (!region->registered || asked->address < region->address ||
        asked->address + asked->length > region->address + region->length)
        return false;
    for (int page = first_page(asked); page <= last_page(asked); page++)
        if (model->gone[page])
            return false;
    return true;
}

static struct region random_area(struct random_stream *random, int64_t longest)
{
    int64_t length = 1 + (int64_t)random_below(random, (uint64_t)longest);
    int64_t address = BASE + (int64_t)random_below(random, (uint64_t)(PAGES * PAGE - length));
    return (struct region){.address = address, .length = length};
}

static void test_random(void)
{
    const char *sets[] = {"host.memory.pin_limit=200 KiB", NULL};
    struct world *world = world_new(&world_via, world_pair, sets, NULL);
    struct via_node *node = via_node(world, 0);
    struct random_stream *random = random_new(2, "regions");
    struct model_region regions[REGIONS] = {0};
    int64_t pinned = 0;
    int wrong = 0, refused = 0, holes = 0;
    for (int step = 0; step < 6000; step++) {
        int number = (int)random_below(random, REGIONS);
        struct model_region *model = &regions[number];
        if (model->region.registered) {
            model_release(regions, number);
            pinned -= page_bytes(&model->region);
            give_back(node, &model->region);
        } else {
            struct region area = random_area(random, 16 * PAGE);
            *model = (struct model_region){.region = take(node, area.address, area.length)};
            bool fits = pinned + page_bytes(&area) <= 200 * 1024;
            wrong += model->region.registered != fits;
            refused += !fits;
            pinned += fits ? page_bytes(&area) : 0;
        }
        wrong += vip_pinned_bytes(node->nic) != pinned;
        for (int i = 0; i < REGIONS; i++) {
            struct region asked = random_area(random, 3 * PAGE);
            bool expected = model_valid(&regions[i], &asked);
            if (regions[i].region.registered)
                wrong += valid(node, &regions[i].region, asked.address, asked.length) != expected;
            holes += regions[i].region.registered && regions[i].gone[first_page(&asked)];
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    // The dice did reach the interesting cases.
    CU_ASSERT(refused > 100 && holes > 1000);
    random_free(random);
    world_free(world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"via.via.register_api", test_handles},
        {"protection tags", test_tags},
        {"via.via.registration_required: pages", test_pages},
        {"cost", test_cost},
        {"cost of a refusal", test_cost_of_refusal},
        {"the limit", test_limit},
        {"via.cfg.pin_limit", test_default_limit},
        {"via.pin.overpin_hazard", test_overpin},
        {"via.pin.overpin_hazard: transfers", test_overpinned_transfers},
        {"neighbours in a page", test_neighbours},
        {"random regions against a model", test_random},
        {NULL, NULL},
    };
    return suite_run("via: registration", cases);
}
