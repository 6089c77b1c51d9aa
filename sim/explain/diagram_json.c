// SPDX-License-Identifier: GPL-3.0-or-later
// The diagram as a document. Times are picoseconds from when the message was opened: whole numbers,
// so that the parts of the critical path add up exactly.
#include "sim/explain/diagram.h"

static json_t *text_json(const char *text)
{
    char *valid = text ? g_utf8_make_valid(text, -1) : NULL;
    json_t *string = valid ? json_string(valid) : json_null();
    g_free(valid);
    return string;
}

static void put_time(json_t *object, const char *key, const struct diagram *diagram, sim_time time)
{
    json_object_set_new(object, key, json_integer(time - diagram->from));
}

static json_t *constants_json(const GPtrArray *constants)
{
    json_t *list = json_array();
    for (guint i = 0; constants && i < constants->len; i++)
        json_array_append_new(list, text_json(g_ptr_array_index(constants, i)));
    return list;
}

static json_t *columns_json(const struct diagram *diagram)
{
    json_t *list = json_array();
    for (guint i = 0; i < diagram->columns->len; i++) {
        const struct diagram_column *column =
            &g_array_index(diagram->columns, struct diagram_column, i);
        json_array_append_new(list, json_pack("{s:o, s:s}", "node", text_json(column->node), "role",
                                              diagram_role_name(column->role)));
    }
    return list;
}

static json_t *span_json(const struct diagram *diagram, const struct diagram_span *span)
{
    static const char *const kinds[] = {
        [DIAGRAM_CALL] = "call", [DIAGRAM_WORK] = "work", [DIAGRAM_DELAY] = "delay"};
    json_t *one =
        json_pack("{s:i, s:s, s:o, s:o}", "column", (int)span->column, "kind", kinds[span->kind],
                  "lane", text_json(span->lane), "name", text_json(span->name));
    put_time(one, "from", diagram, span->from);
    put_time(one, "to", diagram, span->to);
    if (span->kind == DIAGRAM_CALL) {
        if (span->call.peer >= 0)
            json_object_set_new(one, "peer", json_integer(span->call.peer));
        if (span->call.bytes >= 0)
            json_object_set_new(one, "bytes", json_integer(span->call.bytes));
        return one;
    }
    json_object_set_new(one, "class", json_string(stage_class_name(span->class)));
    json_object_set_new(one, "own", json_boolean(span->own));
    json_object_set_new(one, "other", json_boolean(span->other));
    json_object_set_new(one, "path", json_boolean(span->path));
    json_object_set_new(one, "constants", constants_json(span->constants));
    return one;
}

