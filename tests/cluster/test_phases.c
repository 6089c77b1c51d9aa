// SPDX-License-Identifier: GPL-3.0-or-later
// Each host's own values in a draw: uniform over draws, independent of one another, as the user has
// them where he sets them; and a draw's number decides what chance does.
#include "sim/config/prior.h"
#include "sim/scenario/draw.h"
#include "sim/scenario/draw_host.h"
#include "tests/support/suite.h"
#include "tests/support/world.h"

#include <math.h>

#define DRAWS 100
#define HOSTS 4

#define CLUSTER                                                                                    \
    "schema: 1\n"                                                                                  \
    "hosts: [{name: node, count: 3}, {name: late, host: {phase: {process: 7 us}}}]\n"              \
    "switches: [{name: switch}]\n"                                                                 \
    "links: [{from: node, to: switch}, {from: late, to: switch}]\n"                                \
    "link: {rate: 100 Mb/s}\n"                                                                     \
    "nic: eepro100\n"                                                                              \
    "stack: lam_tcp\n"                                                                             \
    "workload: {benchmark: pmb.pingpong, sizes: 1 B}\n"

static struct world *drawn_world(const char *const *sets)
{
    return world_new(&world_cards, CLUSTER, sets, NULL);
}

static const struct phase_config *phase_of(const struct world *world, int host)
{
    return &world->cluster->hosts[host]->config.phase;
}

// The phases of all draws.
static void take_phases(struct phase_config (*phases)[HOSTS], const char *key)
{
    for (int k = 1; k <= DRAWS; k++) {
        char *set = g_strdup_printf("%s=%d", key, k);
        struct world *world = drawn_world((const char *const[]){set, NULL});
        for (int host = 0; host < HOSTS; host++)
            phases[k - 1][host] = *phase_of(world, host);
        world_free(world);
        g_free(set);
    }
}

// In each block of draws a host's phase is once in each twentieth of its range.
static void test_uniform(void)
{
    static struct phase_config phases[DRAWS][HOSTS];
    take_phases(phases, "host.phase.draw");
    for (int block = 0; block < DRAWS / DRAW_BLOCK; block++)
        for (int host = 0; host < HOSTS; host++) {
            uint32_t ticks = 0, processes = 0;
            for (int k = block * DRAW_BLOCK; k < (block + 1) * DRAW_BLOCK; k++) {
                const struct phase_config *phase = &phases[k][host];
                ticks |= UINT32_C(1) << (int)(phase->tick * DRAW_BLOCK);
                processes |= UINT32_C(1) << (phase->process * DRAW_BLOCK / (100 * TIME_US));
            }
            SUITE_SAME_INTEGER(ticks, (UINT32_C(1) << DRAW_BLOCK) - 1);
            // A host's own setting is certain.
            SUITE_SAME_INTEGER(processes, host == 3 ? 2 : (UINT32_C(1) << DRAW_BLOCK) - 1);
        }
}

// The correlation of DRAWS independent pairs has a deviation of 0.1.
static void test_hosts_independent(void)
{
    static struct phase_config phases[DRAWS][HOSTS];
    take_phases(phases, "host.phase.draw");
    double between_hosts = 0.0, between_clocks = 0.0;
    for (int k = 0; k < DRAWS; k++) {
        between_hosts += (phases[k][0].tick - 0.5) * (phases[k][1].tick - 0.5);
        between_clocks += (phases[k][0].tick - 0.5) * (phases[k][0].card - 0.5);
    }
    CU_ASSERT(fabs(12.0 * between_hosts / DRAWS) < 0.35);
    CU_ASSERT(fabs(12.0 * between_clocks / DRAWS) < 0.35);
}

// Draw k of a scenario has the phases of draw k.
static void test_draw_has_phases(void)
{
    static struct phase_config by_draw[DRAWS][HOSTS], by_phase[DRAWS][HOSTS];
    take_phases(by_draw, "draw");
    take_phases(by_phase, "host.phase.draw");
    for (int draw = 0; draw < DRAWS; draw++)
        for (int host = 0; host < HOSTS; host++) {
            const struct phase_config *one = &by_draw[draw][host], *other = &by_phase[draw][host];
            SUITE_SAME_INTEGER(one->draw, other->draw);
            CU_ASSERT(one->tick == other->tick && one->card == other->card);
            CU_ASSERT(one->second == other->second && one->process == other->process);
        }
}

