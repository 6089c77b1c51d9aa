// SPDX-License-Identifier: GPL-3.0-or-later
// A processor: everything that protocol code costs is charged to one.
//
// Code is written straight. A task's handler is called at the time it starts and works with a
// context whose `now` moves on with every cpu_spend; what it starts elsewhere (a doorbell, a DMA, a
// wake-up) is posted at the `now` it was written at. The processor is busy until the handler's last
// `now`. A task of a higher class takes the processor at once: the slice below it is interrupted,
// and its end and all it has posted for later move back by exactly the time that was taken. Equal
// classes take turns, first come first served.
//
// The state that a handler reads is that of its start, also for what it does at the end of its
// slice; handlers are written so that a slice handles one event.
//
// Not modelled: caches beyond the copy model, branch prediction, clock changes, the cost of
// switching between tasks (handlers charge it where the operating system has it).
#ifndef NETSIM_HOST_PROCESSOR_H
#define NETSIM_HOST_PROCESSOR_H

#include "sim/core/cost.h"
#include "sim/core/sim.h"
#include "sim/core/stage.h"

#include <stdbool.h>
#include <stdint.h>

enum cpu_class { CPU_INTERRUPT, CPU_KERNEL, CPU_USER }; // highest first
#define CPU_CLASSES 3

struct cpu;
struct cpu_task;

// What a running handler works with.
struct cpu_context {
    struct cpu *cpu;
    sim_time now;
};

// What the task does next: sleep until somebody wakes it, or go on after tasks of its class that
// wait already.
enum cpu_next { CPU_SLEEP, CPU_AGAIN };

typedef enum cpu_next cpu_task_fn(struct cpu_context *context, struct cpu_task *task);

// Embedded in what it works for. Wakes while it is ready or has not yet run are one; a wake while
// it runs makes it run once more.
struct cpu_task {
    cpu_task_fn *run;
    struct cpu *cpu;
    enum cpu_class class;
    bool ready, running, woken;
    struct cpu_task *next;
    sim_time ready_since;
    struct event wake;   // a wake-up posted for later
    sim_time wake_again; // the last of those that are to come behind it; 0: none
};

struct cpu_usage {
    sim_time busy[CPU_CLASSES];
    uint64_t slices[CPU_CLASSES];
};

// `group` and `name` name its lane in the timeline ("node0", "cpu 1"). `preemptive` false: a higher
// class only goes first when a slice ends, as on a NIC processor's firmware loop. `clock_hz`: the
// cycles a second in which its costs are given. Free with cpu_free.
struct cpu *cpu_new(struct sim *sim, const char *group, const char *name, int64_t clock_hz,
                    bool preemptive);
void cpu_free(struct cpu *cpu);

// When work that takes the processor `time` (> 0) by itself is done, from `from` on, which is the
// current time or later: not before from + time.
typedef sim_time cpu_pace_fn(void *owner, sim_time from, sim_time time);

// From now on what is spent takes as long as `pace` says, of a processor that others can hold up.
void cpu_set_pace(struct cpu *cpu, cpu_pace_fn *pace, void *owner);

void cpu_task_init(struct cpu_task *task, struct cpu *cpu, enum cpu_class class, cpu_task_fn *run);

// Wakes a task now, from an event.
void cpu_wake(struct cpu_task *task);

// From an event: wakes a task at `when`, or, if it is to be woken already, then.
void cpu_wake_at(struct cpu_task *task, sim_time when);

// From a handler: wakes a task (of this or another processor) at the context's now. Of several
// wake-ups that are still to come, the first and the last wake it.
void cpu_post_wake(struct cpu_context *context, struct cpu_task *task);

// From a handler: schedules an idle event at the context's now. Until then its owner stays; from
// then on it may be freed.
void cpu_post(struct cpu_context *context, struct event *event);

// Spends processor time. `stage`, which stays, names it in the timeline and in
// break-downs.
void cpu_spend(struct cpu_context *context, struct cost cost, const struct stage *stage);
void cpu_spend_time(struct cpu_context *context, sim_time time, const struct stage *stage);

// cpu_spend_time with the message that the time is spent for.
void cpu_spend_message(struct cpu_context *context, sim_time time, const struct stage *stage,
                       struct message_ref message);

// cpu_spend_message for work that asks the memory bus for `demand` bytes a second while it goes on,
// and that a device can hold up there (memory_bus.h).
void cpu_spend_memory(struct cpu_context *context, sim_time time, const struct stage *stage,
                      struct message_ref message, int64_t demand);

// Such work of the slice that holds the processor now.
struct cpu_memory_work {
    const struct stage *stage;
    sim_time from, to;
    int64_t demand;
};

// The first such work within `time` from now, cut to that; false if there is none, or a handler
// runs at this moment.
bool cpu_memory_work(const struct cpu *cpu, sim_time time, struct cpu_memory_work *work);

// When the slice that holds the processor now will end, if nothing holds it up. False if there is
// none, or a handler runs at this moment.
bool cpu_busy_until(const struct cpu *cpu, sim_time *end);

// Makes the work, which cpu_memory_work has found at this time, or what is left of the slice
// (cpu_busy_until), take `delay` more. What the processor was to do behind it comes later by that.
void cpu_stall(struct cpu *cpu, const struct cpu_memory_work *work, sim_time delay);

struct sim *cpu_sim(const struct cpu *cpu);
int64_t cpu_clock(const struct cpu *cpu);
trace_lane cpu_lane(const struct cpu *cpu);
struct cpu_usage cpu_usage(const struct cpu *cpu);

// Busy time by stage so far: calls back once for each name, in the order of first use.
void cpu_each_stage(const struct cpu *cpu,
                    void (*each)(void *owner, const char *stage, sim_time time), void *owner);

// The time of work on `bytes` (>= 0) that costs so much for each KiB.
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
