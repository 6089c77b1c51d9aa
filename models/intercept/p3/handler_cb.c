// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/intercept/p3/handler_cb.h"

#include "models/intercept/p3/long.h"

#include <string.h>

struct p3_cb_body {
    uint8_t kind; // enum p3_cb_kind
    bool first;   // piece: `portals` is in the packet
    uint16_t bytes;
    uint32_t number; // of the message, at its sender
    struct portals_header portals;
};

static_assert(sizeof(struct p3_cb_body) <= VDMA_CLIENT_BYTES, "a body fits");

// A piece, for portals_parse and p3_cb_receive.
struct cb_arriving {
    struct p3_arriving arriving;
    int from;
    const struct p3_cb_body *body;
};

// Data that a piece has room for. Besides the handler's header it has the NAL's common one, and the
// first piece Portals'.
static int64_t piece_room(const struct p3_process *process, bool first)
{
    return process->handler_room - (first ? process->sizes.rts_header : process->sizes.common);
}

static void post_entry(struct cpu_context *context, struct p3_process *process, int peer,
                       const struct p3_cb_body *body, int64_t bytes, struct message_ref message)
{
    struct vdma_client_message made = {.type = body->kind, .bytes = bytes, .message = message};
    memcpy(made.body, body, sizeof *body);
    vdma_post_message(context, process->handler, peer, &made);
}

// ---- Sending ----

// From the process into a buffer of the kernel, and from there, marshalled, into the message.
static void copy_out(struct cpu_context *context, const struct p3_process *process, int64_t bytes,
                     struct message_ref message)
{
    const struct memory_config *memory = &process->host->config.memory;
    if (bytes == 0)
        return;
    mem_copy(context, memory, bytes, COPY_WARM, message);
    mem_copy(context, memory, bytes, COPY_WARM, message);
}

static void post_piece(struct cpu_context *context, struct p3_process *process,
                       const struct p3_send *send, int64_t offset, int64_t bytes)
{
    const struct portals_header *header = &send->transfer->header;
    struct p3_cb_body body = {.kind = P3_CB_PIECE,
                              .first = offset == 0,
                              .bytes = (uint16_t)bytes,
                              .number = (uint32_t)send->number,
                              .portals = *header};
    copy_out(context, process, bytes, header->message);
    int64_t headers = body.first ? process->sizes.rts_header : process->sizes.common;
    post_entry(context, process, send->peer, &body, headers + bytes, header->message);
}

enum portals_status p3_cb_send(struct cpu_context *context, struct p3_process *process,
                               struct portals_transfer *transfer)
{
    const struct portals_header *header = &transfer->header;
    struct p3_peer *peer = p3_peer(process, header->to.nid);
    struct p3_send *send = pool_take(&process->sends);
    *send = (struct p3_send){
        .transfer = transfer,
        .peer = header->to.nid,
        .number = peer->send_number++,
        .length = header->kind == PORTALS_GET ? 0 : transfer->length,
        .machine = {P3_SEND_WAIT_END},
    };
    transfer->nal = send;
    portals_transfer_waits(transfer, &p3_end_wait);
    FIFO_APPEND(peer->sent, peer->sent_last, send, next);
    p3_long_meet(context, process, send->peer);
    int64_t offset = 0;
    do {
        int64_t bytes = MIN(send->length - offset, piece_room(process, offset == 0));
        post_piece(context, process, send, offset, bytes);
        offset += bytes;
    } while (offset < send->length);
    return PORTALS_OK;
}

// ---- Receiving ----

static void handler_end(struct cpu_context *context, struct p3_process *process,
                        struct p3_receive *receive)
{
    struct p3_cb_body body = {.kind = P3_CB_END, .number = (uint32_t)receive->number};
    struct portals_transfer *transfer = receive->transfer;
    post_entry(context, process, receive->peer, &body, process->sizes.common, receive->message);
    pool_give(&process->receives, receive);
    if (transfer)
        portals_finalize(context, process->ni, transfer, PORTALS_OK);
}

// Out of the RX-CB, unmarshalled, into a buffer of the kernel, and from there to the process.
static void copy_in(struct cpu_context *context, struct p3_process *process,
                    struct p3_receive *receive, int64_t bytes)
{
    const struct memory_config *memory = &process->host->config.memory;
    int64_t wanted = CLAMP(receive->mlen - receive->rcvlen, 0, bytes);
    if (bytes > 0)
        mem_copy(context, memory, bytes, COPY_COLD, receive->message);
    if (wanted > 0)
        mem_copy(context, memory, wanted, COPY_WARM, receive->message);
    if (wanted > 0 || receive->empty)
        ledger_deliver(process->sim->ledger, receive->message, receive->rcvlen, wanted);
    receive->rcvlen += bytes;
}

void p3_cb_receive(struct cpu_context *context, struct p3_process *process, void *arriving,
                   struct portals_transfer *transfer)
{
    const struct cb_arriving *cb = arriving;
    const struct portals_header *header = &cb->body->portals;
    bool carries = header->kind == PORTALS_PUT || header->kind == PORTALS_REPLY;
    struct p3_receive *receive = pool_take(&process->receives);
    *receive = (struct p3_receive){
        .transfer = transfer,
        .peer = cb->from,
        .number = cb->body->number,
        .message = header->message,
        .mlen = transfer ? transfer->length : 0,
        .length = carries ? header->length : 0,
        .empty = carries && transfer && header->length == 0,
    };
    copy_in(context, process, receive, cb->body->bytes);
    if (receive->rcvlen >= receive->length) {
        handler_end(context, process, receive);
        return;
    }
    struct p3_peer *peer = p3_peer(process, cb->from);
    FIFO_APPEND(peer->receiving, peer->receiving_last, receive, next);
}

// One plane keeps the order of a message's pieces. Those of messages that different threads send at
// the same time may alternate.
static void piece(struct cpu_context *context, struct p3_process *process, int from,
                  const struct p3_cb_body *body)
{
    struct p3_peer *peer = p3_peer(process, from);
    if (body->first) {
        struct cb_arriving cb = {.arriving = {.by_handler_cb = true}, .from = from, .body = body};
        if (p3_addressed(context, process, from, body->number, &body->portals))
            portals_parse(context, process->ni, &body->portals, &cb);
        return;
    }
    struct p3_receive **place = p3_receive_find(peer, body->number), *receive = *place;
    if (!receive) { // dropped
        ++*process->counters.unexpected;
        return;
    }
    copy_in(context, process, receive, body->bytes);
    if (receive->rcvlen < receive->length)
        return;
    p3_receive_unlink(peer, place);
    handler_end(context, process, receive);
}

static void ended(struct cpu_context *context, struct p3_process *process, int from,
                  const struct p3_cb_body *body)
{
    struct p3_peer *peer = p3_peer(process, from);
    struct p3_send *send = p3_send_find(peer, body->number);
    if (!send) {
        p3_fail_unknown(process, "end");
        return;
    }
    struct portals_transfer *transfer = send->transfer;
    p3_send_unlink(peer, send);
    pool_give(&process->sends, send);
    portals_finalize(context, process->ni, transfer, PORTALS_OK);
}

void p3_cb_message(struct cpu_context *context, struct p3_process *process, int from,
                   const void *body)
{
    struct p3_cb_body copy;
    memcpy(&copy, body, sizeof copy);
    if (copy.kind == P3_CB_PIECE)
        piece(context, process, from, &copy);
    else
        ended(context, process, from, &copy);
}
