// SPDX-License-Identifier: GPL-3.0-or-later
// Decides whether a check holds for simulated results, and by how much.
#ifndef NETSIM_VALIDATE_H
#define NETSIM_VALIDATE_H

#include "sim/validate/check.h"
#include "sim/validate/leave_one_out.h"
#include "sim/validate/runs.h"

// Level: the values are too near to one another to hold or to miss; or the check holds under some
// of the settings that it is judged across (check.h), and misses under others.
enum judged { JUDGED_HOLDS, JUDGED_LEVEL, JUDGED_MISSES, JUDGED_NOT_CHECKABLE };

struct judgement {
    enum judged judged;
    char *expected;   // the check's demand, in words
    char *simulated;  // the simulated result; NULL if not checkable
    double deviation; // as defined in validate.h; NAN: none
    char *why;        // why it is not checkable, or why the simulated program failed; else NULL
    // struct drawn_number: how far the simulated values are off those that the check expects, each
    // one as a part of it, or in points of a percentage (`points`, 0.01 is one); NULL: it expects
    // none.
    GArray *off;
    bool points;
    bool failed; // it misses because the simulated program failed
};

// All that a check may use; the caller keeps ownership.
struct judge_context {
    const struct runs *runs;
    const char *data_dir; // for references/figures/
};

// Free the result's texts with judgement_clear.
struct judgement judge(const struct judge_context *context, const struct check *check);
void judgement_clear(struct judgement *judgement);

// Registers with `runs` all runs that a check needs.
void judge_needs(const struct check *check, struct runs *runs);

// Whether a value of a resolved case (as JSON shows it) equals the value that a text denotes: as
// quantities of some kind ("64 KiB" and "65536 B"), as numbers, or as texts.
bool judge_same_value(const json_t *value, const char *text);

#endif
