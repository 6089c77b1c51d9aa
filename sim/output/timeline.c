// SPDX-License-Identifier: GPL-3.0-or-later
// The recorder of `--trace`: a timeline in Chrome's trace event format, for ui.perfetto.dev. One
// process per group of lanes, one thread per lane, one slice per span, one instant event per
// protocol transition, one flow arrow per message. The groups of a series are named "SERIES:
// GROUP".
//
// Events are written as they occur, one JSON object per line; memory grows only with lanes,
// messages under way and the number of waits for links. Times are microseconds with six decimals,
// exact to the picosecond in runs of up to 1,000 simulated seconds.
//
// Viewers expect the slices of a thread to be disjoint. A lane whose spans overlap gets additional
// threads besides its first. Where packets wait for a port there may be many at once: their spans
// are asynchronous events, which need no thread.
//
// Messages have arguments (number, size, ranks), packets those of their protocol, calls their size
// and peer. Packets that wait for a link and frames in a card's ring are counters; they are summed
// up when the series has ended. Drops, time-outs and what is sent again are instants.
#include "sim/output/json.h"
#include "sim/output/recorder.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PENDING 256u // ends of arrows that a lane keeps until their slice is known
#define MARKER_LENGTH TIME_NS

// One thread of the timeline: slices that do not overlap. The last of them is kept, for arrows to
// end on.
struct row {
    int thread;
    bool used;
    sim_time from, to;
    struct message_ref message;
};

// One end or step of an arrow.
struct arrow_end {
    uint64_t arrow;
    struct message_ref message;
    sim_time when;
    char phase;
};

// At `when` one more waited, or one less.
struct wait_step {
    sim_time when;
    int change;
};

// The units that wait on a lane, as struct wait_step; it becomes a counter.
struct waiting {
    int process;
    char *name;
    GArray *steps;
};

// The arguments of the messages that have, or had, an index in the ledger: those of late spans may
// have been closed before.
#define MESSAGE_GENERATIONS 8
struct message_slot {
    uint32_t generations[MESSAGE_GENERATIONS];
    struct trace_message infos[MESSAGE_GENERATIONS];
    unsigned next;
};

struct lane {
    int process;
    int order;
    enum trace_lane_kind kind;
    struct waiting *waiting; // of a link or ring, or NULL
    json_t *packet;          // arguments of the packet whose span follows; NULL: none
    struct trace_call call;  // of the activity
    bool calls;              // the activity is a call
    char *name;
    GArray *rows;         // struct row; at least one
    GArray *pending;      // struct arrow_end whose slice has not been seen yet
    const char *activity; // under way since `since`; NULL: none
    sim_time since;
};

// One quantity: a counter of Perfetto's.
struct counter {
    int process;
    char *name;
    bool told, begun; // there is a value; an event was written
    sim_time when;
    int64_t value, written; // the current one; that of the last event
};

struct timeline {
    struct recorder recorder;
    GString *line; // the last that was written
    uint64_t written;
    char *series;
    int processes, threads;
    uint64_t arrows;
    sim_time latest;       // of an event of this series
    GPtrArray *lanes;      // struct lane *, of this series; lane n is at n - 1
    GArray *counters;      // struct counter, of this series; values n begin at n - 1
    GHashTable *by_name;   // "group\nname" to lane number
    GHashTable *by_group;  // group to process number
    GHashTable *under_way; // message to arrow, uint64_t * both
    GArray *messages;      // struct message_slot, by index of the ledger
    GPtrArray *waiting;    // struct waiting *, of this series
};

// ---- Events ----

static void lane_free(void *data)
{
    struct lane *lane = data;
    g_array_unref(lane->rows);
    g_array_unref(lane->pending);
    json_decref(lane->packet);
    g_free(lane->name);
    g_free(lane);
}

// Writes an event on its own line and frees it.
static void timeline_write(struct timeline *timeline, json_t *event, sim_time when)
{
    size_t digits = when < 1000 * TIME_S ? JSON_EXACT_DIGITS : 17;
    g_string_assign(timeline->line, timeline->written++ ? ",\n" : "\n");
    document_append_line(timeline->line, event, digits);
    fwrite(timeline->line->str, 1, timeline->line->len, timeline->recorder.out);
    json_decref(event);
}

