// SPDX-License-Identifier: GPL-3.0-or-later
// Arriving segments: the header of each names the place of its data, which are placed there
// straight out of the socket (thesis 004, 2.3 and 3.3.3). A message's segments are assumed to
// arrive in order, and the last one ends it. Receives and reads complete in the order of their
// posting.
#include "models/iwarp/internal.h"

#include <string.h>

static const char gone[] = "the connection is gone";

// ---- Where a segment belongs ----

static struct iwarp_work *read_of(const struct iwarp_qp *qp, uint32_t stag, int64_t address)
{
    for (struct iwarp_work *work = qp->reads.head; work; work = work->next) {
        const struct iwarp_sge *sink = &work->request.sgl[0];
        if (work->machine.state == IWARP_WORK_POSTED && sink->stag == stag &&
            sink->address + work->done == address)
            return work;
    }
    return NULL;
}

// Looks for the place of a segment whose first bytes have come. Returns false if it has none.
static bool find_place(struct cpu_context *context, struct iwarp_qp *qp)
{
    struct iwarp_incoming *in = &qp->in;
    const struct iwarp_header *header = &in->header;
    enum iwarp_fault fault = IWARP_FAULT_HEADER;
    in->work = NULL;
    if (iwarp_header_decode(&in->header, in->part.head, in->part.head_bytes)) {
        switch (header->opcode) {
        case IWARP_OPCODE_WRITE:
            if (iwarp_region_of(qp->rnic, header->stag, qp->attributes.domain))
                return true;
            fault = IWARP_FAULT_BAD_STAG;
            break;
        case IWARP_OPCODE_READ_RESPONSE:
            in->work = read_of(qp, header->stag, header->address);
            fault = IWARP_FAULT_BAD_STAG;
            break;
        case IWARP_OPCODE_SEND:
            in->work = iwarp_receives_take(qp, header->msn);
            fault = IWARP_FAULT_NO_RECEIVE;
            break;
        case IWARP_OPCODE_READ_REQUEST:
        case IWARP_OPCODE_TERMINATE:
            return true;
        }
    }
    if (!in->work)
        iwarp_qp_terminate(context, qp, fault);
    return in->work != NULL;
}

// ---- Placing ----

// The content before the data of a send is for the receiver.
static void take_content(struct iwarp_incoming *in)
{
    struct iwarp_work *work = in->work;
    int headers = iwarp_header_bytes(&in->header);
    int content = in->part.head_bytes - headers;
    work->content_length = (uint32_t)content;
    memcpy(work->content, in->part.head + headers, (size_t)content);
    work->message = in->part.message;
    work->offset = in->part.offset;
    work->stands_in = in->part.stands_in;
    in->placed += content;
}

static enum iwarp_fault overruns(const struct iwarp_qp *qp)
{
    const struct iwarp_incoming *in = &qp->in;
    const struct iwarp_header *header = &in->header;
    int64_t end = in->placed + in->part.bytes;
    switch (header->opcode) {
    case IWARP_OPCODE_WRITE:
        if (!iwarp_region_holds(iwarp_region_of(qp->rnic, header->stag, qp->attributes.domain),
                                header->address, end))
            return IWARP_FAULT_OUT_OF_BOUNDS;
        break;
    case IWARP_OPCODE_READ_RESPONSE:
        if (in->work->done + in->part.bytes > in->work->length)
            return IWARP_FAULT_OUT_OF_BOUNDS;
        break;
    case IWARP_OPCODE_SEND:
        if (header->offset + end > in->work->length)
            return IWARP_FAULT_TOO_LONG;
        break;
    case IWARP_OPCODE_READ_REQUEST:
    case IWARP_OPCODE_TERMINATE:
        break;
    }
    return IWARP_FAULT_USER; // none
}

// Places what the last read has brought. Returns false if it does not fit.
static bool place(struct cpu_context *context, struct iwarp_qp *qp)
{
    struct iwarp_incoming *in = &qp->in;
    const struct iwarp_part *part = &in->part;
    if (!in->whole) {
        in->whole = true;
        if (!in->header.tagged && !iwarp_header_decode(&in->header, part->head, part->head_bytes)) {
            iwarp_qp_terminate(context, qp, IWARP_FAULT_HEADER);
            return false;
        }
        if (in->header.opcode == IWARP_OPCODE_SEND && in->header.offset == 0)
            take_content(in);
    }
    enum iwarp_fault fault = overruns(qp);
    if (fault != IWARP_FAULT_USER) {
        iwarp_qp_terminate(context, qp, fault);
        return false;
    }
    in->placed += part->bytes;
    if (in->work && in->header.opcode == IWARP_OPCODE_READ_RESPONSE)
        in->work->done += part->bytes;
    bool empty = part->stands_in && part->end && in->header.opcode != IWARP_OPCODE_READ_REQUEST;
    if (part->message.generation != 0 && (part->bytes > 0 || empty))
        ledger_deliver(qp->rnic->user.sim->ledger, part->message,
                       part->bytes > 0 ? part->offset : 0, part->bytes);
    return true;
}

// ---- Messages that have come whole ----

static void report_placed(struct cpu_context *context, const struct iwarp_qp *qp,
                          enum iwarp_operation operation, struct message_ref message)
{
    const struct iwarp_user *user = &qp->rnic->user;
    if (user->placed && message.generation != 0)
        user->placed(context, qp, operation, message);
}

