// SPDX-License-Identifier: GPL-3.0-or-later
// Draws: machines whose uncertain constants (sim/config/prior.h) have other values, each as likely
// as its prior has it. `draw: 7` in a scenario is one such machine; without it all constants have
// their medians.
//
// Draw k is the same machine in every scenario, series and variant, whatever the number of draws,
// so that differences are paired: the quantile of a parameter follows from its path, the number of
// the draw and nothing else. Each run of DRAW_BLOCK draws (1 .. 20, 21 .. 40, …) has one in each
// twentieth of every parameter's distribution (a Latin hypercube): means of a few dozen draws are
// then several times as precise as of independent draws, in 10 dimensions and in 300.
//
// Parameters with a common cause (`with`) share their quantile. The values of one table that have
// no prior of their own share half of their variance: their author erred in one direction, or
// the kernel or card is quicker than was thought in all that it does. Were they independent, errors
// of dozens of constants would cancel, and bands be too narrow. (Assumed: no source has the half.)
// An own value of one link, switch or host is drawn, too, by the quantile of the path that all
// have (`link.propagation`): things of one kind are alike. Only phases are drawn for each host
// (draw_host.h).
#ifndef NETSIM_SCENARIO_DRAW_H
#define NETSIM_SCENARIO_DRAW_H

#include "sim/config/prior.h"
#include "sim/scenario/case.h"
#include "sim/scenario/draw_quantile.h"

struct ensemble_shelf;

// An uncertain parameter that a case reads.
struct drawn_parameter {
    char *path;
    struct prior prior;
    struct param_values *values; // that the prior is of
    char *cause;                 // the path of the parameter that it is drawn with, often its own
    const char *table;           // the path of the table with which it shares a part; NULL: none
    const char *ensemble;        // NULL: it has a prior
};

// All of a case: struct drawn_parameter *, which the array owns.
GPtrArray *draw_parameters(const struct scenario_case *test_case,
                           const struct scenario_schema *schema);

// Those that the rows of an ensemble give instead: `ensemble` is its file, and there is no prior.
GPtrArray *draw_row_parameters(const struct scenario_case *test_case,
                               const struct scenario_schema *schema);

// Its quantile in a draw: prior_quantile(&prior, quantile) is its value there.
double draw_parameter_quantile(const struct drawn_parameter *parameter, int64_t draw);

// The independent inputs that a case's draws come from, by name, each once: parameters, those that
// others are drawn with, and tables whose values share a part. draw_quantile(k, name) is the one of
// draw k. Without phases, of which those of 0 and of 1 are alike, and chance. Strings, which the
// array owns.
GPtrArray *draw_inputs(const struct scenario_case *test_case, const struct scenario_schema *schema);

// Lays a draw over the tree of a case that was read from it: each uncertain parameter that the case
// reads is set, by its prior or by the row of an ensemble. Complains about a `with` that leads to
// no parameter or in a circle, and about an ensemble without this draw, and returns false.
bool draw_lay(int64_t draw, const struct scenario_case *test_case,
              const struct scenario_schema *schema, struct ensemble_shelf *ensembles,
              struct node **tree, struct diag_list *diags);

#endif
