// SPDX-License-Identifier: GPL-3.0-or-later
// Planes: how packets are spread over them, which are used, where their cables lead, what order
// they keep.
#include "tests/support/suite.h"
#include "tests/support/world_intercept.h"

// Four cables, of which the later ones are longer: 1, 2, 3 and 4 us.
#define UNEQUAL                                                                                    \
    ICPT_MACHINE "hosts: [{name: node, count: 2}]\n"                                               \
                 "links: [{from: node0, to: node1, propagation: 1 us},\n"                          \
                 "        {from: node0, to: node1, propagation: 21 us},\n"                         \
                 "        {from: node0, to: node1, propagation: 41 us},\n"                         \
                 "        {from: node0, to: node1, propagation: 61 us}]\n"

#define SWITCHES(count)                                                                            \
    "switches: [{name: plane, count: " #count "}]\n"                                               \
    "switch: {discipline: cut_through, latency: 300 ns, slack: 1 KiB}\n"

static bool in_order(const struct icpt_receiver *receiver)
{
    for (int i = 1; i < receiver->taken; i++)
        if (receiver->numbers[i] < receiver->numbers[i - 1])
            return false;
    return true;
}

// Sends messages from node0 to node1 and checks those that arrived.
struct run {
    struct world *world;
    struct icpt_receiver *receiver;
    struct icpt_burst *burst;
};

static struct run run_new(const char *text, const char *const *sets, int count, uint16_t bytes)
{
    struct run run = {.world = icpt_world_new(text, sets, NULL)};
    run.receiver = icpt_receiver_new(run.world, 1, false);
    run.burst = icpt_burst_new(run.world, 0, 1, count, bytes);
    run.burst->again = true;
    return run;
}

static void run_it(struct run *run)
{
    icpt_burst_start(run->burst);
    world_run(run->world);
    SUITE_SAME_INTEGER(run->receiver->taken, run->burst->count);
}

static int64_t packets(const struct run *run, int plane)
{
    return intercept_plane_packets(run->burst->process->nic, plane);
}

// Round robin: the counts of two planes of the mask never differ by more than one.
static void test_round_robin(void)
{
    for (int mask = 1; mask <= 15; mask++)
        for (int count = 1; count <= 101; count += 25) {
            char *set = g_strdup_printf("intercept.plane_mask=%d", mask);
            const char *sets[] = {set, NULL};
            struct run run = run_new(UNEQUAL, sets, count, 64);
            int used = 0;
            run_it(&run);
            for (int plane = 0; plane < 4; plane++) {
                char *name = g_strdup_printf("Intercept packets on plane %d", plane);
                SUITE_SAME_INTEGER(world_counter(run.world, name), packets(&run, plane));
                g_free(name);
            }
            for (int plane = 0; plane < 4; plane++)
                used += mask >> plane & 1;
            for (int plane = 0; plane < 4; plane++) {
                int64_t least = mask >> plane & 1 ? count / used : 0;
                int64_t most = mask >> plane & 1 ? (count + used - 1) / used : 0;
                CU_ASSERT(packets(&run, plane) >= least && packets(&run, plane) <= most);
            }
            world_free(run.world);
            g_free(set);
        }
}

// One plane keeps the order, for each sender.
static void test_one_plane(void)
{
    for (int plane = 0; plane < 4; plane++) {
        struct run run = run_new(UNEQUAL, NULL, 300, 120);
        run.burst->message.planes = (uint8_t)(1 << plane);
        run_it(&run);
        CU_ASSERT(in_order(run.receiver));
        SUITE_SAME_INTEGER(packets(&run, plane), 300);
        world_free(run.world);
    }
}

// Over several planes messages overtake one another.
static void test_reordering(void)
{
    struct run run = run_new(UNEQUAL, NULL, 300, 120);
    bool seen[300] = {false};
    run_it(&run);
    CU_ASSERT_FALSE(in_order(run.receiver));
    for (int i = 0; i < run.receiver->taken; i++) {
        CU_ASSERT_FALSE(seen[run.receiver->numbers[i]]);
        seen[run.receiver->numbers[i]] = true;
    }
    world_free(run.world);
}

