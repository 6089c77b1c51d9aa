// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/statistics/smoother.h"

#include "sim/core/random.h"
#include "sim/statistics/weights.h"

#include <glib.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <string.h>

#define GROUP_PASSES 5 // factors that are not balanced take part of each other's effect
#define GROUP_STANDS_OUT 3.0

// Members are the columns, as in the paper.
struct assimilation {
    gsl_matrix *anomalies;   // parameters x members, less their mean
    gsl_matrix *predictions; // targets x members: in errors, less offsets and their mean
    gsl_matrix *innovations; // targets x members: perturbed data less what was simulated, in errors
};

static double smoother_normal(struct random_stream *stream)
{
    double uniform = random_uniform(stream);
    return gsl_cdf_ugaussian_Pinv(uniform > 0.0 ? uniform : 0.5);
}

static void center_rows(gsl_matrix *matrix)
{
    for (size_t i = 0; i < matrix->size1; i++) {
        gsl_vector_view row = gsl_matrix_row(matrix, i);
        gsl_vector_add_constant(&row.vector, -gsl_vector_sum(&row.vector) / (double)matrix->size2);
    }
}

static double offset_of(const struct smoother *smoother, size_t member, size_t target)
{
    return smoother->offsets ? smoother->offsets[member * smoother->targets + target] : 0.0;
}

// The errors of the data as each member sees them: of mean 0, so that no step moves the whole
// ensemble by chance.
static gsl_matrix *perturbations(const struct smoother *smoother, int step)
{
    gsl_matrix *matrix = gsl_matrix_alloc(smoother->targets, smoother->members);
    for (size_t target = 0; target < smoother->targets; target++) {
        char *name = g_strdup_printf("smoother %d target %zu", step, target);
        struct random_stream *stream = random_new(smoother->seed, name);
        for (size_t member = 0; member < smoother->members; member++)
            gsl_matrix_set(matrix, target, member,
                           sqrt(smoother->assimilations) * smoother_normal(stream));
        random_free(stream);
        g_free(name);
    }
    center_rows(matrix);
    return matrix;
}

static struct assimilation assimilation_new(const struct smoother *smoother, int step)
{
    size_t members = smoother->members;
    struct assimilation made = {gsl_matrix_alloc(smoother->parameters, members),
                                gsl_matrix_alloc(smoother->targets, members),
                                perturbations(smoother, step)};
    for (size_t member = 0; member < members; member++) {
        for (size_t i = 0; i < smoother->parameters; i++)
            gsl_matrix_set(made.anomalies, i, member,
                           smoother->state[member * smoother->parameters + i]);
        for (size_t i = 0; i < smoother->targets; i++) {
            double simulated = smoother->simulated[member * smoother->targets + i];
            double *innovation = gsl_matrix_ptr(made.innovations, i, member);
            *innovation += (smoother->measured[i] - simulated) / smoother->errors[i];
            gsl_matrix_set(made.predictions, i, member,
                           (simulated - offset_of(smoother, member, i)) / smoother->errors[i]);
        }
    }
    center_rows(made.anomalies);
    center_rows(made.predictions);
    return made;
}

static void assimilation_clear(struct assimilation *assimilation)
{
    gsl_matrix_free(assimilation->anomalies);
    gsl_matrix_free(assimilation->predictions);
    gsl_matrix_free(assimilation->innovations);
}

// The Cholesky factor of the covariance of the predictions, with the variance of errors, which is 1
// in these units.
static gsl_matrix *prediction_factor(const gsl_matrix *predictions, double variance)
{
    gsl_matrix *covariance = gsl_matrix_alloc(predictions->size1, predictions->size1);
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1.0 / (double)(predictions->size2 - 1), predictions,
                   predictions, 0.0, covariance);
    gsl_vector_view diagonal = gsl_matrix_diagonal(covariance);
    gsl_vector_add_constant(&diagonal.vector, variance);
    gsl_linalg_cholesky_decomp1(covariance); // positive definite: its least eigenvalue is
                                             // `variance`
    return covariance;
}

// Solves (C + A) x = innovation for each member, C being the covariance of the predictions and A
// the number of assimilations. The innovations become the solutions.
static void solve_innovations(const struct smoother *smoother, struct assimilation *made)
{
    gsl_matrix *covariance = prediction_factor(made->predictions, smoother->assimilations);
    for (size_t member = 0; member < smoother->members; member++) {
        gsl_vector_view column = gsl_matrix_column(made->innovations, member);
        gsl_linalg_cholesky_svx(covariance, &column.vector);
    }
    gsl_matrix_free(covariance);
}

