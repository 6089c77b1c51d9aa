// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/host/processor.h"

#include "sim/core/fifo.h"
#include "sim/host/stage_times.h"

#include <glib.h>
#include <string.h>

// An event that the slice has posted. It still belongs to the slice as long as its sequence is
// unchanged. After it has run, its owner may be gone.
struct posted {
    struct event *event;
    uint64_t sequence;
    sim_time when;
};

#define USUAL_POSTED 4 // most slices post no more: no allocation when a late one posts its second

struct posted_list {
    struct posted *items;
    guint len, capacity;
};

// A piece of the slice for the timeline.
struct spent {
    const struct stage *stage;
    sim_time from, to;
    struct message_ref message;
};

// One class's running or interrupted handler.
struct slice {
    struct cpu_task *task; // NULL: none
    enum cpu_next outcome;
    sim_time start, end;
    // Kept from slice to slice, without a call of a library while nothing is in them.
    struct posted_list posted;
    GArray *spent;  // struct spent, only when traced
    GArray *memory; // struct cpu_memory_work
};

struct cpu {
    struct sim *sim;
    int64_t clock_hz;
    bool preemptive;
    cpu_pace_fn *pace; // NULL: nothing holds it up
    void *pace_owner;
    trace_lane lane;
    struct event end; // of the slice of the highest class that has one
    struct slice slices[CPU_CLASSES];
    struct cpu_task *ready_head[CPU_CLASSES], *ready_tail[CPU_CLASSES];
    struct slice *current; // while a handler runs
    struct cpu_usage usage;
    struct stage_times stages;
};

static void cpu_slice_end(struct engine *engine, struct event *event);
static void task_wake_event(struct engine *engine, struct event *event);

struct cpu *cpu_new(struct sim *sim, const char *group, const char *name, int64_t clock_hz,
                    bool preemptive)
{
    struct cpu *cpu = g_new0(struct cpu, 1);
    cpu->sim = sim;
    cpu->clock_hz = clock_hz;
    cpu->preemptive = preemptive;
    cpu->lane = trace_lane_new(sim->trace, group, name);
    event_init(&cpu->end, cpu_slice_end);
    for (int class = 0; class < CPU_CLASSES; class ++) {
        cpu->slices[class].posted =
            (struct posted_list){g_new(struct posted, USUAL_POSTED), 0, USUAL_POSTED};
        cpu->slices[class].spent = g_array_new(FALSE, FALSE, sizeof(struct spent));
        cpu->slices[class].memory = g_array_new(FALSE, FALSE, sizeof(struct cpu_memory_work));
    }
    stage_times_init(&cpu->stages);
    return cpu;
}

void cpu_free(struct cpu *cpu)
{
    if (!cpu)
        return;
    for (int class = 0; class < CPU_CLASSES; class ++) {
        g_free(cpu->slices[class].posted.items);
        g_array_free(cpu->slices[class].spent, TRUE);
        g_array_free(cpu->slices[class].memory, TRUE);
    }
    stage_times_clear(&cpu->stages);
    g_free(cpu);
}

struct sim *cpu_sim(const struct cpu *cpu)
{
    return cpu->sim;
}

int64_t cpu_clock(const struct cpu *cpu)
{
    return cpu->clock_hz;
}

trace_lane cpu_lane(const struct cpu *cpu)
{
    return cpu->lane;
}

#define MOST_EVENT_TEXT 192 // bytes

void cpu_machine_enter(const struct cpu_context *context, const struct machine_kind *kind,
                       struct machine *machine, unsigned state, struct machine_owner owner,
                       const char *event)
{
    const struct cpu *cpu = context->cpu;
    machine_enter(kind, machine, state, owner, event, cpu->sim->trace, cpu->lane, context->now);
}

// Formats the event of a step, if there is a trace.
#define FORMAT_EVENT(text, context, format)                                                        \
    do {                                                                                           \
        (text)[0] = '\0';                                                                          \
        if (!(context)->cpu->sim->trace)                                                           \
            break;                                                                                 \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        g_vsnprintf(text, sizeof text, format, arguments);                                         \
        va_end(arguments);                                                                         \
    } while (0)

void cpu_machine_enterf(const struct cpu_context *context, const struct machine_kind *kind,
                        struct machine *machine, unsigned state, struct machine_owner owner,
                        const char *format, ...)
{
    char event[MOST_EVENT_TEXT];
    FORMAT_EVENT(event, context, format);
    cpu_machine_enter(context, kind, machine, state, owner, event);
}

void cpu_trace_event(const struct cpu_context *context, struct machine_owner owner,
                     const char *from, const char *event, const char *detail)
{
    const struct cpu *cpu = context->cpu;
    trace_transition(cpu->sim->trace, cpu->lane, context->now,
                     &(struct trace_transition){
                         .where = owner.where,
                         .machine = owner.machine,
                         .subject = owner.subject,
                         .from = from,
                         .to = event,
                         .detail = detail,
                     });
}

