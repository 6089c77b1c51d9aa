// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/calibrate/posterior_report.h"

#include "sim/output/text.h"
#include "sim/statistics/band.h"
#include "sim/statistics/smoother.h"
#include "sim/statistics/weights.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define BY_CHANCE 0.05    // that something is called learnt though nothing is, of all of a kind
#define WIDTH_ERROR 0.884 // standard error of a 90 % band's width, in widths, times sqrt(draws)
#define NOT_APART 0.9     // from this correlation on
#define ONE_CAUSE 0.999   // before anything was learnt: no correlation of the targets
#define MOST_PAIRS 10
#define MOST_ROWS 25
#define POSTERIOR_NOTE_WIDTH 74
#define BAND_CELL 30
#define EXPECTED_CELL 18

// ---- Bands ----

static double band_normal(double share)
{
    return gsl_cdf_ugaussian_Pinv(share);
}

// The bound on deviations beyond which one of `count` stands out.
static double stands_out(guint count)
{
    return gsl_cdf_ugaussian_Qinv(BY_CHANCE / 2 / MAX(count, 1));
}

static json_t *number_band(const double *values, const double *weights, int draws)
{
    size_t n = (size_t)draws;
    return json_pack("{s:f, s:f, s:f}", "low", weights_quantile(values, weights, n, BAND_LOW),
                     "median", weights_quantile(values, weights, n, 0.5), "high",
                     weights_quantile(values, weights, n, BAND_HIGH));
}

static json_t *text_band(const struct uncertain_constant *constant, const double ends[3])
{
    json_t *band = json_object();
    static const char *const keys[] = {"low", "median", "high"};
    for (int i = 0; i < 3; i++) {
        char *text = uncertain_rounded_text(constant, ends[i]);
        json_object_set_new(band, keys[i], json_string(text));
        g_free(text);
    }
    return band;
}

static guint constant_count(const struct posterior *posterior)
{
    return posterior->constants->constants->len;
}

// The values of one constant in the result's machines; g_free.
static double *result_normals(const struct posterior *posterior, guint constant)
{
    return posterior_column(posterior->result->normals, posterior->options.draws,
                            constant_count(posterior), constant);
}

// ---- Parameters ----

static json_t *parameter_json(const struct posterior *posterior, guint index)
{
    const struct uncertain_constant *constant = uncertain_at(posterior->constants, index);
    double *normals = result_normals(posterior, index);
    size_t draws = (size_t)posterior->options.draws;
    const double *weights = posterior->result_weights;
    const double prior[] = {band_normal(BAND_LOW), 0.0, band_normal(BAND_HIGH)};
    const double ends[] = {weights_quantile(normals, weights, draws, BAND_LOW),
                           weights_quantile(normals, weights, draws, 0.5),
                           weights_quantile(normals, weights, draws, BAND_HIGH)};
    double width = (ends[2] - ends[0]) / (prior[2] - prior[0]);
    double shift = weights_mean(normals, weights, draws);
    double bound = stands_out(constant_count(posterior)) / sqrt(posterior->result_size);
    const char *cause = constant->drawn->cause;
    g_free(normals);
    return json_pack("{s:s, s:s?, s:o, s:o, s:f, s:f, s:b}", "path", constant->drawn->path, "with",
                     strcmp(cause, constant->drawn->path) == 0 ? NULL : cause, "prior",
                     text_band(constant, prior), "posterior", text_band(constant, ends), "width",
                     width, "shift", shift, "learnt",
                     1.0 - width > WIDTH_ERROR * bound || fabs(shift) > bound);
}

static double width_of(const json_t *parameter)
{
    return json_number_value(json_object_get(parameter, "width"));
}

static int compare_widths(const void *a, const void *b)
{
    double one = width_of(*(json_t *const *)a), other = width_of(*(json_t *const *)b);
    return one < other ? -1 : one > other;
}

