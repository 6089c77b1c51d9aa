// SPDX-License-Identifier: GPL-3.0-or-later
// In what share of the draws something holds, how sure that is, and what it amounts to.
#ifndef NETSIM_STATISTICS_SHARE_H
#define NETSIM_STATISTICS_SHARE_H

#include <stdbool.h>
#include <stddef.h>

#define SHARE_ROBUST 0.95 // from this share on something counts as robust
#define SHARE_RARE 0.05   // up to this one it counts as missed
#define SHARE_CONFIDENCE 0.95
#define SHARE_DECIDED 0.10 // how near to none or to all a share must be known to be

struct share {
    double n;         // draws, or their effective number
    double value;     // 0 .. 1; NAN if there is no draw
    double low, high; // Wilson's interval, of SHARE_CONFIDENCE
};

// In `hits` of n draws. The interval is Wilson's score interval (Journal of the American
// Statistical Association 22, 1927), which is right for shares near 0 and 1, too.
struct share share_of(size_t hits, size_t n);

// A weighted share, 0 .. 1, of draws whose effective number is n.
struct share share_weighted(double value, double n);

enum share_verdict {
    SHARE_IN_NONE,
    SHARE_IN_FEW, // at most SHARE_RARE
    SHARE_UNDECIDED,
    SHARE_IN_MOST, // at least SHARE_ROBUST
    SHARE_IN_ALL,
};

// By the share itself, not by its interval. Without draws it is undecided.
enum share_verdict share_judge(const struct share *share);

// Whether more draws would hardly change the verdict: the whole interval lies between SHARE_RARE
// and SHARE_ROBUST, or within SHARE_DECIDED of none or of all. (Within SHARE_RARE of them it is
// only with 73 draws that agree; within SHARE_DECIDED with 35.)
bool share_is_decided(const struct share *share);

// "in no draw", "in few draws", "undecided", "in nearly all draws", "in all draws"
const char *share_verdict_name(enum share_verdict verdict);

// "97 %"; a share that is neither 0 nor 1 is never written as 0 % or 100 %: "99.5 %". The caller
// frees it.
char *share_percent(double value);

// "in 97 % of the draws (91 .. 99 %)", "in all draws (at least 84 %)", "in no draw (at most 16 %)";
// the caller frees it.
char *share_text(const struct share *share);

#endif
