// SPDX-License-Identifier: GPL-3.0-or-later
// Random topologies with random traffic and random faults, on links that repeat their packets.
// Invariants:
//   - every packet arrives once, whole, and those of a pair in the order in which they were sent:
//     no more shows above the links than without faults
//   - no more packets are unacknowledged on a link than its window holds
//   - the run ends, and nothing is held or stuck then
//   - the same seed gives the same run
#include "sim/net/fabric.h"
#include "sim/net/repeater.h"
#include "tests/support/random_net.h"
#include "tests/support/suite.h"

#define TOPOLOGIES 300
#define WATCHES 2000
#define WATCH_PERIOD (500 * TIME_NS)

// Samples all links periodically.
struct watch {
    struct event event;
    struct network *network;
    int64_t window;
    int left;
    int most; // unacknowledged on one channel
};

static void watch_look(struct engine *engine, struct event *event)
{
    struct watch *watch = container_of(event, struct watch, event);
    for (int i = 0; i < watch->network->channel_count; i++) {
        struct repeater *repeater = watch->network->channels[i].repeater;
        int packets = repeater ? repeater_unacknowledged(repeater) : 0;
        watch->most = MAX(watch->most, packets);
    }
    if (--watch->left > 0)
        engine_schedule(engine, event, engine_now(engine) + WATCH_PERIOD);
}

struct outcome {
    uint64_t fingerprint, repeats;
    int most;
};

static void check_whole(const struct probe *probe)
{
    struct ledger_totals totals = ledger_totals(probe->sim->ledger);
    CU_ASSERT_EQUAL(totals.delivered, probe->packets->len);
    CU_ASSERT_EQUAL(totals.lost + totals.open + totals.duplicated + totals.misordered, 0);
    CU_ASSERT_EQUAL(totals.dropped_parts, 0);
    CU_ASSERT_EQUAL(probe->arrivals->len, probe->packets->len);
    CU_ASSERT_EQUAL(network_drops(probe->network), 0);
    CU_ASSERT_PTR_NULL(network_describe_blocked(probe->network));
    CU_ASSERT_PTR_NULL(network_describe_stuck(probe->network));
}

static struct outcome run_once(uint64_t seed, int64_t window)
{
    struct random_net net;
    random_net_init(&net, seed, window);
    struct probe *probe = probe_checked(net.topology, NULL);
    random_net_traffic(&net, probe);
    struct watch watch = {.network = probe->network, .window = window, .left = WATCHES};
    event_init(&watch.event, watch_look);
    engine_schedule(probe->sim->engine, &watch.event, 0);
    probe_run(probe);
    check_whole(probe);
    random_net_check_arrivals(probe);
    CU_ASSERT(watch.most <= window);
    struct outcome outcome = {
        .fingerprint = engine_fingerprint(probe->sim->engine),
        .repeats = network_repeats(probe->network),
        .most = watch.most,
    };
    probe_free(probe);
    random_net_clear(&net);
    return outcome;
}

static void test_invariants(void)
{
    int repeating = 0, full = 0;
    for (uint64_t seed = 1; seed <= TOPOLOGIES; seed++) {
        int64_t window = 1 + (int64_t)(seed % 8);
        struct outcome first = run_once(seed, window), second = run_once(seed, window);
        CU_ASSERT_EQUAL(first.fingerprint, second.fingerprint);
        CU_ASSERT_EQUAL(first.repeats, second.repeats);
        repeating += first.repeats > 0;
        full += first.most == window;
    }
    // Enough cases must repeat packets and fill a window.
    CU_ASSERT(repeating > TOPOLOGIES / 4);
    CU_ASSERT(full > TOPOLOGIES / 4);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"what holds on links that repeat", test_invariants},
        {NULL, NULL},
    };
    return suite_run("net: repeats, random", cases);
}
