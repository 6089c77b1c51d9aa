// SPDX-License-Identifier: GPL-3.0-or-later
// The constants in which draws of a scenario differ, each on a scale where its draws are standard
// normal: that of its prior's quantiles, or, of a constant that the rows of an ensemble give, that
// of the rows' logarithms.
#ifndef NETSIM_CALIBRATE_UNCERTAIN_H
#define NETSIM_CALIBRATE_UNCERTAIN_H

#include "sim/config/quantity.h"
#include "sim/scenario/draw.h"
#include "sim/scenario/ensemble.h"
#include "sim/scenario/scenario.h"

struct uncertain_constant {
    const struct drawn_parameter *drawn; // owned by the list's `parameters`
    bool number;                         // else its draws have one of several values
    const struct ensemble *ensemble;     // NULL: by its prior
    int column;                          // in the ensemble
    enum quantity_kind kind;             // of the ensemble's values
    double mean, deviation;              // of their logarithms
};

struct uncertain_list {
    GArray *constants;     // struct uncertain_constant, each path once
    GPtrArray *parameters; // arrays of struct drawn_parameter *, by case
    GHashTable *ensembles; // file -> struct ensemble *
    GPtrArray *differing;  // const char *: paths that series draw from different medians; left out
};

// Those of all series, for draws 1 .. draws. NULL with diagnostics if an ensemble can't be read.
// The scenario must outlive the list. Free with uncertain_list_free.
struct uncertain_list *uncertain_list_new(const struct scenario *scenario,
                                          const struct scenario_schema *schema, int draws,
                                          struct diag_list *diags);
void uncertain_list_free(struct uncertain_list *list);

const struct uncertain_constant *uncertain_at(const struct uncertain_list *list, guint index);

// The kind of a number's quantities.
enum quantity_kind uncertain_kind(const struct uncertain_constant *constant);

// Where a draw has it. 0 if the draw has no value of it.
double uncertain_normal(const struct uncertain_constant *constant, int64_t draw);

// Its value there, as after --set. Of one that is no number: its value in the draw. NULL if the
// draw has none. The caller frees it.
char *uncertain_text(const struct uncertain_constant *constant, double normal, int64_t draw);

// A number with few digits: "3.51 us" of "3513982 ps".
char *uncertain_rounded_text(const struct uncertain_constant *constant, double normal);

#endif
