// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of a recording, for programs.
#include "sim/cli/trace.h"

// The version of the document's form: members may be added to it, but not change.
#define SCHEMA 1

static json_t *integer(uint64_t number)
{
    return json_integer((json_int_t)number);
}

// ---- Operations ----

// [{"most": bytes, "calls": n}]: each has the sizes above the `most` before it.
static json_t *classes_json(const uint64_t *classes)
{
    json_t *list = json_array();
    for (int class = 0; class < SIZE_CLASSES; class ++)
        if (classes[class] > 0)
            json_array_append_new(list, json_pack("{s:I, s:o}", "most",
                                                  (json_int_t)size_class_most(class), "calls",
                                                  integer(classes[class])));
    return list;
}

static json_t *operation_json(const struct profile_operation *operation, const char *name)
{
    json_t *json = json_pack("{s:s, s:o, s:i}", "operation", name, "calls",
                             integer(operation->calls), "ranks", operation->ranks);
    if (!operation->sized)
        return json;
    const struct size_counts *sizes = &operation->sizes;
    uint64_t classes[SIZE_CLASSES] = {0};
    size_counts_classes(sizes, classes);
    json_object_set_new(json, "bytes", json_integer(operation->bytes));
    json_object_set_new(json, "size",
                        json_pack("{s:I, s:I, s:I, s:I}", "least",
                                  (json_int_t)size_counts_quantile(sizes, 0), "median",
                                  (json_int_t)size_counts_quantile(sizes, 0.5), "p90",
                                  (json_int_t)size_counts_quantile(sizes, 0.9), "most",
                                  (json_int_t)size_counts_quantile(sizes, 1)));
    json_object_set_new(json, "sizes", classes_json(classes));
    return json;
}

static json_t *operations_json(const struct recorded_profile *profile)
{
    json_t *list = json_array();
    for (int code = 0; code < OP_CODES; code++)
        if (profile->operations[code].calls > 0)
            json_array_append_new(
                list, operation_json(&profile->operations[code], operation_table[code].name));
    return list;
}

// ---- Ranks ----

static json_t *spread_json(const struct trace_spread *spread, double factor)
{
    return json_pack("{s:f, s:i, s:f, s:f, s:i, s:f}", "least", spread->least * factor,
                     "least_rank", spread->least_rank, "mean", spread->mean * factor, "most",
                     spread->most * factor, "most_rank", spread->most_rank, "imbalance",
                     trace_imbalance(spread));
}

static json_t *work_json(const struct trace_report *report)
{
    bool counts = recording_work(report->recording) == RECORDED_FLOPS;
    double per_unit = trace_seconds_per_unit(report);
    struct trace_spread spread = trace_spread(report, trace_rank_work);
    json_t *json = json_object();
    json_object_set_new(json, "unit", json_string(counts ? "flop" : "s"));
    json_object_set_new(json, "by_rank", spread_json(&spread, counts ? 1 : per_unit));
    if (counts)
        json_object_set_new(json, "speed",
                            report->speed > 0 ? json_integer(report->speed) : json_null());
    json_object_set_new(json, "seconds_by_rank",
                        per_unit > 0 ? spread_json(&spread, per_unit) : json_null());
    return json;
}

static json_t *ranks_json(const struct trace_report *report)
{
    json_t *list = json_array();
    double per_unit = trace_seconds_per_unit(report);
    bool counts = recording_work(report->recording) == RECORDED_FLOPS;
    for (int number = 0; number < report->profile->ranks; number++) {
        const struct profile_rank *rank = &report->profile->rank[number];
        json_array_append_new(
            list, json_pack("{s:i, s:s, s:o, s:o, s:I, s:i, s:f, s:f}", "rank", number, "file",
                            recording_file(report->recording, number), "calls",
                            integer(rank->calls), "messages", integer(rank->messages), "bytes",
                            (json_int_t)rank->bytes, "peers", rank->peers, "work",
                            rank->work * (counts ? 1 : per_unit), "sleep", rank->seconds));
    }
    return list;
}

