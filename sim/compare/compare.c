// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/compare/compare.h"

#include "sim/core/shown.h"
#include "sim/output/junit.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

// The findings so far.
struct comparing {
    const struct compare_options *options;
    json_t *series, *curves;
    int differences, points;
};

static const struct compared_curve *find_curve(const struct compared *compared,
                                               const struct compared_curve *like)
{
    for (guint i = 0; i < compared->curves->len; i++) {
        const struct compared_curve *curve = g_ptr_array_index(compared->curves, i);
        if (curve->metric == like->metric && curve->rank == like->rank &&
            strcmp(curve->series, like->series) == 0)
            return curve;
    }
    return NULL;
}

static const struct compared_series *find_series(const struct compared *compared, const char *name)
{
    for (guint i = 0; i < compared->series->len; i++) {
        const struct compared_series *series = g_ptr_array_index(compared->series, i);
        if (strcmp(series->name, name) == 0)
            return series;
    }
    return NULL;
}

GPtrArray *compared_metrics(const struct compared *a, const struct compared *b)
{
    const struct compared *const both[] = {a, b};
    GPtrArray *metrics = g_ptr_array_new();
    for (int k = 0; k < 2; k++)
        for (guint i = 0; i < both[k]->curves->len; i++) {
            const struct compared_curve *curve = g_ptr_array_index(both[k]->curves, i);
            if (!g_ptr_array_find(metrics, curve->metric, NULL))
                g_ptr_array_add(metrics, (gpointer)curve->metric);
        }
    return metrics;
}

bool compare_wants(const struct compare_options *options, const char *metric)
{
    return !options->metrics || !*options->metrics ||
           text_metric_is_among(metric, options->metrics);
}

// ---- Series ----

// Returns the state of a series in one result: its status and reason, "unknown", or "missing".
static json_t *status_json(const struct compared_series *series)
{
    const char *status = !series ? "missing" : series->status ? series->status : "unknown";
    return series && series->reason ? json_sprintf("%s (%s)", status, series->reason)
                                    : json_string(status);
}

// Equal, or not known of both.
static bool texts_agree(const char *a, const char *b)
{
    return !a || !b || strcmp(a, b) == 0;
}

static void add_series(struct comparing *comparing, const char *name,
                       const struct compared_series *a, const struct compared_series *b)
{
    if (a && b && texts_agree(a->status, b->status) && texts_agree(a->reason, b->reason))
        return;
    if (comparing->options->common && (!a || !b))
        return;
    json_array_append_new(comparing->series, json_pack("{s:s, s:o, s:o}", "series", name, "a",
                                                       status_json(a), "b", status_json(b)));
    comparing->differences++;
}

static void compare_series(struct comparing *comparing, const struct compared *a,
                           const struct compared *b)
{
    for (guint i = 0; i < a->series->len; i++) {
        const struct compared_series *series = g_ptr_array_index(a->series, i);
        add_series(comparing, series->name, series, find_series(b, series->name));
    }
    for (guint i = 0; i < b->series->len; i++) {
        const struct compared_series *series = g_ptr_array_index(b->series, i);
        if (!find_series(a, series->name))
            add_series(comparing, series->name, NULL, series);
    }
}

// ---- Curves ----

struct worst {
    bool any, outside;
    double deviation; // relative to A, with its sign; infinite if A is 0
    struct curve_point a;
    double b;
    int points, outsiders;
};

static double deviation_of(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0.0;
    return a != 0.0 && isfinite(a) && isfinite(b) ? (b - a) / fabs(a) : INFINITY;
}

// The point of another curve that stands against one of `points`: of the same size and, where there
// are several of one size, as many before it. Returns NULL if there is none.
static const struct curve_point *point_against(const GArray *points, guint index,
                                               const GArray *others)
{
    int64_t size = g_array_index(points, struct curve_point, index).size;
    guint before = 0;
    while (before < index &&
           g_array_index(points, struct curve_point, index - before - 1).size == size)
        before++;
    for (guint i = 0; i < others->len; i++) {
        const struct curve_point *other = &g_array_index(others, struct curve_point, i);
        if (other->size == size && before-- == 0)
            return other;
    }
    return NULL;
}

static void compare_point(const struct comparing *comparing, struct worst *worst,
                          const char *metric, const struct curve_point *a, double b)
{
    double deviation = deviation_of(a->value, b);
    bool outside = !tolerances_allow(comparing->options->tolerances, metric, a->value, b);
    worst->points++;
    worst->outsiders += outside;
    if (worst->any &&
        (outside != worst->outside ? worst->outside : fabs(deviation) <= fabs(worst->deviation)))
        return;
    *worst = (struct worst){true, outside, deviation, *a, b, worst->points, worst->outsiders};
}

static json_t *number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *worst_json(const struct worst *worst)
{
    if (!worst->any)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o}", "size_bytes",
                     worst->a.size < 0 ? json_null() : json_integer(worst->a.size), "a",
                     number_json(worst->a.value), "b", number_json(worst->b), "deviation",
                     number_json(worst->deviation));
}

