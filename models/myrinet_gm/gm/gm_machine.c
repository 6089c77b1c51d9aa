// SPDX-License-Identifier: GPL-3.0-or-later
// The state machines of GM: the firmware's four, and those of tokens, connections and streams.
#include "models/myrinet_gm/gm/gm_internal.h"

void gm_enter(const struct gm_card *card, sim_time now, const struct machine_kind *kind,
              struct machine *machine, unsigned state, int64_t subject, const char *event)
{
    if (state != machine->state)
        machine_enter(kind, machine, state,
                      (struct machine_owner){.where = card->host->name, .subject = subject}, event,
                      card->sim->trace, cpu_lane(lanai_cpu(card->lanai)), now);
}

void gm_token_enter(struct gm_send_token *token, enum gm_token_state state)
{
    struct gm_port *port = token->port;
    if (state != token->machine.state)
        machine_enter(&gm_token_machine, &token->machine, state,
                      (struct machine_owner){.where = port->card->host->name,
                                             .subject = token - port->send_tokens},
                      NULL, NULL, 0, 0);
}

#define MCP_MACHINES "GM's control program (MCP): its machines SDMA, SEND, RECV and RDMA"

// ---- The firmware ----

static const struct machine_state sdma_states[] = {
    [GM_SDMA_IDLE] = {"idle", .next = MACHINE_TO(GM_SDMA_FETCHING)},
    [GM_SDMA_FETCHING] = {"fetching", .next = MACHINE_TO(GM_SDMA_IDLE)},
};

const struct machine_kind gm_sdma_machine = {
    .name = "SDMA",
    .title = "SDMA of GM's firmware",
    .source = MCP_MACHINES,
    .states = sdma_states,
    .count = G_N_ELEMENTS(sdma_states),
};

static const struct machine_state send_states[] = {
    [GM_SEND_IDLE] = {"idle", .next = MACHINE_TO(GM_SEND_DATA, GM_SEND_CONTROL)},
    [GM_SEND_DATA] = {"data", .next = MACHINE_TO(GM_SEND_IDLE)},
    [GM_SEND_CONTROL] = {"control", .next = MACHINE_TO(GM_SEND_IDLE)},
};

const struct machine_kind gm_send_machine = {
    .name = "SEND",
    .title = "SEND of GM's firmware",
    .source = MCP_MACHINES,
    .states = send_states,
    .count = G_N_ELEMENTS(send_states),
};

// With a single receive buffer, `some` is skipped.
static const struct machine_state recv_states[] = {
    [GM_RECV_EMPTY] = {"empty", .next = MACHINE_TO(GM_RECV_SOME, GM_RECV_FULL)},
    [GM_RECV_SOME] = {"some", .next = MACHINE_TO(GM_RECV_EMPTY, GM_RECV_FULL)},
    [GM_RECV_FULL] = {"full", .next = MACHINE_TO(GM_RECV_EMPTY, GM_RECV_SOME)},
};

const struct machine_kind gm_recv_machine = {
    .name = "RECV",
    .title = "RECV of GM's firmware",
    .source = MCP_MACHINES,
    .states = recv_states,
    .count = G_N_ELEMENTS(recv_states),
};

static const struct machine_state rdma_states[] = {
    [GM_RDMA_IDLE] = {"idle", .next = MACHINE_TO(GM_RDMA_WRITING)},
    [GM_RDMA_WRITING] = {"writing", .next = MACHINE_TO(GM_RDMA_IDLE)},
};

const struct machine_kind gm_rdma_machine = {
    .name = "RDMA",
    .title = "RDMA of GM's firmware",
    .source = MCP_MACHINES,
    .states = rdma_states,
    .count = G_N_ELEMENTS(rdma_states),
};

// ---- Tokens ----

// A NACK returns a token to its stream if no packet of its message is acknowledged. One that is
// queued ends by the send timeout of those before it.
static const struct machine_state token_states[] = {
    [GM_TOKEN_CLIENT] = {"client", .next = MACHINE_TO(GM_TOKEN_WRITTEN)},
    [GM_TOKEN_WRITTEN] = {"written", .next = MACHINE_TO(GM_TOKEN_QUEUED)},
    [GM_TOKEN_QUEUED] = {"queued", .next = MACHINE_TO(GM_TOKEN_SENDING, GM_TOKEN_SENT)},
    [GM_TOKEN_SENDING] = {"sending", .next = MACHINE_TO(GM_TOKEN_QUEUED, GM_TOKEN_SENT)},
    [GM_TOKEN_SENT] = {"sent", .next = MACHINE_TO(GM_TOKEN_CLIENT)},
};

const struct machine_kind gm_token_machine = {
    .name = "send token",
    .title = "Send token of GM",
    .source = "thesis 001, 2.3.2; GM's API: gm_send_with_callback, gm_unknown",
    .states = token_states,
    .count = G_N_ELEMENTS(token_states),
};

// ---- Connections ----

static const struct machine_state connection_states[] = {
    [GM_CONNECTION_IDLE] = {"idle", .next = MACHINE_TO(GM_CONNECTION_SENDING)},
    [GM_CONNECTION_SENDING] = {"sending",
                               .next = MACHINE_TO(GM_CONNECTION_IDLE, GM_CONNECTION_RESENDING)},
    [GM_CONNECTION_RESENDING] = {"resending",
                                 .next = MACHINE_TO(GM_CONNECTION_IDLE, GM_CONNECTION_SENDING)},
};

const struct machine_kind gm_connection_machine = {
    .name = "connection",
    .title = "GM's connection to another card",
    .source = "GM's control program (MCP): go-back-N with ACK, NACK and a resend timer",
    .states = connection_states,
    .count = G_N_ELEMENTS(connection_states),
};

static const struct machine_state stream_states[] = {
    [GM_STREAM_AWAKE] = {"awake", .next = MACHINE_TO(GM_STREAM_ASLEEP)},
    [GM_STREAM_ASLEEP] = {"asleep", .next = MACHINE_TO(GM_STREAM_AWAKE)},
};

const struct machine_kind gm_stream_machine = {
    .name = "stream",
    .title = "Messages of one GM port to another",
    .source = "GM's control program (MCP): a NACK for lack of a receive buffer",
    .states = stream_states,
    .count = G_N_ELEMENTS(stream_states),
};
