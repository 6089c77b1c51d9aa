// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/inet/watch.h"

#include "sim/core/poison.h"

#define BITS 64 // of a word of `readable`

void inet_watch_init(struct inet_watch *watch)
{
    *watch = (struct inet_watch){
        .sockets = g_ptr_array_new_with_free_func(g_free),
        .marked = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
        .readable = g_array_new(FALSE, TRUE, sizeof(uint64_t)),
    };
}

void inet_watch_clear(struct inet_watch *watch)
{
    g_ptr_array_unref(watch->sockets);
    g_array_unref(watch->marked);
    g_array_unref(watch->readable);
}

static struct inet_watched *watched_at(const struct inet_watch *watch, uint32_t place)
{
    return g_ptr_array_index(watch->sockets, place);
}

static bool readable_at(const struct inet_watch *watch, uint32_t place)
{
    return g_array_index(watch->readable, uint64_t, place / BITS) >> place % BITS & 1;
}

static void set_readable(struct inet_watch *watch, uint32_t place, bool readable)
{
    if (readable_at(watch, place) == readable)
        return;
    g_array_index(watch->readable, uint64_t, place / BITS) ^= UINT64_C(1) << place % BITS;
    watch->readable_count += readable ? 1 : -1;
}

void inet_watch_join(struct inet_watch *watch, struct inet_socket *socket, uint32_t place)
{
    g_assert(!socket->watched);
    if (place >= watch->sockets->len) {
        g_ptr_array_set_size(watch->sockets, (gint)place + 1);
        g_array_set_size(watch->readable, place / BITS + 1);
    }
    g_assert(!watched_at(watch, place));
    socket->watched = g_new(struct inet_watched, 1);
    *socket->watched = (struct inet_watched){.watch = watch, .socket = socket, .place = place};
    watch->sockets->pdata[place] = socket->watched;
    watch->count++;
    watch->config = socket->host->config;
    watch->stage = socket->ops->stage;
    inet_mark(socket);
}

void inet_watch_leave(struct inet_socket *socket)
{
    struct inet_watched *watched = socket->watched;
    if (!watched)
        return;
    set_readable(watched->watch, watched->place, false);
    watched->watch->sockets->pdata[watched->place] = NULL;
    watched->watch->count--;
    socket->watched = NULL;
    g_free(watched);
}

static bool can_be_read(const struct inet_watched *watched)
{
    return (watched->socket->ops->ready(watched->socket) & INET_READABLE) != 0;
}

// Asks all: every change was marked.
static bool all_as_found(const struct inet_watch *watch)
{
    for (uint32_t place = 0; place < watch->sockets->len; place++) {
        const struct inet_watched *watched = watched_at(watch, place);
        if (watched && can_be_read(watched) != readable_at(watch, place))
            return false;
    }
    return true;
}

int inet_watch_poll(struct cpu_context *context, struct inet_watch *watch,
                    struct inet_process *process)
{
    g_assert(watch->count > 0);
    inet_charge_select(context, process, watch->config, watch->stage, watch->count);
    for (guint i = 0; i < watch->marked->len; i++) {
        uint32_t place = g_array_index(watch->marked, uint32_t, i);
        struct inet_watched *watched = watched_at(watch, place);
        if (!watched)
            continue; // it has left since
        watched->marked = false;
        set_readable(watch, place, can_be_read(watched));
    }
    g_array_set_size(watch->marked, 0);
    g_assert(!POISONS || all_as_found(watch));
    return watch->readable_count;
}
