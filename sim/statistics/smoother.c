// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/statistics/smoother.h"

#include "sim/core/random.h"

#include <glib.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <math.h>

// Members are the columns, as in the paper.
struct assimilation {
    gsl_matrix *anomalies;   // parameters x members, less their mean
    gsl_matrix *predictions; // targets x members: in errors, less their mean
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
            gsl_matrix_set(made.predictions, i, member, simulated / smoother->errors[i]);
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

// Solves (C + A) x = innovation for each member, C being the covariance of the predictions and A
// the number of assimilations: errors are 1 in these units. The innovations become the solutions.
static void solve_innovations(const struct smoother *smoother, struct assimilation *made)
{
    gsl_matrix *covariance = gsl_matrix_alloc(smoother->targets, smoother->targets);
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1.0 / (double)(smoother->members - 1),
                   made->predictions, made->predictions, 0.0, covariance);
    gsl_vector_view diagonal = gsl_matrix_diagonal(covariance);
    gsl_vector_add_constant(&diagonal.vector, smoother->assimilations);
    gsl_linalg_cholesky_decomp1(covariance); // positive definite: its least eigenvalue is A
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
