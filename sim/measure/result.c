// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/measure/result.h"

#include "sim/core/intern.h"
#include "sim/scenario/schema.h"

#include <string.h>

struct result *result_new(const char *scenario, uint64_t seed)
{
    struct result *result = g_new0(struct result, 1);
    result->scenario = g_strdup(scenario);
    result->seed = seed;
    result->series = g_ptr_array_new_with_free_func((GDestroyNotify)series_result_free);
    result->idle_settings = g_ptr_array_new_with_free_func(g_free);
    return result;
}

void result_free(struct result *result)
{
    if (!result)
        return;
    g_ptr_array_unref(result->series);
    g_ptr_array_unref(result->idle_settings);
    g_free(result->scenario);
    g_free(result);
}

struct series_result *series_result_new(const char *name, const char *stack)
{
    struct series_result *series = g_new0(struct series_result, 1);
    series->name = g_strdup(name);
    series->stack = g_strdup(stack);
    series->status = SIM_COMPLETED;
    series->values = g_array_new(FALSE, TRUE, sizeof(struct result_value));
    series->losses = g_array_new(FALSE, TRUE, sizeof(struct result_loss));
    series->standouts = g_array_new(FALSE, TRUE, sizeof(struct result_standout));
    series->ledger_balanced = true;
    return series;
}

void series_result_free(struct series_result *series)
{
    if (!series)
        return;
    g_free(series->name);
    g_free(series->stack);
    json_decref(series->reason);
    g_array_unref(series->values);
    g_array_unref(series->standouts);
    g_array_unref(series->losses);
    if (series->samples)
        g_array_unref(series->samples);
    if (series->ledger_report)
        g_ptr_array_unref(series->ledger_report);
    if (series->declined)
        g_ptr_array_unref(series->declined);
    if (series->links)
        g_ptr_array_unref(series->links);
    g_clear_pointer(&series->link_sizes, g_ptr_array_unref);
    json_decref(series->counters);
    g_free(series);
}

void series_result_add(struct series_result *series, int rank, int64_t size, const char *metric,
                       double value)
{
    struct result_value entry = {rank, size, intern_text(metric), value};
    g_array_append_val(series->values, entry);
}

static const struct series_result *series_at(const struct result *result, guint index)
{
    return g_ptr_array_index(result->series, index);
}

enum sim_status result_status(const struct result *result)
{
    enum sim_status worst = SIM_COMPLETED;
    for (guint i = 0; i < result->series->len; i++)
        worst = MAX(worst, series_at(result, i)->status);
    return worst;
}

uint64_t result_events(const struct result *result)
{
    uint64_t sum = 0;
    for (guint i = 0; i < result->series->len; i++)
        sum += series_at(result, i)->events;
    return sum;
}

// The finaliser of SplitMix64 over a running value, so that order and number of series count.
uint64_t result_fingerprint_add(uint64_t hash, uint64_t fingerprint)
{
    hash = (hash + 0x9e3779b97f4a7c15u) ^ fingerprint;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    return hash ^ (hash >> 31);
}

uint64_t result_fingerprint(const struct result *result)
{
    uint64_t hash = RESULT_FINGERPRINT_START;
    for (guint i = 0; i < result->series->len; i++)
        hash = result_fingerprint_add(hash, series_at(result, i)->fingerprint);
    return hash;
}

double result_wall_s(const struct result *result)
{
    double sum = 0.0;
    for (guint i = 0; i < result->series->len; i++)
        sum += series_at(result, i)->wall_s;
    return sum;
}

sim_time result_simulated(const struct result *result)
{
    sim_time sum = 0;
    for (guint i = 0; i < result->series->len; i++)
        sum += series_at(result, i)->simulated;
    return sum;
}

struct ledger_totals result_ledger(const struct result *result)
{
    struct ledger_totals sum = {0};
    for (guint i = 0; i < result->series->len; i++) {
        const struct ledger_totals *part = &series_at(result, i)->ledger;
        sum.messages += part->messages;
        sum.bytes += part->bytes;
        sum.delivered += part->delivered;
        sum.declined += part->declined;
        sum.lost += part->lost;
        sum.open += part->open;
        sum.duplicated += part->duplicated;
        sum.misordered += part->misordered;
        sum.delivered_bytes += part->delivered_bytes;
        sum.declined_bytes += part->declined_bytes;
        sum.dropped_parts += part->dropped_parts;
    }
    return sum;
}

struct size_axis size_axis_of(const char *counts)
{
    static const struct {
        const char *counts;
        struct size_axis axis;
    } times[] = {
        {COUNTS_SECONDS, {"time", "s", true}},
        {COUNTS_MS, {"time", "ms", true}},
    };
    if (!counts)
        return (struct size_axis){"message size", "B", false};
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++)
        if (strcmp(times[i].counts, counts) == 0)
            return times[i].axis;
    return (struct size_axis){counts, "", false};
}

// The unit that the last word of name[0 .. length) stands for; "" if none.
static const char *unit_of_last_word(const char *name, size_t length)
{
    static const struct {
        const char *word, *unit;
    } units[] = {
        {"ps", "ps"},   {"ns", "ns"},   {"us", "us"},     {"ms", "ms"},       {"s", "s"},
        {"b", "b"},     {"kb", "kb"},   {"Mb", "Mb"},     {"Gb", "Gb"},       {"bits", "b"},
        {"B", "B"},     {"kB", "kB"},   {"MB", "MB"},     {"GB", "GB"},       {"bytes", "B"},
        {"KiB", "KiB"}, {"MiB", "MiB"}, {"GiB", "GiB"},   {"Hz", "Hz"},       {"kHz", "kHz"},
        {"MHz", "MHz"}, {"GHz", "GHz"}, {"percent", "%"}, {"pages", "pages"}, {"Mop", "Mop"},
    };
    const char *word = name + length;
    while (word > name && word[-1] != '_')
        word--;
    if (word == name) // the whole name is one word: what is measured, not its unit
        return "";
    size_t word_length = (size_t)(name + length - word);
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
        if (strlen(units[i].word) == word_length && strncmp(units[i].word, word, word_length) == 0)
            return units[i].unit;
    return "";
}

const char *metric_unit(const char *metric)
{
    static const char per_second[] = "_per_s";
    size_t length = strlen(metric);
    if (!g_str_has_suffix(metric, per_second))
        return unit_of_last_word(metric, length);
    const char *counted = unit_of_last_word(metric, length - strlen(per_second));
    char *unit = g_strdup_printf("%s/s", *counted ? counted : "1");
    const char *interned = intern_text(unit);
    g_free(unit);
    return interned;
}

int metric_worse_sign(const char *metric)
{
    static const char *const times[] = {"ps", "ns", "us", "ms", "s", NULL};
    if (g_str_has_suffix(metric, "_per_s"))
        return -1;
    return g_strv_contains(times, metric_unit(metric)) ? 1 : 0;
}
