// SPDX-License-Identifier: GPL-3.0-or-later
// Hosts, switches, links and routes: how items become nodes and links, and which networks are
// refused.
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

static void test_links(void)
{
    expect_links("{hosts: [{name: a}, {name: b}], links: [{from: a, to: b}]}", "a-b");
    expect_links("{hosts: [{name: a}]}", "");
    expect_links("{hosts: [{name: a}, {name: b}], links: [{from: a, to: b, count: 3}]}",
                 "a-b a-b a-b");
    expect_links("{hosts: [{name: n, count: 3}], switches: [{name: s}], links: [{from: n, to: s}]}",
                 "n0-s n1-s n2-s");
    expect_links(
        "{hosts: [{name: n, count: 1}], switches: [{name: s}], links: [{from: n0, to: s}]}",
        "n0-s");
    expect_links("{hosts: [{name: n, count: 4}], switches: [{name: s, count: 2}], links: [{from: "
                 "n0..1, to: s0}, {from: n2 .. n3, to: s1}, {from: s0, to: s1, count: 2}]}",
                 "n0-s0 n1-s0 n2-s1 n3-s1 s0-s1 s0-s1");
    expect_links(
        "{hosts: [{name: n, count: 2}], switches: [{name: s, count: 2}], links: [{from: n, "
        "to: s}]}",
        "n0-s0 n0-s1 n1-s0 n1-s1");
    expect_links("{hosts: [{name: n, count: 3}], links: [{from: n, to: n}]}", "n0-n1 n0-n2 n1-n2");
    expect_links("{hosts: [{name: a}, {name: b}, {name: c}], switches: [{name: s}], links: [{from: "
                 "[a, b, c], to: [s]}]}",
                 "a-s b-s c-s");
    // Names that end in digits, groups of such, and a host called like a number's stem.
    expect_links("{hosts: [{name: n1, count: 2}, {name: m-3.b}], switches: [{name: s}], links: "
                 "[{from: n10..1, to: s}, {from: m-3.b, to: s}]}",
                 "n10-s n11-s m-3.b-s");
}

static void test_parameters(void)
{
    struct fake_topology network =
        fake_topology("hosts: [{name: n, count: 3}]\n"
                      "switches: [{name: s, ports: 5, latency: 1 us}, {name: t, count: 2}]\n"
                      "switch: {latency: 3 us, ports: 16}\n"
                      "link: {rate: 1 Gb/s, delay: 5 ns}\n"
                      "links:\n"
                      "  - {from: n, to: s, delay: 7 ns}\n"
                      "  - {from: s, to: t, drop: [3, 17], loss: 0.5}\n");
    SUITE_SAME_TEXT(network.complaints, "");
    const struct topology *topology = &network.topology;
    SUITE_SAME_INTEGER(topology->hosts->len, 3);
    const struct topology_switch *s = g_ptr_array_index(topology->switches, 0);
    const struct topology_switch *t1 = g_ptr_array_index(topology->switches, 2);
    SUITE_SAME_TEXT(t1->name, "t1");
    SUITE_SAME_INTEGER(((const struct fake_switch *)s->values->values)->latency, 1000000);
    SUITE_SAME_INTEGER(((const struct fake_switch *)s->values->values)->ports, 5);
    SUITE_SAME_INTEGER(((const struct fake_switch *)t1->values->values)->latency, 3000000);
    const struct topology_link *first = g_ptr_array_index(topology->links, 0);
    const struct topology_link *last = g_ptr_array_index(topology->links, 4);
    const struct fake_link *values = first->values->values, *faulty = last->values->values;
    SUITE_SAME_INTEGER(values->rate, 1000000000);
    SUITE_SAME_INTEGER(values->delay, 7000);
    SUITE_SAME_INTEGER(faulty->delay, 5000);
    SUITE_SAME_INTEGER(faulty->drop.values[1], 17);
    SUITE_SAME_TEXT(first->values->path, "links[0]");
    SUITE_SAME_INTEGER(first->mark.line, 6);
    SUITE_SAME_INTEGER(first->values->origins[0].line, 4);
    SUITE_SAME_INTEGER(first->values->origins[1].line, 6);
    SUITE_SAME_INTEGER(last->a, 3);
    SUITE_SAME_INTEGER(last->b, 5);
    fake_topology_clear(&network);
}

