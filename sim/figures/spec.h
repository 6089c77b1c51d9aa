// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the references, as data (references/figures/*.yaml): which series
// on which axes, and what the reference prints about them.
//
//   schema: 1
//   about: author of the source, and its units   # may be missing; a gallery shows it first
//   figures:
//     - id: via.fig.6_5                  # the claim that asks for this figure
//       number: "6.5"                    # in its reference
//       file: thesis000/fig_6_5          # the picture, without its suffix
//       title: Load of the frameworks
//       source: thesis 000, figure 6.5
//       note: text below the picture     # may be missing
//       claims: [via.pingpong.c1.negative_overhead]
//       scenario: pingpong_cluster1      # of series that do not say another
//       panels:
//         - title: small messages        # may be missing
//           kind: lines                  # or bars
//           x: {scale: log, range: [0 B, 4 MiB]}
//           y: {metric: latency_us, label: load, scale: linear, range: [-100, 400]}
//           series:                      # or at the figure, for all panels
//             - VIA RPI
//             - {name: MVICH - native, series: MVICH, minus: native}
//           marks:
//             - {kind: band, from: 2 KiB, to: 4 KiB, text: MVICH ahead, source: "…", claim: ID}
//
// A linear y axis shows 0 unless it has `zero: false` or a range.
//
// A series is a curve as checks have it (sim/compare/curve.h: series, scenario, set, metric,
// minus, over) with a name and, to look like another stack than its own, a `stack`.
//
// x is the message size. With `x: {label: processes, set: workload.ranks, values: [2, 4, 8], at:
// 64 KiB}` it is a setting: each series is run once for each value, and y is the metric at one size
// (or, without `at`, the metric that belongs to no size).
//
// With `x: {counts: messages}` it is what the benchmark counts instead of bytes, in plain numbers.
//
// marks: `band` has from and to, `vertical` x, `horizontal` y, `point` x and y. `text` is drawn in
// the picture, and `note` (else the text) with the source below it. In a panel whose series have
// one point each, which are bars, `series` names the bar that a mark stands next to.
#ifndef NETSIM_FIGURES_SPEC_H
#define NETSIM_FIGURES_SPEC_H

#include "sim/compare/curve.h"
#include "sim/config/param.h"
#include "sim/core/diag.h"

#include <glib.h>
#include <jansson.h>

struct figure_series {
    char *name;
    char *stack;       // NULL: that of the result
    GPtrArray *curves; // struct curve *: one, or one for each of the panel's x values
};

struct figure_axis {
    const char *label, *unit; // may be NULL, as all texts here; interned
    const char *metric;       // of y
    const char *set, *counts; // of x: a setting, or what the benchmark counts, instead of sizes
    int scale;
    double low, high; // points outside are not drawn; without a range -INFINITY, INFINITY
    json_t *values;   // of the setting; NULL: x is none
    int64_t at;       // the size at which y is taken along a setting; -1: the value without a size
    int zero;         // whether y shows 0; -1: not said
};

struct figure_panel {
    const char *title, *scenario; // interned, may be NULL
    int kind;
    struct figure_axis x, y;
    GPtrArray *marks;
    json_t *frame;     // title, kind, x, y and marks as the document of a picture has them
    GPtrArray *series; // struct figure_series *
};

// Texts are interned; number, note, about and scenario may be NULL.
struct figure_spec {
    const char *id, *number, *file, *title, *source, *note, *scenario;
    const char *about;         // of the file
    const char *const *claims; // NULL-terminated
    GPtrArray *panels;         // struct figure_panel *
};

// The map that a file is.
extern const struct param_table figure_file_table;

// All figures of the files in DATA_DIR/references/figures, sorted by file name. Returns NULL after
// mistakes, which diags report. Free with g_ptr_array_unref.
GPtrArray *figure_specs_load(const char *data_dir, struct diag_list *diags);

// Like figure_specs_load, but of one text, for tests.
GPtrArray *figure_specs_parse(const char *text, const char *name, struct diag_list *diags);

#endif
