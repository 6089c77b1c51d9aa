// SPDX-License-Identifier: GPL-3.0-or-later
// Platforms of machines, read back: each route is netsim's own, with its links' rates, and the
// plan's latency.
#include "sim/flow/platform_xml.h"
#include "sim/flow/smpi.h"
#include "sim/net/link.h"
#include "tests/support/compiled.h"
#include "tests/support/suite.h"

#include <string.h>

#define LATENCY 50e-6

struct link_read {
    double rate, latency;
};

// The contents of a platform, read by glib's parser, which refuses text that is not well-formed.
struct platform {
    char *text, *why;
    GHashTable *links;   // name: struct link_read
    GHashTable *routes;  // "from>to": "link link "
    GHashTable *options; // name: value
    GHashTable *cluster; // attribute: value; empty: a zone
    GHashTable *hosts;   // name: speed
    char *route;         // that is open
};

static const char *attribute(const char **names, const char **values, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return values[i];
    return "";
}

static double number(const char *text)
{
    return g_ascii_strtod(text, NULL);
}

static void start(GMarkupParseContext *context, const char *element, const char **names,
                  const char **values, gpointer owner, GError **error)
{
    struct platform *platform = owner;
    (void)context;
    (void)error;
    if (strcmp(element, "link") == 0) {
        struct link_read *link = g_new(struct link_read, 1);
        link->rate = number(attribute(names, values, "bandwidth"));
        link->latency = number(attribute(names, values, "latency"));
        g_hash_table_insert(platform->links, g_strdup(attribute(names, values, "id")), link);
    } else if (strcmp(element, "route") == 0) {
        g_free(platform->route);
        platform->route = g_strdup_printf("%s>%s", attribute(names, values, "src"),
                                          attribute(names, values, "dst"));
        CU_ASSERT(!g_hash_table_contains(platform->routes, platform->route));
        g_hash_table_insert(platform->routes, g_strdup(platform->route), g_strdup(""));
    } else if (strcmp(element, "link_ctn") == 0) {
        const char *before = g_hash_table_lookup(platform->routes, platform->route);
        const char *link = attribute(names, values, "id");
        CU_ASSERT(g_hash_table_contains(platform->links, link));
        g_hash_table_insert(platform->routes, g_strdup(platform->route),
                            g_strdup_printf("%s%s ", before, link));
    } else if (strcmp(element, "prop") == 0) {
        g_hash_table_insert(platform->options, g_strdup(attribute(names, values, "id")),
                            g_strdup(attribute(names, values, "value")));
    } else if (strcmp(element, "host") == 0) {
        g_hash_table_insert(platform->hosts, g_strdup(attribute(names, values, "id")),
                            g_strdup(attribute(names, values, "speed")));
    } else if (strcmp(element, "cluster") == 0) {
        for (int i = 0; names[i]; i++)
            g_hash_table_insert(platform->cluster, g_strdup(names[i]), g_strdup(values[i]));
    }
}