void smoother_update(const struct smoother *smoother, int step)
{
    if (smoother->members < 2)
        return;
    struct assimilation made = assimilation_new(smoother, step);
    gsl_matrix *cross = gsl_matrix_alloc(smoother->parameters, smoother->targets);
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1.0 / (double)(smoother->members - 1), made.anomalies,
                   made.predictions, 0.0, cross);
    solve_innovations(smoother, &made);
    for (size_t member = 0; member < smoother->members; member++) {
        gsl_vector_view state = gsl_vector_view_array(
            smoother->state + member * smoother->parameters, smoother->parameters);
        gsl_vector_const_view solution = gsl_matrix_const_column(made.innovations, member);
        gsl_blas_dgemv(CblasNoTrans, 1.0, cross, &solution.vector, 1.0, &state.vector);
    }
    gsl_matrix_free(cross);
    assimilation_clear(&made);
}

// ---- Alternatives ----

// One pass over a factor: its groups' means of what no other factor explains.
struct group_means {
    double *sums;
    size_t *counts;
};

static void add_group_means(const double *simulated, size_t members, size_t targets,
                            const int *groups, size_t factors, size_t factor, double *offsets)
{
    struct group_means means = {g_new(double, members), g_new(size_t, members)};
    for (size_t target = 0; target < targets; target++) {
        double sum = 0.0, squares = 0.0;
        memset(means.sums, 0, members * sizeof *means.sums);
        memset(means.counts, 0, members * sizeof *means.counts);
        for (size_t i = 0; i < members; i++) {
            double rest = simulated[i * targets + target] - offsets[i * targets + target];
            means.sums[groups[i * factors + factor]] += rest;
            means.counts[groups[i * factors + factor]]++;
            sum += rest;
            squares += rest * rest;
        }
        double mean = sum / (double)members;
        double variance = fmax(squares / (double)members - mean * mean, 0.0);
        for (size_t i = 0; i < members; i++) {
            size_t count = means.counts[groups[i * factors + factor]];
            double off = means.sums[groups[i * factors + factor]] / (double)count - mean;
            if (fabs(off) > GROUP_STANDS_OUT * sqrt(variance / (double)count))
                offsets[i * targets + target] += off;
        }
    }
    g_free(means.sums);
    g_free(means.counts);
}

void smoother_group_offsets(const double *simulated, size_t members, size_t targets,
                            const int *groups, size_t factors, double *offsets)
{
    memset(offsets, 0, members * targets * sizeof *offsets);
    for (int pass = 0; pass < GROUP_PASSES; pass++)
        for (size_t factor = 0; factor < factors; factor++)
            add_group_means(simulated, members, targets, groups, factors, factor, offsets);
}

void smoother_offset_weights(const struct smoother *smoother, double *weights)
{
    size_t members = smoother->members, targets = smoother->targets;
    gsl_matrix *predictions = gsl_matrix_alloc(targets, members);
    gsl_vector *means = gsl_vector_alloc(targets), *off = gsl_vector_alloc(targets);
    for (size_t i = 0; i < targets; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < members; k++) {
            double rest = smoother->simulated[k * targets + i] - offset_of(smoother, k, i);
            gsl_matrix_set(predictions, i, k, rest / smoother->errors[i]);
            sum += rest / smoother->errors[i];
        }
        gsl_vector_set(means, i, sum / (double)members);
    }
    center_rows(predictions);
    gsl_matrix *factor = prediction_factor(predictions, 1.0);
    for (size_t k = 0; k < members; k++) {
        for (size_t i = 0; i < targets; i++)
            gsl_vector_set(off, i,
                           (smoother->measured[i] - offset_of(smoother, k, i)) /
                                   smoother->errors[i] -
                               gsl_vector_get(means, i));
        gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, factor, off);
        gsl_blas_ddot(off, off, &weights[k]);
    }
    weights_of_misfits(weights, members, weights);
    gsl_matrix_free(factor);
    gsl_matrix_free(predictions);
    gsl_vector_free(means);
    gsl_vector_free(off);
}
