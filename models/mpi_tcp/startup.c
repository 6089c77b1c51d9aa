// SPDX-License-Identifier: GPL-3.0-or-later
// Startup and end of the connections of an MPI process: a higher rank calls a lower one, as in LAM,
// and says its rank, for several may call at once.
#include "models/mpi_tcp/mesh.h"

#include <string.h>

#define PORT_BASE 40000 // an ephemeral port; captures show no known protocol on it
#define GREETING_BYTES 4

static uint16_t port_of(int rank)
{
    return (uint16_t)(PORT_BASE + rank);
}

static void exchange_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct mesh *mesh = container_of(event, struct mesh, exchange);
    mesh->startup = MESH_CONNECT;
    mesh->startup_peer = 0;
    cpu_wake(&mesh->process->task);
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
    mesh->startup = MESH_EXCHANGE;
    engine_schedule(process->sim->engine, &mesh->exchange, context->now + mesh->config.exchange);
    return MPI_PROGRESS_BLOCKED;
}

static enum mpi_progress connect_step(struct cpu_context *context, struct mesh *mesh)
{
    struct mpi_process *process = mesh->process;
    int peer = mesh->startup_peer;
    if (peer >= process->rank) {
        mesh->startup = MESH_GREET;
        mesh->startup_peer = 0;
        return MPI_PROGRESS_EVENT;
    }
    mesh->links[peer].socket = tcp_connect(context, mesh->host, mesh->stations[peer], port_of(peer),
                                           &mesh->config.options, &process->task);
    mesh->startup_peer++;
    return MPI_PROGRESS_EVENT;
}

static enum mpi_progress greet_step(struct cpu_context *context, struct mesh *mesh)
{
    struct mpi_process *process = mesh->process;
    int32_t rank = process->rank;
    if (mesh->startup_peer >= process->rank) {
        mesh->startup = MESH_ACCEPT;
        return MPI_PROGRESS_EVENT;
    }
    struct mesh_link *link = &mesh->links[mesh->startup_peer];
    if (!tcp_wait(context, link->socket, TCP_WRITABLE))
        return MPI_PROGRESS_BLOCKED;
    struct tcp_run greeting = {
        .length = GREETING_BYTES, .content = &rank, .content_length = sizeof rank};
    if (tcp_write(context, link->socket, &greeting, 1) != GREETING_BYTES)
        return broken(mesh);
    mesh->startup_peer++;
    return MPI_PROGRESS_EVENT;
}

static enum mpi_progress accept_step(struct cpu_context *context, struct mesh *mesh)
{
    struct mpi_process *process = mesh->process;
    if (mesh->accepted == process->ranks - 1 - process->rank) {
        mesh->startup = MESH_UP;
        return MPI_PROGRESS_NOTHING;
    }
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
    if (!tcp_wait(context, mesh->unnamed, TCP_READABLE))
        return MPI_PROGRESS_BLOCKED;
    if (tcp_read(context, mesh->unnamed, GREETING_BYTES, &piece, 1, &count) != GREETING_BYTES)
        return broken(mesh);
    memcpy(&rank, piece.content, sizeof rank);
    mesh->links[rank].socket = mesh->unnamed;
    mesh->unnamed = NULL;
    mesh->accepted++;
    mesh->startup = MESH_ACCEPT;
    return MPI_PROGRESS_EVENT;
}

enum mpi_progress mesh_startup_step(struct cpu_context *context, struct mesh *mesh)
{
    switch (mesh->startup) {
    case MESH_LISTEN:
        return listen_step(context, mesh);
    case MESH_EXCHANGE:
        return MPI_PROGRESS_BLOCKED;
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
