// SPDX-License-Identifier: GPL-3.0-or-later
// Trials: the same size of the same case run again with one resource 1 % faster, or with another
// algorithm, to see whether that helps. What bounds a run is said of what helped alone.
//
// A resource is made faster by settings, as a user would: its rates are multiplied, and the times
// that are said of it divided. What a resource with less than TRIAL_LEAST of the way is worth is
// not tried.
#ifndef NETSIM_EXPLAIN_TRIAL_H
#define NETSIM_EXPLAIN_TRIAL_H

#include "sim/explain/explain.h"

#define TRIAL_PERCENT 1.0
#define TRIAL_LEAST 0.01 // share of the way
// A resource bounds the run if at least this share of the time changes as the resource does.
#define TRIAL_BOUND 0.5
// The whole of the time can change with a resource, and a little more where packets then meet in
// other ways. What changes by far more than that is chance: who meets whom, what is lost, at which
// turn a poller looks.
#define TRIAL_CHANCE 2.0

struct explain_trial {
    const char *what; // static or interned: "the links"; NULL: another algorithm
    GPtrArray *sets;  // char *, owned: "link.rate=101000000 b/s"
    double percent;   // that it is faster; 0: another algorithm
    char *why;        // there is no result; or NULL
    sim_time total;   // of `messages`
    int64_t messages;
};

// The scenario with more settings over those it has; NULL: they can't be, and *why is a sentence.
// The caller frees both.
struct explain_again {
    struct scenario *(*load)(void *owner, GPtrArray *sets, char **why);
    void *owner;
};

// Fills found->trials, those that help most first, and found->bound.
void explain_try(struct explanation *found, const struct explain_run *run,
                 const struct explain_again *again);

// How much less time it takes, of what the explained run took: 0.01 is 1 %; negative: more. 0 if it
// has no result.
double trial_gain(const struct explanation *found, const struct explain_trial *trial);

// The share of the time that changes as the resource does: 1 if all of it would. 0 of an algorithm.
double trial_share(const struct explanation *found, const struct explain_trial *trial);

// "link.rate", "host.memory.copy_cached, copy_uncached", "lam.allreduce=recursive_doubling", or
// "8 parameters of eepro100". The caller frees it.
char *trial_settings(const struct explain_trial *trial);

void trial_free(struct explain_trial *trial);

#endif
