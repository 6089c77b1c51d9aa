// SPDX-License-Identifier: GPL-3.0-or-later
// Whether one line passes through intervals: for each pair of them, the slope has a least and a
// most value; there is a line if the largest least is not above the smallest most (Fourier and
// Motzkin's elimination of the base). A line through a range of sizes is one through each part of
// it, so that pieces which reach as far as they can are as few as possible.
#include "sim/flow/pieces.h"

#include <math.h>
#include <stdbool.h>

struct interval {
    double size, low, high;
};

// The lines through all intervals so far.
struct beam {
    GArray *intervals;  // struct interval
    double least, most; // slope
};

static void beam_start(struct beam *beam, const struct piece_shape *shape, bool beyond)
{
    g_array_set_size(beam->intervals, 0);
    beam->least = beyond ? shape->least_slope : -INFINITY;
    beam->most = INFINITY;
    struct interval origin = {shape->origin, 0, INFINITY};
    if (beyond)
        g_array_append_val(beam->intervals, origin);
}

// Slopes of the lines through the beam and one more interval, which has the largest size.
static bool beam_slopes(const struct beam *beam, const struct interval *added, double *least,
                        double *most)
{
    *least = beam->least;
    *most = beam->most;
    if (added->low > added->high)
        return false;
    for (guint i = 0; i < beam->intervals->len; i++) {
        const struct interval *other = &g_array_index(beam->intervals, struct interval, i);
        double run = added->size - other->size;
        *least = fmax(*least, (added->low - other->high) / run);
        *most = fmin(*most, (added->high - other->low) / run);
    }
    return *least <= *most;
}

static bool beam_passes(const struct beam *beam, const struct interval *added)
{
    double least, most;
    return beam_slopes(beam, added, &least, &most);
}

static void beam_add(struct beam *beam, const struct interval *added)
{
    beam_slopes(beam, added, &beam->least, &beam->most);
    g_array_append_val(beam->intervals, *added);
}

// A line in the middle of the beam.
static void beam_line(const struct beam *beam, struct flow_piece *piece)
{
    // A beam of one interval has any slope, or any that is large enough.
    if (isinf(beam->most))
        piece->slope = isinf(beam->least) ? 0 : beam->least;
    else
        piece->slope = (beam->least + beam->most) / 2;
    double low = -INFINITY, high = INFINITY;
    for (guint i = 0; i < beam->intervals->len; i++) {
        const struct interval *each = &g_array_index(beam->intervals, struct interval, i);
        low = fmax(low, each->low - piece->slope * each->size);
        high = fmin(high, each->high - piece->slope * each->size);
    }
    piece->base = (low + high) / 2;
}

double pieces_curve_at(const struct piece_point *points, int count, int64_t size)
{
    int low = 0, high = count - 1; // of the points around the size
    if (size <= points[0].size)
        return points[0].value;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (points[middle].size <= size)
            low = middle;
        else
            high = middle;
    }
    if (low == high)
        return points[low].value;
    double part =
        (double)(size - points[low].size) / (double)(points[high].size - points[low].size);
    return points[low].value + part * (points[high].value - points[low].value);
}

struct fit {
    const struct piece_point *points;
    int count;
    const struct piece_shape *shape;
    double tolerance;
    struct beam beam;
};

static struct interval interval_at(const struct fit *fit, int64_t size)
{
    double value = pieces_curve_at(fit->points, fit->count, size);
    return (struct interval){(double)size, value * (1 - fit->tolerance),
                             value * (1 + fit->tolerance)};
}

// The largest size up to `end` that the beam reaches: it passes at `from`, and not at `end`.
static int64_t reach(const struct fit *fit, int64_t from, int64_t end)
{
    while (end - from > 1) {
        int64_t middle = from + (end - from) / 2;
        struct interval there = interval_at(fit, middle);
        if (beam_passes(&fit->beam, &there))
            from = middle;
        else
            end = middle;
    }
    return from;
}

// Fits the piece that begins at `first`, as far as it reaches but not past `limit`. `next` is the
// first point beyond `first`.
static struct flow_piece fit_piece(struct fit *fit, int64_t first, int64_t limit, int next)
{
    struct flow_piece piece = {.first = first, .last = first};
    beam_start(&fit->beam, fit->shape, first > fit->shape->cut);
    struct interval start = interval_at(fit, first);
    beam_add(&fit->beam, &start);
    while (piece.last < limit) {
        int64_t end = next < fit->count ? MIN(fit->points[next].size, limit) : limit;
        next++;
        struct interval there = interval_at(fit, end);
        bool passes = beam_passes(&fit->beam, &there);
        if (!passes) {
            end = reach(fit, piece.last, end);
            there = interval_at(fit, end);
        }
        if (end > piece.last)
            beam_add(&fit->beam, &there);
        piece.last = end;
        if (!passes)
            break;
    }
    beam_line(&fit->beam, &piece);
    return piece;
}

static GArray *fit_all(struct fit *fit, double tolerance)
{
    GArray *pieces = g_array_new(FALSE, FALSE, sizeof(struct flow_piece));
    int64_t end = fit->points[fit->count - 1].size, cut = fit->shape->cut;
    int next = 0;
    fit->tolerance = tolerance;
    for (int64_t first = fit->points[0].size; first <= end;) {
        while (next < fit->count && fit->points[next].size <= first)
            next++;
        struct flow_piece piece = fit_piece(fit, first, first <= cut ? MIN(cut, end) : end, next);
        g_array_append_val(pieces, piece);
        first = piece.last + 1;
    }
    return pieces;
}

GArray *pieces_fit(const struct piece_point *points, int count, const struct piece_shape *shape)
{
    struct fit fit = {.points = points, .count = count, .shape = shape};
    fit.beam.intervals = g_array_new(FALSE, FALSE, sizeof(struct interval));
    double tight = 0, wide = shape->tolerance;
    GArray *best = fit_all(&fit, wide);
    while (wide - tight > 1e-6) {
        double middle = (tight + wide) / 2;
        GArray *pieces = fit_all(&fit, middle);
        if (pieces->len == best->len) {
            g_array_unref(best);
            best = pieces;
            wide = middle;
        } else {
            g_array_unref(pieces);
            tight = middle;
        }
    }
    g_array_unref(fit.beam.intervals);
    return best;
}

const struct flow_piece *pieces_at(const GArray *pieces, int64_t size)
{
    const struct flow_piece *piece = &g_array_index(pieces, struct flow_piece, 0);
    for (guint i = 1; i < pieces->len; i++) {
        const struct flow_piece *each = &g_array_index(pieces, struct flow_piece, i);
        if (each->first > size)
            break;
        piece = each;
    }
    return piece;
}

double pieces_value(const GArray *pieces, int64_t size)
{
    const struct flow_piece *piece = pieces_at(pieces, size);
    return piece->base + piece->slope * (double)size;
}
