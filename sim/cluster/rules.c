// SPDX-License-Identifier: GPL-3.0-or-later
// Rules of cards, links and buses.
#include "sim/cluster/cluster.h"

#include "sim/config/quantity.h"
#include "sim/net/link.h"
#include "sim/scenario/rule.h"

#include <string.h>

// ---- A card and its link ----

// The NIC model of the host at an end of a link; NULL: that end is a switch.
static const char *nic_at(const struct scenario_case *test_case, const struct topology_link *link,
                          int end)
{
    const struct topology *topology = &test_case->topology;
    const struct topology_card *card = topology_link_card(topology, link, end);
    if (!topology_is_host(topology, topology_link_node(link, end)))
        return NULL;
    return card ? card->nic : test_case->nic;
}

// "em82547gi, em82541gi": those of the stack's cards that have the rate; NULL: none has. The caller
// frees it.
static char *cards_of_rate(const struct scenario_case *test_case,
                           const struct scenario_schema *schema, int64_t rate)
{
    const char *const *drives = test_case->stack->nics ? test_case->stack->nics : schema->nics;
    GString *text = g_string_new(NULL);
    for (; *drives; drives++) {
        const struct card_rates *rates = scenario_card_rates(schema, *drives);
        if (rates && card_rates_have(rates, rate))
            g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", *drives);
    }
    return g_string_free(text, text->len == 0);
}

// Whether the rate of a link is that of all links, `link.rate`.
static bool rate_is_common(const struct scenario_case *test_case, struct source_mark mark)
{
    const struct node *rate = node_get(node_get(test_case->tree, "link"), "rate");
    const struct node *value = rate ? node_get(rate, "value") : NULL;
    struct source_mark common = value ? value->mark : rate ? rate->mark : (struct source_mark){0};
    return rate && common.line == mark.line && common.column == mark.column &&
           g_strcmp0(common.file, mark.file) == 0;
}

// Where the rate was set, or else the card, or `nic`.
static void place_rate(const struct scenario_case *test_case, const struct topology_link *link,
                       int end, struct rule_finding *finding)
{
    const struct topology_card *card = topology_link_card(&test_case->topology, link, end);
    const struct node *nic = node_get(test_case->tree, "nic");
    if (!param_is_default(link->values, "rate")) {
        rule_at(finding, link->values, "rate");
        if (rate_is_common(test_case, finding->mark)) {
            g_free(finding->path);
            finding->path = g_strdup("link.rate");
        }
        return;
    }
    finding->mark = card ? card->mark : nic ? nic->mark : link->mark;
    finding->path = g_strdup(card ? "hosts" : "nic");
}

static bool lacks_rate(const struct scenario_case *test_case, const struct scenario_schema *schema,
                       const struct topology_link *link, int end, struct rule_finding *finding)
{
    const struct topology *topology = &test_case->topology;
    const char *nic = nic_at(test_case, link, end);
    const struct card_rates *rates = scenario_card_rates(schema, nic);
    int64_t rate = ((const struct link_config *)link->values->values)->rate;
    if (!rates || card_rates_have(rates, rate))
        return false;
    char *has = card_rates_text(rates), *wanted = card_rate_text(rate);
    char *cards = cards_of_rate(test_case, schema, rate);
    char *near = card_rate_text(card_rates_below(rates, rate));
    rule_says(finding, "%s at %s runs at %s, and link %s-%s at %s", nic,
              topology_node_name(topology, topology_link_node(link, end)), has,
              topology_node_name(topology, link->a), topology_node_name(topology, link->b), wanted);
    finding->remedy = cards ? g_strdup_printf("nic: %s; or rate: %s", cards, near)
                            : g_strdup_printf("rate: %s", near);
    place_rate(test_case, link, end, finding);
    g_free(has);
    g_free(wanted);
    g_free(cards);
    g_free(near);
    return true;
}

// Whether the card at an end of a link breaks a rule; describes the first that does.
typedef bool link_end_broken_fn(const struct scenario_case *test_case,
                                const struct scenario_schema *schema,
                                const struct topology_link *link, int end,
                                struct rule_finding *finding);

static bool any_link_end(const struct scenario_case *test_case,
                         const struct scenario_schema *schema, link_end_broken_fn *broken,
                         struct rule_finding *finding)
{
    for (guint i = 0; i < test_case->topology.links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(test_case->topology.links, i);
        for (int end = 0; end < topology_link_ends(link); end++)
            if (broken(test_case, schema, link, end, finding))
                return true;
    }
    return false;
}

