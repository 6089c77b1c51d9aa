// SPDX-License-Identifier: GPL-3.0-or-later
// Checks judged on curves that a line of text has.
#ifndef NETSIM_TESTS_SUPPORT_JUDGED_H
#define NETSIM_TESTS_SUPPORT_JUDGED_H

#include "sim/validate/judge.h"

struct judged_sample {
    const char *curves; // "A 1:10 2:12; B 1:11"
    const char *check;  // without scenario and metric, which are "s" and latency_us
    enum judged judged;
    const char *says; // a part of the simulated value, or of why it can't be checked
};

#define HOLDS JUDGED_HOLDS
#define LEVEL JUDGED_LEVEL
#define MISSES JUDGED_MISSES
#define NOT JUDGED_NOT_CHECKABLE

// Where the figures are sought; "." unless a test sets it.
extern const char *judged_data_dir;

// {order: {lower: A}} becomes {order: {scenario: s, metric: latency_us, lower: A}}. The caller
// frees it.
struct check *judged_check(const char *text);

// The judgement of one sample, with the same curves under the setting p.r=1 and "A 1:5 2:5" under
// p.q=1. The caller clears it.
struct judgement judged_one(const struct judged_sample *sample);

// Judges each sample and holds the verdict and the texts to it. The list ends with NULL curves.
void judged_all(const struct judged_sample *samples);

#endif
