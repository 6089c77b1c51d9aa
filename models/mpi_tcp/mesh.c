// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpi_tcp/mesh.h"

#include <string.h>

#define PIECES 16 // of one read

void mesh_init_bare(struct mesh *mesh, struct mpi_process *process, struct tcp_host *host,
                    const struct mesh_config *config)
{
    *mesh = (struct mesh){
        .process = process,
        .host = host,
        .config = *config,
        .selected = g_array_new(FALSE, FALSE, sizeof(struct inet_selected)),
    };
    pool_init(&mesh->items, sizeof(struct mesh_item));
    pool_init(&mesh->readers, sizeof(struct mesh_reader));
}

void mesh_link_init(struct mesh_link *link, struct mesh *mesh, int rank)
{
    *link = (struct mesh_link){.mesh = mesh, .rank = rank};
}

void mesh_link_clear(struct mesh_link *link)
{
    for (struct mesh_item *item = link->head, *next; item; item = next) {
        next = item->next;
        mesh_item_free(item);
    }
    link->head = link->tail = NULL;
    pool_give(&link->mesh->readers, link->reader);
    link->reader = NULL;
}

void mesh_init(struct mesh *mesh, struct mpi_process *process, struct tcp_host *host,
               const struct mesh_config *config)
{
    mesh_init_bare(mesh, process, host, config);
    mesh->links = g_new0(struct mesh_link, process->ranks);
    for (int rank = 0; rank < process->ranks; rank++)
        mesh_link_init(&mesh->links[rank], mesh, rank);
    mesh->wanted = g_new0(uint8_t, process->ranks);
    mesh->ready = g_new0(uint8_t, process->ranks);
}

int64_t mesh_link_footprint(void)
{
    return (int64_t)sizeof(struct mesh_link) + 2 + tcp_socket_footprint(); // wanted, ready
}

void mesh_clear(struct mesh *mesh)
{
    tcp_host_free(mesh->host);
    pool_clear(&mesh->items);
    pool_clear(&mesh->readers);
    g_free(mesh->links);
    g_free(mesh->wanted);
    g_free(mesh->ready);
    g_array_free(mesh->selected, TRUE);
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
    if (link->head && link->tail->order <= order)
        at = &link->tail->next;
    while (*at && ((*at)->begun || (*at)->order <= order))
        at = &(*at)->next;
    item->next = *at;
    *at = item;
    if (!item->next)
        link->tail = item;
}

enum mesh_progress mesh_write(struct cpu_context *context, struct mesh_link *link,
                              struct mesh_item **done)
{
    struct mesh_item *item = link->head;
    enum inet_call call = item->begun       ? link->mesh->config.writes_rest
                          : item->count > 1 ? INET_WRITEV
                                            : INET_WRITE;
    int64_t taken = tcp_write(context, link->socket, call, item->runs, item->count);
    if (taken < 0) {
        link->closed = true;
        return MESH_CLOSED;
    }
    if (taken == 0)
        return MESH_EMPTY;
    item->begun = true;
    item->count = tcp_runs_advance(item->runs, item->count, taken);
    if (item->count > 0)
        return MESH_PART;
    link->head = item->next;
    if (!link->head)
        link->tail = NULL;
    *done = item;
    return MESH_WHOLE;
}

// ---- Reading ----

static void expect(struct mesh_reader *reader, bool header, int64_t bytes)
{
    reader->in_header = header;
    reader->wanted = bytes;
    reader->got = 0;
    reader->data_read = 0;
    reader->message = MESSAGE_NONE;
    if (header)
        reader->header_filled = 0;
}

struct mesh_reader *mesh_reader(struct mesh_link *link)
{
    if (!link->reader) {
        link->reader = pool_take(&link->mesh->readers);
        *link->reader = (struct mesh_reader){0};
        expect(link->reader, true, link->mesh->config.header);
    }
    return link->reader;
}

void mesh_expect(struct mesh_link *link, int64_t bytes)
{
    expect(mesh_reader(link), false, bytes);
}

void mesh_expect_header(struct mesh_link *link)
{
    expect(mesh_reader(link), true, link->mesh->config.header);
}