// "4 points of b", "the curve in a"; NULL if nothing is missing.
static json_t *missing_json(const struct compared_curve *a, const struct compared_curve *b,
                            int common)
{
    if (!a || !b)
        return json_sprintf("the curve in %s", a ? "b" : "a");
    int of_b = (int)a->points->len - common, of_a = (int)b->points->len - common;
    if (of_a == 0 && of_b == 0)
        return json_null();
    GString *text = g_string_new(NULL);
    if (of_a > 0)
        g_string_append_printf(text, "%d point%s in a", of_a, of_a == 1 ? "" : "s");
    if (of_b > 0)
        g_string_append_printf(text, "%s%d point%s in b", of_a > 0 ? ", " : "", of_b,
                               of_b == 1 ? "" : "s");
    json_t *json = json_string(text->str);
    g_string_free(text, TRUE);
    return json;
}

static const char *verdict_of(const struct comparing *comparing, const struct worst *worst,
                              bool missing)
{
    bool common = comparing->options->common;
    if (worst->outsiders > 0 || (missing && !common))
        return "differs";
    if (common && worst->points == 0)
        return "skipped";
    return worst->any && worst->deviation != 0.0 ? "near" : "same";
}

static void compare_curve(struct comparing *comparing, const struct compared_curve *a,
                          const struct compared_curve *b)
{
    const struct compared_curve *one = a ? a : b;
    struct worst worst = {0};
    if (!compare_wants(comparing->options, one->metric))
        return;
    for (guint i = 0; a && b && i < a->points->len; i++) {
        const struct curve_point *point = &g_array_index(a->points, struct curve_point, i);
        const struct curve_point *other = point_against(a->points, i, b->points);
        if (other)
            compare_point(comparing, &worst, one->metric, point, other->value);
    }
    json_t *missing = missing_json(a, b, worst.points);
    const char *verdict = verdict_of(comparing, &worst, !json_is_null(missing));
    comparing->differences += strcmp(verdict, "differs") == 0;
    comparing->points += worst.points;
    json_array_append_new(comparing->curves,
                          json_pack("{s:s, s:s, s:o, s:s, s:i, s:o, s:i, s:o}", "series",
                                    one->series, "metric", one->metric, "rank",
                                    one->rank < 0 ? json_null() : json_integer(one->rank),
                                    "verdict", verdict, "points", worst.points, "missing", missing,
                                    "outside", worst.outsiders, "worst", worst_json(&worst)));
}

static json_t *tolerances_json(const struct tolerances *tolerances)
{
    json_t *list = json_array();
    const char *const *text = tolerances ? tolerances_texts(tolerances) : NULL;
    for (; text && *text; text++)
        json_array_append_new(list, json_string(*text));
    return list;
}

static json_t *fingerprints_json(const struct compared *a, const struct compared *b)
{
    json_t *agree = a->fingerprint && b->fingerprint
                        ? json_boolean(strcmp(a->fingerprint, b->fingerprint) == 0)
                        : json_null();
    return json_pack("{s:s?, s:s?, s:o}", "a", a->fingerprint, "b", b->fingerprint, "agree", agree);
}

json_t *compare(const struct compared *a, const struct compared *b,
                const struct compare_options *options)
{
    struct comparing comparing = {options, json_array(), json_array(), 0, 0};
    compare_series(&comparing, a, b);
    for (guint i = 0; i < a->curves->len; i++) {
        const struct compared_curve *curve = g_ptr_array_index(a->curves, i);
        compare_curve(&comparing, curve, find_curve(b, curve));
    }
    for (guint i = 0; i < b->curves->len; i++) {
        const struct compared_curve *curve = g_ptr_array_index(b->curves, i);
        if (!find_curve(a, curve))
            compare_curve(&comparing, NULL, curve);
    }
    return json_pack("{s:b, s:i, s:i, s:o, s:o, s:o, s:o}", "same", comparing.differences == 0,
                     "differences", comparing.differences, "compared", comparing.points,
                     "tolerances", tolerances_json(options->tolerances), "fingerprints",
                     fingerprints_json(a, b), "series", comparing.series, "curves",
                     comparing.curves);
}

// ---- Text ----

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void append_value(GString *out, const json_t *number)
{
    if (json_is_number(number))
        g_string_append_printf(out, "%.6g", json_number_value(number));
    else
        g_string_append(out, "no number");
}

static void append_worst(GString *out, const json_t *worst)
{
    const json_t *size = json_object_get(worst, "size_bytes");
    const json_t *deviation = json_object_get(worst, "deviation");
    if (json_is_number(deviation))
        g_string_append_printf(out, "worst %+.3g %%", 100.0 * json_number_value(deviation));
    else
        g_string_append(out, "worst without bound");
    if (json_is_integer(size))
        g_string_append_printf(out, " at %" JSON_INTEGER_FORMAT " B", json_integer_value(size));
    g_string_append(out, ": ");
    append_value(out, json_object_get(worst, "a"));
    g_string_append(out, " against ");
    append_value(out, json_object_get(worst, "b"));
}

