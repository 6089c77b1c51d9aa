// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/calibrate/analysis.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <math.h>

#define LARGEST_CONDITION 1e8 // beyond, directions are noise
#define POOR_CONDITION 1e3
#define AT_BOUND 0.001 // of the distance from bound to bound
#define SHARE_OF_DIRECTION 0.3

static const char *path_of(const struct evaluation *evaluation, size_t index)
{
    return ((const struct fit_parameter *)g_ptr_array_index(evaluation->parameters, index))->path;
}

static void note(struct analysis *analysis, char *text)
{
    g_ptr_array_add(analysis->notes, text);
}

static double column_norm(const gsl_matrix *matrix, size_t column)
{
    gsl_vector_const_view view = gsl_matrix_const_column(matrix, column);
    return gsl_blas_dnrm2(&view.vector);
}

// The derivatives with columns of length 1; at least as many rows as columns.
static gsl_matrix *scaled(const gsl_matrix *jacobian)
{
    gsl_matrix *matrix = gsl_matrix_calloc(MAX(jacobian->size1, jacobian->size2), jacobian->size2);
    for (size_t i = 0; i < jacobian->size2; i++) {
        double norm = column_norm(jacobian, i);
        for (size_t k = 0; norm > 0 && k < jacobian->size1; k++)
            gsl_matrix_set(matrix, k, i, gsl_matrix_get(jacobian, k, i) / norm);
    }
    return matrix;
}

static void compare_columns(struct analysis *analysis, const gsl_matrix *matrix,
                            const struct fit *fit, const struct evaluation *evaluation)
{
    size_t count = matrix->size2;
    analysis->parallel = gsl_matrix_alloc(count, count);
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++) {
            gsl_vector_const_view left = gsl_matrix_const_column(matrix, a);
            gsl_vector_const_view right = gsl_matrix_const_column(matrix, b);
            double cosine;
            gsl_blas_ddot(&left.vector, &right.vector, &cosine);
            gsl_matrix_set(analysis->parallel, a, b, cosine);
            if (a >= b || fabs(cosine) < ANALYSIS_PARALLEL)
                continue;
            double worth = column_norm(fit->jacobian, a) / column_norm(fit->jacobian, b);
            note(analysis,
                 g_strdup_printf("%s and %s can't be told apart: 1 %% more of the one and %.2g %% "
                                 "%s of the other leave every target where it is",
                                 path_of(evaluation, a), path_of(evaluation, b), worth,
                                 cosine > 0 ? "less" : "more"));
        }
}

// The direction in which nothing changes, if it is made of more than two parameters: pairs have
// been named.
static void name_direction(struct analysis *analysis, const gsl_matrix *directions,
                           const size_t *moving, const struct evaluation *evaluation)
{
    GString *names = g_string_new(NULL);
    size_t last = directions->size2 - 1, count = 0;
    for (size_t i = 0; i < directions->size1; i++) {
        double share = gsl_matrix_get(directions, i, last);
        if (fabs(share) < SHARE_OF_DIRECTION)
            continue;
        g_string_append_printf(names, "%s%s (%+.2f)", count++ ? ", " : "",
                               path_of(evaluation, moving[i]), share);
    }
    if (count > 2)
        note(analysis, g_strdup_printf("only a combination of these is determined, not each: %s",
                                       names->str));
    g_string_free(names, TRUE);
}

// (J^T J)^-1 of the unscaled derivatives, from the decomposition of the scaled ones.
static void take_covariance(struct analysis *analysis, const struct fit *fit,
                            const gsl_matrix *directions, const gsl_vector *singular,
                            const size_t *moving)
{
    size_t count = directions->size1;
    gsl_matrix *covariance = gsl_matrix_calloc(count, count);
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++) {
            double sum = 0.0;
            for (size_t k = 0; k < count; k++) {
                double s = gsl_vector_get(singular, k);
                sum += gsl_matrix_get(directions, a, k) * gsl_matrix_get(directions, b, k) / s / s;
            }
            gsl_matrix_set(covariance, a, b,
                           sum / column_norm(fit->jacobian, moving[a]) /
                               column_norm(fit->jacobian, moving[b]));
        }
    for (size_t a = 0; a < count; a++)
        analysis->error[moving[a]] = sqrt(gsl_matrix_get(covariance, a, a));
    analysis->correlation = gsl_matrix_alloc(fit->jacobian->size2, fit->jacobian->size2);
    gsl_matrix_set_identity(analysis->correlation);
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++)
            gsl_matrix_set(analysis->correlation, moving[a], moving[b],
                           gsl_matrix_get(covariance, a, b) / analysis->error[moving[a]] /
                               analysis->error[moving[b]]);
    gsl_matrix_free(covariance);
}

// Of the columns that are not empty, which are `moving`: a parameter that changes none of the
// targets gives no information about the others.
static void decompose(struct analysis *analysis, const gsl_matrix *matrix, const size_t *moving,
                      size_t count, const struct fit *fit, const struct evaluation *evaluation)
{
    gsl_matrix *columns = gsl_matrix_alloc(matrix->size1, count);
    gsl_matrix *directions = gsl_matrix_alloc(count, count);
    gsl_vector *singular = gsl_vector_alloc(count);
    for (size_t i = 0; i < count; i++) {
        gsl_vector_const_view column = gsl_matrix_const_column(matrix, moving[i]);
        gsl_matrix_set_col(columns, i, &column.vector);
    }
    gsl_linalg_SV_decomp_jacobi(columns, directions, singular);
    double first = gsl_vector_get(singular, 0), last = gsl_vector_get(singular, count - 1);
    analysis->condition = last > 0 ? first / last : INFINITY;
    if (analysis->condition > POOR_CONDITION)
        name_direction(analysis, directions, moving, evaluation);
    if (analysis->condition < LARGEST_CONDITION)
        take_covariance(analysis, fit, directions, singular, moving);
    gsl_vector_free(singular);
    gsl_matrix_free(directions);
    gsl_matrix_free(columns);
}

