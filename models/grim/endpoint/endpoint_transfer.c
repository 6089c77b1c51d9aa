// SPDX-License-Identifier: GPL-3.0-or-later
// The messages that requests are made of. A transfer of more bytes than a message holds is cut;
// only the last of its messages carries the word of notification.
#include "models/grim/endpoint/endpoint.h"
#include "models/grim/endpoint/operations.h"

#include <string.h>

#define NOTIFY_VALUE 1
#define NAME_EXTRA 5 // a name's end, and an integer

// ---- Places in registered memory ----

static const struct grim_block *block_of(const struct grim_endpoint *endpoint, int64_t address)
{
    return grim_memory_find(
        grim_remote_memory(endpoint->stack->remote, endpoint->process->host->index),
        endpoint->process->rank, address);
}

static const struct grim_transfer *transfer_of(const struct mpi_request *request)
{
    return request->arguments;
}

// Where the peer's part of a transfer begins: the place that is named, or the one that the caller's
// memory has if that is registered, or else the memory that the peer has registered at the start.
static int64_t transfer_peer_address(const struct grim_endpoint *endpoint,
                                     const struct mpi_request *request)
{
    const struct grim_endpoint *peer = grim_endpoint_of(request->process->peers[request->peer]);
    if (transfer_of(request)->peer_buffer != 0)
        return transfer_of(request)->peer_buffer;
    if (block_of(endpoint, request->address))
        return request->address;
    return transfer_of(request)->paged ? peer->paged : peer->contiguous;
}

// Where a read's data go: the caller's memory if that is registered, else as above.
static int64_t local_address(const struct grim_endpoint *endpoint,
                             const struct mpi_request *request)
{
    if (block_of(endpoint, request->address))
        return request->address;
    return transfer_of(request)->paged ? endpoint->paged : endpoint->contiguous;
}

// Returns the physical address of the peer's virtual one, which the program has learned (thesis
// 003, 4.5.3); an address beyond the peer's memory is that of a peripheral device. *most: bytes
// that are contiguous there.
static int64_t physical_address(const struct grim_endpoint *peer, int64_t address, int64_t *most)
{
    const struct grim_block *block = block_of(peer, address);
    if (block)
        return grim_block_physical(block, address, most);
    *most = GRIM_MOST_PAYLOAD;
    return address;
}

// ---- Messages ----

static int64_t failed(struct mpi_request *request, const char *kind, const char *what)
{
    mpi_fail(request->process, kind, json_pack("{s:i}", "peer", request->peer),
             ": %s of %" G_GINT64_FORMAT " B to rank %d: %s", mpi_request_name(request),
             request->size, request->peer, what);
    return -1;
}

static struct grim_message data_message(const struct mpi_request *request, enum grim_type type,
                                        int64_t bytes)
{
    return (struct grim_message){
        .type = type,
        .source = (uint16_t)request->process->rank,
        .destination = (uint16_t)request->peer,
        .bytes = (uint32_t)bytes,
        .message = request->message,
        .offset = grim_of(request)->done,
        .length = (uint32_t)bytes,
    };
}

static int64_t active_message(const struct grim_endpoint *endpoint, struct mpi_request *request,
                              struct grim_message *message)
{
    if (request->size > GRIM_MOST_PAYLOAD)
        return failed(request, "too_long", "an active message holds 64572 B; send several");
    *message = data_message(request, GRIM_ACTIVE_MESSAGE, request->size);
    message->handler = (uint16_t)grim_handlers_id(endpoint->handlers, grim_name_of(request));
    return request->size;
}

