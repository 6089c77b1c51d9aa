// SPDX-License-Identifier: GPL-3.0-or-later
// The progress engine (thesis 004, 3.2.3, figure 3.4). A turn takes an event off the queue, if
// there is one; else the read logic and then the write logic make some. The socket is read without
// asking whether it has something (3.2.6): while nothing is left to be written, a call that waits
// blocks in the read; otherwise the loop spins. A call that does not wait leaves with the turn: the
// events that it has made are for the next call. The socket's mode is set by fcntl, which
// MPIDU_Sctp_wait (MPICH2 1.0.5, channels/sctp/src/ch3_progress.c) calls more often than it has
// to: before and after a read that blocks, after the reads of every turn, and when it returns.
#include "models/mpich2/sctp/channel.h"

// sctp_setblock
static void set_mode(struct cpu_context *context, const struct ch3_sctp_process *sctp)
{
    inet_call(context, sctp->process->host, INET_FCNTL);
}

// MPIDU_Sctp_wait returns with an event, which the progress engine handles.
static void dispatch(struct cpu_context *context, struct ch3_sctp_process *sctp)
{
    struct ch3_sctp_event *event = sctp->event_head;
    sctp->event_head = event->next;
    set_mode(context, sctp);
    cpu_spend_for(context, sctp->config->event, &ch3_sctp_stage,
                  event->kind == CH3_SCTP_READ ? event->received.message
                  : event->send                ? event->send->pkt.message
                                               : MESSAGE_NONE);
    switch (event->kind) {
    case CH3_SCTP_READ:
        ch3_sctp_read_done(context, sctp, event);
        break;
    case CH3_SCTP_WRITTEN:
        ch3_sctp_write_done(context, sctp, event);
        break;
    }
    pool_give(&sctp->events, event);
}

// ---- Turns ----

static bool writes_first(const struct ch3_sctp_process *sctp)
{
    return sctp->config->progress == CH3_SCTP_WRITE_FIRST;
}

static void begin_pass(struct ch3_sctp_process *sctp)
{
    sctp->phase = CH3_SCTP_WRITING;
    sctp->pass = sctp->queue_head;
    sctp->pass_left = sctp->queue_length;
}

static void begin_turn(struct cpu_context *context, struct ch3_sctp_process *sctp)
{
    sctp->moved = sctp->stage_moved;
    sctp->stage_moved = false;
    sctp->turn = 0;
    cpu_spend(context, sctp->config->turn, &ch3_sctp_stage);
    if (writes_first(sctp))
        begin_pass(sctp);
    else
        sctp->phase = CH3_SCTP_READING;
}

static bool active(const struct ch3_sctp_process *sctp)
{
    return sctp->stage && sctp->stage->active(sctp);
}

// With another channel's stage, whose sockets it waits for, too. Returns true if there is something
// to do.
static bool spin_with_stage(struct cpu_context *context, struct ch3_sctp_process *sctp)
{
    const int wanted = INET_READABLE | (sctp->queue_head ? INET_WRITABLE : 0);
    const struct inet_selected own = {sctp_socket_inet(sctp->socket), (enum inet_readiness)wanted,
                                      0};
    if (!sctp->selected)
        sctp->selected = g_array_new(FALSE, FALSE, sizeof(struct inet_selected));
    g_array_set_size(sctp->selected, 0);
    g_array_append_val(sctp->selected, own);
    return !sctp->stage->await(sctp, sctp->selected) ||
           inet_spin_several(context, &g_array_index(sctp->selected, struct inet_selected, 0),
                             (int)sctp->selected->len, sctp->spin);
}

// The loop has nothing to do until the socket is readable or writable.
static enum mpi_progress spin(struct cpu_context *context, struct ch3_sctp_process *sctp)
{
    sctp->spin = MAX(1, sctp->turn);
    if (sctp->stage ? spin_with_stage(context, sctp)
                    : inet_spin(context, sctp_socket_inet(sctp->socket),
                                INET_READABLE | INET_WRITABLE, sctp->spin))
        return PROGRESS_EVENT;
    sctp->spins_since = context->now;
    return PROGRESS_BLOCKED;
}

static enum mpi_progress end_turn(struct cpu_context *context, struct ch3_sctp_process *sctp,
                                  sim_time began, bool blocking)
{
    sctp->phase = CH3_SCTP_TURN;
    sctp->staged = false;
    if (!blocking)
        set_mode(context, sctp); // it returns
    if (sctp->event_head || (blocking && sctp->moved))
        return PROGRESS_EVENT;
    if (!blocking)
        return PROGRESS_NOTHING;
    if (!sctp->queue_head && !active(sctp))
        return PROGRESS_EVENT; // the next turn blocks in its read
    sctp->turn += context->now - began;
    return spin(context, sctp);
}

// ---- Read logic ----

// The read that a call blocks in.
static enum mpi_progress blocking_read(struct cpu_context *context, struct ch3_sctp_process *sctp)
{
    struct inet_socket *inet = sctp_socket_inet(sctp->socket);
    if (inet->process->asleep)
        return PROGRESS_BLOCKED; // woken by something else
    if (!sctp->blocks)
        set_mode(context, sctp);
    sctp->blocks = true;
    if (!(inet->ops->ready(inet) & INET_READABLE)) {
        inet_block(context, inet, INET_READABLE);
        return PROGRESS_BLOCKED;
    }
    if (ch3_sctp_read(context, sctp))
        set_mode(context, sctp);
    set_mode(context, sctp);
    sctp->blocks = false;
    sctp->phase = CH3_SCTP_TURN;
    return PROGRESS_EVENT;
}

