// SPDX-License-Identifier: GPL-3.0-or-later
// Explanations as tables for people and as JSON for programs.
#ifndef NETSIM_EXPLAIN_REPORT_H
#define NETSIM_EXPLAIN_REPORT_H

#include "sim/explain/explain.h"

#include <stdio.h>

// The explanations of one series, by size.
struct explained_series {
    const char *name, *stack;
    GPtrArray *sizes; // struct explanation *, owned
};

struct explained_series *explained_series_new(const struct scenario_case *test_case);
void explained_series_free(struct explained_series *series);

// One size in full: stages with share and running sum, the rank's waits, resources, and what bounds
// the time.
void report_print_size(const struct explained_series *series, const struct explanation *found,
                       FILE *out);

// All sizes: one row per size, one column per stage.
void report_print_sizes(const struct explained_series *series, FILE *out);

// {"scenario", "series": [{"name", "stack", "sizes": [B…], "stages": {"wire": [us…], …},
// "class_of": {stage: class}, "classes": {class: [us…]}, "total": [us…], "exact": [{"messages",
// "repetitions", "run_repetitions", "run_us", "by_itself", "total_ps", "stages_ps", "held_ps"}…],
// "bound": [text | null…], "held": [{wait: {stage: us}}…], "waits":
// [{text: us}…], "failures": [{"size", "text", "reason"}]}], "resources": [{"series", "size",
// "resource", "utilisation", "busy_us", "on_the_way", "by_class", "mean_queue", "longest_queue"}]}.
// Stages are sorted by their time over all sizes, largest first; classes are in the order of enum
// stage_class; a size that failed has null for every number. "run_us": what `run` measures, where
// fewer repetitions are explained, else null; "by_itself": without the sizes before it. Returns a
// new reference.
json_t *report_json(const char *scenario, const GPtrArray *all);

#endif
