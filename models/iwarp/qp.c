// SPDX-License-Identifier: GPL-3.0-or-later
// Queue pairs, from creation to their end.
#include "models/iwarp/internal.h"

// The states of the verbs' draft, and CONNECTING of calls that connect. A QP in CLOSING still reads
// what its peer has sent.
static const struct machine_state qp_states[] = {
    [IWARP_QP_IDLE] = {"IDLE", .next = MACHINE_TO(IWARP_QP_CONNECTING, IWARP_QP_RTS)},
    [IWARP_QP_CONNECTING] = {"CONNECTING", .next = MACHINE_TO(IWARP_QP_RTS, IWARP_QP_ERROR)},
    [IWARP_QP_RTS] = {"RTS",
                      .next = MACHINE_TO(IWARP_QP_CLOSING, IWARP_QP_TERMINATE, IWARP_QP_ERROR)},
    [IWARP_QP_CLOSING] = {"CLOSING", .next = MACHINE_TO(IWARP_QP_TERMINATE, IWARP_QP_ERROR)},
    [IWARP_QP_TERMINATE] = {"TERMINATE", .next = MACHINE_TO(IWARP_QP_ERROR)},
    [IWARP_QP_ERROR] = {.name = "ERROR"},
};

const struct machine_kind iwarp_qp_machine = {
    .name = "iwarp qp",
    .title = "Queue pair of iWARP",
    .source = "RFC 5040, 6 and 7; states: draft-hilland-rddp-verbs-00",
    .states = qp_states,
    .count = G_N_ELEMENTS(qp_states),
};

// Polls ask the sockets of the QPs that read.
static void watch_if_it_reads(struct iwarp_qp *qp)
{
    if (!qp->socket)
        return;
    struct inet_socket *inet = qp->transport->inet(qp->socket);
    if (!iwarp_qp_reads(qp))
        inet_watch_leave(inet);
    else if (!inet->watched)
        inet_watch_join(&qp->rnic->watch, inet, (uint32_t)qp->number - 1);
}

static void enter_qp_state(const struct cpu_context *context, struct iwarp_qp *qp,
                           enum iwarp_qp_state state, const char *event)
{
    const struct machine_owner owner = {.where = qp->rnic->user.name, .subject = qp->number};
    cpu_machine_enter(context, &iwarp_qp_machine, &qp->machine, state, owner, event);
    watch_if_it_reads(qp);
}

// ---- Create and destroy ----

struct iwarp_qp *iwarp_qp_create(struct cpu_context *context, struct iwarp_rnic *rnic,
                                 const struct iwarp_qp_attributes *attributes)
{
    const struct iwarp_cq *send = attributes->send_cq, *receive = attributes->receive_cq;
    cpu_spend(context, rnic->config->object, &iwarp_stage);
    if (!send || !receive || send->rnic != rnic || receive->rnic != rnic || send->destroyed ||
        receive->destroyed || !iwarp_domain_known(rnic, attributes->domain))
        return NULL;
    struct iwarp_qp *qp = g_new0(struct iwarp_qp, 1);
    qp->rnic = rnic;
    qp->attributes = *attributes;
    attributes->send_cq->users++;
    attributes->receive_cq->users++;
    g_ptr_array_add(rnic->qps, qp);
    qp->number = (int)rnic->qps->len;
    return qp;
}

enum iwarp_result iwarp_qp_destroy(struct cpu_context *context, struct iwarp_qp *qp)
{
    cpu_spend(context, qp->rnic->config->object, &iwarp_stage);
    if (qp->destroyed)
        return IWARP_INVALID;
    enum iwarp_qp_state state = iwarp_qp_state(qp);
    if (state == IWARP_QP_CONNECTING || state == IWARP_QP_RTS || state == IWARP_QP_TERMINATE)
        return IWARP_STATE;
    if (qp->queued > 0)
        return IWARP_AGAIN;
    iwarp_receives_forget(qp);
    while (qp->reads.head)
        iwarp_work_free(iwarp_works_pop(&qp->reads));
    if (qp->socket) {
        struct inet_socket *inet = qp->transport->inet(qp->socket);
        inet_watch_leave(inet);
        inet_call_as(inet, qp->process);
        qp->transport->close(context, qp->socket);
    }
    qp->socket = NULL;
    qp->destroyed = true;
    qp->attributes.send_cq->users--;
    qp->attributes.receive_cq->users--;
    return IWARP_OK;
}

