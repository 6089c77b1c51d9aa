// SPDX-License-Identifier: GPL-3.0-or-later
// A processor. All costs of protocol code are charged to one.
//
// Handlers are straight-line code. A task's handler is called at the time when it starts, with a
// context whose `now` advances with every cpu_spend. Its effects elsewhere (a doorbell, a DMA, a
// wake-up) are posted at the `now` of the call. The processor is busy until the handler's last
// `now`. A task of a higher class preempts at once: the end of the interrupted slice, and all it
// has posted for later, are delayed by exactly the time that was taken. Tasks of one class run in
// the order in which they become ready.
//
// A handler reads the state at its start, even for effects at the end of its slice. Handlers are
// therefore written so that one slice handles one event.
//
// Not modelled: caches beyond the copy model, branch prediction, clock changes, the cost of
// switching between tasks (handlers charge it where the operating system has it).
#ifndef NETSIM_HOST_PROCESSOR_H
#define NETSIM_HOST_PROCESSOR_H

#include "sim/core/cost.h"
#include "sim/core/machine.h"
#include "sim/core/sim.h"
#include "sim/core/stage.h"

#include <stdbool.h>
#include <stdint.h>

enum cpu_class { CPU_INTERRUPT, CPU_KERNEL, CPU_USER }; // highest first
#define CPU_CLASSES 3

struct cpu;
struct cpu_task;

// The context of a running handler.
struct cpu_context {
    struct cpu *cpu;
    sim_time now;
};

// The task's next step: to sleep until it is woken, or to run again after the waiting tasks of its
// class.
enum cpu_next { CPU_SLEEP, CPU_AGAIN };

typedef enum cpu_next cpu_task_fn(struct cpu_context *context, struct cpu_task *task);

// Embedded in its owner. Several wakes before it runs count as one; a wake while it runs makes it
// run once more.
struct cpu_task {
    cpu_task_fn *run;
    struct cpu *cpu;
    enum cpu_class class;
    bool ready, running, woken;
    bool merges; // its slices of no time take no event: what follows goes on in the same one
    struct cpu_task *next;
    sim_time ready_since;
    struct event wake;   // a wake-up posted for later
    sim_time wake_again; // the latest of those posted after it; 0: none
};

struct cpu_usage {
    sim_time busy[CPU_CLASSES];
    uint64_t slices[CPU_CLASSES];
};

// `group` and `name` name its lane in the timeline ("node0", "cpu 1"). `preemptive` false: a higher
// class only goes first when a slice ends, as in a NIC processor's firmware loop. `clock_hz`:
// cycles per second, the unit of its costs. The caller frees it with cpu_free.
struct cpu *cpu_new(struct sim *sim, const char *group, const char *name, int64_t clock_hz,
                    bool preemptive);
void cpu_free(struct cpu *cpu);

// Returns when work is done that takes the undisturbed processor `time` (> 0) from `from` (the
// current time or later) on. The result is at least from + time.
typedef sim_time cpu_pace_fn(void *owner, sim_time from, sim_time time);

// From now on `pace` decides how long work takes, for a processor that other parts of a card can
// hold up.
void cpu_set_pace(struct cpu *cpu, cpu_pace_fn *pace, void *owner);

void cpu_task_init(struct cpu_task *task, struct cpu *cpu, enum cpu_class class, cpu_task_fn *run);

// Wakes a task now. Call it from an event.
void cpu_wake(struct cpu_task *task);

// From an event: wakes a task at `when`. If a wake-up is already pending, that one stays.
void cpu_wake_at(struct cpu_task *task, sim_time when);

// From a handler: wakes a task (of this or another processor) at the context's now. Only the
// earliest and the latest pending wake-up take effect.
void cpu_post_wake(struct cpu_context *context, struct cpu_task *task);

// From a handler: schedules an idle event at the context's now. Its owner must exist until that
// time, and may be freed from then on.
void cpu_post(struct cpu_context *context, struct event *event);

// Spends processor time. `stage` names it in the timeline and in break-downs, and must outlive the
// simulation.
void cpu_spend(struct cpu_context *context, struct cost cost, const struct stage *stage);
void cpu_spend_time(struct cpu_context *context, sim_time time, const struct stage *stage);

// cpu_spend_time with the message that the time is spent for.
void cpu_spend_message(struct cpu_context *context, sim_time time, const struct stage *stage,
                       struct message_ref message);

// cpu_spend_message for work with a demand on the memory bus of `demand` bytes per second, where a
// device can hold it up (memory_bus.h).
void cpu_spend_memory(struct cpu_context *context, sim_time time, const struct stage *stage,
                      struct message_ref message, int64_t demand);

// Such work of the slice that holds the processor now.
struct cpu_memory_work {
    const struct stage *stage;
    sim_time from, to;
    int64_t demand;
};

// Finds the first such work within `time` from now, clipped to that span. Returns false if there is
// none, or if a handler is running.
bool cpu_memory_work(const struct cpu *cpu, sim_time time, struct cpu_memory_work *work);

// Finds when the slice that holds the processor now will end if nothing delays it. Returns false if
// there is none, or if a handler is running.
bool cpu_busy_until(const struct cpu *cpu, sim_time *end);

// Makes the work that cpu_memory_work has found at this time, or the rest of the slice
// (cpu_busy_until), take `delay` longer. The processor's later work moves by the same time.
void cpu_stall(struct cpu *cpu, const struct cpu_memory_work *work, sim_time delay);

struct sim *cpu_sim(const struct cpu *cpu);
int64_t cpu_clock(const struct cpu *cpu);
trace_lane cpu_lane(const struct cpu *cpu);
struct cpu_usage cpu_usage(const struct cpu *cpu);

// Busy time by stage so far: calls `each` once per name, in the order of first use.
void cpu_each_stage(const struct cpu *cpu,
                    void (*each)(void *owner, const char *stage, sim_time time), void *owner);

// machine_enter on the processor's lane, at the handler's time.
void cpu_machine_enter(const struct cpu_context *context, const struct machine_kind *kind,
                       struct machine *machine, unsigned state, struct machine_owner owner,
                       const char *event);

// Like cpu_machine_enter; the event is formatted as by printf, if there is a trace.
void cpu_machine_enterf(const struct cpu_context *context, const struct machine_kind *kind,
                        struct machine *machine, unsigned state, struct machine_owner owner,
                        const char *format, ...) G_GNUC_PRINTF(6, 7);

// Traces an event on the processor's lane, at the handler's time, for an owner without states, such
// as an area of a pin cache, or without a next state. `from` and `detail` may be NULL; `detail` is
// copied.
void cpu_trace_event(const struct cpu_context *context, struct machine_owner owner,
                     const char *from, const char *event, const char *detail);

// Like cpu_trace_event; the detail is formatted as by printf, if there is a trace.
void cpu_trace_eventf(const struct cpu_context *context, struct machine_owner owner,
                      const char *from, const char *event, const char *format, ...)
    G_GNUC_PRINTF(5, 6);

// The time of work on `bytes` (>= 0) that costs `each_kib` per KiB.
sim_time cpu_cost_of_bytes(const struct cpu *cpu, struct cost each_kib, int64_t bytes);

static inline sim_time cpu_cost(const struct cpu *cpu, struct cost cost)
{
    return cost_time(cost, cpu_clock(cpu));
}

// cpu_spend with the message that the time is spent for.
static inline void cpu_spend_for(struct cpu_context *context, struct cost cost,
                                 const struct stage *stage, struct message_ref message)
{
    cpu_spend_message(context, cpu_cost(context->cpu, cost), stage, message);
}

#endif