// The numbers, those first of which most was learnt.
static json_t *posterior_parameters_json(const struct posterior *posterior)
{
    GPtrArray *all = g_ptr_array_new();
    for (guint i = 0; i < constant_count(posterior); i++)
        if (uncertain_at(posterior->constants, i)->number)
            g_ptr_array_add(all, parameter_json(posterior, i));
    g_ptr_array_sort(all, compare_widths);
    json_t *list = json_array();
    for (guint i = 0; i < all->len; i++)
        json_array_append_new(list, g_ptr_array_index(all, i));
    g_ptr_array_unref(all);
    return list;
}

// ---- Alternatives ----

struct alternative {
    char *value;
    double prior, posterior; // shares
};

static void free_alternative(void *data)
{
    g_free(((struct alternative *)data)->value);
    g_free(data);
}

static struct alternative *alternative_of(GPtrArray *list, char *value)
{
    for (guint i = 0; i < list->len; i++) {
        struct alternative *one = g_ptr_array_index(list, i);
        if (strcmp(one->value, value) == 0) {
            g_free(value);
            return one;
        }
    }
    struct alternative *made = g_new0(struct alternative, 1);
    made->value = value;
    g_ptr_array_add(list, made);
    return made;
}

// In which shares of the draws a constant has which value; NULL if there are too many values.
static json_t *alternatives_of(const struct posterior *posterior, guint index)
{
    const struct uncertain_constant *constant = uncertain_at(posterior->constants, index);
    GPtrArray *values = g_ptr_array_new_with_free_func(free_alternative);
    for (int draw = 0; draw < posterior->options.draws; draw++) {
        char *text = posterior->prior.faults[draw] ? NULL : uncertain_text(constant, 0.0, draw + 1);
        if (!text)
            continue;
        struct alternative *value = alternative_of(values, text);
        value->prior += 1.0 / posterior->prior.completed;
        value->posterior += posterior->result_weights[draw];
    }
    json_t *list = json_array();
    double bound = stands_out(constant_count(posterior)) / sqrt(posterior->result_size);
    bool learnt = false;
    for (guint i = 0; i < values->len; i++) {
        const struct alternative *value = g_ptr_array_index(values, i);
        learnt |= fabs(value->posterior - value->prior) >
                  bound * sqrt(value->prior * (1.0 - value->prior));
        json_array_append_new(list, json_pack("{s:s, s:f, s:f}", "value", value->value, "prior",
                                              value->prior, "posterior", value->posterior));
    }
    g_ptr_array_unref(values);
    return json_pack("{s:s, s:o, s:b}", "path", constant->drawn->path, "values", list, "learnt",
                     learnt);
}

static json_t *alternatives_json(const struct posterior *posterior)
{
    json_t *list = json_array();
    for (guint i = 0; i < constant_count(posterior); i++)
        if (!uncertain_at(posterior->constants, i)->number)
            json_array_append_new(list, alternatives_of(posterior, i));
    return list;
}

// ---- Targets ----

// How near any machine with a result comes to a target, in errors; and whether what they have lies
// on both sides of it, or there.
static double nearest(const struct posterior *posterior, const struct posterior_machines *machines,
                      guint target, bool *around)
{
    guint targets = posterior->targets->targets->len;
    double least = INFINITY, measured = posterior->measured[target];
    bool below = false, above = false;
    for (int draw = 0; draw < posterior->options.draws; draw++) {
        double value = machines->simulated[(size_t)draw * targets + target];
        if (machines->faults[draw])
            continue;
        below |= value <= measured;
        above |= value >= measured;
        least = fmin(least, weights_implausibility(value, measured, posterior->errors[target]));
    }
    *around = below && above;
    return least;
}

