// SPDX-License-Identifier: GPL-3.0-or-later
// A trace sink that keeps all spans in memory, for tests that look at when things happened.
#ifndef NETSIM_TESTS_SUPPORT_SPANS_H
#define NETSIM_TESTS_SUPPORT_SPANS_H

#include "sim/core/trace.h"

#include <glib.h>

struct span {
    const char *lane; // "wire node0->switch0"; interned
    const char *name;
    sim_time from, to;
    struct message_ref message;
};

struct span_log {
    struct trace trace; // give &log->trace to sim_new
    GPtrArray *lanes;   // interned names; lane n is lanes[n - 1]
    GArray *spans;      // struct span, in the order in which they were reported
};

struct span_log *span_log_new(void);
void span_log_free(struct span_log *log);

// The span of a message on a lane; NULL if there is none.
const struct span *span_find(const struct span_log *log, const char *lane,
                             struct message_ref message);

#endif