static json_t *json_us(sim_time time)
{
    return json_real(time_to_us(time));
}

// A metadata event: `key` is "name" or "sort_index". `value` is a new reference.
static void timeline_describe(struct timeline *timeline, const char *what, int process, int thread,
                              const char *key, json_t *value)
{
    timeline_write(timeline,
                   json_pack("{s:s, s:s, s:i, s:i, s:{s:o}}", "ph", "M", "name", what, "pid",
                             process, "tid", thread, "args", key, value),
                   0);
}

static json_t *json_valid(const char *text)
{
    char *valid = g_utf8_make_valid(text, -1);
    json_t *string = json_string(valid);
    g_free(valid);
    return string;
}

// True if something that lasts from `from` to `to` is to be recorded.
static bool timeline_wants(const struct timeline *timeline, sim_time from, sim_time to)
{
    return to >= timeline->recorder.from &&
           (!timeline->recorder.to || from < timeline->recorder.to);
}

// ---- Messages ----

static void timeline_message(struct trace *trace, struct message_ref message,
                             const struct trace_message *info)
{
    struct timeline *timeline = (struct timeline *)trace;
    if (message.index >= timeline->messages->len)
        g_array_set_size(timeline->messages, message.index + 1);
    struct message_slot *slot =
        &g_array_index(timeline->messages, struct message_slot, message.index);
    unsigned place = slot->next++ % MESSAGE_GENERATIONS;
    slot->generations[place] = message.generation;
    slot->infos[place] = *info;
}

// Adds what is known of a message to the arguments of an event.
static void put_message(const struct timeline *timeline, json_t *arguments,
                        struct message_ref message)
{
    if (message.index >= timeline->messages->len || message.generation == 0)
        return;
    const struct message_slot *slot =
        &g_array_index(timeline->messages, struct message_slot, message.index);
    for (int i = 0; i < MESSAGE_GENERATIONS; i++) {
        const struct trace_message *info = &slot->infos[i];
        if (slot->generations[i] != message.generation)
            continue;
        json_object_set_new(arguments, "message", json_integer((json_int_t)info->number));
        json_object_set_new(arguments, "message bytes", json_integer(info->bytes));
        json_object_set_new(arguments, "source rank", json_integer(info->source));
        json_object_set_new(arguments, "destination rank", json_integer(info->destination));
    }
}

// ---- Lanes and rows ----

static struct row *lane_add_row(struct timeline *timeline, struct lane *lane)
{
    struct row row = {.thread = ++timeline->threads};
    g_array_append_val(lane->rows, row);
    char *name = lane->rows->len == 1 ? g_strdup(lane->name)
                                      : g_strdup_printf("%s (%u)", lane->name, lane->rows->len);
    timeline_describe(timeline, "thread_name", lane->process, row.thread, "name", json_valid(name));
    timeline_describe(timeline, "thread_sort_index", lane->process, row.thread, "sort_index",
                      json_integer((json_int_t)lane->order * 1000 + lane->rows->len));
    g_free(name);
    return &g_array_index(lane->rows, struct row, lane->rows->len - 1);
}

// A row on which a slice that starts at `from` overlaps nothing.
static struct row *lane_free_row(struct timeline *timeline, struct lane *lane, sim_time from)
{
    for (guint i = 0; i < lane->rows->len; i++) {
        struct row *row = &g_array_index(lane->rows, struct row, i);
        if (!row->used || row->to <= from)
            return row;
    }
    return lane_add_row(timeline, lane);
}