static json_t *hops_json(const struct diagram *diagram, const struct diagram_arrow *arrow)
{
    json_t *list = json_array();
    for (guint i = 0; i < arrow->hops->len; i++) {
        const struct diagram_hop *hop = &g_array_index(arrow->hops, struct diagram_hop, i);
        json_t *one = json_pack("{s:o, s:o, s:o, s:o}", "link", text_json(hop->link), "from_node",
                                text_json(hop->ends[0]), "to_node", text_json(hop->ends[1]),
                                "constants", constants_json(hop->constants));
        put_time(one, "since", diagram, hop->since);
        put_time(one, "from", diagram, hop->from);
        put_time(one, "to", diagram, hop->to);
        put_time(one, "arrived", diagram, hop->arrived);
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *arrow_json(const struct diagram *diagram, const struct diagram_arrow *arrow)
{
    json_t *one =
        json_pack("{s:o, s:o, s:o, s:I, s:b, s:b, s:b, s:o}", "from_host", text_json(arrow->from),
                  "to_host", text_json(arrow->to), "what", text_json(arrow->words.text),
                  "frame_bytes", (json_int_t)arrow->bytes, "own", arrow->own, "other", arrow->other,
                  "answers", arrow->words.answers, "hops", hops_json(diagram, arrow));
    if (arrow->words.sequence >= 0)
        json_object_set_new(one, "sequence", json_integer(arrow->words.sequence));
    if (arrow->words.acknowledges >= 0)
        json_object_set_new(one, "acknowledges", json_integer(arrow->words.acknowledges));
    if (arrow->message.generation) {
        json_object_set_new(one, "offset", json_integer(arrow->offset));
        json_object_set_new(one, "bytes", json_integer(arrow->length));
    }
    if (arrow->dropped) {
        json_object_set_new(one, "dropped", text_json(arrow->dropped));
        put_time(one, "dropped_at", diagram, arrow->dropped_at);
    }
    return one;
}

static json_t *steps_json(const struct diagram *diagram)
{
    json_t *list = json_array();
    for (guint i = 0; i < diagram->steps->len; i++) {
        const struct diagram_step *step = &g_array_index(diagram->steps, struct diagram_step, i);
        json_t *one =
            json_pack("{s:i, s:o, s:o, s:I, s:o, s:o, s:o}", "column", (int)step->column, "where",
                      text_json(step->where), "machine", text_json(step->machine), "subject",
                      (json_int_t)step->subject, "from", text_json(step->from), "to",
                      text_json(step->to), "detail", text_json(step->detail));
        put_time(one, "when", diagram, step->when);
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *marks_json(const struct diagram *diagram)
{
    json_t *list = json_array();
    for (guint i = 0; i < diagram->marks->len; i++) {
        const struct diagram_mark *mark = &g_array_index(diagram->marks, struct diagram_mark, i);
        json_t *one =
            json_pack("{s:i, s:o}", "column", (int)mark->column, "what", text_json(mark->what));
        put_time(one, "since", diagram, mark->since);
        put_time(one, "when", diagram, mark->when);
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *path_json(const struct diagram *diagram)
{
    json_t *list = json_array();
    for (guint i = 0; i < diagram->path->len; i++) {
        const struct diagram_part *part = &g_array_index(diagram->path, struct diagram_part, i);
        json_t *one = json_pack("{s:i, s:o, s:o, s:s}", "column", (int)part->column, "span",
                                part->span < 0 ? json_null() : json_integer(part->span), "stage",
                                text_json(part->stage), "class", stage_class_name(part->class));
        if (part->span < 0)
            json_object_set_new(one, "constants", constants_json(part->constants));
        if (part->by)
            json_object_set_new(one, "by", text_json(part->by));
        put_time(one, "from", diagram, part->from);
        put_time(one, "to", diagram, part->to);
        json_array_append_new(list, one);
    }
    return list;
}

json_t *diagram_json(const struct diagram *diagram, const char *scenario,
                     const struct diagram_request *request)
{
    json_t *spans = json_array(), *arrows = json_array();
    for (guint i = 0; i < diagram->spans->len; i++)
        json_array_append_new(
            spans, span_json(diagram, &g_array_index(diagram->spans, struct diagram_span, i)));
    for (guint i = 0; i < diagram->arrows->len; i++)
        json_array_append_new(
            arrows, arrow_json(diagram, &g_array_index(diagram->arrows, struct diagram_arrow, i)));
    json_t *message =
        json_pack("{s:I, s:i, s:i, s:I, s:o, s:o}", "number", (json_int_t)diagram->message.number,
                  "source", diagram->message.source, "destination", diagram->message.destination,
                  "bytes", (json_int_t)diagram->message.bytes, "from_host",
                  text_json(diagram->ends[0]), "to_host", text_json(diagram->ends[1]));
    json_t *document = json_pack(
        "{s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "scenario",
        text_json(scenario), "series", text_json(request->run->test_case->name), "message", message,
        "began", (json_int_t)diagram->from, "latency", (json_int_t)(diagram->to - diagram->from),
        "until", (json_int_t)(diagram->until - diagram->from), "columns", columns_json(diagram),
        "spans", spans, "arrows", arrows, "steps", steps_json(diagram), "marks",
        marks_json(diagram), "path", path_json(diagram));
    return document;
}