static GHashTable *table(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

static const struct smpi_option option = {"smpi/os", "0:1e-6:0;\"<&>\""};

// A curve whose route leads from host `from` to `to`.
static struct flow_curve curve_between(int from, int to, struct flow_curve_point *point)
{
    *point = (struct flow_curve_point){.size = 1, .one_way = 60e-6, .wire = 100};
    struct flow_curve curve = {
        .points = g_array_new(FALSE, FALSE, sizeof *point), .from = from, .to = to, .frame = 1500};
    g_array_append_val(curve.points, *point);
    point->size = 1000;
    point->wire = 1100;
    g_array_append_val(curve.points, *point);
    return curve;
}

static struct platform platform_of(const struct compiled *compiled, int from, int to,
                                   double loopback)
{
    struct platform platform = {.links = table(),
                                .routes = table(),
                                .options = table(),
                                .cluster = table(),
                                .hosts = table()};
    struct flow_curve_point point;
    struct flow_curve curve = curve_between(from, to, &point);
    GArray *options = g_array_new(FALSE, FALSE, sizeof option);
    g_array_append_val(options, option);
    struct platform_plan plan = {LATENCY, 2e9, 1e-6, loopback, options};
    struct flow_cluster *machine = flow_cluster_new(compiled->test_case);
    platform.text = platform_xml(machine, compiled->test_case, &curve, &plan, &platform.why);
    flow_cluster_free(machine);
    g_array_unref(options);
    g_array_unref(curve.points);
    if (platform.text) {
        static const GMarkupParser parser = {.start_element = start};
        GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, &platform, NULL);
        const char *body = strstr(platform.text, "<platform");
        CU_ASSERT(g_markup_parse_context_parse(context, body, -1, NULL) &&
                  g_markup_parse_context_end_parse(context, NULL));
        g_markup_parse_context_free(context);
    }
    return platform;
}

static void platform_clear(struct platform *platform)
{
    g_hash_table_unref(platform->links);
    g_hash_table_unref(platform->routes);
    g_hash_table_unref(platform->options);
    g_hash_table_unref(platform->cluster);
    g_hash_table_unref(platform->hosts);
    g_free(platform->text);
    g_free(platform->why);
    g_free(platform->route);
}

#define HEAD "schema: 1\nname: t\nstack: lam_tcp\nnic: em82547gi\n"
#define WORK "workload: {ranks: 2, program: [{ranks: all, do: [{barrier: {}}]}]}\n"

// Three switches in a triangle with two parallel cables, two hosts at each.
static const char triangle[] = HEAD
    "hosts: [{name: n, count: 6}]\nswitches: [{name: s, count: 3}]\n"
    "switch: {latency: 5 us}\n"
    "links:\n  - {from: \"n0..1\", to: s0}\n  - {from: \"n2..3\", to: s1}\n"
    "  - {from: \"n4..5\", to: s2, rate: 10 Mb/s}\n  - {from: s0, to: s1, count: 2, rate: 1 Gb/s}\n"
    "  - {from: s1, to: s2}\n  - {from: s0, to: s2}\n" WORK;

static char *own_route(struct flow_cluster *machine, const struct topology *topology, int from,
                       int to)
{
    const struct route *route = flow_cluster_route(machine, from, to);
    GString *text = g_string_new(NULL);
    for (int i = 0; i < route_links(route); i++) {
        int side, at = route_link(route, i, &side);
        const struct topology_link *link = g_ptr_array_index(topology->links, (guint)at);
        g_string_append_printf(text, "%s:%s:%d ",
                               topology_node_name(topology, topology_link_node(link, side)),
                               topology_node_name(topology, topology_link_node(link, !side)), at);
    }
    return g_string_free(text, FALSE);
}

static double latency_of(const struct platform *platform, const char *route)
{
    char **links = g_strsplit(route, " ", -1);
    double sum = 0;
    for (int i = 0; links[i] && *links[i]; i++)
        sum += ((struct link_read *)g_hash_table_lookup(platform->links, links[i]))->latency;
    g_strfreev(links);
    return sum;
}

static void test_every_route_is_netsims(void)
{
    struct compiled compiled = compiled_new(triangle, NULL);
    struct platform platform = platform_of(&compiled, 0, 1, 0);
    struct flow_cluster *machine = flow_cluster_new(compiled.test_case);
    SUITE_SAME_INTEGER(g_hash_table_size(platform.hosts), 6);
    SUITE_SAME_INTEGER(g_hash_table_size(platform.routes), 30);
    SUITE_SAME_INTEGER(g_hash_table_size(platform.cluster), 0);
    for (int from = 0; from < 6; from++)
        for (int to = 0; to < 6; to++) {
            char *key = g_strdup_printf("n%d>n%d", from, to);
            const char *route = g_hash_table_lookup(platform.routes, key);
            if (from != to) {
                char *own = own_route(machine, &compiled.test_case->topology, from, to);
                SUITE_SAME_TEXT(route, own);
                g_free(own);
            }
            g_free(key);
        }
    flow_cluster_free(machine);
    platform_clear(&platform);
    compiled_free(&compiled);
}

