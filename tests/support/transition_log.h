// SPDX-License-Identifier: GPL-3.0-or-later
// Trace sinks for tests that check the transitions of protocol machines, and nothing else of a run.
#ifndef NETSIM_TESTS_SUPPORT_TRANSITION_LOG_H
#define NETSIM_TESTS_SUPPORT_TRANSITION_LOG_H

#include "sim/core/trace.h"

#include <glib.h>

// Hands each transition to `take`.
struct transition_sink {
    struct trace trace; // give &sink->trace to the run
    void (*take)(struct transition_sink *sink, sim_time when,
                 const struct trace_transition *transition);
};

struct transition_sink
transition_sink_make(void (*take)(struct transition_sink *sink, sim_time when,
                                  const struct trace_transition *transition));

// Keeps the transitions of some machines as text, without times, for tests that compare them:
// "node0 vi[1] idle -> connect_pending", a line each.
struct transition_log {
    struct transition_sink sink; // give &log->sink.trace to the world
    char **machines;
    bool detail;
    GString *text;
};

// machines: "message,receiver"; detail: lines end with it, " (to endpoint 1)".
struct transition_log *transition_log_new(const char *machines, bool detail);
void transition_log_free(struct transition_log *log);

// Fails the test unless the lines of the host `where` since the last call are these; the text has
// them without the host's name. The log is empty afterwards.
void transition_log_expect(const char *file, int line, struct transition_log *log,
                           const char *where, const char *text);

#define TRANSITION_LOG_EXPECT(log, where, text)                                                    \
    transition_log_expect(__FILE__, __LINE__, log, where, text)

#endif
