// SPDX-License-Identifier: GPL-3.0-or-later
// Startup and end of the connections of an MPI process. As LAM's TCP RPI interconnects a job, each
// process goes through its peers in the order of their ranks and finishes with one before the next:
// it sends its port to a higher rank over the daemons and accepts it, and waits for the port of a
// lower one and connects to it. So a process has at most one connection request under way, and at
// most one arriving: however large the job is, its requests do not meet in a queue of the network.
#include "models/mpi_tcp/mesh.h"

#include <string.h>

#define PORT_BASE 40000 // an ephemeral port; captures show no known protocol on it
#define GREETING_BYTES 4

static uint16_t port_of(int rank)
{
    return (uint16_t)(PORT_BASE + rank);
}

// The port of a lower rank has become known to the higher one.
static void exchange_event(struct engine *engine, struct event *event)
{
    (void)engine;
    const struct mpi_process *process = container_of(event, struct mesh, exchange)->process;
    struct mpi_process *peer = process->peers[process->startup.peer];
    mesh_of(peer)->links[process->rank].port_known = true;
    cpu_wake(&peer->task);
}

static enum mpi_progress broken(const struct mesh *mesh)
{
    mpi_fail(mesh->process, "connection_broken", NULL, " loses a connection while the job starts");
    return PROGRESS_BLOCKED;
}

static enum mpi_progress listen_step(struct cpu_context *context, struct mpi_process *process,
                                     int peer)
{
    struct mesh *mesh = mesh_of(process);
    (void)peer;
    if (process->rank < process->ranks - 1)
        mesh->listener = tcp_listen(context, mesh->host, port_of(process->rank),
                                    &mesh->config.options, &process->task);
    event_init(&mesh->exchange, exchange_event);
    return PROGRESS_NOTHING;
}

static enum mpi_progress next_step(struct cpu_context *context, struct mesh *mesh, int peer)
{
    const struct mpi_process *process = mesh->process;
    mesh->joining = peer < process->rank ? MESH_CONNECT : MESH_ACCEPT;
    if (mesh->joining == MESH_ACCEPT)
        engine_schedule(process->sim->engine, &mesh->exchange,
                        context->now + mesh->config.exchange);
    return PROGRESS_EVENT;
}

static enum mpi_progress connect_step(struct cpu_context *context, struct mesh *mesh, int peer)
{
    struct mesh_link *link = &mesh->links[peer];
    if (!link->port_known)
        return PROGRESS_BLOCKED;
    int station = tcp_peer_station(mesh->host, mesh_of(mesh->process->peers[peer])->host);
    link->socket = tcp_connect(context, mesh->host, station, port_of(peer), &mesh->config.options,
                               &mesh->process->task);
    mesh->joining = MESH_GREET;
    return PROGRESS_EVENT;
}

static enum mpi_progress greet_step(struct cpu_context *context, struct mesh *mesh, int peer)
{
    int32_t rank = mesh->process->rank;
    struct mesh_link *link = &mesh->links[peer];
    if (!inet_wait(context, tcp_socket_inet(link->socket), INET_WRITABLE))
        return PROGRESS_BLOCKED;
    struct tcp_run greeting = {
        .length = GREETING_BYTES, .content = &rank, .content_length = sizeof rank};
    if (tcp_write(context, link->socket, INET_WRITE, &greeting, 1) != GREETING_BYTES)
        return broken(mesh);
    return PROGRESS_NOTHING;
}

static enum mpi_progress accept_step(struct cpu_context *context, struct mesh *mesh)
{
    mesh->unnamed = tcp_accept(context, mesh->listener);
    if (!mesh->unnamed)
        return PROGRESS_BLOCKED;
    mesh->joining = MESH_NAME;
    return PROGRESS_EVENT;
}

// The greeting is shorter than any segment, and arrives in one piece.
static enum mpi_progress name_step(struct cpu_context *context, struct mesh *mesh, int peer)
{
    struct tcp_piece piece;
    int count;
    int32_t rank;
    if (!inet_block(context, tcp_socket_inet(mesh->unnamed), INET_READABLE))
        return PROGRESS_BLOCKED;
    if (tcp_read(context, mesh->unnamed, INET_READ, GREETING_BYTES, &piece, 1, &count) !=
        GREETING_BYTES)
        return broken(mesh);
    memcpy(&rank, piece.content, sizeof rank);
    tcp_read_done(mesh->unnamed);
    g_assert(rank == peer);
    mesh->links[rank].socket = mesh->unnamed;
    mesh->unnamed = NULL;
    return PROGRESS_NOTHING;
}

static enum mpi_progress joining(struct cpu_context *context, struct mesh *mesh, int peer)
{
    switch (mesh->joining) {
    case MESH_NEXT:
        return next_step(context, mesh, peer);
    case MESH_CONNECT:
        return connect_step(context, mesh, peer);
    case MESH_GREET:
        return greet_step(context, mesh, peer);
    case MESH_ACCEPT:
        return accept_step(context, mesh);
    case MESH_NAME:
        return name_step(context, mesh, peer);
    }
    return PROGRESS_NOTHING;
}

static enum mpi_progress join_step(struct cpu_context *context, struct mpi_process *process,
                                   int peer)
{
    struct mesh *mesh = mesh_of(process);
    enum mpi_progress progress = joining(context, mesh, peer);
    if (progress == PROGRESS_NOTHING)
        mesh->joining = MESH_NEXT;
    return progress;
}

// The slice in which the process finds that there is no further peer.
static enum mpi_progress all_step(struct cpu_context *context, struct mpi_process *process,
                                  int peer)
{
    (void)context, (void)process, (void)peer;
    return PROGRESS_NOTHING;
}

const struct mpi_startup_step mesh_startup[] = {
    {.run = listen_step},
    {.per_peer = true, .run = join_step},
    {.run = all_step},
    {0},
};

// Closes one connection per step. Data queued in the socket are still sent.
enum mpi_progress mesh_finalize(struct cpu_context *context, struct mpi_process *process)
{
    struct mesh *mesh = mesh_of(process);
    while (mesh->closing < process->ranks) {
        struct mesh_link *link = &mesh->links[mesh->closing++];
        if (!link->socket)
            continue;
        tcp_close(context, link->socket);
        link->socket = NULL;
        return PROGRESS_EVENT;
    }
    return PROGRESS_NOTHING;
}
