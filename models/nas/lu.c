// SPDX-License-Identifier: GPL-3.0-or-later
// LU: a grid of ranks in x and y. A step sweeps through the planes of z twice, as a wave from one
// corner of the grid to the other and back; each rank waits for its two neighbours in each plane.
// Then the right-hand side needs two planes of each neighbour's points.
#include "models/nas/nas.h"

#define LU_COMPONENTS 5 // of a point
#define LU_FACE_DEPTH 2 // planes of points
#define LEAST_EXTENT 4  // points of a rank, in x and y
#define LU_PHASES 3     // of a step: lower sweep, upper sweep, right-hand side
#define NOBODY (-1)

// Tags (applu.incl): a message has that of where its receiver has it from.
enum { FROM_SOUTH = 1, FROM_NORTH, FROM_EAST, FROM_WEST };

static const int64_t lu_points_of[NAS_CLASSES] = {12, 33, 64, 102, 162};
static const int64_t lu_iterations_of[NAS_CLASSES] = {50, 300, 250, 250, 250};

struct lu_grid {
    int64_t nx, ny, nz;           // points of this rank
    int64_t inner_x, inner_y;     // those that are not at the surface of the cube
    int north, south, west, east; // ranks; NOBODY: the surface
};

// Ranks of the grid in y: the greatest divisor not above the square root (proc_grid.f).
static int lu_columns_of(int ranks)
{
    int columns = 1;
    for (int i = 2; i <= ranks / i; i++)
        if (ranks % i == 0)
            columns = i;
    return columns;
}

static int64_t lu_extent(int64_t points, int parts, int part)
{
    return points / parts + (part < points % parts);
}

static struct lu_grid lu_grid_of(enum nas_class class, int rank, int ranks)
{
    int columns = lu_columns_of(ranks), rows = ranks / columns;
    int row = rank % rows, column = rank / rows;
    int64_t points = lu_points_of[class];
    struct lu_grid grid = {
        .nx = lu_extent(points, rows, row),
        .ny = lu_extent(points, columns, column),
        .nz = points,
        .north = row > 0 ? rank - 1 : NOBODY,
        .south = row < rows - 1 ? rank + 1 : NOBODY,
        .west = column > 0 ? rank - rows : NOBODY,
        .east = column < columns - 1 ? rank + rows : NOBODY,
    };
    grid.inner_x = grid.nx - (grid.north == NOBODY) - (grid.south == NOBODY);
    grid.inner_y = grid.ny - (grid.west == NOBODY) - (grid.east == NOBODY);
    return grid;
}

// ---- Sweeps (exchange_1) ----

static void receive_line(struct nas *nas, int from, int64_t points, int64_t tag)
{
    if (from != NOBODY)
        nas_receive(nas, from, points * LU_COMPONENTS * NAS_DOUBLE, tag);
}

static void send_line(struct nas *nas, int to, int64_t points, int64_t tag)
{
    if (to != NOBODY)
        nas_send(nas, to, points * LU_COMPONENTS * NAS_DOUBLE, tag);
}

// All inner planes. The jacobians are formed before the neighbours' lines are received.
static void lower_sweep(struct nas *nas, const struct lu_grid *grid, double operations)
{
    double half = operations / (double)(grid->nz - 2) / 2;
    GPtrArray *around = nas_loop(nas, grid->nz - 2);
    nas_compute(nas, half);
    receive_line(nas, grid->north, grid->inner_y, FROM_NORTH);
    receive_line(nas, grid->west, grid->inner_x, FROM_WEST);
    nas_compute(nas, half);
    send_line(nas, grid->south, grid->inner_y, FROM_NORTH);
    send_line(nas, grid->east, grid->inner_x, FROM_WEST);
    nas_end_loop(nas, around);
}

static void upper_sweep(struct nas *nas, const struct lu_grid *grid, double operations)
{
    double half = operations / (double)(grid->nz - 2) / 2;
    GPtrArray *around = nas_loop(nas, grid->nz - 2);
    nas_compute(nas, half);
    receive_line(nas, grid->south, grid->inner_y, FROM_SOUTH);
    receive_line(nas, grid->east, grid->inner_x, FROM_EAST);
    nas_compute(nas, half);
    send_line(nas, grid->north, grid->inner_y, FROM_SOUTH);
    send_line(nas, grid->west, grid->inner_x, FROM_EAST);
    nas_end_loop(nas, around);
}

