// SPDX-License-Identifier: GPL-3.0-or-later
// Decides whether a check holds for what was simulated, and says by how much.
#ifndef NETSIM_VALIDATE_H
#define NETSIM_VALIDATE_H

#include "sim/validate/check.h"
#include "sim/validate/runs.h"

enum judged { JUDGED_HOLDS, JUDGED_MISSES, JUDGED_NOT_CHECKABLE };

struct judgement {
    enum judged judged;
    char *expected;   // what the check asks for, in words
    char *simulated;  // what came out; NULL if not checkable
    double deviation; // as validate.h says; NAN: none
    char *why;        // not checkable, or the simulated program failed: why; else NULL
};

// All a check may look at. The caller keeps what it points to.
struct judge_context {
    const struct runs *runs;
    const char *data_dir; // for references/figures/
};

// Free what it holds with judgement_clear.
struct judgement judge(const struct judge_context *context, const struct check *check);
void judgement_clear(struct judgement *judgement);

// Tells `runs` what a check will look at.
void judge_needs(const struct check *check, struct runs *runs);

// Whether a value of a resolved case (as JSON shows it) is the value that a text stands for: equal
// as quantities of some kind ("64 KiB" and "65536 B"), as numbers, or as texts.
bool judge_same_value(const json_t *value, const char *text);

#endif
