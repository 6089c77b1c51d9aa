// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpi_tcp/lam_tcp.h"

#include <string.h>

const struct stage lam_stage = {"LAM TCP", STAGE_LIBRARY};

static const struct machine_state lam_request_states[] = {
    [LAM_START] = {"start",
                   {"its start", WAIT_OTHER},
                   HELD_HERE,
                   .next = MACHINE_TO(LAM_SEND_SHORT, LAM_SEND_SYNCH, LAM_SEND_LONG, LAM_POSTED,
                                      LAM_READ_BODY, LAM_SEND_ACK_LONG, LAM_SEND_ACK, LAM_WAIT_SELF,
                                      LAM_DONE)},
    [LAM_SEND_SHORT] = {"send_short",
                        {"room in the socket for envelope and body", WAIT_BUFFER},
                        HELD_BY_PEER,
                        .next = MACHINE_TO(LAM_DONE)},
    [LAM_SEND_SYNCH] = {"send_synch",
                        {"room in the socket for envelope and body", WAIT_BUFFER},
                        HELD_BY_PEER,
                        .next = MACHINE_TO(LAM_WAIT_ACK)},
    [LAM_SEND_LONG] = {"send_long",
                       {"room in the socket for its first envelope", WAIT_BUFFER},
                       HELD_BY_PEER,
                       .next = MACHINE_TO(LAM_WAIT_ACK)},
    [LAM_WAIT_ACK] = {"wait_ack",
                      {"the receiver's ACK", WAIT_ACK},
                      HELD_BY_PEER,
                      .next = MACHINE_TO(LAM_SEND_BODY, LAM_DONE)},
    [LAM_SEND_BODY] = {"send_body",
                       {"room in the socket for the second envelope and the body", WAIT_BUFFER},
                       HELD_BY_PEER,
                       .next = MACHINE_TO(LAM_DONE)},
    [LAM_POSTED] = {"posted",
                    {"a matching message", WAIT_OTHER},
                    HELD_BY_PEER,
                    .next = MACHINE_TO(LAM_READ_BODY, LAM_SEND_ACK_LONG, LAM_SEND_ACK, LAM_DONE)},
    [LAM_READ_BODY] = {"read_body",
                       {"the rest of the body", WAIT_OTHER},
                       HELD_BY_PEER,
                       .next = MACHINE_TO(LAM_SEND_ACK, LAM_DONE)},
    [LAM_SEND_ACK_LONG] = {"send_ack_long",
                           {"room in the socket for its ACK", WAIT_BUFFER},
                           HELD_BY_PEER,
                           .next = MACHINE_TO(LAM_WAIT_SECOND)},
    [LAM_WAIT_SECOND] = {"wait_2nd",
                         {"the second envelope", WAIT_OTHER},
                         HELD_BY_PEER,
                         .next = MACHINE_TO(LAM_READ_BODY)},
    [LAM_SEND_ACK] = {"send_ack",
                      {"room in the socket for its ACK", WAIT_BUFFER},
                      HELD_BY_PEER,
                      .next = MACHINE_TO(LAM_DONE)},
    [LAM_WAIT_SELF] = {"wait_self",
                       {"a matching receive of its own", WAIT_OTHER},
                       HELD_HERE,
                       .next = MACHINE_TO(LAM_DONE)},
    [LAM_DONE] = {"done", {"nothing", WAIT_OTHER}, HELD_HERE, 0},
};

const struct machine_kind lam_request_machine = {
    .name = "request",
    .logged = "send, recv, probe",
    .title = "Request of LAM's TCP RPI",
    .source = "LAM/MPI 7: the TCP RPI's protocols short and long",
    .states = lam_request_states,
    .count = G_N_ELEMENTS(lam_request_states),
};

// ---- Writing ----

static void queue_envelope(struct cpu_context *context, struct mpi_request *request, int flags,
                           int64_t length, int64_t body)
{
    const struct lam_tcp_config *config = lam_process_of(request->process)->config;
    const struct mpi_envelope *status = &request->status;
    struct mesh_item *item = mesh_item_new(lam_of(request)->link, request, 0);
    struct lam_envelope envelope = {
        .ce_len = (int32_t)length,
        .ce_tag = request->kind == REQUEST_SEND ? request->tag : status->tag,
        .ce_flags = (uint16_t)flags,
        .ce_cid = (uint16_t)request->context,
        .ce_seq = status->sequence,
        .message = request->message,
    };
    cpu_spend_for(context, config->send, &lam_stage, request->message);
    mesh_item_header(item, config->envelope, &envelope, sizeof envelope);
    mesh_item_data(item, body, request->message, 0);
    // LAM writes for the first of its requests that has something to write.
    mesh_queue(item, request->number);
}

