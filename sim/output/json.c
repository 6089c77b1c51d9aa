// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/json.h"

#include "sim/output/links.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

static json_t *json_count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

// JSON has no infinity and no NaN: such a value is null.
static json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *json_fingerprint(uint64_t fingerprint)
{
    char *text = text_fingerprint(fingerprint);
    json_t *string = json_string(text);
    g_free(text);
    return string;
}

// Names come from files: what is no UTF-8 must not break the document.
static json_t *json_name(const char *name)
{
    char *valid = g_utf8_make_valid(name ? name : "", -1);
    json_t *string = json_string(valid);
    g_free(valid);
    return string;
}

json_t *ledger_json(const struct ledger_totals *totals)
{
    json_t *ledger = json_object();
    json_object_set_new(ledger, "messages", json_count(totals->messages));
    json_object_set_new(ledger, "bytes", json_count(totals->bytes));
    json_object_set_new(ledger, "delivered", json_count(totals->delivered));
    if (totals->declined > 0 || totals->declined_bytes > 0) {
        json_object_set_new(ledger, "declined", json_count(totals->declined));
        json_object_set_new(ledger, "declined_bytes", json_count(totals->declined_bytes));
    }
    json_object_set_new(ledger, "lost", json_count(totals->lost));
    json_object_set_new(ledger, "duplicated", json_count(totals->duplicated));
    json_object_set_new(ledger, "misordered", json_count(totals->misordered));
    return ledger;
}

static json_t *series_ledger_json(const struct series_result *series)
{
    json_t *ledger = ledger_json(&series->ledger);
    json_object_set_new(ledger, "open", json_count(series->ledger.open));
    json_object_set_new(ledger, "balanced", json_boolean(series->ledger_balanced));
    return ledger;
}

static json_t *json_lines(const GPtrArray *report)
{
    json_t *lines = json_array();
    for (guint i = 0; report && i < report->len; i++)
        json_array_append_new(lines, json_name(g_ptr_array_index(report, i)));
    return lines;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

json_t *counters_json(json_t *counters)
{
    json_t *sorted = json_object(), *value;
    const char *name;
    GPtrArray *names = g_ptr_array_new();
    json_object_foreach(counters, name, value)
    {
        g_ptr_array_add(names, (gpointer)name);
    }
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++) {
        name = g_ptr_array_index(names, i);
        json_object_set(sorted, name, json_object_get(counters, name));
    }
    g_ptr_array_unref(names);
    return sorted;
}

static json_t *json_losses(const struct series_result *series)
{
    static const char *const kinds[] = {
        [LOSS_DROPPED] = "dropped",  [LOSS_REPEATED] = "sent again",
        [LOSS_TIMEOUT] = "time-out", [LOSS_DUPLICATED] = "duplicated",
        [LOSS_HELD] = "held back",
    };
    json_t *list = json_array();
    for (guint i = 0; i < series->losses->len; i++) {
        const struct result_loss *loss = &g_array_index(series->losses, struct result_loss, i);
        json_array_append_new(list,
                              json_pack("{s:o, s:s, s:I, s:I}", "counter", json_name(loss->name),
                                        "kind", kinds[loss->kind], "count", (json_int_t)loss->count,
                                        "before_measurement", (json_int_t)loss->before));
    }
    return list;
}

static json_t *json_standouts(const struct series_result *series)
{
    static const char *const kinds[] = {
        [STANDOUT_LONGEST] = "longest",
        [STANDOUT_FIRST] = "first",
    };
    static const char *const usual[] = {
        [STANDOUT_LONGEST] = "median_us",
        [STANDOUT_FIRST] = "others_us",
    };
    json_t *list = json_array();
    for (guint i = 0; i < series->standouts->len; i++) {
        const struct result_standout *one =
            &g_array_index(series->standouts, struct result_standout, i);
        json_t *json =
            json_pack("{s:s, s:I, s:i, s:I, s:I, s:o, s:o}", "kind", kinds[one->kind], "size_bytes",
                      (json_int_t)one->size, "rank", one->rank, "repetition",
                      (json_int_t)one->repetition, "repetitions", (json_int_t)one->repetitions,
                      "us", json_number(one->us), usual[one->kind], json_number(one->usual_us));
        json_object_set_new(json, "wait", one->wait ? json_string(one->wait) : json_null());
        json_object_set_new(json, "wait_us", one->wait ? json_number(one->wait_us) : json_null());
        json_array_append_new(list, json);
    }
    return list;
}