static void decompose_moving(struct analysis *analysis, const gsl_matrix *matrix,
                             const struct fit *fit, const struct evaluation *evaluation)
{
    size_t *moving = g_new0(size_t, matrix->size2), count = 0;
    for (size_t i = 0; i < matrix->size2; i++)
        if (column_norm(matrix, i) > 0)
            moving[count++] = i;
    analysis->condition = INFINITY;
    if (count > 0)
        decompose(analysis, matrix, moving, count, fit, evaluation);
    g_free(moving);
}

static void look_at_each(struct analysis *analysis, const struct fit *fit,
                         const struct evaluation *evaluation)
{
    for (guint i = 0; i < evaluation->parameters->len; i++) {
        const struct fit_parameter *parameter = g_ptr_array_index(evaluation->parameters, i);
        analysis->error[i] = INFINITY;
        if (column_norm(fit->jacobian, i) <= 0)
            note(analysis,
                 g_strdup_printf("%s changes none of the targets near its value", parameter->path));
        double reach = parameter->hi - parameter->lo;
        if (fit->values[i] - parameter->lo < AT_BOUND * reach &&
            parameter->start - parameter->lo > AT_BOUND * reach)
            note(analysis, g_strdup_printf("%s ends at its lower bound", parameter->path));
        if (parameter->hi - fit->values[i] < AT_BOUND * reach)
            note(analysis, g_strdup_printf("%s ends at its upper bound", parameter->path));
    }
}

static void count_constants(struct analysis *analysis, const struct evaluation *evaluation)
{
    guint constants = evaluation->parameters->len, targets = evaluation->targets->targets->len;
    if (constants < targets || analysis_refutes(analysis))
        return;
    note(analysis,
         g_strdup_printf("%u fitted constant%s for %u target%s: that they agree shows "
                         "nothing; give more targets than constants",
                         constants, constants == 1 ? "" : "s", targets, targets == 1 ? "" : "s"));
}

static const struct target *analysed_target(const struct evaluation *evaluation, guint index)
{
    return g_ptr_array_index(evaluation->targets->targets, index);
}

double analysis_off_by(const struct fit *fit, const struct evaluation *evaluation, guint index)
{
    const double *residuals = fit->residuals;
    for (guint i = 0; i < index; i++)
        residuals += target_residuals(analysed_target(evaluation, i));
    const struct target *target = analysed_target(evaluation, index);
    double sum = 0.0;
    for (int i = 0; i < target_residuals(target); i++)
        sum += residuals[i] * residuals[i];
    return sqrt(sum) / target->weight;
}

bool analysis_refutes(const struct analysis *analysis)
{
    return analysis->degrees > 0 ? analysis->probability < ANALYSIS_LEAST_PROBABILITY
                                 : analysis->worst > ANALYSIS_MOST_OFF;
}

static void take_chi_square(struct analysis *analysis, const struct fit *fit,
                            const struct evaluation *evaluation)
{
    analysis->degrees = -(int)evaluation->parameters->len;
    for (guint i = 0; i < evaluation->targets->targets->len; i++) {
        if (!target_has_value(analysed_target(evaluation, i)))
            continue;
        double off = analysis_off_by(fit, evaluation, i);
        analysis->chi_square += off * off;
        analysis->worst = MAX(analysis->worst, fabs(off));
        analysis->degrees++;
    }
    if (analysis->degrees > 0)
        analysis->probability = gsl_cdf_chisq_Q(analysis->chi_square, analysis->degrees);
}

static void note_refuted(struct analysis *analysis)
{
    if (analysis_refutes(analysis) && analysis->degrees <= 0)
        note(analysis, g_strdup_printf("these parameters do not describe these data: there is a "
                                       "constant for each of them, and one is still off by %.3g "
                                       "tolerances",
                                       analysis->worst));
    else if (analysis_refutes(analysis))
        note(analysis, g_strdup_printf(
                           "these parameters do not describe these data: if a tolerance is a "
                           "standard deviation, a chi square of %.4g or more has a probability "
                           "below %.1g; the +/- in parentheses would hold if they did",
                           analysis->chi_square, MAX(analysis->probability, ANALYSIS_LEAST_SHOWN)));
}

struct analysis *analysis_new(const struct fit *fit, const struct evaluation *evaluation)
{
    struct analysis *analysis = g_new0(struct analysis, 1);
    analysis->notes = g_ptr_array_new_with_free_func(g_free);
    analysis->error = g_new0(double, evaluation->parameters->len);
    gsl_matrix *matrix = scaled(fit->jacobian);
    take_chi_square(analysis, fit, evaluation);
    count_constants(analysis, evaluation);
    look_at_each(analysis, fit, evaluation);
    compare_columns(analysis, matrix, fit, evaluation);
    decompose_moving(analysis, matrix, fit, evaluation);
    gsl_matrix_free(matrix);
    note_refuted(analysis);
    if (fit->changed)
        note(analysis,
             g_strdup("Levenberg-Marquardt did not get near the targets, as on stairs; these "
                      "are the values of Nelder-Mead, which needs no slopes"));
    if (!fit->converged)
        note(analysis, g_strdup("the search ended before it had settled; the values are the best "
                                "it had seen"));
    return analysis;
}

void analysis_free(struct analysis *analysis)
{
    if (!analysis)
        return;
    g_free(analysis->error);
    gsl_matrix_free(analysis->parallel);
    gsl_matrix_free(analysis->correlation);
    g_ptr_array_unref(analysis->notes);
    g_free(analysis);
}