static int timeline_process(struct timeline *timeline, const char *group)
{
    int process = GPOINTER_TO_INT(g_hash_table_lookup(timeline->by_group, group));
    if (process)
        return process;
    process = ++timeline->processes;
    g_hash_table_insert(timeline->by_group, g_strdup(group), GINT_TO_POINTER(process));
    char *name =
        timeline->series ? g_strdup_printf("%s: %s", timeline->series, group) : g_strdup(group);
    timeline_describe(timeline, "process_name", process, 0, "name", json_valid(name));
    timeline_describe(timeline, "process_sort_index", process, 0, "sort_index",
                      json_integer(process));
    g_free(name);
    return process;
}

static void waiting_free(void *data)
{
    struct waiting *waiting = data;
    g_array_unref(waiting->steps);
    g_free(waiting->name);
    g_free(waiting);
}

static struct waiting *waiting_new(struct timeline *timeline, const struct lane *lane)
{
    struct waiting *waiting = g_new0(struct waiting, 1);
    waiting->process = lane->process;
    waiting->name = lane->kind == TRACE_LINK ? g_strdup_printf("%s: waiting (packets)", lane->name)
                                             : g_strdup_printf("%s: ring (frames)", lane->name);
    waiting->steps = g_array_new(FALSE, FALSE, sizeof(struct wait_step));
    g_ptr_array_add(timeline->waiting, waiting);
    return waiting;
}

static trace_lane timeline_lane(struct trace *trace, const struct trace_lane_info *info)
{
    struct timeline *timeline = (struct timeline *)trace;
    char *key = g_strconcat(info->group, "\n", info->name, NULL);
    trace_lane number = GPOINTER_TO_UINT(g_hash_table_lookup(timeline->by_name, key));
    if (number) {
        g_free(key);
        return number;
    }
    struct lane *lane = g_new0(struct lane, 1);
    lane->process = timeline_process(timeline, info->group);
    lane->order = (int)timeline->lanes->len;
    lane->kind = info->kind;
    lane->name = g_strdup(info->name);
    if (info->kind == TRACE_LINK || info->kind == TRACE_RING)
        lane->waiting = waiting_new(timeline, lane);
    lane->rows = g_array_new(FALSE, FALSE, sizeof(struct row));
    lane->pending = g_array_new(FALSE, FALSE, sizeof(struct arrow_end));
    g_ptr_array_add(timeline->lanes, lane);
    number = timeline->lanes->len;
    g_hash_table_insert(timeline->by_name, key, GUINT_TO_POINTER(number));
    if (info->kind != TRACE_QUEUE)
        lane_add_row(timeline, lane);
    return number;
}

// NULL for lane 0 and for a lane of an earlier series.
static struct lane *timeline_lane_at(struct timeline *timeline, trace_lane number)
{
    if (number == 0 || number > timeline->lanes->len)
        return NULL;
    return g_ptr_array_index(timeline->lanes, number - 1);
}

// ---- Slices and arrows ----

// A slice on a row, with its arguments: a new reference, or NULL.
static void lane_write_slice(struct timeline *timeline, struct lane *lane, struct row *row,
                             const char *name, json_t *arguments)
{
    json_t *event = json_pack("{s:s, s:o, s:i, s:i, s:o, s:o}", "ph", "X", "name", json_valid(name),
                              "pid", lane->process, "tid", row->thread, "ts", json_us(row->from),
                              "dur", json_us(row->to - row->from));
    if (!arguments)
        arguments = json_object();
    put_message(timeline, arguments, row->message);
    if (json_object_size(arguments) > 0)
        json_object_set(event, "args", arguments);
    json_decref(arguments);
    timeline_write(timeline, event, row->to);
}

static struct row *lane_add_slice(struct timeline *timeline, struct lane *lane, const char *name,
                                  sim_time from, sim_time to, struct message_ref message,
                                  json_t *arguments)
{
    struct row *row = lane_free_row(timeline, lane, from);
    row->used = true;
    row->from = from;
    row->to = to;
    row->message = message;
    lane_write_slice(timeline, lane, row, name, arguments);
    return row;
}

// Whether an arrow's end belongs on the row's last slice: it covers the time and is not about
// another message.
static bool row_takes_end(const struct row *row, const struct arrow_end *end)
{
    return row->used && row->from <= end->when && end->when <= row->to &&
           (row->message.generation == 0 || message_same(row->message, end->message));
}