json_t *series_outcome_json(const struct series_result *series)
{
    json_t *outcome = json_object();
    json_object_set_new(outcome, "name", json_name(series->name));
    json_object_set_new(outcome, "stack", json_name(series->stack));
    if (series->fidelity)
        json_object_set_new(outcome, "fidelity", json_string(series->fidelity));
    if (series->note)
        json_object_set_new(outcome, "note", json_string(series->note));
    if (series->basis)
        json_object_set_new(outcome, "basis", json_string(series->basis));
    if (series->counts)
        json_object_set_new(outcome, "counts", json_string(series->counts));
    json_object_set_new(outcome, "status", json_string(sim_status_name(series->status)));
    json_object_set_new(outcome, "reason",
                        series->reason ? json_incref(series->reason) : json_null());
    json_object_set_new(outcome, "events", json_count(series->events));
    json_object_set_new(outcome, "fingerprint", json_fingerprint(series->fingerprint));
    json_object_set_new(outcome, "simulated_s", json_number(time_to_s(series->simulated)));
    json_object_set_new(outcome, "ledger", series_ledger_json(series));
    json_object_set_new(outcome, "unaccounted", json_lines(series->ledger_report));
    if (series->declined)
        json_object_set_new(outcome, "declined", json_lines(series->declined));
    json_object_set_new(outcome, "counters", counters_json(series->counters));
    json_object_set_new(outcome, "losses", json_losses(series));
    json_object_set_new(outcome, "standouts", json_standouts(series));
    return outcome;
}

// The point of a size, made when the first value of that size is met.
static json_t *series_point(json_t *points, GHashTable *by_size, const struct result_value *value)
{
    json_t *point = g_hash_table_lookup(by_size, &value->size);
    if (!point) {
        point = json_object();
        json_object_set_new(point, "size_bytes", json_integer(value->size));
        json_array_append_new(points, point);
        g_hash_table_insert(by_size, (gpointer)&value->size, point);
    }
    return point;
}

static json_t *json_value(const struct result_value *value)
{
    json_t *object = json_object();
    json_object_set_new(object, "metric", json_name(value->metric));
    json_object_set_new(object, "rank", value->rank < 0 ? json_null() : json_integer(value->rank));
    json_object_set_new(object, "size_bytes",
                        value->size < 0 ? json_null() : json_integer(value->size));
    json_object_set_new(object, "unit", json_name(metric_unit(value->metric)));
    json_object_set_new(object, "value", json_number(value->value));
    return object;
}

json_t *series_json(const struct series_result *series)
{
    json_t *points = json_array(), *values = json_array();
    GHashTable *by_size = g_hash_table_new(g_int64_hash, g_int64_equal);
    for (guint i = 0; i < series->values->len; i++) {
        const struct result_value *value = &g_array_index(series->values, struct result_value, i);
        if (value->rank < 0 && value->size >= 0)
            json_object_set_new(series_point(points, by_size, value), value->metric,
                                json_number(value->value));
        else
            json_array_append_new(values, json_value(value));
    }
    g_hash_table_unref(by_size);

    json_t *object = series_outcome_json(series);
    json_object_set_new(object, "points", points);
    json_object_set_new(object, "values", values);
    return object;
}

// ---- The document ----

static const char *member_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

void series_judge_json(json_t *series)
{
    const json_t *ledger = json_object_get(series, "ledger");
    if (strcmp(member_text(series, "status"), sim_status_name(SIM_COMPLETED)) != 0 ||
        !json_is_false(json_object_get(ledger, "balanced")))
        return;
    const char *line = json_string_value(json_array_get(json_object_get(series, "unaccounted"), 0));
    json_object_set_new(series, "status", json_string(sim_status_name(SIM_LOST)));
    json_object_set_new(series, "reason",
                        json_pack("{s:s, s:s}", "kind", "messages_lost", "text",
                                  line ? line : "the ledger is not balanced"));
}

// How bad a status is, as result_status ranks them.
static int badness(const json_t *series)
{
    static const char *const statuses[] = {"completed", "lost", "deadlock", "failed", "crashed"};
    for (size_t i = G_N_ELEMENTS(statuses) - 1; i > 0; i--)
        if (strcmp(member_text(series, "status"), statuses[i]) == 0)
            return (int)i;
    return 0;
}

