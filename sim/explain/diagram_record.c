// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/explain/diagram_record.h"

#include "sim/core/intern.h"
#include "sim/core/sim.h"

#include <string.h>

// Lanes of activities are numbered from here on; the record has the others.
#define ACTIVITY_LANES 0x80000000u

static bool diagram_active(const struct diagram_record *diagram)
{
    return diagram->found && !diagram_record_enough(diagram);
}

static trace_lane diagram_lane(struct trace *trace, const struct trace_lane_info *info)
{
    struct diagram_record *diagram = (struct diagram_record *)trace;
    struct trace *record = &diagram->record->trace;
    if (info->kind != TRACE_ACTIVITY)
        return record->ops->lane(record, info);
    struct diagram_program program = {.rank = intern_text(info->name),
                                      .host = intern_text(info->group)};
    g_array_append_val(diagram->programs, program);
    return ACTIVITY_LANES + diagram->programs->len;
}

// ---- Calls of programs ----

static void diagram_call_ends(struct diagram_record *diagram, guint index, sim_time when)
{
    const struct diagram_program *program =
        &g_array_index(diagram->programs, struct diagram_program, index);
    struct diagram_call call = {index, program->name, program->since, when, program->call};
    if (program->name && diagram_active(diagram) && when > diagram->from)
        g_array_append_val(diagram->calls, call);
}

static void diagram_activity(struct trace *trace, trace_lane lane, const char *name, sim_time when,
                             const struct trace_call *call)
{
    struct diagram_record *diagram = (struct diagram_record *)trace;
    guint index = lane - ACTIVITY_LANES - 1;
    struct diagram_program *program =
        &g_array_index(diagram->programs, struct diagram_program, index);
    if (!call && program->name && g_strcmp0(name, program->name) == 0)
        return;
    diagram_call_ends(diagram, index, when);
    program->name = intern_text(name);
    program->since = MAX(when, program->since);
    program->call = call ? *call : (struct trace_call){-1, -1, -1};
}

// ---- The message ----

// Whether the message is the second of those that are measured between its ranks; keeps the first.
static bool diagram_is_second(struct diagram_record *diagram, const struct trace_message *info)
{
    if (!diagram->sim->measuring || (diagram->size >= 0 && info->bytes != diagram->size))
        return false;
    if (diagram->first.number)
        return info->source == diagram->first.source &&
               info->destination == diagram->first.destination;
    diagram->first = *info;
    return false;
}

static void diagram_message(struct trace *trace, struct message_ref message,
                            const struct trace_message *info)
{
    struct diagram_record *diagram = (struct diagram_record *)trace;
    diagram->opened = info->number;
    bool wanted =
        diagram->number ? info->number == diagram->number : diagram_is_second(diagram, info);
    if (diagram->found || !wanted)
        return;
    diagram->found = true;
    diagram->target = message;
    diagram->message = *info;
    diagram->from = sim_now(diagram->sim);
    diagram->record->idle = false;
}

static void diagram_flow(struct trace *trace, trace_lane lane, struct message_ref message,
                         char phase, sim_time when)
{
    struct diagram_record *diagram = (struct diagram_record *)trace;
    if (!diagram->found || diagram->ended || !message_same(message, diagram->target))
        return;
    if (phase == TRACE_FLOW_START)
        diagram->from = when;
    diagram->end = lane;
    diagram->to = when;
    diagram->ended = phase == TRACE_FLOW_END;
}

// A message that no receive ends, as that of a put, ends when its last byte is there.
static void diagram_whole(void *watcher, struct message_ref message)
{
    struct diagram_record *diagram = watcher;
    if (!diagram->found || diagram->ended || !message_same(message, diagram->target))
        return;
    diagram->to = sim_now(diagram->sim);
    diagram->ended = true;
}

// ---- Packets ----

static void diagram_hop_clear(void *data)
{
    struct diagram_hop *hop = data;
    if (hop->constants)
        g_ptr_array_unref(hop->constants);
}

static struct diagram_arrow *diagram_arrow_new(const struct diagram_record *diagram,
                                               const struct trace_note *note)
{
    const struct trace_packet *packet = note->packet;
    struct diagram_arrow *arrow = g_new0(struct diagram_arrow, 1);
    arrow->identity = packet->identity;
    arrow->from = intern_text(packet->from);
    arrow->to = intern_text(packet->to);
    arrow->words = packet->words;
    arrow->bytes = packet->bytes;
    arrow->length = packet->length;
    arrow->offset = packet->offset;
    arrow->message = note->message;
    arrow->own = message_same(note->message, diagram->target);
    arrow->other = !arrow->own && note->message.generation != 0;
    arrow->hops = g_array_new(FALSE, TRUE, sizeof(struct diagram_hop));
    g_array_set_clear_func(arrow->hops, diagram_hop_clear);
    return arrow;
}

void diagram_arrow_clear(struct diagram_arrow *arrow)
{
    g_array_unref(arrow->hops);
}

static void diagram_arrow_free(void *data)
{
    diagram_arrow_clear(data);
    g_free(data);
}

