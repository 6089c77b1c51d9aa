// SPDX-License-Identifier: GPL-3.0-or-later
// Random networks of store-and-forward switches whose links lose, damage, duplicate, hold back and
// delay packets and are cut, all together:
//   - every packet and every copy ends at its station, or is reported as dropped; none is left over
//   - a message is delivered if one of its copies is, and else lost with a reason
//   - no packet comes faster than its links allow
//   - the same seed gives the same run
#include "sim/net/fabric.h"
#include "tests/support/random_net.h"
#include "tests/support/suite.h"

#define TOPOLOGIES 300

struct outcome {
    uint64_t fingerprint, drops, copies, held, overtaken;
};

// Adds faults of order to most links.
static void mix_up(const struct random_net *net, struct random_stream *random)
{
    for (guint i = 0; i < net->topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(net->topology->links, i);
        struct link_config *config = link->values->values;
        if (random_chance(random, 0.6))
            config->duplicate_probability = random_uniform(random);
        if (random_chance(random, 0.6))
            config->reorder_probability = random_uniform(random);
        config->reorder_delay = 1 + (sim_time)random_below(random, 2 * TIME_MS);
        if (random_chance(random, 0.5))
            config->jitter = (sim_time)random_below(random, TIME_MS);
        config->down_direction = (int)random_below(random, 3);
    }
}

static uint64_t sum_of(const struct probe *probe, const char *prefix)
{
    GHashTableIter at;
    gpointer name, counter;
    uint64_t sum = 0;
    g_hash_table_iter_init(&at, probe->sim->counters);
    while (g_hash_table_iter_next(&at, &name, &counter))
        if (g_str_has_prefix(name, prefix))
            sum += (uint64_t)((const struct sim_counter *)counter)->value;
    return sum;
}

static void check_books(const struct probe *probe, uint64_t copies)
{
    struct ledger_totals totals = ledger_totals(probe->sim->ledger);
    CU_ASSERT_EQUAL(totals.messages, probe->packets->len);
    CU_ASSERT_EQUAL(totals.open, 0);
    CU_ASSERT_EQUAL(totals.delivered + totals.lost, totals.messages);
    CU_ASSERT_EQUAL(probe->arrivals->len + network_drops(probe->network),
                    probe->packets->len + copies);
    CU_ASSERT_EQUAL(probe->network->packets.in_use, 0);
    for (guint i = 0; i < probe->packets->len; i++) {
        const struct probe_packet *packet = g_ptr_array_index(probe->packets, i);
        const struct route *route = network_route(probe->network, packet->from, packet->to);
        sim_time least = 0;
        for (int hop = 0; hop < route->links; hop++)
            least += channel_time(route->channels[hop],
                                  channel_bytes(route->channels[hop], packet->wire_bytes)) +
                     route->channels[hop]->delay;
        CU_ASSERT(packet->arrived < 0 || packet->arrived - packet->when >= least);
    }
}

static uint64_t overtaken(const struct probe *probe)
{
    uint64_t count = 0;
    for (guint i = 1; i < probe->arrivals->len; i++) {
        const struct probe_packet *one = g_ptr_array_index(probe->arrivals, i - 1);
        const struct probe_packet *next = g_ptr_array_index(probe->arrivals, i);
        count += one->from == next->from && one->to == next->to && next->when < one->when;
    }
    return count;
}

static struct outcome run_once(uint64_t seed)
{
    struct random_net net;
    random_net_init(&net, seed, 0);
    struct outcome outcome = {0};
    if (net.shape == SHAPE_STORES) {
        struct random_stream *random = random_new(seed, "mix up");
        mix_up(&net, random);
        struct diag_list *diags = diag_list_new();
        CU_ASSERT_FATAL(network_check(net.topology, diags));
        diag_list_free(diags);
        struct probe *probe = probe_new(net.topology, seed, NULL);
        random_net_traffic(&net, probe);
        probe_run(probe);
        outcome.copies = sum_of(probe, "packets duplicated on link ");
        outcome.held = sum_of(probe, "packets held back on link ");
        outcome.overtaken = overtaken(probe);
        outcome.drops = network_drops(probe->network);
        outcome.fingerprint = engine_fingerprint(probe->sim->engine);
        check_books(probe, outcome.copies);
        probe_free(probe);
        random_free(random);
    }
    random_net_clear(&net);
    return outcome;
}

static void test_invariants(void)
{
    struct outcome sum = {0};
    for (uint64_t seed = 1; seed <= TOPOLOGIES; seed++) {
        struct outcome first = run_once(seed), second = run_once(seed);
        CU_ASSERT_EQUAL(first.fingerprint, second.fingerprint);
        sum.drops += first.drops;
        sum.copies += first.copies;
        sum.held += first.held;
        sum.overtaken += first.overtaken;
    }
    // The faults must be frequent enough.
    CU_ASSERT(sum.drops > 1000);
    CU_ASSERT(sum.copies > 1000);
    CU_ASSERT(sum.held > 1000);
    CU_ASSERT(sum.overtaken > 100);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"what holds whatever links do", test_invariants},
        {NULL, NULL},
    };
    return suite_run("net: random disorder", cases);
}