void *iwarp_qp_owner(const struct iwarp_qp *qp)
{
    return qp->attributes.owner;
}

enum iwarp_qp_state iwarp_qp_state(const struct iwarp_qp *qp)
{
    return (enum iwarp_qp_state)qp->machine.state;
}

const char *iwarp_qp_error(const struct iwarp_qp *qp)
{
    return qp->error;
}

bool iwarp_qp_reads(const struct iwarp_qp *qp)
{
    return qp->socket && !qp->ended &&
           (qp->machine.state == IWARP_QP_RTS || qp->machine.state == IWARP_QP_CLOSING);
}

bool iwarp_qp_ended_by_peer(const struct iwarp_qp *qp)
{
    return qp->ended;
}

// ---- Connections ----

static enum iwarp_result register_socket(struct cpu_context *context, struct iwarp_qp *qp,
                                         const struct iwarp_transport *transport, void *socket)
{
    struct iwarp_rnic *rnic = qp->rnic;
    cpu_spend(context, rnic->config->object, &iwarp_stage);
    if (qp->destroyed ||
        (qp->machine.state != IWARP_QP_IDLE && qp->machine.state != IWARP_QP_CONNECTING))
        return IWARP_STATE;
    if (!socket || (rnic->transport && rnic->transport != transport))
        return IWARP_INVALID;
    if (!transport->established(socket))
        return IWARP_GONE;
    struct inet_host *host = transport->inet(socket)->host;
    rnic->transport = transport;
    rnic->process = qp->process = inet_process_of(host, rnic->user.task);
    rnic->process->by_poll = true;
    qp->thread = inet_process_of(host, &rnic->thread);
    qp->transport = transport;
    qp->socket = socket;
    qp->streams = transport->streams(socket);
    enter_qp_state(context, qp, IWARP_QP_RTS, transport->name);
    return IWARP_OK;
}

enum iwarp_result iwarp_qp_register_sctp(struct cpu_context *context, struct iwarp_qp *qp,
                                         struct sctp_socket *socket)
{
    return register_socket(context, qp, &iwarp_over_sctp, socket);
}

enum iwarp_result iwarp_qp_register_tcp(struct cpu_context *context, struct iwarp_qp *qp,
                                        struct tcp_socket *socket)
{
    return register_socket(context, qp, &iwarp_over_tcp, socket);
}

// How the connection attempt stands.
static enum iwarp_result continue_connecting(struct cpu_context *context, struct iwarp_qp *qp)
{
    const struct iwarp_transport *transport = qp->transport;
    bool up = transport->established(qp->socket);
    if (!up && !transport->failed(qp->socket)) {
        if (!inet_wait(context, transport->inet(qp->socket), INET_WRITABLE))
            return IWARP_AGAIN;
        up = transport->established(qp->socket);
    }
    if (up)
        return register_socket(context, qp, transport, qp->socket);
    iwarp_qp_fail(context, qp, "the connection could not be made");
    return IWARP_GONE;
}

