// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/explain/diagram.h"

#include "sim/core/intern.h"
#include "sim/explain/diagram_record.h"
#include "sim/explain/path.h"
#include "sim/output/failure.h"

#include <string.h>

const char *diagram_role_name(enum diagram_role role)
{
    static const char *const names[] = {
        [DIAGRAM_PROGRAM] = "program", [DIAGRAM_LIBRARY] = "library", [DIAGRAM_KERNEL] = "kernel",
        [DIAGRAM_BUS] = "bus",         [DIAGRAM_CARD] = "card",       [DIAGRAM_LINK] = "link",
        [DIAGRAM_SWITCH] = "switch",
    };
    return names[role];
}

// A diagram and the record that it is made from.
struct diagram_maker {
    struct diagram *diagram;
    struct diagram_record *record;
};

// ---- Columns ----

static guint column_at(struct diagram *diagram, const char *node, enum diagram_role role)
{
    for (guint i = 0; i < diagram->columns->len; i++) {
        const struct diagram_column *column =
            &g_array_index(diagram->columns, struct diagram_column, i);
        if (column->node == node && column->role == role)
            return i;
    }
    struct diagram_column column = {node, role};
    g_array_append_val(diagram->columns, column);
    return diagram->columns->len - 1;
}

// Both directions of a link are one column, and so are links side by side.
static guint link_column(struct diagram *diagram, const char *const *ends)
{
    bool ordered = strcmp(ends[0], ends[1]) < 0;
    char *name = g_strdup_printf("%s-%s", ends[ordered ? 0 : 1], ends[ordered ? 1 : 0]);
    guint column = column_at(diagram, intern_text(name), DIAGRAM_LINK);
    g_free(name);
    return column;
}

// The host of a rank, or the host itself; NULL: it is neither.
static const char *host_of(const struct diagram_record *record, const char *where)
{
    for (guint i = 0; i < record->programs->len; i++) {
        const struct diagram_program *program =
            &g_array_index(record->programs, struct diagram_program, i);
        if (program->rank == where || program->host == where)
            return program->host;
    }
    return NULL;
}

static bool is_rank(const struct diagram_record *record, const char *where)
{
    for (guint i = 0; i < record->programs->len; i++)
        if (g_array_index(record->programs, struct diagram_program, i).rank == where)
            return true;
    return false;
}

static const char *host_of_rank(const struct diagram_record *record, int rank)
{
    char name[32];
    g_snprintf(name, sizeof name, "rank %d", rank);
    return host_of(record, intern_text(name));
}

static bool is_end(const struct diagram *diagram, const char *host)
{
    return host && (host == diagram->ends[0] || host == diagram->ends[1]);
}

// ---- Spans ----

// Whether a lane's work is a card's, or a bus's: that of its first piece is.
static bool card_lane(const struct lane_record *lane)
{
    for (guint i = 0; i < lane->pieces->len; i++) {
        const struct piece *piece = &g_array_index(lane->pieces, struct piece, i);
        if (piece->kind == PIECE_WORK)
            return piece->stage->class == STAGE_NIC;
    }
    return lane->slices->len == 0;
}

// The role of a piece of a processor of a host. system: its slice is within a system call, which
// this may change.
static enum diagram_role processor_role(const struct piece *piece, int slice_class, bool *system)
{
    switch (piece->stage->class) {
    case STAGE_COMPUTE:
        *system = false;
        return DIAGRAM_PROGRAM;
    case STAGE_LIBRARY:
        *system = false;
        return DIAGRAM_LIBRARY;
    case STAGE_TRAP:
    case STAGE_KERNEL:
    case STAGE_INTERRUPT:
        *system = true;
        return DIAGRAM_KERNEL;
    case STAGE_WAKE_UP:
        return piece->kind == PIECE_DELAY ? DIAGRAM_LIBRARY : DIAGRAM_KERNEL;
    default:
        break;
    }
    if (piece->kind == PIECE_DELAY)
        return DIAGRAM_KERNEL;
    return *system || slice_class < RECORD_CLASSES - 1 ? DIAGRAM_KERNEL : DIAGRAM_LIBRARY;
}

static enum diagram_role role_of(const struct lane_record *lane, const struct piece *piece,
                                 bool *systems)
{
    if (lane->kind == TRACE_QUEUE)
        return DIAGRAM_SWITCH;
    if (piece->stage->class == STAGE_BUS && (card_lane(lane) || lane->slices->len == 0))
        return DIAGRAM_BUS;
    if (card_lane(lane) && piece->stage->class != STAGE_INTERRUPT)
        return DIAGRAM_CARD;
    bool none = false;
    int class =
        piece->slice ? g_array_index(lane->slices, struct slice_span, piece->slice - 1).class : 0;
    return processor_role(piece, class, piece->slice ? &systems[piece->slice] : &none);
}

