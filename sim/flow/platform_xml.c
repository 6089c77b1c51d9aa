// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/platform_xml.h"

#include "sim/flow/smpi.h"
#include "sim/net/link.h"
#include "sim/net/switch.h"
#include "sim/scenario/placement.h"

#include <string.h>

struct writer {
    GString *text;
    struct flow_cluster *machine;
    const struct topology *topology;
    const struct platform_plan *plan;
    double frame;   // bytes of the smallest message's frame
    double at_ends; // s: half of it in each link that leaves a host, half in each that enters one
    double scale;   // of the other latencies
};

// ---- The topology ----

static const struct topology_link *xml_link_at(const struct writer *writer, int number)
{
    return g_ptr_array_index(writer->topology->links, (guint)number);
}

static const struct link_config *xml_config_at(const struct writer *writer, int number)
{
    return xml_link_at(writer, number)->values->values;
}

// NULL: the node is a host.
static const struct switch_config *switch_at(const struct writer *writer, int node)
{
    const struct topology *topology = writer->topology;
    if (topology_is_host(topology, node))
        return NULL;
    const struct topology_switch *box =
        g_ptr_array_index(topology->switches, (guint)node - topology->hosts->len);
    return box->values->values;
}

static int host_count(const struct writer *writer)
{
    return (int)writer->topology->hosts->len;
}

static double speed_of(const struct writer *writer, int host)
{
    const struct host *first = flow_cluster_host(writer->machine, 0);
    const struct host *other = flow_cluster_host(writer->machine, host);
    return writer->plan->speed * (double)processor_rate(&other->config.processor) /
           (double)processor_rate(&first->config.processor);
}

static int64_t cores_of(const struct writer *writer, int host)
{
    return flow_cluster_host(writer->machine, host)->config.processor.cores;
}

// ---- Latencies ----

// Seconds that the smallest frame takes for a link and the switch after it, besides its bytes on
// the slowest link: a store-and-forward switch takes it in whole, and sends it again.
static double own_latency(const struct writer *writer, int number, int side)
{
    const struct topology_link *link = xml_link_at(writer, number);
    const struct link_config *config = xml_config_at(writer, number);
    const struct switch_config *before = switch_at(writer, topology_link_node(link, side));
    const struct switch_config *behind = switch_at(writer, topology_link_node(link, side == 0));
    double seconds = time_to_s(config->propagation);
    if (behind)
        seconds += time_to_s(behind->latency);
    if (before && switch_discipline((enum switch_discipline_kind)before->discipline)->stores)
        seconds += writer->frame * 8 / (double)config->rate;
    return seconds;
}

static double link_latency(const struct writer *writer, int number, int side)
{
    const struct topology_link *link = xml_link_at(writer, number);
    int ends =
        topology_is_host(writer->topology, link->a) + topology_is_host(writer->topology, link->b);
    return writer->scale * own_latency(writer, number, side) + writer->at_ends * ends / 2;
}

// Divides the latency of the measured route among its links.
static void divide_latency(struct writer *writer, const struct flow_curve *curve)
{
    const struct route *route = flow_cluster_route(writer->machine, curve->from, curve->to);
    double own = 0;
    for (int i = 0; route && i < route_links(route); i++) {
        int side, number = route_link(route, i, &side);
        own += own_latency(writer, number, side);
    }
    double rest = writer->plan->latency - own;
    writer->scale = rest < 0 ? writer->plan->latency / own : 1;
    writer->at_ends = MAX(rest, 0);
}

// ---- A cluster ----

// The number that ends a name, if the name is the prefix and that number as it is printed; else -1.
static int64_t number_after(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    char text[32];
    if (strncmp(name, prefix, length) != 0 || !g_ascii_isdigit(name[length]))
        return -1;
    int64_t number = g_ascii_strtoll(name + length, NULL, 10);
    g_snprintf(text, sizeof text, "%" G_GINT64_FORMAT, number);
    return strcmp(text, name + length) == 0 && number < 1000000000 ? number : -1;
}

// Whether hosts have one name each and numbers that follow one another: their prefix (g_free) and
// the first one's number, or NULL.
static char *numbered_hosts(const struct writer *writer, int64_t *first)
{
    const char *name = topology_node_name(writer->topology, 0);
    size_t length = strlen(name);
    while (length > 0 && g_ascii_isdigit(name[length - 1]))
        length--;
    char *prefix = g_strndup(name, length);
    *first = number_after(name, prefix);
    for (int i = 0; i < host_count(writer); i++)
        if (*first < 0 ||
            number_after(topology_node_name(writer->topology, i), prefix) != *first + i) {
            g_free(prefix);
            return NULL;
        }
    return prefix;
}

