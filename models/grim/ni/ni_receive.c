// SPDX-License-Identifier: GPL-3.0-or-later
// The receiving half of the firmware: it answers messages that are next in sequence, drops others,
// and hands those that it has taken to the interface of their type (thesis 003, 4.2.1, 4.3.3,
// 4.5.6).
//
// The header arrives and is handled first: the move of a longer message to the host begins before
// all of it has arrived (begin). A message whose end shows that it is damaged counts as not
// received.
//
// With buffers at both cards a message that its interface does not accept goes into the channel's
// incoming queue, and so do all after it; while that is empty, messages cut through.
#include "models/grim/ni/ni_internal.h"
#include "sim/core/fifo.h"

static const struct stage deliver_stage = {"deliver", STAGE_NIC};

// ---- Arrivals ----

static struct grim_arrival *arrival_new(struct grim_ni *ni, struct grim_channel *channel,
                                        const struct grim_message *message)
{
    const struct grim_served *served = &ni->fabric->served[message->type];
    struct grim_arrival *arrival = pool_take(&ni->fabric->arrivals);
    *arrival = (struct grim_arrival){
        .message = *message,
        .channel = channel,
        .interface = served->interface,
        .owner = served->owner,
    };
    return arrival;
}

const struct grim_message *grim_arrival_message(const struct grim_arrival *arrival)
{
    return &arrival->message;
}

struct grim_channel *grim_arrival_channel(const struct grim_arrival *arrival)
{
    return arrival->channel;
}

void *grim_arrival_owner(const struct grim_arrival *arrival)
{
    return arrival->owner;
}

struct grim_arrival_notes *grim_arrival_notes(struct grim_arrival *arrival)
{
    return &arrival->notes;
}

static void move_done(void *owner, struct lanai_transfer *transfer)
{
    struct grim_arrival *arrival = container_of(transfer, struct grim_arrival, transfer);
    (void)owner;
    if (arrival->landed && !grim_arrival_lost(arrival))
        arrival->landed(arrival);
}

bool grim_arrival_lost(const struct grim_arrival *arrival)
{
    return arrival->lost || (arrival->early && arrival->buffer->packet->corrupt);
}

void grim_arrival_behind(const struct grim_arrival *arrival, struct lanai_transfer *transfer,
                         int64_t offset)
{
    transfer->behind = arrival->buffer;
    transfer->behind_at = GRIM_HEADER_BYTES + offset;
}

void grim_arrival_move(struct cpu_context *context, struct grim_arrival *arrival,
                       enum lanai_move move, int64_t bytes, grim_step_fn *next,
                       void (*landed)(struct grim_arrival *arrival))
{
    g_assert(move != LANAI_SEND);
    arrival->next_step = next;
    arrival->landed = landed;
    arrival->transfer.item.handler = GRIM_FINISH_DMA;
    arrival->transfer.item.message = arrival->message.message;
    arrival->transfer.move = move;
    arrival->transfer.bytes = bytes;
    arrival->transfer.done = move_done;
    // The end of the moved bytes is that of the message, or follows it.
    arrival->transfer.behind = move == LANAI_TO_HOST ? arrival->buffer : NULL;
    arrival->transfer.behind_at = grim_message_bytes(&arrival->message) - bytes;
    lanai_start(arrival->channel->ni->card, &arrival->transfer, context->now);
}

void ni_finish_dma_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct grim_ni *ni = owner;
    if (ni_defers(ni, GRIM_FINISH_DMA, item))
        return;
    struct grim_arrival *arrival = container_of(container_of(item, struct lanai_transfer, item),
                                                struct grim_arrival, transfer);
    ni_spend(context, ni, ni->fabric->config.finish, ni_stage(ni, GRIM_FINISH_DMA),
             arrival->message.message);
    arrival->next_step(context, arrival);
}

void grim_arrival_hold(struct grim_arrival *arrival, grim_step_fn *next)
{
    arrival->next_step = next;
}

void grim_arrival_resume(struct cpu_context *context, struct grim_arrival *arrival)
{
    arrival->next_step(context, arrival);
}

void ni_buffer_free(struct cpu_context *context, struct grim_ni *ni, struct lanai_buffer *buffer)
{
    struct grim_receive *receive = container_of(buffer, struct grim_receive, buffer);
    receive->looked = receive->sequenced = false;
    if (ni_closed(ni))
        ni->withheld[ni->withheld_count++] = buffer;
    else
        lanai_post_buffer(ni->card, buffer, context->now);
}

