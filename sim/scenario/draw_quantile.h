// SPDX-License-Identifier: GPL-3.0-or-later
// The quantiles of draws (draw.h has what they are for).
#ifndef NETSIM_SCENARIO_DRAW_QUANTILE_H
#define NETSIM_SCENARIO_DRAW_QUANTILE_H

#include <stdint.h>

#define DRAW_MOST 1000000
#define DRAW_BLOCK 20
#define DRAW_SHARED 0.5

// The quantile, above 0 and below 1, of the parameter or table at `path` in a draw, 1 .. DRAW_MOST.
double draw_quantile(int64_t draw, const char *path);

// That of a parameter that shares DRAW_SHARED of its variance with its table.
double draw_shared_quantile(int64_t draw, const char *path, const char *table);

#endif
