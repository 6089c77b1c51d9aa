// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/ethernet/nic_internal.h"

#include <glib.h>

static const struct stage distance_stage = {"distance of interrupts", STAGE_NIC};

#define TX_DONE_FEW 16 // completions for which every card has room

struct tx_done {
    uint16_t protocol;
    void *token;
};

// The interrupt is due at `when`. The card could give it at `asked`,
// but for the distance from the last one, and gives it at `line`.
static void interrupt_due(struct nic *nic, trace_lane lane, sim_time asked, sim_time line,
                          sim_time when)
{
    trace_delay(nic->sim->trace, lane, &stage_nic, sim_now(nic->sim), asked, MESSAGE_NONE);
    if (line > asked)
        trace_delay(nic->sim->trace, lane, &distance_stage, asked, line, MESSAGE_NONE);
    trace_delay(nic->sim->trace, lane, &stage_interrupt_line, line, when, MESSAGE_NONE);
    engine_schedule(nic->sim->engine, &nic->interrupt, when);
}

void ethernet_interrupt_ask(struct nic *nic, trace_lane lane, sim_time status)
{
    if (nic->in_service)
        return;
    sim_time asked = sim_now(nic->sim) + status + nic->config.interrupt_delay;
    bool enough = ++nic->waiting >= nic->config.coalesce_frames;
    if (!enough)
        asked += nic->config.coalesce_delay;
    sim_time line = MAX(asked, nic->earliest);
    sim_time when = line + nic->host->config.kernel.interrupt_latency;
    if (!event_pending(&nic->interrupt))
        interrupt_due(nic, lane, asked, line, when);
    else if (enough && nic->config.coalesce_delay > 0 && when < nic->interrupt.when)
        engine_reschedule(nic->sim->engine, &nic->interrupt, when);
}

static void interrupt_line(struct engine *engine, struct event *event)
{
    (void)engine;
    struct nic *nic = container_of(event, struct nic, interrupt);
    nic->earliest = sim_now(nic->sim) - nic->host->config.kernel.interrupt_latency +
                    nic->config.interrupt_distance;
    cpu_wake(&nic->service);
}

// ---- Completions of sent frames ----

void ethernet_complete(struct nic *nic, uint16_t protocol, void *token)
{
    if (!token)
        return;
    struct tx_done done = {protocol, token};
    g_array_append_val(nic->tx_done, done);
    if (nic->config.tx_interrupt_delay == 0) {
        ethernet_interrupt_ask(nic, nic->lane_rx, 0);
    } else if (!event_pending(&nic->tx_timer)) {
        sim_time now = sim_now(nic->sim), when = now + nic->config.tx_interrupt_delay;
        trace_delay(nic->sim->trace, nic->lane_tx, &stage_nic, now, when, MESSAGE_NONE);
        engine_schedule(nic->sim->engine, &nic->tx_timer, when);
    }
}

// Whether an interrupt has reported the frame meanwhile or not.
static void tx_timer_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct nic *nic = container_of(event, struct nic, tx_timer);
    ethernet_interrupt_ask(nic, nic->lane_tx, 0);
}

// ---- Interrupt service: one frame or completion a slice ----

static bool service_one(struct cpu_context *context, struct nic *nic)
{
    if (nic->tx_done_taken < nic->tx_done->len) {
        struct tx_done done = g_array_index(nic->tx_done, struct tx_done, nic->tx_done_taken++);
        if (nic->tx_done_taken == nic->tx_done->len) {
            g_array_set_size(nic->tx_done, 0);
            nic->tx_done_taken = 0;
        }
        cpu_spend(context, nic->config.tx_done, &stage_driver);
        const struct nic_registration *to = ethernet_protocol_of(nic, done.protocol);
        to->ops->sent(context, to->owner, done.token);
        return true;
    }
    struct packet *packet = ethernet_queue_pop(&nic->rx_done);
    if (!packet)
        return false;
    nic->rx_used -= ethernet_descriptors_of(nic, packet);
    ethernet_ring_note(nic, nic->lane_rx, TRACE_LEAVE);
    cpu_spend_for(context, nic->config.rx_frame, &stage_driver, packet->message);
    const struct nic_registration *to = ethernet_protocol_of(nic, packet->protocol);
    to->ops->receive(context, to->owner, packet);
    return true;
}

static enum cpu_next nic_service(struct cpu_context *context, struct cpu_task *task)
{
    struct nic *nic = container_of(task, struct nic, service);
    if (!nic->in_service) {
        nic->in_service = true;
        nic->waiting = 0;
        (*nic->interrupts)++;
        host_interrupt_enter(context, nic->host);
        cpu_spend(context, nic->config.status_read, &stage_interrupt);
    }
    if (service_one(context, nic) || ethernet_protocols_polled(context, nic))
        return CPU_AGAIN;
    host_interrupt_leave(context, nic->host);
    nic->in_service = false;
    return CPU_SLEEP;
}

void ethernet_interrupt_init(struct nic *nic)
{
    nic->tx_done = g_array_sized_new(FALSE, FALSE, sizeof(struct tx_done), TX_DONE_FEW);
    nic->earliest = phase_left(nic->host->config.phase.card, nic->config.interrupt_distance);
    event_init(&nic->interrupt, interrupt_line);
    event_init(&nic->tx_timer, tx_timer_event);
    cpu_task_init(&nic->service, host_interrupt_core(nic->host), CPU_INTERRUPT, nic_service);
    nic->interrupts = sim_counter(nic->sim, "nic interrupts");
}
