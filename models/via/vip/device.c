// SPDX-License-Identifier: GPL-3.0-or-later
// The device part of the kernel agent: descriptors become Ethernet frames, frames become completed
// descriptors.
#include "models/via/vip/provider.h"

static void device_receive(struct cpu_context *context, void *owner, struct packet *packet);
static void device_sent(struct cpu_context *context, void *owner, void *token);

static void device_frame_bytes(void *owner, const struct packet *packet, uint8_t *bytes,
                               uint32_t room)
{
    (void)owner;
    via_frame_bytes((const struct via_frame *)(const void *)packet->header, bytes, room);
}

static void device_words(void *owner, const struct packet *packet, struct trace_words *words)
{
    (void)owner;
    const struct via_frame *frame = (const struct via_frame *)(const void *)packet->header;
    words->sequence = frame->sequence;
    via_frame_words(frame, words->text, sizeof words->text);
}

static const struct nic_protocol device_protocol = {
    .receive = device_receive,
    .sent = device_sent,
    .frame_bytes = device_frame_bytes,
    .words = device_words,
};

struct vip_agent *vip_agent_new(struct cluster *cluster, struct nic *nic,
                                const struct mvia_config *config)
{
    struct vip_agent *agent = g_new0(struct vip_agent, 1);
    agent->sim = cluster->sim;
    agent->host = cluster->hosts[network_station_host(cluster->network, nic_station(nic))];
    agent->cluster = cluster;
    agent->nic = nic;
    agent->config = config;
    agent->vis = g_ptr_array_new_with_free_func(g_free);
    pool_init(&agent->contents, sizeof(struct vip_content));
    agent->asked = g_hash_table_new(g_int64_hash, g_int64_equal);
    agent->unmatched = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    agent->frames_sent = sim_counter(agent->sim, "via frames sent");
    agent->frames_received = sim_counter(agent->sim, "via frames received");
    agent->messages_broken = sim_counter(agent->sim, "via transfers with a lost frame");
    nic_register(nic, VIA_ETHERTYPE, &device_protocol, agent);
    nic_set_mtu(nic, agent->config->mtu);
    return agent;
}

void vip_agent_free(struct vip_agent *agent)
{
    if (!agent)
        return;
    g_ptr_array_free(agent->vis, TRUE);
    pool_clear(&agent->contents);
    g_hash_table_unref(agent->asked);
    g_hash_table_unref(agent->unmatched);
    g_free(agent);
}

int vip_agent_station(const struct vip_agent *agent)
{
    return nic_station(agent->nic);
}

// ---- Sending ----

static struct packet *frame_packet(struct vip_agent *agent, const struct route *route,
                                   const struct via_frame *frame, int64_t payload)
{
    struct packet *packet = packet_new(agent->cluster->network);
    *packet_header(packet, struct via_frame) = *frame;
    packet->protocol = VIA_ETHERTYPE;
    packet->route = route;
    packet->wire_bytes =
        (uint32_t)(ETHERNET_HEADER + agent->config->header + payload + ETHERNET_FCS);
    (*agent->frames_sent)++;
    return packet;
}

void vip_device_control(struct vip_agent *agent, int remote_station, const struct via_frame *frame)
{
    // A full ring swallows it, as a lost frame would be; requests are repeated.
    int room = nic_tx_room(agent->nic);
    if (room == 0)
        return;
    const struct route *route =
        network_route(agent->cluster->network, vip_agent_station(agent), remote_station);
    // If it fills the ring, descriptors may come to wait for it to leave.
    void *token = room == 1 ? &agent->room_token : NULL;
    nic_transmit(agent->nic, frame_packet(agent, route, frame, 0), token);
}

// Sets the bytes of the message that a frame carries: those after the lead; a transfer that is all
// lead represents all of them.
static void set_message_part(struct packet *packet, const struct vip_descriptor *descriptor,
                             int64_t payload)
{
    int64_t from = MAX(0, descriptor->framed - descriptor->lead);
    int64_t to = MAX(0, descriptor->framed + payload - descriptor->lead);
    if (descriptor->lead == descriptor->length)
        to = descriptor->message_length;
    packet->message = descriptor->message;
    packet->offset = descriptor->message_offset + from;
    packet->length = (uint32_t)(to - from);
}

