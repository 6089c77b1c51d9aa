// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/state_log.h"

#include "sim/output/text.h"

#include <stdio.h>

struct state_log {
    struct recorder recorder;
    GString *line;
};

void state_log_append(GString *out, const struct trace_transition *transition)
{
    g_string_append_printf(out, "%s %s[%" G_GINT64_FORMAT "] %s -> %s", transition->where,
                           transition->machine, transition->subject,
                           transition->from ? transition->from : "-", transition->to);
    if (transition->detail && *transition->detail)
        g_string_append_printf(out, " %s", transition->detail);
}

static void state_log_transition(struct trace *trace, trace_lane lane, sim_time when,
                                 const struct trace_transition *transition)
{
    (void)lane;
    struct state_log *log = (struct state_log *)trace;
    g_string_truncate(log->line, 0);
    text_append_us(log->line, when);
    g_string_append_c(log->line, ' ');
    state_log_append(log->line, transition);
    g_string_append_c(log->line, '\n');
    fwrite(log->line->str, 1, log->line->len, log->recorder.out);
}

static void state_log_init(struct recorder *recorder)
{
    ((struct state_log *)recorder)->line = g_string_new(NULL);
}

static void state_log_clear(struct recorder *recorder)
{
    g_string_free(((struct state_log *)recorder)->line, TRUE);
}

static void state_log_begin_series(struct recorder *recorder, int series, const char *name)
{
    (void)series;
    fprintf(recorder->out, "# series %s\n", name);
}

static const struct trace_ops state_log_ops = {.transition = state_log_transition};

const struct recorder_kind state_log_kind = {
    .size = sizeof(struct state_log),
    .trace = &state_log_ops,
    .init = state_log_init,
    .begin_series = state_log_begin_series,
    .clear = state_log_clear,
};
