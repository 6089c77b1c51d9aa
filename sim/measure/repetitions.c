// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/measure/repetitions.h"

#include <math.h>

#define MEDIAN 0.5

void repetitions_begin(struct repetitions *of, sim_time now)
{
    gsl_rstat_quantile_workspace *median = of->median;
    *of = (struct repetitions){.last = now, .median = median};
    if (median)
        gsl_rstat_quantile_reset(median);
}

void repetitions_add(struct repetitions *of, const struct sim *sim, sim_time from, sim_time to)
{
    sim_time time = to - from;
    if (!of->median)
        of->median = gsl_rstat_quantile_alloc(MEDIAN);
    if (of->count == 0)
        of->first = time;
    if (time > of->longest) {
        of->longest = time;
        of->longest_at = of->count;
        of->waited = sim ? sim_longest_wait(sim, from, to) : (struct sim_wait){0};
        if (2 * (of->waited.to - of->waited.from) < time)
            of->waited.what = NULL;
    }
    of->sum += time;
    of->last = to;
    of->count++;
    gsl_rstat_quantile_add((double)time, of->median);
}

void repetitions_clear(struct repetitions *of)
{
    if (of->median)
        gsl_rstat_quantile_free(of->median);
    *of = (struct repetitions){0};
}

static void add(struct series_result *result, enum standout_kind kind, int rank, int64_t size,
                const struct repetitions *of, double us, double usual_us, double scale)
{
    struct result_standout standout = {
        .kind = kind,
        .rank = rank,
        .size = size,
        .repetition = kind == STANDOUT_FIRST ? 1 : of->longest_at + 1,
        .repetitions = of->count,
        .us = us,
        .usual_us = usual_us,
    };
    if (of->waited.what && standout.repetition == of->longest_at + 1) {
        standout.wait = of->waited.what;
        standout.wait_us = (double)(of->waited.to - of->waited.from) * scale;
    }
    g_array_append_val(result->standouts, standout);
}

void repetitions_judge(const struct repetitions *of, int rank, int64_t size, int64_t parts,
                       struct series_result *result)
{
    if (of->count < 2)
        return;
    double scale = 1e-6 / (double)parts;
    double median = gsl_rstat_quantile_get(of->median), others;
    if (median > 0 && (double)of->longest >= STANDOUT_TIMES * median) {
        add(result, STANDOUT_LONGEST, rank, size, of, (double)of->longest * scale, median * scale,
            scale);
        return;
    }
    others = (double)(of->sum - of->first) / (double)(of->count - 1);
    double difference = fabs((double)of->first - others);
    if (difference > WARM_UP_DIFFERENCE * others &&
        difference / (double)of->count > WARM_UP_EFFECT * others)
        add(result, STANDOUT_FIRST, rank, size, of, (double)of->first * scale, others * scale,
            scale);
}