static enum mpi_progress read_logic(struct cpu_context *context, struct ch3_sctp_process *sctp,
                                    sim_time began, bool blocking)
{
    if (blocking && !sctp->queue_head && !active(sctp))
        return blocking_read(context, sctp);
    bool got = ch3_sctp_read(context, sctp);
    sctp->moved |= got;
    if (got && sctp->config->buffer - sctp->buffered >= CH3_SCTP_ROOM)
        return PROGRESS_EVENT;
    set_mode(context, sctp);
    if (writes_first(sctp) || !sctp->queue_head)
        return end_turn(context, sctp, began, blocking);
    begin_pass(sctp);
    return PROGRESS_EVENT;
}

// ---- Write logic ----

// The stream has been served; `done`: its first element is written.
static void pass_on(struct ch3_sctp_process *sctp, struct ch3_sctp_stream *stream, bool done)
{
    sctp->pass = stream->queue_next;
    sctp->pass_left--;
    if (!done)
        return;
    ch3_sctp_queue_remove(sctp, stream);
    if (stream->head)
        ch3_sctp_queue_append(sctp, stream);
}

static enum mpi_progress pass_over(struct cpu_context *context, struct ch3_sctp_process *sctp,
                                   sim_time began, bool blocking)
{
    if (!writes_first(sctp))
        return end_turn(context, sctp, began, blocking);
    sctp->phase = CH3_SCTP_READING;
    return PROGRESS_EVENT;
}

static enum mpi_progress write_logic(struct cpu_context *context, struct ch3_sctp_process *sctp,
                                     sim_time began, bool blocking)
{
    struct ch3_sctp_stream *stream = sctp->pass;
    if (sctp->pass_left == 0 || !stream)
        return pass_over(context, sctp, began, blocking);
    enum ch3_sctp_written written = ch3_sctp_write(context, sctp, stream, false);
    switch (written) {
    case CH3_SCTP_FULL:
        if (writes_first(sctp) && blocking)
            return inet_wait(context, sctp_socket_inet(sctp->socket), INET_WRITABLE)
                       ? PROGRESS_EVENT
                       : PROGRESS_BLOCKED;
        break;
    case CH3_SCTP_PART:
    case CH3_SCTP_DONE:
        sctp->moved = true;
        break;
    case CH3_SCTP_FAILED:
        return PROGRESS_BLOCKED;
    }
    if (written != CH3_SCTP_PART)
        pass_on(sctp, stream, written == CH3_SCTP_DONE);
    if (sctp->pass_left == 0)
        return pass_over(context, sctp, began, blocking);
    return PROGRESS_EVENT;
}

// ---- Calls ----

// Goes on with what is tried at once.
enum mpi_progress ch3_sctp_go_on(struct cpu_context *context, struct mpi_process *process)
{
    struct ch3_sctp_process *sctp = ch3_sctp_of(process);
    struct ch3_sctp_stream *stream = sctp->writing;
    if (!stream)
        return PROGRESS_NOTHING;
    switch (ch3_sctp_write(context, sctp, stream, true)) {
    case CH3_SCTP_PART:
        return PROGRESS_EVENT;
    case CH3_SCTP_DONE:
        if (stream->head)
            return PROGRESS_EVENT;
        break;
    case CH3_SCTP_FULL:
        ch3_sctp_queue_append(sctp, stream);
        break;
    case CH3_SCTP_FAILED:
        break;
    }
    sctp->writing = NULL;
    return PROGRESS_EVENT;
}

static enum mpi_progress run_turn(struct cpu_context *context, struct ch3_sctp_process *sctp,
                                  bool blocking)
{
    sim_time began = context->now;
    switch (sctp->phase) {
    case CH3_SCTP_TURN:
        if (sctp->event_head) {
            dispatch(context, sctp);
            return PROGRESS_EVENT;
        }
        if (sctp->stage && !sctp->staged) {
            sctp->staged = true;
            sctp->stage_moved = sctp->stage->turn(context, sctp);
            if (sctp->stage_moved)
                return PROGRESS_EVENT;
        }
        begin_turn(context, sctp);
        if (sctp->phase == CH3_SCTP_WRITING && sctp->pass)
            return write_logic(context, sctp, began, blocking);
        sctp->phase = CH3_SCTP_READING;
        return read_logic(context, sctp, began, blocking);
    case CH3_SCTP_READING:
        return read_logic(context, sctp, began, blocking);
    case CH3_SCTP_WRITING:
        return write_logic(context, sctp, began, blocking);
    }
    return PROGRESS_NOTHING;
}

enum mpi_progress ch3_sctp_advance(struct cpu_context *context, struct mpi_process *process,
                                   bool blocking)
{
    struct ch3_sctp_process *sctp = ch3_sctp_of(process);
    sim_time began = context->now;
    if (context->now > sctp->spins_since) // it has spun until now
        *sctp->count.empty_reads += (context->now - sctp->spins_since) / sctp->spin;
    sctp->spins_since = TIME_END;
    enum mpi_progress progress = run_turn(context, sctp, blocking);
    sctp->turn += context->now - began;
    return progress == PROGRESS_EVENT && sctp->phase != CH3_SCTP_TURN ? PROGRESS_PART : progress;
}
