// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/state_log.h"

#include "sim/output/file.h"
#include "sim/output/text.h"

#include <stdio.h>

struct state_log {
    struct trace trace;
    struct file *file; // NULL: a part
    FILE *out;
    GString *line;
};

static trace_lane state_log_lane(struct trace *trace, const struct trace_lane_info *info)
{
    (void)trace, (void)info;
    return 0;
}

static void state_log_span(struct trace *trace, trace_lane lane, const struct stage *stage,
                           sim_time from, sim_time to, struct message_ref message)
{
    (void)trace, (void)lane, (void)stage, (void)from, (void)to, (void)message;
}

static void state_log_flow(struct trace *trace, trace_lane lane, struct message_ref message,
                           char phase, sim_time when)
{
    (void)trace, (void)lane, (void)message, (void)phase, (void)when;
}

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
    fwrite(log->line->str, 1, log->line->len, log->out);
}

static const struct trace_ops state_log_ops = {
    .lane = state_log_lane,
    .span = state_log_span,
    .flow = state_log_flow,
    .transition = state_log_transition,
};

static struct state_log *state_log_new(struct file *file, FILE *out)
{
    struct state_log *log = g_new0(struct state_log, 1);
    log->trace.ops = &state_log_ops;
    log->file = file;
    log->out = out;
    log->line = g_string_new(NULL);
    return log;
}

struct state_log *state_log_open(const char *path, GError **error)
{
    struct file *file = file_begin(path, error);
    return file ? state_log_new(file, file_stream(file)) : NULL;
}

struct state_log *state_log_part(FILE *part, const char *name)
{
    struct state_log *log = state_log_new(NULL, part);
    state_log_series(log, name);
    return log;
}

FILE *state_log_new_part(const struct state_log *log, GError **error)
{
    return file_part(log->file, error);
}

bool state_log_join(struct state_log *log, FILE *part, GError **error)
{
    char bytes[65536];
    size_t length;
    rewind(part);
    while ((length = fread(bytes, 1, sizeof bytes, part)) > 0)
        fwrite(bytes, 1, length, log->out);
    return file_part_is_whole(part, error);
}

void state_log_series(struct state_log *log, const char *name)
{
    fprintf(log->out, "# series %s\n", name);
}

struct trace *state_log_trace(struct state_log *log)
{
    return &log->trace;
}

static void state_log_free(struct state_log *log)
{
    g_string_free(log->line, TRUE);
    g_free(log);
}

bool state_log_close(struct state_log *log, GError **error)
{
    if (!log)
        return true;
    bool whole = log->file ? file_end(log->file, error) : file_part_is_whole(log->out, error);
    state_log_free(log);
    return whole;
}

void state_log_drop(struct state_log *log)
{
    if (!log)
        return;
    file_drop(log->file);
    state_log_free(log);
}
