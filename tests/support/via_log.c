// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/via_log.h"

#include <string.h>

static trace_lane log_lane(struct trace *trace, const char *group, const char *name)
{
    (void)trace, (void)group, (void)name;
    return 0;
}

static void log_span(struct trace *trace, trace_lane lane, const char *name, sim_time from,
                     sim_time to, struct message_ref message)
{
    (void)trace, (void)lane, (void)name, (void)from, (void)to, (void)message;
}

static void log_flow(struct trace *trace, trace_lane lane, struct message_ref message, char phase,
                     sim_time when)
{
    (void)trace, (void)lane, (void)message, (void)phase, (void)when;
}

static void log_transition(struct trace *trace, trace_lane lane, sim_time when,
                           const struct trace_transition *transition)
{
    (void)lane, (void)when;
    struct via_log *log = (struct via_log *)(void *)trace;
    if (strcmp(transition->machine, log->machine) != 0)
        return;
    g_string_append_printf(log->text, "%s %s[%" G_GINT64_FORMAT "] %s -> %s", transition->where,
                           transition->machine, transition->subject,
                           transition->from ? transition->from : "-", transition->to);
    if (transition->detail)
        g_string_append_printf(log->text, " (%s)", transition->detail);
    g_string_append_c(log->text, '\n');
}

static const struct trace_ops log_ops = {
    .lane = log_lane,
    .span = log_span,
    .flow = log_flow,
    .transition = log_transition,
};

struct via_log *via_log_new(const char *machine)
{
    struct via_log *log = g_new0(struct via_log, 1);
    log->trace.ops = &log_ops;
    log->machine = machine;
    log->text = g_string_new(NULL);
    return log;
}

void via_log_free(struct via_log *log)
{
    g_string_free(log->text, TRUE);
    g_free(log);
}
