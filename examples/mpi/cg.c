// SPDX-License-Identifier: GPL-3.0-or-later
// Conjugate gradients for Poisson's equation on a square of N x N points (five-point stencil), cut
// into blocks of rows: each iteration exchanges a row with the rank above and the rank below, and
// adds up two scalar products among all ranks.
//
//     smpicc -O2 cg.c -o cg -lm        (or mpicc)
//     cg [N [ITERATIONS]]
//
// The right-hand side is made from a known solution. After any number of iterations the residual
// that the method carries along must be the true one; the square of the error, in the norm of the
// matrix, what the steps have left of it (Hestenes and Stiefel, 1952); and the error within
// Chebyshev's bound for the condition number, which is known.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n, rows, first, rank, ranks; // points of a row, own rows, the first of them

// A vector has the own rows, and one of the neighbour above and below.
static double *vector(void)
{
    double *values = calloc((size_t)n * (size_t)(rows + 2), sizeof *values);
    if (!values)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return values + n;
}

static double dot(const double *a, const double *b)
{
    double own = 0, sum;
    for (int i = 0; i < n * rows; i++)
        own += a[i] * b[i];
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

// result = A v; fills the rows of v that belong to the neighbours.
static void multiply(double *v, double *result)
{
    MPI_Request requests[4];
    int count = 0;
    if (rank > 0)
        MPI_Irecv(v - n, n, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, &requests[count++]);
    if (rank < ranks - 1)
        MPI_Irecv(v + n * rows, n, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD, &requests[count++]);
    if (rank > 0)
        MPI_Isend(v, n, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD, &requests[count++]);
    if (rank < ranks - 1)
        MPI_Isend(v + n * (rows - 1), n, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD,
                  &requests[count++]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    for (int y = 0; y < rows; y++) {
        const double *here = v + y * n;
        for (int x = 0; x < n; x++)
            result[y * n + x] = 4 * here[x] - here[x - n] - here[x + n] -
                                (x > 0 ? here[x - 1] : 0) - (x < n - 1 ? here[x + 1] : 0);
    }
}

static void add(double *sum, const double *a, double factor, const double *b)
{
    for (int i = 0; i < n * rows; i++)
        sum[i] = a[i] + factor * b[i];
}

// The solution: a wild one, with a part of every mode.
static double known(int x, int y)
{
    double place = 12.9898 * (y * n + x);
    return x < 0 || x >= n || y < 0 || y >= n ? 0 : sin(place * sin(place));
}

// Chebyshev's bound after some iterations. The eigenvalues are 8 sin^2 and 8 cos^2 of one angle.
static double bound(int iterations)
{
    double root = 1 / tan(acos(-1) / (2 * (n + 1)));
    return 2 * pow((root - 1) / (root + 1), iterations);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    n = argc > 1 ? atoi(argv[1]) : 256;
    int iterations = argc > 2 ? atoi(argv[2]) : 100, done = 0;
    if (n < ranks || iterations < 1) {
        if (rank == 0)
            fprintf(stderr, "cg: %d rows, %d iterations: not for %d ranks\n", n, iterations, ranks);
        MPI_Finalize();
        return EXIT_FAILURE;
    }
    first = (int)((long)n * rank / ranks);
    rows = (int)((long)n * (rank + 1) / ranks) - first;
    double *solution = vector(), *x = vector(), *r = vector(), *p = vector(), *q = vector();
    double *right_side = vector();
    for (int i = 0; i < n * rows; i++) { // x is 0, so the residual is the right-hand side
        int column = i % n, row = first + i / n;
        solution[i] = known(column, row);
        r[i] = right_side[i] = 4 * known(column, row) - known(column, row - 1) -
                               known(column, row + 1) - known(column - 1, row) -
                               known(column + 1, row);
    }
    add(p, r, 0, r);
    double square = dot(r, r), start = square, whole = dot(solution, r), left = whole;

    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    while (done < iterations && square > 1e-24 * start) {
        multiply(p, q);
        double alpha = square / dot(p, q);
        left -= alpha * square;
        add(x, x, alpha, p);
        add(r, r, -alpha, q);
        double last = square;
        square = dot(r, r);
        add(p, r, square / last, p);
        done++;
    }
    double seconds = MPI_Wtime() - began;

    multiply(x, q);
    add(q, right_side, -1, q);
    double residual = sqrt(dot(q, q) / start), carried = sqrt(square / start);
    add(p, solution, -1, x);
    multiply(p, q);
    double error = dot(p, q) / whole; // its square
    int right = fabs(residual - carried) < 1e-11 && fabs(error - left / whole) < 1e-13 &&
                sqrt(error) <= bound(done) + 1e-11;
    if (rank == 0)
        printf("cg: %d x %d points, %d iterations: residual %.3e, error %.3e, bound %.3e: %s\n"
               "%.6f s\n",
               n, n, done, residual, sqrt(error), bound(done), right ? "right" : "WRONG", seconds);
    MPI_Finalize();
    return !right;
}
