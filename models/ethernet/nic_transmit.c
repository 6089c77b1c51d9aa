// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/ethernet/nic_internal.h"

#include <glib.h>

static const struct stage send_stage = {"send", STAGE_BUS};

// When the FIFO, which the frame on the wire drains, will have room for `bytes` more; now if it
// has, and TIME_NEVER while a pause keeps the next frame off the wire.
static sim_time tx_room_at(const struct nic *nic, int64_t bytes)
{
    int64_t excess = MIN(nic->fifo_bytes + bytes - nic->config.tx_fifo, nic->fifo_bytes);
    sim_time now = sim_now(nic->sim);
    if (excess <= 0)
        return now;
    if (!nic->sending && event_pending(&nic->tx_opens))
        return TIME_NEVER;
    sim_time drained = nic->sending_since +
                       time_of_bytes(excess, network_station_rate(nic->network, nic->station));
    return MAX(now, drained);
}

// ---- Transmit: several frames fetched at once ----

static bool fetch_has_room(const struct nic *nic, const struct packet *packet)
{
    return nic->fifo_bytes == 0 || nic->fifo_bytes + packet->wire_bytes <= nic->config.tx_fifo;
}

// Asks for the data of all frames for which FIFO and requests have room.
static void fetch_more(struct nic *nic)
{
    struct packet *packet;
    while ((packet = nic->tx_ring.head) && nic->fetching < nic->config.reads &&
           fetch_has_room(nic, packet)) {
        int64_t slot = (nic->fetch_first + nic->fetching++) % nic->config.reads;
        int64_t descriptors = nic->tx_described ? 0 : ethernet_descriptors_of(nic, packet);
        nic->tx_described = false;
        nic->fetches[slot].packet = ethernet_queue_pop(&nic->tx_ring);
        ethernet_ring_note(nic, nic->lane_tx, TRACE_LEAVE);
        nic->fifo_bytes += packet->wire_bytes;
        bus_transfer(nic->bus, BUS_READ, nic->config.descriptor * descriptors + packet->wire_bytes,
                     &nic->fetches[slot].event, &send_stage, packet->message);
    }
}

static void tx_send(struct nic *nic);

// The oldest of the frames under way is in the FIFO.
static void fetch_done(struct engine *engine, struct event *event)
{
    (void)engine;
    const struct nic_fetch *fetch = container_of(event, struct nic_fetch, event);
    struct nic *nic = fetch->nic;
    struct packet *packet = fetch->packet;
    nic->fetch_first = (int)((nic->fetch_first + 1) % nic->config.reads);
    nic->fetching--;
    if (nic->config.completion == NIC_COMPLETE_LOADED) {
        nic->tx_used -= ethernet_descriptors_of(nic, packet);
        ethernet_complete(nic, packet->protocol, packet->token);
    }
    ethernet_queue_push(&nic->loaded, packet);
    tx_send(nic);
    fetch_more(nic);
}

// The doorbell has reached the card, or then the descriptor of the first frame has.
static void fetch_start(struct nic *nic)
{
    const struct packet *packet = nic->tx_ring.head;
    if (!nic->tx_reading) {
        nic->tx_reading = true;
        bus_transfer(nic->bus, BUS_READ,
                     nic->config.descriptor * ethernet_descriptors_of(nic, packet), &nic->tx_head,
                     &send_stage, packet->message);
        return;
    }
    nic->tx_reading = nic->tx_starting = false;
    nic->tx_described = true;
    fetch_more(nic);
}

static void fetches_init(struct nic *nic)
{
    nic->fetches = g_new0(struct nic_fetch, nic->config.reads);
    for (int64_t i = 0; i < nic->config.reads; i++) {
        nic->fetches[i].nic = nic;
        event_init(&nic->fetches[i].event, fetch_done);
    }
}

// ---- Transmit: a frame at a time ----

// Starts to load the next frame if the bus side is idle, as soon as the FIFO has room for its first
// bytes; the rest follows at the rate at which the wire drains it.
static void tx_load(struct nic *nic)
{
    struct packet *next = nic->tx_ring.head;
    if (!next || nic->bus_taken || nic->tx_starting)
        return;
    if (nic->config.reads > 0) {
        fetch_more(nic);
        return;
    }
    int64_t head = MIN((int64_t)next->wire_bytes, nic->threshold);
    sim_time room_at = tx_room_at(nic, head);
    if (room_at > sim_now(nic->sim)) {
        if (nic->sending && !event_pending(&nic->tx_room))
            engine_schedule(nic->sim->engine, &nic->tx_room, room_at);
        return;
    }
    nic->bus_taken = true;
    nic->loading = ethernet_queue_pop(&nic->tx_ring);
    nic->loading_protocol = next->protocol;
    nic->loading_token = next->token;
    nic->loading_used = ethernet_descriptors_of(nic, next);
    ethernet_ring_note(nic, nic->lane_tx, TRACE_LEAVE);
    nic->fifo_bytes += next->wire_bytes;
    bus_transfer(nic->bus, BUS_READ, nic->config.descriptor * nic->loading_used + head,
                 &nic->tx_head, &send_stage, next->message);
}

