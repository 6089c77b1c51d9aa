// SPDX-License-Identifier: GPL-3.0-or-later
// A trace sink that keeps the transitions of one protocol machine as text, without times, for tests
// that compare them: "node0 vi[1] idle -> connect_pending", a line each.
#ifndef NETSIM_TESTS_SUPPORT_VIA_LOG_H
#define NETSIM_TESTS_SUPPORT_VIA_LOG_H

#include "sim/core/trace.h"

#include <glib.h>

struct via_log {
    struct trace trace; // give &log->trace to the world
    const char *machine;
    GString *text;
};

struct via_log *via_log_new(const char *machine);
void via_log_free(struct via_log *log);

#endif
