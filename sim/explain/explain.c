// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/explain/explain.h"

#include "sim/core/intern.h"
#include "sim/explain/algorithm.h"
#include "sim/explain/path.h"
#include "sim/explain/trial.h"
#include "sim/output/failure.h"

#include <string.h>

// So many bytes are sent one after the other at most, so that the record stays small.
#define MOST_BYTES (INT64_C(8) << 20)
#define LEAST_REPETITIONS 2

// A part of a wait in which nothing was seen at work, nor a latency.
#define NOT_TRACED "not traced"

// The longest interval that was measured.
struct slowest {
    struct run_interval interval;
    bool found;
};

static void on_interval(void *owner, const struct run_interval *interval)
{
    struct slowest *slowest = owner;
    const struct run_interval *old = &slowest->interval;
    if (slowest->found && interval->to - interval->from <= old->to - old->from)
        return;
    slowest->interval = *interval;
    slowest->found = true;
}

// ---- Parts ----

void explain_add(GArray *parts, const char *name, const char *class, sim_time time)
{
    for (guint i = 0; i < parts->len; i++) {
        struct explain_part *part = &g_array_index(parts, struct explain_part, i);
        if (strcmp(part->name, name) == 0 && strcmp(part->class, class) == 0) {
            part->time += time;
            return;
        }
    }
    struct explain_part first = {intern_text(name), class, time};
    g_array_append_val(parts, first);
}

sim_time explain_class_time(const struct explanation *found, const char *class)
{
    sim_time time = 0;
    for (guint i = 0; i < found->path->len; i++) {
        const struct explain_part *part = &g_array_index(found->path, struct explain_part, i);
        time += strcmp(part->class, class) == 0 ? part->time : 0;
    }
    return time;
}

static int compare_parts(const void *a, const void *b)
{
    const struct explain_part *left = a, *right = b;
    if (left->time != right->time)
        return left->time > right->time ? -1 : 1;
    int order = strcmp(left->name, right->name);
    return order ? order : strcmp(left->class, right->class);
}

void explain_sort(GArray *parts)
{
    g_array_sort(parts, compare_parts);
}

// The result of a walk.
struct way {
    struct explanation *found;
    sim_time *lanes;      // on each lane
    GHashTable *messages; // whose packets the way was on
};

static void *message_key(struct message_ref message)
{
    int64_t *key = g_new(int64_t, 1);
    *key = (int64_t)((uint64_t)message.generation << 32 | message.index);
    return key;
}

static void on_part(void *owner, const struct path_part *part)
{
    struct way *way = owner;
    sim_time time = part->to - part->from;
    if (part->lane)
        way->lanes[part->lane - 1] += time;
    const char *class = stage_class_name(part->class);
    way->found->work[part->class] += time;
    if (part->message.generation)
        g_hash_table_add(way->messages, message_key(part->message));
    const char *wait = part->held != WAIT_OTHER ? wait_stages[part->held].name
                       : part->bare             ? class
                                                : NULL;
    if (!wait) {
        explain_add(way->found->path, part->stage, class, time);
        if (part->by)
            explain_add(way->found->held, part->by, part->stage, time);
        return;
    }
    // The stage may be no more than the name of what was waited for: then no work is known that
    // brought it.
    const char *of_it = part->bare ? NOT_TRACED : part->stage;
    explain_add(way->found->held, of_it, wait, time);
    explain_add(way->found->path, wait, wait, time);
}

static void take_sleeps(struct explanation *found, const struct record *record,
                        const struct run_interval *interval)
{
    char *name = g_strdup_printf("rank %d", interval->rank);
    for (guint i = 0; i < record->sleeps->len; i++) {
        const struct sleep *sleep = &g_array_index(record->sleeps, struct sleep, i);
        sim_time from = MAX(sleep->from, interval->from), to = MIN(sleep->to, interval->to);
        if (to > from && strcmp(sleep->where, name) == 0)
            explain_add(found->sleeps, sleep->what, "", to - from);
    }
    explain_sort(found->sleeps);
    g_free(name);
}

static void take_apart(struct explanation *found, struct record *record,
                       const struct run_interval *interval)
{
    record_settle(record);
    found->done = true;
    found->rank = interval->rank;
    found->messages = interval->count;
    found->total = interval->to - interval->from;
    struct way way = {found, g_new0(sim_time, record->lanes->len),
                      g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL)};
    path_walk(record, interval->lane, interval->from, interval->to, on_part, &way);
    found->steps = g_hash_table_size(way.messages);
    g_hash_table_destroy(way.messages);
    explain_sort(found->path);
    explain_sort(found->held);
    take_sleeps(found, record, interval);
    if (found->total > 0) {
        g_array_unref(found->loads);
        found->loads = load_measure(record, interval->from, interval->to, way.lanes);
    }
    g_free(way.lanes);
}

