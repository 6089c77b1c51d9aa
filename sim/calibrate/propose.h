// SPDX-License-Identifier: GPL-3.0-or-later
// Which of the uncertain constants measured points can determine.
//
// Each constant is moved by one standard deviation of its prior to either side, alone; its effect
// is by how many errors each target moves. Constants are then chosen one after the other: the one
// of whose effect the most is left after what the chosen ones can bring about as well is taken off.
// One of which less than an error is left is not chosen: with or without it the points are met
// alike, so it stays at its prior.
#ifndef NETSIM_CALIBRATE_PROPOSE_H
#define NETSIM_CALIBRATE_PROPOSE_H

#include "sim/calibrate/evaluate.h"
#include "sim/calibrate/uncertain.h"

#define PROPOSE_LEAST 1.0 // what must be left of an effect, in errors
#define PROPOSE_MOST 8    // constants

struct proposed {
    guint constant; // in the list of uncertain constants
    double effect;  // the length of its effect on all targets, in errors
    double most;    // on the target that it moves most
    guint most_at;  // which that is
    double left;    // of the effect, when it was chosen, or after all were
    bool chosen;
    int like;      // of one that is not chosen: the chosen one with the most parallel effect; -1
    double cosine; // of the angle between the two effects
    double ratio;  // of their lengths
};

struct proposal {
    GArray *list;     // struct proposed: the chosen ones in their order, then by effect
    guint chosen;     // how many
    guint unmovable;  // numbers that the scenario does not take other values of
    double misfit;    // the sum of squares of the targets' deviations at the medians, in errors
    json_t *document; // of the run with the medians
};

// The choice alone: effects[constant * targets + target]. At most `most` are chosen; the strongest
// one always, if it has an effect. Fills list (`constants` entries, in the order above) and returns
// the number of the chosen ones. `like` is an index of effects.
guint propose_choose(const double *effects, guint constants, guint targets, guint most,
                     struct proposed *list);

// Runs the scenario and chooses; the evaluation's parameters are not used. NULL and *error if the
// user has interrupted or the medians give no result. Free with proposal_free.
struct proposal *proposal_new(struct evaluation *evaluation, const struct uncertain_list *constants,
                              GError **error);
void proposal_free(struct proposal *proposal);

// {"misfit", "constants" (that were moved), "chosen": [{"path", "meaning", "source", "prior":
// {"low", "median", "high"}, "effect", "most", "most_at": target}], "like": [{"path", "prior",
// "effect", "of": path, "cosine", "ratio"}], "weak": number of the others}. New reference.
json_t *proposal_json(const struct proposal *proposal, const struct evaluation *evaluation,
                      const struct uncertain_list *constants);

// The document for people, with all that it explains.
void proposal_print(const json_t *document, FILE *out);

#endif