// ---- Right-hand side (exchange_3) ----

// One direction along an axis of ranks: receives from one side, sends to the other.
static void pass(struct nas *nas, int from, int to, int64_t points, int64_t tag)
{
    int64_t size = points * LU_FACE_DEPTH * LU_COMPONENTS * NAS_DOUBLE;
    if (from != NOBODY)
        nas_start_receive(nas, from, size, tag, "receive");
    if (to != NOBODY)
        nas_send(nas, to, size, tag);
    if (from != NOBODY)
        nas_wait(nas, "receive");
}

static void right_hand_side(struct nas *nas, const struct lu_grid *grid, double operations)
{
    pass(nas, grid->north, grid->south, grid->ny * grid->nz, FROM_NORTH);
    pass(nas, grid->south, grid->north, grid->ny * grid->nz, FROM_SOUTH);
    nas_compute(nas, operations / 2);
    pass(nas, grid->west, grid->east, grid->nx * grid->nz, FROM_WEST);
    pass(nas, grid->east, grid->west, grid->nx * grid->nz, FROM_EAST);
    nas_compute(nas, operations / 2);
}

// ---- Program ----

static double lu_operations_of(enum nas_class class, int64_t iterations)
{
    double n = (double)lu_points_of[class];
    return (double)iterations * (1984.77 * n * n * n - 10923.3 * n * n + 27770.9 * n - 144010.0);
}

static void norm(struct nas *nas)
{
    nas_collective(nas, OP_ALLREDUCE, LU_COMPONENTS * NAS_DOUBLE);
}

// `operations` of this rank, split evenly between the phases. last: with norms of the correction
// and of the residual.
static void lu_step(struct nas *nas, const struct lu_grid *grid, double operations, bool last)
{
    lower_sweep(nas, grid, operations / LU_PHASES);
    upper_sweep(nas, grid, operations / LU_PHASES);
    if (last)
        norm(nas);
    right_hand_side(nas, grid, operations / LU_PHASES);
    if (last)
        norm(nas);
}

// ssor.f: the residual and its norm, then the clock around the steps. The start-up is one step,
// without norms.
static void solve(struct nas *nas, const struct lu_grid *grid, double operations, bool clock)
{
    right_hand_side(nas, grid, operations / LU_PHASES);
    norm(nas);
    nas_barrier(nas);
    if (clock) {
        nas_start_clock(nas);
        GPtrArray *around = nas_iterations(nas, nas->iterations - 1);
        lu_step(nas, grid, operations, false);
        nas_end_loop(nas, around);
    }
    lu_step(nas, grid, operations, clock);
    if (clock)
        nas_stop_clock(nas);
    nas_collective(nas, OP_ALLREDUCE, NAS_DOUBLE); // the time
}

static void lu_build(struct nas *nas)
{
    struct lu_grid grid = lu_grid_of(nas->class, nas->rank, nas->ranks);
    double operations =
        lu_operations_of(nas->class, nas->iterations) / (double)nas->iterations / nas->ranks;
    nas_broadcasts(nas, 3, NAS_INTEGER); // what is printed and how often, iterations
    nas_broadcasts(nas, 2, NAS_DOUBLE);  // time step, relaxation
    nas_broadcasts(nas, 1, LU_COMPONENTS * NAS_DOUBLE);
    nas_broadcasts(nas, 3, NAS_INTEGER); // points
    right_hand_side(nas, &grid, 0);      // of the exact solution
    solve(nas, &grid, operations, false);
    solve(nas, &grid, operations, true);
}

static char *lu_refusal(enum nas_class class, int ranks)
{
    int most = (int)(lu_points_of[class] / LEAST_EXTENT);
    if (!nas_is_power_of_two(ranks))
        return nas_refuse_unless_power_of_two(ranks);
    return ranks / lu_columns_of(ranks) > most
               ? g_strdup_printf("that of a grid of at most %d x %d in this class", most, most)
               : NULL;
}

const struct nas_code nas_lu = {
    .iterations = lu_iterations_of,
    .operations = lu_operations_of,
    .build = lu_build,
    .refusal = lu_refusal,
};