void grim_arrival_end(struct cpu_context *context, struct grim_arrival *arrival)
{
    struct grim_channel *channel = arrival->channel;
    arrival->over = true;
    if (arrival->early)
        return; // its end is still to be handled
    struct grim_ni *ni = channel->ni;
    if (arrival->buffer)
        ni_buffer_free(context, ni, arrival->buffer);
    else
        channel->incoming_used -= arrival->stored;
    pool_give(&ni->fabric->arrivals, arrival);
    ni_look_incoming(channel);
}

static bool accepted_by(struct cpu_context *context, const struct grim_served *served,
                        struct grim_channel *channel, const struct grim_message *message)
{
    return !served->interface->accepts ||
           served->interface->accepts(context, served->owner, channel, message);
}

static void deliver(struct cpu_context *context, struct grim_arrival *arrival)
{
    const struct grim_ni *ni = arrival->channel->ni;
    ni_spend(context, ni, ni->fabric->config.deliver, &deliver_stage, arrival->message.message);
    arrival->interface->deliver(context, arrival->owner, arrival);
}

// ---- Incoming queue ----

static bool enqueue(struct grim_channel *channel, const struct grim_message *message)
{
    int64_t bytes = grim_message_bytes(message);
    if (channel->incoming_used + bytes > channel->incoming_room)
        return false;
    struct grim_arrival *arrival = arrival_new(channel->ni, channel, message);
    arrival->stored = bytes;
    channel->incoming_used += bytes;
    FIFO_APPEND(channel->incoming_first, channel->incoming_last, arrival, next);
    return true;
}

// One message per call.
void ni_incoming_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct grim_ni *ni = owner;
    if (ni_defers(ni, GRIM_INCOMING, item))
        return;
    for (guint i = 0; i < ni->channels->len; i++) {
        struct grim_channel *channel = g_ptr_array_index(ni->channels, i);
        struct grim_arrival *arrival = channel->incoming_first;
        if (!arrival)
            continue;
        ni_spend(context, ni, ni->fabric->config.incoming, ni_stage(ni, GRIM_INCOMING),
                 arrival->message.message);
        struct grim_served served = {arrival->interface, arrival->owner};
        if (!accepted_by(context, &served, channel, &arrival->message))
            continue;
        channel->incoming_first = arrival->next;
        cpu_machine_enter(
            context, &grim_incoming_machine, &arrival->machine, GRIM_INCOMING_DELIVERED,
            (struct machine_owner){.where = channel->name, .subject = arrival->message.sequence},
            NULL);
        deliver(context, arrival);
        lanai_ready(ni->card, GRIM_INCOMING);
        return;
    }
}

// ---- Data messages ----

static void receiver_enter(const struct cpu_context *context, const struct grim_channel *channel,
                           struct grim_receiver *receiver, enum grim_receiver_state state,
                           const struct grim_message *message, const char *what)
{
    cpu_machine_enterf(context, &grim_receiver_machine, &receiver->machine, state,
                       (struct machine_owner){.where = channel->name, .subject = message->sequence},
                       "%u from endpoint %u %s", message->sequence, message->source, what);
}

static struct grim_receive *receive_of(struct lanai_buffer *buffer)
{
    return container_of(buffer, struct grim_receive, buffer);
}

// The end of a message that was begun with its head is handled. The interface may have finished
// with it before.
static void end_early(struct cpu_context *context, struct grim_receive *receive, bool lost)
{
    struct grim_arrival *arrival = receive->early;
    receive->early = NULL;
    arrival->early = false;
    arrival->lost = lost;
    if (arrival->over)
        grim_arrival_end(context, arrival);
}

// Takes the message that is next in sequence: true if that is possible. The buffer is used up then.
static bool take(struct cpu_context *context, struct grim_channel *channel,
                 struct lanai_buffer *buffer, const struct grim_message *message)
{
    struct grim_ni *ni = channel->ni;
    const struct grim_ni_config *config = &ni->fabric->config;
    const struct grim_served *served = &ni->fabric->served[message->type];
    if (receive_of(buffer)->early) {
        end_early(context, receive_of(buffer), false);
        return true;
    }
    if (config->buffering == GRIM_BUFFER_BOTH) {
        ni_spend(context, ni, config->incoming, ni_stage(ni, GRIM_INCOMING), message->message);
        if (channel->incoming_first || !accepted_by(context, served, channel, message)) {
            if (!enqueue(channel, message))
                return false;
            ni_buffer_free(context, ni, buffer);
            return true;
        }
    } else if (!accepted_by(context, served, channel, message)) {
        return false;
    }
    struct grim_arrival *arrival = arrival_new(ni, channel, message);
    arrival->buffer = buffer;
    deliver(context, arrival);
    return true;
}