// A message's own mask is one within the card's.
static void test_own_mask(void)
{
    const char *sets[] = {"intercept.plane_mask=11", NULL};
    struct run run = run_new(UNEQUAL, sets, 20, 64);
    run.burst->message.planes = 12;
    run_it(&run);
    SUITE_SAME_INTEGER(packets(&run, 3), 20);
    CU_ASSERT_EQUAL(intercept_planes_to(run.burst->process->nic, 1), 11);
    world_free(run.world);
}

// Of three cables the card has planes 0 to 2, whatever the mask has for the fourth.
static void test_connected(void)
{
    struct run run = run_new(ICPT_MACHINE "hosts: [{name: node, count: 2}]\n"
                                          "links: [{from: node0, to: node1, count: 3}]\n",
                             NULL, 9, 64);
    run_it(&run);
    CU_ASSERT_EQUAL(intercept_planes_to(run.burst->process->nic, 1), 7);
    for (int plane = 0; plane < 3; plane++)
        SUITE_SAME_INTEGER(packets(&run, plane), 3);
    world_free(run.world);
}

// Planes of switches: each packet comes by the station of its own plane.
static void test_switches(void)
{
    struct run run = run_new(ICPT_MACHINE SWITCHES(4) "hosts: [{name: node, count: 3}]\n"
                                                      "links: [{from: node, to: plane}]\n",
                             NULL, 40, 504);
    struct icpt_burst *other = icpt_burst_new(run.world, 2, 1, 40, 504);
    icpt_burst_start(other);
    icpt_burst_start(run.burst);
    world_run(run.world);
    SUITE_SAME_INTEGER(run.receiver->taken, 80);
    for (int plane = 0; plane < 4; plane++)
        SUITE_SAME_INTEGER(packets(&run, plane), 10);
    int changes = 0;
    for (int i = 1; i < run.receiver->taken; i++)
        changes += run.receiver->senders[i] != run.receiver->senders[i - 1];
    CU_ASSERT(changes > 20); // messages of different senders are mixed
    world_free(run.world);
}

// node1 is on the second plane only: what goes there uses no other.
static void test_unequal_hosts(void)
{
    struct run run = run_new(ICPT_MACHINE SWITCHES(2) "hosts: [{name: node, count: 3}]\n"
                                                      "links: [{from: node0, to: plane},\n"
                                                      "        {from: node2, to: plane},\n"
                                                      "        {from: node1, to: plane1}]\n",
                             NULL, 10, 64);
    run_it(&run);
    SUITE_SAME_INTEGER(packets(&run, 0), 0);
    SUITE_SAME_INTEGER(packets(&run, 1), 10);
    world_free(run.world);
}

// The mask leaves no plane that both have: the run ends, with both masks.
static void test_no_plane(void)
{
    const char *sets[] = {"intercept.plane_mask=1", NULL};
    struct run run = run_new(ICPT_MACHINE SWITCHES(2) "hosts: [{name: node, count: 3}]\n"
                                                      "links: [{from: node0, to: plane},\n"
                                                      "        {from: node2, to: plane},\n"
                                                      "        {from: node1, to: plane1}]\n",
                             sets, 10, 64);
    icpt_burst_start(run.burst);
    world_run(run.world);
    SUITE_SAME_INTEGER(run.receiver->taken, 0);
    CU_ASSERT_EQUAL(run.world->sim->status, SIM_FAILED);
    SUITE_SAME_TEXT(json_string_value(json_object_get(run.world->sim->reason, "text")),
                    "node0 can send nothing to node1: the packet may use planes 0, the card planes "
                    "0 (intercept.plane_mask), and the planes that join both cards are: 1");
    world_free(run.world);
}

// Back to back the card at the far end takes what comes, whatever its address.
static void test_address(void)
{
    struct world *world = icpt_world_new(ICPT_CABLE, NULL, NULL);
    const struct icpt_receiver *there = icpt_receiver_new(world, 1, false);
    const struct icpt_receiver *here = icpt_receiver_new(world, 0, false);
    icpt_burst_start(icpt_burst_new(world, 0, 0, 3, 64));
    world_run(world);
    SUITE_SAME_INTEGER(there->taken, 3);
    SUITE_SAME_INTEGER(here->taken, 0);
    world_free(world);
}

static void test_loop(void)
{
    struct world *world = icpt_world_new(ICPT_LOOP, NULL, NULL);
    const struct icpt_receiver *here = icpt_receiver_new(world, 0, false);
    icpt_burst_start(icpt_burst_new(world, 0, 0, 3, 64));
    world_run(world);
    SUITE_SAME_INTEGER(here->taken, 3);
    world_free(world);
}