static bool card_rate_broken(const struct scenario_case *test_case,
                             const struct scenario_schema *schema, const struct scenario_rule *rule,
                             struct rule_finding *finding)
{
    (void)rule;
    return any_link_end(test_case, schema, lacks_rate, finding);
}

// ---- Buses and memories ----

typedef bool part_broken_fn(const struct param_values *values, struct rule_finding *finding);

// Tries the common values of a section of hosts, and the hosts' own ones.
static bool any_part(const struct scenario_case *test_case, const char *section,
                     part_broken_fn *broken, struct rule_finding *finding)
{
    const struct topology *topology = &test_case->topology;
    const struct param_values *common = scenario_section(test_case, section);
    if (broken(common, finding))
        return true;
    for (guint i = 0; i < topology->own->len; i++) {
        const GPtrArray *own = g_ptr_array_index(topology->own, i);
        for (guint k = 0; k < own->len; k++) {
            const struct param_values *values = g_ptr_array_index(own, k);
            if (values->table == common->table && broken(values, finding))
                return true;
        }
    }
    return false;
}

#define ROUNDING 1000000 // of "133.333333 MHz", as part of it

// "a bus of 33 MHz and 4 B", "a bus of 8 lanes of 7877 Mb/s"; the caller frees it.
static char *bus_text(const struct bus_config *config)
{
    bool express = config->kind == BUS_PCIE;
    int64_t each = express ? config->lane_rate : config->clock;
    char *text = quantity_format(express ? QUANTITY_BIT_RATE : QUANTITY_FREQUENCY,
                                 (struct quantity){.integer = each});
    char *bus =
        express ? g_strdup_printf("a bus of %" G_GINT64_FORMAT " lanes of %s", config->lanes, text)
                : g_strdup_printf("a bus of %s and %" G_GINT64_FORMAT " B", text, config->width);
    g_free(text);
    return bus;
}

static bool above_clock(const struct param_values *values, struct rule_finding *finding)
{
    const struct bus_config *config = values->values;
    int64_t most = bus_most_rate(config);
    if (config->rate <= most + most / ROUNDING)
        return false;
    char *rate = quantity_format(QUANTITY_BYTE_RATE, (struct quantity){.integer = config->rate});
    char *bound = quantity_format(QUANTITY_BYTE_RATE, (struct quantity){.integer = most});
    char *bus = bus_text(config);
    rule_says(finding, "%s moves %s at most, and its rate is %s", bus, bound, rate);
    if (config->kind == BUS_PCIE)
        finding->remedy = g_strdup("more lanes, a lane_rate of a later generation; or no rate");
    rule_at(finding, values, "rate");
    g_free(rate);
    g_free(bound);
    g_free(bus);
    return true;
}

static bool bus_rate_broken(const struct scenario_case *test_case,
                            const struct scenario_schema *schema, const struct scenario_rule *rule,
                            struct rule_finding *finding)
{
    const GPtrArray *buses = test_case->topology.buses;
    bool broken = any_part(test_case, "host.bus", above_clock, finding);
    (void)schema;
    (void)rule;
    for (guint i = 0; !broken && i < buses->len; i++)
        broken = above_clock(((struct topology_bus *)g_ptr_array_index(buses, i))->values, finding);
    return broken;
}

#define MEMORY_ROUNDING 1000 // of rates that were derived from one another, as part of them

static bool below_copies(const struct param_values *values, struct rule_finding *finding)
{
    const struct memory_config *config = values->values;
    int64_t moved = config->copy_uncached * config->copy_traffic;
    if (config->bus_rate == 0 || config->bus_rate >= moved - moved / MEMORY_ROUNDING)
        return false;
    char *copy =
        quantity_format(QUANTITY_BYTE_RATE, (struct quantity){.integer = config->copy_uncached});
    char *least = quantity_format(QUANTITY_BYTE_RATE, (struct quantity){.integer = moved});
    char *rate =
        quantity_format(QUANTITY_BYTE_RATE, (struct quantity){.integer = config->bus_rate});
    rule_says(finding,
              "copies of %s (copy_uncached) with %" G_GINT64_FORMAT
              " B per byte (copy_traffic) move %s, and the memory bus %s (bus_rate)",
              copy, config->copy_traffic, least, rate);
    if (strcmp(values->path, "host.memory") != 0) // a host's own; else the rule's settings
        rule_at(finding, values, "bus_rate");
    g_free(copy);
    g_free(least);
    g_free(rate);
    return true;
}

