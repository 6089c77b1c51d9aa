// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/explain/report.h"

#include "sim/explain/trial.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

#define NAME_WIDTH 26     // at least
#define LOAD_WIDTH 24     // at least, of a resource's name
#define MARGIN 8          // of what a wait is made of, left of and right of its name
#define MOST_RESOURCES 12 // lines in a table
#define LEAST_BUSY 0.001
#define SIZE_WIDTH 10
#define COLUMN_WIDTH 8 // at least

struct explained_series *explained_series_new(const struct scenario_case *test_case)
{
    struct explained_series *series = g_new0(struct explained_series, 1);
    series->name = test_case->name;
    series->stack = test_case->stack->name;
    series->sizes = g_ptr_array_new_with_free_func((GDestroyNotify)explanation_free);
    return series;
}

void explained_series_free(struct explained_series *series)
{
    g_ptr_array_unref(series->sizes);
    g_free(series);
}

static const struct explanation *size_at(const struct explained_series *series, guint index)
{
    return g_ptr_array_index(series->sizes, index);
}

static const struct explain_part *part_at(const GArray *parts, guint index)
{
    return &g_array_index(parts, struct explain_part, index);
}

static char *size_text(const struct explanation *found)
{
    if (found->size < 0)
        return g_strdup("program");
    if (found->over_time)
        return g_strdup("a buffer");
    return g_strdup_printf("%" G_GINT64_FORMAT " %s", found->size,
                           found->counts ? found->counts : "B");
}

// ---- One size ----

// Wide enough for every name of the tables.
static int name_width(const struct explanation *found)
{
    int width = NAME_WIDTH;
    for (guint i = 0; i < found->path->len; i++)
        width = MAX(width, text_width(part_at(found->path, i)->name));
    for (guint i = 0; i < found->held->len; i++)
        width = MAX(width, text_width(part_at(found->held, i)->name) + MARGIN);
    for (guint i = 0; i < found->sleeps->len; i++)
        width = MAX(width, text_width(part_at(found->sleeps, i)->name));
    return width;
}

static int load_name_width(const struct explanation *found)
{
    int width = LOAD_WIDTH;
    for (guint i = 0; i < MIN(found->loads->len, MOST_RESOURCES); i++) {
        char *name = load_name(&g_array_index(found->loads, struct resource_load, i));
        width = MAX(width, text_width(name));
        g_free(name);
    }
    return width;
}

// The parts of a wait: the path of the awaited message, or the holder of the link.
static void print_held(const struct explanation *found, const char *wait, int width, FILE *out)
{
    for (guint i = 0; i < found->held->len; i++) {
        const struct explain_part *part = part_at(found->held, i);
        if (strcmp(part->class, wait) == 0)
            fprintf(out, "    of it %-*s %10.3f\n", width - MARGIN, part->name,
                    explain_us(found, part->time));
    }
}

static void print_path(const struct explanation *found, int width, FILE *out)
{
    double total = MAX((double)found->total, 1.0), sum = 0.0;
    fprintf(out, "  %-*s %10s %8s %10s  %s\n", width, "stage", "us", "share", "cumulated", "class");
    for (guint i = 0; i < found->path->len; i++) {
        const struct explain_part *part = part_at(found->path, i);
        sum += (double)part->time;
        fprintf(out, "  %-*s %10.3f %6.1f %% %8.1f %%  %s\n", width, part->name,
                explain_us(found, part->time), 100 * (double)part->time / total, 100 * sum / total,
                part->class);
        print_held(found, part->name, width, out);
    }
    fprintf(out, "  %-*s %10.3f\n", width, "sum", explain_us(found, found->total));
}

static void print_sleeps(const struct explanation *found, int width, FILE *out)
{
    if (found->sleeps->len == 0)
        return;
    fprintf(out, "\n  rank %d sleeps meanwhile, for each message, and waits for\n", found->rank);
    for (guint i = 0; i < found->sleeps->len; i++) {
        const struct explain_part *part = part_at(found->sleeps, i);
        fprintf(out, "  %-*s %10.3f us\n", width, part->name, explain_us(found, part->time));
    }
}

