// SPDX-License-Identifier: GPL-3.0-or-later
// The library's two entry points for the NAL (portals_parse, portals_finalize), and its sends.
#include "models/portals/internal.h"
#include "models/portals/match.h"

const struct stage portals_stage = {"Portals", STAGE_KERNEL};

#define TRUNCATED "Portals: truncated"
#define NOT_HERE "Portals: for another node"
#define NO_GET "Portals: the get is over"
#define NO_REPLY "Portals: the reply could not be sent"

// The first of its three events, by role.
static const enum portals_event_kind start_events[] = {
    [PORTALS_SENDS] = PORTALS_SEND_START,
    [PORTALS_TAKES] = PORTALS_PUT_START,
    [PORTALS_REPLIES] = PORTALS_GET_START,
    [PORTALS_IS_REPLY] = PORTALS_REPLY_START,
};
enum { EVENT_START, EVENT_END, EVENT_FAIL };

void portals_enter_library(struct cpu_context *context, const struct portals_ni *ni,
                           struct cost work, struct message_ref message)
{
    cpu_spend_for(context, ni->config->cold, &portals_stage, message);
    cpu_spend_for(context, work, &portals_stage, message);
}

// ---- Events ----

static void trace_event(const struct cpu_context *context, const struct portals_ni *ni,
                        const struct portals_eq *eq, const struct portals_event *event, bool over)
{
    cpu_trace_eventf(context,
                     (struct machine_owner){.where = ni->process->name,
                                            .subject = (int64_t)eq->written,
                                            .machine = "EQ"},
                     over ? "overwritten" : "free", portals_event_names[event->kind],
                     "node%d, %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " B at %" G_GINT64_FORMAT,
                     event->initiator.nid, event->mlength, event->rlength, event->offset);
}

// Writes an event and wakes the process at the time when it is written. The process polls all
// queues while it waits for any event.
static void write_event(struct cpu_context *context, struct portals_ni *ni, struct portals_eq *eq,
                        struct portals_event *event, struct message_ref message)
{
    if (!eq)
        return;
    cpu_spend_for(context, ni->config->event, &portals_stage, message);
    event->time = context->now;
    bool over = portals_eq_write(eq, event);
    if (over) {
        ni->overwritten++;
        (*ni->counters.overwritten)++;
    }
    trace_event(context, ni, eq, event, over);
    cpu_post_wake(context, &ni->process->task);
}

static struct portals_event event_of(const struct portals_header *header,
                                     enum portals_event_kind kind)
{
    bool back = header->kind == PORTALS_REPLY || header->kind == PORTALS_ACK;
    return (struct portals_event){
        .kind = kind,
        .initiator = back ? header->to : header->from,
        .portal = header->portal,
        .match_bits = header->match_bits,
        .header_data = header->header_data,
        .rlength = header->length,
        .mlength = header->length,
        .offset = header->offset,
    };
}

static void message_event(struct cpu_context *context, struct portals_ni *ni,
                          const struct portals_message *message, int which)
{
    const struct portals_header *header = &message->transfer.header;
    struct portals_event event =
        event_of(header, (enum portals_event_kind)((int)start_events[message->role] + which));
    event.rlength = message->rlength;
    event.mlength = message->mlength;
    event.offset = message->offset;
    event.request = message->request ? message->request->number : 0;
    write_event(context, ni, message->md->eq, &event, header->message);
}

// ---- Messages under way ----

static struct portals_message *message_new(struct portals_ni *ni, enum portals_role role,
                                           struct portals_md *md,
                                           const struct portals_header *header, int64_t address,
                                           int64_t length)
{
    struct portals_message *message = pool_take(&ni->messages);
    *message = (struct portals_message){
        .transfer = {.header = *header,
                     .address = address,
                     .length = length,
                     .segments = length > 0 ? 1 : 0},
        .role = role,
        .md = md,
        .rlength = header->length,
        .mlength = length,
        .offset = header->offset,
        .next = ni->open,
    };
    if (ni->open)
        ni->open->previous = message;
    ni->open = message;
    return message;
}

static void message_free(struct portals_ni *ni, struct portals_message *message)
{
    if (message->previous)
        message->previous->next = message->next;
    else
        ni->open = message->next;
    if (message->next)
        message->next->previous = message->previous;
    if (message->request && portals_of(message->request)->message == message)
        portals_of(message->request)->message = NULL;
    pool_give(&ni->messages, message);
}

struct mpi_request *portals_request(const struct portals_ni *ni, uint32_t number)
{
    struct mpi_request *request = number ? ni->process->active : NULL;
    while (request && request->number != number)
        request = request->active_next;
    return request;
}

// The program's request waits for this transfer.
static void belongs_to(struct portals_message *message, struct mpi_request *request)
{
    message->request = request;
    portals_of(request)->message = message;
}

