// SPDX-License-Identifier: GPL-3.0-or-later
// CG: a matrix divided over a grid of ranks, with as many columns as rows or twice as many. A
// product is summed over the ranks of a row by exchanges, and goes to the rank at the transposed
// place; scalars are summed over the row, too.
#include "models/nas/nas.h"

#define INNER_ITERATIONS 25
#define TRANSPOSE_TAG 1
#define SCALAR_TAG 1 // of the first exchange; the others follow

static const int64_t rows_of_matrix[NAS_CLASSES] = {1400, 7000, 14000, 75000, 150000};
static const int64_t nonzeros[NAS_CLASSES] = {7, 8, 11, 13, 15};
static const int64_t cg_iterations_of[NAS_CLASSES] = {15, 15, 15, 75, 75};

#define MOST_EXCHANGES 32

struct cg_grid {
    int exchanges; // steps of a sum over a row: log2 of its ranks
    int peers[MOST_EXCHANGES];
    int transposed;        // rank
    int64_t rows, columns; // of this rank's part
    int64_t part, others;  // rows of its half of a sum, and of the other half
    bool square;
};

// The length of part number `part` of `parts` of a number of rows.
static int64_t share(int64_t rows, int parts, int part)
{
    return rows / parts + (part < rows % parts);
}

// Two ranks have the two halves of a row's share where the matrix is not divided evenly.
static int64_t cg_columns_of(int64_t rows, int grid_rows, int grid_columns, int column)
{
    if (rows % grid_columns == 0 || grid_rows == grid_columns)
        return share(rows, grid_columns, column);
    int64_t both = share(rows, grid_columns / 2, column / 2);
    return column % 2 == 0 ? (both - 1) / 2 + 1 : both / 2;
}

static void find_peers(struct cg_grid *grid, int rank, int columns)
{
    int row = rank / columns, column = rank % columns;
    for (int width = columns; width > 1; width /= 2) {
        int peer = (column + width / 2) % width + column / width * width;
        grid->peers[grid->exchanges++] = row * columns + peer;
    }
}

static struct cg_grid cg_grid_of(enum nas_class class, int rank, int ranks)
{
    struct cg_grid grid = {0};
    int rows = 1;
    while (rows * rows * 4 <= ranks)
        rows *= 2;
    int columns = ranks / rows;
    int64_t matrix = rows_of_matrix[class];
    grid.square = rows == columns;
    grid.rows = share(matrix, rows, rank / columns);
    grid.columns = cg_columns_of(matrix, rows, columns, rank % columns);
    grid.part = grid.rows;
    if (!grid.square)
        grid.part = rank % 2 == 0 ? (grid.rows + 1) / 2 : grid.rows / 2;
    grid.others = grid.square ? grid.rows : grid.rows - grid.part;
    if (grid.square)
        grid.transposed = rank % rows * rows + rank / rows;
    else
        grid.transposed = 2 * (rank / 2 % rows * rows + rank / 2 / rows) + rank % 2;
    find_peers(&grid, rank, columns);
    return grid;
}

// ---- Exchanges ----

static void sum_scalars(struct nas *nas, const struct cg_grid *grid, int64_t scalars)
{
    for (int i = 0; i < grid->exchanges; i++)
        nas_swap(nas, grid->peers[i], scalars * NAS_DOUBLE, scalars * NAS_DOUBLE, SCALAR_TAG + i);
}

// The last exchange of the list goes first; in a grid that is not square it leaves each rank with
// its half.
static void sum_rows(struct nas *nas, const struct cg_grid *grid)
{
    for (int i = grid->exchanges - 1; i >= 0; i--) {
        int64_t sent = i == grid->exchanges - 1 ? grid->others : grid->part;
        nas_swap(nas, grid->peers[i], sent * NAS_DOUBLE, grid->part * NAS_DOUBLE, SCALAR_TAG + i);
    }
    if (grid->exchanges > 0)
        nas_swap(nas, grid->transposed, grid->part * NAS_DOUBLE, grid->columns * NAS_DOUBLE,
                 TRANSPOSE_TAG);
}

// ---- Program ----

// Operations for each row of the matrix: elements of a product, as the code counts them.
static double elements_of(enum nas_class class)
{
    return (double)(nonzeros[class] * (nonzeros[class] + 1));
}

static double cg_operations_of(enum nas_class class, int64_t iterations)
{
    double elements = elements_of(class);
    return 2.0 * (double)iterations * (double)rows_of_matrix[class] *
           (3 + elements + INNER_ITERATIONS * (5 + elements) + 3);
}

static void cg_iteration(struct nas *nas, const struct cg_grid *grid)
{
    double rows = 2.0 * (double)rows_of_matrix[nas->class] / nas->ranks;
    double product = rows * elements_of(nas->class);
    sum_scalars(nas, grid, 1);
    GPtrArray *around = nas_loop(nas, INNER_ITERATIONS);
    nas_compute(nas, product);
    sum_rows(nas, grid);
    nas_compute(nas, rows * 2);
    sum_scalars(nas, grid, 1);
    nas_compute(nas, rows * 3);
    sum_scalars(nas, grid, 1);
    nas_end_loop(nas, around);
    nas_compute(nas, product);
    sum_rows(nas, grid);
    nas_compute(nas, rows * 3);
    sum_scalars(nas, grid, 1);
    nas_compute(nas, rows * 3);
    sum_scalars(nas, grid, 2);
}

static void cg_build(struct nas *nas)
{
    struct cg_grid grid = cg_grid_of(nas->class, nas->rank, nas->ranks);
    nas_broadcasts(nas, 1, NAS_INTEGER); // whether phases are timed
    cg_iteration(nas, &grid);
    nas_barrier(nas);
    nas_start_clock(nas);
    GPtrArray *around = nas_iterations(nas, nas->iterations);
    cg_iteration(nas, &grid);
    nas_end_loop(nas, around);
    nas_stop_clock(nas);
    nas_collective(nas, OP_REDUCE, NAS_DOUBLE);
}

static char *cg_refusal(enum nas_class class, int ranks)
{
    (void)class;
    return nas_refuse_unless_power_of_two(ranks);
}

const struct nas_code nas_cg = {
    .iterations = cg_iterations_of,
    .operations = cg_operations_of,
    .build = cg_build,
    .refusal = cg_refusal,
};