// Parts: a two-stage Clos, a ring, and the middle and upper stage of a larger Clos.
static void test_split(void)
{
    expect_links("{hosts: [{name: n, count: 4}], switches: [{name: leaf, count: 2}, {name: top}],"
                 " links: [{from: n, to: leaf, split: 2}, {from: leaf, to: top}]}",
                 "n0-leaf0 n1-leaf0 n2-leaf1 n3-leaf1 leaf0-top leaf1-top");
    expect_links("{hosts: [{name: n, count: 3}], switches: [{name: s, count: 3}], links: ["
                 "{from: n, to: s, split: 3}, {from: s, to: [s1..2, s0], split: 3}]}",
                 "n0-s0 n1-s1 n2-s2 s0-s1 s1-s2 s2-s0");
    expect_links("{hosts: [{name: n, count: 4}], switches: [{name: m, count: 4}], links: ["
                 "{from: n, to: m, split: 2, deal: true}, {from: m, to: m}]}",
                 "n0-m0 n0-m2 n1-m0 n1-m2 n2-m1 n2-m3 n3-m1 n3-m3 "
                 "m0-m1 m0-m2 m0-m3 m1-m2 m1-m3 m2-m3");
}

// A loopback cable names one host twice; it has one end.
static void test_loopback(void)
{
    expect_links("{hosts: [{name: n, count: 1}], links: [{from: n0, to: n0, count: 2}]}",
                 "n0-n0 n0-n0");
    expect_links("{hosts: [{name: n}], links: [{from: n, to: n}]}", "n-n");
    expect_links("{hosts: [{name: a}, {name: b}], links: [{from: a, to: b}, {from: b, to: b}]}",
                 "a-b b-b");
    // Planes: networks of their own, of which each host has one link each, in this order.
    expect_links("{hosts: [{name: n, count: 2}], switches: [{name: p, count: 3, ports: 2}],"
                 " links: [{from: n, to: p}]}",
                 "n0-p0 n0-p1 n0-p2 n1-p0 n1-p1 n1-p2");
    expect_links("{hosts: [{name: n, count: 2}], links: [{from: n0, to: n1, count: 4}]}",
                 "n0-n1 n0-n1 n0-n1 n0-n1");
    // A group is still joined pair by pair.
    expect_links("{hosts: [{name: n, count: 2}], links: [{from: n, to: n}]}", "n0-n1");
}

static void test_routing(void)
{
    struct fake_topology network = fake_topology("{hosts: [{name: a}], routes: shortest}");
    SUITE_SAME_TEXT(network.complaints, "");
    SUITE_SAME_INTEGER(network.topology.routing, TOPOLOGY_ROUTES_SHORTEST);
    fake_topology_clear(&network);
    network = fake_topology("{hosts: [{name: a}], routes: up_down}");
    SUITE_SAME_INTEGER(network.topology.routing, TOPOLOGY_ROUTES_UP_DOWN);
    fake_topology_clear(&network);
    network = fake_topology("{hosts: [{name: a}]}");
    SUITE_SAME_INTEGER(network.topology.routing, TOPOLOGY_ROUTES_DEFAULT);
    fake_topology_clear(&network);
}

static void test_routes(void)
{
    struct fake_topology network = fake_topology(
        "hosts: [{name: n, count: 2}]\n"
        "switches: [{name: s, count: 3}]\n"
        "links: [{from: n0, to: s0}, {from: n1, to: s2}, {from: s0, to: s1, count: 2}, {from: s1, "
        "to: s2, count: 2}, {from: s0, to: s2}]\n"
        "routes:\n"
        "  - {from: n0, to: n1, via: [s0, s1, s2], links: [any, 1, 0, 0]}\n"
        "  - {from: n1, to: n0, via: [s2, s0]}\n");
    SUITE_SAME_TEXT(network.complaints, "");
    const struct topology_route *there = g_ptr_array_index(network.topology.routes, 0);
    const struct topology_route *back = g_ptr_array_index(network.topology.routes, 1);
    SUITE_SAME_INTEGER(there->from, 0);
    SUITE_SAME_INTEGER(there->to, 1);
    SUITE_SAME_INTEGER(there->via->len, 3);
    SUITE_SAME_INTEGER(g_array_index(there->via, int, 1), 3);
    static const int links[] = {-1, 3, 4, 1};
    for (guint i = 0; i < 4; i++)
        SUITE_SAME_INTEGER(g_array_index(there->links, int, i), links[i]);
    SUITE_SAME_INTEGER(back->links->len, 3);
    SUITE_SAME_INTEGER(g_array_index(back->links, int, 2), -1);
    fake_topology_clear(&network);
}

#define TWO "hosts: [{name: a}, {name: b}]\n"
#define JOINED TWO "switches: [{name: s}]\nlinks: [{from: a, to: s}, {from: b, to: s}]\n"

