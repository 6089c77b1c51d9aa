// SPDX-License-Identifier: GPL-3.0-or-later
// The associations of a job: each rank listens, announces its port to the higher ranks, and
// associates with each lower one, in the order of ranks.
#include "models/sctp_cmt/native/native.h"

#define PORT_BASE 40000 // an ephemeral port; captures show no known protocol on it

static uint16_t port_of(int rank)
{
    return (uint16_t)(PORT_BASE + rank);
}

// The higher ranks know the port.
static void exchange_event(struct engine *engine, struct event *event)
{
    (void)engine;
    const struct mpi_process *process =
        container_of(event, struct native_process, exchange)->process;
    for (int rank = process->rank + 1; rank < process->ranks; rank++) {
        native_of(process->peers[rank])->links[process->rank].port_known = true;
        cpu_wake(&process->peers[rank]->task);
    }
}

static enum mpi_progress broken(const struct mpi_process *process)
{
    mpi_fail(process, "connection_broken", NULL, " loses an association while the job starts");
    return PROGRESS_BLOCKED;
}

static uint64_t card_mask(const struct native_sctp_config *config)
{
    uint64_t mask = 0;
    for (int i = 0; i < config->cards.count; i++)
        mask |= (uint64_t)1 << config->cards.values[i];
    return mask;
}

static struct sctp_socket *socket_new(struct cpu_context *context,
                                      const struct native_process *native)
{
    struct sctp_socket *socket =
        sctp_socket_new(context, native->host, SCTP_ONE_TO_ONE, &native->process->task);
    if (native->no_delay)
        sctp_socket_settings(socket)->no_delay = true;
    return socket;
}

static enum mpi_progress listen_step(struct cpu_context *context, struct mpi_process *process,
                                     int peer)
{
    struct native_process *native = native_of(process);
    (void)peer;
    event_init(&native->exchange, exchange_event);
    if (process->rank == process->ranks - 1)
        return PROGRESS_NOTHING;
    native->listener = socket_new(context, native);
    sctp_bind(context, native->listener, port_of(process->rank), card_mask(native->config));
    sctp_listen(context, native->listener);
    engine_schedule(process->sim->engine, &native->exchange,
                    context->now + native->config->exchange);
    return PROGRESS_NOTHING;
}

// The addresses of the peer's cards that take part. Returns their number.
static int addresses_of(const struct native_process *native, const struct mpi_process *peer,
                        int stations[NATIVE_MOST_CARDS])
{
    int all[NATIVE_MOST_CARDS], count = 0;
    int cards = inet_stations(native->cluster, peer->host->index, all, NATIVE_MOST_CARDS);
    uint64_t mask = card_mask(native->config);
    for (int card = 0; card < MIN(cards, NATIVE_MOST_CARDS); card++)
        if (mask == 0 || mask >> card & 1)
            stations[count++] = all[card];
    return count;
}

static enum mpi_progress connect_step(struct cpu_context *context, struct native_process *native,
                                      int peer)
{
    struct native_link *link = &native->links[peer];
    int stations[NATIVE_MOST_CARDS];
    if (!link->port_known)
        return PROGRESS_BLOCKED;
    int count = addresses_of(native, native->process->peers[peer], stations);
    link->socket = socket_new(context, native);
    sctp_bind(context, link->socket, 0, card_mask(native->config));
    int result = sctp_connect(context, link->socket, stations, count, port_of(peer), NULL);
    return result == SCTP_IN_PROGRESS || result == 0 ? PROGRESS_EVENT : broken(native->process);
}

// Accepts associations in the order of their arrival.
static enum mpi_progress accept_step(struct cpu_context *context, struct native_process *native)
{
    struct mpi_process *process = native->process;
    if (!inet_wait(context, sctp_socket_inet(native->listener), INET_READABLE))
        return PROGRESS_BLOCKED;
    struct sctp_socket *socket = sctp_accept(context, native->listener, &process->task);
    struct sctp_status status;
    if (!socket || !sctp_status(socket, 0, &status))
        return broken(process);
    int host = network_station_host(native->cluster->network, status.primary);
    for (int rank = 0; rank < process->ranks; rank++)
        if (process->peers[rank]->host->index == host)
            native->links[rank] =
                (struct native_link){.socket = socket, .streams = status.streams_out};
    return PROGRESS_EVENT;
}

// The association that this process has opened is up.
static enum mpi_progress joined(const struct mpi_process *process, struct native_link *link)
{
    struct sctp_status status;
    if (!sctp_status(link->socket, 0, &status))
        return broken(process);
    link->streams = status.streams_out;
    return PROGRESS_NOTHING;
}

static enum mpi_progress join_step(struct cpu_context *context, struct mpi_process *process,
                                   int peer)
{
    struct native_process *native = native_of(process);
    struct native_link *link = &native->links[peer];
    if (peer > process->rank)
        return link->socket ? PROGRESS_NOTHING : accept_step(context, native);
    if (!link->socket)
        return connect_step(context, native, peer);
    if (sctp_established(link->socket))
        return joined(process, link);
    if (sctp_socket_error(link->socket) != 0)
        return broken(process);
    if (inet_wait(context, sctp_socket_inet(link->socket), INET_WRITABLE))
        return sctp_established(link->socket) ? joined(process, link) : broken(process);
    return PROGRESS_BLOCKED;
}

static enum mpi_progress all_step(struct cpu_context *context, struct mpi_process *process,
                                  int peer)
{
    (void)context, (void)process, (void)peer;
    return PROGRESS_NOTHING;
}

const struct mpi_startup_step native_startup[] = {
    {.run = listen_step},
    {.per_peer = true, .run = join_step},
    {.run = all_step},
    {0},
};

// Closes one association per step. Messages queued in the socket are still sent.
enum mpi_progress native_finalize(struct cpu_context *context, struct mpi_process *process)
{
    struct native_process *native = native_of(process);
    while (native->closing < process->ranks) {
        struct native_link *link = &native->links[native->closing++];
        if (!link->socket)
            continue;
        sctp_close(context, link->socket);
        link->socket = NULL;
        return PROGRESS_EVENT;
    }
    if (native->listener)
        sctp_close(context, native->listener);
    native->listener = NULL;
    return PROGRESS_NOTHING;
}