// With a switch a packet to the own address returns.
static void test_own_address(void)
{
    struct world *world = icpt_world_new(ICPT_MACHINE SWITCHES(1) "hosts: [{name: node, count: "
                                                                  "2}]\n"
                                                                  "links: [{from: node, to: "
                                                                  "plane}]\n",
                                         NULL, NULL);
    const struct icpt_receiver *here = icpt_receiver_new(world, 0, false);
    icpt_burst_start(icpt_burst_new(world, 0, 0, 3, 64));
    world_run(world);
    SUITE_SAME_INTEGER(here->taken, 3);
    world_free(world);
}

// A slow plane: in turns all wait for it, by load the others carry more.
static void test_least_loaded(void)
{
#define SLOW                                                                                       \
    ICPT_MACHINE "what_if: card_rate\nhosts: [{name: node, count: 2}]\n"                           \
                 "links: [{from: node0, to: node1},\n"                                             \
                 "        {from: node0, to: node1, rate: 100 Mb/s}]\n"
    const char *sets[] = {"intercept.striping=least_loaded", NULL};
    struct run turns = run_new(SLOW, NULL, 200, 504), load = run_new(SLOW, sets, 200, 504);
    run_it(&turns);
    run_it(&load);
    SUITE_SAME_INTEGER(packets(&turns, 1), 100);
    CU_ASSERT(packets(&load, 1) > 0 && packets(&load, 1) < 60);
    CU_ASSERT(load.receiver->last < turns.receiver->last / 2);
    world_free(turns.world);
    world_free(load.world);
}

// Hosts that list their cards: each card is a plane, in the order of the cables.
static void test_listed(void)
{
    struct run run =
        run_new(ICPT_MACHINE "hosts:\n"
                             "  - {name: node, count: 2,\n"
                             "     nics: [{name: red, nic: intercept}, {name: blue, nic: "
                             "intercept}]}\n"
                             "links: [{from: node0.red, to: node1.red},\n"
                             "        {from: node0.blue, to: node1.blue, propagation: 1 us}]\n",
                NULL, 10, 64);
    run_it(&run);
    SUITE_SAME_INTEGER(packets(&run, 0), 5);
    SUITE_SAME_INTEGER(packets(&run, 1), 5);
    world_free(run.world);
}

// ---- Planes that lose or corrupt packets ----

// Four cables that repeat what is lost; the third is pulled out for good.
#define DEAD                                                                                       \
    ICPT_MACHINE "hosts: [{name: node, count: 2}]\n"                                               \
                 "links: [{from: node0, to: node1, window: 7, count: 2},\n"                        \
                 "        {from: node0, to: node1, window: 7,\n"                                   \
                 "         down: [{from: 0 us, to: never}]},\n"                                    \
                 "        {from: node0, to: node1, window: 7}]\n"

// Strict turns stop at the dead plane, once the link's window and the plane's queue are full.
static void test_dead_plane(void)
{
    struct run run = run_new(DEAD, NULL, 200, 120);
    icpt_burst_start(run.burst);
    world_run(run.world);
    int64_t stuck = packets(&run, 2);
    CU_ASSERT(stuck >= 7 && stuck <= 7 + 4);
    CU_ASSERT(packets(&run, 3) == stuck && packets(&run, 0) - stuck <= 1);
    SUITE_SAME_INTEGER(run.receiver->taken, packets(&run, 0) + packets(&run, 1) + packets(&run, 3));
    char *text = intercept_describe(run.burst->process->nic);
    SUITE_CONTAINS(text, "node0's card: plane 2: 4 packets wait for the link, and the card sends "
                         "nothing before they have gone (leave the plane out of "
                         "intercept.plane_mask)");
    g_free(text);
    world_free(run.world);
}

// A few packets are gone without holding anything up: the report still names plane and setting.
static void test_dead_plane_few(void)
{
    struct run run = run_new(DEAD, NULL, 12, 120);
    icpt_burst_start(run.burst);
    world_run(run.world);
    SUITE_SAME_INTEGER(run.receiver->taken, 9);
    char *text = intercept_describe(run.burst->process->nic);
    SUITE_SAME_TEXT(text, "node0's card: plane 2: the link never passes 3 packets (leave the plane "
                          "out of intercept.plane_mask)");
    g_free(text);
    world_free(run.world);
}

