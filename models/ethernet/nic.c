// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/ethernet/nic.h"
#include "sim/core/fifo.h"
#include "sim/core/intern.h"

#include <glib.h>

#include <string.h>

static const struct stage receive_stage = {"receive", STAGE_BUS};
static const struct stage send_stage = {"send", STAGE_BUS};
static const struct stage distance_stage = {"distance of interrupts", STAGE_NIC};

#define PROTOCOLS 4       // on one card
#define HEAD_BYTES 64     // of a frame, after which its part in the receive FIFO is followed
#define ETHERNET_LEAST 60 // without the check sequence
#define TX_DONE_FEW 16    // completions for which every card has room

struct frame_queue {
    struct packet *head, *tail;
};

struct registration {
    uint16_t protocol;
    const struct nic_protocol *ops;
    void *owner;
};

// A frame under way from host memory, where a card fetches several.
struct nic_fetch {
    struct event event;
    struct nic *nic;
    struct packet *packet;
};

struct nic {
    struct host *host;
    struct bus *bus;
    struct sim *sim;
    struct network *network;
    int station;
    struct nic_config config;
    struct registration protocols[PROTOCOLS];
    int protocol_count;

    // Transmit: ring -> loading (over the bus) -> loaded (in the FIFO) -> sending (on the wire).
    struct frame_queue tx_ring;
    int tx_queued;          // frames that have not yet left
    int tx_used;            // descriptors in use, until the card has done with their frames
    bool bus_taken;         // by a frame, until its last byte has been asked for
    struct packet *loading; // that frame, until its head is in the FIFO
    uint16_t loading_protocol;
    void *loading_token;
    int loading_used;  // descriptors
    int64_t rest;      // bytes of it that are still on the bus when its head is in the FIFO
    bool ran_dry;      // underrun: the frame is sent again once all of it is in the FIFO
    int64_t threshold; // tx_threshold, or what underruns have made of it
    struct frame_queue loaded;
    bool sending;
    uint16_t sending_protocol;
    void *sending_token;
    uint32_t sending_bytes;
    int sending_used;
    sim_time sending_since;
    int64_t fifo_bytes;
    struct event tx_head;   // doorbell latency, then the first bytes are in the FIFO
    struct event tx_rest;   // the whole frame has come over the bus
    struct event tx_sent;   // the frame on the wire has left
    struct event tx_full;   // the last byte of the frame loaded last is in the FIFO
    uint16_t full_protocol; // what that frame was
    void *full_token;
    int full_used;
    struct event tx_room;      // it has left so far that the FIFO has room
    bool tx_starting;          // between doorbell and the first bus request
    struct nic_fetch *fetches; // config.reads of them, in a circle
    int fetch_first, fetching; // the oldest under way, and their number
    bool tx_reading;           // the descriptor of the first frame after a pause
    bool tx_described;         // it is there: its frame is next
    GArray *tx_done;           // struct tx_done, waiting for the interrupt handler
    guint tx_done_taken;

    // Receive: wire -> bus -> done, waiting for the interrupt handler.
    struct frame_queue rx_done;
    int rx_used;        // descriptors in use
    int64_t rx_waiting; // bytes in the receive FIFO that the bus has not taken
    int64_t rx_coming;  // bytes that the frame that arrives will leave there; 0: none arrives
    sim_time rx_last;   // when its last bit will have come
    int64_t pause_high, pause_low;
    bool pauses;           // the sender is to be paused
    struct event rx_mark;  // the frame that arrives reaches the high mark
    struct event tx_opens; // the wire is free again, after a pause
    bool full_waits;       // tx_full, for the wire

    struct event interrupt;
    struct event tx_timer; // a sent frame asks for its interrupt
    int64_t waiting;       // frames and completions since the last interrupt
    sim_time earliest;     // of the interrupt line, interrupt_distance after the last one
    struct cpu_task service;
    bool in_service;
    int64_t *ring_drops, *fifo_drops, *fcs_drops, *interrupts;
    trace_lane lane_tx, lane_rx;

    // Capture.
    int interface;
    GByteArray *frame; // the last one captured
};

struct tx_done {
    uint16_t protocol;
    void *token;
};

// One more waits in a ring, or one less.
static void ring_note(const struct nic *nic, trace_lane lane, enum trace_note_kind kind)
{
    sim_time now = sim_now(nic->sim);
    trace_note(nic->sim->trace, lane, &(struct trace_note){.kind = kind, .from = now, .to = now});
}