// An arrow binds to the slice that is open at its time, so one at the very end of a slice is drawn
// a nanosecond earlier.
static void row_write_end(struct timeline *timeline, const struct lane *lane, const struct row *row,
                          const struct arrow_end *end)
{
    const char phase[] = {end->phase, '\0'};
    sim_time when = end->when;
    if (when == row->to)
        when = MAX(row->from, when - TIME_NS);
    json_t *event = json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:o, s:I}", "ph", phase, "bp", "e",
                              "name", "message", "cat", "message", "pid", lane->process, "tid",
                              row->thread, "ts", json_us(when), "id", (json_int_t)end->arrow);
    timeline_write(timeline, event, when);
}

// No slice came for the oldest ends that are kept: each gets a short one of its own.
static void lane_place_pending(struct timeline *timeline, struct lane *lane, guint count)
{
    for (guint i = 0; i < count; i++) {
        const struct arrow_end *end = &g_array_index(lane->pending, struct arrow_end, i);
        const struct row *row = lane_add_slice(timeline, lane, "message", end->when,
                                               end->when + MARKER_LENGTH, end->message, NULL);
        row_write_end(timeline, lane, row, end);
    }
    if (count > 0)
        g_array_remove_range(lane->pending, 0, count);
}

// A packet waits for a port: two events, as others may wait at the same time.
static void lane_write_wait(struct timeline *timeline, const struct lane *lane, const char *what,
                            sim_time from, sim_time to, struct message_ref message)
{
    json_int_t number = (json_int_t)++timeline->arrows;
    json_t *arguments = json_object();
    char *name = g_strdup_printf("%s: %s", lane->name, what);
    put_message(timeline, arguments, message);
    for (int end = 0; end < 2; end++) {
        json_t *event = json_pack("{s:s, s:s, s:o, s:i, s:i, s:o, s:I}", "ph", end ? "e" : "b",
                                  "cat", "queue", "name", json_valid(name), "pid", lane->process,
                                  "tid", 0, "ts", json_us(end ? to : from), "id", number);
        if (!end)
            json_object_set(event, "args", arguments);
        timeline_write(timeline, event, end ? to : from);
    }
    json_decref(arguments);
    g_free(name);
}

// Keeps the arguments of the packet of the lane's next span.
static void lane_keep_packet(struct lane *lane, const struct trace_packet *packet)
{
    json_decref(lane->packet);
    lane->packet = json_pack("{s:o, s:o, s:o, s:I}", "packet", json_valid(packet->words.text),
                             "source", json_valid(packet->from), "destination",
                             json_valid(packet->to), "frame bytes", (json_int_t)packet->bytes);
    if (packet->words.sequence >= 0)
        json_object_set_new(lane->packet, "sequence", json_integer(packet->words.sequence));
    if (packet->words.acknowledges >= 0)
        json_object_set_new(lane->packet, "acknowledges", json_integer(packet->words.acknowledges));
    if (packet->length > 0) {
        json_object_set_new(lane->packet, "offset", json_integer(packet->offset));
        json_object_set_new(lane->packet, "bytes", json_integer(packet->length));
    }
}

static void timeline_note(struct trace *trace, trace_lane number, const struct trace_note *note)
{
    struct timeline *timeline = (struct timeline *)trace;
    struct lane *lane = timeline_lane_at(timeline, number);
    if (!lane)
        return;
    struct wait_step step = {note->from, note->kind == TRACE_JOIN ? 1 : -1};
    if (note->kind == TRACE_PACKET && note->packet)
        lane_keep_packet(lane, note->packet);
    else if (lane->waiting && (note->kind == TRACE_JOIN || note->kind == TRACE_LEAVE))
        g_array_append_val(lane->waiting->steps, step);
}

