// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/bare.h"

#include <string.h>

struct mpi_bare_early {
    struct mpi_bare_early *next;
    int peer, tag;
    struct message_ref message; // of which it is a part, with tags
    alignas(max_align_t) unsigned char arrived[];
};

static struct mpi_bare_request *bare_of(struct mpi_request *request)
{
    return (struct mpi_bare_request *)(void *)request->device;
}

static const struct mpi_bare_ops *bare_ops_of(const struct mpi_process *process)
{
    return process->ops->bare;
}

static struct mpi_bare *state_of(const struct mpi_process *process)
{
    return (struct mpi_bare *)(void *)((char *)process->device + bare_ops_of(process)->state);
}

// A message of no bytes travels too: it counts as one byte.
static int64_t counted(int64_t bytes)
{
    return MAX(1, bytes);
}

void mpi_bare_init(struct mpi_process *process, int64_t buffer)
{
    struct mpi_bare *bare = state_of(process);
    bare->buffer = buffer;
    pool_init(&bare->early_pool, sizeof(struct mpi_bare_early) + bare_ops_of(process)->early_size);
}

void mpi_bare_clear(struct mpi_process *process)
{
    pool_clear(&state_of(process)->early_pool);
}

static void bare_finish(struct cpu_context *context, struct mpi_request *request)
{
    mpi_enter(context, request, BARE_DONE, NULL);
    mpi_request_done(context, request);
}

// ---- Sending ----

static void wait_in(struct mpi_request *send, enum mpi_bare_state state)
{
    if (send->machine.state != state)
        mpi_enter_untraced(send, state);
}

// Posts as much of a send as the provider takes; false if that is not all.
static bool post(struct cpu_context *context, struct mpi_request *send)
{
    const struct mpi_process *process = send->process;
    struct mpi_bare_request *r = bare_of(send);
    while (r->to_post > 0) {
        int64_t taken, offset = send->size == 0 ? 0 : send->size - r->to_post;
        wait_in(send, BARE_SENT);
        if (!bare_ops_of(process)->post(context, send, offset, &taken)) {
            wait_in(send, BARE_QUEUED);
            return false;
        }
        r->to_post -= counted(taken);
    }
    return true;
}

static void start_send(struct cpu_context *context, struct mpi_request *send)
{
    struct mpi_queue *waiting = &state_of(send->process)->waiting;
    if (waiting->head || !post(context, send))
        mpi_queue_append(waiting, send);
}

bool mpi_bare_posted(struct mpi_request *send)
{
    return bare_of(send)->to_post == 0;
}

void mpi_bare_room(struct cpu_context *context, struct mpi_process *process)
{
    struct mpi_queue *waiting = &state_of(process)->waiting;
    if (waiting->head && post(context, waiting->head))
        mpi_queue_pop(waiting);
}

void mpi_bare_sent(struct cpu_context *context, struct mpi_request *send, int64_t bytes)
{
    struct mpi_process *process = send->process;
    bare_of(send)->left -= counted(bytes);
    if (bare_of(send)->left == 0)
        bare_finish(context, send);
    mpi_bare_room(context, process);
}

// ---- Receiving ----

bool mpi_bare_begin(struct mpi_request *receive, struct message_ref message, int64_t length)
{
    struct mpi_bare_request *r = bare_of(receive);
    struct mpi_envelope envelope = {.source = receive->peer, .length = length};
    if (r->begun)
        return true;
    if (mpi_request_truncates(receive, &envelope))
        return false;
    mpi_request_match(receive, &envelope, message);
    r->begun = true;
    r->left = counted(length);
    return true;
}

void mpi_bare_received(struct cpu_context *context, struct mpi_request *receive, int64_t bytes)
{
    bare_of(receive)->left -= counted(bytes);
    if (bare_of(receive)->left <= 0)
        bare_finish(context, receive);
}

// Whether the receive takes an arrival: a part of its own message, or the first part of one that
// matches it.
static bool takes(struct mpi_request *receive, int peer, int tag, struct message_ref message)
{
    if (receive->peer != peer || !bare_ops_of(receive->process)->tagged)
        return receive->peer == peer;
    if (bare_of(receive)->begun)
        return message_same(receive->message, message);
    return receive->tag == TAG_ANY || receive->tag == tag;
}

