// SPDX-License-Identifier: GPL-3.0-or-later
// A processor's rules, one by one. Each test records a small story and compares it as text: "U0 a30
// I50 b80" means that task U started at 0 ns, its posted event a happened at 30 ns, I started at
// 50 ns, and so on.
#include "sim/host/processor.h"

#include "tests/support/spans.h"
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <string.h>

#define CLOCK_HZ INT64_C(1000000000)
#define SLICES 4
#define STEPS 5
#define ALARMS 16

struct story {
    struct sim *sim;
    struct cpu *cpu;
    GString *text;
    GPtrArray *alarms;
};

// Something that a task posts, or that is scheduled for it.
struct mark {
    struct event event;
    struct story *story;
    const char *name;
};

// Spend so long, then post the mark (NULL: none).
struct step {
    sim_time ns;
    struct mark *mark;
};

struct actor {
    struct cpu_task task;
    struct story *story;
    const char *name;
    struct step slices[SLICES][STEPS]; // a slice ends with a step of no time and no mark
    int count, run;                    // slices, and those run so far
    sim_time second_stage;             // ns of a stage "V" at the end of each slice
    struct actor *wakes;               // woken with cpu_post_wake at the end of each slice
};

struct alarm {
    struct event event;
    struct cpu_task *task;
};

static void tell(struct story *story, const char *name, sim_time when)
{
    g_string_append_printf(story->text, "%s%s%" G_GINT64_FORMAT, story->text->len ? " " : "", name,
                           when / TIME_NS);
}

static void mark_event(struct engine *engine, struct event *event)
{
    struct mark *mark = container_of(event, struct mark, event);
    tell(mark->story, mark->name, engine_now(engine));
}

static enum cpu_next actor_run(struct cpu_context *context, struct cpu_task *task)
{
    struct actor *actor = container_of(task, struct actor, task);
    tell(actor->story, actor->name, context->now);
    CU_ASSERT_EQUAL(context->now, sim_now(actor->story->sim));
    CU_ASSERT_PTR_EQUAL(context->cpu, task->cpu);
    if (actor->run == actor->count)
        return CPU_SLEEP;
    const struct step *step = actor->slices[actor->run++];
    for (int i = 0; i < STEPS && (step[i].ns || step[i].mark); i++) {
        cpu_spend_time(context, step[i].ns * TIME_NS, stage_called(actor->name, STAGE_LIBRARY));
        if (step[i].mark)
            cpu_post(context, &step[i].mark->event);
    }
    cpu_spend_time(context, actor->second_stage * TIME_NS, stage_called("V", STAGE_LIBRARY));
    if (actor->wakes)
        cpu_post_wake(context, &actor->wakes->task);
    return actor->run < actor->count ? CPU_AGAIN : CPU_SLEEP;
}

static struct story *story_new(bool preemptive)
{
    struct story *story = g_new0(struct story, 1);
    story->sim = sim_new(1, NULL);
    story->cpu = cpu_new(story->sim, "host", "cpu 0", CLOCK_HZ, preemptive);
    story->text = g_string_new(NULL);
    story->alarms = g_ptr_array_new_with_free_func(g_free);
    return story;
}

static struct mark mark_of(struct story *story, const char *name)
{
    struct mark mark = {.story = story, .name = name};
    event_init(&mark.event, mark_event);
    return mark;
}

// Its slices are filled in afterwards.
static void actor_init(struct actor *actor, struct story *story, const char *name,
                       enum cpu_class class, int count)
{
    *actor = (struct actor){.story = story, .name = name, .count = count};
    cpu_task_init(&actor->task, story->cpu, class, actor_run);
}

// One slice of `ns` without marks.
static void actor_init_plain(struct actor *actor, struct story *story, const char *name,
                             enum cpu_class class, sim_time ns)
{
    actor_init(actor, story, name, class, 1);
    actor->slices[0][0].ns = ns;
}

static void alarm_event(struct engine *engine, struct event *event)
{
    (void)engine;
    cpu_wake(container_of(event, struct alarm, event)->task);
}

static void wake_at(struct story *story, sim_time ns, struct actor *actor)
{
    struct alarm *alarm = g_new0(struct alarm, 1);
    event_init(&alarm->event, alarm_event);
    alarm->task = &actor->task;
    g_ptr_array_add(story->alarms, alarm);
    engine_schedule(story->sim->engine, &alarm->event, ns * TIME_NS);
}