static void print_classes(const struct resource_load *load, FILE *out)
{
    const char *before = "\n    ";
    for (int class = 0; class < RECORD_CLASSES; class ++) {
        if (load->by_class[class] < LEAST_BUSY)
            continue;
        fprintf(out, "%s%s %.1f %%", before, record_classes[class], 100 * load->by_class[class]);
        before = ", ";
    }
    fputc('\n', out);
}

static void print_loads(const struct explanation *found, FILE *out)
{
    int width = load_name_width(found);
    fprintf(out, "\n  %-*s %10s %8s %10s %10s %7s\n", width, "resource", "busy us", "busy",
            "on the way", "mean queue", "longest");
    guint shown = MIN(found->loads->len, MOST_RESOURCES);
    for (guint i = 0; i < shown; i++) {
        const struct resource_load *load = &g_array_index(found->loads, struct resource_load, i);
        char *name = load_name(load);
        if (load->works)
            fprintf(out, "  %-*s %10.3f %6.1f %% %8.1f %%", width, name,
                    explain_us(found, load->busy_time), 100 * load->busy, 100 * load->way);
        else
            fprintf(out, "  %-*s %10s %8s %10s", width, name, "-", "-", "-");
        if (load->queues)
            fprintf(out, " %10.2f %7d", load->mean_queue, load->longest_queue);
        else
            fprintf(out, " %10s %7s", "-", "-");
        print_classes(load, out);
        g_free(name);
    }
    if (found->loads->len > shown)
        fprintf(out, "  and %u that are less busy (--format json has them)\n",
                found->loads->len - shown);
}

// Where something else is explained than what `run` measures: what, and what that measures.
static void print_other(const struct explanation *found, const char *before, FILE *out)
{
    const char *what = found->whole ? "" : "the mean of ";
    if (found->shortened)
        fprintf(out,
                "(%sthis size by itself, with %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                " repetitions: the record of the whole run is too long; run measures %.3f us, "
                "%sall %" G_GINT64_FORMAT ")\n",
                before, found->repetitions, found->run_repetitions,
                time_to_us(found->run_total) / (double)MAX(found->run_messages, 1), what,
                found->run_repetitions);
    else if (found->added)
        fprintf(out,
                "(%snot one of the scenario's sizes: run by itself, as --set workload.sizes "
                "does)\n",
                before);
}

// The samples of which the time is the mean, or the sum, if that of a program is measured.
static void print_mean(const struct explanation *found, FILE *out)
{
    if (found->whole)
        fprintf(out, ", all %" G_GINT64_FORMAT " repetitions", found->repetitions);
    else if (found->messages > 1)
        fprintf(out, ", the mean of %" G_GINT64_FORMAT " messages", found->messages);
    if (found->repetitions && !found->whole)
        fprintf(out, "%s %" G_GINT64_FORMAT " repetition%s", found->messages > 1 ? " in" : ", of",
                found->repetitions, found->repetitions == 1 ? "" : "s");
    fprintf(out, ", as rank %d measures %s\n", found->rank, found->whole ? "them" : "it");
    print_other(found, "", out);
    fputc('\n', out);
}

// How many messages had to follow one another, and what decides that.
static void print_steps(const struct explanation *found, FILE *out)
{
    if (found->choices->len == 0)
        return;
    fprintf(out, "\n  %.4g messages one after the other on the way, by\n",
            (double)found->steps / (double)MAX(found->messages, 1));
    for (guint i = 0; i < found->choices->len; i++)
        fprintf(out, "  %s\n", (const char *)g_ptr_array_index(found->choices, i));
}

static char *gain_text(const struct explanation *found, const struct explain_trial *trial)
{
    double percent = 100 * trial_gain(found, trial);
    if (trial->why)
        return g_strdup_printf("not tried: %s", trial->why);
    const char *more = percent > 0 ? "less" : "more";
    if (fabs(trial_share(found, trial)) > TRIAL_CHANCE)
        return g_strdup_printf("%.2f %% %s time, by chance: the order of things changes",
                               fabs(percent), more);
    if (percent == 0)
        return g_strdup("no change");
    if (fabs(percent) < 0.01)
        return g_strdup_printf("under 0.01 %% %s time", more);
    return g_strdup_printf("%.2f %% %s time", fabs(percent), more);
}