// Descriptors that a frame takes.
static int nic_descriptors(const struct nic *nic, int64_t frame)
{
    int64_t buffer = nic->config.buffer;
    return buffer > 0 ? (int)((frame + buffer - 1) / buffer) : 1;
}

static int packet_descriptors(const struct nic *nic, const struct packet *packet)
{
    return nic_descriptors(nic, MAX((int64_t)packet->wire_bytes - ETHERNET_FCS, 1));
}

static void queue_push(struct frame_queue *queue, struct packet *packet)
{
    FIFO_APPEND(queue->head, queue->tail, packet, next);
}

static struct packet *queue_pop(struct frame_queue *queue)
{
    struct packet *packet = queue->head;
    if (packet)
        queue->head = packet->next;
    return packet;
}

static const struct registration *nic_protocol_of(const struct nic *nic, uint16_t protocol)
{
    for (int i = 0; i < nic->protocol_count; i++)
        if (nic->protocols[i].protocol == protocol)
            return &nic->protocols[i];
    g_error("no protocol 0x%04x on the NIC of %s", protocol, nic->host->name);
}

// ---- Capture ----

const struct capture_link nic_capture_link = {1, "Ethernet"};

// A locally administered address made of the station's number.
static void capture_address(uint8_t *bytes, int station)
{
    uint32_t number = (uint32_t)station + 1;
    const uint8_t address[6] = {2,
                                0,
                                (uint8_t)(number >> 24),
                                (uint8_t)(number >> 16),
                                (uint8_t)(number >> 8),
                                (uint8_t)number};
    memcpy(bytes, address, sizeof address);
}

static void nic_capture(struct nic *nic, const struct packet *packet,
                        enum capture_direction direction)
{
    if (!capture_wants(nic->sim->capture, nic->interface, sim_now(nic->sim)))
        return;
    const struct registration *of = nic_protocol_of(nic, packet->protocol);
    uint32_t length = MAX(packet->wire_bytes - ETHERNET_FCS, ETHERNET_LEAST);
    g_byte_array_set_size(nic->frame, length);
    uint8_t *bytes = nic->frame->data;
    memset(bytes, 0, length);
    capture_address(bytes, route_to(packet->route));
    capture_address(bytes + 6, route_from(packet->route));
    bytes[12] = (uint8_t)(packet->protocol >> 8);
    bytes[13] = (uint8_t)packet->protocol;
    if (of->ops->frame_bytes)
        of->ops->frame_bytes(of->owner, packet, bytes + ETHERNET_HEADER, length - ETHERNET_HEADER);
    packet_capture(nic->network, packet, nic->interface, direction, bytes, length);
}

static void nic_words(void *owner, const struct packet *packet, struct trace_words *words)
{
    const struct nic *nic = owner;
    for (int i = 0; i < nic->protocol_count; i++) {
        const struct registration *of = &nic->protocols[i];
        if (of->protocol == packet->protocol && of->ops->words)
            of->ops->words(of->owner, packet, words);
    }
}

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

// Something waits for the driver: an interrupt is asked for. It comes at once or, where the card
// collects several, when enough wait or the first has waited long enough; and never too soon after
// the last one.
static void interrupt_ask(struct nic *nic, trace_lane lane, sim_time status)
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

// ---- Transmit ----

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
        int64_t descriptors = nic->tx_described ? 0 : packet_descriptors(nic, packet);
        nic->tx_described = false;
        nic->fetches[slot].packet = queue_pop(&nic->tx_ring);
        ring_note(nic, nic->lane_tx, TRACE_LEAVE);
        nic->fifo_bytes += packet->wire_bytes;
        bus_transfer(nic->bus, BUS_READ, nic->config.descriptor * descriptors + packet->wire_bytes,
                     &nic->fetches[slot].event, &send_stage, packet->message);
    }
}

static void tx_send(struct nic *nic);
static void tx_complete(struct nic *nic, uint16_t protocol, void *token);

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
        nic->tx_used -= packet_descriptors(nic, packet);
        tx_complete(nic, packet->protocol, packet->token);
    }
    queue_push(&nic->loaded, packet);
    tx_send(nic);
    fetch_more(nic);
}