static void story_ends(struct story *story, const char *expected)
{
    engine_run(story->sim->engine, TIME_NEVER);
    SUITE_SAME_TEXT(story->text->str, expected);
    g_ptr_array_unref(story->alarms);
    g_string_free(story->text, TRUE);
    cpu_free(story->cpu);
    sim_free(story->sim);
    g_free(story);
}

// ---- Time ----

static void test_spends_time(void)
{
    struct story *story = story_new(true);
    struct mark a = mark_of(story, "a"), b = mark_of(story, "b"), c = mark_of(story, "c");
    struct actor first, second;
    actor_init(&first, story, "U", CPU_USER, 1);
    first.slices[0][0] = (struct step){0, &a};
    first.slices[0][1] = (struct step){30, &b};
    first.slices[0][2] = (struct step){12, &c};
    actor_init_plain(&second, story, "V", CPU_USER, 5);
    wake_at(story, 7, &first);
    wake_at(story, 8, &second);
    story_ends(story, "U7 a7 b37 c49 V49");
}

// Until 20 ns it is half as fast.
static sim_time slow_at_first(void *owner, sim_time from, sim_time time)
{
    const struct story *story = owner;
    CU_ASSERT(from >= sim_now(story->sim) && time > 0);
    sim_time slow = 20 * TIME_NS - from;
    if (slow <= 0)
        return from + time;
    return 2 * time <= slow ? from + 2 * time : from + time + slow / 2;
}

// A processor that others hold up: spent time is as long as the pace function returns, also if it
// is only partly within the slow time; a step of 0 takes no time.
static void test_pace(void)
{
    struct story *story = story_new(true);
    struct mark a = mark_of(story, "a"), b = mark_of(story, "b"), c = mark_of(story, "c"),
                d = mark_of(story, "d");
    struct actor actor;
    actor_init(&actor, story, "U", CPU_USER, 1);
    actor.slices[0][0] = (struct step){0, &a};
    actor.slices[0][1] = (struct step){5, &b};
    actor.slices[0][2] = (struct step){10, &c};
    actor.slices[0][3] = (struct step){5, &d};
    cpu_set_pace(story->cpu, slow_at_first, story);
    wake_at(story, 0, &actor);
    story_ends(story, "U0 a0 b10 c25 d30");
}

static void test_cycles(void)
{
    struct sim *sim = sim_new(1, NULL);
    struct cpu *cpu = cpu_new(sim, "host", "cpu 0", 1400000000, true);
    CU_ASSERT_EQUAL(cpu_cost(cpu, (struct cost){.cycles = 1400}), TIME_US);
    // One cycle of 1.4 GHz is 714.28 ps; a part of a picosecond counts as one.
    CU_ASSERT_EQUAL(cpu_cost(cpu, (struct cost){.cycles = 1}), 715);
    CU_ASSERT_EQUAL(cpu_cost(cpu, (struct cost){.time = 1234}), 1234);
    CU_ASSERT_EQUAL(cpu_cost(cpu, (struct cost){0}), 0);
    CU_ASSERT_EQUAL(cpu_clock(cpu), 1400000000);
    CU_ASSERT_PTR_EQUAL(cpu_sim(cpu), sim);
    cpu_free(cpu);
    sim_free(sim);
}

// ---- Classes ----

// User code of 100 ns is interrupted at 50 for 20: what it had posted for 30 stays, what was to
// come moves back by 20.
static void test_interrupt_shifts_user(void)
{
    struct story *story = story_new(true);
    struct mark a = mark_of(story, "a"), b = mark_of(story, "b"), c = mark_of(story, "c");
    struct actor user, next, interrupt;
    actor_init(&user, story, "U", CPU_USER, 1);
    user.slices[0][0] = (struct step){30, &a};
    user.slices[0][1] = (struct step){30, &b};
    user.slices[0][2] = (struct step){40, &c};
    actor_init_plain(&next, story, "V", CPU_USER, 1);
    actor_init_plain(&interrupt, story, "I", CPU_INTERRUPT, 20);
    wake_at(story, 0, &user);
    wake_at(story, 1, &next);
    wake_at(story, 50, &interrupt);
    story_ends(story, "U0 a30 I50 b80 c120 V120");
}

