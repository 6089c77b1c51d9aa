// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpi_tcp/p4.h"

static const struct stage mpich_stage = {"MPICH", STAGE_LIBRARY};

static const struct machine_state p4_request_states[] = {
    [P4_START] = {"start",
                  {"its start", WAIT_OTHER},
                  HELD_HERE,
                  .next = MACHINE_TO(P4_SEND_SHORT, P4_SEND_EAGER, P4_SEND_REQUEST, P4_POSTED,
                                     P4_SEND_OK, P4_WAIT_SELF, P4_DONE)},
    [P4_SEND_SHORT] = {"send_short",
                       {"room in the socket for its packet", WAIT_BUFFER},
                       HELD_BY_PEER,
                       .next = MACHINE_TO(P4_DONE)},
    [P4_SEND_EAGER] = {"send_eager",
                       {"room in the socket for packet and data", WAIT_BUFFER},
                       HELD_BY_PEER,
                       .next = MACHINE_TO(P4_DONE)},
    [P4_SEND_REQUEST] = {"send_request",
                         {"room in the socket for its request to send", WAIT_BUFFER},
                         HELD_BY_PEER,
                         .next = MACHINE_TO(P4_WAIT_OK)},
    [P4_WAIT_OK] = {"wait_ok",
                    {"the receiver's ok to send", WAIT_ACK},
                    HELD_BY_PEER,
                    .next = MACHINE_TO(P4_SEND_DATA)},
    [P4_SEND_DATA] = {"send_data",
                      {"room in the socket for its data", WAIT_BUFFER},
                      HELD_BY_PEER,
                      .next = MACHINE_TO(P4_DONE)},
    [P4_POSTED] = {"posted",
                   {"a matching message", WAIT_OTHER},
                   HELD_BY_PEER,
                   .next = MACHINE_TO(P4_SEND_OK, P4_WAIT_DATA, P4_DONE)},
    [P4_SEND_OK] = {"send_ok",
                    {"room in the socket for its ok to send", WAIT_BUFFER},
                    HELD_BY_PEER,
                    .next = MACHINE_TO(P4_WAIT_DATA)},
    [P4_WAIT_DATA] = {"wait_data",
                      {"the data", WAIT_OTHER},
                      HELD_BY_PEER,
                      .next = MACHINE_TO(P4_DONE)},
    [P4_WAIT_SELF] = {"wait_self",
                      {"a matching receive of its own", WAIT_OTHER},
                      HELD_HERE,
                      .next = MACHINE_TO(P4_DONE)},
    [P4_DONE] = {"done", {"nothing", WAIT_OTHER}, HELD_HERE, 0},
};

const struct machine_kind p4_request_machine = {
    .name = "request",
    .logged = "send, recv, probe",
    .title = "Request of MPICH's ch_p4",
    .source = "MPICH 1.2.5: ch_p4's protocols short, eager and rendezvous",
    .states = p4_request_states,
    .count = G_N_ELEMENTS(p4_request_states),
};

// ---- Sending ----

static struct p4_envelope envelope_of(const struct mpi_request *request, enum p4_kind kind)
{
    return (struct p4_envelope){
        .length = (int32_t)(request->kind == REQUEST_SEND ? request->size : request->status.length),
        .tag = request->kind == REQUEST_SEND ? request->tag : request->status.tag,
        .kind = (uint8_t)kind,
        .context = (uint16_t)request->context,
        .sequence = request->status.sequence,
        .message = request->message,
    };
}

static void send(struct cpu_context *context, struct mpi_request *request, enum p4_kind kind,
                 int64_t data)
{
    struct p4_envelope envelope = envelope_of(request, kind);
    p4_send(context, p4_of(request)->link, request, &envelope, data);
}

static void p4_start_send(struct cpu_context *context, struct mpi_request *request)
{
    struct p4_process *p4 = p4_process_of(request->process);
    const struct p4_config *config = p4->config;
    p4_of(request)->link = &p4->mesh.links[request->peer];
    if (request->synchronous || request->size >= config->eager) {
        mpi_enter(context, request, P4_SEND_REQUEST, NULL);
        send(context, request, P4_REQUEST_TO_SEND, 0);
    } else if (request->size >= config->short_limit) {
        mpi_enter(context, request, P4_SEND_EAGER, NULL);
        send(context, request, P4_LONG, 0);
        send(context, request, P4_DATA, request->size);
    } else {
        mpi_enter(context, request, P4_SEND_SHORT, NULL);
        mpi_copy(context, p4->process, request->size, COPY_WARM, request->message); // into the
                                                                                    // packet
        send(context, request, P4_SHORT, request->size);
    }
}

void p4_written(struct cpu_context *context, struct mpi_request *request, enum p4_kind kind)
{
    switch (kind) {
    case P4_SHORT:
    case P4_DATA:
        mpi_finish(context, request);
        return;
    case P4_LONG: // its data follow
        return;
    case P4_REQUEST_TO_SEND:
        mpi_enter(context, request, P4_WAIT_OK, NULL);
        return;
    case P4_OK_TO_SEND:
        mpi_enter(context, request, P4_WAIT_DATA, NULL);
        return;
    }
}

// ---- Receiving ----

// Data lie in p4's buffer; they are copied to the user's.
static void take_data(struct cpu_context *context, struct mpi_request *request)
{
    mpi_copy(context, request->process, request->status.length, COPY_WARM, request->message);
    mpi_deliver(request);
    mpi_finish(context, request);
}

static void send_ok(struct cpu_context *context, struct mpi_request *request)
{
    mpi_enter(context, request, P4_SEND_OK, NULL);
    send(context, request, P4_OK_TO_SEND, 0);
}