static void timeline_span(struct trace *trace, trace_lane number, const struct stage *stage,
                          sim_time from, sim_time to, struct message_ref message)
{
    struct timeline *timeline = (struct timeline *)trace;
    struct lane *lane = timeline_lane_at(timeline, number);
    if (!lane)
        return;
    timeline->latest = MAX(timeline->latest, to);
    json_t *packet = g_steal_pointer(&lane->packet);
    if (!timeline_wants(timeline, from, MAX(from, to))) {
        json_decref(packet);
        return;
    }
    if (lane->kind == TRACE_QUEUE) {
        json_decref(packet);
        lane_write_wait(timeline, lane, stage->name, from, to, message);
        return;
    }
    const char *name = packet ? json_string_value(json_object_get(packet, "packet")) : NULL;
    if (name)
        json_object_set_new(packet, "stage", json_string(stage->name));
    // The name is the packet's, which its arguments own.
    const struct row *row = lane_add_slice(timeline, lane, name && *name ? name : stage->name, from,
                                           MAX(from, to), message, packet);
    for (guint i = 0; i < lane->pending->len;) {
        const struct arrow_end *end = &g_array_index(lane->pending, struct arrow_end, i);
        if (row_takes_end(row, end)) {
            row_write_end(timeline, lane, row, end);
            g_array_remove_index(lane->pending, i);
        } else {
            i++;
        }
    }
}

// The arrow of a message, and what this phase is to it: an arrow has one start and one end,
// whatever is called. Returns false if there is nothing to draw.
static bool timeline_arrow(struct timeline *timeline, struct arrow_end *end)
{
    uint64_t key = (uint64_t)end->message.index << 32 | end->message.generation;
    const uint64_t *arrow = g_hash_table_lookup(timeline->under_way, &key);
    if (arrow) {
        end->arrow = *arrow;
        if (end->phase == TRACE_FLOW_START)
            end->phase = TRACE_FLOW_STEP;
        if (end->phase == TRACE_FLOW_END)
            g_hash_table_remove(timeline->under_way, &key);
        return true;
    }
    if (end->phase != TRACE_FLOW_START)
        return false;
    end->arrow = ++timeline->arrows;
    g_hash_table_insert(timeline->under_way, g_memdup2(&key, sizeof key),
                        g_memdup2(&end->arrow, sizeof end->arrow));
    return true;
}

static void timeline_flow(struct trace *trace, trace_lane number, struct message_ref message,
                          char phase, sim_time when)
{
    struct timeline *timeline = (struct timeline *)trace;
    struct lane *lane = timeline_lane_at(timeline, number);
    struct arrow_end end = {.message = message, .when = when, .phase = phase};
    if (!lane || message.generation == 0 || !timeline_arrow(timeline, &end) ||
        !timeline_wants(timeline, when, when))
        return;
    for (guint i = 0; i < lane->rows->len; i++) {
        const struct row *row = &g_array_index(lane->rows, struct row, i);
        if (row_takes_end(row, &end)) {
            row_write_end(timeline, lane, row, &end);
            return;
        }
    }
    if (lane->pending->len == MOST_PENDING)
        lane_place_pending(timeline, lane, MOST_PENDING / 2);
    g_array_append_val(lane->pending, end);
}

// ---- Activities ----

// Writes what the lane has been doing.
static void lane_end_activity(struct timeline *timeline, struct lane *lane, sim_time when)
{
    if (!lane->activity || when <= lane->since || !timeline_wants(timeline, lane->since, when))
        return;
    json_t *arguments = NULL;
    if (lane->calls) {
        arguments = json_object();
        if (lane->call.peer >= 0)
            json_object_set_new(arguments, "peer", json_integer(lane->call.peer));
        if (lane->call.bytes >= 0)
            json_object_set_new(arguments, "bytes", json_integer(lane->call.bytes));
    }
    lane_add_slice(timeline, lane, lane->activity, lane->since, when, MESSAGE_NONE, arguments);
}