void cpu_trace_eventf(const struct cpu_context *context, struct machine_owner owner,
                      const char *from, const char *event, const char *format, ...)
{
    char detail[MOST_EVENT_TEXT];
    FORMAT_EVENT(detail, context, format);
    cpu_trace_event(context, owner, from, event, detail);
}

struct cpu_usage cpu_usage(const struct cpu *cpu)
{
    return cpu->usage;
}

void cpu_each_stage(const struct cpu *cpu,
                    void (*each)(void *owner, const char *stage, sim_time time), void *owner)
{
    stage_times_each(&cpu->stages, each, owner);
}

void cpu_task_init(struct cpu_task *task, struct cpu *cpu, enum cpu_class class, cpu_task_fn *run)
{
    *task = (struct cpu_task){.run = run, .cpu = cpu, .class = class};
    event_init(&task->wake, task_wake_event);
}

// ---- Interrupting a slice ----

static void spent_delay(GArray *spent, sim_time from, sim_time delay)
{
    guint count = spent->len;
    for (guint i = 0; i < count; i++) {
        struct spent *piece = &g_array_index(spent, struct spent, i);
        if (piece->to <= from)
            continue;
        if (piece->from >= from) {
            piece->from = time_after(piece->from, delay);
            piece->to = time_after(piece->to, delay);
        } else {
            struct spent rest = {piece->stage, time_after(from, delay),
                                 time_after(piece->to, delay), piece->message};
            piece->to = from;
            g_array_append_val(spent, rest);
        }
    }
}

static void memory_delay(GArray *memory, sim_time from, sim_time delay)
{
    guint count = memory->len;
    for (guint i = 0; i < count; i++) {
        struct cpu_memory_work *work = &g_array_index(memory, struct cpu_memory_work, i);
        if (work->to <= from)
            continue;
        if (work->from >= from) {
            work->from = time_after(work->from, delay);
            work->to = time_after(work->to, delay);
        } else {
            struct cpu_memory_work rest = *work;
            rest.from = time_after(from, delay);
            rest.to = time_after(rest.to, delay);
            work->to = from;
            g_array_append_val(memory, rest);
        }
    }
}

// Delays what the slice has posted for times after `from`, which is not in the past.
static void posted_delay(struct engine *engine, struct slice *slice, sim_time from, sim_time delay)
{
    for (guint i = 0; i < slice->posted.len; i++) {
        struct posted *posted = &slice->posted.items[i];
        struct event *event = posted->event;
        if (posted->when <= from || !event_pending(event) || event->sequence != posted->sequence)
            continue;
        posted->when = time_after(posted->when, delay);
        engine_reschedule(engine, event, posted->when);
        posted->sequence = event->sequence;
    }
}

// Inserts `delay` into a slice that is interrupted at `from`: everything after it is delayed.
static void slice_delay(struct engine *engine, struct slice *slice, sim_time from, sim_time delay)
{
    slice->end = time_after(slice->end, delay);
    posted_delay(engine, slice, from, delay);
    spent_delay(slice->spent, from, delay);
    memory_delay(slice->memory, from, delay);
}

// ---- Running ----

static struct cpu_task *ready_pop(struct cpu *cpu, int class)
{
    struct cpu_task *task = cpu->ready_head[class];
    cpu->ready_head[class] = task->next;
    task->ready = false;
    return task;
}

static void ready_push(struct cpu_task *task)
{
    struct cpu *cpu = task->cpu;
    task->ready = true;
    task->ready_since = sim_now(cpu->sim);
    FIFO_APPEND(cpu->ready_head[task->class], cpu->ready_tail[task->class], task, next);
}

static void cpu_start(struct cpu *cpu, int class)
{
    struct slice *slice = &cpu->slices[class];
    struct cpu_task *task = ready_pop(cpu, class);
    sim_time now = sim_now(cpu->sim);
    struct cpu_context context = {cpu, now};
    slice->task = task;
    slice->start = now;
    trace_queued(cpu->sim->trace, cpu->lane, task->ready_since, now);
    slice->posted.len = 0;
    slice->memory->len = 0;
    task->running = true;
    task->woken = false;
    cpu->current = slice;
    slice->outcome = task->run(&context, task);
    cpu->current = NULL;
    slice->end = context.now;
    cpu->usage.busy[class] += context.now - now;
    cpu->usage.slices[class]++;
    for (int lower = class + 1; lower < CPU_CLASSES; lower++)
        if (cpu->slices[lower].task && context.now > now)
            slice_delay(cpu->sim->engine, &cpu->slices[lower], now, context.now - now);
}