static void diagram_packet(struct diagram_record *diagram, trace_lane lane,
                           const struct trace_note *note)
{
    const struct trace_packet *packet = note->packet;
    struct diagram_arrow *arrow = g_hash_table_lookup(diagram->under_way, packet->identity);
    if (!arrow || packet->hop == 0) {
        arrow = diagram_arrow_new(diagram, note);
        g_ptr_array_add(diagram->arrows, arrow);
        g_hash_table_insert(diagram->under_way, (gpointer)packet->identity, arrow);
    }
    const struct lane_record *link = record_lane(diagram->record, lane - 1);
    struct diagram_hop hop = {.link = link->link,
                              .ends = {link->ends[0], link->ends[1]},
                              .since = note->from,
                              .from = note->to,
                              .to = note->to,
                              .arrived = packet->propagation};
    g_array_append_val(arrow->hops, hop);
    if (diagram->pending->len < lane)
        g_array_set_size(diagram->pending, lane);
    g_array_index(diagram->pending, struct diagram_pending, lane - 1) =
        (struct diagram_pending){arrow, arrow->hops->len - 1};
}

static void diagram_note(struct trace *trace, trace_lane lane, const struct trace_note *note)
{
    struct diagram_record *diagram = (struct diagram_record *)trace;
    struct trace *record = &diagram->record->trace;
    record->ops->note(record, lane, note);
    if (note->kind == TRACE_PACKET && lane && diagram_active(diagram))
        diagram_packet(diagram, lane, note);
}

static void diagram_span(struct trace *trace, trace_lane lane, const struct stage *stage,
                         sim_time from, sim_time to, struct message_ref message)
{
    struct diagram_record *diagram = (struct diagram_record *)trace;
    struct trace *record = &diagram->record->trace;
    record->ops->span(record, lane, stage, from, to, message);
    if (!lane || lane > diagram->pending->len)
        return;
    struct diagram_pending *pending =
        &g_array_index(diagram->pending, struct diagram_pending, lane - 1);
    if (!pending->arrow)
        return;
    struct diagram_hop *hop =
        &g_array_index(pending->arrow->hops, struct diagram_hop, pending->hop);
    hop->from = from;
    hop->to = to;
    hop->arrived += to;
    pending->arrow = NULL;
}

// ---- Steps and marks ----

static void diagram_transition(struct trace *trace, trace_lane lane, sim_time when,
                               const struct trace_transition *transition)
{
    struct diagram_record *diagram = (struct diagram_record *)trace;
    struct diagram_event event = {.lane = lane < ACTIVITY_LANES ? lane : 0,
                                  .step = {.where = intern_text(transition->where),
                                           .machine = intern_text(transition->machine),
                                           .subject = transition->subject,
                                           .from = intern_text(transition->from),
                                           .to = intern_text(transition->to),
                                           .when = when}};
    if (!diagram_active(diagram))
        return;
    event.step.detail = g_strdup(transition->detail);
    g_array_append_val(diagram->steps, event);
}

static void diagram_marked(struct trace *trace, const struct trace_mark *mark)
{
    struct diagram_record *diagram = (struct diagram_record *)trace;
    if (!diagram_active(diagram))
        return;
    struct diagram_timeout timeout = {mark->what, intern_text(mark->where), mark->since,
                                      mark->when};
    if (mark->kind == TRACE_TIMEOUT)
        g_array_append_val(diagram->marks, timeout);
    struct diagram_arrow *arrow =
        mark->kind == TRACE_DROP ? g_hash_table_lookup(diagram->under_way, mark->packet) : NULL;
    if (!arrow)
        return;
    arrow->dropped = intern_text(mark->what);
    arrow->dropped_at = mark->when;
    g_hash_table_remove(diagram->under_way, mark->packet);
}

// ---- The whole ----

static const struct trace_ops diagram_ops = {
    .lane = diagram_lane,
    .span = diagram_span,
    .note = diagram_note,
    .activity = diagram_activity,
    .message = diagram_message,
    .flow = diagram_flow,
    .transition = diagram_transition,
    .mark = diagram_marked,
};

static void diagram_event_clear(void *data)
{
    g_free(((struct diagram_event *)data)->step.detail);
}

struct diagram_record *diagram_record_new(void)
{
    struct diagram_record *diagram = g_new0(struct diagram_record, 1);
    diagram->trace.ops = &diagram_ops;
    diagram->record = record_new();
    diagram->record->idle = true;
    diagram->programs = g_array_new(FALSE, TRUE, sizeof(struct diagram_program));
    diagram->calls = g_array_new(FALSE, TRUE, sizeof(struct diagram_call));
    diagram->steps = g_array_new(FALSE, TRUE, sizeof(struct diagram_event));
    g_array_set_clear_func(diagram->steps, diagram_event_clear);
    diagram->marks = g_array_new(FALSE, TRUE, sizeof(struct diagram_timeout));
    diagram->arrows = g_ptr_array_new_with_free_func(diagram_arrow_free);
    diagram->under_way = g_hash_table_new(NULL, NULL);
    diagram->pending = g_array_new(FALSE, TRUE, sizeof(struct diagram_pending));
    return diagram;
}

void diagram_record_free(struct diagram_record *diagram)
{
    record_free(diagram->record);
    g_array_unref(diagram->programs);
    g_array_unref(diagram->calls);
    g_array_unref(diagram->steps);
    g_array_unref(diagram->marks);
    g_ptr_array_unref(diagram->arrows);
    g_hash_table_unref(diagram->under_way);
    g_array_unref(diagram->pending);
    g_free(diagram);
}

void diagram_record_begin(struct diagram_record *diagram, const struct sim *sim)
{
    diagram->sim = sim;
    diagram->record->clock = sim;
    ledger_watch(sim->ledger, diagram_whole, diagram);
}

bool diagram_record_enough(const struct diagram_record *diagram)
{
    // An acknowledgement comes within the time that the message took, or with other packets.
    return diagram->ended && sim_now(diagram->sim) > 2 * diagram->to - diagram->from;
}
