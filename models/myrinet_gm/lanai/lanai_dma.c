// SPDX-License-Identifier: GPL-3.0-or-later
// The DMA engines. The channels of the host's and the send engine each have a queue, whose first
// transfer is under way; the receive engine fills the buffers that are posted.
#include "models/myrinet_gm/lanai/lanai_internal.h"
#include "sim/core/fifo.h"

static const struct wait sram_room = {"room in SRAM", WAIT_BUFFER};

static const struct stage dma_read_stage = {"host DMA read", STAGE_BUS};
static const struct stage dma_write_stage = {"host DMA write", STAGE_BUS};
static const struct stage set_up_stage = {"set-up", STAGE_NIC};

static void engine_begin(struct lanai *lanai, struct lanai_engine *engine);

static struct lanai_engine *engine_of(struct lanai *lanai, enum lanai_move move)
{
    switch (move) {
    case LANAI_FROM_HOST:
        return &lanai->host_engines[0];
    case LANAI_TO_HOST:
        return &lanai->host_engines[lanai->config.host_channels - 1];
    case LANAI_SEND:
        return &lanai->send_engine;
    }
    g_assert_not_reached();
}

// Notes the load only: the users that waited for the engine have noted their waits already.
static void note_load(const struct lanai *lanai, trace_lane lane, sim_time from)
{
    trace_note(lanai->sim->trace, lane,
               &(struct trace_note){.kind = TRACE_LOAD, .from = from, .to = sim_now(lanai->sim)});
}

// The first transfer of the engine has ended.
static void engine_end(struct lanai *lanai, struct lanai_engine *engine)
{
    struct lanai_transfer *transfer = engine->first;
    engine->first = transfer->next;
    transfer->busy = false;
    bool heard = transfer->item.handler != LANAI_NOBODY;
    if (transfer->done)
        transfer->done(lanai->owner, transfer);
    if (heard)
        lanai_arrive(lanai, &transfer->item);
    if (engine->first)
        engine_begin(lanai, engine);
}

// ---- Host engine ----

// When the next piece of a transfer is in SRAM; at the latest when all of the packet is.
static sim_time piece_there(const struct lanai_transfer *transfer, int64_t piece)
{
    const struct lanai_buffer *behind = transfer->behind;
    const struct lanai *lanai = transfer->lanai;
    if (!behind || behind->whole)
        return 0;
    int64_t to_come = behind->packet->wire_bytes - transfer->behind_at - transfer->moved - piece;
    if (lanai->share.on)
        return lanai_share_there(lanai, behind, MAX(to_come, 0));
    return behind->last - network_station_in_time(lanai->network, lanai->station, MAX(to_come, 0));
}

// The engine's first transfer waits for bytes from the link: the first of those that wait for the
// engine and fetch from the host goes before it. Returns false if there is none, as with a channel
// for each direction.
static bool let_fetch_first(struct lanai *lanai, struct lanai_engine *engine)
{
    struct lanai_transfer *before = engine->first;
    while (before->next && before->next->move != LANAI_FROM_HOST)
        before = before->next;
    struct lanai_transfer *fetch = before->next;
    if (!fetch)
        return false;
    before->next = fetch->next;
    if (engine->last == fetch)
        engine->last = before;
    fetch->next = engine->first;
    engine->first->asked = sim_now(lanai->sim);
    engine->first->waits = false;
    engine->first = fetch;
    engine_begin(lanai, engine);
    return true;
}

// A piece has ended, or the set-up. The bus is asked for a piece at a time, so that others can use
// it between pieces.
static void host_moved(struct engine *engine, struct event *event)
{
    (void)engine;
    struct lanai_transfer *transfer = container_of(event, struct lanai_transfer, event);
    struct lanai *lanai = transfer->lanai;
    struct lanai_engine *channel = engine_of(lanai, transfer->move);
    int64_t piece = MIN(transfer->bytes - transfer->moved, lanai->config.bus_hold);
    sim_time there = piece_there(transfer, piece);
    transfer->waits = there > sim_now(lanai->sim);
    if (transfer->waits) {
        if (!let_fetch_first(lanai, channel))
            engine_schedule(lanai->sim->engine, event, there);
        return;
    }
    if (piece == 0) {
        note_load(lanai, channel->lane, transfer->asked);
        engine_end(lanai, channel);
        return;
    }
    transfer->moved += piece;
    bool read = transfer->move == LANAI_FROM_HOST;
    enum bus_way way = read ? BUS_READ : BUS_WRITE;
    const struct stage *stage = read ? &dma_read_stage : &dma_write_stage;
    if (lanai->share.on)
        lanai_share_piece(lanai, event, way, piece, stage, transfer->item.message);
    else
        bus_transfer(lanai->bus, way, piece, event, stage, transfer->item.message);
}

