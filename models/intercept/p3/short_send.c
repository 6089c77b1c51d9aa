// SPDX-License-Identifier: GPL-3.0-or-later
// A short message at its sender (thesis 002, 5.2.3 and 5.3.2): RTS with the first data, data
// packets as they are granted, and MSGEND. There is no timer and no repeat: the links do that.
#include "models/intercept/p3/p3_internal.h"

// The waits are those that hold a message up, or the rest of it. An end of any kind may arrive in
// each state after the RTS: the receiver wants no more.
static const struct machine_state short_send_states[] = {
    [P3_SEND_NEW] = {"NEW",
                     .next = MACHINE_TO(P3_SEND_POSTPONED, P3_SEND_RTS_SENT, P3_SEND_FAILED)},
    [P3_SEND_POSTPONED] = {"POSTPONED",
                           {"its RTS to be sent by the kernel thread", WAIT_BUFFER},
                           HELD_HERE,
                           MACHINE_TO(P3_SEND_RTS_SENT)},
    [P3_SEND_RTS_SENT] = {"RTS_SENT",
                          {"CTS", WAIT_WINDOW},
                          HELD_BY_PEER,
                          MACHINE_TO(P3_SEND_SENDING, P3_SEND_DONE, P3_SEND_FAILED)},
    [P3_SEND_SENDING] = {"SENDING", .next = MACHINE_TO(P3_SEND_WAIT_CTS, P3_SEND_WAIT_END,
                                                       P3_SEND_DONE, P3_SEND_FAILED)},
    [P3_SEND_WAIT_CTS] = {"WAIT_CTS",
                          {"NEXT_CTS", WAIT_WINDOW},
                          HELD_BY_PEER,
                          MACHINE_TO(P3_SEND_SENDING, P3_SEND_DONE, P3_SEND_FAILED)},
    [P3_SEND_WAIT_END] = {"WAIT_END", .next = MACHINE_TO(P3_SEND_DONE, P3_SEND_FAILED)},
    [P3_SEND_DONE] = {.name = "DONE"},
    [P3_SEND_FAILED] = {.name = "FAILED"},
};

const struct machine_kind p3_short_send_machine = {
    .name = "short send",
    .title = "Short message of Portals at its sender",
    .source = "thesis 002, 5.2.3, 5.3.2",
    .states = short_send_states,
    .count = G_N_ELEMENTS(short_send_states),
};

// The wait of a process that sleeps, whatever holds its message up meanwhile.
const struct wait p3_end_wait = {"MSGEND", WAIT_OTHER};

static void short_send_enter(const struct cpu_context *context, const struct p3_process *process,
                             struct p3_send *send, enum p3_send_state state, const char *event)
{
    enum p3_send_state before = send->machine.state;
    const struct wait *wait = machine_wait(&p3_short_send_machine, &send->machine);
    bool held = wait && (before != P3_SEND_RTS_SENT || send->length > process->sizes.first);
    cpu_machine_enterf(context, &p3_short_send_machine, &send->machine, state,
                       p3_owner(process, p3_short_send_machine.name, send->number), "%s, %s",
                       p3_host_name(process, send->peer), event);
    if (held)
        trace_note(process->sim->trace, cpu_lane(context->cpu),
                   &(struct trace_note){.kind = TRACE_HELD,
                                        .wait = wait,
                                        .where = process->process->name,
                                        .from = send->since,
                                        .to = context->now,
                                        .message = send->transfer->header.message});
    send->since = context->now;
}

// ---- RTS ----

bool p3_send_rts(struct cpu_context *context, struct p3_process *process, struct p3_send *send,
                 int tx)
{
    const struct portals_header *header = &send->transfer->header;
    struct intercept_sm sm =
        p3_packet_to(process, send->peer, P3_RTS, send->number, process->sizes.rts_header);
    p3_packet_data(&sm, header->message, 0, MIN(send->length, process->sizes.first));
    p3_packet(&sm)->portals = *header;
    if (tx == P3_TX_THREAD)
        p3_spend(context, process->config->record, header->message);
    if (!p3_packet_send(context, process, tx, &sm))
        return false;
    struct p3_peer *peer = p3_peer(process, send->peer);
    FIFO_APPEND(peer->sent, peer->sent_last, send, next);
    short_send_enter(context, process, send, P3_SEND_RTS_SENT,
                     tx == P3_TX_THREAD ? "RTS by TX-CB 2" : "RTS by TX-CB 1");
    return true;
}

// kcalloc() fails: for the record, or for what postpones the message. The message gets no number.
static bool no_memory(const struct cpu_context *context, struct p3_process *process, int peer)
{
    if (process->memory_failures == 0)
        return false;
    process->memory_failures--;
    struct p3_send none = {.number = p3_peer(process, peer)->send_number, .peer = peer};
    short_send_enter(context, process, &none, P3_SEND_FAILED, "no memory");
    return true;
}