static bool memory_bus_broken(const struct scenario_case *test_case,
                              const struct scenario_schema *schema,
                              const struct scenario_rule *rule, struct rule_finding *finding)
{
    (void)schema;
    (void)rule;
    return any_part(test_case, "host.memory", below_copies, finding);
}

// ---- A card and its bus ----

// The parameters of the bus at which the card of a link's end sits; `card` NULL: the host's own.
static const struct param_values *bus_at(const struct scenario_case *test_case, int host,
                                         const struct topology_card *card)
{
    const struct topology *topology = &test_case->topology;
    const struct param_values *common = scenario_section(test_case, "host.bus");
    const GPtrArray *own = g_array_index(topology->hosts, struct topology_node, (guint)host).own;
    if (card && card->bus >= 0)
        return ((const struct topology_bus *)g_ptr_array_index(topology->buses, card->bus))->values;
    for (guint i = 0; own && i < own->len; i++) {
        const struct param_values *values = g_ptr_array_index(own, i);
        if (values->table == common->table)
            return values;
    }
    return common;
}

// Where the kind of bus was set, or else the card.
static void place_bus(const struct scenario_case *test_case, const struct param_values *bus,
                      const struct topology_card *card, struct rule_finding *finding)
{
    const struct node *nic = node_get(test_case->tree, "nic");
    if (!param_is_default(bus, "kind")) {
        rule_at(finding, bus, "kind");
        return;
    }
    finding->mark = card ? card->mark : nic ? nic->mark : test_case->tree->mark;
    finding->path = g_strdup(card ? "hosts" : "nic");
}

static bool at_other_bus(const struct scenario_case *test_case,
                         const struct scenario_schema *schema, const struct topology_link *link,
                         int end, struct rule_finding *finding)
{
    const struct topology *topology = &test_case->topology;
    const struct topology_card *card = topology_link_card(topology, link, end);
    const char *nic = nic_at(test_case, link, end), *needs = scenario_card_bus(schema, nic);
    if (!needs)
        return false;
    int host = topology_link_node(link, end);
    const struct param_values *bus = bus_at(test_case, host, card);
    const char *kind = bus_kind_name(bus->values);
    if (strcmp(kind, needs) == 0)
        return false;
    rule_says(finding, "%s at %s plugs into a bus of kind %s, and %s is of kind %s", nic,
              topology_node_name(topology, host), needs, bus->path, kind);
    finding->remedy = g_strdup_printf("%s.kind: %s; or another card", bus->path, needs);
    place_bus(test_case, bus, card, finding);
    return true;
}

static bool card_bus_broken(const struct scenario_case *test_case,
                            const struct scenario_schema *schema, const struct scenario_rule *rule,
                            struct rule_finding *finding)
{
    (void)rule;
    return any_link_end(test_case, schema, at_other_bus, finding);
}

const struct scenario_rule cluster_rules[] = {
    {
        .name = "card_rate",
        .compares = "a link's rate with the rates at which the cards at its ends run",
        .remedy = "another card, or another rate",
        .physics = true,
        .broken = card_rate_broken,
    },
    {
        .name = "card_bus",
        .compares = "the kind of a card's bus with that into which the card plugs",
        .remedy = "another card, or another kind of bus",
        .physics = true,
        .broken = card_bus_broken,
    },
    {
        .name = "bus_rate",
        .compares = "a bus's rate with its width times its clock, or its lanes times theirs",
        .remedy = "a faster clock (66 MHz, 133 MHz) or a wider bus (8 B), on which its set-ups "
                  "count; or no rate",
        .physics = true,
        .broken = bus_rate_broken,
    },
    {
        .name = "memory_bus",
        .compares = "a memory bus's rate with what copies out of main memory move over it",
        .settings = {"host.memory.bus_rate", "host.memory.copy_uncached",
                     "host.memory.copy_traffic"},
        .remedy = "a larger bus_rate, a smaller copy_uncached or copy_traffic",
        .physics = true,
        .broken = memory_bus_broken,
    },
    {0},
};
