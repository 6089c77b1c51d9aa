// SPDX-License-Identifier: GPL-3.0-or-later
// Hosts that list their cards: which link ends at which card, and which of them a stack uses.
#include "sim/scenario/topology_read.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <string.h>

static void expect_links(const char *yaml, const char *links)
{
    struct fake_topology network = fake_topology(yaml);
    SUITE_SAME_TEXT(network.complaints, "");
    char *text = fake_topology_links(&network);
    SUITE_SAME_TEXT(text, links);
    g_free(text);
    fake_topology_clear(&network);
}

#define TWO_CARDS "nics: [{name: eth0, nic: eepro100}, {name: eth1, nic: tulip}]"
#define PAIR "hosts: [{name: n, count: 2, " TWO_CARDS "}]\nswitches: [{name: s, count: 2}]\n"

static void test_links(void)
{
    expect_links(PAIR "links: [{from: n.eth0, to: s0}, {from: n.eth1, to: s1}]\n",
                 "n0.eth0-s0 n1.eth0-s0 n0.eth1-s1 n1.eth1-s1");
    // A range; by NIC model; and what names no card gets the first that no link names.
    expect_links(PAIR "links: [{from: n0..1.tulip, to: s0}, {from: n, to: s1}]\n",
                 "n0.eth1-s0 n1.eth1-s0 n0.eth0-s1 n1.eth0-s1");
    expect_links(PAIR "links: [{from: n, to: s0}, {from: n0.eth0, to: s1}]\n",
                 "n0.eth1-s0 n1.eth0-s0 n0.eth0-s1");
    expect_links(PAIR "links: [{from: n, to: [s0, s1]}]\n",
                 "n0.eth0-s0 n0.eth1-s1 n1.eth0-s0 n1.eth1-s1");
    expect_links(PAIR "links: [{from: n0.eth1, to: n1.eth0}]\n", "n0.eth1-n1.eth0");
    expect_links("hosts: [{name: a, nics: [{name: eth0, nic: tulip}]}, {name: b}]\n"
                 "links: [{from: a.eth0, to: b}]\n",
                 "a.eth0-b");
    // A loopback cable takes one card.
    expect_links("hosts: [{name: a, " TWO_CARDS "}]\nlinks: [{from: a, to: a, count: 2}]\n",
                 "a.eth0-a.eth0 a.eth1-a.eth1");
    expect_links("hosts: [{name: a, " TWO_CARDS "}]\nlinks: [{from: a.eth1, to: a.eth1}]\n",
                 "a.eth1-a.eth1");
    // Names may have dots, also in ranges.
    expect_links("hosts: [{name: a.x}, {name: a.y}]\nlinks: [{from: a.x, to: a.y}]\n", "a.x-a.y");
    expect_links("hosts: [{name: a.x, count: 3}]\nswitches: [{name: s}]\n"
                 "links: [{from: a.x0..a.x2, to: s}]\n",
                 "a.x0-s a.x1-s a.x2-s");
}

