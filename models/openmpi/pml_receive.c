// SPDX-License-Identifier: GPL-3.0-or-later
// Receives: matching in the order of the messages, which several rails may change, and how the rest
// of a message is asked for.
#include "models/openmpi/openmpi.h"

static const struct openmpi_config *receive_config_of(const struct mpi_request *request)
{
    return openmpi_of(request->process)->config;
}

static void send_control(struct cpu_context *context, struct btl_endpoint *endpoint,
                         const struct pml_header *header)
{
    btl_send(context, endpoint, header, 0, 0, NULL, true);
}

// ---- PUTs ----

// The rail of the next PUT, and in *bytes its part of the rest. The last of the rails on which the
// buffer counts as registered takes all that is left.
static struct btl_endpoint *next_put(struct mpi_request *request, int64_t rest, int64_t *bytes)
{
    const struct openmpi_config *config = receive_config_of(request);
    struct openmpi_request *r = openmpi_request_of(request);
    struct bml_peer *peer = r->peer;
    struct btl_endpoint *endpoint;
    int left = peer->count;
    if (r->registered > 0) {
        left = r->registered - r->turn;
        endpoint = &peer->endpoints[(r->first + r->turn) % r->registered];
        r->turn = (r->turn + 1) % r->registered;
    } else {
        endpoint = bml_next(peer, &peer->put);
    }
    bool whole = left == 1 || rest < config->eager;
    *bytes = whole ? rest : MAX(1, bml_share(endpoint, rest));
    if (r->registered == 0 && config->max_rdma > 0)
        *bytes = MIN(*bytes, config->max_rdma);
    return endpoint;
}

// mca_pml_ob1_recv_request_schedule
static void schedule_acknowledged(struct cpu_context *context, struct mpi_request *request)
{
    struct openmpi_request *r = openmpi_request_of(request);
    const struct mpi_envelope *status = &request->status;
    while (r->requested < status->length && r->depth < receive_config_of(request)->receive_depth) {
        struct pml_header header = {
            .kind = PML_PUT_REQUEST,
            .flags = r->ack_sent ? 0 : PML_ACKNOWLEDGES,
            .message = request->message,
            .offset = r->requested,
        };
        struct btl_endpoint *endpoint =
            next_put(request, status->length - r->requested, &header.bytes);
        r->ack_sent = true;
        r->requested += header.bytes;
        r->depth++;
        pml_trace(context, request, "put_request", header.bytes, header.offset, endpoint);
        send_control(context, endpoint, &header);
    }
}

// ---- Progress of a receive ----

static void receive_update(struct cpu_context *context, struct mpi_request *request)
{
    struct openmpi_request *r = openmpi_request_of(request);
    if (r->received >= request->status.length) {
        mpi_finish(context, request);
        return;
    }
    schedule_acknowledged(context, request);
    pml_enter(context, request,
              r->fragments < r->rdma_offset ? OPENMPI_WAIT_FRAGMENTS : OPENMPI_WAIT_PUT);
}

// Data go from a buffer of the library to the user's.
static void unpack(struct cpu_context *context, struct mpi_request *request, int64_t offset,
                   int64_t bytes)
{
    struct openmpi_request *r = openmpi_request_of(request);
    mpi_copy(context, request->process, bytes, COPY_WARM, request->message);
    ledger_deliver(request->process->sim->ledger, request->message, offset, bytes);
    r->received += bytes;
    r->fragments += bytes;
}

// mca_pml_ob1_recv_request_ack: from where on the data come by PUTs, and the ACK, unless the first
// request to PUT takes its place.
static void acknowledge(struct cpu_context *context, struct mpi_request *request, int flags,
                        int64_t bytes)
{
    const struct openmpi_config *config = receive_config_of(request);
    struct openmpi_request *r = openmpi_request_of(request);
    struct bml_peer *peer = r->peer;
    int64_t length = request->status.length;
    r->rdma_offset = length;
    if (length > bytes && (flags & PML_REGISTERED)) {
        r->registered = peer->count;
        r->first = peer->registered;
        peer->registered = (peer->registered + 1) % peer->count;
        r->rdma_offset = bytes;
    } else if (length > bytes && config->min_rdma < length) {
        r->rdma_offset = MAX(config->min_rdma, bytes);
    }
    r->requested = r->rdma_offset;
    if (length > bytes && r->rdma_offset == bytes)
        return;
    struct pml_header ack = {
        .kind = PML_ACK, .message = request->message, .offset = r->rdma_offset};
    struct btl_endpoint *endpoint = bml_next(peer, &peer->eager);
    r->ack_sent = true;
    pml_trace(context, request, "ack", length - r->rdma_offset, r->rdma_offset, endpoint);
    send_control(context, endpoint, &ack);
}

