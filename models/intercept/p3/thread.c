// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel thread of a process (thesis 002, 5.2.3 and the loop in 5.3.2). In a turn it takes all
// packets out of the RX-CB, then sends what was postponed, then data packets, as long as there is
// room; it handles one packet in a slice of processor time. Then it pauses (polling build), or
// sleeps if there is nothing to do (interrupt build).
//
// A polling thread really never sleeps. Here it does while its loop would find nothing, and wakes
// at the next turn of that loop. That it takes its processor from others meanwhile is not
// modelled: it needs one of its own.
#include "models/intercept/p3/p3_internal.h"

// ---- A turn ----

static void dispatch(struct cpu_context *context, struct p3_process *process,
                     const struct intercept_sm *sm)
{
    switch ((enum p3_kind)p3_packet_of(sm)->kind) {
    case P3_RTS:
        p3_rts_arrived(context, process, sm);
        return;
    case P3_DATA:
    case P3_STOP_DATA:
    case P3_LAST_DATA:
        p3_data_arrived(context, process, sm);
        return;
    case P3_CTS:
    case P3_NEXT_CTS:
    case P3_MSGEND:
    case P3_MSGERROR:
        p3_answer_arrived(context, process, sm);
        return;
    case P3_KINDS:
        break;
    }
    ++*process->counters.unknown_kind;
}

// The oldest packet of the RX-CB. Returns false if there is none.
static bool take_packet(struct cpu_context *context, struct p3_process *process)
{
    if (p3_parse_reordered(context, process))
        return true;
    const struct intercept_sm *first = vnic_first(process->vnic);
    if (!first)
        return false;
    struct intercept_sm sm = *first; // rtscts_read_next() copies it out
    vnic_take(context, process->vnic);
    dispatch(context, process, &sm);
    return true;
}

// One packet of the turn. Returns false if the turn has ended.
static bool work(struct cpu_context *context, struct p3_process *process)
{
    switch (process->phase) {
    case P3_RECEIVES:
        if (take_packet(context, process))
            return true;
        process->phase = P3_SENDS_POSTPONED;
        // fall through
    case P3_SENDS_POSTPONED:
        if (p3_send_postponed(context, process))
            return true;
        process->phase = P3_SENDS_DATA;
        // fall through
    case P3_SENDS_DATA:
        if (p3_send_data(context, process))
            return true;
        process->phase = P3_RECEIVES;
    }
    return false;
}

static bool has_work(const struct p3_process *process)
{
    return vnic_first(process->vnic) ||
           (!process->full && (process->postponed || process->granted));
}

// ---- Between turns ----

// The loop last did something at loop_since, polls again after a pause, and after that once per
// pause and poll. Returns the time of the next poll.
static sim_time next_turn(const struct cpu_context *context, const struct p3_process *process)
{
    const struct p3_config *config = process->config;
    sim_time first = process->loop_since + config->poll_delay;
    sim_time period = MAX(1, config->poll_delay + cpu_cost(context->cpu, config->poll_look));
    if (context->now <= first)
        return first;
    return first + (context->now - first + period - 1) / period * period;
}

// Returns true if the slice has been spent on coming to work.
static bool begin(struct cpu_context *context, struct p3_process *process)
{
    if (process->config->poll && !process->in_turn) {
        sim_time turn = next_turn(context, process);
        process->in_turn = true;
        if (turn > context->now) {
            cpu_spend_time(context, turn - context->now, &stage_poll);
            return true;
        }
    }
    if (process->asleep) {
        process->asleep = false;
        host_thread_switch_in(context, process->host);
        return true;
    }
    return false;
}

static enum cpu_next finish(struct cpu_context *context, struct p3_process *process)
{
    process->in_turn = false;
    process->loop_since = context->now;
    if (has_work(process))
        return CPU_AGAIN;
    process->asleep = !process->config->poll;
    return CPU_SLEEP;
}

static enum cpu_next run(struct cpu_context *context, struct cpu_task *task)
{
    struct p3_process *process = container_of(task, struct p3_process, thread);
    if (begin(context, process) || work(context, process))
        return CPU_AGAIN;
    return finish(context, process);
}

// ---- What wakes it ----

static void visible(void *data)
{
    struct p3_process *process = data;
    cpu_wake(&process->thread);
}

static void interrupt(struct cpu_context *context, void *data)
{
    struct p3_process *process = data;
    if (process->asleep)
        host_wake_thread(context, process->host, &process->thread);
}

// Without a virtual interrupt the thread that polls finds packets by itself.
const struct vnic_ops p3_poll_ops = {.visible = visible, .frame = p3_frame, .words = p3_words};
const struct vnic_ops p3_interrupt_ops = {
    .interrupt = interrupt, .frame = p3_frame, .words = p3_words};

// The thread spins while it has something to send that there is no room for.
static void thread_room_event(void *data)
{
    struct p3_process *process = data;
    process->full = false;
    if (has_work(process))
        cpu_wake(&process->thread);
}

void p3_thread_init(struct p3_process *process)
{
    cpu_task_init(&process->thread, host_thread_core(process->host, 0), CPU_KERNEL, run);
    process->asleep = !process->config->poll;
    vnic_on_room(process->vnic, thread_room_event);
}
