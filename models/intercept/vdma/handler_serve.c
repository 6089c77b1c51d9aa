// SPDX-License-Identifier: GPL-3.0-or-later
// GETs of other handlers: the side that sends (thesis 002, 2.2.2 and 5.2.2).
#include "models/intercept/vdma/handler_internal.h"

// Sends what the engine can't move: the bytes before and after the middle part.
static void send_remaining(struct cpu_context *context, struct vdma_handler *handler, int from,
                           const struct vdma_get *get)
{
    int64_t bytes = get->first_block_length + get->last_block_length;
    struct vdma_message *message =
        vdma_message_new(handler, from, VDMA_PORTALS_GET_EXT_REPLY, bytes, get->message);
    struct vdma_body *body = vdma_message_body(message);
    body->key = get->key_remaining;
    body->count = (uint32_t)bytes;
    mem_copy(context, &handler->host->config.memory, bytes, COPY_COLD, get->message);
    vdma_message_send(context, handler, message);
}

void vdma_get_arrived(struct cpu_context *context, struct vdma_handler *handler, int from,
                      const struct vdma_body *body)
{
    if (body->get.key_remaining != 0)
        send_remaining(context, handler, from, &body->get);
    if (body->get.bytes == 0)
        return;
    struct vdma_served *served = pool_take(&handler->served_pool);
    *served = (struct vdma_served){
        .from = from, .channel = body->channel, .slice = body->slice, .get = body->get};
    FIFO_APPEND(handler->served, handler->served_last, served, next);
}

// ---- Sending a slice ----

// Returns a free temporary buffer, or -1.
static int free_buffer(const struct vdma_handler *handler)
{
    for (int i = 0; i < handler->config.copy_buffers; i++)
        if (!(handler->buffers & (1U << i)))
            return i;
    return -1;
}

// Copies a slice into a temporary buffer, which is in no cache: neither the user's data nor what
// the card has read.
static void copy_slice(struct cpu_context *context, struct vdma_handler *handler, int buffer,
                       struct vdma_slice *slice)
{
    struct copy_reuse reuse = {COPY_NEVER, COPY_NEVER};
    mem_copy_within(context, &handler->host->config.memory, slice->bytes, reuse, slice->message);
    handler->buffers |= 1U << buffer;
    ++*handler->copies;
    slice->address = buffer * VDMA_SLICE;
}

static void send_slice(struct cpu_context *context, struct vdma_handler *handler, int number,
                       int buffer)
{
    struct vdma_served served = *handler->served;
    pool_give(&handler->served_pool, handler->served);
    handler->served = served.next;
    struct vdma_slice slice = {.address = served.get.address,
                               .bytes = served.get.bytes,
                               .message = served.get.message,
                               .offset = served.get.offset};
    handler->channels[number] = (struct vdma_channel){
        .slice = served.slice, .peer = served.from, .bytes = slice.bytes, .buffer = buffer};
    vdma_spend(context, handler->config.slice, slice.message);
    if (buffer >= 0)
        copy_slice(context, handler, buffer, &slice);
    cpu_machine_enterf(context, &vdma_channel_machine, &handler->channels[number].machine,
                       VDMA_SENDS, vdma_owner(handler, &vdma_channel_machine, (uint64_t)number),
                       "slice %d to %s%s", served.slice, handler->hosts[served.from]->name,
                       buffer >= 0 ? ", copied" : "");
    vdma_send(context, handler->nic, number, served.from, served.channel, &slice);
}

bool vdma_serve(struct cpu_context *context, struct vdma_handler *handler)
{
    if (!handler->served)
        return false;
    bool displaced = vdma_displaced(handler->served->get.address);
    int buffer = displaced ? free_buffer(handler) : -1;
    int channel = displaced && buffer < 0 ? -1 : vdma_reserve(handler->nic);
    if (channel < 0) {
        handler->channels_wait = true;
        return false;
    }
    send_slice(context, handler, channel, buffer);
    return true;
}

void vdma_slice_sent(struct cpu_context *context, struct vdma_handler *handler, int number)
{
    struct vdma_channel *channel = &handler->channels[number];
    vdma_spend(context, handler->config.complete, MESSAGE_NONE);
    cpu_machine_enterf(context, &vdma_channel_machine, &handler->channels[number].machine,
                       VDMA_UNUSED, vdma_owner(handler, &vdma_channel_machine, (uint64_t)number),
                       "slice %d", channel->slice);
    if (channel->buffer >= 0)
        handler->buffers &= ~(1U << channel->buffer);
    vdma_release(handler->nic, number);
}