// Without the dead plane nothing is amiss.
static void test_dead_plane_masked(void)
{
    const char *sets[] = {"intercept.plane_mask=11", NULL};
    struct run run = run_new(DEAD, sets, 200, 120);
    run_it(&run);
    SUITE_SAME_INTEGER(packets(&run, 2), 0);
    CU_ASSERT_PTR_NULL(intercept_describe(run.burst->process->nic));
    world_free(run.world);
}

// Packets that a link repeats arrive once, and in the order of their plane.
static void test_repeats(void)
{
    const char *sets[] = {"link.window=7", "link.corrupt_nth=[3, 4, 20, 100]", "link.drop_nth=[50]",
                          NULL};
    struct run run = run_new(ICPT_CABLE, sets, 300, 120);
    run_it(&run);
    CU_ASSERT(in_order(run.receiver));
    CU_ASSERT(network_repeats(run.world->cluster->network) >= 5);
    SUITE_SAME_INTEGER(world_counter(run.world, "Intercept packets refused"), 0);
    world_free(run.world);
}

// A link that repeats nothing: the card finds the error.
static void test_corrupt(void)
{
    const char *sets[] = {"link.corrupt_nth=[2]", NULL};
    struct run run = run_new(ICPT_CABLE, sets, 5, 120);
    icpt_burst_start(run.burst);
    world_run(run.world);
    SUITE_SAME_INTEGER(run.receiver->taken, 4);
    SUITE_SAME_INTEGER(world_counter(run.world, "Intercept packets refused"), 1);
    world_free(run.world);
}

// ---- What is refused ----

static void test_refused(void)
{
    static const struct {
        const char *set, *complaint;
    } cases[] = {
        {"intercept.plane_mask=0", "the card may use no plane"},
        {"intercept.plane_mask=16", "plane_mask"},
        {"intercept.plane_mask=-1", "too small"},
        {"intercept.plane_mask=2",
         "node0 has cables at planes 0 to 0, of which mask 2 allows none"},
        {"intercept.plane_mask=14", "of which mask 14 allows none"},
        {"intercept.striping=random", "random"},
        {"intercept.plane_queue=0", "plane_queue"},
        {"intercept.receive_queue=0", "receive_queue"},
        {"intercept.vdma_payload=500 B", "whole quad words"},
        {"intercept.vdma_payload=8 KiB", "vdma_payload"},
        {"intercept.vdma_read=768 B", "whole packets of 512 B"},
        {"intercept.tx_cb=512", "tx_cb"},
        {"intercept.rx_cb=256 MiB", "rx_cb"},
        {"intercept.header=4 B", "header"},
        {"intercept.doorbell=fast", "doorbell"},
        {"intercept.planes=4", "planes"},
        {"links=[{from: node0, to: node1, count: 5}]", "node0 has 5 links"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *sets[] = {cases[i].set, NULL};
        CU_ASSERT(icpt_refused(ICPT_CABLE, sets, cases[i].complaint));
    }
}

// The complaint names the place of the mask in the file.
static void test_refused_place(void)
{
    CU_ASSERT(icpt_refused(ICPT_CABLE "intercept: {plane_mask: 4}\n", NULL,
                           "test.yaml:15:25: node0 has cables at planes 0 to 0"));
    CU_ASSERT(icpt_refused(ICPT_CABLE "intercept: {plane_mask: 0}\n", NULL,
                           "test.yaml:15:25: the card may use no plane"));
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"round robin", test_round_robin},
        {"one plane keeps the order", test_one_plane},
        {"several planes do not", test_reordering},
        {"mask of a message", test_own_mask},
        {"planes without a cable", test_connected},
        {"switches", test_switches},
        {"hosts on unequal planes", test_unequal_hosts},
        {"no plane that both have", test_no_plane},
        {"cards back to back filter nothing", test_address},
        {"loopback cable", test_loop},
        {"own address through a switch", test_own_address},
        {"least loaded", test_least_loaded},
        {"listed cards", test_listed},
        {"dead plane in the mask", test_dead_plane},
        {"a dead plane, and few packets", test_dead_plane_few},
        {"dead plane masked out", test_dead_plane_masked},
        {"repeats of a link", test_repeats},
        {"packet with an error", test_corrupt},
        {"what is refused", test_refused},
        {"where it stands", test_refused_place},
        {NULL, NULL},
    };
    return suite_run("intercept_nic: planes", cases);
}
