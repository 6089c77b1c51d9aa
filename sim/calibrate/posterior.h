// SPDX-License-Identifier: GPL-3.0-or-later
// Constants that are known by ranges, in the light of targets: draws of them are weighed by the
// targets, or moved towards them where too few of the draws explain the targets.
//
// A target's error is its tolerance and the model's discrepancy, a share of the value (of an order,
// a crossover and a gain: of both values that are compared). Each target counts once: an order by
// the size at which it is violated most.
#ifndef NETSIM_CALIBRATE_POSTERIOR_H
#define NETSIM_CALIBRATE_POSTERIOR_H

#include "sim/calibrate/evaluate.h"
#include "sim/calibrate/uncertain.h"

// With fewer effective draws than this, weights say little: the smoother takes their place. (A band
// of 90 % leaves 2.5 of 50 draws on either side.)
#define POSTERIOR_LEAST_SIZE 50
#define POSTERIOR_LEAST_DRAWS POSTERIOR_LEAST_SIZE
#define POSTERIOR_MOST_DRAWS 10000
#define POSTERIOR_DISCREPANCY 0.02 // as orders within 2 % count as level

enum posterior_method { POSTERIOR_WEIGHTS, POSTERIOR_SMOOTHER };

// Machines: draws, or what a smoother made of them.
struct posterior_machines {
    double *normals;   // draws x constants (uncertain.h)
    double *simulated; // draws x targets: as target_prediction()
    char **faults;     // by draw: why it gives no result; NULL: it does
    int completed;
};

struct posterior_options {
    int draws;
    double discrepancy;
    uint64_t seed; // of the smoother's perturbations
};

struct posterior {
    struct posterior_options options;
    const struct target_list *targets;
    const struct uncertain_list *constants;
    enum posterior_method method;
    double *measured, *errors; // by target, as target_prediction()
    double *weights;           // by draw of the prior, from the targets
    double size;               // effective number of draws of these weights
    struct posterior_machines prior, moved;
    const struct posterior_machines *result; // &prior, by the weights, or &moved
    double *result_weights;                  // by draw; sum 1; 0 of those without a result
    double result_size;                      // their effective number
    int runs;                                // machines that were run
};

// What a document has of a target, on a scale on which target_measured() is met: of a point or a
// gain its value, else how far it is off at the worst size, in tolerances. NaN and *why (g_free) if
// the document lacks it.
double target_prediction(const struct target *target, const json_t *document, char **why);
double target_measured(const struct target *target);

// The standard deviation of its error on that scale.
double target_error(const struct target *target, double discrepancy);

// Runs the draws and learns. NULL and *error if a scenario is refused, the user has interrupted,
// or fewer than POSTERIOR_LEAST_SIZE draws have results. Free with posterior_free.
struct posterior *posterior_new(struct evaluation *evaluation,
                                const struct uncertain_list *constants,
                                const struct posterior_options *options, GError **error);
void posterior_free(struct posterior *posterior);

// The common cause of draws with a fault, as a text: "12 of 100 draws gave no result: REASON; in
// them PATH is greater (…)". NULL if all have results. The caller frees it.
char *posterior_faults_text(const struct posterior_machines *machines,
                            const struct uncertain_list *constants, int draws);

// The standard-normal value of a constant, and the prediction of a target, by draw: the caller
// frees it.
double *posterior_column(const double *rows, int draws, guint width, guint column);

#endif