void lam_written(struct cpu_context *context, struct mesh_item *item)
{
    struct mpi_request *request = item->request;
    mesh_item_free(item);
    switch ((enum lam_state)request->machine.state) {
    case LAM_SEND_SHORT:
    case LAM_SEND_BODY:
    case LAM_SEND_ACK:
        mpi_finish(context, request);
        return;
    case LAM_SEND_SYNCH:
    case LAM_SEND_LONG:
        mpi_enter(context, request, LAM_WAIT_ACK, NULL);
        return;
    case LAM_SEND_ACK_LONG:
        mpi_enter(context, request, LAM_WAIT_SECOND, NULL);
        return;
    case LAM_START:
    case LAM_WAIT_ACK:
    case LAM_POSTED:
    case LAM_READ_BODY:
    case LAM_WAIT_SECOND:
    case LAM_WAIT_SELF:
    case LAM_DONE:
        break;
    }
    g_assert_not_reached();
}

// ---- Receiving ----

// A receive's data is in place.
static void receive_complete(struct cpu_context *context, struct mpi_request *request)
{
    mpi_deliver(request);
    if (!lam_of(request)->acknowledge) {
        mpi_finish(context, request);
        return;
    }
    mpi_enter(context, request, LAM_SEND_ACK, NULL);
    queue_envelope(context, request, LAM_C2CACK, 0, 0);
}

static void acknowledge_long(struct cpu_context *context, struct mpi_request *request)
{
    lam_of(request)->is_long = true;
    mpi_enter(context, request, LAM_SEND_ACK_LONG, NULL);
    queue_envelope(context, request, LAM_C2CACK | LAM_C2CLONG, request->status.length, 0);
}

static void read_body(struct cpu_context *context, struct mpi_request *request)
{
    struct mesh_link *link = lam_of(request)->link;
    mesh_reader(link)->request = request;
    mpi_enter(context, request, LAM_READ_BODY, NULL);
}

// A receive finds its message among the unexpected ones.
static void lam_claim(struct cpu_context *context, struct mpi_request *request,
                      struct mpi_unexpected *message)
{
    struct lam_process *lam = lam_process_of(request->process);
    struct lam_request *r = lam_of(request);
    struct mesh_link *link = &lam->mesh.links[message->envelope.source];
    int flags = (int)message->extra[0];
    r->link = link;
    r->acknowledge = (flags & LAM_C2CSSEND) != 0;
    if (flags & LAM_C2CLONG) {
        acknowledge_long(context, request);
        return;
    }
    // Copies the part read so far; the rest is then read into the user's buffer.
    mpi_copy(context, request->process, message->whole ? message->buffered : mesh_reader(link)->got,
             COPY_WARM, request->message);
    if (message->whole) {
        receive_complete(context, request);
        return;
    }
    mesh_reader(link)->unexpected = NULL;
    read_body(context, request);
}

static void lam_receive_expected(struct cpu_context *context, struct mesh_link *link,
                                 struct mpi_request *request, int flags)
{
    struct lam_request *r = lam_of(request);
    r->link = link;
    r->acknowledge = (flags & LAM_C2CSSEND) != 0;
    if (flags & LAM_C2CLONG) {
        acknowledge_long(context, request);
    } else if (request->status.length == 0) {
        receive_complete(context, request);
    } else {
        read_body(context, request);
        mesh_expect(link, request->status.length);
    }
}

static void lam_receive_unexpected(struct cpu_context *context, struct lam_process *lam,
                                   struct mesh_link *link, const struct mpi_envelope *match,
                                   const struct lam_envelope *envelope)
{
    bool is_long = envelope->ce_flags & LAM_C2CLONG;
    struct mpi_unexpected *kept = mpi_keep(context, lam->process, match, envelope->message,
                                           is_long ? "unexpected_long" : "unexpected_short");
    kept->extra[0] = envelope->ce_flags;
    kept->whole = is_long || match->length == 0;
    if (kept->whole)
        return;
    kept->buffered = match->length;
    mesh_reader(link)->unexpected = kept;
    mesh_expect(link, match->length);
}