static void p4_claim(struct cpu_context *context, struct mpi_request *request,
                     struct mpi_unexpected *message)
{
    struct p4_process *p4 = p4_process_of(request->process);
    p4_of(request)->link = &p4->mesh.links[message->envelope.source];
    if (message->extra[0] == P4_REQUEST_TO_SEND)
        send_ok(context, request);
    else
        take_data(context, request);
}

const struct mpi_arrival_ops p4_arrival = {
    .send = p4_start_send,
    .posted = P4_POSTED,
    .waits_self = P4_WAIT_SELF,
    .done = P4_DONE,
    .claim = p4_claim,
    .buffers_self = mpi_buffers_plain,
    .machine = "cbuf",
    .self = "unexpected_self",
};

static void p4_receive_expected(struct cpu_context *context, struct p4_process *p4,
                                struct mpi_request *request, const struct p4_message *message)
{
    p4_of(request)->link = message->link;
    switch ((enum p4_kind)message->envelope.kind) {
    case P4_SHORT:
        take_data(context, request);
        return;
    case P4_LONG:
        mpi_enter(context, request, P4_WAIT_DATA, NULL);
        p4->awaited = message->link;
        p4->awaited_request = request;
        return;
    case P4_REQUEST_TO_SEND:
        send_ok(context, request);
        return;
    case P4_OK_TO_SEND:
    case P4_DATA:
        break;
    }
    g_assert_not_reached();
}

static void p4_receive_unexpected(struct cpu_context *context, struct p4_process *p4,
                                  const struct mpi_envelope *match,
                                  const struct p4_message *message)
{
    static const char *const names[] = {
        [P4_SHORT] = "unexpected_short",
        [P4_LONG] = "unexpected_eager",
        [P4_REQUEST_TO_SEND] = "unexpected_request",
    };
    enum p4_kind kind = message->envelope.kind;
    struct mpi_unexpected *kept =
        mpi_keep(context, p4->process, match, message->envelope.message, names[kind]);
    kept->extra[0] = kind;
    if (kind == P4_REQUEST_TO_SEND)
        return;
    kept->buffered = match->length;
    if (kind == P4_SHORT) {
        mpi_copy(context, p4->process, match->length, COPY_WARM, kept->message);
    } else {
        p4->awaited = message->link;
        p4->awaited_unexpected = kept;
    }
}

static void p4_receive_new(struct cpu_context *context, struct p4_process *p4,
                           const struct p4_message *message)
{
    bool good;
    const struct p4_envelope *envelope = &message->envelope;
    struct mpi_envelope match = {
        .source = message->link->rank,
        .tag = envelope->tag,
        .context = envelope->context,
        .length = envelope->length,
        .sequence = envelope->sequence,
    };
    // p4_recv's buffer is copied into a packet, with the data of a short message.
    mpi_copy(context, p4->process, envelope->payload, COPY_WARM, envelope->message);
    struct mpi_request *request =
        mpi_arrived(context, p4->process, &match, envelope->message, &good);
    if (request)
        p4_receive_expected(context, p4, request, message);
    else if (good)
        p4_receive_unexpected(context, p4, &match, message);
}

struct message_ref p4_awaited_message(const struct p4_process *p4)
{
    return p4->awaited_request ? p4->awaited_request->message : p4->awaited_unexpected->message;
}

// The data that were asked for next, of an eager message.
static void receive_awaited(struct cpu_context *context, struct p4_process *p4,
                            struct message_ref message)
{
    struct mpi_request *request = p4->awaited_request;
    struct mpi_unexpected *unexpected = p4->awaited_unexpected;
    g_assert(message_same(message, p4_awaited_message(p4)));
    p4->awaited = NULL;
    p4->awaited_request = NULL;
    p4->awaited_unexpected = NULL;
    if (request) {
        take_data(context, request);
        return;
    }
    mpi_copy(context, p4->process, unexpected->buffered, COPY_WARM, unexpected->message);
}

// Packets name the handles of the requests.
struct mpi_request *p4_request_of(const struct p4_process *p4, const struct p4_envelope *envelope,
                                  enum p4_state state)
{
    for (struct mpi_request *at = p4->process->active; at; at = at->active_next)
        if (at->machine.state == state && message_same(at->message, envelope->message))
            return at;
    g_assert_not_reached();
}

void p4_dispatch(struct cpu_context *context, struct p4_process *p4,
                 const struct p4_message *message)
{
    struct mpi_request *request;
    switch ((enum p4_kind)message->envelope.kind) {
    case P4_SHORT:
    case P4_LONG:
    case P4_REQUEST_TO_SEND:
        p4_receive_new(context, p4, message);
        return;
    case P4_OK_TO_SEND:
        mpi_copy(context, p4->process, message->envelope.payload, COPY_WARM,
                 message->envelope.message);
        request = p4_request_of(p4, &message->envelope, P4_WAIT_OK);
        mpi_enter(context, request, P4_SEND_DATA, NULL);
        send(context, request, P4_DATA, request->size);
        return;
    case P4_DATA:
        if (p4->awaited)
            receive_awaited(context, p4, message->envelope.message);
        else
            take_data(context, p4_request_of(p4, &message->envelope, P4_WAIT_DATA));
        return;
    }
}

// ---- Start ----

void p4_start(struct cpu_context *context, struct mpi_request *request)
{
    struct p4_process *p4 = p4_process_of(request->process);
    bool sends = request->kind == REQUEST_SEND;
    cpu_spend_for(context, sends ? p4->config->send : p4->config->receive, &mpich_stage,
                  request->message);
    mpi_matched_start(context, request);
}
