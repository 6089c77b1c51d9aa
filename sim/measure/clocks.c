// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/measure/clocks.h"

static const char *const suffixes[] = {"_mean_us", "_min_us", "_max_us"};

static struct program_clock *clock_of(struct clocks *clocks, const char *name, sim_time since)
{
    if (!clocks->list)
        clocks->list = g_array_new(FALSE, FALSE, sizeof(struct program_clock));
    for (guint i = 0; i < clocks->list->len; i++) {
        struct program_clock *clock = &g_array_index(clocks->list, struct program_clock, i);
        if (clock->name == name)
            return clock;
    }
    struct program_clock clock = {.name = name, .since = since};
    g_array_append_val(clocks->list, clock);
    return &g_array_index(clocks->list, struct program_clock, clocks->list->len - 1);
}

void clocks_set(struct clocks *clocks, const char *name, sim_time now)
{
    clock_of(clocks, name, now)->since = now;
}

void clocks_lap(struct clocks *clocks, const char *name, sim_time began, sim_time now)
{
    struct program_clock *clock = clock_of(clocks, name, began);
    sim_time lap = now - clock->since;
    clock->least = clock->laps == 0 ? lap : MIN(clock->least, lap);
    clock->most = MAX(clock->most, lap);
    clock->sum += lap;
    clock->laps++;
    clock->since = now;
}

void clocks_report(const struct clocks *clocks, int rank, struct series_result *result)
{
    for (guint i = 0; clocks->list && i < clocks->list->len; i++) {
        const struct program_clock *clock = &g_array_index(clocks->list, struct program_clock, i);
        if (clock->laps == 0)
            continue;
        const double values[] = {time_to_us(clock->sum) / (double)clock->laps,
                                 time_to_us(clock->least), time_to_us(clock->most)};
        for (size_t k = 0; k < G_N_ELEMENTS(suffixes); k++) {
            char *metric = g_strconcat(clock->name, suffixes[k], NULL);
            series_result_add(result, rank, -1, metric, values[k]);
            g_free(metric);
        }
    }
}

void clocks_clear(struct clocks *clocks)
{
    if (clocks->list)
        g_array_free(clocks->list, TRUE);
    *clocks = (struct clocks){0};
}

static void append_metric(GPtrArray *metrics, char *metric)
{
    if (g_ptr_array_find_with_equal_func(metrics, metric, g_str_equal, NULL))
        g_free(metric);
    else
        g_ptr_array_add(metrics, metric);
}

static void append_of_body(GPtrArray *metrics, const GPtrArray *body)
{
    for (guint i = 0; i < body->len; i++) {
        const struct op *op = g_ptr_array_index(body, i);
        if (op->body)
            append_of_body(metrics, op->body);
        if (!op_is(op, OP_LAP))
            continue;
        const char *name = ((const struct clock_arguments *)op->arguments)->name;
        for (size_t k = 0; k < G_N_ELEMENTS(suffixes); k++)
            append_metric(metrics, g_strconcat(name, suffixes[k], NULL));
    }
}

void clocks_append_metrics(GPtrArray *metrics, const struct program *program)
{
    for (guint i = 0; i < program->parts->len; i++)
        append_of_body(metrics,
                       ((const struct program_part *)g_ptr_array_index(program->parts, i))->body);
}
