// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of curves whose fewest pieces are known in closed form.
#include "sim/flow/pieces.h"
#include "tests/support/suite.h"

#include <math.h>

#define LAST (1 << 22)

static GArray *points_of(double (*value)(double size), int last)
{
    GArray *points = g_array_new(FALSE, FALSE, sizeof(struct piece_point));
    for (int size = 1; size <= last; size = size < 16 ? size + 1 : size + size / 8) {
        struct piece_point point = {size, value(size)};
        g_array_append_val(points, point);
    }
    return points;
}

static GArray *fit(const GArray *points, const struct piece_shape *shape)
{
    return pieces_fit((const struct piece_point *)(void *)points->data, (int)points->len, shape);
}

// Checks that every size from the first point to the last has one piece; returns the largest
// deviation of its line.
static double worst_of(const GArray *points, const GArray *pieces)
{
    const struct piece_point *point = (const struct piece_point *)(void *)points->data;
    int64_t next = point[0].size;
    double worst = 0;
    for (guint i = 0; i < pieces->len; i++) {
        const struct flow_piece *piece = &g_array_index(pieces, struct flow_piece, i);
        SUITE_SAME_INTEGER(piece->first, next);
        CU_ASSERT(piece->last >= piece->first);
        next = piece->last + 1;
        int64_t step = MAX(1, (piece->last - piece->first) / 500);
        for (int64_t size = piece->first; size <= piece->last; size += step) {
            double truth = pieces_curve_at(point, (int)points->len, size);
            worst = fmax(worst, fabs(pieces_value(pieces, size) / truth - 1));
        }
    }
    SUITE_SAME_INTEGER(next, point[points->len - 1].size + 1);
    return worst;
}

static double line(double size)
{
    return 50e-6 + 80e-9 * size;
}

