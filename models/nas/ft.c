// SPDX-License-Identifier: GPL-3.0-or-later
// FT: a cube of complex numbers, transformed along each axis in turn. Slabs of planes are divided
// over the ranks (a 1-D layout), and transposed once for each transform; if there are more ranks
// than planes, each plane is divided too (2-D), and there are two transpositions, within the rows
// and within the columns of a grid of ranks.
#include "models/nas/nas.h"

#include "sim/program/communicator.h"

#include <math.h>

#define FT_AXES 3

static const int64_t ft_points_of[NAS_CLASSES][FT_AXES] = {
    {64, 64, 64}, {128, 128, 32}, {256, 256, 128}, {512, 256, 256}, {512, 512, 512}};
static const int64_t ft_iterations_of[NAS_CLASSES] = {6, 6, 6, 20, 20};

// The communicators of the program, in their order: ranks with the same place in the first
// dimension of the grid, and with the same in the second.
enum { SLICE_1, SLICE_2 };

struct layout {
    int first, second; // ranks of the grid; first 1: 1-D; both 1: nothing is divided
    int64_t block[2];  // bytes for each rank of an exchange within SLICE_1, SLICE_2
};

static double total_of(enum nas_class class)
{
    const int64_t *points = ft_points_of[class];
    return (double)(points[0] * points[1] * points[2]);
}

static struct layout layout_of(enum nas_class class, int ranks)
{
    int planes = (int)ft_points_of[class][2];
    struct layout layout = {.first = ranks > planes ? planes : 1};
    layout.second = ranks / layout.first;
    int64_t own = (int64_t)total_of(class) / ranks * NAS_COMPLEX;
    layout.block[SLICE_1] = own / layout.second;
    layout.block[SLICE_2] = own / layout.first;
    return layout;
}

static void add_communicators(struct program *program, const struct layout *layout)
{
    program->communicators = communicators_new();
    struct communicator *one = communicator_add(program->communicators, "slice1"),
                        *two = communicator_add(program->communicators, "slice2");
    for (int i = 0; i < layout->first; i++) {
        GArray *group = communicator_add_group(one);
        for (int j = 0; j < layout->second; j++) {
            int rank = i * layout->second + j;
            g_array_append_val(group, rank);
        }
    }
    for (int j = 0; j < layout->second; j++) {
        GArray *group = communicator_add_group(two);
        for (int i = 0; i < layout->first; i++) {
            int rank = i * layout->second + j;
            g_array_append_val(group, rank);
        }
    }
}

static void transpose(struct nas *nas, const struct layout *layout, int slice)
{
    nas_collective(nas, OP_ALLTOALL, layout->block[slice]);
    if (layout->first > 1)
        ((struct op *)g_ptr_array_index(nas->body, nas->body->len - 1))->communicator = slice;
}

// A transform of `operations` of this rank, a third for each axis. In a 1-D layout two axes are
// whole on one side of the transposition.
static void transform(struct nas *nas, const struct layout *layout, double operations, bool back)
{
    double axis = operations / FT_AXES;
    bool divided = layout->second > 1, twice = layout->first > 1;
    nas_compute(nas, axis);
    if (divided && (back || twice))
        transpose(nas, layout, back ? SLICE_1 : SLICE_2);
    nas_compute(nas, axis);
    if (divided && (!back || twice))
        transpose(nas, layout, back ? SLICE_2 : SLICE_1);
    nas_compute(nas, axis);
}

// ---- Program ----

// The code counts a first transform with what precedes it, and those of the iterations.
static double first_operations(enum nas_class class)
{
    double total = total_of(class);
    return total * (14.8157 + 7.19641 * log(total));
}

static double iteration_operations(enum nas_class class)
{
    double total = total_of(class);
    return total * (5.23518 + 7.21113 * log(total));
}

static double ft_operations_of(enum nas_class class, int64_t iterations)
{
    return first_operations(class) + iteration_operations(class) * (double)iterations;
}

static void ft_build(struct nas *nas)
{
    struct layout layout = layout_of(nas->class, nas->ranks);
    double first = first_operations(nas->class) / nas->ranks;
    if (layout.first > 1 && !nas->program->communicators)
        add_communicators(nas->program, &layout);
    nas_broadcasts(nas, 5, NAS_INTEGER); // the grid, the layout, iterations, whether phases are
                                         // timed
    transform(nas, &layout, first, false);
    nas_barrier(nas);
    nas_start_clock(nas);
    transform(nas, &layout, first, false);
    GPtrArray *around = nas_iterations(nas, nas->iterations);
    transform(nas, &layout, iteration_operations(nas->class) / nas->ranks, true);
    nas_collective(nas, OP_REDUCE, NAS_COMPLEX); // checksum
    nas_end_loop(nas, around);
    nas_stop_clock(nas);
}

// A grid of planes x ranks / planes at most, and each rank has a line of every transposition.
static char *ft_refusal(enum nas_class class, int ranks)
{
    const int64_t *points = ft_points_of[class];
    int64_t most = points[2] * MIN(points[1], points[2]);
    if (!nas_is_power_of_two(ranks))
        return nas_refuse_unless_power_of_two(ranks);
    return ranks > most ? g_strdup_printf("at most %" G_GINT64_FORMAT " in this class", most)
                        : NULL;
}

const struct nas_code nas_ft = {
    .iterations = ft_iterations_of,
    .operations = ft_operations_of,
    .build = ft_build,
    .refusal = ft_refusal,
};