// A receive has its message, whose first fragment is in a buffer of the library.
static void message_matched(struct cpu_context *context, struct mpi_request *request,
                            enum pml_kind kind, int flags, int64_t bytes)
{
    struct openmpi_request *r = openmpi_request_of(request);
    r->peer = bml_peer_of(openmpi_of(request->process), request->status.source);
    if (kind == PML_RENDEZVOUS)
        acknowledge(context, request, flags, bytes);
    unpack(context, request, 0, bytes);
    receive_update(context, request);
}

void pml_claim(struct cpu_context *context, struct mpi_request *request,
               struct mpi_unexpected *message)
{
    message_matched(context, request, (enum pml_kind)(message->extra[0] & 0xff),
                    (int)(message->extra[0] >> 8), (int64_t)message->extra[1]);
}

// ---- Matching ----

static int64_t first_bytes(const struct pml_header *header)
{
    return header->kind == PML_MATCH ? header->length : header->bytes;
}

static void copy_first_data(struct cpu_context *context, const struct bml_peer *peer,
                            const struct pml_header *header)
{
    mpi_copy(context, peer->ompi->process, first_bytes(header), COPY_WARM, header->message);
}

// The message is the next of its process in its communicator. copied: the library has copied it out
// of the BTL's buffer already.
static void match_message(struct cpu_context *context, struct bml_peer *peer,
                          const struct pml_header *header, bool copied)
{
    struct mpi_process *process = peer->ompi->process;
    struct mpi_envelope envelope = {
        .source = peer->rank,
        .tag = header->tag,
        .context = header->context,
        .length = header->length,
        .sequence = header->order,
    };
    bool good;
    struct mpi_request *request = mpi_arrived(context, process, &envelope, header->message, &good);
    if (request) {
        message_matched(context, request, (enum pml_kind)header->kind, header->flags,
                        first_bytes(header));
        return;
    }
    if (!good)
        return;
    bool whole = header->kind == PML_MATCH;
    struct mpi_unexpected *kept = mpi_keep(context, process, &envelope, header->message,
                                           whole ? "unexpected_eager" : "unexpected_rts");
    kept->whole = whole;
    kept->buffered = first_bytes(header);
    kept->extra[0] = header->kind | (uint64_t)header->flags << 8;
    kept->extra[1] = (uint64_t)kept->buffered;
    if (!copied)
        copy_first_data(context, peer, header);
}

// Keeps a message until those before it have come.
static void keep_early(struct cpu_context *context, struct bml_peer *peer, struct pml_flow *flow,
                       const struct pml_header *header)
{
    struct pml_early **at = &flow->early, *early = pool_take(&peer->ompi->early);
    while (*at && (int32_t)((*at)->header.sequence - header->sequence) < 0)
        at = &(*at)->next;
    *early = (struct pml_early){.next = *at, .header = *header};
    *at = early;
    (*peer->ompi->out_of_order)++;
    copy_first_data(context, peer, header);
}

// mca_pml_ob1_recv_frag_match
static void match_in_order(struct cpu_context *context, struct bml_peer *peer,
                           const struct pml_header *header)
{
    struct pml_flow *flow = pml_flow_of(peer, header->context);
    if (header->sequence != flow->expected) {
        keep_early(context, peer, flow, header);
        return;
    }
    flow->expected++;
    match_message(context, peer, header, false);
    while (flow->early && flow->early->header.sequence == flow->expected) {
        struct pml_early *early = flow->early;
        flow->early = early->next;
        flow->expected++;
        match_message(context, peer, &early->header, true);
        pool_give(&peer->ompi->early, early);
    }
}

// ---- Fragments ----

static void fragment_arrived(struct cpu_context *context, struct mpi_request *request,
                             const struct pml_header *header)
{
    unpack(context, request, header->offset, header->bytes);
    receive_update(context, request);
}

static void put_complete(struct cpu_context *context, struct mpi_request *request, int64_t bytes)
{
    struct openmpi_request *r = openmpi_request_of(request);
    r->depth--;
    r->received += bytes;
    receive_update(context, request);
}

static struct mpi_request *must_find(const struct bml_peer *peer, enum mpi_request_kind kind,
                                     const struct pml_header *header)
{
    struct mpi_request *request = pml_find(peer->ompi->process, kind, header->message);
    g_assert(request);
    return request;
}

void pml_arrived(struct cpu_context *context, struct btl_endpoint *endpoint,
                 const struct pml_header *header)
{
    struct bml_peer *peer = endpoint->peer;
    switch ((enum pml_kind)header->kind) {
    case PML_MATCH:
    case PML_RENDEZVOUS:
        match_in_order(context, peer, header);
        break;
    case PML_ACK:
        pml_acknowledged(context, must_find(peer, REQUEST_SEND, header), header);
        break;
    case PML_FRAGMENT:
        fragment_arrived(context, must_find(peer, REQUEST_RECV, header), header);
        break;
    case PML_PUT_REQUEST:
        pml_put_requested(context, must_find(peer, REQUEST_SEND, header), endpoint, header);
        break;
    case PML_PUT: // ends with its FIN
        break;
    case PML_FIN:
        put_complete(context, must_find(peer, REQUEST_RECV, header), header->length);
        break;
    }
}