// The trials: a line each, those that help most first.
static void print_trials(const struct explanation *found, FILE *out)
{
    if (found->trials->len > 0)
        fputc('\n', out);
    for (guint i = 0; i < found->trials->len; i++) {
        const struct explain_trial *trial = g_ptr_array_index(found->trials, i);
        char *settings = trial_settings(trial), *gain = gain_text(found, trial);
        if (trial->what)
            fprintf(out, "  %.3g %% faster, %s: %s (%s)\n", trial->percent, trial->what, gain,
                    settings);
        else
            fprintf(out, "  with %s: %s\n", settings, gain);
        g_free(settings);
        g_free(gain);
    }
}

static void print_bound(const struct explanation *found, FILE *out)
{
    const struct explain_part *first = found->path->len ? part_at(found->path, 0) : NULL;
    if (found->bound)
        fprintf(out, "\n  %s\n", found->bound);
    else if (first)
        fprintf(out, "\n  the largest part of the way is \"%s\", %.1f %%\n", first->name,
                100 * (double)first->time / MAX((double)found->total, 1.0));
}

void report_print_size(const struct explained_series *series, const struct explanation *found,
                       FILE *out)
{
    char *size = size_text(found);
    if (!found->done) {
        fprintf(out, "%s, %s: no message came to its end that could be explained\n\n%s\n",
                series->name, size, found->report ? found->report : found->why);
        g_free(size);
        return;
    }
    fprintf(out, "%s, %s: %.3f us", series->name, size, explain_us(found, found->total));
    print_mean(found, out);
    g_free(size);
    int width = name_width(found);
    print_path(found, width, out);
    print_sleeps(found, width, out);
    print_loads(found, out);
    print_steps(found, out);
    print_trials(found, out);
    print_bound(found, out);
}

// ---- All sizes ----

// The classes that some size has time in, in their order; NULL-terminated. g_free.
static const char **classes_of(const struct explained_series *series)
{
    guint count = 0;
    const char **classes = g_new0(const char *, STAGE_CLASSES + 1);
    for (guint i = 0; i < STAGE_CLASSES; i++) {
        bool any = false;
        for (guint k = 0; !any && k < series->sizes->len; k++)
            any = explain_class_time(size_at(series, k), stage_class_name(i)) > 0;
        if (any)
            classes[count++] = stage_class_name(i);
    }
    return classes;
}

// Wide enough for a class's name and for every time in its column; NULL: the totals.
static int column_width(const struct explained_series *series, const char *class)
{
    int width = MAX(COLUMN_WIDTH, text_width(class ? class : "total"));
    for (guint i = 0; i < series->sizes->len; i++) {
        const struct explanation *found = size_at(series, i);
        if (!found->done)
            continue;
        sim_time time = class ? explain_class_time(found, class) : found->total;
        char *text = g_strdup_printf("%.2f", explain_us(found, time));
        width = MAX(width, text_width(text));
        g_free(text);
    }
    return width + (class ? 2 : 3);
}

static void print_row(const struct explained_series *series, const struct explanation *found,
                      const char *const *classes, FILE *out)
{
    char *size =
        found->counts ? g_strdup_printf("%" G_GINT64_FORMAT, found->size) : size_text(found);
    fprintf(out, "%*s", SIZE_WIDTH, size);
    g_free(size);
    if (!found->done) {
        fprintf(out, "  %s\n", found->why);
        return;
    }
    for (; *classes; classes++)
        fprintf(out, "%*.2f", column_width(series, *classes),
                explain_us(found, explain_class_time(found, *classes)));
    fprintf(out, "%*.2f\n", column_width(series, NULL), explain_us(found, found->total));
}

// The sizes of which something else is explained than what `run` measures.
static void print_others(const struct explained_series *series, FILE *out)
{
    for (guint i = 0; i < series->sizes->len; i++) {
        const struct explanation *found = size_at(series, i);
        char *size = size_text(found), *before = g_strconcat(size, ": ", NULL);
        print_other(found, before, out);
        g_free(size);
        g_free(before);
    }
}

void report_print_sizes(const struct explained_series *series, FILE *out)
{
    const char **classes = classes_of(series);
    fprintf(out, "%s: us of one message, by class of the stages of its way\n", series->name);
    print_others(series, out);
    fprintf(out, "\n%*s", SIZE_WIDTH,
            series->sizes->len && size_at(series, 0)->counts ? size_at(series, 0)->counts : "size");
    for (int i = 0; classes[i]; i++)
        fprintf(out, "%*s", column_width(series, classes[i]), classes[i]);
    fprintf(out, "%*s\n", column_width(series, NULL), "total");
    for (guint i = 0; i < series->sizes->len; i++)
        print_row(series, size_at(series, i), (const char *const *)classes, out);
    g_free(classes);
}

