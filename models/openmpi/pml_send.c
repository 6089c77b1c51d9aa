// SPDX-License-Identifier: GPL-3.0-or-later
// Sends: how a message starts, and what follows its rendezvous.
#include "models/openmpi/openmpi.h"

static const struct openmpi_config *send_config_of(const struct mpi_request *request)
{
    return openmpi_of(request->process)->config;
}

static struct pml_header header_of(const struct mpi_request *request, enum pml_kind kind)
{
    return (struct pml_header){
        .kind = (uint8_t)kind,
        .context = (uint16_t)request->context,
        .tag = request->tag,
        .order = request->status.sequence,
        .message = request->message,
        .length = request->size,
    };
}

// ---- The first fragment ----

// MPI_Send of up to the eager limit, which keeps room for the largest of the PML's headers. An
// empty message has nothing that the user could overwrite: its send is done at once.
static void send_eager(struct cpu_context *context, struct mpi_request *request,
                       struct btl_endpoint *endpoint, struct pml_header *header)
{
    bool empty = request->size == 0;
    header->kind = PML_MATCH;
    pml_enter(context, request, OPENMPI_SEND_EAGER);
    pml_trace(context, request, "eager", request->size, 0, endpoint);
    btl_send(context, endpoint, header, 0, request->size, empty ? NULL : request, true);
    if (empty)
        mpi_finish(context, request);
}

static void send_rendezvous(struct cpu_context *context, struct mpi_request *request,
                            struct btl_endpoint *endpoint, struct pml_header *header, int64_t bytes)
{
    struct openmpi_request *r = openmpi_request_of(request);
    header->kind = PML_RENDEZVOUS;
    header->bytes = bytes;
    r->send_offset = r->rdma_offset = bytes;
    pml_enter(context, request, OPENMPI_SEND_RTS);
    pml_trace(context, request, "rts", bytes, 0, endpoint);
    btl_send(context, endpoint, header, 0, bytes, request, true);
}

void pml_send(struct cpu_context *context, struct mpi_request *request)
{
    struct openmpi_process *ompi = openmpi_of(request->process);
    const struct openmpi_config *config = ompi->config;
    struct openmpi_request *r = openmpi_request_of(request);
    struct pml_header header = header_of(request, PML_MATCH);
    int64_t limit = config->eager - config->largest_header;
    r->peer = bml_peer_of(ompi, request->peer);
    if (!r->peer)
        return;
    struct btl_endpoint *endpoint = bml_next(r->peer, &r->peer->eager);
    header.sequence = pml_flow_of(r->peer, request->context)->sent++;
    if (request->size <= limit && !request->synchronous) {
        send_eager(context, request, endpoint, &header);
    } else if (request->size <= limit) {
        send_rendezvous(context, request, endpoint, &header, request->size);
    } else if (config->rendezvous == OPENMPI_PIPELINE) {
        send_rendezvous(context, request, endpoint, &header, limit);
    } else {
        int first = r->peer->registered;
        r->peer->registered = (first + 1) % r->peer->count;
        header.flags = PML_REGISTERED;
        send_rendezvous(context, request, &r->peer->endpoints[first], &header, 0);
    }
}

// ---- What follows ----

static enum openmpi_state state_of(const struct mpi_request *request)
{
    const struct openmpi_request *r = openmpi_request_of(request);
    if (!r->rts_written)
        return OPENMPI_SEND_RTS;
    if (!r->acknowledged)
        return OPENMPI_WAIT_ACK;
    if (r->puts > 0)
        return OPENMPI_SEND_PUT;
    if (r->depth > 0 || r->send_offset < r->rdma_offset)
        return OPENMPI_SEND_FRAGMENTS;
    return r->written < request->size ? OPENMPI_WAIT_REQUESTS : OPENMPI_DONE;
}

