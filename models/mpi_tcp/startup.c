// SPDX-License-Identifier: GPL-3.0-or-later
// Startup and end of the connections of an MPI process. As LAM's TCP RPI interconnects a job, each
// process goes through its peers in the order of their ranks and finishes with one before the next:
// it tells a higher rank its port over the daemons and accepts it, and waits for the port of a
// lower one and calls it. So a process has one call under way at most, and so has who is called:
// however large the job is, its calls do not meet in a queue of the network.
#include "models/mpi_tcp/mesh.h"

#include <string.h>

#define PORT_BASE 40000 // an ephemeral port; captures show no known protocol on it
#define GREETING_BYTES 4

static uint16_t port_of(int rank)
{
    return (uint16_t)(PORT_BASE + rank);
}

// The port that a lower rank has told is known to the higher one.
static void exchange_event(struct engine *engine, struct event *event)
{
    (void)engine;
    const struct mesh *mesh = container_of(event, struct mesh, exchange);
    struct mesh *peer = mesh->meshes[mesh->startup_peer];
    peer->links[mesh->process->rank].port_known = true;
    cpu_wake(&peer->process->task);
}

static enum mpi_progress broken(const struct mesh *mesh)
{
    sim_fail(mesh->process->sim, SIM_FAILED, "connection_broken",
             json_pack("{s:i}", "rank", mesh->process->rank),
             "rank %d loses a connection while the job starts", mesh->process->rank);
    return MPI_PROGRESS_BLOCKED;
}

static enum mpi_progress listen_step(struct cpu_context *context, struct mesh *mesh)
{
    struct mpi_process *process = mesh->process;
    if (process->rank < process->ranks - 1)
        mesh->listener = tcp_listen(context, mesh->host, port_of(process->rank),
                                    &mesh->config.options, &process->task);
    event_init(&mesh->exchange, exchange_event);
    mesh->startup_peer = 0;
    mesh->startup = MESH_NEXT;
    return MPI_PROGRESS_EVENT;
}

static enum mpi_progress next_step(struct cpu_context *context, struct mesh *mesh)
{
    const struct mpi_process *process = mesh->process;
    if (mesh->startup_peer == process->rank)
        mesh->startup_peer++;
    if (mesh->startup_peer == process->ranks) {
        mesh->startup = MESH_UP;
        return MPI_PROGRESS_EVENT;
    }
    if (mesh->startup_peer < process->rank) {
        mesh->startup = MESH_CONNECT;
        return MPI_PROGRESS_EVENT;
    }
    mesh->startup = MESH_ACCEPT;
    engine_schedule(process->sim->engine, &mesh->exchange, context->now + mesh->config.exchange);
    return MPI_PROGRESS_EVENT;
}

static enum mpi_progress connect_step(struct cpu_context *context, struct mesh *mesh)
{
    int peer = mesh->startup_peer;
    struct mesh_link *link = &mesh->links[peer];
    if (!link->port_known)
        return MPI_PROGRESS_BLOCKED;
    link->socket = tcp_connect(context, mesh->host, mesh->stations[peer], port_of(peer),
                               &mesh->config.options, &mesh->process->task);
    mesh->startup = MESH_GREET;
    return MPI_PROGRESS_EVENT;
}

static enum mpi_progress greet_step(struct cpu_context *context, struct mesh *mesh)
{
    int32_t rank = mesh->process->rank;
    struct mesh_link *link = &mesh->links[mesh->startup_peer];
    if (!inet_wait(context, tcp_socket_inet(link->socket), INET_WRITABLE))
        return MPI_PROGRESS_BLOCKED;
    struct tcp_run greeting = {
        .length = GREETING_BYTES, .content = &rank, .content_length = sizeof rank};
    if (tcp_write(context, link->socket, &greeting, 1) != GREETING_BYTES)
        return broken(mesh);
    mesh->startup_peer++;
    mesh->startup = MESH_NEXT;
    return MPI_PROGRESS_EVENT;
}

static enum mpi_progress accept_step(struct cpu_context *context, struct mesh *mesh)
{
    mesh->unnamed = tcp_accept(context, mesh->listener);
    if (!mesh->unnamed)
        return MPI_PROGRESS_BLOCKED;
    mesh->startup = MESH_NAME;
    return MPI_PROGRESS_EVENT;
}

// The greeting is shorter than any segment, and comes in one piece.
static enum mpi_progress name_step(struct cpu_context *context, struct mesh *mesh)
{
    struct tcp_piece piece;
    int count;
    int32_t rank;
    if (!inet_wait(context, tcp_socket_inet(mesh->unnamed), INET_READABLE))
        return MPI_PROGRESS_BLOCKED;
    if (tcp_read(context, mesh->unnamed, GREETING_BYTES, &piece, 1, &count) != GREETING_BYTES)
        return broken(mesh);
    memcpy(&rank, piece.content, sizeof rank);
    g_assert(rank == mesh->startup_peer);
    mesh->links[rank].socket = mesh->unnamed;
    mesh->unnamed = NULL;
    mesh->startup_peer++;
    mesh->startup = MESH_NEXT;
    return MPI_PROGRESS_EVENT;
}

enum mpi_progress mesh_startup_step(struct cpu_context *context, struct mesh *mesh)
{
    switch (mesh->startup) {
    case MESH_LISTEN:
        return listen_step(context, mesh);
    case MESH_NEXT:
        return next_step(context, mesh);
    case MESH_CONNECT:
        return connect_step(context, mesh);
    case MESH_GREET:
        return greet_step(context, mesh);
    case MESH_ACCEPT:
        return accept_step(context, mesh);
    case MESH_NAME:
        return name_step(context, mesh);
    case MESH_UP:
        break;
    }
    mesh->startup_peer = 0;
    return MPI_PROGRESS_NOTHING;
}

// Closes one connection a step. What is queued in the socket still goes out.
enum mpi_progress mesh_finalize_step(struct cpu_context *context, struct mesh *mesh)
{
    while (mesh->startup_peer < mesh->process->ranks) {
        struct mesh_link *link = &mesh->links[mesh->startup_peer++];
        if (!link->socket)
            continue;
        tcp_close(context, link->socket);
        link->socket = NULL;
        return MPI_PROGRESS_EVENT;
    }
    return MPI_PROGRESS_NOTHING;
}