// The class whose slice holds the processor: the highest one that has a slice; CPU_CLASSES if idle.
static int cpu_holder(const struct cpu *cpu)
{
    int class = 0;
    while (class < CPU_CLASSES && !cpu->slices[class].task)
        class ++;
    return class;
}

// Starts the first ready class above the holder (or any class on an idle processor). Returns the
// class that holds the processor then; CPU_CLASSES: none.
static int cpu_next_slice(struct cpu *cpu)
{
    int holder = cpu_holder(cpu);
    int limit = cpu->preemptive || holder == CPU_CLASSES ? holder : 0;
    for (int class = 0; class < limit; class ++) {
        if (!cpu->ready_head[class])
            continue;
        cpu_start(cpu, class);
        holder = class;
        break;
    }
    return holder;
}

static void slice_trace(struct cpu *cpu, struct slice *slice)
{
    if (slice->spent->len == 0)
        return;
    trace_note(cpu->sim->trace, cpu->lane,
               &(struct trace_note){.kind = TRACE_SLICE,
                                    .class = (int)(slice - cpu->slices),
                                    .from = slice->start,
                                    .to = slice->end});
    for (guint i = 0; i < slice->spent->len; i++) {
        const struct spent *piece = &g_array_index(slice->spent, struct spent, i);
        trace_span(cpu->sim->trace, cpu->lane, piece->stage, piece->from, piece->to,
                   piece->message);
    }
    slice->spent->len = 0;
}

static void slice_over(struct cpu *cpu, struct slice *slice)
{
    struct cpu_task *task = slice->task;
    slice_trace(cpu, slice);
    slice->task = NULL;
    task->running = false;
    if (slice->outcome == CPU_AGAIN || task->woken)
        ready_push(task);
}

static bool takes_no_event(const struct cpu *cpu, const struct slice *slice)
{
    return slice->task->merges && slice->start == slice->end && slice->end == sim_now(cpu->sim) &&
           !event_pending(&cpu->end);
}

// Slices of no time that follow each other without an event; a run can be ended after them.
#define MOST_MERGED 100

static void cpu_dispatch(struct cpu *cpu)
{
    int holder = cpu_next_slice(cpu);
    for (int i = 0;
         i < MOST_MERGED && holder < CPU_CLASSES && takes_no_event(cpu, &cpu->slices[holder]);
         i++) {
        slice_over(cpu, &cpu->slices[holder]);
        holder = cpu_next_slice(cpu);
    }
    if (holder < CPU_CLASSES)
        engine_reschedule(cpu->sim->engine, &cpu->end, cpu->slices[holder].end);
}

static void cpu_slice_end(struct engine *engine, struct event *event)
{
    (void)engine;
    struct cpu *cpu = container_of(event, struct cpu, end);
    slice_over(cpu, &cpu->slices[cpu_holder(cpu)]);
    cpu_dispatch(cpu);
}

// ---- Waking ----

void cpu_wake(struct cpu_task *task)
{
    if (task->running)
        task->woken = true;
    if (task->running || task->ready)
        return;
    ready_push(task);
    // Within a handler (a direct call at its start) the dispatch at its end sees the task.
    if (!task->cpu->current)
        cpu_dispatch(task->cpu);
}

static void task_wake_event(struct engine *engine, struct event *event)
{
    struct cpu_task *task = container_of(event, struct cpu_task, wake);
    if (task->wake_again > engine_now(engine))
        engine_schedule(engine, &task->wake, task->wake_again);
    task->wake_again = 0;
    cpu_wake(task);
}

void cpu_post(struct cpu_context *context, struct event *event)
{
    struct cpu *cpu = context->cpu;
    engine_schedule(cpu->sim->engine, event, context->now);
    struct posted_list *list = &cpu->current->posted;
    if (G_UNLIKELY(list->len == list->capacity)) {
        list->capacity *= 2;
        list->items = g_renew(struct posted, list->items, list->capacity);
    }
    list->items[list->len++] = (struct posted){event, event->sequence, context->now};
}

void cpu_wake_at(struct cpu_task *task, sim_time when)
{
    if (!event_pending(&task->wake))
        engine_schedule(task->cpu->sim->engine, &task->wake, when);
}

void cpu_post_wake(struct cpu_context *context, struct cpu_task *task)
{
    if (event_pending(&task->wake)) {
        sim_time later = MAX(task->wake.when, context->now);
        task->wake_again = MAX(task->wake_again, later);
        if (task->wake.when <= context->now)
            return;
        engine_cancel(context->cpu->sim->engine, &task->wake);
    }
    cpu_post(context, &task->wake);
}

// ---- Spending ----

sim_time cpu_cost_of_bytes(const struct cpu *cpu, struct cost each_kib, int64_t bytes)
{
    __int128 time = (__int128)cpu_cost(cpu, each_kib) * bytes / 1024;
    return time < TIME_END ? (sim_time)time : TIME_END;
}

