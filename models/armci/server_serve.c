// SPDX-License-Identifier: GPL-3.0-or-later
// The data server's work for a request.
#include "models/armci/server.h"

// ---- Doing ----

static void copy_out(struct cpu_context *context, struct armci_server *server)
{
    const struct armci_message *message = server->current->message;
    const struct armci_config *config = server->config;
    struct ledger *ledger = server->job->sim->ledger;
    cpu_trace_eventf(context, armci_server_owner(server), NULL, "COPYR",
                     "%" G_GINT64_FORMAT " B at %" G_GINT64_FORMAT, message->piece.bytes,
                     message->piece.offset);
    int64_t kept = 2 * message->piece.bytes; // a request that the server has put aside itself
    struct copy_reuse reuse = {
        .source = server->current->buffer ? COPY_NEVER : kept,
        .destination = armci_user_reuse(message->bytes, server->large.count, config->buffer),
    };
    if (message->kind == ARMCI_ACCUMULATE)
        armci_add(context, server->host, &message->piece, reuse, config, message->message);
    else
        armci_copy(context, server->host, &message->piece, reuse, config->block, message->message);
    if (message->first)
        ledger_match(ledger, message->message);
    ledger_deliver(ledger, message->message, message->piece.offset, message->piece.bytes);
    if (message->last)
        ledger_complete(ledger, message->message);
    armci_server_done(context, server);
}

static void lock(struct cpu_context *context, struct armci_server *server)
{
    const struct armci_message *message = server->current->message;
    armci_server_spend(context, server, server->config->atomic);
    if (armci_server_lock(server, message))
        armci_server_reply(context, server, message->client, message->number, 0);
    else
        armci_server_done(context, server);
}

static void unlock(struct cpu_context *context, struct armci_server *server)
{
    uint32_t number;
    armci_server_spend(context, server, server->config->atomic);
    int next = armci_server_unlock(server, server->current->message, &number);
    if (next >= 0)
        armci_server_reply(context, server, next, number, 0);
    else
        armci_server_done(context, server);
}

static void register_target(struct cpu_context *context, struct armci_server *server)
{
    const struct armci_message *message = server->current->message;
    int64_t address = armci_server_address(server, message->target, message->remote);
    bool good = gm_register_memory(context, server->requests, address, message->bytes);
    armci_server_reply(context, server, message->client, message->number, good);
}

static void unregister_target(struct cpu_context *context, struct armci_server *server)
{
    const struct armci_message *message = server->current->message;
    struct ledger *ledger = server->job->sim->ledger;
    int64_t address = armci_server_address(server, message->target, message->remote);
    gm_deregister_memory(context, server->requests, address, message->bytes);
    if (message->last) {
        ledger_match(ledger, message->message);
        ledger_complete(ledger, message->message);
    }
    armci_server_done(context, server);
}

void armci_server_serve(struct cpu_context *context, struct armci_server *server)
{
    struct armci_received *received = server->current = server->first;
    const struct armci_message *message = received->message;
    server->first = received->next;
    armci_server_spend(context, server, server->config->dispatch);
    switch (message->kind) {
    case ARMCI_PUT:
    case ARMCI_ACCUMULATE:
        copy_out(context, server);
        return;
    case ARMCI_GET:
        armci_serve_get(context, server);
        return;
    case ARMCI_FETCH_ADD:
        armci_server_spend(context, server, server->config->atomic);
        armci_server_reply(context, server, message->client, message->number,
                           armci_server_add(server, message->target));
        return;
    case ARMCI_LOCK:
        lock(context, server);
        return;
    case ARMCI_UNLOCK:
        unlock(context, server);
        return;
    case ARMCI_FENCE:
        armci_server_reply(context, server, message->client, message->number, 0);
        return;
    case ARMCI_REGISTER:
        register_target(context, server);
        return;
    case ARMCI_UNREGISTER:
        unregister_target(context, server);
        return;
    case ARMCI_AVAILABLE:
    case ARMCI_ARRIVED:
        break;
    }
    g_assert_not_reached(); // heard when they were taken
}