// Drops the message, which is sent again or was taken before.
static void drop(struct cpu_context *context, struct grim_ni *ni, struct lanai_buffer *buffer,
                 const struct grim_message *message, int64_t *counter, const char *reason)
{
    (*counter)++;
    if (reason)
        ledger_drop(ni->fabric->sim->ledger, message->message, message->offset, message->length,
                    reason);
    ni_buffer_free(context, ni, buffer);
}

// Handles the message that is next in sequence: takes and acknowledges it, or refuses it.
static void next_in_sequence(struct cpu_context *context, struct grim_channel *channel,
                             struct grim_channel *from, struct grim_receiver *receiver,
                             struct lanai_buffer *buffer, const struct grim_message *message)
{
    struct grim_ni *ni = channel->ni;
    struct grim_fabric *fabric = ni->fabric;
    bool taken = take(context, channel, buffer, message);
    receiver_enter(context, channel, receiver, taken ? GRIM_EXPECTING : GRIM_DROPPING, message,
                   taken ? "accepted" : "refused");
    if (!taken) {
        ni_answer(context, ni, GRIM_NACK, message, from->ni);
        drop(context, ni, buffer, message, fabric->refusals, "refused by its endpoint");
        return;
    }
    receiver->expected++;
    receiver->number++;
    (*fabric->accepted)++;
    fabric->progress = context->now;
    if (channel->unanswered && message->type == GRIM_ACTIVE_MESSAGE) {
        channel->unanswered[from->index]--;
        ni_notify_room(context, channel, from->index);
    }
    if (!fabric->served[message->type].interface->answered)
        ni_answer(context, ni, GRIM_ACK, message, from->ni);
}

static void find_sequence(struct cpu_context *context, const struct grim_ni *ni,
                          struct grim_receive *receive, const struct grim_message *message)
{
    const struct grim_ni_config *config = &ni->fabric->config;
    if (!receive->sequenced)
        ni_spend(context, ni,
                 config->sequencing == GRIM_SEQUENCE_NI ? config->sequence_ni
                                                        : config->sequence_channel,
                 &ni_sequence_stage, message->message);
    receive->sequenced = true;
}

// Ahead of its turn comes what follows a message that was refused: on a network that keeps the
// order the sender has sent it before it heard of that, and sends it again (thesis 003, 4.2.1). On
// one that does not, it may as well have overtaken the message that is next; then nothing would
// bring it again, so with `reordering` each is refused by name. The sender goes back to it, and
// what is next comes by itself.
static void data_message(struct cpu_context *context, struct grim_channel *channel,
                         struct grim_channel *from, struct lanai_buffer *buffer,
                         const struct grim_message *message)
{
    struct grim_ni *ni = channel->ni;
    struct grim_fabric *fabric = ni->fabric;
    const struct grim_ni_config *config = &fabric->config;
    struct grim_receiver *receiver = ni_receiver(from, channel);
    find_sequence(context, ni, receive_of(buffer), message);
    switch (ni_relation(receiver->expected, message->sequence)) {
    case GRIM_NEXT:
        next_in_sequence(context, channel, from, receiver, buffer, message);
        return;
    case GRIM_AHEAD:
        receiver_enter(context, channel, receiver, receiver->machine.state, message,
                       config->reordering ? "refused out of sequence" : "dropped");
        if (config->reordering)
            ni_answer(context, ni, GRIM_NACK, message, from->ni);
        drop(context, ni, buffer, message, fabric->dropped, "behind a refused or lost message");
        return;
    case GRIM_BEHIND:
        receiver_enter(context, channel, receiver, receiver->machine.state, message, "duplicate");
        if (config->timeouts && !fabric->served[message->type].interface->answered)
            ni_answer(context, ni, GRIM_ACK, message, from->ni);
        drop(context, ni, buffer, message, fabric->duplicates, NULL);
        return;
    }
    g_assert_not_reached();
}

// ---- Packets ----

static struct grim_message message_of(const struct packet *packet, const struct grim_header *header)
{
    struct grim_message message = {
        .type = header->type,
        .tree = header->tree,
        .source = header->source,
        .destination = header->destination,
        .handler = header->handler,
        .bytes = grim_payload(header),
        .message = packet->message,
        .offset = packet->offset,
        .length = packet->length,
        .content = packet_header(packet, const struct grim_packet)->content,
        .token = header->token,
        .sequence = header->sequence,
    };
    for (int i = 0; i < GRIM_ARGUMENTS; i++)
        message.argument[i] = header->argument[i];
    return message;
}

// The packet is not GRIM's, damaged, or for an endpoint that is not here.
static void discard(struct cpu_context *context, struct grim_ni *ni, struct lanai_buffer *buffer,
                    int64_t *counter, const char *reason)
{
    (*counter)++;
    lanai_discard(ni->card, buffer, reason);
    if (receive_of(buffer)->early)
        end_early(context, receive_of(buffer), true);
    else
        ni_buffer_free(context, ni, buffer);
}

