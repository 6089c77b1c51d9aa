// SPDX-License-Identifier: GPL-3.0-or-later
// How claims are judged in draws (drawn.h).
#ifndef NETSIM_VALIDATE_DRAWN_OPTIONS_H
#define NETSIM_VALIDATE_DRAWN_OPTIONS_H

#include <glib.h>

// The cost of all draws, by the estimates of events. Some may be in the database already.
struct drawn_estimate {
    int cases; // at most
    double least_events, most_events;
};

struct drawn_options {
    guint draws;
    // Called before the first draw is run; NULL: not.
    void (*planned)(void *owner, const struct drawn_estimate *estimate);
    void *owner;
};

#endif
