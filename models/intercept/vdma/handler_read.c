// SPDX-License-Identifier: GPL-3.0-or-later
// Reads: the side that receives (thesis 002, 2.2.2 and 5.2.2). A write is a read by its target.
#include "models/intercept/vdma/handler_internal.h"

// The channels that may receive: the last is kept for sending, without which two cards that read
// from one another could wait for each other's channels for ever. The thesis does not say how the
// handler avoids that.
#define MOST_RECEIVING (INTERCEPT_CHANNELS - 1)

// ---- Requests ----

const char *vdma_refusal(const struct vdma_transfer *transfer)
{
    if (transfer->local % VDMA_ALIGNMENT != 0 || transfer->remote % VDMA_ALIGNMENT != 0)
        return "VDMA: not aligned to 32 B";
    if (transfer->bytes % VDMA_QWORD != 0)
        return "VDMA: length no multiple of 8 B";
    return transfer->bytes < VDMA_LEAST ? "VDMA: shorter than 24 B" : NULL;
}

static bool refuses(struct cpu_context *context, struct vdma_handler *handler,
                    const struct vdma_transfer *transfer, const struct machine_kind *kind)
{
    const char *reason = handler->splits ? NULL : vdma_refusal(transfer);
    if (!reason)
        return false;
    cpu_trace_event(context, vdma_owner(handler, kind, ++handler->numbers), NULL, "refused",
                    reason);
    handler->client->refused(context, handler->owner, transfer, reason);
    return true;
}

// ---- The end ----

static void remove_read(struct vdma_handler *handler, const struct vdma_read *read)
{
    struct vdma_read *previous = NULL;
    for (struct vdma_read *at = handler->reads; at != read; at = at->next)
        previous = at;
    if (previous)
        previous->next = read->next;
    else
        handler->reads = read->next;
    if (handler->reads_last == read)
        handler->reads_last = previous;
}

static void send_done(struct cpu_context *context, struct vdma_handler *handler,
                      const struct vdma_read *read)
{
    struct vdma_message *done = vdma_message_new(handler, read->transfer.peer, VDMA_DONE, VDMA_WORD,
                                                 read->transfer.message);
    vdma_message_body(done)->key = read->done_key;
    vdma_message_send(context, handler, done);
}

// A transfer is complete when all its slices are in and the GET_EXT_REPLY has been stored.
static void finish(struct cpu_context *context, struct vdma_handler *handler,
                   struct vdma_read *read)
{
    if (read->done < read->split.middle || read->ext_due)
        return;
    const struct vdma_client *client = handler->client;
    cpu_machine_enterf(context, &vdma_read_machine, &read->machine, VDMA_READ_DONE,
                       vdma_owner(handler, &vdma_read_machine, read->number), "%d slices",
                       read->slices);
    remove_read(handler, read);
    if (read->written) {
        if (client->written)
            client->written(context, handler->owner, &read->transfer);
        send_done(context, handler, read);
    } else {
        client->read_done(context, handler->owner, &read->transfer);
    }
    pool_give(&handler->read_pool, read);
}

void vdma_slice_received(struct cpu_context *context, struct vdma_handler *handler, int number)
{
    struct vdma_channel *channel = &handler->channels[number];
    struct vdma_read *read = channel->read;
    vdma_spend(context, handler->config.complete, read->transfer.message);
    cpu_machine_enterf(context, &vdma_channel_machine, &channel->machine, VDMA_UNUSED,
                       vdma_owner(handler, &vdma_channel_machine, (uint64_t)number),
                       "slice %d of read %d", channel->slice, (int)read->number);
    vdma_release(handler->nic, number);
    handler->receiving--;
    ++*handler->slices;
    read->in_flight--;
    read->done += channel->bytes;
    finish(context, handler, read);
}

// The handler has no numbers that would identify a message that a link has delivered twice.
static void fail_unknown(struct vdma_handler *handler, const char *message, const char *transfer)
{
    const char *here = handler->host->name;
    sim_fail(handler->sim, SIM_FAILED, "vdma_unknown_transfer", json_pack("{s:s}", "host", here),
             "%s's VDMA handler gets a %s of no %s that it waits for: a link has delivered it "
             "twice, and the handlers rely on links that do not; set link.window",
             here, message, transfer);
}

