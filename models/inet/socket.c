// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/inet/socket.h"

#include "models/ethernet/nic.h"
#include "models/inet/watch.h"

// ---- Calls ----

static const struct stage call_stages[INET_CALLS] = {
    [INET_READ] = {"read()", STAGE_TRAP},
    [INET_READV] = {"readv()", STAGE_TRAP},
    [INET_PEEK] = {"recv()", STAGE_TRAP},
    [INET_SCTP_RECVMSG] = {"sctp_recvmsg()", STAGE_TRAP},
    [INET_WRITE] = {"write()", STAGE_TRAP},
    [INET_WRITEV] = {"writev()", STAGE_TRAP},
    [INET_SCTP_SENDMSG] = {"sctp_sendmsg()", STAGE_TRAP},
    [INET_SELECT] = {"select()", STAGE_TRAP},
    [INET_POLL] = {"poll()", STAGE_TRAP},
    [INET_FCNTL] = {"fcntl()", STAGE_TRAP},
    [INET_IOCTL] = {"ioctl()", STAGE_TRAP},
    [INET_GETTIMEOFDAY] = {"gettimeofday()", STAGE_TRAP},
    [INET_OPEN] = {"socket()", STAGE_TRAP},
    [INET_ACCEPT] = {"accept()", STAGE_TRAP},
    [INET_SETSOCKOPT] = {"setsockopt()", STAGE_TRAP},
    [INET_CLOSE] = {"close()", STAGE_TRAP},
};

const struct stage *inet_call_stage(enum inet_call call)
{
    return &call_stages[call];
}

void inet_call(struct cpu_context *context, const struct host *host, enum inet_call call)
{
    cpu_spend(context, host->config.kernel.system_call, &call_stages[call]);
}

// ---- Processes ----

// A process that polls comes to its next turn.
static void tick_event(struct engine *engine, struct event *event)
{
    struct inet_process *process = container_of(event, struct inet_process, tick);
    sim_time now = engine_now(engine);
    sim_time turn = time_next_tick(process->asleep_since, process->turn, now);
    trace_delay(cpu_sim(process->task->cpu)->trace, cpu_lane(process->task->cpu), &stage_poll, now,
                turn, MESSAGE_NONE);
    cpu_wake_at(process->task, turn);
}

struct inet_process *inet_process_of(struct inet_host *host, struct cpu_task *task)
{
    for (guint i = 0; i < host->processes->len; i++) {
        struct inet_process *known = g_ptr_array_index(host->processes, i);
        if (known->task == task)
            return known;
    }
    struct inet_process *process = g_new0(struct inet_process, 1);
    process->task = task;
    process->host = host->host;
    process->epoch = 1;
    event_init(&process->tick, tick_event);
    g_ptr_array_add(host->processes, process);
    return process;
}

void inet_call_as(struct inet_socket *socket, struct inet_process *process)
{
    socket->process = process;
}

void inet_enter(struct cpu_context *context, struct inet_process *process, enum inet_call call)
{
    bool in_call = process->in_call;
    if (process->switch_due)
        host_switch_in(context, process->host);
    if (!in_call)
        inet_call(context, process->host, call);
    process->asleep = process->switch_due = process->in_call = process->polling = false;
}

void inet_sleep(struct cpu_context *context, struct inet_process *process, bool in_call)
{
    cpu_spend(context, process->host->config.kernel.block_process, &stage_block);
    process->asleep = true;
    process->asleep_since = context->now;
    process->in_call = in_call;
}

void inet_wake(struct cpu_context *context, struct inet_process *process)
{
    if (!process->asleep)
        return;
    process->asleep = false;
    process->epoch++;
    if (process->polling) {
        if (!event_pending(&process->tick))
            cpu_post(context, &process->tick);
        return;
    }
    if (context->now >= process->asleep_since) {
        process->switch_due = true;
        cpu_spend(context, process->host->config.kernel.wake_process, &stage_wake_up);
    }
    cpu_post_wake(context, process->task);
}

// ---- Waiting ----

static bool sleeps(const struct inet_sleeper *sleeper)
{
    const struct inet_process *process = sleeper->process;
    return process && process->asleep && sleeper->epoch == process->epoch;
}

static void wake_sleepers(struct cpu_context *context, struct inet_socket *socket, int readiness)
{
    for (int i = 0; i < INET_CALLERS; i++) {
        const struct inet_sleeper *sleeper = &socket->sleepers[i];
        if (sleeps(sleeper) && (sleeper->wanted & (unsigned)readiness))
            inet_wake(context, sleeper->process);
    }
}

void inet_mark(struct inet_socket *socket)
{
    struct inet_watched *watched = socket->watched;
    if (!watched || watched->marked)
        return;
    watched->marked = true;
    g_array_append_val(watched->watch->marked, watched->place);
}

void inet_notify(struct cpu_context *context, struct inet_socket *socket)
{
    bool any = false;
    inet_mark(socket);
    for (int i = 0; i < INET_CALLERS; i++)
        any |= sleeps(&socket->sleepers[i]);
    if (!socket->process || !any)
        return;
    int ready = socket->ops->ready(socket);
    wake_sleepers(context, socket, ready & INET_READABLE);
    wake_sleepers(context, socket, ready & INET_WRITABLE);
}

