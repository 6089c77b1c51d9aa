// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpi_tcp/mesh.h"

#include <string.h>

#define PIECES 16 // of one read

void mesh_init(struct mesh *mesh, struct mpi_process *process, struct tcp_host *host,
               const struct mesh_config *config)
{
    *mesh = (struct mesh){
        .process = process,
        .host = host,
        .config = *config,
        .links = g_new0(struct mesh_link, process->ranks),
        .sockets = g_new0(struct inet_socket *, process->ranks),
        .wanted = g_new0(enum inet_readiness, process->ranks),
        .ready = g_new0(enum inet_readiness, process->ranks),
        .selected = g_new0(struct mesh_link *, process->ranks),
    };
    pool_init(&mesh->items, sizeof(struct mesh_item));
    for (int rank = 0; rank < process->ranks; rank++) {
        struct mesh_link *link = &mesh->links[rank];
        link->mesh = mesh;
        link->rank = rank;
        mesh_expect_header(link);
    }
}

int64_t mesh_link_footprint(void)
{
    return (int64_t)(sizeof(struct mesh_link) + sizeof(struct inet_socket *) +
                     2 * sizeof(enum inet_readiness) + sizeof(struct mesh_link *)) +
           tcp_socket_footprint();
}

void mesh_clear(struct mesh *mesh)
{
    tcp_host_free(mesh->host);
    pool_clear(&mesh->items);
    g_free(mesh->links);
    g_free(mesh->sockets);
    g_free(mesh->wanted);
    g_free(mesh->ready);
    g_free(mesh->selected);
}

bool mesh_refuses(const struct mpi_request *request, int64_t most)
{
    int rank = request->process->rank;
    if (request->size <= most)
        return false;
    sim_fail(request->process->sim, SIM_FAILED, "too_long", json_pack("{s:i}", "rank", rank),
             "rank %d: a message of %" G_GINT64_FORMAT
             " B is longer than MPI's count of bytes can say",
             rank, request->size);
    return true;
}

// ---- Writing ----

struct mesh_item *mesh_item_new(struct mesh_link *link, struct mpi_request *request, int use)
{
    struct mesh_item *item = pool_take(&link->mesh->items);
    *item = (struct mesh_item){.link = link, .request = request, .use = use};
    return item;
}

void mesh_item_free(struct mesh_item *item)
{
    pool_give(&item->link->mesh->items, item);
}

void mesh_item_header(struct mesh_item *item, int64_t length, const void *content,
                      uint32_t content_length)
{
    g_assert(content_length <= sizeof item->content && content_length <= length);
    memcpy(item->content, content, content_length);
    item->runs[item->count++] = (struct tcp_run){
        .length = length, .content = item->content, .content_length = content_length};
}

void mesh_item_data(struct mesh_item *item, int64_t length, struct message_ref message,
                    int64_t offset)
{
    g_assert(item->count < MESH_RUNS);
    if (length > 0)
        item->runs[item->count++] =
            (struct tcp_run){.length = length, .message = message, .offset = offset};
}

void mesh_item_stand_in(struct mesh_item *item, int64_t length, struct message_ref message)
{
    g_assert(item->count < MESH_RUNS && length > 0);
    item->runs[item->count++] =
        (struct tcp_run){.length = length, .message = message, .stands_in = true};
}

void mesh_queue(struct mesh_item *item, uint32_t order)
{
    struct mesh_link *link = item->link;
    struct mesh_item **at = &link->head;
    item->order = order;
    while (*at && ((*at)->begun || (*at)->order <= order))
        at = &(*at)->next;
    item->next = *at;
    *at = item;
    if (!item->next)
        link->tail = item;
}

// Takes the first `bytes` out of what is to be written.
static void item_advance(struct mesh_item *item, int64_t bytes)
{
    int whole = 0;
    while (whole < item->count && bytes >= item->runs[whole].length)
        bytes -= item->runs[whole++].length;
    item->count -= whole;
    memmove(item->runs, item->runs + whole, (size_t)item->count * sizeof item->runs[0]);
    if (bytes == 0)
        return;
    struct tcp_run *run = &item->runs[0];
    int64_t content = MIN(bytes, (int64_t)run->content_length);
    run->length -= bytes;
    run->offset += bytes;
    run->content_length -= (uint32_t)content;
    run->content = run->content_length > 0 ? (const unsigned char *)run->content + content : NULL;
}