static void no_interface(struct grim_ni *ni, const struct grim_message *message)
{
    const char *type = grim_type_name(message->type);
    sim_fail(ni->fabric->sim, SIM_FAILED, "no_interface",
             json_pack("{s:i, s:s}", "endpoint", message->destination, "type", type),
             "%s: a message of type %s has come for endpoint %u, and there is no interface for it",
             ni->name, type, message->destination);
}

static bool decode(const struct packet *packet, struct grim_header *header)
{
    const struct grim_packet *carried = packet_header(packet, const struct grim_packet);
    int bytes = (int)MIN(packet->wire_bytes, GRIM_HEADER_BYTES);
    return grim_decode(carried->bytes, bytes, header);
}

static void look(struct cpu_context *context, const struct grim_ni *ni,
                 struct grim_receive *receive)
{
    if (!receive->looked)
        ni_spend(context, ni, ni->fabric->config.receive, ni_stage(ni, GRIM_RECEIVED),
                 receive->buffer.packet->message);
    receive->looked = true;
}

// The head of a message is in, and all earlier arrivals have been handled. If the message is next
// in sequence and its interface takes it, it is passed on at once, while the rest arrives; the
// answer to the sender and the next expected sequence number wait for its end (thesis 003, 4.1.1).
// Anything else is decided at the end.
static void begin(struct cpu_context *context, struct grim_ni *ni, struct grim_receive *receive)
{
    const struct grim_fabric *fabric = ni->fabric;
    struct lanai_buffer *buffer = &receive->buffer;
    struct grim_header header;
    look(context, ni, receive);
    if (!decode(buffer->packet, &header) || fabric->config.buffering == GRIM_BUFFER_BOTH)
        return;
    struct grim_message message = message_of(buffer->packet, &header);
    struct grim_channel *channel = grim_channel_find(fabric, header.destination);
    struct grim_channel *from = grim_channel_find(fabric, header.source);
    const struct grim_served *served = &fabric->served[header.type];
    if (!channel || channel->ni != ni || !from || !served->interface)
        return;
    find_sequence(context, ni, receive, &message);
    if (ni_relation(ni_receiver(from, channel)->expected, message.sequence) != GRIM_NEXT ||
        !accepted_by(context, served, channel, &message))
        return;
    receive->early = arrival_new(ni, channel, &message);
    receive->early->buffer = buffer;
    receive->early->early = true;
    deliver(context, receive->early);
}

static void packet_in(struct cpu_context *context, struct grim_ni *ni, struct lanai_buffer *buffer)
{
    struct grim_fabric *fabric = ni->fabric;
    const struct packet *packet = buffer->packet;
    struct grim_header header;
    look(context, ni, receive_of(buffer));
    if (packet->corrupt) {
        discard(context, ni, buffer, fabric->corrupt, "CRC-8 error");
        return;
    }
    if (!decode(packet, &header)) {
        discard(context, ni, buffer, fabric->foreign, "not GRIM's");
        return;
    }
    struct grim_message message = message_of(packet, &header);
    packet_free(fabric->cluster->network, buffer->packet);
    buffer->packet = NULL;
    if (grim_type_is_control(header.type)) {
        ni_buffer_free(context, ni, buffer);
        if (header.type == GRIM_ACK)
            ni_acknowledged(context, ni, &header);
        else
            ni_refused(context, ni, &header);
        return;
    }
    struct grim_channel *channel = grim_channel_find(fabric, header.destination);
    struct grim_channel *from = grim_channel_find(fabric, header.source);
    g_assert(channel && channel->ni == ni && channel->number == header.channel && from);
    if (fabric->served[header.type].interface)
        data_message(context, channel, from, buffer, &message);
    else
        no_interface(ni, &message);
}

// One packet per call, in the order of arrival.
void ni_received_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct grim_ni *ni = owner;
    if (item && item->begins) {
        if (!ni_waits(ni) && !ni_closed(ni) && !ni->arrived)
            begin(context, ni, container_of(item, struct grim_receive, buffer.begun));
        return;
    }
    if (item) {
        FIFO_APPEND(ni->arrived, ni->arrived_last, item, next);
    }
    if (ni_waits(ni) || ni_closed(ni) || !ni->arrived)
        return;
    struct lanai_item *first = ni->arrived;
    ni->arrived = first->next;
    packet_in(context, ni, container_of(first, struct lanai_buffer, item));
    if (ni->arrived && !ni_closed(ni))
        lanai_ready(ni->card, GRIM_RECEIVED);
}
