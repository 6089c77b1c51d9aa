// SPDX-License-Identifier: GPL-3.0-or-later
// The VDMA engine (thesis 002, 2.1.3): four channels, each with a page table and a packet counter,
// which software writes at both ends before a slice moves. The card sends one slice at a time and
// receives one at a time; the packets of a slice may arrive in any order.
//
// Not modelled: which page a packet goes to (an access across a page is one bus transaction), reads
// of the page table, which is on the card.
#include "models/intercept/nic/nic_internal.h"

#include "sim/core/fifo.h"

static const struct stage walk_stage = {"page look-up", STAGE_KERNEL};
static const struct stage table_stage = {"page table", STAGE_BUS};
static const struct stage vdma_doorbell_stage = {"VDMA doorbell", STAGE_BUS};
static const struct stage vdma_engine_stage = {"VDMA", STAGE_NIC};
static const struct stage slice_stage = {"VDMA slice", STAGE_NIC};
static const struct stage vdma_read_stage = {"VDMA read", STAGE_BUS};
static const struct stage vdma_write_stage = {"VDMA write", STAGE_BUS};

// ---- States ----

// The receiver's channels are READY and ACTIVE, the sender's QUEUED and SENDING.
static const struct machine_state channel_states[] = {
    [NIC_FREE] = {"FREE", .next = MACHINE_TO(NIC_READY, NIC_QUEUED)},
    [NIC_READY] = {"READY",
                   {"the packets of its slice", WAIT_OTHER},
                   HELD_BY_PEER,
                   MACHINE_TO(NIC_ACTIVE)},
    [NIC_ACTIVE] = {"ACTIVE",
                    {"the packets of its slice", WAIT_OTHER},
                    HELD_BY_PEER,
                    MACHINE_TO(NIC_DONE)},
    [NIC_QUEUED] = {"QUEUED",
                    {"the slices before it", WAIT_OTHER},
                    HELD_HERE,
                    MACHINE_TO(NIC_SENDING)},
    [NIC_SENDING] = {"SENDING", .next = MACHINE_TO(NIC_DONE)},
    [NIC_DONE] = {"DONE", .next = MACHINE_TO(NIC_FREE, NIC_READY, NIC_QUEUED)},
};

const struct machine_kind nic_channel_machine = {
    .name = "VDMA channel",
    .title = "Channel of the VDMA engine",
    .source = "thesis 002, 2.1.3",
    .states = channel_states,
    .count = G_N_ELEMENTS(channel_states),
};

static void channel_enter(struct nic_channel *channel, enum nic_channel_state state)
{
    const struct intercept_nic *nic = channel->nic;
    struct trace *trace = nic->sim->trace;
    trace_lane lane = channel->receives ? nic->vdma.receive_lane : nic->vdma.send_lane;
    sim_time now = sim_now(nic->sim);
    machine_enter(&nic_channel_machine, &channel->machine, state,
                  (struct machine_owner){.where = nic->host->name, .subject = channel->number},
                  NULL, trace, lane, now);
    if (state == NIC_DONE)
        trace_span(trace, lane, &slice_stage, channel->since, now, channel->slice.message);
    channel->since = now;
}

bool nic_channel_stuck(const struct nic_channel *channel)
{
    return channel->nic->config.old_firmware && channel->slice.address % INTERCEPT_PAGE != 0;
}

// ---- Channels ----

void vdma_open(struct intercept_nic *nic, const struct vdma_ops *ops, void *owner)
{
    g_assert(!nic->vdma.ops);
    nic->vdma.ops = ops;
    nic->vdma.owner = owner;
}

int vdma_reserve(struct intercept_nic *nic)
{
    for (int i = 0; i < INTERCEPT_CHANNELS; i++)
        if (!nic->vdma.channels[i].reserved) {
            nic->vdma.channels[i].reserved = true;
            return i;
        }
    return -1;
}

void vdma_release(struct intercept_nic *nic, int channel)
{
    struct nic_channel *released = &nic->vdma.channels[channel];
    g_assert(released->reserved && !event_pending(&released->written));
    g_assert(released->machine.state == NIC_FREE || released->machine.state == NIC_DONE);
    if (released->machine.state != NIC_FREE)
        channel_enter(released, NIC_FREE);
    released->reserved = false;
}