// The stages of all sizes, those that take the most time over all of them first.
static GArray *all_stages(const struct explained_series *series)
{
    GArray *stages = g_array_new(FALSE, FALSE, sizeof(struct explain_part));
    for (guint i = 0; i < series->sizes->len; i++) {
        const struct explanation *found = size_at(series, i);
        for (guint k = 0; found->done && k < found->path->len; k++) {
            const struct explain_part *part = part_at(found->path, k);
            explain_add(stages, part->name, part->class, part->time / found->messages);
        }
    }
    explain_sort(stages);
    return stages;
}

static sim_time time_of(const struct explanation *found, const char *stage)
{
    for (guint i = 0; i < found->path->len; i++)
        if (strcmp(part_at(found->path, i)->name, stage) == 0)
            return part_at(found->path, i)->time;
    return 0;
}

// ---- JSON ----

static json_t *parts_json(const GArray *parts, const struct explanation *found, bool exact)
{
    json_t *json = json_object();
    for (guint i = 0; i < parts->len; i++) {
        const struct explain_part *part = part_at(parts, i);
        json_object_set_new(json, part->name,
                            exact ? json_integer(part->time)
                                  : json_real(explain_us(found, part->time)));
    }
    return json;
}

// {wait: {stage: us}}, or ps if exact
static json_t *held_json(const struct explanation *found, bool exact)
{
    json_t *json = json_object();
    for (guint i = 0; i < found->held->len; i++) {
        const struct explain_part *part = part_at(found->held, i);
        json_t *wait = json_object_get(json, part->class);
        if (!wait)
            json_object_set_new(json, part->class, wait = json_object());
        json_object_set_new(wait, part->name,
                            exact ? json_integer(part->time)
                                  : json_real(explain_us(found, part->time)));
    }
    return json;
}

static json_t *exact_json(const struct explanation *found)
{
    if (!found->done)
        return json_null();
    json_t *run = found->run_messages
                      ? json_real(time_to_us(found->run_total) / (double)found->run_messages)
                      : json_null();
    return json_pack("{s:I, s:I, s:I, s:o, s:b, s:I, s:o, s:o}", "messages",
                     (json_int_t)found->messages, "repetitions", (json_int_t)found->repetitions,
                     "run_repetitions", (json_int_t)found->run_repetitions, "run_us", run,
                     "by_itself", found->shortened || found->added, "total_ps",
                     (json_int_t)found->total, "stages_ps", parts_json(found->path, found, true),
                     "held_ps", held_json(found, true));
}

// The trials of a size.
static json_t *trials_json(const struct explanation *found)
{
    json_t *list = json_array();
    for (guint i = 0; i < found->trials->len; i++) {
        const struct explain_trial *trial = g_ptr_array_index(found->trials, i);
        json_t *sets = json_array();
        for (guint k = 0; k < trial->sets->len; k++)
            json_array_append_new(sets, json_string(g_ptr_array_index(trial->sets, k)));
        json_t *less = trial->why ? json_null() : json_real(100 * trial_gain(found, trial));
        json_array_append_new(list, json_pack("{s:s?, s:o, s:f, s:o, s:s?}", "what", trial->what,
                                              "sets", sets, "faster_percent", trial->percent,
                                              "less_time_percent", less, "not_tried", trial->why));
    }
    return list;
}

static json_t *choices_json(const struct explanation *found)
{
    json_t *list = json_array();
    for (guint i = 0; i < found->choices->len; i++)
        json_array_append_new(list, json_string(g_ptr_array_index(found->choices, i)));
    return list;
}

// A member for each name: its times by size.
static json_t *times_row(const struct explained_series *series, const char *name, bool is_class)
{
    json_t *row = json_array();
    for (guint k = 0; k < series->sizes->len; k++) {
        const struct explanation *found = size_at(series, k);
        sim_time time = is_class ? explain_class_time(found, name) : time_of(found, name);
        json_array_append_new(row, found->done ? json_real(explain_us(found, time)) : json_null());
    }
    return row;
}