// Without a draw all clocks begin together, and with one whose phases are set off.
static void test_none(void)
{
    static const char *const sets[][3] = {{NULL}, {"draw=5", "host.phase.draw=0", NULL}};
    for (size_t i = 0; i < G_N_ELEMENTS(sets); i++) {
        struct world *world = drawn_world(sets[i]);
        for (int host = 0; host < HOSTS; host++) {
            CU_ASSERT_EQUAL(phase_of(world, host)->tick, 0.0);
            CU_ASSERT_EQUAL(phase_of(world, host)->card, 0.0);
            CU_ASSERT_EQUAL(phase_of(world, host)->second, 0.0);
            SUITE_SAME_INTEGER(phase_of(world, host)->process, host == 3 ? 7 * TIME_US : 0);
        }
        world_free(world);
    }
}

// A phase that is set stays, of all hosts or of one; a range of a file is drawn from, of any
// parameter of hosts.
static void test_set(void)
{
    struct world *world = drawn_world(
        (const char *const[]){"draw=5", "host.phase.tick=0.25",
                              "host.kernel.interrupt_latency={value: 1 us, anywhere: 1 us .. 3 us, "
                              "source: here}",
                              NULL});
    const sim_time *latencies[2];
    for (int host = 0; host < 2; host++) {
        CU_ASSERT_EQUAL(phase_of(world, host)->tick, 0.25);
        CU_ASSERT(phase_of(world, host)->card > 0.0);
        latencies[host] = &world->cluster->hosts[host]->config.kernel.interrupt_latency;
        CU_ASSERT(*latencies[host] > TIME_US && *latencies[host] < 3 * TIME_US);
    }
    CU_ASSERT_NOT_EQUAL(*latencies[0], *latencies[1]);
    SUITE_SAME_INTEGER(phase_of(world, 3)->process, 7 * TIME_US);
    world_free(world);
}

// No input stands for all hosts, and none for the number of the draw.
static void test_inputs(void)
{
    struct compiled compiled = compiled_new(CLUSTER, NULL);
    GPtrArray *inputs = draw_inputs(compiled.test_case, compiled.schema);
    CU_ASSERT(inputs->len > 20);
    for (guint i = 0; i < inputs->len; i++)
        CU_ASSERT_FALSE(g_str_has_prefix(g_ptr_array_index(inputs, i), "host.phase"));
    g_ptr_array_unref(inputs);
    compiled_free(&compiled);
}

// Draws have seeds of their own; without one the seed is the run's.
static void test_seed(void)
{
    GHashTable *seen = g_hash_table_new(g_int64_hash, g_int64_equal);
    static uint64_t seeds[DRAWS];
    for (int k = 0; k < DRAWS; k++) {
        char *set = g_strdup_printf("draw=%d", k);
        struct compiled compiled =
            compiled_new(CLUSTER, k ? (const char *const[]){set, NULL} : NULL);
        seeds[k] = cluster_seed(compiled.test_case, 7);
        g_hash_table_add(seen, &seeds[k]);
        compiled_free(&compiled);
        g_free(set);
    }
    CU_ASSERT_EQUAL(seeds[0], 7);
    SUITE_SAME_INTEGER(g_hash_table_size(seen), DRAWS);
    g_hash_table_unref(seen);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"phases are uniform", test_uniform},
        {"hosts and clocks are independent", test_hosts_independent},
        {"a draw has its phases", test_draw_has_phases},
        {"without a draw there are none", test_none},
        {"what a user sets stays", test_set},
        {"phases are no inputs", test_inputs},
        {"a draw has its own seed", test_seed},
        {NULL, NULL},
    };
    return suite_run("cluster: phases", cases);
}
