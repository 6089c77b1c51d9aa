// SPDX-License-Identifier: GPL-3.0-or-later
// The waits of a handler, with their numbers.
#include "models/intercept/vdma/handler_internal.h"

static const char *name_of(const struct vdma_handler *handler, int peer)
{
    return handler->hosts[peer]->name;
}

static void add_words(GString *text, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void add_words(GString *text, const char *format, ...)
{
    va_list arguments;
    if (text->len > 0)
        g_string_append(text, "; ");
    va_start(arguments, format);
    g_string_append_vprintf(text, format, arguments);
    va_end(arguments);
}

static void add_peer(GString *text, const struct vdma_handler *handler,
                     const struct vdma_peer *peer)
{
    const char *name = name_of(handler, peer->number);
    if (peer->machine.state == VDMA_NONE && peer->waiting)
        add_words(text,
                  "a connection to %s, for which nobody has asked (vdma_handler.self_connect)",
                  name);
    else if (peer->machine.state == VDMA_CONNECTING)
        add_words(text, "the initial credit update from %s%s", name,
                  peer->number == handler->host->index
                      ? ", itself (without a switch its CONNECT goes where its cable leads)"
                      : "");
    else if (peer->waiting)
        add_words(text, "credit from %s for %s", name,
                  vdma_message_name(handler, vdma_message_body(peer->waiting)));
}

static void add_channel(GString *text, const struct vdma_handler *handler, int number)
{
    const struct vdma_channel *channel = &handler->channels[number];
    int packets, missing;
    if (channel->over)
        return;
    missing = vdma_missing(handler->nic, number, &packets);
    add_words(text, "%d of %d packets of slice %d (channel %d) %s %s", missing, packets,
              channel->slice, number, channel->machine.state == VDMA_RECEIVES ? "from" : "to",
              name_of(handler, channel->peer));
}

static void add_read(GString *text, const struct vdma_handler *handler,
                     const struct vdma_read *read)
{
    for (int i = 0; i < INTERCEPT_CHANNELS; i++)
        if (handler->channels[i].machine.state == VDMA_RECEIVES &&
            handler->channels[i].read == read)
            add_channel(text, handler, i);
    if (read->ext_due)
        add_words(text, "the GET_EXT_REPLY for read %d from %s", (int)read->number,
                  name_of(handler, read->transfer.peer));
    if (read->in_flight == 0 && read->begun < read->split.middle)
        add_words(text, "a free channel for slice %d from %s", read->slices + 1,
                  name_of(handler, read->transfer.peer));
}

static void add_write(GString *text, const struct vdma_handler *handler,
                      const struct vdma_write *write)
{
    add_words(text, "the DONE of write %d from %s", (int)write->number,
              name_of(handler, write->transfer.peer));
}

char *vdma_transfer_waits(const struct vdma_handler *handler, uint64_t key)
{
    GString *text = g_string_new(NULL);
    for (const struct vdma_read *read = handler->reads; read; read = read->next)
        if (!read->written && read->transfer.key == key)
            add_read(text, handler, read);
    for (const struct vdma_write *write = handler->writes; write; write = write->next)
        if (write->transfer.key == key)
            add_write(text, handler, write);
    return g_string_free(text, text->len == 0);
}

char *vdma_handler_waits(const struct vdma_handler *handler)
{
    GString *text = g_string_new(NULL);
    for (int i = 0; i < handler->host_count; i++) {
        const struct vdma_peer *peer = sparse_peek(&handler->peers, i);
        if (peer)
            add_peer(text, handler, peer);
    }
    if (handler->control)
        add_words(text, "room in the TX-CB");
    for (const struct vdma_read *read = handler->reads; read; read = read->next)
        add_read(text, handler, read);
    for (int i = 0; i < INTERCEPT_CHANNELS; i++)
        if (handler->channels[i].machine.state == VDMA_SENDS)
            add_channel(text, handler, i);
    if (handler->served)
        add_words(text, "a free channel or buffer to send slice %d to %s", handler->served->slice,
                  name_of(handler, handler->served->from));
    for (const struct vdma_write *write = handler->writes; write; write = write->next)
        add_write(text, handler, write);
    return g_string_free(text, text->len == 0);
}