// Whether the case's stack uses the link: it ends at cards that it uses, and is no loopback cable.
static bool is_used(const struct writer *writer, int number)
{
    const struct topology_link *link = xml_link_at(writer, number);
    return link->a != link->b && !link->idle[0] && !link->idle[1];
}

enum { NO_LINK = -1, SEVERAL = -2 };

// The only link of each host, or NO_LINK or SEVERAL; g_free.
static int *only_links(const struct writer *writer)
{
    int *only = g_new(int, host_count(writer));
    for (int i = 0; i < host_count(writer); i++)
        only[i] = NO_LINK;
    for (int i = 0; i < (int)writer->topology->links->len; i++)
        for (int end = 0; is_used(writer, i) && end < 2; end++) {
            int node = topology_link_node(xml_link_at(writer, i), end);
            if (topology_is_host(writer->topology, node))
                only[node] = only[node] == NO_LINK ? i : SEVERAL;
        }
    return only;
}

// The node at the other end of a host's link.
static int far_end(const struct writer *writer, int host, int number)
{
    const struct topology_link *link = xml_link_at(writer, number);
    return link->a == host ? link->b : link->a;
}

// Whether a host and its link are like the first one's.
static bool is_like_first(const struct writer *writer, const int *only, int host)
{
    if (only[host] < 0)
        return false;
    const struct link_config *config = xml_config_at(writer, only[host]),
                             *first = xml_config_at(writer, only[0]);
    int hub = far_end(writer, 0, only[0]);
    return far_end(writer, host, only[host]) == hub && switch_at(writer, hub) &&
           config->rate == first->rate && config->propagation == first->propagation &&
           cores_of(writer, host) == cores_of(writer, 0) &&
           speed_of(writer, host) == speed_of(writer, 0);
}

// Returns the first link of hosts that have one each, all alike, to one switch; or NO_LINK.
static int star_link(const struct writer *writer)
{
    int *only = only_links(writer);
    int found = only[0];
    for (int i = 0; i < host_count(writer) && found >= 0; i++)
        if (!is_like_first(writer, only, i))
            found = NO_LINK;
    g_free(only);
    return found < 0 ? NO_LINK : found;
}

static void write_loopback(struct writer *writer)
{
    if (writer->plan->loopback_rate > 0)
        g_string_append_printf(writer->text, " loopback_bw=\"%.9gBps\" loopback_lat=\"%.9gs\"",
                               writer->plan->loopback_rate, writer->plan->loopback_latency);
}

static void write_cluster(struct writer *writer, const char *prefix, int64_t first, int link)
{
    char *name = g_markup_escape_text(prefix, -1);
    g_string_append_printf(
        writer->text,
        "  <cluster id=\"cluster\" prefix=\"%s\" suffix=\"\" radical=\"%" G_GINT64_FORMAT
        "-%" G_GINT64_FORMAT "\"\n           speed=\"%.9gf\" core=\"%" G_GINT64_FORMAT
        "\" bw=\"%.9gBps\" lat=\"%.9gs\"\n           sharing_policy=\"SPLITDUPLEX\"",
        name, first, first + host_count(writer) - 1, speed_of(writer, 0), cores_of(writer, 0),
        (double)xml_config_at(writer, link)->rate / 8, writer->plan->latency / 2);
    write_loopback(writer);
    g_string_append(writer->text, "/>\n");
    g_free(name);
}

// ---- All routes ----

// The name of one direction of a cable; g_free.
static char *link_name(const struct writer *writer, int number, int side)
{
    const struct topology_link *link = xml_link_at(writer, number);
    return g_markup_printf_escaped(
        "%s:%s:%d", topology_node_name(writer->topology, topology_link_node(link, side)),
        topology_node_name(writer->topology, topology_link_node(link, side == 0)), number);
}

static void write_hosts(struct writer *writer)
{
    for (int i = 0; i < host_count(writer); i++) {
        char *name = g_markup_escape_text(topology_node_name(writer->topology, i), -1);
        g_string_append_printf(
            writer->text, "    <host id=\"%s\" speed=\"%.9gf\" core=\"%" G_GINT64_FORMAT "\"/>\n",
            name, speed_of(writer, i), cores_of(writer, i));
        g_free(name);
    }
}

static void write_links(struct writer *writer)
{
    for (int i = 0; i < 2 * (int)writer->topology->links->len; i++) {
        int number = i / 2;
        if (!is_used(writer, number))
            continue;
        char *name = link_name(writer, number, i % 2);
        double bits_per_s = (double)xml_config_at(writer, number)->rate;
        g_string_append_printf(writer->text,
                               "    <link id=\"%s\" bandwidth=\"%.9gBps\" latency=\"%.9gs\"/>\n",
                               name, bits_per_s / 8, link_latency(writer, number, i % 2));
        g_free(name);
    }
}

