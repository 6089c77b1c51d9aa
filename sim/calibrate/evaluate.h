// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluates sets of parameter values: runs the scenario in a campaign and judges the results by the
// targets.
#ifndef NETSIM_CALIBRATE_EVALUATE_H
#define NETSIM_CALIBRATE_EVALUATE_H

#include "sim/calibrate/parameter.h"
#include "sim/calibrate/target.h"
#include "sim/campaign/campaign.h"

// Series whose targets use the same sizes: they run with these sizes only.
struct evaluation_group {
    char *sizes;       // "workload.sizes=[1 B, 64 B]"
    GPtrArray *series; // const char *, NULL-terminated
};

struct evaluation {
    struct campaign *campaign;
    const char *file;
    const char *const *sets; // of the user, NULL-terminated; or NULL
    uint64_t seed;
    const struct target_list *targets;
    GPtrArray *parameters; // struct fit_parameter *
    GPtrArray *groups;     // struct evaluation_group *
    int runs;              // so far: points in the space of parameters, repeated ones too
    void (*progress)(void *owner, int runs); // NULL: none
    void *progress_owner;
};

enum evaluation_error { EVALUATION_LOST };
GQuark evaluation_error_quark(void);
#define EVALUATION_ERROR evaluation_error_quark()

void evaluation_init(struct evaluation *evaluation);
void evaluation_clear(struct evaluation *evaluation);

// Runs `count` points in the space of parameters, side by side: values[point * parameters + i].
// Fills residuals[point * residuals + i]. The documents of the runs go to documents[point] (new
// references) if that is not NULL. False and *error if a scenario is refused, a run can't be judged
// or has lost data (EVALUATION_LOST), or the user has interrupted.
bool evaluation_run(struct evaluation *evaluation, int count, const double *values,
                    double *residuals, json_t **documents, GError **error);

// Runs `count` machines side by side, each with settings of its own ("path=value", NULL-terminated)
// besides the user's, and fills documents (new references), whatever their runs came to. False and
// *error if the user has interrupted or a machine is refused; with `faults`, such a machine has no
// document, and the reason (g_free) in faults.
bool evaluation_documents(struct evaluation *evaluation, int count, char **const *points,
                          json_t **documents, char **faults, GError **error);

// Like evaluation_run, of machines that are those of draws (0: none), one each. A point that can't
// be judged has the reason in faults (g_free). False and *error if the user has interrupted.
bool evaluation_run_draws(struct evaluation *evaluation, int count, const int64_t *draws,
                          const double *values, double *residuals, char **faults, GError **error);

#endif