static int64_t put_message(const struct grim_endpoint *endpoint, struct mpi_request *request,
                           struct grim_message *message)
{
    const struct grim_endpoint *peer = grim_endpoint_of(request->process->peers[request->peer]);
    const struct grim_transfer *transfer = request->arguments;
    int64_t done = grim_of(request)->done,
            bytes = MIN(endpoint->config->part, request->size - done);
    int64_t address = transfer_peer_address(endpoint, request) + done, word = peer->word,
            most = bytes;
    if (transfer->physical) {
        int64_t all;
        address = physical_address(peer, address, &most);
        word = physical_address(peer, word, &all);
    }
    bytes = MIN(bytes, most);
    if (address < 0 || address + bytes > UINT32_MAX)
        return failed(request, "bad_address", "addresses have 32 bits");
    bool last = done + bytes >= request->size;
    *message =
        data_message(request, transfer->physical ? GRIM_WRITE_PHYSICAL : GRIM_WRITE_VIRTUAL, bytes);
    grim_pack_write(message, &(struct grim_write_arguments){
                                 .address = (uint32_t)address,
                                 .word = transfer->notify && last ? (uint32_t)word : 0,
                                 .value = NOTIFY_VALUE,
                                 .last = last,
                             });
    return bytes;
}

static int64_t get_message(const struct grim_endpoint *endpoint, struct mpi_request *request,
                           struct grim_message *message)
{
    int64_t done = grim_of(request)->done,
            bytes = MIN(endpoint->config->part, request->size - done);
    int64_t address = transfer_peer_address(endpoint, request) + done,
            local = local_address(endpoint, request) + done;
    bool last = done + bytes >= request->size;
    if (address < 0 || MAX(address, local) + bytes > UINT32_MAX)
        return failed(request, "bad_address", "addresses have 32 bits");
    *message = data_message(request, GRIM_READ_VIRTUAL, 0);
    if (transfer_of(request)->notify)
        message->content = request;
    grim_pack_read(message,
                   &(struct grim_read_arguments){
                       .address = (uint32_t)address,
                       .local = (uint32_t)local,
                       .length = (uint32_t)bytes,
                       .word = transfer_of(request)->notify && last ? (uint32_t)endpoint->word : 0,
                       .last = last,
                   });
    return bytes;
}

static int64_t send_message(struct mpi_request *request, const struct grim_endpoint *endpoint,
                            struct grim_message *message)
{
    if (request->size > UINT32_MAX)
        return failed(request, "too_long", "a length has 32 bits");
    int64_t bytes = MIN(endpoint->config->part, request->size - grim_of(request)->done);
    *message = data_message(request, GRIM_ACTIVE_MESSAGE, bytes);
    grim_mark_part(request, message);
    return bytes;
}

static int64_t operation_message(const struct grim_endpoint *endpoint, struct mpi_request *request,
                                 struct grim_message *message)
{
    switch ((enum grim_operation)request->operation->code) {
    case GRIM_OPERATION_PUT:
        return put_message(endpoint, request, message);
    case GRIM_OPERATION_GET:
        return get_message(endpoint, request, message);
    case GRIM_OPERATION_MESSAGE:
        return active_message(endpoint, request, message);
    case GRIM_OPERATION_CALL:
        *message = grim_submission(endpoint);
        return 0;
    case GRIM_OPERATION_POLL:
    case GRIM_OPERATIONS:
        break;
    }
    g_assert_not_reached(); // a poll injects nothing
}

int64_t grim_build_part(struct mpi_request *request, struct grim_message *message)
{
    const struct grim_endpoint *endpoint = grim_endpoint_of(request->process);
    int server = (int)endpoint->config->server;
    if (request->machine.state == GRIM_REQUEST_ASK) {
        const char *name = grim_name_of(request);
        *message = grim_system_message(endpoint, server, GRIM_ASK,
                                       (int64_t)strlen(name) + NAME_EXTRA, name);
        return 0;
    }
    switch (request->kind) {
    case REQUEST_SEND:
        return send_message(request, endpoint, message);
    case REQUEST_RECV:
        *message = grim_taken_message(request);
        return 0;
    case REQUEST_OPERATION:
        return operation_message(endpoint, request, message);
    case REQUEST_PROBE:
        break;
    }
    g_assert_not_reached(); // it injects nothing
}
