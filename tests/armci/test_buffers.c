// SPDX-License-Identifier: GPL-3.0-or-later
// Send buffers by number and cut from one region. The dynamic scheme is compared with thesis 001,
// chapter 5; random requests check that slots never overlap and nothing is lost.
#include "models/armci/buffers.h"
#include "tests/support/suite.h"

#include <glib.h>

struct world {
    struct sim *sim;
    struct armci_buffers buffers;
};

static struct world *world_new(int scheme, int64_t bytes, int count)
{
    struct world *world = g_new0(struct world, 1);
    world->sim = sim_new(1, NULL);
    armci_buffers_init(&world->buffers, &armci_buffer_schemes[scheme], world->sim, 4096, bytes,
                       count);
    return world;
}

static void world_free(struct world *world)
{
    armci_buffers_clear(&world->buffers);
    sim_free(world->sim);
    g_free(world);
}

// armci.put.context_array: each buffer has a flag of its own, and is given only when that is set.
static void test_turns(void)
{
    struct world *world = world_new(ARMCI_BUFFERS_FIXED, 3000, 3);
    struct armci_buffers *buffers = &world->buffers;
    struct armci_slot *slots[3];
    for (int i = 0; i < 3; i++) {
        slots[i] = armci_buffers_take(buffers, 1000 - i);
        SUITE_SAME_INTEGER(slots[i]->number, i + 1);
        SUITE_SAME_INTEGER(slots[i]->address, 4096 + 1000 * i);
    }
    CU_ASSERT_PTR_NULL(armci_buffers_take(buffers, 1));
    armci_buffers_acknowledge(slots[1]); // free, but not the next in turn
    CU_ASSERT_PTR_NULL(armci_buffers_take(buffers, 1));
    armci_buffers_acknowledge(slots[0]);
    CU_ASSERT_PTR_EQUAL(armci_buffers_take(buffers, 1), slots[0]);
    CU_ASSERT_PTR_EQUAL(armci_buffers_take(buffers, 1), slots[1]);
    world_free(world);
}

// armci.dyn.waste_example: 390,000 and 10 B in buffers of 400,000 B leave 399,990 B of the second.
static void test_waste(void)
{
    struct world *world = world_new(ARMCI_BUFFERS_FIXED, 800000, 2);
    armci_buffers_take(&world->buffers, 390000);
    SUITE_SAME_INTEGER(world->buffers.unused, 10000);
    armci_buffers_take(&world->buffers, 10);
    SUITE_SAME_INTEGER(world->buffers.unused, 10000 + 399990);
    world_free(world);
    world = world_new(ARMCI_BUFFERS_DYNAMIC, 800000, 2);
    armci_buffers_take(&world->buffers, 390000);
    armci_buffers_take(&world->buffers, 10);
    SUITE_SAME_INTEGER(world->buffers.unused, 0); // internal fragmentation vanishes
    world_free(world);
}

// armci.dyn.slot_allocation: cut on demand, searched from the first slot.
static void test_first_fit(void)
{
    struct world *world = world_new(ARMCI_BUFFERS_DYNAMIC, 1000, 1);
    struct armci_buffers *buffers = &world->buffers;
    SUITE_SAME_INTEGER(buffers->count, 1);
    struct armci_slot *a = armci_buffers_take(buffers, 300), *b = armci_buffers_take(buffers, 200);
    SUITE_SAME_INTEGER(a->address, 4096);
    SUITE_SAME_INTEGER(b->address, 4096 + 300);
    SUITE_SAME_INTEGER(buffers->count, 3); // and the rest
    armci_buffers_acknowledge(a);
    struct armci_slot *c = armci_buffers_take(buffers, 250);
    SUITE_SAME_INTEGER(c->address, 4096); // not after b, where there is room too
    SUITE_SAME_INTEGER(c->bytes, 250);
    struct armci_slot *d = armci_buffers_take(buffers, 50);
    SUITE_SAME_INTEGER(d->address, 4096 + 250); // the remainder of a
    struct armci_slot *e = armci_buffers_take(buffers, 60);
    SUITE_SAME_INTEGER(e->address, 4096 + 500);
    world_free(world);
}