// Kernel work is itself interrupted: the user's slice yields to both.
static void test_nested(void)
{
    struct story *story = story_new(true);
    struct mark u = mark_of(story, "u"), e = mark_of(story, "e"), k = mark_of(story, "k");
    struct actor user, kernel, interrupt;
    actor_init(&user, story, "U", CPU_USER, 1);
    user.slices[0][0] = (struct step){25, &u};
    user.slices[0][1] = (struct step){75, &e};
    actor_init(&kernel, story, "K", CPU_KERNEL, 1);
    kernel.slices[0][0] = (struct step){30, &k};
    actor_init_plain(&interrupt, story, "I", CPU_INTERRUPT, 10);
    wake_at(story, 0, &user);
    wake_at(story, 20, &kernel);
    wake_at(story, 30, &interrupt);
    story_ends(story, "U0 K20 I30 k60 u65 e140");
}

// The higher class first, also when the lower has waited longer; no task interrupts its own class
// or one above it.
static void test_order_of_classes(void)
{
    struct story *story = story_new(true);
    struct actor first, user, kernel, second;
    actor_init_plain(&first, story, "I", CPU_INTERRUPT, 10);
    actor_init_plain(&user, story, "U", CPU_USER, 10);
    actor_init_plain(&kernel, story, "K", CPU_KERNEL, 10);
    actor_init_plain(&second, story, "J", CPU_INTERRUPT, 10);
    wake_at(story, 0, &first);
    wake_at(story, 1, &user);
    wake_at(story, 2, &kernel);
    wake_at(story, 3, &second);
    story_ends(story, "I0 J10 K20 U30");
}

// Several slices of an interrupt, and a second interrupt: each takes exactly its time.
static void test_interrupted_again_and_again(void)
{
    struct story *story = story_new(true);
    struct mark a = mark_of(story, "a"), b = mark_of(story, "b");
    struct actor user, interrupt, other;
    actor_init(&user, story, "U", CPU_USER, 1);
    user.slices[0][0] = (struct step){40, &a};
    user.slices[0][1] = (struct step){60, &b};
    actor_init(&interrupt, story, "I", CPU_INTERRUPT, 3);
    interrupt.slices[0][0].ns = 5;
    interrupt.slices[1][0].ns = 7;
    interrupt.slices[2][0].ns = 9;
    actor_init_plain(&other, story, "J", CPU_INTERRUPT, 11);
    wake_at(story, 0, &user);
    wake_at(story, 10, &interrupt);
    wake_at(story, 90, &other);
    story_ends(story, "U0 I10 I15 I22 a61 J90 b132");
}

// Events posted for the very moment of the interrupt happen then, whichever precedes the other.
static void test_posted_for_the_moment(void)
{
    struct story *story = story_new(true);
    struct mark a = mark_of(story, "a"), b = mark_of(story, "b");
    struct actor user, interrupt;
    actor_init(&user, story, "U", CPU_USER, 1);
    user.slices[0][0] = (struct step){50, &a};
    user.slices[0][1] = (struct step){50, &b};
    actor_init_plain(&interrupt, story, "I", CPU_INTERRUPT, 20);
    wake_at(story, 50, &interrupt);
    wake_at(story, 0, &user);
    story_ends(story, "U0 I50 a50 b120");
}

// The owner is gone with the event: in its place stands anything, and what looks most like the
// event that was posted.
static void spoiled_event(struct engine *engine, struct event *event)
{
    uint64_t sequence = event->sequence;
    mark_event(engine, event);
    memset(event, 0, sizeof *event);
    event->sequence = sequence;
    event->when = TIME_S;
}

// Posted events that have happened are not read again.
static void test_posted_and_gone(void)
{
    struct story *story = story_new(true);
    struct mark a = mark_of(story, "a"), b = mark_of(story, "b");
    struct actor user, interrupt;
    a.event.run = spoiled_event;
    actor_init(&user, story, "U", CPU_USER, 1);
    user.slices[0][0] = (struct step){30, &a};
    user.slices[0][1] = (struct step){50, &b};
    actor_init_plain(&interrupt, story, "I", CPU_INTERRUPT, 20);
    wake_at(story, 0, &user);
    wake_at(story, 50, &interrupt);
    story_ends(story, "U0 a30 I50 b100");
}

// An interrupt of no length shifts nothing.
static void test_empty_interrupt(void)
{
    struct story *story = story_new(true);
    struct mark a = mark_of(story, "a");
    struct actor user, interrupt;
    actor_init(&user, story, "U", CPU_USER, 1);
    user.slices[0][0] = (struct step){50, &a};
    actor_init_plain(&interrupt, story, "I", CPU_INTERRUPT, 0);
    wake_at(story, 0, &user);
    wake_at(story, 20, &interrupt);
    story_ends(story, "U0 I20 a50");
}

