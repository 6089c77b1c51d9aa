// SPDX-License-Identifier: GPL-3.0-or-later
// The progress engine of the TCP RPI. A turn finds the sockets that the active requests are
// interested in. If it is one, in one direction, the socket is read or written at once, and in a
// blocking call the process sleeps in that call (adv1). If there are more, select finds the sockets
// that are ready, which are then read or written without blocking (advmultiple).
#include "models/mpi_tcp/lam_tcp.h"

static int add_interest(const struct mesh_link *link, enum inet_readiness what)
{
    uint8_t *wanted = &link->mesh->wanted[link->rank];
    if ((*wanted & what) || !mesh_open(link))
        return 0;
    *wanted |= (uint8_t)what;
    return 1;
}

static int add_receive(struct lam_process *lam, const struct mpi_request *request)
{
    int count = 0;
    if (request->peer != RANK_ANY)
        return add_interest(&lam->mesh.links[request->peer], INET_READABLE);
    for (int rank = 0; rank < lam->process->ranks; rank++)
        count += add_interest(&lam->mesh.links[rank], INET_READABLE);
    return count;
}

static int add_request(struct lam_process *lam, const struct mpi_request *request)
{
    const struct lam_request *r = lam_of(request);
    switch ((enum lam_state)request->machine.state) {
    case LAM_SEND_SHORT:
    case LAM_SEND_SYNCH:
    case LAM_SEND_LONG:
    case LAM_SEND_BODY:
    case LAM_SEND_ACK_LONG:
    case LAM_SEND_ACK:
        return add_interest(r->link, INET_WRITABLE);
    case LAM_WAIT_ACK:
    case LAM_WAIT_SECOND:
    case LAM_READ_BODY:
        return add_interest(r->link, INET_READABLE);
    case LAM_POSTED:
        return add_receive(lam, request);
    case LAM_START:
    case LAM_WAIT_SELF:
    case LAM_DONE:
        break;
    }
    return 0;
}

// How many reads and writes the active requests are interested in (LAM: nio); *only: the link if
// it is one.
static int gather(struct lam_process *lam, struct mesh_link **only)
{
    int count = 0;
    struct mesh *mesh = &lam->mesh;
    mesh_want_all(mesh, 0);
    for (struct mpi_request *at = lam->process->active; at; at = at->active_next)
        count += add_request(lam, at);
    if (count == 1)
        *only = &mesh->links[mesh_next_set(mesh, mesh->wanted, 0)];
    return count;
}

// setsockblk: an ioctl if the socket is in the other mode.
static void set_blocking(struct cpu_context *context, struct lam_process *lam,
                         struct mesh_link *link, bool blocking)
{
    if (link->blocking == blocking)
        return;
    inet_call(context, lam->process->host, INET_IOCTL);
    link->blocking = blocking;
}

static void serve(struct cpu_context *context, struct lam_process *lam, struct mesh_link *link,
                  bool write, bool blocks)
{
    set_blocking(context, lam, link, blocks);
    lam->serving = link;
    lam->serving_write = write;
    lam->serving_blocks = blocks;
}

// A link that select has found ready; reading goes first.
static bool serve_ready(struct cpu_context *context, struct lam_process *lam)
{
    struct mesh *mesh = &lam->mesh;
    while (lam->ready > 0) {
        lam->next_ready = mesh_next_set(mesh, mesh->ready, lam->next_ready);
        struct mesh_link *link = &mesh->links[lam->next_ready];
        uint8_t *ready = &mesh->ready[lam->next_ready];
        bool write = !(*ready & INET_READABLE);
        *ready &= write ? 0 : INET_WRITABLE;
        lam->ready -= !*ready;
        if (write && !link->head)
            continue;
        serve(context, lam, link, write, false);
        return true;
    }
    return false;
}

// A pass ends with the last of those that select has found ready.
static enum mpi_progress pass_over(const struct lam_process *lam, bool blocking)
{
    return lam->moved || blocking ? PROGRESS_EVENT : PROGRESS_NOTHING;
}

// The read or write under way has come to its end, or would block.
static enum mpi_progress served(struct lam_process *lam, bool would_block, bool blocking)
{
    lam->serving = NULL;
    lam->moved |= !would_block;
    return lam->ready > 0 ? PROGRESS_PART : pass_over(lam, blocking);
}

// One write call (swritev writes until all is written or the socket is full).
static enum mpi_progress serve_write(struct cpu_context *context, struct lam_process *lam,
                                     bool blocking)
{
    struct mesh_item *done = NULL;
    switch (mesh_write(context, lam->serving, &done)) {
    case MESH_PART:
        return PROGRESS_PART;
    case MESH_WHOLE:
        lam_written(context, done);
        return served(lam, false, blocking);
    case MESH_CLOSED:
        mesh_lost(lam->serving);
        break;
    case MESH_EMPTY:
        break;
    }
    return served(lam, true, blocking);
}

// One read call (sread reads until all has come or the socket is empty). The body follows the
// envelope at once.
static enum mpi_progress serve_read(struct cpu_context *context, struct lam_process *lam,
                                    bool blocking)
{
    struct mesh_link *link = lam->serving;
    switch (mesh_read(context, link)) {
    case MESH_PART:
        return PROGRESS_PART;
    case MESH_WHOLE:
        if (link->reader->in_header)
            lam_envelope_read(context, lam, link);
        else
            lam_body_read(context, link);
        return link->reader->in_header ? served(lam, false, blocking) : PROGRESS_PART;
    case MESH_CLOSED:
        if (!mesh_at_start(link))
            mesh_lost(link);
        break;
    case MESH_EMPTY:
        break;
    }
    return served(lam, true, blocking);
}

static enum mpi_progress serve_on(struct cpu_context *context, struct lam_process *lam,
                                  bool blocking)
{
    enum inet_readiness what = lam->serving_write ? INET_WRITABLE : INET_READABLE;
    if (lam->serving_blocks && !inet_block(context, tcp_socket_inet(lam->serving->socket), what))
        return PROGRESS_BLOCKED;
    return lam->serving_write ? serve_write(context, lam, blocking)
                              : serve_read(context, lam, blocking);
}

static enum mpi_progress advance_several(struct cpu_context *context, struct lam_process *lam,
                                         bool blocking)
{
    lam->ready = mesh_select(context, &lam->mesh, blocking);
    lam->next_ready = 0;
    lam->selecting = lam->ready == 0 && blocking;
    if (lam->ready > 0)
        return PROGRESS_PART;
    return blocking ? PROGRESS_BLOCKED : PROGRESS_NOTHING;
}

enum mpi_progress lam_advance(struct cpu_context *context, struct mpi_process *process,
                              bool blocking)
{
    struct lam_process *lam = lam_process_of(process);
    struct mesh_link *link = NULL;
    if (lam->serving)
        return serve_on(context, lam, blocking);
    if (lam->ready > 0)
        return serve_ready(context, lam) ? PROGRESS_PART : pass_over(lam, blocking);
    lam->moved = false;
    int interests = gather(lam, &link);
    if (interests == 0)
        return blocking ? PROGRESS_BLOCKED : PROGRESS_NOTHING;
    // Woken, the process is still inside select: no new turn. A fast call is the only request.
    if (!lam->selecting && !process->active->shortcut)
        cpu_spend(context, lam->config->advance, &lam_stage);
    lam->selecting = false;
    if (interests > 1)
        return advance_several(context, lam, blocking);
    g_assert(link); // the one that is of interest
    serve(context, lam, link, lam->mesh.wanted[link->rank] == INET_WRITABLE, blocking);
    return serve_on(context, lam, blocking);
}