// Returns the first of those that ended worst, or NULL if there is none.
static const json_t *worst_series(const json_t *list)
{
    const json_t *worst = NULL, *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        if (!worst || badness(one) > badness(worst))
            worst = one;
    }
    return worst;
}

static json_t *sum_of_ledgers(const json_t *list)
{
    static const struct {
        const char *name;
        bool if_any; // only if not 0
    } members[] = {{"messages", false},   {"bytes", false},         {"delivered", false},
                   {"declined", true},    {"declined_bytes", true}, {"lost", false},
                   {"duplicated", false}, {"misordered", false}};
    json_t *sum = json_object();
    for (size_t k = 0; k < G_N_ELEMENTS(members); k++) {
        json_int_t total = 0;
        const json_t *one;
        size_t i;
        json_array_foreach(list, i, one)
        {
            total += json_integer_value(
                json_object_get(json_object_get(one, "ledger"), members[k].name));
        }
        if (total > 0 || !members[k].if_any)
            json_object_set_new(sum, members[k].name, json_integer(total));
    }
    return sum;
}

// The run as a whole; with the wall time, if known (not negative).
static json_t *run_of_series(const json_t *list, uint64_t seed, double wall)
{
    json_int_t events = 0;
    sim_time simulated = 0;
    uint64_t fingerprint = RESULT_FINGERPRINT_START;
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        events += json_integer_value(json_object_get(one, "events"));
        // Written as seconds of a double, which has every picosecond of the first hour.
        simulated += llround(json_number_value(json_object_get(one, "simulated_s")) * 1e12);
        fingerprint = result_fingerprint_add(
            fingerprint, g_ascii_strtoull(member_text(one, "fingerprint"), NULL, 16));
    }
    json_t *run = json_object();
    json_object_set_new(run, "events", json_integer(events));
    if (wall >= 0.0) {
        json_object_set_new(run, "wall_s", json_number(wall));
        json_object_set_new(run, "events_per_s",
                            json_real(wall > 0.0 ? (double)events / wall : 0.0));
    }
    json_object_set_new(run, "simulated_s", json_number(time_to_s(simulated)));
    json_object_set_new(run, "seed", json_count(seed));
    json_object_set_new(run, "fingerprint", json_fingerprint(fingerprint));
    return run;
}

static json_t *document_of(const char *scenario, uint64_t seed, json_t *series, double wall)
{
    const json_t *worst = worst_series(series);
    const char *status = worst ? member_text(worst, "status") : "completed";
    json_t *reason = worst && badness(worst) > 0 ? json_object_get(worst, "reason") : NULL;
    json_t *document = json_object();
    json_object_set_new(document, "scenario", json_name(scenario));
    json_object_set_new(document, "status", json_string(status));
    json_object_set_new(document, "reason", reason ? json_incref(reason) : json_null());
    json_object_set(document, "series", series);
    json_object_set_new(document, "run", run_of_series(series, seed, wall));
    json_object_set_new(document, "ledger", sum_of_ledgers(series));
    return document;
}

json_t *result_of_series_json(const char *scenario, uint64_t seed, json_t *series)
{
    return document_of(scenario, seed, series, -1.0);
}

json_t *result_json(const struct result *result)
{
    json_t *series = json_array();
    for (guint i = 0; i < result->series->len; i++) {
        const struct series_result *one = g_ptr_array_index(result->series, i);
        json_t *json = series_json(one), *links = links_json(one), *sizes = links_json_by_size(one);
        if (links)
            json_object_set_new(json, "links", links);
        if (sizes)
            json_object_set_new(json, "links_by_size", sizes);
        json_array_append_new(series, json);
    }
    json_t *document = document_of(result->scenario, result->seed, series, result_wall_s(result));
    json_decref(series);
    if (result->idle_settings->len > 0)
        json_object_set_new(document, "idle_settings", json_lines(result->idle_settings));
    return document;
}

// ---- Documents as text ----
//
// As json_dumps(document, JSON_INDENT(2)), which takes three times the instructions: it checks for
// circles and hands out characters one after another, and a manifest has hundreds of thousands.

#define INDENT 2 // columns per level

// How a document is written.
struct json_style {
    bool compact;  // on one line, without blanks
    size_t digits; // of reals; 0: those that keep them
};

static const char *json_escape(unsigned char character, char text[8])
{
    switch (character) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\b':
        return "\\b";
    case '\f':
        return "\\f";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        g_snprintf(text, 8, "\\u%04X", character);
        return text;
    }
}