static void host_begin(struct lanai *lanai, const struct lanai_engine *channel,
                       struct lanai_transfer *transfer)
{
    const struct lanai_config *config = &lanai->config;
    sim_time now = sim_now(lanai->sim);
    sim_time ready =
        now + (transfer->move == LANAI_FROM_HOST ? config->read_setup : config->write_setup);
    trace_span(lanai->sim->trace, channel->lane, &set_up_stage, now, ready, transfer->item.message);
    transfer->asked = ready;
    transfer->event.run = host_moved;
    engine_schedule(lanai->sim->engine, &transfer->event, ready);
}

// ---- Send engine ----

static void send_first_byte(struct engine *engine, struct event *event)
{
    (void)engine;
    struct lanai_transfer *transfer = container_of(event, struct lanai_transfer, event);
    struct lanai *lanai = transfer->lanai;
    struct packet *packet = transfer->packet;
    transfer->packet = NULL;
    transfer->asked = sim_now(lanai->sim);
    trace_flow(lanai->sim->trace, lanai->send_engine.lane, packet->message, TRACE_FLOW_STEP,
               sim_now(lanai->sim));
    lanai_capture(lanai, packet, CAPTURE_OUT);
    if (lanai->share.on)
        lanai_share_send(lanai, packet);
    network_send(lanai->network, packet, &lanai->sent);
}

static void send_begin(struct lanai *lanai, struct lanai_transfer *transfer)
{
    sim_time now = sim_now(lanai->sim), ready = now + lanai->config.send_latency;
    trace_delay(lanai->sim->trace, lanai->send_engine.lane, &stage_nic, now, ready,
                transfer->item.message);
    transfer->event.run = send_first_byte;
    engine_schedule(lanai->sim->engine, &transfer->event, ready);
}

static void sent_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct lanai *lanai = container_of(event, struct lanai, sent);
    note_load(lanai, lanai->send_engine.lane, lanai->send_engine.first->asked);
    engine_end(lanai, &lanai->send_engine);
}

// ---- Starting ----

static void engine_begin(struct lanai *lanai, struct lanai_engine *engine)
{
    struct lanai_transfer *transfer = engine->first;
    trace_queued(lanai->sim->trace, engine->lane, transfer->asked, sim_now(lanai->sim));
    if (transfer->move == LANAI_SEND)
        send_begin(lanai, transfer);
    else
        host_begin(lanai, engine, transfer);
}

static void transfer_asked(struct engine *unused, struct event *event)
{
    (void)unused;
    struct lanai_transfer *transfer = container_of(event, struct lanai_transfer, event);
    struct lanai *lanai = transfer->lanai;
    struct lanai_engine *engine = engine_of(lanai, transfer->move);
    transfer->asked = sim_now(lanai->sim);
    transfer->moved = 0;
    transfer->next = NULL;
    if (engine->first) {
        engine->last->next = transfer;
        engine->last = transfer;
        if (engine->first->waits && transfer->move == LANAI_FROM_HOST) {
            engine_cancel(lanai->sim->engine, &engine->first->event);
            let_fetch_first(lanai, engine);
        }
        return;
    }
    engine->first = engine->last = transfer;
    engine_begin(lanai, engine);
}

void lanai_start(struct lanai *lanai, struct lanai_transfer *transfer, sim_time when)
{
    g_assert(!transfer->busy && !transfer->item.waiting);
    g_assert(transfer->move == LANAI_SEND ? transfer->packet != NULL : transfer->bytes >= 0);
    transfer->lanai = lanai;
    transfer->busy = true;
    event_init(&transfer->event, transfer_asked);
    engine_schedule(lanai->sim->engine, &transfer->event, when);
}

