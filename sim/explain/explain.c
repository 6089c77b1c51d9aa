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
    GHashTable *messages; // with packets on the path
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
    const char *wait = part->held != WAIT_OTHER ? wait_stages[part->held].name : class;
    if (part->held == WAIT_OTHER && !part->bare) {
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

static void take_sleeps(struct explanation *found, const struct record *record, const GArray *times)
{
    char *name = g_strdup_printf("rank %d", found->rank);
    for (guint i = 0; i < record->sleeps->len; i++) {
        const struct sleep *sleep = &g_array_index(record->sleeps, struct sleep, i);
        sim_time time = load_time_within(times, sleep->from, sleep->to);
        if (time > 0 && strcmp(sleep->where, name) == 0)
            explain_add(found->sleeps, sleep->what, "", time);
    }
    explain_sort(found->sleeps);
    g_free(name);
}

// intervals: struct run_interval, one after the other, of one rank.
static void take_apart(struct explanation *found, struct record *record, const GArray *intervals)
{
    GArray *times = load_time_new();
    struct way way = {found, g_new0(sim_time, record->lanes->len),
                      g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL)};
    record_settle(record);
    found->done = true;
    for (guint i = 0; i < intervals->len; i++) {
        const struct run_interval *interval = &g_array_index(intervals, struct run_interval, i);
        found->rank = interval->rank;
        found->messages += interval->count;
        if (interval->to > interval->from)
            load_time_add(times, interval->from, interval->to);
        path_walk(record, interval->lane, interval->from, interval->to, on_part, &way);
    }
    found->total = load_time_sum(times);
    found->steps = g_hash_table_size(way.messages);
    g_hash_table_destroy(way.messages);
    explain_sort(found->path);
    explain_sort(found->held);
    take_sleeps(found, record, times);
    if (found->total > 0) {
        g_array_unref(found->loads);
        found->loads = load_measure(record, times, way.lanes);
    }
    g_array_unref(times);
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

// ---- What is measured ----

// One size of a benchmark, or a program, in a run.
struct phase {
    struct explanation *found; // NULL: it is not explained
    int64_t size;
    guint expected;    // intervals that measure it
    guint heard;       // that have been reported
    sim_time begin;    // no rank began before
    sim_time end;      // the first rank ended
    GArray *intervals; // struct run_interval: those that the time is the sum of
    bool lost;         // its record has gaps
};

// A run while phase after phase is measured.
struct phases {
    struct record *record; // NULL: none is kept
    GArray *list;          // struct phase, in the order of the run
    bool add;              // all intervals of a phase count; else the slowest
    bool sized;            // a phase is known by its size
    struct phase *ended;   // has been measured and not been taken apart; or NULL
    guint last;            // index of the last that is wanted
    bool measured;         // it had been, when that was last asked
    const struct explain_run *run;
};

static struct phase *phase_at(const struct phases *phases, guint index)
{
    return index < phases->list->len ? &g_array_index(phases->list, struct phase, index) : NULL;
}

static guint phase_of(const struct phases *phases, int64_t size)
{
    guint index = 0;
    while (phases->sized && index < phases->list->len && phase_at(phases, index)->size != size)
        index++;
    return index;
}

static void keep_interval(struct phase *phase, const struct run_interval *interval, bool add)
{
    if (!add && phase->intervals->len > 0) {
        struct run_interval *most = &g_array_index(phase->intervals, struct run_interval, 0);
        if (interval->to - interval->from > most->to - most->from)
            *most = *interval;
        return;
    }
    g_array_append_val(phase->intervals, *interval);
}

// Takes apart what has ended. Only after a while: what went on when it ended is recorded later.
static void phases_settle(struct phases *phases)
{
    struct phase *phase = phases->ended;
    phases->ended = NULL;
    if (phase && !phase->lost)
        take_apart(phase->found, phases->record, phase->intervals);
}

static void on_overflow(void *owner)
{
    phases_settle(owner);
}

static void phase_end(struct phases *phases, guint index)
{
    struct phase *phase = phase_at(phases, index), *next = phase_at(phases, index + 1);
    if (next)
        next->begin = phase->end;
    if (!phases->record)
        return;
    phase->lost = phases->record->lost > phase->begin;
    phases_settle(phases);
    if (phase->found)
        phases->ended = phase;
    record_forget(phases->record, phase->found ? phase->begin : phase->end);
}

static void on_interval(void *owner, const struct run_interval *interval)
{
    struct phases *phases = owner;
    guint index = phase_of(phases, interval->size);
    struct phase *phase = phase_at(phases, index), *next = phase_at(phases, index + 1);
    if (!phase || phase->heard == phase->expected)
        return;
    phase->end = phase->heard == 0 ? interval->to : MIN(phase->end, interval->to);
    phase->heard++;
    keep_interval(phase, interval, phases->add);
    // This rank now begins with the next.
    if (phases->record && next && next->found)
        phases->record->idle = false;
    if (phase->heard == phase->expected)
        phase_end(phases, index);
}

// Goes on for a while after the last wanted phase, as what went on when it ended is recorded later.
static bool has_enough(void *owner)
{
    struct phases *phases = owner;
    if (phases->run->beat)
        phases->run->beat(phases->run->beat_owner);
    const struct phase *last = phase_at(phases, phases->last);
    bool before = phases->measured;
    phases->measured = phases->sized && last->heard == last->expected;
    return before && phases->measured;
}

static void on_begin(void *owner, const struct sim *sim)
{
    const struct phases *phases = owner;
    if (phases->record)
        phases->record->clock = sim;
}

static void phase_clear(void *data)
{
    struct phase *phase = data;
    explanation_free(phase->found);
    g_array_unref(phase->intervals);
}

static bool has_size(const GArray *sizes, int64_t size, guint *index)
{
    for (*index = 0; *index < sizes->len; ++*index)
        if (g_array_index(sizes, int64_t, *index) == size)
            return true;
    return false;
}

static struct phases *phases_new(const struct explain_run *run, const GArray *sizes)
{
    const struct workload *workload = &run->test_case->workload;
    struct phases *phases = g_new0(struct phases, 1);
    guint expected = (guint)workload->ranks;
    phases->list = g_array_new(FALSE, TRUE, sizeof(struct phase));
    g_array_set_clear_func(phases->list, phase_clear);
    if (workload->benchmark) {
        const struct benchmark_report *report =
            &registry_benchmark(run->registry, workload->benchmark->name)->report;
        phases->add = report->each_repetition;
        phases->sized = !workload->benchmark->sizeless;
        expected = report->all_ranks ? expected : 1;
    }
    for (guint i = 0; i < sizes->len; i++) {
        int64_t size = g_array_index(sizes, int64_t, i);
        struct phase phase = {
            .size = size,
            .expected = phases->add ? (guint)benchmark_repetitions(workload, size) : expected,
            .intervals = g_array_new(FALSE, FALSE, sizeof(struct run_interval)),
        };
        g_array_append_val(phases->list, phase);
    }
    if (run->size == EXPLAIN_ALL || !has_size(sizes, run->size, &phases->last))
        phases->last = sizes->len - 1;
    return phases;
}

static void phases_free(struct phases *phases)
{
    g_array_unref(phases->list);
    record_free(phases->record);
    g_free(phases);
}

// ---- Runs ----

// The sizes to run.
static GArray *sizes_of(const struct explain_run *run)
{
    const struct workload *workload = &run->test_case->workload;
    GArray *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
    guint index;
    bool all = run->size == EXPLAIN_ALL ||
               (run->repetitions == 0 && has_size(workload->sizes, run->size, &index));
    if (workload->benchmark && all)
        g_array_append_vals(sizes, workload->sizes->data, workload->sizes->len);
    else
        g_array_append_val(sizes, run->size);
    return sizes;
}

static struct series_result *run_sizes(const struct explain_run *run, const GArray *sizes,
                                       struct phases *phases)
{
    struct scenario_case some = *run->test_case;
    if (some.workload.benchmark) {
        some.workload.sizes = (GArray *)sizes;
        if (run->repetitions)
            some.workload.repetitions = run->repetitions;
    }
    phases->run = run;
    struct run_options options = {.trace = phases->record ? &phases->record->trace : NULL,
                                  .measured = on_interval,
                                  .measured_owner = phases,
                                  .began = on_begin,
                                  .began_owner = phases,
                                  .enough = has_enough,
                                  .enough_owner = phases,
                                  .time_limit_s = run->time_limit_s,
                                  .wall_end = run->wall_end};
    return run_case(run->registry, &some, 0, run->seed, &options);
}

static sim_time sum_of(const struct phase *phase, int64_t *messages)
{
    sim_time total = 0;
    *messages = 0;
    for (guint i = 0; i < phase->intervals->len; i++) {
        const struct run_interval *interval =
            &g_array_index(phase->intervals, struct run_interval, i);
        total += interval->to - interval->from;
        *messages += interval->count;
    }
    return total;
}

bool explain_measure(const struct explain_run *run, sim_time *total, int64_t *messages, char **why)
{
    GArray *sizes = sizes_of(run);
    struct phases *phases = phases_new(run, sizes);
    struct series_result *result = run_sizes(run, sizes, phases);
    const struct phase *phase = phase_at(phases, phases->last);
    bool good = result->status == SIM_COMPLETED && phase->heard == phase->expected;
    const char *text = json_string_value(json_object_get(result->reason, "text"));
    if (good)
        *total = sum_of(phase, messages);
    else
        *why = g_strdup(text ? text : "nothing was measured");
    series_result_free(result);
    phases_free(phases);
    g_array_unref(sizes);
    return good;
}

void explain_trial_free(struct explain_trial *trial)
{
    g_ptr_array_unref(trial->sets);
    g_free(trial->why);
    g_free(trial);
}

static struct explanation *explanation_new(const struct explain_run *run, int64_t size)
{
    const struct workload *workload = &run->test_case->workload;
    struct explanation *found = g_new0(struct explanation, 1);
    guint index;
    found->size = workload->benchmark ? size : -1;
    found->over_time = workload->benchmark && workload->benchmark->over_time;
    found->counts = workload->benchmark && !found->over_time ? workload->benchmark->counts : NULL;
    found->path = g_array_new(FALSE, FALSE, sizeof(struct explain_part));
    found->held = g_array_new(FALSE, FALSE, sizeof(struct explain_part));
    found->sleeps = g_array_new(FALSE, FALSE, sizeof(struct explain_part));
    found->loads = g_array_new(FALSE, FALSE, sizeof(struct resource_load));
    found->choices = g_ptr_array_new_with_free_func(g_free);
    found->trials = g_ptr_array_new_with_free_func((GDestroyNotify)explain_trial_free);
    if (!workload->benchmark || found->over_time)
        return found;
    found->run_repetitions = benchmark_repetitions(workload, size);
    found->repetitions = run->repetitions ? run->repetitions : found->run_repetitions;
    found->shortened = run->repetitions > 0;
    found->added = !has_size(workload->sizes, size, &index);
    found->whole =
        registry_benchmark(run->registry, workload->benchmark->name)->report.operations != NULL;
    return found;
}

static void say_why(struct explanation *found, const struct series_result *result, bool lost)
{
    const char *text = json_string_value(json_object_get(result->reason, "text"));
    found->reason = json_incref(result->reason);
    found->status = result->status;
    if (result->status != SIM_COMPLETED) {
        GString *report = g_string_new(NULL);
        failure_append(report, result, "", "");
        found->report = g_string_free(report, FALSE);
        found->why = g_strdup_printf("%s: %s", sim_status_name(result->status),
                                     text ? text : "no reason was given");
    } else if (lost)
        found->why = g_strdup_printf(
            "the run is too long to be explained; %s",
            found->over_time ? "let it write for a shorter time (--set workload.duration='1 s')"
                             : "give it fewer repetitions (--set workload.repetitions=2)");
    else
        found->why = g_strdup("nothing was measured");
}

// The size by itself, with so few repetitions that its record is not too long.
static struct explanation *shorter(const struct explain_run *run, const struct phase *phase)
{
    struct explain_run alone = *run;
    int64_t most = CLAMP(MOST_BYTES / MAX(phase->size, 1), LEAST_REPETITIONS, EXPLAIN_REPETITIONS);
    alone.size = phase->size;
    alone.repetitions = MIN(benchmark_repetitions(&run->test_case->workload, phase->size), most);
    GPtrArray *one = explain_case(&alone);
    struct explanation *found = g_ptr_array_steal_index(one, 0);
    g_ptr_array_unref(one);
    found->run_total = sum_of(phase, &found->run_messages);
    return found;
}

// The explanation of a phase. A failure after the phase does not affect it, except after the last
// one.
static struct explanation *conclude(const struct explain_run *run, struct phase *phase, bool last,
                                    const struct series_result *result)
{
    struct explanation *found = g_steal_pointer(&phase->found);
    bool failed = result->status == SIM_LOST || (last && result->status != SIM_COMPLETED);
    if (found->done && !failed) {
        take_choices(found, run);
        return found;
    }
    if (phase->lost && !failed && found->repetitions && !run->repetitions) {
        explanation_free(found);
        return shorter(run, phase);
    }
    found->done = false;
    say_why(found, result, phase->lost);
    return found;
}

GPtrArray *explain_case(const struct explain_run *run)
{
    GArray *sizes = sizes_of(run);
    struct phases *phases = phases_new(run, sizes);
    GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)explanation_free);
    for (guint i = 0; i < sizes->len; i++) {
        struct phase *phase = phase_at(phases, i);
        if (run->size == EXPLAIN_ALL || i == phases->last)
            phase->found = explanation_new(run, phase->size);
    }
    phases->record = record_new();
    if (run->most_pieces)
        phases->record->most = run->most_pieces;
    phases->record->idle = !phase_at(phases, 0)->found;
    phases->record->overflow = on_overflow;
    phases->record->owner = phases;
    struct series_result *result = run_sizes(run, sizes, phases);
    phases_settle(phases);
    for (guint i = 0; i < sizes->len; i++)
        if (phase_at(phases, i)->found)
            g_ptr_array_add(all, conclude(run, phase_at(phases, i), i + 1 == sizes->len, result));
    series_result_free(result);
    phases_free(phases);
    g_array_unref(sizes);
    return all;
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