static json_t *target_json(const struct posterior *posterior, guint index)
{
    const struct target *target = g_ptr_array_index(posterior->targets->targets, index);
    int draws = posterior->options.draws;
    guint targets = posterior->targets->targets->len;
    double *before = posterior_column(posterior->prior.simulated, draws, targets, index);
    double *after = posterior_column(posterior->result->simulated, draws, targets, index);
    double *equal = g_new(double, draws);
    for (int i = 0; i < draws; i++)
        equal[i] = posterior->prior.faults[i] ? 0.0 : 1.0 / posterior->prior.completed;
    bool around;
    double least = nearest(posterior, &posterior->prior, index, &around);
    char *what = target_text(target);
    json_t *json = json_pack("{s:s, s:s?, s:b, s:f, s:f, s:o, s:o, s:f, s:b}", "target", what,
                             "claim", target->claim, "number", target_has_value(target), "expected",
                             posterior->measured[index], "error", posterior->errors[index], "prior",
                             number_band(before, equal, draws), "posterior",
                             number_band(after, posterior->result_weights, draws), "nearest", least,
                             "explained", around || least < WEIGHTS_IMPLAUSIBLE);
    g_free(what);
    g_free(equal);
    g_free(after);
    g_free(before);
    return json;
}

static json_t *posterior_targets_json(const struct posterior *posterior)
{
    json_t *list = json_array();
    for (guint i = 0; i < posterior->targets->targets->len; i++)
        json_array_append_new(list, target_json(posterior, i));
    return list;
}

// ---- Correlations ----

struct correlated_pair {
    guint one, other;
    double prior, posterior;
};

static double fisher(double correlation)
{
    return atanh(CLAMP(correlation, -0.999999, 0.999999));
}

// By how much the targets have changed a correlation, in units of 1 / sqrt(draws - 3).
static double change_of(const struct correlated_pair *pair)
{
    return fabs(fisher(pair->posterior) - fisher(pair->prior));
}

static int compare_pairs(const void *a, const void *b)
{
    double one = change_of(a), other = change_of(b);
    return one > other ? -1 : one < other;
}

static bool is_learnt(const json_t *parameters, const char *path)
{
    size_t i;
    const json_t *parameter;
    json_array_foreach(parameters, i, parameter)
    {
        if (strcmp(json_string_value(json_object_get(parameter, "path")), path) == 0)
            return json_is_true(json_object_get(parameter, "learnt"));
    }
    return false;
}

// The constants that are numbers, and their values in the draws before and after.
struct number_columns {
    GArray *constants;         // guint
    GArray *learnt;            // bool
    GPtrArray *before, *after; // double *
};

static struct number_columns number_columns(const struct posterior *posterior,
                                            const json_t *parameters)
{
    struct number_columns columns = {
        g_array_new(FALSE, FALSE, sizeof(guint)), g_array_new(FALSE, FALSE, sizeof(bool)),
        g_ptr_array_new_with_free_func(g_free), g_ptr_array_new_with_free_func(g_free)};
    int draws = posterior->options.draws;
    for (guint i = 0; i < constant_count(posterior); i++) {
        const struct uncertain_constant *constant = uncertain_at(posterior->constants, i);
        if (!constant->number)
            continue;
        bool learnt = is_learnt(parameters, constant->drawn->path);
        g_array_append_val(columns.constants, i);
        g_array_append_val(columns.learnt, learnt);
        g_ptr_array_add(columns.before, posterior_column(posterior->prior.normals, draws,
                                                         constant_count(posterior), i));
        g_ptr_array_add(columns.after, result_normals(posterior, i));
    }
    return columns;
}

static void number_columns_clear(struct number_columns *columns)
{
    g_array_unref(columns->constants);
    g_array_unref(columns->learnt);
    g_ptr_array_unref(columns->before);
    g_ptr_array_unref(columns->after);
}

// Whether something was learnt of one of two constants.
static bool is_pair(const struct number_columns *columns, guint one, guint other)
{
    return g_array_index(columns->learnt, bool, one) || g_array_index(columns->learnt, bool, other);
}

static guint count_pairs(const struct number_columns *columns)
{
    guint pairs = 0;
    for (guint i = 0; i < columns->constants->len; i++)
        for (guint k = i + 1; k < columns->constants->len; k++)
            pairs += is_pair(columns, i, k);
    return pairs;
}

