// SPDX-License-Identifier: GPL-3.0-or-later
// Random tasks against a model of priority scheduling with preemption and resumption that is as
// simple as it can be: it goes through time in steps of one nanosecond and asks at each what runs.
//
// Slices and what they post last multiples of STEP, and every wake-up from outside has a remainder
// of its own: no two things that depend on each other's order fall on the same time, except where
// the rules define their order.
#include "sim/core/random.h"
#include "sim/host/processor.h"
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"

#include <glib.h>

#define CASES 60
#define STEP 100 // ns
#define TASKS 7
#define SLICES 24 // that a task has; afterwards its slices are empty
#define MARKS 3   // in a slice
#define WAKES 90  // below STEP
#define HORIZON 60000

struct plan_slice {
    int length;       // ns
    int marks[MARKS]; // offsets, ascending; -1: none
    bool again;
};

struct plan {
    enum cpu_class class[TASKS];
    struct plan_slice slices[TASKS][SLICES];
    int wake_task[WAKES], wake_time[WAKES]; // ns
    bool preemptive;
};

// An event of a task: a start (mark -1) or a mark.
struct fact {
    int64_t when; // ns
    int task, slice, mark;
};

static const struct plan_slice empty_slice = {.length = 0, .marks = {-1, -1, -1}};

