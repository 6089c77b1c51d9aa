// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/outcome/draws_text.h"

#include "sim/outcome/grid.h"
#include "sim/outcome/paired.h"
#include "sim/outcome/report_words.h"
#include "sim/output/text.h"

#include <string.h>

#define MOST_BEST 3 // points that are the best in some draws

bool draws_are_in(const json_t *report)
{
    return json_array_size(json_object_get(report, "draws")) > 0;
}

void draws_print_head(const json_t *report, GString *out)
{
    if (!draws_are_in(report))
        return;
    const json_t *seeds = json_object_get(report, "seeds");
    char *draws = report_joined(json_object_get(report, "draws"));
    g_string_append_printf(out, "Each point in the draws %s: values are medians (5 %% .. 95 %%)",
                           draws);
    g_free(draws);
    if (json_array_size(seeds) > 0) {
        char *text = report_joined(seeds);
        g_string_append_printf(out, " over draws, of means over the seeds %s", text);
        g_free(text);
    }
    g_string_append_c(out, '\n');
}

// ---- Bands ----

static char *drawn_text(const json_t *band)
{
    return text_with_band(json_number_value(json_object_get(band, "median")),
                          json_number_value(json_object_get(band, "low")),
                          json_number_value(json_object_get(band, "high")));
}

static void print_bands(const json_t *report, const json_t *metric, GString *out)
{
    static const char *const head[] = {"", "", "draws", "median (5 % .. 95 %)"};
    const json_t *bands = json_object_get(metric, "bands"), *band;
    size_t i;
    if (json_array_size(bands) == 0)
        return;
    if (json_array_size(bands) > REPORT_MOST_ROWS) {
        g_string_append(out, "  too many bands for rows: --format json has them\n");
        return;
    }
    struct grid grid = grid_new(G_N_ELEMENTS(head), ~3u);
    for (size_t k = 0; k < G_N_ELEMENTS(head); k++)
        grid_add(&grid, head[k]);
    json_array_foreach(bands, i, band)
    {
        int n = report_number(band, "n"), draws = report_number(band, "draws");
        if (report_repeats_point(report, json_object_get(band, "at")))
            continue;
        grid_take(&grid, report_row_name(report, band));
        grid_take(&grid, report_point_text(report, json_object_get(band, "at"), false));
        grid_take(&grid,
                  n < draws ? g_strdup_printf("%d of %d", n, draws) : g_strdup_printf("%d", n));
        grid_take(&grid, drawn_text(band));
    }
    grid_print(&grid, out);
}

// ---- The best ----

// "all draws", or "71 %; buffers=8 in 29 %": the share of the best point, then those of others.
static char *best_in_text(const json_t *report, const json_t *row)
{
    const json_t *list = json_object_get(row, "best_in"), *one;
    int point = report_number(json_object_get(row, "best_point"), "point"), others = 0;
    GString *text = g_string_new("no draw");
    size_t i;
    json_array_foreach(list, i, one)
    {
        double share = json_number_value(json_object_get(one, "share"));
        if (report_number(json_object_get(one, "at"), "point") != point)
            continue;
        char *percent = share < 1.0 ? share_percent(share) : g_strdup("all draws");
        g_string_assign(text, percent);
        g_free(percent);
    }
    json_array_foreach(list, i, one)
    {
        const json_t *at = json_object_get(one, "at");
        if (json_is_true(json_object_get(one, "same_as_best")) || report_repeats_point(report, at))
            continue;
        if (++others > MOST_BEST)
            continue;
        char *name = report_point_text(report, at, false);
        char *percent = share_percent(json_number_value(json_object_get(one, "share")));
        g_string_append_printf(text, "; %s in %s", name, percent);
        g_free(percent);
        g_free(name);
    }
    if (others > MOST_BEST)
        g_string_append_printf(text, "; and %d more", others - MOST_BEST);
    return g_string_free(text, FALSE);
}

// "buffers=16  (and 2 more)" that have the same in each draw.
static char *best_point_text(const json_t *report, const json_t *row)
{
    const json_t *best = json_object_get(row, "best_point"), *one;
    int more = 0;
    size_t i;
    json_array_foreach(json_object_get(row, "best_in"), i, one)
    {
        const json_t *at = json_object_get(one, "at");
        more += json_is_true(json_object_get(one, "same_as_best")) &&
                report_number(at, "point") != report_number(best, "point") &&
                !report_repeats_point(report, at);
    }
    char *name = report_point_text(report, best, false);
    char *text = more ? g_strdup_printf("%s  (and %d more)", name, more) : g_strdup(name);
    g_free(name);
    return text;
}