static void test_refused(void)
{
    static const struct {
        const char *text, *part;
    } bads[] = {
        {"{}", "hosts: there must be at least one host"},
        {"hosts: []\n", "hosts: there must be at least one host"},
        {"hosts: {name: a}\n", "t.yaml:1:8: error: hosts: a list is expected here, not a map"},
        {"hosts: [a]\n", "hosts[0]: a map is expected here, not text"},
        {"hosts: [{count: 2}]\n", "hosts[0].name: must be given"},
        {"hosts: [{name: a, cuont: 2}]\n", "hosts[0].cuont: unknown key (did you mean count?)"},
        {"hosts: [{name: a, count: 0}]\n",
         "hosts[0].count: 0 is too small (the range is 1 .. 1048576)"},
        {"hosts: [{name: a, count: 1000000000}]\n", "1000000000 is too large"},
        {"hosts: [{name: a, count: 600000}, {name: b, count: 600000}]\n",
         "more than 1048576 hosts"},
        {"hosts: [{name: 'a b'}]\n", "\"a b\" cannot be a name"},
        {"hosts: [{name: ''}]\n", "\"\" cannot be a name"},
        {"hosts: [{name: a..b}]\n", "\"a..b\" cannot be a name"},
        {"hosts:\n  - {name: a}\n  - {name: a}\n",
         "t.yaml:3:12: error: hosts[1].name: the name a is taken twice, first in t.yaml:2:12"},
        {"hosts: [{name: a0}, {name: a, count: 2}]\n", "the name a0 is taken twice"},
        {TWO "switches: [{name: b}]\n",
         "t.yaml:2:19: error: switches[0].name: the name b is taken twice, first in t.yaml:1:27"},
        {TWO "switches: [{name: s, port: 4}]\n",
         "switches[0].port: unknown key (did you mean ports?)"},
        {TWO "switches: [{name: s, latency: 4}]\n", "switches[0].latency: \"4\": missing unit"},
        {TWO "switch: {latancy: 4 us}\n",
         "t.yaml:2:10: error: switch.latancy: unknown key (did you mean latency?)"},
        {TWO "switch: []\n", "switch: a map of parameters is expected here, not a list"},
        {TWO "link: {rate: 5 MB/s}\n",
         "t.yaml:2:14: error: link.rate: \"5 MB/s\": MB/s is the unit of a byte rate"},
        {TWO, "t.yaml:1:20: error: links: no way joins a and b"},
        {TWO "links: [{from: a}]\n", "links[0].to: must be given"},
        {TWO "links: [{from: a, to: c}]\n",
         "t.yaml:2:23: error: links[0].to: there is no host or switch \"c\""},
        {TWO "links: [{from: a, to: b, rat: 5 Mb/s}]\n",
         "links[0].rat: unknown key (did you mean rate?)"},
        {TWO "links: [{from: a, to: b, rate: -5 Mb/s}]\n", "links[0].rate: -5 Mb/s is too small"},
        {TWO "links: [{from: a, to: a}]\n", "no way joins a and b"},
        {TWO "links: [{from: [a, b], to: a}]\n",
         "t.yaml:2:9: error: links[0]: a link joins a with itself (a loopback cable names one "
         "host, the same in from and to)"},
        {TWO "switches: [{name: s}]\nlinks: [{from: s, to: s}]\n",
         "t.yaml:3:9: error: links[0]: a link joins the switch s with itself (only a host can have "
         "a loopback cable)"},
        {TWO "switches: [{name: s, count: 2}]\nlinks: [{from: s, to: s1}]\n",
         "links[0]: a link joins the switch s1 with itself"},
        {"hosts: [{name: n, nics: [{name: e0, nic: tulip}, {name: e1, nic: tulip}]}]\n"
         "links: [{from: n.e0, to: n.e1}]\n",
         "t.yaml:2:9: error: links[0]: a link joins two cards of n (a loopback cable begins and "
         "ends at one card: name it in from and to)"},
        {TWO "links: [{from: a, to: b, count: 0}]\n", "links[0].count: 0 is too small"},
        {TWO "links: [{from: a..b, to: b}]\n", "a link joins b with itself"},
        {"hosts: [{name: n, count: 6}]\nlinks:\n  - {from: n0..2, to: n3..5, split: 2}\n",
         "t.yaml:3:37: error: links[0]: 3 and 3 nodes can't be cut into 2 equal parts each"},
        {TWO "links: [{from: b..a, to: b}]\n", "\"b..a\" is no range of nodes"},
        {TWO "links: [{from: a..7, to: b}]\n",
         "there is no host or switch \"a7\" (did you mean a?)"},
        {TWO "switches: [{name: s}]\nlinks: [{from: a..s, to: b}]\n",
         "\"a..s\" is no range of nodes"},
        {"hosts: [{name: n, count: 4}]\nlinks: [{from: n0..9, to: n0}]\n",
         "there is no host or switch \"n9\" (did you mean n?)"},
        {"hosts: [{name: n, count: 65536}]\nlinks: [{from: n, to: n}]\n",
         "links[0]: more than 262144 links"},
        // Hosts do not forward.
        {"hosts: [{name: n, count: 3}]\nlinks: [{from: n0, to: n1}, {from: n1, to: n2}]\n",
         "no way joins n0 and n2 (hosts do not forward"},
        {"hosts: [{name: n, count: 4}]\nswitches: [{name: s, count: 2}]\nlinks: [{from: n0..1, to: "
         "s0}, {from: n2..3, to: s1}]\n",
         "no way joins n0 and n2"},
        {"hosts: [{name: n, count: 4}]\nswitches: [{name: s}]\nlinks: [{from: n0..2, to: s}]\n",
         "no way joins n0 and n3"},
        {"hosts: [{name: n, count: 9}]\nswitches: [{name: s}]\nlinks:\n  - {from: n, to: s}\n",
         "t.yaml:4:5: error: links: s has 8 ports, and this is one link more (give the switch more "
         "ports"},
        {JOINED "routes: upwards\n", "unknown routing \"upwards\""},
        {JOINED "routes: {from: a}\n", "routes: "},
        {JOINED "routes: [{from: a, to: c}]\n", "routes[0]: there is no host or switch \"c\""},
        {JOINED "routes: [{from: a, to: s}]\n", "routes[0]: s is not one host"},
        {JOINED "routes: [{from: a, to: b, via: [b]}]\n", "routes[0]: b is not one switch"},
        {JOINED "routes: [{from: a, to: b}]\n",
         "t.yaml:4:10: error: routes[0]: no link joins a and b"},
        {JOINED "routes: [{from: a, to: b, via: s, links: [0]}]\n", "1 links are named for 2 hops"},
        {JOINED "routes: [{from: a, to: b, via: s, links: [0, 1]}]\n",
         "no link of this number joins s and b"},
        {JOINED "routes: [{from: a, to: b, via: s, links: [0, x]}]\n",
         "\"x\" is neither the number of a parallel link"},
        {JOINED "routes: [{from: a, to: b, via: s, links: [0, -1]}]\n", "\"-1\" is neither"},
        {"hosts: [{name: n, count: 2}]\nlinks: [{from: n, to: n}]\nroutes: [{from: n, to: n1}]\n",
         "n is not one host"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bads); i++) {
        struct fake_topology network = fake_topology(bads[i].text);
        SUITE_CONTAINS(network.complaints, bads[i].part);
        fake_topology_clear(&network);
    }
}

