// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/myrinet_gm/lanai/lanai_internal.h"
#include "sim/core/fifo.h"

const struct stage lanai_pio_stage = {"PIO", STAGE_BUS};

static const struct stage dispatch_stage = {"dispatch", STAGE_NIC};

// ---- Handlers that are ready ----

static bool desk_ready(const struct lanai_desk *desk)
{
    return desk->first || desk->called;
}

static bool any_ready(const struct lanai *lanai)
{
    for (int i = 0; i < lanai->firmware->count; i++)
        if (desk_ready(&lanai->desks[i]))
            return true;
    return false;
}

// Returns the first row after `first` that has a place of its own.
static int place_end(const struct lanai_firmware *firmware, int first)
{
    int end = first + 1;
    while (end < firmware->count && firmware->handlers[end].shares)
        end++;
    return end;
}

// The handler whose turn it is; LANAI_NOBODY if none is ready.
static int choose(struct lanai *lanai)
{
    for (int first = 0, end; first < lanai->firmware->count; first = end) {
        end = place_end(lanai->firmware, first);
        struct lanai_desk *desk = &lanai->desks[first];
        int places = end - first;
        for (int k = 1; k <= places; k++) {
            int turn = (desk->turn + k) % places;
            if (!desk_ready(&lanai->desks[first + turn]))
                continue;
            desk->turn = turn;
            return first + turn;
        }
    }
    return LANAI_NOBODY;
}

static struct lanai_item *desk_pop(struct lanai_desk *desk)
{
    struct lanai_item *item = desk->first;
    if (item) {
        desk->first = item->next;
        item->waiting = false;
    } else {
        desk->called = false;
    }
    return item;
}

// ---- The loop ----

static enum cpu_next loop_run(struct cpu_context *context, struct cpu_task *task)
{
    struct lanai *lanai = container_of(task, struct lanai, loop);
    int chosen = choose(lanai);
    if (chosen != LANAI_NOBODY) {
        const struct lanai_handler *handler = &lanai->firmware->handlers[chosen];
        struct lanai_item *item = desk_pop(&lanai->desks[chosen]);
        struct message_ref message = item ? item->message : MESSAGE_NONE;
        cpu_spend_message(context, cpu_cost(lanai->cpu, lanai->config.dispatch), &dispatch_stage,
                          message);
        cpu_spend_message(context, cpu_cost(lanai->cpu, lanai->costs[chosen]), &handler->stage,
                          message);
        handler->run(context, lanai->owner, item);
    }
    lanai->idle_since = context->now;
    return any_ready(lanai) ? CPU_AGAIN : CPU_SLEEP;
}

static void turn_event(struct engine *engine, struct event *event)
{
    (void)engine;
    cpu_wake(&container_of(event, struct lanai, turn)->loop);
}

// Something has become ready. An idle loop sees it at its next turn; a busy one when it comes
// round.
static void notice(struct lanai *lanai)
{
    struct cpu_task *loop = &lanai->loop;
    if (loop->running) {
        cpu_wake(loop);
        return;
    }
    if (loop->ready || event_pending(&lanai->turn))
        return;
    sim_time now = sim_now(lanai->sim), when = now;
    sim_time turn = cpu_cost(lanai->cpu, lanai->config.idle_turn);
    if (turn > 0)
        when = time_next_tick(lanai->idle_since, turn, now);
    trace_delay(lanai->sim->trace, cpu_lane(lanai->cpu), &stage_nic, now, when, MESSAGE_NONE);
    engine_schedule(lanai->sim->engine, &lanai->turn, when);
}

static struct lanai_desk *desk_of(struct lanai *lanai, int handler)
{
    g_assert(handler >= 0 && handler < lanai->firmware->count);
    return &lanai->desks[handler];
}

void lanai_ready(struct lanai *lanai, int handler)
{
    desk_of(lanai, handler)->called = true;
    notice(lanai);
}

void lanai_arrive(struct lanai *lanai, struct lanai_item *item)
{
    struct lanai_desk *desk = desk_of(lanai, item->handler);
    g_assert(!item->waiting);
    item->waiting = true;
    FIFO_APPEND(desk->first, desk->last, item, next);
    notice(lanai);
}

void lanai_withdraw(struct lanai *lanai, struct lanai_item *item)
{
    struct lanai_desk *desk = desk_of(lanai, item->handler);
    struct lanai_item *before = NULL;
    for (struct lanai_item *at = desk->first; at != item; at = at->next)
        before = at;
    if (before)
        before->next = item->next;
    else
        desk->first = item->next;
    if (desk->last == item)
        desk->last = before;
    item->waiting = false;
}

// ---- What the host writes ----