// A header may have been written, and may be read, in parts: its content is put together again.
static void take_piece(struct mesh_reader *reader, const struct tcp_piece *piece)
{
    if (reader->in_header && piece->ends_run && piece->content_length > 0) {
        g_assert(reader->header_filled + piece->content_length <= sizeof reader->header);
        memcpy(reader->header + reader->header_filled, piece->content, piece->content_length);
        reader->header_filled += piece->content_length;
    }
    reader->got += piece->length;
    if (piece->message.generation == 0)
        return;
    // The stream gives the bytes of one message, in their order.
    g_assert(!reader->in_header && piece->offset == reader->data_read);
    g_assert(reader->data_read == 0 || message_same(reader->message, piece->message));
    reader->message = piece->message;
    reader->data_read += piece->length;
}

enum mesh_progress mesh_read(struct cpu_context *context, struct mesh_link *link)
{
    struct tcp_piece pieces[PIECES];
    struct mesh_reader *reader = mesh_reader(link);
    int count = 0;
    if (reader->got == reader->wanted)
        return MESH_WHOLE;
    enum inet_call call = reader->in_header ? INET_READ : link->mesh->config.reads_body;
    int64_t bytes =
        tcp_read(context, link->socket, call, reader->wanted - reader->got, pieces, PIECES, &count);
    if (bytes < 0) {
        link->closed = true;
        return MESH_CLOSED;
    }
    for (int i = 0; i < count; i++)
        take_piece(reader, &pieces[i]);
    if (bytes == 0)
        return MESH_EMPTY;
    return reader->got == reader->wanted ? MESH_WHOLE : MESH_PART;
}

void mesh_lost(const struct mesh_link *link)
{
    const struct mpi_process *process = link->mesh->process;
    mpi_fail(process, "connection_broken", json_pack("{s:i}", "peer", link->rank),
             " loses its connection to rank %d", link->rank);
}

// ---- Waiting ----

void mesh_want_all(struct mesh *mesh, int readiness)
{
    memset(mesh->wanted, readiness, (size_t)mesh->process->ranks);
}

int mesh_next_set(const struct mesh *mesh, const uint8_t *bytes, int rank)
{
    int ranks = mesh->process->ranks;
    uint64_t eight;
    while (rank + (int)sizeof eight <= ranks) {
        memcpy(&eight, bytes + rank, sizeof eight);
        if (eight != 0)
            break;
        rank += (int)sizeof eight;
    }
    while (rank < ranks && !bytes[rank])
        rank++;
    return rank;
}

// The links that are waited for, in the order of the ranks; their number is selected->len.
static struct inet_selected *select_wanted(struct mesh *mesh)
{
    int ranks = mesh->process->ranks;
    g_array_set_size(mesh->selected, (guint)ranks); // at most
    struct inet_selected *selected = &g_array_index(mesh->selected, struct inet_selected, 0);
    guint count = 0;
    memset(mesh->ready, 0, (size_t)ranks);
    for (int rank = mesh_next_set(mesh, mesh->wanted, 0); rank < ranks;
         rank = mesh_next_set(mesh, mesh->wanted, rank + 1)) {
        const struct mesh_link *link = &mesh->links[rank];
        if (mesh_open(link))
            selected[count++] =
                (struct inet_selected){.socket = tcp_socket_inet(link->socket),
                                       .wanted = (enum inet_readiness)mesh->wanted[rank]};
    }
    mesh->selected->len = count;
    return selected;
}

int mesh_select(struct cpu_context *context, struct mesh *mesh, bool block)
{
    struct inet_selected *selected = select_wanted(mesh);
    int ranks = mesh->process->ranks;
    // All that are waited for have ended: nothing will arrive, and nothing wakes the process.
    if (mesh->selected->len == 0)
        return 0;
    int ready = inet_select(context, selected, (int)mesh->selected->len, block);
    if (ready == 0)
        return 0;
    for (int rank = mesh_next_set(mesh, mesh->wanted, 0); rank < ranks;
         rank = mesh_next_set(mesh, mesh->wanted, rank + 1))
        if (mesh_open(&mesh->links[rank]))
            mesh->ready[rank] = (uint8_t)(selected++)->ready;
    return ready;
}

bool mesh_spin(struct cpu_context *context, struct mesh *mesh, sim_time turn)
{
    const struct inet_selected *selected = select_wanted(mesh);
    return mesh->selected->len > 0 &&
           inet_spin_several(context, selected, (int)mesh->selected->len, turn);
}
