// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/tee.h"

#include <glib.h>

// A lane of the tee is an index into `lanes`; lane 0 is both sinks' lane 0.
struct pair {
    trace_lane first, second;
};

struct tee {
    struct trace trace;
    struct trace *first, *second;
    GArray *lanes;  // struct pair
    GArray *values; // struct pair, of trace_values; as lanes
};

static struct pair tee_pair(const struct trace *trace, trace_lane lane)
{
    return g_array_index(((const struct tee *)trace)->lanes, struct pair, lane);
}

// A sink without activities has no lanes for them.
static trace_lane lane_of(struct trace *sink, const struct trace_lane_info *info)
{
    bool unwanted = info->kind == TRACE_ACTIVITY && !sink->ops->activity;
    return unwanted ? 0 : trace_lane_add(sink, info);
}

static trace_lane tee_lane(struct trace *trace, const struct trace_lane_info *info)
{
    struct tee *tee = (struct tee *)trace;
    struct pair pair = {lane_of(tee->first, info), lane_of(tee->second, info)};
    g_array_append_val(tee->lanes, pair);
    return tee->lanes->len - 1;
}

static void tee_span(struct trace *trace, trace_lane lane, const struct stage *stage, sim_time from,
                     sim_time to, struct message_ref message)
{
    struct tee *tee = (struct tee *)trace;
    struct pair pair = tee_pair(trace, lane);
    trace_span(tee->first, pair.first, stage, from, to, message);
    trace_span(tee->second, pair.second, stage, from, to, message);
}

static void tee_activity(struct trace *trace, trace_lane lane, const char *name, sim_time when,
                         const struct trace_call *call)
{
    struct tee *tee = (struct tee *)trace;
    struct pair pair = tee_pair(trace, lane);
    trace_calls(tee->first, pair.first, name, when, call);
    trace_calls(tee->second, pair.second, name, when, call);
}

static void tee_message(struct trace *trace, struct message_ref message,
                        const struct trace_message *info)
{
    struct tee *tee = (struct tee *)trace;
    trace_open(tee->first, message, info);
    trace_open(tee->second, message, info);
}

static void tee_mark(struct trace *trace, const struct trace_mark *mark)
{
    struct tee *tee = (struct tee *)trace;
    trace_mark(tee->first, mark);
    trace_mark(tee->second, mark);
}

static void tee_note(struct trace *trace, trace_lane lane, const struct trace_note *note)
{
    struct tee *tee = (struct tee *)trace;
    struct pair pair = tee_pair(trace, lane);
    trace_note(tee->first, pair.first, note);
    trace_note(tee->second, pair.second, note);
}

static void tee_flow(struct trace *trace, trace_lane lane, struct message_ref message, char phase,
                     sim_time when)
{
    struct tee *tee = (struct tee *)trace;
    struct pair pair = tee_pair(trace, lane);
    trace_flow(tee->first, pair.first, message, phase, when);
    trace_flow(tee->second, pair.second, message, phase, when);
}

static void tee_transition(struct trace *trace, trace_lane lane, sim_time when,
                           const struct trace_transition *transition)
{
    struct tee *tee = (struct tee *)trace;
    struct pair pair = tee_pair(trace, lane);
    trace_transition(tee->first, pair.first, when, transition);
    trace_transition(tee->second, pair.second, when, transition);
}

static trace_values tee_values(struct trace *trace, const struct trace_values_info *info)
{
    struct tee *tee = (struct tee *)trace;
    struct pair pair = {trace_values_new(tee->first, info), trace_values_new(tee->second, info)};
    if (!pair.first && !pair.second)
        return 0;
    g_array_append_val(tee->values, pair);
    return tee->values->len - 1;
}

static void tee_value(struct trace *trace, trace_values values, int quantity, sim_time when,
                      int64_t value)
{
    struct tee *tee = (struct tee *)trace;
    struct pair pair = g_array_index(tee->values, struct pair, values);
    trace_value(tee->first, pair.first, quantity, when, value);
    trace_value(tee->second, pair.second, quantity, when, value);
}

static const struct trace_ops tee_ops = {
    .lane = tee_lane,
    .span = tee_span,
    .activity = tee_activity,
    .message = tee_message,
    .mark = tee_mark,
    .note = tee_note,
    .flow = tee_flow,
    .transition = tee_transition,
    .values = tee_values,
    .value = tee_value,
};

struct tee *tee_new(struct trace *first, struct trace *second)
{
    struct tee *tee = g_new0(struct tee, 1);
    struct pair none = {0, 0};
    tee->trace.ops = &tee_ops;
    tee->first = first;
    tee->second = second;
    tee->lanes = g_array_new(FALSE, FALSE, sizeof(struct pair));
    g_array_append_val(tee->lanes, none);
    tee->values = g_array_new(FALSE, FALSE, sizeof(struct pair));
    g_array_append_val(tee->values, none);
    return tee;
}

void tee_free(struct tee *tee)
{
    if (!tee)
        return;
    g_array_unref(tee->lanes);
    g_array_unref(tee->values);
    g_free(tee);
}

struct trace *tee_trace(struct tee *tee)
{
    return &tee->trace;
}

struct trace *tee_all(struct trace *const *sinks, int count, GPtrArray *tees)
{
    struct trace *all = NULL;
    for (int i = 0; i < count; i++) {
        if (!sinks[i])
            continue;
        struct tee *tee = all ? tee_new(all, sinks[i]) : NULL;
        if (tee)
            g_ptr_array_add(tees, tee);
        all = tee ? tee_trace(tee) : sinks[i];
    }
    return all;
}
