// SPDX-License-Identifier: GPL-3.0-or-later
// BT and SP: p x p ranks with p cells each of a cube of p x p x p cells, so that each rank has one
// cell in every plane of cells of each direction (make_set.f). A step copies faces to the six
// neighbours and solves lines in x, y and z, forwards from cell to cell and back.
#include "models/nas/nas.h"

#include <math.h>

#define DIRECTIONS 3
#define PARTITION_COMPONENTS 5 // of a point
#define PARTITION_FACE_DEPTH 2 // planes of points
#define LEAST_CELL 3           // points
#define PARTITION_PHASES 4     // of a step: right-hand side, solves in x, y, z

// Tags (header.h). Solves have a communicator of their own in the codes: here, tags of their own.
enum { EAST = 2000, WEST = 3000, NORTH = 4000, SOUTH = 5000, BOTTOM = 6000, TOP = 7000 };
#define SOLVE_TAGS 100000

static const int64_t bt_points[NAS_CLASSES] = {12, 24, 64, 102, 162};
static const int64_t bt_iterations[NAS_CLASSES] = {60, 200, 200, 200, 200};
static const int64_t sp_points[NAS_CLASSES] = {12, 36, 64, 102, 162};
static const int64_t sp_iterations[NAS_CLASSES] = {100, 400, 400, 400, 400};

struct partition {
    int64_t points;        // of an edge of the cube
    int p;                 // cells of an edge
    int first[DIRECTIONS]; // coordinates of this rank's cell in the bottom plane
    int next[DIRECTIONS], previous[DIRECTIONS]; // ranks
    bool tagged; // BT: each line of cells has its own tag, and requests are waited for one by one
    // Bytes of a message of a solve, for a cell of a line in a direction.
    int64_t (*forwards)(const struct partition *partition, int direction, int cell);
    int64_t (*backwards)(const struct partition *partition, int direction, int cell);
};

static struct partition partition_of(int64_t points, int rank, int ranks)
{
    int p = (int)lround(sqrt(ranks)), i = rank % p, j = rank / p;
    int before_i = (i - 1 + p) % p, after_i = (i + 1) % p;
    int before_j = (j - 1 + p) % p, after_j = (j + 1) % p;
    return (struct partition){
        .points = points,
        .p = p,
        .first = {i, j, 0},
        .previous = {before_i + p * j, i + p * before_j, after_i + p * before_j},
        .next = {after_i + p * j, i + p * after_j, before_i + p * after_j},
    };
}

// Coordinate of the rank's cell in plane `cell` of the z direction.
static int coordinate(const struct partition *partition, int direction, int cell)
{
    int p = partition->p;
    switch (direction) {
    case 0:
        return (partition->first[0] + cell) % p;
    case 1:
        return (partition->first[1] - cell % p + p) % p;
    default:
        return cell;
    }
}

// Points of a cell along a direction: the first ones take what is left over.
static int64_t partition_extent(const struct partition *partition, int coordinate_of_cell)
{
    return partition->points / partition->p +
           (coordinate_of_cell < partition->points % partition->p);
}

// The cell at a place along a direction.
static int cell_at(const struct partition *partition, int direction, int place)
{
    for (int cell = 0; cell < partition->p; cell++)
        if (coordinate(partition, direction, cell) == place)
            return cell;
    return 0;
}

// Points of a cell's side across a direction. inner: without those at the surface of the cube.
static int64_t partition_side(const struct partition *partition, int direction, int cell,
                              bool inner)
{
    int64_t points = 1;
    for (int across = 0; across < DIRECTIONS; across++) {
        int at = coordinate(partition, across, cell);
        int64_t length = partition_extent(partition, at);
        if (inner)
            length -= (at == 0) + (at == partition->p - 1);
        points *= across == direction ? 1 : length;
    }
    return points;
}

// ---- Faces ----