static void append_string(GString *out, const char *text, size_t length)
{
    char escape[8];
    size_t from = 0;
    g_string_append_c(out, '"');
    for (size_t i = 0; i < length; i++) {
        unsigned char character = (unsigned char)text[i];
        if (G_LIKELY(character >= ' ' && character != '"' && character != '\\'))
            continue;
        g_string_append_len(out, text + from, (gssize)(i - from));
        g_string_append(out, json_escape(character, escape));
        from = i + 1;
    }
    g_string_append_len(out, text + from, (gssize)(length - from));
    g_string_append_c(out, '"');
}

// A new line, and the blanks of a level.
static void append_break(GString *out, const struct json_style *style, int level)
{
    if (style->compact)
        return;
    gsize length = out->len, added = 1 + (gsize)(level * INDENT);
    g_string_set_size(out, length + added);
    memset(out->str + length, ' ', added);
    out->str[length] = '\n';
}

static void append_value(GString *out, json_t *value, const struct json_style *style, int level);

static void append_object(GString *out, json_t *object, const struct json_style *style, int level)
{
    const char *key, *separator = "";
    json_t *value;
    g_string_append_c(out, '{');
    json_object_foreach(object, key, value)
    {
        g_string_append(out, separator);
        append_break(out, style, level + 1);
        append_string(out, key, strlen(key));
        g_string_append(out, style->compact ? ":" : ": ");
        append_value(out, value, style, level + 1);
        separator = ",";
    }
    if (json_object_size(object) > 0)
        append_break(out, style, level);
    g_string_append_c(out, '}');
}

static void append_array(GString *out, json_t *array, const struct json_style *style, int level)
{
    size_t count = json_array_size(array);
    g_string_append_c(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            g_string_append_c(out, ',');
        append_break(out, style, level + 1);
        append_value(out, json_array_get(array, i), style, level + 1);
    }
    if (count > 0)
        append_break(out, style, level);
    g_string_append_c(out, ']');
}

// Appends a real of at most 15 digits, six of them after the point, and returns true; false: any
// other real. Microseconds are such, by the hundred thousand in a timeline.
static bool append_micro(GString *out, double value)
{
    double millionths = value * 1e6;
    if (!(millionths >= 100 && millionths < 1e15)) // less has an exponent
        return false;
    uint64_t number = (uint64_t)(millionths + 0.5), whole = number / 1000000,
             rest = number % 1000000;
    if ((double)number / 1e6 != value)
        return false;
    char text[32], *end = text + sizeof text, *at = end;
    for (int i = 0; i < 6; i++, rest /= 10)
        *--at = (char)('0' + rest % 10);
    while (end - at > 1 && end[-1] == '0')
        end--;
    *--at = '.';
    do
        *--at = (char)('0' + whole % 10);
    while (whole /= 10);
    g_string_append_len(out, at, end - at);
    return true;
}

static void append_real(GString *out, const json_t *value, const struct json_style *style)
{
    if (style->digits == JSON_EXACT_DIGITS && append_micro(out, json_real_value(value)))
        return;
    char *real = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(style->digits));
    g_string_append(out, real);
    free(real);
}

static void append_integer(GString *out, json_int_t value)
{
    char text[24], *at = text + sizeof text;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *--at = '-';
    g_string_append_len(out, at, text + sizeof text - at);
}

static void append_value(GString *out, json_t *value, const struct json_style *style, int level)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        append_object(out, value, style, level);
        return;
    case JSON_ARRAY:
        append_array(out, value, style, level);
        return;
    case JSON_STRING:
        append_string(out, json_string_value(value), json_string_length(value));
        return;
    case JSON_INTEGER:
        append_integer(out, json_integer_value(value));
        return;
    case JSON_REAL:
        append_real(out, value, style);
        return;
    case JSON_TRUE:
    case JSON_FALSE:
        g_string_append(out, json_is_true(value) ? "true" : "false");
        return;
    case JSON_NULL:
        g_string_append(out, "null");
        return;
    }
}

char *document_text(json_t *document)
{
    GString *text = g_string_sized_new(4096);
    append_value(text, document, &(struct json_style){0}, 0);
    json_decref(document);
    g_string_append_c(text, '\n');
    return g_string_free(text, FALSE);
}

void document_append_line(GString *out, json_t *document, size_t digits)
{
    append_value(out, document, &(struct json_style){.compact = true, .digits = digits}, 0);
}