void vdma_ext_reply_arrived(struct cpu_context *context, struct vdma_handler *handler, uint64_t key)
{
    struct vdma_read *read = handler->reads;
    while (read && read->number != key)
        read = read->next;
    if (!read || !read->ext_due) {
        fail_unknown(handler, "GET_EXT_REPLY", "read");
        return;
    }
    const struct vdma_transfer *transfer = &read->transfer;
    const struct vdma_split *split = &read->split;
    mem_copy(context, &handler->host->config.memory, split->first + split->last, COPY_COLD,
             transfer->message);
    if (split->first > 0)
        ledger_deliver(handler->sim->ledger, transfer->message, transfer->offset, split->first);
    if (split->last > 0)
        ledger_deliver(handler->sim->ledger, transfer->message,
                       transfer->offset + split->first + split->middle, split->last);
    cpu_machine_enterf(context, &vdma_read_machine, &read->machine, VDMA_READ_READING,
                       vdma_owner(handler, &vdma_read_machine, read->number),
                       "GET_EXT_REPLY of %d B", (int)(split->first + split->last));
    read->ext_due = false;
    finish(context, handler, read);
}

// ---- The beginning ----

static void send_get(struct cpu_context *context, struct vdma_handler *handler,
                     const struct vdma_read *read, int channel, int64_t bytes)
{
    const struct vdma_transfer *transfer = &read->transfer;
    const struct vdma_split *split = &read->split;
    int64_t extension = handler->splits ? VDMA_GET_EXTENSION : 0, done = split->first + read->begun;
    struct vdma_message *message =
        vdma_message_new(handler, transfer->peer, VDMA_GET, handler->config.get_bytes + extension,
                         transfer->message);
    struct vdma_body *body = vdma_message_body(message);
    body->channel = (uint8_t)channel;
    body->slice = (uint16_t)read->slices;
    body->get = (struct vdma_get){.address = transfer->remote + done,
                                  .bytes = bytes,
                                  .message = transfer->message,
                                  .offset = transfer->offset + done};
    if (read->begun == 0 && read->ext_due) {
        body->get.key_remaining = read->number;
        body->get.first_block_length = split->first;
        body->get.first_block_addr = transfer->remote;
        body->get.last_block_length = split->last;
        body->get.last_block_addr = transfer->remote + split->first + split->middle;
    }
    vdma_message_send(context, handler, message);
}

// `writer_key`: of a write that this executes; NULL: a read of the client's own.
static void begin(struct cpu_context *context, struct vdma_handler *handler,
                  const struct vdma_transfer *transfer, const uint64_t *writer_key)
{
    struct vdma_read *read = pool_take(&handler->read_pool);
    *read = (struct vdma_read){
        .number = ++handler->numbers,
        .transfer = *transfer,
        .split = {.middle = transfer->bytes},
        .written = writer_key != NULL,
        .done_key = writer_key ? *writer_key : 0,
    };
    if (handler->splits)
        read->split = vdma_split(transfer->local, transfer->bytes);
    read->ext_due = read->split.first + read->split.last > 0;
    FIFO_APPEND(handler->reads, handler->reads_last, read, next);
    cpu_trace_eventf(context, vdma_owner(handler, &vdma_read_machine, read->number), NULL,
                     "READING", "%d + %" G_GINT64_FORMAT " + %d B from %s", (int)read->split.first,
                     read->split.middle, (int)read->split.last,
                     handler->hosts[transfer->peer]->name);
    if (read->split.middle == 0 && read->ext_due)
        send_get(context, handler, read, 0, 0);
    else
        finish(context, handler, read);
}

void vdma_read_begin(struct cpu_context *context, struct vdma_handler *handler,
                     const struct vdma_transfer *transfer)
{
    if (!refuses(context, handler, transfer, &vdma_read_machine))
        begin(context, handler, transfer, NULL);
}

// ---- Slices ----

static struct vdma_read *read_with_slice(const struct vdma_handler *handler)
{
    struct vdma_read *read = handler->reads;
    while (read && (read->begun == read->split.middle || read->in_flight > handler->config.ahead))
        read = read->next;
    return read;
}

