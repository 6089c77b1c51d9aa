// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/explain/record.h"

#include "sim/core/intern.h"
#include "sim/core/sim.h"

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

// Drops all that has ended, as there is no room for more.
static void record_overflow(struct record *record)
{
    if (!record->idle) {
        if (record->overflow)
            record->overflow(record->owner);
        record->lost = sim_now(record->clock);
        record->idle = true; // what has gaps is not wanted
    }
    record_forget(record, sim_now(record->clock));
    record->idle_limit = MAX(RECORD_IDLE_PIECES, 2 * record->pieces);
}

static void add_piece(struct record *record, trace_lane number, struct piece piece)
{
    if (number == 0 || piece.from >= piece.to)
        return;
    guint limit = record->idle ? MIN(record->idle_limit, record->most) : record->most;
    if (record->pieces >= limit && record->clock)
        record_overflow(record);
    if (record->pieces >= record->most) {
        record->lost = MAX(record->lost, piece.to);
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

static const struct trace_ops record_ops = {
    .lane = record_add_lane,
    .span = record_span,
    .note = record_note,
};

struct record *record_new(void)
{
    struct record *record = g_new0(struct record, 1);
    record->trace.ops = &record_ops;
    record->lanes = g_ptr_array_new_with_free_func(lane_free);
    record->sleeps = g_array_new(FALSE, FALSE, sizeof(struct sleep));
    record->lost = -1;
    record->most = RECORD_MOST_PIECES;
    record->idle_limit = RECORD_IDLE_PIECES;
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

// At equal times, leaving precedes joining.
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

// Drops the elements whose `to`, at that offset, is `when` or earlier.
static void drop_ended(GArray *array, size_t offset, sim_time when)
{
    size_t size = g_array_get_element_size(array);
    guint kept = 0;
    for (guint i = 0; i < array->len; i++) {
        const char *element = array->data + i * size;
        if (*(const sim_time *)(element + offset) <= when)
            continue;
        if (kept < i)
            memcpy(array->data + kept * size, element, size);
        kept++;
    }
    g_array_set_size(array, kept);
}

// The end of the last work of the lane that had ended by `when`.
static sim_time last_work(const struct lane_record *lane, sim_time when)
{
    sim_time last = when;
    bool found = false;
    for (guint i = 0; i < lane->pieces->len; i++) {
        const struct piece *piece = &g_array_index(lane->pieces, struct piece, i);
        if (piece->kind != PIECE_WORK || piece->to > when || (found && piece->to < last))
            continue;
        last = piece->to;
        found = true;
    }
    return last;
}

// Drops the slices before the first that a piece is of. The last one may get pieces yet.
static void drop_slices(struct lane_record *lane)
{
    guint first = lane->slices->len;
    for (guint i = 0; i < lane->pieces->len; i++) {
        guint slice = g_array_index(lane->pieces, struct piece, i).slice;
        first = slice ? MIN(first, slice) : first;
    }
    if (first < 2)
        return;
    g_array_remove_range(lane->slices, 0, first - 1);
    for (guint i = 0; i < lane->pieces->len; i++) {
        struct piece *piece = &g_array_index(lane->pieces, struct piece, i);
        piece->slice -= piece->slice ? first - 1 : 0;
    }
}

// Replaces the dropped steps by their sum.
static void drop_steps(struct lane_record *lane, sim_time when)
{
    struct queue_step sum = {when, 0};
    for (guint i = 0; i < lane->steps->len; i++) {
        const struct queue_step *step = &g_array_index(lane->steps, struct queue_step, i);
        sum.change += step->when <= when ? step->change : 0;
    }
    guint before = lane->steps->len;
    drop_ended(lane->steps, offsetof(struct queue_step, when), when);
    if (lane->steps->len < before)
        g_array_prepend_val(lane->steps, sum);
}

void record_forget(struct record *record, sim_time when)
{
    record->pieces = 0;
    for (guint i = 0; i < record->lanes->len; i++) {
        struct lane_record *lane = record_lane(record, i);
        drop_ended(lane->pieces, offsetof(struct piece, to), last_work(lane, when) - 1);
        drop_ended(lane->loads, offsetof(struct load, to), when);
        drop_ended(lane->waits, offsetof(struct sleep, to), when);
        drop_ended(lane->queued, offsetof(struct packet_wait, to), when);
        drop_slices(lane);
        drop_steps(lane, when);
        record->pieces += lane->pieces->len;
    }
    drop_ended(record->sleeps, offsetof(struct sleep, to), when);
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