// Bytes that go to the next (or previous) rank in a direction: no face at the surface of the cube.
static int64_t faces(const struct partition *partition, int direction, bool next)
{
    int64_t points = 0;
    for (int cell = 0; cell < partition->p; cell++) {
        int at = coordinate(partition, direction, cell);
        if (at != (next ? partition->p - 1 : 0))
            points += partition_side(partition, direction, cell, false);
    }
    return points * PARTITION_FACE_DEPTH * PARTITION_COMPONENTS * NAS_DOUBLE;
}

static void copy_faces(struct nas *nas, const struct partition *partition)
{
    static const int64_t to_next[] = {EAST, NORTH, TOP}, to_previous[] = {WEST, SOUTH, BOTTOM};
    static const char *const receives[] = {"r0", "r1", "r2", "r3", "r4", "r5"};
    static const char *const sends[] = {"s0", "s1", "s2", "s3", "s4", "s5"};
    if (partition->p == 1)
        return;
    for (int d = 0; d < DIRECTIONS; d++) {
        nas_start_receive(nas, partition->next[d], faces(partition, d, true), to_previous[d],
                          receives[2 * d]);
        nas_start_receive(nas, partition->previous[d], faces(partition, d, false), to_next[d],
                          receives[2 * d + 1]);
    }
    for (int d = 0; d < DIRECTIONS; d++) {
        nas_start_send(nas, partition->next[d], faces(partition, d, true), to_next[d],
                       sends[2 * d]);
        nas_start_send(nas, partition->previous[d], faces(partition, d, false), to_previous[d],
                       sends[2 * d + 1]);
    }
    nas_wait_all(nas);
}

// ---- Solves ----

// BT sends whole buffers: blocks of 5 x 5 and right-hand sides of a cell of the greatest size.
static int64_t bt_side(const struct partition *partition)
{
    int64_t most = partition->points / partition->p + 1;
    return most * most * NAS_DOUBLE;
}

static int64_t bt_forwards(const struct partition *partition, int direction, int cell)
{
    (void)direction;
    (void)cell;
    return bt_side(partition) *
           (PARTITION_COMPONENTS * PARTITION_COMPONENTS + PARTITION_COMPONENTS);
}

static int64_t bt_backwards(const struct partition *partition, int direction, int cell)
{
    (void)direction;
    (void)cell;
    return bt_side(partition) * PARTITION_COMPONENTS;
}

// SP sends what a cell has: of two planes, two diagonals for each of three factors, and components.
static int64_t sp_forwards(const struct partition *partition, int direction, int cell)
{
    return 22 * partition_side(partition, direction, cell, true) * NAS_DOUBLE;
}

static int64_t sp_backwards(const struct partition *partition, int direction, int cell)
{
    return 2 * PARTITION_COMPONENTS * partition_side(partition, direction, cell, true) * NAS_DOUBLE;
}

// The tag of a message along a line of cells.
static int64_t line_tag(const struct partition *partition, int direction, int cell, int64_t base)
{
    int64_t line = 0;
    if (!partition->tagged)
        return SOLVE_TAGS;
    for (int across = DIRECTIONS - 1; across >= 0; across--)
        if (across != direction)
            line = line * partition->p + coordinate(partition, across, cell);
    return SOLVE_TAGS + base + line;
}

// A rank waits for a cell's data and for its own send of the cell before: BT one after the other,
// SP for both together, after work that needs no data (the left-hand side, or what is left to do of
// the cell before). `operations` are those of the cell.
static void await_cell(struct nas *nas, const struct partition *partition, double operations)
{
    if (partition->tagged) {
        nas_wait(nas, "send");
        nas_wait(nas, "receive");
        nas_compute(nas, operations);
    } else {
        nas_compute(nas, operations / 2);
        nas_wait_all(nas);
        nas_compute(nas, operations / 2);
    }
}

