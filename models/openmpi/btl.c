// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/openmpi/openmpi.h"
#include "sim/core/fifo.h"

// The size of the PML's header of each kind, and the part of it that is kept.
static const struct {
    size_t bytes; // offset in struct openmpi_config
    uint32_t kept;
} headers[] = {
    [PML_MATCH] = {offsetof(struct openmpi_config, match_header), PML_SHORT_HEADER},
    [PML_RENDEZVOUS] = {offsetof(struct openmpi_config, rendezvous_header),
                        sizeof(struct pml_header)},
    [PML_ACK] = {offsetof(struct openmpi_config, ack_header), sizeof(struct pml_header)},
    [PML_FRAGMENT] = {offsetof(struct openmpi_config, fragment_header), sizeof(struct pml_header)},
    [PML_PUT_REQUEST] = {offsetof(struct openmpi_config, put_header), sizeof(struct pml_header)},
    [PML_PUT] = {offsetof(struct openmpi_config, segment), PML_PUT_HEADER},
    [PML_FIN] = {offsetof(struct openmpi_config, fin_header), PML_SHORT_HEADER},
};

static struct btl_fragment *fragment_new(struct openmpi_process *ompi,
                                         const struct pml_header *header, int64_t offset,
                                         int64_t bytes, struct mpi_request *request)
{
    struct btl_fragment *fragment = pool_take(&ompi->fragments);
    enum pml_kind kind = (enum pml_kind)header->kind;
    *fragment = (struct btl_fragment){
        .kind = kind, .bytes = bytes, .request = request, .header = *header, .count = 1};
    fragment->runs[0] = (struct tcp_run){
        .length =
            ompi->config->btl_header + G_STRUCT_MEMBER(int64_t, ompi->config, headers[kind].bytes),
        .content = &fragment->header,
        .content_length = headers[kind].kept,
    };
    if (bytes > 0)
        fragment->runs[fragment->count++] =
            (struct tcp_run){.length = bytes, .message = header->message, .offset = offset};
    return fragment;
}

void btl_send(struct cpu_context *context, struct btl_endpoint *endpoint,
              const struct pml_header *header, int64_t offset, int64_t bytes,
              struct mpi_request *request, bool urgent)
{
    struct openmpi_process *ompi = endpoint->peer->ompi;
    struct btl_fragment *fragment = fragment_new(ompi, header, offset, bytes, request);
    cpu_spend_for(context, ompi->config->send, &openmpi_stage, header->message);
    if (endpoint->machine.state != BTL_CONNECTED || endpoint->sending) {
        FIFO_APPEND(endpoint->queue, endpoint->queued, fragment, next);
        if (endpoint->machine.state == BTL_CLOSED)
            btl_connect(context, endpoint);
        return;
    }
    endpoint->sending = fragment;
    if (!urgent)
        return;
    // The second call of a slice has to wait for a slice of its own, or else an interrupt meanwhile
    // would send data that are not yet written.
    if (!ompi->wrote) {
        btl_write(context, endpoint);
        return;
    }
    endpoint->owed = true;
    g_ptr_array_add(ompi->owed, endpoint);
}

bool btl_write(struct cpu_context *context, struct btl_endpoint *endpoint)
{
    struct openmpi_process *ompi = endpoint->peer->ompi;
    struct btl_fragment *fragment = endpoint->sending;
    ompi->wrote = true;
    endpoint->owed = false;
    int64_t taken =
        tcp_write(context, endpoint->socket, INET_WRITEV, fragment->runs, fragment->count);
    if (taken < 0) {
        btl_lost(context, endpoint);
        return false;
    }
    if (taken > 0)
        fragment->count = tcp_runs_advance(fragment->runs, fragment->count, taken);
    if (fragment->count > 0)
        return false;
    endpoint->sending = endpoint->queue;
    if (endpoint->queue)
        endpoint->queue = endpoint->queue->next;
    struct btl_fragment sent = *fragment;
    pool_give(&ompi->fragments, fragment);
    ompi->btl_user->sent(context, endpoint, &sent);
    return endpoint->sending != NULL;
}

int btl_wanted(const struct btl_endpoint *endpoint)
{
    switch ((enum btl_state)endpoint->machine.state) {
    case BTL_CLOSED:
        return 0;
    case BTL_CONNECTING:
        return INET_WRITABLE;
    case BTL_CONNECT_ACK:
        return INET_READABLE;
    case BTL_CONNECTED:
        return INET_READABLE | (endpoint->sending ? INET_WRITABLE : 0);
    }
    return 0;
}