// How the names of stages are counted on a lane.
static guint stage_count(GHashTable *counts, const char *name)
{
    guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, name));
    g_hash_table_insert(counts, (gpointer)name, GUINT_TO_POINTER(count + 1));
    return count;
}

static bool at_time(const struct diagram *diagram, sim_time from, sim_time to)
{
    return to > diagram->from && from < diagram->until;
}

static void diagram_add_pieces(struct diagram_maker *maker, guint index)
{
    struct diagram *diagram = maker->diagram;
    const struct lane_record *lane = record_lane(maker->record->record, index);
    bool *systems = g_new0(bool, lane->slices->len + 1);
    GHashTable *counts = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < lane->pieces->len; i++) {
        const struct piece *piece = &g_array_index(lane->pieces, struct piece, i);
        if (piece->kind != PIECE_WORK && piece->kind != PIECE_DELAY)
            continue;
        enum diagram_role role = role_of(lane, piece, systems);
        if (!at_time(diagram, piece->from, piece->to))
            continue;
        bool own = message_same(piece->message, maker->record->target);
        struct diagram_span span = {
            .column = column_at(diagram, lane->group, role),
            .kind = piece->kind == PIECE_DELAY ? DIAGRAM_DELAY : DIAGRAM_WORK,
            .lane = lane->name,
            .name = piece->stage->name,
            .class = piece->stage->class,
            .from = piece->from,
            .to = piece->to,
            .own = own,
            .other = !own && piece->message.generation != 0,
            .key = {index, stage_count(counts, piece->stage->name)},
        };
        g_array_append_val(diagram->spans, span);
    }
    g_hash_table_unref(counts);
    g_free(systems);
}

// The lanes of both hosts, and the queues of the switches that packets of the message pass.
static bool wanted_lane(const struct diagram *diagram, const struct lane_record *lane)
{
    if (lane->kind == TRACE_LINK)
        return false;
    if (lane->kind != TRACE_QUEUE)
        return is_end(diagram, lane->group);
    for (guint i = 0; i < diagram->arrows->len; i++) {
        const struct diagram_arrow *arrow =
            &g_array_index(diagram->arrows, struct diagram_arrow, i);
        for (guint k = 0; k < arrow->hops->len; k++)
            if (g_array_index(arrow->hops, struct diagram_hop, k).ends[0] == lane->group)
                return true;
    }
    return false;
}

static void diagram_add_call(struct diagram_maker *maker, const struct diagram_call *call)
{
    const struct diagram_program *program =
        &g_array_index(maker->record->programs, struct diagram_program, call->program);
    struct diagram *diagram = maker->diagram;
    if (!is_end(diagram, program->host) || !at_time(diagram, call->from, call->to))
        return;
    struct diagram_span span = {.column = column_at(diagram, program->host, DIAGRAM_PROGRAM),
                                .kind = DIAGRAM_CALL,
                                .lane = program->rank,
                                .name = call->name,
                                .from = call->from,
                                .to = call->to,
                                .key = {G_MAXUINT, 0},
                                .call = call->call};
    g_array_append_val(diagram->spans, span);
}

static void diagram_add_calls(struct diagram_maker *maker)
{
    const struct diagram_record *record = maker->record;
    for (guint i = 0; i < record->calls->len; i++)
        diagram_add_call(maker, &g_array_index(record->calls, struct diagram_call, i));
    for (guint i = 0; i < record->programs->len; i++) {
        const struct diagram_program *program =
            &g_array_index(record->programs, struct diagram_program, i);
        if (program->name && program->since < maker->diagram->until)
            diagram_add_call(maker, &(struct diagram_call){i, program->name, program->since,
                                                           maker->diagram->until, program->call});
    }
}

// ---- Arrows ----

static sim_time arrow_start(const struct diagram_arrow *arrow)
{
    return g_array_index(arrow->hops, struct diagram_hop, 0).from;
}

static sim_time arrow_end(const struct diagram_arrow *arrow)
{
    return g_array_index(arrow->hops, struct diagram_hop, arrow->hops->len - 1).arrived;
}