enum mesh_progress mesh_write(struct cpu_context *context, struct mesh_link *link,
                              struct mesh_item **done)
{
    struct mesh_item *item = link->head;
    int64_t taken = tcp_write(context, link->socket, item->runs, item->count);
    if (taken < 0) {
        link->closed = true;
        return MESH_CLOSED;
    }
    if (taken == 0)
        return MESH_EMPTY;
    item->begun = true;
    item_advance(item, taken);
    if (item->count > 0)
        return MESH_PART;
    link->head = item->next;
    if (!link->head)
        link->tail = NULL;
    *done = item;
    return MESH_WHOLE;
}

// ---- Reading ----

static void expect(struct mesh_link *link, bool header, int64_t bytes)
{
    link->in_header = header;
    link->wanted = bytes;
    link->got = 0;
    link->data_read = 0;
    link->message = MESSAGE_NONE;
    if (header)
        link->header_filled = 0;
}

void mesh_expect(struct mesh_link *link, int64_t bytes)
{
    expect(link, false, bytes);
}

void mesh_expect_header(struct mesh_link *link)
{
    expect(link, true, link->mesh->config.header);
}

// A header may have been written, and may be read, in parts: its content is put together again.
static void take_piece(struct mesh_link *link, const struct tcp_piece *piece)
{
    if (link->in_header && piece->ends_run && piece->content_length > 0) {
        g_assert(link->header_filled + piece->content_length <= sizeof link->header);
        memcpy(link->header + link->header_filled, piece->content, piece->content_length);
        link->header_filled += piece->content_length;
    }
    link->got += piece->length;
    if (piece->message.generation == 0)
        return;
    // The stream gives the bytes of one message, in their order.
    g_assert(!link->in_header && piece->offset == link->data_read);
    g_assert(link->data_read == 0 || message_same(link->message, piece->message));
    link->message = piece->message;
    link->data_read += piece->length;
}

enum mesh_progress mesh_read(struct cpu_context *context, struct mesh_link *link)
{
    struct tcp_piece pieces[PIECES];
    int count = 0;
    if (link->got == link->wanted)
        return MESH_WHOLE;
    int64_t bytes =
        tcp_read(context, link->socket, link->wanted - link->got, pieces, PIECES, &count);
    if (bytes < 0) {
        link->closed = true;
        return MESH_CLOSED;
    }
    for (int i = 0; i < count; i++)
        take_piece(link, &pieces[i]);
    if (bytes == 0)
        return MESH_EMPTY;
    return link->got == link->wanted ? MESH_WHOLE : MESH_PART;
}

void mesh_lost(const struct mesh_link *link)
{
    const struct mpi_process *process = link->mesh->process;
    sim_fail(process->sim, SIM_FAILED, "connection_broken",
             json_pack("{s:i, s:i}", "rank", process->rank, "peer", link->rank),
             "rank %d loses its connection to rank %d", process->rank, link->rank);
}

// ---- Waiting ----

int mesh_select(struct cpu_context *context, struct mesh *mesh, bool block)
{
    int count = 0;
    for (int rank = 0; rank < mesh->process->ranks; rank++) {
        struct mesh_link *link = &mesh->links[rank];
        link->ready = 0;
        if (!link->wanted_ready || !mesh_open(link))
            continue;
        mesh->selected[count] = link;
        mesh->sockets[count] = tcp_socket_inet(link->socket);
        mesh->wanted[count] = link->wanted_ready;
        mesh->ready[count++] = 0;
    }
    // All that are waited for have ended: nothing will come, and nobody wakes the process.
    if (count == 0)
        return 0;
    int ready = inet_select(context, mesh->sockets, mesh->wanted, mesh->ready, count, block);
    for (int i = 0; ready > 0 && i < count; i++)
        mesh->selected[i]->ready = mesh->ready[i];
    return ready;
}