// Puts the next frame of a descriptor into the ring. The frame that ends the descriptor reports
// when it has left, and so does one that fills the ring while more are to come.
static void send_frame(struct vip_agent *agent, struct vip_descriptor *descriptor)
{
    struct vip_vi *vi = descriptor->vi;
    int64_t payload =
        MIN(descriptor->length - descriptor->framed, agent->config->mtu - agent->config->header);
    bool last = descriptor->framed + payload == descriptor->length;
    struct via_frame frame = {
        .type = VIA_DATA,
        .operation = (uint8_t)descriptor->operation,
        .immediate_flag = descriptor->immediate_flag,
        .final = descriptor->final,
        .source_vi = vi->number,
        .destination_vi = vi->remote_number,
        .sequence = vi->sent_frames++,
        .immediate = descriptor->immediate,
        .remote_handle = descriptor->remote_handle.index,
        .total = (uint32_t)descriptor->length,
        .at = (uint32_t)descriptor->framed,
        .payload = (uint32_t)payload,
        .remote_address = descriptor->remote_address,
    };
    if (descriptor->framed == 0)
        frame.content = descriptor->content;
    struct packet *packet = frame_packet(agent, vi->route, &frame, payload);
    set_message_part(packet, descriptor, payload);
    descriptor->framed += payload;
    bool ring_full = nic_tx_room(agent->nic) == 1;
    void *token = last ? &descriptor->last_token : ring_full ? &descriptor->more_token : NULL;
    nic_transmit(agent->nic, packet, token);
}

static bool descriptor_framed(const struct vip_descriptor *descriptor)
{
    return descriptor->framed == descriptor->length;
}

// Sends frames, descriptor by descriptor in the order of the doorbells, as long as the ring has
// room. Building them was charged when they were posted.
static void feed(struct vip_agent *agent)
{
    while (agent->sending.head && nic_tx_room(agent->nic) > 0) {
        struct vip_descriptor *descriptor = agent->sending.head;
        send_frame(agent, descriptor);
        if (descriptor_framed(descriptor))
            descriptor_queue_pop(&agent->sending);
    }
}

void vip_device_doorbell(struct vip_agent *agent, struct vip_descriptor *descriptor)
{
    descriptor_queue_push(&agent->sending, descriptor);
    if (agent->sending.head == descriptor)
        feed(agent);
}

static void device_sent(struct cpu_context *context, void *owner, void *token)
{
    struct vip_agent *agent = owner;
    struct vip_token *sent = token;
    if (sent->last)
        vip_complete(context, sent->descriptor, VIP_STATUS_DONE);
    feed(agent);
}

// ---- Receiving ----

static void throw_away(struct vip_agent *agent, struct packet *packet, const char *reason)
{
    packet_drop(agent->cluster->network, packet, reason);
}

static bool needs_descriptor(const struct via_frame *frame, bool last)
{
    return frame->operation == VIP_SEND || (frame->immediate_flag && last);
}

// The transfer can't be taken, and is lost together with the connection.
static void refuse(struct vip_agent *agent, struct vip_vi *vi, struct packet *packet,
                   enum vip_error error, const char *reason)
{
    struct message_ref message = packet->message;
    throw_away(agent, packet, reason);
    vip_raise_error(vi, error, message);
}

// Whether the payload may be written where it is to go.
static bool target_valid(const struct vip_vi *vi, const struct via_frame *frame)
{
    const struct vip_descriptor *descriptor = vi->arriving.descriptor;
    if (frame->operation == VIP_RDMA_WRITE) {
        struct vip_mem_handle handle = {frame->remote_handle};
        return vip_vi_mem_valid(vi, handle, frame->remote_address + frame->at, frame->payload);
    }
    return vip_vi_mem_valid(vi, descriptor->handle, descriptor->address + frame->at,
                            frame->payload);
}

static void tell_watcher(struct vip_vi *vi, const struct via_frame *frame,
                         const struct packet *packet, bool last)
{
    struct vip_region *region = vip_region(vi->nic, (struct vip_mem_handle){frame->remote_handle});
    if (frame->operation != VIP_RDMA_WRITE || !region->watch)
        return;
    struct vip_placement placement = {
        .start = frame->remote_address,
        .total = frame->total,
        .offset = frame->at,
        .length = frame->payload,
        .first = frame->at == 0,
        .last = last,
        .message = packet->message,
    };
    region->watch(region->watch_owner, &placement);
}