// The message's time has ended when its receiver had it, all its packets had arrived, and a packet
// that only answers had returned to its sender, if one left after its last packet.
static sim_time life_of(const struct diagram *diagram, const struct diagram_record *record)
{
    sim_time data = diagram->from, limit = 2 * diagram->to - diagram->from;
    for (guint i = 0; i < record->arrows->len; i++) {
        const struct diagram_arrow *arrow = g_ptr_array_index(record->arrows, i);
        if (arrow->own)
            data = MAX(data, arrow_end(arrow));
    }
    for (guint i = 0; i < record->arrows->len; i++) {
        const struct diagram_arrow *arrow = g_ptr_array_index(record->arrows, i);
        if (arrow->words.answers && arrow->from == diagram->ends[1] &&
            arrow->to == diagram->ends[0] && arrow_start(arrow) >= data &&
            arrow_end(arrow) <= limit)
            return MAX(diagram->to, arrow_end(arrow));
    }
    return MAX(diagram->to, data);
}

// Whether both packets were on, or waited for, one direction of a link at a time.
static bool arrows_meet(const struct diagram_arrow *a, const struct diagram_arrow *b)
{
    for (guint i = 0; i < a->hops->len; i++)
        for (guint k = 0; k < b->hops->len; k++) {
            const struct diagram_hop *x = &g_array_index(a->hops, struct diagram_hop, i);
            const struct diagram_hop *y = &g_array_index(b->hops, struct diagram_hop, k);
            if (x->link == y->link && x->since < y->to && y->from < x->to)
                return true;
        }
    return false;
}

static bool meets_own(const struct diagram_record *record, const struct diagram_arrow *arrow)
{
    for (guint i = 0; i < record->arrows->len; i++) {
        const struct diagram_arrow *own = g_ptr_array_index(record->arrows, i);
        if (own->own && arrows_meet(own, arrow))
            return true;
    }
    return false;
}

static bool arrow_wanted(const struct diagram_maker *maker, const struct diagram_arrow *arrow)
{
    const struct diagram *diagram = maker->diagram;
    if (arrow->own)
        return true;
    if (arrow_start(arrow) >= diagram->until || arrow_end(arrow) <= diagram->from)
        return false;
    bool between = is_end(diagram, arrow->from) && is_end(diagram, arrow->to);
    return between && !arrow->other ? true : meets_own(maker->record, arrow);
}

static void diagram_add_arrows(struct diagram_maker *maker)
{
    GPtrArray *arrows = maker->record->arrows;
    for (guint i = 0; i < arrows->len; i++) {
        const struct diagram_arrow *arrow = g_ptr_array_index(arrows, i);
        if (!arrow_wanted(maker, arrow))
            continue;
        struct diagram_arrow copy = *arrow;
        g_array_ref(copy.hops);
        g_array_append_val(maker->diagram->arrows, copy);
        for (guint k = 0; k < copy.hops->len; k++) {
            const struct diagram_hop *hop = &g_array_index(copy.hops, struct diagram_hop, k);
            link_column(maker->diagram, hop->ends);
        }
    }
}

// A switch is between two links.
static void diagram_add_switches(struct diagram_maker *maker)
{
    for (guint i = 0; i < maker->diagram->arrows->len; i++) {
        const struct diagram_arrow *arrow =
            &g_array_index(maker->diagram->arrows, struct diagram_arrow, i);
        for (guint k = 1; k < arrow->hops->len; k++)
            column_at(maker->diagram, g_array_index(arrow->hops, struct diagram_hop, k).ends[0],
                      DIAGRAM_SWITCH);
    }
}

// ---- Steps ----

// NULL: it is neither of a host nor of a rank.
static const char *step_host(const struct diagram_record *record, const struct diagram_event *event)
{
    const char *host = host_of(record, event->step.where);
    return !host && event->lane
               ? host_of(record, record_lane(record->record, event->lane - 1)->group)
               : host;
}

static guint step_column(struct diagram_maker *maker, const struct diagram_event *event,
                         const char *host)
{
    const struct record *record = maker->record->record;
    enum diagram_role role = DIAGRAM_KERNEL;
    if (event->lane && card_lane(record_lane(record, event->lane - 1)))
        role = DIAGRAM_CARD;
    else if (is_rank(maker->record, event->step.where))
        role = DIAGRAM_LIBRARY;
    return column_at(maker->diagram, host, role);
}