static void timeline_activity(struct trace *trace, trace_lane number, const char *name,
                              sim_time when, const struct trace_call *call)
{
    struct timeline *timeline = (struct timeline *)trace;
    struct lane *lane = timeline_lane_at(timeline, number);
    if (!lane || (!call && g_strcmp0(name, lane->activity) == 0))
        return;
    when = MAX(when, lane->since);
    lane_end_activity(timeline, lane, when);
    lane->activity = name;
    lane->since = when;
    lane->calls = call != NULL;
    if (call)
        lane->call = *call;
    timeline->latest = MAX(timeline->latest, when);
}

static void timeline_end_activities(struct timeline *timeline)
{
    for (guint i = 0; i < timeline->lanes->len; i++)
        lane_end_activity(timeline, g_ptr_array_index(timeline->lanes, i), timeline->latest);
    timeline->latest = 0;
}

// ---- Transitions ----

static void timeline_transition(struct trace *trace, trace_lane number, sim_time when,
                                const struct trace_transition *transition)
{
    struct timeline *timeline = (struct timeline *)trace;
    struct lane *lane = timeline_lane_at(timeline, number);
    if (!lane) {
        number = trace_lane_new(trace, transition->where, transition->machine);
        lane = timeline_lane_at(timeline, number);
    }
    if (!timeline_wants(timeline, when, when))
        return;
    char *name = g_strdup_printf("%s %" G_GINT64_FORMAT ": %s", transition->machine,
                                 transition->subject, transition->to);
    json_t *details = json_pack("{s:o, s:o, s:I, s:o}", "where", json_valid(transition->where),
                                "machine", json_valid(transition->machine), "subject",
                                (json_int_t)transition->subject, "to", json_valid(transition->to));
    if (transition->from)
        json_object_set_new(details, "from", json_valid(transition->from));
    if (transition->detail)
        json_object_set_new(details, "detail", json_valid(transition->detail));
    json_t *event = json_pack("{s:s, s:s, s:o, s:i, s:i, s:o, s:o}", "ph", "i", "s", "t", "name",
                              json_valid(name), "pid", lane->process, "tid",
                              g_array_index(lane->rows, struct row, 0).thread, "ts", json_us(when),
                              "args", details);
    timeline_write(timeline, event, when);
    g_free(name);
}

// ---- Marks ----

static void timeline_mark(struct trace *trace, const struct trace_mark *mark)
{
    static const struct {
        const char *name, *group;
    } kinds[] = {
        [TRACE_DROP] = {"drop", "network"},
        [TRACE_TIMEOUT] = {"time-out", "network"},
        [TRACE_REPEAT] = {"sent again", "network"},
    };
    struct timeline *timeline = (struct timeline *)trace;
    if (!timeline_wants(timeline, mark->when, mark->when))
        return;
    const char *group = mark->where ? mark->where : kinds[mark->kind].group;
    trace_lane number = trace_lane_new(trace, group, kinds[mark->kind].name);
    const struct lane *lane = timeline_lane_at(timeline, number);
    json_t *arguments = json_pack("{s:o}", "what", json_valid(mark->what));
    if (mark->kind == TRACE_TIMEOUT)
        json_object_set_new(arguments, "waited us", json_us(mark->when - mark->since));
    put_message(timeline, arguments, mark->message);
    char *name = g_strdup_printf("%s: %s", kinds[mark->kind].name, mark->what);
    timeline_write(timeline,
                   json_pack("{s:s, s:s, s:o, s:i, s:i, s:o, s:o}", "ph", "i", "s", "p", "name",
                             json_valid(name), "pid", lane->process, "tid",
                             g_array_index(lane->rows, struct row, 0).thread, "ts",
                             json_us(mark->when), "args", arguments),
                   mark->when);
    g_free(name);
}

// ---- Values ----

static trace_values timeline_values(struct trace *trace, const struct trace_values_info *info)
{
    struct timeline *timeline = (struct timeline *)trace;
    trace_values first = timeline->counters->len + 1;
    for (int i = 0; i < info->count; i++) {
        const struct trace_quantity *quantity = &info->quantities[i];
        struct counter counter = {
            .process = timeline_process(timeline, info->group),
            .name = g_strdup_printf("%s: %s (%s)", info->name, quantity->name, quantity->unit)};
        g_array_append_val(timeline->counters, counter);
    }
    return info->count > 0 ? first : 0;
}