// Pairs of them whose correlation the targets have changed beyond chance, the most first.
static GArray *correlated_pairs(const struct posterior *posterior, const json_t *parameters)
{
    struct number_columns columns = number_columns(posterior, parameters);
    size_t draws = (size_t)posterior->options.draws;
    double *equal = g_new(double, draws);
    for (size_t i = 0; i < draws; i++)
        equal[i] = 1.0 / (double)draws;
    double bound = stands_out(count_pairs(&columns)) / sqrt(fmax(posterior->result_size - 3, 1));
    GArray *pairs = g_array_new(FALSE, FALSE, sizeof(struct correlated_pair));
    for (guint i = 0; i < columns.constants->len; i++)
        for (guint k = i + 1; k < columns.constants->len; k++) {
            if (!is_pair(&columns, i, k))
                continue;
            struct correlated_pair pair = {
                g_array_index(columns.constants, guint, i),
                g_array_index(columns.constants, guint, k),
                weights_correlation(columns.before->pdata[i], columns.before->pdata[k], equal,
                                    draws),
                weights_correlation(columns.after->pdata[i], columns.after->pdata[k],
                                    posterior->result_weights, draws)};
            if (fabs(pair.prior) < ONE_CAUSE && change_of(&pair) > bound)
                g_array_append_val(pairs, pair);
        }
    g_array_sort(pairs, compare_pairs);
    g_free(equal);
    number_columns_clear(&columns);
    return pairs;
}

static json_t *correlations_json(const struct posterior *posterior, const GArray *pairs)
{
    json_t *list = json_array();
    for (guint i = 0; i < pairs->len; i++) {
        const struct correlated_pair *pair = &g_array_index(pairs, struct correlated_pair, i);
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:f, s:f}", "one",
                            uncertain_at(posterior->constants, pair->one)->drawn->path, "other",
                            uncertain_at(posterior->constants, pair->other)->drawn->path, "prior",
                            pair->prior, "posterior", pair->posterior));
    }
    return list;
}

// ---- Notes ----

static void add_note(json_t *notes, char *text)
{
    json_array_append_new(notes, json_string(text));
    g_free(text);
}

static void note_method(const struct posterior *posterior, json_t *notes)
{
    int draws = posterior->options.draws;
    if (posterior->method == POSTERIOR_WEIGHTS)
        add_note(notes,
                 g_strdup_printf("the draws are weighed by the targets: worth %.0f equal draws of "
                                 "%d",
                                 posterior->size, draws));
    else
        add_note(notes, g_strdup_printf(
                            "few draws come near all targets (their weights are worth %.1f equal "
                            "draws of %d, and %d are needed), so a smoother has moved the draws "
                            "towards them, in %d steps",
                            posterior->size, draws, POSTERIOR_LEAST_SIZE, SMOOTHER_ASSIMILATIONS));
}

static void note_few(const struct posterior *posterior, json_t *notes)
{
    if (posterior->result_size < POSTERIOR_LEAST_SIZE)
        add_note(notes, g_strdup_printf("with their alternatives weighed they are worth %.1f equal "
                                        "draws: bands are rough, more draws make them better",
                                        posterior->result_size));
}

static void note_faults(const struct posterior *posterior, json_t *notes)
{
    char *text =
        posterior_faults_text(posterior->result, posterior->constants, posterior->options.draws);
    if (text)
        add_note(notes, text);
}

static void note_alternatives(const struct posterior *posterior, json_t *notes)
{
    GString *names = g_string_new(NULL);
    for (guint i = 0; i < constant_count(posterior); i++) {
        const struct uncertain_constant *constant = uncertain_at(posterior->constants, i);
        if (!constant->number)
            g_string_append_printf(names, "%s%s", names->len ? ", " : "", constant->drawn->path);
    }
    if (names->len && posterior->method == POSTERIOR_SMOOTHER)
        add_note(notes, g_strdup_printf("a smoother can't move alternatives: each draw keeps its "
                                        "own of %s, and is weighed by it",
                                        names->str));
    g_string_free(names, TRUE);
}