static json_t *stages_json(const struct explained_series *series, json_t *class_of)
{
    GArray *stages = all_stages(series);
    json_t *json = json_object();
    for (guint i = 0; i < stages->len; i++) {
        const struct explain_part *stage = part_at(stages, i);
        json_object_set_new(json, stage->name, times_row(series, stage->name, false));
        json_object_set_new(class_of, stage->name, json_string(stage->class));
    }
    g_array_unref(stages);
    return json;
}

static json_t *classes_json(const struct explained_series *series)
{
    const char **classes = classes_of(series);
    json_t *json = json_object();
    for (int i = 0; classes[i]; i++)
        json_object_set_new(json, classes[i], times_row(series, classes[i], true));
    g_free(classes);
    return json;
}

static json_t *series_json(const struct explained_series *series)
{
    json_t *sizes = json_array(), *total = json_array(), *exact = json_array();
    json_t *bound = json_array(), *waits = json_array(), *failures = json_array();
    json_t *held = json_array(), *class_of = json_object(), *trials = json_array();
    json_t *steps = json_array(), *choices = json_array();
    for (guint i = 0; i < series->sizes->len; i++) {
        const struct explanation *found = size_at(series, i);
        json_array_append_new(sizes, json_integer(found->size));
        json_array_append_new(total, found->done ? json_real(explain_us(found, found->total))
                                                 : json_null());
        json_array_append_new(exact, exact_json(found));
        json_array_append_new(bound, found->bound ? json_string(found->bound) : json_null());
        json_array_append_new(waits,
                              found->done ? parts_json(found->sleeps, found, false) : json_null());
        json_array_append_new(trials, found->done ? trials_json(found) : json_null());
        json_array_append_new(steps, found->done
                                         ? json_real((double)found->steps / (double)found->messages)
                                         : json_null());
        json_array_append_new(choices, found->done ? choices_json(found) : json_null());
        json_array_append_new(held, found->done ? held_json(found, false) : json_null());
        if (!found->done)
            json_array_append_new(failures,
                                  json_pack("{s:I, s:s, s:O?}", "size", (json_int_t)found->size,
                                            "text", found->why, "reason", found->reason));
    }
    json_t *stages = stages_json(series, class_of);
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "name", series->name, "stack", series->stack, "sizes", sizes, "stages", stages,
                     "class_of", class_of, "classes", classes_json(series), "total", total, "exact",
                     exact, "trials", trials, "steps", steps, "choices", choices, "bound", bound,
                     "held", held, "waits", waits, "failures", failures);
}

static void add_resources(json_t *list, const struct explained_series *series,
                          const struct explanation *found)
{
    for (guint i = 0; i < found->loads->len; i++) {
        const struct resource_load *load = &g_array_index(found->loads, struct resource_load, i);
        char *name = load_name(load);
        json_t *json = json_pack("{s:s, s:I, s:s}", "series", series->name, "size",
                                 (json_int_t)found->size, "resource", name);
        json_object_set_new(json, "utilisation", load->works ? json_real(load->busy) : json_null());
        json_object_set_new(json, "busy_us",
                            load->works ? json_real(explain_us(found, load->busy_time))
                                        : json_null());
        json_object_set_new(json, "on_the_way", json_real(load->way));
        if (load->processor) {
            json_t *classes = json_object();
            for (int class = 0; class < RECORD_CLASSES; class ++)
                json_object_set_new(classes, record_classes[class],
                                    json_real(load->by_class[class]));
            json_object_set_new(json, "by_class", classes);
        }
        if (load->queues) {
            json_object_set_new(json, "mean_queue", json_real(load->mean_queue));
            json_object_set_new(json, "longest_queue", json_integer(load->longest_queue));
        }
        json_array_append_new(list, json);
        g_free(name);
    }
}

json_t *report_json(const char *scenario, const GPtrArray *all)
{
    json_t *list = json_array(), *resources = json_array();
    for (guint i = 0; i < all->len; i++) {
        const struct explained_series *series = g_ptr_array_index(all, i);
        json_array_append_new(list, series_json(series));
        for (guint k = 0; k < series->sizes->len; k++)
            add_resources(resources, series, size_at(series, k));
    }
    return json_pack("{s:s, s:o, s:o}", "scenario", scenario, "series", list, "resources",
                     resources);
}