static void print_best(const json_t *report, const json_t *rows, GString *out)
{
    static const char *const head[] = {"", "best", "at", "best in", "worst", "at"};
    struct grid grid = grid_new(G_N_ELEMENTS(head), 1u << 1 | 1u << 4);
    const json_t *row;
    size_t i, left = 0, shown = 0;
    for (size_t k = 0; k < G_N_ELEMENTS(head); k++)
        grid_add(&grid, head[k]);
    json_array_foreach(rows, i, row)
    {
        if (report_is_flat(row))
            continue;
        if (shown++ >= REPORT_MOST_ROWS) {
            left++;
            continue;
        }
        bool apart = json_is_true(json_object_get(row, "told_apart"));
        char *worst = report_point_text(report, json_object_get(row, "worst_point"), false);
        grid_take(&grid, report_row_name(report, row));
        grid_take(&grid, drawn_text(json_object_get(row, "best_band")));
        grid_take(&grid, best_point_text(report, row));
        grid_take(&grid, best_in_text(report, row));
        grid_take(&grid, drawn_text(json_object_get(row, "worst_band")));
        grid_take(&grid, g_strconcat(worst, apart ? NULL : "  (not told apart)", NULL));
        g_free(worst);
    }
    if (shown) {
        g_string_append_c(out, '\n');
        grid_print(&grid, out);
    } else {
        g_ptr_array_unref(grid.cells);
    }
    if (left)
        g_string_append_printf(out, "  and %zu more row%s: --format json has them\n", left,
                               left == 1 ? "" : "s");
}

void draws_print_metric(const json_t *report, const json_t *metric, GString *out)
{
    if (!draws_are_in(report))
        return;
    print_bands(report, metric, out);
    print_best(report, json_object_get(metric, "rows"), out);
}

// ---- Differences ----

char *draws_change_text(const json_t *change)
{
    char *text = paired_change_text(change), *share = paired_share_text(change);
    bool any = strcmp(share, "-") != 0, apart = json_is_true(json_object_get(change, "told_apart"));
    char *both =
        any ? g_strdup_printf("%s%s in %s%s", apart ? "" : "(", text, share, apart ? "" : ")")
            : g_strdup(text);
    g_free(share);
    g_free(text);
    return both;
}

// How many differences there are, of one metric or (NULL) of all.
static size_t count_differences(const json_t *report, const char *metric)
{
    size_t i, count = 0;
    const json_t *one;
    json_array_foreach(json_object_get(report, "differences"), i, one)
    {
        count += !report_repeats_point(report, json_object_get(one, "at")) &&
                 (!metric || strcmp(report_member(one, "metric"), metric) == 0);
    }
    return count;
}

static void print_between_series(const json_t *report, GString *out)
{
    const json_t *list = json_object_get(report, "differences"), *one;
    const char *only = NULL;
    size_t i, count = count_differences(report, NULL);
    if (count > REPORT_MOST_ROWS) {
        only = report_member(json_array_get(list, 0), "metric");
        count = count_differences(report, only);
    }
    if (count == 0)
        return;
    g_string_append(out, "\nBetween series, draw by draw\n");
    if (count > REPORT_MOST_ROWS) {
        g_string_append(out, "  too many differences for rows: --format json has them\n");
        return;
    }
    struct grid grid = grid_new(5, 1u << 4);
    json_array_foreach(list, i, one)
    {
        if ((only && strcmp(report_member(one, "metric"), only) != 0) ||
            report_repeats_point(report, json_object_get(one, "at")))
            continue;
        grid_take(&grid, g_strdup_printf("%s against %s", report_member(one, "series"),
                                         report_member(one, "against")));
        grid_add(&grid, report_member(one, "metric"));
        grid_take(&grid, report_row_name(report, one));
        grid_take(&grid, report_point_text(report, json_object_get(one, "at"), false));
        grid_take(&grid, draws_change_text(one));
    }
    grid_print(&grid, out);
}

void draws_print_differences(const json_t *report, GString *out)
{
    if (!draws_are_in(report))
        return;
    print_between_series(report, out);
    g_string_append(out,
                    "\n(changes: median, 5 % .. 95 %, and the share of the draws that have its "
                    "sign; in brackets, or \"not told apart\": fewer than 95 % have it)\n");
}
