// SPDX-License-Identifier: GPL-3.0-or-later
// Virtual NICs and their circular buffers in host memory (thesis 002, 2.1.3). Software writes an
// entry into a TX-CB and rings the doorbell; the card reads entries in order. It writes received
// messages to the RX-CB of their virtual NIC in the order of arrival, and after each entry the
// write pointer.
//
// While an RX-CB is full, its packets stay in the card: none is dropped. At a cut-through switch
// they also hold the packets that follow them in the network (intercept.receive_queue); over a
// cable without a switch the card takes every packet.
//
// Not modelled: the wrapping of a buffer in the middle of an entry, how the card learns of room in
// an RX-CB and software of room in a TX-CB (both know at once), flow control between virtual NICs
// by packets of its own (thesis 002, 2.1.2, names such packets, and no more), multicast.
#include "models/intercept/nic/nic_internal.h"

#include "sim/core/fifo.h"

static const struct stage look_stage = {"TX-CB look", STAGE_KERNEL};
static const struct stage entry_stage = {"TX-CB entry", STAGE_KERNEL};
static const struct stage circular_doorbell_stage = {"TX-CB doorbell", STAGE_BUS};
static const struct stage circular_engine_stage = {"TX-CB", STAGE_NIC};
static const struct stage circular_read_stage = {"TX-CB read", STAGE_BUS};
static const struct stage circular_write_stage = {"RX-CB write", STAGE_BUS};
static const struct stage pointer_stage = {"RX-CB write pointer", STAGE_BUS};
static const struct stage take_stage = {"RX-CB look", STAGE_KERNEL};

static const struct wait rx_room = {"room in the RX-CB", WAIT_BUFFER};

// ---- Bytes in the buffers over time, for the trace ----

enum buffer_value { VALUE_TX_CB, VALUE_RX_CB = NIC_TX_CBS, BUFFER_VALUES };

static const struct trace_quantity buffer_quantities[BUFFER_VALUES] = {
    [VALUE_TX_CB] = {"TX-CB 1", "B"},
    [VALUE_TX_CB + 1] = {"TX-CB 2", "B"},
    [VALUE_RX_CB] = {"RX-CB", "B"},
};

static void buffer_tell(struct vnic *vnic, int value, sim_time now, int64_t used)
{
    struct trace *trace = vnic->nic->sim->trace;
    if (!trace_takes_values(trace))
        return;
    trace_values_once(trace, &vnic->values,
                      (struct trace_values_info){.group = vnic->nic->host->name,
                                                 .quantities = buffer_quantities,
                                                 .count = BUFFER_VALUES},
                      "VNIC %d", vnic->number);
    trace_value(trace, vnic->values, value, now, used);
}

// ---- Sending ----

// Bytes of the TX-CB that a message takes.
static int64_t tx_bytes(const struct intercept_nic *nic, const struct intercept_sm *message)
{
    return nic->config.command + (message->indirect ? 0 : nic_padded(message->bytes));
}

static void first_of_cb(const struct nic_source *source, struct nic_request *request)
{
    const struct nic_tx_cb *cb = container_of(source, struct nic_tx_cb, source);
    const struct intercept_nic *nic = cb->vnic->nic;
    const struct intercept_sm *message = &cb->first->message;
    int64_t data = nic_padded(message->bytes);
    *request = (struct nic_request){
        .to = message->to,
        .mask = message->planes ? message->planes : nic->mask,
        .command = message->indirect ? nic->config.command : 0,
        .data = message->indirect ? data : nic->config.command + data,
        .message = message->message,
    };
}

static struct packet *circular_packet_of(struct intercept_nic *nic,
                                         const struct intercept_sm *message)
{
    struct packet *packet = packet_new(nic->network);
    struct nic_header *header = packet_header(packet, struct nic_header);
    packet->message = message->message;
    packet->offset = message->offset;
    packet->length = message->length;
    packet->wire_bytes = (uint32_t)(nic->config.header + nic_padded(message->bytes));
    header->from = message->from;
    header->to = message->to;
    header->kind = NIC_SHORT_MESSAGE;
    header->vnic = message->vnic;
    header->marked = message->marked;
    header->bytes = message->bytes;
    memcpy(header->body, message->body, sizeof header->body);
    return packet;
}