void cpu_set_pace(struct cpu *cpu, cpu_pace_fn *pace, void *owner)
{
    cpu->pace = pace;
    cpu->pace_owner = owner;
}

// Whether spending needs more than the sums by stage.
static inline bool cpu_spends_plainly(const struct cpu *cpu)
{
    return !cpu->pace && !cpu->sim->trace;
}

static inline void spend_plainly(struct cpu_context *context, sim_time time,
                                 const struct stage *stage)
{
    sim_time from = context->now, to = time_after(from, time);
    stage_times_add(&context->cpu->stages, stage, to - from);
    context->now = to;
}

void cpu_spend_message(struct cpu_context *context, sim_time time, const struct stage *stage,
                       struct message_ref message)
{
    struct cpu *cpu = context->cpu;
    if (G_LIKELY(cpu_spends_plainly(cpu))) {
        spend_plainly(context, time, stage);
        return;
    }
    sim_time from = context->now, to = time_after(from, time);
    if (cpu->pace && time > 0)
        to = cpu->pace(cpu->pace_owner, from, time);
    if (cpu->sim->trace && to > from) {
        struct spent spent = {stage, from, to, message};
        g_array_append_val(cpu->current->spent, spent);
    }
    stage_times_add(&cpu->stages, stage, to - from);
    context->now = to;
}

void cpu_spend_memory(struct cpu_context *context, sim_time time, const struct stage *stage,
                      struct message_ref message, int64_t demand)
{
    struct cpu_memory_work work = {stage, context->now, time_after(context->now, time), demand};
    g_array_append_val(context->cpu->current->memory, work);
    cpu_spend_message(context, time, stage, message);
}

void cpu_spend_time(struct cpu_context *context, sim_time time, const struct stage *stage)
{
    if (G_LIKELY(cpu_spends_plainly(context->cpu)))
        spend_plainly(context, time, stage);
    else
        cpu_spend_message(context, time, stage, MESSAGE_NONE);
}

void cpu_spend(struct cpu_context *context, struct cost cost, const struct stage *stage)
{
    cpu_spend_time(context, cost_time(cost, context->cpu->clock_hz), stage);
}

// ---- Memory ----

bool cpu_memory_work(const struct cpu *cpu, sim_time time, struct cpu_memory_work *work)
{
    int holder = cpu_holder(cpu);
    sim_time now = sim_now(cpu->sim), until = now + time;
    bool found = false;
    if (holder == CPU_CLASSES || cpu->current)
        return false;
    const GArray *memory = cpu->slices[holder].memory;
    for (guint i = 0; i < memory->len; i++) {
        struct cpu_memory_work at = g_array_index(memory, struct cpu_memory_work, i);
        if (at.to <= now || at.from >= until || (found && at.from >= work->from))
            continue;
        *work = at;
        found = true;
    }
    if (found) {
        work->from = MAX(work->from, now);
        work->to = MIN(work->to, until);
    }
    return found;
}

bool cpu_busy_until(const struct cpu *cpu, sim_time *end)
{
    int holder = cpu_holder(cpu);
    if (holder == CPU_CLASSES || cpu->current)
        return false;
    *end = cpu->slices[holder].end;
    return true;
}

// Lengthens the piece that goes on at `from` and delays those after it.
static void stretch(sim_time *start, sim_time *end, sim_time from, sim_time delay)
{
    if (*end <= from)
        return;
    *end = time_after(*end, delay);
    if (*start > from)
        *start = time_after(*start, delay);
}

void cpu_stall(struct cpu *cpu, const struct cpu_memory_work *work, sim_time delay)
{
    struct engine *engine = cpu->sim->engine;
    int holder = cpu_holder(cpu);
    struct slice *slice = &cpu->slices[holder];
    sim_time end = time_after(slice->end, delay);
    delay = end - slice->end;
    slice->end = end;
    posted_delay(engine, slice, work->from, delay);
    for (guint i = 0; i < slice->spent->len; i++) {
        struct spent *piece = &g_array_index(slice->spent, struct spent, i);
        stretch(&piece->from, &piece->to, work->from, delay);
    }
    for (guint i = 0; i < slice->memory->len; i++) {
        struct cpu_memory_work *piece = &g_array_index(slice->memory, struct cpu_memory_work, i);
        stretch(&piece->from, &piece->to, work->from, delay);
    }
    for (int lower = holder + 1; lower < CPU_CLASSES; lower++)
        if (cpu->slices[lower].task)
            slice_delay(engine, &cpu->slices[lower], sim_now(cpu->sim), delay);
    cpu->usage.busy[holder] += delay;
    stage_times_add(&cpu->stages, work->stage, delay);
    engine_reschedule(engine, &cpu->end, slice->end);
}