static void write_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct lanai_write *write = container_of(event, struct lanai_write, event);
    if (write->on_bus) {
        write->busy = write->on_bus = false;
        lanai_arrive(write->lanai, &write->item);
        return;
    }
    write->on_bus = true;
    bus_transfer(write->lanai->bus, BUS_WRITE, write->bytes, &write->event, &lanai_pio_stage,
                 write->item.message);
}

void lanai_write(struct cpu_context *context, struct lanai *lanai, struct lanai_write *write)
{
    g_assert(write->bytes > 0 && !write->busy && !write->item.waiting);
    int64_t words = (write->bytes + 3) / 4;
    write->lanai = lanai;
    write->busy = true;
    cpu_spend_message(context, time_times(words, cpu_cost(context->cpu, lanai->config.write_word)),
                      &lanai_pio_stage, write->item.message);
    event_init(&write->event, write_event);
    cpu_post(context, &write->event);
}

// ---- Timers ----

static void timer_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct lanai_timer *timer = container_of(event, struct lanai_timer, event);
    lanai_arrive(timer->lanai, &timer->item);
}

void lanai_timer_stop(struct lanai *lanai, struct lanai_timer *timer)
{
    if (!timer->lanai)
        return; // never set
    engine_cancel(lanai->sim->engine, &timer->event);
    if (timer->item.waiting)
        lanai_withdraw(lanai, &timer->item);
}

void lanai_timer_set(struct lanai *lanai, struct lanai_timer *timer, sim_time when)
{
    lanai_timer_stop(lanai, timer);
    if (!timer->lanai)
        event_init(&timer->event, timer_event);
    timer->lanai = lanai;
    if (lanai->config.timer_tick > 0)
        when = time_next_tick(lanai->first_tick, lanai->config.timer_tick, when);
    engine_schedule(lanai->sim->engine, &timer->event, when);
}

sim_time lanai_clock(const struct lanai *lanai, sim_time now)
{
    sim_time tick = lanai->config.timer_tick;
    if (tick == 0)
        return now;
    return (now + (lanai->first_tick > 0 ? tick - lanai->first_tick : 0)) / tick * tick;
}

void lanai_timer_trace(const struct lanai_timer *timer, const struct stage *stage, sim_time since,
                       struct message_ref message)
{
    const struct lanai *lanai = timer->lanai;
    trace_delay(lanai->sim->trace, cpu_lane(lanai->cpu), stage, since, timer->event.when, message);
    sim_waited(lanai->sim, stage->name, since, timer->event.when);
    trace_mark(lanai->sim->trace, &(struct trace_mark){.kind = TRACE_TIMEOUT,
                                                       .what = stage->name,
                                                       .where = lanai->host->name,
                                                       .since = since,
                                                       .when = timer->event.when});
}

// ---- Create and free ----

struct lanai *lanai_new(struct host *host, struct bus *bus, struct network *network, int station,
                        const char *section, const struct lanai_config *config,
                        const struct lanai_firmware *firmware, const struct cost *costs,
                        void *owner)
{
    struct lanai *lanai = g_new0(struct lanai, 1);
    g_assert(firmware->count > 0 && !firmware->handlers[0].shares);
    g_assert(firmware->received >= 0 && firmware->received < firmware->count);
    lanai->host = host;
    lanai->bus = bus;
    lanai->sim = host->sim;
    lanai->network = network;
    lanai->station = station;
    lanai->section = section;
    lanai->config = *config;
    lanai->owner = owner;
    lanai->firmware = firmware;
    lanai->first_tick = phase_left(host->config.phase.card, config->timer_tick);
    lanai->costs = g_memdup2(costs, (gsize)firmware->count * sizeof *costs);
    lanai->desks = g_new0(struct lanai_desk, firmware->count);
    for (int i = 0; i < firmware->count; i++)
        lanai->desks[i].turn = place_end(firmware, i) - i - 1; // so that the first goes first
    lanai->cpu = cpu_new(lanai->sim, host->name, "LANai", config->clock, false);
    cpu_task_init(&lanai->loop, lanai->cpu, CPU_KERNEL, loop_run);
    event_init(&lanai->turn, turn_event);
    lanai->regions = g_array_new(FALSE, FALSE, sizeof(struct lanai_region));
    lanai_engines_init(lanai);
    lanai_capture_init(lanai);
    return lanai;
}

void lanai_free(struct lanai *lanai)
{
    if (!lanai)
        return;
    lanai_engines_clear(lanai);
    g_array_free(lanai->regions, TRUE);
    g_byte_array_free(lanai->frame, TRUE);
    cpu_free(lanai->cpu);
    g_free(lanai->desks);
    g_free(lanai->costs);
    g_free(lanai);
}

int lanai_station(const struct lanai *lanai)
{
    return lanai->station;
}

struct cpu *lanai_cpu(const struct lanai *lanai)
{
    return lanai->cpu;
}

const struct lanai_config *lanai_config(const struct lanai *lanai)
{
    return &lanai->config;
}
