// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/inet/cards.h"

int inet_cards_of(const struct scenario_case *test_case, int host)
{
    const struct topology *topology = &test_case->topology;
    int count = 0;
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        for (int end = 0; end < topology_link_ends(link); end++)
            count += topology_link_node(link, end) == host && !link->idle[end];
    }
    return count;
}

bool inet_check_card(const struct scenario_case *test_case, const char *section, const char *key,
                     int64_t card, struct diag_list *diags)
{
    const GArray *hosts = test_case->topology.hosts;
    for (guint host = 0; host < hosts->len; host++) {
        int cards = inet_cards_of(test_case, (int)host);
        if (card < cards)
            continue;
        scenario_complain(test_case, diags, section, key,
                          "a card per path: list further cards of the host and their links",
                          "there is no card %" G_GINT64_FORMAT
                          " at %s, whose %d cards are counted from 0",
                          card, g_array_index(hosts, struct topology_node, host).name, cards);
        return false;
    }
    return true;
}

bool inet_check_cards(const struct scenario_case *test_case, const char *section, const char *key,
                      const struct param_counts *cards, struct diag_list *diags)
{
    return cards->count == 0 ||
           inet_check_card(test_case, section, key, cards->values[cards->count - 1], diags);
}