static void place(struct cpu_context *context, struct vip_vi *vi, const struct via_frame *frame,
                  const struct packet *packet, bool last)
{
    mem_copy(context, &vi->nic->host->config.memory, frame->payload, COPY_COLD, packet->message);
    if (frame->final)
        ledger_deliver(vi->nic->sim->ledger, packet->message, packet->offset, packet->length);
    tell_watcher(vi, frame, packet, last);
}

static void finish_transfer(struct cpu_context *context, struct vip_vi *vi,
                            const struct via_frame *frame, const struct packet *packet)
{
    struct vip_descriptor *descriptor = vi->arriving.descriptor;
    vi->arriving.active = false;
    // One that a broken transfer had taken stays for the next that needs one.
    if (!needs_descriptor(frame, true))
        return;
    vi->arriving.descriptor = NULL;
    descriptor->length = frame->total;
    descriptor->immediate_flag = frame->immediate_flag;
    descriptor->immediate = frame->immediate;
    descriptor->content = *vi->arriving.content;
    descriptor->message = packet->message;
    vip_complete(context, descriptor, VIP_STATUS_DONE);
}

// Starts a transfer with its first frame, or sees that a frame is missing: then the transfer is
// lost.
static bool in_order(struct vip_agent *agent, struct vip_vi *vi, const struct via_frame *frame)
{
    struct vip_arriving *arriving = &vi->arriving;
    bool gap = frame->sequence != vi->expected_frame;
    vi->expected_frame = frame->sequence + 1;
    if (frame->at == 0) {
        // A descriptor that a broken transfer had taken serves the next one.
        arriving->active = true;
        arriving->broken = false;
        if (!arriving->content)
            arriving->content = pool_take(&agent->contents);
        *arriving->content = frame->content;
        return true;
    }
    if (gap && arriving->active && !arriving->broken) {
        arriving->broken = true;
        (*agent->messages_broken)++;
    }
    return arriving->active && !arriving->broken;
}

static void data_frame(struct cpu_context *context, struct vip_agent *agent, struct vip_vi *vi,
                       struct packet *packet, const struct via_frame *frame)
{
    struct vip_arriving *arriving = &vi->arriving;
    if (vi->machine.state != VIP_CONNECTED) {
        throw_away(agent, packet, "the VI is not connected");
        return;
    }
    if (!in_order(agent, vi, frame)) {
        throw_away(agent, packet, "an earlier frame of the transfer was lost");
        return;
    }
    bool last = frame->at + frame->payload == frame->total;
    if (needs_descriptor(frame, last) && !arriving->descriptor) {
        arriving->descriptor = vip_take_posted(vi);
        if (!arriving->descriptor) {
            refuse(agent, vi, packet, VIP_ERROR_RECEIVE_QUEUE_EMPTY, "receive queue empty");
            return;
        }
    }
    if (frame->operation == VIP_SEND && frame->total > arriving->descriptor->length) {
        refuse(agent, vi, packet, VIP_ERROR_LENGTH, "longer than the receive descriptor");
        return;
    }
    if (!target_valid(vi, frame)) {
        refuse(agent, vi, packet, VIP_ERROR_PROTECTION, "the target is not registered");
        return;
    }
    place(context, vi, frame, packet, last);
    if (last)
        finish_transfer(context, vi, frame, packet);
    packet_free(agent->cluster->network, packet);
}

static void device_receive(struct cpu_context *context, void *owner, struct packet *packet)
{
    struct vip_agent *agent = owner;
    const struct via_frame *frame = packet_header(packet, struct via_frame);
    (*agent->frames_received)++;
    cpu_spend_for(context, agent->config->receive_frame, &vip_agent_stage, packet->message);
    if (frame->type != VIA_DATA) {
        vip_connection_frame(context, agent, packet, frame);
        packet_free(agent->cluster->network, packet);
        return;
    }
    if (frame->destination_vi == 0 || frame->destination_vi > agent->vis->len) {
        throw_away(agent, packet, "no such VI");
        return;
    }
    data_frame(context, agent, g_ptr_array_index(agent->vis, frame->destination_vi - 1), packet,
               frame);
}
