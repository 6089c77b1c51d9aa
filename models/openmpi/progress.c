// SPDX-License-Identifier: GPL-3.0-or-later
// opal_progress: a turn asks poll for all descriptors, without waiting, and handles those that are
// ready, reading before writing, until a poll finds none (opal_event_base_loop). While nothing is
// ready, a call that waits goes on asking; it never sleeps in the kernel.
#include "models/openmpi/openmpi.h"

static void watch(struct openmpi_process *ompi, struct inet_socket *socket, int wanted,
                  struct openmpi_watched watched)
{
    struct inet_selected selected = {socket, (enum inet_readiness)wanted, 0};
    g_array_append_val(ompi->selected, selected);
    g_array_append_val(ompi->watched, watched);
}

static void gather_sockets(struct openmpi_process *ompi)
{
    g_array_set_size(ompi->selected, 0);
    g_array_set_size(ompi->watched, 0);
    watch(ompi, tcp_listener_inet(ompi->listener), INET_READABLE, (struct openmpi_watched){0});
    for (guint i = 0; i < ompi->callers->len; i++) {
        struct btl_caller *caller = g_ptr_array_index(ompi->callers, i);
        watch(ompi, tcp_socket_inet(caller->socket), INET_READABLE,
              (struct openmpi_watched){.caller = caller});
    }
    for (guint i = 0; i < ompi->open->len; i++) {
        struct btl_endpoint *endpoint = g_ptr_array_index(ompi->open, i);
        watch(ompi, tcp_socket_inet(endpoint->socket), btl_wanted(endpoint),
              (struct openmpi_watched){.endpoint = endpoint});
    }
    ompi->at = 0;
}

static void serve_endpoint(struct cpu_context *context, struct openmpi_process *ompi,
                           struct btl_endpoint *endpoint, bool writes)
{
    bool more = false;
    switch ((enum btl_state)endpoint->machine.state) {
    case BTL_CLOSED:
        break;
    case BTL_CONNECTING:
        btl_connected(context, endpoint);
        break;
    case BTL_CONNECT_ACK:
        btl_answered(context, endpoint);
        break;
    case BTL_CONNECTED:
        if (!writes)
            more = btl_read(context, endpoint);
        else if (endpoint->sending)
            more = btl_write(context, endpoint);
        break;
    }
    ompi->again = more ? endpoint : NULL;
    ompi->again_writes = writes;
}

// Handles the next of those that the turn's poll has found. Returns false if there is none.
static bool handle_next(struct cpu_context *context, struct openmpi_process *ompi)
{
    for (; ompi->at < ompi->selected->len; ompi->at++) {
        struct inet_selected *selected =
            &g_array_index(ompi->selected, struct inet_selected, ompi->at);
        struct openmpi_watched watched =
            g_array_index(ompi->watched, struct openmpi_watched, ompi->at);
        if (!selected->ready)
            continue;
        bool writes = !(selected->ready & INET_READABLE);
        selected->ready &= (enum inet_readiness)(writes ? 0 : INET_WRITABLE);
        if (watched.endpoint)
            serve_endpoint(context, ompi, watched.endpoint, writes);
        else if (watched.caller)
            btl_called(context, ompi, watched.caller);
        else
            btl_accept(context, ompi);
        return true;
    }
    return false;
}

// Writes what a slice has left to the next.
enum mpi_progress openmpi_go_on(struct cpu_context *context, struct mpi_process *process)
{
    struct openmpi_process *ompi = openmpi_of(process);
    ompi->wrote = false;
    while (ompi->owed->len > 0) {
        struct btl_endpoint *endpoint = g_ptr_array_remove_index(ompi->owed, 0);
        if (!endpoint->owed)
            continue;
        btl_write(context, endpoint);
        return PROGRESS_EVENT;
    }
    return PROGRESS_NOTHING;
}

// A turn reads the clock before its poll, against a time that runs backwards, and after it, for
// timeouts.
static void read_clock(struct cpu_context *context, const struct openmpi_process *ompi)
{
    inet_call(context, ompi->process->host, INET_GETTIMEOFDAY);
    inet_call(context, ompi->process->host, INET_GETTIMEOFDAY);
}

// A turn's poll.
static int poll_all(struct cpu_context *context, struct openmpi_process *ompi, bool blocking)
{
    sim_time began = context->now;
    gather_sockets(ompi);
    cpu_spend(context, ompi->config->progress, &openmpi_stage);
    read_clock(context, ompi);
    struct inet_selected *selected = &g_array_index(ompi->selected, struct inet_selected, 0);
    int count = (int)ompi->selected->len;
    return blocking ? inet_poll(context, selected, count, context->now - began)
                    : inet_select(context, selected, count, false);
}

enum mpi_progress openmpi_advance(struct cpu_context *context, struct mpi_process *process,
                                  bool blocking)
{
    struct openmpi_process *ompi = openmpi_of(process);
    ompi->wrote = false;
    if (ompi->again) {
        serve_endpoint(context, ompi, ompi->again, ompi->again_writes);
        return PROGRESS_PART;
    }
    if (handle_next(context, ompi))
        return PROGRESS_PART;
    bool found = ompi->found;
    bool spins = blocking && !found;
    ompi->found = poll_all(context, ompi, spins) > 0;
    if (ompi->found)
        return PROGRESS_PART;
    return found ? PROGRESS_EVENT : spins ? PROGRESS_BLOCKED : PROGRESS_NOTHING;
}