// Looks up the pages of a slice and writes the channel's table and its counter.
static struct nic_channel *write_table(struct cpu_context *context, struct intercept_nic *nic,
                                       int number, const struct vdma_slice *slice)
{
    struct nic_channel *channel = &nic->vdma.channels[number];
    const struct memory_config *memory = &nic->host->config.memory;
    int64_t entries =
        (slice->address % INTERCEPT_PAGE + slice->bytes + INTERCEPT_PAGE - 1) / INTERCEPT_PAGE;
    g_assert(channel->reserved && !event_pending(&channel->written));
    g_assert(channel->machine.state == NIC_FREE || channel->machine.state == NIC_DONE);
    g_assert(slice->address % NIC_QUAD == 0 && slice->bytes % NIC_QUAD == 0 &&
             slice->bytes >= INTERCEPT_VDMA_LEAST && entries <= INTERCEPT_TABLE);
    channel->slice = *slice;
    channel->accepted = channel->fetched = 0;
    channel->packets = channel->left =
        (slice->bytes + nic->config.vdma_payload - 1) / nic->config.vdma_payload;
    sim_time walk = cpu_cost(context->cpu, nic->config.walk);
    sim_time entry = cpu_cost(context->cpu, nic->config.table_entry);
    int64_t pages = memory_pages(memory, slice->address, slice->bytes);
    cpu_spend_message(context, time_times(pages, walk), &walk_stage, slice->message);
    cpu_spend_message(context, time_times(entries + 1, entry), &table_stage, slice->message);
    return channel;
}

int vdma_missing(const struct intercept_nic *nic, int channel, int *packets)
{
    const struct nic_channel *at = &nic->vdma.channels[channel];
    if (packets)
        *packets = (int)at->packets;
    return (int)at->left;
}

// ---- Sending ----

// The engine reads `vdma_read` bytes ahead, so that on a bus of long bursts not each packet has a
// set-up of its own. Packets whose bytes are in the card already need no read.
static int64_t to_read(const struct nic_channel *channel, int64_t offset)
{
    int64_t most = MAX(channel->nic->config.vdma_read, channel->nic->config.vdma_payload);
    return channel->fetched > 0 ? 0 : MIN(most, channel->slice.bytes - offset);
}

// A transfer is a command in a TX-CB (2.2.2), which is read before the first of its data.
static void first_of_slice(const struct nic_source *source, struct nic_request *request)
{
    const struct nic_vdma *vdma = container_of(source, struct nic_vdma, source);
    const struct nic_channel *channel = vdma->sending;
    int64_t offset = (channel->packets - channel->left) * channel->nic->config.vdma_payload;
    *request = (struct nic_request){
        .to = channel->to,
        .mask = channel->nic->mask,
        .command = offset == 0 ? channel->nic->config.command : 0,
        .data = to_read(channel, offset),
        .message = channel->slice.message,
    };
}

static struct packet *vdma_packet_of(const struct nic_channel *channel, int64_t offset)
{
    struct intercept_nic *nic = channel->nic;
    struct packet *packet = packet_new(nic->network);
    struct nic_header *header = packet_header(packet, struct nic_header);
    packet->message = channel->slice.message;
    packet->offset = channel->slice.offset + offset;
    packet->length = (uint32_t)MIN(nic->config.vdma_payload, channel->slice.bytes - offset);
    packet->wire_bytes = (uint32_t)nic->config.header + packet->length;
    header->from = nic->iuca;
    header->to = channel->to;
    header->kind = NIC_VDMA_DATA;
    header->channel = (uint8_t)channel->to_channel;
    header->address = (uint32_t)offset;
    header->bytes = (uint16_t)packet->length;
    return packet;
}

// Starts with the next slice in the queue. Returns whether it has packets to send.
static bool send_slice(struct intercept_nic *nic)
{
    struct nic_vdma *vdma = &nic->vdma;
    struct nic_channel *channel = vdma->queued;
    vdma->sending = channel;
    if (!channel)
        return false;
    vdma->queued = channel->next;
    channel_enter(channel, NIC_SENDING);
    return !nic_channel_stuck(channel);
}

static bool take_of_slice(struct nic_source *source, struct packet **packet)
{
    struct nic_vdma *vdma = container_of(source, struct nic_vdma, source);
    struct nic_channel *channel = vdma->sending;
    struct intercept_nic *nic = channel->nic;
    int64_t offset = (channel->packets - channel->left) * nic->config.vdma_payload;
    *packet = vdma_packet_of(channel, offset);
    channel->fetched += to_read(channel, offset) - (*packet)->length;
    if (--channel->left > 0)
        return true;
    channel_enter(channel, NIC_DONE);
    bool more = send_slice(nic);
    vdma->ops->sent(vdma->owner, channel->number);
    return more;
}

static void queue_slice(struct nic_channel *channel)
{
    struct nic_vdma *vdma = &channel->nic->vdma;
    channel_enter(channel, NIC_QUEUED);
    FIFO_APPEND(vdma->queued, vdma->queued_last, channel, next);
    if (!vdma->sending && send_slice(channel->nic))
        nic_read(channel->nic, &vdma->source);
}

static void table_written(struct engine *engine, struct event *event)
{
    (void)engine;
    struct nic_channel *channel = container_of(event, struct nic_channel, written);
    if (channel->receives)
        channel_enter(channel, NIC_READY);
    else
        queue_slice(channel);
}

