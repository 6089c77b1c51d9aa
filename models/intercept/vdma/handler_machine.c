// SPDX-License-Identifier: GPL-3.0-or-later
// The handler's state machines, and its messages as traces show them.
#include "models/intercept/vdma/handler_internal.h"

// ---- State machines ----

// A CONNECT that a connected handler refuses is a step of its own.
static const struct machine_state connection_states[] = {
    [VDMA_NONE] = {"NONE", .next = MACHINE_TO(VDMA_CONNECTING, VDMA_CONNECTED)},
    [VDMA_CONNECTING] = {"CONNECTING",
                         {"the initial credit update", WAIT_ACK},
                         HELD_BY_PEER,
                         MACHINE_TO(VDMA_CONNECTED)},
    [VDMA_CONNECTED] = {"CONNECTED", .next = MACHINE_TO(VDMA_CONNECTED)},
};

const struct machine_kind vdma_connection_machine = {
    .name = "connection",
    .title = "Connection of two VDMA handlers",
    .source = "thesis 002, 2.2.2",
    .states = connection_states,
    .count = G_N_ELEMENTS(connection_states),
};

// A GET_EXT_REPLY brings the bytes before and after the slices.
static const struct machine_state read_states[] = {
    [VDMA_READ_READING] = {"READING",
                           {"the slices", WAIT_OTHER},
                           HELD_BY_PEER,
                           MACHINE_TO(VDMA_READ_READING, VDMA_READ_DONE)},
    [VDMA_READ_DONE] = {.name = "DONE"},
};

const struct machine_kind vdma_read_machine = {
    .name = "read",
    .title = "VDMA read at its reader",
    .source = "thesis 002, 2.2.2, 5.2.2 and figure 2.3",
    .states = read_states,
    .count = G_N_ELEMENTS(read_states),
};

static const struct machine_state write_states[] = {
    [VDMA_WRITE_PUT] = {"PUT", {"DONE", WAIT_ACK}, HELD_BY_PEER, MACHINE_TO(VDMA_WRITE_DONE)},
    [VDMA_WRITE_DONE] = {.name = "DONE"},
};

const struct machine_kind vdma_write_machine = {
    .name = "write",
    .title = "VDMA write at its writer",
    .source = "thesis 002, 2.2.2 and figure 2.4",
    .states = write_states,
    .count = G_N_ELEMENTS(write_states),
};

static const struct machine_state channel_states[] = {
    [VDMA_UNUSED] = {"FREE", .next = MACHINE_TO(VDMA_RECEIVES, VDMA_SENDS)},
    [VDMA_RECEIVES] = {"RECEIVES", {"a slice", WAIT_OTHER}, HELD_BY_PEER, MACHINE_TO(VDMA_UNUSED)},
    [VDMA_SENDS] = {"SENDS", {"the card", WAIT_OTHER}, HELD_HERE, MACHINE_TO(VDMA_UNUSED)},
};

const struct machine_kind vdma_channel_machine = {
    .name = "channel",
    .title = "VDMA channel as its handler uses it",
    .source = "thesis 002, 2.2.2, 5.2.2",
    .states = channel_states,
    .count = G_N_ELEMENTS(channel_states),
};

// ---- Messages ----

const char *const vdma_kind_names[VDMA_KINDS] = {
    [VDMA_CONNECT] = "CONNECT",
    [VDMA_CONNECT_REFUSED] = "CONNECT_REFUSED",
    [VDMA_CREDIT] = "CREDIT",
    [VDMA_GET] = "GET",
    [VDMA_PUT] = "PUT",
    [VDMA_DONE] = "DONE",
    [VDMA_PORTALS_GET_EXT_REPLY] = "GET_EXT_REPLY",
    [VDMA_PORTALS_CLIENT] = "client message",
};

const char *vdma_message_name(const struct vdma_handler *handler, const struct vdma_body *body)
{
    const struct vdma_client *client = handler->client;
    if (body->kind == VDMA_PORTALS_CLIENT && client && client->message_name)
        return client->message_name(body->type);
    return vdma_kind_names[body->kind];
}

void vdma_trace_message(const struct cpu_context *context, const struct vdma_handler *handler,
                        const struct vdma_body *body, const char *direction, int peer)
{
    struct machine_owner owner = {.where = handler->where, .subject = peer, .machine = "message"};
    const char *name = handler->hosts[peer]->name;
    if (body->kind == VDMA_GET)
        cpu_trace_eventf(context, owner, NULL, "GET", "%s %s, slice %d", direction, name,
                         body->slice);
    else
        cpu_trace_eventf(context, owner, NULL, vdma_message_name(handler, body), "%s %s", direction,
                         name);
}