// The doorbell has reached the card, or then the descriptor of the first frame has.
static void fetch_start(struct nic *nic)
{
    const struct packet *packet = nic->tx_ring.head;
    if (!nic->tx_reading) {
        nic->tx_reading = true;
        bus_transfer(nic->bus, BUS_READ, nic->config.descriptor * packet_descriptors(nic, packet),
                     &nic->tx_head, &send_stage, packet->message);
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
    nic->loading = queue_pop(&nic->tx_ring);
    nic->loading_protocol = next->protocol;
    nic->loading_token = next->token;
    nic->loading_used = packet_descriptors(nic, next);
    ring_note(nic, nic->lane_tx, TRACE_LEAVE);
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
    queue_pop(&nic->loaded);
    nic->sending = true;
    nic->sending_token = packet->token;
    nic->sending_protocol = packet->protocol;
    nic->sending_bytes = packet->wire_bytes;
    nic->sending_used = packet_descriptors(nic, packet);
    nic->sending_since = sim_now(nic->sim);
    trace_flow(nic->sim->trace, nic->lane_tx, packet->message, TRACE_FLOW_STEP, sim_now(nic->sim));
    nic_capture(nic, packet, CAPTURE_OUT);
    network_send(nic->network, packet, &nic->tx_sent);
}

// The card has finished with a frame: notifies the driver if the protocol wants to know.
static void tx_complete(struct nic *nic, uint16_t protocol, void *token)
{
    if (!token)
        return;
    struct tx_done done = {protocol, token};
    g_array_append_val(nic->tx_done, done);
    if (nic->config.tx_interrupt_delay == 0) {
        interrupt_ask(nic, nic->lane_rx, 0);
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
    interrupt_ask(nic, nic->lane_tx, 0);
}

static void tx_full_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct nic *nic = container_of(event, struct nic, tx_full);
    nic->tx_used -= nic->full_used;
    tx_complete(nic, nic->full_protocol, nic->full_token);
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
    queue_push(&nic->loaded, packet);
    tx_send(nic);
    if (nic->rest == 0)
        tx_loaded(nic);
}

// A frame that has run dry and is longer than the FIFO can't be sent: the card gives it up.
static void tx_give_up(struct nic *nic)
{
    struct packet *packet = queue_pop(&nic->loaded);
    nic->fifo_bytes -= packet->wire_bytes;
    nic->tx_queued--;
    nic->tx_used -= packet_descriptors(nic, packet);
    tx_complete(nic, packet->protocol, packet->token);
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
        tx_complete(nic, nic->sending_protocol, nic->sending_token);
    }
    tx_send(nic);
    tx_load(nic);
}

int nic_tx_room(const struct nic *nic)
{
    return ((int)nic->config.tx_ring - nic->tx_used) /
           nic_descriptors(nic, nic->config.largest_frame);
}

void nic_transmit(struct nic *nic, struct packet *packet, void *token)
{
    g_assert(nic_tx_room(nic) > 0);
    packet->token = token;
    queue_push(&nic->tx_ring, packet);
    ring_note(nic, nic->lane_tx, TRACE_JOIN);
    bool idle = nic->tx_queued++ == 0;
    nic->tx_used += packet_descriptors(nic, packet);
    if (idle) {
        sim_time now = sim_now(nic->sim), when = now + nic->config.tx_start;
        trace_delay(nic->sim->trace, nic->lane_tx, &stage_nic, now, when, packet->message);
        nic->tx_starting = true;
        engine_schedule(nic->sim->engine, &nic->tx_head, when);
    } else {
        tx_load(nic);
    }
}

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

static void rx_offer_pause(struct nic *nic)
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
    queue_push(&nic->rx_done, packet);
    ring_note(nic, nic->lane_rx, TRACE_JOIN);
    interrupt_ask(nic, nic->lane_rx, nic->config.rx_status);
}

// The rest of a frame goes into host memory.
static void rx_write(struct nic *nic, struct packet *packet)
{
    int64_t descriptors = nic->config.descriptor * packet_descriptors(nic, packet);
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
    int descriptors = packet_descriptors(nic, packet);
    if (nic->config.rx_fifo > 0 && nic->rx_waiting + residue > nic->config.rx_fifo) {
        nic_drop(nic, packet, nic->fifo_drops, "receive FIFO full");
        return;
    }
    if (nic->rx_used + descriptors > nic->config.rx_ring) {
        nic_drop(nic, packet, nic->ring_drops, "receive ring full");
        return;
    }
    nic_capture(nic, packet, CAPTURE_IN); // what the driver gets to see
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

static void nic_receive(void *owner, struct packet *packet)
{
    struct nic *nic = owner;
    rx_take(nic, packet);
    nic->rx_coming = 0;
    rx_marks(nic);
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
        const struct registration *to = nic_protocol_of(nic, done.protocol);
        to->ops->sent(context, to->owner, done.token);
        return true;
    }
    struct packet *packet = queue_pop(&nic->rx_done);
    if (!packet)
        return false;
    nic->rx_used -= packet_descriptors(nic, packet);
    ring_note(nic, nic->lane_rx, TRACE_LEAVE);
    cpu_spend_for(context, nic->config.rx_frame, &stage_driver, packet->message);
    const struct registration *to = nic_protocol_of(nic, packet->protocol);
    to->ops->receive(context, to->owner, packet);
    return true;
}