static void note_unexplained(const struct posterior *posterior, const json_t *targets,
                             json_t *notes)
{
    size_t i;
    const json_t *target;
    json_array_foreach(targets, i, target)
    {
        const char *what = json_string_value(json_object_get(target, "target"));
        bool around, explained = json_is_true(json_object_get(target, "explained"));
        if (!explained)
            add_note(notes,
                     g_strdup_printf("%s lies outside all draws (the nearest is %.1f errors away): "
                                     "no constants explain this, a mechanism is missing",
                                     what, json_number_value(json_object_get(target, "nearest"))));
        else if (nearest(posterior, posterior->result, (guint)i, &around) >= WEIGHTS_IMPLAUSIBLE)
            add_note(notes, g_strdup_printf("%s is not met together with the other targets", what));
    }
}

static void note_pairs(const struct posterior *posterior, const GArray *pairs, json_t *notes)
{
    for (guint i = 0; i < MIN(pairs->len, MOST_PAIRS); i++) {
        const struct correlated_pair *pair = &g_array_index(pairs, struct correlated_pair, i);
        if (fabs(pair->posterior) >= NOT_APART)
            add_note(notes,
                     g_strdup_printf("%s and %s can't be told apart (correlation %.2f)",
                                     uncertain_at(posterior->constants, pair->one)->drawn->path,
                                     uncertain_at(posterior->constants, pair->other)->drawn->path,
                                     pair->posterior));
    }
}

static void note_differing(const struct posterior *posterior, json_t *notes)
{
    const GPtrArray *differing = posterior->constants->differing;
    GString *names = g_string_new(NULL);
    for (guint i = 0; i < differing->len; i++)
        g_string_append_printf(names, "%s%s", i ? ", " : "",
                               (const char *)g_ptr_array_index(differing, i));
    if (differing->len)
        add_note(notes, g_strdup_printf("series have different values of %s, which draws keep "
                                        "and nothing is learnt of",
                                        names->str));
    g_string_free(names, TRUE);
}

json_t *posterior_json(const struct posterior *posterior)
{
    json_t *parameters = posterior_parameters_json(posterior), *notes = json_array();
    json_t *targets = posterior_targets_json(posterior);
    GArray *pairs = correlated_pairs(posterior, parameters);
    note_method(posterior, notes);
    note_faults(posterior, notes);
    note_alternatives(posterior, notes);
    note_few(posterior, notes);
    note_unexplained(posterior, targets, notes);
    note_pairs(posterior, pairs, notes);
    note_differing(posterior, notes);
    json_t *document = json_pack(
        "{s:s, s:i, s:i, s:f, s:f, s:i, s:o, s:o, s:o, s:o, s:o}", "method",
        posterior->method == POSTERIOR_WEIGHTS ? "weights" : "smoother", "draws",
        posterior->options.draws, "completed", posterior->result->completed, "effective_size",
        posterior->size, "discrepancy", posterior->options.discrepancy, "runs", posterior->runs,
        "parameters", parameters, "alternatives", alternatives_json(posterior), "targets", targets,
        "correlations", correlations_json(posterior, pairs), "notes", notes);
    g_array_unref(pairs);
    return document;
}

// ---- Tables ----

static const char *posterior_text(const json_t *value, const char *key)
{
    return json_string_value(json_object_get(value, key));
}

// "22.1 us (15 .. 27)": a constant's values have one unit.
static char *quantity_band(const json_t *band)
{
    const char *low = posterior_text(band, "low"), *high = posterior_text(band, "high");
    const char *median = posterior_text(band, "median"), *unit = strchr(median, ' ');
    int cut = unit ? (int)strlen(unit) : 0;
    return g_strdup_printf("%s (%.*s .. %.*s)", median, (int)strlen(low) - cut, low,
                           (int)strlen(high) - cut, high);
}

static char *plain_band(const json_t *band)
{
    return g_strdup_printf("%.4g (%.4g .. %.4g)",
                           json_number_value(json_object_get(band, "median")),
                           json_number_value(json_object_get(band, "low")),
                           json_number_value(json_object_get(band, "high")));
}

