// SPDX-License-Identifier: GPL-3.0-or-later
// A watch finds what poll(2) over all its sockets finds, at the same cost, though it asks only
// those that were marked.
#include "models/inet/watch.h"
#include "sim/core/poison.h"
#include "tests/support/suite.h"
#include "tests/support/world_tcp.h"

#define PLACES 200 // more than a word of bits has, thrice
#define POLLS 500

// A socket that is readable when the test says so.
struct fake {
    struct inet_socket inet;
    bool readable;
    int *asked; // how often
};

static int fake_ready(const struct inet_socket *inet)
{
    const struct fake *fake = container_of(inet, const struct fake, inet);
    ++*fake->asked;
    return INET_WRITABLE | (fake->readable ? INET_READABLE : 0);
}

static const struct stage fake_stage = {"poll of fakes", STAGE_KERNEL};
static const struct inet_socket_ops fake_ops = {.stage = &fake_stage, .ready = fake_ready};

struct crowd {
    struct fake fakes[PLACES];
    int asked[PLACES];
    struct inet_watch watch;
    struct inet_process *process;
    GRand *random;
};

static void crowd_init(struct crowd *crowd, struct tcp_node *node)
{
    struct inet_host *host = node->host->inet;
    crowd->process = inet_process_of(host, &node->process.task);
    crowd->random = g_rand_new_with_seed(1);
    inet_watch_init(&crowd->watch);
    for (int i = 0; i < PLACES; i++)
        crowd->fakes[i] = (struct fake){
            .inet = {.ops = &fake_ops, .host = host, .process = crowd->process},
            .asked = &crowd->asked[i],
        };
}

static void crowd_clear(struct crowd *crowd)
{
    inet_watch_clear(&crowd->watch);
    g_rand_free(crowd->random);
}

// Some join or leave, and some become readable or are read.
static void change_some(struct crowd *crowd)
{
    int changes = g_rand_int_range(crowd->random, 0, 12);
    while (changes-- > 0) {
        int place = g_rand_int_range(crowd->random, 0, PLACES);
        struct fake *fake = &crowd->fakes[place];
        if (g_rand_boolean(crowd->random)) {
            fake->readable = !fake->readable;
            inet_mark(&fake->inet);
        } else if (fake->inet.watched) {
            inet_watch_leave(&fake->inet);
        } else {
            inet_watch_join(&crowd->watch, &fake->inet, (uint32_t)place);
        }
    }
}

static bool found_at(const struct inet_watch *watch, int place)
{
    return g_array_index(watch->readable, uint64_t, place / 64) >> place % 64 & 1;
}

// Both in one context, one after the other.
static void compare_with_select(struct cpu_context *context, struct crowd *crowd)
{
    struct inet_selected selected[PLACES];
    int count = 0;
    sim_time began = context->now;
    int found = inet_watch_poll(context, &crowd->watch, crowd->process);
    sim_time took = context->now - began;
    for (int place = 0; place < PLACES; place++)
        if (crowd->fakes[place].inet.watched) {
            SUITE_SAME_INTEGER(found_at(&crowd->watch, place), crowd->fakes[place].readable);
            selected[count++] = (struct inet_selected){&crowd->fakes[place].inet, INET_READABLE, 0};
        }
    SUITE_SAME_INTEGER(crowd->watch.count, count);
    began = context->now;
    SUITE_SAME_INTEGER(inet_select(context, selected, count, false), found);
    SUITE_SAME_INTEGER(context->now - began, took);
}

static bool random_job(struct cpu_context *context, void *process, void *argument)
{
    (void)argument;
    struct crowd crowd = {0};
    crowd_init(&crowd, process);
    for (int i = 0; i < POLLS; i++) {
        change_some(&crowd);
        if (crowd.watch.count > 0)
            compare_with_select(context, &crowd);
    }
    CU_ASSERT(crowd.watch.count > PLACES / 4);
    crowd_clear(&crowd);
    return true;
}

// Those that were not marked are not asked, ready or not; a check of the whole watch, where memory
// is poisoned, asks all.
static bool idle_job(struct cpu_context *context, void *process, void *argument)
{
    int *asked = argument;
    struct crowd crowd = {0};
    crowd_init(&crowd, process);
    for (int i = 0; i < 100; i++) {
        crowd.fakes[i].readable = i % 2;
        inet_watch_join(&crowd.watch, &crowd.fakes[i].inet, (uint32_t)i);
    }
    for (int i = 0; i < 3; i++)
        SUITE_SAME_INTEGER(inet_watch_poll(context, &crowd.watch, crowd.process), 50);
    inet_mark(&crowd.fakes[7].inet);
    inet_mark(&crowd.fakes[7].inet);
    SUITE_SAME_INTEGER(inet_watch_poll(context, &crowd.watch, crowd.process), 50);
    *asked = crowd.asked[6] + 1000 * crowd.asked[7];
    crowd_clear(&crowd);
    return true;
}

static void test_random(void)
{
    struct world *world = tcp_world(NULL, NULL);
    world_do(tcp_node(world, 0), random_job, NULL);
    world_run(world);
    world_free(world);
}

static void test_idle(void)
{
    struct world *world = tcp_world(NULL, NULL);
    int asked = 0;
    world_do(tcp_node(world, 0), idle_job, &asked);
    world_run(world);
    SUITE_SAME_INTEGER(asked, POISONS ? 5 + 1000 * 6 : 1 + 1000 * 2);
    world_free(world);
}

static const struct suite_case cases[] = {
    {"as poll over all", test_random},
    {"asks the marked ones only", test_idle},
    {0},
};

int main(void)
{
    return suite_run("inet: watch", cases);
}
