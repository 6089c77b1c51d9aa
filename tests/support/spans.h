// SPDX-License-Identifier: GPL-3.0-or-later
// A trace sink that keeps all spans and notes in memory, for tests that check when things happened.
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

struct span_note {
    const char *lane;
    struct trace_note note;
};

struct span_log {
    struct trace trace; // give &log->trace to sim_new
    GPtrArray *lanes;   // interned names; lane n is lanes[n - 1]
    GArray *spans;      // struct span, in the order in which they were reported
    GArray *notes;      // struct span_note, likewise
};

struct span_log *span_log_new(void);
void span_log_free(struct span_log *log);

// The span of a message on a lane; NULL if there is none.
const struct span *span_find(const struct span_log *log, const char *lane,
                             struct message_ref message);

// The notes of a lane as lines, in the order of their reports: "join 120000", "gap 5000..10000",
// "delay switch 10000..20000", in picoseconds. The caller frees it.
char *span_notes_text(const struct span_log *log, const char *lane);

#endif