static void take_choices(struct explanation *found, const struct explain_run *run)
{
    GArray *choices = algorithm_choices(run->registry, run->test_case);
    for (guint i = 0; i < choices->len; i++)
        g_ptr_array_add(found->choices,
                        algorithm_text(&g_array_index(choices, struct algorithm_choice, i)));
    g_array_unref(choices);
}

// ---- Runs ----

static int64_t repetitions(const struct workload *workload, int64_t size)
{
    int64_t most = CLAMP(MOST_BYTES / MAX(size, 1), LEAST_REPETITIONS, EXPLAIN_REPETITIONS);
    return MIN(benchmark_repetitions(workload, size), most);
}

// Runs one size alone, with no more repetitions than are explained.
static struct series_result *run_one(const struct explain_run *run, struct run_options *options,
                                     struct slowest *slowest)
{
    struct scenario_case one = *run->test_case;
    if (one.workload.benchmark) {
        one.workload.sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
        g_array_append_val(one.workload.sizes, run->size);
        one.workload.repetitions = repetitions(&run->test_case->workload, run->size);
    }
    options->measured = on_interval;
    options->measured_owner = slowest;
    options->time_limit_s = run->time_limit_s;
    struct series_result *result = run_case(run->registry, &one, 0, run->seed, options);
    if (one.workload.benchmark)
        g_array_unref(one.workload.sizes);
    return result;
}

bool explain_measure(const struct explain_run *run, struct run_interval *interval, char **why)
{
    struct slowest slowest = {.found = false};
    struct series_result *result = run_one(run, &(struct run_options){0}, &slowest);
    bool good = result->status == SIM_COMPLETED && slowest.found;
    const char *text = json_string_value(json_object_get(result->reason, "text"));
    if (good)
        *interval = slowest.interval;
    else if (why)
        *why = g_strdup(text ? text : "nothing was measured");
    series_result_free(result);
    return good;
}

static struct explanation *explanation_new(const struct workload *workload, int64_t size)
{
    struct explanation *found = g_new0(struct explanation, 1);
    found->size = size;
    found->over_time = workload->benchmark && workload->benchmark->over_time;
    found->counts = workload->benchmark && !found->over_time ? workload->benchmark->counts : NULL;
    found->path = g_array_new(FALSE, FALSE, sizeof(struct explain_part));
    found->held = g_array_new(FALSE, FALSE, sizeof(struct explain_part));
    found->sleeps = g_array_new(FALSE, FALSE, sizeof(struct explain_part));
    found->loads = g_array_new(FALSE, FALSE, sizeof(struct resource_load));
    found->choices = g_ptr_array_new_with_free_func(g_free);
    found->trials = g_ptr_array_new_with_free_func((GDestroyNotify)trial_free);
    return found;
}

static void say_why(struct explanation *found, const struct series_result *result,
                    const struct record *record)
{
    const char *text = json_string_value(json_object_get(result->reason, "text"));
    found->reason = json_incref(result->reason);
    if (result->status != SIM_COMPLETED) {
        GString *report = g_string_new(NULL);
        failure_append(report, result, "", "");
        found->report = g_string_free(report, FALSE);
    }
    if (result->status != SIM_COMPLETED)
        found->why = g_strdup_printf("%s: %s", sim_status_name(result->status),
                                     text ? text : "no reason was given");
    else if (record->full)
        found->why = g_strdup_printf(
            "the run is too long to be explained; %s",
            found->over_time ? "let it write for a shorter time (--set workload.duration='1 s')"
                             : "give it fewer repetitions (--set workload.repetitions=2)");
    else
        found->why = g_strdup("nothing was measured");
}

struct explanation *explain_size(const struct explain_run *run)
{
    const struct workload *workload = &run->test_case->workload;
    struct explanation *found = explanation_new(workload, run->size);
    if (workload->benchmark && !found->over_time) {
        found->repetitions = repetitions(workload, run->size);
        found->run_repetitions = benchmark_repetitions(workload, run->size);
        found->whole =
            registry_benchmark(run->registry, workload->benchmark->name)->report.operations != NULL;
    }
    struct record *record = record_new();
    struct slowest slowest = {.found = false};
    struct run_options options = {.trace = &record->trace};
    struct series_result *result = run_one(run, &options, &slowest);
    found->status = result->status;
    if (result->status == SIM_COMPLETED && slowest.found && !record->full) {
        take_apart(found, record, &slowest.interval);
        take_choices(found, run);
    } else
        say_why(found, result, record);
    series_result_free(result);
    record_free(record);
    return found;
}

void explanation_free(struct explanation *found)
{
    if (!found)
        return;
    g_free(found->why);
    g_free(found->report);
    json_decref(found->reason);
    g_array_unref(found->path);
    g_array_unref(found->held);
    g_array_unref(found->sleeps);
    g_array_unref(found->loads);
    g_ptr_array_unref(found->choices);
    g_ptr_array_unref(found->trials);
    g_free(found->bound);
    g_free(found);
}

double explain_us(const struct explanation *found, sim_time time)
{
    return time_to_us(time) / (double)found->messages;
}
