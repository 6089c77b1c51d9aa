// SPDX-License-Identifier: GPL-3.0-or-later
// Jacobi's iteration for Laplace's equation on a grid of points, cut into blocks: each step
// exchanges the borders of the blocks with up to four neighbours, and every few steps all ranks
// learn how much the largest value has changed.
//
//     smpicc -O2 stencil.c -o stencil -lm        (or mpicc)
//     stencil [COLUMNS ROWS STEPS [CHECK_EVERY [BLOCKS_ACROSS BLOCKS_DOWN]]]
//
// It starts with the slowest mode, which vanishes at the border of the grid, and of which each step
// leaves the factor lambda. So each point is known after any number of steps, and is compared.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum side { WEST, EAST, NORTH, SOUTH, SIDES };

struct block {
    int width, height;    // its points
    int left, top;        // its first column and row in the grid
    int neighbour[SIDES]; // -1: the border of the grid
    double *now, *next;   // with a frame of one point
    double *packed;       // columns: those to send WEST and EAST, those from there
};

static double *point(const struct block *block, double *values, int x, int y)
{
    return values + (size_t)(y + 1) * (size_t)(block->width + 2) + (size_t)(x + 1);
}

static void block_init(struct block *block, int columns, int rows, int across, int down, int rank)
{
    int column = rank % across, row = rank / across;
    block->left = columns * column / across;
    block->top = rows * row / down;
    block->width = columns * (column + 1) / across - block->left;
    block->height = rows * (row + 1) / down - block->top;
    block->neighbour[WEST] = column > 0 ? rank - 1 : -1;
    block->neighbour[EAST] = column < across - 1 ? rank + 1 : -1;
    block->neighbour[NORTH] = row > 0 ? rank - across : -1;
    block->neighbour[SOUTH] = row < down - 1 ? rank + across : -1;
    int framed = (block->width + 2) * (block->height + 2);
    block->now = calloc((size_t)(2 * framed + 4 * block->height), sizeof *block->now);
    if (!block->now)
        MPI_Abort(MPI_COMM_WORLD, 1);
    block->next = block->now + framed;
    block->packed = block->next + framed;
}

// Fills the frame with the neighbours' borders. Columns are packed by hand.
static void exchange(struct block *block)
{
    MPI_Request requests[2 * SIDES];
    int count = 0, w = block->width, h = block->height;
    double *west = block->packed, *east = west + h, *of_west = east + h, *of_east = of_west + h;
    double *from[] = {of_west, of_east, point(block, block->now, 0, -1),
                      point(block, block->now, 0, h)};
    double *to[] = {west, east, point(block, block->now, 0, 0), point(block, block->now, 0, h - 1)};
    for (int side = 0; side < SIDES; side++)
        if (block->neighbour[side] >= 0)
            MPI_Irecv(from[side], side <= EAST ? h : w, MPI_DOUBLE, block->neighbour[side],
                      side ^ 1, MPI_COMM_WORLD, &requests[count++]);
    for (int y = 0; y < h; y++) {
        west[y] = *point(block, block->now, 0, y);
        east[y] = *point(block, block->now, w - 1, y);
    }
    for (int side = 0; side < SIDES; side++)
        if (block->neighbour[side] >= 0)
            MPI_Isend(to[side], side <= EAST ? h : w, MPI_DOUBLE, block->neighbour[side], side,
                      MPI_COMM_WORLD, &requests[count++]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    for (int y = 0; y < h; y++) { // of a side without a neighbour 0, as the border of the grid is
        *point(block, block->now, -1, y) = of_west[y];
        *point(block, block->now, w, y) = of_east[y];
    }
}

// One step. Returns the largest change of a point.
static double relax(struct block *block)
{
    double change = 0;
    for (int y = 0; y < block->height; y++) {
        const double *above = point(block, block->now, 0, y - 1);
        const double *here = point(block, block->now, 0, y);
        const double *below = point(block, block->now, 0, y + 1);
        double *next = point(block, block->next, 0, y);
        for (int x = 0; x < block->width; x++) {
            next[x] = 0.25 * (above[x] + below[x] + here[x - 1] + here[x + 1]);
            change = fmax(change, fabs(next[x] - here[x]));
        }
    }
    double *old = block->now;
    block->now = block->next;
    block->next = old;
    return change;
}

// The mode that it starts with.
static double mode(const struct block *block, int columns, int rows, int x, int y)
{
    return sin(M_PI * (block->left + x + 1) / (columns + 1)) *
           sin(M_PI * (block->top + y + 1) / (rows + 1));
}

int main(int argc, char **argv)
{
    int rank, ranks, given[6] = {512, 512, 50, 10, 0, 0}, *grid = &given[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 6 && i < argc - 1; i++)
        given[i] = atoi(argv[i + 1]);
    int columns = given[0], rows = given[1], steps = given[2], every = given[3];
    if (argc <= 6)
        MPI_Dims_create(ranks, 2, grid);
    if (grid[0] * grid[1] != ranks || grid[0] < 1 || columns < grid[0] || rows < grid[1] ||
        steps < 1 || every < 1) {
        if (rank == 0)
            fprintf(stderr, "stencil: not for %d ranks: %d x %d blocks\n", ranks, grid[0], grid[1]);
        MPI_Finalize();
        return EXIT_FAILURE;
    }
    struct block block;
    block_init(&block, columns, rows, grid[0], grid[1], rank);
    for (int y = 0; y < block.height; y++)
        for (int x = 0; x < block.width; x++)
            *point(&block, block.now, x, y) = mode(&block, columns, rows, x, y);
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime(), change = 0;
    for (int step = 1; step <= steps; step++) {
        exchange(&block);
        double own = relax(&block);
        if (step % every == 0)
            MPI_Allreduce(&own, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    double seconds = MPI_Wtime() - began;

    double left = pow((cos(M_PI / (columns + 1)) + cos(M_PI / (rows + 1))) / 2, steps);
    double own = 0, error = 0;
    for (int y = 0; y < block.height; y++)
        for (int x = 0; x < block.width; x++)
            own +=
                pow(*point(&block, block.now, x, y) - left * mode(&block, columns, rows, x, y), 2);
    MPI_Allreduce(&own, &error, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    error = sqrt(error);
    if (rank == 0)
        printf("stencil: %d x %d points, %d steps: change %.3e, error %.1e: %s\n%.6f s\n", columns,
               rows, steps, change, error, error < 1e-11 ? "right" : "WRONG", seconds);
    MPI_Finalize();
    return !(error < 1e-11);
}