static void test_complaints(void)
{
    static const struct {
        const char *yaml, *says;
    } cases[] = {
        {PAIR "links: [{from: n.eth2, to: s0}]\n",
         "t.yaml:3:16: error: links[0].from: n0 has no card \"eth2\" (its cards are eth0 "
         "(eepro100), eth1 (tulip))"},
        {"hosts: [{name: a}, {name: b}]\nlinks: [{from: a.eth0, to: b}]\n",
         "t.yaml:2:16: error: links[0].from: a has no card \"eth0\" (a host that lists `nics` has "
         "cards)"},
        {PAIR "links: [{from: s0.eth0, to: n}]\n", "s0 has no card \"eth0\""},
        {"hosts: [{name: a, nics: [{name: x, nic: tulip}, {name: y, nic: tulip}]}, {name: b}]\n"
         "links: [{from: a.tulip, to: b}]\n",
         "a has no card \"tulip\" (its cards are x (tulip), y (tulip))"},
        {PAIR "links:\n  - {from: n.eth0, to: s0}\n  - {from: n1.eth0, to: s1}\n",
         "t.yaml:5:5: error: links: the card eth0 of n1 has a link already (t.yaml:4:5)"},
        {PAIR "links:\n  - {from: n0.eth0, to: s0, count: 2}\n",
         "t.yaml:4:5: error: links: the card eth0 of n0 has a link already (t.yaml:4:5)"},
        {PAIR "links:\n  - {from: n, to: [s0, s1]}\n  - {from: n1, to: s0}\n",
         "t.yaml:5:5: error: links: n1 has 2 cards, and this is one link more"},
        {"hosts: [{name: a, nics: [{name: x, nic: tulips}]}]\n",
         "t.yaml:1:41: error: hosts[0].nics[0].nic: unknown NIC model \"tulips\" (did you mean "
         "tulip?)"},
        {"hosts: [{name: a, nics: [{name: x, nic: tulip}, {name: x, nic: tulip}]}]\n",
         "t.yaml:1:56: error: hosts[0].nics[1].name: the name x is taken twice, first in "
         "t.yaml:1:26"},
        {"hosts: [{name: a, nics: [{name: x}]}]\n", "hosts[0].nics[0].nic: must be given"},
        {"hosts: [{name: a, nics: [{nic: tulip}]}]\n", "hosts[0].nics[0].name: must be given"},
        {"hosts: [{name: a, nics: [{name: x, nic: tulip, speed: 3}]}]\n",
         "t.yaml:1:48: error: hosts[0].nics[0].speed: unknown key"},
        {"hosts: [{name: a, nics: [{name: x, nic: tulip, mtu: 3}]}]\n",
         "t.yaml:1:53: error: hosts[0].nics[0].mtu: "},
        {"hosts: [{name: a, nics: [{name: x, nic: tulip, bus: csa}]}]\n",
         "t.yaml:1:53: error: hosts[0].nics[0].bus: unknown bus \"csa\" (list it in `buses`)"},
        {"hosts: [{name: a, nics: [{name: x, nic: tulip, bus: cas}]}]\n"
         "buses: [{name: csa}, {name: pci}]\n",
         "t.yaml:1:53: error: hosts[0].nics[0].bus: unknown bus \"cas\" (the buses are csa, pci)"},
        {"hosts: [{name: a, nics: [{name: x, nic: tulip, bus: [csa]}]}]\nbuses: [{name: csa}]\n",
         "t.yaml:1:53: error: hosts[0].nics[0].bus: "},
        {"buses: [{name: csa}, {name: csa}]\nhosts: [{name: a}]\n",
         "t.yaml:1:29: error: buses[1].name: the name csa is taken twice, first in t.yaml:1:9"},
        {"buses: [{name: csa, clokc: 3 MHz}]\nhosts: [{name: a}]\n",
         "t.yaml:1:21: error: buses[0].clokc: unknown key"},
        {"buses: [{width: 4 B}]\nhosts: [{name: a}]\n", "buses[0].name: must be given"},
        {"buses: csa\nhosts: [{name: a}]\n", "t.yaml:1:8: error: buses: a list is expected here"},
        {"hosts: [{name: a, nics: tulip}]\n",
         "t.yaml:1:25: error: hosts[0].nics: a list of cards is expected here, not"},
        {"hosts: [{name: a, nics: [tulip]}]\n", "hosts[0].nics[0]: a map is expected here, not"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct fake_topology network = fake_topology(cases[i].yaml);
        SUITE_CONTAINS(network.complaints, cases[i].says);
        fake_topology_clear(&network);
    }
}

// ---- Buses ----

static int bus_of(const struct fake_topology *network, int host, guint card)
{
    return g_array_index(topology_cards_of(&network->topology, host), struct topology_card, card)
        .bus;
}

// Cards sit at the host's own bus unless they name another; a bus has the values of host.bus but
// for its own. A bus at which no card sits is none's mistake.
static void test_buses(void)
{
    struct fake_topology network = fake_topology(
        "host: {bus: {width: 8 B}}\n"
        "buses: [{name: csa, clock: 66 MHz}, {name: spare, width: 2 B}]\n"
        "hosts:\n"
        "  - {name: a, nics: [{name: x, nic: tulip}, {name: y, nic: tulip, bus: csa}]}\n"
        "  - {name: b, nics: [{name: x, nic: tulip, bus: csa, mtu: 9000 B}]}\n"
        "links: [{from: a.y, to: b}]\n");
    SUITE_SAME_TEXT(network.complaints, "");
    CU_ASSERT_EQUAL_FATAL(network.topology.buses->len, 2);
    const struct topology_bus *csa = g_ptr_array_index(network.topology.buses, 0);
    const struct topology_bus *spare = g_ptr_array_index(network.topology.buses, 1);
    const struct fake_bus *first = csa->values->values, *second = spare->values->values;
    SUITE_SAME_TEXT(csa->name, "csa");
    CU_ASSERT_EQUAL(first->clock, 66000000);
    CU_ASSERT_EQUAL(first->width, 8);
    CU_ASSERT_EQUAL(second->width, 2);
    CU_ASSERT_EQUAL(bus_of(&network, 0, 0), -1);
    CU_ASSERT_EQUAL(bus_of(&network, 0, 1), 0);
    CU_ASSERT_EQUAL(bus_of(&network, 1, 0), 0);
    const GArray *cards = topology_cards_of(&network.topology, 1);
    CU_ASSERT_EQUAL(g_array_index(cards, struct topology_card, 0).mtu, 9000);
    CU_ASSERT_EQUAL(
        g_array_index(topology_cards_of(&network.topology, 0), struct topology_card, 0).mtu, 0);
    fake_topology_clear(&network);
}

// ---- Which a stack uses ----

static const char *const ethernet[] = {"eepro100", "tulip", NULL};
static const char *const myrinet[] = {"lanai", NULL};

static void expect_use(const char *yaml, struct topology_use use, const char *links)
{
    struct fake_topology network = fake_topology(yaml);
    struct diag_list *diags = diag_list_new();
    SUITE_SAME_TEXT(network.complaints, "");
    use.stack = "fake";
    use.mark = (struct source_mark){"t.yaml", 9, 8};
    topology_use_cards(&network.topology, &use, diags);
    char *complaints = fake_complaints(diags);
    char *text = *complaints ? g_strdup(complaints) : fake_topology_links(&network);
    SUITE_SAME_TEXT(text, links);
    g_free(text);
    g_free(complaints);
    diag_list_free(diags);
    fake_topology_clear(&network);
}

#define THREE                                                                                      \
    "hosts: [{name: n, count: 2, nics: [{name: eth0, nic: tulip}, {name: eth1, nic: tulip}, "      \
    "{name: myri0, nic: lanai}]}]\nswitches: [{name: s, count: 3}]\n"                              \
    "links: [{from: n.eth0, to: s0}, {from: n.eth1, to: s1}, {from: n.myri0, to: s2}]\n"

static void test_first(void)
{
    expect_use(THREE, (struct topology_use){.drives = ethernet},
               "n0.eth0-s0 n1.eth0-s0 n0.eth1*-s1 n1.eth1*-s1 n0.myri0*-s2 n1.myri0*-s2");
    expect_use(THREE, (struct topology_use){.drives = ethernet, .card = "eth1"},
               "n0.eth0*-s0 n1.eth0*-s0 n0.eth1-s1 n1.eth1-s1 n0.myri0*-s2 n1.myri0*-s2");
    expect_use(THREE, (struct topology_use){.drives = myrinet},
               "n0.eth0*-s0 n1.eth0*-s0 n0.eth1*-s1 n1.eth1*-s1 n0.myri0-s2 n1.myri0-s2");
    // By its NIC model, which is another's place at each host.
    expect_use(PAIR "links: [{from: n0.eth0, to: s0}, {from: n0.eth1, to: s1}, {from: n1, to: s1}]",
               (struct topology_use){.drives = ethernet, .card = "eepro100"},
               "n0.eth0-s0 n0.eth1*-s1 n1.eth0-s1");
    // Without a list, that of the first link.
    expect_use("{hosts: [{name: a}, {name: b}], links: [{from: a, to: b, count: 2}]}",
               (struct topology_use){.drives = ethernet}, "a-b a*-b*");
}

// Each card by which some other host is reached first, and where that leads to.
static void test_by_route(void)
{
    const struct topology_use use = {.drives = ethernet, .cards = STACK_CARDS_BY_ROUTE};
    expect_use("{hosts: [{name: n, count: 3}], links: [{from: n, to: n}]}", use,
               "n0-n1 n0-n2 n1-n2");
    expect_use("{hosts: [{name: a}, {name: b}], links: [{from: a, to: b, count: 2}]}", use,
               "a-b a*-b*");
    expect_use(THREE, use,
               "n0.eth0-s0 n1.eth0-s0 n0.eth1*-s1 n1.eth1*-s1 n0.myri0*-s2 n1.myri0*-s2");
    // a and b, b and c; the second link of b to the first network leads nowhere new.
    expect_use("hosts: [{name: a}, {name: b}, {name: c}, {name: d}]\n"
               "switches: [{name: s, count: 2}]\n"
               "links: [{from: [a, b, b, d], to: s0}, {from: [b, c, a, d], to: s1}]\n",
               use, "a-s0 b-s0 b*-s0 d-s0 b-s1 c-s1 a-s1 d-s1");
    // Two hosts may reach each other by different cards per direction: both are used.
    expect_use("hosts: [{name: a}, {name: b}]\nswitches: [{name: s, count: 2}]\n"
               "links: [{from: a, to: s0}, {from: b, to: s1}, {from: a, to: s1}, {from: b, to: "
               "s0}]\n",
               use, "a-s0 b-s1 a-s1 b-s0");
    expect_use("{hosts: [{name: a}], switches: [{name: s}], links: [{from: a, to: s}]}", use,
               "a-s");
}

static void test_all(void)
{
    expect_use(THREE, (struct topology_use){.drives = ethernet, .cards = STACK_CARDS_ALL},
               "n0.eth0-s0 n1.eth0-s0 n0.eth1-s1 n1.eth1-s1 n0.myri0*-s2 n1.myri0*-s2");
}

static void test_none(void)
{
    expect_use(THREE, (struct topology_use){.drives = ethernet, .card = "eth7"},
               "t.yaml:9:8: error: nic: n0 has no card eth7 (its cards are eth0 (tulip), eth1 "
               "(tulip), myri0 (lanai))\n");
    expect_use(PAIR "links: [{from: n, to: s0}]\n",
               (struct topology_use){.drives = ethernet, .card = "eth1"},
               "t.yaml:9:8: error: nic: the card eth1 of n0 has no link (its cards are eth0 "
               "(eepro100), eth1 (tulip))\n");
    expect_use(THREE, (struct topology_use){.drives = ethernet, .card = "myri0"},
               "t.yaml:9:8: error: nic: the stack fake does not drive the card myri0 of n0 (its "
               "cards are eth0 (tulip), eth1 (tulip), myri0 (lanai))\n");
    expect_use("hosts: [{name: a, nics: [{name: x, nic: tulip}]}, {name: b, nics: [{name: x, nic: "
               "tulip}, {name: l, nic: lanai}]}]\nlinks: [{from: a, to: b.l}]\n",
               (struct topology_use){.drives = ethernet},
               "t.yaml:1:51: error: hosts: b has no card with a link that the stack fake drives "
               "(its cards are x (tulip), l (lanai))\n");
    expect_use(PAIR "links: [{from: n, to: s0}]\n", (struct topology_use){.drives = myrinet},
               "t.yaml:1:9: error: hosts: n0 has no card that the stack fake drives (its cards are "
               "eth0 (eepro100), eth1 (tulip))\n");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"links", test_links},       {"complaints", test_complaints},
        {"buses", test_buses},       {"first", test_first},
        {"by route", test_by_route}, {"all", test_all},
        {"none", test_none},         {0}};
    return suite_run("topology: cards that hosts list", cases);
}