// Of several values at one time only the last is written, and none that is the one before again.
static void counter_write(struct timeline *timeline, struct counter *counter)
{
    if (!counter->told || (counter->begun && counter->value == counter->written))
        return;
    if (timeline->recorder.to && counter->when >= timeline->recorder.to)
        return;
    counter->begun = true;
    counter->written = counter->value;
    sim_time when = MAX(counter->when, timeline->recorder.from);
    timeline_write(timeline,
                   json_pack("{s:s, s:o, s:i, s:o, s:{s:I}}", "ph", "C", "name",
                             json_valid(counter->name), "pid", counter->process, "ts",
                             json_us(when), "args", "value", (json_int_t)counter->value),
                   when);
}

static void timeline_value(struct trace *trace, trace_values values, int quantity, sim_time when,
                           int64_t value)
{
    struct timeline *timeline = (struct timeline *)trace;
    guint place = values - 1 + (guint)quantity;
    if (place >= timeline->counters->len) // of an earlier series
        return;
    struct counter *counter = &g_array_index(timeline->counters, struct counter, place);
    // Before the stretch that is recorded only the last value matters.
    if (when > counter->when && when >= timeline->recorder.from)
        counter_write(timeline, counter);
    counter->told = true;
    counter->when = MAX(counter->when, when);
    counter->value = value;
}

static void timeline_end_counters(struct timeline *timeline)
{
    for (guint i = 0; i < timeline->counters->len; i++) {
        struct counter *counter = &g_array_index(timeline->counters, struct counter, i);
        counter_write(timeline, counter);
        g_free(counter->name);
    }
    g_array_set_size(timeline->counters, 0);
}

// At equal times, leaving precedes joining.
static int compare_wait_steps(const void *a, const void *b)
{
    const struct wait_step *left = a, *right = b;
    if (left->when != right->when)
        return left->when < right->when ? -1 : 1;
    return left->change - right->change;
}

// Writes a lane's queue over time as a counter.
static void waiting_write(struct timeline *timeline, const struct waiting *waiting)
{
    struct counter counter = {.process = waiting->process, .name = waiting->name};
    int64_t value = 0;
    g_array_sort(waiting->steps, compare_wait_steps);
    for (guint i = 0; i < waiting->steps->len; i++) {
        const struct wait_step *step = &g_array_index(waiting->steps, struct wait_step, i);
        if (step->when > counter.when && step->when >= timeline->recorder.from)
            counter_write(timeline, &counter);
        value += step->change;
        counter.told = true;
        counter.when = step->when;
        counter.value = value;
    }
    counter_write(timeline, &counter);
}

// ---- The whole ----

static const struct trace_ops timeline_ops = {
    .lane = timeline_lane,
    .span = timeline_span,
    .activity = timeline_activity,
    .message = timeline_message,
    .note = timeline_note,
    .mark = timeline_mark,
    .flow = timeline_flow,
    .transition = timeline_transition,
    .values = timeline_values,
    .value = timeline_value,
};

static void timeline_init(struct recorder *recorder)
{
    struct timeline *timeline = (struct timeline *)recorder;
    timeline->line = g_string_new(NULL);
    timeline->lanes = g_ptr_array_new_with_free_func(lane_free);
    timeline->counters = g_array_new(FALSE, FALSE, sizeof(struct counter));
    timeline->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    timeline->by_group = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    timeline->under_way = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    timeline->messages = g_array_new(FALSE, TRUE, sizeof(struct message_slot));
    timeline->waiting = g_ptr_array_new_with_free_func(waiting_free);
}

