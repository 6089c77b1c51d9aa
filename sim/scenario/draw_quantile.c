// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/draw_quantile.h"

#include "sim/core/random.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

// The place of a draw in its block, which is in the order of its draws' hashes.
static int place_in_block(int64_t draw, const char *path)
{
    int64_t first = (draw - 1) / DRAW_BLOCK * DRAW_BLOCK + 1;
    uint64_t own = random_hash((uint64_t)draw, path);
    int place = 0;
    for (int64_t other = first; other < first + DRAW_BLOCK; other++) {
        uint64_t hash = random_hash((uint64_t)other, path);
        place += hash < own || (hash == own && other < draw);
    }
    return place;
}

double draw_quantile(int64_t draw, const char *path)
{
    // Seeds of a part's place are none of a draw's.
    uint64_t bits = random_hash((uint64_t)draw | UINT64_C(1) << 63, path);
    double part = ldexp((double)(bits >> 11) + 0.5, -53); // above 0 and below 1
    return (place_in_block(draw, path) + part) / DRAW_BLOCK;
}

double draw_shared_quantile(int64_t draw, const char *path, const char *table)
{
    double own = gsl_cdf_ugaussian_Pinv(draw_quantile(draw, path));
    double shared = gsl_cdf_ugaussian_Pinv(draw_quantile(draw, table));
    return gsl_cdf_ugaussian_P(sqrt(1.0 - DRAW_SHARED) * own + sqrt(DRAW_SHARED) * shared);
}