static void send_update(struct cpu_context *context, struct mpi_request *request)
{
    enum openmpi_state state = state_of(request);
    if (state == OPENMPI_DONE)
        mpi_finish(context, request);
    else
        pml_enter(context, request, state);
}

// Bytes of the rest in the next fragment on this rail.
static int64_t fragment_bytes(const struct mpi_request *request,
                              const struct btl_endpoint *endpoint, int64_t rest)
{
    const struct openmpi_config *config = send_config_of(request);
    bool whole = openmpi_request_of(request)->peer->count == 1 || rest < config->min_send;
    int64_t bytes = whole ? rest : MAX(1, bml_share(endpoint, rest));
    return MIN(bytes, config->max_send - config->fragment_header);
}

// mca_pml_ob1_send_request_schedule: fragments up to where PUTs begin. Only a message without PUTs
// keeps to the depth.
static void schedule_fragments(struct cpu_context *context, struct mpi_request *request)
{
    struct openmpi_request *r = openmpi_request_of(request);
    while (r->send_offset < r->rdma_offset &&
           (r->depth < send_config_of(request)->send_depth || r->rdma_offset < request->size)) {
        struct btl_endpoint *endpoint = bml_next(r->peer, &r->peer->send);
        int64_t offset = r->send_offset;
        struct pml_header header = header_of(request, PML_FRAGMENT);
        header.offset = offset;
        header.bytes = fragment_bytes(request, endpoint, r->rdma_offset - offset);
        r->send_offset += header.bytes;
        r->depth++;
        pml_enter(context, request, OPENMPI_SEND_FRAGMENTS);
        pml_trace(context, request, "fragment", header.bytes, offset, endpoint);
        btl_send(context, endpoint, &header, offset, header.bytes, request, false);
    }
}

void pml_acknowledged(struct cpu_context *context, struct mpi_request *request,
                      const struct pml_header *header)
{
    struct openmpi_request *r = openmpi_request_of(request);
    r->acknowledged = true;
    r->rdma_offset = header->offset;
    schedule_fragments(context, request);
    send_update(context, request);
}

void pml_put_requested(struct cpu_context *context, struct mpi_request *request,
                       struct btl_endpoint *endpoint, const struct pml_header *header)
{
    struct openmpi_request *r = openmpi_request_of(request);
    struct pml_header put = header_of(request, PML_PUT);
    if (header->flags & PML_ACKNOWLEDGES)
        r->acknowledged = true;
    put.length = header->bytes;
    put.offset = header->offset;
    r->puts++;
    send_update(context, request);
    pml_trace(context, request, "put", put.length, put.offset, endpoint);
    *openmpi_of(request->process)->put_bytes += put.length;
    btl_send(context, endpoint, &put, put.offset, put.length, request, false);
}

// All data of a PUT are with the socket: the FIN follows them on the same connection.
static void put_written(struct cpu_context *context, struct btl_endpoint *endpoint,
                        struct mpi_request *request, int64_t bytes)
{
    struct pml_header fin = header_of(request, PML_FIN);
    fin.length = bytes;
    btl_send(context, endpoint, &fin, 0, 0, NULL, true);
}

void pml_sent(struct cpu_context *context, struct btl_endpoint *endpoint,
              const struct btl_fragment *fragment)
{
    struct mpi_request *request = fragment->request;
    if (!request)
        return;
    struct openmpi_request *r = openmpi_request_of(request);
    r->written += fragment->bytes;
    switch (fragment->kind) {
    case PML_MATCH:
        mpi_finish(context, request);
        return;
    case PML_RENDEZVOUS:
        r->rts_written = true;
        break;
    case PML_FRAGMENT:
        r->depth--;
        schedule_fragments(context, request);
        break;
    case PML_PUT:
        r->puts--;
        put_written(context, endpoint, request, fragment->bytes);
        break;
    case PML_ACK:
    case PML_PUT_REQUEST:
    case PML_FIN:
        g_assert_not_reached();
    }
    send_update(context, request);
}
