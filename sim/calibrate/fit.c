// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/calibrate/fit.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <string.h>

#define MOST_ITERATIONS 60
#define MOST_SIMPLEX_STEPS 400
#define STEP_SHARE 0.01 // differences are taken over so much of a value
#define LEAST_STEP 20.0 // and at least over so many base units: values are whole numbers of them
#define TOLERANCE 1e-7
#define SIMPLEX_STEP 0.5 // in u: about an eighth of the distance from bound to bound
#define SIMPLEX_END 1e-4
// The simplex has settled if so many steps have bettered the cost by less than this share of it: it
// walks along a valley, and where it stops there does not matter to the targets.
#define STALL_STEPS 60
#define STALL_SHARE 1e-3
// Levenberg-Marquardt that ends with more than this per residual has not found the minimum, or
// there is none that is good; the simplex can decide which, also on stairs.
#define POOR_COST 4.0
// Values between its bounds at which a parameter is tried for another start, half of them evenly
// by their logarithm.
#define START_VALUES 16

struct fit_search {
    struct evaluation *evaluation;
    size_t parameters, residuals, targets;
    GError *error; // the first one; the search then ends
};

static const struct fit_parameter *fit_parameter_at(const struct fit_search *search, size_t index)
{
    return g_ptr_array_index(search->evaluation->parameters, index);
}

// Rounded to what is written down: the search sees nothing that the overlay could not say, and
// points that differ by less are one run.
static void values_of(const struct fit_search *search, const gsl_vector *u, double *values)
{
    for (size_t i = 0; i < search->parameters; i++) {
        const struct fit_parameter *parameter = fit_parameter_at(search, i);
        values[i] =
            fit_parameter_round(parameter, fit_parameter_value(parameter, gsl_vector_get(u, i)));
    }
}

// One point. NaN-free: a run that fails ends the search.
static bool run_one(struct fit_search *search, const double *values, double *residuals)
{
    return !search->error &&
           evaluation_run(search->evaluation, 1, values, residuals, NULL, &search->error);
}

static int residuals_at(const gsl_vector *u, void *data, gsl_vector *f)
{
    struct fit_search *search = data;
    double *values = g_new0(double, search->parameters);
    double *residuals = g_new0(double, search->residuals);
    values_of(search, u, values);
    bool good = run_one(search, values, residuals);
    gsl_vector_set_zero(f); // there may be more rows than residuals
    for (size_t i = 0; good && i < search->residuals; i++)
        gsl_vector_set(f, i, residuals[i]);
    g_free(values);
    g_free(residuals);
    return good ? GSL_SUCCESS : GSL_EBADFUNC;
}

// ---- Differences ----

// The two values around values[i] that differences are taken over, within the bounds.
static void step_around(const struct fit_parameter *parameter, double value, double *below,
                        double *above)
{
    double step = value * STEP_SHARE;
    if (parameter->kind != QUANTITY_REAL)
        step = MAX(step, LEAST_STEP);
    *below = MAX(value - step, parameter->lo);
    *above = MIN(value + step, parameter->hi);
    if (parameter->kind != QUANTITY_REAL) {
        *below = round(*below);
        *above = round(*above);
    }
}

// Runs both sides of every parameter at once. residuals[(2 * i + side) * n + k].
static bool run_sides(struct fit_search *search, const double *values, const double *sides,
                      double *residuals, json_t **documents)
{
    size_t count = 2 * search->parameters;
    double *points = g_new0(double, count * search->parameters);
    for (size_t i = 0; i < count; i++) {
        memcpy(points + i * search->parameters, values, search->parameters * sizeof *points);
        points[i * search->parameters + i / 2] = sides[i];
    }
    bool good = evaluation_run(search->evaluation, (int)count, points, residuals, documents,
                               &search->error);
    g_free(points);
    return good;
}

static bool differences(struct fit_search *search, const double *values, double *sides,
                        double *residuals, json_t **documents)
{
    for (size_t i = 0; i < search->parameters; i++)
        step_around(fit_parameter_at(search, i), values[i], &sides[2 * i], &sides[2 * i + 1]);
    return run_sides(search, values, sides, residuals, documents);
}

static double slope(double below, double above, double from, double to)
{
    return to > from ? (above - below) / (to - from) : 0.0;
}