enum iwarp_result iwarp_qp_active_connect(struct cpu_context *context, struct iwarp_qp *qp,
                                          const struct iwarp_address *address)
{
    if (qp->machine.state == IWARP_QP_CONNECTING)
        return continue_connecting(context, qp);
    if (qp->machine.state != IWARP_QP_IDLE || qp->destroyed)
        return IWARP_STATE;
    qp->transport = address->sctp ? &iwarp_over_sctp : &iwarp_over_tcp;
    qp->socket = qp->transport->connect(context, address, qp->rnic->user.task);
    if (!qp->socket)
        return IWARP_GONE;
    qp->process = qp->transport->inet(qp->socket)->process;
    enter_qp_state(context, qp, IWARP_QP_CONNECTING, qp->transport->name);
    return continue_connecting(context, qp);
}

enum iwarp_result iwarp_qp_passive_connect(struct cpu_context *context, struct iwarp_qp *qp,
                                           const struct iwarp_listener *listener)
{
    const struct iwarp_transport *transport = listener->sctp ? &iwarp_over_sctp : &iwarp_over_tcp;
    if (qp->machine.state != IWARP_QP_IDLE || qp->destroyed)
        return IWARP_STATE;
    void *socket = transport->accept(context, listener, qp->rnic->user.task);
    return socket ? register_socket(context, qp, transport, socket) : IWARP_AGAIN;
}

enum iwarp_result iwarp_qp_disconnect(struct cpu_context *context, struct iwarp_qp *qp)
{
    if (qp->machine.state != IWARP_QP_RTS)
        return IWARP_STATE;
    if (qp->queued > 0)
        return IWARP_AGAIN;
    enter_qp_state(context, qp, IWARP_QP_CLOSING, "disconnect");
    inet_call_as(qp->transport->inet(qp->socket), qp->process);
    qp->transport->shutdown(context, qp->socket);
    return IWARP_OK;
}

// ---- Ends ----

// Its reads whose requests were not sent.
static void flush_requests(struct cpu_context *context, struct iwarp_qp *qp)
{
    struct iwarp_works others = {0}, *requests = &qp->rnic->requests;
    while (requests->head) {
        struct iwarp_work *work = iwarp_works_pop(requests);
        if (work->qp == qp)
            iwarp_work_complete(context, work, IWARP_FLUSHED);
        else
            iwarp_works_append(&others, work);
    }
    *requests = others;
}

static void flush_all(struct cpu_context *context, struct iwarp_qp *qp)
{
    while (qp->responses) {
        struct iwarp_work *response = qp->responses;
        qp->responses = response->next;
        iwarp_work_complete(context, response, IWARP_FLUSHED);
    }
    while (qp->reads.head)
        iwarp_work_complete(context, iwarp_works_pop(&qp->reads), IWARP_FLUSHED);
    flush_requests(context, qp);
    iwarp_receives_flush(context, qp);
    iwarp_thread_release(context, qp);
}

void iwarp_qp_fail(struct cpu_context *context, struct iwarp_qp *qp, const char *error)
{
    if (qp->machine.state == IWARP_QP_ERROR)
        return;
    qp->error = error;
    enter_qp_state(context, qp, IWARP_QP_ERROR, error);
    flush_all(context, qp);
}

void iwarp_qp_ended(struct cpu_context *context, struct iwarp_qp *qp)
{
    qp->ended = true;
    watch_if_it_reads(qp);
    if (qp->machine.state == IWARP_QP_RTS) {
        enter_qp_state(context, qp, IWARP_QP_CLOSING, "closed by the peer");
        qp->transport->shutdown(context, qp->socket);
    }
    flush_all(context, qp);
}

void iwarp_qp_terminate(struct cpu_context *context, struct iwarp_qp *qp, enum iwarp_fault fault)
{
    const struct iwarp_work_request request = {.operation = IWARP_TERMINATE};
    struct iwarp_work *work = iwarp_work_new(context, qp, &request);
    qp->error = iwarp_fault_text(fault);
    enter_qp_state(context, qp, IWARP_QP_TERMINATE, qp->error);
    qp->rnic->count.terminates++;
    ++*qp->rnic->count.terminated;
    work->internal = true;
    work->fault = fault;
    iwarp_thread_post(context, work);
    flush_all(context, qp);
}
