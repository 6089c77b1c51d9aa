// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/transition_log.h"

#include "tests/support/suite.h"

#include <string.h>

// ---- The sink ----

static void sink_transition(struct trace *trace, trace_lane lane, sim_time when,
                            const struct trace_transition *transition)
{
    struct transition_sink *sink = (struct transition_sink *)(void *)trace;
    (void)lane;
    sink->take(sink, when, transition);
}

struct transition_sink transition_sink_make(void (*take)(struct transition_sink *sink,
                                                         sim_time when,
                                                         const struct trace_transition *transition))
{
    static const struct trace_ops ops = {.transition = sink_transition};
    return (struct transition_sink){.trace = {&ops}, .take = take};
}

// ---- The log ----

static void log_take(struct transition_sink *sink, sim_time when,
                     const struct trace_transition *transition)
{
    struct transition_log *log = (struct transition_log *)(void *)sink;
    (void)when;
    if (!g_strv_contains((const char *const *)log->machines, transition->machine))
        return;
    g_string_append_printf(log->text, "%s %s[%" G_GINT64_FORMAT "] %s -> %s", transition->where,
                           transition->machine, transition->subject,
                           transition->from ? transition->from : "-", transition->to);
    if (log->detail && transition->detail)
        g_string_append_printf(log->text, " (%s)", transition->detail);
    g_string_append_c(log->text, '\n');
}

struct transition_log *transition_log_new(const char *machines, bool detail)
{
    struct transition_log *log = g_new(struct transition_log, 1);
    *log = (struct transition_log){
        .sink = transition_sink_make(log_take),
        .machines = g_strsplit(machines, ",", -1),
        .detail = detail,
        .text = g_string_new(NULL),
    };
    return log;
}

void transition_log_free(struct transition_log *log)
{
    g_strfreev(log->machines);
    g_string_free(log->text, TRUE);
    g_free(log);
}

void transition_log_expect(const char *file, int line, struct transition_log *log,
                           const char *where, const char *text)
{
    GString *own = g_string_new(NULL);
    char *prefix = g_strconcat(where, " ", NULL), **lines = g_strsplit(log->text->str, "\n", -1);
    for (int i = 0; lines[i]; i++)
        if (g_str_has_prefix(lines[i], prefix))
            g_string_append_printf(own, "%s\n", lines[i] + strlen(prefix));
    suite_same_text(file, line, own->str, text);
    g_strfreev(lines);
    g_free(prefix);
    g_string_free(own, TRUE);
    g_string_truncate(log->text, 0);
}