static void lam_receive_new(struct cpu_context *context, struct lam_process *lam,
                            struct mesh_link *link, const struct lam_envelope *envelope)
{
    bool good;
    struct mpi_envelope match = {
        .source = link->rank,
        .tag = envelope->ce_tag,
        .context = envelope->ce_cid,
        .length = envelope->ce_len,
        .sequence = envelope->ce_seq,
    };
    struct mpi_request *request =
        mpi_arrived(context, lam->process, &match, envelope->message, &good);
    if (request)
        lam_receive_expected(context, link, request, envelope->ce_flags);
    else if (good)
        lam_receive_unexpected(context, lam, link, &match, envelope);
}

// ACKs and second envelopes belong to the first active request, in the order of their starts, that
// waits for one.
static struct mpi_request *find_active(struct cpu_context *context, struct lam_process *lam,
                                       enum mpi_request_kind kind, enum lam_state state,
                                       struct message_ref message)
{
    struct mpi_request *found = NULL;
    int scanned = 0;
    for (struct mpi_request *at = lam->process->active; at; at = at->active_next) {
        scanned++;
        if (at->kind != kind || at->machine.state != state || !message_same(at->message, message))
            continue;
        found = at;
        scanned = 1; // those that were started later follow it
    }
    g_assert(found);
    mpi_charge_match(context, lam->process, scanned);
    return found;
}

static void receive_ack(struct cpu_context *context, struct lam_process *lam,
                        const struct lam_envelope *envelope)
{
    struct mpi_request *send =
        find_active(context, lam, REQUEST_SEND, LAM_WAIT_ACK, envelope->message);
    if (!lam_of(send)->is_long) {
        mpi_finish(context, send);
        return;
    }
    mpi_enter(context, send, LAM_SEND_BODY, NULL);
    queue_envelope(context, send, LAM_C2C2ND, send->size, send->size);
}

static void receive_second(struct cpu_context *context, struct lam_process *lam,
                           struct mesh_link *link, const struct lam_envelope *envelope)
{
    struct mpi_request *request =
        find_active(context, lam, REQUEST_RECV, LAM_WAIT_SECOND, envelope->message);
    read_body(context, request);
    mesh_expect(link, envelope->ce_len);
}

void lam_envelope_read(struct cpu_context *context, struct lam_process *lam, struct mesh_link *link)
{
    struct lam_envelope envelope;
    g_assert(link->reader->header_filled == sizeof envelope);
    memcpy(&envelope, link->reader->header, sizeof envelope);
    cpu_spend_for(context, lam->config->receive, &lam_stage, envelope.message);
    mesh_expect_header(link);
    if (envelope.ce_flags & LAM_C2CACK)
        receive_ack(context, lam, &envelope);
    else if (envelope.ce_flags & LAM_C2C2ND)
        receive_second(context, lam, link, &envelope);
    else
        lam_receive_new(context, lam, link, &envelope);
}

void lam_body_read(struct cpu_context *context, struct mesh_link *link)
{
    struct mesh_reader *reader = link->reader;
    struct mpi_request *request = reader->request;
    if (reader->unexpected)
        reader->unexpected->whole = true;
    reader->request = NULL;
    reader->unexpected = NULL;
    mesh_expect_header(link);
    if (request)
        receive_complete(context, request);
}

// ---- Start ----

static void lam_start_send(struct cpu_context *context, struct mpi_request *request)
{
    struct lam_process *lam = lam_process_of(request->process);
    struct lam_request *r = lam_of(request);
    r->link = &lam->mesh.links[request->peer];
    r->is_long = request->size > lam->config->short_limit;
    if (r->is_long) {
        mpi_enter(context, request, LAM_SEND_LONG, NULL);
        queue_envelope(context, request, LAM_C2CLONG, request->size, 0);
    } else {
        mpi_enter(context, request, request->synchronous ? LAM_SEND_SYNCH : LAM_SEND_SHORT, NULL);
        queue_envelope(context, request, request->synchronous ? LAM_C2CSSEND : 0, request->size,
                       request->size);
    }
}

const struct mpi_arrival_ops lam_tcp_arrival = {
    .send = lam_start_send,
    .posted = LAM_POSTED,
    .waits_self = LAM_WAIT_SELF,
    .done = LAM_DONE,
    .claim = lam_claim,
    .buffers_self = mpi_buffers_plain,
    .machine = "cbuf",
    .self = "unexpected_self",
};

void lam_start(struct cpu_context *context, struct mpi_request *request)
{
    struct lam_process *lam = lam_process_of(request->process);
    struct cost cost = request->shortcut ? lam->config->fast : lam->config->start;
    cpu_spend_for(context, cost, &lam_stage, request->message);
    mpi_matched_start(context, request);
}