// Hosts without a common network that reach each other all the same.
static void test_joined(void)
{
    static const char *const goods[] = {
        // two planes, some hosts on one of them only, all pairs share a plane
        "hosts: [{name: n, count: 3}]\nswitches: [{name: s, count: 3}]\nlinks: [{from: n0, to: "
        "s0}, "
        "{from: n1, to: s0}, {from: n1, to: s1}, {from: n2, to: s1}, {from: n2, to: s2}, {from: "
        "n0, "
        "to: s2}]\n",
        // a mesh of direct links
        "hosts: [{name: n, count: 5}]\nlinks: [{from: n, to: n}]\n",
        // a chain of switches
        "hosts: [{name: n, count: 2}]\nswitches: [{name: s, count: 3}]\nlinks: [{from: n0, to: "
        "s0}, "
        "{from: s0, to: s1}, {from: s1, to: s2}, {from: s2, to: n1}]\n",
        // a host outside the others' switch, joined to each directly
        "hosts: [{name: n, count: 2}, {name: x}]\nswitches: [{name: s}]\nlinks: [{from: n, to: s}, "
        "{from: x, to: n}]\n",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(goods); i++) {
        struct fake_topology network = fake_topology(goods[i]);
        SUITE_SAME_TEXT(network.complaints, "");
        fake_topology_clear(&network);
    }
}

static void test_many(void)
{
    struct fake_topology network =
        fake_topology("hosts: [{name: n, count: 20000}]\nswitches: [{name: s, "
                      "ports: 0}]\nlinks: [{from: n, to: s}]\n");
    SUITE_SAME_TEXT(network.complaints, "");
    SUITE_SAME_INTEGER(network.topology.links->len, 20000);
    fake_topology_clear(&network);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"items become links", test_links},
        {"parameters of links and switches", test_parameters},
        {"links of parts", test_split},
        {"loopback cables", test_loopback},
        {"routes", test_routes},
        {"how routes are found", test_routing},
        {"bad networks", test_refused},
        {"joined in other ways", test_joined},
        {"many hosts", test_many},
        {0},
    };
    return suite_run("config: topology", cases);
}