static void append_cells(GString *out, const char *first, int width, char *prior, char *after)
{
    text_append_left(out, first, width);
    g_string_append(out, "  ");
    text_append_left(out, prior, BAND_CELL);
    g_string_append(out, "  ");
    text_append_left(out, after, BAND_CELL);
    g_free(prior);
    g_free(after);
}

// Ends a line without blanks before its end.
static void end_row(GString *out)
{
    while (out->len && out->str[out->len - 1] == ' ')
        g_string_truncate(out, out->len - 1);
    g_string_append_c(out, '\n');
}

// Whether a row of a list of parameters or alternatives is printed.
static bool is_shown(const json_t *row, char **named)
{
    const char *path = posterior_text(row, "path");
    if (named)
        return g_strv_contains((const char *const *)named, path);
    return json_is_true(json_object_get(row, "learnt"));
}

// Whether a row before this one has the same cause, and so the same numbers.
static bool is_repeated(const json_t *list, size_t index)
{
    const json_t *own = json_array_get(list, index);
    const char *cause = posterior_text(own, "with");
    for (size_t i = 0; i < index; i++) {
        const json_t *row = json_array_get(list, i);
        const char *with = posterior_text(row, "with");
        if (strcmp(with ? with : posterior_text(row, "path"),
                   cause ? cause : posterior_text(own, "path")) == 0)
            return true;
    }
    return false;
}

static bool row_is_printed(const json_t *list, size_t index, char **named)
{
    return is_shown(json_array_get(list, index), named) && (named || !is_repeated(list, index));
}

static void append_parameters(GString *out, const json_t *list, char **named)
{
    int width = text_width("parameter"), shown = 0, others;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (row_is_printed(list, i, named))
            width = MAX(width, text_width(posterior_text(json_array_get(list, i), "path")));
    for (size_t i = 0; i < json_array_size(list) && shown < MOST_ROWS; i++) {
        const json_t *row = json_array_get(list, i);
        if (!row_is_printed(list, i, named))
            continue;
        if (shown++ == 0) {
            append_cells(out, "parameter", width, g_strdup("prior, 90 % band"),
                         g_strdup("posterior, 90 % band"));
            g_string_append(out, "  width\n");
        }
        append_cells(out, posterior_text(row, "path"), width,
                     quantity_band(json_object_get(row, "prior")),
                     quantity_band(json_object_get(row, "posterior")));
        g_string_append_printf(out, "  %3.0f %%\n", 100.0 * width_of(row));
    }
    others = (int)json_array_size(list) - shown;
    if (others && !named)
        g_string_append_printf(out, "%s%d constant%s whose bands change %s\n", shown ? "and " : "",
                               others, others == 1 ? "" : "s",
                               shown == MOST_ROWS ? "less" : "no more than by chance");
}

static void append_alternatives(GString *out, const json_t *list, char **named)
{
    size_t i, k;
    const json_t *row, *value;
    json_array_foreach(list, i, row)
    {
        if (!is_shown(row, named))
            continue;
        g_string_append_printf(out, "%s:", posterior_text(row, "path"));
        json_array_foreach(json_object_get(row, "values"), k, value)
        {
            g_string_append_printf(out, "%s %s in %.0f %% of the draws -> %.0f %%", k ? "," : "",
                                   posterior_text(value, "value"),
                                   100.0 * json_number_value(json_object_get(value, "prior")),
                                   100.0 * json_number_value(json_object_get(value, "posterior")));
        }
        g_string_append_c(out, '\n');
    }
}