// "latency_us, rank 1"
static void append_curve_name(GString *out, const json_t *curve)
{
    const json_t *rank = json_object_get(curve, "rank");
    g_string_append(out, text_of(curve, "metric"));
    if (json_is_integer(rank))
        g_string_append_printf(out, ", rank %d", (int)json_integer_value(rank));
}

// "4 points, 1 outside, worst +0.3 % at 1 B: 3 against 3.01"
static void append_findings(GString *out, const json_t *curve)
{
    int outside = (int)json_integer_value(json_object_get(curve, "outside"));
    int points = (int)json_integer_value(json_object_get(curve, "points"));
    const json_t *worst = json_object_get(curve, "worst");
    const json_t *deviation = json_object_get(worst, "deviation");
    g_string_append_printf(out, "%d point%s", points, points == 1 ? "" : "s");
    if (!json_is_null(json_object_get(curve, "missing")))
        g_string_append_printf(out, ", missing: %s", text_of(curve, "missing"));
    if (outside > 0)
        g_string_append_printf(out, ", %d outside", outside);
    if (json_is_object(worst) &&
        !(json_is_number(deviation) && json_number_value(deviation) == 0.0)) {
        g_string_append(out, ", ");
        append_worst(out, worst);
    }
}

static void append_curve(GString *out, const json_t *curve)
{
    text_append_left(out, text_of(curve, "verdict"), 9);
    g_string_append_printf(out, "%s, ", text_of(curve, "series"));
    append_curve_name(out, curve);
    g_string_append(out, ": ");
    append_findings(out, curve);
    g_string_append_c(out, '\n');
}

static void append_fingerprints(GString *out, const json_t *fingerprints)
{
    const json_t *agree = json_object_get(fingerprints, "agree");
    if (json_is_null(agree))
        g_string_append(out, "fingerprints: not known of both\n");
    else if (json_is_true(agree))
        g_string_append_printf(out, "fingerprints agree: %s\n", text_of(fingerprints, "a"));
    else
        g_string_append_printf(out, "fingerprints differ: %s against %s\n",
                               text_of(fingerprints, "a"), text_of(fingerprints, "b"));
}

void compare_print(const json_t *comparison, FILE *file)
{
    GString *out = g_string_new(NULL);
    size_t index;
    json_t *one;
    json_array_foreach(json_object_get(comparison, "series"), index, one)
    {
        g_string_append_printf(out, "differs  %s: %s against %s\n", text_of(one, "series"),
                               text_of(one, "a"), text_of(one, "b"));
    }
    json_array_foreach(json_object_get(comparison, "curves"), index, one)
    {
        append_curve(out, one);
    }
    append_fingerprints(out, json_object_get(comparison, "fingerprints"));
    int differences = (int)json_integer_value(json_object_get(comparison, "differences"));
    if (differences > 0)
        g_string_append_printf(out, "%d difference%s", differences, differences == 1 ? "" : "s");
    else
        g_string_append(out, "no differences");
    json_array_foreach(json_object_get(comparison, "tolerances"), index, one)
    {
        g_string_append_printf(out, "%s%s", index == 0 ? " beyond " : ", ", json_string_value(one));
    }
    g_string_append_c(out, '\n');
    shown_print(out->str, SHOWN_TEXT, file);
    g_string_free(out, TRUE);
}

// ---- JUnit ----

static void add_series_cases(struct junit *junit, const json_t *comparison)
{
    size_t index;
    json_t *one;
    json_array_foreach(json_object_get(comparison, "series"), index, one)
    {
        char *message = g_strdup_printf("%s against %s", text_of(one, "a"), text_of(one, "b"));
        junit_add(junit, text_of(one, "series"), text_of(one, "series"), "status", JUNIT_FAILED,
                  "differs", message);
        g_free(message);
    }
}

static void add_curve_case(struct junit *junit, const json_t *curve)
{
    const char *verdict = text_of(curve, "verdict"), *series = text_of(curve, "series");
    enum junit_outcome outcome = strcmp(verdict, "differs") == 0   ? JUNIT_FAILED
                                 : strcmp(verdict, "skipped") == 0 ? JUNIT_SKIPPED
                                                                   : JUNIT_PASSED;
    GString *name = g_string_new(NULL), *message = g_string_new(NULL);
    append_curve_name(name, curve);
    append_findings(message, curve);
    junit_add(junit, series, series, name->str, outcome, verdict, message->str);
    g_string_free(message, TRUE);
    g_string_free(name, TRUE);
}

char *compare_junit(const json_t *comparison)
{
    struct junit *junit = junit_new();
    size_t index;
    json_t *one;
    add_series_cases(junit, comparison);
    json_array_foreach(json_object_get(comparison, "curves"), index, one)
    {
        add_curve_case(junit, one);
    }
    char *text = junit_text(junit);
    junit_free(junit);
    return text;
}