static void diagram_add_steps(struct diagram_maker *maker)
{
    struct diagram *diagram = maker->diagram;
    for (guint i = 0; i < maker->record->steps->len; i++) {
        struct diagram_event *event = &g_array_index(maker->record->steps, struct diagram_event, i);
        const char *host = step_host(maker->record, event);
        if (!is_end(diagram, host) || event->step.when < diagram->from ||
            event->step.when > diagram->until)
            continue;
        struct diagram_step step = event->step;
        step.column = step_column(maker, event, host);
        step.detail = g_strdup(step.detail);
        g_array_append_val(diagram->steps, step);
    }
    for (guint i = 0; i < maker->record->marks->len; i++) {
        const struct diagram_timeout *timeout =
            &g_array_index(maker->record->marks, struct diagram_timeout, i);
        if (!is_end(diagram, timeout->where) || timeout->when < diagram->from ||
            timeout->when > diagram->until)
            continue;
        struct diagram_mark mark = {column_at(diagram, timeout->where, DIAGRAM_KERNEL),
                                    timeout->what, timeout->since, timeout->when};
        g_array_append_val(diagram->marks, mark);
    }
}

// ---- The critical path ----

static bool span_has(const struct diagram_span *span, const struct lane_record *lane, guint index,
                     const struct path_part *part)
{
    return span->key[0] == index && span->lane == lane->name && span->class == part->class &&
           span->from <= part->from && part->to <= span->to;
}

static int span_of(const struct diagram *diagram, const struct lane_record *lane,
                   const struct path_part *part)
{
    for (guint i = 0; i < diagram->spans->len; i++)
        if (span_has(&g_array_index(diagram->spans, struct diagram_span, i), lane, part->at - 1,
                     part))
            return (int)i;
    return -1;
}

// Where a part is that no span has.
static guint part_column(struct diagram *diagram, const struct lane_record *lane,
                         const struct path_part *part)
{
    if (lane_is_link(lane))
        return part->class == STAGE_SWITCH ? column_at(diagram, lane->ends[1], DIAGRAM_SWITCH)
                                           : link_column(diagram, lane->ends);
    if (lane->kind == TRACE_QUEUE)
        return column_at(diagram, lane->group, DIAGRAM_SWITCH);
    enum diagram_role role = part->class == STAGE_COMPUTE   ? DIAGRAM_PROGRAM
                             : part->class == STAGE_LIBRARY ? DIAGRAM_LIBRARY
                             : part->class == STAGE_BUS     ? DIAGRAM_BUS
                             : part->class == STAGE_NIC     ? DIAGRAM_CARD
                                                            : DIAGRAM_KERNEL;
    return column_at(diagram, lane->group, role);
}

static void on_diagram_part(void *owner, const struct path_part *part)
{
    struct diagram_maker *maker = owner;
    struct diagram *diagram = maker->diagram;
    const struct lane_record *lane = record_lane(maker->record->record, part->at - 1);
    struct diagram_part one = {
        .span = span_of(diagram, lane, part),
        .stage = part->stage,
        .by = part->by,
        .class = part->class,
        .from = part->from,
        .to = part->to,
    };
    struct diagram_span *span =
        one.span < 0 ? NULL : &g_array_index(diagram->spans, struct diagram_span, one.span);
    if (span)
        span->path = true;
    one.column = span ? span->column : part_column(diagram, lane, part);
    g_array_append_val(diagram->path, one);
}

static void reverse_path(GArray *path)
{
    for (guint i = 0, k = path->len; i + 1 < k; i++) {
        struct diagram_part *low = &g_array_index(path, struct diagram_part, i);
        struct diagram_part *high = &g_array_index(path, struct diagram_part, --k);
        struct diagram_part other = *low;
        *low = *high;
        *high = other;
    }
}

// ---- The whole ----

static void diagram_arrow_drop(void *data)
{
    diagram_arrow_clear(data);
}

static void diagram_step_clear(void *data)
{
    g_free(((struct diagram_step *)data)->detail);
}

static void diagram_span_clear(void *data)
{
    struct diagram_span *span = data;
    if (span->constants)
        g_ptr_array_unref(span->constants);
}

static void diagram_part_clear(void *data)
{
    struct diagram_part *part = data;
    if (part->constants)
        g_ptr_array_unref(part->constants);
}

static struct diagram *diagram_new(void)
{
    struct diagram *diagram = g_new0(struct diagram, 1);
    diagram->columns = g_array_new(FALSE, TRUE, sizeof(struct diagram_column));
    diagram->spans = g_array_new(FALSE, TRUE, sizeof(struct diagram_span));
    g_array_set_clear_func(diagram->spans, diagram_span_clear);
    diagram->arrows = g_array_new(FALSE, TRUE, sizeof(struct diagram_arrow));
    g_array_set_clear_func(diagram->arrows, diagram_arrow_drop);
    diagram->steps = g_array_new(FALSE, TRUE, sizeof(struct diagram_step));
    g_array_set_clear_func(diagram->steps, diagram_step_clear);
    diagram->marks = g_array_new(FALSE, TRUE, sizeof(struct diagram_mark));
    diagram->path = g_array_new(FALSE, TRUE, sizeof(struct diagram_part));
    g_array_set_clear_func(diagram->path, diagram_part_clear);
    return diagram;
}

