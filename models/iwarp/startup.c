// SPDX-License-Identifier: GPL-3.0-or-later
// The connections of a job of bare iWARP: each rank listens on a port for each higher rank,
// publishes it, and connects to each lower one, in the order of ranks. At the end all wait for one
// another, so that nothing is under way when the connections are closed.
#include "models/iwarp/native.h"
#include "models/sctp_cmt/sctp/socket.h"
#include "models/tcp/socket.h"

#define PORT_BASE 41000 // an ephemeral port; captures show no known protocol on it
#define MOST_CARDS 8

static uint16_t port_for(int rank)
{
    return (uint16_t)(PORT_BASE + rank);
}

// The higher ranks know the ports.
static void exchange_event(struct engine *engine, struct event *event)
{
    (void)engine;
    const struct mpi_process *process =
        container_of(event, struct native_iwarp_process, exchange)->process;
    for (int rank = process->rank + 1; rank < process->ranks; rank++) {
        native_iwarp_of(process->peers[rank])->links[process->rank].port_known = true;
        cpu_wake(&process->peers[rank]->task);
    }
}

static void placed(struct cpu_context *context, const struct iwarp_qp *qp,
                   enum iwarp_operation operation, struct message_ref message)
{
    (void)operation;
    mpi_message_arrived(context, iwarp_qp_owner(qp), message);
}

// ---- Steps ----

static enum mpi_progress open_step(struct cpu_context *context, struct mpi_process *process,
                                   int peer)
{
    struct native_iwarp_process *native = native_iwarp_of(process);
    const struct iwarp_user user = {
        .sim = process->sim,
        .host = process->host,
        .name = process->name,
        .task = &process->task,
        .thread_core = host_process_core(process->host, 1),
        .placed = placed,
    };
    (void)peer;
    event_init(&native->exchange, exchange_event);
    native->rnic = iwarp_rnic_open(context, native->verbs, &user);
    native->domain = iwarp_pd_allocate(context, native->rnic);
    native->cq = iwarp_cq_create(context, native->rnic);
    return PROGRESS_NOTHING;
}

static enum mpi_progress listen_step(struct cpu_context *context, struct mpi_process *process,
                                     int peer)
{
    struct native_iwarp_process *native = native_iwarp_of(process);
    struct iwarp_listener *listener = &native->links[peer].listener;
    const struct iwarp_qp_attributes attributes = {native->cq, native->cq, native->domain, process};
    native->links[peer].qp = iwarp_qp_create(context, native->rnic, &attributes);
    if (peer < process->rank)
        return PROGRESS_NOTHING;
    if (native->tcp) {
        const struct tcp_options options = {.no_delay = true};
        listener->tcp = tcp_listen(context, native->tcp, port_for(peer), &options, &process->task);
        return PROGRESS_NOTHING;
    }
    listener->sctp = sctp_socket_new(context, native->sctp, SCTP_ONE_TO_ONE, &process->task);
    sctp_socket_settings(listener->sctp)->no_delay = true;
    sctp_bind(context, listener->sctp, port_for(peer), 0);
    sctp_listen(context, listener->sctp);
    return PROGRESS_NOTHING;
}

static enum mpi_progress tell_step(struct cpu_context *context, struct mpi_process *process,
                                   int peer)
{
    struct native_iwarp_process *native = native_iwarp_of(process);
    (void)peer;
    if (process->rank < process->ranks - 1)
        engine_schedule(process->sim->engine, &native->exchange,
                        context->now + native->config->exchange);
    return PROGRESS_NOTHING;
}

static enum iwarp_result connect_to(struct cpu_context *context,
                                    struct native_iwarp_process *native, int peer)
{
    const struct mpi_process *other = native->process->peers[peer];
    int stations[MOST_CARDS];
    int count =
        MIN(inet_stations(native->cluster, other->host->index, stations, MOST_CARDS), MOST_CARDS);
    if (native->tcp)
        stations[0] = tcp_peer_station(native->tcp, native_iwarp_of(other)->tcp);
    const struct iwarp_address address = {native->sctp, native->tcp, stations, count,
                                          port_for(native->process->rank)};
    return iwarp_qp_active_connect(context, native->links[peer].qp, &address);
}

static void stop_listening(struct cpu_context *context, struct iwarp_listener *listener)
{
    if (listener->sctp)
        sctp_close(context, listener->sctp);
    if (listener->tcp)
        tcp_listener_close(context, listener->tcp);
    *listener = (struct iwarp_listener){0};
}