// ---- Messages ----

static json_t *messages_json(const struct trace_report *report)
{
    const struct recorded_profile *profile = report->profile;
    struct trace_spread spread = trace_spread(report, trace_rank_bytes);
    uint64_t messages = 0, pairs = 0, from_any = 0, unreceived, unsent;
    int64_t bytes = 0;
    for (int rank = 0; rank < profile->ranks; rank++) {
        messages += profile->rank[rank].messages;
        pairs += (uint64_t)profile->rank[rank].peers;
        from_any += profile->rank[rank].from_any;
        bytes = traffic_sum(bytes, profile->rank[rank].bytes);
    }
    bool known = recorded_profile_unmatched(profile, &unreceived, &unsent);
    return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "messages", integer(messages), "bytes",
                     (json_int_t)bytes, "pairs", integer(pairs), "by_rank", spread_json(&spread, 1),
                     "receives_from_any", integer(from_any), "unreceived",
                     known ? integer(unreceived) : json_null(), "unsent",
                     known ? integer(unsent) : json_null());
}

static json_t *collectives_json(const struct recorded_profile *profile)
{
    uint64_t calls;
    int64_t bytes;
    trace_collectives(profile, &calls, &bytes);
    return json_pack("{s:o, s:I}", "calls", integer(calls), "bytes", (json_int_t)bytes);
}

static json_t *sizes_json(const struct recorded_profile *profile, bool collectives)
{
    uint64_t classes[SIZE_CLASSES];
    trace_classes(profile, collectives, classes);
    return classes_json(classes);
}

// The rows of the matrix, in the order of its columns.
static json_t *matrix_json(const struct trace_report *report)
{
    json_t *rows = json_array();
    const struct traffic *matrix = report->matrix;
    for (int rank = 0; rank < matrix->ranks; rank++)
        for (guint i = 0; i < matrix->rows[rank]->len; i++) {
            const struct traffic_cell *cell = traffic_cell(matrix->rows[rank], i);
            json_array_append_new(rows,
                                  json_pack("[i, i, o, I]", rank, cell->peer,
                                            integer(cell->messages), (json_int_t)cell->bytes));
        }
    return json_pack("{s:s, s:o, s:[s, s, s, s], s:o}", "collectives",
                     report->unfolded ? "unfolded" : "apart", "stack",
                     report->unfolded ? json_string(report->unfolded) : json_null(), "columns",
                     "from", "to", "messages", "bytes", "rows", rows);
}

json_t *trace_json(const struct trace_report *report)
{
    const struct recorded_profile *profile = report->profile;
    return json_pack("{s:i, s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:{s:o, s:o}, s:o, s:o, s:o}",
                     "schema", SCHEMA, "file", recording_path(report->recording), "format",
                     recording_format(report->recording), "ranks", profile->ranks, "calls",
                     integer(profile->calls), "operations", operations_json(profile),
                     "point_to_point", messages_json(report), "collectives",
                     collectives_json(profile), "sizes", "messages", sizes_json(profile, false),
                     "collectives", sizes_json(profile, true), "work", work_json(report), "by_rank",
                     ranks_json(report), "matrix", matrix_json(report));
}

void trace_print_matrix(const struct trace_report *report, FILE *out)
{
    fputs("from,to,messages,bytes\n", out);
    for (int rank = 0; rank < report->matrix->ranks; rank++)
        for (guint i = 0; i < report->matrix->rows[rank]->len; i++) {
            const struct traffic_cell *cell = traffic_cell(report->matrix->rows[rank], i);
            fprintf(out, "%d,%d,%" G_GUINT64_FORMAT ",%" G_GINT64_FORMAT "\n", rank, cell->peer,
                    cell->messages, cell->bytes);
        }
}
