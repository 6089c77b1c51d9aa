// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/explain/csv.h"

#include "sim/explain/trial.h"
#include "sim/output/csv_field.h"

struct csv {
    GString *out;
    const char *scenario, *series;
    const struct explanation *found;
};

static void head(const struct csv *csv, const char *kind, const char *name, const char *class,
                 const char *unit)
{
    csv_append_field(csv->out, csv->scenario);
    g_string_append_c(csv->out, ',');
    csv_append_field(csv->out, csv->series);
    g_string_append_c(csv->out, ',');
    if (csv->found->size >= 0)
        g_string_append_printf(csv->out, "%" G_GINT64_FORMAT, csv->found->size);
    g_string_append_printf(csv->out, ",%s,", kind);
    csv_append_field(csv->out, name);
    g_string_append_c(csv->out, ',');
    csv_append_field(csv->out, class);
    g_string_append_printf(csv->out, ",%s,", unit);
}

static void row(const struct csv *csv, const char *kind, const char *name, const char *class,
                const char *unit, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    head(csv, kind, name, class, unit);
    g_string_append_printf(csv->out, "%s\n", g_ascii_dtostr(text, sizeof text, value));
}

static void parts(const struct csv *csv, const char *kind, const GArray *list)
{
    for (guint i = 0; i < list->len; i++) {
        const struct explain_part *part = &g_array_index(list, struct explain_part, i);
        row(csv, kind, part->name, part->class, "us", explain_us(csv->found, part->time));
    }
}

static void loads(const struct csv *csv)
{
    for (guint i = 0; i < csv->found->loads->len; i++) {
        const struct resource_load *load =
            &g_array_index(csv->found->loads, struct resource_load, i);
        char *name = load_name(load);
        if (load->works) {
            row(csv, "busy", name, "", "us", explain_us(csv->found, load->busy_time));
            row(csv, "utilisation", name, "", "1", load->busy);
            row(csv, "on_the_way", name, "", "1", load->way);
        }
        if (load->queues) {
            row(csv, "mean_queue", name, "", "1", load->mean_queue);
            row(csv, "longest_queue", name, "", "1", load->longest_queue);
        }
        g_free(name);
    }
}

static void trials(const struct csv *csv)
{
    for (guint i = 0; i < csv->found->trials->len; i++) {
        const struct explain_trial *trial = g_ptr_array_index(csv->found->trials, i);
        char *settings = trial_settings(trial);
        if (!trial->why)
            row(csv, "trial", trial->what ? trial->what : "", settings, "%",
                100 * trial_gain(csv->found, trial));
        g_free(settings);
    }
}

static void failure(const struct csv *csv)
{
    const char *kind = json_string_value(json_object_get(csv->found->reason, "kind"));
    head(csv, "failure", kind ? kind : "not_measured", "", "");
    g_string_append_c(csv->out, '\n');
}

GString *explain_csv(const char *scenario, const GPtrArray *all)
{
    GString *out = g_string_new("scenario,series,size,kind,name,class,unit,value\n");
    for (guint i = 0; i < all->len; i++) {
        const struct explained_series *series = g_ptr_array_index(all, i);
        for (guint k = 0; k < series->sizes->len; k++) {
            struct csv csv = {out, scenario, series->name, g_ptr_array_index(series->sizes, k)};
            if (!csv.found->done) {
                failure(&csv);
                continue;
            }
            parts(&csv, "stage", csv.found->path);
            parts(&csv, "held", csv.found->held);
            row(&csv, "total", "", "", "us", explain_us(csv.found, csv.found->total));
            if (csv.found->repetitions) {
                row(&csv, "repetitions", "explain", "", "1", (double)csv.found->repetitions);
                row(&csv, "repetitions", "run", "", "1", (double)csv.found->run_repetitions);
            }
            if (csv.found->run_messages)
                row(&csv, "run total", "", "", "us",
                    time_to_us(csv.found->run_total) / (double)csv.found->run_messages);
            parts(&csv, "sleep", csv.found->sleeps);
            loads(&csv);
            row(&csv, "steps", "", "", "1", (double)csv.found->steps / (double)csv.found->messages);
            trials(&csv);
        }
    }
    return out;
}