// Derivatives by u: those by the value, times dvalue/du.
static int jacobian_at(const gsl_vector *u, void *data, gsl_matrix *jacobian)
{
    struct fit_search *search = data;
    size_t n = search->residuals;
    double *values = g_new0(double, search->parameters);
    double *sides = g_new0(double, 2 * search->parameters);
    double *residuals = g_new0(double, 2 * search->parameters * n);
    values_of(search, u, values);
    bool good = !search->error && differences(search, values, sides, residuals, NULL);
    gsl_matrix_set_zero(jacobian);
    for (size_t i = 0; good && i < search->parameters; i++) {
        const struct fit_parameter *parameter = fit_parameter_at(search, i);
        double from = fit_parameter_u(parameter, sides[2 * i]);
        double to = fit_parameter_u(parameter, sides[2 * i + 1]);
        for (size_t k = 0; k < n; k++)
            gsl_matrix_set(
                jacobian, k, i,
                slope(residuals[2 * i * n + k], residuals[(2 * i + 1) * n + k], from, to));
    }
    g_free(values);
    g_free(sides);
    g_free(residuals);
    return good ? GSL_SUCCESS : GSL_EBADFUNC;
}

// ---- Methods ----

static gsl_vector *start_of(const struct fit_search *search)
{
    gsl_vector *u = gsl_vector_alloc(search->parameters);
    for (size_t i = 0; i < search->parameters; i++) {
        const struct fit_parameter *parameter = fit_parameter_at(search, i);
        gsl_vector_set(u, i, fit_parameter_u(parameter, parameter->start));
    }
    return u;
}

static bool levenberg_marquardt(struct fit_search *search, gsl_vector *u)
{
    gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    how.solver = gsl_multifit_nlinear_solver_svd; // bears parameters that nothing depends on
    gsl_multifit_nlinear_fdf fdf = {
        .f = residuals_at,
        .df = jacobian_at,
        .n = MAX(search->residuals, search->parameters), // the method wants no fewer
        .p = search->parameters,
        .params = search,
    };
    gsl_multifit_nlinear_workspace *work =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, fdf.n, fdf.p);
    int info = 0;
    bool good = gsl_multifit_nlinear_init(u, &fdf, work) == GSL_SUCCESS;
    int end = good ? gsl_multifit_nlinear_driver(MOST_ITERATIONS, TOLERANCE, TOLERANCE, TOLERANCE,
                                                 NULL, NULL, &info, work)
                   : GSL_FAILURE;
    if (good)
        gsl_vector_memcpy(u, gsl_multifit_nlinear_position(work));
    gsl_multifit_nlinear_free(work);
    // No further step helps: the values are whole numbers of their units.
    return end == GSL_SUCCESS || end == GSL_ENOPROG;
}

static double cost_at(const gsl_vector *u, void *data)
{
    struct fit_search *search = data;
    gsl_vector *f = gsl_vector_alloc(search->residuals);
    double cost = GSL_NAN;
    if (residuals_at(u, search, f) == GSL_SUCCESS) {
        cost = 0.0;
        for (size_t i = 0; i < search->residuals; i++)
            cost += gsl_vector_get(f, i) * gsl_vector_get(f, i);
    }
    gsl_vector_free(f);
    return cost;
}

static bool nelder_mead(struct fit_search *search, gsl_vector *u)
{
    gsl_multimin_function function = {cost_at, search->parameters, search};
    gsl_multimin_fminimizer *work =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, search->parameters);
    gsl_vector *steps = gsl_vector_alloc(search->parameters);
    gsl_vector_set_all(steps, SIMPLEX_STEP);
    bool ended = gsl_multimin_fminimizer_set(work, &function, u, steps) != GSL_SUCCESS;
    bool converged = false;
    double best = GSL_POSINF;
    for (int i = 0, since = 0; !ended && i < MOST_SIMPLEX_STEPS && !search->error; i++) {
        ended = gsl_multimin_fminimizer_iterate(work) != GSL_SUCCESS;
        double cost = gsl_multimin_fminimizer_minimum(work);
        if (cost < best * (1 - STALL_SHARE)) {
            best = cost;
            since = i;
        }
        // A cost of 0 can't be bettered: all orders hold.
        converged = gsl_multimin_fminimizer_size(work) < SIMPLEX_END || cost <= 0.0 ||
                    i - since >= STALL_STEPS;
        ended |= converged;
    }
    if (!search->error)
        gsl_vector_memcpy(u, gsl_multimin_fminimizer_x(work));
    gsl_vector_free(steps);
    gsl_multimin_fminimizer_free(work);
    return converged;
}