// Whether byte `nth` of the rest of a frame, of which `head` bytes are in the FIFO, comes over the
// bus after the wire wants it, if the frame starts on the wire now. The end of the transaction is
// known; time that it loses to copies is taken to be lost at its start.
static bool tx_late(const struct nic *nic, int64_t head, int64_t nth)
{
    const struct bus_config *bus = bus_config(nic->bus);
    sim_time begins = nic->tx_rest.when - bus_time(bus, BUS_READ, nic->rest);
    sim_time wanted = network_station_byte_time(nic->network, nic->station, head + nth);
    return begins + bus_time(bus, BUS_READ, nth + 1) > sim_now(nic->sim) + wanted;
}

// Bytes of a frame that starts on the wire now that go out before the FIFO runs dry: `bytes` if it
// does not.
static int64_t tx_in_time(const struct nic *nic, int64_t bytes)
{
    int64_t head = bytes - nic->rest, last = nic->rest - 1;
    if (nic->rest == 0 ||
        nic->tx_rest.when <=
            sim_now(nic->sim) + network_station_byte_time(nic->network, nic->station, head))
        return bytes;
    // Within a burst, and from burst to burst, the bytes lag the wire, or gain on it, at a constant
    // rate: checking the ends is enough.
    int64_t burst = bus_burst(bus_config(nic->bus), BUS_READ), of_last = last - last % burst;
    bool late = tx_late(nic, head, 0) || tx_late(nic, head, MIN(burst - 1, last)) ||
                tx_late(nic, head, MAX(of_last - 1, 0)) || tx_late(nic, head, of_last) ||
                tx_late(nic, head, last);
    int64_t nth = 0;
    while (late && !tx_late(nic, head, nth))
        nth++;
    return late ? head + nth : bytes;
}

// Underrun: what the FIFO has of a frame goes out and ends with a wrong check sequence. The frame
// stays the first of those that are loaded. As its driver does, the card waits for more of the next
// ones.
static void tx_run_dry(struct nic *nic, const struct packet *packet, int64_t bytes)
{
    struct packet *part = packet_new(nic->network);
    packet_share_route(part, packet);
    part->protocol = packet->protocol;
    part->wire_bytes = (uint32_t)bytes;
    part->corrupt = true;
    ++*sim_loss_counter(nic->sim, "nic transmit underruns", LOSS_REPEATED);
    nic->threshold = MAX(nic->threshold, MIN(2 * nic->threshold, nic->config.tx_fifo));
    nic->sending = nic->ran_dry = true;
    network_send(nic->network, part, &nic->tx_sent);
}

static void tx_send(struct nic *nic)
{
    struct packet *packet = nic->loaded.head;
    if (nic->sending || !packet ||
        !network_station_free(nic->network, nic->station, &nic->tx_opens))
        return;
    if (packet->next == NULL && nic->rest > 0) {
        // When the bus will turn to the rest may not be known yet: then the frame has to wait for
        // it.
        if (nic->ran_dry || !event_pending(&nic->tx_rest))
            return;
        int64_t bytes = tx_in_time(nic, packet->wire_bytes);
        if (bytes < packet->wire_bytes) {
            tx_run_dry(nic, packet, bytes);
            return;
        }
    }
    ethernet_queue_pop(&nic->loaded);
    nic->sending = true;
    nic->sending_token = packet->token;
    nic->sending_protocol = packet->protocol;
    nic->sending_bytes = packet->wire_bytes;
    nic->sending_used = ethernet_descriptors_of(nic, packet);
    nic->sending_since = sim_now(nic->sim);
    trace_flow(nic->sim->trace, nic->lane_tx, packet->message, TRACE_FLOW_STEP, sim_now(nic->sim));
    ethernet_capture(nic, packet, CAPTURE_OUT);
    network_send(nic->network, packet, &nic->tx_sent);
}

static void tx_full_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct nic *nic = container_of(event, struct nic, tx_full);
    nic->tx_used -= nic->full_used;
    ethernet_complete(nic, nic->full_protocol, nic->full_token);
}

// The last byte of the frame loaded last finds room in the FIFO, or waits for the wire to drain it.
static void tx_fill(struct nic *nic)
{
    sim_time room_at = tx_room_at(nic, 0);
    nic->full_waits = room_at == TIME_NEVER;
    if (!nic->full_waits)
        engine_schedule(nic->sim->engine, &nic->tx_full, room_at);
}