// The descriptor has one operation less under way; if it was its last, it unlinks itself.
static void release(struct cpu_context *context, struct portals_ni *ni, struct portals_md *md,
                    const struct portals_header *header)
{
    struct portals_eq *eq = md->eq;
    if (!portals_md_release(&ni->tables, md))
        return;
    struct portals_event event = event_of(header, PORTALS_UNLINK);
    write_event(context, ni, eq, &event, header->message);
}

enum portals_status portals_send(struct cpu_context *context, struct portals_ni *ni,
                                 struct portals_md *md, const struct portals_header *header,
                                 int64_t address, struct mpi_request *request)
{
    bool put = header->kind == PORTALS_PUT;
    struct portals_message *message =
        message_new(ni, PORTALS_SENDS, md, header, address, put ? header->length : 0);
    message->transfer.header.md = (uint32_t)(md - ni->tables.mds);
    message->mlength = header->length;
    if (request)
        belongs_to(message, request);
    portals_md_use(&ni->tables, md);
    if (header->ack || !put)
        md->pending++; // until the ACK or the REPLY
    message_event(context, ni, message, EVENT_START);
    enum portals_status status = ni->nal->send(context, ni, &message->transfer);
    if (status != PORTALS_OK)
        message_free(ni, message);
    return status;
}

// ---- What arrives ----

static void refuse_message(struct cpu_context *context, struct portals_ni *ni,
                           const struct portals_header *header, void *arriving, const char *reason)
{
    struct ledger *ledger = ni->process->sim->ledger;
    ni->dropped++;
    (*ni->counters.dropped)++;
    if (header->kind != PORTALS_ACK) {
        if (!header->apart && header->kind != PORTALS_GET) // a get is matched when its reply comes
            ledger_match(ledger, header->message);
        ledger_decline(ledger, header->message, 0, header->length, reason);
        ledger_complete(ledger, header->message);
    }
    ni->nal->receive(context, ni, arriving, NULL);
}

// The part of a matched message that does not fit.
static void truncate(struct portals_ni *ni, const struct portals_header *header, int64_t mlength)
{
    if (mlength == header->length)
        return;
    (*ni->counters.truncated)++;
    ledger_decline(ni->process->sim->ledger, header->message, mlength, header->length - mlength,
                   TRUNCATED);
}

static int message_way(const struct portals_ni *ni, int64_t bytes)
{
    return ni->nal->way ? ni->nal->way(ni, bytes) : 0;
}

// A truncated reply may take another path than the whole one would have.
static void reply(struct cpu_context *context, struct portals_ni *ni,
                  struct portals_message *message, const struct portals_header *asked)
{
    struct portals_header *header = &message->transfer.header;
    header->kind = PORTALS_REPLY;
    header->from = ni->id;
    header->to = asked->from;
    header->length = message->mlength;
    header->apart = message_way(ni, message->mlength) != message_way(ni, asked->length);
    if (ni->nal->send(context, ni, &message->transfer) == PORTALS_OK)
        return;
    struct portals_md *md = message->md;
    message_event(context, ni, message, EVENT_FAIL);
    ledger_drop(ni->process->sim->ledger, asked->message, 0, message->mlength, NO_REPLY);
    message_free(ni, message);
    release(context, ni, md, asked);
}

// A put or a get.
static void parse_matched(struct cpu_context *context, struct portals_ni *ni,
                          const struct portals_header *header, void *arriving)
{
    struct portals_match match = portals_match(&ni->tables, header);
    if (match.scanned > 1)
        cpu_spend_message(context,
                          time_times(match.scanned - 1, cpu_cost(context->cpu, ni->config->scan)),
                          &portals_stage, header->message);
    if (!match.md) {
        refuse_message(context, ni, header, arriving, portals_refusals[match.refusal]);
        return;
    }
    bool put = header->kind == PORTALS_PUT;
    struct portals_message *message =
        message_new(ni, put ? PORTALS_TAKES : PORTALS_REPLIES, match.md, header,
                    match.md->start + match.offset, match.mlength);
    message->offset = match.offset;
    portals_match_use(&ni->tables, &match);
    if (put && !header->apart)
        ledger_match(ni->process->sim->ledger, header->message);
    truncate(ni, header, match.mlength);
    message_event(context, ni, message, EVENT_START);
    if (put) {
        ni->nal->receive(context, ni, arriving, &message->transfer);
        return;
    }
    reply(context, ni, message, header);
    ni->nal->receive(context, ni, arriving, NULL);
}

static struct portals_md *own_md(const struct portals_ni *ni, const struct portals_header *header)
{
    int64_t count = ni->tables.granted.descriptors + ni->tables.granted.queues;
    struct portals_md *md = header->md < count ? &ni->tables.mds[header->md] : NULL;
    return md && md->used && md->pending > 0 ? md : NULL;
}