static void timeline_end_series(struct recorder *recorder, bool complete)
{
    (void)complete;
    struct timeline *timeline = (struct timeline *)recorder;
    for (guint i = 0; i < timeline->lanes->len; i++) {
        struct lane *lane = g_ptr_array_index(timeline->lanes, i);
        lane_place_pending(timeline, lane, lane->pending->len);
    }
    timeline_end_counters(timeline);
    timeline_end_activities(timeline);
    for (guint i = 0; i < timeline->waiting->len; i++)
        waiting_write(timeline, g_ptr_array_index(timeline->waiting, i));
    g_ptr_array_set_size(timeline->waiting, 0);
    g_array_set_size(timeline->messages, 0);
    g_ptr_array_set_size(timeline->lanes, 0);
    g_hash_table_remove_all(timeline->by_name);
    g_hash_table_remove_all(timeline->by_group);
    g_hash_table_remove_all(timeline->under_way);
}

static void timeline_begin_series(struct recorder *recorder, int series, const char *name)
{
    (void)series;
    struct timeline *timeline = (struct timeline *)recorder;
    g_free(timeline->series);
    timeline->series = g_strdup(name);
}

static void timeline_clear(struct recorder *recorder)
{
    struct timeline *timeline = (struct timeline *)recorder;
    for (guint i = 0; i < timeline->counters->len; i++)
        g_free(g_array_index(timeline->counters, struct counter, i).name);
    g_array_unref(timeline->counters);
    g_ptr_array_unref(timeline->lanes);
    g_hash_table_unref(timeline->by_name);
    g_hash_table_unref(timeline->by_group);
    g_hash_table_unref(timeline->under_way);
    g_array_unref(timeline->messages);
    g_ptr_array_unref(timeline->waiting);
    g_string_free(timeline->line, TRUE);
    g_free(timeline->series);
}

// ---- Parts ----

// The numbers of a part begin at 1; in the whole they follow those before. A key stands in quotes
// that are not escaped, as no text within an event has them.
struct shift {
    const char *key; // with what is around it
    uint64_t before; // the highest number so far
    uint64_t highest;
};

// Writes a line of a part, without its end, with its numbers shifted.
static void write_shifted(FILE *out, const char *line, size_t length, struct shift *shifts,
                          int count)
{
    const char *end = line + length;
    for (const char *at = line; at < end;) {
        struct shift *shift = NULL;
        for (int i = 0; *at == ',' && i < count && !shift; i++)
            shift = strncmp(at, shifts[i].key, strlen(shifts[i].key)) == 0 ? &shifts[i] : NULL;
        if (!shift) {
            putc(*at++, out);
            continue;
        }
        char *after = NULL;
        uint64_t number = g_ascii_strtoull(at + strlen(shift->key), &after, 10);
        number += number > 0 ? shift->before : 0;
        shift->highest = MAX(shift->highest, number);
        fprintf(out, "%s%" G_GUINT64_FORMAT, shift->key, number);
        at = after;
    }
}

static void timeline_join(struct recorder *recorder, FILE *part)
{
    struct timeline *timeline = (struct timeline *)recorder;
    // The first that fits counts: a process is sorted by its number.
    struct shift shifts[] = {
        {",\"tid\":0,\"args\":{\"sort_index\":", (uint64_t)timeline->processes, 0},
        {",\"pid\":", (uint64_t)timeline->processes, 0},
        {",\"tid\":", (uint64_t)timeline->threads, 0},
        {",\"id\":", timeline->arrows, 0}};
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, part)) > 0) {
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == ','))
            length--;
        if (length == 0)
            continue;
        line[length] = '\0';
        fputs(timeline->written++ ? ",\n" : "\n", timeline->recorder.out);
        write_shifted(timeline->recorder.out, line, (size_t)length, shifts, G_N_ELEMENTS(shifts));
    }
    free(line);
    timeline->processes = MAX(timeline->processes, (int)shifts[1].highest);
    timeline->threads = MAX(timeline->threads, (int)shifts[2].highest);
    timeline->arrows = MAX(timeline->arrows, shifts[3].highest);
}

const struct recorder_kind timeline_kind = {
    .size = sizeof(struct timeline),
    .trace = &timeline_ops,
    .header = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[",
    .footer = "\n]}\n",
    .init = timeline_init,
    .begin_series = timeline_begin_series,
    .end_series = timeline_end_series,
    .join = timeline_join,
    .clear = timeline_clear,
};