static bool take_from_cb(struct nic_source *source, struct packet **packet)
{
    struct nic_tx_cb *cb = container_of(source, struct nic_tx_cb, source);
    struct vnic *vnic = cb->vnic;
    struct nic_entry *entry = cb->first;
    cb->first = entry->next;
    cb->used -= entry->stored;
    buffer_tell(vnic, VALUE_TX_CB + entry->nth, sim_now(vnic->nic->sim), cb->used);
    *packet = circular_packet_of(vnic->nic, &entry->message);
    pool_give(&vnic->nic->entries, entry);
    if (cb->wanted > 0 && cb->used + cb->wanted <= vnic->nic->config.tx_cb) {
        cb->wanted = 0;
        if (vnic->room)
            vnic->room(vnic->owner);
    }
    return cb->first != NULL;
}

// The card hears the doorbell.
static void doorbell(struct engine *engine, struct event *event)
{
    (void)engine;
    struct nic_entry *entry = container_of(event, struct nic_entry, event);
    struct nic_tx_cb *cb = &entry->vnic->tx[entry->nth];
    FIFO_APPEND(cb->first, cb->last, entry, next);
    nic_read(entry->vnic->nic, &cb->source);
}

static void charge_entry(struct cpu_context *context, const struct intercept_nic *nic,
                         const struct intercept_sm *message)
{
    cpu_spend_for(context, nic->config.tx_entry, &entry_stage, message->message);
    if (!message->indirect)
        cpu_spend_message(context, time_at_rate(nic_padded(message->bytes), nic->config.tx_copy),
                          &stage_copy, message->message);
    cpu_spend_for(context, nic->config.doorbell, &circular_doorbell_stage, message->message);
}

bool vnic_send(struct cpu_context *context, struct vnic *vnic, int nth,
               const struct intercept_sm *message)
{
    struct intercept_nic *nic = vnic->nic;
    g_assert(vnic->open && nth >= 0 && nth < NIC_TX_CBS && message->bytes <= INTERCEPT_SM_BYTES &&
             message->vnic < INTERCEPT_VNICS && message->to >= 0 &&
             message->to < nic->cluster->host_count);
    struct nic_tx_cb *cb = &vnic->tx[nth];
    int64_t stored = tx_bytes(nic, message);
    cpu_spend_for(context, nic->config.tx_look, &look_stage, message->message);
    if (cb->used + stored > nic->config.tx_cb) {
        ++*nic->tx_full;
        cb->wanted = stored;
        return false;
    }
    struct nic_entry *entry = pool_take(&nic->entries);
    entry->message = *message;
    entry->message.from = nic->iuca;
    entry->vnic = vnic;
    entry->nth = nth;
    entry->stored = stored;
    cb->used += stored;
    charge_entry(context, nic, message);
    buffer_tell(vnic, VALUE_TX_CB + nth, context->now, cb->used);
    event_init(&entry->event, doorbell);
    cpu_post(context, &entry->event);
    return true;
}

void vnic_on_room(struct vnic *vnic, void (*room)(void *owner))
{
    vnic->room = room;
}

// ---- Receiving ----

static void write_next(struct vnic *vnic);

// The write pointer is past the entry.
static void visible(struct engine *engine, struct event *event)
{
    (void)engine;
    struct nic_entry *entry = container_of(event, struct nic_entry, event);
    struct vnic *vnic = entry->vnic;
    FIFO_APPEND(vnic->first, vnic->last, entry, next);
    if (vnic->ops->visible)
        vnic->ops->visible(vnic->owner);
    if (vnic->ops->interrupt && (vnic->ops->every || entry->message.marked))
        nic_raise_vnic(vnic->nic, vnic->number);
}

// The entry is in the RX-CB, but not yet its write pointer.
static void circular_written(struct engine *engine, struct event *event)
{
    (void)engine;
    struct packet *packet = container_of(event, struct packet, event);
    struct network *network = ((const struct nic_plane *)packet->token)->nic->network;
    nic_packet_written(packet);
    packet_free(network, packet);
}

static int64_t rx_bytes(const struct intercept_nic *nic, const struct packet *packet)
{
    const struct nic_header *header = (const struct nic_header *)(const void *)packet->header;
    return nic->config.rx_entry + nic_padded(header->bytes);
}

static struct nic_entry *entry_of(struct vnic *vnic, const struct packet *packet)
{
    const struct nic_header *header = (const struct nic_header *)(const void *)packet->header;
    struct nic_entry *entry = pool_take(&vnic->nic->entries);
    entry->vnic = vnic;
    entry->stored = rx_bytes(vnic->nic, packet);
    entry->message = (struct intercept_sm){
        .from = header->from,
        .to = header->to,
        .vnic = header->vnic,
        .marked = header->marked,
        .bytes = header->bytes,
        .message = packet->message,
        .offset = packet->offset,
        .length = packet->length,
    };
    memcpy(entry->message.body, header->body, sizeof header->body);
    return entry;
}