static void append_targets(GString *out, const json_t *list)
{
    size_t i;
    const json_t *row;
    int width = text_width("target");
    bool tolerances = false;
    json_array_foreach(list, i, row)
    {
        width = MAX(width, text_width(posterior_text(row, "target")));
        tolerances |= !json_is_true(json_object_get(row, "number"));
    }
    g_string_append_c(out, '\n');
    text_append_left(out, "target", width);
    g_string_append(out, "  ");
    append_cells(out, "expected", EXPECTED_CELL, g_strdup("prior, 90 % band"),
                 g_strdup("posterior, 90 % band"));
    end_row(out);
    json_array_foreach(list, i, row)
    {
        char *expected =
            g_strdup_printf("%.4g +/- %.2g", json_number_value(json_object_get(row, "expected")),
                            json_number_value(json_object_get(row, "error")));
        text_append_left(out, posterior_text(row, "target"), width);
        g_string_append(out, "  ");
        append_cells(out, expected, EXPECTED_CELL, plain_band(json_object_get(row, "prior")),
                     plain_band(json_object_get(row, "posterior")));
        end_row(out);
        g_free(expected);
    }
    if (tolerances)
        g_string_append(out, "orders and crossovers: how far off, in tolerances\n");
}

static void append_correlations(GString *out, const json_t *list)
{
    size_t i;
    const json_t *row;
    json_array_foreach(list, i, row)
    {
        if (i == MOST_PAIRS)
            break;
        g_string_append_printf(out, "%s%s, %s: %.2f -> %.2f\n",
                               i ? "" : "\ncorrelations that the targets make\n",
                               posterior_text(row, "one"), posterior_text(row, "other"),
                               json_number_value(json_object_get(row, "prior")),
                               json_number_value(json_object_get(row, "posterior")));
    }
}

void posterior_print(const json_t *document, char **named, FILE *out)
{
    GString *text = g_string_new(NULL);
    append_parameters(text, json_object_get(document, "parameters"), named);
    append_alternatives(text, json_object_get(document, "alternatives"), named);
    append_targets(text, json_object_get(document, "targets"));
    append_correlations(text, json_object_get(document, "correlations"));
    g_string_append_printf(text,
                           "\n%" JSON_INTEGER_FORMAT " draws, %" JSON_INTEGER_FORMAT " runs\n",
                           json_integer_value(json_object_get(document, "draws")),
                           json_integer_value(json_object_get(document, "runs")));
    size_t i;
    const json_t *note;
    json_array_foreach(json_object_get(document, "notes"), i, note)
    {
        g_string_append(text, "note: ");
        text_append_wrapped(text, json_string_value(note), POSTERIOR_NOTE_WIDTH, 6);
        g_string_append_c(text, '\n');
    }
    fputs(text->str, out);
    g_string_free(text, TRUE);
}

// ---- The ensemble ----

static void append_member(GString *out, const struct posterior *posterior, int row, size_t from)
{
    guint count = constant_count(posterior);
    GPtrArray *values = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < count; i++)
        g_ptr_array_add(values, uncertain_text(uncertain_at(posterior->constants, i),
                                               posterior->result->normals[from * count + i],
                                               (int64_t)from + 1));
    ensemble_append_row(out, row, count, (const char *const *)values->pdata, false, NULL);
    g_ptr_array_unref(values);
}

char *posterior_ensemble(const struct posterior *posterior, const char *command)
{
    GString *out = g_string_new(NULL);
    GPtrArray *paths = g_ptr_array_new();
    for (guint i = 0; i < constant_count(posterior); i++)
        g_ptr_array_add(paths, uncertain_at(posterior->constants, i)->drawn->path);
    g_ptr_array_add(paths, NULL);
    size_t draws = (size_t)posterior->options.draws, *chosen = g_new(size_t, draws);
    weights_resample(posterior->result_weights, draws, draws, chosen);
    char *comments = g_strdup_printf("Draws as %s leaves them, each as likely as another; made by "
                                     "the command below. Do not edit.\n\n    %s\n",
                                     posterior->targets->file, command);
    ensemble_append_head(out, comments, (const char *const *)paths->pdata, false);
    for (size_t row = 0; row < draws; row++)
        append_member(out, posterior, (int)row + 1, chosen[row]);
    g_free(comments);
    g_free(chosen);
    g_ptr_array_unref(paths);
    return g_string_free(out, FALSE);
}