// Of messages within a host.
static void write_local_links(struct writer *writer)
{
    for (int i = 0; i < host_count(writer); i++) {
        char *line = g_markup_printf_escaped(
            "    <link id=\"local:%s\" bandwidth=\"%.9gBps\" latency=\"%.9gs\" "
            "sharing_policy=\"FATPIPE\"/>\n",
            topology_node_name(writer->topology, i), writer->plan->loopback_rate,
            writer->plan->loopback_latency);
        g_string_append(writer->text, line);
        g_free(line);
    }
}

static void write_local_route(struct writer *writer, int host)
{
    const char *name = topology_node_name(writer->topology, host);
    char *line = g_markup_printf_escaped("    <route src=\"%s\" dst=\"%s\" symmetrical=\"NO\">"
                                         "<link_ctn id=\"local:%s\"/></route>\n",
                                         name, name, name);
    g_string_append(writer->text, line);
    g_free(line);
}

static bool write_route(struct writer *writer, int from, int to, char **why)
{
    const struct route *route = flow_cluster_route(writer->machine, from, to);
    const char *ends[] = {topology_node_name(writer->topology, from),
                          topology_node_name(writer->topology, to)};
    if (!route) {
        *why = g_strdup_printf("no route leads from %s to %s", ends[0], ends[1]);
        return false;
    }
    char *start = g_markup_printf_escaped("    <route src=\"%s\" dst=\"%s\" symmetrical=\"NO\">",
                                          ends[0], ends[1]);
    g_string_append(writer->text, start);
    g_free(start);
    for (int i = 0; i < route_links(route); i++) {
        int side, number = route_link(route, i, &side);
        char *name = link_name(writer, number, side);
        g_string_append_printf(writer->text, "<link_ctn id=\"%s\"/>", name);
        g_free(name);
    }
    g_string_append(writer->text, "</route>\n");
    return true;
}

static bool write_zone(struct writer *writer, char **why)
{
    int hosts = host_count(writer);
    if (hosts > PLATFORM_MOST_HOSTS) {
        *why = g_strdup_printf("%d hosts that are not round one switch: a platform with all "
                               "routes in it has at most %d",
                               hosts, PLATFORM_MOST_HOSTS);
        return false;
    }
    g_string_append(writer->text, "  <zone id=\"cluster\" routing=\"Full\">\n");
    write_hosts(writer);
    write_links(writer);
    bool local = writer->plan->loopback_rate > 0;
    if (local)
        write_local_links(writer);
    for (int from = 0; from < hosts; from++)
        for (int to = 0; to < hosts; to++)
            if (from == to && local)
                write_local_route(writer, from);
            else if (from != to && !write_route(writer, from, to, why))
                return false;
    g_string_append(writer->text, "  </zone>\n");
    return true;
}

// ---- The whole ----

static void write_options(struct writer *writer)
{
    g_string_append(writer->text, "  <config>\n");
    for (guint i = 0; i < writer->plan->options->len; i++) {
        const struct smpi_option *option =
            &g_array_index(writer->plan->options, struct smpi_option, i);
        char *line = g_markup_printf_escaped("    <prop id=\"%s\" value=\"%s\"/>\n", option->name,
                                             option->value);
        g_string_append(writer->text, line);
        g_free(line);
    }
    g_string_append(writer->text, "  </config>\n");
}

char *platform_xml(struct flow_cluster *machine, const struct scenario_case *test_case,
                   const struct flow_curve *curve, const struct platform_plan *plan, char **why)
{
    struct writer writer = {.text = g_string_new(NULL),
                            .machine = machine,
                            .topology = &test_case->topology,
                            .plan = plan,
                            .frame = MIN(curve->frame, flow_curve_at(curve, 1, false).wire)};
    divide_latency(&writer, curve);
    g_string_append(writer.text, "<?xml version='1.0'?>\n"
                                 "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                                 "<platform version=\"4.1\">\n");
    write_options(&writer);
    int64_t first;
    int star = star_link(&writer);
    char *prefix = star >= 0 ? numbered_hosts(&writer, &first) : NULL;
    bool good = true;
    if (prefix)
        write_cluster(&writer, prefix, first, star);
    else
        good = write_zone(&writer, why);
    g_string_append(writer.text, "</platform>\n");
    g_free(prefix);
    return g_string_free(writer.text, !good);
}

char *platform_hosts(const struct scenario_case *test_case)
{
    const GArray *placement = test_case->workload.placement;
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < placement->len; i++)
        g_string_append_printf(
            text, "%s\n",
            topology_node_name(&test_case->topology, placement_host(placement, (int)i)));
    return g_string_free(text, FALSE);
}