// The caller's own sleep, or an unused one.
static struct inet_sleeper *own_sleeper(struct inet_socket *socket)
{
    struct inet_sleeper *unused = NULL;
    for (int i = 0; i < INET_CALLERS; i++) {
        if (socket->sleepers[i].process == socket->process)
            return &socket->sleepers[i];
        if (!sleeps(&socket->sleepers[i]))
            unused = &socket->sleepers[i];
    }
    g_assert(unused);
    return unused;
}

static void await(struct inet_socket *socket, int readiness)
{
    struct inet_sleeper *sleeper = own_sleeper(socket);
    sleeper->process = socket->process;
    sleeper->epoch = socket->process->epoch & (UINT64_MAX >> 2);
    sleeper->wanted = (unsigned)readiness & 3;
    if (socket->ops->awaited)
        socket->ops->awaited(socket, readiness);
}

static bool can_go_on(const struct inet_socket *socket, enum inet_readiness readiness)
{
    return socket->ops->goes_on ? socket->ops->goes_on(socket, readiness)
                                : (socket->ops->ready(socket) & (int)readiness) != 0;
}

bool inet_wait(struct cpu_context *context, struct inet_socket *socket,
               enum inet_readiness readiness)
{
    if (can_go_on(socket, readiness))
        return true;
    await(socket, (int)readiness);
    inet_sleep(context, socket->process, true);
    return false;
}

bool inet_block(struct cpu_context *context, struct inet_socket *socket,
                enum inet_readiness readiness)
{
    const struct inet_socket_ops *ops = socket->ops;
    if (can_go_on(socket, readiness))
        return true;
    inet_enter(context, socket->process, readiness == INET_WRITABLE ? ops->writes : ops->reads);
    return inet_wait(context, socket, readiness);
}

void inet_charge_select(struct cpu_context *context, struct inet_process *process,
                        const struct inet_config *config, const struct stage *stage, int count)
{
    inet_enter(context, process, process->by_poll ? INET_POLL : INET_SELECT);
    cpu_spend(context, config->select_call, stage);
    cpu_spend_time(context, time_times(count, cpu_cost(context->cpu, config->select_socket)),
                   stage);
}

int inet_select(struct cpu_context *context, struct inet_selected *selected, int count, bool block)
{
    int found = 0;
    g_assert(count > 0);
    const struct inet_socket *first = selected[0].socket;
    struct inet_process *process = first->process;
    inet_charge_select(context, process, first->host->config, first->ops->stage, count);
    for (int i = 0; i < count; i++) {
        struct inet_socket *socket = selected[i].socket;
        int ready = socket->ops->ready(socket) & (int)selected[i].wanted;
        selected[i].ready = (enum inet_readiness)ready;
        found += ready != 0;
    }
    if (found > 0 || !block)
        return found;
    for (int i = 0; i < count; i++)
        await(selected[i].socket, (int)selected[i].wanted);
    inet_sleep(context, process, true);
    return 0;
}

// The sleep stands for turns of `turn` ps without a ready socket.
static void sleep_polling(const struct cpu_context *context, const struct inet_selected *selected,
                          int count, sim_time turn)
{
    struct inet_process *process = selected[0].socket->process;
    for (int i = 0; i < count; i++)
        await(selected[i].socket, (int)selected[i].wanted);
    process->asleep = process->polling = true;
    process->asleep_since = context->now;
    process->turn = turn;
}

int inet_poll(struct cpu_context *context, struct inet_selected *selected, int count,
              sim_time around)
{
    const struct inet_process *process = selected[0].socket->process;
    const struct inet_config *config = selected[0].socket->host->config;
    const struct cpu *cpu = context->cpu;
    int found = inet_select(context, selected, count, false);
    if (found > 0)
        return found;
    sim_time turn = around + cpu_cost(cpu, process->host->config.kernel.system_call) +
                    cpu_cost(cpu, config->select_call) +
                    time_times(count, cpu_cost(cpu, config->select_socket));
    sleep_polling(context, selected, count, MAX(turn, 1));
    return 0;
}

bool inet_spin_several(struct cpu_context *context, const struct inet_selected *selected, int count,
                       sim_time turn)
{
    g_assert(turn > 0 && count > 0);
    for (int i = 0; i < count; i++)
        if (selected[i].socket->ops->ready(selected[i].socket) & (int)selected[i].wanted)
            return true;
    sleep_polling(context, selected, count, turn);
    return false;
}

bool inet_spin(struct cpu_context *context, struct inet_socket *socket, int readiness,
               sim_time turn)
{
    const struct inet_selected selected = {socket, (enum inet_readiness)readiness, 0};
    return inet_spin_several(context, &selected, 1, turn);
}

// ---- Buffers ----

void inet_buffer_init(struct inet_buffer *buffer, const struct inet_config *config, int64_t asked,
                      int64_t fallback, int64_t least)
{
    int64_t given = MIN(asked, config->buffer_limit);
    *buffer = (struct inet_buffer){.size = fallback, .locked = asked > 0};
    if (asked > 0)
        buffer->size = MAX(config->buffer_doubling ? 2 * given : given, least);
}

int64_t inet_truesize(const struct inet_interface *interface, int64_t bytes)
{
    const struct inet_config *config = interface->host->config;
    int64_t frame = ETHERNET_HEADER + bytes;
    if (frame > config->rx_copybreak)
        frame = ETHERNET_HEADER + interface->mtu;
    return frame + config->skb_overhead;
}