void mpi_bare_part_arrived(struct cpu_context *context, struct mpi_process *process, int peer,
                           int tag, struct message_ref message, const void *arrived)
{
    const struct mpi_bare_ops *ops = bare_ops_of(process);
    struct mpi_request *oldest = NULL;
    for (struct mpi_request *request = process->active; request; request = request->active_next)
        if (request->kind == REQUEST_RECV && takes(request, peer, tag, message))
            oldest = request;
    if (oldest) {
        ops->take(context, oldest, arrived);
        return;
    }
    struct mpi_bare *bare = state_of(process);
    struct mpi_bare_early *early = pool_take(&bare->early_pool), **at = &bare->early;
    early->next = NULL;
    early->peer = peer;
    early->tag = tag;
    early->message = message;
    memcpy(early->arrived, arrived, ops->early_size);
    while (*at)
        at = &(*at)->next;
    *at = early;
}

void mpi_bare_arrived(struct cpu_context *context, struct mpi_process *process, int peer,
                      const void *arrived)
{
    mpi_bare_part_arrived(context, process, peer, TAG_ANY, MESSAGE_NONE, arrived);
}

// Gives the receive the first early arrival that it takes. Returns false if there is none.
static bool take_early(struct cpu_context *context, struct mpi_request *receive)
{
    struct mpi_bare *bare = state_of(receive->process);
    struct mpi_bare_early **at = &bare->early;
    while (*at && !takes(receive, (*at)->peer, (*at)->tag, (*at)->message))
        at = &(*at)->next;
    struct mpi_bare_early *early = *at;
    if (!early)
        return false;
    *at = early->next;
    bare_ops_of(receive->process)->take(context, receive, early->arrived);
    pool_give(&bare->early_pool, early);
    return true;
}

static void start_receive(struct cpu_context *context, struct mpi_request *receive)
{
    bool more = take_early(context, receive);
    while (more && bare_ops_of(receive->process)->tagged && bare_of(receive)->left > 0)
        more = take_early(context, receive);
}

void mpi_bare_each_early(const struct mpi_process *process,
                         void (*report)(void *owner, const struct mpi_envelope *envelope),
                         void *owner)
{
    const struct mpi_bare_early *before = NULL;
    for (const struct mpi_bare_early *at = state_of(process)->early; at;
         before = at, at = at->next) {
        bool same =
            before && before->message.generation && message_same(before->message, at->message);
        struct mpi_envelope envelope = {.source = at->peer, .tag = at->tag, .length = -1};
        if (!same)
            report(owner, &envelope);
    }
}

// ---- The device ----

struct mpi_request *mpi_bare_oldest(const struct mpi_process *process)
{
    struct mpi_request *oldest = NULL;
    for (struct mpi_request *at = process->active; at; at = at->active_next)
        oldest = at;
    return oldest;
}

static bool refuses(const struct mpi_request *request)
{
    const struct mpi_process *process = request->process;
    const struct mpi_bare_ops *ops = bare_ops_of(process);
    if (request->peer < 0 || request->peer == process->rank) {
        mpi_fail(process, "unsupported", NULL, ": %s has no messages from any source or to self",
                 ops->provider);
        return true;
    }
    if (!ops->setting || request->size <= state_of(process)->buffer)
        return false;
    sim_fail(process->sim, SIM_FAILED, "buffer_too_small",
             json_pack("{s:i, s:s}", "rank", process->rank, "setting", ops->setting),
             "a message of %" G_GINT64_FORMAT " B does not fit %s", request->size, ops->setting);
    return true;
}

void mpi_bare_start(struct cpu_context *context, struct mpi_request *request)
{
    bool send = request->kind == REQUEST_SEND;
    *bare_of(request) =
        (struct mpi_bare_request){counted(request->size), counted(request->size), false};
    mpi_enter(context, request, send ? BARE_SENT : BARE_POSTED, NULL);
    if (refuses(request))
        return;
    if (send)
        start_send(context, request);
    else
        start_receive(context, request);
}

enum mpi_progress mpi_bare_advance(struct cpu_context *context, struct mpi_process *process,
                                   bool blocking)
{
    const struct mpi_bare_ops *ops = bare_ops_of(process);
    if (ops->poll(context, process))
        return PROGRESS_EVENT;
    if (!blocking || !process->active)
        return PROGRESS_NOTHING;
    if (ops->sleep)
        ops->sleep(context, process);
    return PROGRESS_BLOCKED;
}