// The measured route has the plan's latency. One more switch is its latency, the cable to it, and
// the frame of the smallest message (100 B) once more.
static void test_longer_routes_take_longer(void)
{
    struct compiled compiled = compiled_new(triangle, NULL);
    struct platform platform = platform_of(&compiled, 0, 1, 0);
    const char *near = g_hash_table_lookup(platform.routes, "n0>n1"),
               *far = g_hash_table_lookup(platform.routes, "n0>n2");
    CU_ASSERT_DOUBLE_EQUAL(latency_of(&platform, near), LATENCY, 1e-12);
    const struct topology_link *cable = g_ptr_array_index(compiled.test_case->topology.links, 6);
    const struct link_config *config = cable->values->values;
    CU_ASSERT_DOUBLE_EQUAL(latency_of(&platform, far) - LATENCY,
                           5e-6 + 800 / 1e9 + time_to_s(config->propagation), 1e-12);
    const struct link_read *slow = g_hash_table_lookup(platform.links, "n4:s2:4"),
                           *trunk = g_hash_table_lookup(platform.links, "s0:s1:6");
    CU_ASSERT(slow && slow->rate == 1.25e6);
    CU_ASSERT(trunk && trunk->rate == 125e6);
    platform_clear(&platform);
    // Measured on a long one, short ones have less.
    platform = platform_of(&compiled, 0, 2, 0);
    near = g_hash_table_lookup(platform.routes, "n0>n1");
    far = g_hash_table_lookup(platform.routes, "n0>n2");
    CU_ASSERT_DOUBLE_EQUAL(latency_of(&platform, far), LATENCY, 1e-12);
    CU_ASSERT(latency_of(&platform, near) < LATENCY - 5e-6);
    platform_clear(&platform);
    compiled_free(&compiled);
}

static void test_options_are_escaped(void)
{
    struct compiled compiled = compiled_new(triangle, NULL);
    struct platform platform = platform_of(&compiled, 0, 1, 0);
    SUITE_SAME_TEXT(g_hash_table_lookup(platform.options, option.name), option.value);
    platform_clear(&platform);
    compiled_free(&compiled);
}

static void test_hosts_within_have_loopbacks(void)
{
    struct compiled compiled = compiled_new(triangle, NULL);
    struct platform platform = platform_of(&compiled, 0, 1, 1e9);
    SUITE_SAME_INTEGER(g_hash_table_size(platform.routes), 36);
    SUITE_SAME_TEXT(g_hash_table_lookup(platform.routes, "n3>n3"), "local:n3 ");
    CU_ASSERT_DOUBLE_EQUAL(latency_of(&platform, "local:n3 "), 1e-6, 1e-15);
    platform_clear(&platform);
    compiled_free(&compiled);
}

