// SPDX-License-Identifier: GPL-3.0-or-later
// The library: what a process calls. No call enters the kernel but those for registering and
// blocking.
#include "models/myrinet_gm/gm/gm_internal.h"

#include "sim/core/poison.h"

static const struct stage gm_stage = {"GM", STAGE_LIBRARY};

int gm_min_size_for_length(int64_t bytes)
{
    int size = 0;
    while (((int64_t)1 << size) < bytes)
        size++;
    return size;
}

static void client_token_enter(const struct gm_port *port, sim_time now,
                               struct gm_send_token *token, enum gm_token_state state)
{
    gm_enter(port->card, now, &gm_token_machine, &token->machine, state, token - port->send_tokens,
             NULL);
}

// ---- Tokens over time, for the trace ----

enum token_value { VALUE_SEND_TOKENS, VALUE_RECEIVE_TOKENS, TOKEN_VALUES };

static const struct trace_quantity token_quantities[TOKEN_VALUES] = {
    [VALUE_SEND_TOKENS] = {"send tokens", "tokens"},
    [VALUE_RECEIVE_TOKENS] = {"receive tokens", "tokens"},
};

static void tokens_tell(struct gm_port *port, sim_time now)
{
    struct trace *trace = port->card->sim->trace;
    if (!trace_takes_values(trace))
        return;
    trace_values_once(trace, &port->values,
                      (struct trace_values_info){.group = port->card->host->name,
                                                 .quantities = token_quantities,
                                                 .count = TOKEN_VALUES},
                      "gm port %d", port->number);
    trace_value(trace, port->values, VALUE_SEND_TOKENS, now, port->sends_left);
    trace_value(trace, port->values, VALUE_RECEIVE_TOKENS, now, port->receives_left);
}

// ---- Sending ----

static void fail_unregistered(struct gm_port *port, int64_t address, int64_t bytes)
{
    sim_fail(port->card->sim, SIM_FAILED, "not_registered",
             json_pack("{s:s, s:i, s:I, s:I}", "host", port->card->host->name, "gm_port",
                       port->number, "address", (json_int_t)address, "bytes", (json_int_t)bytes),
             "%s: GM port %d uses memory that is not registered: %" G_GINT64_FORMAT
             " B at 0x%" G_GINT64_MODIFIER "x (gm_register_memory or gm_dma_memory first)",
             port->name, port->number, bytes, (guint64)address);
}

// Ends the run for a send that no correct program asks for.
static bool send_valid(struct gm_port *port, const struct gm_message *message, bool directed)
{
    struct gm_card *card = port->card;
    g_assert(message->target_host >= 0 && message->target_host < card->fabric->hosts);
    g_assert(message->priority >= 0 && message->priority < GM_PRIORITIES);
    g_assert(message->length >= message->header && message->header >= 0);
    if (message->target_host == card->host->index) {
        sim_fail(card->sim, SIM_FAILED, "unsupported", NULL,
                 "%s: GM port %d sends to its own host, which is not modelled", port->name,
                 port->number);
        return false;
    }
    if (!directed && (message->size < 0 || message->size >= GM_SIZES ||
                      message->length > (int64_t)1 << message->size)) {
        sim_fail(card->sim, SIM_FAILED, "message_too_long", NULL,
                 "%s: GM port %d sends %" G_GINT64_FORMAT " B as a message of size class %d",
                 port->name, port->number, message->length, message->size);
        return false;
    }
    if (gm_registered(port, message->address, message->length))
        return true;
    fail_unregistered(port, message->address, message->length);
    return false;
}

static bool send_message(struct cpu_context *context, struct gm_port *port,
                         const struct gm_message *message, bool directed, int64_t remote_address)
{
    const struct gm_config *config = port->config;
    struct gm_send_token *token = port->free_send;
    if (!token || !send_valid(port, message, directed))
        return false;
    unpoison(token, GM_SEND_TOKEN_OF_CLIENT);
    port->free_send = token->next;
    port->sends_left--;
    token->message = *message;
    token->directed = directed;
    token->remote_address = remote_address;
    token->status = GM_SUCCESS;
    token->fetched = 0;
    cpu_spend_for(context, config->send, &gm_stage, message->message);
    client_token_enter(port, context->now, token, GM_TOKEN_WRITTEN);
    tokens_tell(port, context->now);
    token->descriptor.write.item.message = message->message;
    token->descriptor.write.bytes =
        config->send_descriptor + (directed ? config->directed_header : 0);
    lanai_write(context, port->card->lanai, &token->descriptor.write);
    return true;
}