// Writes a packet for which there is room, and the write pointer right after it.
static void circular_write_packet(struct vnic *vnic, struct packet *packet)
{
    struct bus *bus = vnic->nic->bus;
    struct nic_entry *entry = entry_of(vnic, packet);
    vnic->rx_used += entry->stored;
    buffer_tell(vnic, VALUE_RX_CB, sim_now(vnic->nic->sim), vnic->rx_used);
    event_init(&packet->event, circular_written);
    event_init(&entry->event, visible);
    bus_transfer(bus, BUS_WRITE, entry->stored, &packet->event, &circular_write_stage,
                 packet->message);
    bus_transfer(bus, BUS_WRITE, vnic->nic->config.rx_pointer, &entry->event, &pointer_stage,
                 packet->message);
}

static bool rx_fits(const struct vnic *vnic, const struct packet *packet)
{
    return vnic->rx_used + rx_bytes(vnic->nic, packet) <= vnic->nic->config.rx_cb;
}

// Writes the packets that were held, as far as there is room now.
static void write_next(struct vnic *vnic)
{
    struct intercept_nic *nic = vnic->nic;
    while (vnic->held && rx_fits(vnic, vnic->held)) {
        struct packet *packet = vnic->held;
        vnic->held = packet->next;
        vnic->held_count--;
        trace_note(nic->sim->trace, nic->lane,
                   &(struct trace_note){.kind = TRACE_HELD,
                                        .wait = &rx_room,
                                        .where = nic->host->name,
                                        .from = packet->born,
                                        .to = sim_now(nic->sim),
                                        .message = packet->message});
        trace_delay(nic->sim->trace, nic->lane, &wait_stages[WAIT_BUFFER], packet->born,
                    sim_now(nic->sim), packet->message);
        circular_write_packet(vnic, packet);
    }
}

void nic_receive_short(struct intercept_nic *nic, struct packet *packet)
{
    struct vnic *vnic = &nic->vnics[packet_header(packet, struct nic_header)->vnic];
    if (!vnic->open) {
        nic_refuse(nic, packet, "virtual NIC not open");
        return;
    }
    if (!vnic->held && rx_fits(vnic, packet)) {
        circular_write_packet(vnic, packet);
        return;
    }
    ++*nic->rx_full;
    vnic->held_count++;
    packet->born = sim_now(nic->sim); // of no more use; the time since which the packet is held
    FIFO_APPEND(vnic->held, vnic->held_last, packet, next);
}

const struct intercept_sm *vnic_first(const struct vnic *vnic)
{
    return vnic->first ? &vnic->first->message : NULL;
}

// The read pointer is past the entry.
static void taken(struct engine *engine, struct event *event)
{
    (void)engine;
    struct nic_entry *entry = container_of(event, struct nic_entry, event);
    struct vnic *vnic = entry->vnic;
    vnic->rx_used -= entry->stored;
    buffer_tell(vnic, VALUE_RX_CB, sim_now(vnic->nic->sim), vnic->rx_used);
    pool_give(&vnic->nic->entries, entry);
    write_next(vnic);
}

void vnic_take(struct cpu_context *context, struct vnic *vnic)
{
    struct nic_entry *entry = vnic->first;
    g_assert(entry);
    vnic->first = entry->next;
    cpu_spend_for(context, vnic->nic->config.rx_take, &take_stage, entry->message.message);
    event_init(&entry->event, taken);
    cpu_post(context, &entry->event);
}

// ---- Create and free ----

struct vnic *vnic_open(struct intercept_nic *nic, int number, const struct vnic_ops *ops,
                       void *owner)
{
    g_assert(number >= 0 && number < INTERCEPT_VNICS);
    struct vnic *vnic = &nic->vnics[number];
    g_assert(!vnic->open);
    vnic->open = true;
    vnic->ops = ops;
    vnic->owner = owner;
    return vnic;
}

void nic_circular_init(struct intercept_nic *nic)
{
    pool_init(&nic->entries, sizeof(struct nic_entry));
    for (int i = 0; i < INTERCEPT_VNICS; i++) {
        struct vnic *vnic = &nic->vnics[i];
        vnic->nic = nic;
        vnic->number = i;
        for (int nth = 0; nth < NIC_TX_CBS; nth++)
            vnic->tx[nth] = (struct nic_tx_cb){
                .source = {.stage = &circular_engine_stage,
                           .bus_stage = &circular_read_stage,
                           .first = first_of_cb,
                           .take = take_from_cb},
                .vnic = vnic,
            };
    }
}