// ---- Receive engine ----

void lanai_discard(struct lanai *lanai, struct lanai_buffer *buffer, const char *reason)
{
    struct packet *packet = buffer->packet;
    char *name = g_strconcat("LANai: ", reason, NULL);
    (*sim_loss_counter(lanai->sim, name, LOSS_DROPPED))++;
    g_free(name);
    packet_drop(lanai->network, packet, reason);
    buffer->packet = NULL;
}

static void arrive_whole(struct lanai *lanai, struct lanai_buffer *buffer)
{
    buffer->whole = true;
    if (!buffer->packet->corrupt)
        lanai_capture(lanai, buffer->packet, CAPTURE_IN);
    if (buffer->begun.waiting)
        lanai_withdraw(lanai, &buffer->begun); // nothing is gained any more
    buffer->item.handler = lanai->firmware->received;
    buffer->item.message = buffer->packet->message;
    lanai_arrive(lanai, &buffer->item);
}

// The packet goes into the buffer; false if it is too long and is lost.
static bool fill(struct lanai *lanai, struct lanai_buffer *buffer, struct packet *packet)
{
    buffer->packet = packet;
    if (packet->wire_bytes > buffer->bytes) {
        lanai_discard(lanai, buffer, "packet longer than its receive buffer");
        network_credit(lanai->network, lanai->station);
        return false;
    }
    buffer->posted = false;
    arrive_whole(lanai, buffer);
    return true;
}

int lanai_held(const struct lanai *lanai)
{
    return (int)(lanai->held->len - lanai->held_taken);
}

static void hold(struct lanai *lanai, struct packet *packet)
{
    struct lanai_held entry = {packet, sim_now(lanai->sim)};
    g_array_append_val(lanai->held, entry);
    (*lanai->held_packets)++;
}

// The packet that has waited longest.
static struct packet *held_pop(struct lanai *lanai)
{
    struct lanai_held entry = g_array_index(lanai->held, struct lanai_held, lanai->held_taken++);
    if (2 * lanai->held_taken >= lanai->held->len) {
        g_array_remove_range(lanai->held, 0, lanai->held_taken);
        lanai->held_taken = 0;
    }
    trace_note(lanai->sim->trace, lanai->receive_lane,
               &(struct trace_note){.kind = TRACE_HELD,
                                    .wait = &sram_room,
                                    .where = lanai->host->name,
                                    .from = entry.since,
                                    .to = sim_now(lanai->sim),
                                    .message = entry.packet->message});
    trace_delay(lanai->sim->trace, lanai->receive_lane, &wait_stages[WAIT_BUFFER], entry.since,
                sim_now(lanai->sim), entry.packet->message);
    return entry.packet;
}

static void head_in(struct engine *engine, struct event *event)
{
    (void)engine;
    struct lanai_buffer *buffer = container_of(event, struct lanai_buffer, event);
    lanai_arrive(buffer->lanai, &buffer->begun);
}

void lanai_receive_head(struct lanai *lanai, struct packet *packet, sim_time last)
{
    struct lanai_buffer *buffer = lanai->empty;
    if (!buffer || packet->wire_bytes > buffer->bytes)
        return; // it is handled when all of it has arrived
    lanai->empty = buffer->next;
    buffer->posted = false;
    buffer->packet = packet;
    buffer->whole = false;
    buffer->last = last + lanai->config.receive_latency;
    buffer->begun = (struct lanai_item){
        .handler = lanai->firmware->received, .message = packet->message, .begins = true};
    packet->token = buffer;
    event_init(&buffer->event, head_in);
    engine_schedule(lanai->sim->engine, &buffer->event,
                    sim_now(lanai->sim) + lanai->config.receive_latency);
}

// Attached to the station: enough of the packet to begin with has left the link.
static void station_begin(void *owner, struct packet *packet, sim_time last)
{
    lanai_receive_head(owner, packet, last);
}