// A request, or an ACK, is a header only. The NAL's thread sends by a TX-CB of its own: the
// thesis's listing shares the caller's, which has no lock.
enum portals_status p3_short_send(struct cpu_context *context, struct p3_process *process,
                                  struct portals_transfer *transfer)
{
    const struct portals_header *header = &transfer->header;
    bool by_caller = header->kind == PORTALS_PUT || header->kind == PORTALS_GET;
    if (no_memory(context, process, header->to.nid))
        return PORTALS_NO_SPACE;
    struct p3_send *send = pool_take(&process->sends);
    *send = (struct p3_send){
        .transfer = transfer,
        .peer = header->to.nid,
        .length = header->kind == PORTALS_GET ? 0 : transfer->length,
    };
    transfer->nal = send;
    portals_transfer_waits(transfer, &p3_end_wait);
    if (!p3_boot_admits(context, process, send)) {
        short_send_enter(context, process, send, P3_SEND_POSTPONED, "boot message unconfirmed");
        return PORTALS_OK;
    }
    if (p3_send_rts(context, process, send, by_caller ? P3_TX_CALLER : P3_TX_THREAD))
        return PORTALS_OK;
    short_send_enter(context, process, send, P3_SEND_POSTPONED, "TX-CB full");
    ++*process->counters.postponed;
    p3_postpone(process, send, NULL, P3_RTS);
    p3_thread_notice(context, process);
    return PORTALS_OK;
}

// ---- Answers ----

static void unlink_granted(struct p3_process *process, const struct p3_send *send)
{
    struct p3_send *before = NULL, *at = process->granted;
    while (at && at != send) {
        before = at;
        at = at->granted_next;
    }
    if (!at)
        return;
    *(before ? &before->granted_next : &process->granted) = send->granted_next;
    if (process->granted_last == send)
        process->granted_last = before;
}

static void grant(const struct cpu_context *context, struct p3_process *process,
                  struct p3_send *send, const struct p3_packet *packet)
{
    send->credit = packet->cts.n;
    if (packet->kind == P3_CTS)
        send->want = MIN(send->length, packet->cts.mlen);
    FIFO_APPEND(process->granted, process->granted_last, send, granted_next);
    short_send_enter(context, process, send, P3_SEND_SENDING, p3_kind_name(packet->kind));
}

static void short_send_end(struct cpu_context *context, struct p3_process *process,
                           struct p3_send *send, bool good)
{
    struct portals_transfer *transfer = send->transfer;
    p3_send_unlink(p3_peer(process, send->peer), send);
    unlink_granted(process, send);
    short_send_enter(context, process, send, good ? P3_SEND_DONE : P3_SEND_FAILED,
                     good ? "MSGEND" : "MSGERROR");
    pool_give(&process->sends, send);
    portals_finalize(context, process->ni, transfer, good ? PORTALS_OK : PORTALS_FAILED);
}

// Which answers a state takes. An end is one in any state: the receiver wants no more.
static bool takes(enum p3_send_state state, enum p3_kind kind)
{
    switch (kind) {
    case P3_CTS:
        return state == P3_SEND_RTS_SENT;
    case P3_NEXT_CTS:
        return state == P3_SEND_WAIT_CTS;
    default:
        return true;
    }
}

void p3_answer_arrived(struct cpu_context *context, struct p3_process *process,
                       const struct intercept_sm *sm)
{
    const struct p3_packet *packet = p3_packet_of(sm);
    struct p3_send *send = p3_send_find(p3_peer(process, sm->from), packet->number);
    p3_spend(context, process->config->record, sm->message);
    if (!send || !takes((enum p3_send_state)send->machine.state, packet->kind)) {
        ++*process->counters.unanswerable;
        cpu_trace_eventf(context, p3_owner(process, p3_short_send_machine.name, packet->number),
                         NULL, "ignored", "%s, %s", p3_host_name(process, sm->from),
                         p3_kind_name(packet->kind));
        return;
    }
    bool boot = packet->number == BOOTMSGNUM && packet->kind != P3_NEXT_CTS;
    if (packet->kind == P3_CTS || packet->kind == P3_NEXT_CTS)
        grant(context, process, send, packet);
    else
        short_send_end(context, process, send, packet->kind == P3_MSGEND);
    if (boot)
        p3_boot_confirmed(context, process, sm->from);
}

// ---- Data ----

// The last one of what is wanted is LAST_DATA, even if it uses up the grant.
static enum p3_kind next_kind(const struct p3_send *send, bool last)
{
    if (last)
        return P3_LAST_DATA;
    return send->credit == 1 ? P3_STOP_DATA : P3_DATA;
}

bool p3_send_data(struct cpu_context *context, struct p3_process *process)
{
    struct p3_send *send = process->granted;
    if (!send || process->full)
        return false;
    const struct p3_sizes *sizes = &process->sizes;
    int64_t offset = sizes->first + send->data * sizes->data;
    int64_t length = CLAMP(send->want - offset, 0, sizes->data);
    enum p3_kind kind = next_kind(send, offset + length >= send->want);
    struct intercept_sm sm =
        p3_packet_to(process, send->peer, kind, send->number, sizes->data_header);
    p3_packet_data(&sm, send->transfer->header.message, offset, length);
    p3_packet(&sm)->data = send->data;
    p3_spend(context, process->config->record, sm.message);
    if (!p3_packet_send(context, process, P3_TX_THREAD, &sm))
        return false;
    send->data++;
    send->credit--;
    if (kind == P3_DATA)
        return true;
    process->granted = send->granted_next;
    short_send_enter(context, process, send,
                     kind == P3_LAST_DATA ? P3_SEND_WAIT_END : P3_SEND_WAIT_CTS,
                     p3_kind_name(kind));
    return true;
}
