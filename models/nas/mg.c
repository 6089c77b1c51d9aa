// SPDX-License-Identifier: GPL-3.0-or-later
// MG: a cube divided over a grid of ranks, and ever coarser ones. After each operation on a grid a
// rank exchanges borders with its neighbours along each axis, itself if the axis is not divided.
// Where a coarse grid has fewer points than there are ranks, some ranks are idle, and get their
// points back when the next finer grid is interpolated (setup, comm3, comm3_ex of mg.f).
#include "models/nas/nas.h"

#define MG_AXES 3
#define MOST_LEVELS 10
#define COARSEST 1
#define BORDERS 2 // points of an extent besides those of the rank itself

// Operations for each point of a result, from the code's comments, and what it counts for each
// point of the finest grid in an iteration.
#define SMOOTH 16.0      // psinv
#define RESIDUAL 15.0    // resid
#define PROJECT 24.0     // rprj3
#define INTERPOLATE 20.0 // interp, for each point of the coarser grid
#define COUNTED 58.0

static const int levels_of[NAS_CLASSES] = {5, 7, 8, 8, 9}; // log2 of points of an edge
static const int64_t mg_iterations_of[NAS_CLASSES] = {4, 4, 4, 20, 20};

enum { DOWN, UP, WAYS };

struct level {
    int extent[MG_AXES];      // points of this rank along an axis, with borders
    int next_extent[MG_AXES]; // of the rank that is the neighbour if all take part
    int peers[MG_AXES][WAYS];
    bool idle;
    bool takes[MG_AXES], gives[MG_AXES]; // when this level is interpolated
};

struct cube {
    int finest;
    int parts[MG_AXES], place[MG_AXES];
    int64_t buffer; // bytes that a receive has room for
    struct level levels[MOST_LEVELS + 1];
    double factor; // scales the comments' operations to what the code counts
};

// ---- The grid of ranks ----

// Points along an axis of the rank at a place, with borders.
static int extent_of(const struct cube *cube, int level, int axis, int place)
{
    int points = 1 << level, parts = cube->parts[axis];
    return BORDERS + (place + 1) * points / parts - place * points / parts;
}

static int rank_at(const struct cube *cube, int axis, int place)
{
    int at[MG_AXES] = {cube->place[0], cube->place[1], cube->place[2]};
    at[axis] = place;
    return at[0] + cube->parts[0] * (at[1] + cube->parts[1] * at[2]);
}

// A level below the finest, where ranks drop out: the distance to the next one with points doubles.
static void set_level(struct cube *cube, int number, int distance[MG_AXES])
{
    struct level *level = &cube->levels[number], *finer = &cube->levels[number + 1];
    for (int axis = 0; axis < MG_AXES; axis++) {
        int place = cube->place[axis], parts = cube->parts[axis];
        int own = extent_of(cube, number, axis, place);
        int next = extent_of(cube, number, axis, place + distance[axis]);
        if (next == BORDERS || own == BORDERS)
            distance[axis] *= 2;
        if (number < cube->finest) {
            finer->gives[axis] = next == BORDERS && own == BORDERS + 1;
            finer->takes[axis] = next == BORDERS + 1 && own == BORDERS;
        }
        level->extent[axis] = own;
        level->idle = level->idle || own == BORDERS;
        level->peers[axis][UP] = rank_at(cube, axis, (place + distance[axis]) % parts);
        level->peers[axis][DOWN] =
            rank_at(cube, axis, (place - distance[axis] % parts + parts) % parts);
    }
}

static int log_2(int number)
{
    int log = 0;
    while (number > 1) {
        number /= 2;
        log++;
    }
    return log;
}

// Points of all ranks.
static double mg_points_of(int level)
{
    return (double)(INT64_C(1) << (3 * level));
}

// Operations of an iteration of all ranks, by the comments.
static double commented(int finest)
{
    double sum = SMOOTH * mg_points_of(COARSEST) + 2 * RESIDUAL * mg_points_of(finest);
    for (int level = COARSEST; level < finest; level++)
        sum += (PROJECT + INTERPOLATE) * mg_points_of(level);
    for (int level = COARSEST + 1; level <= finest; level++)
        sum += SMOOTH * mg_points_of(level);
    for (int level = COARSEST + 1; level < finest; level++)
        sum += RESIDUAL * mg_points_of(level);
    return sum;
}

static struct cube cube_of(const struct nas *nas)
{
    struct cube cube = {.finest = levels_of[nas->class]};
    int distance[MG_AXES] = {1, 1, 1}, log = log_2(nas->ranks), first = log / 3,
        second = (log - first) / 2;
    cube.parts[0] = 1 << first;
    cube.parts[1] = 1 << second;
    cube.parts[2] = nas->ranks / (cube.parts[0] * cube.parts[1]);
    cube.place[0] = nas->rank % cube.parts[0];
    cube.place[1] = nas->rank / cube.parts[0] % cube.parts[1];
    cube.place[2] = nas->rank / (cube.parts[0] * cube.parts[1]);
    int64_t edge = BORDERS + (1 << (cube.finest - first)); // of the least divided axis
    cube.buffer = 2 * edge * edge * NAS_DOUBLE;
    for (int level = cube.finest; level >= COARSEST; level--)
        set_level(&cube, level, distance);
    // The clock is also around a residual before the iterations, which the code does not count.
    double finest = mg_points_of(cube.finest), turns = (double)nas->iterations;
    cube.factor = COUNTED * finest * turns / (commented(cube.finest) * turns + RESIDUAL * finest);
    return cube;
}