// The rest of a packet that the firmware has begun with.
static void rest_in(struct engine *engine, struct event *event)
{
    (void)engine;
    const struct packet *packet = container_of(event, struct packet, event);
    struct lanai_buffer *buffer = packet->token;
    arrive_whole(buffer->lanai, buffer);
}

static void packet_in(struct engine *engine, struct event *event)
{
    (void)engine;
    struct packet *packet = container_of(event, struct packet, event);
    struct lanai *lanai = packet->token;
    struct lanai_buffer *buffer = lanai->empty;
    if (!buffer)
        hold(lanai, packet);
    else if (fill(lanai, buffer, packet))
        lanai->empty = buffer->next;
}

void lanai_receive(struct lanai *lanai, struct packet *packet, sim_time from)
{
    sim_time now = sim_now(lanai->sim), seen = now + lanai->config.receive_latency;
    note_load(lanai, lanai->receive_lane, from);
    trace_flow(lanai->sim->trace, lanai->receive_lane, packet->message, TRACE_FLOW_STEP, now);
    trace_delay(lanai->sim->trace, lanai->receive_lane, &stage_nic, now, seen, packet->message);
    struct lanai_buffer *buffer = packet->token;
    event_init(&packet->event, buffer ? rest_in : packet_in);
    if (buffer)
        buffer->last = seen;
    else
        packet->token = lanai;
    engine_schedule(lanai->sim->engine, &packet->event, seen);
}

// Attached to the station: the packet's last bit has left the link.
static void station_receive(void *owner, struct packet *packet)
{
    struct lanai *lanai = owner;
    if (lanai->share.on) {
        lanai_share_arrive(lanai, packet);
        return;
    }
    sim_time wire = network_station_time(lanai->network, lanai->station, packet->wire_bytes);
    lanai_receive(lanai, packet, MAX(sim_now(lanai->sim) - wire, 0));
}

static void buffer_posted(struct engine *engine, struct event *event)
{
    (void)engine;
    struct lanai_buffer *buffer = container_of(event, struct lanai_buffer, event);
    struct lanai *lanai = buffer->lanai;
    network_credit(lanai->network, lanai->station);
    while (lanai_held(lanai) > 0)
        if (fill(lanai, buffer, held_pop(lanai)))
            return;
    FIFO_APPEND(lanai->empty, lanai->emptied, buffer, next);
}

void lanai_post_buffer(struct lanai *lanai, struct lanai_buffer *buffer, sim_time when)
{
    g_assert(!buffer->posted && !buffer->packet && !buffer->item.waiting);
    buffer->lanai = lanai;
    buffer->posted = true;
    event_init(&buffer->event, buffer_posted);
    engine_schedule(lanai->sim->engine, &buffer->event, when);
}

// ---- Create and free ----

void lanai_engines_init(struct lanai *lanai)
{
    struct trace *trace = lanai->sim->trace;
    const char *group = lanai->host->name;
    bool one = lanai->config.host_channels == 1;
    lanai->host_engines[0].lane =
        trace_lane_new(trace, group, one ? "NIC host DMA" : "NIC host DMA read");
    if (!one)
        lanai->host_engines[1].lane = trace_lane_new(trace, group, "NIC host DMA write");
    lanai->send_engine.lane = trace_lane_new(trace, group, "NIC send DMA");
    lanai->receive_lane = trace_lane_new(trace, group, "NIC receive DMA");
    event_init(&lanai->sent, sent_event);
    lanai->held = g_array_new(FALSE, FALSE, sizeof(struct lanai_held));
    lanai->held_packets = sim_counter(lanai->sim, "LANai packets held for a buffer");
    network_attach(lanai->network, lanai->station, station_receive, lanai);
    network_attach_words(lanai->network, lanai->station, lanai_words, lanai);
    lanai_share_init(lanai);
    if (lanai->firmware->head > 0 && !lanai->share.on)
        network_attach_head(lanai->network, lanai->station, lanai->firmware->head, station_begin);
    network_limit(lanai->network, lanai->station);
}

void lanai_engines_clear(struct lanai *lanai)
{
    lanai_share_clear(lanai);
    g_array_free(lanai->held, TRUE);
}
