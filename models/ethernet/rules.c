// SPDX-License-Identifier: GPL-3.0-or-later
// Rules of frames: what cards and switches must hold of the longest frame that a protocol sends.
#include "models/ethernet/nics.h"
#include "sim/net/switch.h"

// A card that the case's stack uses.
struct used_card {
    const struct topology_card *listed; // NULL: one of the case's `nic`
    const char *nic;
    const struct nic_config *config;
    int64_t frame; // longest, without the check sequence
};

typedef bool used_card_fn(const struct scenario_case *test_case, const struct used_card *card,
                          const struct scenario_rule *rule, struct rule_finding *finding);

// Tries the cards that the stack uses; the rule's first setting is the protocol's MTU.
static bool any_card(const struct scenario_case *test_case, const struct scenario_rule *rule,
                     used_card_fn *broken, struct rule_finding *finding)
{
    const struct topology *topology = &test_case->topology;
    int64_t mtu = rule_setting(test_case, rule->settings[0]);
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        for (int end = 0; end < topology_link_ends(link); end++) {
            if (!topology_is_host(topology, topology_link_node(link, end)) || link->idle[end])
                continue;
            const struct topology_card *listed = topology_link_card(topology, link, end);
            const char *nic = listed ? listed->nic : test_case->nic;
            const struct used_card card = {listed, nic, scenario_section_values(test_case, nic),
                                           ETHERNET_HEADER +
                                               (listed && listed->mtu > 0 ? listed->mtu : mtu)};
            if (broken(test_case, &card, rule, finding))
                return true;
        }
    }
    return false;
}

// Where the frame or what does not hold it was set: the card's own MTU, the protocol's, or the
// card's parameter `name`.
static void place_card(const struct scenario_case *test_case, const struct used_card *card,
                       const struct scenario_rule *rule, const char *name,
                       struct rule_finding *finding)
{
    const struct param_values *values = scenario_section(test_case, card->nic);
    if (card->listed && card->listed->mtu > 0) {
        finding->mark = card->listed->mark;
        finding->path = g_strdup("hosts");
    } else if (!param_is_default(values, name) && !rule_is_set(test_case, rule->settings[0])) {
        rule_at(finding, values, name);
    }
}

// The transmit FIFO holds what it waits for before a frame starts, and the receive FIFO what a
// frame leaves in it.
static bool above_fifo(const struct scenario_case *test_case, const struct used_card *card,
                       const struct scenario_rule *rule, struct rule_finding *finding)
{
    int64_t wire = card->frame + ETHERNET_FCS;
    const struct {
        const char *name, *share;
        int64_t holds, needs;
    } fifos[] = {
        {"tx_fifo", "before it starts", card->config->tx_fifo,
         card->config->reads > 0 ? wire : MIN(wire, card->config->tx_threshold)},
        {"rx_fifo", "when it has come", card->config->rx_fifo, MIN(wire, card->config->rx_residue)},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(fifos); i++) {
        if (fifos[i].holds == 0 || fifos[i].needs <= fifos[i].holds)
            continue;
        rule_says(finding,
                  "%s.%s holds %" G_GINT64_FORMAT " B, and a frame of %" G_GINT64_FORMAT
                  " B has %" G_GINT64_FORMAT " B in it %s",
                  card->nic, fifos[i].name, fifos[i].holds, wire, fifos[i].needs, fifos[i].share);
        place_card(test_case, card, rule, fifos[i].name, finding);
        return true;
    }
    return false;
}

bool ethernet_fifo_broken(const struct scenario_case *test_case,
                          const struct scenario_schema *schema, const struct scenario_rule *rule,
                          struct rule_finding *finding)
{
    (void)schema;
    return any_card(test_case, rule, above_fifo, finding);
}

// ---- One MTU per path ----

// The interface of a card at an end of a link.
struct path_interface {
    const struct topology_card *card; // NULL: the host lists none
    int host;
    int64_t mtu; // 0: no interface
};

static struct path_interface interface_at(const struct topology *topology,
                                          const struct topology_link *link, int end, int64_t common)
{
    int node = topology_link_node(link, end);
    const struct topology_card *card = topology_link_card(topology, link, end);
    if (!topology_is_host(topology, node) || link->idle[end])
        return (struct path_interface){0};
    return (struct path_interface){card, node, card && card->mtu > 0 ? card->mtu : common};
}

static bool mtus_differ(const struct topology *topology, const struct path_interface *one,
                        const struct path_interface *other, struct rule_finding *finding)
{
    if (one->mtu == 0 || other->mtu == 0 || one->mtu == other->mtu)
        return false;
    const struct path_interface *placed = one->card && one->card->mtu > 0 ? one : other;
    rule_says(finding,
              "the interfaces of %s and %s, on one path, have MTUs of %" G_GINT64_FORMAT
              " B and %" G_GINT64_FORMAT " B, and SCTP sends packets of its own interface's",
              topology_node_name(topology, one->host), topology_node_name(topology, other->host),
              one->mtu, other->mtu);
    finding->mark = placed->card->mark;
    finding->path = g_strdup("hosts");
    return true;
}

bool ethernet_path_mtu_broken(const struct scenario_case *test_case,
                              const struct scenario_schema *schema,
                              const struct scenario_rule *rule, struct rule_finding *finding)
{
    const struct topology *topology = &test_case->topology;
    int64_t common = rule_setting(test_case, rule->settings[0]);
    int *networks = topology_networks(topology);
    struct path_interface *first =
        g_new0(struct path_interface, topology_node_count(topology)); // by network
    bool broken = false;
    (void)schema;
    for (guint i = 0; !broken && topology->cards->len > 0 && i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        struct path_interface ends[] = {interface_at(topology, link, 0, common),
                                        interface_at(topology, link, 1, common)};
        broken = mtus_differ(topology, &ends[0], &ends[1], finding);
        for (int end = 0; end < 2; end++) {
            int node = topology_link_node(link, !end);
            if (ends[end].mtu == 0 || topology_is_host(topology, node))
                continue;
            struct path_interface *before = &first[topology_network(networks, node)];
            broken = broken || mtus_differ(topology, before, &ends[end], finding);
            *before = ends[end];
        }
    }
    g_free(first);
    g_free(networks);
    return broken;
}

bool ethernet_queue_broken(const struct scenario_case *test_case,
                           const struct scenario_schema *schema, const struct scenario_rule *rule,
                           struct rule_finding *finding)
{
    const GPtrArray *switches = test_case->topology.switches;
    int64_t frame = rule_setting(test_case, rule->settings[0]) + ETHERNET_HEADER + ETHERNET_FCS;
    (void)schema;
    for (guint i = 0; i < switches->len; i++) {
        const struct topology_switch *box = g_ptr_array_index(switches, i);
        const struct switch_config *config = box->values->values;
        if (config->queue_bytes == 0 || config->queue_bytes >= frame)
            continue;
        rule_says(finding,
                  "the queue of %s holds %" G_GINT64_FORMAT " B, and no frame of %" G_GINT64_FORMAT
                  " B can wait there",
                  box->name, config->queue_bytes, frame);
        rule_at(finding, box->values, "queue_bytes");
        return true;
    }
    return false;
}
