// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/calibrate/uncertain.h"

#include "sim/config/param_kind.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define SHOWN_DIGITS 3

const struct uncertain_constant *uncertain_at(const struct uncertain_list *list, guint index)
{
    return &g_array_index(list->constants, struct uncertain_constant, index);
}

// ---- Rows of ensembles ----

static const char *row_text(const struct uncertain_constant *constant, int64_t draw)
{
    const struct ensemble_row *row = ensemble_row_of(constant->ensemble, draw);
    return row && row->values ? row->values[constant->column] : NULL;
}

// The logarithm of a draw's value; NaN if it has none, or none above 0.
static double row_logarithm(const struct uncertain_constant *constant, int64_t draw)
{
    const char *text = row_text(constant, draw);
    struct quantity quantity;
    char *fault = NULL, *hint = NULL;
    double value = NAN;
    if (text && quantity_parse(text, constant->kind, &quantity, &fault, &hint))
        value = constant->kind == QUANTITY_REAL ? quantity.real : (double)quantity.integer;
    g_free(fault);
    g_free(hint);
    return value > 0.0 ? log(value) : NAN;
}

// Sets mean and deviation of the rows' logarithms, read as quantities of one kind. False if they
// are none, or all equal.
static bool rows_are_numbers(struct uncertain_constant *constant, enum quantity_kind kind,
                             int draws)
{
    double sum = 0.0, squares = 0.0;
    int n = 0;
    constant->kind = kind;
    for (int draw = 1; draw <= draws; draw++) {
        double value = row_logarithm(constant, draw);
        if (isnan(value) && row_text(constant, draw))
            return false;
        if (isnan(value))
            continue;
        sum += value;
        squares += value * value;
        n++;
    }
    if (n < 2)
        return false;
    constant->mean = sum / n;
    double variance = squares / n - constant->mean * constant->mean;
    constant->deviation = variance > 0.0 ? sqrt(variance) : 0.0;
    return constant->deviation > 1e-9;
}

static void read_rows(struct uncertain_constant *constant, int draws)
{
    const struct param *param = constant->drawn->prior.param;
    const struct param_type *type = &param_types[param->kind];
    constant->number =
        type->number &&
        (rows_are_numbers(constant, type->quantity, draws) ||
         (param->kind == PARAM_COST && rows_are_numbers(constant, QUANTITY_CYCLES, draws)));
}

static void ensemble_free_value(void *data)
{
    ensemble_free(data);
}

// NULL after a complaint.
static const struct ensemble *ensemble_of(struct uncertain_list *list, const char *file,
                                          struct diag_list *diags)
{
    struct ensemble *ensemble = g_hash_table_lookup(list->ensembles, file);
    if (ensemble)
        return ensemble;
    ensemble = ensemble_load(file, NULL, (struct source_mark){.file = file}, diags);
    if (ensemble)
        g_hash_table_insert(list->ensembles, (gpointer)file, ensemble);
    return ensemble;
}

// ---- The list ----

static bool text_is(const char *one, const char *other)
{
    return g_strcmp0(one, other) == 0;
}

// Whether two series draw a parameter alike.
static bool drawn_alike(const struct drawn_parameter *one, const struct drawn_parameter *other)
{
    return text_is(one->prior.text, other->prior.text) && text_is(one->cause, other->cause) &&
           text_is(one->table, other->table) && text_is(one->ensemble, other->ensemble) &&
           one->prior.value == other->prior.value && one->prior.cycles == other->prior.cycles;
}

static int find_constant(const struct uncertain_list *list, const char *path)
{
    for (guint i = 0; i < list->constants->len; i++)
        if (strcmp(uncertain_at(list, i)->drawn->path, path) == 0)
            return (int)i;
    return -1;
}

static bool add_constant(struct uncertain_list *list, const struct drawn_parameter *drawn,
                         int draws, struct diag_list *diags)
{
    if (g_ptr_array_find_with_equal_func(list->differing, drawn->path, g_str_equal, NULL))
        return true;
    int there = find_constant(list, drawn->path);
    if (there >= 0 && drawn_alike(uncertain_at(list, (guint)there)->drawn, drawn))
        return true;
    if (there >= 0) {
        g_array_remove_index(list->constants, (guint)there);
        g_ptr_array_add(list->differing, drawn->path);
        return true;
    }
    struct uncertain_constant constant = {.drawn = drawn, .number = !drawn->prior.others};
    if (drawn->ensemble) {
        constant.ensemble = ensemble_of(list, drawn->ensemble, diags);
        constant.column = constant.ensemble ? ensemble_column(constant.ensemble, drawn->path) : -1;
        if (constant.column < 0)
            return false;
        read_rows(&constant, draws);
    }
    g_array_append_val(list->constants, constant);
    return true;
}

