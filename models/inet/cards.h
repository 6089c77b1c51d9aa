// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of parameters that select cards of a host by number.
#ifndef NETSIM_MODELS_INET_CARDS_H
#define NETSIM_MODELS_INET_CARDS_H

#include "sim/model/stack.h"

// The cards of a host that the case's stack uses.
int inet_cards_of(const struct scenario_case *test_case, int host);

// Complains at section.key if some host has no card of that number, counted from 0. Returns whether
// all have.
bool inet_check_card(const struct scenario_case *test_case, const char *section, const char *key,
                     int64_t card, struct diag_list *diags);

// Like inet_check_card, for the last of a list, which is ascending; an empty one is right.
bool inet_check_cards(const struct scenario_case *test_case, const char *section, const char *key,
                      const struct param_counts *cards, struct diag_list *diags);

#endif
