// SPDX-License-Identifier: GPL-3.0-or-later
// Fragments out of a connection. A read asks for what is missing of the header, or of the data, and
// for as much again as the endpoint's cache holds; what follows a fragment is then taken from the
// cache without a call. Data of fragments go to a buffer of the BTL, from which the PML copies
// them, those of a PUT to their last place; but what has come into the cache is copied from there,
// unless all data of a fragment are in it, which is then used where it lies.
#include "models/openmpi/openmpi.h"

#include <string.h>

static int64_t data_of(const struct pml_header *header)
{
    switch ((enum pml_kind)header->kind) {
    case PML_MATCH:
    case PML_PUT:
        return header->length;
    case PML_RENDEZVOUS:
    case PML_FRAGMENT:
        return header->bytes;
    case PML_ACK:
    case PML_PUT_REQUEST:
    case PML_FIN:
        return 0;
    }
    return 0;
}

static void copy_from_cache(struct cpu_context *context, const struct btl_endpoint *endpoint)
{
    const struct btl_reader *reader = &endpoint->reader;
    bool in_place = reader->header.kind != PML_PUT && reader->missing == 0;
    if (!in_place)
        mpi_copy(context, endpoint->peer->ompi->process, reader->cached, COPY_WARM,
                 reader->header.message);
}

static void take_header(struct btl_reader *reader, const struct tcp_piece *piece)
{
    reader->partial = !piece->ends_run;
    if (!piece->ends_run)
        return;
    g_assert(piece->content_length <= sizeof reader->header);
    memcpy(&reader->header, piece->content, piece->content_length);
    reader->in_body = true;
    reader->missing = data_of(&reader->header);
    reader->cached = 0;
}

static void take_data(struct btl_endpoint *endpoint, const struct tcp_piece *piece, bool from_cache)
{
    struct btl_reader *reader = &endpoint->reader;
    reader->missing -= piece->length;
    if (from_cache)
        reader->cached += piece->length;
    if (reader->header.kind == PML_PUT)
        ledger_deliver(endpoint->peer->ompi->process->sim->ledger, piece->message, piece->offset,
                       piece->length);
}

static void complete(struct cpu_context *context, struct btl_endpoint *endpoint, bool from_cache)
{
    struct openmpi_process *ompi = endpoint->peer->ompi;
    struct pml_header header = endpoint->reader.header;
    if (from_cache)
        copy_from_cache(context, endpoint);
    endpoint->reader = (struct btl_reader){0};
    cpu_spend_for(context, ompi->config->receive, &openmpi_stage, header.message);
    ompi->btl_user->arrived(context, endpoint, &header);
}

static struct tcp_piece *pieces_of(struct openmpi_job *job, const struct openmpi_config *config)
{
    if (!job->pieces) { // a header and data each, and what a fragment has begun with
        job->most_pieces = (int)(2 * (config->cache / PML_SHORT_HEADER) + 4);
        job->pieces = g_new0(struct tcp_piece, job->most_pieces);
    }
    return job->pieces;
}

bool btl_read(struct cpu_context *context, struct btl_endpoint *endpoint)
{
    const struct openmpi_process *ompi = endpoint->peer->ompi;
    struct btl_reader *reader = &endpoint->reader;
    struct tcp_piece *pieces = pieces_of(ompi->job, ompi->config);
    int64_t wanted = reader->in_body ? reader->missing : ompi->config->btl_header;
    bool from_cache = !reader->in_body; // whether data come with their header
    int count;
    int64_t bytes = tcp_read(context, endpoint->socket, INET_READV, wanted + ompi->config->cache,
                             pieces, ompi->job->most_pieces, &count);
    if (bytes < 0) {
        btl_lost(context, endpoint);
        return false;
    }
    for (int i = 0; i < count && endpoint->socket; i++) {
        if (reader->in_body)
            take_data(endpoint, &pieces[i], from_cache);
        else
            take_header(reader, &pieces[i]);
        if (!reader->in_body || reader->missing > 0)
            continue;
        complete(context, endpoint, from_cache);
        from_cache = true;
    }
    if (!reader->in_body || !from_cache)
        return false;
    copy_from_cache(context, endpoint);
    return reader->cached == 0;
}
