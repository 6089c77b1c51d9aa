// SPDX-License-Identifier: GPL-3.0-or-later
// A short message at its receiver (thesis 002, 5.2.3 and 5.3.2). A data packet's number gives the
// place of its data, so that their order does not matter; a message is whole by its bytes, not by
// the kind of the last packet.
#include "models/intercept/p3/p3_internal.h"

#define COPY_FAILED "a copy to the process failed"

// A message that fits into its RTS is at its end at once.
static const struct machine_state short_receive_states[] = {
    [P3_RECEIVE_PARSED] = {"PARSED", .next = MACHINE_TO(P3_RECEIVE_RECEIVING, P3_RECEIVE_ENDED)},
    [P3_RECEIVE_RECEIVING] = {"RECEIVING",
                              {"data", WAIT_OTHER},
                              HELD_BY_PEER,
                              MACHINE_TO(P3_RECEIVE_ENDED)},
    [P3_RECEIVE_ENDED] = {.name = "ENDED"},
};

const struct machine_kind p3_short_receive_machine = {
    .name = "short receive",
    .title = "Short message of Portals at its receiver",
    .source = "thesis 002, 5.2.3, 5.3.2",
    .states = short_receive_states,
    .count = G_N_ELEMENTS(short_receive_states),
};

static void short_receive_enter(const struct cpu_context *context, const struct p3_process *process,
                                struct p3_receive *receive, enum p3_receive_state state,
                                const char *event)
{
    cpu_machine_enterf(context, &p3_short_receive_machine, &receive->machine, state,
                       p3_owner(process, p3_short_receive_machine.name, receive->number), "%s, %s",
                       p3_host_name(process, receive->peer), event);
}

// memcpytouser(): out of the RX-CB, where the card has just written it. Returns false if it failed.
static bool copy(struct cpu_context *context, struct p3_process *process,
                 const struct p3_receive *receive, int64_t offset, int64_t bytes)
{
    if (process->copy_failures > 0) {
        process->copy_failures--;
        ++*process->counters.copy_failed;
        return false;
    }
    if (bytes > 0)
        mem_copy(context, &process->host->config.memory, bytes, COPY_COLD, receive->message);
    ledger_deliver(process->sim->ledger, receive->message, offset, bytes);
    return true;
}

// ---- Answers ----

static void short_receive_end(struct cpu_context *context, struct p3_process *process,
                              struct p3_receive *receive)
{
    struct portals_transfer *transfer = receive->transfer;
    enum portals_status status = receive->status;
    short_receive_enter(context, process, receive, P3_RECEIVE_ENDED, "MSGEND sent");
    pool_give(&process->receives, receive);
    if (transfer)
        portals_finalize(context, process->ni, transfer, status);
}

bool p3_answer_send(struct cpu_context *context, struct p3_process *process,
                    struct p3_receive *receive, enum p3_kind kind)
{
    const struct p3_sizes *sizes = &process->sizes;
    int64_t bytes = kind == P3_CTS        ? sizes->cts
                    : kind == P3_NEXT_CTS ? sizes->next_cts
                                          : sizes->msgend;
    struct intercept_sm sm = p3_packet_to(process, receive->peer, kind, receive->number, bytes);
    sm.message = receive->message;
    if (kind != P3_MSGEND) {
        p3_packet(&sm)->cts.n = (uint32_t)process->config->grant;
        p3_packet(&sm)->cts.mlen = receive->mlen;
    }
    if (!p3_packet_send(context, process, P3_TX_THREAD, &sm))
        return false;
    if (kind == P3_MSGEND)
        short_receive_end(context, process, receive);
    return true;
}

// A full TX-CB postpones an answer. Answers that are postponed go first.
static void answer(struct cpu_context *context, struct p3_process *process,
                   struct p3_receive *receive, enum p3_kind kind)
{
    if (process->full || !p3_answer_send(context, process, receive, kind)) {
        ++*process->counters.postponed;
        p3_postpone(process, NULL, receive, kind);
    }
}

// ---- RTS ----

static struct p3_receive *record(struct p3_process *process, const struct intercept_sm *sm,
                                 struct portals_transfer *transfer)
{
    struct p3_receive *receive = pool_take(&process->receives);
    *receive = (struct p3_receive){
        .transfer = transfer,
        .status = PORTALS_OK,
        .peer = sm->from,
        .number = p3_packet_of(sm)->number,
        .message = sm->message,
        .mlen = transfer ? transfer->length : 0,
    };
    return receive;
}

// Requests and ACKs carry no bytes of a message.
static bool carries(const struct portals_header *header)
{
    return header->kind == PORTALS_PUT || header->kind == PORTALS_REPLY;
}

// The first data. Returns false if the copy failed; the message then ends, and its sender takes it
// for delivered.
static bool copy_first(struct cpu_context *context, struct p3_process *process,
                       const struct intercept_sm *sm, struct p3_receive *receive)
{
    const struct portals_header *header = &p3_packet_of(sm)->portals;
    int64_t bytes = MIN(receive->mlen, sm->length);
    receive->rcvlen = bytes;
    if (!carries(header) || (bytes == 0 && header->length > 0) || !receive->transfer)
        return true;
    if (copy(context, process, receive, 0, bytes))
        return true;
    ledger_drop_rest(process->sim->ledger, receive->message, COPY_FAILED);
    receive->status = PORTALS_FAILED;
    return false;
}

void p3_short_receive(struct cpu_context *context, struct p3_process *process, void *arriving,
                      struct portals_transfer *transfer)
{
    const struct intercept_sm *sm = ((const struct p3_short_arriving *)arriving)->sm;
    struct p3_receive *receive = record(process, sm, transfer);
    if (!copy_first(context, process, sm, receive) || receive->mlen <= receive->rcvlen) {
        answer(context, process, receive, P3_MSGEND);
        return;
    }
    struct p3_peer *peer = p3_peer(process, sm->from);
    FIFO_APPEND(peer->receiving, peer->receiving_last, receive, next);
    short_receive_enter(context, process, receive, P3_RECEIVE_RECEIVING, "CTS");
    answer(context, process, receive, P3_CTS);
}

// ---- Data ----

void p3_data_arrived(struct cpu_context *context, struct p3_process *process,
                     const struct intercept_sm *sm)
{
    const struct p3_packet *packet = p3_packet_of(sm);
    struct p3_peer *peer = p3_peer(process, sm->from);
    struct p3_receive **place = p3_receive_find(peer, packet->number), *receive = *place;
    p3_spend(context, process->config->record, sm->message);
    if (!receive) {
        ++*process->counters.unexpected;
        cpu_trace_eventf(context, p3_owner(process, p3_short_receive_machine.name, packet->number),
                         NULL, "dropped", "%s, unexpected %s", p3_host_name(process, sm->from),
                         p3_kind_name(packet->kind));
        return;
    }
    int64_t offset = process->sizes.first + packet->data * process->sizes.data;
    if (!copy(context, process, receive, offset, sm->length)) {
        ledger_drop(process->sim->ledger, receive->message, offset, sm->length, COPY_FAILED);
        receive->status = PORTALS_FAILED;
    }
    receive->rcvlen += sm->length;
    if (receive->rcvlen >= receive->mlen) {
        p3_receive_unlink(peer, place);
        answer(context, process, receive, P3_MSGEND);
    } else if (packet->kind == P3_STOP_DATA) {
        answer(context, process, receive, P3_NEXT_CTS);
    }
}
