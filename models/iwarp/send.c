// SPDX-License-Identifier: GPL-3.0-or-later
// Work requests become messages of RDMAP, and those become segments (thesis 004, 3.3.3). All
// segments of a message take one stream.
#include "models/iwarp/internal.h"

#include <string.h>

// The messages of operations. Untagged ones go to a queue; IWARP_QUEUES: tagged.
static const struct {
    enum iwarp_opcode opcode;
    enum iwarp_queue queue;
} operation_messages[] = {
    [IWARP_SEND] = {IWARP_OPCODE_SEND, IWARP_QUEUE_SEND},
    [IWARP_WRITE] = {IWARP_OPCODE_WRITE, IWARP_QUEUES},
    [IWARP_READ] = {IWARP_OPCODE_READ_REQUEST, IWARP_QUEUE_READ_REQUEST},
    [IWARP_TERMINATE] = {IWARP_OPCODE_TERMINATE, IWARP_QUEUE_TERMINATE},
    [IWARP_READ_RESPONSE] = {IWARP_OPCODE_READ_RESPONSE, IWARP_QUEUES},
};

// Bytes of data that the next segment carries, `header` bytes of headers apart. A read's request
// and a terminate message carry none.
static int64_t data_of(const struct iwarp_work *work, int header)
{
    const struct iwarp_qp *qp = work->qp;
    enum iwarp_operation operation = work->request.operation;
    if (operation == IWARP_READ || operation == IWARP_TERMINATE)
        return 0;
    int64_t most = MIN(qp->rnic->config->segment, qp->transport->most - header);
    return MIN(most, work->length - work->done);
}

static void header_of(const struct iwarp_work *work, struct iwarp_header *header)
{
    const struct iwarp_work_request *request = &work->request;
    enum iwarp_queue queue = operation_messages[request->operation].queue;
    *header = (struct iwarp_header){
        .tagged = queue == IWARP_QUEUES,
        .opcode = operation_messages[request->operation].opcode,
        .stag = request->remote_stag,
        .address = request->remote_address + work->done,
        .queue = (uint32_t)queue,
        .msn = work->msn,
        .offset = (uint32_t)work->done,
        .code = iwarp_fault_code(work->fault),
    };
    if (request->operation == IWARP_READ) {
        header->read.sink_stag = request->sgl[0].stag;
        header->read.sink = request->sgl[0].address;
        header->read.length = (uint32_t)work->length;
        header->read.source_stag = request->remote_stag;
        header->read.source = request->remote_address;
    }
}

int iwarp_qp_stream(const struct iwarp_qp *qp, uint32_t number)
{
    bool by_number = qp->rnic->config->stream_map == IWARP_STREAM_STAG;
    return by_number ? (int)(number % (uint32_t)qp->streams) : 0;
}

// Makes the next segment, and returns how many bytes of data it has.
static int64_t build(struct iwarp_work *work, struct iwarp_segment *segment)
{
    const struct iwarp_work_request *request = &work->request;
    struct iwarp_header header;
    header_of(work, &header);
    int64_t data = data_of(work, iwarp_header_bytes(&header));
    int64_t content = work->done == 0 ? MIN(data, request->content_length) : 0;
    bool request_only = request->operation == IWARP_READ;
    header.last = request_only || work->done + data == work->length;
    segment->head_bytes = iwarp_header_encode(&header, segment->head);
    memcpy(segment->head + segment->head_bytes, work->content, (size_t)content);
    segment->head_bytes += (int)content;
    segment->bytes = data - content;
    segment->message = request->message;
    segment->offset = request->offset + work->done + content - request->content_length;
    segment->stands_in = request->stands_in || request_only;
    segment->stream = (uint16_t)iwarp_qp_stream(work->qp, header.tagged ? header.stag : header.msn);
    return data;
}

enum iwarp_result iwarp_send_next(struct cpu_context *context, struct iwarp_work *work)
{
    struct iwarp_qp *qp = work->qp;
    enum iwarp_queue queue = operation_messages[work->request.operation].queue;
    struct iwarp_segment segment;
    if (qp->writer && qp->writer != work) // half of its segment is written
        return IWARP_AGAIN;
    if (!work->begun && !work->built && queue != IWARP_QUEUES)
        work->msn = ++qp->next_msn[queue];
    int64_t data = build(work, &segment);
    if (!work->built)
        cpu_spend_for(context, qp->rnic->config->segment_cost, &iwarp_stage, work->request.message);
    work->built = true;
    enum iwarp_result result = qp->transport->send(context, qp, &segment);
    qp->writer = qp->link.written > 0 ? work : NULL;
    if (result != IWARP_OK)
        return result;
    work->built = false;
    work->begun = true;
    work->done += data;
    qp->rnic->count.sent++;
    ++*qp->rnic->count.segments_sent;
    return IWARP_OK;
}

bool iwarp_send_finished(const struct iwarp_work *work)
{
    return work->begun && work->done == work->length;
}
