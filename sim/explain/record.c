// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/explain/record.h"

#include "sim/core/intern.h"

#include <string.h>

const char *const record_classes[] = {"interrupt", "kernel", "user"};

static void lane_free(void *data)
{
    struct lane_record *lane = data;
    g_array_unref(lane->pieces);
    g_array_unref(lane->slices);
    g_array_unref(lane->loads);
    g_array_unref(lane->steps);
    g_array_unref(lane->waits);
    g_array_unref(lane->queued);
    g_free(lane);
}

static trace_lane record_add_lane(struct trace *trace, const struct trace_lane_info *info)
{
    struct record *record = (struct record *)trace;
    struct lane_record *lane = g_new0(struct lane_record, 1);
    lane->group = intern_text(info->group);
    lane->name = intern_text(info->name);
    lane->kind = info->kind;
    lane->link = intern_text(info->link);
    lane->ends[0] = intern_text(info->ends[0]);
    lane->ends[1] = intern_text(info->ends[1]);
    lane->pieces = g_array_new(FALSE, FALSE, sizeof(struct piece));
    lane->slices = g_array_new(FALSE, FALSE, sizeof(struct slice_span));
    lane->loads = g_array_new(FALSE, FALSE, sizeof(struct load));
    lane->steps = g_array_new(FALSE, FALSE, sizeof(struct queue_step));
    lane->waits = g_array_new(FALSE, FALSE, sizeof(struct sleep));
    lane->queued = g_array_new(FALSE, FALSE, sizeof(struct packet_wait));
    lane->stalled = TIME_NEVER;
    g_ptr_array_add(record->lanes, lane);
    return record->lanes->len;
}

static void add_piece(struct record *record, trace_lane number, struct piece piece)
{
    if (number == 0 || piece.from >= piece.to)
        return;
    if (record->pieces == RECORD_MOST_PIECES) {
        record->full = true;
        return;
    }
    g_array_append_val(record_lane(record, number - 1)->pieces, piece);
    record->pieces++;
}

static void record_span(struct trace *trace, trace_lane number, const struct stage *stage,
                        sim_time from, sim_time to, struct message_ref message)
{
    struct record *record = (struct record *)trace;
    if (number == 0)
        return;
    struct lane_record *lane = record_lane(record, number - 1);
    struct piece work = {
        .from = from,
        .to = CLAMP(lane->stalled, from, to),
        .stage = stage,
        .sender = lane->packet.to == from ? lane->packet.name : NULL,
        .message = message,
        .slice = lane->slices->len,
        .kind = PIECE_WORK,
    };
    struct piece stall = work;
    stall.from = work.to;
    stall.to = to;
    stall.slice = 0;
    stall.kind = PIECE_STALL;
    add_piece(record, number, work);
    add_piece(record, number, stall);
    lane->stalled = TIME_NEVER;
}

static void record_packet(struct lane_record *lane, const struct trace_note *note)
{
    struct packet_wait wait = {note->from, MAX(note->from, lane->asked), note->to};
    lane->packet = *note;
    lane->packet.name = intern_text(note->name);
    if (wait.to > wait.from)
        g_array_append_val(lane->queued, wait);
}

static void record_wait(struct record *record, guint lane, const struct trace_note *note)
{
    struct sleep entry = {
        .where = intern_text(note->where),
        .what = note->wait->text,
        .lane = lane,
        .from = note->from,
        .to = note->to,
        .wait = note->wait->class,
    };
    if (note->to <= note->from)
        return;
    if (note->kind == TRACE_BLOCKED)
        g_array_append_val(record->sleeps, entry);
    if (entry.wait != WAIT_OTHER)
        g_array_append_val(record_lane(record, lane)->waits, entry);
}

static void record_note(struct trace *trace, trace_lane number, const struct trace_note *note)
{
    struct record *record = (struct record *)trace;
    if (number == 0)
        return;
    struct lane_record *lane = record_lane(record, number - 1);
    struct slice_span slice = {note->from, note->to, note->class};
    struct queue_step step = {note->from, note->kind == TRACE_JOIN ? 1 : -1};
    struct load load = {note->from, note->to};
    struct piece delay = {.from = note->from,
                          .to = note->to,
                          .stage = note->stage,
                          .message = note->message,
                          .kind = PIECE_DELAY};
    struct piece gap = {
        .from = note->from, .to = note->to, .message = note->message, .kind = PIECE_GAP};
    switch (note->kind) {
    case TRACE_SLICE:
        g_array_append_val(lane->slices, slice);
        return;
    case TRACE_DELAY:
        add_piece(record, number, delay);
        return;
    case TRACE_GAP:
        add_piece(record, number, gap);
        return;
    case TRACE_PACKET:
        record_packet(lane, note);
        return;
    case TRACE_ASKED:
        lane->asked = note->from;
        return;
    case TRACE_STALL:
        lane->stalled = note->from;
        return;
    case TRACE_LOAD:
        g_array_append_val(lane->loads, load);
        return;
    case TRACE_JOIN:
    case TRACE_LEAVE:
        g_array_append_val(lane->steps, step);
        return;
    case TRACE_BLOCKED:
    case TRACE_HELD:
        record_wait(record, number - 1, note);
        return;
    }
}

static void record_flow(struct trace *trace, trace_lane lane, struct message_ref message,
                        char phase, sim_time when)
{
    (void)trace, (void)lane, (void)message, (void)phase, (void)when;
}

static void record_transition(struct trace *trace, trace_lane lane, sim_time when,
                              const struct trace_transition *transition)
{
    (void)trace, (void)lane, (void)when, (void)transition;
}

static const struct trace_ops record_ops = {
    .lane = record_add_lane,
    .span = record_span,
    .flow = record_flow,
    .transition = record_transition,
    .note = record_note,
};

struct record *record_new(void)
{
    struct record *record = g_new0(struct record, 1);
    record->trace.ops = &record_ops;
    record->lanes = g_ptr_array_new_with_free_func(lane_free);
    record->sleeps = g_array_new(FALSE, FALSE, sizeof(struct sleep));
    return record;
}

void record_free(struct record *record)
{
    if (!record)
        return;
    g_ptr_array_unref(record->lanes);
    g_array_unref(record->sleeps);
    g_free(record);
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *left = a, *right = b;
    if (left->to != right->to)
        return left->to < right->to ? -1 : 1;
    return (left->from > right->from) - (left->from < right->from);
}

// At equal times, leaving comes before joining.
static int compare_steps(const void *a, const void *b)
{
    const struct queue_step *left = a, *right = b;
    if (left->when != right->when)
        return left->when < right->when ? -1 : 1;
    return left->change - right->change;
}

static int compare_waits(const void *a, const void *b)
{
    const struct sleep *left = a, *right = b;
    if (left->to != right->to)
        return left->to < right->to ? -1 : 1;
    return (left->from > right->from) - (left->from < right->from);
}

void record_settle(struct record *record)
{
    for (guint i = 0; i < record->lanes->len; i++) {
        g_array_sort(record_lane(record, i)->pieces, compare_pieces);
        g_array_sort(record_lane(record, i)->steps, compare_steps);
        g_array_sort(record_lane(record, i)->waits, compare_waits);
    }
}

bool lane_of_group(const struct lane_record *lane, const char *group)
{
    return group && (lane->group == group || lane->ends[0] == group || lane->ends[1] == group);
}

bool lanes_related(const struct lane_record *a, const struct lane_record *b)
{
    if (a == b)
        return true;
    if (lane_is_link(a))
        return lane_of_group(b, a->ends[0]) || lane_of_group(b, a->ends[1]);
    return lane_of_group(b, a->group);
}
