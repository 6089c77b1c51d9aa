// SPDX-License-Identifier: GPL-3.0-or-later
// Waits of a process's short messages, for reports of deadlocks.
#include "models/intercept/p3/long.h"

#define NUMBER G_GUINT64_FORMAT

static void add(GPtrArray *waits, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void add(GPtrArray *waits, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_ptr_array_add(waits, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

char *p3_send_waits(const struct p3_process *process, const struct p3_send *send)
{
    const char *peer = p3_host_name(process, send->peer);
    switch ((enum p3_send_state)send->machine.state) {
    case P3_SEND_POSTPONED:
        if (p3_peer_peek(process, send->peer)->boot.state == P3_BOOT_OPEN ||
            send->number == BOOTMSGNUM)
            return g_strdup_printf("room for the RTS of message %" NUMBER " to %s", send->number,
                                   peer);
        return g_strdup_printf("the boot message to be confirmed by %s, before message %" NUMBER,
                               peer, send->number);
    case P3_SEND_RTS_SENT:
        return g_strdup_printf("%s message %" NUMBER " from %s",
                               send->length > process->sizes.first ? "CTS for" : "MSGEND of",
                               send->number, peer);
    case P3_SEND_SENDING:
        return g_strdup_printf("room in TX-CB 2 for data packet %u of message %" NUMBER " to %s",
                               send->data, send->number, peer);
    case P3_SEND_WAIT_CTS:
        return g_strdup_printf("NEXT_CTS for message %" NUMBER " from %s", send->number, peer);
    case P3_SEND_WAIT_END:
        return g_strdup_printf("MSGEND of message %" NUMBER " from %s", send->number, peer);
    case P3_SEND_NEW:
    case P3_SEND_DONE:
    case P3_SEND_FAILED:
        break;
    }
    return NULL;
}

static void add_peer(GPtrArray *waits, const struct p3_process *process, const struct p3_peer *peer,
                     const char *name)
{
    for (const struct p3_send *send = peer->sent; send; send = send->next)
        g_ptr_array_add(waits, p3_send_waits(process, send));
    int waiting = 0;
    for (const struct p3_send *send = peer->waiting; send; send = send->next)
        waiting++;
    if (waiting > 0)
        add(waits, "the boot message to be confirmed by %s (messages postponed: %d)", name,
            waiting);
    for (const struct p3_receive *receive = peer->receiving; receive; receive = receive->next)
        add(waits,
            "data of message %" NUMBER " from %s (%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
            " B are there)",
            receive->number, name, receive->rcvlen, receive->mlen);
    if (peer->reordered)
        add(waits, "message %" NUMBER " before %" NUMBER " (reorder queue: %d) from %s",
            peer->last_number + 1, p3_packet_of(&peer->reordered->sm)->number,
            peer->reordered_count, name);
}

GPtrArray *p3_waits(const struct p3_process *process)
{
    GPtrArray *waits = g_ptr_array_new_with_free_func(g_free);
    for (int iuca = 0; iuca < process->hosts; iuca++) {
        const struct p3_peer *peer = p3_peer_peek(process, iuca);
        if (peer)
            add_peer(waits, process, peer, p3_host_name(process, iuca));
    }
    p3_long_waits(process, waits);
    if (process->postponed)
        add(waits, "room in TX-CB 2 for postponed packets");
    return waits;
}