// Completes the reads that have been placed, up to the first that has not.
static void complete_reads(struct cpu_context *context, struct iwarp_works *reads)
{
    while (reads->head && reads->head->machine.state == IWARP_WORK_PLACED) {
        struct iwarp_work *work = iwarp_works_pop(reads);
        report_placed(context, work->qp, IWARP_READ, work->request.message);
        iwarp_work_complete(context, work, IWARP_SUCCESS);
    }
}

// Read requests are answered in the order of their numbers, though streams may change it.
static void answer_in_order(struct cpu_context *context, struct iwarp_qp *qp,
                            struct iwarp_work *response)
{
    struct iwarp_work **at = &qp->responses;
    while (*at && (int32_t)((*at)->msn - response->msn) < 0)
        at = &(*at)->next;
    response->next = *at;
    *at = response;
    while (qp->responses && qp->responses->msn == qp->answered + 1) {
        struct iwarp_work *next = qp->responses;
        qp->responses = next->next;
        qp->answered++;
        iwarp_thread_post(context, next);
    }
}

// The stack answers by itself: the program learns of nothing.
static void answer_read(struct cpu_context *context, struct iwarp_qp *qp)
{
    const struct iwarp_header *header = &qp->in.header;
    const struct iwarp_region *source =
        iwarp_region_of(qp->rnic, header->read.source_stag, qp->attributes.domain);
    struct iwarp_work_request response = {
        .operation = IWARP_READ_RESPONSE,
        .sgl = {{header->read.source_stag, header->read.source, header->read.length}},
        .sge_count = 1,
        .remote_stag = header->read.sink_stag,
        .remote_address = header->read.sink,
        .message = qp->in.part.message,
        .offset = qp->in.part.offset,
        .stands_in = header->read.length == 0,
    };
    if (!source)
        iwarp_qp_terminate(context, qp, IWARP_FAULT_BAD_STAG);
    else if (!iwarp_region_holds(source, header->read.source, header->read.length))
        iwarp_qp_terminate(context, qp, IWARP_FAULT_OUT_OF_BOUNDS);
    else {
        struct iwarp_work *work = iwarp_work_new(context, qp, &response);
        work->internal = true;
        work->msn = header->msn;
        answer_in_order(context, qp, work);
    }
}

static void end_segment(struct cpu_context *context, struct iwarp_qp *qp)
{
    struct iwarp_incoming *in = &qp->in;
    const struct iwarp_header *header = &in->header;
    in->begun = false;
    qp->rnic->count.received++;
    ++*qp->rnic->count.segments_received;
    switch (header->opcode) {
    case IWARP_OPCODE_WRITE:
        if (header->last)
            report_placed(context, qp, IWARP_WRITE, in->part.message);
        break;
    case IWARP_OPCODE_READ_RESPONSE:
        if (!header->last)
            break;
        iwarp_work_enter(context, in->work, IWARP_WORK_PLACED);
        complete_reads(context, &qp->reads);
        break;
    case IWARP_OPCODE_SEND:
        if (!header->last)
            break;
        in->work->done = header->offset + in->placed;
        iwarp_work_enter(context, in->work, IWARP_WORK_PLACED);
        iwarp_receives_complete(context, qp);
        break;
    case IWARP_OPCODE_READ_REQUEST:
        answer_read(context, qp);
        break;
    case IWARP_OPCODE_TERMINATE:
        iwarp_qp_fail(context, qp, iwarp_fault_text(iwarp_fault_of(header->code)));
        qp->transport->shutdown(context, qp->socket);
        break;
    }
}

// ---- Reading ----

// The first bytes of a segment. Returns false if they have not come.
static bool read_first(struct cpu_context *context, struct iwarp_qp *qp)
{
    struct iwarp_incoming *in = &qp->in;
    bool orderly = false;
    in->part = (struct iwarp_part){0};
    switch (qp->transport->first(context, qp, &in->part, &orderly)) {
    case IWARP_OK:
        break;
    case IWARP_AGAIN:
        return false;
    default:
        if (orderly)
            iwarp_qp_ended(context, qp);
        else
            iwarp_qp_fail(context, qp, gone);
        return true;
    }
    in->begun = true;
    in->whole = false;
    in->placed = 0;
    cpu_spend_for(context, qp->rnic->config->segment_cost, &iwarp_stage, in->part.message);
    if (find_place(context, qp) && in->part.end && place(context, qp))
        end_segment(context, qp);
    return true;
}

bool iwarp_receive(struct cpu_context *context, struct iwarp_qp *qp)
{
    struct iwarp_incoming *in = &qp->in;
    struct inet_socket *inet = qp->transport->inet(qp->socket);
    inet_call_as(inet, qp->process);
    inet_mark(inet); // this may read the last of it
    if (!in->begun && !read_first(context, qp))
        return false;
    if (!in->begun || !iwarp_qp_reads(qp)) // it ended with them, or the QP has
        return true;
    switch (qp->transport->rest(context, qp, &in->part)) {
    case IWARP_OK:
        break;
    case IWARP_AGAIN:
        return false;
    default:
        iwarp_qp_fail(context, qp, gone);
        return true;
    }
    if (place(context, qp) && in->part.end)
        end_segment(context, qp);
    return true;
}