bool gm_send_with_callback(struct cpu_context *context, struct gm_port *port,
                           const struct gm_message *message)
{
    return send_message(context, port, message, false, 0);
}

bool gm_directed_send_with_callback(struct cpu_context *context, struct gm_port *port,
                                    const struct gm_message *message, int64_t remote_address)
{
    return send_message(context, port, message, true, remote_address);
}

// ---- Receiving ----

// Takes a receive token for the buffer. Returns NULL if there is none, or the run has ended.
static struct gm_receive_token *receive_token(struct gm_port *port, int64_t address, int size,
                                              int priority)
{
    struct gm_receive_token *token = port->free_receive;
    g_assert(size >= 0 && size < GM_SIZES && priority >= 0 && priority < GM_PRIORITIES);
    if (!token)
        return NULL;
    if (!gm_registered(port, address, (int64_t)1 << size)) {
        fail_unregistered(port, address, (int64_t)1 << size);
        return NULL;
    }
    unpoison(token, sizeof *token);
    port->free_receive = token->next;
    port->receives_left--;
    token->address = address;
    token->size = size;
    token->priority = priority;
    return token;
}

bool gm_provide_receive_buffer(struct cpu_context *context, struct gm_port *port, int64_t address,
                               int size, int priority)
{
    struct gm_receive_token *token = receive_token(port, address, size, priority);
    if (!token)
        return false;
    cpu_spend(context, port->config->provide, &gm_stage);
    tokens_tell(port, context->now);
    token->descriptor.write.bytes = port->config->receive_descriptor;
    lanai_write(context, port->card->lanai, &token->descriptor.write);
    return true;
}

bool gm_provide_at_start(struct gm_port *port, int64_t address, int size, int priority)
{
    struct gm_receive_token *token = receive_token(port, address, size, priority);
    if (!token)
        return false;
    gm_receive_token_post(token);
    tokens_tell(port, sim_now(port->card->sim));
    return true;
}

// The receive token of an event is the client's again.
static void token_back(struct gm_port *port, struct gm_event *event)
{
    struct gm_receive_token *token = event->internal;
    token->next = port->free_receive;
    port->free_receive = token;
    port->receives_left++;
    poison(token, sizeof *token);
    event->internal = NULL;
}

static struct message_ref event_message(const struct gm_event *event)
{
    const struct gm_send_token *token = event->internal;
    return event->kind == GM_SENT_EVENT ? token->message.message : event->message;
}

enum gm_event_kind gm_receive(struct cpu_context *context, struct gm_port *port,
                              struct gm_event *event)
{
    port->wait = GM_AWAKE;
    engine_cancel(port->card->sim->engine, &port->wake);
    if (port->slept)
        host_switch_in(context, port->card->host);
    port->slept = false;
    cpu_spend(context, port->config->receive_check, &gm_stage);
    if (port->head == port->tail) {
        *event = (struct gm_event){.kind = GM_NO_EVENT};
        return GM_NO_EVENT;
    }
    *event = port->events[port->head++ % port->slots];
    cpu_spend_for(context, port->config->receive_event, &gm_stage, event_message(event));
    switch (event->kind) {
    case GM_RECV_EVENT:
    case GM_FAST_RECV_EVENT:
        token_back(port, event);
        tokens_tell(port, context->now);
        break;
    case GM_SENT_EVENT:
    case GM_NO_EVENT:
    case GM_ALARM_EVENT:
        break;
    }
    return event->kind;
}

void gm_unknown(struct cpu_context *context, struct gm_port *port, struct gm_event *event)
{
    if (event->kind != GM_SENT_EVENT)
        return;
    struct gm_send_token *token = event->internal;
    gm_callback_fn *callback = token->message.callback;
    void *callback_context = token->message.callback_context;
    enum gm_status status = token->status;
    cpu_spend_for(context, port->config->callback, &gm_stage, token->message.message);
    token->next = port->free_send;
    port->free_send = token;
    port->sends_left++;
    poison(token, GM_SEND_TOKEN_OF_CLIENT);
    client_token_enter(port, context->now, token, GM_TOKEN_CLIENT);
    tokens_tell(port, context->now);
    if (callback)
        callback(context, port, callback_context, status);
}