static enum mpi_progress join_step(struct cpu_context *context, struct mpi_process *process,
                                   int peer)
{
    struct native_iwarp_process *native = native_iwarp_of(process);
    struct native_iwarp_link *link = &native->links[peer];
    bool listens = peer > process->rank;
    if (!listens && !link->port_known)
        return PROGRESS_BLOCKED;
    switch (listens ? iwarp_qp_passive_connect(context, link->qp, &link->listener)
                    : connect_to(context, native, peer)) {
    case IWARP_OK:
        if (listens)
            stop_listening(context, &link->listener);
        return PROGRESS_NOTHING;
    case IWARP_AGAIN:
        return PROGRESS_BLOCKED;
    default:
        mpi_fail(process, "connection_broken", NULL, " cannot connect its QP to rank %d", peer);
        return PROGRESS_BLOCKED;
    }
}

static enum mpi_progress all_step(struct cpu_context *context, struct mpi_process *process,
                                  int peer)
{
    (void)context, (void)process, (void)peer;
    return PROGRESS_NOTHING;
}

static const struct machine_state native_iwarp_startup_states[] = {
    [0] = {"open", .next = MACHINE_TO(1)}, [1] = {"listen", .next = MACHINE_TO(2)},
    [2] = {"tell", .next = MACHINE_TO(3)}, [3] = {"join", .next = MACHINE_TO(4)},
    [4] = {"all", .next = MACHINE_TO(5)},  [5] = {.name = "up"},
};

const struct machine_kind native_iwarp_startup_machine = {
    .name = "iwarp start-up",
    .title = "Start-up of a process on bare iWARP",
    .source = "assumed",
    .states = native_iwarp_startup_states,
    .count = G_N_ELEMENTS(native_iwarp_startup_states),
};

const struct mpi_startup_step native_iwarp_startup[] = {
    {.run = open_step}, {.per_peer = true, .run = listen_step},
    {.run = tell_step}, {.per_peer = true, .run = join_step},
    {.run = all_step},  {0},
};

// ---- The end ----

// This rank's program has ended and the thread has nothing left to send. Returns true once that
// holds for all.
static bool all_quiet(struct cpu_context *context, struct mpi_process *process)
{
    struct native_iwarp_process *native = native_iwarp_of(process);
    struct iwarp_rnic_attributes attributes;
    bool all = true;
    iwarp_rnic_query(native->rnic, &attributes);
    if (!native->quiet && attributes.queued == 0) {
        native->quiet = true;
        for (int rank = 0; rank < process->ranks; rank++)
            if (rank != process->rank)
                cpu_post_wake(context, &process->peers[rank]->task);
    }
    for (int rank = 0; rank < process->ranks; rank++)
        all = all && native_iwarp_of(process->peers[rank])->quiet;
    return all;
}

// The first peer that has not closed yet, or -1.
static int open_peer(const struct native_iwarp_process *native)
{
    for (int rank = 0; rank < native->process->ranks; rank++) {
        const struct iwarp_qp *qp = native->links[rank].qp;
        if (qp && !iwarp_qp_ended_by_peer(qp) && !iwarp_qp_error(qp))
            return rank;
    }
    return -1;
}

static enum mpi_progress block(struct cpu_context *context, struct native_iwarp_process *native)
{
    return iwarp_cq_block(context, native->cq) == IWARP_OK ? PROGRESS_EVENT : PROGRESS_BLOCKED;
}

// One QP for each call.
static bool each_qp(struct cpu_context *context, struct native_iwarp_process *native,
                    enum iwarp_result (*act)(struct cpu_context *context, struct iwarp_qp *qp))
{
    while (native->closing < native->process->ranks) {
        struct iwarp_qp *qp = native->links[native->closing++].qp;
        if (!qp)
            continue;
        act(context, qp);
        return true;
    }
    return false;
}

enum mpi_progress native_iwarp_finalize(struct cpu_context *context, struct mpi_process *process)
{
    struct native_iwarp_process *native = native_iwarp_of(process);
    if (!native->cq)
        return PROGRESS_NOTHING;
    if (process->ops->advance(context, process, false) == PROGRESS_EVENT)
        return PROGRESS_EVENT;
    if (!all_quiet(context, process))
        return block(context, native);
    if (!native->disconnected) {
        if (each_qp(context, native, iwarp_qp_disconnect))
            return PROGRESS_EVENT;
        native->disconnected = true;
    }
    if (open_peer(native) >= 0)
        return block(context, native);
    if (!native->destroying) {
        native->closing = 0;
        native->destroying = true;
    }
    if (each_qp(context, native, iwarp_qp_destroy))
        return PROGRESS_EVENT;
    iwarp_cq_destroy(context, native->cq);
    iwarp_rnic_close(context, native->rnic);
    native->cq = NULL;
    return PROGRESS_NOTHING;
}