// ---- The result ----

static double sum_of_squares(const double *values, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += values[i] * values[i];
    return sum;
}

static const struct target *fit_target_at(const struct fit_search *search, size_t index)
{
    return g_ptr_array_index(search->evaluation->targets->targets, index);
}

// Derivatives by the logarithm of each value, at the end.
static bool take_derivatives(struct fit_search *search, struct fit *fit)
{
    size_t n = search->residuals, count = 2 * search->parameters;
    double *sides = g_new0(double, count), *residuals = g_new0(double, count *n);
    json_t **documents = g_new0(json_t *, count);
    bool good = differences(search, fit->values, sides, residuals, documents);
    fit->jacobian = gsl_matrix_calloc(n, search->parameters);
    fit->sensitivity = gsl_matrix_calloc(search->targets, search->parameters);
    for (size_t i = 0; good && i < search->parameters; i++) {
        // By the value, times the value: with a value of 0 nothing is known.
        double from = sides[2 * i] / fit->values[i], to = sides[2 * i + 1] / fit->values[i];
        for (size_t k = 0; k < n; k++)
            gsl_matrix_set(
                fit->jacobian, k, i,
                slope(residuals[2 * i * n + k], residuals[(2 * i + 1) * n + k], from, to));
        for (size_t k = 0; k < search->targets; k++)
            gsl_matrix_set(fit->sensitivity, k, i,
                           slope(target_simulated(fit_target_at(search, k), documents[2 * i]),
                                 target_simulated(fit_target_at(search, k), documents[2 * i + 1]),
                                 from, to));
    }
    for (size_t i = 0; i < count; i++)
        json_decref(documents[i]);
    g_free(documents);
    g_free(sides);
    g_free(residuals);
    return good;
}

// The result at fit->values.
static bool take_result(struct fit_search *search, struct fit *fit)
{
    if (!evaluation_run(search->evaluation, 1, fit->values, fit->residuals, &fit->document,
                        &search->error))
        return false;
    fit->cost = sum_of_squares(fit->residuals, search->residuals);
    return take_derivatives(search, fit);
}

static bool take_start(struct fit_search *search, struct fit *fit, const gsl_vector *u)
{
    values_of(search, u, fit->values);
    if (!run_one(search, fit->values, fit->residuals))
        return false;
    fit->start_cost = sum_of_squares(fit->residuals, search->residuals);
    return true;
}

static double cost_of(struct fit_search *search, const gsl_vector *u)
{
    return search->error ? GSL_NAN : cost_at(u, search);
}

static double start_value(const struct fit_parameter *parameter, int number)
{
    int pair = number / 2;
    double share = (pair + 0.5) / (START_VALUES / 2.0);
    double evenly = parameter->lo + share * (parameter->hi - parameter->lo);
    if (number % 2 == 0 || parameter->lo <= 0)
        return evenly;
    return parameter->lo * pow(parameter->hi / parameter->lo, share);
}

// Tries values of one parameter, all at once, and keeps the best of them.
static void better_start(struct fit_search *search, size_t index, double *values, double *cost)
{
    const struct fit_parameter *parameter = fit_parameter_at(search, index);
    double *points = g_new(double, START_VALUES * search->parameters);
    double *residuals = g_new0(double, START_VALUES * search->residuals);
    for (int i = 0; i < START_VALUES; i++) {
        double *point = points + (size_t)i * search->parameters;
        memcpy(point, values, search->parameters * sizeof *point);
        point[index] = fit_parameter_round(parameter, start_value(parameter, i));
    }
    bool good =
        evaluation_run(search->evaluation, START_VALUES, points, residuals, NULL, &search->error);
    for (int i = 0; good && i < START_VALUES; i++) {
        double tried = sum_of_squares(residuals + (size_t)i * search->residuals, search->residuals);
        if (tried >= *cost)
            continue;
        *cost = tried;
        values[index] = points[(size_t)i * search->parameters + index];
    }
    g_free(points);
    g_free(residuals);
}

// The start on the stair that is nearest to the targets, by one parameter after the other.
static gsl_vector *nearest_start(struct fit_search *search)
{
    gsl_vector *u = start_of(search);
    double *values = g_new(double, search->parameters), cost = cost_of(search, u);
    values_of(search, u, values);
    for (size_t i = 0; i < search->parameters && !search->error; i++)
        better_start(search, i, values, &cost);
    for (size_t i = 0; i < search->parameters; i++)
        gsl_vector_set(u, i, fit_parameter_u(fit_parameter_at(search, i), values[i]));
    g_free(values);
    return u;
}

