// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/spans.h"

#include "sim/core/intern.h"

#include <inttypes.h>

static trace_lane spans_lane(struct trace *trace, const struct trace_lane_info *info)
{
    struct span_log *log = (struct span_log *)(void *)trace;
    g_ptr_array_add(log->lanes, (gpointer)intern_text(info->name));
    return log->lanes->len;
}

static void spans_span(struct trace *trace, trace_lane lane, const struct stage *stage,
                       sim_time from, sim_time to, struct message_ref message)
{
    struct span_log *log = (struct span_log *)(void *)trace;
    struct span span = {g_ptr_array_index(log->lanes, lane - 1), stage->name, from, to, message};
    g_array_append_val(log->spans, span);
}

static void spans_note(struct trace *trace, trace_lane lane, const struct trace_note *note)
{
    struct span_log *log = (struct span_log *)(void *)trace;
    struct span_note kept = {g_ptr_array_index(log->lanes, lane - 1), *note};
    g_array_append_val(log->notes, kept);
}

static const struct trace_ops spans_ops = {
    .lane = spans_lane,
    .span = spans_span,
    .note = spans_note,
};

struct span_log *span_log_new(void)
{
    struct span_log *log = g_new0(struct span_log, 1);
    log->trace.ops = &spans_ops;
    log->lanes = g_ptr_array_new();
    log->spans = g_array_new(FALSE, FALSE, sizeof(struct span));
    log->notes = g_array_new(FALSE, FALSE, sizeof(struct span_note));
    return log;
}

void span_log_free(struct span_log *log)
{
    g_ptr_array_unref(log->lanes);
    g_array_unref(log->spans);
    g_array_unref(log->notes);
    g_free(log);
}

const struct span *span_find(const struct span_log *log, const char *lane,
                             struct message_ref message)
{
    lane = intern_text(lane);
    for (guint i = 0; i < log->spans->len; i++) {
        const struct span *span = &g_array_index(log->spans, struct span, i);
        if (span->lane == lane && span->message.index == message.index &&
            span->message.generation == message.generation)
            return span;
    }
    return NULL;
}

char *span_notes_text(const struct span_log *log, const char *lane)
{
    static const char *const kinds[] = {
        [TRACE_SLICE] = "slice",     [TRACE_DELAY] = "delay", [TRACE_GAP] = "gap",
        [TRACE_LOAD] = "load",       [TRACE_JOIN] = "join",   [TRACE_LEAVE] = "leave",
        [TRACE_BLOCKED] = "blocked", [TRACE_HELD] = "held",   [TRACE_PACKET] = "packet of",
        [TRACE_ASKED] = "asked",     [TRACE_STALL] = "stall",
    };
    GString *text = g_string_new(NULL);
    lane = intern_text(lane);
    for (guint i = 0; i < log->notes->len; i++) {
        const struct span_note *one = &g_array_index(log->notes, struct span_note, i);
        if (one->lane != lane)
            continue;
        g_string_append(text, kinds[one->note.kind]);
        if (one->note.stage)
            g_string_append_printf(text, " %s", one->note.stage->name);
        if (one->note.wait)
            g_string_append_printf(text, " %s", one->note.wait->text);
        if (one->note.name)
            g_string_append_printf(text, " %s", one->note.name);
        g_string_append_printf(text, " %" PRId64, one->note.from);
        if (one->note.to != one->note.from)
            g_string_append_printf(text, "..%" PRId64, one->note.to);
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, FALSE);
}