static void parse_reply(struct cpu_context *context, struct portals_ni *ni,
                        const struct portals_header *header, void *arriving)
{
    struct portals_md *md = own_md(ni, header);
    struct mpi_request *request = portals_request(ni, header->request);
    if (!md) {
        refuse_message(context, ni, header, arriving, NO_GET);
        return;
    }
    struct portals_message *message =
        message_new(ni, PORTALS_IS_REPLY, md, header, header->local, header->length);
    if (request)
        belongs_to(message, request);
    if (!header->apart)
        ledger_match(ni->process->sim->ledger, header->message);
    message_event(context, ni, message, EVENT_START);
    ni->nal->receive(context, ni, arriving, &message->transfer);
}

static void parse_ack(struct cpu_context *context, struct portals_ni *ni,
                      const struct portals_header *header, void *arriving)
{
    struct portals_md *md = own_md(ni, header);
    if (!md) {
        refuse_message(context, ni, header, arriving, NO_GET);
        return;
    }
    struct portals_event event = event_of(header, PORTALS_EVENT_ACK);
    event.request = header->request;
    write_event(context, ni, md->eq, &event, header->message);
    release(context, ni, md, header);
    ni->nal->receive(context, ni, arriving, NULL);
}

void portals_parse(struct cpu_context *context, struct portals_ni *ni,
                   const struct portals_header *header, void *arriving)
{
    portals_enter_library(context, ni, ni->config->parse, header->message);
    if (header->to.nid != ni->id.nid) {
        refuse_message(context, ni, header, arriving, NOT_HERE);
        return;
    }
    switch ((enum portals_kind)header->kind) {
    case PORTALS_PUT:
    case PORTALS_GET:
        parse_matched(context, ni, header, arriving);
        return;
    case PORTALS_REPLY:
        parse_reply(context, ni, header, arriving);
        return;
    case PORTALS_ACK:
        parse_ack(context, ni, header, arriving);
        return;
    }
}

// ---- Completion ----

// The last byte is in its place.
static void arrived(const struct cpu_context *context, const struct portals_ni *ni,
                    struct message_ref message)
{
    struct sim *sim = ni->process->sim;
    trace_flow(sim->trace, cpu_lane(context->cpu), message, TRACE_FLOW_END, context->now);
    ledger_complete(sim->ledger, message);
}

static void acknowledge(struct cpu_context *context, struct portals_ni *ni,
                        const struct portals_header *put, int64_t mlength, int64_t offset)
{
    struct portals_header header = *put;
    header.kind = PORTALS_ACK;
    header.ack = false;
    header.from = ni->id;
    header.to = put->from;
    header.length = mlength;
    header.offset = offset;
    header.apart = false;
    header.message = MESSAGE_NONE;
    struct portals_message *message = message_new(ni, PORTALS_ACKS, NULL, &header, 0, 0);
    if (ni->nal->send(context, ni, &message->transfer) != PORTALS_OK)
        message_free(ni, message);
}

void portals_finalize(struct cpu_context *context, struct portals_ni *ni,
                      struct portals_transfer *transfer, enum portals_status status)
{
    struct portals_message *message = (struct portals_message *)transfer, over = *message;
    if (message->role == PORTALS_ACKS) {
        message_free(ni, message);
        return;
    }
    const struct portals_header *header = &over.transfer.header;
    bool good = status == PORTALS_OK;
    portals_enter_library(context, ni, ni->config->finalize, header->message);
    bool takes = over.role == PORTALS_TAKES;
    if (good && (takes || over.role == PORTALS_IS_REPLY))
        arrived(context, ni, header->message);
    message_event(context, ni, &over, good ? EVENT_END : EVENT_FAIL);
    message_free(ni, message);
    if (good && takes && header->ack && !(over.md->options & PORTALS_ACK_DISABLE))
        acknowledge(context, ni, header, over.mlength, over.offset);
    if (!good && over.role == PORTALS_SENDS && (header->ack || header->kind == PORTALS_GET))
        over.md->pending--; // neither ACK nor REPLY will come
    release(context, ni, over.md, header);
}

// ---- Reports ----

void portals_transfer_waits(struct portals_transfer *transfer, const struct wait *wait)
{
    struct mpi_request *request = ((struct portals_message *)transfer)->request;
    if (request)
        request->waits_for = wait;
}

json_t *portals_message_json(const struct portals_ni *ni, const struct portals_message *message)
{
    static const char *const does[] = {[PORTALS_SENDS] = "sent",
                                       [PORTALS_TAKES] = "of a put that has come",
                                       [PORTALS_REPLIES] = "of a reply",
                                       [PORTALS_IS_REPLY] = "of a reply that has come",
                                       [PORTALS_ACKS] = "of an ACK"};
    const struct portals_header *header = &message->transfer.header;
    struct portals_id peer = header->from.nid == ni->id.nid ? header->to : header->from;
    json_t *json =
        json_pack("{s:s, s:i, s:i, s:I}", "transfer", does[message->role], "nid", peer.nid, "pid",
                  peer.pid, "bytes", (json_int_t)message->transfer.length);
    char *text = ni->nal->waits_for ? ni->nal->waits_for(ni, &message->transfer) : NULL;
    if (text)
        json_object_set_new(json, "waits_for", json_string(text));
    g_free(text);
    return json;
}