// A search that has not got near the targets.
static bool far_from_targets(const struct fit_search *search, double cost)
{
    return cost > POOR_COST * (double)search->residuals;
}

// The simplex from there, in place of u if it ends better; frees `from`.
static void simplex_from(struct fit_search *search, struct fit *fit, gsl_vector *from,
                         gsl_vector *u, bool *settled)
{
    bool converged = !search->error && nelder_mead(search, from);
    double cost = cost_of(search, u), other = cost_of(search, from);
    if (!search->error && other < cost * (1 - STALL_SHARE)) {
        gsl_vector_memcpy(u, from);
        fit->method = FIT_NELDER_MEAD;
        fit->changed = true;
        *settled = converged;
    } else if (!search->error) {
        *settled |= converged; // the simplex finds nothing better either
    }
    gsl_vector_free(from);
}

// The simulated function may be stairs, whose slopes are 0 nearly everywhere, so that no step of
// Levenberg-Marquardt helps, or one goes far astray. Then the simplex, which needs no slopes,
// begins anew, and again from another stair if its own is too broad for it; the best of all counts.
static bool levenberg_then_simplex(struct fit_search *search, struct fit *fit, gsl_vector *u)
{
    bool settled = levenberg_marquardt(search, u);
    double cost = cost_of(search, u);
    if (search->error || (settled && !far_from_targets(search, cost)))
        return settled;
    simplex_from(search, fit, start_of(search), u, &settled);
    if (!search->error && far_from_targets(search, cost_of(search, u)))
        simplex_from(search, fit, nearest_start(search), u, &settled);
    return settled;
}

static bool fit_find(struct fit_search *search, struct fit *fit, enum fit_method asked,
                     gsl_vector *u)
{
    if (fit->method == FIT_NELDER_MEAD)
        return nelder_mead(search, u);
    if (asked == FIT_AUTO)
        return levenberg_then_simplex(search, fit, u);
    return levenberg_marquardt(search, u);
}

static struct fit_search search_new(struct evaluation *evaluation)
{
    return (struct fit_search){
        .evaluation = evaluation,
        .parameters = evaluation->parameters->len,
        .residuals = (size_t)target_list_residuals(evaluation->targets),
        .targets = evaluation->targets->targets->len,
    };
}

static struct fit *fit_new(const struct fit_search *search, enum fit_method method)
{
    struct fit *fit = g_new0(struct fit, 1);
    fit->method = method;
    if (method == FIT_AUTO)
        fit->method =
            search->evaluation->targets->smooth ? FIT_LEVENBERG_MARQUARDT : FIT_NELDER_MEAD;
    fit->values = g_new0(double, search->parameters);
    fit->residuals = g_new0(double, search->residuals);
    return fit;
}

// The fit, unless an error has ended its search.
static struct fit *fit_end(struct fit_search *search, struct fit *fit, GError **error)
{
    if (!search->error)
        return fit;
    g_propagate_error(error, search->error);
    fit_free(fit);
    return NULL;
}

struct fit *fit_at(struct evaluation *evaluation, const double *values, GError **error)
{
    struct fit_search search = search_new(evaluation);
    struct fit *fit = fit_new(&search, FIT_AUTO);
    memcpy(fit->values, values, search.parameters * sizeof *values);
    fit->converged = take_result(&search, fit);
    fit->start_cost = fit->cost;
    return fit_end(&search, fit, error);
}

struct fit *fit_search(struct evaluation *evaluation, enum fit_method method, GError **error)
{
    struct fit_search search = search_new(evaluation);
    struct fit *fit = fit_new(&search, method);
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    gsl_vector *u = start_of(&search);
    if (take_start(&search, fit, u))
        fit->converged = fit_find(&search, fit, method, u);
    if (!search.error) {
        values_of(&search, u, fit->values);
        take_result(&search, fit);
    }
    gsl_vector_free(u);
    gsl_set_error_handler(before);
    return fit_end(&search, fit, error);
}

void fit_free(struct fit *fit)
{
    if (!fit)
        return;
    g_free(fit->values);
    g_free(fit->residuals);
    json_decref(fit->document);
    gsl_matrix_free(fit->jacobian);
    gsl_matrix_free(fit->sensitivity);
    g_free(fit);
}
