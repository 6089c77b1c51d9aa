// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of the library's own: to its system handlers, and the parts of a send.
#include "models/grim/endpoint/endpoint.h"

#include "sim/mpi/group.h"

G_STATIC_ASSERT(GROUPS_MOST <= UINT32_MAX >> GRIM_GROUP_SHIFT);

struct grim_message grim_system_message(const struct grim_endpoint *endpoint, int to,
                                        enum grim_function function, int64_t bytes,
                                        const void *content)
{
    return (struct grim_message){
        .type = GRIM_ACTIVE_MESSAGE,
        .source = (uint16_t)endpoint->process->rank,
        .destination = (uint16_t)to,
        .handler = (uint16_t)function,
        .bytes = (uint32_t)bytes,
        .content = content,
    };
}

struct grim_message grim_submission(const struct grim_endpoint *endpoint)
{
    struct grim_message message =
        grim_system_message(endpoint, (int)endpoint->config->server, GRIM_SUBMIT,
                            grim_handlers_bytes(endpoint->handlers), endpoint->handlers);
    message.argument[0] = (uint32_t)grim_handlers_count(endpoint->handlers);
    return message;
}

void grim_mark_part(const struct mpi_request *send, struct grim_message *message)
{
    message->handler = GRIM_MPI_DATA;
    message->argument[0] = (uint32_t)send->tag;
    message->argument[1] = (uint32_t)send->size;
    message->argument[2] = send->status.sequence;
    message->argument[3] =
        (uint32_t)mpi_context_group(send->context) << GRIM_GROUP_SHIFT |
        (send->number & GRIM_REQUEST_MASK) << GRIM_REQUEST_SHIFT |
        (mpi_context_kind(send->context) == CONTEXT_COLLECTIVE ? GRIM_COLLECTIVE : 0) |
        (send->synchronous ? GRIM_SYNCHRONOUS : 0);
}

struct grim_message grim_taken_message(const struct mpi_request *receive)
{
    struct grim_message message = grim_system_message(
        grim_endpoint_of(receive->process), receive->status.source, GRIM_MPI_TAKEN, 0, NULL);
    message.argument[0] = grim_of(receive)->confirms;
    return message;
}

struct mpi_envelope grim_envelope_of(const struct grim_message *message)
{
    return (struct mpi_envelope){
        .source = message->source,
        .tag = (int)message->argument[0],
        .context = mpi_context_id((int)(message->argument[3] >> GRIM_GROUP_SHIFT),
                                  message->argument[3] & GRIM_COLLECTIVE ? CONTEXT_COLLECTIVE
                                                                         : CONTEXT_POINT_TO_POINT),
        .length = message->argument[1],
        .sequence = message->argument[2],
    };
}