// Nothing is left: protocols that collect frames of one service go on with them.
static bool service_polled(struct cpu_context *context, struct nic *nic)
{
    bool any = false;
    for (int i = 0; i < nic->protocol_count; i++) {
        const struct registration *to = &nic->protocols[i];
        if (to->ops->polled)
            any |= to->ops->polled(context, to->owner);
    }
    return any;
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
    if (service_one(context, nic) || service_polled(context, nic))
        return CPU_AGAIN;
    host_interrupt_leave(context, nic->host);
    nic->in_service = false;
    return CPU_SLEEP;
}

// ---- Create and free ----

// "NIC send", or "NIC eth1 send" if its host lists its cards.
static trace_lane nic_lane(const struct nic *nic, const char *name, const char *way)
{
    const char *host = nic->host->name;
    bool listed = g_str_has_prefix(name, host) && name[strlen(host)] == '.';
    char *label = listed ? g_strdup_printf("NIC %s %s", name + strlen(host) + 1, way)
                         : g_strdup_printf("NIC %s", way);
    trace_lane lane = trace_lane_add(
        nic->sim->trace,
        &(struct trace_lane_info){.group = host, .name = intern_text(label), .kind = TRACE_RING});
    g_free(label);
    return lane;
}

struct nic *nic_new(struct host *host, struct bus *bus, struct network *network, int station,
                    const char *name, const struct nic_config *config)
{
    struct nic *nic = g_new0(struct nic, 1);
    nic->host = host;
    nic->bus = bus;
    nic->sim = host->sim;
    nic->network = network;
    nic->station = station;
    nic->config = *config;
    nic->threshold = config->tx_threshold;
    nic->earliest = phase_left(host->config.phase.card, config->interrupt_distance);
    fetches_init(nic);
    nic->tx_done = g_array_sized_new(FALSE, FALSE, sizeof(struct tx_done), TX_DONE_FEW);
    event_init(&nic->tx_head, tx_head_event);
    event_init(&nic->tx_rest, tx_rest_event);
    event_init(&nic->tx_sent, tx_sent_event);
    event_init(&nic->tx_full, tx_full_event);
    event_init(&nic->tx_room, tx_room_event);
    event_init(&nic->interrupt, interrupt_line);
    event_init(&nic->tx_timer, tx_timer_event);
    event_init(&nic->tx_opens, tx_opens_event);
    event_init(&nic->rx_mark, rx_mark_event);
    cpu_task_init(&nic->service, host_interrupt_core(host), CPU_INTERRUPT, nic_service);
    nic->ring_drops = sim_loss_counter(nic->sim, "nic receive ring full", LOSS_DROPPED);
    if (config->rx_fifo > 0)
        nic->fifo_drops = sim_loss_counter(nic->sim, "nic receive FIFO full", LOSS_DROPPED);
    nic->fcs_drops = sim_loss_counter(nic->sim, "nic FCS errors", LOSS_DROPPED);
    nic->interrupts = sim_counter(nic->sim, "nic interrupts");
    nic->lane_tx = nic_lane(nic, name, "send");
    nic->lane_rx = nic_lane(nic, name, "receive");
    nic->frame = g_byte_array_new();
    nic->interface = capture_interface(nic->sim->capture, name, &nic_capture_link,
                                       network_station_rate(network, station));
    network_attach(network, station, nic_receive, nic);
    network_attach_words(network, station, nic_words, nic);
    rx_offer_pause(nic);
    return nic;
}

void nic_free(struct nic *nic)
{
    if (!nic)
        return;
    g_array_free(nic->tx_done, TRUE);
    g_free(nic->fetches);
    g_byte_array_free(nic->frame, TRUE);
    g_free(nic);
}

void nic_register(struct nic *nic, uint16_t protocol, const struct nic_protocol *ops, void *owner)
{
    g_assert(nic->protocol_count < PROTOCOLS);
    nic->protocols[nic->protocol_count++] = (struct registration){protocol, ops, owner};
}

const struct nic_config *nic_config(const struct nic *nic)
{
    return &nic->config;
}

int nic_station(const struct nic *nic)
{
    return nic->station;
}
