// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/ethernet/nic_internal.h"

#include <glib.h>

static const struct stage receive_stage = {"receive", STAGE_BUS};

#define HEAD_BYTES 64 // of a frame, after which its part in the receive FIFO is followed

// ---- Pauses of the sender ----

// Whether the FIFO holds `bytes` before the frame that arrives is there, or else when it will
// (TIME_NEVER: not by this frame).
static sim_time rx_level_at(const struct nic *nic, int64_t bytes)
{
    int64_t need = bytes - nic->rx_waiting;
    if (need <= 0)
        return sim_now(nic->sim);
    if (need > nic->rx_coming)
        return TIME_NEVER;
    return nic->rx_last -
           network_station_in_time(nic->network, nic->station, nic->rx_coming - need);
}

static void rx_pause(struct nic *nic, bool pauses)
{
    nic->pauses = pauses;
    network_pause(nic->network, nic->station, pauses);
}

// The FIFO's level has changed, or the frame that changes it.
static void rx_marks(struct nic *nic)
{
    struct engine *engine = nic->sim->engine;
    if (!(nic->config.pause & PAUSE_SEND) || !network_sends_pause(nic->network, nic->station))
        return;
    sim_time now = sim_now(nic->sim);
    if (nic->pauses && rx_level_at(nic, nic->pause_low) > now)
        rx_pause(nic, false);
    sim_time high = nic->pauses ? TIME_NEVER : rx_level_at(nic, nic->pause_high);
    if (high <= now)
        rx_pause(nic, true);
    if (high <= now || high == TIME_NEVER)
        engine_cancel(engine, &nic->rx_mark);
    else if (!event_pending(&nic->rx_mark) || nic->rx_mark.when != high)
        engine_reschedule(engine, &nic->rx_mark, high);
}

static void rx_mark_event(struct engine *engine, struct event *event)
{
    (void)engine;
    rx_marks(container_of(event, struct nic, rx_mark));
}

// Bytes that are still to be written when a frame's last bit has come.
static int64_t rx_residue(const struct nic *nic, const struct packet *packet)
{
    return MIN((int64_t)packet->wire_bytes, nic->config.rx_residue);
}

// The head of a frame has come.
static void rx_begin(void *owner, struct packet *packet, sim_time last)
{
    struct nic *nic = owner;
    nic->rx_coming = rx_residue(nic, packet);
    nic->rx_last = last;
    rx_marks(nic);
}

// Marks that are not set are those of FreeBSD's em for a longest frame (em_hardware_init).
static void rx_set_marks(struct nic *nic, int64_t frame)
{
    enum { STEP = 1024, BELOW = 1500 };
    const struct nic_config *config = &nic->config;
    int64_t high = config->rx_fifo - (frame + STEP - 1) / STEP * STEP;
    nic->pause_high = config->pause_high > 0 ? config->pause_high : MAX(high, 1);
    nic->pause_low = config->pause_low > 0 ? config->pause_low : MAX(nic->pause_high - BELOW, 1);
}

void ethernet_offer_pause(struct nic *nic)
{
    int mode = nic->config.rx_fifo > 0 ? nic->config.pause : nic->config.pause & PAUSE_OBEY;
    rx_set_marks(nic, nic->config.largest_frame + ETHERNET_FCS);
    if (mode != PAUSE_NONE)
        network_offer_pause(
            nic->network, nic->station,
            &(struct pause_offer){mode, nic->config.pause_time, rx_begin, HEAD_BYTES});
}

void nic_set_mtu(struct nic *nic, int64_t mtu)
{
    rx_set_marks(nic, ETHERNET_HEADER + mtu + ETHERNET_FCS);
}

// ---- Receive ----

static void nic_drop(struct nic *nic, struct packet *packet, int64_t *counter, const char *reason)
{
    (*counter)++;
    packet_drop(nic->network, packet, reason);
}

static void rx_written(struct engine *engine, struct event *event)
{
    (void)engine;
    struct packet *packet = container_of(event, struct packet, event);
    struct nic *nic = packet->token;
    nic->rx_waiting -= rx_residue(nic, packet);
    rx_marks(nic);
    ethernet_queue_push(&nic->rx_done, packet);
    ethernet_ring_note(nic, nic->lane_rx, TRACE_JOIN);
    ethernet_interrupt_ask(nic, nic->lane_rx, nic->config.rx_status);
}

// The rest of a frame goes into host memory.
static void rx_write(struct nic *nic, struct packet *packet)
{
    int64_t descriptors = nic->config.descriptor * ethernet_descriptors_of(nic, packet);
    event_init(&packet->event, rx_written);
    bus_transfer(nic->bus, BUS_WRITE, rx_residue(nic, packet) + descriptors, &packet->event,
                 &receive_stage, packet->message);
}

static void rx_through(struct engine *engine, struct event *event)
{
    (void)engine;
    struct packet *packet = container_of(event, struct packet, event);
    rx_write(packet->token, packet);
}

static void rx_take(struct nic *nic, struct packet *packet)
{
    if (packet->corrupt) {
        nic_drop(nic, packet, nic->fcs_drops, "FCS error at the receiving NIC");
        return;
    }
    int64_t residue = rx_residue(nic, packet);
    int descriptors = ethernet_descriptors_of(nic, packet);
    if (nic->config.rx_fifo > 0 && nic->rx_waiting + residue > nic->config.rx_fifo) {
        nic_drop(nic, packet, nic->fifo_drops, "receive FIFO full");
        return;
    }
    if (nic->rx_used + descriptors > nic->config.rx_ring) {
        nic_drop(nic, packet, nic->ring_drops, "receive ring full");
        return;
    }
    ethernet_capture(nic, packet, CAPTURE_IN); // what the driver gets to see
    nic->rx_used += descriptors;
    nic->rx_waiting += residue;
    trace_flow(nic->sim->trace, nic->lane_rx, packet->message, TRACE_FLOW_STEP, sim_now(nic->sim));
    bus_note(nic->bus, BUS_WRITE, packet->wire_bytes - residue);
    packet->token = nic;
    if (nic->config.rx_latency == 0) {
        rx_write(nic, packet);
        return;
    }
    sim_time now = sim_now(nic->sim), through = now + nic->config.rx_latency;
    trace_delay(nic->sim->trace, nic->lane_rx, &stage_nic, now, through, packet->message);
    event_init(&packet->event, rx_through);
    engine_schedule(nic->sim->engine, &packet->event, through);
}

void ethernet_receive(void *owner, struct packet *packet)
{
    struct nic *nic = owner;
    rx_take(nic, packet);
    nic->rx_coming = 0;
    rx_marks(nic);
}

void ethernet_receive_init(struct nic *nic)
{
    event_init(&nic->rx_mark, rx_mark_event);
    nic->ring_drops = sim_loss_counter(nic->sim, "nic receive ring full", LOSS_DROPPED);
    if (nic->config.rx_fifo > 0)
        nic->fifo_drops = sim_loss_counter(nic->sim, "nic receive FIFO full", LOSS_DROPPED);
    nic->fcs_drops = sim_loss_counter(nic->sim, "nic FCS errors", LOSS_DROPPED);
}