static void test_a_line_is_one_piece(void)
{
    GArray *points = points_of(line, LAST);
    struct piece_shape shape = {.tolerance = 0.03, .cut = -1, .origin = -16};
    GArray *pieces = fit(points, &shape);
    SUITE_SAME_INTEGER(pieces->len, 1);
    CU_ASSERT(worst_of(points, pieces) < 2e-6);
    const struct flow_piece *piece = &g_array_index(pieces, struct flow_piece, 0);
    CU_ASSERT_DOUBLE_EQUAL(piece->base, 50e-6, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(piece->slope, 80e-9, 1e-13);
    g_array_unref(pieces);
    g_array_unref(points);
}

static void test_the_cut_parts_even_a_line(void)
{
    GArray *points = points_of(line, LAST);
    struct piece_shape shape = {.tolerance = 0.03, .cut = 65535};
    GArray *pieces = fit(points, &shape);
    SUITE_SAME_INTEGER(pieces->len, 2);
    SUITE_SAME_INTEGER(g_array_index(pieces, struct flow_piece, 0).last, 65535);
    CU_ASSERT(worst_of(points, pieces) < 2e-6);
    g_array_unref(pieces);
    g_array_unref(points);
}

// 1 and then 2: with a deviation of a third, one level of 4/3 does for both.
static void test_a_step_is_two_levels(void)
{
    const struct piece_point point[] = {{0, 1}, {100, 1}, {101, 2}, {1000, 2}};
    struct piece_shape shape = {.tolerance = 0.1, .cut = INT64_MAX};
    GArray *pieces = pieces_fit(point, 4, &shape);
    SUITE_SAME_INTEGER(pieces->len, 2);
    // The step from 100 to 101 is within one piece of neither: at 10 % no line does both sides.
    CU_ASSERT(fabs(pieces_value(pieces, 50) - 1) < 2e-6);
    CU_ASSERT(fabs(pieces_value(pieces, 500) - 2) < 2e-6);
    g_array_unref(pieces);
    shape.tolerance = 0.34;
    pieces = pieces_fit(point, 4, &shape);
    SUITE_SAME_INTEGER(pieces->len, 1);
    g_array_unref(pieces);
}

// A line relative to s^2 is a parabola in 1/s. Over [c, qc] it has its ends at 1 - t and its top at
// 1 + t, if (1 + t) / (1 - t) = (1 + q)^2 / 4q.
static double square(double size)
{
    return size * size;
}

static void test_a_square_has_as_many_pieces_as_its_octaves_ask_for(void)
{
    GArray *points = g_array_new(FALSE, FALSE, sizeof(struct piece_point));
    for (int size = 1000; size <= 64000; size += 50) {
        struct piece_point point = {size, square(size)};
        g_array_append_val(points, point);
    }
    double t = 0.03;
    double k = (1 + t) / (1 - t);
    double q = 2 * k - 1 + 2 * sqrt(k * k - k);
    int want = (int)ceil(log(64) / log(q));
    struct piece_shape shape = {.tolerance = t, .cut = INT64_MAX};
    GArray *pieces = fit(points, &shape);
    SUITE_SAME_INTEGER(pieces->len, want);
    CU_ASSERT(worst_of(points, pieces) < t);
    g_array_unref(pieces);
    g_array_unref(points);
}

// No line of the pieces beyond the cut is negative at the origin, nor flatter than it may be.
static double steep(double size)
{
    return size < 1000 ? 1 : size * size / 1e6;
}

static void test_lines_beyond_the_cut_keep_to_the_shape(void)
{
    GArray *points = points_of(steep, 1 << 16);
    struct piece_shape shape = {.tolerance = 0.03, .cut = 20, .least_slope = 1e-5, .origin = -16};
    GArray *pieces = fit(points, &shape);
    CU_ASSERT(worst_of(points, pieces) < 0.03 + 1e-9);
    SUITE_SAME_INTEGER(g_array_index(pieces, struct flow_piece, 0).last, 20);
    for (guint i = 1; i < pieces->len; i++) {
        const struct flow_piece *piece = &g_array_index(pieces, struct flow_piece, i);
        CU_ASSERT(piece->base - 16 * piece->slope >= -1e-12);
        CU_ASSERT(piece->slope >= 1e-5 - 1e-12);
    }
    g_array_unref(pieces);
    g_array_unref(points);
}

static void test_one_point_is_one_piece(void)
{
    const struct piece_point point[] = {{7, 3}};
    struct piece_shape shape = {.tolerance = 0.03, .cut = 10};
    GArray *pieces = pieces_fit(point, 1, &shape);
    SUITE_SAME_INTEGER(pieces->len, 1);
    CU_ASSERT_DOUBLE_EQUAL(pieces_value(pieces, 7), 3, 1e-5);
    g_array_unref(pieces);
}

static void test_a_tolerance_of_none_follows_the_points(void)
{
    const struct piece_point point[] = {{0, 1}, {10, 3}, {20, 3}, {40, 9}};
    struct piece_shape shape = {.tolerance = 1e-9, .cut = INT64_MAX};
    GArray *pieces = pieces_fit(point, 4, &shape);
    SUITE_SAME_INTEGER(pieces->len, 3);
    for (int i = 0; i < 4; i++)
        CU_ASSERT_DOUBLE_EQUAL(pieces_value(pieces, point[i].size), point[i].value, 1e-7);
    CU_ASSERT_DOUBLE_EQUAL(pieces_value(pieces, 35), 7.5, 1e-7);
    g_array_unref(pieces);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a line is one piece", test_a_line_is_one_piece},
        {"the cut parts even a line", test_the_cut_parts_even_a_line},
        {"a step is two levels", test_a_step_is_two_levels},
        {"a square has as many pieces as its octaves ask for",
         test_a_square_has_as_many_pieces_as_its_octaves_ask_for},
        {"lines beyond the cut keep to the shape", test_lines_beyond_the_cut_keep_to_the_shape},
        {"one point is one piece", test_one_point_is_one_piece},
        {"a tolerance of none follows the points", test_a_tolerance_of_none_follows_the_points},
        {0},
    };
    return suite_run("flow: pieces of a curve", cases);
}
