// SPDX-License-Identifier: GPL-3.0-or-later
// Random topologies with random traffic, several hundred of them, must keep what always holds:
//   - every packet ends delivered, or is reported lost with a reason; none is left in the network
//   - the ledger's bytes: delivered and lost make up what was sent
//   - packets of one pair arrive in the order in which they were sent
//   - none arrives before it could; no event is scheduled into the past (the engine aborts)
//   - the same seed gives the same run, another seed another one
#include "tests/support/random_net.h"
#include "tests/support/suite.h"

#define TOPOLOGIES 300

// Results of a run, which a second one must repeat.
struct outcome {
    uint64_t fingerprint, drops, hops;
    sim_time end;
    uint64_t packets;
};

static void check_ledger(const struct probe *probe)
{
    struct ledger_totals totals = ledger_totals(probe->sim->ledger);
    uint64_t corrupt = 0, bytes = 0;
    for (guint i = 0; i < probe->packets->len; i++) {
        const struct probe_packet *packet = g_ptr_array_index(probe->packets, i);
        corrupt += packet->corrupt;
        bytes += packet->arrived >= 0 && !packet->corrupt ? packet->wire_bytes : 0;
    }
    CU_ASSERT_EQUAL(totals.messages, probe->packets->len);
    CU_ASSERT_EQUAL(totals.open, 0);
    CU_ASSERT_EQUAL(totals.delivered + totals.lost, totals.messages);
    CU_ASSERT_EQUAL(totals.delivered_bytes, bytes);
    CU_ASSERT_EQUAL(totals.lost, network_drops(probe->network) + corrupt);
    CU_ASSERT_EQUAL(totals.dropped_parts, totals.lost);
    CU_ASSERT_EQUAL(totals.duplicated, 0);
    CU_ASSERT_EQUAL(totals.misordered, 0);
    CU_ASSERT_EQUAL(probe->arrivals->len + network_drops(probe->network), totals.messages);
}

static struct outcome run_once(uint64_t seed, uint64_t traffic_seed)
{
    struct random_net net;
    random_net_init(&net, seed, 0);
    struct diag_list *diags = diag_list_new();
    CU_ASSERT_FATAL(network_check(net.topology, diags));
    struct probe *probe = probe_new(net.topology, traffic_seed, NULL);
    random_net_traffic(&net, probe);
    probe_run(probe);
    check_ledger(probe);
    random_net_check_arrivals(probe);
    CU_ASSERT_PTR_NULL(network_describe_blocked(probe->network));
    struct outcome outcome = {
        .fingerprint = engine_fingerprint(probe->sim->engine),
        .drops = network_drops(probe->network),
        .hops = network_hops(probe->network),
        .end = sim_now(probe->sim),
        .packets = probe->packets->len,
    };
    probe_free(probe);
    diag_list_free(diags);
    random_net_clear(&net);
    return outcome;
}

static void test_invariants(void)
{
    uint64_t lossy = 0, packets = 0;
    for (uint64_t seed = 1; seed <= TOPOLOGIES; seed++) {
        struct outcome first = run_once(seed, seed), second = run_once(seed, seed);
        CU_ASSERT_EQUAL(first.fingerprint, second.fingerprint);
        CU_ASSERT_EQUAL(first.drops, second.drops);
        CU_ASSERT_EQUAL(first.hops, second.hops);
        CU_ASSERT_EQUAL(first.end, second.end);
        lossy += first.drops > 0;
        packets += first.packets;
    }
    // Enough cases must lose packets, and together they must send many.
    CU_ASSERT(lossy > TOPOLOGIES / 4);
    CU_ASSERT(packets > TOPOLOGIES * RANDOM_NET_MOST_PACKETS / 4);
}

// The seed decides on random faults, and these show in the fingerprint.
static void test_seed_matters(void)
{
    int different = 0;
    for (uint64_t seed = 1; seed <= 60; seed++)
        different += run_once(seed, 1).fingerprint != run_once(seed, 2).fingerprint;
    CU_ASSERT(different > 0);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"what holds in every network", test_invariants},
        {"the seed matters", test_seed_matters},
        {NULL, NULL},
    };
    return suite_run("net: random topologies", cases);
}