// ---- Exchanges ----

static int64_t tag_of(int axis, int way)
{
    return 100 * ((way == UP ? 3 : 1) + 10 * (axis + 1));
}

// Data from below are sent upwards, and carry the tag of that direction.
static void ready(struct nas *nas, const struct cube *cube, int number, int axis)
{
    const struct level *level = &cube->levels[number];
    nas_start_receive(nas, level->peers[axis][UP], cube->buffer, tag_of(axis, DOWN), "down");
    nas_start_receive(nas, level->peers[axis][DOWN], cube->buffer, tag_of(axis, UP), "up");
}

static void take(struct nas *nas)
{
    nas_wait(nas, "down");
    nas_wait(nas, "up");
}

// Points of a side across an axis: borders of the axes before are sent on.
static int64_t mg_side(const struct level *level, int axis)
{
    int64_t points = 1;
    for (int across = 0; across < MG_AXES; across++)
        if (across != axis)
            points *= level->extent[across] - (across > axis ? BORDERS : 0);
    return points;
}

static void exchange(struct nas *nas, const struct cube *cube, int number)
{
    const struct level *level = &cube->levels[number];
    if (level->idle || nas->ranks == 1)
        return;
    for (int axis = 0; axis < MG_AXES; axis++) {
        int64_t size = mg_side(level, axis) * NAS_DOUBLE;
        ready(nas, cube, number, axis);
        nas_send(nas, level->peers[axis][UP], size, tag_of(axis, UP));
        nas_send(nas, level->peers[axis][DOWN], size, tag_of(axis, DOWN));
        take(nas);
    }
}

// One plane goes down and two go up, whole.
static void expand(struct nas *nas, const struct cube *cube, int number)
{
    const struct level *level = &cube->levels[number];
    for (int axis = 0; axis < MG_AXES && nas->ranks > 1; axis++) {
        int64_t plane = NAS_DOUBLE;
        for (int across = 0; across < MG_AXES; across++)
            plane *= across == axis ? 1 : level->extent[across];
        if (level->takes[axis]) {
            ready(nas, cube, number, axis);
            take(nas);
        }
        if (level->gives[axis]) {
            nas_send(nas, level->peers[axis][UP], 2 * plane, tag_of(axis, UP));
            nas_send(nas, level->peers[axis][DOWN], plane, tag_of(axis, DOWN));
        }
    }
}

// ---- Operations on grids ----

static void compute(struct nas *nas, const struct cube *cube, int number, double operations)
{
    double points = 1;
    for (int axis = 0; axis < MG_AXES; axis++)
        points *= cube->levels[number].extent[axis] - BORDERS;
    nas_compute(nas, points * operations * cube->factor);
}

static void residual(struct nas *nas, const struct cube *cube, int number)
{
    compute(nas, cube, number, RESIDUAL);
    exchange(nas, cube, number);
}

static void smooth(struct nas *nas, const struct cube *cube, int number)
{
    compute(nas, cube, number, SMOOTH);
    exchange(nas, cube, number);
}

// A V-cycle, and the residual after it.
static void mg_iteration(struct nas *nas, const struct cube *cube)
{
    for (int level = cube->finest; level > COARSEST; level--) {
        compute(nas, cube, level - 1, PROJECT);
        exchange(nas, cube, level - 1);
    }
    smooth(nas, cube, COARSEST);
    for (int level = COARSEST + 1; level <= cube->finest; level++) {
        compute(nas, cube, level - 1, INTERPOLATE);
        expand(nas, cube, level);
        residual(nas, cube, level);
        smooth(nas, cube, level);
    }
    residual(nas, cube, cube->finest);
}

// ---- Program ----

static double mg_operations_of(enum nas_class class, int64_t iterations)
{
    return COUNTED * (double)iterations * mg_points_of(levels_of[class]);
}

static void norms(struct nas *nas)
{
    nas_collective(nas, OP_ALLREDUCE, NAS_DOUBLE);
    nas_collective(nas, OP_ALLREDUCE, NAS_DOUBLE);
}

static void mg_build(struct nas *nas)
{
    struct cube cube = cube_of(nas);
    nas_barrier(nas);
    nas_broadcasts(nas, 5, NAS_INTEGER); // levels, iterations, points
    nas_broadcasts(nas, 1, 8 * NAS_INTEGER);
    nas_broadcasts(nas, 1, NAS_INTEGER); // whether phases are timed
    norms(nas);
    residual(nas, &cube, cube.finest);
    norms(nas);
    mg_iteration(nas, &cube);
    nas_barrier(nas);
    nas_start_clock(nas);
    residual(nas, &cube, cube.finest);
    norms(nas);
    GPtrArray *around = nas_iterations(nas, nas->iterations);
    mg_iteration(nas, &cube);
    nas_end_loop(nas, around);
    norms(nas);
    nas_stop_clock(nas);
    nas_collective(nas, OP_REDUCE, NAS_DOUBLE);
}

// On the finest grid every rank has points.
static char *mg_refusal(enum nas_class class, int ranks)
{
    if (!nas_is_power_of_two(ranks))
        return nas_refuse_unless_power_of_two(ranks);
    int most = 3 * levels_of[class];
    return log_2(ranks) > most
               ? g_strdup_printf("at most %" G_GINT64_FORMAT " in this class", INT64_C(1) << most)
               : NULL;
}

const struct nas_code nas_mg = {
    .iterations = mg_iterations_of,
    .operations = mg_operations_of,
    .build = mg_build,
    .refusal = mg_refusal,
};
