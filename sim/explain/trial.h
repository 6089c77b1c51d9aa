// SPDX-License-Identifier: GPL-3.0-or-later
// Trials: the same size of the same case run again with one resource 1 % faster, or with another
// algorithm, to see whether that helps. Only what helped is reported to bound a run.
//
// A resource is made faster by settings, as a user would do it: its rates are multiplied and its
// times divided. Resources with less than TRIAL_LEAST of the critical path are not tried.
#ifndef NETSIM_EXPLAIN_TRIAL_H
#define NETSIM_EXPLAIN_TRIAL_H

#include "sim/explain/explain.h"

#define TRIAL_PERCENT 1.0
#define TRIAL_LEAST 0.01 // share of the critical path
// A resource bounds the run if at least this share of the time changes as the resource does.
#define TRIAL_BOUND 0.5
// All of the time can change with a resource, and a little more where packets then meet
// differently. A far larger change is chance: which packets meet, what is lost, in which turn a
// poller polls.
#define TRIAL_CHANCE 2.0

struct explain_trial {
    const char *what; // static or interned: "the links"; NULL: another algorithm
    GPtrArray *sets;  // char *, owned: "link.rate=101000000 b/s"
    double percent;   // how much faster; 0: another algorithm
    char *why;        // why there is no result; or NULL
    sim_time total;   // of `messages`
    int64_t messages;
};

// The scenario with additional settings. Returns NULL and sets *why to a sentence if they can't be
// applied. The caller frees both.
struct explain_again {
    struct scenario *(*load)(void *owner, GPtrArray *sets, char **why);
    void *owner;
};

// Fills found->trials, the most helpful first, and found->bound.
void explain_try(struct explanation *found, const struct explain_run *run,
                 const struct explain_again *again);

// The time saved, as a fraction of the explained run's time: 0.01 is 1 %; negative: it takes
// longer. 0 without a result.
double trial_gain(const struct explanation *found, const struct explain_trial *trial);

// The share of the time that changes with the resource: 1 if all of it would. 0 for an algorithm.
double trial_share(const struct explanation *found, const struct explain_trial *trial);

// "link.rate", "host.memory.copy_cached, copy_uncached", "lam.allreduce=recursive_doubling", or
// "8 parameters of eepro100". The caller frees it.
char *trial_settings(const struct explain_trial *trial);

#endif