// One direction through the line's cells.
static void sweep(struct nas *nas, const struct partition *partition, int direction, bool back,
                  double operations)
{
    static const int64_t to_next[] = {WEST, SOUTH, BOTTOM}, to_previous[] = {EAST, NORTH, TOP};
    int64_t base = back ? to_previous[direction] : to_next[direction];
    int from = back ? partition->next[direction] : partition->previous[direction];
    int to = back ? partition->previous[direction] : partition->next[direction];
    for (int stage = 0; stage < partition->p; stage++) {
        int cell = cell_at(partition, direction, back ? partition->p - 1 - stage : stage);
        int64_t size = back ? partition->backwards(partition, direction, cell)
                            : partition->forwards(partition, direction, cell);
        int64_t tag = line_tag(partition, direction, cell, base);
        if (stage > 0) {
            nas_start_receive(nas, from, size, tag, "receive");
            await_cell(nas, partition, operations / partition->p);
        } else {
            nas_compute(nas, operations / partition->p);
        }
        if (stage < partition->p - 1)
            nas_start_send(nas, to, size, tag, "send");
    }
}

// A step of `operations` of this rank, split evenly between its phases, and those between cells.
static void partition_step(struct nas *nas, const struct partition *partition, double operations)
{
    double phase = operations / PARTITION_PHASES;
    copy_faces(nas, partition);
    nas_compute(nas, phase);
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        sweep(nas, partition, direction, false, phase / 2);
        sweep(nas, partition, direction, true, phase / 2);
    }
}

// ---- Programs ----

static double bt_operations(enum nas_class class, int64_t iterations)
{
    double n = (double)bt_points[class];
    return (double)iterations * (3478.8 * n * n * n - 17655.7 * n * n + 28023.7 * n);
}

static double sp_operations(enum nas_class class, int64_t iterations)
{
    double n = (double)sp_points[class];
    return (double)iterations * (881.174 * n * n * n - 4683.91 * n * n + 11484.5 * n - 19272.4);
}

static void partition_build(struct nas *nas, const struct partition *partition, double operations)
{
    double of_step = operations / (double)nas->iterations / nas->ranks;
    nas_broadcasts(nas, 1, NAS_INTEGER); // iterations
    nas_broadcasts(nas, 1, NAS_DOUBLE);  // time step
    nas_broadcasts(nas, 1, DIRECTIONS * NAS_INTEGER);
    partition_step(nas, partition, of_step);
    nas_barrier(nas);
    nas_start_clock(nas);
    GPtrArray *around = nas_iterations(nas, nas->iterations);
    partition_step(nas, partition, of_step);
    nas_end_loop(nas, around);
    nas_stop_clock(nas);
    nas_collective(nas, OP_REDUCE, NAS_DOUBLE);
}

static void bt_build(struct nas *nas)
{
    struct partition partition = partition_of(bt_points[nas->class], nas->rank, nas->ranks);
    partition.tagged = true;
    partition.forwards = bt_forwards;
    partition.backwards = bt_backwards;
    partition_build(nas, &partition, bt_operations(nas->class, nas->iterations));
}

static void sp_build(struct nas *nas)
{
    struct partition partition = partition_of(sp_points[nas->class], nas->rank, nas->ranks);
    partition.forwards = sp_forwards;
    partition.backwards = sp_backwards;
    partition_build(nas, &partition, sp_operations(nas->class, nas->iterations));
}

static char *partition_refusal(int64_t points, int ranks)
{
    int p = (int)lround(sqrt(ranks)), most = (int)(points / LEAST_CELL);
    if (p * p != ranks)
        return g_strdup("a square");
    return p > most ? g_strdup_printf("at most %d in this class", most * most) : NULL;
}

static char *bt_refusal(enum nas_class class, int ranks)
{
    return partition_refusal(bt_points[class], ranks);
}

static char *sp_refusal(enum nas_class class, int ranks)
{
    return partition_refusal(sp_points[class], ranks);
}

const struct nas_code nas_bt = {
    .iterations = bt_iterations,
    .operations = bt_operations,
    .build = bt_build,
    .refusal = bt_refusal,
};

const struct nas_code nas_sp = {
    .iterations = sp_iterations,
    .operations = sp_operations,
    .build = sp_build,
    .refusal = sp_refusal,
};