// ---- Events that are no longer the slice's ----

struct meddler {
    struct event event;
    struct event *target;
    sim_time when; // -1: cancel
};

static void meddle(struct engine *engine, struct event *event)
{
    struct meddler *meddler = container_of(event, struct meddler, event);
    if (meddler->when < 0)
        engine_cancel(engine, meddler->target);
    else
        engine_reschedule(engine, meddler->target, meddler->when);
}

// U posts a for 10 and b for 60; at 20 another component schedules a (which has fired) for 80,
// moves b to 90 and cancels c. The interrupt at 50 shifts the end of U, but none of the three.
static void test_rescheduled_by_others(void)
{
    struct story *story = story_new(true);
    struct mark a = mark_of(story, "a"), b = mark_of(story, "b"), c = mark_of(story, "c");
    struct mark e = mark_of(story, "e");
    struct actor user, interrupt;
    struct meddler meddlers[] = {
        {.target = &a.event, .when = 80 * TIME_NS},
        {.target = &b.event, .when = 90 * TIME_NS},
        {.target = &c.event, .when = -1},
    };
    actor_init(&user, story, "U", CPU_USER, 1);
    user.slices[0][0] = (struct step){10, &a};
    user.slices[0][1] = (struct step){50, &b};
    user.slices[0][2] = (struct step){10, &c};
    user.slices[0][3] = (struct step){30, &e};
    actor_init_plain(&interrupt, story, "I", CPU_INTERRUPT, 20);
    for (size_t i = 0; i < G_N_ELEMENTS(meddlers); i++) {
        event_init(&meddlers[i].event, meddle);
        engine_schedule(story->sim->engine, &meddlers[i].event, 20 * TIME_NS);
    }
    wake_at(story, 0, &user);
    wake_at(story, 50, &interrupt);
    story_ends(story, "U0 a10 I50 a80 b90 e120");
}

// ---- Turns and wakes ----

static void test_first_come_first_served(void)
{
    struct story *story = story_new(true);
    struct actor a, b, c;
    actor_init(&a, story, "A", CPU_USER, 3);
    for (int i = 0; i < 3; i++)
        a.slices[i][0].ns = 10;
    actor_init(&b, story, "B", CPU_USER, 2);
    b.slices[0][0].ns = b.slices[1][0].ns = 10;
    actor_init_plain(&c, story, "C", CPU_USER, 10);
    wake_at(story, 0, &a);
    wake_at(story, 1, &c);
    wake_at(story, 2, &b);
    // A goes on after those that wait already.
    story_ends(story, "A0 C10 B20 A30 B40 A50");
}

static void test_wakes_while_ready_are_one(void)
{
    struct story *story = story_new(true);
    struct actor a, b;
    actor_init_plain(&a, story, "A", CPU_USER, 10);
    actor_init_plain(&b, story, "B", CPU_USER, 10);
    wake_at(story, 0, &a);
    for (int i = 1; i < 5; i++)
        wake_at(story, i, &b);
    story_ends(story, "A0 B10");
}

// Any number of wakes while a task runs make it run once more, after those that wait; an
// interrupted task is running.
static void test_wakes_while_running(void)
{
    struct story *story = story_new(true);
    struct actor a, b, interrupt;
    actor_init_plain(&a, story, "A", CPU_USER, 50);
    actor_init_plain(&b, story, "B", CPU_USER, 10);
    actor_init_plain(&interrupt, story, "I", CPU_INTERRUPT, 20);
    wake_at(story, 0, &a);
    wake_at(story, 5, &b);
    wake_at(story, 10, &interrupt);
    wake_at(story, 15, &a);
    wake_at(story, 16, &a);
    wake_at(story, 40, &a);
    story_ends(story, "A0 I10 B70 A80");
}

static void test_wake_and_again_are_one(void)
{
    struct story *story = story_new(true);
    struct actor a;
    actor_init(&a, story, "A", CPU_USER, 2);
    a.slices[0][0].ns = a.slices[1][0].ns = 10;
    wake_at(story, 0, &a);
    wake_at(story, 5, &a);
    story_ends(story, "A0 A10");
}

