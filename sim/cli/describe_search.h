// SPDX-License-Identifier: GPL-3.0-or-later
// netsim describe: parameters by their path, or by words of their names and meanings.
#ifndef NETSIM_CLI_DESCRIBE_SEARCH_H
#define NETSIM_CLI_DESCRIBE_SEARCH_H

#include "sim/scenario/schema.h"

#include <glib.h>

struct describe_hit {
    const struct scenario_section *section; // borrowed
    const struct param *param;              // borrowed
    int rank;                               // 0: the best
};

// "tcp.delayed_ack_least". The caller frees it.
char *describe_path(const struct describe_hit *hit);

// The parameters (struct describe_hit) among the sections (struct scenario_section) that all words
// match, in any case: the one with this path alone, if the words are one path; else those whose
// path, meaning or source has each of the words, names before meanings. Free with g_array_unref.
GArray *describe_search(const GArray *sections, char *const *words);

#endif