static void unref_parameters(void *parameters)
{
    g_ptr_array_unref(parameters);
}

struct uncertain_list *uncertain_list_new(const struct scenario *scenario,
                                          const struct scenario_schema *schema, int draws,
                                          struct diag_list *diags)
{
    struct uncertain_list *list = g_new0(struct uncertain_list, 1);
    list->constants = g_array_new(FALSE, FALSE, sizeof(struct uncertain_constant));
    list->parameters = g_ptr_array_new_with_free_func(unref_parameters);
    list->ensembles = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, ensemble_free_value);
    list->differing = g_ptr_array_new();
    bool good = true;
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
        GPtrArray *both[] = {draw_parameters(test_case, schema),
                             draw_row_parameters(test_case, schema)};
        for (size_t part = 0; part < G_N_ELEMENTS(both); part++) {
            g_ptr_array_add(list->parameters, both[part]);
            for (guint k = 0; good && k < both[part]->len; k++)
                good = add_constant(list, g_ptr_array_index(both[part], k), draws, diags);
        }
    }
    if (good)
        return list;
    uncertain_list_free(list);
    return NULL;
}

void uncertain_list_free(struct uncertain_list *list)
{
    if (!list)
        return;
    g_ptr_array_unref(list->differing);
    g_hash_table_unref(list->ensembles);
    g_array_unref(list->constants);
    g_ptr_array_unref(list->parameters);
    g_free(list);
}

// ---- Values ----

enum quantity_kind uncertain_kind(const struct uncertain_constant *constant)
{
    if (constant->ensemble)
        return constant->kind;
    const struct prior *prior = &constant->drawn->prior;
    return prior->cycles ? QUANTITY_CYCLES : param_types[prior->param->kind].quantity;
}

double uncertain_normal(const struct uncertain_constant *constant, int64_t draw)
{
    if (!constant->ensemble)
        return gsl_cdf_ugaussian_Pinv(draw_parameter_quantile(constant->drawn, draw));
    double logarithm = constant->number ? row_logarithm(constant, draw) : NAN;
    return isnan(logarithm) ? 0.0 : (logarithm - constant->mean) / constant->deviation;
}

char *uncertain_text(const struct uncertain_constant *constant, double normal, int64_t draw)
{
    const struct drawn_parameter *drawn = constant->drawn;
    if (constant->ensemble && constant->number) {
        double value = exp(constant->mean + normal * constant->deviation);
        return quantity_format(constant->kind, (struct quantity){llround(value), value});
    }
    if (constant->ensemble)
        return g_strdup(row_text(constant, draw));
    double quantile =
        constant->number ? gsl_cdf_ugaussian_P(normal) : draw_parameter_quantile(drawn, draw);
    // A member may be moved to where the distribution function is 0 or 1 in a double.
    char *text = prior_quantile(&drawn->prior, CLAMP(quantile, 1e-15, 1.0 - 1e-15));
    return text ? text : param_value_text(drawn->values, drawn->prior.param);
}

static double rounded(double value)
{
    if (value == 0.0)
        return value;
    double step = pow(10.0, SHOWN_DIGITS - 1 - floor(log10(fabs(value))));
    return round(value * step) / step;
}

// A text's number in the base unit of its kind.
static double base_value(const char *text, enum quantity_kind kind)
{
    struct quantity quantity;
    char *fault = NULL, *hint = NULL;
    bool good = quantity_parse(text, kind, &quantity, &fault, &hint);
    g_free(fault);
    g_free(hint);
    return !good ? NAN : kind == QUANTITY_REAL ? quantity.real : (double)quantity.integer;
}

// The unit in which the constant's median is short: " us".
static char *shown_unit(const struct uncertain_constant *constant)
{
    enum quantity_kind kind = uncertain_kind(constant);
    char *exact = uncertain_text(constant, 0.0, 0), *unit;
    double value = rounded(base_value(exact, kind));
    char *text = quantity_format(kind, (struct quantity){llround(value), value});
    g_ascii_strtod(text, &unit);
    unit = g_strdup(unit);
    g_free(text);
    g_free(exact);
    return unit;
}

char *uncertain_rounded_text(const struct uncertain_constant *constant, double normal)
{
    enum quantity_kind kind = uncertain_kind(constant);
    char *exact = uncertain_text(constant, normal, 0), *unit = shown_unit(constant);
    char *one = g_strdup_printf("1%s", unit);
    double value = rounded(base_value(exact, kind) / base_value(one, kind));
    char *text = isfinite(value) ? g_strdup_printf("%.10g%s", value, unit) : g_strdup(exact);
    g_free(one);
    g_free(unit);
    g_free(exact);
    return text;
}