// A wake posted by a handler takes effect at its now, and moves with it when the handler is
// interrupted.
static void test_posted_wake(void)
{
    struct story *story = story_new(true);
    struct cpu *other = cpu_new(story->sim, "host", "cpu 1", CLOCK_HZ, true);
    struct actor waker, woken, interrupt;
    actor_init_plain(&waker, story, "A", CPU_USER, 30);
    actor_init_plain(&woken, story, "B", CPU_USER, 10);
    cpu_task_init(&woken.task, other, CPU_USER, actor_run);
    actor_init_plain(&interrupt, story, "I", CPU_INTERRUPT, 100);
    waker.wakes = &woken;
    wake_at(story, 0, &waker);
    wake_at(story, 10, &interrupt);
    story_ends(story, "A0 I10 B130");
    cpu_free(other);
}

// Two processors post a wake for one task: the later one, posted first, is not forgotten.
static void test_two_posted_wakes(void)
{
    struct story *story = story_new(true);
    struct cpu *cpus[2];
    struct actor slow, quick, woken;
    for (int i = 0; i < 2; i++)
        cpus[i] = cpu_new(story->sim, "host", "other", CLOCK_HZ, true);
    actor_init_plain(&slow, story, "S", CPU_USER, 90);
    actor_init_plain(&quick, story, "Q", CPU_USER, 10);
    actor_init_plain(&woken, story, "W", CPU_USER, 200);
    cpu_task_init(&slow.task, cpus[0], CPU_USER, actor_run);
    cpu_task_init(&quick.task, cpus[1], CPU_USER, actor_run);
    slow.wakes = quick.wakes = &woken;
    wake_at(story, 0, &slow);
    wake_at(story, 20, &quick);
    story_ends(story, "S0 Q20 W30 W230");
    cpu_free(cpus[0]);
    cpu_free(cpus[1]);
}

// Of three posted wakes, the last one posted lies between the others: the first and the latest
// count.
static void test_three_posted_wakes(void)
{
    static const char *const names[] = {"S", "Q", "M"};
    static const sim_time starts[] = {0, 5, 10}, lengths[] = {90, 25, 50}; // wake at 90, 30, 60
    struct story *story = story_new(true);
    struct cpu *cpus[3];
    struct actor wakers[3], woken;
    actor_init_plain(&woken, story, "W", CPU_USER, 10);
    for (int i = 0; i < 3; i++) {
        cpus[i] = cpu_new(story->sim, "host", "other", CLOCK_HZ, true);
        actor_init_plain(&wakers[i], story, names[i], CPU_USER, lengths[i]);
        cpu_task_init(&wakers[i].task, cpus[i], CPU_USER, actor_run);
        wakers[i].wakes = &woken;
        wake_at(story, starts[i], &wakers[i]);
    }
    story_ends(story, "S0 Q5 M10 W30 W90");
    for (int i = 0; i < 3; i++)
        cpu_free(cpus[i]);
}

// ---- A processor without preemption ----

static void test_non_preemptive(void)
{
    struct story *story = story_new(false);
    struct mark a = mark_of(story, "a");
    struct actor user, next, interrupt;
    actor_init(&user, story, "U", CPU_USER, 2);
    user.slices[0][0] = (struct step){100, &a};
    user.slices[1][0].ns = 10;
    actor_init_plain(&next, story, "V", CPU_USER, 10);
    actor_init_plain(&interrupt, story, "I", CPU_INTERRUPT, 20);
    wake_at(story, 0, &user);
    wake_at(story, 10, &next);
    wake_at(story, 50, &interrupt);
    story_ends(story, "U0 a100 I100 V120 U130");
}

// ---- Accounts ----

struct stage_sum {
    const char *text; // of one stage
    sim_time time, all;
    int calls;
};

static void add_stage(void *owner, const char *stage, sim_time time)
{
    struct stage_sum *sum = owner;
    sum->all += time;
    if (strcmp(stage, sum->text) != 0)
        return;
    sum->time += time;
    sum->calls++;
}

