// SPDX-License-Identifier: GPL-3.0-or-later
// The lessons of weighed draws: as JSON, as tables, and as an ensemble of draws.
#ifndef NETSIM_CALIBRATE_POSTERIOR_REPORT_H
#define NETSIM_CALIBRATE_POSTERIOR_REPORT_H

#include "sim/calibrate/posterior.h"

// {"method": "weights" | "smoother", "draws", "completed", "effective_size" (of the weights),
// "discrepancy", "runs", "parameters": [{"path", "with" (null: its own cause), "prior",
// "posterior":
// {"low", "median", "high"}, "width" (posterior / prior), "shift" (of its mean, in deviations of
// the prior), "learnt"}], "alternatives": [{"path", "values": [{"value", "prior", "posterior"}],
// "learnt"}], "targets": [{"target", "claim", "expected", "error", "prior", "posterior": {"low",
// "median", "high"}, "nearest" (implausibility of the nearest draw), "explained"}], "correlations":
// [{"one", "other", "prior", "posterior"}], "notes": [text]}. Bands are the central 90 %. Orders
// and crossovers are expected at 0 and given in tolerances. New reference.
json_t *posterior_json(const struct posterior *posterior);

// The document for people. `named`: the parameters to show (NULL-terminated); NULL: those
// that the targets change by more than chance.
void posterior_print(const json_t *document, char **named, FILE *out);

// The file of an ensemble: as many draws as there were, each of equal weight, with every constant
// in which draws of the scenario differ. `command` is the user's, in shell syntax. The caller frees
// it.
char *posterior_ensemble(const struct posterior *posterior, const char *command);

#endif