void vdma_expect(struct cpu_context *context, struct intercept_nic *nic, int channel,
                 const struct vdma_slice *slice)
{
    struct nic_channel *to = write_table(context, nic, channel, slice);
    to->receives = true;
    cpu_post(context, &to->written);
}

void vdma_send(struct cpu_context *context, struct intercept_nic *nic, int channel, int to,
               int to_channel, const struct vdma_slice *slice)
{
    struct nic_channel *from = write_table(context, nic, channel, slice);
    from->receives = false;
    from->to = to;
    from->to_channel = to_channel;
    cpu_spend_for(context, nic->config.doorbell, &vdma_doorbell_stage, slice->message);
    cpu_post(context, &from->written);
}

// ---- Receiving ----

static void activate_next(struct intercept_nic *nic);

// The packet is in host memory.
static void vdma_written(struct engine *engine, struct event *event)
{
    (void)engine;
    struct packet *packet = container_of(event, struct packet, event);
    int number = packet_header(packet, struct nic_header)->channel;
    struct intercept_nic *nic = ((const struct nic_plane *)packet->token)->nic;
    struct nic_channel *channel = &nic->vdma.channels[number];
    ledger_deliver(nic->sim->ledger, packet->message, packet->offset, packet->length);
    nic_packet_written(packet);
    packet_free(nic->network, packet);
    if (--channel->left > 0)
        return;
    channel_enter(channel, NIC_DONE);
    nic->vdma.active = NULL;
    nic_raise_channel(nic, number);
    activate_next(nic);
}

static void vdma_write_packet(struct nic_channel *channel, struct packet *packet)
{
    event_init(&packet->event, vdma_written);
    bus_transfer(channel->nic->bus, BUS_WRITE, packet->length, &packet->event, &vdma_write_stage,
                 packet->message);
}

// The card keeps the packet in its own memory, so that it does not block those of the active
// channel.
static void hold_packet(struct nic_channel *channel, struct packet *packet)
{
    if (!channel->held)
        channel->held_since = ++channel->nic->vdma.held;
    nic_packet_written(packet);
    FIFO_APPEND(channel->held, channel->held_last, packet, next);
}

// The channel becomes the active one, with the packets that are there.
static void activate(struct nic_channel *channel)
{
    g_assert(!channel->nic->vdma.active);
    channel->nic->vdma.active = channel;
    channel_enter(channel, NIC_ACTIVE);
    if (nic_channel_stuck(channel))
        return;
    for (struct packet *packet = channel->held, *next; packet; packet = next) {
        next = packet->next;
        vdma_write_packet(channel, packet);
    }
    channel->held = NULL;
}

// No channel is active any more: of those that hold packets, activates the one that has held its
// first for longest.
static void activate_next(struct intercept_nic *nic)
{
    struct nic_channel *next = NULL;
    for (int i = 0; i < INTERCEPT_CHANNELS; i++) {
        struct nic_channel *channel = &nic->vdma.channels[i];
        if (channel->held && (!next || channel->held_since < next->held_since))
            next = channel;
    }
    if (next)
        activate(next);
}

void nic_receive_vdma(struct intercept_nic *nic, struct packet *packet)
{
    const struct nic_header *header = packet_header(packet, struct nic_header);
    struct nic_channel *channel = &nic->vdma.channels[header->channel];
    bool set_up = channel->machine.state == NIC_READY || channel->machine.state == NIC_ACTIVE;
    if (!set_up || channel->accepted == channel->packets) {
        nic_refuse(nic, packet, "VDMA channel not set up");
        return;
    }
    if (header->address + (int64_t)packet->length > channel->slice.bytes) {
        nic_refuse(nic, packet, "address beyond the VDMA channel's page table");
        return;
    }
    channel->accepted++;
    if (!nic->vdma.active)
        activate(channel);
    if (nic->vdma.active == channel && !nic_channel_stuck(channel))
        vdma_write_packet(channel, packet);
    else
        hold_packet(channel, packet);
}

// ---- Create and free ----

void nic_vdma_init(struct intercept_nic *nic)
{
    nic->vdma.source = (struct nic_source){.stage = &vdma_engine_stage,
                                           .bus_stage = &vdma_read_stage,
                                           .first = first_of_slice,
                                           .take = take_of_slice};
    nic->vdma.send_lane = trace_lane_new(nic->sim->trace, nic->host->name, "NIC VDMA send");
    nic->vdma.receive_lane = trace_lane_new(nic->sim->trace, nic->host->name, "NIC VDMA receive");
    for (int i = 0; i < INTERCEPT_CHANNELS; i++) {
        struct nic_channel *channel = &nic->vdma.channels[i];
        channel->nic = nic;
        channel->number = i;
        event_init(&channel->written, table_written);
    }
}