void diagram_free(struct diagram *diagram)
{
    g_free(diagram->why);
    g_array_unref(diagram->columns);
    g_array_unref(diagram->spans);
    g_array_unref(diagram->arrows);
    g_array_unref(diagram->steps);
    g_array_unref(diagram->marks);
    g_array_unref(diagram->path);
    g_free(diagram);
}

// Why there is no diagram of what was recorded; NULL: there is one. The caller frees it.
static char *diagram_refusal(struct diagram *diagram, const struct diagram_record *record,
                             const struct series_result *result)
{
    const char *text = json_string_value(json_object_get(result->reason, "text"));
    guint packets = 0;
    for (guint i = 0; i < record->arrows->len; i++)
        packets += ((const struct diagram_arrow *)g_ptr_array_index(record->arrows, i))->own;
    if (record->ended && packets > DIAGRAM_MOST_PACKETS) {
        diagram->bad = true;
        return g_strdup_printf("the message has %u packets, and a diagram at most %d", packets,
                               DIAGRAM_MOST_PACKETS);
    }
    if (record->ended && record->record->lost > record->from)
        return g_strdup("the message took too long to be recorded");
    if (record->ended)
        return NULL;
    if (result->status != SIM_COMPLETED)
        return g_strdup_printf("%s: %s", sim_status_name(result->status),
                               text ? text : "no reason was given");
    diagram->bad = true;
    if (record->found)
        return g_strdup_printf("message %" G_GUINT64_FORMAT " is not received",
                               record->message.number);
    if (record->number)
        return g_strdup_printf("there is no message %" G_GUINT64_FORMAT
                               ": the run has %" G_GUINT64_FORMAT,
                               record->number, record->opened);
    return g_strdup("the run measures no message");
}

static void diagram_fill(struct diagram *diagram, struct diagram_record *record)
{
    struct diagram_maker maker = {diagram, record};
    record_settle(record->record);
    diagram->message = record->message;
    diagram->from = record->from;
    diagram->to = record->to;
    diagram->ends[0] = host_of_rank(record, record->message.source);
    diagram->ends[1] = host_of_rank(record, record->message.destination);
    diagram->until = life_of(diagram, record);
    diagram_add_arrows(&maker);
    diagram_add_switches(&maker);
    for (guint i = 0; i < record->record->lanes->len; i++)
        if (wanted_lane(diagram, record_lane(record->record, i)))
            diagram_add_pieces(&maker, i);
    diagram_add_calls(&maker);
    diagram_add_steps(&maker);
    if (record->end)
        path_walk(record->record, record->end, diagram->from, diagram->to, on_diagram_part, &maker);
    reverse_path(diagram->path);
}

static void diagram_began(void *owner, const struct sim *sim)
{
    diagram_record_begin(owner, sim);
}

static bool diagram_enough(void *owner)
{
    return diagram_record_enough(owner);
}

// *first: the number of the only measured message, if there is no second.
static struct diagram *diagram_try(const struct diagram_request *request, uint64_t *first)
{
    const struct explain_run *run = request->run;
    struct scenario_case some = *run->test_case;
    struct diagram *diagram = diagram_new();
    struct diagram_record *record = diagram_record_new();
    GArray *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
    record->number = request->number;
    record->size = -1;
    if (some.workload.benchmark && !some.workload.benchmark->sizeless && run->size != EXPLAIN_ALL) {
        g_array_append_val(sizes, run->size);
        some.workload.sizes = sizes;
        record->size = run->size;
    }
    struct run_options options = {.trace = &record->trace,
                                  .began = diagram_began,
                                  .began_owner = record,
                                  .enough = diagram_enough,
                                  .enough_owner = record,
                                  .time_limit_s = run->time_limit_s,
                                  .wall_end = run->wall_end};
    struct series_result *result = run_case(run->registry, &some, 0, run->seed, &options);
    diagram->status = result->status;
    diagram->why = diagram_refusal(diagram, record, result);
    if (!diagram->why)
        diagram_fill(diagram, record);
    *first = record->found ? 0 : record->first.number;
    series_result_free(result);
    diagram_record_free(record);
    g_array_unref(sizes);
    return diagram;
}

struct diagram *diagram_of(const struct diagram_request *request)
{
    uint64_t first = 0;
    struct diagram *diagram = diagram_try(request, &first);
    if (!diagram->why || request->number || !first)
        return diagram;
    diagram_free(diagram);
    return diagram_try(&(struct diagram_request){request->run, first}, &first);
}