// One switch: a cluster, unless hosts or cables differ, or names do not count.
static void test_a_star_is_a_cluster(void)
{
    static const struct {
        const char *hosts, *links, *radical;
    } cases[] = {
        {"[{name: node, count: 7}]", "[{from: node, to: s}]", "0-6"},
        {"[{name: n8}, {name: n9}, {name: n10}]", "[{from: [n8, n9, n10], to: s}]", "8-10"},
        {"[{name: n08}, {name: n09}]", "[{from: [n08, n09], to: s}]", NULL},
        {"[{name: a}, {name: b}]", "[{from: [a, b], to: s}]", NULL},
        {"[{name: n, count: 2}, {name: n5}]", "[{from: [n0, n1, n5], to: s}]", NULL},
        {"[{name: n, count: 3}]", "[{from: [n0, n1], to: s}, {from: n2, to: s, rate: 1 Gb/s}]",
         NULL},
        // The stack uses the first of its cards only.
        {"[{name: n, count: 3}]", "[{from: n, to: s}, {from: n0, to: s}]", "0-2"},
        {"[{name: n, count: 2}, {name: n2, host: {processor: {clock: 123 MHz}}}]",
         "[{from: [n0, n1, n2], to: s}]", NULL},
        {"[{name: n, count: 2}]", "[{from: n0, to: n1}]", NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bool direct = !strstr(cases[i].links, "to: s");
        char *text = g_strdup_printf(HEAD "hosts: %s\n%slinks: %s\n" WORK, cases[i].hosts,
                                     direct ? "" : "switches: [{name: s}]\n", cases[i].links);
        struct compiled compiled = compiled_new(text, NULL);
        struct platform platform = platform_of(&compiled, 0, 1, 0);
        const char *radical = g_hash_table_lookup(platform.cluster, "radical");
        if (cases[i].radical) {
            SUITE_SAME_TEXT(radical, cases[i].radical);
            CU_ASSERT_DOUBLE_EQUAL(number(g_hash_table_lookup(platform.cluster, "lat")),
                                   LATENCY / 2, 1e-15);
        } else {
            const struct topology *topology = &compiled.test_case->topology;
            char *key = g_strdup_printf("%s>%s", topology_node_name(topology, 0),
                                        topology_node_name(topology, 1));
            CU_ASSERT(!radical);
            const char *route = g_hash_table_lookup(platform.routes, key);
            CU_ASSERT_DOUBLE_EQUAL(route ? latency_of(&platform, route) : 0, LATENCY, 1e-12);
            g_free(key);
        }
        platform_clear(&platform);
        compiled_free(&compiled);
        g_free(text);
    }
}

// Slower processors are slower hosts.
static void test_speeds_are_in_the_ratio_of_processors(void)
{
    struct compiled compiled = compiled_new(
        HEAD "host: {processor: {clock: 1 GHz}}\nhosts: [{name: a}, {name: b, host: {processor: "
             "{clock: 500 MHz}}}]\nlinks: [{from: a, to: b}]\n" WORK,
        NULL);
    struct platform platform = platform_of(&compiled, 0, 1, 0);
    CU_ASSERT_DOUBLE_EQUAL(number(g_hash_table_lookup(platform.hosts, "a")), 2e9, 1);
    CU_ASSERT_DOUBLE_EQUAL(number(g_hash_table_lookup(platform.hosts, "b")), 1e9, 1);
    platform_clear(&platform);
    compiled_free(&compiled);
}

static void test_too_many_hosts_are_refused(void)
{
    struct compiled compiled =
        compiled_new(HEAD "hosts: [{name: n, count: 257}]\nswitches: [{name: s}, {name: t}]\n"
                          "links: [{from: \"n0..99\", to: s}, {from: \"n100..256\", to: t}, "
                          "{from: s, to: t}]\n" WORK,
                     (const char *const[]){"switch.ports=0", NULL});
    struct platform platform = platform_of(&compiled, 0, 1, 0);
    CU_ASSERT(!platform.text);
    SUITE_CONTAINS(platform.why, "257 hosts that are not round one switch");
    platform_clear(&platform);
    compiled_free(&compiled);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"every route is netsim's", test_every_route_is_netsims},
        {"longer routes take longer", test_longer_routes_take_longer},
        {"options are escaped", test_options_are_escaped},
        {"hosts within have loopbacks", test_hosts_within_have_loopbacks},
        {"a star is a cluster", test_a_star_is_a_cluster},
        {"speeds are in the ratio of processors", test_speeds_are_in_the_ratio_of_processors},
        {"too many hosts are refused", test_too_many_hosts_are_refused},
        {0},
    };
    return suite_run("flow: platforms of SimGrid", cases);
}
