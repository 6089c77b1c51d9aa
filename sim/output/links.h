// SPDX-License-Identifier: GPL-3.0-or-later
// The traffic over each direction of each link: links.csv, the list in JSON, and the table of
// `run --links`. The columns are those of link_count_kinds (sim/core/link_load.h).
#ifndef NETSIM_OUTPUT_LINKS_H
#define NETSIM_OUTPUT_LINKS_H

#include "sim/measure/result.h"

#include <stdbool.h>

// "scenario,series,link,from,from_port,to,to_port,rate_b_per_s,..." and one row per direction of a
// link over which anything was to pass, in the order of series and topology. Times are in us;
// `utilisation` is the share of the simulated time in which the link was busy. Returns NULL if no
// series has any: on flows there are no packets. Free with g_string_free.
GString *links_csv(const struct result *result);

// The same while each size was measured: "scenario,series,size,link,...", where `size` is as in
// results.csv, empty for what belongs to none, and `utilisation` is of the time that this took, in
// all. Returns NULL if no series keeps sizes apart.
GString *links_csv_by_size(const struct result *result);

// The links of one series, as a list of objects; packets that cards dropped by reason. New
// reference; NULL on flows.
json_t *links_json(const struct series_result *series);

// The same while each size was measured: [{"size", "time_us", "links"}], where `size` is null for
// what belongs to none. New reference; NULL if the series does not keep sizes apart.
json_t *links_json_by_size(const struct series_result *series);

// Appends a table of the links of each series, busiest first: all of them, or the first ones.
void links_append_table(GString *out, const struct result *result, bool all);

#endif