static const struct plan_slice *plan_slice(const struct plan *plan, int task, int slice)
{
    return slice < SLICES ? &plan->slices[task][slice] : &empty_slice;
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void plan_make(struct plan *plan, struct random_stream *random)
{
    plan->preemptive = random_chance(random, 0.7);
    for (int task = 0; task < TASKS; task++) {
        plan->class[task] = (enum cpu_class)(task % CPU_CLASSES);
        for (int i = 0; i < SLICES; i++) {
            struct plan_slice *slice = &plan->slices[task][i];
            int units = (int)random_below(random, plan->class[task] == CPU_USER ? 12 : 4);
            slice->length = units * STEP;
            for (int mark = 0; mark < MARKS; mark++)
                slice->marks[mark] = (int)random_below(random, (uint64_t)units + 1) * STEP;
            qsort(slice->marks, MARKS, sizeof(int), ascending);
            // An empty slice that asks for another at once would be a loop without time.
            slice->again = units > 0 && random_chance(random, 0.4);
        }
    }
    for (int i = 0; i < WAKES; i++) {
        plan->wake_task[i] = (int)random_below(random, TASKS);
        plan->wake_time[i] = (int)random_below(random, 300) * STEP + i;
    }
}

// ---- The model ----

struct model_task {
    int slice; // runs so far
    bool ready, running, woken;
};

struct model_slice {
    int task; // -1: none
    int number, done, mark;
};

struct model {
    const struct plan *plan;
    struct model_task tasks[TASKS];
    GQueue ready[CPU_CLASSES];
    struct model_slice running[CPU_CLASSES];
    int64_t now, busy[CPU_CLASSES];
    GArray *facts;
};

static void model_fact(struct model *model, const struct model_slice *slice, int mark)
{
    struct fact fact = {model->now, slice->task, slice->number, mark};
    g_array_append_val(model->facts, fact);
}

static void model_ready(struct model *model, int task)
{
    model->tasks[task].ready = true;
    g_queue_push_tail(&model->ready[model->plan->class[task]], GINT_TO_POINTER(task));
}

static void model_wake(struct model *model, int task)
{
    if (model->tasks[task].running)
        model->tasks[task].woken = true;
    else if (!model->tasks[task].ready)
        model_ready(model, task);
}

static int model_holder(const struct model *model)
{
    int class = 0;
    while (class < CPU_CLASSES && model->running[class].task < 0)
        class ++;
    return class;
}

static void model_marks(struct model *model, struct model_slice *slice)
{
    const struct plan_slice *plan = plan_slice(model->plan, slice->task, slice->number);
    for (; slice->mark < MARKS && plan->marks[slice->mark] == slice->done; slice->mark++)
        model_fact(model, slice, slice->mark);
}

static bool model_ends(struct model *model)
{
    int holder = model_holder(model);
    if (holder == CPU_CLASSES)
        return false;
    struct model_slice *slice = &model->running[holder];
    const struct plan_slice *plan = plan_slice(model->plan, slice->task, slice->number);
    if (slice->done < plan->length)
        return false;
    struct model_task *task = &model->tasks[slice->task];
    task->running = false;
    if (plan->again || task->woken)
        model_ready(model, slice->task);
    slice->task = -1;
    return true;
}

static bool model_starts(struct model *model)
{
    int holder = model_holder(model);
    int limit = model->plan->preemptive || holder == CPU_CLASSES ? holder : 0;
    for (int class = 0; class < limit; class ++) {
        if (g_queue_is_empty(&model->ready[class]))
            continue;
        int number = GPOINTER_TO_INT(g_queue_pop_head(&model->ready[class]));
        struct model_task *task = &model->tasks[number];
        model->running[class] = (struct model_slice){number, task->slice++, 0, 0};
        task->ready = task->woken = false;
        task->running = true;
        model_fact(model, &model->running[class], -1);
        model_marks(model, &model->running[class]);
        return true;
    }
    return false;
}

static void model_run(struct model *model)
{
    for (int class = 0; class < CPU_CLASSES; class ++) {
        g_queue_init(&model->ready[class]);
        model->running[class].task = -1;
    }
    for (model->now = 0; model->now < HORIZON; model->now++) {
        for (int i = 0; i < WAKES; i++)
            if (model->plan->wake_time[i] == model->now)
                model_wake(model, model->plan->wake_task[i]);
        while (model_ends(model) || model_starts(model))
            continue;
        int holder = model_holder(model);
        if (holder == CPU_CLASSES)
            continue;
        model->busy[holder]++;
        model->running[holder].done++;
        // Events posted for the end of this step happen then, not at its start.
        model->now++;
        model_marks(model, &model->running[holder]);
        model->now--;
    }
    CU_ASSERT_EQUAL(model_holder(model), CPU_CLASSES);
}

// ---- The processor ----

struct real_task;

struct real_mark {
    struct event event;
    struct real_task *owner;
    int slice, mark;
};

struct real_task {
    struct cpu_task task;
    const struct plan *plan;
    GArray *facts;
    int number, slice;
    struct real_mark marks[SLICES + WAKES][MARKS];
};

struct real_wake {
    struct event event;
    struct cpu_task *task;
};

static void real_fact(struct real_task *task, sim_time now, int slice, int mark)
{
    struct fact fact = {now / TIME_NS, task->number, slice, mark};
    g_array_append_val(task->facts, fact);
}

static void real_mark_event(struct engine *engine, struct event *event)
{
    struct real_mark *mark = container_of(event, struct real_mark, event);
    real_fact(mark->owner, engine_now(engine), mark->slice, mark->mark);
}

static enum cpu_next real_run(struct cpu_context *context, struct cpu_task *base)
{
    struct real_task *task = container_of(base, struct real_task, task);
    int number = task->slice++, done = 0;
    const struct plan_slice *slice = plan_slice(task->plan, task->number, number);
    real_fact(task, context->now, number, -1);
    for (int i = 0; i < MARKS && slice->marks[i] >= 0; i++) {
        struct real_mark *mark = &task->marks[number][i];
        *mark = (struct real_mark){.owner = task, .slice = number, .mark = i};
        event_init(&mark->event, real_mark_event);
        cpu_spend_time(context, (slice->marks[i] - done) * TIME_NS,
                       stage_called("mark", STAGE_LIBRARY));
        done = slice->marks[i];
        cpu_post(context, &mark->event);
    }
    cpu_spend_time(context, (slice->length - done) * TIME_NS, stage_called("rest", STAGE_LIBRARY));
    return slice->again ? CPU_AGAIN : CPU_SLEEP;
}

static void real_wake_event(struct engine *engine, struct event *event)
{
    (void)engine;
    cpu_wake(container_of(event, struct real_wake, event)->task);
}

static struct cpu_usage real_run_all(const struct plan *plan, GArray *facts)
{
    struct sim *sim = sim_new(1, NULL);
    struct cpu *cpu = cpu_new(sim, "host", "cpu 0", 1000000000, plan->preemptive);
    struct real_task *tasks = g_new0(struct real_task, TASKS);
    struct real_wake *wakes = g_new0(struct real_wake, WAKES);
    for (int i = 0; i < TASKS; i++) {
        tasks[i].plan = plan;
        tasks[i].facts = facts;
        tasks[i].number = i;
        cpu_task_init(&tasks[i].task, cpu, plan->class[i], real_run);
    }
    for (int i = 0; i < WAKES; i++) {
        wakes[i].task = &tasks[plan->wake_task[i]].task;
        event_init(&wakes[i].event, real_wake_event);
        engine_schedule(sim->engine, &wakes[i].event, plan->wake_time[i] * TIME_NS);
    }
    engine_run(sim->engine, TIME_NEVER);
    struct cpu_usage usage = cpu_usage(cpu);
    cpu_free(cpu);
    sim_free(sim);
    g_free(tasks);
    g_free(wakes);
    return usage;
}

// ---- Comparison ----

// Facts of one time may be in any order, so both lists are sorted.
static int fact_order(const void *left, const void *right)
{
    const struct fact *a = left, *b = right;
    if (a->when != b->when)
        return a->when < b->when ? -1 : 1;
    if (a->task != b->task)
        return a->task - b->task;
    if (a->slice != b->slice)
        return a->slice - b->slice;
    return a->mark - b->mark;
}

static void check_case(uint64_t seed)
{
    struct random_stream *random = random_new(seed, "plan");
    struct plan *plan = g_new0(struct plan, 1);
    plan_make(plan, random);
    struct model model = {.plan = plan, .facts = g_array_new(FALSE, FALSE, sizeof(struct fact))};
    GArray *facts = g_array_new(FALSE, FALSE, sizeof(struct fact));
    model_run(&model);
    struct cpu_usage usage = real_run_all(plan, facts);
    g_array_sort(model.facts, fact_order);
    g_array_sort(facts, fact_order);
    bool same = SUITE_SAME_INTEGER(facts->len, model.facts->len);
    for (guint i = 0; same && i < facts->len; i++) {
        const struct fact *a = &g_array_index(facts, struct fact, i);
        const struct fact *b = &g_array_index(model.facts, struct fact, i);
        same = fact_order(a, b) == 0;
        if (!same)
            fprintf(stderr, "seed %d: task %d slice %d mark %d at %d, expected %d %d %d at %d\n",
                    (int)seed, a->task, a->slice, a->mark, (int)a->when, b->task, b->slice, b->mark,
                    (int)b->when);
    }
    CU_ASSERT(same);
    for (int class = 0; class < CPU_CLASSES; class ++)
        CU_ASSERT_EQUAL(usage.busy[class], model.busy[class] * TIME_NS);
    g_array_unref(facts);
    g_array_unref(model.facts);
    g_free(plan);
    random_free(random);
}

static void test_random(void)
{
    for (uint64_t seed = 1; seed <= CASES; seed++)
        check_case(seed);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"random tasks against a time-stepped model", test_random},
        {NULL, NULL},
    };
    return suite_run("host: processor, reference", cases);
}