static void test_busy_time(void)
{
    struct story *story = story_new(true);
    struct actor user, kernel, interrupt, other;
    actor_init(&user, story, "U", CPU_USER, 2);
    user.slices[0][0].ns = 100;
    user.slices[1][0].ns = 40;
    actor_init_plain(&kernel, story, "K", CPU_KERNEL, 30);
    actor_init_plain(&interrupt, story, "I", CPU_INTERRUPT, 20);
    // The same words at another address: still the same stage.
    static const char same_words[] = "I";
    actor_init_plain(&other, story, same_words, CPU_INTERRUPT, 5);
    wake_at(story, 0, &user);
    wake_at(story, 10, &kernel);
    wake_at(story, 20, &interrupt);
    wake_at(story, 150, &other);
    engine_run(story->sim->engine, TIME_NEVER);
    struct cpu_usage usage = cpu_usage(story->cpu);
    CU_ASSERT_EQUAL(usage.busy[CPU_USER], 140 * TIME_NS);
    CU_ASSERT_EQUAL(usage.busy[CPU_KERNEL], 30 * TIME_NS);
    CU_ASSERT_EQUAL(usage.busy[CPU_INTERRUPT], 25 * TIME_NS);
    CU_ASSERT_EQUAL(usage.slices[CPU_USER], 2);
    CU_ASSERT_EQUAL(usage.slices[CPU_INTERRUPT], 2);
    struct stage_sum sum = {.text = "I"};
    cpu_each_stage(story->cpu, add_stage, &sum);
    CU_ASSERT_EQUAL(sum.calls, 1);
    CU_ASSERT_EQUAL(sum.time, 25 * TIME_NS);
    CU_ASSERT_EQUAL(sum.all, 195 * TIME_NS);
    // It was busy all the time: the end of the last slice is the sum of all.
    CU_ASSERT_EQUAL(sim_now(story->sim), 195 * TIME_NS);
    story_ends(story, "U0 K10 I20 I150 U155");
}

// The timeline shows an interrupted piece as two, with the interrupt between them.
static void test_timeline(void)
{
    static const struct span expected[] = {
        {.name = "I", .from = 50, .to = 70}, {.name = "I", .from = 90, .to = 95},
        {.name = "U", .from = 0, .to = 50},  {.name = "V", .from = 85, .to = 90},
        {.name = "U", .from = 70, .to = 85}, {.name = "V", .from = 95, .to = 120},
    };
    struct span_log *log = span_log_new();
    struct story *story = story_new(true);
    struct actor user, interrupt, other;
    story->sim->trace = &log->trace;
    cpu_free(story->cpu);
    story->cpu = cpu_new(story->sim, "host", "cpu 0", CLOCK_HZ, true);
    actor_init(&user, story, "U", CPU_USER, 1);
    user.slices[0][0].ns = 65;
    actor_init_plain(&interrupt, story, "I", CPU_INTERRUPT, 20);
    actor_init_plain(&other, story, "I", CPU_INTERRUPT, 5);
    user.second_stage = 30;
    wake_at(story, 0, &user);
    wake_at(story, 50, &interrupt);
    wake_at(story, 90, &other);
    engine_run(story->sim->engine, TIME_NEVER);
    CU_ASSERT_EQUAL_FATAL(log->spans->len, G_N_ELEMENTS(expected));
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        const struct span *span = &g_array_index(log->spans, struct span, i);
        SUITE_SAME_TEXT(span->name, expected[i].name);
        SUITE_SAME_TEXT(span->lane, "cpu 0");
        SUITE_SAME_INTEGER(span->from, expected[i].from * TIME_NS);
        SUITE_SAME_INTEGER(span->to, expected[i].to * TIME_NS);
    }
    story_ends(story, "U0 I50 I90");
    span_log_free(log);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"time is spent and posted", test_spends_time},
        {"a processor that others hold up", test_pace},
        {"costs in cycles", test_cycles},
        {"an interrupt shifts the user's slice", test_interrupt_shifts_user},
        {"nested: user, kernel, interrupt", test_nested},
        {"the higher class first", test_order_of_classes},
        {"interrupted again and again", test_interrupted_again_and_again},
        {"posted for the moment of the interrupt", test_posted_for_the_moment},
        {"posted, come and gone", test_posted_and_gone},
        {"an empty interrupt", test_empty_interrupt},
        {"events that others rescheduled stay", test_rescheduled_by_others},
        {"first come, first served", test_first_come_first_served},
        {"wakes while ready are one", test_wakes_while_ready_are_one},
        {"wakes while running make one more run", test_wakes_while_running},
        {"a wake and CPU_AGAIN are one", test_wake_and_again_are_one},
        {"a posted wake", test_posted_wake},
        {"two posted wakes", test_two_posted_wakes},
        {"three posted wakes", test_three_posted_wakes},
        {"non-preemptive", test_non_preemptive},
        {"busy time and stages", test_busy_time},
        {"the timeline of an interrupted slice", test_timeline},
        {NULL, NULL},
    };
    return suite_run("host: processor", cases);
}