// armci.dyn.exhaustion: all must be acknowledged, and then it begins with one slot.
static void test_exhaustion(void)
{
    struct world *world = world_new(ARMCI_BUFFERS_DYNAMIC, 1000, 1);
    struct armci_buffers *buffers = &world->buffers;
    struct armci_slot *a = armci_buffers_take(buffers, 600), *b = armci_buffers_take(buffers, 300);
    CU_ASSERT_PTR_NULL(armci_buffers_take(buffers, 200));
    armci_buffers_acknowledge(a); // enough for 200, but now it waits for all
    CU_ASSERT_PTR_NULL(armci_buffers_take(buffers, 200));
    armci_buffers_acknowledge(b);
    struct armci_slot *c = armci_buffers_take(buffers, 200);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    SUITE_SAME_INTEGER(c->address, 4096);
    SUITE_SAME_INTEGER(buffers->count, 2);
    SUITE_SAME_INTEGER(*buffers->drains, 1);
    SUITE_SAME_INTEGER(*buffers->external, 0); // 100 B were free, not 200
    world_free(world);
}

// armci.dyn.external_fragmentation: adjacent free slots are not joined.
static void test_external(void)
{
    struct world *world = world_new(ARMCI_BUFFERS_DYNAMIC, 1000, 1);
    struct armci_buffers *buffers = &world->buffers;
    struct armci_slot *a = armci_buffers_take(buffers, 400), *b = armci_buffers_take(buffers, 400),
                      *c = armci_buffers_take(buffers, 200);
    armci_buffers_acknowledge(a);
    armci_buffers_acknowledge(b);
    CU_ASSERT_PTR_NULL(armci_buffers_take(buffers, 500));
    SUITE_SAME_INTEGER(*buffers->external, 1);
    SUITE_SAME_INTEGER(*buffers->external_bytes, 800);
    armci_buffers_acknowledge(c);
    CU_ASSERT_PTR_NOT_NULL(armci_buffers_take(buffers, 500));
    world_free(world);
}

// Free slots that are together just enough are lost as well.
static void test_external_just_enough(void)
{
    struct world *world = world_new(ARMCI_BUFFERS_DYNAMIC, 1000, 1);
    struct armci_buffers *buffers = &world->buffers;
    struct armci_slot *a = armci_buffers_take(buffers, 400), *b = armci_buffers_take(buffers, 400);
    armci_buffers_take(buffers, 200);
    armci_buffers_acknowledge(a);
    armci_buffers_acknowledge(b);
    CU_ASSERT_PTR_NULL(armci_buffers_take(buffers, 800));
    SUITE_SAME_INTEGER(*buffers->external, 1);
    SUITE_SAME_INTEGER(*buffers->external_bytes, 800);
    world_free(world);
}

// Slots are contiguous and fill the region; those in use keep their place.
static void check_region(const struct armci_buffers *buffers)
{
    int64_t address = buffers->address, sending = 0, count = 0;
    for (const struct armci_slot *slot = buffers->slots; slot; slot = slot->next) {
        SUITE_SAME_INTEGER(slot->address, address);
        CU_ASSERT(slot->used <= slot->bytes);
        address += slot->bytes;
        sending += slot->sending;
        count++;
    }
    SUITE_SAME_INTEGER(address, buffers->address + buffers->bytes);
    SUITE_SAME_INTEGER(sending, buffers->sending);
    SUITE_SAME_INTEGER(count, buffers->count);
}

static void test_random(void)
{
    GRand *random = g_rand_new_with_seed(3);
    struct world *world = world_new(ARMCI_BUFFERS_DYNAMIC, 100000, 1);
    GPtrArray *sending = g_ptr_array_new();
    for (int i = 0; i < 20000; i++) {
        struct armci_slot *slot = NULL;
        int64_t bytes = g_rand_int_range(random, 1, g_rand_boolean(random) ? 100001 : 5000);
        if (g_rand_boolean(random))
            slot = armci_buffers_take(&world->buffers, bytes);
        if (slot) {
            CU_ASSERT(slot->bytes == bytes && slot->used == bytes);
            g_ptr_array_add(sending, slot);
        } else if (sending->len > 0) {
            guint which = (guint)g_rand_int_range(random, 0, (int)sending->len);
            armci_buffers_acknowledge(g_ptr_array_remove_index_fast(sending, which));
        }
        check_region(&world->buffers);
    }
    CU_ASSERT(*world->buffers.drains > 100 && *world->buffers.external > 100);
    g_ptr_array_free(sending, TRUE);
    world_free(world);
    g_rand_free(random);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"buffers in turn (armci.put.context_array)", test_turns},
        {"armci.dyn.waste_example", test_waste},
        {"armci.dyn.slot_allocation", test_first_fit},
        {"armci.dyn.exhaustion", test_exhaustion},
        {"armci.dyn.external_fragmentation", test_external},
        {"free slots that are just enough", test_external_just_enough},
        {"random requests", test_random},
        {0},
    };
    return suite_run("armci: buffers", cases);
}