// The bus side is free. The part of the frame for which the FIFO had no room follows as the wire
// drains the FIFO, before there is room for the next frame.
static void tx_loaded(struct nic *nic)
{
    if (nic->config.completion == NIC_COMPLETE_LOADED && nic->loading_token) {
        nic->full_protocol = nic->loading_protocol;
        nic->full_token = nic->loading_token;
        nic->full_used = nic->loading_used;
        tx_fill(nic);
    } else if (nic->config.completion == NIC_COMPLETE_LOADED) {
        nic->tx_used -= nic->loading_used;
    }
    nic->bus_taken = false;
    tx_load(nic);
}

static void tx_head_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct nic *nic = container_of(event, struct nic, tx_head);
    if (nic->config.reads > 0) {
        fetch_start(nic);
        return;
    }
    if (nic->tx_starting) {
        nic->tx_starting = false;
        tx_load(nic);
        return;
    }
    struct packet *packet = nic->loading;
    nic->loading = NULL;
    nic->rest = MAX((int64_t)packet->wire_bytes - nic->threshold, 0);
    if (nic->rest > 0)
        bus_transfer(nic->bus, BUS_READ, nic->rest, &nic->tx_rest, &send_stage, packet->message);
    ethernet_queue_push(&nic->loaded, packet);
    tx_send(nic);
    if (nic->rest == 0)
        tx_loaded(nic);
}

// A frame that has run dry and is longer than the FIFO can't be sent: the card gives it up.
static void tx_give_up(struct nic *nic)
{
    struct packet *packet = ethernet_queue_pop(&nic->loaded);
    nic->fifo_bytes -= packet->wire_bytes;
    nic->tx_queued--;
    nic->tx_used -= ethernet_descriptors_of(nic, packet);
    ethernet_complete(nic, packet->protocol, packet->token);
    packet_drop(nic->network, packet,
                "underrun of the transmit FIFO, which is too small to send the frame again");
    nic->bus_taken = false;
    tx_load(nic);
}

// All of the frame is in the FIFO. If it had run dry, what went out of it has ended, too.
static void tx_rest_in(struct nic *nic)
{
    bool again = nic->ran_dry;
    nic->ran_dry = false;
    if (again && nic->loaded.head->wire_bytes > nic->config.tx_fifo) {
        tx_give_up(nic);
        return;
    }
    tx_send(nic);
    tx_loaded(nic);
}

static void tx_rest_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct nic *nic = container_of(event, struct nic, tx_rest);
    nic->rest = 0;
    if (!nic->ran_dry || !nic->sending)
        tx_rest_in(nic);
}

static void tx_room_event(struct engine *engine, struct event *event)
{
    (void)engine;
    tx_load(container_of(event, struct nic, tx_room));
}

static void tx_opens_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct nic *nic = container_of(event, struct nic, tx_opens);
    tx_send(nic);
    if (nic->full_waits)
        tx_fill(nic);
    tx_load(nic);
}

static void tx_sent_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct nic *nic = container_of(event, struct nic, tx_sent);
    nic->sending = false;
    if (nic->ran_dry) {
        if (nic->rest == 0)
            tx_rest_in(nic);
        return;
    }
    nic->fifo_bytes -= nic->sending_bytes;
    nic->tx_queued--;
    if (nic->config.completion == NIC_COMPLETE_SENT) {
        nic->tx_used -= nic->sending_used;
        ethernet_complete(nic, nic->sending_protocol, nic->sending_token);
    }
    tx_send(nic);
    tx_load(nic);
}

int nic_tx_room(const struct nic *nic)
{
    return ((int)nic->config.tx_ring - nic->tx_used) /
           ethernet_descriptors(nic, nic->config.largest_frame);
}

void nic_transmit(struct nic *nic, struct packet *packet, void *token)
{
    g_assert(nic_tx_room(nic) > 0);
    packet->token = token;
    ethernet_queue_push(&nic->tx_ring, packet);
    ethernet_ring_note(nic, nic->lane_tx, TRACE_JOIN);
    bool idle = nic->tx_queued++ == 0;
    nic->tx_used += ethernet_descriptors_of(nic, packet);
    if (idle) {
        sim_time now = sim_now(nic->sim), when = now + nic->config.tx_start;
        trace_delay(nic->sim->trace, nic->lane_tx, &stage_nic, now, when, packet->message);
        nic->tx_starting = true;
        engine_schedule(nic->sim->engine, &nic->tx_head, when);
    } else {
        tx_load(nic);
    }
}

void ethernet_transmit_init(struct nic *nic)
{
    nic->threshold = nic->config.tx_threshold;
    fetches_init(nic);
    event_init(&nic->tx_head, tx_head_event);
    event_init(&nic->tx_rest, tx_rest_event);
    event_init(&nic->tx_sent, tx_sent_event);
    event_init(&nic->tx_full, tx_full_event);
    event_init(&nic->tx_room, tx_room_event);
    event_init(&nic->tx_opens, tx_opens_event);
}