static void prepare(struct cpu_context *context, struct vdma_handler *handler,
                    struct vdma_read *read, int number)
{
    const struct vdma_transfer *transfer = &read->transfer;
    int64_t done = read->split.first + read->begun;
    struct vdma_slice slice = {
        .address = transfer->local + done,
        .bytes = vdma_slice_bytes(transfer->local + done, transfer->remote + done,
                                  read->split.middle - read->begun),
        .message = transfer->message,
        .offset = transfer->offset + done,
    };
    read->slices++;
    handler->channels[number] = (struct vdma_channel){.read = read,
                                                      .slice = read->slices,
                                                      .peer = transfer->peer,
                                                      .bytes = slice.bytes,
                                                      .buffer = -1};
    handler->receiving++;
    vdma_spend(context, handler->config.slice, transfer->message);
    vdma_expect(context, handler->nic, number, &slice);
    cpu_machine_enterf(context, &vdma_channel_machine, &handler->channels[number].machine,
                       VDMA_RECEIVES, vdma_owner(handler, &vdma_channel_machine, (uint64_t)number),
                       "slice %d of read %d, %d B", read->slices, (int)read->number,
                       (int)slice.bytes);
    send_get(context, handler, read, number, slice.bytes);
    read->begun += slice.bytes;
    read->in_flight++;
}

bool vdma_next_slice(struct cpu_context *context, struct vdma_handler *handler)
{
    struct vdma_read *read = read_with_slice(handler);
    if (!read)
        return false;
    int channel = handler->receiving < MOST_RECEIVING ? vdma_reserve(handler->nic) : -1;
    if (channel < 0) {
        handler->channels_wait = true;
        return false;
    }
    prepare(context, handler, read, channel);
    return true;
}

// ---- Writes ----

void vdma_write_begin(struct cpu_context *context, struct vdma_handler *handler,
                      const struct vdma_transfer *transfer)
{
    if (refuses(context, handler, transfer, &vdma_write_machine))
        return;
    struct vdma_write *write = pool_take(&handler->write_pool);
    *write = (struct vdma_write){.number = ++handler->numbers, .transfer = *transfer};
    FIFO_APPEND(handler->writes, handler->writes_last, write, next);
    cpu_trace_eventf(context, vdma_owner(handler, &vdma_write_machine, write->number), NULL, "PUT",
                     "%" G_GINT64_FORMAT " B to %s", transfer->bytes,
                     handler->hosts[transfer->peer]->name);
    struct vdma_message *message = vdma_message_new(handler, transfer->peer, VDMA_PUT,
                                                    handler->config.put_bytes, transfer->message);
    vdma_message_body(message)->put = (struct vdma_put){.address = transfer->remote,
                                                        .source = transfer->local,
                                                        .bytes = transfer->bytes,
                                                        .message = transfer->message,
                                                        .offset = transfer->offset,
                                                        .key = write->number};
    vdma_message_send(context, handler, message);
}

void vdma_put_arrived(struct cpu_context *context, struct vdma_handler *handler, int from,
                      const struct vdma_put *put)
{
    struct vdma_transfer transfer = {.peer = from,
                                     .local = put->address,
                                     .remote = put->source,
                                     .bytes = put->bytes,
                                     .message = put->message,
                                     .offset = put->offset};
    if (handler->client->begins)
        handler->client->begins(context, handler->owner, &transfer);
    begin(context, handler, &transfer, &put->key);
}

void vdma_done_arrived(struct cpu_context *context, struct vdma_handler *handler, uint64_t key)
{
    struct vdma_write *previous = NULL, *write = handler->writes;
    for (; write && write->number != key; write = write->next)
        previous = write;
    if (!write) {
        fail_unknown(handler, "DONE", "write");
        return;
    }
    if (previous)
        previous->next = write->next;
    else
        handler->writes = write->next;
    if (handler->writes_last == write)
        handler->writes_last = previous;
    cpu_machine_enter(context, &vdma_write_machine, &write->machine, VDMA_WRITE_DONE,
                      vdma_owner(handler, &vdma_write_machine, key), NULL);
    handler->client->write_done(context, handler->owner, &write->transfer);
    pool_give(&handler->write_pool, write);
}
